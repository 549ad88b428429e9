"""Sums of scores: by group, of products of two axes, of products of all axes at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats, Index
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.records import dataclass
from microgauge.values.levels import sums_by

_EXACT = float(1 << 53)
SEVERAL = 4
"""Scored axes from which one product with the matrix of group members is quicker than many sums."""


@dataclass(frozen=True)
class GroupSums(Pass):
    """Sums of the scores of some axes within each level of another. Missing scores are 0."""

    group: Axis
    scored: tuple[Axis, ...]

    def read(self, batch: Batch) -> Floats:
        """Levels of the group axis (missing last) × scored axes."""
        groups, size = batch.levels(self.group), self.group.size + 1
        if len(self.scored) < SEVERAL:
            return np.stack([self._sums(batch, axis, groups, size) for axis in self.scored], axis=1)
        from scipy import sparse

        weights = np.ones(len(groups)) if batch.weights is None else batch.weights
        starts = np.arange(len(groups) + 1)
        members = sparse.csc_matrix((weights, groups, starts), shape=(size, len(groups)))
        return np.asarray(members @ batch.stack(self.scored))

    @staticmethod
    def _sums(batch: Batch, axis: Axis, groups: Index, size: int) -> Floats:
        scores = batch.scores(axis)
        if batch.weights is not None:
            scores = scores * batch.weights
        return sums_by(groups, scores, size)


@dataclass(frozen=True)
class Product(Pass):
    """Sum of the products of two axes' scores."""

    a: Axis
    b: Axis

    def read(self, batch: Batch) -> float:
        """A single sum, by numpy's pairwise summation: the same whatever the number of threads."""
        product = batch.scores(self.a) * batch.scores(self.b)
        if batch.weights is not None:
            product = product * batch.weights
        return float(product.sum())


@dataclass(frozen=True)
class Gram(Pass):
    """Sums of the products of all axes' scores with each other.

    Scores that are whole numbers up to `bound` in size (doubled centred ranks) are multiplied in
    blocks small enough for every partial sum to be an exact whole number, so the result does not
    depend on the order of rows, the batches or the threads of the linear algebra library.
    """

    axes: tuple[Axis, ...]
    bound: float

    def read(self, batch: Batch) -> NDArray[np.longdouble]:
        """A symmetric matrix."""
        scores = batch.stack(self.axes)
        weights = batch.weights
        block = max(int(_EXACT / max(self.bound, 1.0) ** 2), 512)
        total = np.zeros((len(self.axes), len(self.axes)), dtype=np.longdouble)
        for start in range(0, len(scores), block):
            part = scores[start : start + block]
            other = part if weights is None else part * weights[start : start + block, np.newaxis]
            total += other.T @ part
        return total


@dataclass(frozen=True)
class Moments(Pass):
    """Sums and sums of products of all axes' scores over the rows in which none is missing.

    With a group axis, for each of its levels; rows that belong to no group are left out then.
    """

    axes: tuple[Axis, ...]
    group: Axis | None = None

    def read(self, batch: Batch) -> Floats:
        """Groups × (axes + 2) × (axes + 1).

        First the products of the axes with each other, with an axis of ones before them: [g, 0, 0]
        is a group's weight, [g, 0, j] the sum of axis j. The last row is the number of rows and
        the sum of squared weights.
        """
        here = np.logical_and.reduce([batch.levels(axis) != axis.size for axis in self.axes])
        size = 1 if self.group is None else self.group.size
        groups = np.zeros(len(here), dtype=np.intp)
        if self.group is not None:
            groups = batch.levels(self.group)
            here &= groups != size
        scores = batch.stack(self.axes)[here]
        groups = groups[here]
        weights = np.ones(len(scores)) if batch.weights is None else batch.weights[here]
        return self._sums(np.column_stack([np.ones(len(scores)), scores]), groups, weights, size)

    @staticmethod
    def _sums(scores: Floats, groups: Index, weights: Floats, size: int) -> Floats:
        width = scores.shape[1]
        total = np.zeros((size, width + 1, width))
        for group in range(size):
            inside = scores if size == 1 else scores[groups == group]
            here = weights if size == 1 else weights[groups == group]
            with np.errstate(over="ignore", invalid="ignore"):
                total[group, :width] = (inside * here[:, np.newaxis]).T @ inside
            total[group, width, 0] = len(inside)
            total[group, width, 1] = (here**2).sum()
        return total
