"""Groups of people by a variable the schema names: in which of them most are found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.arrays import Index
from microgauge.engines import ORIGINAL
from microgauge.engines.rounds import Asking, asked
from microgauge.languages.messages import say
from microgauge.measures.disclosure.matches import Matches, same_profiles
from microgauge.passes import OwnClasses
from microgauge.passes.classes import ClassCells
from microgauge.records import dataclass
from microgauge.results.disclosure import GroupFound
from microgauge.sections.disclosure.evidence import Asked
from microgauge.sections.risk.choices import RiskChoices
from microgauge.values.packing import unpacked

MOST_SHOWN = 20
"""Groups that are shown, those in which most are found."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Units by their keys and their group, and whose own record agrees."""

    name: str
    labels: Sequence[str]
    sizes: Sequence[int]
    """Levels of each key."""
    cells: ClassCells
    question: OwnClasses

    @staticmethod
    def ask(wanted: Asked) -> Asking[Groups | None]:
        """One round of matched rows; None where no group is named or tables are not aligned."""
        study = wanted.study
        name = study.schema.of(RiskChoices).group
        variable = next((v for v in study.variables if v.name == name), None)
        if variable is None or study.matched is None:
            return None
        side = variable.original
        axis = side.axis(ORIGINAL + variable.name)
        question = OwnClasses((*wanted.axes("original", ORIGINAL), axis), wanted.pairs)
        facts = yield from asked(study.matched, [question])
        labels = [*side.levels.labels, say("(missing)")]
        return Groups(variable.name, labels, wanted.sizes, facts[question], question)

    def results(self, profiles: Index, matches: Matches) -> tuple[GroupFound, ...]:
        """The groups in which most released units are found by equal records."""
        levels = unpacked(self.cells.keys, self.question.sizes)
        place = same_profiles(levels[:, :-1], profiles, self.sizes)
        group, size = levels[:, -1], len(self.labels)
        found = np.bincount(group, self.cells.sums[0] / np.maximum(matches.records[place], 1), size)
        units = np.bincount(group, self.cells.rows, size)
        here = np.flatnonzero(units)
        shares = found[here] / units[here]
        order = here[np.lexsort((here, -shares))][:MOST_SHOWN]
        return tuple(
            GroupFound(level=self.labels[g], units=int(units[g]), found=float(found[g] / units[g]))
            for g in order
        )
