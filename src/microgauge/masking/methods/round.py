"""Rounding: numbers to multiples of a unit."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import numpy as np

from microgauge.languages.messages import say
from microgauge.masking.step import ColumnUse, Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema.checks import number
from microgauge.values.rounding import Mode, Rule


@dataclass(frozen=True, kw_only=True)
class Round(Step):
    """Round numbers to multiples of a unit."""

    method: ClassVar[str] = "round"
    takes: ClassVar[ColumnUse | None] = "number"

    unit: float = field(default=0.0, metadata={"tried": (5, 20, 5)})
    """Numbers become multiples of this."""
    mode: Mode = field(
        default="nearest",
        metadata={
            "meanings": {
                "nearest": say("to the nearest multiple"),
                "floor": say("down to a multiple"),
                "ceiling": say("up to a multiple"),
            }
        },
    )
    """Which multiple a number becomes."""

    def own_faults(self, look: Look) -> list[str]:
        """A unit above 0."""
        found = number("unit", self.unit, above=0, optional=False)
        if self.mode not in ("nearest", "floor", "ceiling"):
            found.append(say("mode must be nearest, floor or ceiling."))
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Rounded."""
        rule = Rule(float(self.unit), self.mode)
        for name in self.variables:
            data = data.with_numbers(name, rule.applied(data.numbers(name)))
        return data
