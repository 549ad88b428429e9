"""What must hold of disclosure whatever the tables."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings

import microgauge
from microgauge import InputError
from microgauge.results.plain import json_text
from support.figures import differences, seeds, strict_json

KEYS = ["sex", "region", "zip", "age", "income"]
FEW = settings(max_examples=12, phases=[Phase.generate])
TYPES = {
    "sex": "nominal",
    "region": "nominal",
    "zip": "nominal",
    "age": "continuous",
    "income": "continuous",
    "job": "nominal",
    "score": "continuous",
}


def people(rows=120, seed=1, missing=0.0):
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], rows)
    found = pl.DataFrame(
        {
            "id": np.arange(rows),
            "sex": sex,
            "region": rng.choice(list("ABCD"), rows, p=[0.4, 0.3, 0.2, 0.1]),
            "zip": [f"{z:03d}" for z in rng.choice([101, 102, 113, 204, 215], rows)],
            "age": rng.integers(20, 70, rows).astype(float),
            "income": rng.integers(10, 90, rows) * 10.0,
            "job": np.where(
                rng.random(rows) < 0.7,
                np.where(sex == "f", "nurse", "smith"),
                rng.choice(["judge", "clerk"], rows),
            ),
            "score": (rng.normal(0, 1, rows) + 3 * (sex == "f")).round(1),
        }
    )
    return holed(found, KEYS, missing, seed + 1)


def holed(frame, names, share, seed):
    """Cells suppressed; those of a smaller share are among those of a larger one."""
    rng = np.random.default_rng(seed)
    for name in names:
        hit = pl.Series(rng.random(frame.height) < share)
        frame = frame.with_columns(pl.when(hit).then(None).otherwise(pl.col(name)).alias(name))
    return frame


def schema(keys=KEYS, recodes=None, types=None, risk=None, **options):
    options.setdefault("key", "id")
    if options["key"] is None:
        del options["key"]
    variables = {
        name: {"type": kind, "role": "quasi_identifier" if name in keys else "analysis"}
        for name, kind in (TYPES | (types or {})).items()
    }
    for name, recode in (recodes or {}).items():
        variables[name] |= recode
    return {"options": options, "variable": variables, "risk": risk or {}}


def assess(original, protected, said=None, holdout=None, only=("disclosure",)):
    said = schema() if said is None else said
    return microgauge.assess(original, protected, schema=said, only=list(only), holdout=holdout)


def disclosure(*arguments, **choices):
    result = assess(*arguments, **choices)
    assert str(result)
    strict_json(json_text(result))
    return result.disclosure


def plain(found):
    """Every figure by its name, but for what is drawn by the order of rows: each one's twin."""
    found = json.loads(json_text(found))
    if found["membership"] is not None:
        del found["membership"]["nearer_share"]
    return found


# -- recoding and sampling -------------------------------------------------------------------------

AGES = {"breaks": [0, 30, 45, 60], "labels": ["-29", "30-44", "45-59", "60+"]}


def banded(column):
    age = pl.col(column)
    found = pl.when(age < 30).then(pl.lit("-29")).when(age < 45).then(pl.lit("30-44"))
    return found.when(age < 60).then(pl.lit("45-59")).when(age >= 60).then(pl.lit("60+"))


REGIONS = {"A": "AB", "B": "AB", "C": "C", "D": "D"}
RECODINGS = {
    "bands": ("age", {"recode": AGES, "protected_type": "ordinal"}, banded("age")),
    "rounding": ("age", {"recode": {"round": 5}}, (pl.col("age") / 5).round() * 5),
    "top": ("income", {"recode": {"top": 500}}, pl.col("income").clip(upper_bound=500.0)),
    "prefix": ("zip", {"recode": {"prefix": 1}}, pl.col("zip").str.slice(0, 1)),
    "merged": ("region", {"recode": {"map": REGIONS}}, pl.col("region").replace(REGIONS)),
}  # fmt: skip


@FEW
@given(seed=seeds)
def test_after_recoding_and_sampling_found_is_the_risk_of_classes(seed):
    """To the last digit: who is in the file is found as often as classes say."""
    rng = np.random.default_rng(seed)
    original = people(int(rng.integers(30, 150)), seed, missing=float(rng.choice([0.0, 0.1])))
    names = [name for name in RECODINGS if rng.random() < 0.6]
    if "bands" in names and "rounding" in names:
        names.remove("rounding")
    recodes = {RECODINGS[name][0]: RECODINGS[name][1] for name in names}
    protected = original.with_columns(**{RECODINGS[n][0]: RECODINGS[n][2] for n in names})
    if rng.random() < 0.7:
        protected = protected.sample(fraction=0.6, seed=seed, shuffle=True)
    keys = sorted(rng.choice(KEYS, 3, replace=False).tolist())
    result = assess(original, protected, schema(keys, recodes), only=("disclosure", "risk"))
    found = result.disclosure.found
    assert found.released == pytest.approx(result.risk.internal_any, abs=1e-12)
    assert found.exact == pytest.approx(found.released * protected.height / original.height)
    if protected.height == original.height:
        assert found.nearest == found.exact  # everyone's own record agrees


@FEW
@given(seed=seeds)
def test_identical_files(seed):
    original = people(80, seed, missing=0.1)
    result = assess(original, original, only=("disclosure", "risk"))
    found = result.disclosure.found
    assert found.exact == found.nearest == found.released
    assert found.exact == pytest.approx(result.risk.internal_any, abs=1e-12)
    assert found.claims_right in (None, 1.0)


@FEW
@given(seed=seeds)
def test_recodings_that_rows_show_are_the_same_as_declared(seed):
    original = people(150, seed)
    protected = original.with_columns(
        age=(pl.col("age") / 10).floor() * 10, region=pl.col("region").replace(REGIONS)
    )
    result = assess(
        original, protected, schema(["sex", "age", "region"]), only=("disclosure", "risk")
    )
    assert result.disclosure.found.released == pytest.approx(result.risk.internal_any, abs=1e-12)


# -- suppression -----------------------------------------------------------------------------------


@FEW
@given(seed=seeds)
def test_more_suppression_never_raises_what_is_found(seed):
    original = people(60, seed, missing=0.05)
    keys = ["sex", "region", "age"]
    last = None
    for share in (0.0, 0.1, 0.3, 0.6, 1.0):
        protected = holed(original, keys, share, seed + 7)
        result = assess(original, protected, schema(keys), only=("disclosure", "risk"))
        found = result.disclosure.found
        if last is not None:
            assert found.exact <= last.exact + 1e-12
            assert found.released <= last.released + 1e-12
        if share < 1:  # R_internal is none where no key has a value left
            assert found.released >= result.risk.internal_any - 1e-12
        last = found
    assert last.exact == pytest.approx(1 / 60)


@FEW
@given(seed=seeds)
def test_the_nearest_find_at_least_as_many_as_equal_ones(seed):
    rng = np.random.default_rng(seed)
    original = people(60, seed, missing=0.05)
    protected = original.with_columns(
        age=pl.col("age") + pl.Series(rng.integers(-3, 4, 60)),
        region=pl.col("region").shuffle(seed),
    )
    found = disclosure(original, holed(protected, KEYS, 0.1, seed)).found
    assert found.nearest >= found.exact - 1e-12
    assert found.value == found.nearest


# -- more protection -------------------------------------------------------------------------------


def never_rises(figures):
    """Seeds × levels: no mean step upwards is more than chance."""
    steps = np.diff(np.array(figures), axis=1)
    errors = steps.std(axis=0, ddof=1) / np.sqrt(len(steps))
    assert (steps.mean(axis=0) <= 3 * errors + 1e-12).all(), steps.mean(axis=0) / errors
    assert steps.sum(axis=1).mean() < 0


def swapped(frame, name, share, seed):
    """The values of one key exchanged among a share of units; larger shares hold smaller ones."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(frame.height)[: round(share * frame.height)]
    values = frame[name].to_numpy().copy()
    values[order] = np.roll(values[order], 1)
    return frame.with_columns(pl.Series(name, values))


def test_swapping_a_growing_share_does_not_raise_what_is_found():
    keys, found = ["sex", "region", "age"], {"exact": [], "nearest": []}
    for seed in range(20):
        original = people(60, seed)
        results = [
            disclosure(original, swapped(original, "region", share, seed), schema(keys)).found
            for share in (0.0, 0.2, 0.5, 1.0)
        ]
        for name, figures in found.items():
            figures.append([getattr(result, name) for result in results])
    never_rises(found["exact"])
    never_rises(found["nearest"])


def test_scaled_noise_does_not_raise_what_is_found():
    keys, found = ["sex", "region", "age", "income"], []
    for seed in range(25):
        original, rng = people(80, seed), np.random.default_rng(seed)
        noise = {name: pl.Series(rng.normal(0, 1, 80)) for name in ("age", "income")}
        found.append([])
        for scale in (0.0, 0.5, 2.0, 8.0, 32.0):
            protected = original.with_columns(
                age=pl.col("age") + scale * noise["age"],
                income=pl.col("income") + 10 * scale * noise["income"],
            )
            found[-1].append(disclosure(original, protected, schema(keys)).found.value)
    never_rises(found)


# -- what changes nothing --------------------------------------------------------------------------


def pair(seed=3, holes=0.1):
    """Both tables, some units dropped and others added, a holdout."""
    original = people(90, seed, missing=0.05)
    rng = np.random.default_rng(seed)
    noisy = swapped(original, "region", 0.3, seed).with_columns(
        age=pl.col("age") + pl.Series(rng.integers(-2, 3, 90))
    )
    protected = pl.concat(
        [holed(noisy, KEYS, holes, 5)[:80], people(4, 9).with_columns(id=900 + pl.col("id"))]
    )
    return original, protected, people(50, 21, missing=0.05).drop("id")  # fmt: skip


def same_figures(one, other):
    assert differences(plain(one), plain(other)) == []


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("held", [True, False])
def test_the_order_of_rows(aligned, held):
    original, protected, holdout = pair()
    holdout = holdout if held else None
    said = schema() if aligned else schema(key=None, aligned=False)
    if not aligned:
        original, protected = original.drop("id"), protected.drop("id")
    first = disclosure(original, protected, said, holdout=holdout)
    tables = [t.sample(fraction=1.0, shuffle=True, seed=7) for t in (original, protected)]
    mixed = None if holdout is None else holdout.reverse()
    same_figures(first, disclosure(*tables, said, holdout=mixed))


@pytest.mark.parametrize("aligned", [True, False])
def test_the_order_of_columns(aligned):
    original, protected, holdout = pair()
    said = schema() if aligned else schema(key=None, aligned=False)
    if not aligned:
        original, protected = original.drop("id"), protected.drop("id")
    first = plain(disclosure(original, protected, said, holdout=holdout))
    tables = [t.select(t.columns[::-1]) for t in (original, protected, holdout)]
    second = plain(disclosure(*tables[:2], said, holdout=tables[2]))
    for found in (first, second):
        found["keys"] = sorted(found["keys"])
        found["copied"]["variables"] = sorted(found["copied"]["variables"])
    assert differences(first, second) == []


RENAMED = {
    "sex": {"f": "2", "m": "1"},
    "region": {"A": "west", "B": "south", "C": "north", "D": "east"},
    "job": {"nurse": "d", "smith": "c", "judge": "b", "clerk": "a"},
}


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("held", [True, False])
def test_names_of_categories_and_units_of_numbers(aligned, held):
    original, protected, holdout = pair()
    said = schema() if aligned else schema(key=None, aligned=False)
    if not aligned:
        original, protected = original.drop("id"), protected.drop("id")
    holdout = holdout if held else None

    def other(table):
        named = {n: pl.col(n).replace_strict(names) for n, names in RENAMED.items()}
        scaled = {n: pl.col(n) * 7.5 for n in ("age", "income", "score")}
        return None if table is None else table.with_columns(**named, **scaled)

    first = disclosure(original, protected, said, holdout=holdout)
    second = disclosure(other(original), other(protected), said, holdout=other(holdout))
    same_figures(first, second)


def test_a_holdout_changes_nothing_of_the_units():
    original, protected, holdout = pair()
    found = [disclosure(original, protected, holdout=held) for held in (None, holdout)]
    assert plain(found[0])["found"] == plain(found[1])["found"]
    for mine, theirs in zip(found[0].learned, found[1].learned, strict=True):
        for name in ("exact", "nearest", "gain", "null", "exact_ci", "nearest_ci"):
            assert getattr(mine, name) == pytest.approx(getattr(theirs, name), abs=1e-12)


def test_levels_that_only_a_holdout_has_change_no_distance():
    """Unit 0 is a step from grades 1 and 3, whatever stands between them elsewhere."""
    original = pl.DataFrame({"id": range(5), "grade": [2, 1, 3, 2, 1], "sex": list("aaabb")})
    protected = original.with_columns(grade=pl.Series([3, 1, 3, 2, 1]))
    holdout = pl.DataFrame({"grade": [1.2, 1.4, 2.0], "sex": list("aab")})
    said = {"options": {"key": "id"}}
    said["variable"] = {
        name: {"type": kind, "role": "quasi_identifier"}
        for name, kind in [("grade", "ordinal"), ("sex", "nominal")]
    }
    for held in (None, holdout):
        found = disclosure(original, protected, said, holdout=held).found
        assert found.exact == pytest.approx((1 + 1 / 2 + 1 + 1) / 5)
        assert found.nearest == pytest.approx((1 / 3 + 1 + 1 / 2 + 1 + 1) / 5)


# -- edges -----------------------------------------------------------------------------------------


def test_all_keys_suppressed():
    """Every record may be anyone's: a value, and not null."""
    original = people(40)
    gone = original.with_columns(**{name: pl.lit(None, original[name].dtype) for name in KEYS})
    found = disclosure(original, gone)
    assert found.found.exact == found.found.value == pytest.approx(1 / 40)
    assert found.found.min_matches == 40
    assert found.found.claims == 0
    assert found.risk is not None


def test_no_key_left():
    original = people(40)
    found = disclosure(original, original.drop(KEYS))
    assert found.risk is None
    assert "no quasi-identifier is left" in found.reason
    assert found.found.value is found.copied.value is found.replicated.unique_original is None
    for part in (found.found, found.copied, found.replicated):
        assert part.reason == found.reason
    assert found.learned == ()
    assert found.keys_gone == tuple(KEYS)


def test_a_removed_key_is_as_one_suppressed():
    """Whether a column is empty or not there: nobody can use it."""
    original, protected, _ = pair()
    empty = protected.with_columns(region=pl.lit(None, pl.String))
    gone = disclosure(original, protected.drop("region"))
    assert gone.keys_gone == ("region",)
    here = disclosure(original, empty)
    for name in ("exact", "nearest", "released", "min_matches", "claims", "largest", "above"):
        assert getattr(gone.found, name) == pytest.approx(getattr(here.found, name)), name
    for a, b in zip(gone.learned, here.learned, strict=True):
        assert (a.target, a.exact, a.nearest) == pytest.approx((b.target, b.exact, b.nearest))


def test_no_target():
    original = people(40).select("id", "sex", "region")
    said = schema(["sex", "region"])
    said["variable"] = {name: said["variable"][name] for name in ("sex", "region")}
    found = disclosure(original, original, said)
    assert found.learned == ()
    assert "no variable is left to learn" in found.reason
    assert found.risk == found.found.value
    assert found.worst.part == "found"


def test_all_parts_null():
    """Not aligned, no target, and too many different records to look for copies."""
    original = people(40).select("sex", "region")
    said = schema(["sex", "region"], key=None, aligned=False)
    said["variable"] = {name: said["variable"][name] for name in ("sex", "region")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("microgauge.measures.disclosure.copied.MOST", 1)
        found = disclosure(original, original, said)
    assert found.risk is found.risk_ci is found.worst is None
    assert found.reason
    assert found.copied.reason
    assert found.found.reason


def test_a_target_that_is_a_key():
    original = people(40)
    with pytest.raises(InputError, match="a key, which an intruder knows"):
        assess(original, original, schema(risk={"targets": ["age", "job"]}))


def test_a_target_that_is_gone_or_all_missing():
    original = people(40)
    said = schema(risk={"targets": ["job", "score"]})
    protected = original.drop("job").with_columns(score=pl.lit(None, pl.Float64))
    job, score = disclosure(original, protected, said).learned
    assert job.value is None
    assert "not in the protected file" in job.reason
    assert score.value is None
    assert score.reason
    empty = original.with_columns(score=pl.lit(None, pl.Float64))
    score = disclosure(empty, original, said).learned[1]
    assert score.value is None
    assert score.reason


def test_a_target_of_one_class():
    """Everybody knows it already: nothing is learned, and DiSCO is 1."""
    original = people(40).with_columns(job=pl.lit("nurse"))
    [job] = disclosure(original, original, schema(risk={"targets": ["job"]})).learned
    assert (job.exact, job.nearest, job.gain, job.null) == (0.0, 0.0, 0.0, 0.0)
    assert job.correct == job.disclosed == job.cap_base == 1.0
    assert job.exact_ci == (0.0, 0.0)


def test_keys_with_no_common_value():
    original = people(40)
    rng = np.random.default_rng(1)
    strange = original.with_columns(
        sex=pl.Series(rng.choice(["x", "y"], 40)), region=pl.Series(rng.choice(["W", "Z"], 40))
    )
    found = disclosure(original, strange, schema(["sex", "region"]))
    assert (found.found.exact, found.found.min_matches, found.found.claims) == (0.0, 0, 0)
    # All records are as far: one in forty.
    assert found.found.nearest == pytest.approx(1 / 40)
    assert all(target.exact == 0.0 and target.present == 0.0 for target in found.learned)
    assert all(target.tcap is None for target in found.learned)


def test_a_single_unit():
    original = people(1)
    found = disclosure(original, original)
    assert found.found.value == 1.0


def test_keys_that_are_all_different_leave_targets():
    """A key of which every value occurs once determines nothing that could be told from chance."""
    rng = np.random.default_rng(1)
    original = people(60).with_columns(age=pl.Series(rng.normal(40, 10, 60)))
    found = disclosure(original, original, schema(["age", "sex"]))
    assert "job" in found.targets


def test_targets_that_a_key_determines_are_left_out():
    original = people(200).with_columns(county=pl.col("region").replace({"A": "1", "B": "1"}))
    said = schema(["region", "sex"])
    said["variable"]["county"] = {"type": "nominal"}
    found = disclosure(original, original, said)
    assert "county" not in found.targets
    assert "job" in found.targets


# -- holdouts --------------------------------------------------------------------------------------


def test_a_holdout_without_a_key():
    original, protected, holdout = pair()
    result = assess(original, protected, holdout=holdout.drop("region"))
    assert result.disclosure.holdout is None
    assert result.disclosure.excess is None
    assert any(n.code == "holdout-lacks-keys" and "region" in n.sentence for n in result.remarks)
    assert result.disclosure.risk == disclosure(original, protected).risk


@pytest.mark.parametrize("aligned", [True, False])
def test_a_holdout_of_five(aligned):
    original, protected, holdout = pair()
    said = schema() if aligned else schema(key=None, aligned=False)
    if not aligned:
        original, protected = original.drop("id"), protected.drop("id")
    found = disclosure(original, protected, said, holdout=holdout[:5])
    assert found.holdout == 5
    for target in found.learned:
        low, high = target.excess_ci
        assert low <= target.excess <= high
    assert found.risk_ci[0] <= found.risk <= found.risk_ci[1]


@pytest.mark.parametrize("aligned", [True, False])
def test_a_holdout_that_is_the_original(aligned):
    """It is said, and nothing is called what taking part costs."""
    original, protected, _ = pair(holes=0.0)
    said = schema() if aligned else schema(key=None, aligned=False)
    holdout = original.drop("id")
    if not aligned:
        original, protected = original.drop("id"), protected.drop("id")
    result = assess(original, protected, said, holdout=holdout)
    found = result.disclosure
    assert found.holdout_shared == 1.0
    assert "equal one of the original" in " ".join(str(result).split())
    assert found.excess == pytest.approx(0.0, abs=1e-12)
    if not aligned:
        assert found.copied.excess is None
        assert "equals an original one" in found.copied.reason


def test_another_holdout_shares_no_units():
    original, protected, holdout = pair()
    assert disclosure(original, protected, holdout=holdout).holdout_shared is None


def test_a_holdout_with_words_for_numbers_is_said_to_be_of_another_form():
    original, protected, holdout = pair()
    worded = holdout.with_columns(age=pl.lit("secret"))
    result = assess(original, protected, holdout=worded)
    assert result.disclosure.holdout is None
    said = "it lacks, or holds in another form (text for numbers), age."
    assert any(note.endswith(said) for note in result.notes)
    assert "secret" not in str(result)


def test_a_holdout_without_a_key_takes_nothing_away():
    """Copies are looked for as if it had not been given: it must not make a file look safer."""
    original, _, holdout = pair()
    said = schema(keys=["sex", "region"], key=None, aligned=False)
    found = [
        disclosure(original, original, said, holdout=held)
        for held in (None, holdout.drop("region"))
    ]
    assert found[0].copied.value > 0
    same_figures(*found)


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("lacking", ["column", "values"])
def test_targets_that_the_holdout_lacks_count_in_full(aligned, lacking):
    """Leaving a target out of the holdout must not leave it out of the risk."""
    original, _, holdout = pair()
    said = schema(keys=["sex"], key=None, aligned=aligned, risk={"targets": ["job", "score"]})
    other = original.with_columns(sex=pl.col("job").replace_strict(SEX_OF), age=pl.lit(50.0))
    empty = holdout.with_columns(job=pl.lit(None, dtype=pl.String))
    held = holdout.drop("job") if lacking == "column" else empty
    found = disclosure(other, other.with_columns(income=0.0), said, holdout=held)
    job, score = found.learned
    assert job.value > 0.1
    assert job.excess is None
    assert job.reason == "excess: the holdout has no value of it"
    assert score.excess is not None
    assert score.reason is None
    assert found.risk == job.value
    assert (found.worst.part, found.worst.variable, found.upper_bound) == ("learned", "job", True)
    assert found.excess == max(score.excess, 0.0)


SEX_OF = {"nurse": "f", "clerk": "f", "smith": "m", "judge": "x"}


def test_copies_without_a_control_are_an_upper_bound():
    """All of the holdout are original records, so that there is nobody to compare with."""
    original = people()
    said = schema(keys=["sex", "region", "age"], key=None, aligned=False, risk={"targets": ["job"]})
    found = disclosure(original, original, said, holdout=original)
    assert found.copied.control is None
    assert "equal" in found.copied.reason
    assert found.worst.part == "found_copied"
    assert found.upper_bound


def test_who_errs_does_not_find_more_for_want_of_released_units():
    """A third is released, unchanged: hardly any error finds what no error finds, of everybody."""
    original = people(300)
    said = schema(keys=["sex", "region"], risk={"intruders": True, "key_error": 1e-12})
    found = disclosure(original, original[::3], said)
    everything, erring = found.intruders[:2]
    assert everything.found == found.found.value
    assert erring.found == pytest.approx(everything.found, abs=1e-12)


def test_figures_that_lesser_intruders_lack_have_a_reason():
    original, protected, _ = pair()
    said = schema(key=None, aligned=False, risk={"intruders": True})
    for intruder in disclosure(original, protected, said).intruders:
        assert intruder.found is None
        assert intruder.learned is not None
        assert intruder.reason == "found: the tables are not aligned"


# -- a sample of the search ------------------------------------------------------------------------


def test_those_who_are_looked_for_stand_for_the_others(monkeypatch):
    """Of 3,000 people without an equal record 1,000 are looked for: figures are of all of them."""
    original = people(3000).with_columns(age=pl.col("age") + pl.col("id") / 1e4)
    rng = np.random.default_rng(1)
    noise = pl.Series(rng.normal(0.0, 0.3, 3000))
    protected = original.with_columns(age=pl.col("age") + noise)
    said = schema(keys=["sex", "region", "age"])
    every = disclosure(original, protected, said)
    monkeypatch.setattr("microgauge.sections.disclosure.attack.MOST_COMPARED", 1)
    result = assess(original, protected, said)
    some = result.disclosure
    assert "the nearest of 1,000 combinations" in " ".join(str(result).split())
    assert (every.found.looked_for, some.found.looked_for) == (None, 1000)
    assert every.found.exact == some.found.exact == 0.0
    assert every.found.above["0.5"] > 0.05
    assert some.found.value == pytest.approx(every.found.value, abs=0.03)
    for above, share in every.found.above.items():
        assert some.found.above[above] == pytest.approx(share, abs=0.03)
    for mine, theirs in zip(every.learned, some.learned, strict=True):
        assert theirs.nearest == pytest.approx(mine.nearest, abs=0.04)


def test_figures_that_could_not_be_computed_have_a_reason():
    """No keys in common: no claim, no TCAP; no weight, so nobody in the population."""
    original = people(60)
    said = schema(keys=["region"])
    protected = original.with_columns(region=pl.Series(["Y", "Z"] * 30))
    found = disclosure(original, protected, said)
    assert found.found.claims_right is found.found.population is None
    assert "claims_right: " in found.found.reason
    assert "population: " in found.found.reason
    for target in found.learned:
        assert target.tcap is None
        assert target.reason.startswith("tcap: ")


def test_groups_of_whom_nobody_is_found_are_not_named():
    original = people(60)
    protected = original.with_columns(region=pl.Series(["Y", "Z"] * 30))
    result = assess(original, protected, schema(keys=["region"], risk={"group": "sex"}))
    assert result.disclosure.found.groups[0].found == 0.0
    assert "most in" not in str(result)


def test_a_file_of_which_every_cell_was_suppressed_holds_no_copy_and_says_why():
    original = people(60).drop("id")
    empty = original.select(pl.lit(None, pl.String).repeat_by(60).explode().alias(n) for n in TYPES)
    said = {"variable": {"region": {"role": "quasi_identifier"}}}
    found = microgauge.assess(original, empty, schema=said, only=["disclosure"]).disclosure
    assert (found.risk, found.copied.value) == (None, None)
    assert "no value in any variable" in found.copied.reason
