"""What an intruder learns of a target from the records that match a person's keys.

Where all matches show one value, the intruder believes it. What that is worth is how often it is
right beyond how often that value is right of anyone, less what a file without any relation of keys
and target would give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.matches import Matches
from microgauge.measures.risk.compatible import Layer
from microgauge.records import dataclass
from microgauge.values.levels import sums_by
from microgauge.values.packing import distinct

DRAWS = 2_000
"""Sets of records drawn for each number of matches, for what chance gives of a number."""
NEGLIGIBLE = 1e-9
"""A chance below which all of many matches show one value is none."""
SLACK = 1.0 + 1e-9
"""Numbers exactly an interval apart are within it, however they round."""
AT_A_TIME = 1 << 16
"""Profiles looked at together: what is worked out of them stays in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Cells:
    """How many records have each profile of keys with each value of the target."""

    starts: Index
    """Where the cells of each profile begin. Every profile has some."""
    values: Index
    """The level of the target; its size where missing. The type can hold one more."""
    rows: Counts
    people: Counts
    """Records with each profile."""
    size: int
    """Levels of the target, the missing one not counted."""

    @staticmethod
    def of(profiles: Index, values: Index, rows: Counts, size: int) -> Cells:
        """From the profile of each cell, in rising order."""
        new = np.ones(len(profiles), dtype=np.bool_)
        np.not_equal(profiles[1:], profiles[:-1], out=new[1:])
        starts = np.flatnonzero(new)
        return Cells(starts, values, rows, np.add.reduceat(rows, starts), size)

    @property
    def number(self) -> int:
        """Profiles there are."""
        return len(self.starts)

    @cached_property
    def _lengths(self) -> Index:
        """How many cells each profile has."""
        return np.diff(self.starts, append=len(self.values))

    @cached_property
    def profiles(self) -> Index:
        """The profile of each cell, in rising order."""
        return np.repeat(np.arange(self.number), self._lengths)

    def parts(self) -> Iterator[tuple[slice, Cells]]:
        """Some profiles at a time, and which."""
        for first in range(0, self.number, AT_A_TIME):
            some = slice(first, min(first + AT_A_TIME, self.number))
            low = self.starts[first]
            high = self.starts[some.stop] if some.stop < self.number else len(self.values)
            yield (
                some,
                Cells(
                    self.starts[some] - low,
                    self.values[low:high],
                    self.rows[low:high],
                    self.people[some],
                    self.size,
                ),
            )

    @cached_property
    def known(self) -> Counts:
        """Records with each profile whose target has a value."""
        here = self.values < self.size
        return self.people if here.all() else self.sums(np.where(here, self.rows, 0))

    def spread(self, figures: NDArray[Any]) -> NDArray[Any]:
        """Figures of profiles, given to each of their cells."""
        return np.repeat(figures, self._lengths)

    def sums(self, figures: NDArray[Any]) -> NDArray[Any]:
        """Figures of cells, added up for each profile."""
        return np.asarray(np.add.reduceat(figures, self.starts))

    @cached_property
    def counts(self) -> Counts:
        """Records with each value; last: with none."""
        found = np.zeros(self.size + 1, dtype=np.int64)
        for _, part in self.parts():
            found += np.bincount(part.values, part.rows, self.size + 1).astype(np.int64)
        return found

    @cached_property
    def shares(self) -> Floats:
        """The share of each value among the records that have one; `Undefined` where none has."""
        counts = self.counts[: self.size]
        if not counts.sum():
            raise Undefined(say("every value is missing"))
        return np.asarray(counts / counts.sum())

    def ends(self) -> tuple[Index, Index]:
        """The lowest and the highest level that records of each profile have."""
        low, high = (ufunc.reduceat(self.values, self.starts) for ufunc in (np.minimum, np.maximum))
        return low, high


@dataclass(frozen=True, eq=False)
class Target:
    """A variable an intruder wants to know: its levels, and what makes two values one."""

    name: str
    size: int
    numbers: Floats | None = None
    """The levels as numbers in rising order, where nearness counts; None for categories."""
    half: float = 0.0
    """Numbers within so much are the same."""

    def layers(self, shown: Cells) -> list[Layer]:
        """What is to be gathered of a person's matches."""
        low, high = shown.ends()
        found = [Layer(low, "min"), Layer(high, "max")]
        if self.numbers is not None:
            numbers = np.append(self.numbers, 0.0)[shown.values] * shown.rows
            found.append(Layer(np.bincount(shown.profiles, numbers, shown.number), "sum"))
        return found

    def believed(self, matches: Matches, place: int) -> Believed:
        """The only value among each profile's matches, from the layers that begin at a place."""
        low, high = (np.asarray(matches.layers[place + i]) for i in (0, 1))
        some = (matches.records > 0) & (high < self.size) & matches.searched
        if self.numbers is None:
            only = some & (low == high)
            return Believed(only, np.where(only, low, 0), np.zeros(0))
        ends = np.append(self.numbers, 0.0)
        span = ends[np.where(some, high, 0)] - ends[np.where(some, low, 0)]
        only = some & (span <= 2.0 * self.half * SLACK)
        means = np.asarray(matches.layers[place + 2]) / np.maximum(matches.records, 1)
        # A sum of equal numbers, divided by how many they are, need not be that number.
        means = np.where(low == high, ends[np.where(some, low, 0)], means)
        return Believed(only, np.zeros(len(only), dtype=np.intp), np.where(only, means, 0.0))


@dataclass(frozen=True, eq=False)
class Believed:
    """Which profiles show one value of a target, and which."""

    only: Flags
    values: Index
    """The level, of a category."""
    means: Floats
    """The mean, of a number."""

    def of(self, some: slice) -> Believed:
        """The same of some profiles."""
        return Believed(self.only[some], self.values[some], self.means[some])


@dataclass(frozen=True, eq=False)
class Learned:
    """What the people with each profile lose, as sums over them; means over all are the figures."""

    gain: Floats
    null: Floats

    @property
    def worth(self) -> Floats:
        """gain - null, for each profile."""
        return self.gain - self.null


@dataclass(frozen=True, eq=False)
class Chance:
    """What a file without any relation of keys and target would give."""

    target: Target
    shown: Cells
    """The protected records."""
    seed: int
    _drawn: dict[int, Floats] = field(default_factory=dict)

    def of_each(self, people: Cells, matches: Matches) -> Floats:
        """For each profile, Σ over its people of what chance gives with as many matches.

        For categories Σ_v q_v^|M| ([t = v] - p_v), the expectation under random permutations of the
        target whatever the keys. For numbers the same expectation from sets of |M| records drawn
        with a seed: it hangs on their number only, so that neither row order nor labels matter.
        """
        counted = matches.records
        if not matches.searched.all():
            counted = np.where(matches.searched, counted, 0)
        keys, places, _ = distinct(counted[np.newaxis], int(counted.max(initial=0)) + 1)
        sizes = keys[0]
        if self.target.numbers is None:
            return self._categories(people, sizes, places)
        found = np.zeros(people.number)
        order = np.argsort(places[people.profiles], kind="stable")
        bounds = np.searchsorted(places[people.profiles][order], np.arange(len(sizes) + 1))
        for place, size in enumerate(sizes):
            cells = order[bounds[place] : bounds[place + 1]]
            if size and self._possible(int(size)):
                found += self._numbers(people, cells, int(size))
        return found

    def _categories(self, people: Cells, sizes: Counts, places: Index) -> Floats:
        q = self.shown.counts[: self.target.size] / max(self.shown.counts.sum(), 1)
        powers = _powers(q, sizes, people)
        expected = np.array([(q**size * people.shares).sum() if size else 0.0 for size in sizes])
        found = np.empty(people.number)
        for some, part in people.parts():
            own = powers(part, places[some]) * part.rows
            found[some] = part.sums(own) - part.known * expected[places[some]]
        return found

    @cached_property
    def _values(self) -> tuple[Floats, Floats]:
        """The protected numbers in rising order, and how many records have at most each."""
        assert self.target.numbers is not None
        return self.target.numbers, np.cumsum(self.shown.counts[: self.target.size]).astype(float)

    @cached_property
    def _fullest(self) -> float:
        """The largest share of records within any span that counts as one value."""
        numbers, below = self._values
        last = np.searchsorted(numbers, numbers + 2.0 * self.target.half * SLACK, side="right") - 1
        inside = below[last] - np.append(0.0, below[:-1])
        return float(inside.max(initial=0.0) / max(self.shown.counts.sum(), 1))

    def _possible(self, size: int) -> bool:
        share = self._fullest
        return share > 0 and np.log(size) + (size - 1) * np.log(share) > np.log(NEGLIGIBLE)

    def _means(self, size: int) -> Floats:
        """The means of drawn sets of so many records that show one value."""
        if size not in self._drawn:
            numbers, below = self._values
            total = float(self.shown.counts.sum())
            chance = np.random.default_rng([self.seed, size])
            found = []
            for rows in _parts(DRAWS, size):
                drawn = chance.random((rows, size)) * total
                known = (drawn < below[-1]).all(axis=1) if len(below) else np.zeros(rows, bool)
                values = numbers[np.searchsorted(below, drawn[known], side="right")]
                span = values.max(axis=1) - values.min(axis=1)
                found.append(values[span <= 2.0 * self.target.half * SLACK].mean(axis=1))
            self._drawn[size] = np.concatenate(found)
        return self._drawn[size]

    def _numbers(self, people: Cells, cells: Index, size: int) -> Floats:
        """What chance gives the people with so many matches."""
        assert self.target.numbers is not None
        means = np.sort(self._means(size))
        cells = cells[people.values[cells] < self.target.size]
        half = self.target.half * SLACK
        own = self.target.numbers[people.values[cells]]
        hits = np.searchsorted(means, own + half, "right") - np.searchsorted(means, own - half)
        base = shares_within(self.target, people, means).sum()
        each = (hits - base) / DRAWS * people.rows[cells]
        return np.bincount(people.profiles[cells], each, people.number).astype(np.float64)


def _powers(shares: Floats, sizes: Counts, people: Cells) -> Callable[[Cells, Index], NDArray[Any]]:
    """What gives for each cell the share of its value to the power of its number of matches.

    0 where there is no match or no value. It is given some of the people, and which of the sizes
    each of their profiles has.
    """
    # The share of a value that is missing is of no account: it is left out here.
    whole = np.append(shares, 0.0)
    if len(whole) * len(sizes) > len(people.values):

        def powers(part: Cells, places: Index) -> NDArray[Any]:
            matches = part.spread(sizes[places])
            return np.where(matches > 0, whole[part.values] ** matches, 0.0)

        return powers
    # Each pair of a share and a size is worked out once.
    table = whole[np.newaxis] ** sizes[:, np.newaxis]
    table[sizes == 0] = 0.0
    return lambda part, places: table.take(part.spread(places * len(whole)) + part.values)


def _parts(draws: int, size: int, most: int = 4_000_000) -> list[int]:
    """Draws in parts of bounded size."""
    each = max(most // size, 1)
    return [min(each, draws - start) for start in range(0, draws, each)]


def shares_within(target: Target, people: Cells, means: Floats) -> Floats:
    """The share of people whose number is as good as each of some means."""
    assert target.numbers is not None
    below = np.append(0.0, np.cumsum(people.shares))
    half = target.half * SLACK
    high = np.searchsorted(target.numbers, means + half, "right")
    return np.asarray(below[high] - below[np.searchsorted(target.numbers, means - half)])


def learned(
    target: Target, people: Cells, believed: Believed, matches: Matches, chance: Chance
) -> Learned:
    """What is learned of the people attacked: those of the original, or of a holdout.

    People whose own value is missing count 0.
    """
    gain = np.empty(people.number)
    for some, part in people.parts():
        gain[some] = _gain(target, people, part, believed.of(some))
    return Learned(gain=gain, null=chance.of_each(people, matches))


def _gain(target: Target, people: Cells, part: Cells, believed: Believed) -> Floats:
    """How often what is believed of some of the people is right, beyond how often of anyone."""
    if target.numbers is None:
        # No value is so high: nothing is claimed there.
        claimed = np.where(believed.only, believed.values, target.size + 1)
        hit = part.values == part.spread(claimed.astype(part.values.dtype))
        base = np.where(believed.only, people.shares[believed.values], 0.0)
    else:
        apart = np.abs(np.append(target.numbers, np.nan)[part.values] - part.spread(believed.means))
        hit = (apart <= target.half * SLACK) & part.spread(believed.only)
        base = np.where(believed.only, shares_within(target, people, believed.means), 0.0)
    counted = np.where(believed.only, part.known, 0)
    return np.asarray(part.sums(part.rows * hit) - counted * base)


def determined(keys: Index, sizes: Sequence[int], people: Cells) -> float:
    """The largest share of people whose target one key alone gives away.

    `keys` are profiles × keys. 1: for some key, all people with one value share the target. People
    who are alone with their value say nothing of that, and a key of which most are so gives nothing
    away: else a key whose values are all different would give away everything.
    """
    best = 0.0
    total = max(int(people.rows.sum()), 1)
    for place, size in enumerate(sizes):
        most, every = most_common(keys[:, place], size, people)
        several = every > 1
        if 2 * every[several].sum() >= total:
            best = max(best, float(most[several].sum() / every[several].sum()))
    return best


def most_common(key: Index, size: int, people: Cells) -> tuple[Floats, Floats]:
    """For each level of a key: people with its most frequent value of the target, and all of them.

    `key` has the level of each profile; the last is the missing one.
    """
    levels = key[people.profiles]
    pairs = levels * np.int64(people.size + 1) + people.values
    found, where, number = distinct(pairs[np.newaxis], (size + 1) * (people.size + 1))
    counts = np.bincount(where, people.rows, number)
    most = np.zeros(size + 1)
    np.maximum.at(most, found[0] // (people.size + 1), counts)
    return most, sums_by(levels, people.rows, size + 1)
