"""Information loss against numpy, scipy, pandas, scikit-learn and statsmodels, or by hand."""

import json
import math
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from scipy.stats.contingency import association
from sklearn.covariance import MinCovDet
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler
from statsmodels.stats.weightstats import DescrStatsW

import microgauge
from microgauge import InputError
from microgauge.engines.local import Local
from microgauge.measures.loss.matrices import Components, matched_components
from microgauge.passes import Axis, Changes, Differences, Moments, Suppressed
from microgauge.sections.loss.words import loss_stories
from support.figures import approx, mentions, seeds
from support.rows import coded_rows
from support.surveys import CATEGORY, NUMBER, TYPES, make_survey, perturb, with_holes

FEW = settings(max_examples=4, deadline=None)


# -- looking into a result -----------------------------------------------------------------------


def run(original, protected, types=None, *, loss=None, **options):
    """An assessment of information loss alone; every null in it has a reason, every number is one.

    Types are entries of the schema, or "c" and "n" for continuous and nominal.
    """
    short = {"c": NUMBER, "n": CATEGORY}
    said = {
        name: short.get(kind, kind) if isinstance(kind, str) else kind
        for name, kind in (types or {}).items()
    }
    schema = {"options": options, "variable": said, "loss": {"robust": True} | (loss or {})}
    result = microgauge.assess(original, protected, schema=schema, only=["loss"])
    content = result.to_dict()["loss"]
    json.dumps(content, allow_nan=False)
    assert not list(unexplained(content))
    return result


def loss_of(*args, **kwargs):
    return run(*args, **kwargs).loss


def unexplained(entry, path="loss"):
    """Objects that hold a null and no reason. Two small ones have tests of their own."""
    if isinstance(entry, dict):
        if None in entry.values() and "reason" not in entry:
            yield path
        for name, value in entry.items():
            if name not in ("missing", "moments"):
                yield from unexplained(value, f"{path}.{name}")
    elif isinstance(entry, list):
        for i, value in enumerate(entry):
            yield from unexplained(value, f"{path}[{i}]")


def variable(loss, name):
    return next(v for v in loss.variables if v.name == name)


def table(loss, *names):
    return next(t for t in loss.tables if set(t.variables) == set(names))


def numbers_in(entry, path=""):
    """Every number and null of a JSON object by where it stands; words and notes left out."""
    if isinstance(entry, dict):
        return {k: v for n, e in entry.items() for k, v in numbers_in(e, f"{path}.{n}").items()}
    if isinstance(entry, list):
        return {k: v for i, e in enumerate(entry) for k, v in numbers_in(e, f"{path}[{i}]").items()}
    return {} if isinstance(entry, str) else {path: entry}


def assert_same(one, other, rel=1e-9, without=()):
    """The same figures and the same nulls."""
    one, other = (numbers_in(r.to_dict()["loss"]) for r in (one, other))
    assert one.keys() == other.keys()
    for name, value in one.items():
        if any(word in name for word in without):
            continue
        if value is None:
            assert other[name] is None, name
        else:
            assert other[name] == pytest.approx(value, rel=rel, abs=1e-11), name


def three_numbers(rows=200, seed=1):
    """Three numbers on different scales, tied to each other."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    return pd.DataFrame(
        {
            "x": 50 + 10 * (hidden + rng.normal(size=rows)),
            "y": 3 * hidden - 2 * rng.normal(size=rows),
            "z": rng.exponential(size=rows) - 0.5 * hidden,
        }
    )


XYZ = dict.fromkeys("xyz", "c")


def noisy(frame, strength=0.3, seed=2):
    rng = np.random.default_rng(seed)
    return frame + rng.normal(size=frame.shape) * strength * frame.std().to_numpy()


# -- values: distances ---------------------------------------------------------------------------


def test_il1s_times_pn_is_the_sum_of_standardised_distances():
    original = three_numbers()
    protected = noisy(original)
    loss = loss_of(original, protected, XYZ)
    apart = (original - protected).abs() / (np.sqrt(2) * original.std(ddof=1))
    assert loss.il1s * apart.size == approx(apart.to_numpy().sum())
    relative = (original - protected).abs() / original.abs()
    assert loss.il1 * relative.size == approx(relative.to_numpy().sum())
    for name in original:
        found = variable(loss, name)
        assert found.il1s * len(original) == approx(apart[name].sum())
        assert found.il1 == approx(relative[name].mean())
        assert found.mae == approx(np.abs(original[name] - protected[name]).mean())
        assert found.mse == approx(((original[name] - protected[name]) ** 2).mean())
        assert found.mean_variation == approx(relative[name].mean())
        assert (found.compared, found.left_out) == (len(original), 0)


def test_distances_by_hand():
    original = pd.DataFrame({"x": [0.0, 2.0, 4.0, -5.0]})
    protected = pd.DataFrame({"x": [1.0, 3.0, 2.0, -5.0]})
    loss = loss_of(original, protected, {"x": "c"}, aligned=True)
    found = variable(loss, "x")
    assert found.mae == 1.0
    assert found.mse == 1.5
    assert found.il1 == approx((1 / 2 + 2 / 4 + 0 / 5) / 3)  # the unit with x = 0 is left out
    squares = 0.25**2 + 1.75**2 + 3.75**2 + 5.25**2  # about the mean of 0.25
    assert found.il1s == approx((1 + 1 + 2) / np.sqrt(2 * squares / 3) / 4)
    assert (loss.il1s, loss.il1) == (found.il1s, found.il1)
    assert (found.changed, found.changed_share) == (3, 0.75)


def test_il1_of_zeros_only_has_a_reason():
    original = pd.DataFrame({"x": [0.0] * 5, "y": [1.0, 2.0, 3.0, 4.0, 5.0]})
    loss = loss_of(original, original + 1, {"x": "c", "y": "c"}, aligned=True)
    found = variable(loss, "x")
    assert found.il1 is None
    assert "il1" in found.reason
    assert found.mae == 1.0
    assert loss.il1 == approx(np.mean(1 / original["y"]))


def test_pairs_with_a_missing_side_are_left_out_and_counted():
    original, protected = three_numbers(), noisy(three_numbers())
    rng = np.random.default_rng(3)
    original = original.mask(rng.random(original.shape) < [0.3, 0.1, 0.0])
    protected = protected.mask(rng.random(protected.shape) < [0.0, 0.2, 0.4])
    loss = loss_of(original, protected, XYZ, aligned=True)
    apart = (original - protected).abs()
    # S is that of all original values, also those of units that lost theirs.
    standardised = apart / (np.sqrt(2) * original.std(ddof=1))
    assert loss.il1s == approx(np.nanmean(standardised))
    assert loss.il1s != approx(standardised.mean().mean())  # pn is the number of terms
    assert loss.il1 == approx(np.nanmean(apart / original.abs()))
    for name in original:
        found = variable(loss, name)
        here = apart[name].notna()
        assert (found.compared, found.left_out) == (here.sum(), (~here).sum())
        assert found.mae == approx(apart[name].mean())
        assert found.mse == approx((apart[name] ** 2).mean())
        assert found.il1s == approx(standardised[name].mean())


@pytest.mark.parametrize("value", [0.0, 7.0, 0.1, 1.1, 3.3])
@pytest.mark.parametrize("rows", [3, 6, 10, 49])
def test_a_constant_variable_is_left_out_of_il1s(value, rows):
    original = pd.DataFrame({"x": [value] * rows, "y": np.arange(rows) * 1.5})
    protected = original.assign(x=original["x"] + 1.0, y=original["y"] + 0.5)
    result = run(original, protected, {"x": "c", "y": "c"}, aligned=True)
    found = variable(result.loss, "x")
    assert found.il1s is None
    assert "il1s" in found.reason
    assert found.mae == approx(1.0)
    expected = 0.5 / (np.sqrt(2) * original["y"].std())
    assert result.loss.il1s == approx(expected)  # neither in the sum nor in pn
    assert mentions(result, "IL1s", "constant", "x")


def test_only_constant_variables():
    original = pd.DataFrame({"x": [2.0] * 20})
    result = run(original, original + 1, {"x": "c"}, aligned=True)
    assert result.loss.il1s is None
    assert "il1s" in result.loss.reason
    assert result.loss.il1 == approx(0.5)


def test_missing_values_on_both_sides():
    original = pd.DataFrame({"x": [1.0, None, 3.0, 4.0], "a": ["u", "v", "w", "u"]})
    protected = pd.DataFrame({"x": [1.0, None, None, None], "a": ["u", "v", "w", "u"]})
    loss = loss_of(original, protected, {"x": "c", "a": "n"}, aligned=True)
    found = variable(loss, "x").missing
    assert (found.original, found.protected) == (1, 3)
    assert (found.share_original, found.share_protected, found.increase) == (0.25, 0.75, 0.5)
    assert variable(loss, "a").missing.increase == 0.0


def test_declared_missing_codes_are_missing():
    original = pd.DataFrame({"x": [1.5, -9.0, 3.5, 4.5, 2.5]})
    protected = pd.DataFrame({"x": [1.5, -9.0, -9.0, 5.5, 2.5]})
    loss = loss_of(original, protected, {"x": NUMBER | {"missing": [-9]}}, aligned=True)
    found = variable(loss, "x")
    assert (found.compared, found.left_out, found.changed) == (3, 2, 2)
    assert found.mae == approx(1 / 3)
    assert found.moments["original"].mean == approx(3.0)


# -- values: changed records ---------------------------------------------------------------------


def test_changed_records_by_hand():
    original = pd.DataFrame(
        {"a": ["x", "y", "z", None, "x", "y"], "n": [1.0, 2.0, 3.0, 4.0, None, 6.0]}
    )
    protected = pd.DataFrame(
        {"a": ["xy", "xy", "z", None, None, "z"], "n": [1.0, 2.0, 3.5, 4.0, None, 6.0]}
    )
    said = CATEGORY | {"recode": {"map": {"x": "xy", "y": "xy", "z": "z"}}}
    loss = loss_of(original, protected, {"a": said, "n": "c"}, aligned=True)
    found = variable(loss, "a")
    assert found.changed == 4  # two renamed, one suppressed, one moved; both missing: unchanged
    assert found.changed_share == approx(4 / 6)
    assert found.changed_recoded == 2  # suppressed, moved
    assert (variable(loss, "n").changed, variable(loss, "n").changed_recoded) == (1, 1)
    assert loss.records_changed == 5
    assert loss.records_changed_recoded == 3
    assert loss.units == 6


def test_a_missing_cell_that_got_a_value_has_changed():
    original = pd.DataFrame({"a": ["x", None, None, "y"]})
    protected = pd.DataFrame({"a": ["x", "y", None, "y"]})
    assert variable(loss_of(original, protected, {"a": "n"}, aligned=True), "a").changed == 1


def test_the_same_value_in_other_spelling_has_not_changed():
    values = [1, 2, 3, 3, 2, 1, 1, 3]
    original = pl.DataFrame({"a": values})
    for protected in ([float(v) for v in values], [str(v) for v in values]):
        loss = loss_of(original, pl.DataFrame({"a": protected}), {"a": "n"}, aligned=True)
        assert variable(loss, "a").changed == 0
        assert (loss.ctbil, table(loss, "a").cells) == (0.0, 3)


def test_suppressing_every_cell_changes_every_record():
    # One cell fewer suppressed gives 49; the last one cannot make it 0.
    original = pd.DataFrame({"a": ["x", "y"] * 25, "b": ["u", "v"] * 25})
    types = {"a": "n", "b": "n"}
    most = original.assign(b=[*([None] * 49), "v"])
    assert loss_of(original, most, types, aligned=True).records_changed == 49
    loss = loss_of(original, original.assign(b=None), types, aligned=True)
    assert loss.records_changed == 50


@pytest.fixture
def keyed():
    """A table with a key, and a protected one: rows dropped, added and in another order."""
    original = three_numbers(120).assign(a=np.resize(["u", "v", "w"], 120))
    original.insert(0, "id", np.random.default_rng(8).permutation(120) + 1000)
    protected = original.copy()
    protected.loc[::4, "x"] += 5.0
    protected.loc[::10, "a"] = "u"
    protected = protected.iloc[30:]
    extra = original.iloc[:5].assign(id=[1, 2, 3, 4, 5], x=99.0)
    protected = pd.concat([protected, extra]).sample(frac=1.0, random_state=4)
    return original, protected


def test_units_are_found_by_their_key(keyed):
    original, protected = keyed
    result = run(original, protected, XYZ | {"a": "n"}, key="id")
    both = original.merge(protected, on="id", suffixes=("", "_p"))
    assert len(both) == result.loss.units == 90
    apart = (both["x"] - both["x_p"]).abs()
    found = variable(result.loss, "x")
    assert found.changed == (apart > 0).sum()
    assert found.changed_share == approx((apart > 0).mean())
    assert found.il1s == approx(apart.mean() / (np.sqrt(2) * original["x"].std()))
    changed_a = both["a"] != both["a_p"]
    assert 0 < changed_a.sum() == variable(result.loss, "a").changed
    assert result.loss.records_changed == (changed_a | (apart > 0)).sum()
    assert variable(result.loss, "y").changed == 0


def test_without_alignment_nothing_is_compared_with_itself(keyed):
    original, protected = keyed
    loss = loss_of(original, protected, XYZ | {"a": "n", "id": {"role": "id"}})
    assert loss.units is None
    assert [loss.il1s, loss.il1, loss.records_changed, loss.records_changed_recoded] == [None] * 4
    assert "aligned" in loss.reason
    for found in loss.variables:
        assert [found.changed, found.il1s, found.il1, found.mae, found.mse] == [None] * 5
        assert "changed" in found.reason
        assert "aligned" in found.reason
    # All else needs no alignment.
    assert variable(loss, "x").moments["protected"].mean == approx(protected["x"].mean())
    assert None not in (loss.ctbil, loss.eigenvalues, loss.eigenvalues_robust)


# -- values: swapping ----------------------------------------------------------------------------


def test_swapped_values_are_noted_and_noise_is_not():
    original = three_numbers(300).assign(a=np.resize(list("uvw"), 300))
    rng = np.random.default_rng(5)
    shuffled = original.assign(x=rng.permutation(original["x"]), a=rng.permutation(original["a"]))
    types = XYZ | {"a": "n"}
    result = run(original, shuffled, types)
    (note,) = [note for note in result.notes if "swapping" in note]
    named = note.split(" changed")[0]
    assert "x" in named
    assert "a" in named.replace("values", "")
    assert "y" not in named
    assert result.loss.il1s > 0
    added = original.assign(x=noisy(original[["x"]])["x"])
    assert not mentions(run(original, added, types), "swapping")


def test_few_swapped_values_are_not_noted():
    original = three_numbers(300)
    protected = original.copy()
    protected.loc[:59, "x"] = original["x"].iloc[:60].to_numpy()[::-1]
    result = run(original, protected, XYZ)
    assert variable(result.loss, "x").changed == 60
    assert not mentions(result, "swapping")


@pytest.mark.parametrize(("moved", "noted"), [(0.015, True), (0.05, False)])
def test_swapping_is_noted_where_the_distribution_stays(moved, noted):
    # All cells change; by moving some more from one category to another, so does its share.
    rows = 1000
    original = pd.DataFrame({"a": np.resize(["u", "v"], rows)})
    protected = original["a"].map({"u": "v", "v": "u"})
    protected[: 2 * round(moved * rows)] = "u"
    result = run(original, protected.to_frame(), {"a": "n"}, aligned=True)
    assert variable(result.loss, "a").changed > rows / 2
    assert mentions(result, "swapping") is noted


# -- tables --------------------------------------------------------------------------------------


def cells_of(original, protected, names, weight=None):
    """Frequencies over the full cross of categories by pandas, scaled to the original's rows."""
    names = list(names)
    both = pd.concat([original, protected])
    full = pd.MultiIndex.from_product([sorted(both[n].dropna().unique()) for n in names])
    found = []
    for frame in (original, protected):
        weights = pd.Series(1.0, frame.index) if weight is None else frame[weight]
        columns = [frame[n].to_numpy() for n in names]
        counts = pd.Series(weights.to_numpy()).groupby(columns).sum()
        if len(names) == 1:
            counts.index = pd.MultiIndex.from_arrays([counts.index])
        found.append(counts.reindex(full, fill_value=0.0).to_numpy() / weights.sum())
    return found[0] * len(original), found[1] * len(original)


def scipy_v(frame, a, b, weight=None):
    more = {} if weight is None else {"values": frame[weight], "aggfunc": "sum"}
    counts = pd.crosstab(frame[a], frame[b], **more).fillna(0).to_numpy().astype(int)
    return association(counts, method="cramer")


def check_tables(loss, original, protected, names, ways, weight=None):
    total = cells = 0
    expected = [c for way in range(1, ways + 1) for c in combinations(names, way)]
    assert len(loss.tables) == len(expected)
    for chosen in expected:
        found = table(loss, *chosen)
        before, after = cells_of(original, protected, chosen, weight)
        apart = np.abs(before - after).sum()
        assert found.cells == len(before)
        assert found.ctbil == approx(apart)
        assert found.aad == approx(apart / len(before))
        assert found.moved == approx(apart / 2 / before.sum())
        roots = np.sqrt(before / before.sum()) - np.sqrt(after / after.sum())
        assert found.hellinger == approx(np.sqrt((roots**2).sum() / 2))
        total, cells = total + apart, cells + len(before)
        if len(chosen) == 2:
            v = [scipy_v(side, *chosen, weight) for side in (original, protected)]
            assert found.cramers_v_original == approx(v[0])
            assert found.cramers_v_protected == approx(v[1])
            assert found.rcv == approx(100 * (v[1] - v[0]) / v[0])
        else:
            assert found.rcv is None
    assert loss.ctbil == approx(total)
    assert loss.aad == approx(total / cells)


CATEGORIES = ("region", "sex", "education", "health")


@pytest.fixture
def categories():
    """Four categorical variables and a version with random answers."""
    original = make_survey(300)[list(CATEGORIES)]
    return original, perturb(original, 0.3)


TYPES_OF_CATEGORIES = {name: {"type": TYPES[name]} for name in CATEGORIES}


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_tables_against_pandas_and_scipy(categories, ways):
    loss = loss_of(*categories, TYPES_OF_CATEGORIES, loss={"ways": ways})
    check_tables(loss, *categories, CATEGORIES, ways)
    assert loss.ctbil > 0


def test_two_ways_unless_said_otherwise(categories):
    loss = loss_of(*categories, TYPES_OF_CATEGORIES)
    assert {len(t.variables) for t in loss.tables} == {1, 2}


def test_four_ways_are_an_error(categories):
    with pytest.raises(InputError, match="ways"):
        run(*categories, TYPES_OF_CATEGORIES, loss={"ways": 4})


def test_identical_and_disjoint_tables():
    original = pd.DataFrame({"a": list("uuvvv") * 10, "b": list("pqpqq") * 10})
    types = {"a": "n", "b": "n"}
    same = loss_of(original, original.copy(), types, aligned=True)
    for found in same.tables:
        assert (found.ctbil, found.aad, found.moved, found.hellinger) == (0, 0, 0, 0)
    assert table(same, "a", "b").rcv == 0.0
    other = original.assign(a=original["a"].str.upper())
    loss = loss_of(original, other, types, aligned=False)
    for names in (("a",), ("a", "b")):
        found = table(loss, *names)
        assert (found.ctbil, found.moved) == (100.0, 1.0)
        assert found.hellinger == approx(1.0)
    # Four categories of a on both sides together, two of b.
    assert table(loss, "a", "b").cells == 8
    assert table(loss, "a", "b").aad == approx(100 / 8)
    assert table(loss, "b").ctbil == 0.0


def test_a_half_sample_is_scaled_to_the_originals_size(categories):
    original, _ = categories
    protected = original.sample(150, random_state=3)
    loss = loss_of(original, protected, TYPES_OF_CATEGORIES)
    check_tables(loss, original, protected, CATEGORIES, 2)
    counts = [side["sex"].value_counts() for side in (original, protected)]
    assert table(loss, "sex").ctbil == approx((counts[0] - 2 * counts[1]).abs().sum())
    twice = pd.concat([original, original])
    assert loss_of(original, twice, TYPES_OF_CATEGORIES).ctbil == approx(0.0)


def test_missing_values_dropped_or_a_category(categories):
    rng = np.random.default_rng(7)
    original, protected = (with_holes(side, 0.15, rng) for side in categories)
    dropped = loss_of(original, protected, TYPES_OF_CATEGORIES, aligned=True)
    for chosen in (("sex",), ("region", "sex")):
        counts = [side.groupby(list(chosen)).size() for side in (original, protected)]
        apart = counts[0].sub(counts[1], fill_value=0).abs().sum()
        assert table(dropped, *chosen).ctbil == approx(apart)
    assert table(dropped, "region", "sex").cells == 8
    v = scipy_v(original, "region", "sex")
    assert table(dropped, "region", "sex").cramers_v_original == approx(v)
    kept = loss_of(
        original, protected, TYPES_OF_CATEGORIES, aligned=True, missing="category",
        loss={"ways": 3},
    )  # fmt: skip
    filled = [side.astype(object).fillna("none").astype(str) for side in (original, protected)]
    check_tables(kept, *filled, CATEGORIES, 3)
    assert table(kept, "region", "sex").cells == 15


def test_missing_on_one_side_only_is_a_category_too():
    original = pd.DataFrame({"a": list("uuvv") * 5, "b": list("pqqp") * 5})
    protected = original.mask(np.arange(20)[:, None] < [4, 0])
    types = {"a": "n", "b": "n"}
    loss = loss_of(original, protected, types, missing="category", aligned=True)
    assert (table(loss, "a").cells, table(loss, "b").cells) == (3, 2)
    assert table(loss, "a").ctbil == 8.0  # u and v lose two each, the missing gain four
    assert table(loss, "a").moved == approx(0.2)


def test_filling_in_missing_values_moves_no_more_than_all_units():
    # A share of units in another cell cannot exceed 1.
    original = pd.DataFrame({"a": ["u"] * 5 + ["v"] * 5 + [None] * 90})
    protected = pd.DataFrame({"a": ["u"] * 50 + ["v"] * 50})
    found = table(loss_of(original, protected, {"a": "n"}, aligned=True), "a")
    assert found.moved <= 1.0


@pytest.mark.parametrize(
    ("rows", "columns"),
    [([10, 20], [1, 3]), ([6, 2], [8, 8, 3, 8, 7]), ([3, 4, 6, 10], [3, 3, 3, 1, 2])],
)
def test_no_relative_change_of_an_association_that_is_zero(rows, columns):
    pairs = [
        (f"a{i}", f"b{j}")
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
        for _ in range(row * column)
    ]
    original = pd.DataFrame(pairs, columns=["a", "b"])
    rng = np.random.default_rng(1)
    protected = original.assign(b=rng.permutation(original["b"]))
    found = table(loss_of(original, protected, {"a": "n", "b": "n"}, aligned=True), "a", "b")
    assert found.rcv is None
    assert "rcv" in found.reason
    assert found.cramers_v_original == pytest.approx(0.0, abs=1e-7)


def test_no_association_where_a_variable_became_constant():
    original = pd.DataFrame({"a": list("uuvv") * 5, "b": list("pqqp") * 5})
    found = table(
        loss_of(original, original.assign(a="u"), {"a": "n", "b": "n"}, aligned=False), "a", "b"
    )
    assert found.rcv is None
    assert "rcv" in found.reason
    assert found.ctbil == 20.0


@pytest.mark.parametrize("limit", ["DENSE_TABLE", "BLOCK_CELLS"])
@pytest.mark.parametrize("weight", [{}, {"weight": "w"}])
@pytest.mark.parametrize("missing", ["drop", "category"])
def test_every_way_of_counting_gives_the_same_tables(monkeypatch, limit, weight, missing):
    rng = np.random.default_rng(4)
    original = make_survey(150, seed=4, missing=0.1)[list(CATEGORIES)]
    protected = with_holes(perturb(original, 0.3), 0.1, rng)
    for side in (original, protected):
        side["w"] = rng.integers(1, 9, len(side))
    types = TYPES_OF_CATEGORIES | {"w": {"role": "weight"}}
    plain = run(original, protected, types, missing=missing, aligned=True, **weight)
    monkeypatch.setattr(f"microgauge.sections.loss.tables.{limit}", 1)
    assert_same(plain, run(original, protected, types, missing=missing, aligned=True, **weight))


def test_a_cube_too_large_to_count_has_a_reason(monkeypatch, categories):
    monkeypatch.setattr("microgauge.sections.loss.tables.DENSE_TABLE", 30)
    loss = loss_of(*categories, TYPES_OF_CATEGORIES, loss={"ways": 3})
    found = table(loss, "region", "sex", "education")
    assert found.ctbil is None
    assert "too many" in found.reason
    assert loss.ctbil == approx(sum(t.ctbil for t in loss.tables if t.ctbil is not None))


# -- weights -------------------------------------------------------------------------------------


@pytest.fixture
def weighted():
    """Numbers and categories with whole weights, other ones on the protected side."""
    rng = np.random.default_rng(6)
    original = make_survey(200)
    protected = perturb(original, 0.3)
    return [
        side.assign(w=rng.integers(0, 9, 200) + (np.arange(200) % 3 == 0))
        for side in (original, protected)
    ]


ALL_TYPES = {name: {"type": kind} for name, kind in TYPES.items()}


def test_weighted_tables(weighted):
    loss = loss_of(*weighted, ALL_TYPES, weight="w")
    check_tables(loss, *weighted, CATEGORIES, 2, weight="w")


def test_weighted_moments_and_covariances(weighted):
    loss = loss_of(*weighted, ALL_TYPES, weight="w")
    names = ["age", "income", "score", "height"]
    matrices = []
    for which, frame in zip(("original", "protected"), weighted, strict=True):
        w = frame["w"].to_numpy(dtype=float)
        matrices.append(np.cov(frame[names].T, aweights=w))
        for i, name in enumerate(names):
            found = variable(loss, name).moments[which]
            assert found.mean == approx(np.average(frame[name], weights=w))
            assert found.sd == approx(np.sqrt(matrices[-1][i, i]))
            used = DescrStatsW(frame.loc[w > 0, name].to_numpy(dtype=float), weights=w[w > 0])
            quartiles = used.quantile([0.25, 0.5, 0.75], return_pandas=False)
            assert [found.q1, found.median, found.q3] == approx(quartiles)
    upper = np.triu_indices(len(names))
    apart = np.abs(matrices[0] - matrices[1])[upper]
    assert loss.matrices["covariance"].mae == approx(apart.mean())
    assert loss.matrices["covariance"].mse == approx((apart**2).mean())


@pytest.mark.parametrize("factor", [7, 0.001])
def test_all_weights_times_a_number_change_nothing(weighted, factor):
    scaled = [side.assign(w=side["w"] * factor) for side in weighted]
    options = {"weight": "w", "loss": {"groups": ["sex"]}}
    plain = run(*weighted, ALL_TYPES, **options)
    assert_same(plain, run(*scaled, ALL_TYPES, **options), rel=1e-8)


def test_equal_weights_change_nothing(weighted):
    equal = [side.assign(w=4) for side in weighted]
    loss = {"groups": ["sex"]}
    bare = run(*(side.drop(columns="w") for side in weighted), ALL_TYPES, loss=loss)
    assert_same(bare, run(*equal, ALL_TYPES, weight="w", loss=loss))
    different = run(*weighted, ALL_TYPES, weight="w", loss=loss)
    assert different.loss.ctbil != approx(bare.loss.ctbil)


def test_two_weightings_of_one_file(weighted):
    frame = weighted[0].assign(v=weighted[1]["w"])
    types = ALL_TYPES | {"v": {"role": "weight"}, "w": {"role": "weight"}}
    loss = loss_of(frame, frame.copy(), types, weight_original="w", weight_protected="v")
    assert (loss.records_changed, loss.il1s) == (0, 0.0)
    counts = [frame.groupby("region")[name].sum() / frame[name].sum() for name in "wv"]
    assert table(loss, "region").ctbil == approx(200 * (counts[0] - counts[1]).abs().sum())


# -- bands and penalties -------------------------------------------------------------------------

AGES = np.repeat(np.arange(20, 96), 2)
SPAN = 75


def decade(age):
    return int(age // 10 * 10)


def banded(label, ages=AGES):
    return pd.DataFrame({"age": [label(age) for age in ages]})


# Label of an age, width of its band, what is declared.
BANDINGS = {
    "span": (lambda a: f"{decade(a)}-{decade(a) + 9}", lambda a: 10, {}),
    "bracket": (lambda a: f"[{decade(a)},{decade(a) + 10})", lambda a: 10, {}),
    "closed above": (
        lambda a: "(19,40]" if a <= 40 else "(40,95]",
        lambda a: 21 if a <= 40 else 55,
        {},
    ),
    "open above": (
        lambda a: "80+" if a >= 80 else f"{decade(a)}-{decade(a) + 9}",
        lambda a: 15 if a >= 80 else 10,
        {},
    ),
    "and over": (
        lambda a: "65 and over" if a >= 65 else "20-64",
        lambda a: 30 if a >= 65 else 45,
        {},
    ),
    "below": (lambda a: "<30" if a < 30 else "30+", lambda a: 10 if a < 30 else 65, {}),
    "and under": (
        lambda a: "29 and under" if a < 30 else "30+",
        lambda a: 10 if a < 30 else 65,
        {},
    ),
    "single years": (lambda a: "80+" if a >= 80 else str(a), lambda a: 15 if a >= 80 else 0, {}),
    "declared": (
        lambda a: "young" if a < 30 else "middle" if a < 65 else "old",
        lambda a: 15 if a < 30 else 35 if a < 65 else 30,
        {"recode": {"breaks": [15, 30, 65], "labels": ["young", "middle", "old"]}},
    ),
    "declared without labels": (
        lambda a: f"[{decade(a)},{decade(a) + 10})",
        lambda a: 5 if a >= 90 else 10,
        {"recode": {"breaks": list(range(20, 100, 10))}},
    ),
    "declared closed above": (
        lambda a: "(19,40]" if a <= 40 else "(40,Inf]",
        lambda a: 21 if a <= 40 else 55,
        {"recode": {"breaks": [19, 40], "closed": "right"}},
    ),
    "R's cut": (
        lambda a: "(19,40]" if a <= 40 else "(40,Inf]",
        lambda a: 21 if a <= 40 else 55,
        {},
    ),
    "top-coded": (lambda a: min(a, 80), lambda a: 15 if a >= 80 else 0, {}),
    "top-coded, declared": (
        lambda a: min(a, 80),
        lambda a: 15 if a >= 80 else 0,
        {"recode": {"top": 80}},
    ),
    "bottom-coded, declared": (
        lambda a: max(a, 30),
        lambda a: 10 if a <= 30 else 0,
        {"recode": {"bottom": 30}},
    ),
    "rounded, declared": (lambda a: round(a / 5) * 5, lambda a: 5, {"recode": {"round": 5}}),
}


@pytest.mark.parametrize("how", BANDINGS)
def test_penalty_of_a_cell_is_width_over_range(how):
    label, width, said = BANDINGS[how]
    loss = loss_of(pd.DataFrame({"age": AGES}), banded(label), {"age": NUMBER | said}, aligned=True)
    found = variable(loss, "age")
    assert found.ncp == approx(np.mean([width(a) for a in AGES]) / SPAN)
    assert loss.gcp == approx(found.ncp)
    # Recoded alike, the original's tables are the protected ones.
    assert (found.changed_recoded, loss.records_changed_recoded) == (0, 0)
    shown = [str(label(a)) for a in AGES]
    if how == "single years":  # beside numbers, "80+" is the number 80
        shown = [text.removesuffix("+") for text in shown]
    assert found.changed == sum(text != str(a) for text, a in zip(shown, AGES, strict=True))
    assert table(loss, "age").ctbil == 0.0


def test_penalty_does_not_need_alignment():
    label, width, _ = BANDINGS["open above"]
    protected = banded(label).sample(frac=1.0, random_state=1)
    loss = loss_of(pd.DataFrame({"age": AGES}), protected, {"age": "c"}, aligned=False)
    assert loss.gcp == approx(np.mean([width(a) for a in AGES]) / SPAN)
    assert table(loss, "age").ctbil == 0.0


def test_bands_of_ages_with_halves_are_ten_years_wide():
    # 39.5 belongs to 30-39, so its break is 40.
    ages = np.repeat(np.arange(20, 59.5, 0.5), 2)
    protected = banded(lambda a: f"{decade(a)}-{decade(a) + 9}", ages)
    loss = loss_of(pd.DataFrame({"age": ages}), protected, {"age": "c"}, aligned=True)
    assert loss.gcp == approx(10 / (ages.max() - ages.min()))


def test_a_top_code_above_a_gap_is_as_wide_as_its_band():
    # Nobody is 80, two are 85: as "80+" or as the number 80, the cell is 5 years wide.
    ages = np.append(np.repeat(np.arange(20, 80), 2), [85, 85])
    expected = 5 / 65 * 2 / len(ages)
    original = pd.DataFrame({"age": ages})
    for label in (lambda a: "80+" if a >= 80 else str(a), lambda a: min(a, 80)):
        said = NUMBER | {"recode": {"top": 80}}
        loss = loss_of(original, banded(label, ages), {"age": said}, aligned=True)
        assert loss.gcp == approx(expected)


@pytest.mark.parametrize("labels", ["span", "bracket", "open above", "declared"])
def test_banded_ages_are_tabulated_in_bands(labels):
    label, _, said = BANDINGS[labels]
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"age": AGES, "sex": rng.choice(["m", "f"], len(AGES))})
    protected = banded(label).assign(sex=original["sex"])
    # Some units end up in another band.
    protected["age"] = protected["age"].where(rng.random(len(AGES)) > 0.2, label(45))
    loss = loss_of(original, protected, {"age": NUMBER | said, "sex": "n"}, aligned=True)
    recoded = original.assign(age=[label(a) for a in AGES])
    check_tables(loss, recoded, protected, ("age", "sex"), 2)
    moved = (recoded["age"] != protected["age"]).sum()
    assert 0 < moved == variable(loss, "age").changed_recoded
    assert variable(loss, "age").changed == len(AGES)
    assert variable(loss, "age").il1s is None
    assert "continuous" in variable(loss, "age").reason


def test_a_suppressed_cell_has_penalty_one():
    label, width, _ = BANDINGS["open above"]
    protected = banded(label)
    original = pd.DataFrame({"age": AGES.astype(float)})
    original.loc[[5, 6, 40], "age"] = None  # missing before: no cell to lose
    protected.loc[[5, 6, 40], "age"] = None
    gone = np.arange(10, 140, 13)
    protected.loc[gone, "age"] = None
    loss = loss_of(original, protected, {"age": "c"}, aligned=True)
    cells = np.array([width(a) / SPAN for a in AGES])
    cells[gone] = 1.0
    assert loss.gcp == approx(np.delete(cells, [5, 6, 40]).mean())
    assert variable(loss, "age").changed_recoded == len(gone)


def test_a_declared_mark_of_suppression_has_penalty_one():
    label = BANDINGS["span"][0]
    protected = banded(label)
    protected.loc[:9, "age"] = "*"
    said = NUMBER | {"missing": ["*"]}
    loss = loss_of(pd.DataFrame({"age": AGES}), protected, {"age": said}, aligned=True)
    assert loss.gcp == approx((10 + (len(AGES) - 10) * 10 / SPAN) / len(AGES))


def test_merged_categories():
    original = pd.DataFrame({"a": list("aabbbccccd") * 6})
    mapping = {"a": "ab", "b": "ab", "c": "c", "d": "d"}
    protected = original.replace({"a": mapping})
    for said in (CATEGORY, CATEGORY | {"recode": {"map": mapping}}):
        loss = loss_of(original, protected, {"a": said}, aligned=True)
        assert loss.gcp == approx(0.5 * 2 / 4)  # half of the cells: 2 of 4 categories
        assert table(loss, "a").cells == 3
        assert table(loss, "a").ctbil == 0.0


def test_gcp_is_the_mean_over_cells_of_recoded_variables():
    label = BANDINGS["span"][0]
    rows = len(AGES)
    original = pd.DataFrame(
        {"age": AGES, "a": np.resize(list("uvwx"), rows), "kept": np.resize(list("pq"), rows)}
    )
    protected = original.assign(
        age=banded(label)["age"], a=original["a"].replace({"v": "u", "w": "u"})
    )
    original.loc[:99, "a"] = None
    protected.loc[:99, "a"] = None
    protected.loc[100:109, "a"] = None
    loss = loss_of(original, protected, {"age": "c", "a": "n", "kept": "n"}, aligned=True)
    left = protected["a"].iloc[110:]
    a_cells = np.append(np.where(left == "u", 3 / 4, 0.0), np.ones(10))
    assert variable(loss, "a").ncp == approx(a_cells.mean())
    age_cells = np.full(rows, 10 / SPAN)
    assert loss.gcp == approx(np.concatenate([age_cells, a_cells]).mean())
    assert variable(loss, "kept").ncp is None
    assert "ncp" in variable(loss, "kept").reason


def test_no_recoded_variable_no_gcp():
    original = three_numbers()
    loss = loss_of(original, noisy(original), XYZ)
    assert loss.gcp is None
    assert "gcp" in loss.reason


# -- moments -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [2, 3, 10, 101])
def test_moments_against_numpy(rows):
    rng = np.random.default_rng(rows)
    original = pd.DataFrame({"x": rng.integers(0, 20, rows) / 2, "y": rng.normal(size=rows)})
    protected = noisy(original)
    protected.loc[0, "x"] = None
    loss = loss_of(original, protected, {"x": "c", "y": "c"}, aligned=True)
    for which, frame in (("original", original), ("protected", protected)):
        for name in frame:
            values = frame[name].dropna().to_numpy()
            found = variable(loss, name).moments[which]
            assert found.mean == approx(np.mean(values))
            quartiles = np.quantile(values, [0.25, 0.5, 0.75])
            assert [found.q1, found.median, found.q3] == approx(quartiles)
            if len(values) > 1:
                assert found.sd == approx(np.std(values, ddof=1))
            else:
                assert found.sd is None


def test_the_deviation_of_one_unit_has_a_reason():
    original = pd.DataFrame({"x": [1.5], "a": ["u"]})
    result = run(original, original.copy(), {"x": "c", "a": "n"}, aligned=True)
    found = result.to_dict()["loss"]["variables"][0]
    assert found["moments"]["original"]["sd"] is None
    assert "sd" in str(found["moments"]["original"].get("reason", "")) + found.get("reason", "")


def test_large_numbers_with_a_small_spread():
    original = three_numbers() * 1e-2 + 1e8
    protected = noisy(original)
    loss = loss_of(original, protected, XYZ)
    covariances = [np.cov((side - 1e8).T) for side in (original, protected)]
    apart = np.abs(covariances[0] - covariances[1])[np.triu_indices(3)]
    assert loss.matrices["covariance"].mae == pytest.approx(apart.mean(), rel=1e-5)
    assert variable(loss, "x").moments["original"].sd == pytest.approx(
        original["x"].std(), rel=1e-6
    )


# -- covariances and components ------------------------------------------------------------------


def check_matrices(loss, original, protected):
    size = original.shape[1]
    pairs = {
        "covariance": (np.cov, np.triu_indices(size)),
        "correlation": (np.corrcoef, np.triu_indices(size, 1)),
    }
    for name, (matrix, entries) in pairs.items():
        before, after = (matrix(side.T)[entries] for side in (original, protected))
        found = loss.matrices[name]
        assert found.mse == approx(((before - after) ** 2).mean())
        assert found.mae == approx(np.abs(before - after).mean())
        assert found.mean_variation == approx((np.abs(before - after) / np.abs(before)).mean())


def components(frame):
    """Eigenvalues (falling) and vectors by scikit-learn's PCA of standardised numbers."""
    fitted = PCA().fit(StandardScaler().fit_transform(frame))
    values = fitted.explained_variance_ratio_ * frame.shape[1]
    return values, fitted.components_.T


def eigenvalue_loss(before, after):
    return (np.abs(before - after) / before).sum()


def test_matrices_against_numpy_and_scikit_learn():
    original = three_numbers().assign(v=lambda t: t["x"] - 4 * t["y"] + 10 * t["z"] ** 2)
    protected = noisy(original)
    loss = loss_of(original, protected, XYZ | {"v": "c"})
    check_matrices(loss, original, protected)
    (before, vectors), (after, others) = components(original), components(protected)
    assert loss.eigenvalues == approx(eigenvalue_loss(before, after))
    others = others * np.sign((vectors * others).sum(axis=0))
    share = before / before.sum()
    for name, power in (("loadings", 0.5), ("score_coefficients", -0.5)):
        one, other = vectors * before**power, others * after**power
        apart = np.abs(one - other)
        found = loss.matrices[name]
        assert found.mae == approx((apart.mean(axis=0) * share).sum())
        assert found.mse == approx(((apart**2).mean(axis=0) * share).sum())
        relative = (apart / np.abs(one)).mean(axis=0)
        assert found.mean_variation == approx((relative * share).sum())
    # The part of each variable that the first component explains.
    first = [(v[:, 0] ** 2) * e[0] for v, e in ((vectors, before), (others, after))]
    assert loss.matrices["communalities"].mae == approx(np.abs(first[0] - first[1]).mean())
    assert loss.matrices["communalities"].mse == approx(((first[0] - first[1]) ** 2).mean())


def test_matrices_use_complete_units_and_say_so():
    original, protected = three_numbers(), noisy(three_numbers())
    rng = np.random.default_rng(9)
    original = original.mask(rng.random(original.shape) < 0.1)
    protected = protected.mask(rng.random(protected.shape) < 0.05)
    result = run(original, protected, XYZ)
    check_matrices(result.loss, original.dropna(), protected.dropna())
    kept = [str(len(side.dropna())) for side in (original, protected)]
    assert mentions(result, "complete", *kept)


def test_matrices_of_files_of_other_sizes():
    original, protected = three_numbers(150), three_numbers(70, seed=5)
    check_matrices(loss_of(original, protected, XYZ), original, protected)


@pytest.mark.parametrize("aligned", [True, False])
def test_a_variable_times_minus_one_keeps_the_eigenvalues(aligned):
    original, _ = a_ball_and_outliers()
    protected = original.assign(x=-original["x"])
    loss = loss_of(original, protected, XYZ, aligned=aligned)
    assert loss.eigenvalues == pytest.approx(0.0, abs=1e-12)
    assert loss.eigenvalues_robust == pytest.approx(0.0, abs=1e-9)
    assert loss.matrices["correlation"].mae > 0.1


def test_all_variables_times_minus_one_keep_the_components():
    original = three_numbers()
    loss = loss_of(original, -original, XYZ, aligned=True)
    for name, found in loss.matrices.items():
        assert found.mse == pytest.approx(0.0, abs=1e-20), name
        assert found.mae == pytest.approx(0.0, abs=1e-10), name
    assert loss.il1s > 1


def test_a_flipped_component_is_no_loss(monkeypatch):
    # A linear algebra library is free to turn any eigenvector round.
    eigh = np.linalg.eigh
    calls = []

    def turning(matrix):
        values, vectors = eigh(matrix)
        calls.append(matrix)
        return values, vectors * np.where(np.arange(len(values)) % 2 == len(calls) % 2, -1.0, 1.0)

    original = three_numbers()
    monkeypatch.setattr(np.linalg, "eigh", turning)
    loss = loss_of(original, original.copy(), XYZ)
    assert len(calls) >= 2
    for name in ("loadings", "score_coefficients", "communalities"):
        assert loss.matrices[name].mae == pytest.approx(0.0, abs=1e-12), name


def test_a_small_change_never_turns_a_component():
    rng = np.random.default_rng(3)
    for _ in range(100):
        units = rng.normal(size=(40, 4)) @ rng.normal(size=(4, 4))
        before = np.corrcoef(units.T)
        if np.diff(np.linalg.eigvalsh(before)).min() < 0.01:
            continue  # components that are hardly apart may swap
        after = np.corrcoef((units + 1e-7 * rng.normal(size=units.shape)).T)
        one, other, dropped = matched_components(before, after)
        assert dropped == 0
        assert np.abs(one.loadings - other.loadings).max() < 1e-3
        assert np.abs(one.coefficients - other.coefficients).max() < 1e-1


def test_signs_are_those_of_the_other():
    vectors = np.array([[0.6, 0.8], [0.8, -0.6]])
    values = np.array([1.4, 0.6])
    turned = Components(values, vectors * [-1, 1])
    found = turned.signed_like(Components(values, vectors))
    assert np.array_equal(found.vectors, vectors)
    assert np.allclose(found.loadings @ found.loadings.T, (vectors * values) @ vectors.T)


@pytest.mark.parametrize("kept", [True, False])
def test_an_exact_linear_dependence_is_left_out_and_said(kept):
    original = three_numbers()
    original["total"] = original["x"] + original["y"]
    protected = noisy(original)
    if kept:
        protected["total"] = protected["x"] + protected["y"]
    result = run(original, protected, XYZ | {"total": "c"})
    (before, _), (after, _) = components(original), components(protected)
    expected = eigenvalue_loss(before[:3], after[:3])
    assert result.loss.eigenvalues == pytest.approx(expected, rel=1e-9)
    # Every subset of such units has determinant 0: there is none whose determinant is least.
    assert result.loss.eigenvalues_robust is None
    assert "eigenvalues_robust: original: the covariance of the core is near singular" in (
        result.loss.reason
    )
    for name, found in result.loss.matrices.items():
        if name != "covariance":
            assert max(found.mse, found.mae) < 5, name
    assert mentions(result, "1 of 4", "linear dependence")


def test_a_repeated_variable_and_its_multiples():
    original = three_numbers().assign(u=lambda t: t["x"] * 2, v=lambda t: 7 - t["y"])
    result = run(original, noisy(original), XYZ | {"u": "c", "v": "c"})
    (before, _), (after, _) = components(original), components(noisy(original))
    assert result.loss.eigenvalues == approx(eigenvalue_loss(before[:3], after[:3]))
    assert mentions(result, "2 of 5", "linear dependence")


def test_one_continuous_variable_has_a_variance_only():
    original = three_numbers()[["x"]]
    protected = noisy(original)
    loss = loss_of(original, protected, {"x": "c"})
    expected = abs(original["x"].var() - protected["x"].var())
    assert loss.matrices["covariance"].mae == approx(expected)
    assert loss.matrices["correlation"].mae is None
    assert (loss.eigenvalues, loss.eigenvalues_robust) == (None, None)
    assert "eigenvalues" in loss.reason


@pytest.mark.parametrize("side", ["original", "protected"])
def test_a_constant_variable_is_left_out_of_matrices(side):
    original, protected = three_numbers(), noisy(three_numbers())
    if side == "original":
        original["y"] = 0.1
    else:
        protected["y"] = 0.1
    result = run(original, protected, XYZ)
    check_matrices(result.loss, original[["x", "z"]], protected[["x", "z"]])
    assert mentions(result, "constant", "y")


# -- robust eigenvalues --------------------------------------------------------------------------


def a_ball_and_outliers(tilt=0.8, rows=200):
    """Three quarters of the units fill a tilted ball evenly, the others lie far off.

    No unit is near the edge of what counts as an outlier, so that every search for the minimum
    covariance determinant ends with all units of the ball, which are given back too.
    """
    rng = np.random.default_rng(5)
    points = rng.normal(size=(rows, 3))
    points *= rng.random((rows, 1)) ** (1 / 3) / np.linalg.norm(points, axis=1, keepdims=True)
    points = points @ np.array([[1.0, tilt, 0.3], [0.0, 1.0, -0.5], [0.0, 0.0, 1.0]])
    inside = np.arange(rows) % 4 != 0
    points[~inside] = 100 * points[~inside, ::-1] + 500
    return pd.DataFrame(points, columns=list("xyz")), inside


def robust_values(frame, seed=1):
    """Eigenvalues by scikit-learn, of standardised numbers in an order of our own."""
    units = StandardScaler().fit_transform(frame.sort_values(list(frame)))
    covariance = MinCovDet(random_state=seed).fit(units).covariance_
    roots = np.sqrt(np.diag(covariance))
    return np.sort(np.linalg.eigvalsh(covariance / np.outer(roots, roots)))[::-1]


def test_robust_eigenvalues_are_those_without_the_outliers():
    original, inside = a_ball_and_outliers()
    protected, _ = a_ball_and_outliers(tilt=1.4)
    loss = loss_of(original, protected, XYZ, aligned=True)
    before, after = (components(side[inside])[0] for side in (original, protected))
    assert robust_values(original) == approx(before)  # what scikit-learn itself finds
    assert robust_values(protected) == approx(after)
    assert loss.eigenvalues_robust == approx(eigenvalue_loss(before, after))
    assert loss.eigenvalues_robust > 0.1
    apart = loss_of(original, protected, XYZ, aligned=False)
    assert apart.eigenvalues_robust == approx(loss.eigenvalues_robust)


def test_outliers_move_classical_eigenvalues_and_not_robust_ones():
    original = three_numbers(250)
    protected = original.copy()
    protected.loc[:19, "x"] = 1e4
    protected.loc[:19, "y"] = -1e3
    loss = loss_of(original, protected, XYZ)
    assert loss.eigenvalues > 0.5
    assert loss.eigenvalues_robust < loss.eigenvalues / 3


def test_robust_eigenvalues_do_not_depend_on_units_of_measurement():
    # Each file is standardised: an income in cents and a height in kilometres change nothing.
    original, protected = three_numbers(), noisy(three_numbers())
    factors = {"x": 1e5, "y": 1e-3, "z": 1.0}
    scaled_original, scaled_protected = (
        side.assign(**{name: side[name] * f for name, f in factors.items()})
        for side in (original, protected)
    )
    plain = loss_of(original, protected, XYZ)
    scaled = loss_of(scaled_original, scaled_protected, XYZ)
    assert scaled.eigenvalues == approx(plain.eigenvalues)
    assert scaled.eigenvalues_robust == pytest.approx(plain.eigenvalues_robust, rel=1e-6)


def test_robust_eigenvalues_are_left_out_unless_asked_for():
    original, protected = three_numbers(400), noisy(three_numbers(400))
    result = run(original, protected, XYZ, loss={"robust": False})
    assert result.loss.eigenvalues is not None
    assert result.loss.eigenvalues_robust is None
    assert "eigenvalues_robust: left out, as it takes long" in result.loss.reason
    assert not mentions(result, "Robust")


def test_robust_eigenvalues_are_repeatable_and_seeded():
    original, protected = three_numbers(400), noisy(three_numbers(400))
    choices = {"robust_sample": 100}
    runs = [run(original, protected, XYZ, loss=choices, seed=s) for s in (1, 1, 2)]
    found = [r.loss.eigenvalues_robust for r in runs]
    assert found[0] == found[1]
    assert found[0] != found[2]
    assert [r.loss.seed for r in runs] == [1, 1, 2]
    assert mentions(runs[0], "Robust", "100 of 400")
    assert not mentions(run(original, protected, XYZ), "of 400")


@pytest.mark.parametrize("aligned", [True, False])
def test_robust_eigenvalues_do_not_depend_on_the_order_of_rows(aligned):
    sides = [three_numbers(150), noisy(three_numbers(150))]
    choices = {"loss": {"robust_sample": 100}, "aligned": aligned}
    plain = loss_of(*sides, XYZ, **choices)
    # Together where rows correspond, each side by itself where they do not.
    orders = [np.random.default_rng(0 if aligned else i).permutation(150) for i in range(2)]
    mixed = [side.iloc[order] for side, order in zip(sides, orders, strict=True)]
    assert loss_of(*mixed, XYZ, **choices).eigenvalues_robust == plain.eigenvalues_robust


def test_robust_eigenvalues_see_the_units_that_were_dropped():
    # Half of the units are gone, and not at random: each file's own eigenvalues differ.
    original, inside = a_ball_and_outliers()
    original.insert(0, "id", np.arange(200) * 7 % 1999)
    kept = (original["x"] < original.loc[inside, "x"].median()) | ~inside & (
        original["id"] % 2 == 0
    )
    protected = original[kept]
    loss = loss_of(original, protected, XYZ, key="id")
    names = list("xyz")
    before, after = components(original[names])[0], components(protected[names])[0]
    assert loss.eigenvalues == approx(eigenvalue_loss(before, after))
    before, after = (
        components(side[names])[0] for side in (original[inside], original[inside & kept])
    )
    assert robust_values(protected[names]) == approx(after)
    expected = eigenvalue_loss(before, after)
    assert expected > 0.1
    assert loss.eigenvalues_robust == approx(expected)


def test_a_value_that_half_share_is_left_out_of_robust_eigenvalues():
    original = three_numbers()
    original.loc[:119, "z"] = 0.0
    result = run(original, noisy(original), XYZ, aligned=True)
    assert mentions(result, "Robust", "z")
    assert result.loss.eigenvalues_robust is not None
    two = run(original[["x", "z"]], noisy(original)[["x", "z"]], {"x": "c", "z": "c"}, aligned=True)
    assert two.loss.eigenvalues_robust is None
    assert "eigenvalues_robust" in two.loss.reason


@pytest.mark.parametrize("names", ["xyz", "xy"])
@pytest.mark.parametrize("off", [0.0, 0.003])
def test_a_dependence_among_most_units_gives_no_robust_figure(names, off):
    # The wage is all, or all but all, of the income of most people: y = 2x for two thirds.
    rng = np.random.default_rng(5)
    original = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("xyz"))
    original.loc[:199, "y"] = 2 * original["x"] + off * rng.normal(size=300)
    original = original[list(names)]
    for before, after, which in (
        (original, noisy(original, 0.1), "original"),
        (noisy(original, 0.1), original, "protected"),
    ):
        loss = loss_of(before, after, dict.fromkeys(names, "c"))
        assert loss.eigenvalues_robust is None
        assert f"eigenvalues_robust: {which}: the covariance of the core" in loss.reason


@pytest.mark.parametrize(("share", "known"), [(0.9e-4, False), (1.1e-4, True)])
def test_a_core_is_near_singular_below_a_ten_thousandth(share, known):
    # Correlation r of two variables: eigenvalues 1 + r and 1 - r. All units of the ball are the
    # core, so that what scikit-learn finds is what the numbers were made with.
    ball, inside = a_ball_and_outliers()
    units = ball[inside][["x", "y"]].to_numpy()
    units = np.linalg.solve(np.linalg.cholesky(np.cov(units.T)), (units - units.mean(0)).T).T
    r = (1 - share) / (1 + share)
    units = units @ np.linalg.cholesky([[1.0, r], [r, 1.0]]).T
    core = MinCovDet(random_state=1).fit(units).raw_covariance_
    ratio = np.divide(*np.linalg.eigvalsh(core / np.sqrt(np.outer(np.diag(core), np.diag(core)))))
    assert (ratio > 1e-4) == known
    frame = pd.DataFrame(units, columns=["x", "y"])
    loss = loss_of(frame, frame.copy(), {"x": "c", "y": "c"}, aligned=True)
    assert loss.eigenvalues_robust == (0.0 if known else None)


# -- subdomains ----------------------------------------------------------------------------------


def test_subdomains_against_pandas():
    original = three_numbers().assign(sex=np.resize(["f", "m", "m"], 200))
    protected = noisy(original[list("xyz")]).assign(sex=original["sex"])
    protected.loc[:9, "sex"] = "f"
    loss = loss_of(original, protected, XYZ | {"sex": "n"}, loss={"groups": ["sex"]}, aligned=True)
    assert [(s.group, s.category) for s in loss.subdomains] == [("sex", "f"), ("sex", "m")]
    sides = [side.groupby("sex") for side in (original, protected)]
    for found in loss.subdomains:
        before, after = (side.get_group(found.category)[list("xyz")] for side in sides)
        assert (found.rows_original, found.rows_protected) == (len(before), len(after))
        for name in "xyz":
            assert found.means[name]["original"] == approx(before[name].mean())
            assert found.means[name]["protected"] == approx(after[name].mean())
        apart = np.abs(before.cov().to_numpy() - after.cov().to_numpy())[np.triu_indices(3)]
        assert found.covariance.mae == approx(apart.mean())
        assert found.covariance.mse == approx((apart**2).mean())


def test_weighted_subdomains(weighted):
    loss = loss_of(*weighted, ALL_TYPES, weight="w", loss={"groups": ["sex"]})
    names = ["age", "income", "score", "height"]
    assert [s.category for s in loss.subdomains] == ["1", "2"]
    for found in loss.subdomains:
        matrices = []
        for which, side in zip(("original", "protected"), weighted, strict=True):
            inside = side[side["sex"] == int(found.category)]
            for name in names:
                expected = np.average(inside[name], weights=inside["w"])
                assert found.means[name][which] == approx(expected)
            matrices.append(np.cov(inside[names].T, aweights=inside["w"].to_numpy(dtype=float)))
        apart = np.abs(matrices[0] - matrices[1])[np.triu_indices(4)]
        assert found.covariance.mae == approx(apart.mean())


def test_a_group_of_one_unit_has_a_reason():
    original = three_numbers(60).assign(g=["u"] * 58 + ["v", None])
    loss = loss_of(original, original.copy(), XYZ | {"g": "n"}, loss={"groups": "g"}, aligned=True)
    whole, single = loss.subdomains
    assert (whole.category, whole.rows_original) == ("u", 58)
    assert whole.covariance.mae == approx(0.0)
    assert (single.category, single.rows_original, single.rows_protected) == ("v", 1, 1)
    assert single.covariance is None
    assert "two" in single.reason


def test_a_group_that_only_one_side_has():
    original = three_numbers(60).assign(g=np.resize(["u", "v"], 60))
    protected = original.assign(g="u")
    loss = loss_of(original, protected, XYZ | {"g": "n"}, loss={"groups": ["g"]}, aligned=False)
    gone = next(s for s in loss.subdomains if s.category == "v")
    assert (gone.rows_original, gone.rows_protected) == (30, 0)
    assert gone.covariance is None
    assert gone.reason


def test_groups_of_bands():
    ages = np.resize(np.arange(20, 60), 200)
    original = three_numbers().assign(age=ages)
    bands = [f"{a // 20 * 20}-{a // 20 * 20 + 19}" for a in ages]
    protected = noisy(original[list("xyz")]).assign(age=bands)
    loss = loss_of(original, protected, XYZ | {"age": "c"}, loss={"groups": ["age"]})
    means = original.groupby(np.array(bands))["x"].mean()
    assert {s.category: s.means["x"]["original"] for s in loss.subdomains} == approx(dict(means))


def test_a_number_may_be_called_group():
    original = three_numbers().rename(columns={"x": "group"}).assign(s=np.resize(["u", "v"], 200))
    types = {"group": "c", "y": "c", "z": "c", "s": "n"}
    loss = loss_of(original, original.copy(), types, loss={"groups": ["s"]})
    means = original.groupby("s")["group"].mean()
    assert [s.means["group"]["original"] for s in loss.subdomains] == approx(list(means))


def test_groups_that_cannot_be_formed_are_noted():
    original = three_numbers().assign(g=np.resize(["u", "v"], 200))
    protected = original.drop(columns="g")
    result = run(original, protected, XYZ | {"g": "n"}, loss={"groups": ["g"]}, aligned=True)
    assert result.loss.subdomains == ()
    assert mentions(result, '"g"', "Groups")
    with pytest.raises(InputError, match="nowhere"):
        run(original, protected, XYZ, loss={"groups": ["nowhere"]})
    with pytest.raises(InputError, match="continuous"):
        run(original, protected, XYZ, loss={"groups": ["x"]})


# -- laws ----------------------------------------------------------------------------------------


def survey_and_release(seed, missing=0.1, rows=110):
    """A survey and a version with noise, random answers, merged categories and bands."""
    original = make_survey(rows, seed, missing)
    protected = perturb(original, 0.2, seed)
    protected["education"] = original["education"].replace({2: 1, 6: 5})
    protected["age"] = original["age"].map(
        lambda a: None if a != a else f"{decade(a)}-{decade(a) + 9}"
    )
    return original, protected


LAWS = {"types": ALL_TYPES, "loss": {"groups": ["sex"]}, "aligned": True}


@given(seeds)
@FEW
def test_rows_permuted_together(seed):
    original, protected = survey_and_release(seed)
    order = np.random.default_rng(seed).permutation(len(original))
    assert_same(
        run(original, protected, **LAWS), run(original.iloc[order], protected.iloc[order], **LAWS)
    )


@given(seeds, st.integers(1, 60))
@FEW
def test_the_split_into_batches(seed, rows):
    original, protected = survey_and_release(seed)
    whole = run(original, protected, **LAWS)
    batches = Local._batches
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Local, "_batches", lambda self, axes, size: batches(self, axes, rows))
        split = run(original, protected, **LAWS)
    assert_same(whole, split)


@given(seeds, st.sampled_from([1e-6, 0.1, 7.0, 1e6]), st.sampled_from([1e-3, 1.0, 1e4]))
@FEW
def test_units_of_measurement(seed, factor, other):
    original, protected = survey_and_release(seed, missing=0.0)
    factors = {"income": factor, "score": other}
    scaled = [
        side.assign(**{name: side[name] * f for name, f in factors.items()})
        for side in (original, protected)
    ]
    plain, moved = run(original, protected, **LAWS).loss, run(*scaled, **LAWS).loss
    assert (plain.il1s, plain.il1, plain.eigenvalues) == approx(
        (moved.il1s, moved.il1, moved.eigenvalues), rel=1e-7
    )
    assert (plain.ctbil, plain.gcp, plain.records_changed) == approx(
        (moved.ctbil, moved.gcp, moved.records_changed)
    )
    for name, f in factors.items():
        one, two = variable(plain, name), variable(moved, name)
        assert two.mae == approx(one.mae * f)
        assert two.mse == approx(one.mse * f * f)
        assert (two.il1s, two.il1) == approx((one.il1s, one.il1), rel=1e-7)


@given(seeds, st.sampled_from([0.0, 0.1]))
@FEW
def test_identical_files_have_lost_nothing(seed, missing):
    original = make_survey(110, seed, missing)
    loss = loss_of(original, original.copy(), **LAWS)
    assert (loss.units, loss.records_changed, loss.records_changed_recoded) == (110, 0, 0)
    assert [loss.il1s, loss.il1, loss.ctbil, loss.aad, loss.eigenvalues] == [0.0] * 5
    assert loss.eigenvalues_robust == 0.0
    assert loss.gcp is None
    for found in loss.variables:
        assert (found.changed, found.changed_recoded, found.missing.increase) == (0, 0, 0.0)
        if TYPES[found.name] == "continuous":
            assert [found.il1s, found.il1, found.mae, found.mse] == [0.0] * 4
            assert found.moments["original"] == found.moments["protected"]
    for found in loss.tables:
        assert (found.ctbil, found.aad, found.moved, found.hellinger) == (0, 0, 0, 0)
        assert found.rcv == (0.0 if len(found.variables) == 2 else None)
    for found in loss.matrices.values():
        assert (found.mse, found.mae, found.mean_variation) == (0, 0, 0)
    for found in loss.subdomains:
        assert found.covariance.mae == 0
        assert all(m["original"] == m["protected"] for m in found.means.values())


@given(seeds)
@FEW
def test_more_noise_is_more_loss(seed):
    original = three_numbers(120, seed)
    losses = [
        loss_of(original, noisy(original, s, seed), XYZ, aligned=True) for s in (0.1, 0.3, 1.0)
    ]
    assert losses[0].il1s < losses[1].il1s < losses[2].il1s
    assert losses[1].il1s == approx(3 * losses[0].il1s)
    assert losses[0].variables[0].mse < losses[1].variables[0].mse


@given(seeds)
@FEW
def test_categories_renamed_on_both_sides(seed):
    original, protected = survey_and_release(seed)
    names = {"north": "zz", "east": "10-19", "south": "NA?", "west": "a"}
    renamed = [side.assign(region=side["region"].map(names)) for side in (original, protected)]
    assert_same(run(original, protected, **LAWS), run(*renamed, **LAWS))


def test_columns_reordered():
    original, protected = survey_and_release(1)
    one = run(original, protected, **LAWS).loss
    two = run(original[original.columns[::-1]], protected, **LAWS).loss
    for name in ("il1s", "il1", "gcp", "ctbil", "aad", "records_changed", "eigenvalues"):
        assert getattr(two, name) == approx(getattr(one, name)), name
    assert two.matrices["loadings"].mse == approx(one.matrices["loadings"].mse)


def test_frames_and_files_give_the_same(tmp_path):
    original, protected = survey_and_release(2)
    plain = run(original, protected, **LAWS)
    assert_same(plain, run(pl.from_pandas(original), pl.from_pandas(protected), **LAWS))
    paths = []
    for name, frame in (("o", original), ("p", protected)):
        paths.append(tmp_path / f"{name}.csv")
        frame.to_csv(paths[-1], index=False)
    assert_same(plain, run(*map(str, paths), **LAWS))


# -- what is not there ---------------------------------------------------------------------------


def test_a_removed_column():
    original = three_numbers().assign(a=np.resize(["u", "v"], 200))
    loss = loss_of(original, original.drop(columns=["x", "a"]), XYZ | {"a": "n"})
    for name in ("x", "a"):
        found = variable(loss, name)
        assert [found.changed, found.il1s, found.ncp, found.missing.protected] == [None] * 4
        assert "removed" in found.reason
    assert loss.ctbil is None
    assert "ctbil" in loss.reason
    assert loss.il1s == 0.0
    assert variable(loss, "x").moments["original"].mean == approx(original["x"].mean())


def test_missing_cells_of_a_removed_column_have_a_reason():
    original = three_numbers()
    result = run(original, original.drop(columns="x"), XYZ)
    found = result.to_dict()["loss"]["variables"][0]
    assert found["missing"]["protected"] is None
    assert found.get("reason") or found["missing"].get("reason")


@pytest.mark.parametrize("side", ["original", "protected", "both"])
@pytest.mark.parametrize("kind", ["c", "n"])
def test_an_all_missing_column(side, kind):
    original = three_numbers().assign(a=np.resize([1.0, 2.0, 3.0], 200))
    protected = noisy(original[list("xyz")]).assign(a=original["a"])
    for which, frame in (("original", original), ("protected", protected)):
        if side in (which, "both"):
            frame["a"] = np.nan
    groups = ["a"] if kind == "n" else []
    loss = loss_of(original, protected, XYZ | {"a": kind}, loss={"groups": groups})
    found = variable(loss, "a")
    assert [found.il1s, found.mae, found.ncp] == [None] * 3
    assert found.reason
    assert loss.tables == ()
    assert loss.subdomains == ()
    check_matrices(loss, original[list("xyz")], protected[list("xyz")])


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize("aligned", [True, False])
def test_very_few_rows(rows, aligned):
    original = three_numbers(rows).assign(a=list("uvuv")[:rows])
    protected = noisy(three_numbers(4)).iloc[:rows].assign(a=list("uuvv")[:rows])
    loss = loss_of(
        original, protected, XYZ | {"a": "n"}, loss={"groups": ["a"], "ways": 3}, aligned=aligned
    )
    assert loss.eigenvalues_robust is None
    assert "eigenvalues_robust" in loss.reason
    if rows == 1:
        assert (loss.il1s, loss.eigenvalues) == (None, None)
        assert table(loss, "a").ctbil == 0.0
    assert (variable(loss, "x").mae is None) == (not aligned)


def test_no_continuous_variable(categories):
    loss = loss_of(*categories, TYPES_OF_CATEGORIES, loss={"groups": ["sex"]})
    assert [loss.il1s, loss.il1, loss.eigenvalues, loss.eigenvalues_robust] == [None] * 4
    for word in ("il1s", "il1", "eigenvalues", "eigenvalues_robust"):
        assert word in loss.reason
    assert all(m.mse is None and m.reason for m in loss.matrices.values())
    assert loss.records_changed > 0
    assert loss.subdomains == ()


def test_no_categories():
    loss = loss_of(three_numbers(), noisy(three_numbers()), XYZ)
    assert (loss.tables, loss.ctbil, loss.aad) == ((), None, None)
    assert "ctbil" in loss.reason
    assert "aad" in loss.reason


def test_synthetic_data_that_is_not_aligned():
    original, protected = make_survey(300, seed=1), make_survey(180, seed=2)
    protected["age"] = [f"{decade(a)}-{decade(a) + 9}" for a in protected["age"]]
    loss = loss_of(original, protected, ALL_TYPES, loss={"groups": ["sex"], "ways": 3})
    assert (loss.il1s, loss.records_changed, loss.units) == (None, None, None)
    assert loss.gcp == approx(10 / (original["age"].max() - original["age"].min()))
    recoded = original.assign(age=[f"{decade(a)}-{decade(a) + 9}" for a in original["age"]])
    names = (*CATEGORIES, "age")
    check_tables(loss, recoded, protected, names, 3)
    check_matrices(loss, *(side[["income", "score", "height"]] for side in (original, protected)))


def test_numbers_that_became_unknown_categories():
    original = three_numbers(90)
    protected = original.assign(x=np.resize(["low", "high", "mid"], 90))
    loss = loss_of(original, protected, XYZ, aligned=False)
    found = variable(loss, "x")
    assert [found.il1s, found.ncp, found.changed] == [None] * 3
    assert "protected" not in found.moments
    check_matrices(loss, original[["y", "z"]], protected[["y", "z"]])


def test_variables_that_are_not_analysed_do_not_count():
    original = three_numbers().assign(a=np.resize(["u", "v"], 200), w=1.0)
    protected = original.assign(x=original["x"] + 1, a="u")
    types = {"x": {"role": "exclude"}, "a": {"role": "derived"}, "y": "c", "z": "c"}
    loss = loss_of(original, protected, types | {"w": {"role": "weight"}}, aligned=True)
    assert [v.name for v in loss.variables] == ["y", "z"]
    assert (loss.records_changed, loss.il1s, loss.tables) == (0, 0.0, ())


@pytest.mark.parametrize("value", [-np.finfo(float).max, 1e160, 1e-310])
def test_extreme_numbers(value):
    # SPSS's system missing value is the lowest number there is, and gets into exported files.
    original = three_numbers()
    original.loc[7, "x"] = value
    protected = original + 0.5
    result = run(original, protected, XYZ, aligned=True)
    assert variable(result.loss, "y").mae == approx(0.5)


def test_names_of_the_json_result():
    original, protected = survey_and_release(1)
    loss = run(original, protected, **LAWS).to_dict()["loss"]
    assert loss.keys() >= {"il1s", "il1", "gcp", "ctbil", "aad", "eigenvalues"}
    assert loss.keys() >= {"eigenvalues_robust", "variables", "tables", "matrices"}
    first = loss["variables"][0].keys()
    assert first >= {"name", "changed", "il1s", "il1", "mae", "mse", "mean_variation"}
    assert first >= {"ncp", "moments"}
    cells = loss["tables"][0].keys()
    assert cells >= {"variables", "cells", "ctbil", "aad", "moved", "hellinger", "rcv"}
    assert loss["matrices"].keys() >= {"covariance", "correlation"}
    assert loss["matrices"]["covariance"].keys() >= {"mse", "mae", "mean_variation"}


# -- passes --------------------------------------------------------------------------------------

SIZES = {"a": 4, "b": 4, "c": 3, "g": 2}
# Powers of two: quotients and products are exact, so that sums do not depend on their order.
SCORES = {"a": [0, -2, 4, 8], "b": [1, 0, -4, 16], "c": [-1, 2, 0], "g": [0, 0]}
A, B, C, G = (
    Axis(name, np.arange(size + 1), size, np.array([*SCORES[name], 0.0]))
    for name, size in SIZES.items()
)
QUESTIONS = [
    Changes(((A, B),)),
    Changes(((A, B), (B, A), (A, A))),
    Differences(A, B),
    Differences(A, C),
    Suppressed(A, B),
    Suppressed(B, A),
    Moments((A,)),
    Moments((A, B, C)),
    Moments((A, C), G),
]


@given(coded_rows(SIZES), st.integers(1, 45))
@settings(max_examples=60, deadline=None)
def test_passes_split_into_batches_equal_the_whole(rows, batch_rows):
    codes, count, weights = rows
    whole = Local(codes, count, weights, batch_rows=10_000).scan(QUESTIONS)
    parts = Local(codes, count, weights, batch_rows=batch_rows).scan(QUESTIONS)
    for question in QUESTIONS:
        assert np.array_equal(whole[question], parts[question]), question


@given(coded_rows(SIZES))
@settings(max_examples=60, deadline=None)
def test_passes_counted_by_hand(rows):
    codes, count, weights = rows
    facts = Local(codes, count, weights, batch_rows=7).scan(QUESTIONS)
    a, b = codes["a"], codes["b"]
    score = {name: axis.scores[codes[name]] for name, axis in zip(SIZES, (A, B, C, G), strict=True)}
    here = {name: codes[name] != size for name, size in SIZES.items()}
    changed = int((a != b).sum())
    assert list(facts[QUESTIONS[1]]) == [changed, changed, 0, changed]
    assert facts[Suppressed(A, B)].tolist() == [
        here["a"].sum(),
        (here["a"] & ~here["b"]).sum(),
    ]
    both = [i for i in range(count) if here["a"][i] and here["b"][i]]
    apart = [abs(score["a"][i] - score["b"][i]) for i in both]
    some = [(x, abs(score["a"][i])) for x, i in zip(apart, both, strict=True) if score["a"][i]]
    found = facts[Differences(A, B)]
    assert found[:4] == approx([len(both), sum(apart), sum(x * x for x in apart), len(some)])
    assert found[4] == approx(math.fsum(x / size for x, size in some))
    w = np.ones(count) if weights is None else weights
    grouped = facts[Moments((A, C), G)]
    assert grouped.shape == (2, 4, 3)
    for group in range(2):
        inside = here["a"] & here["c"] & (codes["g"] == group)
        columns = np.stack([np.ones(count), score["a"], score["c"]])[:, inside]
        assert np.array_equal(grouped[group, :3], (columns * w[inside]) @ columns.T)
        assert list(grouped[group, 3, :2]) == [inside.sum(), (w[inside] ** 2).sum()]


# -- log-linear models ---------------------------------------------------------------------------


def three_categories(rows=600, seed=3):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = (a + (rng.random(rows) < 0.4) + (rng.random(rows) < 0.2)) % 3
    c = np.where(rng.random(rows) < 0.3 + 0.3 * (b == 1), "yes", "no")
    return pd.DataFrame({"a": np.array(["f", "m"])[a], "b": np.array(["x", "y", "z"])[b], "c": c})


ABC = {"a": "n", "b": "n", "c": "n"}


def loglinear_of(original, protected, types=ABC, **choices):
    return loss_of(original, protected, types, loss=choices, aligned=False).loglinear


def test_a_log_linear_model_of_two_tables():
    original, protected = three_categories(), three_categories(seed=4).head(400)
    protected = protected.assign(b=np.random.default_rng(1).permutation(protected["b"]))
    found = loglinear_of(original, protected)
    assert set(found.variables) == {"a", "b", "c"}
    assert {frozenset(m) for m in found.margins} == {frozenset(m) for m in ("ab", "ac", "bc")}
    assert (found.cells, found.parameters, found.freedom, found.added) == (12, 10, 2, 0.0)
    assert (found.units_original, found.units_protected) == (600, 400)
    tables = [
        pd.crosstab([t["a"], t["b"]], t["c"]).stack().to_numpy() for t in (original, protected)
    ]
    cells = pd.crosstab([original["a"], original["b"]], original["c"]).stack().index.to_frame()
    design = pd.get_dummies(cells, drop_first=True).to_numpy(float)
    pairs = [design[:, [i]] * design[:, [j]] for i, j in ((0, 1), (0, 2), (0, 3), (1, 3), (2, 3))]
    design = np.column_stack([np.ones(12), design, *pairs])
    fits = [sm.GLM(t, design, family=sm.families.Poisson()).fit(tol=1e-13) for t in tables]
    assert found.deviance_original == pytest.approx(fits[0].deviance, rel=1e-6)
    assert found.deviance_protected == pytest.approx(fits[1].deviance, rel=1e-6)
    under = sm.families.Poisson().deviance(tables[1], fits[0].mu * 400 / 600)
    assert found.deviance_under_original == pytest.approx(under, rel=1e-6)
    assert under > fits[1].deviance
    broken = {frozenset(t.variables): t.agreement for t in found.terms}
    assert broken[frozenset("ab")] < broken[frozenset("a")] == 1.0


def test_a_log_linear_model_that_the_schema_names():
    original, protected = three_categories(), three_categories(seed=4)
    found = loglinear_of(original, protected, loglinear=[["a", "b"], "c"])
    assert found.margins == (("a", "b"), ("c",))
    assert [t.variables for t in found.terms] == [("a",), ("b",), ("c",), ("a", "b")]
    assert loglinear_of(original, protected, loglinear=[]) is None
    same = loglinear_of(original, original.copy())
    assert (same.agreement, same.same_sign) == (1.0, 1.0)
    assert (same.overlap, same.rank_correlation) == pytest.approx((1.0, 1.0))
    assert same.deviance_under_original == pytest.approx(same.deviance_original)
    frame = run(original, protected, ABC, aligned=False).loglinear_table()
    assert frame["variables"].to_list()[-1] in ("b × c", "c × b")
    mixed = loglinear_of(original[::-1][["c", "a", "b"]], protected.sample(frac=1, random_state=1))
    plain = loglinear_of(original, protected)
    assert mixed == plain


def test_log_linear_models_that_cannot_be():
    original = three_categories()
    gone = loglinear_of(original, original.drop(columns="a"), loglinear=[["a", "b"]])
    assert gone.agreement is None
    assert "no categories that both tables share: a" in gone.reason
    alone = loglinear_of(original.assign(a="f"), original.assign(a="f"), loglinear=[["a", "b"]])
    assert "one category" in alone.reason
    numbers = loss_of(three_numbers(), noisy(three_numbers()), XYZ).loglinear
    assert "fewer than two variables" in numbers.reason
    wide = pd.DataFrame({n: np.arange(300).astype(str) for n in "ab"} | {"c": ["u", "v"] * 150})
    too_wide = loglinear_of(wide, wide.copy(), loglinear=[["a", "b"]])
    assert "90,000 cells" in too_wide.reason


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"loglinear": [["a", "a"]]}, "different variable names"),
        ({"loglinear": [["a", 3]]}, "different variable names"),
        ({"loglinear": [["a", "d"]]}, '"d"'),
    ],
)
def test_margins_that_cannot_be(choices, said):
    original = three_categories()
    with pytest.raises(microgauge.InputError, match=said):
        loglinear_of(original, original, **choices)


# -- Winkler's verdict ---------------------------------------------------------------------------


def people_in_groups(rows=300, seed=6):
    found = three_numbers(rows, seed).assign(
        sex=np.resize(["f", "m", "m"], rows), area=np.resize(list("abcde"), rows)
    )
    return found.assign(x=found["x"] + 2 * (found["sex"] == "f"))


def noisy_numbers(original):
    return original.assign(**noisy(original[list("xyz")], 0.2))


GROUPED = XYZ | {"sex": "n", "area": "n"}


def validity_of(original, protected, types=GROUPED, **choices):
    return loss_of(original, protected, types, loss=choices, aligned=False).validity


def criteria(found):
    return {c.name: c for c in found.criteria}


def test_validity_by_pandas():
    original = people_in_groups()
    protected = noisy_numbers(original)
    protected.loc[::10, "sex"] = "f"
    found = validity_of(original, protected)
    assert found.groups == ("sex", "area")
    each, names = criteria(found), list("xyz")
    deviations = original[names].std()
    shifts, spreads = {}, {}
    for group in found.groups:
        for category in original[group].unique():
            a, b = (t.loc[t[group] == category, names] for t in (original, protected))
            shift = (b.mean() - a.mean()).abs() / deviations
            shifts[group, category, shift.idxmax()] = shift.max()
            spread = (b.cov() - a.cov()).abs() / np.outer(deviations, deviations)
            spreads[group, category] = spread.to_numpy().max()
    where = max(shifts, key=shifts.get)
    assert each["means"].about == where
    assert each["means"].value == approx(shifts[where])
    assert each["covariances"].value == approx(max(spreads.values()))
    assert each["covariances"].about[:2] == max(spreads, key=spreads.get)
    assert (each["means"].compared, each["margins"].compared) == (7, 2)
    shares = [t["sex"].value_counts(normalize=True) for t in (original, protected)]
    assert each["margins"].value == approx((shares[0] - shares[1]).abs().sum() / 2)
    assert each["margins"].about == ("sex",)
    distances = {n: ks_2samp(original[n], protected[n]).statistic for n in names}
    assert each["distribution"].value == approx(max(distances.values()))
    assert {n: c.limit for n, c in each.items()} == {
        "means": 0.1, "covariances": 0.1, "margins": 0.05, "distribution": 0.05
    }  # fmt: skip
    assert all(c.passed == (c.value <= c.limit) for c in found.criteria)
    assert found.valid is all(c.passed for c in found.criteria)
    frame = run(original, protected, GROUPED, aligned=False).validity_table()
    assert frame["value"].to_list() == [c.value for c in found.criteria]
    assert frame["about"][2] == "sex"


def test_validity_of_the_same_file_and_of_limits():
    original = people_in_groups()
    same = loss_of(original, original.copy(), GROUPED, aligned=True)
    assert same.validity.valid is True
    assert {c.value for c in same.validity.criteria} == {0.0}
    assert "all of Winkler's criteria are met" in dict(loss_stories(same))["validity"]
    protected = noisy_numbers(original)
    wide = {f"valid_{name}": 9.0 for name in ("means", "covariances", "margins", "distribution")}
    assert validity_of(original, protected, **wide).valid is True
    strict = loss_of(original, protected, GROUPED, loss=wide | {"valid_means": 1e-9})
    assert strict.validity.valid is False
    said = dict(loss_stories(strict))["validity"]
    assert said.startswith("one of Winkler's criteria goes beyond its limit: means in subdomains")
    few = validity_of(original, protected, valid_records=90, groups=["area"])
    assert few.groups == ("area",)
    assert "enough complete records" in criteria(few)["means"].reason
    table = validity_of(original, protected, valid_tables=[["sex", "area"]])
    assert (criteria(table)["margins"].compared, table.criteria[2].value) == (1, 0.0)


def test_what_is_removed_is_not_valid():
    original = people_in_groups()
    for name, criterion in (("area", "margins"), ("z", "distribution")):
        found = validity_of(original, original.drop(columns=name))
        assert found.valid is False
        lost = criteria(found)[criterion]
        assert (lost.value, lost.passed, lost.about) == (1.0, False, (name,))
    named = validity_of(original, original.drop(columns="area"), valid_tables=[["sex", "area"]])
    assert criteria(named)["margins"].value == 1.0


def test_validity_that_is_not_known():
    numbers = three_numbers()
    found = loss_of(numbers, numbers.copy(), XYZ, aligned=True)
    assert found.validity.valid is None
    assert found.validity.reason == "valid: means, covariances, margins not known"
    assert (
        "as many of Winkler's criteria as are known are met"
        in dict(loss_stories(found))["validity"]
    )
    only = loss_of(three_categories(), three_categories(), ABC).validity
    assert criteria(only)["distribution"].reason


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"valid_means": 0}, "valid_means must be a number above 0"),
        ({"valid_margins": "a"}, "valid_margins must be a number above 0"),
        ({"valid_records": 1}, "valid_records must be a whole number"),
        ({"valid_tables": [["sex", "area", "x"]]}, "more variables than ways"),
        ({"valid_tables": [["sex", "nope"]]}, '"nope"'),
        ({"valid_tables": [["x"]]}, "continuous"),
    ],
)
def test_limits_that_cannot_be(choices, said):
    original = people_in_groups(30)
    with pytest.raises(InputError, match=said):
        validity_of(original, original, **choices)


def test_robust_eigenvalues_do_not_depend_on_the_order_of_columns():
    original = make_survey(300, 1)
    protected = perturb(original, 0.4)
    said = {"variable": {name: {"type": kind} for name, kind in TYPES.items()}}
    said |= {"loss": {"robust": True}}
    found = [
        microgauge.assess(
            original[original.columns[::step]],
            protected[protected.columns[::step]],
            schema=said,
            only=["loss"],
        ).loss.eigenvalues_robust
        for step in (1, -1)
    ]
    assert found[0] is not None
    assert found[0] == found[1]
