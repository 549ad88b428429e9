"""Weighted files, against the formulas of the specification written out over units."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from microgauge import InputError
from support.figures import assert_same_figures, assess, pair, score, variable
from support.surveys import make_survey, perturb, schema, types_of

NORMAL = {"score": {"normal": True}, "height": {"normal": True}}
NOT_NORMAL = {"age": {"normal": False}, "income": {"normal": False}}


def kish(w):
    return w.sum() ** 2 / (w**2).sum()


def mid_ranks(x, w):
    """Weight below each unit and half the weight beside it, over the whole weight."""
    return np.array([w[x < v].sum() + w[x == v].sum() / 2 for v in x]) / w.sum()


def moments(a, b, w):
    a, b = a - np.average(a, weights=w), b - np.average(b, weights=w)
    return (w * a * b).sum(), (w * a * a).sum(), (w * b * b).sum()


def weighted_test(test, a, b, w):
    """p and squared coefficient; in tests with groups a holds them."""
    here = (a.notna() & b.notna()).to_numpy()
    a, b, w = a[here].to_numpy(), b[here].to_numpy(), w[here].to_numpy().astype(float)
    n = kish(w)
    if test == "chi-squared":
        table = pd.crosstab(a, b, values=w, aggfunc="sum").fillna(0).to_numpy() / w.sum()
        expected = np.outer(table.sum(axis=1), table.sum(axis=0))
        effect = ((table - expected) ** 2 / expected).sum()
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
        return stats.chi2.sf(effect * n, freedom), effect / (min(table.shape) - 1)
    if test in ("kruskal-wallis", "anova"):
        b = b.astype(float) if test == "anova" else mid_ranks(b, w)
        grand = np.average(b, weights=w)
        groups = np.unique(a)
        between = sum(
            w[a == g].sum() * (np.average(b[a == g], weights=w[a == g]) - grand) ** 2
            for g in groups
        )
        effect = between / (w * (b - grand) ** 2).sum()
        k = len(groups)
        if test == "kruskal-wallis":
            return stats.chi2.sf((n - 1) * effect, k - 1), effect
        return stats.f.sf(effect / (k - 1) / ((1 - effect) / (n - k)), k - 1, n - k), effect
    if test == "spearman":
        a, b = mid_ranks(a, w), mid_ranks(b, w)
    ab, aa, bb = moments(a.astype(float), b.astype(float), w)
    r = ab / np.sqrt(aa * bb)
    return 2 * stats.t.sf(abs(r) * np.sqrt((n - 2) / (1 - r**2)), n - 2), r**2


def weighted_univariate(x, y, w, v, continuous):
    """Statistic and p of original x with weights w against protected y with weights v."""
    w, v = (side[column.notna()].to_numpy().astype(float) for side, column in ((w, x), (v, y)))
    x, y = x.dropna().to_numpy(), y.dropna().to_numpy()
    n, m = kish(w), kish(v)
    values = np.unique(np.concatenate([x, y]))
    if continuous:
        before = np.array([w[x <= t].sum() for t in values]) / w.sum()
        after = np.array([v[y <= t].sum() for t in values]) / v.sum()
        distance = np.abs(before - after).max()
        return distance, stats.kstwo.sf(distance, np.round(n * m / (n + m)))
    table = np.array(
        [
            [n * w[x == t].sum() / w.sum() for t in values],
            [m * v[y == t].sum() / v.sum() for t in values],
        ]
    )
    found = stats.chi2_contingency(table, correction=False)
    return found.statistic, found.pvalue


def weighted_survey(seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    original = make_survey(260, seed, missing)
    protected = perturb(original, 0.3, seed)
    # Weights that mean something: the young count more, and not the same on both sides.
    original["weight"] = rng.integers(1, 6, 260)
    protected["weight"] = original["weight"] * rng.uniform(0.5, 2.0, 260)
    return original, protected


@pytest.mark.parametrize("seed", range(2))
def test_every_pair_by_the_weighted_formulas(route, seed):
    original, protected = weighted_survey(seed)
    result = assess(original, protected, schema=schema(NORMAL | NOT_NORMAL, weight="weight"))
    seen = set()
    for found in result.gdu.pairs:
        a, b = found.a, found.b
        if found.test in ("kruskal-wallis", "anova") and variable(result, a).type != "nominal":
            a, b = b, a
        for side, table in (("original", original), ("protected", protected)):
            p, coefficient = weighted_test(found.test, table[a], table[b], table["weight"])
            assert getattr(found, f"p_{side}") == pytest.approx(p, rel=1e-8), (a, b)
            assert getattr(found, f"coefficient_{side}") == pytest.approx(coefficient, rel=1e-8)
        seen.add(found.test)
    assert seen == {"chi-squared", "kruskal-wallis", "anova", "spearman", "pearson"}


@pytest.mark.parametrize("seed", range(3))
def test_every_variable_by_the_weighted_formulas(seed):
    original, protected = weighted_survey(seed)
    result = assess(original, protected, schema=schema(weight="weight"))
    for name in set(original) - {"weight"}:
        found = score(result, name)
        statistic, p = weighted_univariate(
            original[name],
            protected[name],
            original["weight"],
            protected["weight"],
            found.test == "kolmogorov-smirnov",
        )
        assert found.statistic == pytest.approx(statistic, rel=1e-9, abs=1e-12), name
        assert found.p == pytest.approx(p, rel=1e-9), name


def test_a_weighted_side_against_an_unweighted_one(survey):
    original = survey.assign(weight=np.random.default_rng(1).integers(1, 9, 400))
    protected = perturb(survey, 0.3)
    result = assess(original, protected, schema=schema(weight_original="weight"))
    ones = pd.Series(np.ones(400))
    for name in ("age", "region"):
        _, p = weighted_univariate(
            survey[name], protected[name], original["weight"], ones, name == "age"
        )
        assert score(result, name).p == pytest.approx(p, rel=1e-9)


def test_two_weighting_schemes_of_one_file(survey):
    rng = np.random.default_rng(3)
    table = survey.assign(one=rng.integers(1, 4, 400), two=rng.integers(1, 9, 400))
    said = schema(weight_original="one", weight_protected="two")
    result = assess(table, table.copy(), schema=said)
    assert {v.name for v in result.gdu.variables} == set(survey)  # weights are not analysed
    for name in ("income", "education"):
        _, p = weighted_univariate(
            survey[name], survey[name], table["one"], table["two"], name == "income"
        )
        assert score(result, name).p == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("weight", [1, 7, 0.25, 1e6])
def test_equal_weights_give_the_unweighted_figures(holey, weight):
    protected = perturb(holey, 0.3)
    plain = assess(holey, protected, schema=schema())
    tables = [frame.assign(weight=weight) for frame in (holey, protected)]
    assert_same_figures(plain, assess(*tables, schema=schema(weight="weight")))


def test_all_weights_times_seven_change_nothing():
    original, protected = weighted_survey()
    plain = assess(original, protected, schema=schema(weight="weight"))
    original, protected = (t.assign(weight=t["weight"] * 7) for t in (original, protected))
    assert_same_figures(plain, assess(original, protected, schema=schema(weight="weight")))


def test_one_sides_weights_times_seven_change_nothing():
    original, protected = weighted_survey()
    plain = assess(original, protected, schema=schema(weight="weight"))
    original = original.assign(weight=original["weight"] * 7)
    assert_same_figures(plain, assess(original, protected, schema=schema(weight="weight")))


def test_effective_units_hold_where_weights_even_out_within_values():
    # Each value has one unit of weight 1 and one of weight 3: the distribution is the unweighted
    # one, but the effective number of units is 0.8 of the rows.
    values = np.repeat(np.arange(100.0), 2)
    original = pd.DataFrame({"x": values, "w": [1.0, 3.0] * 100})
    protected = pd.DataFrame({"x": values + 8.0, "w": [1.0, 3.0] * 100})
    said = {"options": {"weight": "w"}, "variable": {"x": {"type": "continuous"}}}
    found = score(assess(original, protected, schema=said), "x")
    _, p = weighted_univariate(
        original["x"], protected["x"], original["w"], protected["w"], continuous=True
    )
    assert found.p == pytest.approx(p, rel=1e-9)


def test_integer_weights_are_no_copies():
    # Weights 1 and 9 stand for 1,000 units, but for far fewer effective ones.
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    table = pd.DataFrame({"a": x, "b": x + 2 * rng.normal(size=200), "w": [1, 9] * 100})
    said = {name: {"type": "continuous", "normal": True} for name in "ab"}
    result = assess(table, table.copy(), schema={"options": {"weight": "w"}, "variable": said})
    copies = stats.pearsonr(*(np.repeat(table[name], table["w"]) for name in "ab"))
    found = pair(result, "a", "b")
    assert found.coefficient_original == pytest.approx(copies.statistic**2, rel=1e-9)
    assert found.p_original > copies.pvalue * 1e3


def test_recoding_utility_is_weighted(survey):
    original = survey.assign(weight=1 + (survey["age"] > 60) * 4)
    bands = survey["age"] // 10
    protected = original.assign(age=[f"{a}0-{a}9" for a in bands])
    result = assess(original, protected, schema=schema(weight="weight"))
    w = original["weight"]
    means = (survey["age"] * w).groupby(bands).sum() / w.groupby(bands).sum()
    grand = np.average(survey["age"], weights=w)
    within = (w * (survey["age"] - bands.map(means)).abs()).sum()
    expected = 1 - within / (w * (survey["age"] - grand).abs()).sum()
    assert variable(result, "age").recoding.utility == pytest.approx(expected, rel=1e-9)


def test_units_without_weight_change_nothing(survey):
    rng = np.random.default_rng(5)
    protected = perturb(survey, 0.3)
    tables = [t.assign(weight=rng.integers(1, 4, 400)) for t in (survey, protected)]
    strange = make_survey(50, 99).assign(weight=0)
    names = ["region", "sex", "education", "health", "age", "income", "score", "weight"]
    said = types_of(survey[names[:-1]], weight="weight", aligned=False)
    plain = assess(*(t[names] for t in tables), schema=said)
    more = [pd.concat([t[names], strange[names]]) for t in tables]
    with_more = assess(*more, schema=said)
    for name in names[:-1]:
        assert score(with_more, name).p == pytest.approx(score(plain, name).p, rel=1e-9)
    for found in plain.gdu.pairs:
        other = pair(with_more, found.a, found.b)
        assert other.p_original == pytest.approx(found.p_original, rel=1e-9)
        assert (other.outcome, other.test) == (found.outcome, found.test)


@pytest.mark.parametrize("kind", ["continuous", "nominal"])
def test_values_without_any_weight_give_null_with_a_reason(survey, kind):
    # All units that answered have weight 0: there is no distribution to compare.
    original = survey[["age", "sex", "score"]].assign(weight=[0.0] * 100 + [2.0, 1.0] * 150)
    original["age"] = original["age"].astype(float)
    original.loc[100:, "age"] = np.nan
    said = schema({"age": {"type": kind}}, weight="weight")
    said["variable"] = {n: said["variable"][n] for n in ("age", "sex", "score")}
    result = assess(original, original.copy(), schema=said)
    assert score(result, "age").utility is None
    assert score(result, "age").reason
    assert pair(result, "age", "sex").utility is None


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, -1.0, 2.0, 1.0], "negative"),
        ([1.0, None, 2.0, 1.0], "missing"),
        ([1.0, float("inf"), 2.0, 1.0], "infinite"),
        ([0.0, 0.0, 0.0, 0.0], "0"),
        (["a", "b", "c", "d"], "numbers"),
    ],
)
def test_impossible_weights_are_an_error(weights, words):
    table = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5], "w": weights})
    with pytest.raises(InputError, match=words):
        assess(table, table, schema={"options": {"weight": "w"}})


def test_a_weight_that_a_table_lacks_is_an_error(survey):
    with pytest.raises(InputError, match="weight"):
        assess(survey.assign(w=1), survey, schema=schema(weight="w"))
