"""Rounding rules: how fine numbers are, and whether released ones are original ones rounded."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import numpy as np

from microgauge.arrays import Flags, Floats
from microgauge.records import dataclass
from microgauge.values.levels import sums_by

EXPLAINED = 0.95
"""Share of aligned rows that a rule must give."""
MOVED = 0.5
"""Share of the rows that a rule would change which must have changed so. Where most numbers are
multiples already, nearly any change would pass for rounding otherwise."""
MOST_DECIMALS = 6
CLOSE = 1e-6
"""Steps by which a multiple may be missed."""
FIRST = 256
"""Numbers that are looked at before all are."""
MOST_FREQUENT = 96
"""Values from which units are guessed, those with most rows."""

Mode = Literal["nearest", "floor", "ceiling"]
Halves = Literal["even", "up", "away"]
"""Where halves go in rounding to the nearest: programs differ."""
_MODES: tuple[Mode, ...] = ("nearest", "floor", "ceiling")


@dataclass(frozen=True)
class Rule:
    """Numbers rounded to multiples of a unit."""

    unit: float
    mode: Mode
    halves: Halves = "even"

    @property
    def largest_error(self) -> float:
        """Half the unit for rounding to the nearest, the whole one otherwise."""
        return self.unit / 2.0 if self.mode == "nearest" else self.unit

    def applied(self, numbers: Floats) -> Floats:
        """Numbers rounded by the rule; to the nearest, halves go where the rule says."""
        multiples = self._whole(np.round(numbers / self.unit, 9)) * self.unit
        # 3 × 0.1 is not 0.3: rounding to the unit's own decimals gives the number that is written.
        decimals = max(0, -int(Decimal(str(self.unit)).as_tuple().exponent))
        return np.asarray(np.round(multiples, decimals) + 0.0, dtype=np.float64)

    def _whole(self, steps: Floats) -> Floats:
        if self.mode != "nearest":
            return np.floor(steps) if self.mode == "floor" else np.ceil(steps)
        if self.halves == "even":
            return np.rint(steps)
        if self.halves == "up":
            return np.floor(steps + 0.5)
        return np.asarray(np.copysign(np.floor(np.abs(steps) + 0.5), steps))

    def __str__(self) -> str:
        return f"{self.mode}, to {self.unit:g}"


def resolution(numbers: Floats) -> float | None:
    """The largest unit that all numbers are multiples of; None where there is none to speak of.

    >>> resolution(np.array([10.0, 25.0, 40.0])), resolution(np.array([0.5, 1.25]))
    (5.0, 0.25)
    """
    finite = numbers[np.isfinite(numbers)]
    some = finite[:FIRST]
    told = np.abs(some).max(initial=0.0) > CLOSE  # numbers next to 0 are multiples of anything
    if not len(finite) or (told and not _resolutions(some[np.newaxis])):
        return None  # what a part has not, the whole has not
    return next(iter(_resolutions(finite[np.newaxis])), None)


def _resolutions(sets: Floats) -> set[float]:
    """The resolutions of sets of finite numbers, one in each row; those without one add none."""
    found: set[float] = set()
    for decimals in range(MOST_DECIMALS + 1):
        scaled = sets * 10.0**decimals
        whole = np.rint(scaled)
        exact = np.abs(whole).max(axis=1, initial=0.0) < 2.0**53
        multiples = exact & (np.abs(scaled - whole) <= CLOSE).all(axis=1)
        units = np.gcd.reduce(np.abs(whole[multiples]).astype(np.int64), axis=1)
        found |= {float(Decimal(int(u)).scaleb(-decimals)) for u in np.unique(units) if u}
        sets = sets[exact & ~multiples]
    return found


def coarsest_units(numbers: Floats, rows: Floats) -> list[float]:
    """Units of which nearly all rows are multiples, the coarsest first: what rounding may leave.

    A few numbers that are no multiples (a top code, changed records) do not hide the unit.

    >>> coarsest_units(np.array([0.0, 10.0, 25.0, 40.0, 41.0]), np.array([50.0, 20, 20, 20, 1]))[0]
    5.0
    """
    here = np.isfinite(numbers) & (numbers != 0.0) & (rows > 0)
    order = np.lexsort((numbers[here], -rows[here]))[:MOST_FREQUENT]
    common = numbers[here][order]
    finest = resolution(numbers)
    guesses = set() if finest is None else {finest}
    for step in (1, 2, 3, 5):
        three = [np.roll(common, -times * step) for times in range(3)]
        guesses |= _resolutions(np.abs(np.stack(three, axis=1)))
    total = rows.sum()
    return [
        unit
        for unit in sorted(guesses, reverse=True)
        if rows[_multiples(numbers, unit)].sum() >= EXPLAINED * total
    ]


def _multiples(numbers: Floats, unit: float) -> Flags:
    steps = numbers / unit
    return np.asarray(np.isclose(steps, np.rint(steps), rtol=0.0, atol=CLOSE))


def found_rule(original: Floats, released: Floats, rows: Floats, own: float | None) -> Rule | None:
    """The rule by which original numbers became released ones, cell by cell; None if none does.

    Only a unit coarser than the original's own resolution is a rule, and only one that changed
    something: where other values were suppressed, those left may be multiples by chance.
    """
    if rows.sum() <= 0:
        return None
    values, place = np.unique(released, return_inverse=True)
    for unit in coarsest_units(values, sums_by(place, rows, len(values))):
        if own is not None and unit <= own:
            return None
        given = {rule: _given(rule, original, released, rows) for rule in _rules(unit)}
        best = max(given, key=lambda rule: given[rule])  # the first of equals
        if given[best]:
            return best
    return None


def _rules(unit: float) -> list[Rule]:
    halves: tuple[Halves, ...] = ("even", "up", "away")
    nearest = [Rule(unit, "nearest", way) for way in halves]
    return [*nearest, *(Rule(unit, mode) for mode in _MODES[1:])]


def _given(rule: Rule, original: Floats, released: Floats, rows: Floats) -> float:
    """Rows that a rule gives; 0 where they are not enough to call it one."""
    close = rule.unit * CLOSE
    rounded = rule.applied(original)
    hits = np.isclose(rounded, released, rtol=0.0, atol=close)
    moves = ~np.isclose(rounded, original, rtol=0.0, atol=close)
    moved, found = rows[moves].sum(), float(rows[hits].sum())
    if not moved or rows[hits & moves].sum() < MOVED * moved:
        return 0.0
    return found if found >= EXPLAINED * rows.sum() else 0.0
