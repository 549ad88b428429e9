"""Swapping: values change places between records, so that no distribution changes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from microgauge.arrays import Index
from microgauge.masking.step import Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema.checks import share


def swapped(records: int, share: float, rng: np.random.Generator) -> Index:
    """Which record's values each record gets: a share of the records in pairs drawn at random."""
    pairs = round(share * records) // 2
    chosen = rng.permutation(records)[: 2 * pairs].reshape(2, pairs)
    found = np.arange(records)
    found[chosen[0]], found[chosen[1]] = chosen[1], chosen[0]
    return found


@dataclass(frozen=True, kw_only=True)
class Swap(Step):
    """Swap values between pairs of records drawn at random."""

    method: ClassVar[str] = "swap"

    share: float = -1.0
    """Share of the records that take part."""
    together: bool = False
    """Whether all variables change between the same pairs."""

    def own_faults(self, look: Look) -> list[str]:
        """A share."""
        return share("share", self.share, optional=False)

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Swapped."""
        moved = swapped(data.rows, self.share, rng)
        for place, name in enumerate(self.variables):
            if place and not self.together:
                moved = swapped(data.rows, self.share, rng)
            data = data.taken(name, moved)
        return data
