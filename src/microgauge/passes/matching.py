"""Questions to rows that hold both tables' values of the same units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from microgauge.passes.batch import Batch


@dataclass(frozen=True)
class Equal:
    """In how many rows two axes with the same levels agree; a missing cell agrees with nothing."""

    a: str
    b: str

    def read(self, batch: Batch) -> int:
        """A number of rows."""
        a = batch.levels(self.a)
        return int(((a == batch.levels(self.b)) & (a != batch.size(self.a))).sum())


@dataclass(frozen=True)
class Run:
    """Whether levels rise or fall from row to row. Adds up in row order only."""

    first: int | None
    last: int | None
    rising: bool
    falling: bool

    def __add__(self, other: Run) -> Run:
        if self.last is None or other.first is None:
            return other if self.last is None else self
        return Run(
            self.first,
            other.last,
            self.rising and other.rising and self.last <= other.first,
            self.falling and other.falling and self.last >= other.first,
        )


@dataclass(frozen=True)
class Sorted:
    """Whether the rows are sorted by an axis, missing cells left out."""

    axis: str

    def read(self, batch: Batch) -> Run:
        """First and last level, and whether they rise or fall in between."""
        levels = batch.levels(self.axis)
        levels = levels[levels != batch.size(self.axis)]
        if not len(levels):
            return Run(None, None, True, True)
        steps = np.diff(levels)
        return Run(
            int(levels[0]), int(levels[-1]), bool((steps >= 0).all()), bool((steps <= 0).all())
        )
