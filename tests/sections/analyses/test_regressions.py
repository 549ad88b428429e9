"""Regressions on both sides against plain matrices, statsmodels' Logit and hand-made figures."""

import json

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

import microgauge
from microgauge import InputError
from microgauge.measures.analysis.overlap import joint_distance, joint_overlap
from microgauge.sections.analyses.words import regression_story

WAGE = "log(wage) ~ educ + exper + tenure"


def assess(original, protected, *regressions, variables=None, **options):
    said = {"regression": list(regressions), "variable": variables or {}, "options": options}
    return microgauge.assess(original, protected, schema=said, only=["indicators", "regressions"])


def fit(original, protected, formula=WAGE, variables=None, options=None, **more):
    entry = {"formula": formula} | more
    (found,) = assess(
        original, protected, entry, variables=variables, **(options or {})
    ).regressions
    return found


def workers(rows=300, seed=1):
    """Shaped like a wage equation: log wages rise with schooling, experience and tenure."""
    rng = np.random.default_rng(seed)
    educ = rng.integers(4, 19, rows)
    exper = rng.integers(0, 45, rows)
    tenure = np.minimum(exper, rng.integers(0, 30, rows))
    female = rng.integers(0, 2, rows)
    noise = rng.normal(size=rows) * (0.2 + 0.02 * educ)
    wage = np.exp(0.3 + 0.09 * educ + 0.004 * exper + 0.02 * tenure - 0.2 * female + noise)
    odds = -1.5 + 0.12 * educ + 0.02 * exper
    return pd.DataFrame(
        {
            "wage": wage.round(4),
            "educ": educ,
            "exper": exper,
            "tenure": tenure,
            "female": female,
            "region": rng.choice(["east", "north", "south"], rows),
            "member": np.where(rng.random(rows) < 1 / (1 + np.exp(-odds)), "yes", "no"),
            "w": rng.uniform(1, 6, rows).round(3),
        }
    )


def noisy(table, strength=0.15, seed=7):
    rng = np.random.default_rng(seed)
    return table.assign(
        wage=table["wage"] * rng.lognormal(0, strength, len(table)),
        exper=table["exper"] + rng.normal(0, 3, len(table)),
        tenure=table["tenure"] + rng.normal(0, 3, len(table)),
    )


# -- references: matrices only -------------------------------------------------------------------


def matrix(table, *columns):
    return np.column_stack([np.ones(len(table)), *(np.asarray(table[c], float) for c in columns)])


def least_squares(y, x, w=None, robust=False):
    """Coefficients, standard errors, p-values, intervals and R² of a weighted regression.

    Kish's units take the place of rows, but for robust errors.
    """
    y, x = np.asarray(y, float), np.asarray(x, float)
    w = np.ones(len(y)) if w is None else np.asarray(w, float)
    n, k = x.shape
    w = w * w.sum() / (w**2).sum()
    inverse = np.linalg.inv(x.T @ (w[:, None] * x))
    beta = inverse @ (x.T @ (w * y))
    e = y - x @ beta
    if not robust:
        n = w.sum()
    if robust:
        meat = (x * (w * e)[:, None] ** 2).T @ x
        variance = n / (n - k) * inverse @ meat @ inverse
    else:
        variance = inverse * (w * e**2).sum() / (n - k)
    error = np.sqrt(np.diag(variance))
    centre = np.average(y, weights=w)
    explained = 1 - (w * e**2).sum() / (w * (y - centre) ** 2).sum()
    t = stats.t(n - k)
    half = t.ppf(0.975) * error
    p = 2 * t.sf(np.abs(beta / error))
    return beta, error, p, np.column_stack([beta - half, beta + half]), explained


def logit(y, x, w=None, robust=False):
    """The same of a logistic regression, by Newton's steps; weights add up to Kish's units."""
    y, x = np.asarray(y, float), np.asarray(x, float)
    w = np.ones(len(y)) if w is None else np.asarray(w, float)
    w = w * w.sum() / (w**2).sum()
    n, k = x.shape
    beta = np.zeros(k)
    for _ in range(50):
        mu = 1 / (1 + np.exp(-x @ beta))
        inverse = np.linalg.inv(x.T @ ((w * mu * (1 - mu))[:, None] * x))
        beta = beta + inverse @ (x.T @ (w * (y - mu)))
    variance = inverse
    if robust:
        meat = (x * (w * (y - mu))[:, None] ** 2).T @ x
        variance = n / (n - k) * inverse @ meat @ inverse
    error = np.sqrt(np.diag(variance))
    half = stats.norm.ppf(0.975) * error
    p = 2 * stats.norm.sf(np.abs(beta / error))
    m = np.average(y, weights=w)
    null = (w * (y * np.log(m) + (1 - y) * np.log(1 - m))).sum()
    full = (w * (y * np.log(mu) + (1 - y) * np.log(1 - mu))).sum()
    return beta, error, p, np.column_stack([beta - half, beta + half]), 1 - full / null


def overlap_of(a, b):
    low, high = max(a[0], b[0]), min(a[1], b[1])
    return ((high - low) / (a[1] - a[0]) + (high - low) / (b[1] - b[0])) / 2


def check(found, before, after, rel=1e-8):
    """Everything a result says of its coefficients, from two reference fits."""
    assert found.reason is None
    overlaps = []
    for i, c in enumerate(found.coefficients):
        assert c.original == pytest.approx(before[0][i], rel=rel, abs=1e-11)
        assert c.protected == pytest.approx(after[0][i], rel=rel, abs=1e-11)
        assert c.original_ci == pytest.approx(before[3][i], rel=rel, abs=1e-11)
        assert c.protected_ci == pytest.approx(after[3][i], rel=rel, abs=1e-11)
        apart = abs(after[0][i] - before[0][i]) / before[1][i]
        assert c.standardised_difference == pytest.approx(apart, rel=1e-5, abs=1e-9)
        assert c.same_sign == (np.sign(before[0][i]) == np.sign(after[0][i]))
        assert c.same_verdict == ((before[2][i] < 0.05) == (after[2][i] < 0.05))
        overlaps.append(overlap_of(before[3][i], after[3][i]))
        assert c.overlap == pytest.approx(overlaps[-1], rel=1e-5)
        assert c.reason is None
    assert len(overlaps) == len(before[0])
    assert found.overlap == pytest.approx(np.mean(overlaps), rel=1e-5)
    assert found.fit_original == pytest.approx(before[4], rel=1e-7)
    assert found.fit_protected == pytest.approx(after[4], rel=1e-7)


# -- linear --------------------------------------------------------------------------------------


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("strength", [0.05, 0.6])
def test_linear_by_matrices(robust, weighted, strength):
    table, protected = workers(), noisy(workers(), strength)
    more = {"weight": "w"} if weighted else {}
    found = fit(table, protected, robust=robust, **more)
    sides = [
        least_squares(
            np.log(t["wage"]), matrix(t, "educ", "exper", "tenure"),
            t["w"] if weighted else None, robust,
        )
        for t in (table, protected)
    ]  # fmt: skip
    check(found, *sides)
    assert [c.term for c in found.coefficients] == ["Intercept", "educ", "exper", "tenure"]
    assert (found.units_original, found.units_protected) == (300, 300)
    assert found.kind == "linear"
    assert found.robust is robust
    assert found.formula == WAGE


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_linear_by_statsmodels(robust, weighted):
    """The references are right themselves."""
    table = workers()
    y, x = np.log(table["wage"].to_numpy()), matrix(table, "educ", "exper", "tenure")
    w = table["w"].to_numpy() if weighted else np.ones(len(y))
    expected = sm.WLS(y, x, weights=w).fit(cov_type="HC1" if robust else "nonrobust", use_t=True)
    beta, error, p, interval, explained = least_squares(y, x, w, robust)
    assert beta == pytest.approx(expected.params, rel=1e-8)
    kish = w.sum() ** 2 / (w**2).sum()
    fewer = 1.0 if robust else np.sqrt((len(y) - 4) / (kish - 4))
    assert error == pytest.approx(fewer * expected.bse, rel=1e-8)
    if robust or not weighted:
        assert p == pytest.approx(expected.pvalues, rel=1e-6, abs=1e-12)
        assert interval == pytest.approx(expected.conf_int(), rel=1e-6)
    assert explained == pytest.approx(expected.rsquared, rel=1e-10)


def test_robust_errors_are_others():
    table = workers()
    plain, robust = (fit(table, table.copy(), robust=r) for r in (False, True))
    assert [c.original for c in plain.coefficients] == pytest.approx(
        [c.original for c in robust.coefficients], rel=1e-10
    )
    widths = [
        np.array([c.original_ci[1] - c.original_ci[0] for c in f.coefficients])
        for f in (plain, robust)
    ]
    assert np.abs(widths[1] / widths[0] - 1).max() > 0.01


def test_two_units_by_hand():
    """y = x but for one unit: slope 1.3, intercept −0.1 … by the normal equations."""
    table = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "y": [0.0, 1.0, 2.0, 4.0]})
    found = fit(table, table.copy(), "y ~ x", {n: {"type": "continuous"} for n in "xy"})
    assert [c.original for c in found.coefficients] == pytest.approx([-0.85, 1.3])
    expected = stats.linregress(table["x"], table["y"])
    half = stats.t.ppf(0.975, 2) * expected.stderr
    assert found.coefficients[1].original_ci == pytest.approx((1.3 - half, 1.3 + half))
    assert found.fit_original == pytest.approx(expected.rvalue**2)


def test_categories_powers_and_products():
    table, protected = workers(), noisy(workers())
    formula = "log(wage) ~ female + region + exper + I(exper**2) + educ:tenure"
    found = fit(table, protected, formula)
    sides = []
    for t in (table, protected):
        terms = t.assign(
            north=t["region"] == "north", south=t["region"] == "south",
            square=t["exper"] ** 2, product=t["educ"] * t["tenure"],
        )  # fmt: skip
        columns = ("female", "north", "south", "exper", "square", "product")
        sides.append(least_squares(np.log(t["wage"]), matrix(terms, *columns)))
    check(found, *sides, rel=1e-6)
    names = [c.term for c in found.coefficients]
    assert names[0] == "Intercept"
    assert "region[T.north]" in names
    assert "region[T.south]" in names


@pytest.mark.parametrize(
    ("term", "values"),
    [
        ("log(educ)", lambda t: np.log(t["educ"])),
        ("log1p(exper)", lambda t: np.log1p(t["exper"])),
        ("sqrt(exper)", lambda t: np.sqrt(t["exper"])),
        ("abs(exper)", lambda t: np.abs(t["exper"])),
        ("exp(educ)", lambda t: np.exp(t["educ"])),
        ("I(educ / 2 - exper)", lambda t: t["educ"] / 2 - t["exper"]),
        ("I(educ**3)", lambda t: t["educ"] ** 3),
        ("`years of school`", lambda t: t["educ"]),
        ("I(`years of school`**2)", lambda t: t["educ"] ** 2),
    ],
)
def test_functions_of_terms(term, values):
    table = workers()
    table["years of school"] = table["educ"]
    found = fit(table, table.copy(), f"wage ~ {term}")
    expected = least_squares(table["wage"], matrix(table.assign(term=values(table)), "term"))
    check(found, expected, expected, rel=1e-6)


def test_no_intercept():
    table = workers()
    found = fit(table, table.copy(), "wage ~ educ + exper - 1")
    x = matrix(table, "educ", "exper")[:, 1:]
    expected = sm.OLS(table["wage"].to_numpy(), x).fit()
    assert [c.term for c in found.coefficients] == ["educ", "exper"]
    assert [c.original for c in found.coefficients] == pytest.approx(expected.params, rel=1e-9)
    assert found.coefficients[0].original_ci == pytest.approx(expected.conf_int()[0], rel=1e-9)
    assert found.fit_original == pytest.approx(expected.rsquared)


def test_large_numbers_squared_lose_no_digits():
    """Years and their squares are nearly dependent: against a fit with centred years."""
    table = workers().assign(year=lambda t: 1960 + t["exper"])
    found = fit(table, table.copy(), "wage ~ year + I(year**2)")
    centred = table.assign(c=table["year"] - 1980, c2=(table["year"] - 1980) ** 2)
    beta, _, _, interval, explained = least_squares(centred["wage"], matrix(centred, "c", "c2"))
    square = found.coefficients[2]
    assert square.original == pytest.approx(beta[2], rel=1e-5)
    assert square.original_ci == pytest.approx(interval[2], rel=1e-5)
    assert found.coefficients[1].original == pytest.approx(beta[1] - 3960 * beta[2], rel=1e-5)
    assert found.fit_original == pytest.approx(explained, rel=1e-7)


def test_incomplete_units_are_left_out():
    table = workers()
    holed = table.astype({"educ": float, "exper": float})
    holed.loc[::6, "educ"] = np.nan
    holed.loc[1::7, "wage"] = np.nan
    kept = holed.dropna()
    found = fit(table, holed)
    x = ("educ", "exper", "tenure")
    check(
        found,
        least_squares(np.log(table["wage"]), matrix(table, *x)),
        least_squares(np.log(kept["wage"]), matrix(kept, *x)),
    )
    assert (found.units_original, found.units_protected) == (300, len(kept))


def test_where_and_fewer_rows():
    table = workers()
    protected = noisy(table).sample(150, random_state=2).reset_index(drop=True)
    found = fit(table, protected, where="region != 'east' and educ >= 8", weight="w", robust=True)
    kept = [t[(t["region"] != "east") & (t["educ"] >= 8)] for t in (table, protected)]
    x = ("educ", "exper", "tenure")
    check(found, *(least_squares(np.log(t["wage"]), matrix(t, *x), t["w"], True) for t in kept))
    assert (found.units_original, found.units_protected) == tuple(map(len, kept))
    assert found.where == "region != 'east' and educ >= 8"


def test_weights_of_the_run_and_their_scale():
    table, protected = workers(), noisy(workers())
    own = fit(table, protected, weight="w")
    run = fit(table, protected, options={"weight": "w"})
    assert run == own
    for kind, formula in (("linear", WAGE), ("logistic", "member ~ educ + exper")):
        tables = [t.assign(seven=7 * t["w"], same=2.5) for t in (table, protected)]
        one, other, equal, none = (
            fit(*tables, formula, kind=kind, **more)
            for more in ({"weight": "w"}, {"weight": "seven"}, {"weight": "same"}, {})
        )
        for a, b in ((one, other), (equal, none)):
            assert a.overlap == pytest.approx(b.overlap, rel=1e-7)
            for c, d in zip(a.coefficients, b.coefficients, strict=True):
                assert c.original == pytest.approx(d.original, rel=1e-7)
                assert c.original_ci == pytest.approx(d.original_ci, rel=1e-7)
        assert abs(one.overlap - none.overlap) > 1e-4


def test_units_of_weight_0_are_no_units():
    table = workers()
    half = table.assign(w=np.where(table.index < 150, table["w"], 0.0))
    found = fit(half, half.copy(), weight="w")
    kept = table.iloc[:150]
    expected = least_squares(
        np.log(kept["wage"]), matrix(kept, "educ", "exper", "tenure"), kept["w"]
    )
    check(found, expected, expected)
    assert found.units_original == 150


# -- logistic ------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("strength", [0.05, 0.6])
def test_logistic_by_matrices(weighted, strength):
    table = workers(400)
    protected = noisy(table, strength)
    protected.loc[::9, "member"] = "yes"
    more = {"weight": "w"} if weighted else {}
    found = fit(table, protected, "member ~ educ + exper", kind="logistic", **more)
    sides = [
        logit(t["member"] == "yes", matrix(t, "educ", "exper"), t["w"] if weighted else None)
        for t in (table, protected)
    ]
    check(found, *sides, rel=1e-6)


def robust_widths(rows, weighted):
    """Widths of robust intervals, found and expected (HC1), of a logistic regression."""
    table = workers(rows)
    unequal = np.random.default_rng(5).lognormal(0, 1, rows)
    table["w"] = unequal * np.where(table["educ"] > 12, 4, 1)
    more = {"weight": "w"} if weighted else {}
    found = fit(table, table.copy(), "member ~ educ + exper", kind="logistic", robust=True, **more)
    w = table["w"] if weighted else None
    expected = logit(table["member"] == "yes", matrix(table, "educ", "exper"), w, robust=True)
    assert [c.original for c in found.coefficients] == pytest.approx(expected[0], rel=1e-6)
    return [c.original_ci[1] - c.original_ci[0] for c in found.coefficients], np.ptp(
        expected[3], axis=1
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_robust_logistic_errors_are_a_sandwich(weighted):
    """With weights: Σ w² e² x xᵀ in the middle, as linear regressions have it."""
    found, expected = robust_widths(400, weighted)
    assert found == pytest.approx(expected, rel=0.005)


def test_robust_logistic_errors_are_corrected_for_small_samples():
    """HC1 as documented: n / (n - k), as R's sandwich has it for any model."""
    found, expected = robust_widths(60, False)
    assert found == pytest.approx(expected, rel=1e-6)


def test_logistic_by_statsmodels():
    table, protected = workers(400), noisy(workers(400))
    found = fit(table, protected, "member ~ educ + exper + region", kind="logistic")
    for t, side in ((table, "original"), (protected, "protected")):
        terms = t.assign(north=t["region"] == "north", south=t["region"] == "south")
        y = (t["member"] == "yes").to_numpy(float)
        x = matrix(terms, "educ", "exper", "north", "south")
        expected = sm.Logit(y, x).fit(disp=0, tol=1e-12)
        by_name = {c.term: c for c in found.coefficients}
        order = ["Intercept", "educ", "exper", "region[T.north]", "region[T.south]"]
        assert set(by_name) == set(order)
        for i, name in enumerate(order):
            c = by_name[name]
            assert getattr(c, side) == pytest.approx(expected.params[i], rel=1e-6)
            assert getattr(c, f"{side}_ci") == pytest.approx(expected.conf_int()[i], rel=1e-6)
        assert getattr(found, f"fit_{side}") == pytest.approx(expected.prsquared, rel=1e-8)


def test_one_binary_term_by_hand():
    """The log odds ratio of a table of four cells, with Woolf's standard error."""
    cells = {("a", "no"): 30, ("a", "yes"): 10, ("b", "no"): 15, ("b", "yes"): 25}
    rows = [cell for cell, count in cells.items() for _ in range(count)]
    table = pd.DataFrame(rows, columns=["g", "y"])
    found = fit(table, table.copy(), "y ~ g", kind="logistic")
    slope = found.coefficients[1]
    ratio = np.log(25 * 30 / (15 * 10))
    half = stats.norm.ppf(0.975) * np.sqrt(1 / 30 + 1 / 10 + 1 / 15 + 1 / 25)
    assert slope.original == pytest.approx(ratio, rel=1e-8)
    assert slope.original_ci == pytest.approx((ratio - half, ratio + half), rel=1e-7)


def test_numbers_and_words_as_a_response():
    table = workers()
    codes = table.assign(member=(table["member"] == "yes").astype(int))
    truth = table.assign(member=table["member"] == "yes")
    fits = [fit(t, t.copy(), "member ~ educ", kind="logistic") for t in (table, codes, truth)]
    for f in fits[1:]:
        assert f.coefficients[1].original == pytest.approx(fits[0].coefficients[1].original)


def test_a_turned_response_turns_the_coefficients():
    """I(1 - y) is not y: the other sign, or null with a reason."""
    table = workers().assign(member=lambda t: (t["member"] == "yes").astype(int))
    plain = fit(table, table.copy(), "member ~ educ", kind="logistic")
    turned = fit(table, table.copy(), "I(1 - member) ~ educ", kind="logistic")
    if turned.reason is None:
        expected = [-c.original for c in plain.coefficients]
        assert [c.original for c in turned.coefficients] == pytest.approx(expected)
    else:
        assert turned.overlap is None


# -- comparison ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "kind"),
    [
        (WAGE, "linear"),
        ("wage ~ region*educ + I(exper**2)", "linear"),
        ("member ~ educ + region", "logistic"),
    ],
)
def test_a_table_against_itself(formula, kind):
    table = workers()
    found = fit(table, table.copy(), formula, kind=kind)
    assert found.overlap == 1
    assert found.inside == 1
    assert found.joint_overlap == pytest.approx(1, abs=1e-12)
    assert found.joint_distance == 0
    assert found.joint_terms == len(found.coefficients)
    for c in found.coefficients:
        assert c.overlap == 1
        assert c.inside is True
        assert c.standardised_difference == 0
        assert c.same_sign is True
        assert c.same_verdict is True


def test_signs_verdicts_and_intervals_apart():
    """The slope of educ is turned round, that of exper is lost."""
    table = workers(800)
    rng = np.random.default_rng(3)
    protected = table.assign(
        wage=np.exp(3 - 0.09 * table["educ"] + 0.4 * rng.normal(size=len(table)))
    )
    formula = "log(wage) ~ educ + tenure"
    found = fit(table, protected, formula)
    check(
        found,
        *(
            least_squares(np.log(t["wage"]), matrix(t, "educ", "tenure"))
            for t in (table, protected)
        ),
    )
    educ, tenure = found.coefficients[1:]
    assert educ.overlap < -1
    assert educ.same_sign is False
    assert educ.same_verdict is True
    assert educ.standardised_difference > 10
    assert tenure.same_verdict is False
    assert found.overlap < 0


def test_the_order_of_rows_and_columns_and_the_unit_change_nothing():
    table, protected = workers(), noisy(workers())
    order = np.random.default_rng(8).permutation(len(table))
    for formula, kind in ((WAGE, "linear"), ("member ~ educ + exper + region", "logistic")):
        found = fit(table, protected, formula, kind=kind, weight="w")
        moved = [t.iloc[order, ::-1].reset_index(drop=True) for t in (table, protected)]
        scaled = [t.assign(exper=1000 * t["exper"]) for t in (table, protected)]
        for pair in (moved, scaled):
            other = fit(*pair, formula, kind=kind, weight="w")
            assert other.overlap == pytest.approx(found.overlap, rel=1e-8)
            assert other.joint_overlap == pytest.approx(found.joint_overlap, rel=1e-9)
            assert other.joint_distance == pytest.approx(found.joint_distance, rel=1e-8)
            for c, d in zip(found.coefficients, other.coefficients, strict=True):
                assert c.term == d.term
                assert c.overlap == pytest.approx(d.overlap, rel=1e-8)
                assert c.standardised_difference == pytest.approx(d.standardised_difference)


# -- all coefficients at once --------------------------------------------------------------------


def common_volume(apart, first, second):
    """The integral of √(p q) of two normal densities, by a grid: Bhattacharyya's coefficient."""
    p = len(apart)
    reach = 9 * np.sqrt(max(np.diag(first).max(), np.diag(second).max())) + np.abs(apart).max()
    points, step = np.linspace(-reach, reach, 601, retstep=True)
    grid = np.stack(np.meshgrid(*[points] * p, indexing="ij"), axis=-1)
    densities = [
        stats.multivariate_normal(mean, cov).pdf(grid)
        for mean, cov in ((np.zeros(p), first), (apart, second))
    ]
    return np.sqrt(densities[0] * densities[1]).sum() * step**p


@pytest.mark.parametrize("p", [1, 2])
def test_the_joint_overlap_is_the_root_of_the_common_volume(p):
    rng = np.random.default_rng(p)
    for _ in range(5):
        first, second = (np.cov(rng.normal(size=(p, 9))).reshape(p, p) for _ in range(2))
        apart = rng.normal(size=p)
        expected = common_volume(apart, first, second) ** (1 / p)
        assert joint_overlap(apart, first, second) == pytest.approx(expected, rel=1e-6)
        assert joint_overlap(-apart, second, first) == pytest.approx(expected, rel=1e-6)


def test_many_terms_that_differ_alike_overlap_as_one_does():
    one = joint_overlap(np.ones(1), np.eye(1), 2 * np.eye(1))
    assert joint_overlap(np.ones(7), np.eye(7), 2 * np.eye(7)) == pytest.approx(one)
    assert joint_distance(np.ones(7), np.eye(7)) == pytest.approx(1.0)


@pytest.mark.parametrize("robust", [False, True])
def test_joint_figures_by_statsmodels(robust):
    table, protected = workers(), noisy(workers(), 0.4)
    protected["educ"] += np.random.default_rng(4).normal(0, 4, len(table))
    found = fit(table, protected, robust=robust)
    fits = [
        sm.OLS(np.log(t["wage"]), matrix(t, "educ", "exper", "tenure")).fit(
            cov_type="HC1" if robust else "nonrobust"
        )
        for t in (table, protected)
    ]
    values, covariances = ([np.asarray(part) for part in parts] for parts in zip(
        *((f.params, f.cov_params()) for f in fits), strict=True
    ))  # fmt: skip
    apart, both = values[1] - values[0], sum(covariances) / 2
    logs = [np.linalg.slogdet(v)[1] for v in (*covariances, both)]
    expected = np.exp((-apart @ np.linalg.inv(both) @ apart / 8 + (logs[0] + logs[1]) / 4
                       - logs[2] / 2) / 4)  # fmt: skip
    assert found.joint_overlap == pytest.approx(expected, rel=1e-8)
    assert 0.2 < found.joint_overlap < 0.99
    # synthpop's lack of fit: Wald's statistic of the protected estimates.
    wald = fits[0].wald_test((np.eye(4), values[1]), use_f=False, scalar=True).statistic
    assert found.joint_terms * found.joint_distance**2 == pytest.approx(wald, rel=1e-7)
    inside = [c.original_ci[0] <= c.protected <= c.original_ci[1] for c in found.coefficients]
    assert [c.inside for c in found.coefficients] == inside
    assert found.inside == np.mean(inside)
    assert {True, False} == set(inside)


@pytest.mark.parametrize(
    ("formula", "more"),
    [
        ("log(wage) ~ educ + region", {}),
        ("log(wage) ~ educ + region", {"robust": True, "weight": "w"}),
        ("log(wage) ~ educ * region + exper + I(exper**2) + C(female)", {}),
        ("log(wage) ~ 0 + region + exper", {}),
        ("member ~ educ + region + exper", {"kind": "logistic"}),
        ("member ~ educ + region + exper", {"kind": "logistic", "robust": True}),
    ],
)
def test_the_reference_category_moves_no_joint_figure(formula, more):
    # The first category in the order of the alphabet is the reference: names decide it.
    table, protected = workers(400), noisy(workers(400))
    protected.loc[::7, "region"] = "south"
    names = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["b", "a", "c"]]
    found = []
    for given in names:
        renamed = dict(zip(["east", "north", "south"], given, strict=True))
        sides = [t.assign(region=t["region"].map(renamed)) for t in (table, protected)]
        found.append(fit(*sides, formula, **more))
    first = found[0]
    assert first.joint_overlap < 0.999
    for other in found[1:]:
        assert abs(other.joint_overlap - first.joint_overlap) < 1e-9
        assert abs(other.joint_distance - first.joint_distance) < 1e-9
    # What the joint figures are for: the mean over coefficients does move.
    if "0 +" not in formula:
        assert max(abs(other.overlap - first.overlap) for other in found) > 1e-3


def test_common_terms_where_the_categories_of_a_factor_differ():
    table, protected = workers(), noisy(workers())
    merged = protected.assign(region=protected["region"].replace("south", "north"))
    found = null(fit(table, merged, "log(wage) ~ educ + exper + region"), "region[T.south]")
    assert found.joint_terms == 2  # educ and exper; the intercept is relative to a region
    other = merged.assign(region=merged["region"].replace("east", "west"))
    renamed = table.assign(region=table["region"].replace("east", "west"))
    again = fit(renamed, other, "log(wage) ~ educ + exper + region")
    assert again.joint_overlap == pytest.approx(found.joint_overlap, rel=1e-9)
    assert "2 comparable terms" in " ".join(regression_story(found))
    product = null(fit(table, merged, "log(wage) ~ exper + educ:region"), "multiplied")
    assert product.joint_overlap is None
    alone = null(fit(table, merged, "log(wage) ~ region"), "no coefficient means the same")
    assert (alone.joint_overlap, alone.joint_distance, alone.inside) == (None, None, None)


# -- what cannot be fitted -----------------------------------------------------------------------


def null(found, *said):
    """No overlap, the reason, and nothing that is no number."""
    assert found.overlap is None
    for words in said:
        assert words in found.reason
    json.dumps(microgauge_dict(found), allow_nan=False)
    return found


def microgauge_dict(found):
    return {**found.__dict__, "coefficients": [c.__dict__ for c in found.coefficients]}


def test_a_factor_that_lost_a_level():
    table = workers()
    merged = table.assign(region=table["region"].replace("south", "north"))
    found = null(fit(table, merged, "wage ~ educ + region"), "protected:", "region[T.south]")
    by_name = {c.term: c for c in found.coefficients}
    assert by_name["region[T.south]"].protected is None
    assert by_name["region[T.south]"].reason
    # The merged level is no longer the one of the original.
    assert by_name["region[T.north]"].overlap is None
    assert by_name["region[T.north]"].reason
    assert by_name["educ"].overlap is not None
    assert found.fit_original is not None
    assert found.fit_protected is not None


def test_a_factor_that_lost_its_first_level():
    """Every contrast then is against another level."""
    table = workers()
    merged = table.assign(region=table["region"].replace("east", "north"))
    found = null(fit(table, merged, "wage ~ educ + region"), "protected:")
    for c in found.coefficients:
        if c.term.startswith("region"):
            assert c.overlap is None
            assert c.reason


def test_a_factor_with_a_new_level():
    table = workers()
    other = table.copy()
    other.loc[::10, "region"] = "isle"
    found = null(fit(table, other, "wage ~ educ + region"), "region[T.isle]")
    by_name = {c.term: c for c in found.coefficients}
    assert by_name["region[T.isle]"].original is None


def test_a_factor_with_one_level_left():
    table = workers()
    null(fit(table, table.assign(region="east"), "wage ~ educ + region"), "protected:")


@pytest.mark.parametrize("name", ["wage", "educ", "w", "region"])
@pytest.mark.parametrize("how", ["no column", "empty column"])
def test_a_removed_column(name, how):
    table = workers()
    protected = table.drop(columns=name)
    if how == "empty column":
        protected[name] = np.nan
    found = fit(table, protected, weight="w", where="region != 'east'")
    null(found, "protected:", name, "gone")
    assert found.units_protected is None
    assert found.units_original == (table["region"] != "east").sum()
    whole = fit(table, table.copy(), weight="w", where="region != 'east'")
    assert [c.original for c in found.coefficients] == [c.original for c in whole.coefficients]
    assert all(c.protected is None for c in found.coefficients)


def banded(table):
    bands = pd.cut(table["exper"], [0, 10, 20, 30, 50], right=False,
                   labels=["0-9", "10-19", "20-29", "30-49"])  # fmt: skip
    return table.assign(exper=bands.astype(str))


@pytest.mark.parametrize(
    "term", ["exper", "I(exper**2)", "log1p(exper)", "sqrt(exper)", "exper:educ", "I(exper * educ)"]
)
def test_a_banded_variable(term):
    table = workers()
    said = {"exper": {"type": "continuous"}}
    found = null(fit(table, banded(table), f"wage ~ educ + {term}", said), "protected:")
    assert found.fit_original is not None
    null(fit(table, banded(table), "exper ~ educ", said), "protected:")


def test_bands_by_their_middle():
    """0-9 is 4.5, …; the original keeps its numbers."""
    table = workers()
    table = table.assign(exper=np.minimum(table["exper"], 39))
    bands = table["exper"] // 10
    released = table.assign(exper=[f"{10 * b}-{10 * b + 9}" for b in bands])
    said = {"exper": {"type": "continuous"}}
    found = fit(table, released, "wage ~ educ + exper", said, bands="midpoints")
    middle = table.assign(exper=10 * bands + 4.5)
    check(found, *(least_squares(t["wage"], matrix(t, "educ", "exper")) for t in (table, middle)))


@pytest.mark.parametrize("kind", ["linear", "logistic"])
def test_dependent_terms(kind):
    table = workers().assign(twice=lambda t: 2 * t["educ"] + 1)
    y = "wage" if kind == "linear" else "member"
    null(fit(table, table.copy(), f"{y} ~ educ + twice", kind=kind), "original:", "dependent")
    apart = table.assign(twice=lambda t: t["twice"] + t["exper"])
    found = null(fit(apart, table, f"{y} ~ educ + twice", kind=kind), "protected:", "dependent")
    assert found.fit_original is not None
    assert not found.reason.startswith("original")


@pytest.mark.parametrize("kind", ["linear", "logistic"])
def test_a_constant_response(kind):
    table = workers()
    if kind == "linear":
        found = fit(table, table.assign(wage=5.5))
    else:
        found = fit(table, table.assign(member="no"), "member ~ educ", kind=kind)
    null(found, "protected: the response is constant")


def test_a_constant_term():
    table = workers()
    null(fit(table, table.assign(educ=12)), "protected:", "dependent")


@pytest.mark.parametrize("robust", [False, True])
def test_separation(robust):
    table = workers()
    more = {"kind": "logistic", "robust": robust}
    whole = table.assign(member=np.where(table["educ"] > 10, "yes", "no"))
    null(fit(table, whole, "member ~ educ + exper", **more), "protected:")
    # One category has no "no": its coefficient is infinite.
    part = table.assign(member=np.where(table["region"] == "south", "yes", table["member"]))
    null(fit(table, part, "member ~ region + exper", **more), "protected:")


def test_three_values_are_no_binary_response():
    table = workers()
    null(fit(table, table.copy(), "region ~ educ", kind="logistic"), "original:", "3 values")


def test_words_have_no_linear_regression():
    table = workers()
    null(fit(table, table.copy(), "region ~ educ"), "original:", "region")
    try:
        found = fit(table, table.copy(), "C(wage) ~ educ")
    except InputError:
        pass
    else:
        assert found.overlap is None  # a dummy of the highest wage is not the wage


def test_where_no_rows_are_left():
    table = workers()
    null(
        fit(table, table.copy(), where="educ > 99"),
        "original: the condition leaves no unit", "protected: the condition leaves no unit",
    )  # fmt: skip
    null(fit(table, table.copy(), where="educ == 4 and exper == 3 and tenure == 1"), "original:")
    capped = table.assign(educ=np.minimum(table["educ"], 10))
    found = null(fit(table, capped, where="educ > 10"), "protected: the condition")
    assert found.units_original == (table["educ"] > 10).sum()


def test_too_few_units():
    table = workers()
    for rows in (1, 2, 4):
        few = table.iloc[:rows].reset_index(drop=True)
        null(fit(table, few), "protected:")


def test_no_finite_terms():
    table = workers()
    null(fit(table, table.assign(wage=-table["wage"])), "protected:", "finite")
    null(fit(table, table.assign(w=0.0), weight="w"), "protected:")


@pytest.mark.parametrize("formula", ["y ~ C(x) + a + b", "y ~ a * b * c"])
def test_products_of_many_categories_are_not_formed(formula):
    """The result says so, and nothing is built."""
    rng = np.random.default_rng(1)
    places = [f"p{i}" for i in range(40)]
    columns = {n: rng.choice(places, 2_000) for n in "abc"}
    frame = pd.DataFrame(columns | {"y": rng.normal(size=2_000), "x": range(2_000)})
    [found] = microgauge.assess(
        frame, frame, only=["regressions"], schema={"regression": [{"formula": formula}]}
    ).regressions
    assert found.overlap is None
    assert "columns, and at most 2,000 are formed for 2,000 records" in found.reason


@pytest.mark.parametrize("formula", ["wage ~ educ", "educ ~ wage", "wage ~ educ + I(wage**2)"])
def test_numbers_whose_squares_overflow(formula):
    table = workers()
    huge = table.assign(wage=table["wage"] * 1e200)
    found = fit(table, huge, formula)
    json.dumps(microgauge_dict(found), allow_nan=False)
    assert found.overlap is None or np.isfinite(found.overlap)


def test_an_exact_fit_has_no_intervals_to_overlap():
    """Derived variables are common: what is left of the width is rounding."""
    table = workers()
    table["total"] = 2.0 * table["educ"] + 0.1 * table["exper"] + 7
    other = table.assign(total=table["total"] + 0.001)
    found = fit(table, other, "total ~ educ + exper")
    null(found)
    assert all(c.overlap is None for c in found.coefficients)


def test_every_result_can_be_written():
    table = workers()
    result = assess(
        table, banded(table).drop(columns="tenure"),
        {"formula": WAGE},
        {"formula": "wage ~ educ + I(exper**2)"},
        {"formula": "member ~ educ", "kind": "logistic"},
        {"formula": "wage ~ region", "where": "educ > 99"},
        variables={"exper": {"type": "continuous"}},
    )  # fmt: skip
    written = json.loads(json.dumps(result.to_dict(), allow_nan=False))["regressions"]
    assert len(written) == 4
    for one in written:
        assert "overlap" in one
        assert one["overlap"] is not None or one["reason"]
    assert str(result)
    assert result._repr_html_()


# -- refusals ------------------------------------------------------------------------------------


def test_every_fault_at_once():
    table = workers()
    entries = [
        {"formula": "wage ~ edcu"},
        {"formula": "wage"},
        {"formula": "wage ~ educ", "where": "regoin == 'east'"},
        {"formula": "wage ~ educ", "weight": "region"},
        {"formula": "wage ~ educ", "weight": "weight"},
        {"formula": "wage ~ (educ"},
        {"formula": "wage ~ educ", "where": "educ >"},
        {"formula": "wage ~ educ", "kind": "probit"},
        {"formula": "wage ~ educ", "robust": "yes"},
        {"kind": "linear"},
        {"formula": 3},
        {"formula": "wage ~ educ", "were": "educ > 3"},
    ]
    with pytest.raises(InputError) as caught:
        assess(table, table.copy(), *entries)
    for number in range(1, len(entries) + 1):
        about = [f for f in caught.value.faults if f"[[regression]] number {number}" in f]
        assert about, entries[number - 1]
    said = str(caught.value)
    assert 'Did you mean "educ"?' in said
    assert "north" not in said


@pytest.mark.parametrize(
    ("section", "form", "data"),
    [
        ("regression", {"formula": "y ~ x", "kind": "probit"}, {"formula": "y ~ nothing"}),
        ("indicator", {"statistic": "average", "variable": "x"},
         {"statistic": "mean", "variable": "nothing"}),
        ("model", {"kind": "probit", "formula": "y ~ x"},
         {"kind": "linear", "formula": "y ~ nothing"}),
    ],
)  # fmt: skip
def test_faults_name_the_entry_that_has_them(section, form, data):
    """A fault of form before it does not change an entry's number."""
    table = pd.DataFrame({"x": [1.5, 2.5, 0.5], "y": [0.5, 3.5, 1.5]})
    with pytest.raises(InputError) as caught:
        microgauge.assess(table, table.copy(), schema={section: [form, data]})
    (fault,) = [fault for fault in caught.value.faults if '"nothing"' in fault]
    assert f"[[{section}]] number 2" in fault


# -- ordered categories ------------------------------------------------------------------------


HEALTH = ["bad", "fair", "good", "very good"]


def patients(rows=500, seed=4):
    """Health in four steps that rise with schooling and fall with age."""
    rng = np.random.default_rng(seed)
    educ, age = rng.integers(4, 19, rows), rng.integers(18, 90, rows)
    region = rng.choice(["east", "north", "south"], rows)
    said = 0.15 * educ - 0.04 * age + 0.4 * (region == "north") + rng.logistic(size=rows)
    health = np.array(HEALTH)[np.digitize(said, [-1.5, 0.0, 1.5])]
    w = rng.integers(1, 4, rows)
    return pd.DataFrame({"health": health, "educ": educ, "age": age, "region": region, "w": w})


ORDERED = {"health": {"type": "ordinal", "order": HEALTH}, "educ": {"type": "continuous"}}
STEPS = {"formula": "health ~ educ + age + region", "kind": "ordered", "variables": ORDERED}


def statsmodels_ordered(table, columns=("educ", "age")):
    from statsmodels.miscmodels.ordinal_model import OrderedModel

    dummies = pd.get_dummies(table["region"], drop_first=True, dtype=float)
    design = pd.concat([table[list(columns)].astype(float), dummies], axis=1)
    codes = table["health"].map(HEALTH.index)
    fitted = OrderedModel(codes, design, distr="logit").fit(
        method="bfgs", disp=False, gtol=1e-9, maxiter=500
    )
    return fitted, fitted.model.transform_threshold_params(fitted.params.to_numpy())[1:-1]


def test_an_ordered_model_is_that_of_statsmodels():
    table = patients()
    found = fit(table, table, **STEPS)
    fitted, thresholds = statsmodels_ordered(table)
    here = {c.term: c for c in found.coefficients}
    slopes = [here[name] for name in ("educ", "age", "region[T.north]", "region[T.south]")]
    errors = fitted.bse.to_numpy()[:4]
    assert [c.original for c in slopes] == pytest.approx(fitted.params.to_numpy()[:4], abs=1e-5)
    widths = [(c.original_ci[1] - c.original_ci[0]) / 2 / stats.norm.ppf(0.975) for c in slopes]
    assert widths == pytest.approx(errors, rel=1e-3)
    named = [here[f"threshold[{number}]"].original for number in (1, 2, 3)]
    assert named == pytest.approx(thresholds, abs=1e-4)
    assert found.fit_original == pytest.approx(fitted.prsquared, rel=1e-6)
    assert found.overlap == pytest.approx(1.0)


def test_an_ordered_model_of_two_categories_is_a_logistic_one():
    table = patients().assign(health=lambda t: np.where(t["health"] == "bad", "bad", "good"))
    said = {"health": {"type": "ordinal", "order": ["bad", "good"]}, "educ": {"type": "continuous"}}
    for robust in (False, True):
        ordered = fit(table, table, **STEPS | {"variables": said, "robust": robust})
        logistic = fit(
            table, table, **STEPS | {"variables": said, "robust": robust, "kind": "logistic"}
        )
        one, other = ({c.term: c for c in m.coefficients} for m in (ordered, logistic))
        for term in ("educ", "age", "region[T.north]"):
            assert one[term].original == pytest.approx(other[term].original, abs=1e-7)
            assert one[term].original_ci == pytest.approx(other[term].original_ci, abs=1e-6)
        assert one["threshold[1]"].original == pytest.approx(-other["Intercept"].original, abs=1e-6)


def test_a_weight_of_two_is_a_row_twice_in_an_ordered_model():
    from microgauge.measures.analysis.ordered import ordered_logit

    table = patients(200)
    codes = table["health"].map(HEALTH.index).to_numpy()
    matrix = table[["educ", "age"]].to_numpy(dtype=float)
    often = np.repeat(np.arange(len(table)), table["w"])
    weighted = ordered_logit(matrix, codes, table["w"].to_numpy(dtype=float), robust=False)
    repeated = ordered_logit(matrix[often], codes[often], np.ones(len(often)), robust=False)
    assert weighted.values == pytest.approx(repeated.values, abs=1e-8)
    assert weighted.covariance == pytest.approx(repeated.covariance, rel=1e-6)


def test_units_and_squares_do_not_change_what_an_ordered_model_says():
    table = patients().assign(age=lambda t: t["age"] * 1e4)
    formula = "health ~ educ + age + I(age**2)"
    found = fit(table, table, **STEPS | {"formula": formula})
    plain = fit(patients(), patients(), **STEPS | {"formula": formula})
    pairs = zip(found.coefficients, plain.coefficients, strict=True)
    scales = {"age": 1e4, "I(age ** 2)": 1e8}
    for one, other in pairs:
        assert one.original * scales.get(one.term, 1.0) == pytest.approx(other.original, rel=1e-6)


def test_thresholds_of_other_categories_are_not_compared():
    table = patients()
    merged = table.assign(health=table["health"].replace({"bad": "fair"}))
    found = fit(table, merged, **STEPS)
    here = {c.term: c for c in found.coefficients}
    assert here["threshold[1]"].reason == "the factor's categories differ between the tables"
    assert here["educ"].overlap > 0.5  # slopes of proportional odds do not depend on the cuts
    assert "the response" in found.reason
    assert found.overlap is None
    assert found.joint_terms == 4


@pytest.mark.parametrize(
    ("change", "said", "reason"),
    [
        (lambda t: t, {"health": {"type": "nominal"}}, "categories without an order"),
        (lambda t: t.assign(health="good"), ORDERED, "the response is constant"),
        (
            lambda t: t.assign(
                health=np.array(HEALTH)[np.digitize(t["educ"], [7, 11, 15])], age=t["age"]
            ),
            ORDERED,
            "separated perfectly",
        ),
    ],
)
def test_an_ordered_model_that_cannot_be_fitted_says_why(change, said, reason):
    table = change(patients())
    found = fit(table, table, **STEPS | {"variables": said})
    assert found.overlap is None
    assert reason in found.reason


def test_the_response_of_an_ordered_model_stands_by_itself():
    table = patients().assign(health=lambda t: t["health"].map(HEALTH.index) + 1)
    said = {"health": {"type": "ordinal"}, "educ": {"type": "continuous"}}
    found = fit(table, table, **STEPS | {"variables": said, "formula": "log(health) ~ educ"})
    assert "a column by itself" in found.reason
    plain = fit(table, table, **STEPS | {"variables": said})
    named = fit(patients(), patients(), **STEPS)
    for one, other in zip(plain.coefficients, named.coefficients, strict=True):
        assert one.original == pytest.approx(other.original, abs=1e-9)
