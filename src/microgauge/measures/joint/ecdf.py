"""How far apart are the two empirical distribution functions? U_m and U_s.

S_X(z) is the share of the rows of X that are ≤ z in every variable. Ordinal and continuous ones
count by rank (missing ranks lowest); a nominal one by an indicator of every category, so that ≤ in
all of them means the same category.

The plain way compares each point with each row in each variable. Here a set of rows is a row of
bits: for each variable, tables hold the set "rows up to this rank" (or "rows of this category"),
and a point's set is the intersection of one entry of each table, 64 rows at a time.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from microgauge.arrays import Bits, Counts, Flags, Floats, Index
from microgauge.measures.joint.joint import Joint
from microgauge.records import dataclass

POINTS_AT_A_TIME = 48
"""Few enough for the sets of a block of points to stay in the processor's cache."""
ROWS_AT_A_TIME = 1 << 17
"""Rows whose tables are held at a time."""
MOST_ENTRIES = 512
"""Levels up to which a variable has one table; beyond, a level is split into two digits."""


@dataclass(frozen=True)
class Distance:
    """U_m, the largest difference, and U_s, the mean squared one. 0: the functions are equal."""

    maximum: float
    mean_square: float


def distribution_distance(joint: Joint, points: Index) -> Distance:
    """Compare the two functions at some of the rows (all of them: exact)."""
    difference = np.zeros(len(points))
    for side in (True, False):
        rows = np.flatnonzero(joint.protected == side)
        counts = _dominated(joint, points, rows)
        difference += (1.0 if side else -1.0) * counts / len(rows)
    return Distance(float(np.abs(difference).max()), float((difference**2).mean()))


def _dominated(joint: Joint, points: Index, rows: Index) -> Floats:
    """For each point, how many of the rows are ≤ it in every variable."""
    counts = np.zeros(len(points), dtype=np.int64)
    ranks = [_ranks(joint, place) for place in range(len(joint.variables))]
    for start in range(0, len(rows), ROWS_AT_A_TIME):
        some = rows[start : start + ROWS_AT_A_TIME]
        tables = [_table(joint, place, ranks[place], some) for place in range(len(ranks))]
        _count(tables, ranks, points, counts)
    return counts.astype(np.float64)


def _ranks(joint: Joint, place: int) -> Index:
    """Levels as ranks: missing comes first for ordered variables."""
    variable, codes = joint.variables[place], joint.codes[:, place]
    if variable.kind == "nominal":
        return codes
    return np.where(codes == variable.size, 0, codes + 1)


def _table(joint: Joint, place: int, ranks: Index, rows: Index) -> _Table:
    size = joint.variables[place].size + 1
    if joint.variables[place].kind == "nominal":
        return _Same(_members(ranks[rows], size))
    if size <= MOST_ENTRIES:
        return _UpTo(_prefixes(ranks[rows], size))
    digit = int(np.ceil(np.sqrt(size)))
    high, low = np.divmod(ranks[rows], digit)
    top = size // digit + 1
    return _TwoDigits(
        digit,
        _shifted(_prefixes(high, top)),
        _members(high, top),
        _prefixes(low, digit),
    )


@dataclass(frozen=True, eq=False)
class _Same:
    """Sets of rows with the same level."""

    members: Bits

    def sets(self, ranks: Index) -> Bits:
        return self.members.take(ranks, axis=0)


@dataclass(frozen=True, eq=False)
class _UpTo:
    """Sets of rows up to a level."""

    prefixes: Bits

    def sets(self, ranks: Index) -> Bits:
        return self.prefixes.take(ranks, axis=0)


@dataclass(frozen=True, eq=False)
class _TwoDigits:
    """Sets of rows up to a level of many: a smaller first digit, or the same one and not above
    in the second."""

    digit: int
    below: Bits
    same: Bits
    low: Bits

    def sets(self, ranks: Index) -> Bits:
        high, low = np.divmod(ranks, self.digit)
        found = self.same.take(high, axis=0)
        found &= self.low.take(low, axis=0)
        found |= self.below.take(high, axis=0)
        return found


_Table = _Same | _UpTo | _TwoDigits


def _members(levels: Index, size: int) -> Bits:
    """For each level, the set of rows that have it."""
    words = (len(levels) + 63) // 64
    sets = np.zeros((size, words * 64), dtype=np.bool_) if size * words * 64 <= 1 << 26 else None
    if sets is not None:
        sets[levels, np.arange(len(levels))] = True
        return _packed(sets)
    found = np.zeros((size, words), dtype=np.uint64)
    bit = np.uint64(1) << (np.arange(len(levels), dtype=np.uint64) % np.uint64(64))
    np.bitwise_or.at(found, (levels, np.arange(len(levels)) // 64), bit)
    return found


def _packed(sets: Flags) -> Bits:
    return np.packbits(sets, axis=1, bitorder="little").view(np.uint64)


def _prefixes(levels: Index, size: int) -> Bits:
    """For each level, the set of rows up to it."""
    return np.asarray(np.bitwise_or.accumulate(_members(levels, size), axis=0))


def _shifted(prefixes: Bits) -> Bits:
    """Rows strictly below each level."""
    return np.concatenate([np.zeros_like(prefixes[:1]), prefixes[:-1]])


def _count(tables: list[_Table], ranks: list[Index], points: Index, counts: Counts) -> None:
    """Add the sizes of the points' sets. Threads share the points: each writes its own part."""

    def part(start: int) -> None:
        some = points[start : start + POINTS_AT_A_TIME]
        sets = tables[0].sets(ranks[0][some])
        for table, rank in zip(tables[1:], ranks[1:], strict=True):
            sets &= table.sets(rank[some])
        counts[start : start + len(some)] += np.bitwise_count(sets).sum(axis=1, dtype=np.int64)

    with ThreadPoolExecutor() as threads:
        list(threads.map(part, range(0, len(points), POINTS_AT_A_TIME)))
