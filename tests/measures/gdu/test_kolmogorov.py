"""The tail of Kolmogorov's distribution against scipy's."""

from __future__ import annotations

import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import special, stats

from microgauge.kernels import compiled
from microgauge.measures.gdu.distributions import kolmogorov_smirnov
from microgauge.measures.gdu.kolmogorov import kolmogorov_tail, one_sided_tail, pelz_good
from microgauge.values.levels import Levels, Weighing

SQUARES = [
    1e-4,
    0.003,
    0.03,
    0.041,
    0.05,
    0.1,
    0.19,
    0.3,
    0.754,
    1.0,
    2.19,
    2.21,
    4.0,
    17.9,
    18.1,
    60.0,
    200.0,
    340.0,
]


# scipy adds up every term.
LARGE = [pytest.param(units, marks=pytest.mark.slow) for units in (488_420, 1_000_000)]


@pytest.mark.parametrize(
    "units", [1, 2, 5, 139, 140, 141, 500, 5_000, 10_000, 99_999, 100_001, *LARGE]
)
@pytest.mark.parametrize("square", SQUARES)
def test_tail_is_scipys(units: int, square: float) -> None:
    distance = min((square / units) ** 0.5, 0.999)
    expected = stats.kstwo.sf(distance, units)
    assert kolmogorov_tail(distance, units) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("square", [2.2, 10.0, 100.0])
def test_one_sided_tail_is_the_sum_of_all_terms(square: float) -> None:
    distance = (square / 50_000) ** 0.5
    assert one_sided_tail(distance, 50_000) == pytest.approx(
        special.smirnov(50_000, distance), rel=1e-12
    )


def test_series_tends_to_kolmogorovs_limit() -> None:
    units = 10**12
    assert 1 - pelz_good(1.0 / units**0.5, units) == pytest.approx(
        special.kolmogorov(1.0), rel=1e-5
    )


@pytest.mark.parametrize("distance", [1 - 1e-3, 1 - 1e-5, 1.0])
def test_samples_that_are_wholly_apart(distance: float) -> None:
    for units in (10_000, 20_000, 1_000_000):
        assert kolmogorov_tail(distance, units) == stats.kstwo.sf(distance, units) == 0.0


@pytest.mark.skipif(compiled() is None, reason="no compiled loops")
@pytest.mark.parametrize("seed", range(60))
def test_two_samples_by_scipy_to_the_last_digit(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, rng.choice([4, 40, 900]), 2)
    m = n if seed % 4 == 0 else m
    digits = int(rng.integers(0, 4))
    a = np.round(rng.normal(size=n), digits)
    b = np.round(rng.normal(size=m) + rng.choice([0.0, 0.3, 2.0]), digits)
    found = kolmogorov_smirnov(levels_of(a), levels_of(b), None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        wanted = stats.ks_2samp(a, b)
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-15, abs=0)
    assert found.p == pytest.approx(wanted.pvalue, rel=1e-12, abs=1e-300)


def test_threads_leave_the_filters_of_warnings_as_they_were(monkeypatch):
    monkeypatch.setenv("MICROGAUGE_PLAIN", "1")
    whole, calls = stats.ks_2samp, []

    def slowly(*samples, **choices):
        calls.append(samples)
        time.sleep(0.1 * len(calls))  # who came first is ready first, while the other is at work
        return whole(*samples, **choices)

    monkeypatch.setattr(stats, "ks_2samp", slowly)
    levels = levels_of(np.arange(5.0))
    before = list(warnings.filters)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: kolmogorov_smirnov(levels, levels, None), range(2)))
    assert len(calls) == 2
    assert list(warnings.filters) == before


def levels_of(numbers):
    keys, rows = np.unique(numbers + 0.0, return_counts=True)
    rows = np.append(rows, 0)
    sums = rows.astype(float)
    return Levels(keys, Weighing(rows, sums, sums))
