"""One suite for every engine: in memory, in batches, in Spark. The whole result is the same.

Rows in Spark have no order; where some are drawn there, they are sorted by their codes first. The
tables here are sorted alike, so that every engine draws the same ones and no figure may differ.
"""

import gc
import tempfile
from contextlib import nullcontext
from functools import lru_cache
from pathlib import Path

import polars as pl
import pytest

import microgauge
from microgauge import InputError
from microgauge.commands.draft import draft_schema
from microgauge.engines.opening import open_table
from microgauge.tables import Reading
from support.batches import in_batches
from support.figures import differences, with_details
from support.tables import people, protected_version, said, written

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
]


@pytest.fixture(scope="module", autouse=True)
def _collected():
    """Scratch files that are still open are closed here, not in the midst of another module."""
    yield
    gc.collect()


# -- tables --------------------------------------------------------------------------------------

ROWS = 320


def ordered(frame):
    """The order of Spark's samples: by the codes of all columns but the key, missing cells last."""
    names = [name for name in frame.columns if name != "number"]
    return frame.sort(names, nulls_last=True)


def survey(rows=ROWS, seed=1):
    # The order of a categorical is Arrow's own; Spark does not know of it.
    return ordered(people(rows, seed).with_columns(pl.col("grade").cast(pl.String)))


def released(frame, lost=30, added=12):
    """A protected version without the last units, with some new ones."""
    kept = protected_version(frame.head(frame.height - lost)).with_columns(pl.col("age").round())
    if not added:
        return ordered(kept)
    new = protected_version(survey(added, seed=9)).with_columns(number=pl.col("number") + 10_000)
    return ordered(pl.concat([kept, new]))


def spelt(frame, key):
    return frame.with_columns(number=key)


TEXT_KEY = pl.format("u-{}", "number")
BANDS = {"breaks": [0, 30, 50, 70], "labels": ["young", "30 to 49", "50 to 69", "old"]}
MERGED = {"1": "1", "2": "1", "3": "3", "4": "4", "5": "5", "6": "5"}


def banded(frame):
    """Ages in bands that a schema declares, heights in bands that tell themselves; merged codes."""
    age, height = pl.col("age"), (pl.col("height") // 10 * 10).cast(pl.Int64)
    bands = pl.when(age < 30).then(pl.lit("young")).when(age < 50).then(pl.lit("30 to 49"))
    return frame.with_columns(
        age=bands.when(age < 70).then(pl.lit("50 to 69")).when(age >= 70).then(pl.lit("old")),
        height=pl.format("{}-{}", height, height + 9),
        education=pl.col("education").replace({2: 1, 6: 5}),
        grade=pl.col("grade").replace({"low": "not high", "middle": "not high"}),
    )


def schema(**changes):
    """A schema that asks for everything, with entries of some of its tables changed."""
    found = said()
    for name, entries in changes.items():
        found[name] = found.get(name, {}) | entries
    return found


def of_columns(names, **options):
    """A schema for tables of some columns only."""
    found = schema(options=options)
    return {
        "options": found["options"],
        "variable": {n: v for n, v in found["variable"].items() if n in names},
        "propensity": found["propensity"],
    }


# -- cases ---------------------------------------------------------------------------------------

SECTIONS = [
    "left_in", "gdu", "propensity", "clusters", "ecdf", "loss", "indicators", "regressions",
    "risk", "rut",
]  # fmt: skip
FEW = ["gdu", "loss", "risk", "rut"]
WHOLE = ["propensity", "clusters", "ecdf"]


def keyed():
    """Every section; weights in both tables; text keys; units lost and added."""
    original = survey()
    protected = released(original)
    strangers = survey(200, seed=4).with_columns(number=pl.col("number") + 20_000)
    choices = {
        "schema": schema(
            options={"key": "number", "weight": "w"},
            clusters={"groups": [5, 20], "resamples": 2},
            propensity={"resamples": 3},
            ecdf={"resamples": 2},
            loss={"groups": ["sex"]},
        ),
        "external": spelt(pl.concat([original[::2], strangers]), TEXT_KEY),
        "population": spelt(pl.concat([original, strangers]), TEXT_KEY),
        "details": True,
        "yardsticks": True,
    }
    return microgauge.assess, (spelt(original, TEXT_KEY), spelt(protected, TEXT_KEY)), choices


def recoded():
    """Number keys; weights in one table; bands declared and found; missing cells a category."""
    original = survey()
    chosen = schema(
        options={"key": "number", "weight_original": "w", "missing": "category", "test_n": 150},
        risk={"missing_keys": "any", "external_method": ["probability", "unique"]},
    )
    chosen["variable"]["age"]["recode"] = BANDS
    chosen["variable"]["education"]["recode"] = {"map": MERGED}
    choices = {
        "schema": chosen,
        "only": FEW,
        "external": original[::3].select("region", "age", "height"),
    }
    return microgauge.assess, (original, banded(original.head(290))), choices


def mixed_keys():
    """Numbers in one table, the same as text in the other; bands not declared; other choices."""
    original = survey()
    protected = banded(original).with_columns(w=pl.Series([1.0, 3.0] * (ROWS // 2)))
    chosen = schema(
        options={"key": "number", "weight_protected": "w", "normality": False, "seed": 7},
        risk={"record_weight": "score", "combine": "mean", "interval": 0.2, "suda_max": 2},
        rut={"combine": "max", "form": "ratio"},
        loss={"ways": 3},
    )
    tables = (original, spelt(protected, pl.col("number").cast(pl.String)))
    return microgauge.assess, tables, {"schema": chosen, "skip": ["gdu", *WHOLE]}


def awkward(frame, *, text):
    """Numbers as text in one table, with words and codes for missing ones; padded codes; -0."""
    place = pl.int_range(pl.len())
    word = pl.when(place % 11 == 0).then(pl.lit("NA")).when(place % 13 == 0).then(pl.lit("-9"))
    amount = (place % 9 - 4).cast(pl.Float64) / 4
    return frame.with_columns(
        amount=word.otherwise(amount.cast(pl.String)) if text else amount * -1.0,
        code=pl.format("00{}", place % 7) if text else place % 7,
        sign=pl.when(place % 2 == 0).then(-0.0).otherwise(0.0) + (place % 3 == 0),
        flag=(place % 5 < 2).cast(pl.String).str.to_titlecase() if text else place % 5 < 3,
        empty=pl.lit(None, pl.String),
    )


def apart():
    """No key, other numbers of rows, a column gone and one new, awkward cells: every section."""
    original = survey().drop("number", "w", "height", "note")
    protected = released(survey(), lost=70, added=0).select(original.columns).drop("born")
    tables = [
        table.sort(table.columns, nulls_last=True)
        for table in (awkward(original, text=True), awkward(protected, text=False))
    ]
    tables[1] = tables[1].with_columns(new=pl.lit("x"))
    chosen = schema()
    for name in ("w", "height"):
        del chosen["variable"][name]
    chosen["variable"]["amount"] = {"missing": [-9], "type": "continuous"}
    chosen["clusters"] = {"groups": [5, 20], "resamples": 2}
    chosen["ecdf"] = {"resamples": 2}
    return microgauge.assess, tables, {"schema": chosen}


def sampled_by_key():
    """Every section that looks at units, on a sample of them."""
    function, tables, _ = keyed()
    chosen = schema(options={"key": "number", "weight": "w", "sample_rows": 150})
    return function, tables, {"schema": chosen, "skip": ["gdu", "loss", "rut"]}


def sampled_by_copies():
    """The same without a key, in tables of many equal rows."""
    names = ["region", "sex", "education", "health", "age", "w"]
    tables = [
        table.select(names).with_columns(age=pl.col("age") // 20 * 20).sort(names, nulls_last=True)
        for table in (survey(1200), released(survey(1200)))
    ]
    chosen = of_columns(names, aligned=False, weight="w", sample_rows=300) | {
        "indicator": [{"variable": "age", "statistic": "gini", "by": "sex", "resamples": 10}],
        "regression": [{"formula": "age ~ region"}],
    }
    return microgauge.assess, tables, {"schema": chosen, "skip": ["gdu", "loss"]}


def named():
    """Columns that name people, each in its way; others that do not."""
    original = survey().drop("number", "w", "note")
    place = pl.int_range(pl.len())
    protected = (
        released(survey(), added=0)
        .select(original.columns)
        .with_columns(
            mail=pl.format("p{}@example.org", place),
            day=pl.date(1950, 1, 1) + pl.duration(days=place * 61),
            moment=pl.datetime(1950, 1, 1) + pl.duration(hours=place * 1001),
            serial=pl.format("2024HU{}", 1_000_000 + place // 2),
            surname=pl.format("Name{}", place % 60 + 10),
            order=place + 1,
            latitude=48 + place / 7919,
            amount=(place * 7919 % 100_003) / 8,
        )
    )
    return microgauge.assess, (original, protected), {"only": ["left_in"]}


def unchanged():
    """The same rows in another order."""
    original = survey().drop("number")
    return microgauge.assess, (original, original.reverse()), {
        "schema": of_columns(original.columns, aligned=False), "only": ["left_in"],
    }  # fmt: skip


def suppressed(frame):
    """Some regions suppressed; noise on ages."""
    place = pl.int_range(pl.len())
    return frame.with_columns(
        region=pl.when(place % 40 == 0).then(None).otherwise("region"),
        age=pl.col("age").round() + place % 2,
    )


def disclosed():
    """What an intruder gets: units lost and added, keys suppressed, weights, a holdout."""
    # Weights of a sample: no record stands for less than itself.
    original = survey().with_columns(pl.col("w").clip(1.0))
    protected = ordered(suppressed(released(original)).with_columns(pl.col("w").clip(1.0)))
    chosen = schema(
        options={"key": "number", "weight": "w"},
        risk={"targets": ["health", "income", "education"], "interval": 0.2, "attacks": True},
    )
    choices = {
        "schema": chosen,
        "only": ["disclosure"],
        "holdout": survey(90, seed=6).drop("number"),
    }
    return microgauge.assess, (original, protected), choices


def disclosed_apart():
    """The same where nobody knows whose record is whose; some records are copied."""
    names = ["region", "sex", "education", "health", "age", "income", "w"]
    original = survey().select(names)
    protected = suppressed(released(survey(), lost=70, added=20)).select(names)
    mixed = pl.concat([protected, original[::9]]).sort(names, nulls_last=True)
    chosen = of_columns(names, aligned=False, weight="w")
    chosen["risk"] = {"interval": 0.3, "targets": ["health", "income", "education"]}
    choices = {
        "schema": chosen,
        "only": ["disclosure"],
        "holdout": survey(90, seed=6).select(names),
    }
    return microgauge.assess, (original, mixed), choices


def strays():
    """Texts among numbers, in either table: a missing code, a top code, a few words."""
    names = ["region", "sex", "age", "income"]
    place = pl.int_range(pl.len())

    def texts(frame, top):
        age = pl.min_horizontal(pl.col("age").round(), pl.lit(top)).cast(pl.Int64)
        return frame.select(names).with_columns(
            age=pl.when(age < top).then(age.cast(pl.String)).otherwise(pl.lit(f"{top}+")),
            income=pl.when(place % 9 == 0).then(pl.lit("refused")).otherwise("income"),
            amount=pl.when(place % 50 == 3)
            .then(pl.format("word {}", place % 7))
            .otherwise((place * 7919 % 1009 / 8).cast(pl.String)),
        )

    tables = texts(survey(), 70), texts(survey(), 60)
    schema = {"options": {"aligned": False}}
    return microgauge.assess, tables, {"only": ["gdu", "ecdf"], "schema": schema}


def ranked():
    """Two candidates, of few columns."""
    names = ["region", "sex", "age", "health", "income", "number"]
    original = survey()
    weak = released(original).select(names)
    strong = weak.with_columns(age=pl.lit(40.0), region=None)
    choices = {
        "schema": of_columns(names, key="number"),
        "names": ["weak", "strong"],
        "only": ["risk", "rut"],
        "max_risk": 0.9,
    }
    return microgauge.rank, (original.select(names), [weak, strong]), choices


def diagnosed():
    chosen = schema()
    for name in ("indicator", "regression", "model", "propensity"):
        del chosen[name]
    chosen["level"] = {"P1": {"age": {"round": 5}}, "P2": {"age": BANDS, "region": "suppress"}}
    return microgauge.diagnose, (survey(),), {"schema": chosen}


def drafted():
    original = survey()
    return draft_schema, (original, released(original)), {}


CASES = {
    "keyed": keyed,
    "recoded": recoded,
    "mixed keys": mixed_keys,
    "apart": apart,
    "sampled by key": sampled_by_key,
    "sampled by copies": sampled_by_copies,
    "named": named,
    "unchanged": unchanged,
    "disclosed": disclosed,
    "disclosed apart": disclosed_apart,
    "strays": strays,
    "ranked": ranked,
    "diagnosed": diagnosed,
    "drafted": drafted,
}


# -- engines -------------------------------------------------------------------------------------


def run_on(engine, case, folder, session=None):
    """The result of a case on an engine, its tables in files."""
    function, tables, choices = case
    folder = Path(tempfile.mkdtemp(dir=folder))
    tables = [written(table, folder / f"table-{i}") for i, table in enumerate(tables)]
    choices = {name: written(value, folder / name) for name, value in choices.items()}
    if engine == "spark":
        return function(*tables, engine=session, **choices)
    with in_batches(97) if engine == "batches" else nullcontext():
        return function(*tables, **choices)


@pytest.fixture(params=["memory", "batches", pytest.param("spark", marks=pytest.mark.spark)])
def assess_on(request, tmp_path, monkeypatch):
    """Runs cases on one of the engines; rows stay in Spark, however few."""
    monkeypatch.setattr("microgauge.engines.spark.rows.FEW_CELLS", 0)
    session = request.getfixturevalue("spark") if request.param == "spark" else None
    return lambda case: run_on(request.param, case, tmp_path, session)


@lru_cache
def in_memory(name):
    """The result of a case whose tables are data frames in memory."""
    function, tables, choices = CASES[name]()
    return with_details(function(*tables, **choices))


@pytest.mark.parametrize("name", CASES)
def test_every_engine_gives_the_same_result(assess_on, name):
    assert differences(in_memory(name), with_details(assess_on(CASES[name]()))) == []


def test_the_cases_are_what_they_say():
    for name, how, dropped in [
        ("keyed", "key", 30),
        ("recoded", "key", 30),
        ("mixed keys", "key", 0),
        ("apart", "not aligned", None),
    ]:
        alignment = in_memory(name)["inputs"]["alignment"]
        assert (alignment["how"], alignment["dropped"]) == (how, dropped)
    assert in_memory("keyed")["inputs"]["alignment"]["added"] == 12
    left_in = {one["column"]: one["code"] for one in in_memory("named")["left_in"]}
    assert left_in == {
        "mail": "email", "day": "date", "moment": "date", "serial": "called-person-id",
        "surname": "called-name", "order": "running-number", "latitude": "coordinates",
    }  # fmt: skip
    assert in_memory("unchanged")["left_in"][0]["code"] == "unchanged"
    assert set(SECTIONS) | {"details", "yardsticks"} <= in_memory("keyed").keys()
    assert set(SECTIONS) <= in_memory("apart").keys()
    recodings = {
        name: {
            v["name"]: v["recoding"]["how"] for v in in_memory(name)["variables"] if v["recoding"]
        }
        for name in ("keyed", "recoded", "mixed keys")
    }
    assert recodings["keyed"] == {"born": "inferred"}
    assert recodings["mixed keys"]["age"] == "inferred"
    assert recodings["recoded"] == {
        "age": "declared", "education": "declared", "height": "labels", "grade": "inferred",
    }  # fmt: skip
    risk = in_memory("keyed")["risk"]
    assert all(value is not None for value in risk["external_methods"].values())
    for figure in ("population_uniques", "linkage", "suda", "loglinear", "individual"):
        assert risk[figure] is not None
    for name in ("sampled by key", "sampled by copies"):
        assert any("chosen by hash" in note for note in in_memory(name)["notes"])


def test_the_cases_of_disclosure_have_every_figure():
    known, apart = (in_memory(name)["disclosure"] for name in ("disclosed", "disclosed apart"))
    assert in_memory("disclosed")["inputs"]["alignment"]["dropped"] == 30
    for figure in ("exact", "nearest", "population", "claims_right"):
        assert known["found"][figure] is not None
    assert known["found"]["nearest"] > known["found"]["exact"] > 0
    assert apart["copied"]["found_copied_excess"] is not None
    assert apart["copied"]["value"] > 0
    for found in (known, apart):
        assert found["holdout"] == 90
        assert all(target["excess_ci"] is not None for target in found["learned"])
        assert len(found["learned"]) == 3


def test_keys_that_cannot_join_are_the_same_faults(assess_on):
    original = survey(60).select("number", "sex")
    numbers = pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise("number")
    tables = [original.with_columns(number=numbers), pl.concat([original, original.head(2)])]
    choices = {"key": "number", "only": ["gdu"]}
    with pytest.raises(InputError) as expected:
        microgauge.assess(*tables, **choices)
    with pytest.raises(InputError) as caught:
        assess_on((microgauge.assess, tables, choices))
    assert len(expected.value.faults) == 2
    assert caught.value.faults == expected.value.faults


def test_numbers_on_a_grid_are_the_same_in_batches_and_in_spark(spark, tmp_path):
    """In memory all numbers are told apart."""
    names = ["region", "sex", "age", "income", "score", "w"]
    tables = [table.select(names) for table in (survey(), released(survey()))]
    chosen = of_columns(names, aligned=False, weight="w", distinct_values=100)
    case = microgauge.assess, tables, {"schema": chosen, "only": ["gdu", "loss"]}
    found = [with_details(run_on(engine, case, tmp_path, spark)) for engine in ("batches", "spark")]
    for name in ("income", "score"):
        assert any(f'"{name}" has more than 100 different' in note for note in found[0]["notes"])
    assert differences(*found) == []


@pytest.mark.parametrize("engine", ["memory", "batches"])
@pytest.mark.parametrize("name", ["part-[1]", "part-?", "part-*"])
def test_names_of_parts_mean_themselves(tmp_path, engine, name):
    """In Spark: test_spark.test_names_of_parts_mean_themselves."""
    survey(10, seed=2).write_parquet(tmp_path / "part-1.parquet")
    survey(50, seed=3).write_parquet(tmp_path / "part")
    (tmp_path / "part").rename(tmp_path / f"{name}.parquet")
    with in_batches(97) if engine == "batches" else nullcontext():
        assert open_table(tmp_path, which="original", reading=Reading(1 << 30)).rows == 60
