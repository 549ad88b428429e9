"""How far a unit's protected number is from its original one (aligned tables only)."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, sqrt

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass


@dataclass(frozen=True)
class Apart:
    """Sums over the units of one variable that have a number on both sides."""

    compared: int
    absolute: float
    """Σ|x - z|."""
    square: float
    """Σ(x - z)²."""
    nonzero: int
    """Units with x ≠ 0."""
    relative: float
    """Σ|x - z|/|x| over these."""
    deviation: float
    """S, the original's standard deviation (n - 1)."""

    @staticmethod
    def of(sums: Floats, deviation: float) -> Apart:
        """From the answer of the pass `Differences`."""
        compared, absolute, square, nonzero, relative = sums.tolist()
        return Apart(int(compared), absolute, square, int(nonzero), relative, deviation)

    @property
    def standardised(self) -> float:
        """Σ|x - z| / (√2 S)."""
        return self.absolute / (sqrt(2.0) * self.deviation)

    def mean(self, total: float) -> float:
        """A mean over the compared units."""
        if not self.compared:
            raise Undefined(say("no unit has a value on both sides"))
        return finite(total / self.compared)


def il1s(variables: Sequence[Apart]) -> float:
    """(1/pn) Σ_j Σ_i |x_ij - z_ij| / (√2 S_j); pn is the number of terms. Constant ones left out.

    Yancey, Winkler and Creecy 2002; sdcMicro's "IL1old".

    >>> round(il1s([Apart(2, 2.0, 2.0, 2, 1.0, 1.0)]), 4)
    0.7071
    """
    counted = [v for v in variables if v.deviation > 0]
    if variables and not counted:
        raise Undefined(say("the original is constant or has one unit"))
    terms = sum(v.compared for v in counted)
    if not terms:
        raise Undefined(say("no unit has a value on both sides"))
    return finite(sum(v.standardised for v in counted) / terms)


def il1(variables: Sequence[Apart]) -> float:
    """(1/pn) Σ_j Σ_i |x_ij - z_ij| / |x_ij|, units with x_ij = 0 left out."""
    terms = sum(v.nonzero for v in variables)
    if not terms:
        raise Undefined(say("no unit has an original value other than 0 and a protected value"))
    return finite(sum(v.relative for v in variables) / terms)


def finite(value: float) -> float:
    """A figure; `Undefined` where numbers were too large or too small to calculate with."""
    if not isfinite(value):
        raise Undefined(say("the numbers are too large or too small to calculate with"))
    return value
