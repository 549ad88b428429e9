"""What global recoding alone leaves of a variable's utility: 1 nothing lost, 0 all lost.

All three measures look at the original values and the groups they went to (Kocar 2018, 3.3).
"""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say


def remaining_comparisons(before: int, after: int) -> float:
    """Share of the comparisons between categories that remain possible: q(q - 1) / (n(n - 1)).

    **Reading:** printed with n - m, m "the reduced number of values"; only with n - m as the number
    of categories left does it agree with the paper's worked example.

    >>> round(remaining_comparisons(10, 5), 4), round(remaining_comparisons(10, 3), 4)
    (0.2222, 0.0667)
    """
    if before < 2:
        raise Undefined(say("the original has one value only"))
    return min(1.0, after * (after - 1) / (before * (before - 1)))


def well_placed(numbers: Floats, counts: Floats, group: Index) -> float:
    """Share of units that no unit of another group is nearer to than the farthest of their own.

    `numbers` are the distinct original values, rising, `counts` how often each occurs, `group`
    where each went. Not monotone in the number of groups.

    >>> ages = np.arange(20.0, 60.0)
    >>> well_placed(ages, np.ones(40), (ages // 10).astype(int))
    0.4
    """
    _, group = np.unique(group, return_inverse=True)
    if group.max() == 0:
        return 0.0
    low = np.full(group.max() + 1, np.inf)
    high = np.full(group.max() + 1, -np.inf)
    np.minimum.at(low, group, numbers)
    np.maximum.at(high, group, numbers)
    farthest = np.maximum(numbers - low[group], high[group] - numbers)
    badly = _nearest_other(numbers, group) < farthest
    return 1.0 - float(counts[badly].sum() / counts.sum())


def _nearest_other(numbers: Floats, group: Index) -> Floats:
    """Distance from each value to the nearest value of another group."""
    below = numbers - _last_other(numbers, group, -np.inf)
    above = _last_other(-numbers[::-1], group[::-1], -np.inf)[::-1]
    return np.minimum(below, -above - numbers)


def _last_other(numbers: Floats, group: Index, none: float) -> Floats:
    """The last value before each one, in order, that belongs to another group."""
    changes = np.flatnonzero(np.diff(group)) + 1
    starts = np.concatenate([[0], changes])
    run = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(group))))
    before = np.append(none, numbers[changes - 1])
    return np.asarray(before[run], dtype=np.float64)


def homogeneity(numbers: Floats, counts: Floats, group: Index) -> float:
    """1 - mean |x - mean of its group| / mean |x - grand mean|, over all original units.

    **Reading:** the printed formula has lost its bars of absolute value.

    >>> ages = np.arange(20.0, 60.0)
    >>> homogeneity(ages, np.ones(40), (ages // 10).astype(int))
    0.75
    """
    total = counts.sum()
    grand = float((numbers * counts).sum() / total)
    spread = float((np.abs(numbers - grand) * counts).sum())
    if spread == 0:
        raise Undefined(say("the original has one value only"))
    _, group = np.unique(group, return_inverse=True)
    weight = np.bincount(group, counts)
    means = np.bincount(group, numbers * counts) / np.where(weight > 0, weight, 1.0)
    within = float((np.abs(numbers - means[group]) * counts).sum())
    return 1.0 - within / spread
