"""A table that an intruder may hold, in the terms of the protected one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED
from microgauge.engines.rounds import Asking, asked, together
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.loss.moments import quantile
from microgauge.measures.loss.tables import Frequencies, cramers_v
from microgauge.measures.risk.classes import ClassTable, equal_records
from microgauge.measures.risk.compatible import compatible
from microgauge.measures.risk.external import (
    class_risk,
    frequency_correlation,
    mean_of,
    probability_risk,
    spearman,
    unique_risk,
)
from microgauge.passes import Axis, Classes, Column
from microgauge.records import dataclass
from microgauge.study.alignment import joined
from microgauge.study.common_levels import common_order
from microgauge.study.external import External
from microgauge.study.recoding import MatchedCells, matched_cells, may_be_rounded, recoded_like
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side
from microgauge.study.variable_reading import as_number
from microgauge.values.levels import common
from microgauge.values.packing import unpacked

PERCENTILES = np.arange(1, 100) / 100.0


@dataclass(frozen=True, eq=False)
class Linked:
    """The protected classes beside an external table, over the keys that both have."""

    study: Study
    keys: Sequence[Described]
    """The quasi-identifiers, in the order of the classes' columns."""
    external: External
    cells: Mapping[str, MatchedCells] = field(default_factory=dict)
    """Which values became which, of variables that may have been rounded."""
    _classes: Undefined | tuple[Index, Counts] | None = None
    _columns: Undefined | Mapping[str, tuple[Index, Index]] | None = None
    """Both tables' levels of the units that a common key joins."""

    @staticmethod
    def ask(study: Study, keys: Sequence[Described], external: External) -> Asking[Linked]:
        """What is to be known of the external table, from two rounds."""
        shared = [v for v in keys if v.name in external.sides]
        unsaid = [v for v in shared if may_be_rounded(v)]
        cells = yield from matched_cells(unsaid, study.matched)
        linked = Linked(study, keys, external, cells)
        classes, columns = yield from together(linked._ask_classes(), linked._ask_columns())
        return replace(linked, _classes=classes, _columns=columns)

    def _ask_classes(self) -> Asking[Undefined | tuple[Index, Counts]]:
        """The external table's classes over the shared keys, and their records."""
        try:
            self.check()
        except Undefined as why:
            return why
        sizes = [self._common[v.name][2] for v in self.shared]
        axes = []
        for variable, size in zip(self.shared, sizes, strict=True):
            side, places = self._side(variable), self._common[variable.name][1]
            axes.append(Axis(variable.name, np.append(places, size)[side.lookup], size))
        question = Classes(tuple(axes))
        facts = yield from asked(self.external.engine, [question])
        try:
            cells = facts[question]
        except Undefined as why:
            return why
        return unpacked(cells.keys, question.sizes), cells.rows

    @property
    def _by_key(self) -> str | None:
        """A key column by which the external table's units are known."""
        key = self.study.options.key
        return key if key is not None and key in self.external.table.columns else None

    def _ask_columns(self) -> Asking[Undefined | Mapping[str, tuple[Index, Index]] | None]:
        """Both tables' levels of the units that the key joins."""
        if self._by_key is None:
            return None
        try:
            rows = joined(self.study.tables[1], self.external.table, self._by_key)
        except Undefined as why:
            return why
        options = self.study.options
        columns = {}
        for variable in self.shared:
            assert variable.protected is not None
            columns[variable.name] = (
                Column(variable.protected.axis(ORIGINAL + variable.name)),
                Column(self._side(variable).axis(PROTECTED + variable.name)),
            )
        wanted = [column for pair in columns.values() for column in pair]
        held = rows.sample(options.sample_rows, options.seed)
        facts = yield from asked(held, wanted)
        return {name: (facts[mine], facts[theirs]) for name, (mine, theirs) in columns.items()}

    @cached_property
    def shared(self) -> list[Described]:
        """Keys that the external table has."""
        return [v for v in self.keys if v.name in self.external.sides]

    @cached_property
    def _common(self) -> dict[str, tuple[Index, Index, int]]:
        """For each shared key: places of protected and external levels, and their number."""
        found = {}
        for variable in self.shared:
            assert variable.protected is not None
            found[variable.name] = _common(variable.protected, self._side(variable))
        return found

    def _side(self, variable: Described) -> Side:
        return self._recoded[variable.name]

    @cached_property
    def _recoded(self) -> dict[str, Side]:
        return {
            v.name: recoded_like(
                v,
                self.study.recodings.get(v.name),
                self.external.sides[v.name],
                self.cells.get(v.name),
            )
            for v in self.shared
        }

    def check(self) -> None:
        """`Undefined` where a key has no value in common with the external table."""
        if not self.shared:
            raise Undefined(say("every quasi-identifier of the external table was removed"))
        for name, (mine, theirs, _) in self._common.items():
            if not np.intersect1d(mine, theirs).size:
                raise Undefined(say('no value of "{name}" occurs in the external table', name=name))

    def matches(self, protected: ClassTable) -> Counts:
        """ext: external records that each protected class may be taken for."""
        if isinstance(self._classes, Undefined):
            raise self._classes
        assert self._classes is not None
        others, rows = self._classes
        sizes = [self._common[v.name][2] for v in self.shared]
        columns = [self.keys.index(v) for v in self.shared]
        levels = np.stack(
            [
                np.append(self._common[v.name][0], size)[protected.levels[:, column]]
                for v, size, column in zip(self.shared, sizes, columns, strict=True)
            ],
            axis=1,
        )
        if protected.missing_matches:
            return compatible(levels, others, rows, sizes)
        return equal_records(levels, others, rows, sizes)

    # -- the four ways -----------------------------------------------------------------------

    def methods(self, protected: ClassTable) -> tuple[dict[str, float | None], dict[str, str]]:
        """External risk by each way, and why some are null."""
        ways: dict[str, Callable[[], float]] = {
            "class": lambda: class_risk(protected.rows, self.matches(protected)),
            "probability": self._probability,
            "correlation": self._correlation,
            "unique": lambda: unique_risk(protected, self.matches(protected)),
        }
        found: dict[str, float | None] = {}
        reasons = {}
        for name, way in ways.items():
            try:
                self.check()
                found[name] = way()
            except Undefined as why:
                found[name], reasons[name] = None, str(why)
        return found, reasons

    def _shares(self, variable: Described) -> tuple[Floats, Floats]:
        """How values are distributed in both tables, over the union of values."""
        assert variable.protected is not None
        mine, theirs, size = self._common[variable.name]
        shares = []
        for side, places in ((variable.protected, mine), (self._side(variable), theirs)):
            share = np.zeros(size)
            np.add.at(share, places, side.levels.rows / max(side.levels.present, 1))
            shares.append(share)
        return shares[0], shares[1]

    def _probability(self) -> float:
        return probability_risk([self._shares(v) for v in self.shared])

    def _correlation(self) -> float:
        """Of linked values where there is a common key, else of the two distributions."""
        linked = self._by_key is not None
        found = {v.name: self._linked(v) if linked else self._alike(v) for v in self.shared}
        weights = [v.given.rut_weight for v in self.shared]
        return mean_of(found, weights)

    def _alike(self, variable: Described) -> float:
        assert variable.protected is not None
        side = self._side(variable)
        if variable.protected.type == "continuous" and side.levels.numeric:
            curves = [_quantiles(variable.protected), _quantiles(side)]
            return frequency_correlation(curves[0], curves[1])
        return frequency_correlation(*self._shares(variable))

    def _linked(self, variable: Described) -> float:
        """Pearson or Spearman of the linked values; Cramér's V for nominal ones."""
        assert variable.protected is not None
        side = self._side(variable)
        first, second = self._linked_levels(variable.protected, side, variable.name)
        kinds = {variable.protected.type, side.type}
        if "nominal" in kinds:
            mine, theirs, size = self._common[variable.name]
            keys, counts = np.unique(mine[first] * size + theirs[second], return_counts=True)
            return cramers_v(Frequencies(keys, counts.astype(np.float64)), size)
        if "ordinal" in kinds:
            places = common_order(variable.protected, side)
            return max(spearman(places[0][first], places[1][second]), 0.0)
        numbers = variable.protected.levels.numbers[first], side.levels.numbers[second]
        return frequency_correlation(*numbers)

    def _linked_levels(self, mine: Side, theirs: Side, name: str) -> tuple[Index, Index]:
        """Both tables' levels of the units that the key joins and that have a value in both."""
        if isinstance(self._columns, Undefined):
            raise self._columns
        assert self._columns is not None
        first, second = self._columns[name]
        known = (first < len(mine.levels)) & (second < len(theirs.levels))
        if known.sum() < 2:
            raise Undefined(say("fewer than two linked units"))
        return first[known], second[known]


def _common(mine: Side, theirs: Side) -> tuple[Index, Index, int]:
    """Common levels; codes such as 00400 are the numbers that the other table holds."""
    keys = [mine.levels.keys, theirs.levels.keys]
    for place in (0, 1):
        own, other = keys[place], keys[1 - place]
        if not isinstance(own, np.ndarray) and isinstance(other, np.ndarray):
            numbers = [as_number(label) for label in own]
            if None not in numbers:
                keys[place] = np.array(numbers, dtype=np.float64)
    return common(keys[0], keys[1])


def _quantiles(side: Side) -> Floats:
    rows = side.levels.rows.astype(np.float64)
    return np.array([quantile(side.levels.numbers, rows, p, counts=True) for p in PERCENTILES])
