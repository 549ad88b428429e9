"""Weights of a table's rows: read, checked and scaled to a mean of one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microgauge.arrays import Counts
from microgauge.engines import Weight
from microgauge.errors import hint
from microgauge.languages.messages import say
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
                say(
                    'the {which} table has no column "{name}", the weight.{hint}',
                    which=self.which,
                    name=name,
                    hint=hint(name, table.columns),
                )
            )
            return None
        cells = self._cells(name)
        rows = tallies[name][0].astype(np.int64)
        fault = _weight_fault(cells, rows)
        if fault:
            faults.append(
                say(
                    'the weight "{name}" of the {which} table {fault}',
                    name=name,
                    which=self.which,
                    fault=fault,
                )
            )
            return None
        if cells.width is not None:
            log.note(
                "weight-on-grid",
                say(
                    'The weight "{name}" of the {which} table has more than '
                    "{distinct_values:,} different values, which were read as the "
                    "middles of intervals {width:g} wide.",
                    name=name,
                    which=self.which,
                    distinct_values=self.schema.options.distinct_values,
                    width=cells.width,
                ),
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
                say(
                    'The weight "{name}" is the same in all rows of the {which} table.',
                    name=self.name,
                    which=self.which,
                ),
                [self.which],
            )
        else:
            units = tally[self.name].over(slice(None))[2]
            log.note(
                "weighted",
                say(
                    'The {which} table is weighted by "{name}": {rows:,} rows count as '
                    "{units} (Kish).",
                    which=self.which,
                    name=self.name,
                    rows=self.table.rows,
                    units=counted(round(units), "unit"),
                ),
                [self.which],
            )


def _weight_fault(cells: Cells, rows: Counts) -> str | None:
    """What is wrong with weights; `rows` counts the rows of each raw value."""
    if not cells.all_numbers:
        return say("holds values that are no numbers.")
    missing = int(rows[np.append(cells.missing, True)].sum())
    if missing:
        return say(
            "is missing in {rows}. Give every row a weight, or drop such rows.",
            rows=counted(missing, "row"),
        )
    numbers, rows = cells.numbers, rows[:-1]
    infinite, negative = int(rows[~np.isfinite(numbers)].sum()), int(rows[numbers < 0].sum())
    if infinite:
        return say("is infinite in {rows}.", rows=counted(infinite, "row"))
    if negative:
        return say("is negative in {rows}.", rows=counted(negative, "row"))
    if not rows[numbers > 0].any():
        return say("is 0 in every row.")
    return None
