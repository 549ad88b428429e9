"""Recodings inferred from matched rows: rounding, merged categories, coded tails, few values."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.records import dataclass
from microgauge.study.recoding.labels import distinct_labels
from microgauge.study.recoding.matched import MatchedCells, coarser_released
from microgauge.study.variable import Described
from microgauge.values.levels import Keys, Levels
from microgauge.values.rounding import Rule

EXPLAINED = 0.95
"""Share of a merged value's rows that an inferred map must explain."""
MOST_LEFT = 30
"""From number to number, a change that leaves at most so many distinct values is a recoding."""


def rounded_targets(levels: Levels, rule: Rule) -> tuple[Keys, Index]:
    """Numbers rounded by a rule, and which of them each level became."""
    return np.unique(rule.applied(levels.numbers), return_inverse=True)


def inferred_targets(variable: Described, cells: MatchedCells) -> tuple[Keys, Index] | None:
    """The values after recoding, and which of them each level became; None if rows show none.

    Rounding, which has a rule for every number, is looked for before.
    """
    original, protected = variable.original, variable.protected
    assert protected is not None
    goes = _most_frequent(variable, cells)
    if original.levels.numeric and protected.levels.numeric and original.type == "continuous":
        return _inferred_numbers(original.levels, protected.levels, goes)
    return _inferred_categories(original.levels, protected.levels, goes)


def worth_a_look(variable: Described) -> bool:
    """Cheap signs without which numbers cannot have been recoded: most columns stop here."""
    original, protected = variable.original, variable.protected
    assert protected is not None
    before, after = original.levels, protected.levels
    if not (before.numeric and after.numeric and original.type == "continuous"):
        return True
    return _few_left(before, after) or _piled_up(before, after) or coarser_released(variable)


def _few_left(before: Levels, after: Levels) -> bool:
    return len(after) <= MOST_LEFT and len(after) < len(before)


def _piled_up(before: Levels, after: Levels) -> bool:
    """Whether several units share the largest or smallest protected value, more than before."""
    return any(
        after.rows[end] >= 2
        and (after.rows[end] > before.rows[end] or after.numbers[end] != before.numbers[end])
        for end in (0, -1)
    )


@dataclass(frozen=True, eq=False)
class _Goes:
    """Where each original level goes most often; -1 where no unit of it is left."""

    target: Index
    share: Floats
    """Share of the level's rows that go there."""


def _most_frequent(variable: Described, cells: MatchedCells) -> _Goes:
    size = len(variable.original.levels)
    before, after, counts = cells
    total = np.bincount(before, counts, size)
    # Sorted by level, then count: the last entry of a level is its most frequent target.
    order = np.lexsort((-after, counts, before))
    target = np.full(size, -1, dtype=np.intp)
    best = np.zeros(size)
    target[before[order]] = after[order]
    best[before[order]] = counts[order]
    return _Goes(target, best / np.maximum(total, 1.0))


def _merged(goes: _Goes, size: int) -> Flags:
    """Which original levels share their target with another one."""
    known = goes.target >= 0
    sources = np.bincount(goes.target[known], minlength=size)
    return known & (np.append(sources, 0)[goes.target] >= 2)


def _explained(goes: _Goes, size: int) -> bool:
    merged = _merged(goes, size)
    return bool(merged.any()) and bool((goes.share[merged] >= EXPLAINED).all())


def _inferred_categories(before: Levels, after: Levels, goes: _Goes) -> tuple[Keys, Index] | None:
    if not _explained(goes, len(after)):
        return None
    return _with_suppressed(before, after, goes.target)


def _inferred_numbers(before: Levels, after: Levels, goes: _Goes) -> tuple[Keys, Index] | None:
    """Top or bottom coding, or few values left; all else is perturbation."""
    if _few_left(before, after) and _explained(goes, len(after)):
        return _with_suppressed(before, after, goes.target)
    tails = _coded_tails(after, goes)
    if tails is None:
        return None
    numbers = before.numbers.copy()
    for tail, code in tails:
        numbers[tail] = code
    return np.unique(numbers, return_inverse=True)


def _coded_tails(after: Levels, goes: _Goes) -> list[tuple[slice, float]] | None:
    """The upper and lower ends of the original values that became one code each."""
    known = np.flatnonzero(goes.target >= 0)
    if not len(known):
        return None
    tails = []
    inside = goes.share >= EXPLAINED
    merged = _merged(goes, len(after)) & inside
    top, bottom = goes.target[known[-1]], goes.target[known[0]]
    start = _tail_start(goes, inside, known, top)
    if known[-1] - start >= 1 and top == len(after) - 1:
        tails.append((slice(start, None), float(after.numbers[top])))
        merged[start:] = False
    end = _tail_end(goes, inside, known, bottom)
    if end >= known[0] + 1 and bottom == 0 and (not tails or end < start):
        tails.append((slice(0, end + 1), float(after.numbers[bottom])))
        merged[: end + 1] = False
    # Values merged elsewhere too: rounding or microaggregation, not coding of the tails.
    return tails if tails and not _still_merged(goes, merged, len(after)) else None


def _still_merged(goes: _Goes, left: Flags, size: int) -> bool:
    return bool((np.bincount(goes.target[left], minlength=size) >= 2).any())


def _tail_start(goes: _Goes, inside: Flags, known: Index, code: int) -> int:
    """The first level of the run of levels, up to the last one, that all go to `code`."""
    other = known[(goes.target[known] != code) | ~inside[known]]
    return int(known[known > other.max(initial=-1)].min(initial=known[-1] + 1))


def _tail_end(goes: _Goes, inside: Flags, known: Index, code: int) -> int:
    """The last level of the run of levels, from the first one, that all go to `code`."""
    other = known[(goes.target[known] != code) | ~inside[known]]
    return int(known[known < other.min(initial=known[-1] + 1)].max(initial=-1))


def _with_suppressed(before: Levels, after: Levels, target: Index) -> tuple[Keys, Index]:
    """The protected levels, and beside them every original one of which no unit is left."""
    lost = np.flatnonzero(target < 0)
    if before.numeric and after.numeric:
        numbers = np.where(target >= 0, after.numbers[target], before.numbers)
        return np.unique(numbers, return_inverse=True)
    labels = [after.labels[t] if t >= 0 else before.labels[i] for i, t in enumerate(target)]
    place = {label: (float(i), label) for i, label in enumerate(after.labels)}
    for level in lost:
        place.setdefault(before.labels[level], (_beside(target, int(level)), before.labels[level]))
    return distinct_labels(labels, lambda label: place[label])


def _beside(target: Index, level: int) -> float:
    """A place just above the target of the nearest level below that has one."""
    below = target[:level][target[:level] >= 0]
    return float(below[-1]) + 0.5 if len(below) else -0.5
