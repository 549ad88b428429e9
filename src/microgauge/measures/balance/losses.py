"""Information loss of one attribute, within 0 … 1: 0 nothing lost (Kim 2025, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, sqrt

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say


def generalisation(steps: Floats, rows: Floats) -> float:
    """Mean over units of 1 - 1/r, r the original resolution steps in the released range.

    34 released as 30-39 (ten years), and a code cut by one of its digits:

    >>> generalisation(np.array([10.0]), np.array([5.0]))
    0.9
    """
    total = rows.sum()
    if total <= 0:
        raise Undefined(say("no value was released"))
    return float((rows * (1.0 - 1.0 / np.maximum(steps, 1.0))).sum() / total)


def bounded(distance: float, largest: float) -> float:
    """A distance over the largest one there can be, at most 1.

    >>> bounded(1.0, 10.0), bounded(20.0, 10.0)
    (0.1, 1.0)
    """
    if largest <= 0:
        raise Undefined(say("the original is constant"))
    return min(distance / largest, 1.0)


def manhattan_bound(largest: Sequence[float]) -> float:
    """The largest distance of vectors by sums: the bounds of their attributes add up.

    (1, 2) and (4, 6) are 3 + 4 = 7 apart, and at most 7 where these are the ranges:

    >>> manhattan_bound([3.0, 4.0])
    7.0
    """
    return float(sum(largest))


def euclidean_bound(largest: Sequence[float]) -> float:
    """The largest straight distance of vectors: the squares of their attributes' bounds add up.

    >>> euclidean_bound([3.0, 4.0])
    5.0
    """
    return hypot(*largest)


def mean_deviation(absolute: float, compared: int) -> float:
    """Mean |x - x′|: (5, 10, 15) released as (6, 9, 14) deviates by 1."""
    if not compared:
        raise Undefined(say("no unit has a value on both sides"))
    return absolute / compared


def root_mean_square(squares: float, compared: int) -> float:
    """√ mean (x - x′)²."""
    if not compared:
        raise Undefined(say("no unit has a value on both sides"))
    return sqrt(squares / compared)


def entropy(weights: Floats) -> float:
    """Shannon's entropy in bits.

    A A B B B C C D:

    >>> round(entropy(np.array([2.0, 3.0, 2.0, 1.0])), 4)
    1.9056
    """
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def entropy_loss(before: Floats, after: Floats) -> tuple[float, float]:
    """max(0, H(X) - H(X′)) / H(X), and the difference itself, which may be negative (Reading)."""
    if before.sum() <= 0 or after.sum() <= 0:
        raise Undefined(say("no value on one side"))
    start = entropy(before)
    if start <= 0:
        raise Undefined(say("the original is constant"))
    difference = start - entropy(after)
    # What rounding leaves of two equal entropies is no difference.
    difference = 0.0 if abs(difference) < 1e-12 else difference
    return max(0.0, difference) / start, difference


def consistency(before: Index, after: Index, counts: Floats) -> float:
    """Share of units not released as the most frequent released value of their original value.

    `before` and `after` are the levels of the cells of the two, `counts` their units. A ten times,
    released seven times as B and three times as C:

    >>> round(consistency(np.array([0, 0]), np.array([1, 2]), np.array([7.0, 3.0])), 9)
    0.3
    """
    total = counts.sum()
    if total <= 0:
        raise Undefined(say("no unit has a value on both sides"))
    most = np.zeros(int(before.max()) + 1)
    np.maximum.at(most, before, counts)
    return float(1.0 - most.sum() / total)


def with_suppressed(loss: float, suppressed: float) -> float:
    """A loss over released values, with those suppressed counted as lost (Reading).

    >>> with_suppressed(0.2, 0.5)
    0.6
    """
    return loss * (1.0 - suppressed) + suppressed
