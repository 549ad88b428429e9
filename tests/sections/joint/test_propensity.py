"""U_p: the fit is the maximum, its expectation holds, and it sees what it should see."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import linalg, optimize, special, stats
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from microgauge import InputError, Schema, assess, propensity
from microgauge.cli import main
from microgauge.engines.rounds import run_one
from microgauge.log import Log
from microgauge.measures.joint.designs import chosen_design, formula_design, tree_features
from microgauge.measures.joint.logit import FEW_COLUMNS
from microgauge.measures.joint.propensity import (
    PERCENTILES,
    LogitModel,
    percentiles,
    score_distance,
    separation,
)
from microgauge.schema.formulas import parse_terms
from microgauge.sections.joint.words import headline, propensity_story
from microgauge.study.joint_rows import joint_rows
from microgauge.study.study import Study
from microgauge.tables import read_table
from support.surveys import make_survey, perturb, schema, types_of

MODEL_1 = "~ z1 + z2 + z1:z2 + I(z1**2) + I(z2**2)"
MODEL_2 = MODEL_1 + " + I(z1**2*z2**2) + I(z1**3) + I(z2**3)"


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other make small fits slow on a busy machine."""
    with threadpool_limits(1):
        yield


def joint_of(original, protected, said=None):
    """Both files' rows on common levels."""
    tables = [read_table(f, which=w) for f, w in ((original, "original"), (protected, "protected"))]
    study = run_one(Study.prepare(*tables, Schema.from_dict(said or {}), Log()))
    return run_one(joint_rows(study, Log()))


def terms_1(z1, z2):
    return [z1, z2, z1 * z2, z1**2, z2**2]


def terms_2(z1, z2):
    return [*terms_1(z1, z2), z1**2 * z2**2, z1**3, z2**3]


def standardised(columns):
    """Columns with mean 0 and deviation 1, which changes no fit that has an intercept."""
    matrix = np.column_stack(columns).astype(float)
    return (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)


def statsmodels_distance(columns, protected):
    """U_p by statsmodels' maximum likelihood fit."""
    matrix = sm.add_constant(standardised(columns))
    fit = sm.Logit(protected, matrix).fit(disp=False, maxiter=200, tol=1e-12)
    assert fit.mle_retvals["converged"]
    return ((fit.predict() - protected.mean()) ** 2).mean()


def labels(original, protected):
    return np.repeat([0.0, 1.0], [len(original), len(protected)])


def heavy(rows, seed):
    """A correlated bivariate t with two degrees of freedom: no finite variance."""
    rng = np.random.default_rng(seed)
    normal = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], rows)
    return pd.DataFrame(normal, columns=["z1", "z2"]).div(
        np.sqrt(rng.chisquare(2, rows) / 2), axis=0
    )


def skewed(rows, seed):
    """An F(10, 10) and a regression on it."""
    rng = np.random.default_rng(seed)
    z1 = rng.f(10, 10, rows)
    return pd.DataFrame({"z1": z1, "z2": 1 + 0.5 * z1 + rng.normal(0, 0.7, rows)})


def simulated(frame, seed):
    """Normal data with the same mean and covariance."""
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_normal(frame.mean(), frame.cov(), len(frame))
    return pd.DataFrame(drawn, columns=frame.columns)


# -- the fit is the maximum ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "terms"), [(MODEL_1, terms_1), (MODEL_2, terms_2)], ids=["I", "II"]
)
def test_models_of_woo_equal_statsmodels(formula, terms):
    rng = np.random.default_rng(1)
    original = pd.DataFrame(rng.normal(size=(1500, 2)), columns=["z1", "z2"])
    protected = pd.DataFrame(rng.standard_t(8, size=(1000, 2)) + 0.1, columns=["z1", "z2"])
    found = propensity(original, protected, formula=formula, resamples=0)
    pooled = pd.concat([original, protected])
    wanted = statsmodels_distance(
        terms(pooled["z1"].to_numpy(), pooled["z2"].to_numpy()), labels(original, protected)
    )
    assert found.value == pytest.approx(wanted, rel=1e-6)
    assert found.rank == len(terms(0, 0))


def test_model_1_by_degree_and_interactions():
    original, protected = heavy(800, 1), heavy(700, 2)
    by_formula = propensity(original, protected, formula=MODEL_1, resamples=0)
    by_degree = propensity(
        original, protected, model="logit", degree=2, interactions="full", resamples=0
    )
    assert by_degree.value == pytest.approx(by_formula.value, rel=1e-8)
    assert by_degree.rank == by_formula.rank == 5


@pytest.mark.parametrize("make", [heavy, skewed])
@pytest.mark.parametrize(
    ("formula", "terms"), [(MODEL_1, terms_1), (MODEL_2, terms_2)], ids=["I", "II"]
)
def test_heavy_tails_reach_the_maximum(make, formula, terms):
    original = make(2000, 5)
    protected = simulated(original, 6)
    joint = joint_of(original, protected)
    fitted = LogitModel.of(
        formula_design(joint, parse_terms(formula, ["z1", "z2"])).columns
    ).fitted(joint.protected.astype(float))
    pooled = pd.concat([original, protected])
    columns = standardised(terms(pooled["z1"].to_numpy(), pooled["z2"].to_numpy()))
    y = labels(original, protected)
    assert np.abs(columns.T @ (y - fitted.probability) / len(y)).max() < 1e-6
    reached = special.xlogy(y, fitted.probability) + special.xlogy(1 - y, 1 - fitted.probability)

    turned = np.linalg.qr(np.column_stack([np.ones(len(y)), columns]))[0] * np.sqrt(len(y))

    def loss(beta):
        eta = turned @ beta
        return (np.logaddexp(0, eta) - y * eta).sum(), turned.T @ (special.expit(eta) - y)

    rng = np.random.default_rng(7)
    best = max(
        -optimize.minimize(loss, rng.normal(size=turned.shape[1]), jac=True, method="BFGS").fun
        for _ in range(10)
    )
    assert best > len(y) * np.log(0.5)
    assert reached.sum() >= best - 1e-6 * abs(best)


def mixed(rows, seed):
    """A nominal, an ordinal and two continuous variables, some cells missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "n": rng.choice(["a", "b", "c"], rows).astype(object),
            "o": rng.choice([1.0, 2.0, 5.0, 9.0], rows),
            "x": rng.normal(3, 1, rows),
            "y": rng.gamma(2, 1, rows),
        }
    )
    for name, share in (("n", 0.1), ("o", 0.05), ("x", 0.2)):
        frame.loc[rng.random(rows) < share, name] = None
    return frame


MIXED = {
    "variable": {
        "n": {"type": "nominal"},
        "o": {"type": "ordinal"},
        "x": {"type": "continuous"},
        "y": {"type": "continuous"},
    }
}


def by_hand(pooled, degree, pairs):
    """Terms as the law has them: indicators, scores, the pooled mean and an indicator."""
    parts = {
        "n": [
            pooled["n"].isna().astype(float),
            *((pooled["n"] == level).astype(float) for level in ("b", "c")),
        ]
    }
    scores = pooled["o"].map({1.0: 0.0, 2.0: 1.0, 5.0: 2.0, 9.0: 3.0})
    numbers = {"o": scores, "x": pooled["x"], "y": pooled["y"]}
    filled = {name: column.fillna(column.mean()) for name, column in numbers.items()}
    columns = [*parts["n"], *(numbers[name].isna().astype(float) for name in ("o", "x"))]
    for column in filled.values():
        columns += [column**power for power in range(1, degree + 1)]
    if pairs:
        parts |= {name: [column] for name, column in filled.items()}
        for name in ("o", "x"):
            parts[name].append(numbers[name].isna().astype(float))
        for a, b in combinations(parts, 2):
            columns += [one * other for one in parts[a] for other in parts[b]]
    return [column.to_numpy() for column in columns]


@pytest.mark.parametrize(
    ("degree", "interactions"), [(1, "none"), (3, "none"), (1, "pairs"), (2, "pairs")]
)
def test_missing_values_and_categories_equal_a_design_by_hand(degree, interactions):
    original, protected = mixed(900, 1), mixed(700, 2)
    protected.loc[protected["y"] > 3, "x"] = None
    found = propensity(
        original,
        protected,
        schema=MIXED,
        model="logit",
        degree=degree,
        interactions=interactions,
        resamples=0,
    )
    columns = by_hand(pd.concat([original, protected]), degree, interactions == "pairs")
    wanted = statsmodels_distance(columns, labels(original, protected))
    assert found.value == pytest.approx(wanted, rel=1e-6)
    assert found.rank == found.terms == len(columns)


def test_full_third_order_polynomial():
    rng = np.random.default_rng(3)
    original = pd.DataFrame(rng.normal(size=(1200, 3)), columns=list("abc"))
    protected = pd.DataFrame(rng.normal(0, 1.1, size=(1200, 3)), columns=list("abc"))
    found = propensity(
        original, protected, model="logit", degree=3, interactions="full", resamples=0
    )
    a, b, c = pd.concat([original, protected]).to_numpy().T
    powers = [(i, j, k) for i in range(4) for j in range(4) for k in range(4) if 0 < i + j + k < 4]
    wanted = statsmodels_distance(
        [a**i * b**j * c**k for i, j, k in powers], labels(original, protected)
    )
    assert found.terms == found.rank == len(powers) == 19
    assert found.value == pytest.approx(wanted, rel=1e-6)


def test_many_columns_equal_statsmodels():
    rng = np.random.default_rng(4)
    count = 60
    frames = [
        pd.DataFrame(rng.normal(shift, 1, (rows, count)), columns=[f"v{i}" for i in range(count)])
        for shift, rows in ((0.0, 1500), (0.05, 1200))
    ]
    found = propensity(*frames, model="logit", resamples=0)
    pooled = pd.concat(frames)
    wanted = statsmodels_distance([pooled[name].to_numpy() for name in pooled], labels(*frames))
    assert found.rank == count > FEW_COLUMNS
    assert found.value == pytest.approx(wanted, rel=1e-5)


def test_many_indicators_equal_statsmodels():
    original = make_survey(900, 1)
    protected = perturb(original, 0.3)
    said = schema({"education": {"type": "nominal"}, "health": {"type": "nominal"}})
    joint = joint_of(original, protected, said)
    columns = chosen_design(joint, 1, "pairs", None).columns
    found = LogitModel.of(columns).fitted(joint.protected.astype(float))
    assert found.rank > FEW_COLUMNS
    matrix = columns.as_array()
    q, r, _ = linalg.qr(matrix - matrix.mean(axis=0), mode="economic", pivoting=True)
    kept = np.abs(np.diag(r)) > 1e-8 * np.abs(r[0, 0])
    assert kept.sum() == found.rank
    wanted = statsmodels_distance(list(q[:, kept].T), joint.protected.astype(float))
    assert score_distance(found.probability, joint.share) == pytest.approx(wanted, rel=1e-5)


# -- other models --------------------------------------------------------------------------------


@pytest.mark.parametrize("leaf", [5, 40])
def test_cart_equals_scikit_learn(leaf):
    original, protected = mixed(700, 1), mixed(500, 2)
    protected["y"] *= 1.3
    said = MIXED | {"options": {"seed": 9}}
    found = propensity(
        original, protected, schema=said, model="cart", leaf=leaf, resamples=0, permutations=2
    )
    joint = joint_of(original, protected, MIXED)
    pooled = pd.concat([original, protected])
    features = [pooled["n"].eq(level) for level in ("a", "b", "c")]
    features.append(pooled["n"].isna())
    scores = pooled["o"].map({1.0: 0.0, 2.0: 1.0, 5.0: 2.0, 9.0: 3.0})
    for column in (scores, pooled["x"]):
        features += [column.fillna(column.mean()), column.isna()]
    features.append(pooled["y"])
    by_hand = np.column_stack(features).astype(float)
    assert tree_features(joint)[0] == pytest.approx(by_hand, rel=1e-12)
    tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=9)
    tree.fit(by_hand, joint.protected)
    scored = tree.predict_proba(by_hand)[:, 1]
    assert found.value == pytest.approx(score_distance(scored, 500 / 1200), rel=1e-12)
    assert found.rank is None


def test_spline_sees_a_change_that_main_effects_miss():
    rng = np.random.default_rng(2)
    original = pd.DataFrame(rng.normal(size=(2000, 2)), columns=["a", "b"])
    protected = pd.DataFrame(rng.normal(size=(2000, 2)), columns=["a", "b"])
    protected["a"] = np.sign(original["a"]) * original["a"].abs() ** 0.4
    protected["b"] = rng.permutation(original["b"])
    straight = propensity(original, protected, model="logit", resamples=0)
    curved = propensity(original, protected, model="spline", resamples=0, permutations=5)
    assert straight.ratio < 4
    assert curved.ratio > 20
    assert curved.model == "spline"
    assert "spline" in curved.description


# -- expectation and null distribution -----------------------------------------------------------


@pytest.mark.parametrize(("before", "after"), [(600, 600), (900, 300), (300, 900)])
def test_expectation_of_a_resample(before, after):
    rng = np.random.default_rng(1)
    frames = [
        pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc")) for rows in (before, after)
    ]
    found = propensity(*frames, model="logit", resamples=0)
    c = after / (before + after)
    assert found.expected == pytest.approx(3 * (1 - c) ** 2 * c / (before + after), rel=1e-12)
    assert found.ratio == pytest.approx(found.value / found.expected, rel=1e-12)


def test_dependent_and_constant_columns_do_not_count():
    rng = np.random.default_rng(1)
    plain, more = [], []
    for rows in (400, 500):
        frame = pd.DataFrame(rng.normal(size=(rows, 2)), columns=["a", "b"])
        plain.append(frame)
        more.append(frame.assign(double=2 * frame["a"] + 1, total=frame["a"] - frame["b"], one=7.0))
    said = {"variable": {name: {"type": "continuous"} for name in more[0]}}
    one = propensity(*plain, model="logit", resamples=0)
    other = propensity(*more, schema=said, model="logit", resamples=0)
    assert (other.rank, other.terms) == (2, 5)
    assert other.value == pytest.approx(one.value, rel=1e-9)
    assert other.expected == pytest.approx(one.expected, rel=1e-12)


def test_expectation_of_a_tree_is_that_of_permuted_labels():
    rng = np.random.default_rng(1)
    frames = [pd.DataFrame(rng.normal(size=(rows, 2)), columns=["a", "b"]) for rows in (1200, 400)]
    found = propensity(*frames, model="cart", resamples=0, permutations=40)
    points, y = pd.concat(frames).to_numpy(), labels(*frames)
    shuffled = []
    for _ in range(40):
        y = rng.permutation(y)
        tree = DecisionTreeClassifier(min_samples_leaf=20, random_state=1).fit(points, y)
        shuffled.append(score_distance(tree.predict_proba(points)[:, 1], 0.25))
    assert found.expected == pytest.approx(0.75 * np.mean(shuffled), rel=0.05)
    assert found.ratio == pytest.approx(found.value / found.expected)


def test_null_share_is_set_by_the_seed():
    original = make_survey(500, 1)[["age", "income", "sex"]]
    protected = original.sample(500, replace=True, random_state=3)
    found = {}
    for seed in (1, 1, 2, 3, 4):
        result = propensity(
            original, protected, schema=types_of(original, seed=seed), model="logit", resamples=30
        )
        assert 0 <= result.null_share <= 1
        assert (result.seed, result.resamples) == (seed, 30)
        assert found.setdefault(seed, result) == result
    assert len({result.null_share for result in found.values()}) > 1


@pytest.mark.parametrize("model", ["logit", "cart"])
def test_null_share_of_a_file_unlike_the_original_is_zero(model):
    original = make_survey(500, 1)[["age", "score"]]
    protected = original.assign(score=original["score"] * 0.5 + original["age"])
    found = propensity(original, protected, model=model, resamples=10, permutations=2)
    assert found.null_share == 0


@pytest.mark.slow
def test_resamples_of_the_original_are_as_expected():
    ratios, shares = [], []
    for seed in range(20):
        original = make_survey(1000, seed)[["region", "education", "income", "score", "height"]]
        protected = original.sample(1000, replace=True, random_state=seed)
        found = propensity(
            original,
            protected,
            schema=types_of(original),
            model="logit",
            interactions="pairs",
            resamples=20,
        )
        ratios.append(found.ratio)
        shares.append(found.null_share)
    assert 0.85 < np.mean(ratios) < 1.2
    assert min(shares) < 0.3
    assert max(shares) > 0.7
    assert 0.3 < np.mean(shares) < 0.7


@pytest.mark.slow
def test_halves_of_one_file_have_twice_the_expectation():
    ratios = []
    for seed in range(20):
        whole = make_survey(2000, seed)[["region", "education", "income", "score", "height"]]
        found = propensity(
            whole[:1000],
            whole[1000:],
            schema=types_of(whole),
            model="logit",
            interactions="pairs",
            resamples=0,
        )
        ratios.append(found.ratio)
    assert 1.7 < np.mean(ratios) < 2.3


@pytest.mark.parametrize("seed", range(3))
def test_interactions_see_a_permuted_column_that_main_effects_do_not(seed):
    original = make_survey(2000, seed)
    protected = original.copy()
    order = np.random.default_rng(seed).permutation(2000)
    protected["education"] = original["education"].to_numpy()[order]
    plain, pairs = (
        propensity(
            original,
            protected,
            schema=schema(),
            model="logit",
            interactions=interactions,
            resamples=0,
        )
        for interactions in ("none", "pairs")
    )
    assert plain.ratio < 2
    assert pairs.ratio > 3
    drops = {v.name: v.drop for v in pairs.variables}
    assert max(drops, key=drops.get) == "education"


def test_drop_is_that_of_the_model_without_the_variable():
    original = make_survey(600, 1)
    protected = perturb(original, 0.3)
    found = propensity(original, protected, schema=schema(), model="logit", degree=2, resamples=0)
    assert [v.name for v in found.variables] == list(original)
    for name in ("region", "income"):
        rest = original.drop(columns=name)
        without = propensity(
            rest,
            protected.drop(columns=name),
            schema=types_of(rest),
            model="logit",
            degree=2,
            resamples=0,
        )
        drop = next(v.drop for v in found.variables if v.name == name)
        assert drop == pytest.approx(found.value - without.value, rel=1e-4, abs=1e-7)


# -- the first study of Woo et al. ---------------------------------------------------------------


def microaggregated(frame):
    """By threes along the projection of z-scores."""
    order = ((frame - frame.mean()) / frame.std()).sum(axis=1).to_numpy().argsort()
    groups = np.empty(len(frame), dtype=int)
    groups[order] = np.minimum(np.arange(len(frame)) // 3, len(frame) // 3 - 1)
    return frame.groupby(groups).transform("mean")


def with_noise(frame, coarse, rng):
    """Noise with the covariance that microaggregation removed."""
    removed = frame.cov() - coarse.cov()
    return coarse + rng.multivariate_normal([0, 0], removed, len(frame))


def rank_swapped(frame, share, rng):
    """Each value against one at most so far away in rank."""
    found = frame.copy()
    for name in frame:
        order = frame[name].to_numpy().argsort()
        values = frame[name].to_numpy().copy()
        free = np.ones(len(order), dtype=bool)
        for i in range(len(order)):
            if not free[i]:
                continue
            near = np.flatnonzero(free[i + 1 : i + 1 + int(share * len(order))])
            if len(near):
                j = i + 1 + rng.choice(near)
                values[order[[i, j]]] = values[order[[j, i]]]
                free[[i, j]] = False
        found[name] = values
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("make", "seed"), [(heavy, 3), (heavy, 5), (skewed, 3), (skewed, 4)])
def test_first_study_of_woo(make, seed):
    original = make(10_000, seed)
    rng = np.random.default_rng(seed)
    coarse = microaggregated(original)
    maskings = {
        "simulated": simulated(original, seed),
        "microaggregated": coarse,
        "with noise": with_noise(original, coarse, rng),
        "swapped": rank_swapped(original, 0.15, rng),
    }
    blind = propensity(original, maskings["simulated"], formula=MODEL_1, resamples=0)
    assert blind.ratio < 3
    seen = {
        name: propensity(original, masked, formula=MODEL_2, resamples=0)
        for name, masked in maskings.items()
    }
    assert seen["simulated"].ratio > 100
    assert min(seen, key=lambda name: seen[name].value) == "with noise"


# -- what the scores say -------------------------------------------------------------------------


def fitted_scores(said=None, frames=None):
    original, protected = frames or (mixed(700, 1), mixed(500, 2))
    joint = joint_of(original, protected, said or MIXED)
    model = LogitModel.of(chosen_design(joint, 1, "none", None).columns)
    return joint, model.fitted(joint.protected.astype(float)).probability


def test_auc_specks_and_percentiles():
    original, protected = mixed(700, 1), mixed(500, 2)
    protected["y"] *= 1.2
    joint, scores = fitted_scores(frames=(original, protected))
    found = propensity(original, protected, schema=MIXED, model="logit", resamples=0)
    told = joint.protected
    assert found.auc == pytest.approx(roc_auc_score(told, scores), rel=1e-9)
    assert found.specks == pytest.approx(
        stats.ks_2samp(scores[~told], scores[told]).statistic, rel=1e-9
    )
    for said, side in ((found.percentiles_original, ~told), (found.percentiles_protected, told)):
        assert list(said) == [str(p) for p in PERCENTILES]
        assert list(said.values()) == pytest.approx(np.percentile(scores[side], PERCENTILES))
        assert said == pytest.approx(percentiles(scores[side]))


def test_po50_counts_both_files_alike():
    scores = np.array([0.1, 0.4, 0.7, 0.2, 0.6, 0.8, 0.9])
    told = np.array([False, False, False, True, True, True, True])
    share = 4 / 7
    # Above the threshold: 1 of 3 original rows, 3 of 4 protected ones.
    assert separation(scores, told, share).po50 == pytest.approx(100 * ((2 / 3 + 3 / 4) / 2 - 0.5))
    at_threshold = separation(np.full(7, share), told, share)
    assert at_threshold.po50 == 0
    assert at_threshold.auc == 0.5
    assert at_threshold.specks == 0


def test_po50_of_a_fit():
    original, protected = mixed(600, 1), mixed(600, 2)
    protected["y"] *= 1.4
    joint, scores = fitted_scores(frames=(original, protected))
    found = propensity(original, protected, schema=MIXED, model="logit", resamples=0)
    right = np.mean((scores > 0.5) == joint.protected)
    assert found.po50 == pytest.approx(100 * (right - 0.5), abs=1e-9)
    assert found.po50 > 2


def test_rows_alike_have_scores_alike():
    """Equal rows count half against each other, wherever they stand in the files."""
    rng = np.random.default_rng(1)
    frames = [
        pd.DataFrame({f"v{i}": rng.choice([1, 2, 3], rows, p=p) for i in range(4)})
        for rows, p in ((803, [0.3, 0.3, 0.4]), (701, [0.35, 0.3, 0.35]))
    ]
    said = {"variable": {name: {"type": "nominal"} for name in frames[0]}}
    _, scores = fitted_scores(said, frames)
    found = propensity(*frames, schema=said, model="logit", resamples=0)
    rounded = np.round(scores, 9)
    told = labels(*frames) > 0
    assert len(np.unique(rounded)) == 81
    assert found.auc == pytest.approx(roc_auc_score(told, rounded), abs=1e-9)
    assert found.specks == pytest.approx(
        stats.ks_2samp(rounded[~told], rounded[told]).statistic, abs=1e-9
    )


def test_identical_files_cannot_be_told_apart(survey):
    found = propensity(survey, survey.copy(), schema=schema(), resamples=5)
    assert found.value == pytest.approx(0, abs=1e-15)
    assert found.auc == pytest.approx(0.5)
    assert found.po50 == pytest.approx(0)
    assert found.specks == pytest.approx(0)
    assert found.null_share == 1


# -- recoded and removed variables ---------------------------------------------------------------


BANDS = ["0-39", "40-59", "60+"]


def test_original_is_recoded_first():
    original = make_survey(800, 1)[["age", "income", "sex"]]
    bands = pd.cut(original["age"], [0, 40, 60, 200], right=False, labels=BANDS)
    protected = original.assign(age=bands.astype(str), income=original["income"] * 1.1)
    said = schema({"age": {"recode": {"breaks": [0, 40, 60], "labels": BANDS}}})
    said["variable"] = {n: said["variable"][n] for n in original}
    only = ["propensity"]
    banded = assess(original, protected, schema=said, only=only)
    order = {"type": "ordinal", "order": BANDS}
    both = assess(
        original.assign(age=bands.astype(str)),
        protected,
        schema={"variable": said["variable"] | {"age": order}},
        only=only,
    )
    assert banded.propensity.value == pytest.approx(both.propensity.value, rel=1e-8)
    assert banded.propensity.rank == both.propensity.rank
    assert any("age" in note and "recoding" in note for note in banded.notes)
    assert not any("recoding the original" in note for note in both.notes)


def test_removed_variables_are_left_out():
    original = make_survey(500, 1)[["age", "income", "sex"]]
    protected = perturb(original, 0.2).drop(columns="age")
    found = assess(original, protected, schema=types_of(original), only=["propensity"])
    rest = original.drop(columns="age")
    without = propensity(rest, protected, schema=types_of(rest))
    assert found.propensity.value == pytest.approx(without.value, rel=1e-12)
    assert [v.name for v in found.propensity.variables] == ["income", "sex"]
    assert any("removed: age" in note for note in found.notes)


# -- the choice of a model -----------------------------------------------------------------------


def test_auto_takes_the_richest_model_that_the_rows_bear():
    kinds = {"variable": {name: {"type": "continuous"} for name in "abcd"}}
    # 12 main effects with cubes, 4 without; 6 products of values, 6 · (groups - 1)² of groups.
    for rows, terms, sees in ((38, 4, 0.0), (40, 5, 1 / 6), (60, 6, 1 / 3), (100, 10, 1.0)):
        found = of_normal(rows, kinds)
        assert (found.propensity.terms, found.propensity.sees.share) == (terms, sees), rows
        poor = any("Fewer than 20 rows" in note for note in found.notes)
        assert poor == (rows <= 40)
    for rows, terms, groups in ((178, 17, 2), (180, 18, None), (600, 18, None)):
        found = of_normal(rows, kinds).propensity
        assert (found.terms, found.design.groups) == (terms, groups), rows
        assert found.sees.pairs == terms - 12
        assert found.model == "logit"
        assert found.description


def of_normal(rows, said):
    rng = np.random.default_rng(rows)
    frames = [pd.DataFrame(rng.normal(size=(rows, 4)), columns=list("abcd")) for _ in range(2)]
    return assess(*frames, schema=said, only=["propensity"])


def test_unmasked_variables_enter_through_interactions_only():
    original = make_survey(800, 1)[["age", "income", "score"]]
    protected = original.assign(income=np.random.default_rng(1).permutation(original["income"]))
    found = propensity(
        original,
        protected,
        schema=types_of(original, aligned=True),
        model="logit",
        interactions="pairs",
        unmasked="interactions",
        resamples=0,
    )
    pooled = pd.concat([original, protected])
    income = pooled["income"].to_numpy()
    columns = [income, income * pooled["age"].to_numpy(), income * pooled["score"].to_numpy()]
    assert found.terms == 3
    assert found.value == pytest.approx(
        statsmodels_distance(columns, labels(original, protected)), rel=1e-6
    )


# -- bad input -----------------------------------------------------------------------------------


def continuous(frame):
    return {"variable": {name: {"type": "continuous"} for name in frame}}


@pytest.mark.parametrize("count", [9, 60])
def test_fewer_rows_than_terms_has_a_reason(count):
    rng = np.random.default_rng(1)
    frames = [
        pd.DataFrame(rng.normal(size=(4, count)), columns=[f"v{i}" for i in range(count)])
        for _ in range(2)
    ]
    found = propensity(*frames, schema=continuous(frames[0]), model="logit")
    assert found.value is None
    assert "fewer rows" in found.reason


@pytest.mark.parametrize(
    ("model", "columns"),
    [(m, n) for m in ("auto", "logit", "cart") for n in (1, 4, 50)]
    + [("spline", 1), ("spline", 4)],
)
def test_perfect_separation(model, columns):
    rng = np.random.default_rng(1)
    names = [f"v{i}" for i in range(columns)]
    original = pd.DataFrame(rng.normal(size=(300, columns)), columns=names)
    protected = pd.DataFrame(rng.normal(size=(300, columns)), columns=names)
    original["v0"], protected["v0"] = original["v0"].abs(), -protected["v0"].abs()
    pairs = "none" if columns == 50 else "pairs"
    chosen = {"model": model, "interactions": pairs, "resamples": 2, "permutations": 2}
    found = assess(
        original,
        protected,
        schema=continuous(original) | {"propensity": chosen},
        only=["propensity"],
    )
    result = found.propensity
    assert result.value == pytest.approx(0.25, abs=1e-3)
    assert result.auc == pytest.approx(1)
    assert np.isfinite(list(result.percentiles_original.values())).all()
    if model != "cart":
        assert any("certainty" in note for note in found.notes)


def test_one_category_on_one_side_only():
    original = make_survey(400, 1)[["region", "income"]]
    protected = original.assign(region=original["region"].replace("west", "elsewhere"))
    found = propensity(original, protected, schema=types_of(original), model="logit", resamples=0)
    west = (original["region"] == "west").mean()
    assert found.value == pytest.approx(west / 4, rel=1e-2)


@pytest.mark.parametrize("model", ["auto", "logit", "spline", "cart"])
def test_nothing_but_constants(model):
    frame = pd.DataFrame({"a": np.ones(50), "b": np.full(50, 3.5)})
    found = propensity(frame, frame.copy(), schema=continuous(frame), model=model, permutations=2)
    assert found.value == pytest.approx(0, abs=1e-15)
    assert found.ratio is None


@pytest.mark.parametrize("model", ["auto", "logit", "spline", "cart"])
@pytest.mark.parametrize("sides", [(1, 1), (1, 60), (60, 1)])
def test_one_row_in_a_file(model, sides):
    whole = make_survey(60, 1)[["age", "income", "sex"]]
    original, protected = (whole[-rows:] for rows in sides)
    found = assess(
        original,
        protected,
        schema=types_of(whole) | {"propensity": {"model": model, "permutations": 2}},
        only=["propensity", "clusters", "ecdf"],
    )
    figures = [(found.ecdf.maximum, found.ecdf.reason)]
    figures += [(r.value, r.reason) for r in (found.propensity, *found.clusters)]
    for value, reason in figures:
        assert reason if value is None else 0 <= value < np.inf
    if sides == (1, 1):
        assert found.propensity.value is None
        assert found.propensity.reason


def test_no_variable_left():
    original = make_survey(60, 1)[["age", "sex"]]
    protected = pd.DataFrame({"other": range(60), "age": [None] * 60})
    said = {"variable": {"other": {"role": "exclude"}, "age": {"role": "exclude"}}}
    found = assess(original, protected, schema=said, only=["propensity", "clusters", "ecdf"])
    for result in (found.propensity, found.ecdf, *found.clusters):
        assert "no variable" in result.reason
    assert found.propensity.value is None
    assert found.ecdf.maximum is None
    assert all(result.value is None for result in found.clusters)


@pytest.mark.parametrize(
    "formula",
    [
        '~ __import__("os").getcwd()',
        "~ z1.mean()",
        "~ z1 + open('x')",
        "~ z1 + nothing",
        "z1 ~ z2",
        "~",
        "~ z1[0]",
        "~ (lambda: z1)()",
        "~ z1 # + z2",
    ],
)
def test_formula_with_code_or_faults_is_refused(formula):
    frame = heavy(50, 1)
    with pytest.raises(InputError, match="formula"):
        propensity(frame, frame.copy(), formula=formula)


def test_formula_whose_terms_are_not_finite():
    frame = heavy(50, 1).assign(z1=lambda f: f["z1"].abs())
    frame.loc[3, "z1"] = 0.0
    found = propensity(frame, frame.copy(), formula="~ log(z1) + z2")
    assert found.value is None
    assert "finite" in found.reason


@pytest.mark.parametrize("formula", ["~ I(region**2) + age", "~ log(region)", "~ exp(income)"])
def test_formula_that_cannot_be_evaluated_has_a_reason(survey, formula):
    try:
        found = propensity(survey, perturb(survey, 0.1), schema=schema(), formula=formula)
    except InputError:
        return
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize("how", ["removed", "excluded"])
def test_formula_with_a_variable_that_is_not_compared(survey, how):
    """Null with a reason or a refusal that names it, never another error."""
    said = schema({"age": {"role": "exclude"}} if how == "excluded" else None)
    protected = perturb(survey, 0.1)
    if how == "removed":
        protected = protected.drop(columns="age")
    try:
        reason = propensity(survey, protected, schema=said, formula="~ age + income").reason
    except InputError as error:
        reason = str(error)
    assert "age" in reason


def test_formula_sees_different_missingness():
    """The indicator "is missing" joins every model."""
    original = make_survey(500, 1)[["income", "score"]]
    protected = original.mask(np.random.default_rng(1).random(original.shape) < [0.3, 0])
    by_degree = propensity(original, protected, model="logit", resamples=0)
    by_formula = propensity(original, protected, formula="~ income + score", resamples=0)
    assert by_degree.rank == 3
    assert by_formula.value == pytest.approx(by_degree.value, rel=1e-8)


def test_numbers_whose_powers_overflow_have_a_reason(survey):
    frames = [f.assign(income=f["income"] * 1e150) for f in (survey, perturb(survey, 0.1))]
    found = propensity(*frames, schema=schema(), model="logit", degree=3, resamples=0)
    assert found.reason
    assert found.value is None or np.isfinite(found.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("model", "forest"), ("degree", 0), ("depth", 3), ("interactions", "some"), ("formula", 3)],
)
def test_choices_that_do_not_exist(name, value):
    frame = heavy(50, 1)
    with pytest.raises(InputError):
        propensity(frame, frame.copy(), **{name: value})


# -- sections ------------------------------------------------------------------------------------


def test_only_and_skip_choose_sections(survey):
    sections = ("gdu", "propensity", "clusters", "ecdf")

    def computed(**chosen):
        found = assess(survey, survey.copy(), schema=schema(), **chosen)
        return [name for name in sections if getattr(found, name) is not None]

    assert computed() == ["gdu", "propensity"]
    assert computed(only=["gdu", "ecdf"]) == ["gdu", "ecdf"]
    assert computed(skip=["gdu"]) == ["propensity"]
    assert computed(only=["gdu", "ecdf"], skip=["gdu"]) == ["ecdf"]


def test_unknown_section_is_refused(survey):
    for chosen in ({"only": ["propensitty"]}, {"skip": ["cluster"]}):
        with pytest.raises(InputError, match=r"there is no section"):
            assess(survey, survey, schema=schema(), **chosen)
    with pytest.raises(InputError, match="no section is left"):
        assess(survey, survey, schema=schema(), only=["ecdf"], skip=["ecdf"])


@pytest.fixture
def files(tmp_path):
    original = make_survey(300, 1)
    original.to_csv(tmp_path / "original.csv", index=False)
    perturb(original, 0.2).to_csv(tmp_path / "protected.csv", index=False)
    return [str(tmp_path / "original.csv"), str(tmp_path / "protected.csv")]


def run(capsys, *arguments):
    assert main(["assess", *arguments, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)


def test_command_line_chooses_sections_and_settings(files, capsys):
    found = run(capsys, *files, "--only", "gdu,propensity")
    assert found["gdu"]["value"] is not None
    assert found["propensity"]["model"] == "logit"
    assert found.get("clusters") is None
    assert found.get("ecdf") is None
    found = run(capsys, *files, "--skip", "clusters,gdu", "--set", "propensity.model=cart")
    assert found["propensity"]["model"] == "cart"
    assert found["tables"]["value"] > 0
    assert found.get("clusters") is None
    assert found.get("gdu") is None
    found = run(
        capsys,
        *files,
        *("--only", "propensity", "--set", "propensity.model=logit"),
        *("--set", "propensity.resamples=7", "--set", "options.seed=5"),
    )
    assert (found["propensity"]["resamples"], found["propensity"]["seed"]) == (7, 5)


def test_command_line_refuses_what_does_not_exist(files, capsys):
    for wrong in (["--only", "gdx"], ["--set", "propensity.model=forest"], ["--set", "model"]):
        assert main(["assess", *files, *wrong]) == 2
        assert capsys.readouterr().err


def test_figures_of_paths_are_those_of_frames(files):
    by_path = propensity(*files, schema=schema(), resamples=3)
    by_frame = propensity(*map(pd.read_csv, files), schema=schema(), resamples=3)
    assert by_path == by_frame


def test_a_sample_beyond_the_limit_says_so(survey):
    said = schema() | {"propensity": {"sample": 300, "model": "logit"}}
    found = assess(survey, perturb(survey, 0.1), schema=said, only=["propensity"])
    assert found.propensity.rows == 300
    assert any("sample of 300 of 800 rows" in note for note in found.notes)


# -- what changes no figure ----------------------------------------------------------------------


FIGURES = ("value", "expected", "ratio", "rank", "terms", "auc", "specks", "po50")


def globals_of(original, protected, said):
    """Every global figure that has no draw of rows in it."""
    chosen = {
        "propensity": {"model": "logit", "degree": 2, "interactions": "pairs", "resamples": 0},
        "clusters": {"method": "average", "groups": [2, 5, 20]},
    }
    found = assess(
        original, protected, schema=said | chosen, only=["propensity", "clusters", "ecdf"]
    )
    scores = found.propensity
    figures = {name: getattr(scores, name) for name in FIGURES}
    figures |= {f"drop {v.name}": v.drop for v in scores.variables}
    for side in ("original", "protected"):
        said = getattr(scores, f"percentiles_{side}")
        figures |= {f"{side} {p}": value for p, value in said.items()}
    figures |= {f"groups {c.groups}": c.value for c in found.clusters}
    return figures | {"maximum": found.ecdf.maximum, "mean square": found.ecdf.mean_square}


def rescaled(frame):
    return frame.assign(
        income=frame["income"] * 1000, score=frame["score"] * 0.001, height=frame["height"] / 3
    )


def relabelled(frame):
    names = {"north": "z", "east": "y", "south": "x", "west": "a"}
    return frame.assign(region=frame["region"].map(names), sex=frame["sex"].map({1: 8, 2: 3}))


def shuffled(frame):
    return frame.sample(frac=1, random_state=4)


def turned(frame):
    return frame[frame.columns[::-1]]


@pytest.mark.parametrize("change", [rescaled, relabelled, shuffled, turned])
@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_no_global_figure_changes(change, missing):
    original = make_survey(350, 2, missing)
    protected = perturb(original, 0.3)[:300]
    plain = globals_of(original, protected, schema())
    changed = globals_of(change(original), change(protected), schema())
    assert changed == pytest.approx(plain, rel=1e-5, abs=1e-6)
    assert plain["value"] > 1e-3


def test_unmasked_variables_do_not_depend_on_labels():
    original = make_survey(500, 1)[["region", "sex", "income"]]
    protected = original.assign(region=np.random.default_rng(1).permutation(original["region"]))
    plain, changed = (
        propensity(
            change(original),
            change(protected),
            schema=types_of(original, aligned=True),
            model="logit",
            interactions="pairs",
            unmasked="interactions",
            resamples=0,
        ).value
        for change in (lambda frame: frame, relabelled)
    )
    assert changed == pytest.approx(plain, rel=1e-6)


def test_cart_does_not_depend_on_scale_or_row_order():
    original = make_survey(600, 2)[["income", "score", "height"]]
    protected = original * np.random.default_rng(1).normal(1, 0.2, original.shape)
    chosen = {"model": "cart", "resamples": 0, "permutations": 2}
    plain = propensity(original, protected, **chosen)
    for change in (lambda frame: frame * 1024, shuffled):
        changed = propensity(change(original), change(protected), **chosen)
        assert changed.value == pytest.approx(plain.value, rel=1e-9)
    assert plain.value > 0.01


@pytest.mark.parametrize(
    ("auc_cross", "said"),
    [(0.48, "no better than"), (0.504, "no better than"), (0.53, "little better than")],
)
def test_a_small_difference_is_said_to_be_hardly_one(auc_cross, said):
    """Of many rows the least difference is no chance, and no use to whoever guesses."""
    original = make_survey(400, 1)[["region", "sex"]]
    found = propensity(original, perturb(original, 0.3), resamples=0)
    small = replace(found, beyond_chance=True, size="small", auc_cross=auc_cross)
    told = (headline(small).sentence, propensity_story(small))
    assert all(f"the model is {said} guessing on records that it was not" in one for one in told)
    assert all("told apart beyond chance" in one for one in told)
    clear = replace(small, size="clear", auc_cross=0.6)
    assert "guessing" not in headline(clear).sentence
