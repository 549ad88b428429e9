"""Box plots: whiskers and outliers after Tukey, against numpy."""

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge.sections.pictures.report import detail_data, told_data
from microgauge.sections.public.distributions import shown


def detail_of(numbers, after=None):
    before = pd.DataFrame({"x": numbers})
    protected = before if after is None else pd.DataFrame({"x": after})
    result = microgauge.assess(before, protected, only=["gdu"], details=True)
    return result.details.variables[0]


@pytest.mark.parametrize("seed", range(5))
def test_whiskers_and_outliers(seed):
    rng = np.random.default_rng(seed)
    numbers, after = rng.standard_t(3, 400), rng.lognormal(0, 1, 400)
    found = detail_of(numbers, after).numbers
    for x, whiskers, outliers, beyond in (
        (numbers, found.whiskers_before, found.outliers_before, found.beyond_before),
        (after, found.whiskers_after, found.outliers_after, found.beyond_after),
    ):
        low, high = np.quantile(x, [0.25, 0.75])
        inside = (x >= low - 1.5 * (high - low)) & (x <= high + 1.5 * (high - low))
        assert whiskers == pytest.approx((x[inside].min(), x[inside].max()), rel=1e-9)
        assert beyond == (~inside).sum() > 0
        assert outliers == pytest.approx(np.sort(x[~inside]), rel=1e-5)


def test_of_very_many_some_with_both_ends():
    rng = np.random.default_rng(3)
    numbers = rng.standard_cauchy(20_000)
    found = detail_of(numbers).numbers
    assert len(found.outliers_before) == 80
    assert found.beyond_before > 1000
    ends = found.outliers_before[0], found.outliers_before[-1]
    assert ends == pytest.approx((numbers.min(), numbers.max()), rel=1e-5)


def test_where_nothing_lies_beyond():
    found = detail_of(np.repeat(np.arange(100.0), 2)).numbers
    assert found.outliers_before == ()
    assert found.whiskers_before == (0.0, 99.0)


def test_data_users_see_none_of_it():
    rng = np.random.default_rng(3)
    detail = detail_of(rng.standard_t(2, 500))
    assert told_data(detail) is None  # but for what was found to be tellable
    (told,) = shown("x", [detail], 10).details
    assert set(told_data(told)) == {"inner", "before", "after"}
    assert {"whiskers", "outliers", "beyond"} <= set(detail_data(detail))
