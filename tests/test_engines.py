"""One suite for every engine: in memory, in batches, in Spark. The whole result is the same.

Rows in Spark have no order; where some are drawn there, they are sorted by their codes first. The
tables here are sorted alike, so that every engine draws the same ones and no figure may differ.
"""

import gc
import json
from contextlib import nullcontext
from functools import lru_cache

import numpy as np
import polars as pl
import pytest
from test_streaming import SECTIONS, differences, in_batches, parts, people, protected_version, said

import microgauge
from microgauge import InputError
from microgauge.draft import draft_schema
from microgauge.render.json import json_text

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
    kept = protected_version(frame.head(frame.height - lost))
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


# -- cases ---------------------------------------------------------------------------------------

FEW = ["gdu", "loss", "risk", "rut"]


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
    protected = banded(original).with_columns(age=original["age"], w=pl.lit(1.0))
    chosen = schema(
        options={"key": "number", "weight_protected": "w", "normality": False, "seed": 7},
        risk={"record_weight": "score", "combine": "mean", "interval": 0.2, "suda_max": 2},
        rut={"combine": "max", "form": "ratio"},
        loss={"ways": 3},
    )
    tables = (original, spelt(protected, pl.col("number").cast(pl.String)))
    return microgauge.assess, tables, {"schema": chosen, "only": FEW}


def apart():
    """No key, other numbers of rows, a column gone and one new: every section."""
    original = survey().drop("number", "w")
    protected = released(survey(), lost=70, added=0).drop("number", "w", "born")
    chosen = schema()
    del chosen["variable"]["w"]
    protected = protected.with_columns(new=pl.lit("x"))
    return microgauge.assess, (original, protected), {"schema": chosen}


def sampled_by_key():
    """Every section that looks at units, on a sample of them."""
    function, tables, choices = keyed()
    chosen = schema(options={"key": "number", "weight": "w", "sample_rows": 150})
    return function, tables, {"schema": chosen, "skip": ["gdu", "loss"]}


def sampled_by_copies():
    """The same without a key, in tables of many equal rows."""
    names = ["region", "sex", "education", "health", "age", "w"]
    tables = [
        table.select(names).with_columns(age=pl.col("age") // 20 * 20).sort(names, nulls_last=True)
        for table in (survey(1200), released(survey(1200)))
    ]
    chosen = schema(options={"aligned": False, "weight": "w", "sample_rows": 300})
    chosen["variable"] = {n: v for n, v in chosen["variable"].items() if n in names}
    chosen |= {
        "indicator": [{"variable": "age", "statistic": "gini", "by": "sex", "resamples": 10}],
        "regression": [{"formula": "age ~ region"}],
    }
    del chosen["model"]
    return microgauge.assess, tables, {"schema": chosen, "skip": ["gdu", "loss"]}


def ranked():
    """Two candidates and a register."""
    original = survey()
    weak = released(original)
    strong = weak.with_columns(age=pl.lit(40.0), region=None)
    choices = {
        "schema": schema(options={"key": "number"}),
        "only": FEW,
        "names": ["weak", "strong"],
        "max_risk": 0.9,
        "external": original[::2],
    }
    return microgauge.rank, (original, [weak, strong]), choices


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
    "ranked": ranked,
    "diagnosed": diagnosed,
    "drafted": drafted,
}


# -- engines -------------------------------------------------------------------------------------


def written(given, place):
    """Tables as folders of parts of unequal size, empty ones among them; all else as it is."""
    if isinstance(given, list):
        return [written(one, place.with_name(f"{place.name}{i}")) for i, one in enumerate(given)]
    if not isinstance(given, pl.DataFrame):
        return given
    rows = given.height
    return parts(given, place, "parquet", (0, 1, rows // 2, rows // 8))


@pytest.fixture(params=["memory", "batches", "spark"])
def assess_on(request, tmp_path):
    """Runs a case on an engine, its tables in files."""
    engine = request.getfixturevalue("spark") if request.param == "spark" else "local"

    def run(function, tables, choices):
        tables = [written(table, tmp_path / f"table-{i}") for i, table in enumerate(tables)]
        choices = {name: written(value, tmp_path / name) for name, value in choices.items()}
        with in_batches(97) if request.param == "batches" else nullcontext():
            return function(*tables, engine=engine, **choices)

    return run


def told(result):
    """A result as JSON, without where tables are, and without the type of the key."""
    if isinstance(result, str):
        return result
    found = json.loads(json_text(result))
    found.pop("path", None)
    for one in found.get("candidates", [found]):
        for side in ("original", "protected"):
            one.get("inputs", {}).get(side, {}).pop("path", None)
        for variable in one["variables"]:
            if variable["name"] == "number":  # see test_streaming.test_the_key_keeps_its_type
                variable.pop("type", None)
                variable.pop("protected_type", None)
    return found


@lru_cache
def in_memory(name):
    """The result of a case whose tables are in memory."""
    function, tables, choices = CASES[name]()
    return told(function(*tables, **choices))


@pytest.mark.parametrize("name", CASES)
def test_every_engine_gives_the_same_result(name, assess_on):
    assert differences(in_memory(name), told(assess_on(*CASES[name]()))) == []
