"""Total variation, what coarser values cost, pMSE: against plain loops and fitted models."""

from __future__ import annotations

import numpy as np
import pytest

from microgauge.errors import Undefined
from microgauge.measures.tables.agreement import (
    Cells,
    Spread,
    coarsening,
    lost,
    pmse_ratio,
    shares,
    spread_out,
    total_variation,
)


def spread_of(bands, cell_of):
    """How bands of values cover cells: bands[v] and cell_of[v] of every value."""
    values = np.zeros((max(bands) + 1, max(cell_of) + 1))
    for band, cell in zip(bands, cell_of, strict=True):
        values[band, cell] += 1
    return Spread(values / values.sum(axis=1, keepdims=True), values)


def cells_of(bands, cell_of):
    values = np.bincount(cell_of).astype(float)
    return Cells(values, spread=None if bands is None else spread_of(bands, cell_of))


def merged(bands, rng):
    """Two bands as one."""
    bands = np.array(bands)
    found = np.unique(bands)
    if len(found) < 2:
        return bands.tolist()
    a, b = rng.choice(found, 2, replace=False)
    bands[bands == b] = a
    return np.unique(bands, return_inverse=True)[1].tolist()


def brute_cost(p, variables):
    """Every pair of values that a coarse cell covers, one after the other."""
    total = 0.0
    (bands_a, cells_a), (bands_b, cells_b) = variables
    sizes = np.bincount(cells_a), np.bincount(cells_b)
    for band_a in set(bands_a):
        for band_b in set(bands_b):
            covered = [
                p[ca, cb] / sizes[0][ca] / sizes[1][cb]
                for ca, ba in zip(cells_a, bands_a, strict=True)
                if ba == band_a
                for cb, bb in zip(cells_b, bands_b, strict=True)
                if bb == band_b
            ]
            apart = sum(abs(x - y) for x in covered for y in covered)
            total += apart / len(covered) / 2.0
    return total


def renumbered(labels):
    return np.unique(labels, return_inverse=True)[1].tolist()


def random_case(rng):
    values = [int(rng.integers(2, 9)) for _ in range(2)]
    cells = [
        np.unique(np.sort(rng.integers(0, 4, n)), return_inverse=True)[1].tolist() for n in values
    ]
    p = rng.gamma(0.4, size=(max(cells[0]) + 1, max(cells[1]) + 1))
    return cells, p / p.sum()


class TestCoarsening:
    """What values cost that can no longer be told apart."""

    @pytest.mark.parametrize("seed", range(20))
    def test_is_that_of_every_pair_of_values(self, seed):
        rng = np.random.default_rng(seed)
        cells, p = random_case(rng)
        bands = [
            np.unique(rng.integers(0, 3, len(c)), return_inverse=True)[1].tolist() for c in cells
        ]
        found = coarsening(
            p[np.newaxis], [cells_of(b, c) for b, c in zip(bands, cells, strict=True)]
        )
        assert found[0] == pytest.approx(brute_cost(p, list(zip(bands, cells, strict=True))))

    @pytest.mark.parametrize("seed", range(200))
    def test_never_falls_when_bands_are_merged(self, seed):
        rng = np.random.default_rng([seed, 1])
        cells, p = random_case(rng)
        bands = [list(range(len(c))) for c in cells]
        before = 0.0
        for _ in range(12):
            here = int(rng.integers(2))
            bands[here] = merged(bands[here], rng)
            made = [cells_of(b, c) for b, c in zip(bands, cells, strict=True)]
            cost = coarsening(p[np.newaxis], made)[0]
            assert before - 1e-12 <= cost < 1.0
            before = cost

    def test_even_spreading_alone_would_fall(self):
        p = np.array([[3.0, 2.0, 2.0, 1.0, 2.0, 2.0]]) / 12.0
        costs, evenly = [], []
        for bands in ([0, 0, 0, 1, 1, 1], [0] * 6):
            cells = [cells_of(bands, list(range(6)))]
            after = np.array([[p[0][np.array(bands) == b].sum() for b in set(bands)]])
            evenly.append(total_variation(p, spread_out(after, cells))[0])
            costs.append(coarsening(p, cells)[0])
        assert evenly[1] < evenly[0]
        assert costs[1] > costs[0]
        assert all(e <= c <= 2 * e for e, c in zip(evenly, costs, strict=True))

    def test_bands_within_a_cell_cost_nothing(self):
        p = np.array([[0.2, 0.8]])
        assert coarsening(p, [cells_of([0, 0, 1, 1], [0, 0, 1, 1])])[0] == 0.0

    def test_an_even_table_costs_nothing(self):
        cells = [cells_of([0, 0, 0], [0, 1, 2]), cells_of([0, 0], [0, 1])]
        assert coarsening(np.full((1, 3, 2), 1 / 6), cells)[0] == pytest.approx(0.0, abs=1e-15)

    def test_of_three_variables(self):
        rng = np.random.default_rng(3)
        p = rng.random((1, 3, 2, 2))
        p /= p.sum()
        whole = [cells_of([0] * n, list(range(n))) for n in (3, 2, 2)]
        flat = p.ravel()
        expected = np.abs(flat[:, None] - flat[None, :]).sum() / len(flat) / 2
        assert coarsening(p, whole)[0] == pytest.approx(expected)


class TestLost:
    """The share of units in another cell."""

    def test_without_recoding_is_total_variation(self):
        rng = np.random.default_rng(1)
        before, after = rng.integers(0, 9, (2, 3, 4, 5)).astype(float)
        cells = [cells_of(None, list(range(4))), cells_of(None, list(range(5)))]
        found, cost = lost(before, after, cells)
        for k in range(3):
            p, q = before[k] / before[k].sum(), after[k] / after[k].sum()
            assert found[k] == pytest.approx(
                sum(abs(x - y) for x, y in zip(p.flat, q.flat, strict=True)) / 2
            )
        assert not cost.any()

    def test_an_empty_protected_table_has_lost_all(self):
        cells = [cells_of(None, [0, 1])]
        assert lost(np.array([[3.0, 4.0]]), np.zeros((1, 2)), cells)[0][0] == 1.0

    def test_a_band_is_compared_by_what_it_covers(self):
        cell_of, bands = [0, 1, 2], [0, 0, 1]
        cells = [
            Cells(np.ones(3), (np.array([0, 1, 2]), np.array([0, 0, 1])), spread_of(bands, cell_of))
        ]
        before, after = np.array([[4.0, 2.0, 4.0]]), np.array([[5.0, 5.0]])
        found, cost = lost(before, after, cells)
        assert cost[0] == pytest.approx(0.1)  # 0.4 and 0.2 became one
        assert found[0] == pytest.approx(0.1 + 0.1)  # and a tenth left the band


class TestPmse:
    """The saturated logit in closed form."""

    @pytest.mark.parametrize("seed", range(4))
    def test_is_that_of_a_fitted_logit(self, seed):
        sm = pytest.importorskip("statsmodels.api")
        rng = np.random.default_rng(seed)
        before, after = rng.integers(3, 40, 6), rng.integers(3, 40, 6)
        before[2] = after[2] = 0
        cell = np.concatenate([np.repeat(np.arange(6), before), np.repeat(np.arange(6), after)])
        y = np.repeat([0.0, 1.0], [before.sum(), after.sum()])
        design = (cell[:, None] == np.unique(cell)).astype(float)
        scores = sm.GLM(y, design, family=sm.families.Binomial()).fit(tol=1e-12).predict(design)
        c, n = y.mean(), len(y)
        expected = (design.shape[1] - 1) * (1 - c) ** 2 * c / n
        ratio = ((scores - c) ** 2).mean() / expected
        assert pmse_ratio(before.astype(float), after.astype(float)) == pytest.approx(
            ratio, rel=1e-6
        )

    def test_a_resample_has_one(self):
        rng = np.random.default_rng(5)
        before = np.array([40.0, 300.0, 200.0, 90.0])
        drawn = rng.multinomial(630, before / before.sum(), 4000)
        found = [pmse_ratio(before, after.astype(float)) for after in drawn]
        assert np.mean(found) == pytest.approx(1.0, abs=0.05)

    def test_one_cell_has_none(self):
        with pytest.raises(Undefined, match="one cell"):
            pmse_ratio(np.array([5.0, 0.0]), np.array([6.0, 0.0]))


def test_shares_of_an_empty_table_are_zero():
    assert shares(np.zeros((1, 2))).tolist() == [[0.0, 0.0]]
