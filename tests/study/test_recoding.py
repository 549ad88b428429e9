"""How a variable was recoded: declared, read from labels, inferred from rows, or not at all."""

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import pytest
from scipy import stats

from microgauge import InputError
from support.figures import assess, one, pair, scipy_ks, score, variable
from support.surveys import NUMBER, make_survey, schema

AGES = pd.Series(np.random.default_rng(1).integers(0, 96, 600))


def spread(values, groups):
    """Heterogeneity by its definition."""
    values = pd.Series(np.asarray(values, dtype=float))
    means = values.groupby(np.asarray(groups)).transform("mean")
    return 1 - (values - means).abs().mean() / (values - values.mean()).abs().mean()


def recoding(result, name="x"):
    return variable(result, name).recoding


def assert_recoded(result, how, groups, original=AGES):
    """The recoding was found this way, and the recoded original is the protected column."""
    found = recoding(result)
    assert found is not None
    assert found.how == how
    assert found.utility == pytest.approx(spread(original, groups), rel=1e-9)
    assert score(result, "x").p == pytest.approx(1.0)
    assert score(result, "x").utility == pytest.approx(found.utility * (1 - np.exp(-14)))


# -- declared ------------------------------------------------------------------------------------

BREAKS = [0, 18, 30, 65, 80]
LABELS = ["child", "young", "adult", "old", "very old"]


def banded(breaks, right=False):
    edges = [*breaks, np.inf]
    return pd.cut(AGES, edges, right=right, labels=False)


def test_breaks_with_labels():
    band = banded(BREAKS)
    said = NUMBER | {"recode": {"breaks": BREAKS, "labels": LABELS}}
    result = one(AGES, band.map(dict(enumerate(LABELS))), said, aligned=False)
    assert_recoded(result, "declared", band)
    entries = {entry["to"]: (entry["low"], entry["high"]) for entry in recoding(result).map}
    assert entries["young"] == (18, 29)
    assert entries["very old"] == (80, 95)


def test_breaks_with_labels_closed_right():
    breaks = [-1, 18, 30, 65, 80]
    band = banded(breaks, right=True)
    said = NUMBER | {"recode": {"breaks": breaks, "labels": LABELS, "closed": "right"}}
    result = one(AGES, band.map(dict(enumerate(LABELS))), said, aligned=False)
    assert_recoded(result, "declared", band)
    entries = {entry["to"]: (entry["low"], entry["high"]) for entry in recoding(result).map}
    assert entries["young"] == (19, 30)


def test_breaks_without_labels_take_the_protected_ones():
    band = banded(BREAKS)
    names = ["0-17", "18-29", "30-64", "65-79", "80+"]
    said = NUMBER | {"recode": {"breaks": BREAKS}}
    result = one(AGES, band.map(dict(enumerate(names))), said, aligned=False)
    assert_recoded(result, "declared", band)
    assert variable(result, "x").protected_type == "ordinal"


def test_breaks_without_labels_in_interval_notation():
    band = banded(BREAKS)
    names = ["[0,18)", "[18,30)", "[30,65)", "[65,80)", "[80,inf)"]
    said = NUMBER | {"recode": {"breaks": BREAKS}}
    result = one(AGES, band.map(dict(enumerate(names))), said, aligned=False)
    assert_recoded(result, "declared", band)


def test_breaks_without_labels_where_the_lower_ends_stand():
    band = banded(BREAKS)
    said = NUMBER | {"recode": {"breaks": BREAKS}}
    result = one(AGES, band.map(dict(enumerate(BREAKS))), said, aligned=False)
    assert_recoded(result, "declared", band)
    assert variable(result, "x").protected_type == "continuous"


@pytest.mark.parametrize("label", [None, "80+", "80 and over"])
def test_top_code(label):
    coded = np.minimum(AGES, 80)
    shown = coded if label is None else coded.astype(str).where(coded < 80, label)
    result = one(AGES, shown, NUMBER | {"recode": {"top": 80}}, aligned=False)
    assert_recoded(result, "declared", coded)
    assert [entry["to"] for entry in recoding(result).map] == ["80"]
    assert variable(result, "x").protected_type == "continuous"  # "80+" is a top code


def test_bottom_code():
    coded = np.maximum(AGES, 15)
    result = one(AGES, coded, NUMBER | {"recode": {"bottom": 15}}, aligned=False)
    assert_recoded(result, "declared", coded)


def test_top_and_bottom_code():
    coded = np.clip(AGES, 15, 80)
    result = one(AGES, coded, NUMBER | {"recode": {"bottom": 15, "top": 80}}, aligned=False)
    assert_recoded(result, "declared", coded)


@pytest.mark.parametrize(
    ("rounding", "how"), [("nearest", np.rint), ("floor", np.floor), ("ceiling", np.ceil)]
)
def test_rounding(rounding, how):
    rounded = how(AGES / 5) * 5
    said = NUMBER | {"recode": {"round": 5}, "rounding": rounding}
    result = one(AGES, rounded, said, aligned=False)
    assert_recoded(result, "declared", rounded)


def test_rounding_to_a_fraction_meets_the_rounded_file():
    # 0.1 · 3 is not 0.3 in binary: the recoded original must still be the values a file holds.
    values = pd.Series(np.random.default_rng(3).uniform(0, 3, 500).round(3))
    said = NUMBER | {"recode": {"round": 0.1}}
    result = one(values, values.round(1), said, aligned=False)
    assert score(result, "x").p > 0.999


@pytest.mark.parametrize("mask", ["", "**"])
def test_prefix(mask):
    rng = np.random.default_rng(2)
    codes = pd.Series([f"{code:05d}" for code in rng.choice([99712, 99713, 10245, 417], 200)])
    said = {"type": "nominal", "recode": {"prefix": 3}}
    result = one(codes, codes.str[:3] + mask, said, aligned=False)
    found = recoding(result)
    assert (found.how, found.measure) == ("declared", "pairs")
    assert found.utility == pytest.approx(3 * 2 / (4 * 3))
    assert score(result, "x").p == pytest.approx(1.0)
    assert {frozenset(e["from"]) for e in found.map if len(e["from"]) > 1} == {
        frozenset({"99712", "99713"})
    }


def test_map_of_codes():
    rng = np.random.default_rng(2)
    status = pd.Series(rng.integers(1, 5, 300))
    words = {1: "married", 2: "not married", 3: "not married", 4: "not married"}
    said = {"recode": {"map": {str(k): v for k, v in words.items()}}}
    result = one(status, status.map(words), said, aligned=False)
    found = recoding(result)
    assert (found.how, found.measure) == ("declared", "pairs")
    assert found.utility == pytest.approx(2 * 1 / (4 * 3))
    assert score(result, "x").p == pytest.approx(1.0)


def test_a_map_that_leaves_values_out_is_a_fault():
    said = {"recode": {"map": {"1": "a"}}}
    with pytest.raises(InputError, match=r"variable\.x"):
        one([1, 2, 1, 2], ["a", "b", "a", "b"], said)


def test_breaks_that_leave_values_out_are_a_fault():
    with pytest.raises(InputError, match="below the first break"):
        one(AGES, AGES, NUMBER | {"recode": {"breaks": [10, 50]}})


def test_declared_comes_before_labels():
    # The user says 0, 50; the labels alone would say the same bands in other words.
    band = (AGES >= 50).astype(int)
    names = {0: "0-49", 1: "50+"}
    said = NUMBER | {"recode": {"breaks": [0, 50], "labels": ["0-49", "50+"]}}
    assert recoding(one(AGES, band.map(names), said)).how == "declared"


def test_a_perturbed_recoding_is_both_factors():
    rng = np.random.default_rng(0)
    band = banded(BREAKS)
    wrong = band.where(rng.random(len(band)) > 0.1, 0)
    said = NUMBER | {"recode": {"breaks": BREAKS, "labels": LABELS}}
    found = score(one(AGES, wrong.map(dict(enumerate(LABELS))), said, aligned=False), "x")
    table = [np.bincount(band, minlength=5), np.bincount(wrong, minlength=5)]
    expected = stats.chi2_contingency(table, correction=False)
    assert found.test == "chi-squared"
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    product = spread(AGES, band) * (1 - np.exp(-14 * expected.pvalue))
    assert found.utility == pytest.approx(product, rel=1e-9)


def test_bands_that_are_still_numbers_stay_continuous():
    middle = banded(BREAKS).map(dict(enumerate([9, 24, 47.5, 72, 87])))
    said = NUMBER | {"recode": {"breaks": BREAKS, "labels": ["9", "24", "47.5", "72", "87"]}}
    result = one(AGES, middle, said, aligned=False)
    assert variable(result, "x").protected_type == "continuous"
    assert score(result, "x").test == "kolmogorov-smirnov"
    assert_recoded(result, "declared", middle)


# -- read from labels ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bands",
    [
        {"0-29": (0, 29), "30-39": (30, 39), "40-95": (40, 95)},
        {"[0,30)": (0, 29), "[30,40)": (30, 39), "[40,96)": (40, 95)},
        {"(-1, 30]": (0, 30), "(30, 40]": (31, 40), "(40, 95]": (41, 95)},
        {"<18": (0, 17), "18-64": (18, 64), "65 and over": (65, 95)},
        {"under 18": (0, 17), "18 to 79": (18, 79), "80+": (80, 95)},
        {"0–29": (0, 29), "30–95": (30, 95)},
    ],
)
def test_interval_labels_tell_the_recoding(bands):
    shown = pd.Series([""] * len(AGES), dtype=object)
    for label, (low, high) in bands.items():
        shown[AGES.between(low, high)] = label
    result = one(AGES, shown, aligned=False)  # labels need no alignment and no schema
    assert_recoded(result, "labels", shown)
    assert variable(result, "x").protected_type == "ordinal"
    found = {entry["to"]: (entry["low"], entry["high"]) for entry in recoding(result).map}
    assert found == bands


def test_interval_labels_stand_in_the_order_of_their_numbers():
    # As text, "100-109" comes before "20-29"; the rank correlation tells which order was taken.
    rng = np.random.default_rng(0)
    x = pd.Series(rng.integers(0, 120, 300))
    original = pd.DataFrame({"x": x, "y": x + rng.normal(size=300)})
    protected = original.assign(x=[f"{a}-{a + 9}" for a in x // 10 * 10])
    said = {"x": NUMBER, "y": NUMBER}
    found = pair(assess(original, protected, schema={"variable": said}), "x", "y")
    expected = stats.spearmanr(x // 10, original["y"])
    assert found.coefficient_protected == pytest.approx(expected.statistic**2, rel=1e-9)


def test_wider_bands_of_bands():
    narrow = pd.Series([f"{a}-{a + 4}" for a in AGES // 5 * 5])
    wide = pd.Series([f"{a}-{a + 9}" for a in AGES // 10 * 10])
    result = one(narrow, wide, aligned=False)
    found = recoding(result)
    assert (found.how, found.measure) == ("labels", "pairs")
    assert found.utility == pytest.approx(10 * 9 / (20 * 19))
    assert score(result, "x").p == pytest.approx(1.0)


def test_the_same_bands_on_both_sides_are_no_recoding():
    bands = pd.Series([f"{a}-{a + 9}" for a in AGES // 10 * 10])
    result = one(bands, bands.sample(frac=1, random_state=1).to_list())
    assert recoding(result) is None
    assert variable(result, "x").type == "ordinal"


# -- inferred ------------------------------------------------------------------------------------


def inferred(original, protected, said=None, name="x"):
    """A run in which alignment is known from another column."""
    beside = np.random.default_rng(9).normal(size=len(original))
    tables = [pd.DataFrame({"x": c, "beside": beside}) for c in (original, protected)]
    result = assess(*tables, schema={"variable": {"x": said or {}, "beside": NUMBER}})
    assert result.inputs.alignment.aligned
    return result


def test_merged_categories():
    original = pd.Series(np.random.default_rng(1).choice(list("abcde"), 400))
    protected = original.replace({"a": "a or b", "b": "a or b"})
    result = inferred(original, protected)
    found = recoding(result)
    assert (found.how, found.measure) == ("inferred", "pairs")
    assert found.utility == pytest.approx(4 * 3 / (5 * 4))
    assert found.map == ({"to": "a or b", "from": ["a", "b"]},)
    assert score(result, "x").p == pytest.approx(1.0)


def test_merged_codes():
    original = pd.Series(np.random.default_rng(1).integers(1, 7, 400))
    result = inferred(original, original.replace({2: 1, 6: 5}), {"type": "ordinal"})
    found = recoding(result)
    assert found.how == "inferred"
    assert found.utility == pytest.approx(4 * 3 / (6 * 5))


def test_merged_ordered_words_keep_their_order():
    rng = np.random.default_rng(1)
    words = ["none", "low", "middle", "high"]
    level = rng.integers(0, 4, 500)
    beside = level + rng.normal(size=500)
    original = pd.DataFrame({"x": np.array(words)[level], "y": beside})
    merged = np.array(["at most low", "at most low", "more", "more"])[level]
    said = {"x": {"type": "ordinal", "order": words}, "y": NUMBER | {"normal": False}}
    result = assess(original, original.assign(x=merged), schema={"variable": said})
    assert variable(result, "x").protected_type == "ordinal"
    found = pair(result, "x", "y")
    assert found.test_protected == "spearman"
    expected = stats.spearmanr(level // 2, beside)
    assert found.coefficient_protected == pytest.approx(expected.statistic**2, rel=1e-9)
    assert found.outcome == "kept"


@pytest.mark.parametrize(("explained", "expected"), [(95, "inferred"), (94, None)])
def test_a_merged_value_is_explained_to_95_percent(explained, expected):
    original = ["a"] * 100 + ["b"] * 100 + ["c"] * 100
    protected = ["ab"] * explained + ["c"] * (100 - explained) + ["ab"] * 100 + ["c"] * 100
    found = recoding(inferred(original, protected))
    assert (found and found.how) == expected


def test_top_coding_is_inferred():
    coded = np.minimum(AGES, 80)
    result = inferred(AGES, coded, NUMBER)
    assert_recoded(result, "inferred", coded)
    assert recoding(result).map == ({"to": "80", "low": 80.0, "high": 95.0},)
    assert variable(result, "x").protected_type == "continuous"


def test_bottom_coding_is_inferred():
    income = pd.Series(np.random.default_rng(0).lognormal(8, 1, 500).round(2))
    coded = income.clip(lower=1000)
    result = inferred(income, coded, NUMBER)
    assert_recoded(result, "inferred", coded, income)


def test_top_and_bottom_coding_are_inferred_together():
    income = pd.Series(np.random.default_rng(0).lognormal(8, 1, 500).round(2))
    coded = income.clip(lower=1000, upper=9000)
    assert_recoded(inferred(income, coded, NUMBER), "inferred", coded, income)


def test_a_top_code_that_is_the_mean_of_the_top():
    income = pd.Series(np.random.default_rng(0).lognormal(8, 1, 500).round(2))
    top = income > 9000
    coded = income.where(~top, income[top].mean())
    assert_recoded(inferred(income, coded, NUMBER), "inferred", coded, income)


def test_top_coding_beside_suppression():
    coded = np.minimum(AGES, 80).astype(float)
    coded[np.random.default_rng(3).random(len(coded)) < 0.2] = np.nan
    found = recoding(inferred(AGES, coded, NUMBER))
    assert found.how == "inferred"
    assert found.map == ({"to": "80", "low": 80.0, "high": 95.0},)


@pytest.mark.parametrize(("left", "expected"), [(30, "inferred"), (31, None)])
def test_at_most_thirty_distinct_numbers_left(left, expected):
    original = pd.Series(np.random.default_rng(0).permutation(np.repeat(np.arange(left * 10), 2)))
    found = recoding(inferred(original, original // 10 * 10 + 5, NUMBER))
    assert (found and found.how) == expected


UNITS = (5_000, 10_000, 20_000, 50_000, 100_000)


@pytest.mark.parametrize("how", [np.rint, np.floor, np.ceil])
def test_rounding_to_any_unit_is_inferred_and_coarser_scores_lower(how):
    """Kocar's series on incomes: 0.98, 0.00, 0.00, 0.86, 0.74 if only coarse ones counted."""
    income = pd.Series(np.random.default_rng(5).lognormal(11, 0.9, 3000).round())
    utilities = []
    for unit in UNITS:
        rounded = how(income / unit) * unit
        result = inferred(income, rounded, NUMBER)
        assert_recoded(result, "inferred", rounded, income)
        found = recoding(result)
        assert (found.form, found.unit) == ("rounded", unit)
        assert found.cost == pytest.approx(1 - found.utility)
        utilities.append(score(result, "x").utility)
    assert utilities == sorted(utilities, reverse=True)
    assert len(set(utilities)) == len(UNITS)


@pytest.mark.parametrize(("share", "expected"), [(0.03, "rounded"), (0.1, None)])
def test_rounding_explains_95_percent_of_rows(share, expected):
    rng = np.random.default_rng(5)
    income = pd.Series(rng.lognormal(11, 0.9, 3000).round())
    rounded = np.rint(income / 700) * 700
    other = rng.random(len(income)) < share
    rounded[other] = income[other] + 1.5  # changed in another way, and no multiples of anything
    found = recoding(inferred(income, rounded, NUMBER))
    assert (found and found.form) == expected


def test_halves_may_go_up_or_to_the_even_multiple():
    values = pd.Series(np.random.default_rng(5).integers(0, 2000, 3000))
    for rounded in (np.floor(values / 10 + 0.5) * 10, np.rint(values / 10) * 10):
        assert_recoded(inferred(values, rounded, NUMBER), "inferred", rounded, values)


def test_numbers_that_are_mostly_multiples_are_not_rounded_by_another_change():
    # 97 of 100 incomes are told in tens already; swapping a few is no rounding to ten.
    rng = np.random.default_rng(5)
    income = pd.Series(rng.integers(100, 9000, 3000) * 10 + (rng.random(3000) < 0.03) * 3)
    few = rng.permutation(3000)[:100]
    swapped = income.copy()
    swapped[few] = income[rng.permutation(few)].to_numpy()
    assert recoding(inferred(income, swapped, NUMBER)) is None


def numbers_in(value):
    """All figures of a result, however deep."""
    if isinstance(value, dict):
        return [n for key in sorted(value) for n in numbers_in(value[key])]
    if isinstance(value, list | tuple):
        return [n for entry in value for n in numbers_in(entry)]
    return [value] if isinstance(value, float) else []


def test_renaming_declared_bands_moves_no_figure():
    """ "child", "adult", "old" are ordered by the breaks, as "0-17", "18-64", "65+" would be."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"age": AGES, "y": AGES + rng.normal(0, 20, len(AGES))})
    frame["sex"] = np.where(rng.random(len(AGES)) < 0.3 + AGES / 200, "f", "m")
    band = pd.cut(frame["age"], [0, 18, 65, np.inf], right=False, labels=False)
    figures = []
    for labels in (["0-17", "18-64", "65+"], ["child", "adult", "old"], ["zz", "mm", "aa"]):
        said = {"age": NUMBER | {"recode": {"breaks": [0, 18, 65], "labels": labels}}}
        protected = frame.assign(age=band.map(dict(enumerate(labels))))
        result = assess(frame, protected, schema={"variable": said | {"y": NUMBER}})
        assert variable(result, "age").protected_type == "ordinal"
        figures.append(numbers_in(result.to_dict()))
    assert figures[1] == pytest.approx(figures[0], rel=1e-12)
    assert figures[2] == pytest.approx(figures[0], rel=1e-12)


def test_nothing_is_inferred_without_alignment():
    coded = np.minimum(AGES, 80)
    assert recoding(one(AGES, coded, NUMBER, aligned=False)) is None
    assert recoding(one(AGES, coded, NUMBER, aligned=True)) is not None


# -- none ----------------------------------------------------------------------------------------


def microaggregated(values, size=3):
    rank = values.rank(method="first").astype(int) - 1
    return values.groupby(rank // size).transform("mean")


def swapped(values, rng):
    values = values.copy()
    places = rng.permutation(len(values))[: len(values) // 5]
    values.iloc[places] = values.iloc[rng.permutation(places)].to_numpy()
    return values


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", ["noise", "microaggregation", "swapping"])
def test_perturbed_numbers_are_not_recoded(method, seed):
    rng = np.random.default_rng(seed)
    values = pd.Series(rng.lognormal(8, 1, 500).round(2))
    protected = {
        "noise": lambda: values + rng.normal(size=500) * 50,
        "microaggregation": lambda: microaggregated(values),
        "swapping": lambda: swapped(values, rng),
    }[method]()
    result = inferred(values, protected, NUMBER)
    assert recoding(result) is None
    assert score(result, "x").recoding_utility is None
    expected = scipy_ks(values, protected)
    assert score(result, "x").p == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("method", ["random answers", "swapping"])
def test_perturbed_categories_are_not_recoded(method):
    rng = np.random.default_rng(4)
    values = pd.Series(rng.choice(list("abcdefgh"), 600))
    random = values.where(rng.random(600) > 0.2, pd.Series(rng.choice(list("abcdefgh"), 600)))
    protected = random if method == "random answers" else swapped(values, rng)
    assert recoding(inferred(values, protected)) is None


def test_an_unchanged_column_is_not_recoded(survey):
    result = assess(survey, survey.copy(), schema=schema())
    assert {v.recoding for v in result.variables} == {None}


def test_renamed_categories_are_not_recoded():
    values = pd.Series(np.random.default_rng(4).choice(list("abc"), 300))
    assert recoding(inferred(values, values.map({"a": "x", "b": "y", "c": "z"}))) is None


def test_suppression_alone_is_no_recoding(survey):
    protected = survey.astype({"education": float, "age": float})
    protected.loc[protected["region"] == "west", "region"] = None
    protected.loc[protected["education"] == 6, "education"] = np.nan
    protected.loc[protected["age"] > 85, "age"] = np.nan
    result = assess(survey, protected, schema=schema())
    assert {v.recoding for v in result.variables} == {None}
    for name, kept in (("region", survey["region"] != "west"), ("education", None)):
        found = score(result, name)
        assert found.recoding_utility is None
        counts = [side[name].value_counts() for side in (survey, protected)]
        table = pd.concat(counts, axis=1).fillna(0).to_numpy().T
        expected = stats.chi2_contingency(table, correction=False)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300), kept


def test_a_rare_suppressed_category_leaves_no_recoding():
    original = pd.Series(["a"] * 200 + ["b"] * 150 + ["rare"] * 3)
    protected = original.where(original != "rare", None)
    result = inferred(original, protected)
    assert recoding(result) is None
    assert variable(result, "x").missing_protected == 3


def test_suppression_beside_a_merge_is_no_part_of_the_map():
    original = pd.Series(["a", "b", "c", "d", "rare"] * 60)
    protected = original.replace({"a": "ab", "b": "ab"}).where(original != "rare", None)
    result = inferred(original, protected)
    assert recoding(result).map == ({"to": "ab", "from": ["a", "b"]},)
    # Compared with the original as it was recoded, which still has its rare category.
    table = [[120, 60, 60, 60], [120, 60, 60, 0]]
    expected = stats.chi2_contingency(table, correction=False)
    assert score(result, "x").p == pytest.approx(expected.pvalue, rel=1e-9)


# -- the same value ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["nominal", "ordinal", "continuous"])
@pytest.mark.parametrize(
    "spelling",
    [float, str, lambda v: str(float(v)), lambda v: f" {v} "],
    ids=["float", "str", "decimal", "padded"],
)
def test_spellings_of_one_number(kind, spelling):
    values = list(np.random.default_rng(1).integers(1, 9, 200))
    result = one(values, [spelling(int(v)) for v in values], {"type": kind})
    assert score(result, "x").p == 1.0
    assert recoding(result) is None
    assert variable(result, "x").protected_type == kind
    assert result.inputs.alignment.aligned


def test_integer_codes_read_back_as_floats_score_like_codes(tmp_path):
    rng = np.random.default_rng(6)
    codes = rng.integers(1, 6, 300)
    beside = codes + rng.normal(size=300)
    original = pd.DataFrame({"code": codes, "beside": beside})
    hole = rng.random(300) < 0.1
    floats = original.assign(code=original["code"].where(~hole))
    assert floats["code"].dtype == float  # as pandas reads a column of codes with empty cells
    whole = original.assign(code=original["code"].astype("Int64").where(~hole))
    floats.to_csv(tmp_path / "floats.csv", index=False)
    polars = pl.DataFrame({"code": pl.Series(codes).set(pl.Series(hole), None), "beside": beside})
    results = [assess(original, p) for p in (floats, whole, polars, tmp_path / "floats.csv")]
    for result in results:
        assert variable(result, "code").type == "nominal"
        assert variable(result, "code").protected_type == "nominal"
        assert variable(result, "code").recoding is None
        table = [np.bincount(codes)[1:], np.bincount(codes[~hole])[1:]]
        expected = stats.chi2_contingency(table, correction=False)
        assert score(result, "code").p == pytest.approx(expected.pvalue, rel=1e-9)
        assert pair(result, "code", "beside").utility == pytest.approx(
            pair(results[0], "code", "beside").utility, rel=1e-9
        )


# -- value labels --------------------------------------------------------------------------------


def sav(path, frame, labels):
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)
    return path


def test_labels_decide_where_both_files_have_them(tmp_path):
    sex = pd.Series(np.random.default_rng(1).choice([1.0, 2.0], 200, p=[0.3, 0.7]))
    beside = np.random.default_rng(2).normal(size=200)
    original = sav(
        tmp_path / "o.sav",
        pd.DataFrame({"sex": sex, "beside": beside}),
        {"sex": {1: "man", 2: "woman"}},
    )
    turned = sav(
        tmp_path / "p.sav",
        pd.DataFrame({"sex": 3 - sex, "beside": beside}),
        {"sex": {1: "woman", 2: "man"}},
    )
    result = assess(original, turned)
    assert score(result, "sex").p == 1.0
    assert variable(result, "sex").recoding is None


def test_codes_decide_where_one_file_has_no_labels(tmp_path):
    sex = pd.Series(np.random.default_rng(1).choice([1.0, 2.0], 200, p=[0.3, 0.7]))
    original = sav(tmp_path / "o.sav", pd.DataFrame({"sex": sex}), {"sex": {1: "m", 2: "w"}})
    assert score(assess(original, pd.DataFrame({"sex": sex})), "sex").p == 1.0
    turned = assess(original, pd.DataFrame({"sex": 3 - sex}))
    counts = sex.value_counts().sort_index().to_numpy()
    expected = stats.chi2_contingency([counts, counts[::-1]], correction=False)
    assert score(turned, "sex").p == pytest.approx(expected.pvalue, rel=1e-9)


def test_labels_merged_under_other_codes(tmp_path):
    rng = np.random.default_rng(3)
    level = pd.Series(rng.integers(1, 5, 300).astype(float))
    beside = rng.normal(size=300)
    original = sav(
        tmp_path / "o.sav",
        pd.DataFrame({"x": level, "beside": beside}),
        {"x": {1: "none", 2: "some", 3: "much", 4: "all"}},
    )
    merged = sav(
        tmp_path / "p.sav",
        pd.DataFrame({"x": level.map({1: 1, 2: 1, 3: 2, 4: 3}).astype(float), "beside": beside}),
        {"x": {1: "none or some", 2: "much", 3: "all"}},
    )
    result = assess(original, merged, schema={"variable": {"x": {"type": "nominal"}}})
    found = recoding(result)
    assert found.how == "inferred"
    assert found.map == ({"to": "none or some", "from": ["none", "some"]},)


def test_heterogeneity_asks_for_numbers():
    original = pd.Series(list("aabbcc") * 20)
    said = {"recode": {"map": {"a": "x", "b": "x", "c": "c"}}, "recode_measure": "heterogeneity"}
    result = one(original, original.replace({"a": "x", "b": "x"}), said)
    assert recoding(result).utility is None
    assert recoding(result).reason
    assert score(result, "x").utility is None
    assert score(result, "x").reason


def test_the_survey_recoded_in_several_ways_at_once():
    original = make_survey(600)
    protected = original.copy()
    protected["age"] = [f"{a}-{a + 9}" for a in original["age"] // 10 * 10]
    protected["education"] = original["education"].replace({2: 1, 6: 5})
    protected["region"] = original["region"].replace({"west": "south"})
    protected["income"] = np.minimum(original["income"], 3000)
    result = assess(original, protected, schema=schema({"region": {"role": "sensitive"}}))
    how = {v.name: v.recoding and v.recoding.how for v in result.variables}
    assert how == {
        "region": "inferred",
        "sex": None,
        "education": "inferred",
        "health": None,
        "age": "labels",
        "income": "inferred",
        "score": None,
        "height": None,
    }
