"""One variable: the worked figures of the specification, and every p-value against scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from microgauge import InputError, Undefined
from microgauge.measures.gdu.distributions import perturbation_utility
from microgauge.measures.gdu.global_utility import global_reduction_coefficient
from microgauge.measures.gdu.recoding import homogeneity, remaining_comparisons, well_placed
from support.figures import assess, one, scipy_ks, score, variable
from support.surveys import make_survey, perturb, schema, types_of

AGES = np.arange(20, 60)


def scipy_chi2(original, protected, dropna=True):
    counts = [side.value_counts(dropna=dropna) for side in (original, protected)]
    table = pd.concat(counts, axis=1).fillna(0).to_numpy().T
    return stats.chi2_contingency(table, correction=False)


# -- worked figures, as pure functions ---------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "expected", "digits"), [(0.05, 0.5034, 4), (0.01, 0.1306, 4), (1.0, 0.9999992, 7)]
)
def test_perturbation_utility(p, expected, digits):
    assert round(perturbation_utility(p), digits) == expected


def test_perturbation_utility_of_no_overlap_is_zero():
    assert perturbation_utility(0.0) == 0.0


@pytest.mark.parametrize(
    ("before", "after", "expected"), [(10, 5, 10 / 45), (10, 3, 3 / 45), (10, 1, 0.0), (4, 4, 1.0)]
)
def test_comparisons_that_remain(before, after, expected):
    assert remaining_comparisons(before, after) == pytest.approx(expected, rel=1e-15)


def test_comparisons_rounded_as_printed():
    assert round(remaining_comparisons(10, 5), 4) == 0.2222
    assert round(remaining_comparisons(10, 3), 4) == 0.0667


def test_comparisons_of_a_constant_are_undefined():
    with pytest.raises(Undefined):
        remaining_comparisons(1, 1)


@pytest.mark.parametrize(("groups", "expected"), [(8, 0.3), (4, 0.4), (2, 0.55), (1, 0.0)])
def test_allocation_of_ages(groups, expected):
    group = (AGES - 20) // (40 // groups)
    assert well_placed(AGES.astype(float), np.ones(40), group) == pytest.approx(expected, abs=1e-15)


def test_allocation_against_all_distances():
    # Groups that overlap, with repeated values: the definition itself, over all pairs of units.
    rng = np.random.default_rng(5)
    for _ in range(30):
        values = np.unique(rng.integers(0, 40, 15)).astype(float)
        counts = rng.integers(1, 4, len(values)).astype(float)
        group = rng.integers(0, 3, len(values))
        if len(set(group)) == 1:
            continue
        badly = 0.0
        for i, x in enumerate(values):
            own = max(abs(x - values[group == group[i]]))
            other = min(abs(x - values[group != group[i]]))
            badly += counts[i] * (other < own)
        assert well_placed(values, counts, group) == pytest.approx(1 - badly / counts.sum())


def test_heterogeneity_of_ages_by_decade():
    assert homogeneity(AGES.astype(float), np.ones(40), AGES // 10) == pytest.approx(0.75)


def test_heterogeneity_extremes():
    ages = AGES.astype(float)
    assert homogeneity(ages, np.ones(40), np.zeros(40, dtype=int)) == pytest.approx(0.0, abs=1e-15)
    assert homogeneity(ages, np.ones(40), np.arange(40)) == 1.0


def test_heterogeneity_by_hand():
    # Groups {1, 1, 4} and {10}: means 2 and 10, grand mean 4; (1+1+2+0)/4 against (3+3+0+6)/4.
    values, counts = np.array([1.0, 4.0, 10.0]), np.array([2.0, 1.0, 1.0])
    assert homogeneity(values, counts, np.array([0, 0, 1])) == pytest.approx(1 - 4 / 12)


def test_global_reduction_coefficient():
    assert round(global_reduction_coefficient(100, 95), 3) == 0.902
    assert global_reduction_coefficient(2, 1) == 0.0
    with pytest.raises(Undefined):
        global_reduction_coefficient(1, 1)


# -- worked figures, end to end ----------------------------------------------------------------


def test_identical_file_scores_as_printed(survey):
    result = assess(survey, survey.copy(), schema=schema())
    assert {round(v.utility, 7) for v in result.gdu.variables} == {0.9999992}
    assert {v.p for v in result.gdu.variables} == {1.0}
    assert {p.utility for p in result.gdu.pairs} == {1.0}
    assert result.gdu.bivariate == 1.0
    assert result.gdu.univariate == pytest.approx(1 - np.exp(-14), rel=1e-14)
    assert result.gdu.value == pytest.approx(1 - np.exp(-14) / 2, rel=1e-14)
    assert result.gdu.grc == 1.0


@pytest.mark.parametrize(("groups", "expected"), [(5, 0.2222), (3, 0.0667)])
def test_ten_categories_merged(groups, expected):
    original = pd.Series(list("abcdefghij") * 12)
    protected = original.map({c: f"m{i % groups}" for i, c in enumerate("abcdefghij")})
    result = one(original, protected, {"type": "nominal"}, aligned=True)
    assert round(score(result, "x").recoding_utility, 4) == expected
    assert variable(result, "x").recoding.measure == "pairs"
    # The recoded original is the protected file, so that nothing else is lost.
    assert score(result, "x").p == pytest.approx(1.0)
    assert score(result, "x").utility == pytest.approx(
        score(result, "x").recoding_utility * (1 - np.exp(-14))
    )


@pytest.mark.parametrize(
    ("measure", "width", "expected"),
    [
        ("allocation", 5, 0.3),
        ("allocation", 10, 0.4),
        ("allocation", 20, 0.55),
        ("allocation", 40, 0.0),
        ("heterogeneity", 10, 0.75),
        ("pairs", 10, 12 / (40 * 39)),
    ],
)
def test_ages_banded(measure, width, expected):
    low = 20 + (AGES - 20) // width * width
    bands = [f"{a}-{a + width - 1}" for a in low]
    result = one(AGES, bands, {"type": "continuous", "recode_measure": measure})
    found = variable(result, "x").recoding
    assert (found.how, found.measure) == ("labels", measure)
    assert found.utility == pytest.approx(expected, abs=1e-12)
    assert score(result, "x").recoding_utility == found.utility
    assert score(result, "x").utility == pytest.approx(expected * (1 - np.exp(-14)), abs=1e-12)


def test_heterogeneity_is_the_default_of_a_banded_number():
    result = one(AGES, [f"{a}-{a + 9}" for a in AGES // 10 * 10], {"type": "continuous"})
    assert variable(result, "x").recoding.measure == "heterogeneity"
    assert score(result, "x").recoding_utility == pytest.approx(0.75)


def test_each_value_below_a_top_code_is_its_own_group():
    # Deviations only within 50 … 59 (mean 54.5: 25 in all) against those of all ages (10 × 40).
    result = one(AGES, np.minimum(AGES, 50), {"type": "continuous", "recode": {"top": 50}})
    assert score(result, "x").recoding_utility == pytest.approx(1 - 25 / 400)


def test_five_of_a_hundred_variables_removed():
    rng = np.random.default_rng(4)
    original = pd.DataFrame({f"v{i}": rng.integers(0, 2, 30) for i in range(100)})
    protected = original.drop(columns=[f"v{i}" for i in range(5)])
    said = {f"v{i}": {"type": "nominal"} for i in range(100)}
    gdu = assess(original, protected, schema={"variable": said}).gdu
    assert round(gdu.grc, 3) == 0.902
    assert gdu.value_with_grc == pytest.approx(gdu.value * (95 * 94) / (100 * 99), rel=1e-12)
    # The loss is linear: 95 of 100 variables keep everything.
    assert gdu.bivariate == pytest.approx(0.95, rel=1e-12)
    assert gdu.univariate == pytest.approx(0.95 * (1 - np.exp(-14)), rel=1e-12)


# -- p-values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [0.05, 0.4, 1.5])
def test_every_p_is_scipys(seed, strength):
    original = make_survey(250, seed, missing=0.1)
    protected = perturb(original, strength, seed).sample(frac=0.8, random_state=seed)
    result = assess(original, protected, schema=schema())
    for name in original:
        found = score(result, name)
        if found.test == "kolmogorov-smirnov":
            expected = scipy_ks(original[name], protected[name])
        else:
            expected = scipy_chi2(original[name], protected[name])
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300)
        assert found.perturbation_utility == pytest.approx(1 - np.exp(-14 * expected.pvalue))


@pytest.mark.parametrize(("rows", "other"), [(9_999, 10_000), (10_001, 10_001), (3_000, 12_000)])
@pytest.mark.parametrize("shift", [0.0, 0.02, 0.3])
def test_kolmogorov_smirnov_on_both_sides_of_ten_thousand(rows, other, shift):
    # scipy's method "auto" is exact up to 10,000 values and asymptotic beyond.
    rng = np.random.default_rng(rows)
    original = pd.Series(rng.normal(size=rows).round(2))
    protected = pd.Series((rng.normal(size=other) + shift).round(2))
    expected = scipy_ks(original, protected)
    found = score(one(original, protected, {"type": "continuous"}, aligned=False), "x")
    assert found.test == "kolmogorov-smirnov"
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-300)


def test_categories_of_one_side_only_count():
    original = pd.Series(list("aaaabbbbcccc"))
    protected = pd.Series(list("aaaabbbbdddd"))
    found = score(one(original, protected, aligned=False), "x")
    table = [[4, 4, 4, 0], [4, 4, 0, 4]]
    assert found.statistic == pytest.approx(
        stats.chi2_contingency(table, correction=False).statistic
    )
    assert found.p == pytest.approx(stats.chi2.sf(8, 3), rel=1e-12)


def test_two_categories_get_no_continuity_correction():
    original = pd.Series(["a"] * 30 + ["b"] * 20)
    protected = pd.Series(["a"] * 20 + ["b"] * 30)
    expected = stats.chi2_contingency([[30, 20], [20, 30]], correction=False).pvalue
    assert score(one(original, protected, aligned=False), "x").p == pytest.approx(expected)


def test_one_category_the_same_on_both_sides():
    found = score(one(["a"] * 9, ["a"] * 9), "x")
    assert (found.p, round(found.utility, 7)) == (1.0, 0.9999992)


def test_one_category_each_but_not_the_same():
    found = score(one(["a"] * 9, ["b"] * 9, aligned=False), "x")
    assert found.p == pytest.approx(stats.chi2.sf(18, 1), rel=1e-12)


def test_a_constant_number_on_both_sides():
    assert score(one([2.5] * 9, [2.5] * 9, {"type": "continuous"}), "x").p == 1.0


def test_missing_values_as_a_category():
    original = pd.Series(["a"] * 40 + ["b"] * 40 + [None] * 20)
    protected = pd.Series(["a"] * 30 + ["b"] * 30 + [None] * 40)
    dropped = score(one(original, protected, aligned=False), "x")
    counted = score(one(original, protected, aligned=False, missing="category"), "x")
    assert dropped.p == 1.0
    expected = scipy_chi2(original, protected, dropna=False).pvalue
    assert counted.p == pytest.approx(expected, rel=1e-12)
    assert counted.p < 0.02


def test_missing_values_have_no_rank():
    original = pd.Series([*np.linspace(0, 1, 50), *[np.nan] * 50])
    protected = pd.Series(np.linspace(0, 1, 100))
    said = {"type": "continuous"}
    found = score(one(original, protected, said, aligned=False, missing="category"), "x")
    assert found.p == pytest.approx(scipy_ks(original, protected).pvalue, rel=1e-9)


def test_missing_cells_are_counted_beside_the_score(holey):
    protected = perturb(holey, 0.1)
    protected.loc[:49, "age"] = np.nan
    result = assess(holey, protected, schema=schema())
    for name in holey:
        assert variable(result, name).missing_original == holey[name].isna().sum()
        assert variable(result, name).missing_protected == protected[name].isna().sum()


def test_declared_missing_codes_are_missing():
    original = pd.Series([1, 2, 3, -9, 5, 6] * 20)
    protected = pd.Series(["1", "2", "N/A", "4", "5", "6"] * 20)
    said = {"type": "continuous", "missing": [-9, "N/A"]}
    result = one(original, protected, said, aligned=False)
    expected = scipy_ks(original[original >= 0], pd.Series([1, 2, 4, 5, 6] * 20))
    assert score(result, "x").p == pytest.approx(expected.pvalue, rel=1e-9)
    assert variable(result, "x").missing_original == 20
    assert variable(result, "x").missing_protected == 20


# -- as if n were smaller ----------------------------------------------------------------------


def test_kolmogorov_smirnov_for_fewer_units():
    rng = np.random.default_rng(7)
    original = pd.Series(rng.normal(size=2000))
    protected = pd.Series(rng.normal(0.1, size=300))
    expected = scipy_ks(original, protected)
    found = score(one(original, protected, {"type": "continuous"}, aligned=False, test_n=500), "x")
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    # 500 for the side with more, 300 for the one with fewer; asymptotic.
    p = stats.kstwo.sf(expected.statistic, np.round(500 * 300 / 800))
    assert found.p == pytest.approx(p, rel=1e-9)


def test_chi_squared_for_fewer_units():
    original = pd.Series(["a"] * 1000 + ["b"] * 1000)
    protected = pd.Series(["a"] * 1100 + ["b"] * 900)
    full = scipy_chi2(original, protected)
    found = score(one(original, protected, aligned=False, test_n=200), "x")
    # The effect χ²/n of 4,000 units in all, tested as if there were 400.
    assert found.p == pytest.approx(stats.chi2.sf(full.statistic / 10, 1), rel=1e-9)


def test_a_side_below_test_n_keeps_its_size():
    original = pd.Series(["a"] * 60 + ["b"] * 40)
    protected = pd.Series(["a"] * 500 + ["b"] * 500)
    found = score(one(original, protected, aligned=False, test_n=200), "x")
    expected = stats.chi2_contingency([[60, 40], [100, 100]], correction=False)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("other", [5.0, 6.0])
def test_one_value_on_each_side_for_fewer_units(other):
    # The asymptotic distribution of n·m/(n + m) = 0.5 units, rounded to 0, is not defined.
    said = {"type": "continuous"}
    found = score(one([5.0, np.nan], [other, np.nan], said, aligned=False, test_n=10), "x")
    if found.p is None:
        assert found.reason
    else:
        assert found.p == 1.0  # as scipy's exact test of two single values


# -- variables without values ------------------------------------------------------------------


def test_a_variable_missing_throughout_the_original_counts_nowhere(survey):
    original = survey.assign(empty=np.nan)
    protected = perturb(survey, 0.3).assign(empty=1.0)
    with_empty = assess(original, protected, schema=schema())
    without = assess(survey, perturb(survey, 0.3), schema=schema())
    found = score(with_empty, "empty")
    assert found.utility is None
    assert found.bivariate_utility is None
    assert "missing" in found.reason
    for figure in ("value", "univariate", "bivariate", "grc"):
        assert getattr(with_empty.gdu, figure) == getattr(without.gdu, figure)
    pairs = [p for p in with_empty.gdu.pairs if "empty" in (p.a, p.b)]
    assert all(p.utility is None and p.reason for p in pairs)


@pytest.mark.parametrize("how", ["gone", "all missing"])
def test_a_removed_variable(survey, how):
    protected = survey.drop(columns="age") if how == "gone" else survey.assign(age=np.nan)
    result = assess(survey, protected, schema=schema())
    assert variable(result, "age").removed
    assert score(result, "age").utility == 0.0
    assert score(result, "age").bivariate_utility == 0.0
    assert variable(result, "age").recoding is None
    # k = 8: all other variables keep everything, pairs with the removed one do not count for them.
    assert result.gdu.univariate == pytest.approx(7 / 8 * (1 - np.exp(-14)))
    assert result.gdu.bivariate == pytest.approx(7 / 8)
    assert result.gdu.grc == pytest.approx(7 * 6 / (8 * 7))
    assert {v.bivariate_utility for v in result.gdu.variables if v.name != "age"} == {1.0}


def test_one_variable_alone_has_no_bivariate_half(survey):
    original = survey[["age"]]
    gdu = assess(original, perturb(original, 0.3), schema=types_of(original)).gdu
    assert gdu.bivariate is None
    assert "bivariate" in gdu.reason
    assert gdu.value == gdu.univariate == gdu.variables[0].utility
    assert gdu.grc is None
    assert "grc" in gdu.reason
    assert gdu.value_with_grc is None


def test_a_suppressed_half_shows_in_the_counts_not_in_the_score(survey):
    protected = survey.copy()
    protected["age"] = protected["age"].astype(float)
    protected.loc[np.random.default_rng(0).random(len(survey)) < 0.5, "age"] = np.nan
    result = assess(survey, protected, schema=schema())
    assert score(result, "age").p == pytest.approx(
        scipy_ks(survey["age"], protected["age"]).pvalue, rel=1e-9
    )
    assert variable(result, "age").missing_protected == protected["age"].isna().sum() > 150


def test_variables_left_out_by_role(survey):
    roles = {"sex": {"role": "exclude"}, "age": {"role": "derived"}, "income": {"role": "id"}}
    kept = {"region": {"role": "quasi_identifier"}, "health": {"role": "sensitive"}}
    result = assess(survey, survey, schema=schema(roles | kept))
    assert {v.name for v in result.gdu.variables} == set(survey) - set(roles)
    assert {v.name for v in result.variables} == set(survey)


@pytest.mark.parametrize("said", [{}, {"type": "continuous"}, {"type": "nominal"}])
def test_infinite_cells_are_an_error(said):
    with pytest.raises(InputError, match="infinite in 2 cells"):
        one([1.0, np.inf, 3.0, -np.inf], [1.0, 2.0, 3.0, 4.0], said)


def test_inferred_types():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "text": rng.choice(["x", "y", "z"], 100),
            "flag": rng.random(100) < 0.5,
            "ten": np.arange(100) % 10,
            "eleven": np.arange(100) % 11,
            "real": rng.choice([0.5, 1.5], 100),
            "bands": rng.choice(["0-9", "10-19", "100-109"], 100),
            "graded": pd.Categorical(rng.choice(["hi", "lo"], 100), ["lo", "hi"], ordered=True),
            "number": np.arange(5, 105),
            "name": [f"unit {i}" for i in range(100)],
        }
    )
    result = assess(frame, frame)
    found = {v.name: v.type for v in result.variables if v.role == "analysis"}
    assert found == {
        "text": "nominal",
        "flag": "nominal",
        "ten": "nominal",
        "eleven": "continuous",
        "real": "continuous",
        "bands": "ordinal",
        "graded": "ordinal",
    }
    assert {v.name for v in result.variables if v.role == "id"} == {"number", "name"}
