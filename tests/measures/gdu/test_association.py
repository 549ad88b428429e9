"""Strength and direction of associations from facts, against ranks by scipy."""

import numpy as np
import pytest
from scipy import stats

from microgauge.measures.gdu.association import (
    CellFacts,
    Units,
    anova,
    chi_squared,
    correlation,
    groups_from_cells,
    kruskal_wallis,
    products_from_cells,
)
from microgauge.measures.gdu.direction import turns
from microgauge.values.segments import Segments

GROUPS = [0, 0, 0, 1, 1, 1, 1, 2, 2]
SCORES = [1.0, 2.0, 2.0, 2.0, 3.0, 5.0, 5.0, 1.0, 4.0]


def groups_of(places, scores, *, ranked=True):
    """Facts of scores in groups, each unit once."""
    values, columns = np.unique(scores, return_inverse=True)
    rows = len(places)
    facts = CellFacts(
        units=Units.of(np.array([rows]), np.array([float(rows)]), np.array([float(rows)])),
        cells=Segments(np.array([rows])),
        row=np.array(places),
        column=columns,
        weight=np.ones(rows),
        row_keys=[tuple("abcdefgh"[: max(places) + 1])],
        column_keys=[values],
    )
    return groups_from_cells(facts, None if ranked else [values])


def signed(scores, places, unit):
    """Share of each group × its squared distance from the mean of all, with the sign."""
    scores, places = np.asarray(scores), np.asarray(places)
    apart = [(scores[places == g].mean() - scores.mean()) / unit for g in range(3)]
    shares = [np.mean(places == g) for g in range(3)]
    return [s * a * abs(a) for s, a in zip(shares, apart, strict=True)]


def test_ranks_are_in_units_of_all_ranks():
    # (rank - mean rank) / (n + 1): the same for a file and for its double, whatever its size.
    found = kruskal_wallis(groups_of(GROUPS, SCORES))
    wanted = signed(stats.rankdata(SCORES), GROUPS, len(SCORES) + 1)
    assert found.direction.signed.tolist() == pytest.approx(wanted)
    h = stats.kruskal(*(np.array(SCORES)[np.array(GROUPS) == g] for g in range(3)))
    assert found.p == pytest.approx(h.pvalue)
    assert found.coefficient == pytest.approx(h.statistic / (len(SCORES) - 1))


def test_values_are_in_their_own_units():
    found = anova(groups_of(GROUPS, SCORES, ranked=False))
    assert found.direction.signed.tolist() == pytest.approx(signed(SCORES, GROUPS, 1.0))
    f = stats.f_oneway(*(np.array(SCORES)[np.array(GROUPS) == g] for g in range(3)))
    assert found.p == pytest.approx(f.pvalue)


def test_half_of_the_groups_turned_round_is_no_flip():
    one = kruskal_wallis(groups_of([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0]))
    other = kruskal_wallis(groups_of([1, 1, 0, 0], [1.0, 2.0, 3.0, 4.0]))
    pair = np.array([0])
    assert not turns(one, pair, one, pair).signs_flipped[0]
    assert turns(one, pair, other, pair).signs_flipped[0]
    assert turns(one, pair, other, pair).opposite[0]


# -- many pairs at once --------------------------------------------------------------------------


def some_tables(seed, count=40):
    """Tables of all shapes: some with empty rows, some constant, some with two units."""
    rng = np.random.default_rng(seed)
    shapes = rng.integers(1, 7, size=(count, 2))
    return [rng.poisson(rng.choice([0.2, 1.0, 6.0]), size=shape) for shape in shapes]


def cells_of(tables, labels="abcdefgh"):
    """The facts of tables of counts."""
    places = [np.nonzero(table) for table in tables]
    rows = np.array([table.sum() for table in tables])
    return CellFacts(
        units=Units.of(rows, rows.astype(float), rows.astype(float)),
        cells=Segments.of([row for row, _ in places]),
        row=np.concatenate([row for row, _ in places]),
        column=np.concatenate([column for _, column in places]),
        weight=np.concatenate([t[at].astype(float) for t, at in zip(tables, places, strict=True)]),
        row_keys=[tuple(labels[: t.shape[0]]) for t in tables],
        column_keys=[np.arange(t.shape[1], dtype=float) for t in tables],
    )


def values_of(tables):
    return [np.arange(t.shape[1], dtype=float) ** 2 for t in tables]


TESTS = {
    "chi-squared": lambda t: chi_squared(cells_of(t)),
    "at 12": lambda t: chi_squared(cells_of(t), 12),
    "kruskal-wallis": lambda t: kruskal_wallis(groups_from_cells(cells_of(t), None)),
    "anova": lambda t: anova(groups_from_cells(cells_of(t), values_of(t))),
    "spearman": lambda t: correlation(products_from_cells(cells_of(t), None), "spearman"),
}


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("seed", range(5))
def test_many_pairs_are_tested_as_each_by_itself(test, seed):
    tables = some_tables(seed)
    together = TESTS[test](tables)
    assert 0 < (together.why == 0).sum() < len(tables)
    for place, table in enumerate(tables):
        alone = TESTS[test]([table])
        assert alone.why[0] == together.why[place]
        if alone.why[0] == 0:
            for name in ("rows", "p", "coefficient"):
                assert getattr(alone, name)[0] == getattr(together, name)[place]


@pytest.mark.parametrize("seed", range(5))
def test_chi_squared_of_many_tables_by_scipy(seed):
    tables = some_tables(seed)
    found = chi_squared(cells_of(tables))
    for place, table in enumerate(tables):
        used = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        if min(used.shape, default=0) < 2 or table.sum() < 3:
            assert found.why[place] > 0
            continue
        wanted = stats.chi2_contingency(used, correction=False)
        assert found.p[place] == pytest.approx(wanted.pvalue)
        v = wanted.statistic / table.sum() / (min(used.shape) - 1)
        assert found.coefficient[place] == pytest.approx(v)


def residuals(table):
    """(p_ij - p_i p_j) / √(p_i p_j), and 0 where a margin is empty."""
    share = table / table.sum()
    expected = np.outer(share.sum(axis=1), share.sum(axis=0))
    root = np.sqrt(np.where(expected > 0, expected, 1.0))
    return np.where(expected > 0, (share - expected) / root, 0.0)


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
@pytest.mark.parametrize("seed", range(4))
def test_directions_of_tables_by_hand(monkeypatch, seed, block):
    monkeypatch.setattr("microgauge.measures.gdu.direction._BLOCK_CELLS", block)
    rng = np.random.default_rng(seed)
    before = [rng.poisson(4, size=rng.integers(2, 6, size=2)) + 1 for _ in range(30)]
    after = [np.maximum(t + rng.integers(-6, 7, size=t.shape), 0) for t in before]
    order = rng.permutation(30)
    found = turns(
        chi_squared(cells_of(before)),
        order,
        # The rows of the other side have other places: their keys say which are the same.
        chi_squared(cells_of([t[::-1] for t in after], "abcdefgh")),
        order,
    )
    for place, pair in enumerate(order):
        o, p = residuals(before[pair]), residuals(after[pair][::-1])
        assert found.opposite[place] == (np.abs(o - p).sum() > np.abs(o).sum())
        product = o * p
        against = -product[product < 0].sum()
        assert found.signs_flipped[place] == (2 * against > np.abs(product).sum())


def test_levels_of_one_side_only_count_as_empty_on_the_other():
    table = np.array([[9, 1, 1], [1, 9, 1], [1, 1, 9]])
    fewer = cells_of([table[:2]])
    moved = CellFacts(
        fewer.units, fewer.cells, fewer.row, fewer.column, fewer.weight, [("c", "a")],
        fewer.column_keys,
    )  # fmt: skip
    pair = np.array([0])
    found = turns(chi_squared(cells_of([table])), pair, chi_squared(moved), pair)
    o, p = residuals(table), np.zeros((3, 3))
    p[[2, 0]] = residuals(table[:2])
    assert found.opposite[0] == (np.abs(o - p).sum() > np.abs(o).sum())
    product = o * p
    assert found.signs_flipped[0] == (-2 * product[product < 0].sum() > np.abs(product).sum())


def test_groups_and_tables_have_no_common_direction():
    one = kruskal_wallis(groups_of(GROUPS, SCORES))
    other = chi_squared(cells_of([np.array([[3, 1], [1, 3]])]))
    with pytest.raises(TypeError, match="cannot be compared"):
        turns(one, np.array([0]), other, np.array([0]))
