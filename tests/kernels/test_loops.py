"""Compiled loops against NumPy and plain Python, and against their twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from microgauge.engines.local import Local
from microgauge.kernels import (
    Pairs,
    Places,
    compiled,
    count_pairs,
    distinct_numbers,
    merged_places,
    pair_ranks,
    ranks_within,
    score_product,
    score_sums,
    table_ranks,
)
from microgauge.kernels.loading import LOOPS, PLAIN
from microgauge.passes import (
    Absent,
    Axis,
    Crosstab,
    PairRanks,
    PairTables,
    RankProduct,
    Ranks,
    RankSums,
)
from microgauge.passes.ranks import RankedLevels


def test_the_tests_see_compiled_loops_where_there_is_a_compiler():
    import shutil

    if shutil.which("cc") is None:
        pytest.skip("no compiler")
    assert compiled() is not None, "build them: pip install -e . --no-build-isolation"
    assert sorted(name for name in vars(compiled()) if not name.startswith("_")) == sorted(LOOPS)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [0, 1, 3, 1000, 20_000])
@pytest.mark.usefixtures("way")
def test_tables_of_pairs_counted_one_by_one(rows, weighted):
    rng = np.random.default_rng(rows)
    sizes = np.array([2, 3, 300, 70_000, 40])
    types = [np.uint8, np.uint8, np.uint16, np.uint32, np.uint8]
    columns = [
        rng.integers(0, size, rows).astype(kind) for size, kind in zip(sizes, types, strict=True)
    ]
    weights = rng.random(rows) if weighted else None
    a, b = np.array([0, 1, 0, 3, 2, 4, 1]), np.array([1, 0, 4, 1, 1, 2, 3])
    pairs = Pairs.of(a, b, sizes)
    layers = count_pairs(columns, pairs, weights)
    ends = np.cumsum(sizes[a] * sizes[b])
    tables = np.split(layers, ends[:-1], axis=1)
    assert layers.shape[1] == ends[-1]
    for i, j, cells in zip(a, b, tables, strict=True):
        table = cells.reshape(len(layers), sizes[i], sizes[j])
        values = [None] if weights is None else [None, weights, weights**2]
        for layer, value in zip(table, values, strict=True):
            edges = [np.arange(sizes[i] + 1), np.arange(sizes[j] + 1)]
            if sizes[i] * sizes[j] > 10_000:  # too large for numpy's histogram
                keys = columns[i].astype(int) * sizes[j] + columns[j]
                wanted = np.bincount(keys, value, sizes[i] * sizes[j]).reshape(layer.shape)
            else:
                wanted = np.histogram2d(columns[i], columns[j], edges, weights=value)[0]
            assert np.allclose(layer, wanted, rtol=1e-12, atol=0)


numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -0.0, 1.0, np.nan, -1e308]),
)


@given(arrays.arrays(np.float64, st.integers(0, 60), elements=numbers))
@settings(max_examples=200, deadline=None)
def test_distinct_numbers_are_numpys(given_numbers):
    values, codes = distinct_numbers(given_numbers)
    wanted, places = np.unique(given_numbers + 0.0, return_inverse=True)
    assert np.array_equal(values, wanted, equal_nan=True)
    assert not np.signbit(values[values == 0]).any()
    assert np.array_equal(codes, places)


@pytest.mark.usefixtures("way")
def test_distinct_numbers_of_many_rows():
    rng = np.random.default_rng(1)
    for made in (rng.normal(size=5000) * 1e9, rng.integers(-40, 40, 5000) / 4.0, np.full(9, 2.5)):
        values, codes = distinct_numbers(made)
        assert np.array_equal(values, np.unique(made))
        assert np.array_equal(values[codes], made)


rising = st.lists(st.integers(-30, 30), unique=True).map(lambda n: np.array(sorted(n), dtype=float))


@given(rising, rising)
@settings(max_examples=200, deadline=None)
def test_merged_places_are_those_in_the_union(a, b):
    of_a, of_b, size = merged_places(a, b)
    union = np.union1d(a, b)
    assert size == len(union)
    assert np.array_equal(union[of_a], a)
    assert np.array_equal(union[of_b], b)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("way")
def test_places_are_found_whatever_the_spread(seed):
    rng = np.random.default_rng(seed)
    made = [
        rng.lognormal(10, 3, 3000),
        rng.integers(-50, 50, 900).astype(float),
        np.append(rng.normal(size=500), [-1.7e308, 1.7e308, 5e-324, 0.0]),
        np.array([2.5]),
        np.array([1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 3.0) * 2]),
        np.append(np.inf, rng.random(40)),
    ][seed]
    values = np.unique(made)
    numbers = np.append(rng.choice(values, 5000), [np.nan, values[0], values[-1]])
    found = Places(values).of(numbers)
    wanted = np.where(np.isnan(numbers), len(values), np.searchsorted(values, numbers))
    assert np.array_equal(found, wanted)
    for strange in (values[0] - 1.0, values[-1] + 1e300, (values[0] + values[-1]) / 2 + 1e-7):
        if strange not in values and np.isfinite(strange):
            assert Places(values).of(np.append(numbers, strange)) is None


@pytest.mark.usefixtures("way")
def test_no_value_has_a_place_among_none():
    assert Places(np.empty(0)).of(np.array([np.nan])).tolist() == [0]
    assert Places(np.empty(0)).of(np.array([1.0])) is None


def test_twins_merge_and_rank_alike(monkeypatch):
    rng = np.random.default_rng(2)
    a, b = np.unique(rng.integers(0, 500, 300)) / 3.0, np.unique(rng.integers(0, 500, 200)) / 3.0
    scores = np.append(np.arange(50) * 2 - 49, 0).astype(np.int32)
    levels, counts = np.array([0, 7, 8, 49]), np.array([1, 1, 1, 1])
    groups, codes = rng.integers(0, 5, 999).astype(np.uint8), rng.integers(0, 51, 999)
    codes = codes.astype(np.uint8)

    def answers():
        within = ranks_within(scores, levels, counts)
        return (
            *merged_places(a, b),
            within,
            score_product(codes, scores, codes, within),
            score_sums(groups, 5, within[codes]),
        )

    first = answers()
    monkeypatch.setenv(PLAIN, "1")
    for one, other in zip(first, answers(), strict=True):
        assert np.array_equal(one, other)


def test_sums_of_products_do_not_overflow(way):
    rows = 1000
    scores = np.array([2**30, -(2**30), 0], dtype=np.int32)
    codes = np.zeros(rows, dtype=np.uint8)
    assert score_product(codes, scores, codes, scores) == rows * 2**60
    assert score_product(codes, scores, codes + np.uint8(1), scores) == -rows * 2**60


def axis_of(name, values):
    """An axis whose levels are the values of a column that has NaN for missing cells."""
    levels = np.unique(values[~np.isnan(values)])
    codes = np.where(np.isnan(values), len(levels), np.searchsorted(levels, values))
    return Axis(name, np.arange(len(levels) + 1), len(levels)), codes.astype(np.uint16)


@given(st.integers(0, 10_000), st.integers(1, 50))
@settings(max_examples=60, deadline=None)
def test_ranks_among_complete_rows_are_scipys(seed, batch):
    """Spearman's correlation and Kruskal–Wallis sums, with missing cells in both columns."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 120))
    x, y = rng.integers(0, 30, rows).astype(float), rng.normal(size=rows).round(1)
    x[rng.random(rows) < 0.3] = np.nan
    y[rng.random(rows) < 0.2] = np.nan
    (a, of_a), (b, of_b) = axis_of("x", x), axis_of("y", y)
    engine = Local({"x": of_a, "y": of_b}, rows, batch_rows=batch)
    first = engine.scan([Absent(a, b), Absent(b, a)])
    levels = [
        RankedLevels(np.bincount(codes, minlength=axis.size + 1)[:-1])
        for axis, codes in ((a, of_a), (b, of_b))
    ]
    ranks = (Ranks(levels[0], first[Absent(a, b)]), Ranks(levels[1], first[Absent(b, a)]))
    product, sums = RankProduct(a, b, ranks), RankSums(a, b, ranks[1])
    facts = engine.scan([product, sums])
    complete = ~(np.isnan(x) | np.isnan(y))
    ranked = [2 * stats.rankdata(v[complete]) - (complete.sum() + 1) for v in (x, y)]
    assert facts[product] == (ranked[0] * ranked[1]).sum()
    assert [r.squares for r in ranks] == [(r**2).sum() for r in ranked]
    for level in range(a.size):
        assert facts[sums][level] == ranked[1][of_a[complete] == level].sum()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("way")
def test_ranks_out_of_tables_by_scipy(seed):
    rng = np.random.default_rng(seed)
    sizes = np.array([3, 40, 6, 300, 2])
    columns = [rng.integers(0, size, 500).astype(np.uint16) for size in sizes]
    a, b = np.array([0, 1, 2, 3, 4, 0]), np.array([1, 2, 3, 1, 3, 4])
    pairs = Pairs.of(a, b, sizes)
    cells = count_pairs(columns, pairs)[0]
    found = table_ranks(cells, pairs.rows[:, 3], sizes[a], sizes[b])
    first = 0
    for place, (i, j) in enumerate(zip(a, b, strict=True)):
        complete = (columns[i] < sizes[i] - 1) & (columns[j] < sizes[j] - 1)  # the last is missing
        x, y = columns[i][complete], columns[j][complete]
        ranks = [2 * stats.rankdata(side) - (len(side) + 1) for side in (x, y)]
        assert found.rows[place] == len(x)
        assert found.squares_a[place] == (ranks[0] ** 2).sum()
        assert found.squares_b[place] == (ranks[1] ** 2).sum()
        assert found.product[place] == (ranks[0] * ranks[1]).sum()
        last = first + sizes[i] - 1
        groups = np.arange(sizes[i] - 1)
        assert found.groups[first:last].tolist() == [(x == g).sum() for g in groups]
        assert found.sums[first:last].tolist() == [ranks[1][x == g].sum() for g in groups]
        first = last
    assert first == len(found.sums)


@pytest.mark.parametrize("rows", [0, 1, 2, 500])
@pytest.mark.usefixtures("way")
def test_ranks_out_of_rows_are_those_of_scipy(rows):
    rng = np.random.default_rng(rows)
    sizes = [3, 400, 9, 1]
    codes = np.stack([rng.integers(0, size + 1, rows) for size in sizes]).astype(np.uint32)
    pairs = [(0, 1), (2, 1), (3, 0), (1, 2), (1, 1)]
    found = pair_ranks(codes, pairs, sizes, grouped=3)
    first = 0
    for place, (i, j) in enumerate(pairs):
        complete = (codes[i] < sizes[i]) & (codes[j] < sizes[j])
        x, y = codes[i][complete], codes[j][complete]
        ranks = [2 * stats.rankdata(side) - (len(side) + 1) for side in (x, y)]
        assert found.rows[place] == len(x)
        assert found.squares_a[place] == (ranks[0] ** 2).sum()
        assert found.squares_b[place] == (ranks[1] ** 2).sum()
        assert found.product[place] == (ranks[0] * ranks[1]).sum()
        if place < 3:
            last = first + sizes[i]
            groups = np.arange(sizes[i])
            assert found.groups[first:last].tolist() == [(x == g).sum() for g in groups]
            assert found.sums[first:last].tolist() == [ranks[1][x == g].sum() for g in groups]
            first = last
    assert first == len(found.sums) == len(found.groups)


@pytest.mark.parametrize("batch", [7, 100, 65_536])
def test_ranks_of_pairs_do_not_depend_on_batches(batch):
    rng = np.random.default_rng(1)
    axes = tuple(
        Axis(name, np.arange(size + 1), size, identity=True)
        for name, size in (("a", 3), ("b", 200), ("c", 7))
    )
    codes = {axis.column: rng.integers(0, axis.size + 1, 999) for axis in axes}
    question = PairRanks(axes, ((0, 1), (2, 1), (1, 2)), 1)
    found = Local(codes, 999, batch_rows=batch).scan([question])[question]
    expected = question.answer(np.stack([codes[a.column] for a in axes], 1).astype(np.uint32))
    for name in ("rows", "groups", "sums", "squares_a", "squares_b", "product"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@pytest.mark.usefixtures("way")
def test_tables_of_pairs_as_one_question_are_those_of_each():
    rng = np.random.default_rng(3)
    axes = tuple(
        Axis(name, np.arange(size + 1), size, identity=True)
        for name, size in (("a", 3), ("b", 200), ("c", 7))
    )
    codes = {axis.column: rng.integers(0, axis.size + 1, 999) for axis in axes}
    codes = {name: cells.astype(np.uint8) for name, cells in codes.items()}
    question = PairTables(axes, ((0, 1), (2, 0), (1, 2)))
    assert question == PairTables(axes, ((0, 1), (2, 0), (1, 2)))
    assert question != PairTables(axes, ((0, 1), (0, 2), (1, 2)))
    single = [Crosstab(axes[i], axes[j]) for i, j in question.pairs]
    for weights in (None, rng.random(999)):
        facts = Local(codes, 999, weights).scan([question, *single])
        wanted = [facts[one].reshape(len(facts[one]), -1) for one in single]
        assert np.array_equal(facts[question], np.concatenate(wanted, axis=1))
