"""How much a class gives away about a sensitive variable: l-diversity and t-closeness.

Machanavajjhala, A., Kifer, D., Gehrke, J. and Venkitasubramaniam, M. (2007). l-diversity: privacy
beyond k-anonymity. ACM Transactions on Knowledge Discovery from Data 1(1). Li, N., Li, T. and
Venkatasubramanian, S. (2007). t-closeness: privacy beyond k-anonymity and l-diversity. ICDE 2007.

Files have about as many classes as records, so everything works on the cells that hold records.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True)
class Diversity:
    """The worst class of a table, in four ways; only in t is a smaller number safer."""

    distinct: int
    """Fewest distinct values in a class; 1: some class gives its value away."""
    entropy: float
    """exp of the smallest entropy of a class: as many equally frequent values would have it."""
    recursive: int
    """Largest l for which r1 < c (r_l + … + r_m) in every class; 0: for none."""
    t: float
    """Largest distance of a class to the table, 0 … 1; 0: every class is like the table."""


def diversity(
    classes: Index,
    values: Index,
    counts: Index,
    *,
    size: int,
    ordered: bool,
    c: float = 1.0,
    table: Counts | None = None,
) -> Diversity:
    """l-diversity and t-closeness of one sensitive variable with `size` values.

    Class, value and number of records of each cell that is not empty, sorted by class, then value.
    Values are indices in the variable's order if it has one (`ordered`): t is then the earth
    mover's distance, one step between neighbours, over size - 1; else the total variation. `table`
    has the records of each value in the whole table, where classes overlap or are not all there.

    Two classes, one with values 0, 0, 1, the other with 2:

    >>> cells = np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([2, 1, 1])
    >>> diversity(*cells, size=3, ordered=True)
    Diversity(distinct=1, entropy=1.0, recursive=0, t=0.625)
    >>> diversity(*cells, size=3, ordered=False).t
    0.75
    """
    if not len(counts):
        raise Undefined(say("no record has a value"))
    codes = [column.astype(np.int64) for column in (classes, values, counts)]
    if table is None:
        # Whole numbers, exact below 2⁵³.
        table = np.bincount(codes[1], codes[2], size).astype(np.int64)
    cells = _Cells(codes[0], codes[1], codes[2], size, table)
    return Diversity(
        distinct=int(cells.lengths.min()),
        entropy=float(np.exp(_entropies(cells).min())),
        recursive=int(_recursive(cells, c).min()),
        t=_closeness(_moved_earth(cells) if ordered else _variation(cells)),
    )


def least_diverse(parts: Iterable[Diversity]) -> Diversity:
    """The worst class of several sets of classes."""
    found = list(parts)
    if not found:
        raise Undefined(say("no record has a value"))
    return Diversity(
        distinct=min(part.distinct for part in found),
        entropy=min(part.entropy for part in found),
        recursive=min(part.recursive for part in found),
        t=max(part.t for part in found),
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """Non-empty cells of classes × values, by class, then value."""

    classes: Index
    values: Index
    counts: Counts
    size: int
    table: Counts
    """Records of each value in the whole table."""

    @cached_property
    def starts(self) -> Index:
        """The first cell of each class that has any."""
        return np.concatenate(([0], np.flatnonzero(np.diff(self.classes)) + 1))

    @cached_property
    def lengths(self) -> Index:
        """Cells, which are distinct values, of each class."""
        return np.diff(np.append(self.starts, len(self.counts)))

    @cached_property
    def records(self) -> Counts:
        """Records of each cell's class."""
        return self.spread(self.sums(self.counts))

    @cached_property
    def below(self) -> Counts:
        """Records of the same class in this cell and those before."""
        running = np.cumsum(self.counts)
        return running - self.spread((running - self.counts)[self.starts])

    def sums(self, figures: NDArray[Number]) -> NDArray[Number]:
        """Figures of cells added up within each class."""
        return np.add.reduceat(figures, self.starts)

    def spread(self, figures: NDArray[Number]) -> NDArray[Number]:
        """A figure of each class, for each of its cells."""
        return np.repeat(figures, self.lengths)


def _entropies(cells: _Cells) -> Floats:
    """Σ p ln(1/p) of each class; no term is negative, and a class of one value has exactly 0."""
    shares = cells.counts / cells.records
    return cells.sums(-shares * np.log(shares))


def _recursive(cells: _Cells, c: float) -> Index:
    """The largest l of each class for which r1 < c (r_l + … + r_m); 0 if there is none.

    r are the class's counts from the largest down, m is how many there are. The sum falls with l:
    the largest l is how many l hold. With c = 1 a class of one value has r1 = r_1 + … + r_m and so
    0, where the paper calls every table 1-diverse: 0 tells it from a class of two unequal values.
    """
    falling = _falling(cells)
    before = np.cumsum(falling) - falling
    tails = cells.records - (before - cells.spread(before[cells.starts]))
    largest = cells.spread(falling[cells.starts])
    return cells.sums((largest < c * tails).astype(np.intp))


def _falling(cells: _Cells) -> Counts:
    """Counts of the cells, the largest first within each class.

    One sort of whole numbers, several times faster than a lexsort; class × count fits in 63 bits
    up to 2³² records.
    """
    steps = int(cells.counts.max()) + 1
    keys = cells.classes * steps + (steps - 1 - cells.counts)
    keys.sort()
    return steps - 1 - keys % steps


def _closeness(distances: Floats) -> float:
    """The largest; what rounding leaves beyond 0 … 1 is cut."""
    return float(np.clip(distances.max(), 0.0, 1.0))


def _variation(cells: _Cells) -> Floats:
    """Total variation of each class to the table: Σ of p - q where positive, so of its cells."""
    apart = cells.counts / cells.records - (cells.table / cells.table.sum())[cells.values]
    return cells.sums(np.maximum(apart, 0.0))


def _moved_earth(cells: _Cells) -> Floats:
    """Σ |P_i - Q_i| over the values i, divided by size - 1, of each class.

    P and Q are the shares of the class and of the table up to value i. From one cell of the class
    to the next P is constant while Q rises: the terms change sign once at most, and both parts are
    differences of running sums of Q. A variable of one value is alike in all classes: 0.
    """
    if cells.size == 1:
        return np.zeros(len(cells.starts))
    running = np.cumsum(cells.table)
    total = int(running[-1])
    area = np.concatenate(([0], np.cumsum(running)))
    start, end = cells.values, _next_values(cells)
    # The first value from which Q ≥ P, in whole numbers, so that no rounding moves it.
    turn = np.searchsorted(running, -(-cells.below * total // cells.records))
    turn = np.clip(turn, start, end)
    level = (2 * turn - start - end) * (cells.below / cells.records)
    apart = cells.sums(level + (area[start] + area[end] - 2 * area[turn]) / total)
    # Before its first cell the class has nothing: P = 0.
    return (apart + area[start[cells.starts]] / total) / (cells.size - 1)


def _next_values(cells: _Cells) -> Index:
    """The value of the class's next cell, or the number of values after its last."""
    following = np.append(cells.values[1:], cells.size)
    following[cells.starts[1:] - 1] = cells.size
    return following
