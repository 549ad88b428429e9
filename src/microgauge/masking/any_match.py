"""Local suppression where a missing key matches every value.

Missing cells only ever add matches, also to other records. So records are taken one after the
other, and all that is missing by then counts for those that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby

import numpy as np

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.measures.risk.compatible import compatible, compatible_pairs
from microgauge.records import dataclass
from microgauge.values.packing import MOST, distinct, packed

MOST_OPTIONS = 4_000_000
"""Sets of keys × classes that are weighed at once."""
MOST_PAIRS = 5_000_000
"""Pairs of a cell and another record that are held at once."""


def suppressed_to_match(levels: Index, sizes: Sequence[int], k: int, importance: Floats) -> Index:
    """Levels (records × keys) in which every record is compatible with k, itself included.

    `sizes` are the numbers of levels, which also stand for a missing cell. Only records that are
    short of k lose keys, and each the cheapest set, by importance, that takes it to k: of sets that
    cost the same the one that helps most of the others. Last, cells that turn out not to be
    needed are restored, so that none can be restored any more without leaving someone short.
    """
    search = _Search(levels, sizes, k)
    for sets in _by_cost(importance):
        search.take(sets)
    return restored(levels, search.found(), sizes, k, importance)


def _by_cost(importance: Floats) -> Iterator[Flags]:
    """Sets × keys, those that cost the same together, the cheapest first."""
    width = len(importance)
    sets = [list(s) for size in range(1, width + 1) for s in combinations(range(width), size)]
    # Sums of the same importances in another order may differ in the last digit.
    cost = {tuple(s): round(float(importance[s].sum() / importance.sum()), 12) for s in sets}
    for _, same in groupby(sorted(sets, key=lambda s: cost[tuple(s)]), lambda s: cost[tuple(s)]):
        chosen = list(same)
        flags = np.zeros((len(chosen), width), dtype=np.bool_)
        for place, keys in enumerate(chosen):
            flags[place, keys] = True
        yield flags


@dataclass(frozen=True, eq=False)
class _Classes:
    """Records with the same levels, together."""

    levels: Index
    rows: Counts
    places: Index
    """The class of each record."""

    @staticmethod
    def of(levels: Index, sizes: Sequence[int]) -> _Classes:
        places, count = _grouped(levels, sizes)
        first = np.empty(count, dtype=np.intp)
        first[places] = np.arange(len(levels))
        return _Classes(levels[first], np.bincount(places, minlength=count), places)


def _grouped(levels: Index, sizes: Sequence[int]) -> tuple[Index, int]:
    """The group of equal levels that each row is in, and how many groups there are."""
    _, places, count = distinct(packed(list(levels.T), [size + 1 for size in sizes]), MOST)
    return places, count


@dataclass(frozen=True, eq=False)
class _Option:
    """A set of keys, the classes short of k whose records reach it without them, and in groups
    those that then look the same: each record of a group that loses the keys helps all others."""

    keys: Flags
    classes: Index
    groups: Index


@dataclass(frozen=True, eq=False)
class _Choice:
    """Records that lose keys together: one of each of some classes."""

    classes: Index
    keys: Flags


class _Search:
    """What is left of the classes, and which records have lost what."""

    def __init__(self, levels: Index, sizes: Sequence[int], k: int) -> None:
        self.original, self.sizes, self.k = levels, sizes, k
        self.limits = np.asarray(sizes)
        classes = _Classes.of(levels, sizes)
        self.levels, self.places = classes.levels, classes.places
        self.left = classes.rows.copy()
        """Records of each class that have lost nothing."""
        self.counts = compatible(self.levels, self.levels, self.left, sizes)
        """Records that one of the class is compatible with; kept up for those short of k."""
        self.made: list[_Choice] = []

    @property
    def short(self) -> Index:
        """Classes with records that are short of k."""
        return np.flatnonzero((self.left > 0) & (self.counts < self.k))

    def take(self, sets: Flags) -> None:
        """Let records lose one of these sets, where that takes them to k.

        What they lose may take others to k; when these get few, dearer sets are tried.
        """
        before = len(self.short)
        while before:
            self._pass(sets)
            after = len(self.short)
            if before - after <= before / 100:
                return
            before = after

    def _pass(self, sets: Flags) -> None:
        at_once = max(1, MOST_OPTIONS // len(self.short))
        for start in range(0, len(sets), at_once):
            options = self._options(sets[start : start + at_once])
            while (choice := self._best(options)) is not None:
                self._suppress(choice)

    def _options(self, sets: Flags) -> list[_Option]:
        """What these sets would do now. Later it can only be more."""
        now = _Classes.of(self.found(), self.sizes)
        short = self.short
        known = self.levels[short] < self.limits
        needed = known & self._lonely(now, self.levels[short])
        found = []
        for keys in sets:
            # What is missing already cannot be lost; nor does it help to keep a lonely value.
            open_ = short[known[:, keys].all(axis=1) & ~needed[:, ~keys].any(axis=1)]
            trial = np.where(keys, self.limits, self.levels[open_])
            able = compatible(trial, now.levels, now.rows, self.sizes) >= self.k
            if able.any():
                groups, _ = _grouped(trial[able], self.sizes)
                found.append(_Option(keys, open_[able], groups))
        return found

    def _lonely(self, now: _Classes, levels: Index) -> Flags:
        """Which cells no set may leave: fewer than k records are compatible in this key alone."""
        found = np.zeros(levels.shape, dtype=np.bool_)
        for key, size in enumerate(self.sizes):
            counts = np.bincount(now.levels[:, key], now.rows, size + 1)
            found[:, key] = counts[levels[:, key]] + counts[size] < self.k
        return found

    def _best(self, options: Sequence[_Option]) -> _Choice | None:
        """One record of each group whose loss helps about as many as any other's does."""
        lacking = np.where(self.left > 0, np.maximum(self.k - self.counts, 0), 0)
        helped = np.where(lacking > 0, self.left, 0)
        gain = np.zeros(len(self.left))
        which, group = np.zeros((2, len(self.left)), dtype=np.intp)
        for place, option in enumerate(options):
            mine = helped[option.classes]
            # Records of its own class are compatible already.
            others = np.bincount(option.groups, mine)[option.groups] - mine
            here = np.where(mine > 0, others + lacking[option.classes], 0.0)
            better = here > gain[option.classes]
            at = option.classes[better]
            gain[at], which[at], group[at] = here[better], place, option.groups[better]
        if not gain.any():
            return None
        # Choosing the very best only would take a turn for each record.
        good = np.flatnonzero(gain >= gain.max() / 2)
        order = good[np.lexsort((-gain[good], group[good], which[good]))]
        new = np.ones(len(order), dtype=np.bool_)
        new[1:] = (np.diff(group[order]) != 0) | (np.diff(which[order]) != 0)
        chosen = order[new]
        sets = np.stack([option.keys for option in options])
        return _Choice(chosen, sets[which[chosen]])

    def _suppress(self, choice: _Choice) -> None:
        short = self.short
        before = self.levels[choice.classes]
        after = np.where(choice.keys, self.limits, before)
        one = np.ones(len(before), dtype=np.int64)
        for sign, side in ((1, after), (-1, before)):
            self.counts[short] += sign * compatible(self.levels[short], side, one, self.sizes)
        self.left[choice.classes] -= 1
        self.made.append(choice)

    def found(self) -> Index:
        """The levels of all records; of equal ones the first have lost keys."""
        levels = self.original.copy()
        if not self.made:
            return levels
        classes = np.concatenate([choice.classes for choice in self.made])
        keys = np.concatenate([choice.keys for choice in self.made])
        order = np.argsort(classes, kind="stable")
        ranked = classes[order]
        turn = np.arange(len(ranked)) - np.searchsorted(ranked, ranked)
        records = np.argsort(self.places, kind="stable")
        starts = np.searchsorted(self.places[records], ranked)
        lost = records[starts + turn]
        levels[lost] = np.where(keys[order], self.limits, levels[lost])
        return levels


def restored(
    original: Index, found: Index, sizes: Sequence[int], k: int, importance: Floats
) -> Index:
    """Levels with all cells back that nobody needs missing to match k records; the dearest first.

    Restoring only takes matches away: a cell that is needed now is needed for good.
    """
    now = found.copy()
    for key in np.argsort(-importance, kind="stable"):
        open_ = np.flatnonzero(now[:, key] != original[:, key])
        while len(open_):
            cells = _Cells.of(now, original[:, key], open_, int(key), sizes).possible(k)
            back, open_ = cells.settled(k)
            now[back, key] = original[back, key]
    return now


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells of one key that may be restored, and the records they take matches from.

    Nothing is taken from records in which the key is missing, too.
    """

    records: Index
    before: Index
    """Levels of the records with the cell missing."""
    after: Index
    """And with the cell restored."""
    now: _Classes
    key: int
    sizes: Sequence[int]

    @staticmethod
    def of(
        levels: Index, original: Index, records: Index, key: int, sizes: Sequence[int]
    ) -> _Cells:
        now = _Classes.of(levels, sizes)
        # By levels, so that the order of the file does not matter.
        records = records[np.lexsort((original[records], now.places[records]))]
        after = levels[records].copy()
        after[:, key] = original[records]
        return _Cells(records, levels[records], after, now, key, sizes)

    def only(self, kept: Index | Flags) -> _Cells:
        """Some of the cells."""
        before, after = self.before[kept], self.after[kept]
        return replace(self, records=self.records[kept], before=before, after=after)

    def possible(self, k: int) -> _Cells:
        """Those that could be restored, if each were the only one."""
        tight = self.now.levels[self._matches(self.now.levels) == k]
        cells = self.only(self._matches(self.after) >= k)
        one = np.ones(len(tight), dtype=np.int64)
        lost = [compatible(side, tight, one, self.sizes) for side in (cells.before, cells.after)]
        return cells.only(lost[0] == lost[1])

    def settled(self, k: int) -> tuple[Index, Index]:
        """Records whose cells can all be restored, and those that were not looked at."""
        known = self.now.levels[:, self.key] < self.sizes[self.key]
        others = np.concatenate([self.now.levels[known], self.after])
        spare = self._matches(others) - k
        one = np.ones(len(self.records), dtype=np.int64)
        takers = compatible(others, self.before, one, self.sizes)
        takers -= compatible(others, self.after, one, self.sizes)
        # Who can spare all that may be taken need not be watched.
        watched = np.flatnonzero(takers > spare)
        one = np.ones(len(watched), dtype=np.int64)
        harm = compatible(self.before, others[watched], one, self.sizes)
        order = np.argsort(harm, kind="stable")
        looked = order[: max(1, int((np.cumsum(harm[order]) <= MOST_PAIRS).sum()))]
        cells = self.only(looked)
        there = int(known.sum())
        cell, other = cells.taken(others[watched])
        back = _in_turn(cell, watched[other], spare, there, there + looked)
        return cells.records[back], self.records[np.setdiff1d(order, looked)]

    def _matches(self, levels: Index) -> Counts:
        return compatible(levels, self.now.levels, self.now.rows, self.sizes)

    def taken(self, others: Index) -> tuple[Index, Index]:
        """Pairs of a cell and another record, which would be compatible no longer; by cells."""
        cell, other = compatible_pairs(self.before, others, self.sizes)
        apart = self.after[cell, self.key] != others[other, self.key]
        cell, other = cell[apart], other[apart]
        order = np.argsort(cell, kind="stable")
        return cell[order], other[order]


def _in_turn(cell: Index, other: Index, spare: Counts, there: int, own: Index) -> Flags:
    """Which cells are restored, each if all who lose a match by it can spare one.

    The others are those there are, then those that cells would make, each cell its own, which
    count as soon as the cell is restored.
    """
    counted = np.arange(len(spare)) < there
    found = np.zeros(len(own), dtype=np.bool_)
    starts = np.searchsorted(cell, np.arange(len(own) + 1))
    for place, mine in enumerate(own):
        losing = other[starts[place] : starts[place + 1]]
        if spare[mine] >= 0 and not (counted[losing] & (spare[losing] < 1)).any():
            spare[losing] -= 1
            found[place] = counted[mine] = True
    return found
