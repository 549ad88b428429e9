"""Sums over rows of scores that are whole numbers: exact, in whatever order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Codes, Counts
from microgauge.kernels.loading import compiled

Scores = NDArray[np.int32]
"""A whole number for each level, and 0 for missing cells."""


def score_product(a: Codes, scores_a: Scores, b: Codes, scores_b: Scores) -> int:
    """Sum over rows of the products of two columns' scores."""
    loops = compiled()
    if loops is not None:
        high, low = loops.score_product(_held(a), scores_a, _held(b), scores_b, len(a))
    else:
        products = scores_a[a].astype(np.int64) * scores_b[b]
        high, low = (products >> 32).sum(), (products & 0xFFFFFFFF).sum()
    return (int(high) << 32) + int(low)


def score_sums(groups: Codes, size: int, scores: Scores) -> Counts:
    """Sum of what rows score in each of so many groups."""
    loops = compiled()
    sums = np.zeros(size, dtype=np.int64)
    if loops is not None and groups.itemsize <= np.dtype(np.uint16).itemsize:
        loops.score_sums(_held(groups), scores, sums)
    else:
        np.add.at(sums, groups, scores.astype(np.int64))
    return sums


def ranks_within(scores: Scores, levels: Counts, counts: Counts) -> Scores:
    """Twice the centred mid-ranks without some rows: so many at each of some rising levels.

    The centred rank of a row, doubled, is the number of rows below it less the number above it; so
    what rows that are left out took part with is taken off.

    >>> all_four = np.array([-3, -1, 1, 3, 0], dtype=np.int32)
    >>> ranks_within(all_four, np.array([1]), np.array([1]))
    array([-2, -1,  0,  2,  0], dtype=int32)
    """
    loops = compiled()
    if loops is not None:
        within = np.empty_like(scores)
        loops.ranks_within(scores, _whole(levels), _whole(counts), within)
        return within
    size = len(scores) - 1
    left_out = np.zeros(size, dtype=np.int64)
    left_out[levels] = counts
    below = np.cumsum(left_out)
    excess = 2 * below - left_out - int(counts.sum())
    return np.append(scores[:-1] - excess, 0).astype(np.int32)


def _held(codes: Codes) -> Codes:
    return np.ascontiguousarray(codes)


def _whole(numbers: NDArray[Any]) -> Counts:
    return np.ascontiguousarray(numbers, dtype=np.int64)
