"""Distinct numbers in rising order, and the places of numbers among them."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Codes, Floats, Index
from microgauge.kernels.loading import compiled

MOST_ROWS = 1 << 31
"""Rows that the compiled loop can number."""
FEWEST_PARTS, MOST_PARTS = 1 << 8, 1 << 20
"""Parts of a rising list whose starts are known."""


def distinct_numbers(numbers: Floats) -> tuple[Floats, Codes]:
    """The distinct numbers, rising, and each row's place among them. NaN is one, the last.

    >>> distinct_numbers(np.array([2.0, -0.0, 0.0, np.nan]))[0]
    array([ 0.,  2., nan])
    """
    loops = compiled()
    if loops is None or len(numbers) >= MOST_ROWS:
        # Adding zero turns -0.0 into 0.0: they are one value.
        values, codes = np.unique(numbers + 0.0, return_inverse=True, equal_nan=True)
        return values, codes
    values, places = np.empty(len(numbers)), np.empty(len(numbers), dtype=np.uint32)
    count = loops.code_numbers(np.ascontiguousarray(numbers), values, places)
    return values[:count].copy(), places


class Places:
    """Finds the places of numbers among rising ones."""

    def __init__(self, values: Floats) -> None:
        self._values = np.ascontiguousarray(values)
        loops = compiled()
        if loops is not None and len(values):
            parts = min(max(1 << len(values).bit_length(), FEWEST_PARTS), MOST_PARTS)
            self._starts = np.empty(parts + 1, dtype=np.uint32)
            self._parts = loops.index_numbers(self._values, self._starts)

    def of(self, numbers: Floats) -> Codes | None:
        """The place of each number; their count for NaN; None where one is none of them.

        >>> Places(np.array([1.0, 2.5])).of(np.array([2.5, np.nan, 1.0])).tolist()
        [1, 2, 0]
        """
        loops, values = compiled(), self._values
        if loops is not None and len(values):
            codes: Codes = np.empty(len(numbers), dtype=np.uint32)
            held = np.ascontiguousarray(numbers)
            known = loops.place_numbers(values, self._starts, *self._parts, held, codes)
            return codes if known else None
        found = np.searchsorted(values, numbers)
        missing = np.isnan(numbers)
        # What is larger than all stands beside the last, which is not the same.
        beside = np.append(values, np.nan)[np.minimum(found, len(values))]
        known = missing | (beside == numbers)
        found[missing] = len(values)
        return found if bool(known.all()) else None


def merged_places(a: Floats, b: Floats) -> tuple[Index, Index, int]:
    """Places of two rising lists without repeats in the rising list of both, and its length.

    >>> merged_places(np.array([1.0, 3.0]), np.array([2.0, 3.0, 4.0]))
    (array([0, 2]), array([1, 2, 3]), 4)
    """
    loops = compiled()
    if loops is not None:
        of_a, of_b = np.empty(len(a), dtype=np.int64), np.empty(len(b), dtype=np.int64)
        held = (np.ascontiguousarray(a), np.ascontiguousarray(b))
        return of_a, of_b, loops.merge_places(*held, of_a, of_b)
    both = np.concatenate([a, b])
    order = np.argsort(both, kind="stable")  # merges two rising runs
    ranked = both[order]
    places = np.empty(len(both), dtype=np.intp)
    places[order] = np.cumsum(np.append(True, ranked[1:] != ranked[:-1])[: len(both)]) - 1
    return places[: len(a)], places[len(a) :], int(places.max(initial=-1)) + 1
