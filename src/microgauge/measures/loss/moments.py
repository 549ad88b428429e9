"""Mean, deviation and quantiles of numbers, weighted where the table is."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.values.levels import Levels, Weighing

TOO_LARGE = say("the numbers are too large to be squared")


@dataclass(frozen=True)
class Summary:
    """What describes the numbers of one variable."""

    mean: float
    deviation: float | None
    """None for a single unit."""
    lower: float
    median: float
    upper: float


def summary_of(levels: Levels) -> Summary:
    """Mean, standard deviation (n - 1), median and quartiles."""
    if not levels.present or levels.sums.sum() <= 0:
        raise Undefined(say("no value"))
    counts = levels.weighing.sums is levels.weighing.squares
    lower, median, upper = (
        quantile(levels.numbers, levels.sums, p, counts=counts) for p in (0.25, 0.5, 0.75)
    )
    mean = float(np.average(levels.numbers, weights=levels.sums))
    return Summary(mean, deviation_of(levels), lower, median, upper)


def deviation_of(levels: Levels, *, weighted: bool = True) -> float | None:
    """Standard deviation with n - 1, where n is Kish's effective number of units."""
    weighing = levels.weighing
    if not weighted:
        rows = weighing.rows.astype(np.float64)
        weighing = Weighing(weighing.rows, rows, rows)
    _, total, units = weighing.over(slice(0, -1))
    if units <= 1:
        return None
    weights = weighing.sums[:-1]
    if int((weights > 0).sum()) < 2:
        return 0.0  # rounding of the mean would leave a deviation of its own
    with np.errstate(over="ignore", invalid="ignore"):
        return _deviation(levels.numbers, weights, total, units)


def _deviation(numbers: Floats, weights: Floats, total: float, units: float) -> float:
    mean = float((weights * numbers).sum()) / total
    variance = float((weights * (numbers - mean) ** 2).sum()) / total
    if not np.isfinite(variance):
        raise Undefined(TOO_LARGE)
    return sqrt(variance * units / (units - 1))


def quantile(values: Floats, weights: Floats, p: float, *, counts: bool) -> float:
    """The p-quantile of rising values.

    Weights that are counts of units: linear interpolation between order statistics (R's type 7).
    Survey weights: the inverse of the distribution function, averaged where it is flat.

    >>> quantile(np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), 0.25, counts=True)
    1.75
    >>> quantile(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 4.0]), 0.5, counts=False)
    2.5
    """
    return quantiles(values, weights, (p,), counts=counts)[0]


def quantiles(
    values: Floats, weights: Floats, shares: Sequence[float], *, counts: bool
) -> tuple[float, ...]:
    """Several quantiles of the same rising values."""
    used = weights > 0
    values, total = values[used], np.cumsum(weights[used])
    between = _between_units if counts else _between_steps
    return tuple(between(values, total, p) for p in shares)


def _between_units(values: Floats, total: Floats, p: float) -> float:
    place = (total[-1] - 1.0) * p
    low = values[np.searchsorted(total, np.floor(place), side="right")]
    high = values[np.searchsorted(total, np.ceil(place), side="right")]
    return float(low + (high - low) * (place - np.floor(place)))


def _between_steps(values: Floats, total: Floats, p: float) -> float:
    # Sums of weights are not exact: a step is met when it is met but for rounding.
    target, rounding = p * total[-1], 1e-12 * total[-1]
    first = np.searchsorted(total, target - rounding)
    after = min(int(np.searchsorted(total, target + rounding, side="right")), len(values) - 1)
    return float((values[first] + values[after]) / 2.0)
