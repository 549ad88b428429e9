"""Questions to rows that hold both tables' values of the same units."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.records import dataclass


@dataclass(frozen=True)
class Changes(Pass):
    """In how many rows the two axes of a pair differ, and in how many rows any pair does.

    The axes of a pair have the same levels. Cells missing on both sides are equal; a cell missing
    on one side has changed.
    """

    pairs: tuple[tuple[Axis, Axis], ...]

    def read(self, batch: Batch) -> Index:
        """Rows in which each pair differs; last: rows in which at least one does."""
        found = [batch.levels(a) != batch.levels(b) for a, b in self.pairs]
        return np.array([int(f.sum()) for f in [*found, np.logical_or.reduce(found)]])


@dataclass(frozen=True)
class Differences(Pass):
    """How far the scores of two axes are apart, over rows in which neither is missing."""

    a: Axis
    b: Axis

    def read(self, batch: Batch) -> Floats:
        """Rows compared, Σ|a - b|, Σ(a - b)², rows with a ≠ 0, Σ|a - b|/|a| over these."""
        here = batch.levels(self.a) != self.a.size
        here &= batch.levels(self.b) != self.b.size
        a, b = batch.scores(self.a), batch.scores(self.b)
        if not here.all():
            a, b = a[here], b[here]
        some = a != 0
        with np.errstate(over="ignore", invalid="ignore"):
            apart = np.abs(a - b)
            relative = apart[some] / np.abs(a[some])
            squares = (apart * apart).sum()
            return np.array([len(a), apart.sum(), squares, some.sum(), relative.sum()])


@dataclass(frozen=True)
class Distances(Pass):
    """How far the scores of several pairs of axes are apart together, as points of a space."""

    pairs: tuple[tuple[Axis, Axis], ...]

    def read(self, batch: Batch) -> Floats:
        """Rows with all first axes; with all second ones too: rows, Σ Σ|a - b|, Σ Σ(a - b)²."""
        known = np.logical_and.reduce([batch.levels(a) != a.size for a, _ in self.pairs])
        here = known & np.logical_and.reduce([batch.levels(b) != b.size for _, b in self.pairs])
        with np.errstate(over="ignore", invalid="ignore"):
            apart = [np.abs(batch.scores(a) - batch.scores(b))[here] for a, b in self.pairs]
            absolute = sum(float(gap.sum()) for gap in apart)
            square = sum(float((gap * gap).sum()) for gap in apart)
        return np.array([known.sum(), here.sum(), absolute, square], dtype=np.float64)


@dataclass(frozen=True)
class Suppressed(Pass):
    """In how many rows the first axis has a value, and in how many of these the second has none."""

    a: Axis
    b: Axis

    def read(self, batch: Batch) -> Index:
        """Two numbers of rows."""
        here = batch.levels(self.a) != self.a.size
        gone = here & (batch.levels(self.b) == self.b.size)
        return np.array([int(here.sum()), int(gone.sum())])


@dataclass(frozen=True)
class Within(Pass):
    """How often the scores of two axes are close: a number with a value discloses it, or not."""

    a: Axis
    b: Axis
    half: float
    """Largest difference that counts as close."""

    def read(self, batch: Batch) -> Index:
        """Rows in which a has a value; rows in which b has one too and is close to it."""
        here = batch.levels(self.a) != self.a.size
        both = here & (batch.levels(self.b) != self.b.size)
        close = np.abs(batch.scores(self.a) - batch.scores(self.b)) <= self.half
        return np.array([int(here.sum()), int((both & close).sum())])
