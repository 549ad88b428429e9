"""How many records a regression's terms rest on, against statsmodels and by brute force."""

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS, WLS
from statsmodels.stats.outliers_influence import OLSInfluence

from microgauge.measures.analysis import leaning as module
from microgauge.measures.analysis.leaning import leaning


def design(rng, rows=200):
    """An intercept, a factor with a rare category, a skewed number."""
    factor = np.where(np.arange(rows) < 4, 2, rng.integers(0, 2, rows))
    number = rng.lognormal(0, 1, rows)
    return np.column_stack([np.ones(rows), factor == 1, factor == 2, number]).astype(float)


@pytest.mark.parametrize("seed", range(4))
def test_influence_is_dfbeta(seed):
    rng = np.random.default_rng(seed)
    matrix, response = design(rng), rng.normal(size=200)
    fit = OLS(response, matrix).fit()
    found = leaning(matrix, np.ones(200), fit.resid)
    wanted = np.abs(OLSInfluence(fit).dfbeta).max(axis=0)
    assert found.influence == pytest.approx(wanted, rel=1e-9)


def test_the_first_to_go_rests_on_the_largest_leverage():
    rng = np.random.default_rng(1)
    matrix, response = design(rng), rng.normal(size=200)
    hat = OLSInfluence(OLS(response, matrix).fit()).hat_matrix_diag
    found = leaning(matrix, np.ones(200), np.zeros(200))
    assert found.records.min() == pytest.approx(1 / hat.max())
    assert found.records[2] <= 4.001  # a category of four
    assert found.records[[0, 1]].min() > 4.001


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threshold", [3, 10, 30])
def test_no_sum_of_terms_that_are_told_rests_on_fewer(seed, threshold):
    """The record with the most of any sum, over thousands of sums."""
    rng = np.random.default_rng([seed, 5])
    matrix, weights = design(rng), rng.uniform(0.5, 2, 200)
    told = leaning(matrix, weights, np.zeros(200)).records >= threshold
    if not told.any():
        return
    parts = np.linalg.pinv(matrix * np.sqrt(weights)[:, None])[told]
    root = np.linalg.cholesky(np.linalg.inv(parts @ parts.T))
    sums = rng.normal(size=(3000, int(told.sum()))) @ root.T
    made = sums @ parts
    share = made**2 / (made**2).sum(axis=1, keepdims=True)
    assert share.max() <= 1 / threshold + 1e-9


def test_blocks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(3)
    matrix, response = design(rng), rng.normal(size=200)
    fit = WLS(response, matrix, weights=np.ones(200)).fit()
    whole = leaning(matrix, np.ones(200), fit.resid)
    monkeypatch.setattr(module, "BLOCK", 7)
    parts = leaning(matrix, np.ones(200), fit.resid)
    assert parts.records == pytest.approx(whole.records)
    assert parts.influence == pytest.approx(whole.influence)
