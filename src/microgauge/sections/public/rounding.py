"""Steps that figures are rounded to: large enough that one record, or a few, do not show."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, log10, sqrt

from microgauge.measures.analysis.statistics import NORMAL_975

FINEST_SHARE, FINEST_SCORE, COARSEST = 0.001, 0.01, 0.5


def round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, … (and 0.5, 0.2, 0.1, …) that is no less.

    >>> round_step(0.0018), round_step(3.0), round_step(700.0), round_step(0.5)
    (0.002, 5.0, 1000.0, 0.5)
    """
    size = 10.0 ** floor(log10(least))
    return float(f"{next(m * size for m in (1, 2, 5, 10) if m * size >= least * (1 - 1e-9)):.12g}")


def to_step(value: float, step: float) -> float:
    """The nearest multiple.

    >>> to_step(0.1234, 0.05), to_step(31_234.5, 200.0)
    (0.1, 31200.0)
    """
    return float(f"{round(value / step) * step:.12g}")


def up_to_step(value: float, step: float) -> float:
    """The next multiple that is no less, and at least one step: nothing is told to be all but 0."""
    return float(f"{max(ceil(value / step - 1e-9), 1) * step:.12g}")


def down_to_step(value: float, step: float) -> float:
    """The next multiple that is no more.

    >>> down_to_step(0.39, 0.2), down_to_step(0.6, 0.2)
    (0.2, 0.6)
    """
    return float(f"{floor(value / step + 1e-9) * step:.12g}")


def share_step(units: float, threshold: int) -> float | None:
    """Of shares: at least `threshold` records; None where there are too few for any.

    >>> share_step(5_497, 10), share_step(300, 10), share_step(12, 10)
    (0.002, 0.05, None)
    """
    step = round_step(max(threshold / max(units, 1.0), FINEST_SHARE))
    return step if step <= COARSEST else None


def score_step(rows: int, threshold: int) -> float:
    """Of scores between 0 and 1 that come from tests, which see t records as t/√n.

    >>> score_step(5_497, 10), score_step(300, 10), score_step(10_000_000, 10)
    (0.1, 0.5, 0.01)
    """
    least = threshold / (2.0 * sqrt(max(rows, 1)))
    return min(round_step(max(least, FINEST_SCORE)), COARSEST)


def estimate_step(
    value: float, bounds: Sequence[float], units: int, influence: float, threshold: int
) -> float:
    """Of an estimate with its interval: what `threshold` usual records, or any one, move it by."""
    usual = half_width(bounds) / NORMAL_975 / sqrt(max(units, 1))
    least = max(threshold * usual, influence, 1e-6 * abs(value))
    if least <= 0.0 or not isfinite(least):
        least = 1.0
    return round_step(least)


def half_width(bounds: Sequence[float]) -> float:
    """Of an interval."""
    return (bounds[1] - bounds[0]) / 2.0


def few_digits(value: float | None, digits: int) -> float | None:
    """A figure of any size with so many digits that count.

    >>> few_digits(0.0123456, 2), few_digits(None, 2)
    (0.012, None)
    """
    return None if value is None else float(f"{value:.{digits}g}")


def about(rows: int, threshold: int) -> int:
    """A number of rows that does not tell whether one more is in it.

    >>> about(5_497, 10), about(300, 10), about(7, 10)
    (5500, 300, 10)
    """
    step = round_step(float(threshold))
    return int(max(to_step(rows, step), step))
