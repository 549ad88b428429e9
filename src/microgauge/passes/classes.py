"""Equivalence classes: the combinations of several axes' levels that occur."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from microgauge.arrays import Counts, Flags, Floats, Words
from microgauge.errors import Undefined
from microgauge.passes.batch import Axis, Batch, Pass
from microgauge.values.levels import sums_by
from microgauge.values.packing import MOST, distinct, packed

MOST_CLASSES = 50_000_000
"""Classes that are held: about 50 bytes each while they are added up."""


@dataclass(frozen=True, eq=False)
class ClassCells:
    """Combinations that occur: keys (words × classes, rising), rows, and sums of scores."""

    keys: Words
    rows: Counts
    sums: Floats
    """Scored axes × classes."""

    def __add__(self, other: ClassCells) -> ClassCells:
        keys, places, size = distinct(np.concatenate([self.keys, other.keys], axis=1), MOST)
        if size > MOST_CLASSES:
            raise Undefined(f"there are more than {MOST_CLASSES:,} classes")
        rows = sums_by(places, np.concatenate([self.rows, other.rows]), size)
        sums = np.concatenate([self.sums, other.sums], axis=1)
        summed = [sums_by(places, layer, size) for layer in sums]
        return ClassCells(
            keys, rows.astype(np.int64), np.stack(summed) if summed else np.empty((0, size))
        )


@dataclass(frozen=True)
class Classes(Pass):
    """How often each combination of levels occurs; a missing cell is a level of its own."""

    axes: tuple[Axis, ...]
    scored: tuple[Axis, ...] = ()
    """Axes whose scores are summed in every class."""

    long: ClassVar[bool] = True
    keyed: ClassVar[bool] = True

    @property
    def sizes(self) -> tuple[int, ...]:
        """Levels of each axis, with the missing one."""
        return tuple(axis.size + 1 for axis in self.axes)

    def read(self, batch: Batch) -> ClassCells:
        """The classes of these rows."""
        sizes = self.sizes
        words = packed([batch.levels(axis) for axis in self.axes], sizes)
        keys, places, size = distinct(words, min(prod(sizes), MOST))
        rows = np.bincount(places, minlength=size)
        sums = [sums_by(places, batch.scores(axis), size) for axis in self.scored]
        return ClassCells(keys, rows, np.stack(sums) if sums else np.empty((0, size)))


@dataclass(frozen=True)
class OwnClasses(Pass):
    """Classes of what is known of units, and how many of their own records agree with it.

    In matched rows, `axes` are what an intruder knows of a unit; `pairs` hold, for each key, what
    is known and what the unit's own record shows, on common levels. A record agrees where every key
    is equal or missing on one side. The one sum of each class is its rows whose record agrees.
    """

    axes: tuple[Axis, ...]
    pairs: tuple[tuple[Axis, Axis], ...]

    long: ClassVar[bool] = True
    keyed: ClassVar[bool] = True

    @property
    def sizes(self) -> tuple[int, ...]:
        """Levels of each axis, with the missing one."""
        return tuple(axis.size + 1 for axis in self.axes)

    def read(self, batch: Batch) -> ClassCells:
        """The classes of these rows."""
        sizes = self.sizes
        words = packed([batch.levels(axis) for axis in self.axes], sizes)
        keys, places, size = distinct(words, min(prod(sizes), MOST))
        rows = np.bincount(places, minlength=size)
        own = sums_by(places, _agreeing(batch, self.pairs), size)
        return ClassCells(keys, rows, own[np.newaxis])


@dataclass(frozen=True)
class MovedClasses(Pass):
    """Classes of the matched rows whose own record does not agree with what is known of them."""

    axes: tuple[Axis, ...]
    pairs: tuple[tuple[Axis, Axis], ...]

    long: ClassVar[bool] = True
    keyed: ClassVar[bool] = True

    @property
    def sizes(self) -> tuple[int, ...]:
        """Levels of each axis, with the missing one."""
        return tuple(axis.size + 1 for axis in self.axes)

    def read(self, batch: Batch) -> ClassCells:
        """The classes of these rows."""
        moved = ~_agreeing(batch, self.pairs)
        sizes = self.sizes
        words = packed([batch.levels(axis)[moved] for axis in self.axes], sizes)
        keys, places, size = distinct(words, min(prod(sizes), MOST))
        return ClassCells(keys, np.bincount(places, minlength=size), np.empty((0, size)))


def _agreeing(batch: Batch, pairs: tuple[tuple[Axis, Axis], ...]) -> Flags:
    """In which rows every pair is equal, or missing on one side."""
    found = np.ones(batch.rows, dtype=np.bool_)
    for known, shown in pairs:
        a, b = batch.levels(known), batch.levels(shown)
        found &= (a == b) | (a == known.size) | (b == shown.size)
    return found
