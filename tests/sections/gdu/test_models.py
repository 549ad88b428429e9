"""Models a user names, against statsmodels and hand-made figures."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from microgauge import InputError
from microgauge.measures.gdu.models import Design, cronbach_alpha, linear, logistic
from support.figures import assess
from support.surveys import make_survey, perturb, schema

LINEAR = {"kind": "linear", "formula": "income ~ age + education + region"}


def run(original, protected, *models, variables=None, **options):
    said = schema(variables, **options) | {"model": list(models)}
    return assess(original, protected, schema=said).gdu.models


def steps(before, after, squared=True, threshold=0.05):
    """The three steps for two (estimate, p) pairs; p None: no test."""
    (a, p), (b, q) = before, after
    if p is not None and (p >= threshold or q >= threshold):
        return float(p >= threshold and q >= threshold)
    if a * b < 0:
        return 0.0
    a, b = (a**2, b**2) if squared else (a, b)
    return 1 - abs(a - b) / max(abs(a), abs(b))


def design(frame):
    """Intercept, age, education, and region against its first level in alphabetical order."""
    dummies = pd.get_dummies(frame["region"], dtype=float).iloc[:, 1:]
    dummies.columns = [f"region[T.{name}]" for name in dummies.columns]
    terms = pd.concat([frame[["age", "education"]].astype(float), dummies], axis=1)
    return sm.add_constant(terms)


def ols(frame):
    """Adjusted R² with the p of F; standardised betas with the p of t."""
    frame = frame[["income", "age", "education", "region"]].dropna()
    x = design(frame)
    found = sm.OLS(frame["income"], x).fit()
    beta = found.params * x.std(ddof=0) / frame["income"].std(ddof=0)
    terms = {name: (beta[name], found.pvalues[name]) for name in x.columns[1:]}
    return (found.rsquared_adj, found.f_pvalue), terms


def logit(frame):
    """Cox and Snell's R² with the p of the likelihood ratio; log odds ratios with the p of z."""
    frame = frame[["sex", "age", "education", "region"]].dropna()
    x = design(frame)
    found = sm.Logit((frame["sex"] == 2).astype(float), x).fit(disp=0, tol=1e-12)
    statistic = 1 - np.exp(2 / len(frame) * (found.llnull - found.llf))
    terms = {name: (found.params[name], found.pvalues[name]) for name in x.columns[1:]}
    return (statistic, found.llr_pvalue), terms


@pytest.mark.parametrize(("kind", "reference"), [("linear", ols), ("logistic", logit)])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("strength", [0.05, 0.5])
def test_regressions_are_those_of_statsmodels(kind, reference, missing, strength):
    original = make_survey(500, 8, missing)
    protected = perturb(original, strength)
    response = "income" if kind == "linear" else "sex"
    formula = f"{response} ~ age + education + region"
    (found,) = run(original, protected, {"kind": kind, "formula": formula})
    (statistic, terms), (statistic_p, terms_p) = reference(original), reference(protected)
    assert found.statistic_original == pytest.approx(statistic[0], rel=1e-6)
    assert found.statistic_protected == pytest.approx(statistic_p[0], rel=1e-6)
    assert [t.term for t in found.terms] == list(terms)
    scores = []
    for term in found.terms:
        assert term.original == pytest.approx(terms[term.term][0], rel=1e-5)
        assert term.protected == pytest.approx(terms_p[term.term][0], rel=1e-5)
        expected = steps(terms[term.term], terms_p[term.term])
        assert term.utility == pytest.approx(expected, rel=1e-4, abs=1e-9)
        scores.append(expected)
    whole = steps(statistic, statistic_p, squared=False)
    assert found.utility == pytest.approx((whole + np.mean(scores)) / 2, rel=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_p_values_of_a_linear_model(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(80, 3)) + 5
    y = x @ [0.3, 0.0, -0.2] + rng.normal(size=80)
    found = linear(Design(y, x, ("a", "b", "c"), np.ones(80)))
    expected = sm.OLS(y, sm.add_constant(x)).fit()
    assert found.statistic.value == pytest.approx(expected.rsquared_adj, rel=1e-9)
    assert found.statistic.p == pytest.approx(expected.f_pvalue, rel=1e-9)
    p = [found.terms[name].p for name in "abc"]
    assert p == pytest.approx(list(expected.pvalues[1:]), rel=1e-9)


def test_a_linear_model_without_intercept():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(80, 2))
    y = x @ [0.3, -0.2] + rng.normal(size=80)
    found = linear(Design(y, x, ("a", "b"), np.ones(80), intercept=False))
    expected = sm.OLS(y, x).fit()
    assert found.statistic.value == pytest.approx(expected.rsquared_adj, rel=1e-9)
    assert found.statistic.p == pytest.approx(expected.f_pvalue, rel=1e-9)


def test_p_values_of_a_logistic_model():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 2))
    y = (x @ [0.5, 0.0] + rng.logistic(size=300) > 0).astype(float)
    found = logistic(Design(y, x, ("a", "b"), np.ones(300)))
    expected = sm.Logit(y, sm.add_constant(x)).fit(disp=0, tol=1e-12)
    assert found.statistic.p == pytest.approx(expected.llr_pvalue, rel=1e-6)
    p = [found.terms[name].p for name in "ab"]
    assert p == pytest.approx(list(expected.pvalues[1:]), rel=1e-6)


def test_weighted_regression_counts_effective_units(survey):
    table = survey.assign(weight=np.random.default_rng(0).integers(1, 9, 400))
    model = {"kind": "linear", "formula": "income ~ age + education"}
    (found,) = run(table, table.copy(), model, weight="weight")
    w = table["weight"] * table["weight"].sum() / (table["weight"] ** 2).sum()
    x = sm.add_constant(table[["age", "education"]].astype(float))
    expected = sm.WLS(table["income"], x, weights=w).fit()
    adjusted = 1 - (1 - expected.rsquared) * (w.sum() - 1) / (w.sum() - 3)
    assert found.statistic_original == pytest.approx(adjusted, rel=1e-9)
    deviations = [
        np.sqrt(np.cov(column, aweights=w, ddof=0)) for column in (table["age"], table["income"])
    ]
    beta = expected.params["age"] * deviations[0] / deviations[1]
    assert found.terms[0].original == pytest.approx(beta, rel=1e-9)


# -- scales --------------------------------------------------------------------------------------


def alpha(items):
    k = items.shape[1]
    return k / (k - 1) * (1 - items.var(ddof=1).sum() / items.sum(axis=1).var(ddof=1))


def answers(seed=0, rows=200):
    rng = np.random.default_rng(seed)
    common = rng.normal(size=rows)
    values = {f"q{i}": np.round(3 + common + rng.normal(size=rows)) for i in range(1, 5)}
    return pd.DataFrame(values)


def test_alpha_by_hand():
    # Variances 1, 1 and 4 (n - 1); sums 3, 7, 8 with variance 7: 3/2 · (1 - 6/7).
    items = np.array([[1.0, 1.0, 1.0], [2.0, 2.0, 3.0], [3.0, 0.0, 5.0]])
    spread = items.var(axis=0, ddof=1)
    assert spread.tolist() == [1.0, 1.0, 4.0]
    assert items.sum(axis=1).var(ddof=1) == 7.0
    assert cronbach_alpha(items, np.ones(3)) == pytest.approx(1.5 * (1 - 6 / 7))


def test_a_scale():
    original = answers()
    protected = answers() + np.random.default_rng(1).integers(-1, 2, (200, 4))
    items = list(original)
    said = {"variable": {name: {"type": "ordinal"} for name in items}}
    said["model"] = [{"kind": "scale", "items": items}]
    (found,) = assess(original, protected, schema=said).gdu.models
    before, after = alpha(original), alpha(protected)
    assert found.statistic_original == pytest.approx(before, rel=1e-12)
    assert found.statistic_protected == pytest.approx(after, rel=1e-12)
    scores = []
    for term in found.terms:
        one, other = (alpha(t.drop(columns=term.term)) for t in (original, protected))
        assert term.original == pytest.approx(one, rel=1e-12)
        assert term.protected == pytest.approx(other, rel=1e-12)
        # Alphas have no test and are not squared.
        scores.append(steps((one, None), (other, None), squared=False))
        assert term.utility == pytest.approx(scores[-1], rel=1e-12)
    whole = steps((before, None), (after, None), squared=False)
    assert found.utility == pytest.approx((whole + np.mean(scores)) / 2, rel=1e-12)


def test_a_scale_of_complete_units_only():
    original = answers()
    protected = original.copy()
    protected.loc[:49, "q1"] = np.nan
    protected.loc[30:79, "q2"] = np.nan
    said = {"variable": {name: {"type": "ordinal"} for name in original}}
    said["model"] = [{"kind": "scale", "items": list(original)}]
    (found,) = assess(original, protected, schema=said).gdu.models
    assert found.statistic_protected == pytest.approx(alpha(protected.iloc[80:]), rel=1e-12)


def test_a_scale_that_lost_an_item():
    original = answers()
    said = {"variable": {name: {"type": "ordinal"} for name in original}}
    said["model"] = [{"kind": "scale", "items": list(original)}]
    (found,) = assess(original, original.drop(columns="q4"), schema=said).gdu.models
    assert found.statistic_protected == pytest.approx(alpha(original.drop(columns="q4")))
    lost = next(t for t in found.terms if t.term == "q4")
    assert (lost.outcome, lost.utility, lost.protected) == ("lost", 0.0, None)


# -- terms and sides that are lacking ------------------------------------------------------------


def test_identical_files_keep_their_models(survey):
    models = run(survey, survey.copy(), LINEAR, {"kind": "scale", "items": ["education", "health"]})
    assert [m.utility for m in models] == [1.0, 1.0]


def test_a_removed_predictor_scores_zero(survey):
    (found,) = run(survey, survey.drop(columns="education"), LINEAR)
    terms = {t.term: t for t in found.terms}
    assert terms["education"].utility == 0.0
    assert terms["education"].protected is None
    assert terms["education"].original is not None
    kept = survey[["income", "age", "region"]]
    x = design(kept.assign(education=0.0)).drop(columns="education")
    expected = sm.OLS(kept["income"], x).fit()
    assert found.statistic_protected == pytest.approx(expected.rsquared_adj, rel=1e-9)


def test_a_level_that_one_side_lacks_scores_zero(survey):
    protected = survey[survey["region"] != "west"]
    (found,) = run(survey, protected, LINEAR)
    terms = {t.term: t for t in found.terms}
    assert (terms["region[T.west]"].utility, terms["region[T.west]"].protected) == (0.0, None)
    (turned,) = run(protected, survey, LINEAR)
    terms = {t.term: t for t in turned.terms}
    assert (terms["region[T.west]"].utility, terms["region[T.west]"].original) == (0.0, None)


def test_a_removed_response_loses_the_model(survey):
    (found,) = run(survey, survey.drop(columns="income"), LINEAR)
    assert found.utility == 0.0
    assert found.statistic_protected is None
    assert "income" in found.reason


def test_a_model_that_the_original_cannot_fit_is_null(survey):
    original = survey.assign(income=1.0)
    (found,) = run(original, survey, LINEAR)
    assert found.utility is None
    assert found.statistic_original is None
    assert "original" in found.reason


def test_perfect_separation_is_null_with_a_reason():
    x = np.arange(-50.0, 50.0) + 0.5
    table = pd.DataFrame({"y": (x > 0).astype(int), "x": x})
    said = {
        "variable": {"x": {"type": "continuous"}, "y": {"type": "nominal"}},
        "model": [{"kind": "logistic", "formula": "y ~ x"}],
    }
    (found,) = assess(table, table.copy(), schema=said).gdu.models
    assert found.utility is None
    assert "separat" in found.reason


def test_opposite_signs_score_zero(survey):
    turned = survey.assign(age=-survey["age"])
    model = {"kind": "linear", "formula": "income ~ age"}
    (found,) = run(survey, turned, model)
    assert stats.linregress(survey["age"], survey["income"]).pvalue < 0.05
    assert (found.terms[0].outcome, found.terms[0].utility) == ("reversed", 0.0)
    # The share explained is the same: (1 + 0) / 2.
    assert found.utility == pytest.approx(0.5)


def test_transformed_terms(survey):
    model = {"kind": "linear", "formula": "log(income) ~ age + I(age**2) + age:education"}
    (found,) = run(survey, survey.copy(), model)
    age, education = survey["age"].astype(float), survey["education"]
    x = sm.add_constant(pd.DataFrame({"a": age, "b": age**2, "c": age * education}))
    expected = sm.OLS(np.log(survey["income"]), x).fit()
    assert found.statistic_original == pytest.approx(expected.rsquared_adj, rel=1e-9)
    beta = expected.params * x.std(ddof=0) / np.log(survey["income"]).std(ddof=0)
    assert [t.original for t in found.terms] == pytest.approx(list(beta[1:]), rel=1e-7)


def test_column_names_that_need_quotes(survey):
    table = survey.rename(columns={"age": "Age (years)"})
    said = {"model": [{"kind": "linear", "formula": "income ~ `Age (years)`"}]}
    (found,) = assess(table, table.copy(), schema=said).gdu.models
    expected = stats.linregress(survey["age"], survey["income"])
    assert found.terms[0].original == pytest.approx(expected.rvalue, rel=1e-9)


# -- formulas are data, not code -----------------------------------------------------------------


@pytest.mark.parametrize(
    "formula",
    [
        "income ~ __import__('os').getcwd()",
        "income ~ age + __import__('pathlib').Path('MARK').touch()",
        "__import__('pathlib').Path('MARK').touch() ~ age",
        "income ~ age # + __import__('pathlib').Path('MARK').touch()",
        "income ~ (age # + __import__('pathlib').Path('MARK').touch()\n)",
        "income ~ I(open('MARK', 'w'))",
        "income ~ {open('MARK', 'w')}",
        "income ~ `age` + `open('MARK', 'w')`",
        "income ~ age.real",
        "income ~ age.__class__",
        "income ~ 'age'",
        'income ~ age + "1"',
        "income ~ (lambda: age)()",
        "income ~ age[0]",
        "income ~ [age for age in age]",
        "income ~ log(age, 2)",
        "income ~ eval(age)",
        "income ~ I(age if age else 1)",
        "income ~ age := 3",
        "income ~ f'{age}'",
    ],
)
def test_formulas_that_hold_code_are_refused(survey, tmp_path, monkeypatch, formula):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="formula"):
        run(survey, survey, {"kind": "linear", "formula": formula})
    assert not (tmp_path / "MARK").exists()


@pytest.mark.parametrize("formula", ["income age", "income ~ age ~ sex", "~ age", "income ~ agee"])
def test_formulas_that_say_nothing_are_refused(survey, formula):
    with pytest.raises(InputError, match="formula"):
        run(survey, survey, {"kind": "linear", "formula": formula})


def test_an_item_that_is_no_column_is_refused(survey):
    with pytest.raises(InputError, match="q9"):
        run(survey, survey, {"kind": "scale", "items": ["education", "q9"]})


def test_an_unreadable_formula_is_told_without_control_characters(survey):
    # formulaic colours its messages for terminals; a JSON result is none.
    try:
        (found,) = run(survey, survey, {"kind": "linear", "formula": "income ~ 2*age"})
    except InputError as error:
        told = str(error)
    else:
        assert found.utility is None
        told = found.reason
    assert told
    assert "\x1b" not in told


@pytest.mark.parametrize(
    "formula",
    [
        "income ~ age + I(age*9**9**9)",
        "income ~ I(age**1000)",
        "income + hours ~ age",
        "income ~ 2*age",
        "income ~ ",
        "~ age",
        "income ~ age ~ age",
    ],
)
def test_formulas_that_cannot_be_fitted_are_refused_before_any_work(survey, formula):
    with pytest.raises(InputError):
        run(survey, survey, {"kind": "linear", "formula": formula})
