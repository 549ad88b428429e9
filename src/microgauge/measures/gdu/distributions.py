"""Do two distributions of one variable differ? Tests of original against protected values."""

from __future__ import annotations

import warnings
from math import exp, gcd
from threading import Lock

import numpy as np
from scipy import special

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.kernels import compiled
from microgauge.languages.messages import say
from microgauge.measures.gdu.kolmogorov import exact_tail, kolmogorov_tail
from microgauge.records import dataclass
from microgauge.results import Test
from microgauge.values.levels import Levels, common, sums_by

NO_WEIGHT = say("its values have no weight on one side")
EXACT_LIMIT = 10_000
"""scipy's `ks_2samp` is exact up to so many values on the larger side."""


@dataclass(frozen=True)
class Comparison:
    """A test of two distributions."""

    test: Test
    statistic: float
    p: float

    @property
    def utility(self) -> float:
        """1 - exp(-14 p): 0.9999992 where nothing differs, about one half at p = 0.05."""
        return perturbation_utility(self.p)


def perturbation_utility(p: float) -> float:
    """LDUunipsr.

    >>> round(perturbation_utility(0.05), 4), round(perturbation_utility(0.01), 4)
    (0.5034, 0.1306)
    """
    return 1.0 - exp(-14.0 * p)


def kolmogorov_smirnov(original: Levels, protected: Levels, test_n: int | None) -> Comparison:
    """Two-sample Kolmogorov–Smirnov test of numbers, as scipy's `ks_2samp` with method "auto".

    With unequal weights or `test_n`, asymptotic, with effective numbers of units.
    """
    if original.sums.sum() <= 0 or protected.sums.sum() <= 0:
        raise Undefined(NO_WEIGHT)
    if test_n is None and _unweighted(original) and _unweighted(protected):
        return _unweighted_ks(original, protected)
    n, m = (_units(levels, test_n) for levels in (original, protected))
    distance = largest_distance(original, protected)
    return Comparison("kolmogorov-smirnov", distance, _asymptotic(distance, n, m))


def _unweighted(levels: Levels) -> bool:
    return bool(
        (levels.sums == levels.rows).all() and (levels.weighing.squares[:-1] == levels.rows).all()
    )


_FILTERS = Lock()
"""Filters of warnings are the whole process's: threads that change them must take turns."""


def _unweighted_ks(original: Levels, protected: Levels) -> Comparison:
    n, m = original.present, protected.present
    if max(n, m) > EXACT_LIMIT:
        distance = largest_distance(original, protected)
        return Comparison("kolmogorov-smirnov", distance, _asymptotic(distance, n, m))
    if compiled() is not None:
        return _exact_ks(original, protected)
    from scipy import stats  # takes half a second to load: only where there are no compiled loops

    samples = (np.repeat(side.numbers, side.rows) for side in (original, protected))
    with _FILTERS, warnings.catch_warnings():
        # Where the exact p cannot be had, scipy says so and gives the asymptotic one.
        warnings.simplefilter("ignore", RuntimeWarning)
        found = stats.ks_2samp(*samples, method="auto")
    return Comparison("kolmogorov-smirnov", float(found.statistic), float(found.pvalue))


def _exact_ks(original: Levels, protected: Levels) -> Comparison:
    """The same as scipy's exact test; where it cannot be had, the asymptotic one."""
    n, m = original.present, protected.present
    a, b, size = common(original.numbers, protected.numbers)
    before, after = (
        np.cumsum(np.bincount(at, side.rows, size)).astype(np.int64)
        for at, side in ((a, original), (b, protected))
    )
    shared = gcd(n, m)
    steps = int(np.abs(before * (m // shared) - after * (n // shared)).max())
    distance = steps / (n // shared * m)
    p = exact_tail(n, m, steps)
    if not 0.0 <= p <= 1.0:
        p = _asymptotic(distance, n, m)
    return Comparison("kolmogorov-smirnov", distance, p)


def largest_distance(original: Levels, protected: Levels) -> float:
    """The largest difference between the two (weighted) distribution functions, 0 to 1.

    `Undefined` where the values of a side have no weight.
    """
    # Kept with the protected levels: those of an original outlive many candidates.
    return protected.once(("distance", original), lambda: _distance(original, protected))


def _distance(original: Levels, protected: Levels) -> float:
    if original.sums.sum() <= 0 or protected.sums.sum() <= 0:
        raise Undefined(NO_WEIGHT)
    a, b, size = common(original.numbers, protected.numbers)
    before = np.cumsum(sums_by(a, original.sums, size))
    after = np.cumsum(sums_by(b, protected.sums, size))
    before /= before[-1]
    after /= after[-1]
    before -= after
    return min(float(np.abs(before, out=before).max()), 1.0)


def _asymptotic(distance: float, n: float, m: float) -> float:
    """scipy's formula of `ks_2samp(method="asymp")`."""
    units = int(np.round(n * m / (n + m)))
    if units < 1:
        raise Undefined(say("too few effective units for a test"))
    return 1.0 if distance == 0 else kolmogorov_tail(distance, units)


def _units(levels: Levels, test_n: int | None) -> float:
    _, _, effective = levels.units
    return effective if test_n is None else min(effective, float(test_n))


def chi_squared(
    original: Levels, protected: Levels, test_n: int | None, *, missing_category: bool
) -> Comparison:
    """Chi-squared test of (original, protected) × categories, over the union of categories.

    One category in all, the same on both sides: p = 1. No continuity correction.
    """
    a, b, size = common(original.keys, protected.keys)
    rows = [_row(original, a, size, missing_category), _row(protected, b, size, missing_category)]
    if not all(row.sum() > 0 for row, _ in rows):
        raise Undefined(NO_WEIGHT)
    table = np.stack([_scaled(row, units, test_n) for row, units in rows])
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] == 1:
        return Comparison("chi-squared", 0.0, 1.0)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = float(((table - expected) ** 2 / expected).sum())
    return Comparison(
        "chi-squared", statistic, float(special.chdtrc(table.shape[1] - 1, statistic))
    )


def _row(levels: Levels, places: Index, size: int, missing: bool) -> tuple[Floats, float]:
    """Weights over the union of categories, and the effective number of units behind them."""
    row = sums_by(places, levels.sums, size)
    if missing:
        row = np.append(row, levels.weighing.sums[-1])
    _, _, units = levels.weighing.over(slice(None) if missing else slice(0, -1))
    return row, units


def _scaled(row: Floats, units: float, test_n: int | None) -> Floats:
    wanted = units if test_n is None else min(units, float(test_n))
    total = float(row.sum())
    return row if wanted == total else row * (wanted / total)
