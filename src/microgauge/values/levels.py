"""The values of a variable on one side: how they are told apart, ordered and counted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Floats, Index
from microgauge.kernels import merged_places
from microgauge.records import dataclass
from microgauge.values.labels import number_label

T = TypeVar("T")

Keys = Floats | tuple[str, ...]
"""What tells levels apart: numbers, or labels."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """How much each level weighs: rows, weight sums, sums of squared weights; last: missing cells.

    Without weights all three are the same counts. Kish's effective number of units over any set of
    levels is (Σw)²/Σw², which is the number of rows when weights are equal.
    """

    rows: Counts
    sums: Floats
    squares: Floats

    def over(self, levels: slice | Index) -> tuple[int, float, float]:
        """Rows, weight and effective units in some levels."""
        total, squares = float(self.sums[levels].sum()), float(self.squares[levels].sum())
        return int(self.rows[levels].sum()), total, total * total / squares if squares else 0.0


@dataclass(frozen=True, eq=False)
class Levels:
    """Distinct values of one variable in their order, and how often each occurs.

    The index of a level is its code; `len(levels)` is the code of a missing cell.
    """

    keys: Keys
    weighing: Weighing
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        return len(self.keys)

    def once(self, what: Hashable, work: Callable[[], T]) -> T:
        """What is worked out of these levels, by the first who asks for it."""
        if what not in self._known:
            self._known[what] = work()
        known: T = self._known[what]
        return known

    @property
    def numeric(self) -> bool:
        """Whether the levels are numbers."""
        return isinstance(self.keys, np.ndarray)

    @property
    def numbers(self) -> Floats:
        """The levels as numbers: themselves, or their positions for labels."""
        if isinstance(self.keys, np.ndarray):
            return self.keys
        return np.arange(len(self.keys), dtype=np.float64)

    @property
    def labels(self) -> tuple[str, ...]:
        """The levels as text."""
        if isinstance(self.keys, np.ndarray):
            return tuple(number_label(number) for number in self.keys)
        return self.keys

    @property
    def rows(self) -> Counts:
        """Rows in each level, missing cells left out."""
        return self.weighing.rows[:-1]

    @property
    def sums(self) -> Floats:
        """Weight of each level, missing cells left out."""
        return self.weighing.sums[:-1]

    @property
    def missing(self) -> int:
        """Number of missing cells."""
        return int(self.weighing.rows[-1])

    @property
    def units(self) -> tuple[int, float, float]:
        """Rows, weight and effective units, missing cells left out."""
        return self.once("units", lambda: self.weighing.over(slice(0, -1)))

    @cached_property
    def present(self) -> int:
        """Number of cells that are not missing."""
        return int(self.rows.sum())

    def regrouped(self, target: Index, keys: Keys) -> Levels:
        """The same cells under other levels: level i becomes level target[i]."""
        lookup = np.append(target, len(keys))
        return Levels(keys, regroup(self.weighing, lookup, len(keys) + 1))


def sums_by(places: Index, weights: NDArray[Any], size: int) -> Floats:
    """Sum of the weights that fall on each of the places 0 … size - 1."""
    return np.bincount(places, weights, size).astype(np.float64, copy=False)


def regroup(weighing: Weighing, lookup: Index, size: int) -> Weighing:
    """Add up what falls together."""
    if size == len(weighing.rows) and bool((lookup == np.arange(size)).all()):
        return weighing
    sums = sums_by(lookup, weighing.sums, size)
    # Without weights the three are the same counts, worked out and held once.
    unweighted = weighing.squares is weighing.sums
    return Weighing(
        sums.astype(np.int64)
        if unweighted
        else sums_by(lookup, weighing.rows, size).astype(np.int64),
        sums,
        sums if unweighted else sums_by(lookup, weighing.squares, size),
    )


def common(a: Keys, b: Keys) -> tuple[Index, Index, int]:
    """Places of both sides' levels in one list without repeats: (of a, of b, its length)."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if np.array_equal(a, b):
            same = np.arange(len(a))
            return same, same, len(a)
        return merged_places(a, b)
    index: dict[str, int] = {}
    places = [[index.setdefault(label, len(index)) for label in _labels(keys)] for keys in (a, b)]
    return _as_index(places[0]), _as_index(places[1]), len(index)


def _as_index(places: Sequence[int]) -> Index:
    return np.array(places, dtype=np.intp)


def _labels(keys: Keys) -> Sequence[Any]:
    return [number_label(k) for k in keys] if isinstance(keys, np.ndarray) else keys
