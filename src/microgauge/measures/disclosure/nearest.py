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
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Codes, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass

SAME = 1e-9
"""Distances that differ by no more are one."""
BLOCK = 512
"""Queries, and references, compared at a time: their distances stay in the processor's cache."""
MOST_PAIRS = 4_000_000
"""Pairs handed out at a time, unless a single query has more."""
FARTHEST = 1e100
"""Numbers are cut here: distances stay finite."""
_BINS = 512
"""Levels of a category that a part remembers; where there are more, ranges of them."""
_TELLING = 512
"""Records that tell in which attribute a part differs most."""
_ROUNDING = 1e-12
"""How much of a distance may be rounding where a part is passed by."""


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
    """The reference of each pair: no other (or fewer than j) is nearer by more than 1e-9."""
    distances: Floats
    """Of each pair."""


def nearest_pairs(
    attributes: Sequence[Attribute], *, neighbours: int = 1, block: int = BLOCK
) -> Iterator[Near]:
    """The references nearest to each query, with all that tie, for one block of queries at a time.

    Of several neighbours, all no farther than the j-th nearest. Every query has at least as many
    pairs. The pairs are the same in whatever order the records are.

    >>> ages = Attribute("number", np.array([0.2, 0.5]), np.array([0.1, 0.3, 0.9]))
    >>> [near] = nearest_pairs([ages])
    >>> sorted(zip(near.queries.tolist(), near.references.tolist()))
    [(0, 0), (0, 1), (1, 1)]
    """
    search = _Search.of(attributes, block, neighbours)
    return (near for rows in search.blocks for near in search.pairs(rows))


def nearest_distances(attributes: Sequence[Attribute], *, neighbours: int = 1) -> Floats:
    """The distance from each query to its j-th nearest reference, each record counted once.

    >>> ages = Attribute("number", np.array([0.25, 0.5]), np.array([0.0, 0.5, 1.0]))
    >>> nearest_distances([ages]), nearest_distances([ages], neighbours=2)
    (array([0.25, 0.  ]), array([0.25, 0.5 ]))
    """
    search = _Search.of(attributes, BLOCK, neighbours)
    found = np.empty(search.queries.records)
    for rows in search.blocks:
        found[rows] = search.minima(search.queries.part(rows))[0]
    return found / len(attributes)


@dataclass(frozen=True, eq=False)
class _Side:
    """Records of one table: a row of numbers for each, and an array for each category."""

    numbers: Floats
    codes: tuple[Codes, ...]
    gaps: Flags
    """Whether some cell of an attribute may be missing, numbers first."""
    void: Flags
    """Whether all cells of an attribute are missing."""

    @staticmethod
    def of(numbers: Floats, codes: tuple[Codes, ...]) -> _Side:
        missing = _missing(numbers, codes)
        gaps, void = (np.asarray(some(missing, axis=1)) for some in (np.any, np.all))
        return _Side(numbers, codes, gaps, void)

    @property
    def records(self) -> int:
        return int(self.numbers.shape[0])

    def take(self, records: Index) -> _Side:
        """Some of the records: where all have no missing cell, they have none."""
        if len(records) == self.records:
            return self
        codes = tuple(each[records] for each in self.codes)
        return _Side(self.numbers[records], codes, self.gaps, self.void)

    def part(self, records: Index) -> _Side:
        """The same, looked through for missing cells."""
        return _Side.of(self.numbers[records], tuple(each[records] for each in self.codes))

    def column(self, place: int) -> NDArray[Any]:
        """The cells of an attribute, numbers first."""
        numbers = self.numbers.shape[1]
        return self.numbers[:, place] if place < numbers else self.codes[place - numbers]


def _missing(numbers: Floats, codes: Sequence[Codes]) -> Flags:
    """Attributes × records."""
    return np.vstack([np.isnan(numbers).T, *(each < 0 for each in codes)])


def _sides(attributes: Sequence[Attribute]) -> tuple[_Side, _Side]:
    """Queries and references, codes in as few bytes as hold them."""
    if not attributes:
        raise Undefined(say("no attribute to compare records by"))
    rows = {(len(each.queries), len(each.references)) for each in attributes}
    if len(rows) > 1:
        raise ValueError("all attributes speak of the same records")
    if not all(rows.pop()):
        raise Undefined(say("no record to compare"))
    codes = [_small(each) for each in attributes if each.kind == "category"]
    made = []
    for i, side in enumerate(("queries", "references")):
        cells = [getattr(each, side) for each in attributes if each.kind == "number"]
        numbers = np.empty((len(getattr(attributes[0], side)), len(cells)))
        for column, given in zip(numbers.T, cells, strict=True):
            column[:] = np.clip(given, -FARTHEST, FARTHEST)
        made.append(_Side.of(numbers, tuple(pair[i] for pair in codes)))
    return made[0], made[1]


def _small(attribute: Attribute) -> tuple[Codes, Codes]:
    """Codes in few bytes, which are compared several times faster; wide ones are numbered anew."""
    sides = attribute.queries, attribute.references
    most = max(int(side.max()) for side in sides)
    if most > _BINS:
        both = np.maximum(np.concatenate(sides), -1)
        levels, places = np.unique(both, return_inverse=True)
        places = places - (levels[0] < 0)
        sides, most = (places[: len(sides[0])], places[len(sides[0]) :]), int(places.max())
    kind = np.min_scalar_type(-1 - max(most, 0))
    return sides[0].astype(kind), sides[1].astype(kind)


def _parts(side: _Side, size: int) -> list[Index]:
    """Records in parts of at most a size, each alike; frequent patterns of missing cells apart."""
    if not side.gaps.any():
        return _halved(side, np.arange(side.records), size)
    pattern = np.zeros(side.records, dtype=np.intp)
    for missing in _missing(side.numbers, side.codes)[side.gaps]:
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
    column = side.column(int(np.argmax(_spreads(side, records))))[records]
    halves = (records[half] for half in _halves(column))
    return [part for half in halves for part in _halved(side, half, size)]


def _spreads(side: _Side, records: Index) -> Floats:
    """The mean distance in each attribute of pairs of records: some, half the table apart."""
    some = records[:: 1 + len(records) // _TELLING]
    some = some[: len(some) // 2 * 2]
    first, second = some[: len(some) // 2], some[len(some) // 2 :]
    gaps = np.fmax(np.abs(side.numbers[first] - side.numbers[second]), 0.0)
    differ = [np.count_nonzero(codes[first] != codes[second]) / len(first) for codes in side.codes]
    return np.concatenate([gaps.mean(axis=0), differ])


def _halves(column: NDArray[Any]) -> tuple[Index, Index]:
    """Places of lower and of upper values, cut between two values where that is near the middle.

    Equal values bound a part best where they are together.
    """
    middle = len(column) // 2
    value = np.partition(column, middle)[middle]
    for lower in (column < value, column <= value):
        if abs(int(np.count_nonzero(lower)) - middle) * 2 <= middle:
            return np.flatnonzero(lower), np.flatnonzero(~lower)
    order = np.argsort(column, kind="stable")
    return order[:middle], order[middle:]


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
    def of(side: _Side, starts: Index, levels: Sequence[int]) -> _Corners:
        """Of records that stand in the order of their parts, each of which starts at a place."""
        lows, highs = (
            least.reduceat(side.numbers, starts, axis=0) for least in (np.minimum, np.maximum)
        )
        gone = np.isnan(lows)
        lows[gone], highs[gone] = -np.inf, np.inf
        part = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, side.records)))
        absent = []
        for codes, count in zip(side.codes, levels, strict=True):
            bins = np.ones((min(count, _BINS), len(starts)), dtype=np.bool_)
            known = codes >= 0
            bins[_bins(codes[known], count), part[known]] = False
            bins[:, part[~known]] = False
            absent.append(bins)
        return _Corners(lows, highs, tuple(absent), tuple(levels))

    def floors(self, block: _Side) -> Floats:
        """Queries × parts: a sum over attributes that no record of the part comes below."""
        total = np.zeros((block.records, len(self.lows)))
        for x, low, high in zip(block.numbers.T, self.lows.T, self.highs.T, strict=True):
            beyond = np.maximum(low - x[:, None], x[:, None] - high)
            # A missing number is beyond nothing; fmax passes NaN by.
            total += np.fmax(beyond, 0.0)
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
    blocks: list[Index]
    references: _Side
    """In the order of their parts."""
    places: Index
    """Where each of them stood."""
    parts: list[_Side]
    starts: Index
    """The first reference of each part, and their number."""
    corners: _Corners
    neighbours: int

    @staticmethod
    def of(attributes: Sequence[Attribute], block: int, neighbours: int) -> _Search:
        if neighbours < 1:
            raise ValueError("neighbours is at least 1")
        queries, given = _sides(attributes)
        if given.records < neighbours:
            raise Undefined(
                say("fewer than {neighbours} records to look through", neighbours=neighbours)
            )
        pairs = zip(queries.codes, given.codes, strict=True)
        levels = [max(int(a.max()), int(b.max()), 0) + 1 for a, b in pairs]
        parts = _parts(given, BLOCK)
        places = np.concatenate(parts)
        references = given.part(places)
        starts = np.cumsum([0, *map(len, parts)])
        return _Search(
            queries,
            _parts(queries, block),
            references,
            places,
            _sliced(references, starts),
            starts,
            _Corners.of(references, starts[:-1], levels),
            neighbours,
        )

    @property
    def attributes(self) -> int:
        return int(self.queries.numbers.shape[1]) + len(self.queries.codes)

    def minima(self, block: _Side) -> tuple[Floats, Floats]:
        """For each query the sum for its j-th nearest reference, and queries × parts: the least.

        A part that was passed by for a query has infinity there.
        """
        floors = self.corners.floors(block)
        nearest = np.full((block.records, self.neighbours), np.inf)
        minima = np.full(floors.shape, np.inf)
        farthest = nearest.max(axis=1)
        for part in np.argsort(floors.mean(axis=0), kind="stable"):
            limit = farthest * (1.0 + _ROUNDING) + SAME * self.attributes
            rows = np.flatnonzero(floors[:, part] <= limit)
            if not len(rows):
                continue
            sums = _sums(block.take(rows), self.parts[part])
            minima[rows, part] = least = sums.min(axis=1)
            better = np.flatnonzero(least < farthest[rows])
            if len(better):
                rows = rows[better]
                nearest[rows] = _smallest(nearest[rows], sums[better])
                farthest[rows] = nearest[rows].max(axis=1)
        return farthest, minima

    def pairs(self, rows: Index) -> Iterator[Near]:
        """The nearest references of a block of queries, in lists that are not too long."""
        block = self.queries.part(rows)
        best, minima = self.minima(block)
        limit = best + SAME * self.attributes
        holds = minima <= limit[:, None]
        most = np.asarray(holds @ np.diff(self.starts), dtype=np.intp)
        for start, stop in pairwise(_pieces(most, MOST_PAIRS)):
            some = np.arange(start, stop)
            yield self._ties(rows[some], block.take(some), limit[some], holds[some])

    def _ties(self, rows: Index, block: _Side, limit: Floats, holds: Flags) -> Near:
        """All pairs within a limit, looked for in the parts that hold some."""
        found: list[tuple[Index, Index, Floats]] = []
        for part in np.flatnonzero(holds.any(axis=0)):
            some = np.flatnonzero(holds[:, part])
            sums = _sums(block.take(some), self.parts[part])
            row, column = np.nonzero(sums <= limit[some, None])
            places = self.places[self.starts[part] + column]
            found.append((some[row], places, sums[row, column].astype(np.float64)))
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


def _sliced(side: _Side, starts: Index) -> list[_Side]:
    """Parts that stand one after the other."""
    missing = _missing(side.numbers, side.codes)
    gaps = np.logical_or.reduceat(missing, starts[:-1], axis=1)
    void = np.logical_and.reduceat(missing, starts[:-1], axis=1)
    return [
        _Side(
            side.numbers[start:stop],
            tuple(each[start:stop] for each in side.codes),
            gaps[:, place],
            void[:, place],
        )
        for place, (start, stop) in enumerate(pairwise(starts))
    ]


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
    from scipy.spatial.distance import cdist  # takes long to load, and most runs need it not

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
