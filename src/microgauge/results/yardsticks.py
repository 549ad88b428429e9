"""Files whose loss is known."""

from __future__ import annotations

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Yardstick:
    """What the measures say of a file whose loss is known."""

    name: str
    gdu: float | None
    univariate: float | None
    bivariate: float | None
    propensity: float | None
    propensity_ratio: float | None
    reason: str | None = None
