"""Recodings that interval labels state by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.languages.messages import say
from microgauge.study.variable import Side
from microgauge.values.intervals import Interval, assign, parse_interval
from microgauge.values.levels import Keys


def distinct_labels(
    labels: Sequence[str], order: Callable[[str], object]
) -> tuple[tuple[str, ...], Index]:
    """Distinct labels in order, and the place of each given one."""
    keys = tuple(sorted(set(labels), key=order))  # type: ignore[arg-type]
    index = {key: place for place, key in enumerate(keys)}
    return keys, np.array([index[label] for label in labels], dtype=np.intp)


def labelled_targets(original: Side, protected: Side) -> tuple[Keys, Index] | None:
    """The recoding that interval labels state by themselves."""
    if any(end is not None for end in protected.tails) and original.levels.numeric:
        return _coded_tails(original.levels.numbers, protected.tails)
    if protected.intervals is None:
        return None
    labels = protected.levels.labels
    if original.levels.numeric:
        return in_intervals(original.levels.numbers, protected.intervals, labels)
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
    return distinct_labels(names, lambda label: order[label])


def _coded_tails(
    numbers: Floats, tails: tuple[float | None, float | None]
) -> tuple[Keys, Index] | None:
    """Numbers with the tails that labels such as "80+" name; None where that merges nothing."""
    keys, target = np.unique(np.clip(numbers, *tails), return_inverse=True)
    return None if len(keys) == len(numbers) else (keys, target)


def _narrowest(interval: Interval, bands: Sequence[Interval]) -> int | None:
    inside = [i for i, band in enumerate(bands) if interval.within(band)]
    return min(inside, key=lambda i: bands[i].high - bands[i].low, default=None)


def in_intervals(
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
        labels[ranked[int(p)]] if p == int(p) and p >= 0 else say("outside the bands ({n})", n=n)
        for n, p in enumerate(used, start=1)
    ]
    return tuple(keys), target
