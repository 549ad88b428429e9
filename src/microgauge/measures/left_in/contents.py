"""What a column holds: its different values, and in how many records each stands."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.records import dataclass
from microgauge.values.hashing import places_hashed, seeded

MOST_LOOKED = 100_000
"""Different values beyond which patterns are looked for in a sample of them."""
FEW = 10
"""Different values below which a column names nobody: it tells groups."""
MANY = 50
"""Different values that are many in a file of any size."""

ContentKind = Literal["text", "number", "date", "time"]
"""Days and seconds since 1970 are dates and times."""


@dataclass(frozen=True, eq=False)
class Contents:
    """The different values of a column, rising, and the records of each; no missing cells."""

    name: str
    kind: ContentKind
    values: Floats | pl.Series
    """Texts; else numbers."""
    rows: Counts
    width: float | None = None
    """Numbers are middles of intervals so wide, where there were too many to tell apart."""
    consecutive: bool = False
    """Whether they are known to run up one by one, though they could not be told apart."""

    @cached_property
    def filled(self) -> int:
        """Records that have a value."""
        return int(self.rows.sum())

    @property
    def distinct(self) -> int:
        """Different values."""
        return len(self.rows)

    @property
    def different(self) -> float:
        """Different values for each filled cell: 1 where all differ, near 0 in groups."""
        return self.distinct / self.filled if self.filled else 0.0

    @cached_property
    def alone(self) -> float:
        """Share of the filled cells whose value stands in no other record."""
        return int((self.rows == 1).sum()) / self.filled if self.filled else 0.0

    @property
    def many(self) -> bool:
        """Whether there are many different values, or in a small file, one for every second cell.

        >>> Contents("a", "number", np.arange(12.0), np.full(12, 2)).many
        True
        >>> Contents("a", "number", np.arange(12.0), np.full(12, 3)).many
        False
        """
        return self.distinct >= MANY or (self.distinct >= FEW and self.different >= 0.5)

    # -- the values that are looked at ---------------------------------------------------------

    @cached_property
    def _looked(self) -> tuple[Index, Floats]:
        """Places of the values that patterns are looked for in, and the records they stand for.

        Beyond `MOST_LOOKED` values: the commonest, and of the others some chosen by hash of their
        place, which stand for all of these.
        """
        rows = self.rows.astype(np.float64)
        if self.distinct <= MOST_LOOKED:
            return np.arange(self.distinct), rows
        order = np.argsort(-self.rows, kind="stable")
        common, rest = order[: MOST_LOOKED // 10], order[MOST_LOOKED // 10 :]
        hashes = seeded(places_hashed(0, self.distinct), 1)[rest]
        chosen = rest[np.argsort(hashes, kind="stable")[: MOST_LOOKED - len(common)]]
        scale = rows[rest].sum() / rows[chosen].sum()
        places = np.concatenate([common, chosen])
        found = np.concatenate([rows[common], rows[chosen] * scale])
        rising = np.argsort(places)
        return places[rising], found[rising]

    @property
    def looked_rows(self) -> Floats:
        """Records that each looked-at value stands for."""
        return self._looked[1]

    @cached_property
    def texts(self) -> pl.Series:
        """The texts that are looked at; whole numbers as their digits, no others."""
        if isinstance(self.values, pl.Series):
            return self.values.gather(self._looked[0])
        if self.kind != "number" or not self.whole:
            return pl.Series([], dtype=pl.String)
        return pl.Series(self.numbers).cast(pl.Int64).cast(pl.String)

    @cached_property
    def numbers(self) -> Floats:
        """The numbers that are looked at; none where they are texts."""
        if isinstance(self.values, pl.Series):
            return np.empty(0)
        found: Floats = self.values[self._looked[0]]
        return found

    @cached_property
    def whole(self) -> bool:
        """Whether all are whole numbers, of so many digits that a computer has for them."""
        if isinstance(self.values, pl.Series) or self.width is not None:
            return False
        held = np.abs(self.values) < 2.0**62
        return bool((held & (np.floor(self.values) == self.values)).all())

    def share(self, chosen: Flags) -> float:
        """Share of the filled cells whose value is among those chosen of the looked-at ones."""
        rows = self._looked[1]
        total = float(rows.sum())
        return float(rows[chosen].sum()) / total if total else 0.0
