"""What matched rows show: which original value became which, and by which rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED, Engine
from microgauge.engines.rounds import Asking, asked_both
from microgauge.passes import Crosstab, Facts, SparseCrosstab
from microgauge.passes.tables import SparseCells
from microgauge.records import dataclass
from microgauge.study.variable import Described, continuous_both
from microgauge.values.rounding import Rule, coarsest_units, found_rule, resolution

MatchedCells = tuple[Index, Index, Floats]
"""Original level, protected level and units of every pair of values that occurs."""
MOST_MATCHED = 5_000_000
"""Matched units beyond which numbers that became other numbers are looked at in a sample."""
DENSE_CELLS = 1 << 16
"""Cells up to which a table of original and protected values is counted as an array."""


def may_be_rounded(variable: Described) -> bool:
    """Whether a number has fewer values than before, so that rounding is worth a look."""
    before, after = variable.original, variable.protected
    if after is None or after.empty or not continuous_both(before, after):
        return False
    return len(after.levels) < len(before.levels)


def coarser_released(variable: Described) -> bool:
    """Whether released numbers are multiples of a coarser unit than the original's, as rounded."""
    if variable.protected is None or not may_be_rounded(variable):
        return False
    levels = variable.protected.levels
    own = resolution(variable.original.levels.numbers)
    units = coarsest_units(levels.numbers, levels.rows.astype(np.float64))
    return bool(units) and (own is None or units[0] > own)


def shown_rule(variable: Described, cells: MatchedCells | None) -> Rule | None:
    """The rounding of a number that matched rows show."""
    before, after = variable.original, variable.protected
    if cells is None or after is None or not may_be_rounded(variable):
        return None
    first, second, counts = cells
    return found_rule(
        before.levels.numbers[first],
        after.levels.numbers[second],
        counts,
        resolution(before.levels.numbers),
    )


def matched_cells(
    variables: Sequence[Described], rows: Engine | None
) -> Asking[dict[str, MatchedCells]]:
    """Which original value became which protected one, from one round; nothing without rows."""
    if rows is None:
        return {}
    tables = {v.name: _Table.of(v, rows) for v in variables}
    wanted = list(tables.values())
    facts = yield from asked_both([t.rows for t in wanted], [[t.question] for t in wanted])
    return {
        name: table.cells(found) for (name, table), found in zip(tables.items(), facts, strict=True)
    }


@dataclass(frozen=True, eq=False)
class _Table:
    """The table of a variable's original and protected values in matched rows."""

    rows: Engine
    question: Crosstab | SparseCrosstab

    @staticmethod
    def of(variable: Described, rows: Engine) -> _Table:
        assert variable.protected is not None
        before = variable.original.axis(ORIGINAL + variable.name)
        after = variable.protected.axis(PROTECTED + variable.name)
        if before.size * (after.size + 1) <= DENSE_CELLS:
            return _Table(rows, Crosstab(before, after))
        # There may be as many cells as rows: which values became which shows in a part of them.
        return _Table(rows.sample(MOST_MATCHED, 1), SparseCrosstab(before, after))

    def cells(self, facts: Facts) -> MatchedCells:
        """Original level, protected level and units of every pair of values that occurs."""
        found = facts[self.question]
        if isinstance(found, SparseCells):
            keys, counts = found.keys, found.layers[0].astype(np.float64)
        else:
            table = found[0].ravel()
            keys = np.flatnonzero(table)
            counts = table[keys].astype(np.float64)
        size, width = self.question.a.size, self.question.b.size + 1
        before, after = np.divmod(keys, width)
        here = (before < size) & (after < width - 1)
        return before[here], after[here], counts[here]
