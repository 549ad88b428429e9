"""How a variable was recoded globally: declared, read from interval labels, or inferred from rows.

A recoding says where each original level goes. It is tried in that order; the first that is known
holds. Suppression, noise, swapping and microaggregation are no recodings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED, Engine
from microgauge.engines.rounds import Asking, asked_both
from microgauge.errors import Undefined
from microgauge.passes import Crosstab, Facts, SparseCrosstab
from microgauge.passes.tables import SparseCells
from microgauge.schema import Recode, RecodeMeasure, Rounding
from microgauge.study.describe import Described, Side, continuous_both
from microgauge.values.intervals import Interval, assign, parse_interval, parse_intervals
from microgauge.values.labels import label_of, number_label
from microgauge.values.levels import Keys, Levels
from microgauge.values.rounding import Rule, found_rule, resolution

How = Literal["declared", "labels", "inferred"]
Form = Literal["merged", "banded", "rounded", "top-coded", "bottom-coded", "top- and bottom-coded"]

MatchedCells = tuple[Index, Index, Floats]
"""Original level, protected level and units of every pair of values that occurs."""

EXPLAINED = 0.95
"""Share of a merged value's rows that an inferred map must explain."""
MOST_MATCHED = 5_000_000
"""Matched units beyond which numbers that became other numbers are looked at in a sample."""
DENSE_CELLS = 1 << 16
"""Cells up to which a table of original and protected values is counted as an array."""
MOST_LEFT = 30
"""From number to number, a change that leaves at most so many distinct values is a recoding."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """Where each original level goes."""

    how: How
    target: Index
    """For each original level, its level among `recoded`."""
    recoded: Side
    """The original variable after recoding, in the protected table's terms."""
    default_measure: RecodeMeasure
    form: Form


def declared_recoding(variable: Described, recode: Recode) -> Recoding:
    """The recoding a schema declares; `Undefined` where it does not fit the original."""
    keys, target = _apply(variable, recode)
    return _recoding("declared", variable, target, keys)


def found_recodings(
    variables: Sequence[Described], rows: Engine | None
) -> Asking[dict[str, Recoding]]:
    """The recodings that labels state or matched rows show, from one round for all variables."""
    found: dict[str, Recoding] = {}
    unknown = []
    for variable in variables:
        if variable.removed or variable.original.empty or variable.protected is None:
            continue
        from_labels = _from_labels(variable.original, variable.protected)
        if from_labels is not None:
            found[variable.name] = _recoding("labels", variable, from_labels[1], from_labels[0])
        elif rows is not None and _worth_a_look(variable.original, variable.protected):
            unknown.append(variable)
    cells = yield from matched_cells(unknown, rows)
    for variable in unknown:
        inferred = _inferred(variable, cells[variable.name])
        if inferred is not None:
            found[variable.name] = _recoding("inferred", variable, inferred[1], inferred[0])
    return found


def _recoding(how: How, variable: Described, target: Index, keys: Keys) -> Recoding:
    original, protected = variable.original, variable.protected
    assert protected is not None
    levels = original.levels.regrouped(target, keys)
    lookup = np.append(target, len(keys))[original.lookup]
    measure: RecodeMeasure = "heterogeneity" if original.type == "continuous" else "pairs"
    recoded = Side(protected.type, levels, lookup)
    return Recoding(how, target, recoded, measure, _form(original, target, levels))


def _form(original: Side, target: Index, after: Levels) -> Form:
    """What a reader would call the recoding, from where the values went."""
    if original.type != "continuous":
        return "merged"
    if not after.numeric:
        return "banded"
    merged = set(np.flatnonzero(np.bincount(target) > 1).tolist())
    if not merged or not merged <= {0, len(after) - 1}:
        return "rounded"
    top, bottom = len(after) - 1 in merged, 0 in merged
    if top and bottom:
        return "top- and bottom-coded"
    return "top-coded" if top else "bottom-coded"


def _compact(
    labels: Sequence[str], order: Callable[[str], object]
) -> tuple[tuple[str, ...], Index]:
    """Distinct labels in order, and the place of each given one."""
    keys = tuple(sorted(set(labels), key=order))  # type: ignore[arg-type]
    index = {key: place for place, key in enumerate(keys)}
    return keys, np.array([index[label] for label in labels], dtype=np.intp)


def recoded_like(
    variable: Described, recoding: Recoding | None, side: Side, cells: MatchedCells | None
) -> Side:
    """Another table's values of a variable, recoded as the original's were.

    What is in the protected table's terms already stays as it is; values that a recoding does not
    cover stay by themselves, and match nothing. Rounding that matched rows show is rounding too.
    """
    assert variable.protected is not None
    if variable.original.levels.numeric and not side.levels.numeric:
        return side
    recode = variable.given.recode
    declared = recoding is not None and recoding.how == "declared" and recode is not None
    rule = None if declared else shown_rule(variable, cells)
    if rule is not None:
        return _rounded(side, rule)
    if recoding is None:
        return side
    like = replace(variable, original=side)
    if declared and recode is not None and recode.map is None:
        return declared_recoding(like, _open_below(recode, variable.protected)).recoded
    if recoding.how == "labels":
        found = _from_labels(side, variable.protected)
        return side if found is None else _recoding("labels", like, found[1], found[0]).recoded
    return _by_lookup(variable, recoding, side)


def may_be_rounded(variable: Described) -> bool:
    """Whether a number has fewer values than before, so that rounding is worth a look."""
    before, after = variable.original, variable.protected
    if after is None or after.empty or not continuous_both(before, after):
        return False
    return len(after.levels) < len(before.levels)


def shown_rule(variable: Described, cells: MatchedCells | None) -> Rule | None:
    """The rounding of a number that matched rows show."""
    before, after = variable.original, variable.protected
    if cells is None or after is None or not may_be_rounded(variable):
        return None
    first, second, counts = cells
    return found_rule(
        before.levels.numbers[first],
        after.levels.numbers[second],
        counts,
        resolution(before.levels.numbers),
    )


def _rounded(side: Side, rule: Rule) -> Side:
    numbers, target = np.unique(rule.applied(side.levels.numbers), return_inverse=True)
    levels = side.levels.regrouped(target, numbers)
    return Side(side.type, levels, np.append(target, len(numbers))[side.lookup])


def _open_below(recode: Recode, protected: Side) -> Recode:
    """Breaks with a band below the first one, for values that the original does not have."""
    if recode.breaks is None:
        return recode
    labels = recode.labels or _band_labels(
        np.array(recode.breaks, dtype=np.float64), recode.closed, protected
    )
    return replace(recode, breaks=(-np.inf, *recode.breaks), labels=("(below)", *labels))


def _by_lookup(variable: Described, recoding: Recoding, side: Side) -> Side:
    after = recoding.recoded.levels.labels
    goes = {
        label: after[place]
        for label, place in zip(variable.original.levels.labels, recoding.target, strict=True)
    }
    recode = variable.given.recode
    if recode is not None and recode.map is not None:
        goes |= {label_of(k): label_of(v) for k, v in recode.map.items()}
    labels = [goes.get(label, label) for label in side.levels.labels]
    keys, target = _compact(labels, lambda label: label)
    levels = side.levels.regrouped(target, keys)
    return Side("nominal", levels, np.append(target, len(keys))[side.lookup])


# -- declared --------------------------------------------------------------------------------


def _apply(variable: Described, recode: Recode) -> tuple[Keys, Index]:
    assert variable.protected is not None
    levels, protected = variable.original.levels, variable.protected
    if recode.map is not None:
        return _mapped(levels, protected, {label_of(k): label_of(v) for k, v in recode.map.items()})
    if recode.prefix is not None:
        return _prefixed(levels, protected, recode.prefix)
    if not levels.numeric:
        raise Undefined("breaks, top, bottom and round need a variable whose values are numbers.")
    if recode.breaks is not None:
        return _banded(levels.numbers, protected, recode)
    return _as_protected(
        _recoded_numbers(levels.numbers, recode, variable.given.rounding), protected
    )


def _mapped(levels: Levels, protected: Side, mapping: dict[str, str]) -> tuple[Keys, Index]:
    uncovered = [label for label in levels.labels if label not in mapping]
    if uncovered:
        raise Undefined(
            f"the map does not cover {len(uncovered)} of the {len(levels)} distinct values of the "
            "original."
        )
    labels = [mapping[label] for label in levels.labels]
    if protected.levels.numeric and all(_is_number(label) for label in labels):
        keys, target = np.unique([float(label) for label in labels], return_inverse=True)
        return keys, target
    return _compact(labels, _order_of(protected, levels, labels))


def _is_number(label: str) -> bool:
    interval = parse_interval(label)
    return interval is not None and interval.single


def _order_of(
    protected: Side, levels: Levels, labels: Sequence[str]
) -> Callable[[str], tuple[float, str]]:
    """The protected table's order of levels; what it lacks stands where its original values do."""
    place = {label: float(i) for i, label in enumerate(protected.levels.labels)}
    if any(label not in place for label in labels):
        sources: dict[str, list[int]] = {}
        for level, label in enumerate(labels):
            sources.setdefault(label, []).append(level)
        place = {label: float(np.mean(found)) for label, found in sources.items()}
    return lambda label: (place[label], label)


def _prefixed(levels: Levels, protected: Side, length: int) -> tuple[Keys, Index]:
    """Codes cut to their first characters, matched with masked ones such as 997**."""
    masked = {label[:length]: label for label in protected.levels.labels}
    if len(masked) < len(protected.levels):
        masked = {}
    labels = [masked.get(label[:length], label[:length]) for label in levels.labels]
    return _compact(labels, lambda label: label)


def _banded(numbers: Floats, protected: Side, recode: Recode) -> tuple[Keys, Index]:
    assert recode.breaks is not None
    breaks = np.array(recode.breaks, dtype=np.float64)
    side: Literal["right", "left"] = "right" if recode.closed == "left" else "left"
    band = np.searchsorted(breaks, numbers, side=side) - 1
    uncovered = int((band < 0).sum())
    if uncovered:
        raise Undefined(
            f"the breaks do not cover {uncovered} of the {len(numbers)} distinct values of the "
            "original: they lie below the first break."
        )
    labels = recode.labels or _band_labels(breaks, recode.closed, protected)
    if protected.levels.numeric and all(_is_number(label_of(label)) for label in labels):
        keys = np.array([float(label_of(label)) for label in labels])
        values, target = np.unique(keys[band], return_inverse=True)
        return values, target
    names = [label_of(label) for label in labels]
    used = np.unique(band)
    return tuple(names[i] for i in used), np.searchsorted(used, band)


def _band_labels(breaks: Floats, closed: str, protected: Side) -> tuple[str, ...]:
    """Labels for breaks that were given without: the protected table's own where they fit."""
    ends = [*breaks[1:], np.inf]
    if protected.levels.numeric and set(protected.levels.numbers) <= set(breaks):
        return tuple(number_label(b) for b in breaks)
    intervals = protected.intervals
    own = {} if intervals is None else dict(zip(intervals, protected.levels.labels, strict=True))
    found = []
    for low, high in zip(breaks, ends, strict=True):
        band = Interval(low, high, closed == "right", closed == "left" or np.isinf(high))
        inside = [label for interval, label in own.items() if interval.within(band)]
        default = f"[{low:g},{high:g})" if closed == "left" else f"({low:g},{high:g}]"
        found.append(inside[0] if len(inside) == 1 else default)
    return tuple(found)


def _recoded_numbers(numbers: Floats, recode: Recode, rounding: Rounding) -> Floats:
    """Top and bottom codes, or rounding (to nearest: halves go to the even multiple)."""
    if recode.round is not None:
        step = {"nearest": np.rint, "floor": np.floor, "ceiling": np.ceil}[rounding]
        # 3 × 0.1 is not 0.3: rounding to the step's own decimals gives the number that is written.
        decimals = max(0, -int(Decimal(str(recode.round)).as_tuple().exponent))
        multiples = step(np.round(numbers / recode.round, 9)) * recode.round
        return np.asarray(np.round(multiples, decimals) + 0.0, dtype=np.float64)
    return np.clip(numbers, recode.bottom, recode.top)


def _as_protected(numbers: Floats, protected: Side) -> tuple[Keys, Index]:
    """Recoded numbers under the protected table's labels where those are intervals ("80+")."""
    if protected.intervals is None:
        return np.unique(numbers, return_inverse=True)
    return _in_intervals(numbers, protected.intervals, protected.levels.labels)


# -- read from labels ------------------------------------------------------------------------


def _from_labels(original: Side, protected: Side) -> tuple[Keys, Index] | None:
    """The recoding that interval labels state by themselves."""
    if protected.intervals is None:
        return None
    labels = protected.levels.labels
    if original.levels.numeric:
        return _in_intervals(original.levels.numbers, protected.intervals, labels)
    if original.intervals is None or set(original.levels.labels) == set(labels):
        return None
    found = [_narrowest(interval, protected.intervals) for interval in original.intervals]
    placed = [place for place in found if place is not None]
    if len(placed) == len(set(placed)):  # nothing was merged
        return None
    names = [
        own if place is None else labels[place]
        for own, place in zip(original.levels.labels, found, strict=True)
    ]
    order = {n: parse_interval(n) or Interval(np.inf, np.inf) for n in names}
    return _compact(names, lambda label: order[label])


def _narrowest(interval: Interval, bands: Sequence[Interval]) -> int | None:
    inside = [i for i, band in enumerate(bands) if interval.within(band)]
    return min(inside, key=lambda i: bands[i].high - bands[i].low, default=None)


def _in_intervals(
    numbers: Floats, intervals: Sequence[Interval], labels: Sequence[str]
) -> tuple[Keys, Index]:
    """Numbers in the bands of labels. Numbers that no band holds form groups of their own."""
    band = assign(numbers, intervals)
    ranked = sorted(range(len(intervals)), key=lambda i: intervals[i])
    place = np.empty(len(intervals), dtype=np.float64)
    place[ranked] = np.arange(len(ranked))
    lows = np.array([intervals[i].low for i in ranked])
    beside = np.searchsorted(lows, numbers, side="right") - 0.5
    position = np.where(band >= 0, place[band], beside)
    used, target = np.unique(position, return_inverse=True)
    keys = [
        labels[ranked[int(p)]] if p == int(p) and p >= 0 else f"outside the bands ({n})"
        for n, p in enumerate(used, start=1)
    ]
    return tuple(keys), target


# -- inferred from rows ----------------------------------------------------------------------


def _inferred(variable: Described, cells: MatchedCells) -> tuple[Keys, Index] | None:
    original, protected = variable.original, variable.protected
    assert protected is not None
    goes = _most_frequent(variable, cells)
    if original.levels.numeric and protected.levels.numeric and original.type == "continuous":
        return _inferred_numbers(original.levels, protected.levels, goes)
    return _inferred_categories(original.levels, protected.levels, goes)


def _worth_a_look(original: Side, protected: Side) -> bool:
    """Cheap signs without which numbers cannot have been recoded: most columns stop here."""
    before, after = original.levels, protected.levels
    if not (before.numeric and after.numeric and original.type == "continuous"):
        return True
    return _few_left(before, after) or _piled_up(before, after)


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


def matched_cells(
    variables: Sequence[Described], rows: Engine | None
) -> Asking[dict[str, MatchedCells]]:
    """Which original value became which protected one, from one round; nothing without rows."""
    if rows is None:
        return {}
    tables = {v.name: _Table.of(v, rows) for v in variables}
    wanted = list(tables.values())
    facts = yield from asked_both([t.rows for t in wanted], [[t.question] for t in wanted])
    return {
        name: table.cells(found) for (name, table), found in zip(tables.items(), facts, strict=True)
    }


@dataclass(frozen=True, eq=False)
class _Table:
    """The table of a variable's original and protected values in matched rows."""

    rows: Engine
    question: Crosstab | SparseCrosstab

    @staticmethod
    def of(variable: Described, rows: Engine) -> _Table:
        assert variable.protected is not None
        before = variable.original.axis(ORIGINAL + variable.name)
        after = variable.protected.axis(PROTECTED + variable.name)
        if before.size * (after.size + 1) <= DENSE_CELLS:
            return _Table(rows, Crosstab(before, after))
        # There may be as many cells as rows: which values became which shows in a part of them.
        return _Table(rows.sample(MOST_MATCHED, 1), SparseCrosstab(before, after))

    def cells(self, facts: Facts) -> MatchedCells:
        """Original level, protected level and units of every pair of values that occurs."""
        found = facts[self.question]
        if isinstance(found, SparseCells):
            keys, counts = found.keys, found.layers[0].astype(np.float64)
        else:
            table = found[0].ravel()
            keys = np.flatnonzero(table)
            counts = table[keys].astype(np.float64)
        size, width = self.question.a.size, self.question.b.size + 1
        before, after = np.divmod(keys, width)
        here = (before < size) & (after < width - 1)
        return before[here], after[here], counts[here]


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
    return _compact(labels, lambda label: place[label])


def _beside(target: Index, level: int) -> float:
    """A place just above the target of the nearest level below that has one."""
    below = target[:level][target[:level] >= 0]
    return float(below[-1]) + 0.5 if len(below) else -0.5


# -- order of merged categories --------------------------------------------------------------


def ordered_by_recoding(
    variable: Described, recoding: Recoding | None
) -> tuple[Described, Recoding | None]:
    """Settle the order of a protected ordinal variable whose labels do not tell it.

    Merged categories stand in the order of the original ones they hold, if those do not overlap;
    otherwise the protected variable is nominal.
    """
    protected = variable.protected
    if protected is None or protected.type != "ordinal" or _order_known(variable):
        return variable, recoding
    place = {} if recoding is None else _places(recoding)
    if recoding is None or not set(protected.levels.labels) <= set(place):
        return replace(variable, protected=replace(protected, type="nominal")), (
            recoding and replace(recoding, recoded=replace(recoding.recoded, type="nominal"))
        )
    recoded, move = _reordered(recoding.recoded, place)
    recoding = replace(recoding, target=move[recoding.target], recoded=recoded)
    return replace(variable, protected=_reordered(protected, place)[0]), recoding


def _places(recoding: Recoding) -> dict[str, int]:
    """Recoded labels in the order of the original levels; none where their levels overlap."""
    starts = np.flatnonzero(np.diff(recoding.target, prepend=-1))
    runs = recoding.target[starts]
    if len(set(runs.tolist())) < len(runs):
        return {}
    labels = recoding.recoded.levels.labels
    return {labels[level]: place for place, level in enumerate(runs)}


def _order_known(variable: Described) -> bool:
    assert variable.protected is not None
    levels = variable.protected.levels
    if levels.numeric or parse_intervals(levels.labels) or variable.given.protected_type:
        return True
    known: set[str] = set(variable.original.levels.labels)
    known |= {label_of(value) for value in variable.given.order or ()}
    return set(levels.labels) <= known


def _reordered(side: Side, place: dict[str, int]) -> tuple[Side, Index]:
    """The side with its levels in the given order, and where each old level went."""
    labels = side.levels.labels
    ranked = sorted(range(len(labels)), key=lambda i: place[labels[i]])
    move = np.empty(len(labels), dtype=np.intp)
    move[ranked] = np.arange(len(labels))
    levels = side.levels.regrouped(move, tuple(labels[i] for i in ranked))
    lookup = np.append(move, len(labels))[side.lookup]
    return replace(side, levels=levels, lookup=lookup, intervals=None), move
