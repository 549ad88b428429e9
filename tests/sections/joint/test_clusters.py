"""U_c: groups of the pooled rows hold both files in equal shares, or they do not."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.cluster import hierarchy

from microgauge import InputError, assess, clusters, rank
from microgauge.measures.joint import clusters as module
from microgauge.measures.joint.clusters import (
    cluster_distance,
    default_groups,
    distance_at_random,
    linked,
)
from microgauge.results import ClusterResult
from microgauge.results.votes import cluster_votes
from microgauge.sections.joint.words import cluster_stories
from support.surveys import make_survey, perturb, schema


def numbers(rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"a": rng.normal(size=rows), "b": rng.gamma(2, 10, rows), "c": rng.normal(shift, 3, rows)}
    )


GROUPS = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
PROTECTED = np.array([0, 0, 1, 1, 1, 0, 0, 0, 1], dtype=float)
# Original rows: 2 of 3, 0 of 2, 3 of 4; c = 5/9.
SQUARES = (np.array([2 / 3, 0, 3 / 4]) - 5 / 9) ** 2


@pytest.mark.parametrize(
    ("weights", "each"),
    [
        ("size", np.array([3.0, 2.0, 4.0])),
        ("equal", np.ones(3)),
        ("error", np.sqrt(5 / 9 * 4 / 9 / np.array([3, 2, 4]))),
    ],
)
def test_formula_by_hand(weights, each):
    assert cluster_distance(GROUPS, PROTECTED, weights) == pytest.approx((each * SQUARES).sum() / 3)


def test_names_of_groups_do_not_matter():
    other = np.array([5, 9, 2])[GROUPS]
    assert cluster_distance(other, PROTECTED, "size") == pytest.approx(
        cluster_distance(GROUPS, PROTECTED, "size")
    )


def test_weights_given_one_by_one_go_to_the_largest_cluster_first():
    each = np.array([2.0, 0.5, 7.0])  # of the clusters with 3, 2 and 4 rows
    given = [7.0, 2.0, 0.5]
    expected = (each * SQUARES).sum() / 3
    assert cluster_distance(GROUPS, PROTECTED, given) == pytest.approx(expected)
    renamed = np.array([5, 9, 2])[GROUPS]
    assert cluster_distance(renamed, PROTECTED, given) == pytest.approx(expected)


@pytest.mark.parametrize("weights", ["size", "equal", "error", (7.0, 2.0, 0.5)])
def test_what_labels_at_random_give_is_the_mean_over_all_of_them(weights):
    dealt = [np.isin(np.arange(9), held) for held in combinations(range(9), 4)]
    values = [cluster_distance(GROUPS, labels.astype(float), weights) for labels in dealt]
    assert distance_at_random(GROUPS, PROTECTED, weights) == pytest.approx(np.mean(values))


def by_scipy(original, protected, groups, weights, *, standardise=True):
    """U_c by scipy's tree and its own cut."""
    points = np.vstack([original, protected])
    if standardise:
        points = (points - original.mean().to_numpy()) / original.std(ddof=0).to_numpy()
    labels = hierarchy.fcluster(hierarchy.linkage(points, "average"), groups, "maxclust") - 1
    assert len(np.unique(labels)) == groups
    told = np.repeat([0.0, 1.0], [len(original), len(protected)])
    total, c = 0.0, 1 - told.mean()
    for label in range(groups):
        inside = labels == label
        weight = {
            "size": inside.sum(),
            "equal": 1,
            "error": np.sqrt(c * (1 - c) / inside.sum()),
        }[weights]
        total += weight * (1 - told[inside].mean() - c) ** 2
    return total / groups


@pytest.mark.parametrize("weights", ["size", "equal", "error"])
@pytest.mark.parametrize("standardise", [True, False])
def test_average_linkage_equals_scipy(weights, standardise):
    original, protected = numbers(200, 1), numbers(130, 2, shift=1)
    groups = [2, 3, 10, 50, 165, 330]
    found = clusters(
        original,
        protected,
        method="average",
        groups=groups,
        weights=weights,
        standardise=standardise,
    )
    assert [result.groups for result in found] == groups
    for result in found:
        wanted = by_scipy(original, protected, result.groups, weights, standardise=standardise)
        assert result.value == pytest.approx(wanted, rel=1e-9)
        assert (result.method, result.weights, result.rows) == ("average", weights, 330)


def test_exactly_so_many_groups_also_with_ties():
    points = np.random.default_rng(1).integers(0, 3, (120, 2)).astype(float)
    for groups, labels in zip([1, 2, 5, 60, 120], linked(points, [1, 2, 5, 60, 120]), strict=True):
        assert len(np.unique(labels)) == groups
        assert len(labels) == 120


def test_categories_and_missing_values_are_points_too():
    frame = pd.DataFrame({"n": ["a"] * 40 + ["b"] * 40, "x": np.tile(np.arange(40.0), 2)})
    said = {"variable": {"n": {"type": "nominal"}, "x": {"type": "continuous"}}}
    moved = frame.assign(n=["a"] * 70 + ["b"] * 10)
    gone = frame.assign(x=[None if i % 2 else x for i, x in enumerate(frame["x"])])
    for protected in (moved, gone):
        near, far = (
            clusters(frame, other, schema=said, method="kmeans", groups=16, standardise=True)[
                0
            ].value
            for other in (frame.copy(), protected)
        )
        assert near == pytest.approx(0, abs=1e-12)
        assert far > 0.05


def test_identical_files_have_small_values():
    original = make_survey(300, 1)
    noisy = perturb(original, 0.5)
    for method in ("average", "kmeans"):
        same, other = (
            clusters(original, f, schema=schema(), method=method, groups=[10, 60])
            for f in (original.copy(), noisy)
        )
        for one, two in zip(same, other, strict=True):
            assert one.value == pytest.approx(0, abs=1e-12)
            assert two.value > 0.01


def test_kmeans_is_set_by_the_seed():
    original = make_survey(400, 1)
    protected = perturb(original, 0.3)
    found = {}
    for seed in (1, 1, 2, 3):
        result = clusters(
            original, protected, schema=schema(seed=seed), method="kmeans", groups=[5, 40]
        )
        assert found.setdefault(seed, result) == result
        assert all(r.seed == seed and r.method == "kmeans" for r in result)
    assert len({result[1].value for result in found.values()}) > 1


def test_kmeans_separates_what_lies_apart():
    original, protected = numbers(150, 1), numbers(150, 2) + 1000
    (result,) = clusters(original, protected, method="kmeans", groups=2, weights="equal")
    assert result.value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("protected", "rows", "wanted"),
    [
        (1000, 2000, [10, 25, 50]),
        (10_000, 20_000, [100, 250, 500]),
        (100, 200, [2, 5]),
        (10, 20, [2]),
        (1000, 1010, [10, 25, 50]),
        (3, 4, [2]),
    ],
)
def test_default_numbers_of_groups(protected, rows, wanted):
    assert default_groups(protected, rows) == wanted


def test_default_groups_of_files():
    found = clusters(numbers(100, 1), numbers(400, 2))
    assert [result.groups for result in found] == [4, 10, 20]


def test_average_linkage_of_too_many_rows_has_a_reason(monkeypatch):
    monkeypatch.setattr(module, "MOST_LINKED", 300)
    original, protected = numbers(200, 1), numbers(130, 2)
    for result in clusters(original, protected, method="average", groups=[3, 5]):
        assert result.value is None
        assert "up to 300 rows" in result.reason
    fits = clusters(original, protected[:100], method="average", groups=3)
    assert fits[0].value is not None


def test_default_method_by_the_number_of_rows(monkeypatch):
    monkeypatch.setattr("microgauge.sections.joint.clusters.MOST_LINKED_UNASKED", 330)
    assert clusters(numbers(200, 1), numbers(130, 2))[0].method == "average"
    assert clusters(numbers(200, 1), numbers(131, 2))[0].method == "kmeans"


def test_more_groups_than_rows_have_a_reason():
    for method in ("average", "kmeans"):
        (result,) = clusters(numbers(10, 1), numbers(10, 2), method=method, groups=21)
        assert result.value is None
        assert "21 groups for 20 rows" in result.reason


@pytest.mark.parametrize("method", ["average", "kmeans"])
def test_fewer_distinct_rows_than_groups(method):
    frame = pd.DataFrame({"a": [1.0, 2.0] * 10})
    said = {"variable": {"a": {"type": "continuous"}}}
    (result,) = clusters(frame, frame.copy(), schema=said, method=method, groups=5)
    assert np.isfinite(result.value)
    if method == "kmeans":
        assert result.value == pytest.approx(0, abs=1e-12)


def test_null_shares_on_request():
    original = numbers(150, 1)
    none, few = (
        clusters(original, protected, method="average", groups=[5, 20], resamples=10)
        for protected in (original.sample(150, replace=True, random_state=1), numbers(150, 2, 9))
    )
    assert all(0 <= result.null_share <= 1 for result in none)
    assert none[1].null_share > 0
    assert [result.null_share for result in few] == [0, 0]
    assert clusters(original, original.copy(), groups=5)[0].null_share is None


def test_a_sample_beyond_the_limit_says_so():
    said = {"clusters": {"sample": 100, "groups": [5]}}
    found = assess(numbers(300, 1), numbers(100, 2), schema=said, only=["clusters"])
    assert found.clusters[0].rows == 100
    assert any("sample of 100 of 400 rows" in note for note in found.notes)


def test_the_ratio_to_labels_at_random():
    # Two samples of one population are labels at random; a shifted one is not.
    alike = clusters(numbers(400, 1), numbers(400, 2), groups=[10, 40], method="kmeans")
    apart = clusters(numbers(400, 1), numbers(400, 2, shift=4), groups=[10, 40], method="kmeans")
    for near, far in zip(alike, apart, strict=True):
        assert near.ratio == near.value / near.expected
        assert 0.3 < near.ratio < 2.5
        assert far.ratio > 5
    words = " ".join(said for _, said in cluster_stories(apart))
    assert "at 2 of 2 numbers of groups further from equal shares" in words
    same = clusters(numbers(60, 1), numbers(60, 1), groups=[3, 5])
    assert "at 0 of 2 numbers" in " ".join(said for _, said in cluster_stories(same))
    assert "numbers of groups" not in " ".join(said for _, said in cluster_stories(same[:1]))


def test_one_point_has_no_ratio_and_says_why():
    one = pd.DataFrame({"a": np.ones(20), "b": ["x"] * 20})
    (found,) = clusters(one, one, groups=2, method="kmeans")
    assert (found.value, found.ratio) == (0.0, None)
    assert found.reason.startswith("ratio: ")


def test_given_weights_and_their_clusters():
    original, protected = numbers(200, 1), numbers(130, 2, shift=1)
    given = [3.0, 0.0, 1.0]
    (found,) = clusters(original, protected, method="average", weights=given, resamples=3)
    assert (found.groups, found.weights, found.resamples) == (3, "given", 3)
    assert [c.weight for c in found.clusters] == given
    rows = np.array([c.rows for c in found.clusters])
    assert rows.sum() == 330
    assert (np.diff(rows) <= 0).all()
    squares = (np.array([c.original for c in found.clusters]) - 200 / 330) ** 2
    assert found.value == pytest.approx(given @ squares / 3)
    assert 0 <= found.null_share <= 1
    order = np.random.default_rng(1).permutation(130)
    (mixed,) = clusters(
        original[::-1], protected.iloc[order], method="average", weights=given, resamples=3
    )
    assert mixed == found
    (plain,) = clusters(original, protected, method="average", groups=3)
    assert plain.clusters == ()


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"weights": [1, 2], "groups": [2, 3]}, "groups must then be that one number"),
        ({"weights": [1, 2], "groups": 3}, "groups must then be that one number"),
        ({"weights": [1, -2]}, "numbers from 0"),
        ({"weights": [0, 0]}, "not all 0"),
        ({"weights": ["a", "b"]}, "numbers from 0"),
        ({"weights": [1]}, "two clusters or more"),
        ({"weights": []}, "not all 0"),
        ({"weights": "sizes"}, 'Did you mean "size"'),
    ],
)
def test_weights_that_cannot_be(choices, said):
    table = numbers(30, 1)
    with pytest.raises(InputError, match=said):
        clusters(table, table, **choices)


def clustered(*values, groups=(5, 9, 20), rows=100, method="average"):
    return tuple(
        ClusterResult(
            method=method, groups=g, weights="size", value=v, null_share=None, rows=rows, seed=1
        )
        for g, v in zip(groups, values, strict=True)
    )


def test_a_vote_over_the_numbers_of_groups():
    found = cluster_votes([
        ("noise", clustered(0.1, 0.5, 0.2)), ("swap", clustered(0.2, 0.3, 0.2)),
        ("bands", clustered(0.3, 0.4, 0.6)), ("none", None),
    ])  # fmt: skip
    assert found.groups == (5, 9, 20)
    assert {v.name: v.groups for v in found.votes} == {
        "noise": (5, 20), "swap": (9, 20), "bands": ()
    }  # fmt: skip
    assert [v.best for v in found.votes] == [2, 2, 0]
    assert found.leaders == ("noise", "swap")


def test_no_vote_between_other_scales():
    base = ("a", clustered(0.1, 0.2, 0.3))
    for other in (
        clustered(0.1, 0.2, 0.3, rows=50),
        clustered(0.1, 0.2, 0.3, groups=(5, 9, 21)),
        clustered(0.1, 0.2, 0.3, method="kmeans"),
    ):
        found = cluster_votes([base, ("b", other)])
        assert (found.groups, found.leaders) == ((), ())
        assert "not clustered alike" in found.reason
    partly = cluster_votes([base, ("b", clustered(0.0, None, 0.4))])
    assert partly.groups == (5, 20)
    assert partly.leaders == ("a", "b")
    nothing = cluster_votes([base, ("b", clustered(None, None, None))])
    assert "at no number of groups" in nothing.reason
    assert cluster_votes([base]) is None


def test_a_ranking_holds_the_vote():
    original = make_survey(150, 3)
    near, far = perturb(original, 0.1), original.sample(frac=1, random_state=1)
    far = far.assign(**{n: far[n].to_numpy()[::-1] for n in list(far)[::2]})
    said = schema({"region": {"role": "quasi_identifier"}})
    said["clusters"] = {"groups": [4, 8], "method": "average"}
    found = rank(original, [near, far], names=["near", "far"], schema=said, only=["clusters"])
    values = [[c.value for c in each.assessment.clusters] for each in found.candidates]
    best = [["near", "far"][int(np.argmin(pair))] for pair in zip(*values, strict=True)]
    votes = {v.name: v.best for v in found.clusters.votes}
    assert votes == {name: best.count(name) for name in ("near", "far")}
    assert found.to_dict()["clusters"]["groups"] == [4, 8]
    assert "Clusters: " in found.long_text()
    assert "U_c" in found.report()


def test_choices_that_do_not_exist():
    for wrong in ({"groups": 1}, {"method": "ward"}, {"weights": "none"}, {"groups": []}):
        with pytest.raises(InputError):
            clusters(numbers(20, 1), numbers(20, 2), **wrong)
