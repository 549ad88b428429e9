"""Variables in groups, for a propensity model whose rows do not bear every value.

Groups are made of the original's rows alone: its quantiles and frequencies. So they are the same
whatever the protected file is, and fixed where it is a resample of the original.
"""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.measures.joint.joint import Joint, JointVariable
from microgauge.records import dataclass

FEW_ROWS = 20
"""A category with fewer rows in the original is pooled with others of its kind."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """Which group each level of a variable is in; group 0, the largest, is the reference."""

    place: int
    groups: Index
    """Group of each level; last: that of a missing cell."""
    size: int

    def of(self, codes: Index) -> Index:
        """Groups of rows."""
        return np.asarray(self.groups[codes])


@dataclass(frozen=True, eq=False)
class Extension:
    """Joint rows with variables in groups below the variables themselves."""

    groupings: tuple[Grouping, ...]

    def of(self, joint: Joint) -> Joint:
        """The variables as they are, then their groups, as nominal variables without gaps."""
        if not self.groupings:
            return joint
        codes = [joint.codes] + [
            grouping.of(joint.codes[:, grouping.place])[:, np.newaxis]
            for grouping in self.groupings
        ]
        added = tuple(
            JointVariable(
                joint.variables[g.place].name, "nominal", g.size, np.zeros(g.size), misses=False
            )
            for g in self.groupings
        )
        return Joint((*joint.variables, *added), np.hstack(codes), joint.protected, joint.units)

    def owners(self, variables: int) -> list[int]:
        """For each variable and each group below, the place of the variable that it is of."""
        return [*range(variables), *(grouping.place for grouping in self.groupings)]


@dataclass(frozen=True, eq=False)
class Frequencies:
    """What the original's rows say of the levels of each variable."""

    counts: tuple[Counts, ...]
    """Original rows of each level; last: of missing cells."""
    marks: tuple[Index, ...]
    """A number of each level that knows its rows but not its label, to part equal counts."""

    @staticmethod
    def of(joint: Joint) -> Frequencies:
        """Counted over the original's rows."""
        rows = joint.codes[~joint.protected]
        counts = tuple(
            np.bincount(rows[:, place], minlength=variable.size + 1)
            for place, variable in enumerate(joint.variables)
        )
        # How common a row's values are, all together: whole numbers, so sums have no order.
        common = np.zeros(len(rows), dtype=np.int64)
        for place, count in enumerate(counts):
            common += count[rows[:, place]]
        marks = []
        for place, count in enumerate(counts):
            mark = np.zeros(len(count), dtype=np.int64)
            np.add.at(mark, rows[:, place], common)
            marks.append(mark)
        return Frequencies(counts, tuple(marks))

    def missing(self, place: int) -> int:
        """Original rows in which a variable is missing."""
        return int(self.counts[place][-1])

    def by_size(self, place: int) -> Index:
        """The original's levels of a variable, those with most rows first."""
        counts, marks = self.counts[place][:-1], self.marks[place][:-1]
        order = np.lexsort((-marks, -counts))
        return np.asarray(order[: int((counts > 0).sum())])


def pooled(
    place: int, known: Frequencies, misses: bool = True, most: int | None = None
) -> Grouping:
    """Categories of a nominal variable for main effects: rare ones pooled, missing its own.

    Categories that only a protected file has are with the rare ones, "the rest". `misses` says
    whether any row of either file misses it; beyond `most` groups the less frequent ones are
    with the rest too.
    """
    counts = known.counts[place]
    by_size = known.by_size(place)
    large = [int(level) for level in by_size if counts[level] >= FEW_ROWS]
    if most is not None and len(large) + (len(large) < len(by_size)) > most:
        large = large[: most - 1]
    groups = np.full(len(counts), len(large), dtype=np.intp)
    groups[large] = np.arange(len(large))
    groups[-1] = len(large) + 1 if misses else 0
    return _without_gaps(_largest_first(Grouping(place, groups, len(large) + 2), counts))


def product_categories(place: int, known: Frequencies) -> Grouping:
    """The same for products, where a group needs rows in the original.

    One without (a rest that only a protected file has, missing cells of fewer than 20 original
    rows) is with the reference: its main effect says all there is to say.
    """
    main = pooled(place, known)
    counts = known.counts[place]
    groups = main.groups.copy()
    rows = np.bincount(groups, counts, minlength=main.size)
    empty = rows[groups] == 0
    empty[-1] = counts[-1] < FEW_ROWS
    groups[empty] = 0
    return _without_gaps(Grouping(place, groups, main.size))


def coarse(place: int, variable: JointVariable, known: Frequencies, groups: int) -> Grouping:
    """A variable in at most so many groups, and one more for missing cells of 20 rows or more.

    Numbers: quantile groups of the original. Categories: the most frequent ones, and the rest.
    """
    counts = known.counts[place]
    if variable.kind == "nominal":
        found = _most_frequent(known.by_size(place), len(counts), groups)
    else:
        found = _quantile_groups(variable.numbers, counts[:-1], groups)
    last = int(found.max(initial=0)) + 1
    whole = np.append(found, last)
    grouping = _largest_first(Grouping(place, whole, last + 1), counts)
    if counts[-1] < FEW_ROWS:
        kept = grouping.groups.copy()
        kept[-1] = 0
        grouping = Grouping(place, kept, grouping.size)
    return _without_gaps(grouping)


def fine(place: int, variable: JointVariable, known: Frequencies, most: int) -> Grouping:
    """A number in about so many groups: values with many rows alone, runs of the others together.

    A value that the original does not have goes with the nearest run beside it. Where values with
    many rows are on both its sides there is none, and it is in a group of its own kind: values
    between those that there are. So are missing cells.
    """
    counts, numbers = known.counts[place][:-1], variable.numbers
    order = np.argsort(numbers, kind="stable")
    own = order[counts[order] > 0]
    least = max(float(counts.sum()) / most, FEW_ROWS)
    alone = counts[own] >= least
    runs = _runs(counts[own], alone, least)
    between = int(runs.max(initial=-1)) + 1
    found = np.full(len(counts), between, dtype=np.intp)
    found[own] = runs
    new = np.flatnonzero(counts == 0)
    if len(own) and len(new):
        found[new] = _beside(numbers[new], numbers[own], np.where(alone, between, runs), between)
    used, groups = np.unique(np.append(found, between + 1), return_inverse=True)
    return Grouping(place, groups.astype(np.intp), len(used))


def _runs(counts: Counts, alone: Flags, least: float) -> Index:
    """Groups of rising values: one alone, or a run with rows enough or up to the next alone."""
    found = np.empty(len(counts), dtype=np.intp)
    group, rows = 0, 0
    for place, (count, single) in enumerate(zip(counts.tolist(), alone.tolist(), strict=True)):
        if rows and (single or rows >= least):
            group, rows = group + 1, 0
        found[place] = group
        rows = rows + count
        if single:
            group, rows = group + 1, 0
    return found


def _beside(values: Floats, own: Floats, groups: Index, between: int) -> Index:
    """Of each value the group of the nearest run next to it, the smaller one of two."""
    after = np.searchsorted(own, values)
    low, high = np.maximum(after - 1, 0), np.minimum(after, len(own) - 1)
    below = np.where(after > 0, groups[low], between)
    above = np.where(after < len(own), groups[high], between)
    nearer = np.abs(values - own[low]) <= np.abs(own[high] - values)
    first = (below != between) & (nearer | (above == between))
    return np.asarray(np.where(first, below, above))


def _most_frequent(by_size: Index, size: int, groups: int) -> Index:
    named = by_size[: min(groups, len(by_size)) - 1] if len(by_size) else by_size
    found = np.full(size - 1, len(named), dtype=np.intp)
    found[named] = np.arange(len(named))
    return found


def _quantile_groups(numbers: Floats, counts: Counts, groups: int) -> Index:
    """Levels by where their middle row stands; other values go with the next smaller level."""
    order = np.argsort(numbers, kind="stable")
    rows = counts[order].astype(np.float64)
    total = rows.sum()
    if not total:
        return np.zeros(len(numbers), dtype=np.intp)
    middle = (np.cumsum(rows) - rows / 2.0) / total
    group = np.minimum((middle * groups).astype(np.intp), groups - 1)
    own = rows > 0
    before = np.maximum.accumulate(np.where(own, np.arange(len(own)), -1))
    group = np.where(before >= 0, group[before], group[np.flatnonzero(own)[0]])
    found = np.empty(len(numbers), dtype=np.intp)
    found[order] = group
    return found


def _largest_first(grouping: Grouping, counts: Counts) -> Grouping:
    """Groups renumbered so that 0, the reference, has most rows of the original (gaps go last)."""
    rows = np.bincount(grouping.groups[:-1], counts[:-1], minlength=grouping.size)
    first = int(np.argmax(rows))
    renumbered = np.arange(grouping.size)
    renumbered[first], renumbered[0] = 0, first
    return Grouping(grouping.place, renumbered[grouping.groups], grouping.size)


def _without_gaps(grouping: Grouping) -> Grouping:
    used, numbers = np.unique(np.append(grouping.groups, 0), return_inverse=True)
    return Grouping(grouping.place, numbers[:-1].astype(np.intp), len(used))
