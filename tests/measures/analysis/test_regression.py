"""Coefficients compared: what counts as the same verdict."""

import pytest

from microgauge.measures.analysis.regression import Coefficient, Fitted, compare_regressions
from microgauge.results import RegressionResult


def fitted(p, value=1.0, error=0.5):
    bounds = (value - 2 * error, value + 2 * error)
    return Fitted({"x": Coefficient(value, error, bounds, p)}, 50, 0.4, {})


def compared(before, after):
    start = RegressionResult(
        bands="midpoints", formula="y ~ x", kind="linear", where=None, robust=False,
        overlap=None, coefficients=(),
    )  # fmt: skip
    (found,) = compare_regressions(start, before, after).coefficients
    return found


@pytest.mark.parametrize(
    ("p", "other", "same"),
    [
        (0.049, 0.001, True),
        (0.049, 0.051, False),
        (0.051, 0.3, True),
        (0.059, 0.3, True),
        (0.05, 0.3, True),
        (0.05, 0.04, False),
    ],
)
def test_a_verdict_is_at_five_per_cent(p, other, same):
    assert compared(fitted(p), fitted(other)).same_verdict is same
    assert compared(fitted(other), fitted(p)).same_verdict is same


def test_signs_and_distances():
    found = compared(fitted(0.01, 1.0, 0.5), fitted(0.01, -1.0, 0.25))
    assert found.same_sign is False
    assert found.standardised_difference == 4.0
    assert compared(fitted(0.01, 0.0), fitted(0.01, 0.0)).same_sign is True
