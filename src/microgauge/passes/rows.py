"""Rows themselves, for measures that must see units."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from microgauge.arrays import Index
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.records import dataclass


@dataclass(frozen=True, eq=False)
class Pieces:
    """The levels of some rows, a piece for each batch. Adds up in row order."""

    each: tuple[Index, ...]

    def __add__(self, other: Pieces) -> Pieces:
        return Pieces((*self.each, *other.each))


@dataclass(frozen=True)
class Column(Pass):
    """The level of every row on an axis: for rows that are held in memory."""

    axis: Axis

    long: ClassVar[bool] = True

    def read(self, batch: Batch) -> Pieces:
        """The levels of these rows."""
        return Pieces((batch.levels(self.axis),))

    def finish(self, total: Pieces) -> Index:
        """One level for each row, in the order of the rows."""
        return total.each[0] if len(total.each) == 1 else np.concatenate(total.each)
