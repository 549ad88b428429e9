"""Log-linear models against statsmodels' Poisson regression, averages of logarithms and loops."""

from itertools import combinations, product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from microgauge.errors import Undefined
from microgauge.measures.loss.loglinear import (
    LogLinearModel,
    agreement,
    deviance,
    fit_both,
    fit_log_linear,
)

PAIRS = ((0, 1), (0, 2), (1, 2))


def counts(shape=(2, 3, 4), seed=1, mean=20):
    rng = np.random.default_rng(seed)
    rates = np.exp(0.4 * rng.normal(size=shape))
    return rng.poisson(mean * rates).astype(float)


def dummies(sizes, faces):
    """A design with the first category of each variable as reference, cell by cell."""
    rows = []
    for cell in product(*map(range, sizes)):
        row = [1.0]
        for face in faces:
            row += [
                float(tuple(cell[i] for i in face) == held)
                for held in product(*(range(1, sizes[i]) for i in face))
            ]
        rows.append(row)
    return np.array(rows)


def centring(sizes, face):
    """What makes u-terms of the logarithms of all cells: means over the rest, less means within."""
    parts = [
        np.eye(size) - 1 / size if place in face else np.full((1, size), 1 / size)
        for place, size in enumerate(sizes)
    ]
    found = np.ones((1, 1))
    for part in parts:
        found = np.kron(found, part)
    return found


@pytest.mark.filterwarnings("ignore")  # statsmodels, of a saturated model
@pytest.mark.parametrize(
    ("sizes", "margins"),
    [
        ((2, 3, 4), PAIRS),
        ((2, 3, 4), ((0, 1), (2,))),
        ((3, 2), ((0, 1),)),
        ((2, 2, 3, 2), ((0, 1, 2), (2, 3))),
    ],
)
def test_estimates_and_errors_are_those_of_a_poisson_regression(sizes, margins):
    table = counts(sizes)
    model = LogLinearModel(sizes, margins)
    fit = fit_log_linear(model, table)
    faces = sorted(
        {f for m in margins for k in range(1, len(m) + 1) for f in combinations(m, k)},
        key=lambda f: (len(f), f),
    )
    design = dummies(sizes, faces)
    other = sm.GLM(table.ravel(), design, family=sm.families.Poisson()).fit(tol=1e-14, maxiter=200)
    assert model.faces == faces
    assert model.parameters == design.shape[1]
    assert fit.means.ravel() == pytest.approx(other.mu, rel=1e-7)
    assert fit.deviance == pytest.approx(other.deviance, rel=1e-7, abs=1e-8)
    for face in faces:
        turned = centring(sizes, face) @ design
        values, errors = fit.terms[face]
        assert values == pytest.approx(turned @ other.params, abs=1e-7)
        expected = np.sqrt(np.diag(turned @ other.cov_params() @ turned.T))
        assert errors == pytest.approx(expected, rel=1e-6)


def test_deviance_with_empty_cells():
    table, means = np.array([3.0, 0.0, 5.0]), np.array([2.0, 1.0, 5.0])
    assert deviance(table, means) == pytest.approx(sm.families.Poisson().deviance(table, means))
    assert deviance(means, means) == 0


def test_the_order_of_categories_changes_nothing():
    before, after = counts(), counts(seed=2)
    model = LogLinearModel((2, 3, 4), PAIRS)
    turned = [np.flip(t[:, [2, 0, 1]], axis=2) for t in (before, after)]
    found = [
        agreement(*fit_both(model, *pair)[:2], model.faces) for pair in ((before, after), turned)
    ]
    assert found[0].overlap == pytest.approx(found[1].overlap, rel=1e-8)
    assert found[0].same == found[1].same
    assert found[0].rank_correlation == pytest.approx(found[1].rank_correlation, rel=1e-8)


def test_agreement_one_by_one():
    before, after = counts(mean=30), counts(seed=5, mean=30)
    model = LogLinearModel((2, 3, 4), PAIRS)
    first, second, added = fit_both(model, before, after)
    assert added == 0
    same, signs, overlaps, pairs = [], [], [], []
    for face in model.faces:
        for x, e, z, f in zip(*first.terms[face], *second.terms[face], strict=True):
            seen = [2 * stats.norm.sf(abs(v / s)) < 0.05 for v, s in ((x, e), (z, f))]
            same.append(seen[0] == seen[1] and (not seen[0] or (x > 0) == (z > 0)))
            signs.append((x > 0) == (z > 0))
            q = stats.norm.ppf(0.975)
            shared = min(x + q * e, z + q * f) - max(x - q * e, z - q * f)
            overlaps.append((shared / (2 * q * e) + shared / (2 * q * f)) / 2)
            pairs.append((x, z))
    found = agreement(first, second, model.faces)
    assert found.parameters == len(same)
    assert 0 < found.same < 1
    assert (found.same, found.same_sign) == (np.mean(same), np.mean(signs))
    assert found.overlap == pytest.approx(np.mean(overlaps))
    expected = stats.spearmanr(np.round(pairs, 12)).statistic
    assert found.rank_correlation == pytest.approx(expected)
    alike = agreement(first, first, model.faces)
    assert (alike.same, alike.same_sign, alike.overlap) == (1, 1, pytest.approx(1))


def test_empty_margins_are_filled_on_both_sides():
    before, after = counts(), counts(seed=3)
    before[0, 1, :] = 0
    model = LogLinearModel((2, 3, 4), PAIRS)
    with pytest.raises(Undefined, match="has no unit"):
        fit_log_linear(model, before)
    first, second, added = fit_both(model, before, after)
    assert added == model.parameters / 24
    assert (first.counts == before + added).all()
    assert (second.counts == after + added).all()


def test_estimates_at_infinity_are_found_out():
    # Haberman's example: no margin is empty, and yet there are no finite estimates.
    table = np.array([[[0.0, 5], [5, 5]], [[5, 5], [5, 0]]])
    model = LogLinearModel((2, 2, 2), PAIRS)
    assert not model.empty_margin(table)
    with pytest.raises(Undefined, match="not finite"):
        fit_log_linear(model, table)
    assert fit_both(model, table, table)[2] == 7 / 8
    with pytest.raises(Undefined, match="no complete unit"):
        fit_both(model, np.zeros((2, 2, 2)), table)
