"""The statistics that data users publish, of weighted units."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
from scipy import special

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.loss.moments import quantile
from microgauge.records import dataclass

NORMAL_975 = float(special.ndtri(0.975))


@dataclass(frozen=True, eq=False)
class Sample:
    """Units in the order of their values: value, weight, and a second value for ratios.

    `unit` is the weight of one unit where all units weigh the same.
    """

    values: Floats
    weights: Floats
    unit: float | None
    second: Floats | None = None

    @property
    def total(self) -> float:
        """The sum of weights."""
        return float(self.weights.sum())


Estimator = Callable[[Sample], float]


def mean(sample: Sample) -> float:
    """Weighted mean."""
    return float((sample.weights * sample.values).sum()) / _positive(sample)


def total(sample: Sample) -> float:
    """Weighted total."""
    return float((sample.weights * sample.values).sum())


def ratio(sample: Sample) -> float:
    """The total of a variable over the total of a second one."""
    assert sample.second is not None
    below = float((sample.weights * sample.second).sum())
    if below == 0:
        raise Undefined(say("the total of the denominator is 0"))
    return total(sample) / below


def quantile_at(p: float) -> Estimator:
    """The p-quantile."""

    def estimate(sample: Sample) -> float:
        _positive(sample)
        if sample.unit is None:
            return quantile(sample.values, sample.weights, p, counts=False)
        return quantile(sample.values, np.rint(sample.weights / sample.unit), p, counts=True)

    return estimate


def gini(sample: Sample) -> float:
    """Σ_i Σ_j w_i w_j |x_i - x_j| / (2 W² mean): 0 all equal, towards 1 one has all.

    >>> five = Sample(np.arange(1.0, 6.0), np.ones(5), 1.0)
    >>> round(gini(five) * 15, 9)
    4.0
    """
    _no_negatives(sample, say("Gini coefficient"))
    weights, values = sample.weights, sample.values
    whole = total(sample)
    if whole <= 0:
        raise Undefined(say("the total is 0"))
    # Twice the area under the Lorenz curve, by trapezoids.
    below = np.cumsum(weights * values)
    area = float((weights * (2.0 * below - weights * values)).sum())
    return 1.0 - area / (_positive(sample) * whole)


def quintile_share_ratio(sample: Sample) -> float:
    """S80/S20: what the richest fifth has over what the poorest fifth has, by the Lorenz curve.

    A unit on the border of a fifth counts with the part that lies inside.

    >>> quintile_share_ratio(Sample(np.arange(1.0, 11.0), np.ones(10), 1.0))
    6.333333333333333
    """
    _no_negatives(sample, say("quintile share ratio"))
    units = _positive(sample)
    people = np.append(0.0, np.cumsum(sample.weights)) / units
    income = np.append(0.0, np.cumsum(sample.weights * sample.values))
    poorest = float(np.interp(0.2, people, income))
    if poorest <= 0:
        raise Undefined(say("the poorest fifth has nothing"))
    return float((income[-1] - np.interp(0.8, people, income)) / poorest)


def below_line(sample: Sample, line: float) -> float:
    """The share of units strictly below a poverty line."""
    return float(sample.weights[sample.values < line].sum()) / _positive(sample)


def _positive(sample: Sample) -> float:
    if sample.total <= 0:
        raise Undefined(say("the weights are 0"))
    return sample.total


def _no_negatives(sample: Sample, what: str) -> None:
    negative = int((sample.values[sample.weights > 0] < 0).sum())
    if negative:
        raise Undefined(say("the {what} is not defined with negative values", what=what))


def mean_interval(sample: Sample, units: int, weighted: Floats) -> tuple[float, float]:
    """95 % interval of a mean: Student's t, linearised variance where there are weights.

    `weighted` is the sum of squared weights that fall on each value.

    >>> x = Sample(np.array([1.0, 2.0, 3.0]), np.ones(3), 1.0)
    >>> low, high = mean_interval(x, 3, np.ones(3))
    >>> round(low, 6), round(high, 6)
    (-0.484138, 4.484138)
    """
    if units < 2:
        raise Undefined(say("one unit has no interval"))
    centre = mean(sample)
    error = sqrt(_linearised(sample, centre, weighted) * units / (units - 1))
    half = float(special.stdtrit(units - 1, 0.975)) * error
    return centre - half, centre + half


def share_interval(sample: Sample, units: int, weighted: Floats) -> tuple[float, float]:
    """95 % interval of a share: normal, p (1 - p) / n without weights."""
    if units < 2:
        raise Undefined(say("one unit has no interval"))
    centre = mean(sample)
    half = NORMAL_975 * sqrt(_linearised(sample, centre, weighted))
    return centre - half, centre + half


def _linearised(sample: Sample, centre: float, weighted: Floats) -> float:
    return float((weighted * (sample.values - centre) ** 2).sum()) / _positive(sample) ** 2
