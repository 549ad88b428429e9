"""The design of `auto`: pairs always, chosen on the original alone; what its words may say."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from statsmodels.gam.api import GLMGam
from statsmodels.gam.smooth_basis import GenericSmoothers, UnivariateGenericSmoother
from threadpoolctl import threadpool_limits

from microgauge import InputError, Schema, propensity, rank
from microgauge.engines.rounds import run_one
from microgauge.log import Log
from microgauge.measures.joint.additive import AdditiveModel, curve_basis, difference_penalty
from microgauge.measures.joint.boost import LEAVES, TREES
from microgauge.measures.joint.designs import planned_design, tree_features
from microgauge.measures.joint.folds import cross_auc, folds_of
from microgauge.measures.joint.grouping import Frequencies, coarse, pooled
from microgauge.measures.joint.ladder import Plan, association, chosen_plan
from microgauge.measures.joint.logit import Lead, independent
from microgauge.measures.joint.propensity import LogitModel, score_distance
from microgauge.measures.joint.terms import main_effects
from microgauge.sections.joint.words import propensity_story
from microgauge.study.joint_rows import joint_rows, original_rows
from microgauge.study.study import Study
from microgauge.tables import read_table
from support.surveys import make_survey, perturb, schema


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


def study_of(original, protected, said=None):
    tables = [read_table(f, which=w) for f, w in ((original, "original"), (protected, "protected"))]
    return run_one(Study.prepare(*tables, Schema.from_dict(said or {}), Log()))


def joint_of(original, protected, said=None):
    return run_one(joint_rows(study_of(original, protected, said), Log())).ordered()


def permuted(frame, seed=1):
    rng = np.random.default_rng(seed)
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


def resample(frame, seed):
    return frame.sample(len(frame), replace=True, random_state=seed)


# -- groups --------------------------------------------------------------------------------------


def test_groups_are_those_of_the_original_alone():
    rng = np.random.default_rng(1)
    original = pd.DataFrame(
        {
            "x": np.round(rng.normal(size=600), 2),
            "zeros": np.where(rng.random(600) < 0.9, 0.0, rng.gamma(2, 1, 600).round(2)),
            "n": rng.choice(list("abcdefg"), 600, p=[0.4, 0.3, 0.1, 0.1, 0.06, 0.02, 0.02]),
        }
    )
    new = np.where(rng.random(600) < 0.5, "z", original["n"])
    others = [resample(original, 2), original.assign(n=new, x=original["x"] + 7)]
    for protected in others:
        joint = joint_of(original, protected, {"options": {"aligned": False}})
        known = Frequencies.of(joint)
        names = [v.name for v in joint.variables]
        for name, groups, rows in (("x", 4, None), ("zeros", 6, 2), ("n", 3, 3)):
            place = names.index(name)
            found = coarse(place, joint.variables[place], known, groups)
            counts = np.bincount(found.of(joint.codes[~joint.protected, place]))
            assert len(counts) == (rows or groups)
            assert counts.argmax() == 0
            if name == "x":
                assert counts.min() > 130
            if name == "n":
                shares = original["n"].value_counts().to_numpy()
                assert sorted(counts)[::-1] == sorted([*shares[:2], shares[2:].sum()])[::-1]


def test_rare_categories_and_new_ones_are_pooled():
    original = pd.DataFrame(
        {"n": ["a"] * 60 + ["b"] * 20 + ["c"] * 19 + ["d"] * 3, "x": range(102)}
    )
    protected = original.assign(n=original["n"].replace("b", "new"))
    said = {"variable": {"x": {"type": "continuous"}}, "options": {"aligned": False}}
    joint = joint_of(original, protected, said)
    found = pooled(0, Frequencies.of(joint), misses=False)
    assert found.size == 3  # a, b, the rest
    rows = np.bincount(found.of(joint.codes[joint.protected, 0]), minlength=3)
    assert sorted(rows) == [0, 42, 60]


def test_association_is_that_of_scipy_without_its_bias():
    rng = np.random.default_rng(1)
    table = rng.integers(5, 40, (3, 4)).astype(float)
    n = table.sum()
    phi = stats.chi2_contingency(table, correction=False).statistic / n
    wanted = (phi - 6 / (n - 1)) / (3 - 4 / (n - 1) - 1)
    assert association(table) == pytest.approx(max(wanted, 0), abs=1e-8)


# -- the ladder ----------------------------------------------------------------------------------


def test_a_design_does_not_depend_on_the_candidate_or_the_order():
    plain = make_survey(700, 1, 0.05)
    original = plain.assign(id=range(700))
    said = schema() | {"options": {"key": "id"}}
    files = [
        original.assign(region="new"),
        perturb(plain, 0.3).assign(id=range(700)).drop(columns="income"),
        original.sample(350, random_state=1),
    ]
    said["variable"] = said["variable"] | {"sex": {"type": "nominal", "role": "quasi_identifier"}}
    chosen = {"schema": said, "only": ["propensity"], "names": ["a", "b", "c"]}
    there = rank(original, files, **chosen)
    back = rank(original, files[::-1], **chosen | {"names": ["c", "b", "a"]})
    found = {c.name: c.assessment.propensity for c in there.candidates}
    assert len({f.design for f in found.values()}) == 1
    assert found["a"].design.rows == 1050
    for candidate in back.candidates:
        assert candidate.assessment.propensity == found[candidate.name]


def test_pairs_by_association_until_the_rows_are_used_up():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(250, 8)), columns=list("abcdefgh"))
    frame["h"] = frame["a"] + 0.1 * rng.normal(size=250)
    frame["g"] = frame["b"] + 0.3 * rng.normal(size=250)
    found = propensity(frame, permuted(frame), schema={"options": {"aligned": False}})
    assert 0 < found.sees.share < 1
    assert {("a", "h"), ("b", "g")} <= set(found.sees.names)
    assert found.terms <= 500 / 20
    assert found.beyond_chance


def many_categories(rows, seed):
    """Twelve variables whose main effects alone would use up a few hundred rows."""
    rng = np.random.default_rng(seed)
    core = rng.normal(size=rows)
    labels = {
        f"n{i}": pd.cut(core + rng.normal(size=rows) / 2, 6, labels=list("uvwxyz")).astype(str)
        for i in range(10)
    }
    return pd.DataFrame(labels | {n: (core + rng.normal(size=rows)).round(1) for n in "ab"})


def test_categories_are_joined_until_pairs_have_their_share():
    original = many_categories(265, 1)
    joint = run_one(original_rows(study_of(original, original)))
    plan = chosen_plan(joint, 530)
    assert plan.categories is not None
    assert plan.degree == 1
    assert plan.pairs
    in_main = plan.terms - len(plan.pairs)
    assert in_main <= 0.75 * 530 / 20
    known = Frequencies.of(joint)
    one_more = sum(
        pooled(place, known, False, plan.categories + 1).size - 1 if v.kind == "nominal" else 1
        for place, v in enumerate(joint.variables)
    )
    assert one_more > 0.75 * 530 / 20  # no further than they must
    found = propensity(original, permuted(original), schema={"options": {"aligned": False}})
    assert found.value > 0
    assert found.design.categories == plan.categories
    assert f"at most {plan.categories} groups" in found.description
    assert found.terms == plan.terms
    assert found.beyond_chance


def test_joined_categories_are_the_less_frequent_ones():
    labels = ["a"] * 60 + ["b"] * 40 + ["c"] * 30 + ["d"] * 25 + ["e"] * 3
    original = pd.DataFrame({"n": labels, "x": range(158)})
    said = {"variable": {"x": {"type": "continuous"}}, "options": {"aligned": False}}
    joint = joint_of(original, original.assign(n=original["n"].replace("e", "new")), said)
    known = Frequencies.of(joint)
    for most, wanted in ((None, [60, 40, 30, 25, 3]), (5, [60, 40, 30, 25, 3])):
        assert sizes(pooled(0, known, False, most), joint) == wanted
    assert sizes(pooled(0, known, False, 4), joint) == [60, 40, 30, 28]
    assert sizes(pooled(0, known, False, 2), joint) == [98, 60]


def sizes(grouping, joint):
    return np.bincount(grouping.of(joint.codes[~joint.protected, 0])).tolist()


def test_numbers_alone_leave_room_for_pairs_too():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(100, 13)), columns=list("abcdefghijklm"))
    frame["m"] = frame["a"]
    found = propensity(frame, permuted(frame), schema={"options": {"aligned": False}})
    assert found.design.categories is None
    assert found.terms == 13 + 2  # a quarter of what 200 rows bear
    assert ("a", "m") in found.sees.names


def test_the_mean_ratio_of_resamples_is_one_where_categories_are_joined():
    frame = many_categories(265, 2)
    found = [propensity(frame, resample(frame, seed), resamples=0) for seed in range(30)]
    assert found[0].design.categories is not None
    mean = np.mean([f.ratio for f in found])
    assert abs(mean - 1) <= 3 * np.sqrt(2 / (30 * found[0].rank_original)) + 0.05


@pytest.mark.parametrize("rows", [600, 1500])
def test_permuted_columns_are_always_told_apart(rows):
    original = linked(rows, 1)
    found = propensity(original, permuted(original))
    assert "hardly" not in propensity_story(found)
    assert found.ratio > 1 + 3 * np.sqrt(2 / found.rank)
    assert found.sees.share > 0


@pytest.mark.parametrize("seed", range(24))
def test_permuted_columns_of_small_files_are_never_hardly_told_apart(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(30, 400))
    core = rng.choice([0.0, 0.2, 0.6]) * rng.normal(size=rows)
    frame = pd.DataFrame(
        {name: (core + rng.normal(size=rows)).round(1) for name in "abcd"[: rng.integers(2, 5)]}
    )
    frame["g"] = pd.cut(core + rng.normal(size=rows), 3, labels=list("xyz")).astype(str)
    found = propensity(frame, permuted(frame), schema={"options": {"aligned": False}})
    assert "hardly" not in propensity_story(found)


def test_too_few_rows_to_see_anything_are_said_to_be_so():
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 3)).round(1), columns=[*"abc"])
    found = propensity(frame, frame.copy(), schema={"options": {"aligned": False}})
    assert found.sees_permuted is False
    assert found.permuted_ratio > found.ratio
    assert "says little" in propensity_story(found)


def test_chance_is_that_of_the_original():
    """A protected file that parts what always went together makes no resample any richer."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.choice([*"xyz"], 900), "b": rng.normal(size=900).round(1)})
    frame["c"] = frame["a"]
    parted = frame.assign(c=rng.permutation(frame["c"]))
    found = propensity(frame, parted, schema={"options": {"aligned": False}}, resamples=0)
    assert found.rank_original < found.rank
    assert found.expected == pytest.approx(found.rank_original * 0.5**3 / found.rows)
    same = propensity(frame, resample(frame, 1), schema={"options": {"aligned": False}})
    assert same.rank_original == same.rank == found.rank_original


def linked(rows, seed):
    """Eight variables that hang together."""
    rng = np.random.default_rng(seed)
    core = rng.normal(size=rows)
    numbers = {name: (core + rng.normal(size=rows)).round(2) for name in "abcd"}
    labels = {
        name: pd.cut(core + rng.normal(size=rows), 4, labels=list("wxyz")).astype(str)
        for name in "efgh"
    }
    return pd.DataFrame(numbers | labels)


def test_the_mean_ratio_of_resamples_is_one():
    frame = make_survey(900, 3, 0.05)
    found = [
        propensity(frame, resample(frame, seed), schema=schema(), resamples=0) for seed in range(20)
    ]
    mean = np.mean([f.ratio for f in found])
    assert abs(mean - 1) <= 3 * np.sqrt(2 / (20 * found[0].rank)) + 0.05
    assert abs(np.mean([f.auc_cross for f in found]) - 0.5) < 0.02
    assert np.mean([f.auc for f in found]) > 0.55  # what the cross-fit is for
    assert sum(f.beyond_chance for f in found) <= 2


def test_a_planned_fit_equals_statsmodels():
    original = make_survey(1200, 1)
    joint = joint_of(original, perturb(original, 0.3), schema())
    columns = planned_design(joint, Plan(3, 3, None, 2400, 0)).columns
    labels = joint.protected.astype(float)
    found = LogitModel.of(columns).fitted(labels)
    assert found.rank > 100
    matrix = columns.as_array()[:, independent(columns).kept]
    fit = sm.Logit(labels, sm.add_constant(matrix)).fit(disp=False, maxiter=100, tol=1e-10)
    assert fit.mle_retvals["converged"]
    wanted = score_distance(fit.predict(), joint.share)
    assert score_distance(found.probability, joint.share) == pytest.approx(wanted, rel=1e-6)


def test_drops_are_those_of_a_model_made_anew():
    original = make_survey(700, 1, 0.05)
    joint = joint_of(original, perturb(original, 0.3), schema())
    labels = joint.protected.astype(float)
    whole = LogitModel.of(planned_design(joint, Plan(3, 3, None, 1400, 0)).columns)
    fitted = whole.fitted(labels)
    for place in range(len(joint.variables)):
        quick = whole.without(place, fitted).fitted(labels)
        anew = LogitModel.of(whole.columns.kept(whole.columns.without(place))).fitted(labels)
        assert quick.rank == anew.rank
        assert score_distance(quick.probability, joint.share) == pytest.approx(
            score_distance(anew.probability, joint.share), rel=1e-4
        )


def test_drops_where_many_rows_are_told_apart():
    """Parents' region is one's own in the original; those of other files tell a tenth apart."""
    original = make_survey(900, 1)
    protected = perturb(original, 0.2)
    elsewhere = original["region"].sample(frac=1, random_state=3).to_numpy()
    moved = np.random.default_rng(2).random(900) < 0.4
    protected["parents"] = protected["region"].where(~moved, elsewhere)
    original["parents"] = original["region"]
    said = schema({"parents": {"type": "nominal"}})
    joint = joint_of(original, protected, said)
    labels = joint.protected.astype(float)
    whole = LogitModel.of(planned_design(joint, Plan(3, 3, None, 1800, 0)).columns)
    fitted = whole.fitted(labels)
    assert Lead.of(whole.columns, fitted.probability).own
    for place, variable in enumerate(joint.variables):
        quick = whole.without(place, fitted).fitted(labels)
        anew = LogitModel.of(whole.columns.kept(whole.columns.without(place))).fitted(labels)
        assert quick.rank == anew.rank
        np.testing.assert_allclose(quick.probability, anew.probability, atol=1e-3)
        distances = [score_distance(f.probability, joint.share) for f in (quick, anew)]
        assert distances[0] == pytest.approx(distances[1], rel=1e-5)
        assert fitted.separated
        assert anew.separated == (variable.name not in ("region", "parents"))


def test_what_renaming_and_turning_leave_alone():
    original = make_survey(500, 1, 0.05)
    protected = perturb(original, 0.3)
    names = {"north": "z", "east": "y", "south": "x", "west": "a"}
    said = schema()
    found = [
        propensity(*(change(f) for f in (original, protected)), schema=said, resamples=0)
        for change in (
            lambda f: f,
            lambda f: f.assign(region=f["region"].map(names)),
            lambda f: f[f.columns[::-1]],
            lambda f: f.assign(income=f["income"] * 1000),
        )
    ]
    for other in found[1:]:
        assert other.value == pytest.approx(found[0].value, rel=1e-5)
        assert other.design == found[0].design


# -- folds ---------------------------------------------------------------------------------------


def test_corresponding_and_equal_rows_are_in_one_fold():
    original = make_survey(400, 1)
    protected = original.assign(income=original["income"] * 1.01)
    protected.iloc[:40] = original.iloc[60:100].to_numpy()
    joint = joint_of(original, protected, schema() | {"options": {"aligned": True}})
    folds = folds_of(joint, 1)
    for unit in range(400):
        assert len(set(folds.of[joint.units == unit])) == 1
    rows = pd.DataFrame(joint.codes).assign(fold=folds.of)
    assert (rows.groupby(list(range(joint.codes.shape[1])))["fold"].nunique() == 1).all()
    assert np.bincount(folds.of).min() > 100


def test_a_copy_is_not_taken_for_its_original():
    frame = make_survey(500, 1)
    for other in (frame, frame.sample(frac=1, random_state=1), resample(frame, 1)):
        found = propensity(frame, other, schema=schema(), resamples=0)
        assert found.auc_cross == pytest.approx(0.5, abs=0.03)


def test_few_different_rows_still_have_folds():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.choice(list("xy"), 300), "b": rng.choice(list("uv"), 300)})
    found = propensity(frame, frame.copy(), schema={"options": {"aligned": True}})
    assert found.auc_cross == pytest.approx(0.5, abs=0.05)


def test_cross_auc_is_the_mean_of_scikit_learns():
    rng = np.random.default_rng(1)
    scores, protected, folds = rng.random(200).round(1), rng.random(200) < 0.4, np.arange(200) % 5
    total = weight = 0.0
    for fold in range(5):
        here = folds == fold
        pairs = protected[here].sum() * (~protected[here]).sum()
        total += pairs * roc_auc_score(protected[here], scores[here])
        weight += pairs
    assert cross_auc(scores, protected, folds) == pytest.approx(total / weight, rel=1e-12)


# -- other models --------------------------------------------------------------------------------


def test_boost_equals_scikit_learn():
    original = make_survey(500, 1)
    protected = perturb(original, 0.5)
    found = propensity(original, protected, schema=schema(), model="boost", permutations=2)
    joint = joint_of(original, protected, schema())
    points, _ = tree_features(joint)
    folds = folds_of(joint, 1).of
    scores = np.empty(joint.rows)
    for fold in range(5):
        here = folds == fold
        model = HistGradientBoostingClassifier(
            max_iter=TREES,
            max_leaf_nodes=LEAVES,
            min_samples_leaf=20,
            early_stopping=False,
            random_state=1,
        ).fit(points[~here], joint.protected[~here])
        scores[here] = model.predict_proba(points[here])[:, 1]
    assert found.value == pytest.approx(score_distance(scores, joint.share), rel=1e-9)
    assert found.auc_cross == pytest.approx(cross_auc(scores, joint.protected, folds), rel=1e-9)
    assert found.resamples == 2
    assert found.sees.share == 1


def test_boost_sees_what_permuting_breaks():
    original = linked(800, 1)
    chosen = {"model": "boost", "permutations": 5, "schema": {"options": {"aligned": False}}}
    broken = propensity(original, permuted(original), **chosen)
    drawn = propensity(original, resample(original, 1), **chosen)
    assert broken.auc_cross > 0.6 > 0.55 > drawn.auc_cross
    assert broken.ratio > drawn.ratio
    assert broken.beyond_chance


@pytest.mark.parametrize("penalty", [1.0, 100.0])
def test_the_additive_model_equals_statsmodels(penalty):
    rng = np.random.default_rng(1)
    frames = [pd.DataFrame({"x": rng.normal(0, s, n)}) for s, n in ((1.0, 500), (1.5, 400))]
    joint = joint_of(*frames)
    labels = joint.protected.astype(float)
    found = AdditiveModel.of(joint, main_effects(joint), penalty).fitted(labels)
    basis = curve_basis(joint.values[0])
    penalties = difference_penalty(basis.shape[1])[1:, 1:]
    centred = (basis - basis.mean(axis=0))[:, 1:]
    one = UnivariateGenericSmoother(joint.values[0], centred, None, None, penalties)
    model = GLMGam(
        labels,
        np.ones((joint.rows, 1)),
        smoother=GenericSmoothers(joint.values[0][:, None], [one]),
        alpha=[penalty / 2],  # statsmodels penalises by α β'Sβ, not by half of it
        family=sm.families.Binomial(),
    )
    fit = model.fit(maxiter=500, tol=1e-12)
    assert found.probability == pytest.approx(fit.fittedvalues, abs=1e-5)


def test_the_penalty_is_the_one_of_the_best_criterion():
    rng = np.random.default_rng(1)
    frames = [pd.DataFrame({"x": rng.normal(0, s, 600)}) for s in (1.0, 1.6)]
    joint = joint_of(*frames)
    labels = joint.protected.astype(float)
    for choice in ("aic", "gcv"):
        model = AdditiveModel.of(joint, main_effects(joint), choice)
        model.fitted(labels)
        assert model.penalty_used is not None
    # A straight line cannot see a wider distribution, a curve can.
    stiff = propensity(*frames, model="additive", penalty=1e8, permutations=3, resamples=0)
    loose = propensity(*frames, model="additive", permutations=3, resamples=0)
    assert loose.value > 5 * stiff.value
    assert loose.sees.share == 1  # of one variable there are no pairs


# -- variables left out, words -------------------------------------------------------------------


def test_a_variable_left_out_of_this_measure_alone():
    original = make_survey(400, 1)
    protected = perturb(original, 0.4)
    found = propensity(original, protected, schema=schema(), leave_out=["income", "region"])
    names = ["income", "region"]
    wanted = propensity(
        original.drop(columns=names),
        protected.drop(columns=names),
        schema={"variable": {k: v for k, v in schema()["variable"].items() if k not in names}},
    )
    assert found.value == pytest.approx(wanted.value, rel=1e-6)
    assert not {"income", "region"} & {v.name for v in found.variables}
    with pytest.raises(InputError, match="leave_out"):
        propensity(original, protected, schema=schema(), leave_out=["incom"])


@pytest.mark.parametrize("chosen", [{"penalty": -1}, {"penalty": "bic"}, {"leave_out": [3]}])
def test_choices_that_make_no_sense(chosen):
    frame = make_survey(60, 1)
    with pytest.raises(InputError):
        propensity(frame, frame, schema=schema(), model="additive", **chosen)


def test_a_model_without_pairs_never_says_hardly():
    frame = make_survey(500, 1)
    other = resample(frame, 1)
    for chosen in ({"model": "logit"}, {"model": "additive", "permutations": 2}):
        found = propensity(frame, other, schema=schema(), resamples=0, **chosen)
        assert found.sees.share == 0
        assert "hardly" not in propensity_story(found)
        assert "no pair" in propensity_story(found)
    related = linked(1500, 1)
    found = propensity(related, resample(related, 1), resamples=0)
    assert propensity_story(found).startswith("hardly to be told apart")
    assert "all pairs" in propensity_story(found)


def test_the_plan_counts_variables_that_are_gone():
    original = make_survey(500, 1)
    gone = original.drop(columns=["income", "region"])
    plans = [
        chosen_plan(run_one(original_rows(study_of(original, p, schema()))), 1000)
        for p in (original.copy(), gone)
    ]
    assert plans[0] == plans[1]


def test_records_that_differ_in_everything_leave_no_association_to_order_pairs_by():
    """Two people of different ages: chance alone would give as much as there is."""
    few = pd.DataFrame({"age": [20.0, 31.0], "pay": [5.0, 1.0], "zip": ["a", "b"]})
    assert association(np.eye(2)) == 0.0
    found = propensity(few, few)
    assert found.value is None or found.value == 0.0


def test_what_is_drawn_depends_neither_on_labels_nor_on_the_order_of_columns():
    """Folds and resamples are drawn from rows in an order that only their meaning decides."""
    original = make_survey(300, 1)
    protected = perturb(original, 0.3)
    names = {"north": "z", "east": "y", "south": "x", "west": "w"}

    def renamed(frame):
        return frame.assign(region=frame["region"].map(names))

    def turned(frame):
        return frame[frame.columns[::-1]]

    for said in (schema(), schema(aligned=False)):
        found = [
            propensity(change(original), change(protected), schema=said)
            for change in (lambda frame: frame, renamed, turned)
        ]
        first = found[0]
        for other in found[1:]:
            assert other.auc_cross == pytest.approx(first.auc_cross, abs=1e-9)
            assert other.null_share == first.null_share
