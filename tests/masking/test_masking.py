"""Making candidates: what each method keeps, what chance may change, how a recipe is refused."""

import datetime
from collections import Counter
from contextlib import suppress
from dataclasses import fields
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

import microgauge
from microgauge import InputError, mask
from microgauge.cli import main
from microgauge.errors import Undefined
from microgauge.masking import any_match
from microgauge.masking.methods import method as method_of
from microgauge.masking.methods import method_names, pram
from microgauge.masking.methods import microaggregation as micro
from microgauge.masking.recipe import Recipe
from support.command import complaint
from support.figures import seeds
from support.rows import alike

FEW = settings(max_examples=15, deadline=None)
MANY = settings(max_examples=60, deadline=None)

SAME = {"method": "sample", "share": 1.0}
NAMES = ["a", "b", "c", "d"]
NAN, INFINITY = float("nan"), float("inf")


def step(method, *variables, **parameters):
    found = {"method": method, **parameters}
    return found | {"variables": list(variables)} if variables else found


def masked(frame, *steps, seed=1):
    return mask(frame, {"seed": seed, "step": list(steps)})


def table(seed, rows=60, missing=0.1):
    """Numbers with and without ties, whole numbers, codes and text, with holes in all of them."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    columns = {
        "x": hidden * 10 + rng.normal(size=rows),
        "tied": np.round(hidden * 2) / 2,
        "whole": np.round(hidden * 100).astype(int),
        "code": rng.integers(1, 5, rows),
        "text": rng.choice(["red", "green", "blue"], rows),
    }
    return pl.DataFrame(
        {
            name: pl.Series([None if m else c for c, m in zip(cells.tolist(), gone, strict=True)])
            for name, cells in columns.items()
            for gone in [rng.random(rows) < missing]
        },
        schema={
            "x": pl.Float64,
            "tied": pl.Float64,
            "whole": pl.Int64,
            "code": pl.Int64,
            "text": pl.String,
        },
    )


def numbers(rows, width=2, seed=1, correlation=0.7):
    """Normal numbers that go together, with different units and means."""
    rng = np.random.default_rng([seed, 7])
    covariance = np.full((width, width), correlation) + np.eye(width) * (1 - correlation)
    drawn = rng.multivariate_normal(np.zeros(width), covariance, rows)
    return pl.DataFrame({NAMES[i]: drawn[:, i] * 10.0**i + 5 * i for i in range(width)})


def counted(series):
    return Counter(series.to_list())


def refused(frame, *steps, **more):
    """The faults of a recipe that must be refused."""
    with pytest.raises(InputError) as caught:
        mask(frame, {"step": list(steps), **more})
    return caught.value.faults


# -- swapping --------------------------------------------------------------------------------------


@given(seeds, st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.booleans())
@FEW
def test_swapping_keeps_every_distribution(seed, share, together):
    before = table(seed)
    after = masked(before, step("swap", *before.columns, share=share, together=together), seed=seed)
    for name in before.columns:
        assert counted(after[name]) == counted(before[name])
    assert after.schema == before.schema


@given(seeds, st.sampled_from([0.0, 0.1, 0.33, 1.0]), st.integers(1, 80))
@FEW
def test_swapping_changes_the_share_of_records(seed, share, rows):
    before = pl.DataFrame({"x": np.arange(rows), "y": np.arange(rows) * 2.0})
    after = masked(before, step("swap", "x", "y", share=share), seed=seed)
    for name in before.columns:
        changed = (after[name] != before[name]).sum()
        assert changed == 2 * (round(share * rows) // 2)


@given(seeds, st.sampled_from([0.2, 1.0]))
@FEW
def test_swapping_together_keeps_the_joint_distribution(seed, share):
    before = table(seed)
    swapped = ["x", "code", "text"]
    after = masked(before, step("swap", *swapped, share=share, together=True), seed=seed)
    assert Counter(after.select(swapped).rows()) == Counter(before.select(swapped).rows())
    assert after["whole"].equals(before["whole"], null_equal=True)
    assert not after["x"].equals(before["x"], null_equal=True)


def test_swapping_apart_does_not_keep_the_joint_distribution():
    before = numbers(500)
    after = masked(before, step("swap", "a", "b", share=1.0))
    assert abs(np.corrcoef(after["a"], after["b"])[0, 1]) < 0.2


@given(seeds, st.sampled_from([3, 10, 29, 50, 100]), st.sampled_from([0.0, 0.2]))
@FEW
def test_rank_swapping_keeps_distributions_and_missing_cells(seed, window, missing):
    before = table(seed, missing=missing)
    chosen = ["x", "tied", "whole", "code"]
    after = masked(before, step("rank_swap", *chosen, window=window), seed=seed)
    for name in chosen:
        assert counted(after[name]) == counted(before[name])
        assert after[name].is_null().equals(before[name].is_null())
    assert after.schema == before.schema
    assert after["text"].equals(before["text"], null_equal=True)


@given(seeds, st.sampled_from([2, 10, 25, 60, 100]), st.integers(1, 90))
@MANY
def test_rank_swapping_moves_no_rank_beyond_its_window(seed, window, rows):
    assume(window * rows >= 100)
    before = table(seed, rows, missing=0.15)
    after = masked(before, step("rank_swap", "x", "tied", window=window), seed=seed)
    for name in ("x", "tied"):
        here = before[name].is_not_null()
        old, new = before[name].filter(here).to_numpy(), after[name].filter(here).to_numpy()
        ranked = np.sort(old)
        ranks = [
            (np.searchsorted(ranked, v, "left"), np.searchsorted(ranked, v, "right") - 1)
            for v in (old, new)
        ]
        (low, high), (new_low, new_high) = ranks
        apart = np.maximum(0, np.maximum(new_low - high, low - new_high))
        assert (apart <= window * len(old) / 100).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("window", [2, 10, 50, 100])
def test_rank_swapping_moves_most_values(seed, window):
    before = numbers(300, 1, seed)
    after = masked(before, step("rank_swap", "a", window=window), seed=seed)
    assert (after["a"] != before["a"]).mean() > 0.8


def test_a_window_of_less_than_one_rank_is_refused():
    with pytest.raises(InputError, match="less than one"):
        masked(pl.DataFrame({"x": np.arange(50.0)}), step("rank_swap", "x", window=1.9))


def test_chance_of_a_step_is_not_that_of_a_measure():
    before = pl.DataFrame({"x": np.arange(1000.0)})
    after = masked(before, step("swap", "x", share=0.5), seed=1)
    moved = set(np.flatnonzero(after["x"] != before["x"]).tolist())
    for stream in range(6):
        drawn = np.random.default_rng([1, stream]).permutation(1000)[:500]
        assert len(moved & set(drawn.tolist())) < 300


def test_a_matrix_may_name_numbers():
    before = pl.DataFrame({"x": [1, 2] * 50})
    after = masked(before, step("pram", "x", matrix={1: {2: 1.0}}))
    assert set(after["x"].to_list()) == {"2"}


def test_a_wider_window_moves_values_farther():
    before = pl.DataFrame({"x": np.arange(500.0)})
    moved = [
        (masked(before, step("rank_swap", "x", window=w))["x"] - before["x"]).abs().mean()
        for w in (1, 5, 20, 80)
    ]
    assert moved == sorted(moved)
    assert moved[0] < 5 < 20 < moved[-1]


def test_the_window_of_29_per_cent_of_100_is_29_ranks():
    before = pl.DataFrame({"x": np.arange(100.0)})
    farthest = [
        (masked(before, step("rank_swap", "x", window=29), seed=s)["x"] - before["x"]).abs().max()
        for s in range(60)
    ]
    assert max(farthest) == 29


# -- microaggregation ------------------------------------------------------------------------------


def plain_mdav(rows, size):
    """MDAV from its description, with exact fractions: sets of record numbers."""
    columns = list(zip(*[[Fraction(v) for v in row] for row in rows], strict=True))
    weights = []
    for column in columns:
        mean = sum(column) / len(column)
        variance = sum((v - mean) ** 2 for v in column) / len(column)
        weights.append(1 / variance if variance else Fraction(1))

    def apart(one, other):
        return sum(w * (a - b) ** 2 for w, a, b in zip(weights, one, other, strict=True))

    points = list(zip(*columns, strict=True))

    def centre(left):
        return [sum(points[i][j] for i in left) / len(left) for j in range(len(columns))]

    def farthest(left, point):
        return max(left, key=lambda i: (apart(points[i], point), -i))

    def around(left, i):
        return sorted(left, key=lambda j: (apart(points[j], points[i]), j))[:size]

    left, found = list(range(len(points))), []
    while len(left) >= 3 * size:
        first = farthest(left, centre(left))
        second = farthest(left, points[first])
        for record in (first, second):
            group = around(left, record)
            found.append(frozenset(group))
            left = [i for i in left if i not in group]
    if len(left) >= 2 * size:
        group = around(left, farthest(left, centre(left)))
        found.append(frozenset(group))
        left = [i for i in left if i not in group]
    return {*found, frozenset(left)}


def as_sets(groups):
    return {frozenset(np.flatnonzero(groups == g).tolist()) for g in np.unique(groups)}


@given(seeds, st.integers(2, 5), st.integers(0, 18), st.integers(1, 3), st.booleans())
@MANY
def test_mdav_finds_the_groups_of_its_description(seed, size, more, width, repeated):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(size + more, width)) * [1, 100, 0.01][:width]
    if repeated:
        points = points[rng.integers(0, max(len(points) // 2, 1), len(points))]
    assert as_sets(micro.mdav_groups(points, size)) == plain_mdav(points.tolist(), size)


def test_mdav_of_equal_distances_takes_the_first_record():
    points = np.array([[0.0], [1.0], [9.0], [10.0], [20.0], [19.0], [10.0]])
    assert as_sets(micro.mdav_groups(points, 2)) == plain_mdav(points.tolist(), 2)


def test_mdav_takes_the_first_record_also_where_rounding_hides_that_distances_are_equal():
    points = np.array([[0.0], [5], [2], [1], [5], [0], [2], [5], [5]])
    assert as_sets(micro.mdav_groups(points, 2)) == plain_mdav(points.tolist(), 2)


@given(seeds, st.integers(2, 6), st.integers(0, 30), st.integers(1, 3), st.booleans())
@MANY
def test_groups_have_at_least_g_and_at_most_2g_minus_1_records(seed, size, more, width, ties):
    points = np.random.default_rng(seed).normal(size=(size + more, width))
    points = np.round(points) if ties else points
    by_score = micro.sorted_groups(micro.projected(points), size)
    for groups in (by_score, micro.mdav_groups(points, size)):
        counts = np.bincount(groups)
        assert counts.sum() == len(points)
        assert counts.min() >= size
        assert counts.max() <= 2 * size - 1


@given(seeds, st.integers(2, 12), st.sampled_from(["each", "projection", "mdav"]))
@FEW
def test_microaggregation_keeps_means_and_repeats_every_value_g_times(seed, size, groups):
    before = table(seed, missing=0.15)
    chosen = ["x", "tied", "whole"]
    after = masked(before, step("microaggregation", *chosen, g=size, groups=groups), seed=seed)
    complete = pl.all_horizontal(pl.col(chosen).is_not_null())
    for name in chosen:
        known = before[name].is_not_null()
        whole = known if groups == "each" else before.select(complete).to_series()
        # Records with some number missing are aggregated by themselves, and few are suppressed.
        for part in (whole, known & ~whole):
            old, new = before[name].filter(part), after[name].filter(part)
            if len(old) < size:
                assert new.null_count() == len(new)
                continue
            assert new.mean() == pytest.approx(old.mean(), rel=1e-9, abs=1e-9)
            assert min(counted(new.round(9)).values()) >= size
        assert after[name].filter(~known).null_count() == (~known).sum()


@given(seeds, st.integers(2, 10))
@FEW
def test_groups_of_one_variable_are_runs_in_sorted_order(seed, size):
    before = table(seed, missing=0.0)
    groups = micro.sorted_groups(before["tied"].to_numpy(), size)
    runs = groups[np.argsort(before["tied"].to_numpy(), kind="stable")]
    assert (np.diff(runs) >= 0).all()
    after = masked(before, step("microaggregation", "x", g=size))
    ranked = after["x"].to_numpy()[np.argsort(before["x"].to_numpy())]
    assert (np.diff(ranked) >= 0).all()
    expected = [chunk.mean() for chunk in np.split(np.sort(before["x"]), range(size, 60, size))]
    assert ranked[:size] == pytest.approx(expected[0])


def test_projection_groups_by_the_sum_of_z_scores():
    before = numbers(200, 3)
    after = masked(before, step("microaggregation", "a", "b", "c", g=4, groups="projection"))
    z = (before - before.mean().select(pl.all().repeat_by(200).explode())).to_numpy()
    score = (z / z.std(axis=0)).sum(axis=1)
    order = np.argsort(score)
    for name in before.columns:
        cells = before[name].to_numpy()[order].reshape(50, 4).mean(axis=1).repeat(4)
        assert after[name].to_numpy()[order] == pytest.approx(cells)


@pytest.mark.parametrize("groups", ["projection", "mdav"])
def test_noise_restores_the_covariance_that_aggregation_removed(groups):
    rows = 5000 if groups == "projection" else 1500
    before = numbers(rows, 3, correlation=0.4)
    plain = step("microaggregation", "a", "b", "c", g=60, groups=groups)
    restored = masked(before, plain | {"noise": True})
    wanted, bare, found = (
        np.cov(f.to_numpy(), rowvar=False) for f in (before, masked(before, plain), restored)
    )
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    assert np.abs((found - wanted) / scale).max() < 5 * np.sqrt(2 / rows)
    # How much aggregation takes depends on groups, in which ties fall as the processor adds.
    assert np.abs((bare - wanted) / scale).max() > 4 * np.sqrt(2 / rows)


def test_whole_numbers_stay_whole_where_group_means_are():
    before = pl.DataFrame({"x": [1, 3, 11, 13, *range(100, 120)], "y": list(range(24))})
    after = masked(before, step("microaggregation", "x", "y", g=2))
    assert after["x"].dtype == pl.Float64  # 100 and 101
    even = masked(before.select("x").head(4), step("microaggregation", "x", g=2))
    assert even["x"].dtype == pl.Int64
    assert even["x"].to_list() == [2, 2, 12, 12]


# -- PRAM ------------------------------------------------------------------------------------------


@given(seeds, st.integers(1, 8), st.floats(0, 1))
@MANY
def test_the_invariant_matrix_keeps_expected_frequencies(seed, categories, keep):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 500, categories).astype(float)
    for plain in (
        pram.even_matrix(categories, keep),
        rng.dirichlet(np.ones(categories), categories),
    ):
        matrix = pram.invariant(plain, counts)
        assert (matrix >= 0).all()
        assert matrix.sum(axis=1) == pytest.approx(np.ones(categories))
        assert counts @ matrix == pytest.approx(counts)


@given(st.integers(2, 9), st.floats(0, 1))
@FEW
def test_rows_of_the_even_matrix_keep_and_share_the_rest(categories, keep):
    matrix = pram.even_matrix(categories, keep)
    assert np.diag(matrix) == pytest.approx(np.full(categories, keep))
    assert matrix.sum(axis=1) == pytest.approx(np.ones(categories))
    away = matrix[~np.eye(categories, dtype=bool)]
    assert away == pytest.approx(np.full(len(away), (1 - keep) / (categories - 1)))


@given(seeds, st.integers(2, 12), st.floats(0, 1), st.booleans())
@MANY
def test_the_share_of_records_that_is_kept_is_the_one_asked_for(seed, categories, part, skewed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 500, categories).astype(float)
    if skewed:
        counts[0] *= 1000
    shares = counts / counts.sum()
    least = float((shares**2).sum())
    keep = least + part * (1 - least)
    matrix = pram.keeping(counts, keep)
    assert (matrix >= 0).all()
    assert matrix.sum(axis=1) == pytest.approx(np.ones(categories), abs=1e-12)
    assert shares @ matrix == pytest.approx(shares, abs=1e-12)
    assert sum(p * matrix[v, v] for v, p in enumerate(shares)) == pytest.approx(keep, abs=1e-9)
    assert pram.share_kept(matrix, counts) == pytest.approx(keep, abs=1e-9)


def test_the_share_kept_of_two_even_categories_is_known():
    # P = (q, 1−q; 1−q, q) is its own way back: q² + (1−q)² stay.
    matrix = pram.keeping(np.array([7.0, 7.0]), 0.82)
    assert matrix == pytest.approx(np.array([[0.82, 0.18], [0.18, 0.82]]))
    assert pram.invariant(pram.even_matrix(2, 0.9), np.ones(2)) == pytest.approx(matrix)


def test_all_drawn_anew_keeps_the_least():
    counts = np.array([60.0, 30.0, 10.0])
    assert pram.least_kept(counts) == pytest.approx(0.46)
    anew = np.tile(counts / 100, (3, 1))
    assert pram.keeping(counts, 0.46) == pytest.approx(anew, abs=1e-6)
    with pytest.raises(Undefined, match=r"0\.4600"):
        pram.keeping(counts, 0.459)


@given(st.integers(1, 99), st.integers(2, 6), st.floats(0, 1))
@FEW
def test_no_probability_of_staying_keeps_less(first, categories, stays):
    counts = np.arange(first, first + categories).astype(float)
    made = pram.invariant(pram.even_matrix(categories, stays), counts)
    assert pram.share_kept(made, counts) >= pram.least_kept(counts) - 1e-12


def test_less_than_can_be_kept_is_refused_with_what_can():
    before = pl.DataFrame({"c": ["x"] * 6 + ["y"] * 4, "d": ["x"] * 5 + ["y"] * 5, "e": ["z"] * 10})
    assert refused(before, step("pram", "c", "d", "e", keep=0.51)) == (
        "pram: keep = 0.51 cannot be met with invariant = true, which keeps at least "
        '0.5200 of "c", 1.0000 of "e": so many stay if all are drawn anew. '
        "Keep more, or give invariant = false.",
    )
    assert masked(before, step("pram", "c", "d", keep=0.52)).shape == before.shape
    assert masked(before, step("pram", "c", "e", keep=0.51, invariant=False)).shape == before.shape


@given(seeds, st.sampled_from([0.3, 0.7, 0.95]), st.booleans())
@FEW
def test_observed_frequencies_are_near_the_expected_ones(seed, keep, invariant):
    rng = np.random.default_rng(seed)
    cells = rng.choice(["p", "q", "r", "s"], 3000, p=rng.dirichlet([2, 2, 2, 2]))
    before = pl.DataFrame({"c": cells})
    values, counts = np.unique(cells, return_counts=True)
    if invariant:
        keep = max(keep, pram.least_kept(counts.astype(float)))
    after = masked(before, step("pram", "c", keep=keep, invariant=invariant), seed=seed)
    matrix = pram.even_matrix(len(values), keep)
    if invariant:
        matrix = pram.keeping(counts.astype(float), keep)
    spread = np.sqrt(counts @ (matrix * (1 - matrix)))
    found = np.array([counted(after["c"])[v] for v in values.tolist()])
    assert (np.abs(found - counts @ matrix) <= 5 * spread + 1e-9).all()
    stayed = (after["c"] == before["c"]).sum()
    likely = np.diag(matrix)
    sd = np.sqrt(counts @ (likely * (1 - likely)))
    assert abs(stayed - 3000 * keep) <= 5 * sd + 1e-6


@pytest.mark.parametrize("invariant", [True, False])
@pytest.mark.parametrize("keep", [0.6, 0.9])
def test_pram_keeps_the_share_of_a_large_table(keep, invariant):
    rows = 200_000
    cells = np.random.default_rng(5).choice(["p", "q", "r"], rows, p=[0.6, 0.3, 0.1])
    before = pl.DataFrame({"c": cells})
    after = masked(before, step("pram", "c", keep=keep, invariant=invariant))
    stayed = (after["c"] == before["c"]).mean()
    assert abs(stayed - keep) < 5 * np.sqrt(keep * (1 - keep) / rows)


KINDS = {
    "text": ["u", "v", None, "w"] * 5,
    "code": [1, 2, None, 3] * 5,
    "truth": [True, False, None, True] * 5,
    "day": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1), None, None] * 5,
    "label": pl.Series(["k", "l", None, "k"] * 5, dtype=pl.Categorical),
}


@pytest.mark.parametrize("name", KINDS)
def test_pram_that_keeps_everything_changes_nothing(name):
    before = pl.DataFrame({name: KINDS[name]})
    assert masked(before, step("pram", name, keep=1.0)).equals(before)
    assert masked(before, step("pram", name, keep=1)).schema == before.schema


@pytest.mark.parametrize("name", KINDS)
def test_pram_leaves_missing_cells_missing_and_makes_none(name):
    before = pl.DataFrame({name: KINDS[name]})
    after = masked(before, step("pram", name, keep=0.0, invariant=False))
    assert after[name].is_null().equals(before[name].is_null())
    assert not (after[name] == before[name]).any()
    assert set(after[name].to_list()) <= set(before[name].to_list())


def test_pram_by_a_matrix_changes_only_the_rows_it_names():
    before = pl.DataFrame({"c": ["u", "v", "w", None] * 500})
    matrix = {"u": {"u": 0.25, "v": 0.75}, "v": {"new": 1.0}, "nobody": {"u": 1.0}}
    after = masked(before, step("pram", "c", matrix=matrix))
    pairs = Counter(zip(before["c"], after["c"], strict=True))
    assert set(pairs) == {("u", "u"), ("u", "v"), ("v", "new"), ("w", "w"), (None, None)}
    assert abs(pairs["u", "v"] - 375) <= 5 * np.sqrt(500 * 0.75 * 0.25)


def test_pram_by_a_matrix_that_names_only_others_changes_nothing():
    before = pl.DataFrame({"c": ["u", "v", None]})
    after = masked(before, step("pram", "c", matrix={"y": {"z": 1.0}}))
    assert after.equals(before)


def test_pram_by_a_matrix_takes_codes_by_their_labels():
    before = pl.DataFrame({"c": [1, 2, None, 1]})
    after = masked(before, step("pram", "c", matrix={"1": {"3": 1}}))
    assert after["c"].cast(pl.String).to_list() == ["3", "2", None, "3"]


def test_pram_by_a_matrix_leaves_text_as_it_is_spelled():
    before = pl.DataFrame({"c": ["1.0", "1", "a", " b"]})
    assert masked(before, step("pram", "c", matrix={"a": {"a": 1.0}})).equals(before)


def test_pram_leaves_a_column_without_values_alone():
    before = pl.DataFrame({"c": pl.Series([None] * 4, dtype=pl.String)})
    assert masked(before, step("pram", "c", keep=0.5)).equals(before)


# -- local suppression -----------------------------------------------------------------------------


def random_keys(seed, rows, width, levels, missing):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, levels, (rows, width))
    gone = rng.random((rows, width)) < missing
    frame = pl.DataFrame({NAMES[j]: cells[:, j] for j in range(width)})
    return frame.select(
        pl.when(pl.Series(~gone[:, j])).then(pl.col(n)) for j, n in enumerate(frame.columns)
    ).with_columns(pl.col("a").cast(pl.String))


def matches(rows):
    """For each record those that agree with it in every key where both have values: by hand."""
    return [sum(alike(row, other) for other in rows) for row in rows]


def lost_cells(before, after):
    """Records × keys: which cells were made missing."""
    return np.stack(
        [(after[n].is_null() & before[n].is_not_null()).to_numpy() for n in before.columns], axis=1
    )


def restored_cell(before, after, record, key):
    """The rows after, with one cell as it was before."""
    cells = [list(row) for row in after.rows()]
    cells[record][key] = before.row(record)[key]
    return cells


@given(
    seeds,
    st.integers(2, 45),
    st.integers(1, 4),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(["any", "value"]),
    st.data(),
)
@MANY
def test_local_suppression_reaches_k_and_only_makes_cells_missing(
    seed, rows, width, levels, holes, missing, data
):
    before = random_keys(seed, rows, width, levels, holes)
    k = data.draw(st.integers(2, rows))
    worth = data.draw(st.dictionaries(st.sampled_from(before.columns), st.floats(0.1, 9)))
    chosen = step("local_suppression", *before.columns, k=k, importance=worth, missing=missing)
    after = masked(before, chosen)
    assert after.schema == before.schema
    for name in before.columns:
        same = (after[name] == before[name]).fill_null(True)
        assert same.all()
        assert after[name].is_null().filter(before[name].is_null()).all()
    rows_after = after.rows()
    assert min(matches(rows_after)) >= k
    if missing == "value":
        assert min(Counter(rows_after).values()) >= k
    else:
        assert after.equals(masked(before, {n: v for n, v in chosen.items() if n != "missing"}))


some_tables = (seeds, st.integers(2, 40), st.integers(1, 4), st.integers(2, 6))


@given(*some_tables, st.sampled_from([0.0, 0.2]), st.integers(2, 5))
@MANY
def test_local_suppression_takes_no_cell_that_is_not_needed(seed, rows, width, levels, holes, k):
    before = random_keys(seed, rows, width, levels, holes)
    assume(k <= rows)
    after = masked(before, step("local_suppression", *before.columns, k=k))
    lost = lost_cells(before, after)
    short = np.array(matches(before.rows())) < k
    assert not lost[~short].any()  # who matches k already keeps everything
    for record, key in np.argwhere(lost):
        assert min(matches(restored_cell(before, after, record, key))) < k


@given(*some_tables, st.integers(2, 5))
@FEW
def test_local_suppression_in_small_portions_reaches_k_all_the_same(seed, rows, width, levels, k):
    before = random_keys(seed, rows, width, levels, 0.1)
    assume(k <= rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(any_match, "MOST_OPTIONS", 1)
        patch.setattr(any_match, "MOST_PAIRS", 3)
        after = masked(before, step("local_suppression", *before.columns, k=k))
    assert min(matches(after.rows())) >= k
    assert not any(
        min(matches(restored_cell(before, after, record, key))) >= k
        for record, key in np.argwhere(lost_cells(before, after))
    )


@given(*some_tables, st.integers(2, 5), st.randoms(use_true_random=False))
@FEW
def test_local_suppression_does_not_depend_on_the_order_of_records(
    seed, rows, width, levels, k, chance
):
    before = random_keys(seed, rows, width, levels, 0.1)
    assume(k <= rows)
    order = list(range(rows))
    chance.shuffle(order)
    chosen = step("local_suppression", *before.columns, k=k)
    one, other = masked(before, chosen), masked(before[order], chosen)
    assert Counter(one.rows()) == Counter(other.rows())


@given(seeds, st.integers(1, 12), st.integers(2, 4), st.sampled_from(["any", "value"]))
@FEW
def test_local_suppression_changes_nothing_where_k_is_reached(seed, classes, k, missing):
    before = pl.concat([random_keys(seed, classes, 3, 9, 0.2)] * k).sample(
        fraction=1, shuffle=True, seed=seed
    )
    chosen = step("local_suppression", "a", "b", "c", k=k, missing=missing)
    assert masked(before, chosen).equals(before)


def people_like(rows=4000, seed=3):
    """Keys as surveys have them: skewed, some of them related."""
    rng = np.random.default_rng(seed)
    region = np.minimum(rng.exponential(2, rows).astype(int), 9)
    age = rng.integers(0, 8, rows)
    married = (rng.random(rows) < age / 10).astype(int)
    work = np.minimum(rng.exponential(1 + age / 4).astype(int), 6)
    return pl.DataFrame(
        {"region": region, "age": age, "married": married, "work": work}
    ).with_columns(sex=pl.Series(rng.integers(0, 2, rows)))


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("worth", [{}, {"sex": 4, "age": 2.5}], ids=["even", "uneven"])
def test_fewer_cells_are_lost_where_a_missing_key_matches_every_value(k, worth):
    before = people_like()
    ways = [
        step("local_suppression", *before.columns, k=k, importance=worth, missing=missing)
        for missing in ("any", "value")
    ]
    cost = np.array([worth.get(n, 1.0) for n in before.columns])
    found = [lost_cells(before, masked(before, way)) for way in ways]
    assert 0 < found[0].sum() < 0.6 * found[1].sum()
    assert (found[0] @ cost).sum() < 0.6 * (found[1] @ cost).sum()
    # Nor as many as if each record that is short of k lost a cell of its own.
    sizes = before.select(n=pl.len().over(before.columns)).to_series()
    assert found[0].sum() < 0.8 * (sizes < k).sum()


def test_a_missing_key_helps_all_whom_it_matches():
    pair = pl.DataFrame({"a": [0, 0, 1], "b": [5, 5, 5], "c": [7, 7, 7]})
    after = masked(pair, step("local_suppression", "a", "b", "c", k=3))
    assert after["a"].to_list() == [0, 0, None]
    assert after.select("b", "c").equals(pair.select("b", "c"))
    three = pl.DataFrame({"a": [0, 1, 2], "b": [5, 5, 5]})
    after = masked(three, step("local_suppression", "a", "b", k=3))
    assert after["a"].null_count() == 2
    assert after["b"].null_count() == 0


def test_records_unlike_all_others_lose_every_key_as_a_last_resort():
    before = pl.DataFrame({"a": range(20), "b": range(20), "c": range(20)})
    after = masked(before, step("local_suppression", "a", "b", "c", k=3))
    lost = lost_cells(before, after)
    assert sorted(lost.sum(axis=1).tolist()) == [0] * 18 + [3, 3]
    assert min(matches(after.rows())) == 3
    every = masked(before, step("local_suppression", "a", "b", "c", k=20))
    assert lost_cells(before, every).sum() == 3 * 19


@pytest.mark.parametrize("missing", ["any", "value"])
@pytest.mark.parametrize(("worth", "lost"), [({"a": 5}, "b"), ({"b": 5}, "a"), ({"a": 0.5}, "a")])
def test_local_suppression_prefers_the_unimportant_variable(worth, lost, missing):
    before = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    chosen = step("local_suppression", "a", "b", k=2, importance=worth, missing=missing)
    after = masked(before, chosen)
    kept = "b" if lost == "a" else "a"
    # A missing cell matches its neighbour, who need not lose his.
    assert after[lost].null_count() == (2 if missing == "any" else 4)
    assert after[kept].equals(before[kept])


@pytest.mark.parametrize("missing", ["any", "value"])
def test_local_suppression_takes_two_cheap_variables_before_a_dear_one(missing):
    before = pl.DataFrame(
        {"a": [0, 0, 0, 1, 1, 1], "b": [0, 1, 2, 0, 1, 2], "c": [5, 6, 7, 5, 6, 7]}
    )
    worth = {"a": 3, "b": 1, "c": 1}
    chosen = step("local_suppression", "a", "b", "c", k=3, importance=worth, missing=missing)
    lost = 4 if missing == "any" else 6
    assert [masked(before, chosen)[n].null_count() for n in "abc"] == [0, lost, lost]
    dear = chosen | {"k": 2, "importance": {"b": 9}}
    lost = 3 if missing == "any" else 6
    assert [masked(before, dear)[n].null_count() for n in "abc"] == [lost, 0, 0]


def test_local_suppression_of_a_lonely_record_costs_few_cells():
    before = pl.DataFrame({"a": [0] * 9 + [1], "b": [0] * 9 + [1]})
    after = masked(before, step("local_suppression", "a", "b", k=3, missing="value"))
    assert after["a"].null_count() == after["b"].null_count() == 3
    assert after.row(9) == (None, None)
    after = masked(before, step("local_suppression", "a", "b", k=3))
    assert after.row(9) == (None, None)
    assert after.head(9).equals(before.head(9))


@pytest.mark.parametrize(("missing", "lost"), [("any", 2), ("value", 3)])
def test_local_suppression_of_more_than_the_records_is_refused(missing, lost):
    before = pl.DataFrame({"a": [1, 2, 3]})
    assert refused(before, step("local_suppression", "a", k=4, missing=missing)) == (
        "step 1 (local_suppression): k = 4 is more than the 3 records.",
    )
    after = masked(before, step("local_suppression", "a", k=3, missing=missing))
    assert after["a"].null_count() == lost


def test_a_missing_key_is_any_or_a_value():
    before = pl.DataFrame({"a": [1, 2, 3]})
    assert refused(before, step("local_suppression", "a", k=2, missing="all")) == (
        'step 1 (local_suppression): missing is "all"; it must be one of any, value.',
    )


# -- noise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("asked", [{"share": 0.2}, {"deviation": 3.0}])
def test_noise_has_mean_0_and_the_deviation_asked_for(seed, asked):
    before = numbers(4000, 2, seed)
    after = masked(before, step("noise", "a", "b", **asked), seed=seed)
    drawn = (after - before).to_numpy()
    for j, name in enumerate(before.columns):
        wanted = asked.get("deviation") or asked["share"] * before[name].std()
        assert abs(drawn[:, j].mean()) < 5 * wanted / np.sqrt(4000)
        assert abs(drawn[:, j].std() - wanted) < 5 * wanted / np.sqrt(8000)
    assert abs(np.corrcoef(drawn, rowvar=False)[0, 1]) < 5 / np.sqrt(4000)


def test_correlated_noise_keeps_correlations_and_plain_noise_does_not():
    before = numbers(20_000, 3, correlation=0.8)
    wanted = np.corrcoef(before.to_numpy(), rowvar=False)
    plain = masked(before, step("noise", "a", "b", "c", share=1.0))
    after = masked(before, step("noise", "a", "b", "c", share=1.0, correlated=True))
    found, lost = (np.corrcoef(f.to_numpy(), rowvar=False) for f in (after, plain))
    assert np.abs(found - wanted).max() < 0.02
    assert np.abs(lost - wanted).max() > 0.3
    growth = (after.to_numpy().std(axis=0) / before.to_numpy().std(axis=0)) ** 2
    assert growth == pytest.approx([2.0, 2.0, 2.0], rel=0.05)


def test_correlated_noise_of_one_variable_has_the_share_of_its_deviation():
    before = numbers(4000, 1)
    drawn = masked(before, step("noise", "a", share=0.5, correlated=True))["a"] - before["a"]
    assert drawn.std() == pytest.approx(0.5 * before["a"].std(), rel=5 / np.sqrt(8000))


@given(seeds, st.sampled_from([{"share": 0.5}, {"share": 3.0}, {"deviation": 2.0}]))
@FEW
def test_noise_on_positive_values_leaves_them_positive_and_the_rest_alone(seed, asked):
    before = table(seed)
    after = masked(before, step("noise", "x", "tied", positive=True, **asked), seed=seed)
    for name in ("x", "tied"):
        above = (before[name] > 0).fill_null(False)
        assert (after[name].filter(above) > 0).all()
        assert (after[name].filter(above) != before[name].filter(above)).all()
        assert after[name].filter(~above).equals(before[name].filter(~above), null_equal=True)


@pytest.mark.parametrize("way", [{}, {"correlated": True}, {"positive": True}])
@pytest.mark.parametrize("seed", range(3))
def test_noise_leaves_missing_cells_missing(seed, way):
    before = table(seed, missing=0.2)
    chosen = ["x", "tied", "whole"]
    after = masked(before, step("noise", *chosen, share=0.3, **way), seed=seed)
    for name in chosen:
        assert after[name].is_null().equals(before[name].is_null())
        assert not after[name].is_nan().any()
        assert not after[name].equals(before[name].cast(pl.Float64), null_equal=True)
        assert after[name].dtype == pl.Float64
    assert after["code"].equals(before["code"], null_equal=True)


def test_a_whole_number_column_is_whole_again_once_it_is_rounded():
    before = table(1, missing=0.1)
    noisy = step("noise", "whole", deviation=2.5)
    after = masked(before, noisy, step("round", "whole", unit=1))
    known = after["whole"].drop_nulls()
    assert (known == known.round()).all()
    assert after["whole"].null_count() == before["whole"].null_count()


def test_whole_numbers_that_would_lose_digits_are_refused():
    before = pl.DataFrame({"x": [2**60 + i for i in range(12)]})
    (fault,) = refused(before, step("top_bottom", "x", top=2**61))
    assert "lose digits" in fault


def test_the_original_is_not_written_over(folder):
    with pytest.raises(InputError, match="is an input of this run"):
        mask("original.csv", {"step": [SAME]}, "original.csv")


@pytest.mark.parametrize(
    "chosen", [step("top_bottom", "whole", bottom=1e300), step("noise", "whole", deviation=1e30)]
)
def test_a_whole_column_takes_numbers_too_large_for_whole_ones(chosen):
    with suppress(InputError):
        assert masked(table(1), chosen)["whole"].max() > 1e20


@pytest.mark.parametrize(
    "hopeless",
    [
        step("noise", "x", share=0.1),
        step("noise", "x", share=0.1, correlated=True),
        step("noise", "x", "y", share=0.1, correlated=True),
        step("synthesise", "x", model="normal"),
        step("synthesise", "y", "x"),
        step("synthesise", "x", "y"),
    ],
)
def test_a_column_of_numbers_without_any_is_taken_quietly_or_refused(hopeless):
    before = pl.DataFrame({"x": pl.Series([None] * 12, dtype=pl.Float64), "y": np.arange(12.0)})
    with suppress(InputError):
        assert masked(before, hopeless).height == 12


@pytest.mark.parametrize(
    "chosen",
    [
        step("noise", "x", share=0.1),
        step("noise", "x", share=0.1, positive=True),
        step("noise", "x", "y", share=0.1, correlated=True),
        step("microaggregation", "x", noise=True),
        step("microaggregation", "x", "y", groups="mdav"),
        step("synthesise", "x", "y", model="normal"),
        step("synthesise", "x", "y"),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_infinite_cell_spoils_no_other_or_is_refused(chosen, monkeypatch):
    calls = iter(range(50))
    nearest = micro._nearest
    monkeypatch.setattr(micro, "_nearest", lambda *a: (next(calls), nearest(*a))[1])
    cells = [*np.arange(1.0, 12), INFINITY]
    before = pl.DataFrame({"x": cells, "y": np.arange(12.0) ** 2})
    with suppress(InputError):
        after = masked(before, chosen)["x"].fill_nan(None)
        assert after.is_finite().sum() >= 9


# -- recoding, rounding, coding --------------------------------------------------------------------


@given(
    seeds, st.sampled_from([0.1, 0.25, 1, 5, 30]), st.sampled_from(["nearest", "floor", "ceiling"])
)
@FEW
def test_rounding_gives_the_multiple_on_the_side_that_is_asked_for(seed, unit, mode):
    before = table(seed)
    after = masked(before, step("round", "x", "whole", unit=unit, mode=mode))
    for name in ("x", "whole"):
        old, new = (f[name].drop_nulls().cast(pl.Float64).to_numpy() for f in (before, after))
        assert new / unit == pytest.approx(np.round(new / unit), abs=1e-6)
        low, high = {"nearest": (-0.5, 0.5), "floor": (-1, 0), "ceiling": (0, 1)}[mode]
        assert ((new - old) / unit >= low - 1e-6).all()
        assert ((new - old) / unit <= high + 1e-6).all()
        assert after[name].is_null().equals(before[name].is_null())


def test_rounding_keeps_whole_columns_whole():
    before = table(1)
    after = masked(before, step("round", "whole", unit=10))
    assert after["whole"].dtype == pl.Int64


@given(seeds, st.floats(-15, 15), st.floats(0, 20))
@FEW
def test_top_and_bottom_coding_clips(seed, bottom, width):
    before, top = table(seed), bottom + width
    both = masked(before, step("top_bottom", "x", top=top, bottom=bottom))["x"]
    assert both.equals(before["x"].clip(bottom, top), null_equal=True)
    above = masked(before, step("top_bottom", "x", top=top))["x"]
    assert above.equals(before["x"].clip(None, top), null_equal=True)
    below = masked(before, step("top_bottom", "x", bottom=bottom))["x"]
    assert below.equals(before["x"].clip(bottom, None), null_equal=True)


def test_a_map_merges_values_and_leaves_the_rest():
    before = pl.DataFrame(
        {"c": ["u", "v", None, "w"], "n": [1, 2, None, 30], "f": [1.5, 2, None, 3]}
    )
    after = masked(
        before,
        step("recode", "c", map={"u": "uv", "v": "uv", "nobody": "q"}),
        step("recode", "n", map={"1": "few", "2": "few"}),
        step("recode", "f", map={"1.5": "x", "2.0": 7}),
    )
    assert after["c"].to_list() == ["uv", "uv", None, "w"]
    assert after["n"].to_list() == ["few", "few", None, "30"]
    assert after["f"].to_list() == ["x", "7", None, "3"]


def test_truth_is_spelled_alike_by_maps_matrices_and_files():
    before = pl.DataFrame({"c": [True, False, None]})
    mapped = masked(before, step("recode", "c", map={"true": "yes"}))
    drawn = masked(before, step("pram", "c", matrix={"true": {"yes": 1.0}}))
    assert mapped["c"].to_list() == ["yes", "false", None]
    assert drawn.equals(mapped)


def test_a_map_may_swap_two_values():
    before = pl.DataFrame({"c": ["u", "v", "u"]})
    after = masked(before, step("recode", "c", map={"u": "v", "v": "u"}))
    assert after["c"].to_list() == ["v", "u", "v"]


def test_a_map_finds_text_as_it_is_spelled():
    before = pl.DataFrame({"c": ["1.0", "x"]})
    after = masked(before, step("recode", "c", map={"1.0": "one"}))
    assert after["c"].to_list() == ["one", "x"]


def test_bands_of_whole_numbers_and_of_others():
    ages = pl.DataFrame({"x": [0, 17, 18, 19, 20, 64, 65, 99, None], "y": [0.5] * 9})
    banded = masked(ages, step("recode", "x", breaks=[0, 18, 19, 65]))
    assert banded["x"].to_list() == ["0-17", "0-17", "18", *["19-64"] * 3, "65+", "65+", None]
    others = pl.DataFrame({"x": [0.0, 17.9, 18.0, 64.5, 65.0, None]})
    banded = masked(others, step("recode", "x", breaks=[0, 18, 65]))
    assert banded["x"].to_list() == ["[0,18)", "[0,18)", "[18,65)", "[18,65)", "65+", None]


def test_values_below_the_first_break_become_missing():
    before = pl.DataFrame({"x": [-1, 4, 5, 9]})
    after = masked(before, step("recode", "x", breaks=[5, 8]))
    assert after["x"].to_list() == [None, None, "5-7", "8+"]


@given(seeds, st.lists(st.integers(-200, 200), min_size=1, max_size=6, unique=True).map(sorted))
@FEW
def test_labelled_bands_hold_what_lies_between_their_breaks(seed, breaks):
    before = table(seed)
    labels = [f"band {i}" for i in range(len(breaks))]
    after = masked(before, step("recode", "whole", breaks=breaks, labels=labels))
    for old, new in zip(before["whole"], after["whole"], strict=True):
        below = -1 if old is None else sum(b <= old for b in breaks) - 1
        assert new == (labels[below] if below >= 0 else None)


@pytest.mark.parametrize(
    "breaks",
    [
        [0, 18, 65],
        [-20, -10, 0],
        pytest.param(
            [1_000_000, 1_000_010, 1_000_020],
        ),
        pytest.param(
            [1234567, 2345678],
        ),
        pytest.param(
            [0, 0.5, 3],
        ),
    ],
)
def test_bands_of_whole_numbers_name_their_first_and_last_number(breaks):
    cells = sorted({int(np.ceil(b)) for b in breaks} | {int(np.ceil(b)) - 1 for b in breaks[1:]})
    after = masked(pl.DataFrame({"x": cells}), step("recode", "x", breaks=breaks))["x"].to_list()
    inside = dict(zip(cells, after, strict=True))
    for low, high in pairwise(breaks):
        first, last = int(np.ceil(low)), int(np.ceil(high)) - 1
        assert inside[first] == inside[last] == (f"{first}-{last}" if first < last else str(first))
    assert inside[breaks[-1]] == f"{breaks[-1]}+"


def test_a_prefix_keeps_the_start_of_codes():
    before = pl.DataFrame({"c": ["00412", "00499", "x", None], "n": [4711, 4720, 5, None]})
    after = masked(before, step("recode", "c", "n", prefix=3))
    assert after["c"].to_list() == ["004", "004", "x", None]
    assert after["n"].to_list() == ["471", "472", "5", None]


# -- suppression, sampling -------------------------------------------------------------------------


def test_records_are_counted_from_1():
    before = table(1, missing=0.0)
    after = masked(before, step("suppress", "x", "text", records=[1, 3, 60]))
    for name in ("x", "text"):
        assert after[name].is_null().arg_true().to_list() == [0, 2, 59]
        kept = after[name].is_not_null()
        assert after[name].filter(kept).equals(before[name].filter(kept))
    assert after["whole"].equals(before["whole"])
    assert after.schema == before.schema


@given(seeds, st.floats(0, 1))
@FEW
def test_a_share_of_the_cells_is_suppressed(seed, share):
    before = table(seed, missing=0.0)
    after = masked(before, step("suppress", "x", "text", share=share), seed=seed)
    for name in ("x", "text"):
        assert after[name].null_count() == round(share * 60)
        assert (after[name] == before[name]).drop_nulls().all()


def test_each_variable_has_suppressed_cells_of_its_own():
    after = masked(table(1, missing=0.0), step("suppress", "x", "text", share=0.5))
    assert not after["x"].is_null().equals(after["text"].is_null())


@given(seeds, st.integers(1, 60), st.booleans())
@FEW
def test_a_sample_has_its_size_and_the_order_of_the_records(seed, records, by_share):
    before = table(seed).with_row_index("row")
    asked = {"share": records / 60} if by_share else {"records": records}
    after = masked(before, step("sample", **asked), seed=seed)
    assert after.height == records
    assert after["row"].is_sorted()
    assert after.equals(before[after["row"].to_list()])


# -- synthesis -------------------------------------------------------------------------------------


def test_normal_draws_keep_means_and_covariances():
    before = numbers(5000, 3, correlation=0.5)
    after = masked(before, step("synthesise", "a", "b", "c", model="normal"))
    old, new = before.to_numpy(), after.to_numpy()
    deviations = old.std(axis=0)
    assert (np.abs(old.mean(axis=0) - new.mean(axis=0)) < 5 * deviations / np.sqrt(5000)).all()
    apart = np.cov(new, rowvar=False) - np.cov(old, rowvar=False)
    assert np.abs(apart / np.outer(deviations, deviations)).max() < 5 * np.sqrt(2 / 5000)
    assert not set(before["a"]) & set(after["a"])


def linked(rows=3000):
    """A number, a number and a category that follow from it, and a code."""
    rng = np.random.default_rng(5)
    x = rng.normal(50, 10, rows).round(2)
    return pl.DataFrame(
        {
            "x": x,
            "y": (2 * x + rng.normal(0, 12, rows)).round(2),
            "c": np.where(x + rng.normal(0, 3, rows) > 50, "high", "low"),
            "k": rng.integers(1, 4, rows),
        }
    )


def association(frame):
    return np.corrcoef([frame["x"], frame["y"], (frame["c"] == "high").cast(pl.Float64)])


def test_independent_draws_keep_distributions_and_no_association():
    before = linked()
    after = masked(before, step("synthesise", "x", "y", "c", model="independent"))
    for name in ("x", "y"):
        assert set(after[name]) <= set(before[name])
        assert abs(after[name].mean() - before[name].mean()) < 5 * before[name].std() / 54
        assert after[name].std() == pytest.approx(before[name].std(), rel=0.07)
    high = [(f["c"] == "high").mean() for f in (before, after)]
    assert abs(high[0] - high[1]) < 5 * 0.5 / 54
    assert np.abs(association(before) - np.eye(3)).max() > 0.7
    assert np.abs(association(after) - np.eye(3)).max() < 5 / 54


@pytest.mark.parametrize("order", [("x", "y", "c", "k"), ("c", "k", "y", "x")])
def test_trees_keep_associations_and_original_values(order):
    before = linked()
    after = masked(before, step("synthesise", *order, model="trees"))
    for name in order:
        assert set(after[name]) <= set(before[name])
        assert not after[name].equals(before[name])
    assert np.abs(association(after) - association(before)).max() < 0.1
    assert after.schema == before.schema
    assert after.columns == before.columns


def test_trees_take_missing_cells_for_a_value():
    before = table(3, 800, missing=0.25)
    after = masked(before, step("synthesise", *before.columns))
    for name in before.columns:
        assert set(after[name]) <= set(before[name])
        assert abs(after[name].null_count() - 200) < 5 * np.sqrt(2 * 800 * 0.25 * 0.75)


# -- removal ---------------------------------------------------------------------------------------


@given(seeds, st.lists(st.sampled_from(table(1).columns), min_size=1, max_size=4, unique=True))
@FEW
def test_removed_variables_are_gone_and_the_rest_is_as_it_was(seed, gone):
    before = table(seed)
    assert masked(before, step("remove", *gone)).equals(before.drop(gone))


def test_a_file_needs_a_variable():
    before = table(1)
    assert refused(before, step("remove", *before.columns)) == (
        "step 1 (remove): would leave no variable in the file.",
    )
    steps = [step("remove", *before.columns[:2]), step("remove", *before.columns[2:])]
    assert refused(before, *steps) == ("step 2 (remove): would leave no variable in the file.",)


def test_no_later_step_names_what_was_removed():
    before = table(1)
    later = [step("round", "x", "tied", unit=5), step("remove", "x"), step("swap", "text", share=1)]
    assert refused(before, step("remove", "x", "code"), *later) == (
        'step 2 (round): "x" was removed by a step before.',
        'step 3 (remove): "x" was removed by a step before.',
    )
    assert masked(before, later[0], step("remove", "x")).columns == before.columns[1:]
    left_out = step("remove", "x") | {"skip": True}
    assert masked(before, left_out, later[0]).columns == before.columns


def test_any_cells_can_be_removed(folder):
    Path("in.csv").write_text("id,far,*,^v$,x\n12345678901234567,inf,1,a,1\n3,2,2,b,007\n")
    found = mask("in.csv", {"step": [step("remove", "id", "far", "*")]})
    assert found.to_dict(as_series=False) == {"^v$": ["a", "b"], "x": ["1", "007"]}
    assert any("infinite" in f for f in refused("in.csv", step("round", "far", unit=5)))


def test_a_removed_variable_is_one_to_a_measure():
    before = table(1, rows=200).with_columns(person=pl.Series(range(200)))
    after = masked(before, step("remove", "person", "text"))
    result = microgauge.assess(before, after, only=["gdu"])
    assert {v.name for v in result.variables if v.removed} == {"person", "text"}


def test_with_and_without_a_variable_is_explored():
    before = table(1, rows=200)
    recipe = {"step": [step("remove", "text") | {"skip": {"grid": [True, False]}}]}
    found = microgauge.explore(before, recipe, keys=["text", "code"], only=["gdu"])
    assert [one.settings for one in found.candidates] == [
        {"text remove": "no"},
        {"text remove": "yes"},
    ]
    whole, less = (one.assessment for one in found.candidates)
    assert [v.name for v in less.variables if v.removed] == ["text"]
    assert not any(v.removed for v in whole.variables)


# -- chance and order ------------------------------------------------------------------------------

CHANCE = [
    step("noise", "x", share=0.2),
    step("noise", "x", "whole", share=0.2, correlated=True),
    step("noise", "x", deviation=1, positive=True),
    step("microaggregation", "x", g=3, noise=True),
    step("rank_swap", "x", window=20),
    step("swap", "text", share=0.5),
    step("pram", "text", keep=0.5),
    step("suppress", "text", share=0.5),
    step("sample", share=0.5),
    step("synthesise", "x", "text"),
    step("synthesise", "x", "text", model="independent"),
    step("synthesise", "x", "whole", model="normal"),
]
CERTAIN = [
    step("microaggregation", "x", "whole", g=3, groups="mdav"),
    step("local_suppression", "text", "code", k=4),
    step("local_suppression", "text", "code", k=4, missing="value"),
    step("round", "x", unit=5),
    step("recode", "text", prefix=1),
    step("remove", "text", "code"),
]


def said(chosen):
    return "-".join(str(v) for k, v in chosen.items() if k != "variables")


@pytest.mark.parametrize("chosen", CHANCE, ids=said)
def test_a_seed_gives_one_result_and_another_seed_another(chosen):
    before = table(2)
    one, again, other = (masked(before, chosen, seed=s) for s in (4, 4, 5))
    assert one.equals(again)
    assert not one.equals(other)
    assert one.equals(mask(before, {"seed": 4, "step": [chosen]}))


@pytest.mark.parametrize("chosen", CERTAIN, ids=said)
def test_what_leaves_nothing_to_chance_does_not_look_at_the_seed(chosen):
    before = table(2)
    assert masked(before, chosen, seed=4).equals(masked(before, chosen, seed=5))


def test_the_original_is_not_changed():
    before = table(2)
    kept = before.clone()
    masked(before, *[c for c in CHANCE if c["method"] != "sample"])
    assert before.equals(kept)


@pytest.mark.parametrize("chosen", [c for c in CHANCE if c["method"] != "sample"], ids=said)
def test_draws_do_not_depend_on_the_steps_before(chosen):
    before = table(2).with_columns(other=pl.col("x") * 3, word=pl.lit("u"))
    firsts = [
        step("noise", "other", share=0.1),
        step("noise", "other", share=0.7),
        step("rank_swap", "other", window=50),
        step("swap", "word", share=0.2),
    ]
    found = [masked(before, first, chosen, seed=9) for first in firsts]
    for other in found[1:]:
        for name in chosen["variables"]:
            assert other[name].equals(found[0][name], null_equal=True)
    assert not found[0]["other"].equals(found[1]["other"], null_equal=True)


def test_two_steps_that_are_alike_draw_differently():
    before = table(2).with_columns(other=pl.col("x"))
    after = masked(before, step("noise", "x", deviation=1), step("noise", "other", deviation=1))
    assert not after["x"].equals(after["other"], null_equal=True)


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_noise_is_not_what_the_seed_alone_would_draw(seed):
    before = pl.DataFrame({"x": np.random.default_rng(seed).standard_normal(500)})
    drawn = masked(before, step("noise", "x", deviation=1), seed=seed)["x"] - before["x"]
    assert abs(np.corrcoef(drawn, before["x"])[0, 1]) < 5 / np.sqrt(500)


def test_steps_are_taken_in_the_order_of_the_recipe():
    before = table(2, missing=0.0)
    rounded, noisy = step("round", "x", unit=10), step("noise", "x", deviation=1)
    late = masked(before, noisy, rounded)["x"]
    early = masked(before, rounded, noisy)["x"]
    assert (late % 10 == 0).all()
    assert not (early % 10 == 0).any()


def test_later_steps_see_what_earlier_ones_made():
    before = table(2, missing=0.0)
    banded = step("recode", "whole", breaks=[-1000, 0])
    after = masked(before, banded, step("pram", "whole", keep=0.6))
    assert set(after["whole"]) == {"-1000--1", "0+"}
    assert any("category" in f for f in refused(before, banded, step("round", "whole", unit=5)))
    smaller = [step("sample", records=5), step("microaggregation", "x", g=6)]
    assert any("5 records" in f for f in refused(before, *smaller))
    assert masked(before, *reversed(smaller)).height == 5


# -- bad input -------------------------------------------------------------------------------------


def test_every_fault_is_told_at_once_with_the_nearest_name():
    faults = refused(
        table(1),
        step("nois", "x", share=0.1),
        step("noise", "x", shares=0.1),
        step("noise", "wohle", share=0.1),
        step("microaggregation", "x", g=99),
        step("swap", "x", share=1.5),
        step("pram", "x", keep=0.5),
        step("round", "text", unit=5),
        step("microaggregation", "x", g="three"),
        step("swap", "x", share="x"),
        step("recode", "x", breaks=[3, 2]),
        step("recode", "whole", breaks=[1, 1]),
        {"variables": ["x"]},
        "noise",
        step("round", unit=5),
        step("local_suppression", "code", importance={"cod": 2}),
        step("suppress", "x", records=[0, 5, 61]),
        sede=3,
        seed=-1,
    )
    wanted = [
        ("", 'no "sede"', 'mean "seed"'),
        ("", "seed must be"),
        ("step 1:", 'no method "nois"', 'mean "noise"'),
        ("step 2", 'no parameter "shares"', 'mean "share"'),
        ("step 2", "give share or deviation"),
        ("step 3", 'no variable "wohle"', 'mean "whole"'),
        ("step 4", "g = 99", "60 records"),
        ("step 5", "share must be a number from 0 to 1"),
        ("step 6", '"x" is a number'),
        ("step 7", '"text" is a category'),
        ("step 8", "g must be a whole number"),
        ("step 9", "share must be a number"),
        ("step 10", "breaks must be rising"),
        ("step 11", "breaks must be rising"),
        ("step 12", "no method"),
        ("step 13", "no method"),
        ("step 14", "names no variable"),
        ("step 15", '"cod"', 'mean "code"'),
        ("step 16", "2 of records are not from 1 to 60"),
    ]
    for start, *parts in wanted:
        assert any(f.startswith(start) and all(p in f for p in parts) for f in faults), parts
    assert len(faults) == len(wanted)


def test_an_unknown_variable_is_told_of_every_step():
    faults = refused(
        table(1), step("recode", "nobody", prefix=1), step("swap", "nobody", share=0.1)
    )
    assert len(faults) == 2


@pytest.mark.parametrize("recipe", [{}, {"step": []}, {"step": 5}, {"step": {}}, {"step": "noise"}])
def test_a_recipe_without_steps_is_refused(recipe):
    with pytest.raises(InputError, match="needs steps"):
        mask(table(1), recipe)


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, None, [1]])
def test_a_seed_is_a_whole_number(seed):
    assert refused(table(1), SAME, seed=seed) == (
        "seed must be a whole number from 0 to 2^64 - 1.",
    )


REFUSED = [
    step("noise", "x", share="x"),
    step("noise", "x", share=0),
    step("noise", "x", share=NAN),
    step("noise", "x", share=True),
    step("noise", "x", share=0.1, deviation=2),
    step("noise", "x", deviation=2, correlated=True),
    step("microaggregation", "x", g=2.0),
    step("microaggregation", "x", g=1),
    step("microaggregation", "x", groups=[1]),
    step("microaggregation", "text"),
    step("rank_swap", "x", window="x"),
    step("rank_swap", "x", window=0),
    step("rank_swap", "x", window=101),
    step("rank_swap", "x", window=NAN),
    step("swap", "x"),
    step("swap", "x", share=-0.1),
    step("swap", "x", share=[0.1]),
    step("pram", "text"),
    step("pram", "text", keep=2),
    step("pram", "text", keep=0.5, matrix={"red": {"red": 1.0}}),
    step("pram", "text", matrix={"red": {"red": 0.5, "blue": 0.4}}),
    step("pram", "text", matrix={"red": {"red": 1.5, "blue": -0.5}}),
    step("pram", "text", matrix={"red": 5}),
    step("pram", "text", matrix={"red": {"red": "x"}}),
    step("suppress", "x"),
    step("suppress", "x", share=0.1, records=[1]),
    step("suppress", "x", records=["x"]),
    step("suppress", "x", share="x"),
    step("local_suppression", "text", k="three"),
    step("local_suppression", "text", k=1),
    step("local_suppression", "text", importance={"text": "x"}),
    step("local_suppression", "text", importance={"text": 0}),
    step("round", "x"),
    step("round", "x", unit="x"),
    step("round", "x", unit=-5),
    step("round", "x", unit=5, mode="up"),
    step("top_bottom", "x"),
    step("top_bottom", "x", top=1, bottom=2),
    step("recode", "x"),
    step("recode", "x", breaks=[]),
    step("recode", "x", breaks=["a", "b"]),
    step("recode", "x", breaks=[1, 2], labels=["one"]),
    step("recode", "text", breaks=[1, 2]),
    step("recode", "text", prefix=1, map={"red": "r"}),
    step("recode", "text", prefix="x"),
    step("recode", "text", prefix=0),
    step("remove"),
    step("remove", "nobody"),
    step("remove", "x", share=0.5),
    step("sample"),
    step("sample", records=61),
    step("sample", share=0.001),
    step("sample", "x", share=0.5),
    step("synthesise", "x", model="forest"),
    step("synthesise", "text", model="normal"),
    {"method": "swap", "share": 0.1, "variables": None},
    {"method": 5},
    5,
    None,
]

BROKEN = {
    "variables is not iterated before it is checked": [
        {"method": "swap", "share": 0.1, "variables": 5},
        {"method": "swap", "share": 0.1, "variable": 5},
        {"method": "swap", "share": 0.1, "variables": [5]},
        {"method": "swap", "share": 0.1, "variables": [["x"]]},
    ],
    "a variable may be named twice": [
        step("synthesise", "x", "x"),
        step("recode", "x", "x", breaks=[0, 1]),
        step("noise", "x", "x", share=0.1),
    ],
    "variable hides variables": [
        step("swap", "x", share=0.1) | {"variable": "text"},
    ],
    "sample counts before its faults are told": [
        step("sample", share="x"),
        step("sample", share=NAN),
        step("sample", records="x"),
        step("sample", records=[1]),
    ],
    "limits are not checked": [
        step("top_bottom", "x", top="x"),
        step("top_bottom", "x", top="x", bottom=1),
        step("top_bottom", "x", top=[1]),
        step("top_bottom", "x", top=NAN),
    ],
    "breaks and labels are not checked": [
        step("recode", "x", breaks=5),
        step("recode", "x", breaks=[1, NAN]),
        step("recode", "x", breaks=[1, 2], labels=5),
        step("recode", "x", breaks=[1, 2], labels=[1, 2]),
        step("recode", "x", breaks=[1, 2], labels="ab"),
        step("recode", "text", prefix=1, labels=["a"]),
    ],
    "map, matrix, importance and records are not checked": [
        step("recode", "text", map=5),
        step("recode", "text", map=["red"]),
        step("pram", "text", matrix=5),
        step("pram", "text", matrix=["red"]),
        step("local_suppression", "text", importance=5),
        step("local_suppression", "text", importance=["text"]),
        step("suppress", "x", records=5),
    ],
    "what is true or false may be anything": [
        step("swap", "x", share=0.1, together="no"),
        step("noise", "x", share=0.1, correlated="no"),
        step("noise", "x", share=0.1, positive="no"),
        step("pram", "text", keep=0.5, invariant="no"),
        step("microaggregation", "x", noise="no"),
    ],
    "numbers may be infinite or too large": [
        step("noise", "x", share=INFINITY),
        step("noise", "whole", deviation=INFINITY),
        step("round", "x", unit=INFINITY),
    ],
    "names that are no text": [
        step("swap", "x", share=0.1) | {5: 1},
    ],
}


@pytest.mark.parametrize("chosen", REFUSED, ids=str)
def test_a_step_with_a_fault_is_refused(chosen):
    faults = refused(table(1), chosen)
    assert len(faults) == 1
    assert faults[0].startswith("step 1")


@pytest.mark.parametrize(
    "chosen",
    [
        pytest.param(
            case,
            id=str(case),
        )
        for why, cases in BROKEN.items()
        for case in cases
    ],
)
def test_a_step_of_the_wrong_type_is_refused(chosen):
    assert refused(table(1), chosen)[0].startswith("step 1")


def test_faults_of_type_are_told_together():
    wrong = [case for cases in BROKEN.values() for case in cases]
    faults = refused(table(1), *wrong)
    assert {f.split()[1] for f in faults} >= {str(i) for i in range(1, len(wrong) + 1)}


def test_a_string_is_no_list_of_variables():
    before = numbers(20)
    assert (
        'there is no variable "ab"'
        in refused(before, step("noise", share=0.1) | {"variables": "ab"})[0]
    )


@pytest.mark.parametrize("recipe", [5, None, [], [SAME], {5: 1, "step": [SAME]}])
def test_a_recipe_that_is_none_is_refused(recipe):
    with pytest.raises(InputError):
        mask(table(1), recipe)


@pytest.mark.parametrize("original", [5, object()])
def test_an_original_that_is_no_table_is_refused(original):
    with pytest.raises(InputError):
        mask(original, {"step": [SAME]})


names = st.sampled_from(["x", "tied", "whole", "code", "text", "nobody", "wohle"])
shares = st.sampled_from([0, 0.0, 0.2, 1, 1.5, -1, 2, 3, 30, 99])
words = st.sampled_from(["", "x", "mdav", "each", "normal", "trees", "floor", "red"])
tame = st.one_of(shares, words, st.booleans(), st.lists(shares, max_size=3))
junk = st.recursive(
    st.one_of(tame, st.none(), st.floats(), st.integers(), st.text(max_size=4)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def recipes(draw, values, wild):
    """Recipes of plausible keys: methods, their parameters, and now and then those of others."""
    steps = []
    for _ in range(draw(st.integers(1, 3))):
        method = draw(st.sampled_from([*method_names(), "nois"]))
        known = [f.name for f in fields(method_of("noise" if method == "nois" else method))]
        chosen = {"method": method, "variables": draw(st.lists(names, max_size=2, unique=True))}
        for key in draw(st.lists(st.sampled_from([*known[1:], "share"]), max_size=3, unique=True)):
            chosen[key] = draw(values)
        if wild and draw(st.integers(0, 4)) == 0:
            chosen[draw(st.sampled_from(["variables", "variable", "method", "k"]))] = draw(values)
        steps.append(chosen)
    found = {"step": steps, "seed": draw(st.integers(-1, 5))}
    return found | {"step": draw(values)} if wild and draw(st.integers(0, 20)) == 0 else found


def frame_or_refusal(recipe):
    with suppress(InputError):
        found = mask(table(1, 20), recipe).columns
        steps = [one for one in Recipe.load(recipe).steps if one.method == "remove"]
        gone = {name for one in steps for name in one.variables}
        assert found == [name for name in table(1, 20).columns if name not in gone]


some_numbers = st.lists(st.sampled_from(["x", "tied", "whole", "code"]), min_size=1, unique=True)
some_keys = st.lists(st.sampled_from(["code", "text"]), min_size=1, unique=True)
any_names = st.lists(st.sampled_from(list(table(1).columns)), min_size=1, unique=True)
parts = st.floats(0, 1)
above = st.floats(0.01, 50)
flag = st.booleans()
rows = st.integers(2, 12)
rising = st.lists(st.integers(-99, 99), min_size=1, max_size=4, unique=True).map(sorted)


def steps_of(method, variables, **parameters):
    shape = {"method": st.just(method), "variables": variables, **parameters}
    return st.fixed_dictionaries(shape)


good_steps = st.one_of(
    steps_of("recode", any_names, prefix=st.integers(1, 4)),
    steps_of("recode", any_names, map=st.dictionaries(st.text(max_size=3), st.text(max_size=3))),
    steps_of("recode", some_numbers, breaks=rising),
    steps_of("round", some_numbers, unit=above, mode=st.sampled_from(["nearest", "floor"])),
    steps_of("top_bottom", some_numbers, top=st.floats(0, 100), bottom=st.floats(-100, 0)),
    steps_of("suppress", any_names, share=parts),
    steps_of("suppress", any_names, records=st.lists(st.integers(1, 10), min_size=1)),
    steps_of("local_suppression", any_names, k=rows, missing=st.sampled_from(["any", "value"])),
    steps_of("noise", some_numbers, share=above, correlated=flag),
    steps_of("noise", some_numbers, deviation=above, positive=flag),
    steps_of(
        "microaggregation",
        some_numbers,
        g=rows,
        groups=st.sampled_from(["each", "projection", "mdav"]),
        noise=flag,
    ),
    steps_of("rank_swap", some_numbers, window=st.floats(4, 100)),
    steps_of("swap", any_names, share=parts, together=flag),
    steps_of("pram", some_keys, keep=parts, invariant=st.just(False)),
    steps_of("pram", some_keys, keep=st.floats(0.7, 1)),
    steps_of("synthesise", any_names, model=st.sampled_from(["independent", "trees"])),
    steps_of("synthesise", some_numbers, model=st.just("normal")),
)


@pytest.mark.slow
@given(good_steps, seeds, st.integers(0, 9))
@settings(max_examples=150, deadline=None)
def test_a_step_without_a_fault_gives_a_table_of_the_same_shape(chosen, seed, of_table):
    before = table(of_table, 30)
    after = masked(before, chosen, seed=seed)
    assert after.shape == before.shape
    assert after.columns == before.columns
    rest = [n for n in before.columns if n not in chosen["variables"]]
    assert after.select(rest).equals(before.select(rest))


@pytest.mark.slow
@given(st.lists(good_steps, min_size=2, max_size=5), seeds)
@settings(max_examples=400, deadline=None, phases=[Phase.generate])
def test_steps_in_any_order_give_a_table_or_a_refusal(chosen, seed):
    frame_or_refusal({"step": chosen, "seed": seed})


@pytest.mark.slow
@given(recipes(junk, wild=True))
@settings(max_examples=300, deadline=None, phases=[Phase.generate])
def test_recipes_of_junk_give_a_table_or_a_refusal(recipe):
    frame_or_refusal(recipe)


# -- the command -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(1).with_columns(text=pl.col("text") + "-secret").write_csv("original.csv")
    return tmp_path


def command(recipe, *, original="original.csv", output="out.csv"):
    Path("recipe.toml").write_text(recipe)
    return main(["mask", original, "--recipe", "recipe.toml", "-o", output])


ROUND = '[[step]]\nmethod = "round"\nvariable = "x"\nunit = 5\n'


def test_the_command_writes_what_the_function_gives(folder, capsys):
    recipe = (
        'seed = 3\n[[step]]\nmethod = "noise"\nvariables = ["x", "tied"]\nshare = 0.1\n' + ROUND
    )
    assert command(recipe) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "wrote out.csv: 60 rows × 5." in printed.err
    found = mask("original.csv", "recipe.toml")
    assert Path("out.csv").read_text() == found.write_csv()
    again = microgauge.mask(pl.read_csv("original.csv"), Path("recipe.toml"))
    assert found.select("x", "tied").equals(again.select("x", "tied"))
    assert sorted(p.name for p in folder.iterdir()) == ["original.csv", "out.csv", "recipe.toml"]


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ("", ["needs steps"]),
        ("seed = -1\n" + ROUND, ["seed must be"]),
        (ROUND.replace("round", "rund"), ["rund", 'Did you mean "round"?']),
        (ROUND.replace('"x"', '"tide"'), ['Did you mean "tied"?']),
        (ROUND.replace("unit", "units"), ['Did you mean "unit"?', "unit must be"]),
        (ROUND.replace('"x"', '"text"'), ['"text" is a category']),
        (ROUND.replace("5", '"five"'), ["unit must be a number"]),
        ('[[step]]\nmethod = "pram"\nvariable = "x"\nkeep = 0.5', ["pram is for categories"]),
        ('[[step]]\nmethod = "sample"\nrecords = 61', ["61", "60 records"]),
        ("[[step", ["not valid TOML"]),
    ],
)
def test_the_command_refuses_and_writes_nothing(folder, capsys, recipe, words):
    said = complaint(capsys, command(recipe))
    for word in words:
        assert word in said
    assert "secret" not in said
    assert sorted(p.name for p in folder.iterdir()) == ["original.csv", "recipe.toml"]


def test_a_file_that_was_there_outlives_a_refusal(folder):
    Path("out.csv").write_text("kept")
    assert command(ROUND.replace("5", "-5")) == 2
    assert Path("out.csv").read_text() == "kept"


@pytest.mark.parametrize(
    "output", ["nowhere/out.csv", ".", "out.txt", "out", "out.csv.gz", "out.xlsx"]
)
def test_an_output_that_cannot_be_written_is_refused(folder, capsys, output):
    assert command(ROUND, output=output) == 2
    assert capsys.readouterr().err.startswith("microgauge: ")
    assert sorted(p.name for p in folder.iterdir()) == ["original.csv", "recipe.toml"]


def test_a_missing_original_and_a_missing_recipe_are_refused(folder, capsys):
    assert command(ROUND, original="orignal.csv") == 2
    assert "there is no file orignal.csv" in capsys.readouterr().err
    assert main(["mask", "original.csv", "--recipe", "no.toml", "-o", "out.csv"]) == 2
    assert "no.toml" in capsys.readouterr().err


def test_a_missing_recipe_is_called_a_recipe(folder):
    with pytest.raises(InputError, match="recipe"):
        mask("original.csv", "no.toml")


def test_the_function_refuses_a_folder_that_is_not_there(folder):
    with pytest.raises(InputError):
        mask("original.csv", {"step": [SAME]}, "nowhere/out.csv")


def test_lists_in_cells_are_refused_for_csv(folder):
    with pytest.raises(InputError):
        mask(pl.DataFrame({"x": [1, 2], "l": [[1], [2]]}), {"step": [SAME]}, "out.csv")


def test_the_function_refuses_an_unknown_suffix(folder):
    with pytest.raises(InputError, match=r"\.parquet"):
        mask("original.csv", {"step": [SAME]}, "out.txt")
    assert not Path("out.txt").exists()


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow", "feather"])
def test_a_written_table_is_read_as_it_was(folder, suffix):
    before = table(4).with_columns(zip=pl.Series(["00400", "01200", None] * 20))
    written = mask(before, {"step": [SAME]}, f"out.{suffix}")
    again = mask(f"out.{suffix}", {"step": [SAME]})
    assert written.equals(before)
    assert again.write_csv() == before.write_csv()
    if suffix != "csv":  # text that no step uses stays text
        assert again.schema == before.schema


def test_padded_codes_stay_text(folder):
    Path("in.csv").write_text("zip,n\n00400,1\n10500,2\n,3\n")
    assert command(ROUND.replace('"x"', '"n"'), original="in.csv") == 0
    assert Path("out.csv").read_text() == "zip,n\n00400,0\n10500,0\n,5\n"
    used = mask("in.csv", {"step": [step("swap", "zip", share=0.0)]})
    assert used["zip"].to_list() == ["00400", "10500", None]
    assert any("category" in f for f in refused("in.csv", step("round", "zip", unit=5)))


def test_null_words_are_missing_among_numbers_only(folder):
    Path("in.csv").write_text("n,c\nNA,NA\n3,x\n4,y\n")
    found = mask("in.csv", {"step": [step("round", "n", unit=1)]})
    assert found["n"].to_list() == [None, 3, 4]
    assert found["c"].to_list() == ["NA", "x", "y"]


def test_semicolons_and_decimal_commas_are_read(folder):
    Path("in.csv").write_text("n;c\n1,5;a\n2,5;b\n")
    found = mask("in.csv", {"step": [step("round", "n", unit=1, mode="floor")]})
    assert found["n"].to_list() == [1.0, 2.0]


@pytest.mark.parametrize(
    "cells",
    [
        ["12345678901234567", "3"],
        ["9007199254740993", "3"],
        ["9223372036854775807", "3"],
        ["1e30", "3"],
        ["inf", "3"],
        ["NaN", "3"],
    ],
)
def test_a_column_that_no_step_names_keeps_its_values(folder, cells):
    Path("in.csv").write_text("id,x\n" + "".join(f"{c},{i}.5\n" for i, c in enumerate(cells)))
    assert command(ROUND, original="in.csv") == 0
    written = [line.split(",")[0] for line in Path("out.csv").read_text().split()[1:]]
    as_numbers = [[float(c or "nan") for c in column] for column in (written, cells)]
    assert np.array_equal(*as_numbers, equal_nan=True)
    if cells[0].isdigit():
        assert written == cells


def test_no_message_tells_cell_values(folder, capsys):
    Path("in.csv").write_text("id,x\n8.8e30,1.5\n3,2.5\n")
    assert command(ROUND, original="in.csv") in (0, 2)
    assert "8.8" not in capsys.readouterr().err
