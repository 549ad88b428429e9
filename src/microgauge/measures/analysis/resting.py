"""How many records a mean or a total rests on: those that differ from what most have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from microgauge.arrays import Floats
from microgauge.measures.analysis.leaning import ENOUGH
from microgauge.measures.gdu.models import Factor

MOST = 0.9
"""Records that make up so much of a figure make it up: what they have is known to a tenth."""


def rests_on(values: Floats, weights: Floats) -> int:
    """Records of which a mean, total or ratio tells.

    Where one value is that of half of the records or more, the mean counts the others: of 2,000
    records of which three have an illness (1, all others 0) it is 0.0015. And where fewer than half
    make up nine tenths of all distances from the middle, it is theirs. All records, where these
    are so many that nobody asks.

    >>> rests_on(np.array([0.0] * 97 + [1.0] * 3), np.ones(100))
    3
    >>> rests_on(np.arange(100.0), np.ones(100))
    100
    """
    if not len(values):
        return 0
    found = _makers(values, weights)
    return found if found < ENOUGH else len(values)


def _makers(values: Floats, weights: Floats) -> int:
    """Those that differ from most, or the fewest that are nine tenths of it, if these are less."""
    least = min(len(values), _apart_from_most(values))
    with np.errstate(over="ignore", invalid="ignore"):  # numbers near the largest there are
        far = np.abs(values - np.median(values)) * weights
    if not np.isfinite(far).all() or far.max() <= 0.0:
        return least
    far = np.sort(far / far.max())[::-1]
    many = int(np.searchsorted(np.cumsum(far), MOST * far.sum() * (1.0 - 1e-12))) + 1
    return min(least, many) if 2 * many < len(values) else least


def _apart_from_most(values: Floats) -> int:
    """Records without the value that half of them have; all where there is none."""
    _, counts = np.unique(values, return_counts=True)
    most = int(counts.max())
    return len(values) - most if 2 * most >= len(values) and most > 1 else len(values)


def response_rests_on(
    response: Floats, weights: Floats, columns: Mapping[str, Floats], factors: Iterable[Factor]
) -> int:
    """The same of a regression's response, among all records and in each category of a factor.

    A model gives away the response's sum in every category it has a term for, and in the one that
    the others are compared with: its estimates are such that these sums are met.
    """
    least = rests_on(response, weights)
    if _apart_from_most(response) == len(response):
        return least  # sums of numbers of which no two need be the same count nobody
    for factor in factors:
        dummies = [columns[name] for name in factor.terms if _is_dummy(columns.get(name))]
        left = np.ones(len(response), dtype=np.bool_)
        for dummy in dummies:
            if dummy.any():
                least = min(least, _apart_from_most(response[dummy != 0]))
            left &= dummy == 0
        if dummies and left.any():
            least = min(least, _apart_from_most(response[left]))
    return least


def _is_dummy(column: Floats | None) -> bool:
    return column is not None and bool(((column == 0) | (column == 1)).all())
