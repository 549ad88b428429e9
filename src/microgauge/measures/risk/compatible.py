"""Records that agree where both have values: a missing key may be any value.

x = (34, f, ?) is compatible with (34, f, north) and (34, ?, ?), not with (34, m, ?). Two that are
compatible with a third need not be so with another: every class has neighbours of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.records import dataclass
from microgauge.values.levels import sums_by
from microgauge.values.packing import MOST, distinct, packed, unpacked, words_of

FEW_PAIRS = 1 << 18
"""Pairs of classes up to which each is looked at by itself."""
ROOM = 8
"""Up to so many possible combinations per class they are found in an array, beyond by search."""
MOST_CELLS = 1 << 25
"""Possible combinations up to which they are found in an array of all of them."""
BLOCK = 1 << 16
"""Classes whose neighbours' values are gathered at a time."""
HELD = 1 << 21
"""Cells that are held before they are handed on."""

Pattern = tuple[int, ...]
"""The keys that a class lacks, by place, rising."""


@dataclass(frozen=True, eq=False)
class Layer:
    """A figure of each class, and how those of several become one."""

    values: NDArray[Any]
    how: Literal["sum", "min", "max"]

    @property
    def ufunc(self) -> np.ufunc:
        """What makes two figures one."""
        return {"sum": np.add, "min": np.minimum, "max": np.maximum}[self.how]

    @property
    def nothing(self) -> float:
        """The figure of no class."""
        if self.how == "sum":
            return 0
        if not np.issubdtype(self.values.dtype, np.integer):
            return np.inf if self.how == "min" else -np.inf
        bounds = np.iinfo(self.values.dtype)
        return bounds.max if self.how == "min" else bounds.min

    def empty(self, size: int) -> NDArray[Any]:
        """So many figures of no class."""
        return np.full(size, self.nothing, dtype=self.values.dtype)

    def folded(self, places: Index, size: int) -> NDArray[Any]:
        """The values that fall on each place as one."""
        found = self.empty(size)
        if self.how == "sum":
            sums = np.bincount(places, self.values, size)
            return sums.astype(self.values.dtype)
        self.ufunc.at(found, places, self.values)
        return found

    def whole(self) -> NDArray[Any]:
        """All figures as one."""
        return self.folded(np.zeros(len(self.values), dtype=np.intp), 1)

    def joined(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        """Two values as one."""
        return np.asarray(self.ufunc(a, b))

    def taken(self, classes: Index) -> Layer:
        """The layer of some classes."""
        return replace(self, values=self.values[classes])


def compatible(levels: Index, others: Index, rows: Counts, sizes: Sequence[int]) -> Counts:
    """For each class, the records of other classes that agree with it where both have values.

    The first may be each of the three, the second only itself and the first:

    >>> levels = np.array([[2, 2], [0, 0], [1, 1]])  # 2 is the code of a missing value
    >>> compatible(levels, levels, np.array([1, 5, 7]), [2, 2])
    array([13,  6,  8])
    """
    if len(levels) * len(others) <= FEW_PAIRS:
        return np.asarray(agreeing(levels, others, sizes) @ rows.astype(np.int64))
    found = compatible_sums(levels, others, rows[np.newaxis].astype(np.float64), sizes)
    return np.asarray(found[0], dtype=np.int64)


def agreeing(levels: Index, others: Index, sizes: Sequence[int]) -> Flags:
    """Classes × others: whether they agree in all keys in which both have values."""
    found = np.ones((len(levels), len(others)), dtype=np.bool_)
    for mine, theirs, size in zip(levels.T, others.T, sizes, strict=True):
        found &= (mine[:, None] == theirs) | (mine[:, None] == size) | (theirs == size)
    return found


def compatible_pairs(levels: Index, others: Index, sizes: Sequence[int]) -> tuple[Index, Index]:
    """The places of all pairs, one of each side, that agree where both have values."""
    found = [np.zeros((2, 0), dtype=np.intp)]
    theirs = _patterns(others, sizes)
    for pattern, members in _patterns(levels, sizes):
        if len(members) * len(others) <= FEW_PAIRS:
            one, other = agreeing(levels[members], others, sizes).nonzero()
            found.append(np.stack([members[one], other]))
            continue
        for lacking, rows in theirs:
            kept = [j for j in range(len(sizes)) if j not in {*pattern, *lacking}]
            one, other = _equal_pairs(
                levels[members][:, kept], others[rows][:, kept], [sizes[j] for j in kept]
            )
            found.append(np.stack([members[one], rows[other]]))
    one, other = np.concatenate(found, axis=1)
    return one, other


def _equal_pairs(levels: Index, others: Index, sizes: Sequence[int]) -> tuple[Index, Index]:
    """Places of the pairs with exactly the same levels."""
    places = np.zeros(len(levels) + len(others), dtype=np.intp)
    if sizes:
        _, places, _ = distinct(packed(list(np.concatenate([levels, others]).T), sizes), MOST)
    mine, theirs = places[: len(levels)], places[len(levels) :]
    order = np.argsort(theirs, kind="stable")
    start, end = (np.searchsorted(theirs[order], mine, side) for side in ("left", "right"))
    one = np.repeat(np.arange(len(mine)), end - start)
    turn = np.arange(len(one)) - np.repeat(np.cumsum(end - start) - (end - start), end - start)
    return one, order[start[one] + turn]


def compatible_sums(levels: Index, others: Index, layers: Floats, sizes: Sequence[int]) -> Floats:
    """Layers × classes: what the other classes that are compatible with each class add up to.

    `layers` has some figures of the other classes (their records, their weights), a row for each.
    """
    found = compatible_layers(levels, others, [Layer(layer, "sum") for layer in layers], sizes)
    return np.stack(found) if found else np.empty((0, len(levels)))


def compatible_layers(
    levels: Index, others: Index, layers: Sequence[Layer], sizes: Sequence[int]
) -> list[NDArray[Any]]:
    """For each layer, the figures of the other classes that are compatible with each class, as one.

    >>> layer = Layer(np.array([2, 5, 7]), "max")
    >>> compatible_layers(np.array([[0, 1]]), np.array([[0, 1], [0, 2], [1, 1]]), [layer], [2, 2])
    [array([5])]

    Classes are taken by the keys that they lack. What a class lacks is summed out of the other
    table, once for all classes that lack the same; then a class is looked up under its own values,
    and under them with some replaced by "missing". No pair of classes is looked at by itself.
    """
    span = prod(size + 1 for size in sizes)
    if span <= min(ROOM * (len(levels) + len(others)), MOST_CELLS):
        return _by_array(levels, others, layers, sizes)
    found = [layer.empty(len(levels)) for layer in layers]
    wanted = dict(_patterns(levels, sizes))
    for pattern, table in _summed_out(_Table(others, tuple(sizes), tuple(layers)), list(wanted)):
        members = wanted[pattern]
        kept = [j for j in range(len(sizes)) if j not in pattern]
        columns = [levels[members, j] for j in kept]
        for part in table.parts:
            hits, parts = part.looked_up([columns[place] for place in part.places], members)
            for whole, layer, values in zip(found, layers, parts, strict=True):
                whole[hits] = layer.joined(whole[hits], values)
    return found


def _by_array(
    levels: Index, others: Index, layers: Sequence[Layer], sizes: Sequence[int]
) -> list[NDArray[Any]]:
    """The same with a cell for every possible combination, the missing level last of each key.

    Key by key, the figure of "missing" joins that of every value, and "missing" becomes that of
    all: after the last key each cell has what all classes compatible with it have.
    """
    shape = [size + 1 for size in sizes]
    mine, theirs = (packed(list(side.T), shape)[0] for side in (levels, others))
    lacking = [
        tuple(bool((side[:, j] >= size).any()) for side in (levels, others))
        for j, size in enumerate(sizes)
    ]
    found = []
    for layer in layers:
        cube = layer.folded(theirs, prod(shape)).reshape(shape)
        for axis, (here, there) in enumerate(lacking):
            lines = np.moveaxis(cube, axis, 0)
            whole = layer.ufunc.reduce(lines, axis=0, dtype=cube.dtype) if here else None
            if there:
                layer.ufunc(lines[:-1], lines[-1].copy(), out=lines[:-1])
            if whole is not None:
                lines[-1] = whole
        found.append(cube.reshape(-1)[mine])
    return found


@dataclass(frozen=True, eq=False)
class Cells:
    """How often each value occurs among the records that classes are compatible with."""

    classes: Index
    """The class of each cell, rising."""
    values: Index
    counts: Counts


def compatible_values(
    levels: Index, others: Index, rows: Counts, sizes: Sequence[int]
) -> Iterator[Cells]:
    """The values of a variable around each class: cells in blocks, every class in one of them.

    `others` has the variable as one more column, the last, with no missing value; `sizes` its
    number of values. Blocks keep what is held at a time small, as neighbourhoods overlap.

    >>> levels = np.array([[0], [1], [2]])  # two values and a missing one
    >>> others = np.array([[0, 0], [1, 1], [2, 1]])
    >>> [cells] = compatible_values(levels, others, np.array([4, 5, 1]), [2, 2])
    >>> list(zip(cells.classes.tolist(), cells.values.tolist(), cells.counts.tolist()))
    [(0, 0, 4), (0, 1, 1), (1, 1, 6), (2, 0, 4), (2, 1, 6)]
    """
    wanted = dict(_patterns(levels, sizes[:-1]))
    table = _Table(others, tuple(sizes), (Layer(rows.astype(np.float64), "sum"),))
    held: list[Cells] = []
    for pattern, summed in _summed_out(table, list(wanted)):
        for cells in _around(levels, wanted[pattern], pattern, summed):
            held.append(cells)
            if sum(len(part.counts) for part in held) > HELD:
                yield _joined(held)
                held = []
    if held:
        yield _joined(held)


def _around(levels: Index, members: Index, pattern: Pattern, table: _Table) -> Iterator[Cells]:
    """The cells of classes that lack the same keys, so many at a time as can be held."""
    kept = [j for j in range(levels.shape[1]) if j not in pattern]
    for start in range(0, len(members), BLOCK):
        block = members[start : start + BLOCK]
        columns = [levels[block, j] for j in kept]
        found = [p.ranges([columns[i] for i in p.places[:-1]], block) for p in table.parts]
        running = np.cumsum(np.sum([lengths for _, _, lengths in found], axis=0))
        # Cut where a multiple of what can be held is passed.
        cuts = np.flatnonzero(np.diff(running // HELD, prepend=0)).tolist()
        for low, high in pairwise(sorted({0, *cuts, len(block)})):
            here = [(order, a[low:high], n[low:high]) for order, a, n in found]
            yield _cells(table, block[low:high], here)


def _cells(table: _Table, members: Index, ranges: Sequence[tuple[Index, Index, Index]]) -> Cells:
    """What members find in every part of the table, added up by value."""
    size = table.sizes[-1]
    keys, counts = [], []
    for part, (order, starts, lengths) in zip(table.parts, ranges, strict=True):
        first = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        rows = order[np.arange(len(first)) + first]
        keys.append(np.repeat(np.arange(len(members)), lengths) * size + part.levels[rows, -1])
        counts.append(part.layers[0].values[rows])
    span = len(members) * size
    found, places, count = distinct(np.concatenate(keys)[np.newaxis], span)
    sums = sums_by(places, np.concatenate(counts), count).astype(np.int64)
    return Cells(members[found[0] // size], found[0] % size, sums)


def _joined(parts: Sequence[Cells]) -> Cells:
    """Cells of several sets of classes, by class, then value."""
    classes, values, counts = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("classes", "values", "counts")
    )
    order = np.argsort(classes, kind="stable")
    return Cells(classes[order], values[order], counts[order])


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of a table that have values in the same keys, and in no other."""

    places: Index
    """The keys, by their place in the table."""
    levels: Index
    sizes: list[int]
    layers: tuple[Layer, ...]

    def looked_up(
        self, columns: Sequence[Index], members: Index
    ) -> tuple[Index, list[NDArray[Any]]]:
        """The members whose values the part has, and for each layer what it has there."""
        if not self.sizes:
            return members, [np.repeat(layer.whole(), len(members)) for layer in self.layers]
        mine, theirs, span = _numbered(self.levels, columns, self.sizes)
        rows, layers = np.arange(len(mine)), self.layers
        if span <= ROOM * (len(mine) + len(theirs)):
            # Where a row's combination stands; the last row with it, where there are several.
            place: Index = np.full(span, -1, dtype=np.int32)
            place[mine] = rows
            row = place[theirs]
            hits = np.flatnonzero(row >= 0)
            row, own = row[hits], place[mine]
        else:
            keys, own, size = distinct(mine[np.newaxis], MOST)
            near = np.minimum(np.searchsorted(keys[0], theirs), size - 1)
            hits = np.flatnonzero(keys[0][near] == theirs)
            row = near[hits]
        if not np.array_equal(own, rows):
            layers = tuple(replace(x, values=x.folded(own, len(mine))) for x in self.layers)
        return members[hits], [layer.values[row] for layer in layers]

    def ranges(self, columns: Sequence[Index], members: Index) -> tuple[Index, Index, Index]:
        """Where members find their rows: an order of these, and each one's first and how many.

        The last key is not looked at: its levels are what is found.
        """
        sizes = self.sizes[:-1]
        if not sizes:
            everything = np.full(len(members), len(self.levels))
            return np.arange(len(self.levels)), np.zeros(len(members), np.intp), everything
        if len(words_of(sizes)) == 1:
            (order, ranked), theirs = self._ranked, packed(columns, sizes)[0]
        else:
            mine, theirs, _ = _numbered(self.levels[:, :-1], columns, sizes)
            order = np.argsort(mine, kind="stable")
            ranked = mine[order]
        starts = np.searchsorted(ranked, theirs, side="left")
        return order, starts, np.searchsorted(ranked, theirs, side="right") - starts

    @cached_property
    def _ranked(self) -> tuple[Index, Counts]:
        keys = packed(list(self.levels[:, :-1].T), self.sizes[:-1])[0]
        order = np.argsort(keys, kind="stable")
        return order, keys[order]


def _numbered(
    levels: Index, columns: Sequence[Index], sizes: Sequence[int]
) -> tuple[Counts, Counts, int]:
    """Combinations of both as whole numbers, equal where all levels are, and their span."""
    own = list(levels.T)
    if len(words_of(sizes)) == 1:
        return packed(own, sizes)[0], packed(columns, sizes)[0], prod(sizes)
    both = [np.concatenate(pair) for pair in zip(own, columns, strict=True)]
    _, keys, span = distinct(packed(both, sizes), MOST)
    return keys[: len(levels)], keys[len(levels) :], span


@dataclass(frozen=True, eq=False)
class _Table:
    """Classes over some keys, a missing value among the levels, with the figures of each."""

    levels: Index
    sizes: tuple[int, ...]
    layers: tuple[Layer, ...]

    def without(self, place: int) -> _Table:
        """The same with one key summed out."""
        sizes = self.sizes[:place] + self.sizes[place + 1 :]
        if not sizes:
            wholes = tuple(replace(layer, values=layer.whole()) for layer in self.layers)
            return _Table(np.empty((1, 0), dtype=np.intp), (), wholes)
        full = [size + 1 for size in sizes]
        columns = [column for j, column in enumerate(self.levels.T) if j != place]
        keys, places, count = distinct(packed(columns, full), min(prod(full), MOST))
        folded = [replace(layer, values=layer.folded(places, count)) for layer in self.layers]
        return _Table(unpacked(keys, full), sizes, tuple(folded))

    @cached_property
    def parts(self) -> list[_Part]:
        """The rows by the keys in which they have values."""
        found = []
        for missing, rows in _patterns(self.levels, self.sizes):
            places = np.array([j for j in range(len(self.sizes)) if j not in missing], np.intp)
            held = self.levels[np.ix_(rows, places)]
            sizes = [self.sizes[j] for j in places]
            found.append(_Part(places, held, sizes, tuple(x.taken(rows) for x in self.layers)))
        return found


def _summed_out(table: _Table, patterns: Sequence[Pattern]) -> Iterator[tuple[Pattern, _Table]]:
    """For each pattern, the table with its keys summed out.

    Tables are made from one another, key by key, and no more than one for each key is held.
    """
    yield from _further(table, (), patterns)


def _further(
    table: _Table, pattern: Pattern, wanted: Sequence[Pattern]
) -> Iterator[tuple[Pattern, _Table]]:
    depth = len(pattern)
    if pattern in wanted:
        yield pattern, table
    longer = [other for other in wanted if len(other) > depth]
    for key in sorted({other[depth] for other in longer}):
        below = [other for other in longer if other[depth] == key]
        yield from _further(table.without(key - depth), (*pattern, key), below)


def _patterns(levels: Index, sizes: Sequence[int]) -> list[tuple[Pattern, Index]]:
    """The patterns of missing keys that occur, and the classes that have each."""
    missing: list[Flags] = [column >= size for column, size in zip(levels.T, sizes, strict=True)]
    keys = [j for j, flags in enumerate(missing) if flags.any()]
    if not keys:
        return [((), np.arange(len(levels)))]
    twos = [2] * len(keys)
    words = packed([missing[j].astype(np.intp) for j in keys], twos)
    found, places, count = distinct(words, min(prod(twos), MOST))
    order = np.argsort(places, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(places, minlength=count))[:-1])
    patterns = unpacked(found, twos)
    return [
        (tuple(keys[i] for i in np.flatnonzero(pattern).tolist()), rows)
        for pattern, rows in zip(patterns, members, strict=True)
    ]
