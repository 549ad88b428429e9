"""Labels that are intervals: "30-39", "[30,40)", "(30, 40]", "80+", "<18", "65 and over"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.records import dataclass

_NUMBER = r"[-−+]?(?:\d{1,3}(?:[,' ]\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-−+]?\.\d+"
_BOUND = rf"{_NUMBER}|[-−+]?(?:[Ii]nf(?:inity)?|∞)"
_UNIT = re.compile(r"\b(years?|yrs?|aged?)\b( old\b)?|[$€£]", re.IGNORECASE)

_BRACKETS = re.compile(rf"^([\[(\]])\s*({_BOUND})\s*(?:[,;]|\.\.|-|–)\s*({_BOUND})\s*([\])\[])$")
_SPAN = re.compile(rf"^({_NUMBER})\s*(?:-|–|—|\.\.|\bto\b|\bbis\b)\s*({_NUMBER})$", re.IGNORECASE)
_MORE = r"(?:over|above|older|more|up|upwards|greater|higher)"
_LESS = r"(?:under|below|younger|less|fewer|lower)"
_AND = r"(?:and|or|&)"
_AT_LEAST = re.compile(
    rf"^(?:(?:>=|≥|from|at least)\s*({_NUMBER})|({_NUMBER})\s*(?:\+|plus|{_AND}\s+{_MORE}))$",
    re.IGNORECASE,
)
_ABOVE = re.compile(rf"^(?:>|over|above|more than|older than)\s*({_NUMBER})$", re.IGNORECASE)
_AT_MOST = re.compile(
    rf"^(?:(?:<=|≤|up to|at most)\s*({_NUMBER})|({_NUMBER})\s*{_AND}\s+{_LESS})$", re.IGNORECASE
)
_BELOW = re.compile(rf"^(?:<|under|below|less than|younger than)\s*({_NUMBER})$", re.IGNORECASE)
_SINGLE = re.compile(rf"^({_NUMBER})$")


@dataclass(frozen=True, order=True)
class Interval:
    """A range of numbers. `counted` marks ends that are whole units, as in 30-39 for ages."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False
    counted: bool = False

    @property
    def single(self) -> bool:
        """Whether it is one number only."""
        return self.low == self.high

    def holds(self, numbers: Floats) -> Flags:
        """Which numbers lie inside."""
        above = numbers > self.low if self.low_open else numbers >= self.low
        below = numbers < self.high if self.high_open else numbers <= self.high
        return above & below

    def within(self, other: Interval) -> bool:
        """Whether all of this interval lies in the other."""
        low = self.low > other.low or (
            self.low == other.low and (self.low_open or not other.low_open)
        )
        high = self.high < other.high or (
            self.high == other.high
            and (self.high_open or not other.high_open or math.isinf(self.high))
        )
        return low and high


def _number(text: str) -> float:
    return float(re.sub(r"[,' ](?=\d{3})", "", text.replace("−", "-").replace("∞", "inf")))


def parse_interval(label: str) -> Interval | None:
    """The interval a label names, or None if it names none. A plain number is a single one.

    >>> parse_interval("30-39")
    Interval(low=30.0, high=39.0, low_open=False, high_open=False, counted=True)
    >>> parse_interval("(30, 40]")
    Interval(low=30.0, high=40.0, low_open=True, high_open=False, counted=False)
    >>> parse_interval("65 and over")
    Interval(low=65.0, high=inf, low_open=False, high_open=True, counted=False)
    >>> parse_interval("blue") is None, parse_interval("25-00503") is None  # the second is a code
    (True, True)
    """
    text = " ".join(_UNIT.sub(" ", label).split())
    if match := _SINGLE.match(text):
        return Interval(_number(match[1]), _number(match[1]))
    if match := _BRACKETS.match(text):
        return _checked(
            _number(match[2]), _number(match[3]), match[1] in "(]", match[4] in ")[", False
        )
    if (match := _SPAN.match(text)) and not _is_code(match[1], match[2]):
        return _checked(_number(match[1]), _number(match[2]), False, False, True)
    if match := _AT_LEAST.match(text):
        return Interval(_number(match[1] or match[2]), math.inf, high_open=True)
    if match := _ABOVE.match(text):
        return Interval(_number(match[1]), math.inf, low_open=True, high_open=True)
    if match := _AT_MOST.match(text):
        return Interval(-math.inf, _number(match[1] or match[2]), low_open=True)
    if match := _BELOW.match(text):
        return Interval(-math.inf, _number(match[1]), low_open=True, high_open=True)
    return None


def _is_code(low: str, high: str) -> bool:
    """Whether two numbers are parts of a code: one is filled up with zeros, the other is not alike.

    Bands such as 00-04 and 05-09 are filled up at both ends.
    """
    padded = any(len(end) > 1 and end.startswith("0") and end.isdigit() for end in (low, high))
    return padded and len(low) != len(high)


def _checked(
    low: float, high: float, low_open: bool, high_open: bool, counted: bool
) -> Interval | None:
    if low > high or (low == high and (low_open or high_open)):
        return None
    return Interval(low, high, low_open, high_open, counted)


def parse_intervals(labels: Sequence[str]) -> list[Interval] | None:
    """The intervals of a whole column, or None unless all labels are and one is more than a number.

    >>> parse_intervals(["0", "1", "2+"]) is None, parse_intervals(["0", "1", "2"]) is None
    (False, True)
    """
    found = []
    for label in labels:
        interval = parse_interval(label)
        if interval is None:
            return None
        found.append(interval)
    return found if any(not interval.single for interval in found) else None


def assign(numbers: Floats, intervals: Sequence[Interval]) -> Index:
    """Index of each number's interval, -1 where none holds it.

    Where two bands share an end (30-40, 40-50), the upper one holds it, as with left-closed breaks.
    Between bands of whole units (30-39, 40-49) a fraction such as 39.5 belongs to the lower one.
    """
    found = np.full(len(numbers), -1, dtype=np.intp)
    order = sorted(range(len(intervals)), key=lambda i: (intervals[i].low, intervals[i].high))
    for index in order:
        found[intervals[index].holds(numbers)] = index
    counted = [i for i in order if intervals[i].counted]
    for index in counted:
        above = [intervals[i].low for i in order if intervals[i].low > intervals[index].high]
        end = min(above, default=math.inf)
        if end - intervals[index].high <= 1:
            inside = (numbers > intervals[index].high) & (numbers < end) & (found < 0)
            found[inside] = index
    return found


def midpoints(intervals: Sequence[Interval]) -> Floats:
    """The middle of each band; an open one is taken to be as wide as its neighbour.

    >>> midpoints([Interval(0, 10), Interval(10, 30), Interval(30, np.inf)]).tolist()
    [5.0, 20.0, 40.0]
    """
    low = np.array([interval.low for interval in intervals])
    high = np.array([interval.high for interval in intervals])
    order = np.argsort(low)
    widths = (high - low)[order]
    closed = widths[np.isfinite(widths)]
    if not len(closed):
        return np.where(np.isfinite(low), low, high)
    middle = (low + high) / 2.0
    middle = np.where(np.isinf(high), low + closed[-1] / 2.0, middle)
    return np.asarray(np.where(np.isinf(low), high - closed[0] / 2.0, middle))
