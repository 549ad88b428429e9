"""Removal: variables that are not in the protected file at all."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import polars as pl

from microgauge.languages.messages import say
from microgauge.masking.step import Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Remove(Step):
    """Leave variables out of the file: names, addresses, numbers of persons, what nobody needs."""

    method: ClassVar[str] = "remove"
    looks: ClassVar[bool] = False

    def own_faults(self, look: Look) -> list[str]:
        """Some variable must be left."""
        left = set(look.uses) - set(self.variables)
        return [] if left else [say("would leave no variable in the file.")]

    def after(self, look: Look) -> None:
        """They are there no more."""
        for name in self.variables:
            if look.uses.pop(name, None) is not None:
                look.removed.add(name)

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Without them."""
        kept = [column for column in data.frame if column.name not in self.variables]
        return Data(pl.DataFrame(kept))
