"""Combinations of several levels as whole numbers: equal where, and only where, all levels are."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from microgauge.arrays import Counts, Flags, Index, Words

MOST = 1 << 62
"""Combinations that one whole number can tell apart."""
AT_A_TIME = 1 << 15
"""Rows that are packed or unpacked together: few enough to stay in the processor's cache."""
SEVERAL = 1 << 21
"""Numbers from which on two threads sort a half each."""
DENSE = 32
"""Up to so many possible keys for each row they are counted in an array, beyond they are sorted."""


def words_of(sizes: Sequence[int]) -> list[range]:
    """Which axes share a word: as many neighbours as one whole number can hold.

    >>> words_of([1 << 40, 1 << 20, 1 << 30])
    [range(0, 2), range(2, 3)]
    """
    found: list[range] = []
    start, held = 0, 1
    for place, size in enumerate(sizes):
        if place > start and held * size > MOST:
            found.append(range(start, place))
            start, held = place, 1
        held *= size
    return [*found, range(start, len(sizes))]


def packed(
    levels: Sequence[NDArray[Any]], sizes: Sequence[int], dtype: DTypeLike = np.int64
) -> NDArray[Any]:
    """Words × rows: numbers that are equal where, and only where, all levels are."""
    words = words_of(sizes)
    rows = len(levels[0])
    found = np.empty((len(words), rows), dtype=dtype)
    for start in range(0, rows, AT_A_TIME):
        some = slice(start, start + AT_A_TIME)
        for word, part in zip(found, words, strict=True):
            key = word[some]
            key[:] = levels[part[0]][some]
            for place in part[1:]:
                key *= word.dtype.type(sizes[place])
                np.add(key, levels[place][some], out=key, casting="unsafe")
    return found


def unpacked(words: Words, sizes: Sequence[int]) -> Index:
    """Rows × axes: the levels that were packed. Each axis lies together, as it is looked at."""
    rows = words.shape[1]
    found = np.empty((len(sizes), rows), dtype=np.intp)
    for start in range(0, rows, AT_A_TIME):
        some = slice(start, start + AT_A_TIME)
        for word, part in zip(words, words_of(sizes), strict=True):
            left = word[some]
            for place in reversed(part):
                # Twice as quick as a division with remainder.
                above = left // sizes[place]
                np.subtract(left, above * sizes[place], out=found[place, some], casting="unsafe")
                left = above
    return found.T


def counted(words: Words, span: int) -> tuple[Words, Counts]:
    """Distinct keys in rising order, and how many rows have each."""
    if len(words) > 1 or span <= DENSE * words.shape[1]:
        keys, places, size = distinct(words, span)
        return keys, np.bincount(places, minlength=size)
    # Half as wide numbers are sorted in half the time.
    return runs(words[0].astype(np.uint32) if span < 1 << 32 else words[0].copy())


def runs(numbers: NDArray[Any]) -> tuple[Words, Counts]:
    """Distinct numbers in rising order, and how many there are of each. Sorts the array itself."""
    ranked = _sorted(numbers)
    starts = np.flatnonzero(_changes(ranked))
    keys = ranked[starts].astype(np.int64, copy=False)
    rows = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=rows[:-1])
    rows[-1:] = len(ranked) - starts[-1:]
    return keys[np.newaxis], rows


def _sorted(numbers: NDArray[Any]) -> NDArray[Any]:
    """The same array in rising order."""
    if len(numbers) < SEVERAL:
        numbers.sort()
        return numbers
    middle = len(numbers) // 2
    with ThreadPoolExecutor(2) as both:
        list(both.map(np.ndarray.sort, (numbers[:middle], numbers[middle:])))
    numbers.sort(kind="stable")  # merges two rising runs
    return numbers


def _changes(ranked: NDArray[Any]) -> Flags:
    """Where a key differs from the one before."""
    new = np.ones(len(ranked), dtype=np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    return new


def distinct(words: Words, span: int) -> tuple[Words, Index, int]:
    """Distinct keys in rising order, the place of each row among them, and their number.

    Where keys span few numbers more than there are rows, counting is quicker than sorting.
    """
    if len(words) > 1:
        order = np.lexsort(words[::-1])
        ranked = words[:, order]
        new = np.append(True, (ranked[:, 1:] != ranked[:, :-1]).any(axis=0))
        new = new[: ranked.shape[1]]
        places = np.empty(words.shape[1], dtype=np.intp)
        places[order] = np.cumsum(new) - 1
        return ranked[:, new], places, int(new.sum())
    key = words[0]
    if span <= DENSE * len(key):
        used = np.zeros(span, dtype=np.bool_)
        used[key] = True
        keys = np.flatnonzero(used).astype(np.int64, copy=False)
        place = np.empty(span, dtype=np.int32 if span < 1 << 31 else np.int64)
        place[keys] = np.arange(len(keys))
        return keys[np.newaxis], place[key].astype(np.intp, copy=False), len(keys)
    # A stable sort is quick where keys are two rising runs, which is what classes add up from.
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    new = _changes(ranked)
    places = np.empty(len(key), dtype=np.intp)
    places[order] = np.cumsum(new) - 1
    return ranked[new][np.newaxis], places, int(new.sum())
