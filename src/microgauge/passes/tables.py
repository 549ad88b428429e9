"""Counts: of the levels of one axis, and of the cells of two.

Every answer has the missing cells as a last level, so that pairwise deletion is a slice. With
weights, an answer has three layers: rows, weight sums, sums of squared weights; without, one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Floats, Index
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.values.levels import Weighing, sums_by

Layers = NDArray[Any]
"""Whole numbers without weights, floating point ones with weights."""


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
        return _layers(batch.levels(self.axis), self.axis.size + 1, batch.weights)


@dataclass(frozen=True)
class Present(Pass):
    """How often each level of an axis occurs where another axis is not missing."""

    axis: Axis
    given: Axis

    long: ClassVar[bool] = True

    def read(self, batch: Batch) -> Layers:
        """Layers × levels; rows where `given` is missing count as missing."""
        keys = batch.levels(self.axis)
        absent = batch.levels(self.given) == self.given.size
        keys = np.where(absent, self.axis.size, keys)
        return _layers(keys, self.axis.size + 1, batch.weights)


@dataclass(frozen=True)
class Crosstab(Pass):
    """How often each combination of two axes' levels occurs."""

    a: Axis
    b: Axis

    def read(self, batch: Batch) -> Layers:
        """Layers × levels of a × levels of b."""
        width, height = self.a.size + 1, self.b.size + 1
        keys = batch.levels(self.a) * height
        keys += batch.levels(self.b)
        layers = _layers(keys, width * height, batch.weights)
        return layers.reshape(len(layers), width, height)


@dataclass(frozen=True)
class Cube(Pass):
    """How often each combination of three axes' levels occurs: three crosstabs for one count."""

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

    def crosstab(self, layers: Layers, a: Axis, b: Axis) -> Layers:
        """The crosstab of two of the axes, in the order asked for."""
        axes = (self.a, self.b, self.c)
        (third,) = (i for i, axis in enumerate(axes) if axis not in (a, b))
        table: Layers = layers.sum(axis=third + 1)
        return table if axes.index(a) < axes.index(b) else table.transpose(0, 2, 1)


@dataclass(frozen=True, eq=False)
class SparseCells:
    """The cells of a large table that are not empty: rising keys, and layers over them."""

    keys: Counts
    layers: Layers

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
        cells, places = np.unique(keys + batch.levels(self.b), return_inverse=True)
        return SparseCells(cells, _layers(places, len(cells), batch.weights))
