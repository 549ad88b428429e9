"""Resamples and samples: closed forms against simulation and sums over distributions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from microgauge.errors import Undefined
from microgauge.measures.balance.jackknife import jackknife_error
from microgauge.measures.tables.sampling import SampledTables, permuted, resampled


def samples_of(*tables):
    found = SampledTables(int(sum(tables[0])))
    for table in tables:
        found.add(np.array(table, dtype=float))
    return found


@pytest.mark.parametrize("rows", [1, 2, 7, 50, 1000])
def test_a_resample_is_the_sum_over_binomials(rows):
    p = np.array([0.5, 0.25, 0.2, 0.05, 0.0])
    x = np.arange(rows + 1)
    expected = sum((stats.binom.pmf(x, rows, q) * np.abs(x / rows - q)).sum() for q in p) / 2
    assert resampled(p, rows) == pytest.approx(expected, rel=1e-9)


def test_a_resample_of_one_cell_loses_nothing():
    assert resampled(np.array([1.0]), 10) == 0.0


@pytest.mark.parametrize("drawn", [1, 2, 9, 30, 59, 60])
def test_a_sample_is_the_sum_over_hypergeometrics(drawn):
    table = [30, 20, 7, 2, 1]
    x = np.arange(drawn + 1)
    expected = sum(
        (stats.hypergeom.pmf(x, 60, k, drawn) * np.abs(x / drawn - k / 60)).sum() for k in table
    )
    assert samples_of(table).lost(drawn) == pytest.approx(expected / 2, rel=1e-9, abs=1e-14)


def test_what_a_sample_loses_never_rises_with_its_size():
    found = samples_of([50, 30, 13, 4, 2, 1], [60, 40])
    losses = [found.lost(n) for n in range(1, 101)]
    assert all(a >= b - 1e-12 for a, b in pairwise(losses))
    assert losses[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_the_share_is_found_again_by_drawing_samples(share):
    rng = np.random.default_rng(7)
    tables = [rng.multinomial(2000, rng.dirichlet(np.full(20, 0.5))) for _ in range(3)]
    drawn = int(share * 2000)
    losses = []
    for _ in range(400):
        picked = [rng.multivariate_hypergeometric(t, drawn) for t in tables]
        both = zip(picked, tables, strict=True)
        losses.append(np.mean([np.abs(a / drawn - t / 2000).sum() / 2 for a, t in both]))
    assert samples_of(*tables).share(float(np.mean(losses))) == pytest.approx(share, rel=0.05)


def test_edges():
    found = samples_of([5, 5])
    assert found.share(0.0) == 1.0
    assert found.share(found.lost(1)) == pytest.approx(0.1)
    with pytest.raises(Undefined, match="single unit"):
        found.share(0.6)


def test_the_jackknife_of_a_mean_is_its_standard_error():
    x = np.random.default_rng(1).normal(size=30)
    left = [(x.sum() - one) / 29 for one in x]
    assert jackknife_error(left) == pytest.approx(x.std(ddof=1) / np.sqrt(30))


@pytest.mark.parametrize(("shape", "rows"), [((2, 2), 40), ((5, 9), 300), ((3, 4, 2), 200)])
def test_permuted_columns_are_those_of_drawing_permutations(shape, rows):
    rng = np.random.default_rng(3)
    cells = rng.choice(np.prod(shape), rows, p=rng.dirichlet(np.full(np.prod(shape), 0.4)))
    columns = np.unravel_index(cells, shape)

    def table(columns):
        return np.bincount(np.ravel_multi_index(columns, shape), minlength=np.prod(shape)) / rows

    p = table(columns)
    drawn = [table(tuple(rng.permutation(c) for c in columns)) for _ in range(3000)]
    expected = np.mean([np.abs(q - p).sum() / 2 for q in drawn])
    assert permuted(p.reshape(shape), rows) == pytest.approx(expected, abs=0.004)
