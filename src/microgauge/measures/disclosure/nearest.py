"""Which records of one table lie nearest to each record of another?

Gower's distance (1971) of two records is the mean over attributes: the difference of two numbers
in units of a range, 1 for two categories that differ, 0 for equal ones. A cell that is missing on
either side adds 0: who does not know a value cannot hold it against a record. 0 means equal
wherever both are known, 1 as far apart as the range allows. All records within 1e-9 of the nearest
tie.

The search is exact, and no distance of all pairs is held. Both tables are cut into parts of alike
records, halved again and again along the attribute in which they differ most. What is missing
bounds nothing, so records are grouped by the pattern of their missing cells first. For a block of
queries the parts are visited nearest first, and a part whose nearest corner is farther than what a
query has found already is passed by. What is left is compared densely.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from microgauge.arrays import Codes, Flags, Floats, Index
from microgauge.errors import Undefined

SAME = 1e-9
"""Distances that differ by no more are one."""
BLOCK = 256
"""Queries, and references, compared at a time: their distances stay in the processor's cache."""
MOST_PAIRS = 4_000_000
"""Pairs handed out at a time, unless a single query has more."""
FARTHEST = 1e100
"""Numbers are cut here: distances stay finite."""
_BINS = 512
"""Levels of a category that a part remembers; where there are more, ranges of them."""
_ROUNDING = 1e-12
"""How much of a distance may be rounding where a part is passed by."""
_MEAN_DIFFERENCE = 2.0 / np.sqrt(np.pi)
"""Mean difference of two values over their standard deviation, if they are normal."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """One variable of the records that ask and of those looked through.

    A number is divided by the range it is measured in, and NaN where missing; a category is a whole
    code of at least 0, the same on both sides, and -1 where missing.
    """

    kind: Literal["number", "category"]
    queries: NDArray[Any]
    references: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Near:
    """Some queries and their nearest references; all pairs of a query stand together."""

    queries: Index
    """The query of each pair; a query is in one such block only."""
    references: Index
    """The reference of each pair: no other is nearer than this one by more than 1e-9."""
    distances: Floats
    """Of each pair."""


def nearest_pairs(attributes: Sequence[Attribute], *, block: int = BLOCK) -> Iterator[Near]:
    """The references nearest to each query, with all that tie, for one block of queries at a time.

    Every query has at least one pair. The pairs are the same in whatever order the records are.

    >>> ages = Attribute("number", np.array([0.2, 0.5]), np.array([0.1, 0.3, 0.9]))
    >>> [near] = nearest_pairs([ages])
    >>> sorted(zip(near.queries.tolist(), near.references.tolist()))
    [(0, 0), (0, 1), (1, 1)]
    """
    search = _Search.of(attributes, block)
    return (near for rows in search.blocks for near in search.pairs(rows))


def nearest_distances(attributes: Sequence[Attribute], *, neighbours: int = 1) -> Floats:
    """The distance from each query to its j-th nearest reference, each record counted once.

    >>> ages = Attribute("number", np.array([0.25, 0.5]), np.array([0.0, 0.5, 1.0]))
    >>> nearest_distances([ages]), nearest_distances([ages], neighbours=2)
    (array([0.25, 0.  ]), array([0.25, 0.5 ]))
    """
    if neighbours < 1:
        raise ValueError("neighbours is at least 1")
    search = _Search.of(attributes, BLOCK)
    if search.references.records < neighbours:
        raise Undefined(f"fewer than {neighbours} records to look through")
    found = np.empty(search.queries.records)
    for rows in search.blocks:
        found[rows] = search.minima(search.queries.take(rows), neighbours)[0]
    return found / len(attributes)


@dataclass(frozen=True, eq=False)
class _Side:
    """Records of one table: a row of numbers for each, and an array for each category."""

    numbers: Floats
    codes: tuple[Codes, ...]

    @property
    def records(self) -> int:
        return int(self.numbers.shape[0])

    @property
    def columns(self) -> list[NDArray[Any]]:
        return [*self.numbers.T, *self.codes]

    @cached_property
    def missing(self) -> list[Flags]:
        return [*np.isnan(self.numbers).T, *(codes < 0 for codes in self.codes)]

    @cached_property
    def gaps(self) -> Flags:
        """Whether some cell of an attribute is missing."""
        return np.array([missing.any() for missing in self.missing])

    @cached_property
    def void(self) -> Flags:
        """Whether all cells of an attribute are missing."""
        return np.array([missing.all() for missing in self.missing])

    def take(self, records: Index) -> _Side:
        return _Side(self.numbers[records], tuple(codes[records] for codes in self.codes))


def _sides(attributes: Sequence[Attribute]) -> tuple[_Side, _Side]:
    """Queries and references, codes in as few bytes as hold them."""
    if not attributes:
        raise Undefined("no attribute to compare records by")
    rows = {(len(each.queries), len(each.references)) for each in attributes}
    if len(rows) > 1:
        raise ValueError("all attributes speak of the same records")
    if not all(rows.pop()):
        raise Undefined("no record to compare")
    codes = [_small(each) for each in attributes if each.kind == "category"]
    made = []
    for i, side in enumerate(("queries", "references")):
        cells = [getattr(each, side) for each in attributes if each.kind == "number"]
        numbers = np.empty((len(getattr(attributes[0], side)), len(cells)))
        for column, given in zip(numbers.T, cells, strict=True):
            column[:] = np.clip(given, -FARTHEST, FARTHEST)
        made.append(_Side(numbers, tuple(pair[i] for pair in codes)))
    return made[0], made[1]


def _small(attribute: Attribute) -> tuple[Codes, Codes]:
    """Levels that occur, numbered anew: in few bytes they are compared several times faster."""
    rows = len(attribute.queries)
    both = np.concatenate([attribute.queries, attribute.references])
    levels, codes = np.unique(np.maximum(both, -1), return_inverse=True)
    codes = codes - (levels[0] < 0)
    codes = codes.astype(np.min_scalar_type(-1 - int(codes.max(initial=0))))
    return codes[:rows], codes[rows:]


def _parts(side: _Side, size: int) -> list[Index]:
    """Records in parts of at most a size, each alike; frequent patterns of missing cells apart."""
    pattern = np.zeros(side.records, dtype=np.intp)
    for missing in side.missing:
        if missing.any():
            pattern = np.unique(2 * pattern + missing, return_inverse=True)[1]
    counts = np.bincount(pattern)
    kept = np.flatnonzero(4 * counts >= size)
    # Rare patterns go together: a part for each would be as many parts as records.
    place = np.full(len(counts), len(kept))
    place[kept] = np.arange(len(kept))
    order = np.argsort(place[pattern], kind="stable")
    ends = np.cumsum(np.bincount(place[pattern]))
    groups = np.split(order, ends[:-1])
    return [part for group in groups if len(group) for part in _halved(side, group, size)]


def _halved(side: _Side, records: Index, size: int) -> list[Index]:
    """Records cut in two, and halves again, along the attribute that keeps them farthest apart."""
    if len(records) <= size:
        return [records]
    its = side.take(records)
    spreads = [*map(_number_spread, its.numbers.T), *map(_category_spread, its.codes)]
    column = its.columns[int(np.argmax(spreads))]
    order = np.argsort(column, kind="stable")
    cut = _cut(column[order])
    return [
        part for half in (order[:cut], order[cut:]) for part in _halved(side, records[half], size)
    ]


def _cut(ordered: NDArray[Any]) -> int:
    """Near the middle, and between two values if some are not too far from it."""
    middle = len(ordered) // 2
    steps = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if len(steps):
        nearest = int(steps[np.argmin(np.abs(steps - middle))])
        if 2 * abs(nearest - middle) <= middle:
            return nearest
    return middle


def _number_spread(numbers: Floats) -> float:
    """About the mean distance of two records in a number."""
    known = numbers[~np.isnan(numbers)]
    return float(_MEAN_DIFFERENCE * known.std()) if known.size else 0.0


def _category_spread(codes: Codes) -> float:
    """The same in a category."""
    counts = np.unique(codes[codes >= 0], return_counts=True)[1]
    return float(1.0 - ((counts / counts.sum()) ** 2).sum()) if counts.size else 0.0


@dataclass(frozen=True, eq=False)
class _Corners:
    """What all records of a part have in common: from where to where, and which levels."""

    lows: Floats
    """Parts × numbers; minus infinity where a cell of the part is missing."""
    highs: Floats
    absent: tuple[Flags, ...]
    """For each category, bins of levels × parts: no record of the part has such a level."""
    levels: tuple[int, ...]

    @staticmethod
    def of(side: _Side, parts: Sequence[Index], levels: Sequence[int]) -> _Corners:
        numbers = [side.numbers[part] for part in parts]
        lows = np.array([np.nan_to_num(its, nan=-np.inf).min(axis=0) for its in numbers])
        highs = np.array([np.nan_to_num(its, nan=np.inf).max(axis=0) for its in numbers])
        gone = np.array([np.isnan(its).any(axis=0) for its in numbers])
        lows[gone], highs[gone] = -np.inf, np.inf
        absent = []
        for codes, count in zip(side.codes, levels, strict=True):
            bins = np.ones((min(count, _BINS), len(parts)), dtype=np.bool_)
            for place, part in enumerate(parts):
                its = codes[part]
                bins[_bins(its[its >= 0], count), place] = False
                if (its < 0).any():
                    bins[:, place] = False
            absent.append(bins)
        return _Corners(lows, highs, tuple(absent), tuple(levels))

    def floors(self, block: _Side) -> Floats:
        """Queries × parts: a sum over attributes that no record of the part comes below."""
        total = np.zeros((block.records, len(self.lows)))
        for x, low, high in zip(block.numbers.T, self.lows.T, self.highs.T, strict=True):
            known = np.flatnonzero(~np.isnan(x))
            beyond = np.maximum(low - x[known, None], x[known, None] - high)
            total[known] += np.maximum(beyond, 0.0)
        for codes, absent, count in zip(block.codes, self.absent, self.levels, strict=True):
            known = np.flatnonzero(codes >= 0)
            total[known] += absent[_bins(codes[known], count)]
        return total


def _bins(codes: Codes, levels: int) -> Index:
    """The levels themselves, or ranges of them where there are many."""
    places = codes.astype(np.intp)
    return places if levels <= _BINS else places * _BINS // levels


@dataclass(frozen=True, eq=False)
class _Search:
    """Queries in blocks, references in parts, and what bounds the distance between them."""

    queries: _Side
    references: _Side
    blocks: list[Index]
    places: list[Index]
    """The references of each part."""
    parts: list[_Side]
    corners: _Corners

    @staticmethod
    def of(attributes: Sequence[Attribute], block: int) -> _Search:
        queries, references = _sides(attributes)
        pairs = zip(queries.codes, references.codes, strict=True)
        levels = [max(int(a.max()), int(b.max()), 0) + 1 for a, b in pairs]
        places = _parts(references, BLOCK)
        return _Search(
            queries,
            references,
            _parts(queries, block),
            places,
            [references.take(place) for place in places],
            _Corners.of(references, places, levels),
        )

    @property
    def attributes(self) -> int:
        return int(self.queries.numbers.shape[1]) + len(self.queries.codes)

    def minima(self, block: _Side, neighbours: int) -> tuple[Floats, Floats]:
        """For each query the sum for its j-th nearest reference, and queries × parts: the least.

        A part that was passed by for a query has infinity there.
        """
        floors = self.corners.floors(block)
        nearest = np.full((block.records, neighbours), np.inf)
        minima = np.full(floors.shape, np.inf)
        farthest = nearest.max(axis=1)
        for part in np.argsort(floors.mean(axis=0), kind="stable"):
            limit = farthest * (1.0 + _ROUNDING) + SAME * self.attributes
            rows = np.flatnonzero(floors[:, part] <= limit)
            if not len(rows):
                continue
            sums = _sums(_some(block, rows), self.parts[part])
            minima[rows, part] = least = sums.min(axis=1)
            better = np.flatnonzero(least < farthest[rows])
            if len(better):
                rows = rows[better]
                nearest[rows] = _smallest(nearest[rows], sums[better])
                farthest[rows] = nearest[rows].max(axis=1)
        return farthest, minima

    def pairs(self, rows: Index) -> Iterator[Near]:
        """The nearest references of a block of queries, in lists that are not too long."""
        block = self.queries.take(rows)
        best, minima = self.minima(block, 1)
        limit = best + SAME * self.attributes
        holds = minima <= limit[:, None]
        sizes = np.array([len(place) for place in self.places])
        for start, stop in pairwise(_pieces(holds @ sizes, MOST_PAIRS)):
            some = np.arange(start, stop)
            yield self._ties(rows[some], _some(block, some), limit[some], holds[some])

    def _ties(self, rows: Index, block: _Side, limit: Floats, holds: Flags) -> Near:
        """All pairs within a limit, looked for in the parts that hold some."""
        found: list[tuple[Index, Index, Floats]] = []
        for part in np.flatnonzero(holds.any(axis=0)):
            some = np.flatnonzero(holds[:, part])
            sums = _sums(_some(block, some), self.parts[part])
            row, column = np.nonzero(sums <= limit[some, None])
            found.append((some[row], self.places[part][column], sums[row, column] * 1.0))
        row, reference, sums = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(row, kind="stable")
        return Near(rows[row[order]], reference[order], sums[order] / self.attributes)


def _pieces(sizes: Index, most: int) -> list[int]:
    """Where to cut rows so that sizes in each piece add up to a limit at most, or it is one row.

    >>> _pieces(np.array([2, 2, 9, 1, 1]), 5)
    [0, 2, 3, 5]
    """
    cuts, total = [0], 0
    for place, size in enumerate(sizes.tolist()):
        if total and total + size > most:
            cuts.append(place)
            total = 0
        total += size
    return [*cuts, len(sizes)]


def _some(block: _Side, rows: Index) -> _Side:
    """Some queries of a block: where the block has no missing cell, they have none."""
    if len(rows) == block.records:
        return block
    some = block.take(rows)
    some.__dict__["gaps"], some.__dict__["void"] = block.gaps, block.void
    return some


def _smallest(held: Floats, seen: NDArray[Any]) -> Floats:
    """The smallest of each row, as many as are held."""
    neighbours = held.shape[1]
    if neighbours == 1:
        return np.asarray(np.minimum(held, seen.min(axis=1, keepdims=True)))
    both = np.concatenate([held, seen], axis=1)
    return np.asarray(np.partition(both, neighbours - 1, axis=1)[:, :neighbours])


def _sums(block: _Side, part: _Side) -> NDArray[Any]:
    """Distances of all queries of a block from all references of a part, summed over attributes.

    Categories alone are counted in small whole numbers.
    """
    mismatches = _mismatches(block, part)
    if not block.numbers.shape[1]:
        return mismatches
    total = _differences(block, part)
    if block.codes:
        total += mismatches
    return total


def _mismatches(block: _Side, part: _Side) -> NDArray[Any]:
    """In how many categories that both know two records differ."""
    shape, numbers = (block.records, part.records), block.numbers.shape[1]
    total = np.zeros(shape, dtype=np.min_scalar_type(len(block.codes)))
    for i, (x, z) in enumerate(zip(block.codes, part.codes, strict=True), start=numbers):
        if block.void[i] or part.void[i]:
            continue
        differ = x[:, None] != z[None, :]
        if block.gaps[i]:
            differ &= (x >= 0)[:, None]
        if part.gaps[i]:
            differ &= (z >= 0)[None, :]
        total += differ.view(np.uint8)
    return total


def _differences(block: _Side, part: _Side) -> Floats:
    """How far two records are apart in the numbers that both know."""
    numbers = block.numbers.shape[1]
    whole = ~(block.gaps | part.gaps)[:numbers]
    if whole.all():
        return np.asarray(cdist(block.numbers, part.numbers, "cityblock"))
    if whole.any():
        total = cdist(block.numbers[:, whole], part.numbers[:, whole], "cityblock")
    else:
        total = np.zeros((block.records, part.records))
    for i in np.flatnonzero(~whole & ~(block.void | part.void)[:numbers]):
        gap = np.abs(block.numbers[:, i, None] - part.numbers[None, :, i])
        total += np.where(np.isnan(gap), 0.0, gap)
    return np.asarray(total)
