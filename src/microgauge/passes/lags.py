"""How two columns go together row by row, and with one of them moved by some rows.

Files are often sorted alike, so that neighbours agree more than strangers. What rows share beyond
their neighbours is seen only by holding the two against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats
from microgauge.passes.batch import Axis, Batch, InThreads, Pass
from microgauge.records import dataclass

LAGS = (0, -1, 1, -2, 2, -3, 3, -5, 5)
"""By how many rows the second column is moved; first: not at all."""
LONGEST = 5

Cells = tuple[NDArray[Any], NDArray[Any]]
"""Some rows of both columns."""
Joined = Callable[[NDArray[Any], NDArray[Any]], float]
"""What some rows of both columns add to a sum."""


@dataclass(frozen=True, eq=False)
class Lagged:
    """Sums over the rows that stand together at each lag. Adds up in row order only.

    The first and the last rows are kept, since they stand together with rows of other batches.
    """

    joined: Joined
    rows: int
    sums: Floats
    first: Cells
    last: Cells

    @staticmethod
    def of(joined: Joined, a: NDArray[Any], b: NDArray[Any]) -> Lagged:
        """The sums of one batch."""
        sums = [joined(*_together(a, b, lag)) for lag in LAGS]
        first, last = (a[:LONGEST], b[:LONGEST]), (a[-LONGEST:], b[-LONGEST:])
        return Lagged(joined, len(a), np.array(sums, dtype=np.float64), first, last)

    def __add__(self, other: Lagged) -> Lagged:
        near = [
            np.concatenate(cells) for cells in zip(self.last, other.first, strict=True)
        ]  # the rows around the seam
        across = np.array([self._across(near[0], near[1], lag) for lag in LAGS])
        first = [np.concatenate(c)[:LONGEST] for c in zip(self.first, other.first, strict=True)]
        last = [np.concatenate(c)[-LONGEST:] for c in zip(self.last, other.last, strict=True)]
        return replace(
            self,
            rows=self.rows + other.rows,
            sums=self.sums + other.sums + across,
            first=(first[0], first[1]),
            last=(last[0], last[1]),
        )

    def _across(self, a: NDArray[Any], b: NDArray[Any], lag: int) -> float:
        """What rows on one side of the seam add with rows on the other."""
        seam = len(self.last[0])
        rows = np.arange(max(seam - abs(lag), 0), min(seam, len(a) - abs(lag)))
        before, after = rows, rows + abs(lag)
        return self.joined(a[before], b[after]) if lag > 0 else self.joined(a[after], b[before])

    @property
    def means(self) -> Floats:
        """The sum at each lag, for each pair of rows that stand together there."""
        pairs = np.maximum(self.rows - np.abs(LAGS), 1)
        return np.asarray(self.sums / pairs, dtype=np.float64)


def _together(a: NDArray[Any], b: NDArray[Any], lag: int) -> Cells:
    """Row i of a column and row i + lag of the other, where both are there."""
    size = max(len(a) - abs(lag), 0)
    return (a[:size], b[lag : lag + size]) if lag >= 0 else (a[-lag : size - lag], b[:size])


def _equal(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(np.count_nonzero(a == b))


def _product(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float((a * b).sum())


@dataclass(frozen=True)
class EqualAtLags(InThreads):
    """In which share of rows two axes with the same levels agree, at each of `LAGS`.

    A missing cell agrees with nothing.
    """

    a: Axis
    b: Axis

    long: ClassVar[bool] = False

    def read(self, batch: Batch) -> Lagged:
        """Numbers of rows."""
        a, b = batch.narrow(self.a), batch.narrow(self.b)
        absent = a == self.a.size
        if absent.any():
            no_level = max(self.a.size, self.b.size) + 1
            a = np.where(absent, np.min_scalar_type(no_level).type(no_level), a)
        return Lagged.of(_equal, a, b)

    def finish(self, total: Lagged) -> Floats:
        """Shares of the rows that stand together."""
        return total.means


@dataclass(frozen=True)
class ProductAtLags(Pass):
    """Mean product of two axes' scores, at each of `LAGS`."""

    a: Axis
    b: Axis

    def read(self, batch: Batch) -> Lagged:
        """Sums of products."""
        return Lagged.of(_product, batch.scores(self.a), batch.scores(self.b))

    def finish(self, total: Lagged) -> Floats:
        """Means over the rows that stand together."""
        return total.means
