"""Equivalence classes: the combinations of several axes' levels that occur."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from microgauge.arrays import Counts, Flags, Floats, Words
from microgauge.errors import Undefined
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.records import dataclass
from microgauge.values.levels import sums_by
from microgauge.values.packing import DENSE, MOST, counted, distinct, packed, runs

MOST_CLASSES = 50_000_000
"""Classes that are held: about 50 bytes each while they are added up."""
WHOLE_BITS = 62
"""Bits of a whole number in which a key and its counts are merged."""


@dataclass(frozen=True, eq=False)
class ClassCells:
    """Combinations that occur: keys (words × classes, rising), rows, and sums of scores."""

    keys: Words
    rows: Counts
    sums: Floats
    """Scored axes × classes."""

    def __add__(self, other: ClassCells) -> ClassCells:
        return ClassCells.sum_of([self, other])

    def __len__(self) -> int:
        return len(self.rows)

    @staticmethod
    def sum_of(parts: Sequence[ClassCells]) -> ClassCells:
        """All classes of several, added up at once."""
        keys = np.concatenate([part.keys for part in parts], axis=1)
        columns = [np.concatenate([part.rows for part in parts])]
        columns += list(np.concatenate([part.sums for part in parts], axis=1))
        keys, columns = _merged_whole(keys, columns) or _merged(keys, columns)
        first = np.ones(keys.shape[1], dtype=np.bool_)
        first[1:] = (keys[:, 1:] != keys[:, :-1]).any(axis=0)
        starts = np.flatnonzero(first)
        if len(starts) > MOST_CLASSES:
            raise Undefined(f"there are more than {MOST_CLASSES:,} classes")
        if len(starts):
            columns = [np.add.reduceat(column, starts) for column in columns]
        rows, *sums = columns
        stacked = np.stack(sums).astype(np.float64) if sums else np.empty((0, len(starts)))
        return ClassCells(keys[:, starts], rows, stacked)


def _merged(keys: Words, columns: list[NDArray[Any]]) -> tuple[Words, list[NDArray[Any]]]:
    """Keys in rising order, and the columns with them."""
    # A stable sort of a few rising runs merges them.
    one = len(keys) == 1
    order = np.argsort(keys[0], kind="stable") if one else np.lexsort(keys[::-1])
    return keys[:, order], [column[order] for column in columns]


def _merged_whole(
    keys: Words, columns: list[NDArray[Any]]
) -> tuple[Words, list[NDArray[Any]]] | None:
    """The same where a key and what belongs to it fit into one whole number; None where not.

    Such numbers are merged as they are, without an order by which all else is then fetched.
    """
    if len(keys) > 1 or not keys.shape[1]:
        return None
    counts = [column.astype(np.int64, copy=False) for column in columns]
    widths = [int(column.max()).bit_length() for column in columns]
    if int(keys[0].max()).bit_length() + sum(widths) > WHOLE_BITS or not all(
        column.min() >= 0 and (count is column or np.array_equal(count, column))
        for column, count in zip(columns, counts, strict=True)
    ):
        return None
    packed_up = keys[0].copy()
    for count, width in zip(counts, widths, strict=True):
        packed_up <<= width
        packed_up |= count
    packed_up.sort(kind="stable")
    found = []
    for width in reversed(widths):
        found.append(packed_up & ((1 << width) - 1))
        packed_up >>= width
    return packed_up[np.newaxis], found[::-1]


@dataclass(frozen=True)
class _Combined(Pass):
    """A question to the combinations of several axes' levels."""

    axes: tuple[Axis, ...]

    long: ClassVar[bool] = True
    keyed: ClassVar[bool] = True

    @property
    def sizes(self) -> tuple[int, ...]:
        """Levels of each axis, with the missing one."""
        return tuple(axis.size + 1 for axis in self.axes)

    def words(self, batch: Batch, dtype: DTypeLike = np.int64) -> NDArray[Any]:
        """The combination of each row, as numbers."""
        return packed([batch.narrow(axis) for axis in self.axes], self.sizes, dtype)


@dataclass(frozen=True)
class Classes(_Combined):
    """How often each combination of levels occurs; a missing cell is a level of its own."""

    scored: tuple[Axis, ...] = ()
    """Axes whose scores are summed in every class."""

    def held(self, batch: Batch) -> NDArray[Any] | None:
        """The combination of each row, where there are too many to count them in an array."""
        if self.scored or not _to_be_sorted(prod(self.sizes), batch.rows):
            return None
        (words,) = self.words(batch, np.uint32)
        return np.asarray(words)

    def answer(self, held: NDArray[Any]) -> ClassCells:
        """The classes of all rows held."""
        keys, rows = runs(held)
        return ClassCells(keys, rows, np.empty((0, len(rows))))

    def read(self, batch: Batch) -> ClassCells:
        """The classes of these rows."""
        words = self.words(batch)
        span = min(prod(self.sizes), MOST)
        if not self.scored:
            keys, rows = counted(words, span)
            return ClassCells(keys, rows, np.empty((0, len(rows))))
        keys, places, size = distinct(words, span)
        rows = np.bincount(places, minlength=size)
        sums = [sums_by(places, batch.scores(axis), size) for axis in self.scored]
        return ClassCells(keys, rows, np.stack(sums) if sums else np.empty((0, size)))


@dataclass(frozen=True)
class OwnClasses(_Combined):
    """Classes of what is known of units, and how many of their own records agree with it.

    In matched rows, `axes` are what an intruder knows of a unit; `pairs` hold, for each key, what
    is known and what the unit's own record shows, on common levels. A record agrees where every key
    is equal or missing on one side. The one sum of each class is its rows whose record agrees.
    """

    pairs: tuple[tuple[Axis, Axis], ...]

    def held(self, batch: Batch) -> NDArray[Any] | None:
        """The combination of each row and whether its record agrees, where they are sorted."""
        if not _to_be_sorted(2 * prod(self.sizes), batch.rows):
            return None
        (words,) = self._marked(batch, np.uint32)
        return np.asarray(words)

    def answer(self, held: NDArray[Any]) -> ClassCells:
        """The classes of all rows held."""
        if np.bitwise_and.reduce(held) & 1:  # no record disagrees, as where cells are suppressed
            held >>= 1
            keys, rows = runs(held)
            return ClassCells(keys, rows, rows.astype(np.float64)[np.newaxis])
        return _by_agreement(*runs(held))

    def read(self, batch: Batch) -> ClassCells:
        """The classes of these rows."""
        span = prod(self.sizes)
        if 2 * span <= MOST:
            return _by_agreement(*counted(self._marked(batch, np.int64), 2 * span))
        keys, places, size = distinct(self.words(batch), MOST)
        rows = np.bincount(places, minlength=size)
        own = sums_by(places, _agreeing(batch, self.pairs), size)
        return ClassCells(keys, rows, own[np.newaxis])

    def _marked(self, batch: Batch, dtype: DTypeLike) -> NDArray[Any]:
        """The combination of each row, and in the last bit whether its record agrees."""
        levels = [batch.narrow(axis) for axis in self.axes]
        return packed([*levels, _agreeing(batch, self.pairs)], [*self.sizes, 2], dtype)


@dataclass(frozen=True)
class MovedClasses(_Combined):
    """Classes of the matched rows whose own record does not agree with what is known of them."""

    pairs: tuple[tuple[Axis, Axis], ...]

    def read(self, batch: Batch) -> ClassCells:
        """The classes of these rows."""
        moved = ~_agreeing(batch, self.pairs)
        sizes = self.sizes
        words = packed([batch.narrow(axis)[moved] for axis in self.axes], sizes)
        keys, places, size = distinct(words, min(prod(sizes), MOST))
        return ClassCells(keys, np.bincount(places, minlength=size), np.empty((0, size)))


def _by_agreement(keys: Words, rows: Counts) -> ClassCells:
    """Classes of keys whose last bit says whether records agree; the sum is those that do."""
    words, agreeing = keys[0] >> 1, (keys[0] & 1).astype(np.bool_)
    second = np.flatnonzero(words[1:] == words[:-1]) + 1
    first = np.ones(len(words), dtype=np.bool_)
    first[second] = False
    own = np.where(agreeing, rows, 0)[first].astype(np.float64)
    both = rows[first]
    # Of a class that has both, those that agree stand second.
    classes = second - np.arange(len(second)) - 1
    own[classes] = rows[second]
    both[classes] += rows[second]
    return ClassCells(words[first][np.newaxis], both, own[np.newaxis])


def _agreeing(batch: Batch, pairs: tuple[tuple[Axis, Axis], ...]) -> Flags:
    """In which rows every pair is equal, or missing on one side."""
    return batch.kept(("agreeing", pairs), lambda: _compared(batch, pairs))


def _compared(batch: Batch, pairs: tuple[tuple[Axis, Axis], ...]) -> Flags:
    found = np.ones(batch.rows, dtype=np.bool_)
    for known, shown in pairs:
        a, b = batch.narrow(known), batch.narrow(shown)
        equal = a == b
        if not equal.all():  # most keys of most rows are as they were
            found &= equal | (a == known.size) | (b == shown.size)
    return found


def _to_be_sorted(span: int, rows: int) -> bool:
    """Whether combinations are too many to be counted in an array and fit into 32 bits.

    Then many batches are sorted at once in less time than each by itself and merged.
    """
    return DENSE * rows < span < 1 << 32
