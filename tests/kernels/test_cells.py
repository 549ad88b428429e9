"""Sums over sparse rows against dense algebra, and the compiled loops against their twins."""

import numpy as np
import pytest
from scipy import sparse

from microgauge.kernels import (
    as_places,
    gathered_cells,
    scattered_cells,
    sparse_gram,
)
from microgauge.kernels.loading import PLAIN


def _both_ways(monkeypatch, work):
    quick = work()
    monkeypatch.setenv(PLAIN, "1")
    return quick, work()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (1, 1), (200, 5), (300, 70)])
@pytest.mark.usefixtures("way")
def test_products_of_sparse_columns_are_those_of_dense_ones(rows, columns, weighted):
    rng = np.random.default_rng(rows)
    matrix = sparse.random(rows, columns, 0.2, format="csr", random_state=1)
    matrix.data -= 0.5
    weights = rng.random(rows) if weighted else None
    dense = matrix.toarray()
    expected = dense.T @ (dense if weights is None else dense * weights[:, np.newaxis])
    found = sparse_gram(matrix, matrix.tocsc(), weights)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("weighted", [False, True])
def test_both_ways_give_the_same_bits_of_products(weighted, monkeypatch):
    matrix = sparse.random(500, 80, 0.1, format="csr", random_state=2)
    weights = np.random.default_rng(3).random(500) if weighted else None
    quick, plain = _both_ways(monkeypatch, lambda: sparse_gram(matrix, matrix.tocsc(), weights))
    np.testing.assert_array_equal(quick, plain)


@pytest.mark.usefixtures("way")
def test_products_go_to_the_last_part_of_a_larger_square():
    matrix = sparse.random(300, 40, 0.2, format="csr", random_state=4)
    square = np.zeros((43, 43))
    sparse_gram(matrix, matrix.tocsc(), None, square)
    np.testing.assert_array_equal(square[3:, 3:], sparse_gram(matrix, matrix.tocsc()))
    assert not square[:3].any()
    assert not square[:, :3].any()


@pytest.mark.parametrize("deep", [1, 3, 5])
@pytest.mark.parametrize("size", [1, 40, 70_000])
@pytest.mark.usefixtures("way")
def test_sums_over_cells_are_those_of_numpy(size, deep):
    rng = np.random.default_rng(size + deep)
    cells = rng.integers(0, size, (400, 7))
    places = as_places(cells, size)
    table, values = rng.normal(size=(size, deep)), rng.normal(size=(400, deep))
    np.testing.assert_allclose(gathered_cells(places, table), table[cells].sum(axis=1), atol=1e-12)
    expected = np.zeros((size, deep))
    np.add.at(expected, cells.reshape(-1), np.repeat(values, 7, axis=0))
    np.testing.assert_allclose(scattered_cells(places, values, size), expected, atol=1e-12)


@pytest.mark.parametrize("deep", [4, 5])
def test_both_ways_give_the_same_bits_of_cells(deep, monkeypatch):
    rng = np.random.default_rng(deep)
    places = as_places(rng.integers(0, 90, (600, 11)), 90)
    table, values = rng.normal(size=(90, deep)), rng.normal(size=(600, deep))

    def work():
        return np.vstack([gathered_cells(places, table), scattered_cells(places, values, 90)])

    quick, plain = _both_ways(monkeypatch, work)
    np.testing.assert_array_equal(quick, plain)
