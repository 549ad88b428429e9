"""The global risk of Skinner and Shlomo: model against statsmodels, figures against the truth."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import exp

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from microgauge.errors import Undefined
from microgauge.measures.risk.loglinear import expected_counts, log_linear_risk

Table = NDArray[np.int64]

fitted = partial(expected_counts, tolerance=1e-10, most_sweeps=5_000)


def classes(table: Table) -> tuple[NDArray[np.intp], NDArray[np.int64], tuple[int, ...]]:
    """Levels, counts and sizes of the cells that hold records."""
    return np.argwhere(table > 0), table[table > 0], table.shape


def design(shape: tuple[int, ...], pairs: bool) -> NDArray[np.float64]:
    """Dummies of every cell of the cross: constant, main effects and, if asked for, all pairs."""
    cells = np.indices(shape).reshape(len(shape), -1)
    mains = [
        [(key == level).astype(float) for level in range(1, size)]
        for key, size in zip(cells, shape, strict=True)
    ]
    columns = [np.ones(cells.shape[1]), *(column for main in mains for column in main)]
    if pairs:
        columns += [a * b for one, other in combinations(mains, 2) for a in one for b in other]
    return np.column_stack(columns)


def generalised_linear(table: Table, pairs: bool = True) -> NDArray[np.float64]:
    """What statsmodels expects of the cells that hold records."""
    model = sm.GLM(table.ravel(), design(table.shape, pairs), family=sm.families.Poisson())
    means = model.fit(tol=1e-13, maxiter=200).fittedvalues.reshape(table.shape)
    return np.asarray(means[table > 0])


@pytest.mark.parametrize("shape", [(3, 4, 2), (2, 3, 2, 4), (2, 2, 2, 2, 3)])
@pytest.mark.parametrize("mean", [1.5, 8.0])
def test_means_are_those_of_a_generalised_linear_model(shape: tuple[int, ...], mean: float) -> None:
    rng = np.random.default_rng(len(shape))
    table = rng.poisson(mean * rng.gamma(2.0, 0.5, shape))
    fit = fitted(*classes(table))
    assert (fit.model, fit.converged) == ("pairs", True)
    assert fit.means == pytest.approx(generalised_linear(table), rel=1e-6)


@pytest.mark.parametrize(("shape", "model"), [((5, 4), "pairs"), ((6,), "main effects")])
def test_two_keys_or_one_saturate_the_model(shape: tuple[int, ...], model: str) -> None:
    levels, counts, sizes = classes(np.random.default_rng(4).poisson(2.0, shape))
    fit = expected_counts(levels, counts, sizes)
    assert (fit.model, fit.converged) == (model, True)
    assert fit.means == pytest.approx(counts)


@pytest.mark.parametrize("shape", [(3, 4, 2), (2, 3, 2, 4), (6, 5)])
def test_a_large_cross_falls_back_to_main_effects(shape: tuple[int, ...]) -> None:
    table = np.random.default_rng(1).poisson(3.0, shape)
    fit = expected_counts(*classes(table), most_cells=23)
    assert (fit.model, fit.iterations, fit.converged) == ("main effects", 0, True)
    assert fit.means == pytest.approx(generalised_linear(table, pairs=False), rel=1e-6)


def test_independence_by_hand() -> None:
    # Of 10 records 4 and 6 by 5 and 5.
    fit = expected_counts(*classes(np.array([[1, 3], [4, 2]])), most_cells=3)
    assert fit.means == pytest.approx([2.0, 2.0, 3.0, 3.0])


def test_a_cross_of_too_many_cells_is_not_built() -> None:
    # 200 categories of four keys: 1.6 · 10⁹ cells. Every key is uniform, so each class is expected
    # 200 / 200⁴ times: all uniques are safe to be unique in the population.
    levels = np.repeat(np.arange(200)[:, None], 4, axis=1)
    risk = log_linear_risk(levels, np.ones(200, dtype=int), (200,) * 4, 0.1)
    assert (risk.model, risk.uniques) == ("main effects", 200)
    assert risk.tau1 == pytest.approx(200 * exp(-9 * 200**-3.0), rel=1e-12)


def test_figures_by_hand() -> None:
    # One key, so the counts are the estimates: uniques are expected once and, drawn with π = ¼,
    # have a Poisson(3) number of doubles.
    levels = np.arange(4)[:, None]
    risk = log_linear_risk(levels, np.array([1, 5, 1, 2]), (4,), 0.25)
    doubles = np.arange(200)
    chances = stats.poisson.pmf(doubles, 3.0)
    assert risk.tau1 == pytest.approx(2 * chances[0])
    assert risk.tau2 == pytest.approx(2 * (chances / (1 + doubles)).sum())
    assert (risk.model, risk.uniques, risk.iterations) == ("main effects", 2, 0)


def population(rng: np.random.Generator, sizes: tuple[int, ...]) -> Table:
    """Poisson counts of a model with main effects and pairs, about 60,000 in all."""
    logs = np.zeros(sizes)
    for axis, size in enumerate(sizes):
        logs += np.moveaxis(rng.normal(0, 1.0, size)[(..., *[None] * (len(sizes) - 1))], 0, axis)
    for i, j in combinations(range(len(sizes)), 2):
        shape = [sizes[k] if k in (i, j) else 1 for k in range(len(sizes))]
        logs += rng.normal(0, 0.7, shape)
    return np.asarray(rng.poisson(60_000 * np.exp(logs) / np.exp(logs).sum()))


def test_estimates_are_near_the_truth_of_a_known_population() -> None:
    rng = np.random.default_rng(8)
    whole = population(rng, (12, 9, 8, 7))
    truth, estimates, mains = [], [], []
    for _ in range(5):
        sample = rng.binomial(whole, 0.1)
        of_uniques = whole[sample == 1]
        truth.append([(of_uniques == 1).sum(), (1 / of_uniques).sum()])
        risk = log_linear_risk(*classes(sample), 0.1)
        estimates.append([risk.tau1, risk.tau2])
        main = expected_counts(*classes(sample), most_cells=0).means[sample[sample > 0] == 1]
        mains.append(np.exp(-9 * main).sum())
        assert risk.uniques == (sample == 1).sum()
        assert risk.converged
    real, found = np.mean(truth, axis=0), np.mean(estimates, axis=0)
    assert found == pytest.approx(real, rel=0.15)
    # Without pairs the model misses more: the test above sees a wrong model.
    assert abs(np.mean(mains) - real[0]) > 2 * abs(found[0] - real[0])


@st.composite
def sparse(draw: st.DrawFn) -> Table:
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    table = rng.poisson(draw(st.sampled_from([0.2, 1.0, 3.0])), shape)
    table.flat[0] += 1
    return table


@settings(deadline=None)
@given(table=sparse(), fraction=st.floats(0.001, 1.0))
def test_unique_in_the_population_is_rarer_than_matched_is_rarer_than_unique(
    table: Table, fraction: float
) -> None:
    risk = log_linear_risk(*classes(table), fraction)
    assert 0 <= risk.tau1 <= risk.tau2 * (1 + 1e-12)
    assert risk.tau2 <= risk.uniques * (1 + 1e-12)
    assert risk.uniques == (table == 1).sum()


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), shape=st.permutations([2, 3, 4, 1]))
def test_order_of_keys_categories_and_classes_does_not_matter(seed: int, shape: list[int]) -> None:
    rng = np.random.default_rng(seed)
    levels, counts, sizes = classes(rng.poisson(6.0, shape))
    keys, rows = rng.permutation(len(sizes)), rng.permutation(len(counts))
    wider = tuple(sizes[key] + 3 for key in keys)  # categories that no record has
    labels = [rng.permutation(size) for size in wider]
    moved = levels[rows][:, keys]
    turned = np.column_stack([label[moved[:, i]] for i, label in enumerate(labels)])
    one, other = fitted(levels, counts, sizes), fitted(turned, counts[rows], wider)
    assert (one.model, one.converged) == (other.model, other.converged) == ("pairs", True)
    assert other.means == pytest.approx(one.means[rows], rel=1e-6)


def test_keys_with_one_category_are_dropped() -> None:
    levels = np.array([[0, 4, 0], [1, 4, 0], [2, 4, 0]])
    fit = expected_counts(levels, np.array([1, 2, 3]), (3, 6, 1))
    assert fit.model == "main effects"
    assert fit.means == pytest.approx([1.0, 2.0, 3.0])


def test_without_any_key_left_there_is_one_class() -> None:
    risk = log_linear_risk(np.array([[0]]), np.array([1]), (1,), 0.5)
    assert risk.tau1 == pytest.approx(exp(-1))


@pytest.mark.parametrize("seed", range(20))
def test_a_fit_has_the_margins_of_all_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = 1 + rng.poisson(20.0 * rng.gamma(0.5, 2.0, (3, 4, 3)))
    fit = expected_counts(*classes(table), tolerance=0.1)
    apart = fit.means.reshape(table.shape) - table
    assert fit.converged
    assert max(np.abs(apart.sum(axis=axis)).max() for axis in range(3)) <= 0.1


def test_a_fit_cut_short_says_so() -> None:
    table = np.random.default_rng(2).poisson(2.0, (4, 4, 4))
    assert expected_counts(*classes(table)).converged
    short = expected_counts(*classes(table), most_sweeps=1)
    assert (short.iterations, short.converged) == (1, False)


def test_a_whole_population_holds_its_uniques_once() -> None:
    table = np.random.default_rng(3).poisson(1.0, (4, 5, 3))
    risk = log_linear_risk(*classes(table), 1.0)
    assert risk.tau1 == risk.tau2 == risk.uniques == (table == 1).sum() > 0


def test_without_uniques_nothing_is_at_risk() -> None:
    table = 2 * np.random.default_rng(3).poisson(1.0, (4, 5, 3))
    risk = log_linear_risk(*classes(table), 0.1)
    assert (risk.tau1, risk.tau2, risk.uniques) == (0.0, 0.0, 0)


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.01, float("nan")])
def test_a_fraction_is_a_share(fraction: float) -> None:
    with pytest.raises(Undefined, match="sampling fraction"):
        log_linear_risk(np.array([[0], [1]]), np.array([1, 2]), (2,), fraction)


def test_no_record_has_no_risk() -> None:
    with pytest.raises(Undefined, match="no record"):
        log_linear_risk(np.empty((0, 2), dtype=np.intp), np.array([], dtype=np.intp), (2, 3), 0.5)
