"""Suppression: cells of given records, or a share at random, made missing."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import numpy as np
import polars as pl

from microgauge.languages.messages import say
from microgauge.masking.step import Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema.checks import share


@dataclass(frozen=True, kw_only=True)
class Suppress(Step):
    """Make cells missing: those of given records (counted from 1), or a share at random."""

    method: ClassVar[str] = "suppress"

    records: tuple[int, ...] = field(default=(), metadata={"values": "3, 17"})
    """Numbers of records, counted from 1; or give a share."""
    share: float | None = None
    """Share of the records, 0 to 1, drawn at random for each variable."""

    def own_faults(self, look: Look) -> list[str]:
        """Records or a share."""
        if bool(self.records) == (self.share is not None):
            return [say("give records = […] or share.")]
        found = share("share", self.share)
        outside = [r for r in self.records if not isinstance(r, int) or not 1 <= r <= look.rows]
        if outside:
            found.append(
                say("{n} of records are not from 1 to {rows}.", n=len(outside), rows=look.rows)
            )
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """With missing cells, drawn for each variable by itself."""
        for name in self.variables:
            gone = np.zeros(data.rows, dtype=np.bool_)
            if self.share is None:
                gone[np.array(self.records) - 1] = True
            else:
                gone[rng.permutation(data.rows)[: round(self.share * data.rows)]] = True
            cells = pl.select(pl.when(pl.Series(~gone)).then(data.column(name))).to_series()
            data = data.with_column(name, cells)
        return data
