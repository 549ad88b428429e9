"""Top and bottom coding: numbers beyond a limit become the limit."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import numpy as np

from microgauge.languages.messages import say
from microgauge.masking.step import ColumnUse, Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class TopBottom(Step):
    """Top and bottom coding: numbers beyond a limit become the limit."""

    method: ClassVar[str] = "top_bottom"
    takes: ClassVar[ColumnUse | None] = "number"

    top: float | None = field(default=None, metadata={"tried": (70, 90, 5)})
    """Larger numbers become this."""
    bottom: float | None = field(default=None, metadata={"tried": (10, 30, 5)})
    """Smaller numbers become this."""

    def own_faults(self, look: Look) -> list[str]:
        """At least one limit."""
        if self.top is None and self.bottom is None:
            return [say("give top, bottom or both.")]
        if self.top is not None and self.bottom is not None and self.top < self.bottom:
            return [say("top is below bottom.")]
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Clipped."""
        for name in self.variables:
            data = data.with_numbers(name, np.clip(data.numbers(name), self.bottom, self.top))
        return data
