"""The engine for tables held in memory as codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.levels import Floats, Index
from microgauge.passes import Axes, Batch, Facts, Pass, fold
from microgauge.tables import Table

BATCH_ROWS = 1 << 16
"""Few enough rows for all columns' codes to stay in the processor's cache."""


class Local:
    """The rows of one table, or of two tables matched row by row, and their weights."""

    def __init__(
        self,
        codes: Mapping[str, NDArray[Any]],
        rows: int,
        weights: Floats | None = None,
        batch_rows: int = BATCH_ROWS,
    ) -> None:
        self._codes = codes
        self.rows = rows
        self.weights = weights
        self._batch_rows = batch_rows

    @staticmethod
    def of(table: Table, weights: Floats | None = None, batch_rows: int = BATCH_ROWS) -> Local:
        """An engine over one table."""
        codes = {name: column.codes for name, column in table.columns.items()}
        return Local(codes, table.rows, weights, batch_rows)

    def scan(self, passes: Sequence[Pass], axes: Axes, *, long_facts: bool = False) -> Facts:
        """Fold the passes over all rows. Facts as long as the table want batches as long."""
        rows = max(self._batch_rows, 1 << 20) if long_facts else self._batch_rows
        return fold(self._batches(axes, rows), passes)

    def _batches(self, axes: Axes, size: int) -> Iterator[Batch]:
        for start in range(0, max(self.rows, 1), size):
            part = slice(start, start + size)
            codes = {name: codes[part] for name, codes in self._codes.items()}
            yield Batch(codes, axes, None if self.weights is None else self.weights[part])


ORIGINAL, PROTECTED = "original ", "protected "
"""What stands before a column's name in matched rows."""


def matched(
    original: Table,
    protected: Table,
    rows: tuple[Index, Index] | None,
    batch_rows: int = BATCH_ROWS,
) -> Local:
    """Rows that hold a unit's values in both tables: row by row, or by the row numbers given."""
    codes: dict[str, NDArray[Any]] = {}
    for prefix, table, side in ((ORIGINAL, original, 0), (PROTECTED, protected, 1)):
        for name, column in table.columns.items():
            codes[prefix + name] = column.codes if rows is None else column.codes[rows[side]]
    count = original.rows if rows is None else len(rows[0])
    return Local(codes, count, batch_rows=batch_rows)


def weights_of(table: Table, column: str, numbers: Floats) -> Floats | None:
    """Each row's weight, scaled to mean one; None where all are equal, which is no weighting."""
    weights = np.asarray(numbers[table.columns[column].codes], dtype=np.float64)
    if (weights == weights[0]).all():
        return None
    return np.asarray(weights / weights.mean(), dtype=np.float64)
