"""Tables of units that are divided into parts by a hash, so that any part can be left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.values.hashing import row_hashes

SEED = 30


@dataclass(frozen=True)
class PartedTable(Pass):
    """What the cells of a table weigh, in each part of the units.

    A unit's part depends on its levels on some axes only, not on where it stands; without such
    axes all units are in the first part.
    """

    axes: tuple[Axis, ...]
    unit: tuple[Axis, ...] = ()
    parts: int = 1
    weight: Axis | None = None
    """Whose scores are weights, for rows that carry none."""

    def read(self, batch: Batch) -> Floats:
        """Parts × levels of each axis, missing cells last."""
        shape = (self.parts, *(axis.size + 1 for axis in self.axes))
        keys = self._part(batch)
        for axis, size in zip(self.axes, shape[1:], strict=True):
            keys = keys * size
            keys += batch.levels(axis)
        weights = batch.weights if self.weight is None else batch.scores(self.weight)
        found = np.bincount(keys, weights, int(np.prod(shape)))
        return found.astype(np.float64, copy=False).reshape(shape)

    def _part(self, batch: Batch) -> NDArray[np.intp]:
        if not self.unit:
            return np.zeros(batch.rows, dtype=np.intp)

        def parts() -> NDArray[np.intp]:
            hashes = row_hashes([batch.levels(axis) for axis in self.unit], batch.rows, SEED)
            return (hashes % np.uint64(self.parts)).astype(np.intp)

        return batch.kept(("parts", self.unit, self.parts), parts)
