"""Missing keys: which way is taken and why, and that every figure takes the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import microgauge
from microgauge import InputError
from microgauge.measures.risk.individual import individual_risk
from support.figures import approx, seeds
from support.rows import alike
from support.surveys import KEY

FEW = settings(max_examples=15, deadline=None)
KEYS = ["sex", "region", "age"]


def people(rows=150, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], rows),
            "region": rng.choice(["north", "east", "south", "west"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "age": rng.choice(["young", "middle", "old", "oldest"], rows),
            "job": rng.choice(["nurse", "smith", "judge"], rows),
            "w": rng.uniform(1, 30, rows),
        }
    )


def holed(frame, share=0.1, seed=2, names=("region", "age")):
    """The frame with some cells of its keys suppressed."""
    rng = np.random.default_rng(seed)
    found = frame.copy()
    for name in names:
        found.loc[rng.random(len(frame)) < share, name] = None
    return found


def risk_of(original, protected, *, risk=None, external=None, **options):
    options.setdefault("aligned", len(original) == len(protected))
    schema = {
        "options": options | {"weight": "w"},
        "variable": {name: dict(KEY) for name in KEYS} | {"job": {"role": "sensitive"}},
        "risk": risk or {},
    }
    found = microgauge.assess(original, protected, schema=schema, only=["risk"], external=external)
    assert str(found)
    assert found.risk is not None
    return found.risk


def records(frame, names=KEYS):
    columns = [[None if pd.isna(v) else v for v in frame[name]] for name in names]
    return list(zip(*columns, strict=True))


def neighbours(frame):
    """Records × records: who is compatible with whom."""
    mine = records(frame)
    return np.array([[alike(a, b) for b in mine] for a in mine])


# -- which way ----------------------------------------------------------------------------------


def test_suppressed_keys_match_any_value():
    frame = people()
    found = risk_of(frame, holed(frame))
    assert (found.missing_keys, found.missing_keys_why) == ("any", "suppression found")
    assert found.internal == found.internal_any < found.internal_value
    assert (found.k, found.uniques) == (found.k_any, found.uniques_any)


def test_one_suppressed_cell_is_found():
    frame = holed(people())
    released = frame.copy()
    released.loc[np.flatnonzero(frame["age"].notna())[3], "age"] = None
    assert risk_of(frame, frame).missing_keys_why == "none found"
    assert risk_of(frame, released).missing_keys_why == "suppression found"


def test_what_was_missing_before_is_a_value():
    frame = holed(people())
    found = risk_of(frame, frame)
    assert (found.missing_keys, found.missing_keys_why) == ("value", "none found")
    assert found.internal == found.internal_value > found.internal_any
    assert found.uniques == found.uniques_value >= found.uniques_any


def test_other_columns_may_be_suppressed():
    frame = people()
    assert risk_of(frame, holed(frame, names=["job"])).missing_keys == "value"


@pytest.mark.parametrize("how", ["value", "any"])
def test_a_declared_way_wins(how):
    frame = people()
    for released in (frame, holed(frame)):
        found = risk_of(frame, released, risk={"missing_keys": how})
        assert (found.missing_keys, found.missing_keys_why) == (how, "declared")
        assert found.internal == getattr(found, f"internal_{how}")


@pytest.mark.parametrize(("before", "after", "why"), [
    (0.0, 0.1, "suppression found"), (0.1, 0.3, "suppression found"), (0.3, 0.1, "none found"),
])  # fmt: skip
def test_without_alignment_shares_decide(before, after, why):
    original = holed(people(300), before)
    protected = holed(people(200, seed=5), after)
    assert risk_of(original, protected, aligned=False).missing_keys_why == why


def test_the_same_share_of_fewer_rows_is_no_suppression():
    frame = holed(people(90), 0.2)
    twice = pd.concat([frame, frame], ignore_index=True)
    assert risk_of(twice, frame, aligned=False).missing_keys_why == "none found"


@FEW
@given(seeds)
def test_suppression_never_raises_the_risk_by_default(seed):
    frame = people(80, seed)
    before = risk_of(frame, frame)
    for share in (0.02, 0.3):
        after = risk_of(frame, holed(frame, share, seed))
        assert after.internal <= before.internal + 1e-12
        assert after.total <= before.total + 1e-12
        assert after.k >= before.k
        assert after.uniques <= before.uniques
        assert after.individual.sum <= before.individual.sum + 1e-9
        assert after.prosecutor.largest <= before.prosecutor.largest


# -- every figure the same ----------------------------------------------------------------------


@FEW
@given(seeds)
def test_individual_risk_of_compatible_records(seed):
    """f and F are those of all records that are compatible, as in sdcMicro."""
    frame = people(70, seed)
    released = holed(frame, 0.15, seed + 1)
    near = neighbours(released)
    risks = individual_risk(near.sum(axis=1), near @ released["w"].to_numpy())
    found = risk_of(frame, released)
    if found.missing_keys == "any":
        assert found.individual.sum == approx(risks.sum())
        assert found.individual.largest == approx(risks.max())


def test_individual_risk_by_hand():
    """f once (weight 2), ? once (weight 3): each may be both, f = 2 of F = 5."""
    frame = pd.DataFrame({"a": ["f", "m"], "w": [2.0, 3.0]})
    released = frame.assign(a=["f", None])
    schema = {"options": {"weight": "w", "aligned": True}, "variable": {"a": dict(KEY)}}
    found = microgauge.assess(frame, released, schema=schema, only=["risk"]).risk
    p = 2 / 5
    odds = p / (1 - p)
    assert found.individual.sum == approx(2 * (odds - odds**2 * np.log(1 / p)))


@FEW
@given(seeds)
def test_diversity_of_compatible_records(seed):
    frame = people(60, seed)
    released = holed(frame, 0.15, seed + 1)
    found = risk_of(frame, released, risk={"missing_keys": "any"}).sensitive[0]
    jobs = released["job"].to_numpy()
    shares = pd.Series(jobs).value_counts(normalize=True)
    around = [pd.Series(jobs[near]).value_counts() for near in neighbours(released)]
    assert found.distinct_l == min(len(counts) for counts in around)
    entropies = [-(c / c.sum() * np.log(c / c.sum())).sum() for c in around]
    assert found.entropy_l == approx(np.exp(min(entropies)))
    distances = [(c / c.sum()).reindex(shares.index, fill_value=0) - shares for c in around]
    assert found.t == approx(max(d.abs().sum() / 2 for d in distances))
    largest = [
        sum(c.max() < c.sort_values(ascending=False).iloc[l:].sum() for l in range(len(c)))  # noqa: E741
        for c in around
    ]
    assert found.recursive_l == min(largest)


def test_special_uniques_and_the_population_follow():
    """Three records, one status suppressed: as a value it is special, as any value nobody is."""
    frame = people(60)
    released = holed(frame, 0.25)
    own, every = (risk_of(frame, released, risk={"missing_keys": h}) for h in ("value", "any"))
    near = neighbours(released).sum(axis=1)
    assert sum(every.suda.msus.values()) < sum(own.suda.msus.values())
    assert every.loglinear.tau2 <= (near == 1).sum() < own.uniques
    assert every.loglinear.tau1 <= every.loglinear.tau2


def test_other_tables_follow():
    frame = people(60)
    released = holed(frame)
    found = risk_of(frame, released, external=frame)
    ext = [sum(alike(a, b) for b in records(frame)) for a in records(released)]
    assert found.external_methods["class"] == approx(np.mean([1 / n for n in ext]))
    assert found.journalist.largest == approx(1 / min(ext))


def test_every_record_follows():
    frame = people(60)
    schema = {
        "options": {"aligned": True, "weight": "w"},
        "variable": {name: dict(KEY) for name in KEYS},
    }
    released = holed(frame)
    result = microgauge.assess(frame, released, schema=schema, only=["risk"], risky=True)
    listed = result.risky.sort("row")
    near = neighbours(released)
    assert listed["class_size"].to_list() == near.sum(axis=1).tolist()
    risks = individual_risk(near.sum(axis=1), near @ released["w"].to_numpy())
    assert listed["individual_risk"].to_list() == approx(risks.tolist())


def test_nothing_but_missing_sensitive_values():
    frame = people(40).assign(job=None)
    found = risk_of(frame, holed(frame))
    assert found.missing_keys == "any"
    assert found.sensitive[0].distinct_l is None
    assert found.sensitive[0].reason


def test_words_say_which_way_and_what_the_other_gives():
    frame = people()
    schema = {"options": {"aligned": True}, "variable": {name: dict(KEY) for name in KEYS}}
    result = microgauge.assess(frame, holed(frame), schema=schema, only=["risk"])
    said = " ".join(str(result).split())
    assert "matches any value, as keys were suppressed" in said
    assert f"else internal {result.risk.internal_value:.3f}" in said
    plain = str(microgauge.assess(frame, frame, schema=schema, only=["risk"]))
    assert "else internal" not in plain


def test_diagnosis_of_an_original_has_nothing_suppressed():
    frame = holed(people())
    schema = {"variable": {name: dict(KEY) for name in KEYS}}
    found = microgauge.diagnose(frame, schema=schema)
    assert found.missing_keys == "value"
    assert found.classes.internal == approx(risk_of(frame, frame).internal_value)


# -- sensitivities ------------------------------------------------------------------------------


def test_equal_sensitivities_give_the_plain_mean():
    frame = people()
    plain = risk_of(frame, frame)
    assert plain.sensitivity == {}
    for value in (0.5, 3):
        found = risk_of(frame, frame, risk={"sensitivity": dict.fromkeys(KEYS, value)})
        assert found.internal == approx(plain.internal)
        assert found.sensitivity == dict.fromkeys(KEYS, value)


@pytest.mark.parametrize("how", ["value", "any"])
def test_a_record_weighs_what_it_shows(how):
    frame = people()
    released = holed(frame)
    said = {"age": 4.0, "sex": 0.5}
    found = risk_of(frame, released, risk={"sensitivity": said, "missing_keys": how})
    assert found.sensitivity == {"sex": 0.5, "region": 1.0, "age": 4.0}
    shown = released[KEYS].notna().to_numpy() @ [0.5, 1.0, 4.0]
    mine = records(released)
    sizes = neighbours(released).sum(axis=1) if how == "any" else [mine.count(r) for r in mine]
    assert found.internal == approx(np.average(1 / np.array(sizes), weights=shown))
    plain = risk_of(frame, released, risk={"missing_keys": how})
    assert found.internal != approx(plain.internal)
    assert found.expected_reidentifications == approx(plain.expected_reidentifications)


def test_sensitivities_by_hand():
    """a p, a ?, b q with 2 for the first key: weights 3, 2, 3; as values all are unique."""
    frame = pd.DataFrame({"a": list("aab"), "b": ["p", "q", "q"], "c": [1.5, 2.5, 3.5]})
    released = frame.assign(b=["p", None, "q"])
    schema = {
        "options": {"aligned": True},
        "variable": {"a": dict(KEY), "b": dict(KEY)},
        "risk": {"sensitivity": {"a": 2}},
    }
    found = microgauge.assess(frame, released, schema=schema, only=["risk"]).risk
    assert found.internal == approx((3 / 2 + 2 / 2 + 3) / 8)
    assert found.internal_value == 1.0


def test_no_sensitivity_at_all():
    frame = people()
    found = risk_of(frame, frame, risk={"sensitivity": dict.fromkeys(KEYS, 0)})
    assert found.internal is None
    assert "internal: " in found.reason


def test_faults_of_sensitivities_are_told_at_once():
    frame = people()
    said = {"sex": -1, "regio": 2, "job": 1, "age": "much"}
    with pytest.raises(InputError) as told:
        risk_of(frame, frame, risk={"sensitivity": said, "record_weight": "w"})
    text = str(told.value)
    for part in (
        'sensitivity of "sex" must be a number, 0 or more',
        'sensitivity of "age" must be a number, 0 or more',
        '"regio", which is no column',
        '"region"?',
        '"job", which is no quasi-identifier: its role is sensitive',
        "has a record_weight and sensitivities",
    ):
        assert part in text


def test_a_sensitivity_is_a_table():
    frame = people()
    with pytest.raises(InputError, match="sensitivity must be a table"):
        risk_of(frame, frame, risk={"sensitivity": [1, 2]})


# -- several external ways, and who has no match ------------------------------------------------


@pytest.mark.parametrize("weights", [[3, 1], {"class": 3}, {"class": 3, "unique": 1}])
def test_external_ways_are_weighted(weights):
    frame = people()
    chosen = {"external_method": ["class", "unique"], "external_weights": weights}
    found = risk_of(frame, frame, risk=chosen, external=frame.head(100))
    parts = found.external_methods
    assert found.external == approx((3 * parts["class"] + parts["unique"]) / 4)
    assert found.external_weights == {"class": 3.0, "unique": 1.0}


def test_a_way_without_weight_may_be_null():
    frame = people().assign(sex="f")
    even = pd.DataFrame({"sex": ["f"] * 4})
    plain = {"external_method": ["class", "correlation"]}
    assert risk_of(frame, frame, risk=plain, external=even).external is None
    found = risk_of(frame, frame, risk=plain | {"external_weights": [1, 0]}, external=even)
    assert found.external == found.external_methods["class"] == 0.25


@pytest.mark.parametrize(
    "wrong",
    [[1], [1, -1], [0, 0], ["a", 1], {"class": -1}, {"chance": 1}, {"class": 0, "unique": 0}, 3],
)
def test_external_weights_that_make_no_sense(wrong):
    frame = people(20)
    chosen = {"external_method": ["class", "unique"], "external_weights": wrong}
    with pytest.raises(InputError, match="external_weights"):
        risk_of(frame, frame, risk=chosen, external=frame)


def test_records_without_a_match():
    frame = people()
    external = frame[frame["region"] != "west"].head(60)
    found = risk_of(frame, frame, external=external)
    theirs = records(external)
    ext = np.array([theirs.count(r) for r in records(frame)])
    assert 0 < found.external_unmatched == approx((ext == 0).mean())
    assert found.external_matched == approx((1 / ext[ext > 0]).mean())
    assert found.external == approx(found.external_matched * (1 - found.external_unmatched))


def test_nobody_has_a_match():
    frame = pd.DataFrame({"sex": ["f", "m"] * 10, "region": ["a", "b"] * 10, "w": 2.0})
    external = pd.DataFrame({"sex": ["f", "m"], "region": ["b", "a"]})
    schema = {"variable": {"sex": dict(KEY), "region": dict(KEY)}}
    found = microgauge.assess(frame, frame, schema=schema, only=["risk"], external=external).risk
    assert (found.external, found.external_unmatched, found.external_matched) == (0.0, 1.0, None)
    assert "external_matched: no record matches" in found.reason


def test_a_key_that_never_matches_is_null_in_all():
    frame = people(30)
    external = frame.assign(region="elsewhere")
    found = risk_of(frame, frame, external=external)
    assert (found.external, found.external_unmatched, found.external_matched) == (None, None, None)
    assert found.reason.count('no value of "region" occurs in the external table') >= 2
