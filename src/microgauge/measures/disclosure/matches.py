"""Which protected records an intruder cannot tell from the person sought.

People are looked for by *profiles*, the combinations of key values that occur: all people with one
profile have the same matches, and so have all records with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.measures.disclosure.nearest import Attribute, nearest_pairs
from microgauge.measures.risk.compatible import Layer, compatible_layers
from microgauge.records import dataclass
from microgauge.values.packing import MOST, distinct, packed


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


def same_profiles(some: Index, among: Index, sizes: Sequence[int]) -> Index:
    """Where each profile stands among others; -1 where it does not.

    Profiles × keys on both sides; a missing value is equal to a missing one.
    """
    both = np.concatenate([among, some])
    _, places, size = distinct(packed(list(both.T), [s + 1 for s in sizes]), MOST)
    where = np.full(size, -1, dtype=np.intp)
    where[places[: len(among)]] = np.arange(len(among))
    return where[places[len(among) :]]


def agree(known: Index, shown: Index, sizes: Sequence[int]) -> Flags:
    """Row by row, whether what is known agrees with what is shown: equal, or missing on one side.

    >>> agree(np.array([[0, 1], [0, 1]]), np.array([[0, 2], [1, 1]]), [2, 2])
    array([ True, False])
    """
    limits = np.asarray(sizes)
    return np.asarray(((known == shown) | (known == limits) | (shown == limits)).all(axis=1))


def exact_matches(
    sought: Index, shown: Index, rows: Counts, sizes: Sequence[int], layers: Sequence[Layer]
) -> Matches:
    """The records that agree with a profile in every key, a missing one agreeing with all.

    Profiles differ from one another on either side.
    """
    everything = np.ones(len(sought), dtype=np.bool_)
    if _same_and_complete(sought, shown, sizes):
        found = tuple(layer.values for layer in layers)
        return Matches(rows, np.arange(len(shown)), found, everything)
    # In as few bytes as may be: there may be many more combinations than profiles.
    counts, places = (
        np.int32 if most < 1 << 31 else np.int64 for most in (int(rows.sum()), len(shown))
    )
    whole = [
        Layer(rows.astype(counts), "sum"),
        Layer(np.arange(len(shown), dtype=places), "min"),
        *layers,
    ]
    records, first, *rest = compatible_layers(sought, shown, whole, sizes)
    return Matches(
        records.astype(np.int64),
        np.where(records > 0, first, -1).astype(np.intp),
        tuple(rest),
        everything,
    )


def _same_and_complete(sought: Index, shown: Index, sizes: Sequence[int]) -> bool:
    """Whether every profile sought is the one shown in its place, and agrees with no other."""
    if not (sought is shown or np.array_equal(sought, shown)):
        return False
    return not any(
        bool((column >= size).any()) for column, size in zip(sought.T, sizes, strict=True)
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
    if not len(looked_for):
        return replace(exact, searched=exact.records > 0)
    whole = [Layer(rows, "sum"), Layer(np.arange(len(shown)), "min"), *layers]
    values = [part.copy() for part in (exact.records, exact.first.astype(np.int64), *exact.layers)]
    attributes = [
        key.attribute(sought[looked_for, place], shown[:, place], size)
        for place, (key, size) in enumerate(keys)
    ]
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
        value[queries[starts]] = layer.ufunc.reduceat(parts, starts)
