"""Is a continuous variable normal? Lilliefors' test on its own distribution."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import special

from microgauge.values.levels import Levels

LEVEL = 0.05
BEYOND_TABLE = 2.0
"""D√n beyond which p is the smallest of the table, whatever n: its critical values end at 1.3. Most
variables of large files are that far from normal, and the table takes a second to load."""
SMALLEST_P = 0.001
COARSE = 1000
"""Levels looked at first."""


def is_normal(levels: Levels, test_n: int | None = None) -> bool:
    """Whether a Lilliefors test does not reject normality at 0.05.

    Fewer than 4 values or a constant are not normal. **Reading:** the paper's one-sample
    Kolmogorov–Smirnov test has estimated parameters, which is what Lilliefors corrects for.
    """
    _, _, units = levels.weighing.over(slice(0, -1))
    if levels.present < 4 or len(levels) < 2 or units < 4:
        return False
    return lilliefors_p(levels, test_n) >= LEVEL


def lilliefors_p(levels: Levels, test_n: int | None = None) -> float:
    """The p-value of statsmodels' `lilliefors`, from its table, for a (weighted) distribution."""
    _, _, units = levels.weighing.over(slice(0, -1))
    mean, scale = levels.once("moments", partial(_mean_and_deviation, levels))
    if scale <= 0:
        return 0.0
    size = units if test_n is None else min(units, float(test_n))
    # A few levels give a lower bound of D, which is enough for most variables.
    for step in (max(len(levels) // COARSE, 1), 1):
        distance = levels.once(
            ("normal", step), partial(_distance_from_normal, levels, mean, scale, step)
        )
        if distance * size**0.5 > BEYOND_TABLE:
            return SMALLEST_P
    from statsmodels.stats._lilliefors import get_lilliefors_table

    return float(get_lilliefors_table(dist="norm").prob(distance, size))


def _mean_and_deviation(levels: Levels) -> tuple[float, float]:
    _, total, units = levels.weighing.over(slice(0, -1))
    numbers, weights = levels.numbers, levels.sums
    mean = float((numbers * weights).sum() / total)
    variance = float((weights * (numbers - mean) ** 2).sum() / total) * units / (units - 1)
    return mean, float(np.sqrt(max(variance, 0.0)))


def _distance_from_normal(levels: Levels, mean: float, scale: float, step: int) -> float:
    """The largest distance from a normal distribution function, at every so many levels."""
    weights, total = levels.sums, float(levels.sums.sum())
    some = slice(None, None, step)
    normal = special.ndtr((levels.numbers[some] - mean) / scale)
    after = (np.cumsum(weights) / total)[some]
    return float(max((after - normal).max(), (normal - after + weights[some] / total).max()))
