"""Intervals for shares equal those of statsmodels and scipy."""

import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from microgauge.measures.disclosure.shares import clopper_pearson, wilson


@pytest.mark.parametrize("trials", [1, 7, 500, 20_000])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.9875])
def test_equal_to_others(trials, level):
    for count in {0, 1, trials // 3, trials - 1, trials}:
        share = count / trials
        expected = proportion_confint(count, trials, 1 - level, "wilson")
        assert wilson(share, trials, level) == pytest.approx(expected, abs=1e-12)
        expected = binomtest(count, trials).proportion_ci(level, "exact")
        assert clopper_pearson(share, trials, level) == pytest.approx(tuple(expected), abs=1e-9)


def test_between_two_counts_the_exact_limits_are_between_theirs():
    lows, highs = zip(*(clopper_pearson(c / 50, 50) for c in (3.0, 3.5, 4.0)), strict=True)
    assert list(lows) == sorted(lows)
    assert list(highs) == sorted(highs)


def test_ends():
    assert wilson(0.0, 5)[0] == 0.0
    assert wilson(1.0, 5)[1] == 1.0
    assert clopper_pearson(0.0, 5)[0] == 0.0
    assert clopper_pearson(1.0, 5)[1] == 1.0
