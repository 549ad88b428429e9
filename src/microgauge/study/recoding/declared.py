"""Recodings that a schema declares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.schema import Recode, Rounding
from microgauge.study.recoding.labels import distinct_labels, in_intervals
from microgauge.study.variable import Described, Side
from microgauge.values.intervals import Interval, parse_interval
from microgauge.values.labels import label_of, number_label
from microgauge.values.levels import Keys, Levels
from microgauge.values.rounding import Rule


def declared_targets(variable: Described, recode: Recode) -> tuple[Keys, Index]:
    """The values after recoding, and which of them each level became."""
    assert variable.protected is not None
    levels, protected = variable.original.levels, variable.protected
    if recode.map is not None:
        return _mapped(levels, protected, {label_of(k): label_of(v) for k, v in recode.map.items()})
    if recode.prefix is not None:
        return _prefixed(levels, protected, recode.prefix)
    if not levels.numeric:
        raise Undefined(
            say("breaks, top, bottom and round need a variable whose values are numbers.")
        )
    if recode.breaks is not None:
        return _banded(levels.numbers, protected, recode)
    return _as_protected(
        _recoded_numbers(levels.numbers, recode, variable.given.rounding), protected
    )


def _mapped(levels: Levels, protected: Side, mapping: dict[str, str]) -> tuple[Keys, Index]:
    uncovered = [label for label in levels.labels if label not in mapping]
    if uncovered:
        raise Undefined(
            say(
                "the map does not cover {n} of the {n2} distinct values of the original.",
                n=len(uncovered),
                n2=len(levels),
            )
        )
    labels = [mapping[label] for label in levels.labels]
    if protected.levels.numeric and all(_is_number(label) for label in labels):
        keys, target = np.unique([float(label) for label in labels], return_inverse=True)
        return keys, target
    return distinct_labels(labels, _order_of(protected, levels, labels))


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
    return distinct_labels(labels, lambda label: label)


def _banded(numbers: Floats, protected: Side, recode: Recode) -> tuple[Keys, Index]:
    assert recode.breaks is not None
    breaks = np.array(recode.breaks, dtype=np.float64)
    side: Literal["right", "left"] = "right" if recode.closed == "left" else "left"
    band = np.searchsorted(breaks, numbers, side=side) - 1
    uncovered = int((band < 0).sum())
    if uncovered:
        raise Undefined(
            say(
                "the breaks do not cover {uncovered} of the {n} distinct values of the "
                "original: they lie below the first break.",
                uncovered=uncovered,
                n=len(numbers),
            )
        )
    labels = recode.labels or band_labels(breaks, recode.closed, protected)
    if protected.levels.numeric and all(_is_number(label_of(label)) for label in labels):
        keys = np.array([float(label_of(label)) for label in labels])
        values, target = np.unique(keys[band], return_inverse=True)
        return values, target
    names = [label_of(label) for label in labels]
    used = np.unique(band)
    return tuple(names[i] for i in used), np.searchsorted(used, band)


def band_labels(breaks: Floats, closed: str, protected: Side) -> tuple[str, ...]:
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
    """Top and bottom codes, or rounding."""
    if recode.round is not None:
        return Rule(recode.round, rounding).applied(numbers)
    return np.clip(numbers, recode.bottom, recode.top)


def _as_protected(numbers: Floats, protected: Side) -> tuple[Keys, Index]:
    """Recoded numbers under the protected table's labels where those are intervals ("80+")."""
    if protected.intervals is None:
        return np.unique(numbers, return_inverse=True)
    return in_intervals(numbers, protected.intervals, protected.levels.labels)
