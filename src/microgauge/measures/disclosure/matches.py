"""Which protected records an intruder cannot tell from the person sought.

People are looked for by *profiles*, the combinations of key values that occur: all people with one
profile have the same matches, and so have all records with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.measures.disclosure.nearest import Attribute, nearest_pairs
from microgauge.values.packing import MOST, distinct, packed

DENSE = 32
"""Combinations for each profile up to which a table of all of them is quicker than sorting."""


@dataclass(frozen=True, eq=False)
class Layer:
    """A number for each protected profile, and how those of all matches become one."""

    values: NDArray[Any]
    how: Literal["sum", "min", "max"]

    @property
    def nothing(self) -> float:
        """The value of no match."""
        if self.how == "sum":
            return 0
        whole = np.issubdtype(self.values.dtype, np.integer)
        bound: float = np.iinfo(np.int64).max if whole else np.inf
        return bound if self.how == "min" else -bound

    def empty(self, size: int) -> NDArray[Any]:
        """So many values of no match."""
        return np.full(size, self.nothing, dtype=self.values.dtype)

    def folded(self, places: Index, size: int) -> NDArray[Any]:
        """The values that fall on each place as one."""
        found = self.empty(size)
        if self.how == "sum":
            sums = np.bincount(places, self.values, size)
            return sums.astype(self.values.dtype)
        (np.minimum if self.how == "min" else np.maximum).at(found, places, self.values)
        return found

    def joined(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        """Two values as one."""
        if self.how == "sum":
            return np.asarray(a + b)
        return np.asarray(np.minimum(a, b) if self.how == "min" else np.maximum(a, b))

    def taken(self, profiles: Index) -> Layer:
        """The layer of some profiles."""
        return replace(self, values=self.values[profiles])


def gathered(
    sought: Index, shown: Index, sizes: Sequence[int], layers: Sequence[Layer]
) -> list[NDArray[Any]]:
    """For each profile sought, the layers of all profiles shown that agree with it, as one each.

    Profiles × keys; the code of a missing value is the key's size, and it agrees with every value.
    Profiles are taken by the pattern of their missing keys, so that no pair is looked at by itself.

    >>> layer = Layer(np.array([2, 5, 7]), "sum")
    >>> gathered(np.array([[0, 1]]), np.array([[0, 1], [0, 2], [1, 1]]), [2, 2], [layer])
    [array([7])]
    """
    limits = np.asarray(sizes)
    found = [layer.empty(len(sought)) for layer in layers]
    theirs = _patterns(shown >= limits)
    for pattern, members in _patterns(sought >= limits):
        for other, others in theirs:
            keys = np.flatnonzero(~(pattern | other))
            parts = _looked_up(
                [np.zeros(len(members), dtype=np.intp), *sought[members][:, keys].T],
                [np.zeros(len(others), dtype=np.intp), *shown[others][:, keys].T],
                [1, *limits[keys].tolist()],
                [layer.taken(others) for layer in layers],
            )
            for place, (layer, part) in enumerate(zip(layers, parts, strict=True)):
                found[place][members] = layer.joined(found[place][members], part)
    return found


def _patterns(missing: Flags) -> list[tuple[Flags, Index]]:
    """The patterns of missing keys that occur, and the profiles that have each."""
    if not missing.any():
        return [(np.zeros(missing.shape[1], dtype=np.bool_), np.arange(len(missing)))]
    _, first, places = np.unique(
        np.packbits(missing, axis=1), axis=0, return_index=True, return_inverse=True
    )
    places = places.ravel()
    order = np.argsort(places, kind="stable")
    parts = np.split(order, np.searchsorted(places[order], np.arange(1, len(first))))
    return [(missing[i], part) for i, part in zip(first, parts, strict=True)]


def _looked_up(
    sought: Sequence[Index], shown: Sequence[Index], sizes: Sequence[int], layers: Sequence[Layer]
) -> list[NDArray[Any]]:
    """Layers of the shown profiles with exactly the levels of each one sought."""
    mine, theirs, size = _common_places(sought, shown, sizes)
    return [layer.folded(theirs, size)[mine] for layer in layers]


def _common_places(
    sought: Sequence[Index], shown: Sequence[Index], sizes: Sequence[int]
) -> tuple[Index, Index, int]:
    """Places that are equal where, and only where, all levels are."""
    rows = len(sought[0]) + len(shown[0])
    span = prod(int(size) for size in sizes)
    if span <= min(DENSE * rows, MOST):
        return packed(sought, sizes)[0], packed(shown, sizes)[0], span
    both = [np.concatenate([a, b]) for a, b in zip(sought, shown, strict=True)]
    _, places, size = distinct(packed(both, sizes), MOST)
    return places[: len(sought[0])], places[len(sought[0]) :], size


@dataclass(frozen=True, eq=False)
class Key:
    """How far apart the levels of a key are: the gap of numbers and orders, or same and other."""

    positions: Floats | None
    """A number for each level in units of the original's range; None: only same or other."""

    def attribute(self, sought: Index, shown: Index, size: int) -> Attribute:
        """The key as the search for nearest records sees it."""
        if self.positions is None:
            return Attribute(
                "category", np.where(sought < size, sought, -1), np.where(shown < size, shown, -1)
            )
        positions = np.append(self.positions, np.nan)
        return Attribute("number", positions[sought], positions[shown])


@dataclass(frozen=True, eq=False)
class Matches:
    """For each profile sought: how many protected records match, and what they show."""

    records: Counts
    """|M|: 0 where nothing matches."""
    first: Index
    """A profile among the matches: people who share it stand or fall together. -1 without one."""
    layers: tuple[NDArray[Any], ...]
    """What was gathered of the matches, in the order asked."""
    searched: Flags
    """Whether the profile was looked for: all are, but for a search that is cut short."""


def exact_matches(
    sought: Index, shown: Index, rows: Counts, sizes: Sequence[int], layers: Sequence[Layer]
) -> Matches:
    """The records that agree with a profile in every key, a missing one agreeing with all."""
    whole = [Layer(rows, "sum"), Layer(np.arange(len(shown)), "min"), *layers]
    records, first, *rest = gathered(sought, shown, sizes, whole)
    return Matches(
        records.astype(np.int64),
        np.where(records > 0, first, -1).astype(np.intp),
        tuple(rest),
        np.ones(len(sought), dtype=np.bool_),
    )


def nearest_matches(
    exact: Matches,
    sought: Index,
    shown: Index,
    rows: Counts,
    keys: Sequence[tuple[Key, int]],
    layers: Sequence[Layer],
    looked_for: Index,
    pairs_seen: list[tuple[Index, Index]] | None = None,
) -> Matches:
    """The records nearest to a profile: those that agree with it, else those least apart.

    `looked_for` are the profiles without a match that are searched for; `pairs_seen` is handed
    every pair of a profile and one of its nearest, for who asks whether a certain record is one.
    """
    whole = [Layer(rows, "sum"), Layer(np.arange(len(shown)), "min"), *layers]
    values = [part.copy() for part in (exact.records, exact.first.astype(np.int64), *exact.layers)]
    attributes = [
        key.attribute(sought[looked_for, place], shown[:, place], size)
        for place, (key, size) in enumerate(keys)
    ]
    if len(looked_for):
        for near in nearest_pairs(attributes):
            _take_in(values, whole, looked_for[near.queries], near.references)
            if pairs_seen is not None:
                pairs_seen.append((looked_for[near.queries], near.references))
    searched = exact.records > 0
    searched[looked_for] = True
    return Matches(values[0], values[1].astype(np.intp), tuple(values[2:]), searched)


def _take_in(
    values: Sequence[NDArray[Any]],
    layers: Sequence[Layer],
    queries: Index,
    references: Index,
) -> None:
    """Fold what the nearest records show; the pairs of one profile stand together."""
    starts = np.flatnonzero(np.append(True, queries[1:] != queries[:-1]))
    for value, layer in zip(values, layers, strict=True):
        parts = layer.values[references]
        ufunc = {"sum": np.add, "min": np.minimum, "max": np.maximum}[layer.how]
        value[queries[starts]] = ufunc.reduceat(parts, starts)
