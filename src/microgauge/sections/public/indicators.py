"""Indicators that rest on enough records, also by subtraction; rounded, so that none shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from microgauge.errors import Undefined
from microgauge.measures.analysis.overlap import inside, overlap
from microgauge.results import IndicatorResult
from microgauge.sections.public.rounding import (
    COARSEST,
    estimate_step,
    half_width,
    share_step,
    to_step,
)
from microgauge.sections.public.told import IndicatorKey, Told

MOST_INFLUENCE = 0.4
"""One record that moves a figure by more than this part of its interval's half is most of it."""
OF_SHARES = ("share", "arop")
OF_SUMS = ("mean", "total", "ratio", "gini", "s80s20")
Results = Sequence[IndicatorResult]


def key_of(found: IndicatorResult) -> IndicatorKey:
    """What tells an indicator from the others of a result."""
    return found.name, found.by, found.group


def told_indicators(
    several: Sequence[Results], labels: Sequence[Mapping[str, frozenset[str]]], threshold: int
) -> frozenset[IndicatorKey]:
    """Those that may be told of all versions of a file: what one withholds, all do.

    The original's figures are the same in every version. What is told of it anywhere is told.
    """
    kept = {key_of(found) for found in several[0] if _alike(found, several)}
    for results, named in zip(several, labels, strict=True):
        kept &= {key_of(found) for found in results if _enough(found, named, threshold)}
    before = -1
    while len(kept) != before:  # each rule may leave something that another has to hide
        before = len(kept)
        for results in several:
            kept = _few_left(results, kept, threshold)
            kept = _shares_left(results, kept, threshold)
            kept = _nearly_the_same(results, kept, threshold)
    return frozenset(kept)


def _alike(found: IndicatorResult, several: Sequence[Results]) -> bool:
    """Whether all versions form the same groups: else their differences are groups too."""
    groups = [
        {one.group for one in results if (one.name, one.by) == (found.name, found.by)}
        for results in several
    ]
    return all(some == groups[0] for some in groups)


def _enough(found: IndicatorResult, named: Mapping[str, frozenset[str]], threshold: int) -> bool:
    """Whether a figure itself rests on enough records, and on no single one."""
    if min(found.records_original or 0, found.records_protected or 0) < threshold:
        return False
    if found.original is None or found.protected is None or found.influence_original is None:
        return False
    if found.original_ci is None or found.statistic == "function":
        return False
    half = half_width(found.original_ci)
    if found.influence_original > MOST_INFLUENCE * half:
        return False
    if half <= 0.0 and found.statistic in ("mean", "total"):
        return False  # all have the same value, which is everyone's
    return _told_label(found.by, found.group, named) and _told_label(
        found.variable, found.category, named
    )


def _told_label(
    variable: str | None, label: str | None, named: Mapping[str, frozenset[str]]
) -> bool:
    return variable is None or label is None or variable not in named or label in named[variable]


def _sides(found: IndicatorResult) -> tuple[int, int]:
    return found.units_original or 0, found.units_protected or 0


def _held(found: IndicatorResult) -> tuple[int, ...]:
    """Records of both sides; of a sum also those of the original by which it is not 0."""
    sides = _sides(found)
    return (*sides, found.records_original or 0) if found.statistic in OF_SUMS else sides


def _sets(
    results: Results, key: Callable[[IndicatorResult], object]
) -> Iterable[list[IndicatorResult]]:
    found: defaultdict[object, list[IndicatorResult]] = defaultdict(list)
    for one in results:
        found[key(one)].append(one)
    return found.values()


def _few_left(results: Results, kept: set[IndicatorKey], threshold: int) -> set[IndicatorKey]:
    """Groups that are withheld hold enough together: else the smallest of the others goes too."""
    kept = set(kept)
    grouped = [found for found in results if found.group is not None]
    for groups in _sets(grouped, lambda r: (r.name, r.by)):
        told = sorted((g for g in groups if key_of(g) in kept), key=lambda g: min(_held(g)))
        rest = [g for g in groups if key_of(g) not in kept]
        while told and rest and _short(map(_held, rest), threshold):
            rest.append(told.pop(0))
            kept.discard(key_of(rest[-1]))
    return kept


def _short(held: Iterable[tuple[int, ...]], threshold: int) -> bool:
    """Whether some hold few together, of either file."""
    return any(0 < sum(column) < threshold for column in zip(*held, strict=True))


def _shares_left(results: Results, kept: set[IndicatorKey], threshold: int) -> set[IndicatorKey]:
    """Categories that are withheld hold enough together; a table of two variables is told whole."""
    kept = set(kept)
    shares = [r for r in results if r.statistic == "share" and r.category is not None]
    for cells in _sets(shares, lambda r: (r.variable, r.by, r.where)):
        told = [c for c in cells if key_of(c) in kept]
        if any(cell.group is not None for cell in cells):
            if len(told) < len(cells):
                kept -= {key_of(cell) for cell in cells}
            continue
        told.sort(key=lambda cell: min(_inside(cell)))
        while len(told) > 1 and _short([_left(told)], threshold):
            kept.discard(key_of(told.pop(0)))
    return kept


def _inside(cell: IndicatorResult) -> tuple[int, int]:
    """Records in the category, of both files; what is known is the fewer of in and out."""
    found = []
    for share, units, records in (
        (cell.original, cell.units_original, cell.records_original),
        (cell.protected, cell.units_protected, cell.records_protected),
    ):
        fewer = records or 0
        found.append(fewer if (share or 0.0) <= COARSEST else (units or 0) - fewer)
    return found[0], found[1]


def _left(told: Results) -> tuple[int, int]:
    """Records in none of the categories that are told."""
    units = _sides(told[0])
    held = [_inside(cell) for cell in told]
    return units[0] - sum(x for x, _ in held), units[1] - sum(x for _, x in held)


def _nearly_the_same(
    results: Results, kept: set[IndicatorKey], threshold: int
) -> set[IndicatorKey]:
    """Two statistics of nearly the same people: their difference is one of few."""
    kept = set(kept)
    told = [r for r in results if key_of(r) in kept]
    for alike in _sets(told, lambda r: (r.variable, r.category, r.by, r.group)):
        held: list[IndicatorResult] = []
        for one in alike:
            apart = (
                # Of unlike statistics only the records are alike, not what they rest on.
                tuple(abs(a - b) for a, b in zip(_held(one), _held(other), strict=False))
                if one.statistic == other.statistic
                else tuple(abs(a - b) for a, b in zip(_sides(one), _sides(other), strict=True))
                for other in held
            )
            if any(0 < least < threshold for pair in apart for least in pair):
                kept.discard(key_of(one))
            else:
                held.append(one)
    return kept


def indicators_for_users(results: Results, told: Told) -> tuple[IndicatorResult, ...]:
    """Those that may be told, rounded; overlaps are of the rounded intervals."""
    return tuple(
        _rounded(found, told.threshold) for found in results if key_of(found) in told.indicators
    )


def _rounded(found: IndicatorResult, threshold: int) -> IndicatorResult:
    assert found.original is not None
    assert found.protected is not None
    assert found.original_ci is not None
    units = found.units_original or 1
    step = estimate_step(
        found.original, found.original_ci, units, found.influence_original or 0.0, threshold
    )
    if found.statistic in OF_SHARES:
        step = max(step, share_step(units, threshold) or COARSEST)
    bounds = rounded_bounds(found.original_ci, step)
    other = rounded_bounds(found.protected_ci, step)
    return IndicatorResult(
        name=found.name,
        statistic=found.statistic,
        by=found.by,
        group=found.group,
        original=to_step(found.original, step),
        original_ci=bounds,
        protected=to_step(found.protected, step),
        protected_ci=other,
        overlap=overlap_of(bounds, other),
        inside=None if bounds is None else inside(bounds, to_step(found.protected, step)),
        interval=found.interval,
        seed=0,
    )


def rounded_bounds(bounds: tuple[float, float] | None, step: float) -> tuple[float, float] | None:
    """An interval between multiples."""
    return None if bounds is None else (to_step(bounds[0], step), to_step(bounds[1], step))


def overlap_of(
    original: tuple[float, float] | None, protected: tuple[float, float] | None
) -> float | None:
    """Of intervals as they are shown; None where one has no width left."""
    if original is None or protected is None:
        return None
    try:
        return round(overlap(original, protected), 2)
    except Undefined:
        return None
