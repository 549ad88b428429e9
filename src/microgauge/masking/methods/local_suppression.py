"""Local suppression: key values made missing in as few records as it takes to reach k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import hint
from microgauge.languages.messages import say
from microgauge.masking.any_match import suppressed_to_match
from microgauge.masking.checks import whole_up_to
from microgauge.masking.step import Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema.checks import choice, number
from microgauge.values.packing import MOST, distinct, packed

MOST_KEYS = 12
"""Keys whose subsets are all tried."""


def locally_suppressed(levels: Index, sizes: Sequence[int], k: int, importance: Floats) -> Index:
    """Levels (records × keys) in which every combination, missing as a value, occurs k times.

    `sizes` are the numbers of levels, which also stand for a missing cell. Records in smaller
    classes lose the cheapest set of keys, by importance, that puts them into a class of k; those
    that no set helps lose all keys, with as many others of the largest classes as it takes.
    """
    found = levels.copy()
    pending = _counts(found, sizes) < k
    for keys in _subsets(importance):
        if not pending.any():
            return found
        trial = found.copy()
        for key in keys:
            trial[pending, key] = sizes[key]
        # Classes may be filled up by records that lost the same keys before.
        counts = _counts(trial, sizes)
        helped = pending & (counts >= k)
        found[helped] = trial[helped]
        pending &= ~helped
    return _emptied(found, sizes, k, pending)


def _subsets(importance: Floats) -> list[tuple[int, ...]]:
    """Sets of keys, the cheapest first; all keys at once comes last."""
    keys = range(len(importance))
    sets = [s for size in range(1, len(importance)) for s in combinations(keys, size)]
    return sorted(sets, key=lambda s: (float(importance[list(s)].sum()), len(s), s))


def _counts(levels: Index, sizes: Sequence[int]) -> Index:
    """For each record, the records with the same levels."""
    _, places, count = distinct(packed(list(levels.T), [size + 1 for size in sizes]), MOST)
    return np.bincount(places, minlength=count)[places]


def _emptied(levels: Index, sizes: Sequence[int], k: int, pending: np.ndarray) -> Index:
    """Records that nothing else helps, without any key; and others until they are k."""
    if not pending.any():
        return levels
    found = levels.copy()
    found[pending] = sizes
    while True:
        counts = _counts(found, sizes)
        empty = (found == np.asarray(sizes)).all(axis=1)
        short = k - int(empty.sum())
        if short <= 0:
            return found
        others = np.flatnonzero(~empty)
        if not len(others):
            return found
        largest = counts[others].max()
        mates = others[counts[others] == largest]
        same = mates[(found[mates] == found[mates[0]]).all(axis=1)]
        # A class gives what it can spare, or itself.
        spare = same[: min(short, largest - k)] if largest > k else same
        found[spare] = sizes


@dataclass(frozen=True, kw_only=True)
class LocalSuppression(Step):
    """Make key values missing until every record matches k, itself included."""

    method: ClassVar[str] = "local_suppression"

    k: int = 3
    """Records that every combination must occur in, at least."""
    importance: Mapping[str, float] = field(
        default_factory=dict, metadata={"lines": say("A line for each variable: age = 3")}
    )
    """What losing a value of a variable costs, 1 unless given."""
    missing: Literal["any", "value"] = field(
        default="any",
        metadata={
            "meanings": {
                "any": say("it matches every value"),
                "value": say("it is a value of its own, which matches itself"),
            }
        },
    )
    """What a missing key is where records are compared."""

    def own_faults(self, look: Look) -> list[str]:
        """k up to the records; importance of the variables."""
        found = whole_up_to("k", self.k, 2, look.rows)
        if len(self.variables) > MOST_KEYS:
            found.append(say("takes at most {most_keys} variables.", most_keys=MOST_KEYS))
        found += [
            say(
                'importance names "{name}", which is not among the variables.{hint}',
                name=name,
                hint=hint(name, self.variables),
            )
            for name in self.importance
            if name not in self.variables
        ]
        for name, value in self.importance.items():
            found += number(say("importance of {name}", name=name), value, above=0, optional=False)
        return found + choice("missing", self.missing, ("any", "value"))

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """With as few missing cells as the search finds."""
        coded = [data.codes(name) for name in self.variables]
        levels = np.stack([codes for codes, _ in coded], axis=1)
        sizes = [len(values) for _, values in coded]
        weights = np.array([float(self.importance.get(n, 1.0)) for n in self.variables])
        way = suppressed_to_match if self.missing == "any" else locally_suppressed
        found = way(levels, sizes, self.k, weights)
        for place, name in enumerate(self.variables):
            data = data.with_codes(name, found[:, place], coded[place][1])
        return data
