"""How wide a recoded cell is: from the recoding to the penalty of each protected level."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats
from microgauge.measures.loss.certainty import merge_penalties, width_penalties
from microgauge.schema import Recode
from microgauge.study.recoding import Form, Recoding
from microgauge.study.variable import Described
from microgauge.values.intervals import Interval, parse_interval
from microgauge.values.levels import common

TOP_CODED: tuple[Form, ...] = ("top-coded", "top- and bottom-coded")
BOTTOM_CODED: tuple[Form, ...] = ("bottom-coded", "top- and bottom-coded")


def penalties(variable: Described, recoding: Recoding) -> Floats:
    """The normalised certainty penalty of each level of the protected variable.

    Levels that the recoding does not give (values changed in another way) have none.
    """
    protected = variable.protected
    assert protected is not None
    if variable.original.type == "continuous":
        numbers = variable.original.levels.numbers
        widths = widths_of(variable, recoding)
        recoded = width_penalties(widths, float(numbers[-1] - numbers[0]))
    else:
        recoded = merge_penalties(recoding.target, len(recoding.recoded.levels))
    ours, theirs, size = common(recoding.recoded.levels.keys, protected.levels.keys)
    spread = np.zeros(size)
    spread[ours] = recoded
    return spread[theirs]


def widths_of(variable: Described, recoding: Recoding) -> Floats:
    """The width of each recoded level of a number: upper less lower break."""
    numbers = variable.original.levels.numbers
    size = len(recoding.recoded.levels)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, recoding.target, numbers)
    np.maximum.at(high, recoding.target, numbers)
    given = variable.given.recode
    if given is not None and given.breaks is not None:
        return _break_widths(low, given, numbers)
    if given is not None and given.round is not None:
        return np.full(size, float(given.round))
    step = resolution_of(variable)
    if recoding.recoded.levels.numeric:
        widths = np.where(high > low, high - low + step, 0.0)
        return _with_tails(widths, low, high, recoding, given)
    labels = recoding.recoded.levels.labels
    found = [parse_interval(label) for label in labels]
    return np.array(
        [
            _span(high[i] - low[i], step)
            if interval is None
            else _width(interval, numbers, step, bracket=labels[i][:1] in "[(]")
            for i, interval in enumerate(found)
        ]
    )


def resolution_of(variable: Described) -> float:
    """The step of the original values: declared, or 1 for whole numbers."""
    if variable.given.resolution is not None:
        return variable.given.resolution
    numbers = variable.original.levels.numbers
    return 1.0 if bool((numbers == np.floor(numbers)).all()) else 0.0


def _break_widths(low: Floats, recode: Recode, numbers: Floats) -> Floats:
    """Widths between declared breaks, by a number that each band holds."""
    breaks = np.array(recode.breaks, dtype=np.float64)
    ends = np.append(breaks[1:], max(breaks[-1], numbers[-1]))
    band = np.searchsorted(breaks, low, side="right" if recode.closed == "left" else "left") - 1
    return np.asarray((ends - breaks)[band])


def _span(width: float, step: float) -> float:
    return float(width + step) if width > 0 else 0.0


def _width(interval: Interval, numbers: Floats, step: float, *, bracket: bool) -> float:
    """Open ends are the original's extremes; ends that are whole units count a step more."""
    if interval.single:
        return 0.0
    high = numbers[-1] if np.isinf(interval.high) else interval.high
    low = numbers[0] if np.isinf(interval.low) else interval.low
    whole = float(interval.high).is_integer() or np.isinf(interval.high)
    if interval.counted:
        # 30-39 is 30 up to 40, whether ages have halves or not.
        return max(float(high - low + (1.0 if whole else step)), 0.0)
    ends_below = np.isinf(interval.low) and not interval.high_open and not bracket
    return max(float(high - low + (step if ends_below else 0.0)), 0.0)


def _with_tails(
    widths: Floats, low: Floats, high: Floats, recoding: Recoding, given: Recode | None
) -> Floats:
    """Coded tails of numbers end at the original's extremes and begin at the code."""
    codes = recoding.recoded.levels.numbers
    top = recoding.form in TOP_CODED or (given is not None and given.top == codes[-1])
    bottom = recoding.form in BOTTOM_CODED or (given is not None and given.bottom == codes[0])
    if top and max(high[-1] - low[-1], high[-1] - codes[-1]) > 0:
        widths[-1] = high[-1] - min(low[-1], codes[-1])
    if bottom and max(high[0] - low[0], codes[0] - low[0]) > 0:
        widths[0] = max(high[0], codes[0]) - low[0]
    return widths
