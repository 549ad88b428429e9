"""Is a continuous variable normal? Lilliefors' test on its own distribution."""

from __future__ import annotations

import numpy as np
from scipy import special

from microgauge.levels import Levels

LEVEL = 0.05


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
    from statsmodels.stats._lilliefors import get_lilliefors_table

    _, total, units = levels.weighing.over(slice(0, -1))
    numbers, weights = levels.numbers, levels.sums
    mean = float((numbers * weights).sum() / total)
    variance = float((weights * (numbers - mean) ** 2).sum() / total) * units / (units - 1)
    if variance <= 0:
        return 0.0
    normal = special.ndtr((numbers - mean) / np.sqrt(variance))
    after = np.cumsum(weights) / total
    before = after - weights / total
    distance = float(max((after - normal).max(), (normal - before).max()))
    size = units if test_n is None else min(units, float(test_n))
    return float(get_lilliefors_table(dist="norm").prob(distance, size))
