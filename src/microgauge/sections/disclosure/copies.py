"""Real records in a file that is not aligned: different records of all tables, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.engines import Engine
from microgauge.engines.rounds import Asking, asked_both
from microgauge.errors import Undefined
from microgauge.measures.disclosure.copied import Chances, Whole, controlled, copied
from microgauge.measures.disclosure.matches import agree, exact_matches
from microgauge.measures.disclosure.shares import wilson
from microgauge.passes import Classes
from microgauge.passes.classes import ClassCells
from microgauge.records import dataclass
from microgauge.results.disclosure import CopiedUnits
from microgauge.sections.disclosure.evidence import Profiles
from microgauge.study.common_views import TableName, View
from microgauge.study.external import External
from microgauge.study.study import Study
from microgauge.values.packing import MOST, distinct, packed, unpacked

BEYOND_CHANCE = 0.01
"""By how much a holdout must repeat the original more than the original repeats itself."""


@dataclass(frozen=True, eq=False)
class Copies:
    """The different records of each table in all variables that all of them have."""

    views: Sequence[View]
    interval: float
    answers: Mapping[TableName, ClassCells]

    @staticmethod
    def ask(
        study: Study, views: Mapping[str, View], interval: float, holdout: External | None
    ) -> Asking[Copies | None]:
        """One round; None where the tables have no variable with a value in common."""
        engines: dict[TableName, Engine] = {
            "original": study.original,
            "protected": study.protected,
        }
        used = [view for view in views.values() if not view.sides["protected"][0].empty]
        if holdout is not None:
            engines["holdout"] = holdout.engine
            used = [view for view in used if "holdout" in view.sides]
        if not used:
            return None
        questions = {
            name: Classes(tuple(view.axis(name, view.name) for view in used)) for name in engines
        }
        facts = yield from asked_both(list(engines.values()), [[q] for q in questions.values()])
        answers = {name: found[questions[name]] for name, found in zip(engines, facts, strict=True)}
        return Copies(used, interval, answers)

    @cached_property
    def levels(self) -> Mapping[TableName, Index]:
        """The levels of the different records of each table."""
        sizes = [view.size + 1 for view in self.views]
        return {name: unpacked(cells.keys, sizes) for name, cells in self.answers.items()}

    @property
    def rows(self) -> Mapping[TableName, Counts]:
        """How many there are of each."""
        return {name: cells.rows for name, cells in self.answers.items()}

    @cached_property
    def _halves(self) -> list[float]:
        """Within how much the numbers of each variable are the same; 0 for categories."""
        return [self.interval * view.deviation for view in self.views]

    @cached_property
    def tables(self) -> Mapping[TableName, Whole]:
        """The records of each table, categories numbered alike."""
        stacked = np.concatenate(list(self.levels.values()))
        columns, sizes = [], []
        for place, (view, half) in enumerate(zip(self.views, self._halves, strict=True)):
            levels = stacked[:, place]
            columns.append((levels == view.size).astype(np.intp) if half else levels)
            sizes.append(2 if half else view.size + 1)
        _, groups, _ = distinct(packed(columns, sizes), MOST)
        found: dict[TableName, Whole] = {}
        start = 0
        for name, levels in self.levels.items():
            own = groups[start : start + len(levels)]
            found[name] = Whole(own, self._numbers(levels), self.answers[name].rows)
            start += len(levels)
        return found

    def _numbers(self, levels: Index) -> Floats:
        columns = [
            np.append(view.numbers / half, 0.0)[levels[:, place]]
            for place, (view, half) in enumerate(zip(self.views, self._halves, strict=True))
            if half
        ]
        return np.stack(columns, axis=1) if columns else np.empty((len(levels), 0))

    def chances(self, table: TableName, keys: Sequence[View], shown: Profiles) -> Chances:
        """How far the match of a record leads to its copies."""
        names = [view.name for view in self.views]
        # A key of which every cell was suppressed tells nobody from anyone.
        here = [i for i, key in enumerate(keys) if key.name in names]
        places = [names.index(keys[i].name) for i in here]
        sizes = [keys[i].size for i in here]
        among = shown.levels[:, here]
        mine, theirs = self.levels[table][:, places], self.levels["protected"][:, places]
        rows = self.answers["protected"].rows

        def found(asking: Index, equal: Index, present: Index) -> Floats:
            matches = exact_matches(mine[present], among, shown.people, sizes, [])
            inside = agree(mine[asking], theirs[equal], sizes)
            hits = np.bincount(asking, rows[equal] * inside, len(mine))[present]
            return np.asarray(hits / np.maximum(matches.records, 1))

        return found

    def result(self, keys: Sequence[View], shown: Profiles) -> CopiedUnits:
        """What was copied, against the control where there is a holdout."""
        names = tuple(view.name for view in self.views)
        try:
            protected = self.tables["protected"].neighbours
            own = copied(self.tables["original"], protected, self.chances("original", keys, shown))
        except Undefined as why:
            return CopiedUnits(value=None, reason=str(why))
        plain = CopiedUnits(
            value=own.value,
            uniques=own.uniques,
            present=own.present,
            found_copied=own.found,
            found_copied_ci=own.found_ci,
            variables=names,
            interval=self.interval,
        )
        if "holdout" not in self.tables:
            return plain
        try:
            control = controlled(
                own,
                self.tables["original"],
                self.tables["holdout"],
                protected,
                self.chances("holdout", keys, shown),
            )
        except Undefined as why:
            return replace(plain, reason=str(why))
        return replace(
            plain,
            control=control.share,
            excess=control.excess,
            excess_ci=control.excess_ci,
            found_copied_control=control.found,
            found_copied_excess=control.found_excess,
            found_copied_excess_ci=control.found_excess_ci,
        )

    def shared_units(self) -> float | None:
        """The share of holdout records that equal an original one, where it is beyond chance.

        Chance is how often an original record equals another one of the original.
        """
        original, holdout = self.tables["original"], self.tables["holdout"]
        among = original.neighbours
        equal = holdout.rows[among.number(holdout) > 0].sum()
        own = (original.rows > 1) | (among.number(original) > 1)
        usual = original.rows[own].sum() / original.rows.sum()
        total = int(holdout.rows.sum())
        if wilson(float(equal / total), total)[0] <= usual + BEYOND_CHANCE:
            return None
        return float(equal / total)
