"""Tables of one, two and three variables on both sides, in cells that match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import combinations
from math import prod

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.rounds import Asking, asked_both, in_blocks
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.loss.tables import (
    Frequencies,
    cramers_v,
    relative_change,
    table_distance,
)
from microgauge.passes import Axis, Crosstab, Cube, Facts, SparseCrosstab
from microgauge.passes.tables import DENSE_TABLE, TablePass
from microgauge.records import dataclass
from microgauge.results import TableLoss
from microgauge.schema import Which
from microgauge.study.common_levels import Placed
from microgauge.study.study import SIDES, Study
from microgauge.values.levels import sums_by

MOST_CATEGORIES = 1_000
"""Distinct values up to which a recoded number is tabulated."""
BLOCK_CELLS = 1 << 23
"""Cells counted in one scan."""

Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Tables:
    """Counts tables on both sides and compares them."""

    study: Study
    log: Log
    _axes: dict[tuple[str, Which], Axis] = field(default_factory=dict)

    @property
    def both(self) -> Mapping[str, Placed]:
        """Variables on common levels."""
        return self.study.placed

    def names(self) -> list[str]:
        """Nominal, ordinal and recoded variables."""
        return [
            name
            for name, both in self.both.items()
            if both.type != "continuous"
            or (name in self.study.recodings and both.size <= MOST_CATEGORIES)
        ]

    def left_out(self) -> list[str]:
        """Recoded numbers with too many distinct values."""
        return [n for n in self.both if n in self.study.recodings and n not in self.names()]

    def results(self) -> Asking[tuple[TableLoss, ...]]:
        """All tables up to the number of variables that is asked for."""
        names = self.names()
        found = [self._compared((name,), *self._one_way(name)) for name in names]
        larger = [
            combination
            for way in range(2, self.study.schema.loss.ways + 1)
            for combination in combinations(names, way)
        ]
        for block in in_blocks(larger, self._dense_cells, BLOCK_CELLS):
            self.log.progress(say("comparing tables"), (len(found) - len(names)) / len(larger))
            passes = [[self._pass(names, which) for names in block] for which in SIDES]
            wanted = [[question for question in side if question] for side in passes]
            facts = yield from asked_both(self.study.engines, wanted)
            for place, table in enumerate(block):
                before, after = (
                    self._frequencies(side[place], found_there)
                    for side, found_there in zip(passes, facts, strict=True)
                )
                found.append(self._compared(table, before, after))
        return tuple(found)

    # -- counting ----------------------------------------------------------------------------

    @property
    def _missing_counts(self) -> bool:
        return self.study.options.missing == "category"

    def _size(self, name: str) -> int:
        """Categories of a variable; one more where missing values are one."""
        return self.both[name].size + int(self._missing_counts and self._has_missing(name))

    def _has_missing(self, name: str) -> bool:
        both = self.both[name]
        return bool(both.original.levels.missing or both.protected.levels.missing)

    def _cells(self, names: Names) -> int:
        return prod(self._size(name) for name in names)

    def _dense_cells(self, names: Names) -> int:
        return min(self._cells(names), DENSE_TABLE)

    def _one_way(self, name: str) -> tuple[Frequencies, Frequencies]:
        both = self.both[name]
        found = []
        for side, places in both.sides:
            counts = sums_by(np.append(places, both.size), side.levels.weighing.sums, both.size + 1)
            found.append(_dense(counts[: self._size(name)]))
        return found[0], found[1]

    def _axis(self, name: str, which: Which) -> Axis:
        if (name, which) not in self._axes:
            both = self.both[name]
            axis = both.original_axis(name) if which == "original" else both.protected_axis(name)
            # As a category of its own, a missing cell keeps its code, which is a level then.
            self._axes[name, which] = replace(axis, size=self._size(name))
        return self._axes[name, which]

    def _pass(self, names: Names, which: Which) -> TablePass | Cube | None:
        """The question for a table; None where the table is too large to count."""
        cells = prod(self._size(name) + 1 for name in names)
        axes = [self._axis(name, which) for name in names]
        if len(axes) == 3:
            return Cube(*axes) if cells <= DENSE_TABLE else None
        return Crosstab(*axes) if cells <= DENSE_TABLE else SparseCrosstab(*axes)

    @staticmethod
    def _frequencies(question: TablePass | Cube | None, facts: Facts) -> Frequencies | None:
        if question is None:
            return None
        answer = facts[question]
        if isinstance(question, SparseCrosstab):
            width = question.b.size
            row, column = np.divmod(answer.keys, width + 1)
            complete = (row < question.a.size) & (column < width)
            layer = answer.layers[min(1, len(answer.layers) - 1)]
            keys = row[complete] * width + column[complete]
            return Frequencies(keys, layer[complete].astype(np.float64))
        layer = answer[min(1, len(answer) - 1)]
        return _dense(layer[tuple(slice(0, -1) for _ in layer.shape)].ravel())

    # -- comparing ---------------------------------------------------------------------------

    def _compared(
        self, names: Names, before: Frequencies | None, after: Frequencies | None
    ) -> TableLoss:
        cells = self._cells(names)
        start = TableLoss(variables=names, cells=cells)
        if before is None or after is None:
            return replace(start, reason=say("too many cells to count"))
        units = self.study.original.rows
        scale = units / max(self.study.protected.rows, 1)
        try:
            found = table_distance(before, after.scaled(scale), cells, units)
        except Undefined as why:
            return replace(start, reason=str(why))
        start = replace(
            start,
            ctbil=found.ctbil,
            aad=found.aad,
            moved=found.moved,
            hellinger=found.hellinger,
        )
        if len(names) != 2:
            return replace(start, reason=say("rcv: Cramér's V is of two variables"))
        return self._with_association(start, before, after)

    def _with_association(
        self, start: TableLoss, before: Frequencies, after: Frequencies
    ) -> TableLoss:
        try:
            values = [cramers_v(side, self._size(start.variables[1])) for side in (before, after)]
        except Undefined as why:
            return replace(start, reason=say("rcv: {why}", why=why))
        start = replace(start, cramers_v_original=values[0], cramers_v_protected=values[1])
        try:
            return replace(start, rcv=relative_change(*values))
        except Undefined as why:
            return replace(start, reason=say("rcv: {why}", why=why))


def _dense(counts: Floats) -> Frequencies:
    keys = np.flatnonzero(counts)
    return Frequencies(keys, np.asarray(counts[keys], dtype=np.float64))
