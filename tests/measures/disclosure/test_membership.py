"""Who was in the file: areas, rates and their intervals, and copies that are found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from microgauge.errors import Undefined
from microgauge.measures.disclosure.membership import (
    Roc,
    delong,
    membership,
    nearer_share,
    told,
    true_positives,
)
from microgauge.measures.disclosure.nearest import Attribute


def kernel(members, controls):
    """The AUC and DeLong's variance from all pairs, as their paper has them."""
    wins = (members[:, None] > controls) + 0.5 * (members[:, None] == controls)
    error = wins.mean(axis=1).var(ddof=1) / len(members)
    error += wins.mean(axis=0).var(ddof=1) / len(controls)
    return wins.mean(), np.sqrt(error)


@settings(max_examples=100, deadline=None)
@given(
    members=st.lists(st.integers(0, 9), min_size=2, max_size=30),
    controls=st.lists(st.integers(0, 9), min_size=2, max_size=30),
    level=st.sampled_from([0.8, 0.95, 0.99]),
)
def test_delong_equals_the_form_over_all_pairs(members, controls, level):
    members, controls = np.array(members, float), np.array(controls, float)
    found = delong(members, controls, level=level)
    auc, error = kernel(members, controls)
    assert found.value == pytest.approx(auc)
    if error > 0:
        half = norm.ppf((1 + level) / 2) * error
        limits = max(auc - half, 0.0), min(auc + half, 1.0)
        assert found.interval == pytest.approx(limits, abs=1e-9)


def test_area_of_another_program():
    rng = np.random.default_rng(1)
    members, controls = np.round(rng.normal(0.5, 1, 400), 1), np.round(rng.normal(size=300), 1)
    truth = np.repeat([1, 0], [400, 300])
    expected = roc_auc_score(truth, np.concatenate([members, controls]))
    assert delong(members, controls).value == pytest.approx(expected)


def test_all_told_apart_still_has_an_interval():
    low, high = delong(np.arange(10.0, 30.0), np.arange(10.0)).interval
    assert high == 1.0
    assert low == pytest.approx(0.025**0.1)  # ten of ten
    assert delong(np.arange(10.0), np.arange(10.0, 30.0)).interval[0] == 0.0


def test_the_curve_by_hand():
    # From the top: member 9, control 8, members 7 7 tied with control 7, control 1, member 0.
    roc = Roc.of(np.array([9.0, 7.0, 7.0, 0.0]), np.array([8.0, 7.0, 1.0]))
    assert roc.false == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert roc.true == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert roc.at(0.125) == pytest.approx(0.125)


@settings(max_examples=60, deadline=None)
@given(
    members=st.lists(st.integers(0, 5), min_size=1, max_size=12),
    controls=st.lists(st.integers(0, 5), min_size=1, max_size=12),
)
def test_tied_scores_are_broken_by_chance(members, controls):
    """The curve is the mean over the curves of scores whose ties are broken at random."""
    members, controls = np.array(members, float), np.array(controls, float)
    rng = np.random.default_rng(0)
    curves = []
    for _ in range(600):
        luck = rng.random(len(members) + len(controls)) / 2
        mine, other = members + luck[: len(members)], controls + luck[len(members) :]
        curves.append([np.mean(mine > c) for c in np.sort(other)[::-1]])
    found = Roc.of(members, controls).true[1:-1]
    assert found == pytest.approx(np.mean(curves, axis=0), abs=0.08)


def test_without_a_leak_the_rate_is_the_stated_one_however_few_the_controls():
    rng = np.random.default_rng(2)
    for controls in (5, 30, 200):
        rates = [Roc.of(rng.random(200), rng.random(controls)).at(0.02) for _ in range(3_000)]
        assert np.mean(rates) == pytest.approx(0.02, abs=0.003)


@pytest.mark.parametrize(("members", "controls"), [(500, 500), (4_000, 400), (300, 60)])
def test_false_alarms_are_rare(members, controls):
    rng = np.random.default_rng(3)
    alarms = np.zeros(3)
    for _ in range(600):
        found = told(rng.random(members), rng.random(controls))
        lows = found.auc.interval[0], found.tpr_01.interval[0], found.tpr_10.interval[0]
        alarms += np.array(lows) > (0.5, 0.01, 0.10)
    # 2.5 % and three standard errors
    assert (alarms / 600 <= 0.025 + 0.019).all()


def test_intervals_cover_the_rate_of_a_known_curve():
    """Members normal around 1, controls around 0: the rate at 10 % is Φ(1 + Φ⁻¹(0.1))."""
    rng = np.random.default_rng(4)
    truth, covered = norm.cdf(1 + norm.ppf(0.1)), 0
    for _ in range(400):
        roc = Roc.of(rng.normal(1, 1, 400), rng.normal(0, 1, 300))
        low, high = roc.estimate(0.1).interval
        covered += low <= truth <= high
    assert covered / 400 >= 0.93


def test_rates_of_a_perfect_score():
    found = told(np.arange(1_000.0, 2_000.0), np.arange(1_000.0))
    assert found.auc.value == found.tpr_01.value == found.tpr_10.value == 1.0
    assert found.tpr_01.interval[0] > 0.9


def test_the_strict_intruder_is_sure_of_few_copies():
    rng = np.random.default_rng(5)
    controls = rng.random(2_700)
    members = np.concatenate([np.full(27, 2.0), rng.random(2_673)])
    found = true_positives(members, controls, 0.01)
    assert found.interval[0] > 0.01
    assert found.value == pytest.approx(0.02, abs=0.005)


def test_more_looks_have_wider_intervals():
    rng = np.random.default_rng(6)
    members, controls = rng.random(300) + 0.1, rng.random(300)
    one, two = told(members, controls), told(members, controls, looks=2)
    for name in ("auc", "tpr_10"):
        narrow, wide = getattr(one, name).interval, getattr(two, name).interval
        assert wide[0] < narrow[0]
        assert wide[1] > narrow[1]


def people(rng, rows):
    """Four numbers that go together and four categories."""
    level = rng.normal(size=rows)
    columns = [0.5 * level + rng.normal(size=rows) for _ in range(3)]
    columns.append(np.round(np.exp(0.6 * level + 0.8 * rng.normal(size=rows)), 2))
    draws = [(levels, rng.exponential(levels / 3, rows)) for levels in (90, 2, 9, 5)]
    return columns + [np.minimum(draw.astype(int), levels - 1) for levels, draw in draws]


def released(seed, rows=2_700, copied=0.0, noise=0.0):
    """Attributes of an original and a holdout beside an independent file with some copies."""
    rng = np.random.default_rng(seed)
    original, protected, holdout = (people(rng, rows) for _ in range(3))
    count = round(copied * rows)
    own, place = (rng.choice(rows, count, replace=False) for _ in range(2))
    for i, (mine, other) in enumerate(zip(original, protected, strict=True)):
        other[place] = mine[own]
        if i < 4:
            other[place] += noise * mine.std() * rng.normal(size=count)
    return beside(original, protected, original), beside(holdout, protected, original)


def beside(units, protected, original):
    made = []
    for x, z, whole in zip(units, protected, original, strict=True):
        if x.dtype.kind == "f":
            made.append(Attribute("number", x / np.ptp(whole), z / np.ptp(whole)))
        else:
            made.append(Attribute("category", x, z))
    return made


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_one_record_in_a_hundred_copied_is_found(noise):
    for seed in range(4):
        found = membership(*released(seed, copied=0.01, noise=noise))
        assert found.tpr_01.interval[0] > 0.01
        assert found.nearer_share == pytest.approx(0.5, abs=0.04)  # passes, and proves nothing


def test_an_independent_file_tells_nothing():
    alarms = 0
    for seed in range(20):
        found = membership(*released(seed, rows=600))
        alarms += found.tpr_01.interval[0] > 0.01
        alarms += found.auc.interval[0] > 0.5
    assert alarms <= 3  # of forty looks at 2.5 %


def test_the_file_itself_is_told_at_once():
    """Nothing was protected: every member lies on a protected record."""
    rng = np.random.default_rng(0)
    original, holdout = people(rng, 500), people(rng, 500)
    found = membership(beside(original, original, original), beside(holdout, original, original))
    assert found.auc.value > 0.99
    assert found.tpr_01.value > 0.9
    assert found.nearer_share > 0.99


def shuffled(attributes, columns, rows, names):
    return [
        Attribute(
            attributes[i].kind,
            relabelled(attributes[i], attributes[i].queries, names)[rows],
            relabelled(attributes[i], attributes[i].references, names),
        )
        for i in columns
    ]


def relabelled(attribute, cells, names):
    return names[cells] if attribute.kind == "category" else cells


def test_order_of_rows_and_columns_and_names_decide_nothing():
    original, holdout = released(1, rows=400, copied=0.1)
    expected = membership(original, holdout)
    rng = np.random.default_rng(1)
    columns, names = rng.permutation(8), rng.permutation(100)
    found = membership(
        shuffled(original, columns, rng.permutation(400), names),
        shuffled(holdout, columns, rng.permutation(400), names),
    )
    assert found == expected
    assert membership(original, holdout, seed=5).density != expected.density


def test_equal_records_are_halved_like_others():
    """With three different records in all, a half that held all of one kind would tell a lie."""
    rng = np.random.default_rng(7)
    for seed in range(5):
        codes = [rng.integers(0, 3, 600) for _ in range(3)]
        found = membership(
            [Attribute("category", codes[0], codes[1])],
            [Attribute("category", codes[2], codes[1])],
            seed=seed,
        )
        assert found.density.auc.value == pytest.approx(0.5, abs=0.05)


def test_the_better_score_is_shown():
    found = membership(*released(2, rows=500, copied=0.5))
    best = max((found.distance, found.density), key=lambda each: each.auc.interval[0])
    assert found.auc == best.auc
    assert found.score == ("distance" if best is found.distance else "density")


def test_sizes_may_differ():
    original, holdout = released(3, rows=300, copied=1.0)
    few = [Attribute(a.kind, a.queries[:70], a.references) for a in holdout]
    found = membership(original, few)
    assert (found.members, found.controls) == (300, 70)
    assert found.tpr_10.interval[0] > 0.1


def test_too_small_to_halve_leaves_the_distance():
    original, holdout = released(3, rows=300)
    few = [Attribute(a.kind, a.queries[:15], a.references) for a in holdout]
    found = membership(original, few)
    assert found.density is None
    assert found.score == "distance"
    assert found.auc == found.distance.auc


def test_undefined():
    original, holdout = released(3, rows=50)
    few = [Attribute(a.kind, a.queries[:9], a.references) for a in holdout]
    with pytest.raises(Undefined, match="fewer than 10 units"):
        membership(original, few)
    with pytest.raises(Undefined, match="two"):
        delong(np.ones(1), np.ones(5))
    with pytest.raises(Undefined, match="no control"):
        Roc.of(np.ones(3), np.ones(0))


def test_ties_count_half():
    place = np.arange(4)
    mine, other = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])
    assert nearer_share(mine, other, (place, place)) == 0.5
