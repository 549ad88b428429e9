"""Counts: of the levels of one axis, and of the cells of two.

Every answer has the missing cells as a last level, so that pairwise deletion is a slice. With
weights, an answer has three layers: rows, weight sums, sums of squared weights; without, one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Floats, Index
from microgauge.kernels import Pairs, count_codes, count_pairs, sorted_codes
from microgauge.passes.batch import Axis, Batch, InThreads, Pass
from microgauge.records import dataclass
from microgauge.values.levels import Weighing, sums_by

Layers = NDArray[Any]
"""Whole numbers without weights, floating point ones with weights."""


AxisPair = tuple[Axis, Axis]

DENSE_TABLE = 1 << 22
"""Cells up to which a table is counted as an array; of larger ones, those that occur."""


def _layers(keys: Index, size: int, weights: Floats | None) -> Layers:
    rows = np.bincount(keys, minlength=size)
    if weights is None:
        return rows[np.newaxis]
    return np.stack(
        [
            rows.astype(np.float64),
            np.bincount(keys, weights, size),
            np.bincount(keys, weights * weights, size),
        ]
    )


def weighing(layers: Layers) -> Weighing:
    """One-way layers as rows, weights and squared weights."""
    rows = layers[0].astype(np.int64, copy=False)
    if len(layers) == 1:
        sums = rows.astype(np.float64)
        return Weighing(rows, sums, sums)
    return Weighing(rows, layers[1], layers[2])


@dataclass(frozen=True)
class Tally(Pass):
    """How often each level of an axis occurs."""

    axis: Axis

    long: ClassVar[bool] = True

    def read(self, batch: Batch) -> Layers:
        """Layers × levels."""
        size = self.axis.size + 1
        if batch.weights is None:
            return count_codes(batch.narrow(self.axis), size)[np.newaxis]
        return _layers(batch.levels(self.axis), size, batch.weights)


@dataclass(frozen=True)
class Crosstab(Pass):
    """How often each combination of two axes' levels occurs."""

    a: Axis
    b: Axis

    @classmethod
    def together(cls, questions: Sequence[Any]) -> Callable[[Batch], Sequence[Layers]]:
        """All tables are counted while some rows are at hand."""
        axes = dict.fromkeys(axis for question in questions for axis in (question.a, question.b))
        place = {axis: i for i, axis in enumerate(axes)}
        tables = PairTables(tuple(axes), tuple((place[q.a], place[q.b]) for q in questions))
        return lambda batch: tables.each(tables.read(batch))

    def read(self, batch: Batch) -> Layers:
        """Layers × levels of a × levels of b."""
        return self.together([self])(batch)[0]


@dataclass(frozen=True)
class OfPairs(Pass):
    """Many pairs of axes as one question: a wide table has too many to hold one each."""

    axes: tuple[Axis, ...]
    pairs: tuple[tuple[int, int], ...]
    """Places of axes that go together."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((type(self), self.axes, self.pairs))

    @cached_property
    def seen(self) -> tuple[Axis, ...]:
        """All axes."""
        return self.axes


@dataclass(frozen=True)
class PairTables(OfPairs):
    """Tables of many pairs of axes."""

    __hash__ = OfPairs.__hash__

    @cached_property
    def _places(self) -> Pairs:
        sizes = np.array([axis.size + 1 for axis in self.axes], dtype=np.int64)
        a, b = np.array(self.pairs, dtype=np.int64).reshape(-1, 2).T
        return Pairs.of(a, b, sizes)

    def read(self, batch: Batch) -> Layers:
        """Layers × the cells of all tables, each written line by line, missing cells last."""
        columns = [batch.narrow(axis) for axis in self.axes]
        return count_pairs(columns, self._places, batch.weights)

    def each(self, answer: Layers) -> list[Layers]:
        """Each table: layers × levels of a × levels of b."""
        sizes = [axis.size + 1 for axis in self.axes]
        return [
            answer[:, start : start + cells].reshape(len(answer), sizes[a], sizes[b])
            for a, b, _, start, cells in self._places.rows.tolist()
        ]


@dataclass(frozen=True)
class Cube(Pass):
    """How often each combination of three axes' levels occurs."""

    a: Axis
    b: Axis
    c: Axis

    def read(self, batch: Batch) -> Layers:
        """Layers × levels of a × levels of b × levels of c."""
        shape = tuple(axis.size + 1 for axis in (self.a, self.b, self.c))
        keys = batch.levels(self.a) * shape[1]
        keys += batch.levels(self.b)
        keys *= shape[2]
        keys += batch.levels(self.c)
        layers = _layers(keys, shape[0] * shape[1] * shape[2], batch.weights)
        return layers.reshape(len(layers), *shape)


@dataclass(frozen=True, eq=False)
class SparseCells:
    """The cells of a large table that are not empty: rising keys, and layers over them."""

    keys: Counts
    layers: Layers

    @property
    def rows(self) -> Counts:
        """How many rows each cell has."""
        return np.asarray(self.layers[0], dtype=np.int64)

    def __add__(self, other: SparseCells) -> SparseCells:
        keys, places = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        layers = np.concatenate([self.layers, other.layers], axis=1)
        summed = [sums_by(places, layer, len(keys)) for layer in layers]
        return SparseCells(keys, np.stack(summed))


@dataclass(frozen=True)
class SparseCrosstab(Pass):
    """A crosstab too large to write out.

    The key of a cell is its level on a × (size of b + 1) + its level on b.
    """

    a: Axis
    b: Axis

    long: ClassVar[bool] = True
    keyed: ClassVar[bool] = True

    def read(self, batch: Batch) -> SparseCells:
        """The cells that occur."""
        keys = batch.levels(self.a).astype(np.int64) * (self.b.size + 1)
        return _sparse(keys + batch.levels(self.b), batch.weights)


def _sparse(keys: NDArray[Any], weights: Floats | None) -> SparseCells:
    if weights is None:
        cells, rows = np.unique(keys, return_counts=True)
        return SparseCells(cells, rows[np.newaxis])
    cells, places = np.unique(keys, return_inverse=True)
    return SparseCells(cells, _layers(places, len(cells), weights))


@dataclass(frozen=True)
class Absent(InThreads):
    """How often each level of an axis occurs where another axis is missing."""

    axis: Axis
    given: Axis

    def read(self, batch: Batch) -> SparseCells:
        """The levels that occur there; rows in which both are missing are left out."""
        rows = batch.kept(("missing", self.given), lambda: _missing_rows(batch, self.given))
        levels = batch.narrow(self.axis)[rows]
        here = levels != self.axis.size
        weights = None if batch.weights is None else batch.weights[rows][here]
        if weights is None:
            keys, counts = sorted_codes(levels[here])
            return SparseCells(keys, counts[np.newaxis])
        found = _sparse(levels[here], weights)
        return SparseCells(found.keys.astype(np.int64, copy=False), found.layers)


def _missing_rows(batch: Batch, axis: Axis) -> Index:
    return np.flatnonzero(batch.narrow(axis) == axis.size)


TablePass = Crosstab | SparseCrosstab
"""A table of two axes, written out or not."""
