"""Weights of a table's rows: read, checked and scaled to a mean of one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microgauge.arrays import Counts
from microgauge.engines import Weight
from microgauge.errors import hint
from microgauge.log import Log
from microgauge.records import dataclass
from microgauge.results.wording import counted
from microgauge.schema import Schema, Variable, Which
from microgauge.study.cells import Cells
from microgauge.study.tallies import Tallies
from microgauge.tables import Table
from microgauge.values.levels import Weighing


@dataclass(frozen=True, eq=False)
class WeightColumn:
    """The column of a table that weights its rows, where the schema names one."""

    table: Table
    which: Which
    schema: Schema

    @property
    def name(self) -> str | None:
        """The column; None without weights."""
        return self.schema.options.weight_of(self.which)

    def _cells(self, name: str) -> Cells:
        given = self.schema.variables.get(name, Variable())
        return Cells.read(self.table.columns[name], given.missing)

    def raw(self) -> Weight | None:
        """Weights as they stand: before rows are counted, their mean is not known."""
        if self.name is None or self.name not in self.table.columns:
            return None
        numbers = self._cells(self.name).numbers
        return Weight(self.name, np.append(np.where(np.isfinite(numbers), numbers, 0.0), 0.0))

    def checked(self, tallies: Tallies, faults: list[str], log: Log) -> Weight | None:
        """Weights with a mean of one; None without, or where all are equal: no weighting."""
        name, table = self.name, self.table
        if name is None:
            return None
        if name not in table.columns:
            faults.append(
                f'the {self.which} table has no column "{name}", the weight.'
                f"{hint(name, table.columns)}"
            )
            return None
        cells = self._cells(name)
        rows = tallies[name][0].astype(np.int64)
        fault = _weight_fault(cells, rows)
        if fault:
            faults.append(f'the weight "{name}" of the {self.which} table {fault}')
            return None
        if cells.width is not None:
            log.note(
                "weight-on-grid",
                f'The weight "{name}" of the {self.which} table has more than '
                f"{self.schema.options.distinct_values:,} different values, which were read as "
                f"the middles of intervals {cells.width:g} wide.",
                [self.which],
            )
        used = rows[:-1] > 0
        if len(np.unique(cells.numbers[used])) == 1:
            return None
        mean = float((cells.numbers[used] * rows[:-1][used]).sum()) / table.rows
        return Weight(name, np.append(np.where(used, cells.numbers, 0.0) / mean, 0.0), mean)

    def note(self, tally: Mapping[str, Weighing], weight: Weight | None, log: Log) -> None:
        """What a reader should know of the weights that are used."""
        if self.name is None:
            return
        if weight is None:
            log.note(
                "weight-constant",
                f'The weight "{self.name}" is the same in all rows of the {self.which} table.',
                [self.which],
            )
        else:
            units = tally[self.name].over(slice(None))[2]
            log.note(
                "weighted",
                f'The {self.which} table is weighted by "{self.name}": {self.table.rows:,} rows '
                f"count as {counted(round(units), 'unit')} (Kish).",
                [self.which],
            )


def _weight_fault(cells: Cells, rows: Counts) -> str | None:
    """What is wrong with weights; `rows` counts the rows of each raw value."""
    if not cells.all_numbers:
        return "holds values that are no numbers."
    missing = int(rows[np.append(cells.missing, True)].sum())
    if missing:
        return (
            f"is missing in {counted(missing, 'row')}. Give every row a weight, or drop such rows."
        )
    numbers, rows = cells.numbers, rows[:-1]
    infinite, negative = int(rows[~np.isfinite(numbers)].sum()), int(rows[numbers < 0].sum())
    if infinite:
        return f"is infinite in {counted(infinite, 'row')}."
    if negative:
        return f"is negative in {counted(negative, 'row')}."
    if not rows[numbers > 0].any():
        return "is 0 in every row."
    return None
