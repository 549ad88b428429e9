"""The individual risk of Benedetti and Franconi against its definition."""

from __future__ import annotations

from decimal import Decimal, getcontext
from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from microgauge.errors import Undefined
from microgauge.measures.risk.individual import individual_risk, total_risk

getcontext().prec = 80


def risk(size: int, weight: float) -> float:
    return float(individual_risk(np.array([size]), np.array([weight]))[0])


def posterior_mean(size: int, weight: float) -> float:
    """E(1/F | f): ∫ M(t) dt, M the generating function E(e^-tF) of the negative binomial."""
    p = size / weight

    def generated(t: float) -> float:
        return float((p * exp(-t) / (1 - (1 - p) * exp(-t))) ** size)

    ends = [0.0, p, 10 * p, 1.0, 10.0, np.inf]
    parts = [integrate.quad(generated, *part, epsabs=0, epsrel=1e-11) for part in pairwise(ends)]
    return float(sum(part for part, _ in parts))


def with_many_digits(size: int, weight: float) -> float:
    """The formulas for f = 1 and 2 with 80 digits, so that nothing cancels."""
    p = Decimal(size) / Decimal(weight)
    odds, inverse = p / (1 - p), -p.ln()
    return float(odds * inverse if size == 1 else odds - odds**2 * inverse)


def test_half_of_each_class_by_hand() -> None:
    # p = ½: p/(1 - p) = 1 and ln(1/p) = ln 2, so f = 1: ln 2; f = 2: 1 - ln 2;
    # f = 3: ½/(2 + ½) = 1/5; f = 10: ½/(9 + ½) = 1/19.
    sizes = np.array([1, 2, 3, 10])
    expected = [log(2), 1 - log(2), 1 / 5, 1 / 19]
    assert individual_risk(sizes, 2.0 * sizes) == pytest.approx(expected, rel=1e-14)


def test_a_tenth_of_each_class_by_hand() -> None:
    # p = 1/10: p/(1 - p) = 1/9. f = 1: ln 10 / 9; f = 2: 1/9 - ln 10 / 81; f = 4: 0.1/3.1.
    sizes = np.array([4, 1, 2])
    expected = [1 / 31, log(10) / 9, 1 / 9 - log(10) / 81]
    assert individual_risk(sizes, 10.0 * sizes) == pytest.approx(expected, rel=1e-14)


def test_published_risks() -> None:
    # sdcMicro's report on a household file of Sierra Leone; f, F and hierarchical risk (of one
    # record a household here, the individual risk) as printed: microdata.statistics.sl, catalog 16,
    # sdcReport_internal_S1C_PH.html. f is 3 or more in all rows.
    sizes, weights = np.array([12, 10, 10, 7]), np.array([1316.701, 2595.686, 2760.185, 5079.996])
    printed = [0.0008278, 0.0004279, 0.0004024, 0.0002296]
    assert individual_risk(sizes, weights) == pytest.approx(printed, abs=5e-8)


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("times", [1.0001, 1.05, 1.2, 2.0, 7.5, 100.0, 1_000.0])
def test_small_classes_have_the_posterior_mean(size: int, times: float) -> None:
    assert risk(size, size * times) == pytest.approx(
        posterior_mean(size, size * times), rel=1e-9, abs=0
    )


@pytest.mark.parametrize("size", [3, 4, 10])
@pytest.mark.parametrize("times", [1.2, 2.0, 3.3, 10.0, 100.0])
def test_larger_classes_are_a_little_above_the_posterior_mean(size: int, times: float) -> None:
    excess = risk(size, size * times) / posterior_mean(size, size * times) - 1
    assert 1e-5 < excess < 0.041


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("more", [1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.111, 0.12, 0.9, 1.1, 9.0])
def test_nothing_cancels_where_nearly_all_are_in_the_sample(size: int, more: float) -> None:
    weight = size * (1 + more)
    assert risk(size, weight) == pytest.approx(with_many_digits(size, weight), rel=3e-15, abs=0)


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("times", [1e2, 1e5, 1e9, 1e15, 1e200])
def test_nothing_cancels_where_hardly_any_are(size: int, times: float) -> None:
    weight = size * times
    assert risk(size, weight) == pytest.approx(with_many_digits(size, weight), rel=3e-15, abs=0)


@settings(deadline=None)
@given(size=st.integers(1, 50), times=st.floats(1.0, 1e6), further=st.floats(1.0, 10.0))
def test_risk_falls_with_the_weight_from_one_in_f(size: int, times: float, further: float) -> None:
    near, far = risk(size, size * times), risk(size, size * times * further)
    rounding = 1 + 1e-14
    assert 1 / (size * times) <= near * rounding
    assert near <= rounding / size
    assert far <= near * rounding


def test_weights_of_one_give_one_in_f() -> None:
    sizes = np.array([1, 2, 3, 7])
    assert individual_risk(sizes, sizes.astype(float)) == pytest.approx(1 / sizes, rel=1e-15)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_weights_of_one_may_come_rounded(size: int) -> None:
    assert risk(size, size * (1 - 1e-12)) == 1 / size


def test_weights_below_one_have_no_risk() -> None:
    sizes, weights = np.array([1, 2, 3, 4]), np.array([0.9, 2.0, 2.5, 80.0])
    with pytest.raises(Undefined, match=r"less than their records: 2$"):
        individual_risk(sizes, weights)


@pytest.mark.parametrize("weight", [np.nan, np.inf])
def test_weights_must_be_finite(weight: float) -> None:
    with pytest.raises(Undefined, match="finite"):
        risk(1, weight)


def test_the_sum_is_over_records() -> None:
    # f = 1, F = 2: ln 2 once; f = 2, F = 4: 1 - ln 2 twice; f = 3, F = 6: 1/5 three times.
    sizes = np.array([1, 2, 3])
    total = total_risk(sizes, individual_risk(sizes, 2.0 * sizes))
    assert total == pytest.approx(2 - log(2) + 0.6)
