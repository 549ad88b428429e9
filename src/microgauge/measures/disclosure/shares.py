"""Intervals for a share that was counted."""

from __future__ import annotations

Interval = tuple[float, float]


def wilson(share: float, trials: float, level: float = 0.95) -> Interval:
    """Wilson's score interval (1927): the true shares under which this one is not surprising.

    >>> low, high = wilson(0.0, 10)
    >>> low, round(high, 4)
    (0.0, 0.2775)
    """
    from scipy.special import ndtri

    z2 = float(ndtri((1.0 + level) / 2.0)) ** 2 / trials
    centre = (share + z2 / 2.0) / (1.0 + z2)
    half = (z2 * (share * (1.0 - share) + z2 / 4.0)) ** 0.5 / (1.0 + z2)
    # At the ends the limit is the end itself; rounding would leave 1e-18.
    low = 0.0 if share <= 0.0 else max(centre - half, 0.0)
    return low, 1.0 if share >= 1.0 else min(centre + half, 1.0)


def clopper_pearson(share: float, trials: int, level: float = 0.95) -> Interval:
    """The exact interval (Clopper, Pearson 1934): never covers less often than its level.

    The share may also lie between two counts.

    >>> low, high = clopper_pearson(0.0, 10)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    beyond, count = (1.0 - level) / 2.0, share * trials
    low = 0.0 if count <= 0.0 else float(betaincinv(count, trials - count + 1.0, beyond))
    if count >= trials:
        return low, 1.0
    return low, float(betaincinv(count + 1.0, trials - count, 1.0 - beyond))
