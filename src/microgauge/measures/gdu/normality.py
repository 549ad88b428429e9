"""Is a continuous variable normal? Lilliefors' test on its own distribution."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special

from microgauge.values.levels import Levels

LEVEL = 0.05
NEAR, FAR = 0.5, 1.0
"""D√n below which p is above the level, and beyond which it is below: critical values of the table
lie between 0.56 and 0.94. Only between is it asked, since it takes half a second to load."""
MOST = 1e8
"""Units up to which that is so; beyond, the table's formula for many units falls below."""
COARSE = 1000
"""Levels looked at first."""


def is_normal(levels: Levels, test_n: int | None = None) -> bool:
    """Whether a Lilliefors test does not reject normality at 0.05.

    Fewer than 4 values or a constant are not normal. **Reading:** the paper's one-sample
    Kolmogorov–Smirnov test has estimated parameters, which is what Lilliefors corrects for.
    """
    _, _, units = levels.units
    if levels.present < 4 or len(levels) < 2 or units < 4:
        return False
    if _mean_and_deviation(levels)[1] <= 0:
        return False
    size = units if test_n is None else min(units, float(test_n))
    # A few levels give a lower bound of D, which is enough for most variables.
    for step in (max(len(levels) // COARSE, 1), 1):
        distance = levels.once(("normal", step), partial(distance_from_normal, levels, step))
        if distance * size**0.5 > FAR:
            return False
    near = size <= MOST and distance * size**0.5 < NEAR
    return near or lilliefors_p(distance, size) >= LEVEL


def lilliefors_p(distance: float, size: float) -> float:
    """The p-value of statsmodels' `lilliefors`, from its table."""
    from statsmodels.stats._lilliefors import get_lilliefors_table

    return float(get_lilliefors_table(dist="norm").prob(distance, size))


def _mean_and_deviation(levels: Levels) -> tuple[float, float]:
    return levels.once("moments", partial(_moments, levels))


def _moments(levels: Levels) -> tuple[float, float]:
    _, total, units = levels.units
    numbers, weights = levels.numbers, levels.sums
    mean = float((numbers * weights).sum() / total)
    variance = float((weights * (numbers - mean) ** 2).sum() / total) * units / (units - 1)
    return mean, float(np.sqrt(max(variance, 0.0)))


def distance_from_normal(levels: Levels, step: int = 1) -> float:
    """Lilliefors' D: the largest distance from a normal function, at every so many levels."""
    mean, scale = _mean_and_deviation(levels)
    weights, total = levels.sums, float(levels.sums.sum())
    some = slice(None, None, step)
    normal = special.ndtr((levels.numbers[some] - mean) / scale)
    after = (np.cumsum(weights) / total)[some]
    return float(max((after - normal).max(), (normal - after + weights[some] / total).max()))
