"""Tables of units that are divided into parts by a hash, so that any part can be left out."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from math import prod

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.records import dataclass
from microgauge.values.hashing import row_hashes

SEED = 30


@dataclass(frozen=True)
class PartedTables(Pass):
    """What the cells of tables weigh, in each part of the units.

    A unit's part depends on its levels on some axes only, not on where it stands; without such
    axes all units are in the first part. All tables are one question: a unit may be told by all
    columns, and questions that each hold all columns would grow like their cube.
    """

    tables: tuple[tuple[Axis, ...], ...]
    unit: tuple[Axis, ...] = ()
    parts: int = 1
    weight: Axis | None = None
    """Whose scores are weights, for rows that carry none."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.tables, self.unit, self.parts, self.weight))

    @cached_property
    def _shapes(self) -> list[tuple[int, ...]]:
        return [(self.parts, *(axis.size + 1 for axis in axes)) for axes in self.tables]

    @cached_property
    def _stops(self) -> list[int]:
        return list(accumulate(prod(shape) for shape in self._shapes))

    def read(self, batch: Batch) -> Floats:
        """The cells of all tables, one after the other; `each` tells them apart."""
        part = self._part(batch)
        weights = batch.weights if self.weight is None else batch.scores(self.weight)
        found = np.empty(self._stops[-1] if self.tables else 0)
        start = 0
        for axes, shape, stop in zip(self.tables, self._shapes, self._stops, strict=True):
            keys = part
            for axis, size in zip(axes, shape[1:], strict=True):
                keys = keys * size
                keys += batch.levels(axis)
            found[start:stop] = np.bincount(keys, weights, stop - start)
            start = stop
        return found

    def each(self, answer: Floats) -> list[Floats]:
        """Each table: parts × levels of each axis, missing cells last."""
        cells = np.split(answer, self._stops[:-1])
        return [one.reshape(shape) for one, shape in zip(cells, self._shapes, strict=True)]

    def _part(self, batch: Batch) -> NDArray[np.intp]:
        if not self.unit:
            return np.zeros(batch.rows, dtype=np.intp)

        def parts() -> NDArray[np.intp]:
            hashes = row_hashes([batch.levels(axis) for axis in self.unit], batch.rows, SEED)
            return (hashes % np.uint64(self.parts)).astype(np.intp)

        return batch.kept(("parts", self.unit, self.parts), parts)
