"""Rounding rules: how fine numbers are, and whether released ones are original ones rounded."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from math import gcd
from typing import Literal

import numpy as np

from microgauge.arrays import Floats

EXPLAINED = 0.95
"""Share of aligned rows that a rule must give."""
MOST_DECIMALS = 6

Mode = Literal["nearest", "floor", "ceiling"]
_MODES = {"nearest": np.rint, "floor": np.floor, "ceiling": np.ceil}


@dataclass(frozen=True)
class Rule:
    """Numbers rounded to multiples of a unit."""

    unit: float
    mode: Mode

    @property
    def largest_error(self) -> float:
        """Half the unit for rounding to the nearest, the whole one otherwise."""
        return self.unit / 2.0 if self.mode == "nearest" else self.unit

    def applied(self, numbers: Floats) -> Floats:
        """Numbers rounded by the rule; to the nearest, halves go to the even multiple."""
        multiples = _MODES[self.mode](np.round(numbers / self.unit, 9)) * self.unit
        # 3 × 0.1 is not 0.3: rounding to the unit's own decimals gives the number that is written.
        decimals = max(0, -int(Decimal(str(self.unit)).as_tuple().exponent))
        return np.asarray(np.round(multiples, decimals) + 0.0, dtype=np.float64)

    def __str__(self) -> str:
        return f"{self.mode}, to {self.unit:g}"


def resolution(numbers: Floats) -> float | None:
    """The largest unit that all numbers are multiples of; None where there is none to speak of.

    >>> resolution(np.array([10.0, 25.0, 40.0])), resolution(np.array([0.5, 1.25]))
    (5.0, 0.25)
    """
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return None
    for decimals in range(MOST_DECIMALS + 1):
        scaled = finite * 10.0**decimals
        whole = np.rint(scaled)
        if np.abs(whole).max() >= 2.0**53:
            return None
        if np.allclose(scaled, whole, rtol=0.0, atol=1e-6):
            unit = reduce(gcd, (int(abs(n)) for n in whole))
            return float(Decimal(unit).scaleb(-decimals)) if unit else None
    return None


def found_rule(original: Floats, released: Floats, rows: Floats, own: float | None) -> Rule | None:
    """The rule by which original numbers became released ones, cell by cell; None if none does.

    Only a unit coarser than the original's own resolution is a rule, and only one that changed
    something: where other values were suppressed, those left may be multiples by chance.
    """
    unit = resolution(np.unique(released))
    if unit is None or rows.sum() <= 0 or (own is not None and unit <= own):
        return None
    if not rows[~np.isclose(original, released, rtol=0.0, atol=unit * 1e-6)].sum():
        return None
    for mode in _MODES:
        rule = Rule(unit, mode)  # type: ignore[arg-type]
        hits = np.isclose(rule.applied(original), released, rtol=0.0, atol=unit * 1e-6)
        if rows[hits].sum() >= EXPLAINED * rows.sum():
            return rule
    return None
