"""Equivalence classes: the combinations of several axes' levels that occur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from microgauge.levels import Floats, Index, sums_by
from microgauge.passes.batch import Batch

Words = NDArray[np.int64]

_WORD = 1 << 62
"""Combinations that one whole number can tell apart."""


def words_of(sizes: Sequence[int]) -> list[range]:
    """Which axes share a word: as many neighbours as one whole number can hold.

    >>> words_of([1 << 40, 1 << 20, 1 << 30])
    [range(0, 2), range(2, 3)]
    """
    found: list[range] = []
    start, held = 0, 1
    for place, size in enumerate(sizes):
        if place > start and held * size > _WORD:
            found.append(range(start, place))
            start, held = place, 1
        held *= size
    return [*found, range(start, len(sizes))]


def packed(levels: Sequence[Index], sizes: Sequence[int]) -> Words:
    """Words × rows: numbers that are equal where, and only where, all levels are."""
    words = []
    for part in words_of(sizes):
        key = levels[part[0]].astype(np.int64)
        for place in part[1:]:
            key *= sizes[place]
            key += levels[place]
        words.append(key)
    return np.stack(words)


def unpacked(words: Words, sizes: Sequence[int]) -> Index:
    """Rows × axes: the levels that were packed."""
    columns: dict[int, NDArray[np.int64]] = {}
    for word, part in zip(words, words_of(sizes), strict=True):
        left = word
        for place in reversed(part):
            left, columns[place] = np.divmod(left, sizes[place])
    return np.stack([columns[place] for place in range(len(sizes))], axis=1).astype(np.intp)


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
    if span <= 8 * len(key):
        used = np.zeros(span, dtype=np.bool_)
        used[key] = True
        place = np.cumsum(used) - 1
        keys = np.flatnonzero(used).astype(np.int64)
        return keys[np.newaxis], place[key], len(keys)
    keys, places = np.unique(key, return_inverse=True)
    return keys[np.newaxis], places, len(keys)


@dataclass(frozen=True, eq=False)
class ClassCells:
    """Combinations that occur: keys (words × classes, rising), rows, and sums of scores."""

    keys: Words
    rows: NDArray[np.int64]
    sums: Floats
    """Scored axes × classes."""

    def __add__(self, other: ClassCells) -> ClassCells:
        keys, places, size = distinct(np.concatenate([self.keys, other.keys], axis=1), 1 << 62)
        rows = sums_by(places, np.concatenate([self.rows, other.rows]), size)
        sums = np.concatenate([self.sums, other.sums], axis=1)
        summed = [sums_by(places, layer, size) for layer in sums]
        return ClassCells(
            keys, rows.astype(np.int64), np.stack(summed) if summed else np.empty((0, size))
        )


@dataclass(frozen=True)
class Classes:
    """How often each combination of levels occurs; a missing cell is a level of its own."""

    axes: tuple[str, ...]
    scored: tuple[str, ...] = ()
    """Axes whose scores are summed in every class."""

    def sizes(self, batch: Batch) -> tuple[int, ...]:
        """Levels of each axis, with the missing one."""
        return tuple(batch.size(axis) + 1 for axis in self.axes)

    def read(self, batch: Batch) -> ClassCells:
        """The classes of these rows."""
        sizes = self.sizes(batch)
        words = packed([batch.levels(axis) for axis in self.axes], sizes)
        keys, places, size = distinct(words, min(prod(sizes), 1 << 62))
        rows = np.bincount(places, minlength=size)
        sums = [sums_by(places, batch.scores(axis), size) for axis in self.scored]
        return ClassCells(keys, rows, np.stack(sums) if sums else np.empty((0, size)))
