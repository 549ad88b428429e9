"""A number that stands for a set of rows: equal rows, equal number, whatever their order."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Hashes
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.records import dataclass
from microgauge.values.hashing import row_hashes

SEEDS = (1, 2)
"""Two sums of 64 bits: two files that differ share both once in 2¹²⁸."""


@dataclass(frozen=True)
class Fingerprint(Pass):
    """The sums of two hashes of all rows, each row seen by the levels of some axes.

    Two tables whose axes have the same levels have the same fingerprint if they hold the same
    rows, each as often, in any order; else not, but for chance.
    """

    axes: tuple[Axis, ...]

    def read(self, batch: Batch) -> Hashes:
        """Sums that wrap around, so that those of batches add up to those of all rows."""
        levels = [batch.levels(axis) for axis in self.axes]
        sums = [row_hashes(levels, batch.rows, seed).sum(dtype=np.uint64) for seed in SEEDS]
        return np.array(sums, dtype=np.uint64)
