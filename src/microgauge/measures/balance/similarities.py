"""Similarity of one attribute's distributions, within 0 … 1: 1 the same (Kim 2025, 3.3)."""

from __future__ import annotations

import sys

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say


def cosine(a: Floats, b: Floats) -> float:
    """Cosine of two vectors: of frequencies, or of the values of aligned units.

    >>> round(cosine(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])), 4)
    0.9746
    """
    # On one scale first: squares of very large or small numbers would not be finite.
    largest = [np.abs(side).max(initial=0.0) for side in (a, b)]
    if min(largest) <= 0 or not np.isfinite(largest).all():
        raise Undefined(say("a vector is 0"))
    a, b = a / largest[0], b / largest[1]
    return min(float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())), 1.0)


def jaccard(shared: int, distinct: int) -> float:
    """Distinct values shared / distinct values in all: {1, 2, 3, 4} and {3, 4, 5, 6} give 1/3.

    **Reading:** a released category that stands for several original values counts as one shared
    value: q/n for n values merged into q.

    >>> round(jaccard(2, 6), 4)
    0.3333
    """
    if not distinct:
        raise Undefined(say("no value on either side"))
    return shared / distinct


def spread_over(weights: Floats, places: Index, size: int, target: Index) -> Floats:
    """Released shares spread evenly over the original values that each stands for.

    `target` says for each original value its released one; `places` where each released value
    stands among these. Two values merged with weight 4:

    >>> spread_over(np.array([4.0]), np.array([0]), 1, np.array([0, 0]))
    array([2., 2.])
    """
    released = np.zeros(size)
    np.add.at(released, places, weights)
    held = np.bincount(target, minlength=size)
    return np.asarray(released[target] / held[target])


def binned(numbers: Floats, weights: Floats, low: float, high: float, bins: int) -> Floats:
    """Weights in equal bins of the original's range; what lies outside counts in the outer bins.

    >>> binned(np.array([0.0, 5.0, 10.0, 99.0]), np.ones(4), 0.0, 10.0, 2)
    array([1., 3.])
    """
    if high <= low:
        raise Undefined(say("the original is constant"))
    # Rounded first: whole years on an edge must not fall below it by the last digit.
    # Halved where the range of numbers is beyond all numbers.
    scale = 1.0 if high / 2 - low / 2 <= sys.float_info.max / 2 else 0.5
    low, high = low * scale, high * scale
    place = np.floor(np.round((numbers * scale - low) / (high - low) * bins, 9))
    place = np.clip(np.nan_to_num(place), 0, bins - 1).astype(np.intp)
    return np.bincount(place, weights, bins).astype(np.float64)
