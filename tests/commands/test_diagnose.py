"""Before protecting: distributions, classes and previews against pandas, scipy and `assess`."""

import json
import math
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.commands import diagnose as diagnosis
from microgauge.results.plain import json_text
from support.command import columns_of, refused
from support.figures import approx, strict_json
from support.rows import alike
from support.scans import counted_scans
from support.surveys import KEY, NUMBER

KEYS = ["AGEP", "SEX", "RAC1P", "HISP", "MAR"]
BLOCKS = "▁▂▃▄▅▆▇█"


# -- a table like the survey extract -------------------------------------------------------------


def acs(rows=3000, seed=11, missing=0.0):
    """Persons of a survey: ages, codes, a skewed income, whole weights."""
    rng = np.random.default_rng(seed)

    def codes(most, decay):
        shares = decay ** np.arange(most)
        return 1 + rng.choice(most, rows, p=shares / shares.sum())

    frame = pd.DataFrame(
        {
            "AGEP": np.clip(rng.gamma(4, 11, rows), 0, 95).astype(int),
            "SEX": rng.choice([1, 2], rows),
            "RAC1P": codes(9, 0.5),
            "HISP": codes(20, 0.3),
            "SCHL": np.clip(rng.normal(16, 4, rows), 1, 24).round().astype(int),
            "MAR": codes(5, 0.6),
            "PINCP": (rng.lognormal(10, 1, rows) * (rng.random(rows) < 0.9)).round(-1),
            "PWGTP": rng.integers(1, 60, rows),
        }
    )
    if missing:
        for name in frame.columns[:-1]:
            frame[name] = frame[name].astype(float).mask(rng.random(rows) < missing)
    return frame


SAID = {
    "AGEP": NUMBER | KEY,
    "SEX": {"type": "nominal"} | KEY,
    "RAC1P": {"type": "nominal"} | KEY,
    "HISP": {"type": "nominal"} | KEY,
    "MAR": {"type": "nominal"} | KEY,
    "SCHL": {"type": "ordinal"},
    "PINCP": NUMBER | {"role": "sensitive"},
    "PWGTP": {"role": "weight"},
}
RACES = {str(i): "white" if i == 1 else "other" for i in range(1, 10)}
ORIGINS = {str(i): "no" if i == 1 else "yes" for i in range(1, 21)}
SCHOOLS = {str(i): "low" if i < 16 else "middle" if i < 20 else "high" for i in range(1, 25)}
LEVELS = {
    "P1": {"AGEP": {"round": 5}, "PINCP": {"round": 1000}},
    "P2": {
        "AGEP": {"breaks": [0, 20, 40, 60, 80]},
        "HISP": {"map": ORIGINS},
        "PINCP": {"top": 100_000},
    },
    "P3": {
        "AGEP": {"breaks": [0, 18, 65], "labels": ["minor", "adult", "senior"]},
        "RAC1P": {"map": RACES},
        "HISP": "suppress",
        "SCHL": {"map": SCHOOLS},
        "PINCP": {"top": 60_000},
    },
}


def schema(levels=None, weight="PWGTP", risk=None, variables=None, **more):
    return {
        "options": {} if weight is None else {"weight": weight},
        "variable": SAID if variables is None else variables,
        "level": levels or {},
        "risk": risk or {},
        **more,
    }


def diagnose(frame, said=None, **choices):
    """A diagnosis; it can be written as JSON."""
    found = microgauge.diagnose(frame, schema=schema() if said is None else said, **choices)
    strict_json(json_text(found))
    return found


def one(column, **said):
    """The diagnosis of a single variable x beside a key that tells nobody."""
    frame = pd.DataFrame({"k": ["a"] * len(column), "x": column})
    found = diagnose(frame, {"variable": {"k": KEY, "x": said}})
    return next(v for v in found.variables if v.name == "x")


@pytest.fixture(scope="module")
def frame():
    return acs()


@pytest.fixture(scope="module")
def found(frame):
    return diagnose(frame, schema(LEVELS))


# -- classes -------------------------------------------------------------------------------------


def sizes_of(frame, keys):
    """EC of every record; a missing key is a value of its own."""
    return frame.groupby(keys, dropna=False)["PWGTP"].transform("size").to_numpy()


def assert_classes(risk, sizes):
    assert risk.internal == approx((1 / sizes).mean())
    assert risk.uniques == (sizes == 1).sum()
    assert risk.unique_share == approx((sizes == 1).mean())
    assert risk.small_share == approx((sizes <= 3).mean())
    wanted = np.quantile(sizes, [0.05, 0.5, 0.95])
    assert list(risk.class_quantiles) == ["5%", "50%", "95%"]
    assert list(risk.class_quantiles.values()) == approx(wanted)


def test_classes_of_all_keys(found, frame):
    assert found.classes.keys == tuple(KEYS)
    assert_classes(found.classes, sizes_of(frame, KEYS))
    assert found.classes.classes == frame.groupby(KEYS).ngroups
    assert found.rows == 3000


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_subsets_are_those_of_pandas(missing):
    frame = acs(missing=missing)
    found = diagnose(frame)
    wanted = {subset for size in (1, 2, 3) for subset in combinations(KEYS, size)}
    assert {s.keys for s in found.subsets} == wanted
    assert len(found.subsets) == len(wanted) == 25
    for subset in found.subsets:
        keys = list(subset.keys)
        assert_classes(subset, sizes_of(frame, keys))
        assert subset.classes == frame.groupby(keys, dropna=False).ngroups


def test_the_worst_subset_comes_first(found):
    order = [(s.unique_share, s.internal) for s in found.subsets]
    assert order == sorted(order, reverse=True)
    assert order[0] > order[-1]
    assert len(found.subsets[0].keys) == 3


@pytest.mark.parametrize("count", [1, 2, 3])
def test_subsets_of_few_keys(count):
    keys = KEYS[:count]
    found = diagnose(acs(200), schema(variables={name: SAID[name] for name in keys}))
    assert len(found.subsets) == 2**count - 1
    assert found.classes.keys == tuple(keys)
    (whole,) = [s for s in found.subsets if len(s.keys) == count]
    assert whole == found.classes


def any_sizes(frame, keys):
    """EC of every record where a missing key matches everything: all pairs compared."""
    rows = [
        tuple(None if pd.isna(v) else v for v in row)
        for row in frame[keys].itertuples(index=False, name=None)
    ]
    counts = Counter(rows)
    own = {row: sum(n for other, n in counts.items() if alike(row, other)) for row in counts}
    return np.array([own[row] for row in rows])


def test_a_missing_key_that_matches_everything():
    frame = acs(150, missing=0.2)
    level = {"L": {"AGEP": {"breaks": [0, 40]}, "HISP": "suppress"}}
    found = diagnose(frame, schema(level, risk={"missing_keys": "any"}))
    assert found.missing_keys == "any"
    assert "matches any value" in " ".join(str(found).split())
    assert_classes(found.classes, any_sizes(frame, KEYS))
    for subset in found.subsets:
        assert_classes(subset, any_sizes(frame, list(subset.keys)))
    old = frame.assign(AGEP=(frame["AGEP"] >= 40).where(frame["AGEP"].notna()))
    sizes = any_sizes(old, ["AGEP", "SEX", "RAC1P", "MAR"])
    assert found.levels[0].internal == approx((1 / sizes).mean())
    assert found.levels[0].k == sizes.min()
    assert found.levels[0].uniques == (sizes == 1).sum()
    assert found.classes.internal < diagnose(frame).classes.internal


def test_weights_play_no_part_in_classes(frame):
    weighted, plain = diagnose(frame), diagnose(frame, schema(weight=None))
    assert weighted.classes == plain.classes
    assert weighted.subsets == plain.subsets


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.sampled_from([1.0, 2.0, None])] * 2, st.integers(0, 3)),
        min_size=1, max_size=12,
    ),
    st.sampled_from(["value", "any"]),
)  # fmt: skip
@example([(None, None, 0)], "any")
@example([(1.0, None, 0), (None, 2.0, 0)], "any")
def test_classes_of_any_small_table(rows, how):
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(PWGTP=1)
    variables = dict.fromkeys("abc", {"type": "nominal"} | KEY)
    found = diagnose(frame, schema(variables=variables, weight=None, risk={"missing_keys": how}))
    count = any_sizes if how == "any" else sizes_of
    assert_classes(found.classes, count(frame, list("abc")))
    for subset in found.subsets:
        assert_classes(subset, count(frame, list(subset.keys)))


# -- one scan ------------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [{}, LEVELS])
def test_exactly_one_scan(frame, monkeypatch, levels):
    reads, read = [], diagnosis.open_table

    def reading(*args, **kwargs):
        reads.append(kwargs)
        return read(*args, **kwargs)

    scans = counted_scans(monkeypatch)
    monkeypatch.setattr(diagnosis, "open_table", reading)
    result = diagnose(frame, schema(levels))
    assert len(result.levels) == len(levels)
    assert len(scans) == 1
    assert len(reads) == 1


# -- distributions -------------------------------------------------------------------------------


def named(found):
    return {v.name: v for v in found.variables}


def test_weights_and_ids_are_no_variables(found, frame):
    assert [v.name for v in found.variables] == [n for n in frame if n != "PWGTP"]
    with_ids = diagnose(frame.assign(unit=[f"u{i}" for i in range(3000)]))
    assert "unit" not in named(with_ids)


@pytest.mark.parametrize("weight", ["PWGTP", None])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_histograms_are_weighted_and_add_up_to_one(weight, missing):
    frame = acs(missing=missing)
    variables = named(diagnose(frame, schema(weight=weight)))
    weights = frame["PWGTP"] if weight else pd.Series(1, index=frame.index)
    for name, variable in variables.items():
        here = frame[name].notna()
        shares = [entry["share"] for entry in variable.histogram]
        assert variable.missing == (~here).sum()
        assert variable.distinct == frame[name].nunique()
        assert sum(shares) == approx(1.0) or variable.distinct > 20
        if variable.type == "continuous":
            wanted, edges = np.histogram(
                frame[name][here], bins=len(shares), weights=weights[here]
            )  # fmt: skip
            assert shares == approx(wanted / weights[here].sum())
            assert [entry["low"] for entry in variable.histogram] == approx(edges[:-1])
            assert [entry["high"] for entry in variable.histogram] == approx(edges[1:])
        else:
            by = weights.groupby(frame[name]).sum().sort_values(ascending=False)
            assert shares == approx(by.to_numpy()[: len(shares)] / by.sum())
            for entry in variable.histogram:
                assert entry["share"] == approx(by[float(entry["category"])] / by.sum())
            assert len(shares) == min(20, len(by))


def test_weights_change_a_histogram():
    plain, weighted = (named(diagnose(acs(), schema(weight=w)))["SEX"] for w in (None, "PWGTP"))
    assert plain.histogram != weighted.histogram


@pytest.mark.parametrize("weight", ["PWGTP", None])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_skewness_is_that_of_scipy(weight, missing):
    frame = acs(missing=missing)
    variables = named(diagnose(frame, schema(weight=weight)))
    for name in ("AGEP", "PINCP"):
        here = frame[frame[name].notna()]
        units = np.repeat(here[name], here["PWGTP"]) if weight else here[name]
        assert variables[name].skewness == pytest.approx(stats.skew(units), rel=1e-9)
        assert variables[name].reason is None
    for name in ("SEX", "SCHL"):
        assert variables[name].skewness is None
        assert variables[name].top_share is None
        assert "no number" in variables[name].reason


def test_skewness_to_the_left_is_negative():
    rng = np.random.default_rng(1)
    x = -rng.lognormal(0, 1, 500)
    variable = one(x, **NUMBER)
    assert variable.skewness == pytest.approx(stats.skew(x), rel=1e-9)
    assert variable.skewness < -1
    assert variable.top_share is None  # no share of what is owed
    assert variable.reason


def top_share(units, top=0.01):
    """The share of the top 1 % of units, the last of them in part."""
    units = np.sort(np.asarray(units, dtype=float))[::-1]
    held = top * len(units)
    whole = math.floor(held + 1e-9)
    rest = held - whole
    taken = units[:whole].sum() + (rest * units[whole] if rest > 1e-9 else 0.0)
    return taken / units.sum()


@pytest.mark.parametrize("weight", ["PWGTP", None])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_top_one_percent_by_expansion(weight, missing):
    frame = acs(missing=missing)
    variables = named(diagnose(frame, schema(weight=weight)))
    for name in ("AGEP", "PINCP"):
        here = frame[frame[name].notna()]
        units = np.repeat(here[name], here["PWGTP"]) if weight else here[name]
        assert variables[name].top_share == pytest.approx(top_share(units), rel=1e-9)
    assert variables["PINCP"].top_share > variables["AGEP"].top_share > 0.01


@pytest.mark.parametrize(
    ("column", "share"),
    [
        ([1.0] * 50 + [2.0] * 50, 2 / 150),  # one unit of a hundred
        ([1.0] * 25 + [2.0] * 25, 1 / 75),  # half a unit of fifty
        ([0.0] * 99 + [5.0], 1.0),  # one has it all
        ([0.5] * 199 + [1000.5], (1000.5 + 0.5) / 1100.0),
    ],
)
def test_the_top_one_percent_by_hand(column, share):
    assert one(column, **NUMBER).top_share == approx(share)


def test_a_constant_number():
    variable = one([7.25] * 40, **NUMBER)
    assert variable.distinct == 1
    assert variable.skewness is None
    assert variable.top_share == approx(0.01)
    assert variable.reason
    assert sum(entry["share"] for entry in variable.histogram) == approx(1.0)


def test_a_constant_zero():
    variable = one([0.0] * 40, **NUMBER)
    assert (variable.skewness, variable.top_share) == (None, None)
    assert variable.reason


def test_a_constant_category():
    variable = one(["x"] * 40)
    assert [dict(entry) for entry in variable.histogram] == [{"category": "x", "share": 1.0}]


@pytest.mark.parametrize("said", [{}, NUMBER, {"type": "nominal"}])
def test_an_empty_variable(said):
    frame = pd.DataFrame({"k": list("aabb"), "x": [None] * 4, "y": [1.0, 2.0, 3.0, 5.0]})
    level = {"L": {"y": {"round": 2}}}
    found = diagnose(frame, schema(level, None, variables={"k": KEY, "x": said, "y": NUMBER}))
    variable = named(found)["x"]
    assert (variable.distinct, variable.missing, variable.histogram) == (0, 4, ())
    assert variable.reason == "all missing"
    assert "x" not in [a.name for a in found.levels[0].attributes]
    assert "x" in str(found)


def test_an_empty_key():
    frame = pd.DataFrame({"k": [None] * 6, "x": list("aabbbc"), "PWGTP": 1})
    found = diagnose(frame, schema(weight=None, variables={"k": KEY, "x": KEY}))
    assert_classes(found.classes, np.array([2, 2, 3, 3, 3, 1]))


@pytest.mark.parametrize("scale", [1e-150, 1e150, 1e300])
def test_numbers_too_small_or_too_large_to_be_cubed(scale):
    """A figure, or null with a reason; never an infinity, and no warning."""
    rng = np.random.default_rng(2)
    x = rng.lognormal(0, 1, 300)
    variable = one(x * scale, **NUMBER)
    for found, wanted in ((variable.skewness, stats.skew(x)), (variable.top_share, top_share(x))):
        assert variable.reason if found is None else found == pytest.approx(wanted, rel=1e-6)
    assert sum(entry["share"] for entry in variable.histogram) == approx(1.0)


def test_one_row():
    levels = {"L": {"AGEP": {"round": 10}, "SEX": "suppress"}}
    found = diagnose(acs(1), schema(levels, None))
    assert_classes(found.classes, np.array([1]))
    assert found.classes.internal == 1.0
    assert found.levels[0].internal == 1.0
    assert (found.levels[0].k, found.levels[0].uniques) == (1, 1)
    assert named(found)["PINCP"].skewness is None
    assert "1 record" in str(found)


def test_the_last_bin_is_drawn_too():
    """Two heaps at the ends of the range: the line of blocks ends as high as it begins."""
    x = [0.0] * 50 + [100.0] * 50
    frame = pd.DataFrame({"k": ["a"] * 100, "amount": x})
    found = diagnose(frame, schema(weight=None, variables={"k": KEY, "amount": NUMBER}))
    (line,) = [x for x in str(found).splitlines() if "amount" in x and "continuous" in x]
    bars = "".join(c for c in line if c in BLOCKS)
    assert bars[0] == bars[-1] == "█"


# -- previews ------------------------------------------------------------------------------------


def test_risk_falls_from_level_to_level(found):
    risks = [found.classes.internal, *(level.internal for level in found.levels)]
    assert [level.name for level in found.levels] == ["P1", "P2", "P3"]
    for weak, strong in pairwise(risks):
        assert strong < weak
    assert found.levels[0].utility > found.levels[-1].utility
    uniques = [found.classes.uniques, *(level.uniques for level in found.levels)]
    assert uniques == sorted(uniques, reverse=True)


def recoded(column, recode):
    """A column as a level would release it, by pandas."""
    here = column.notna()
    if "round" in recode:
        released = (column / recode["round"]).round().mul(recode["round"])
    elif "top" in recode or "bottom" in recode:
        released = column.clip(recode.get("bottom"), recode.get("top"))
    elif "breaks" in recode:
        edges = [*recode["breaks"], np.inf]
        right = recode.get("closed") == "right"
        shown = [f"({a:g},{b:g}]" if right else f"[{a:g},{b:g})" for a, b in pairwise(edges)]
        released = pd.cut(column, edges, right=right, labels=recode.get("labels", shown))
        released = released.astype(object)
    elif "map" in recode:
        text = column.map(lambda v: v if isinstance(v, str) else f"{v:g}", na_action="ignore")
        released = text.map(recode["map"])
    else:
        released = column.map(lambda v: str(v)[: recode["prefix"]], na_action="ignore")
    assert released.notna().equals(here)
    return released


def applied(frame, level):
    """The whole table as a level would release it."""
    gone = [name for name, recode in level.items() if recode == "suppress"]
    changed = {n: recoded(frame[n], r) for n, r in level.items() if r != "suppress"}
    return frame.assign(**changed).drop(columns=gone)


def alike_figures(mine, theirs):
    """Equal but for the last digits, or null in both."""
    if isinstance(mine, dict):
        return mine.keys() == theirs.keys() and all(alike_figures(mine[n], theirs[n]) for n in mine)
    return mine is theirs is None or (None not in (mine, theirs) and mine == approx(theirs))


def assert_intruder(preview, disclosure):
    """Found and learned of a preview against those of the file, equal records alone and all."""
    assert alike_figures(preview.found, disclosure.found.exact)
    assert alike_figures(preview.found, disclosure.found.value)
    told = {target.target: target for target in disclosure.learned if target.exact is not None}
    if preview.learned is None:
        assert not told
        assert preview.reason
        return
    best = max(target.exact for target in told.values())
    assert preview.learned == pytest.approx(max(best, 0.0), rel=1e-9, abs=1e-9)
    assert told[preview.target].exact == pytest.approx(best, rel=1e-9, abs=1e-9)
    assert max(preview.found, preview.learned) == pytest.approx(disclosure.risk, rel=1e-9)


def assert_as_assessed(frame, level, said):
    """The preview of a level against the assessment of a really recoded table."""
    (preview,) = diagnose(frame, {**said, "level": {"L": level}}).levels
    variables = {name: dict(entry) for name, entry in said["variable"].items()}
    for name, recode in level.items():
        if recode != "suppress":
            variables[name] = variables.get(name, {}) | {"recode": recode}
    result = microgauge.assess(
        frame,
        applied(frame, level),
        schema={**said, "options": {**said["options"], "aligned": True}, "variable": variables},
        only=["risk", "rut", "disclosure"],
    )
    risk, rut = result.risk, result.rut
    assert_intruder(preview, result.disclosure)
    assert alike_figures(preview.risk, rut.risk)
    assert preview.risk_measure == rut.risk_measure
    assert preview.internal == approx(risk.internal)
    assert (preview.k, preview.uniques) == (risk.k, risk.uniques)
    for mine, theirs in zip(preview.attributes, rut.attributes, strict=True):
        for part in ("name", "kind", "loss_measure", "similarity_measure", "weight"):
            assert getattr(mine, part) == getattr(theirs, part), (mine.name, part)
        for part in ("loss", "similarity", "losses", "similarities"):
            assert alike_figures(getattr(mine, part), getattr(theirs, part)), (mine.name, part)
    for part in ("loss", "similarity", "utility", "value"):
        assert alike_figures(getattr(preview, part), getattr(rut, part)), part
    return preview


@pytest.mark.parametrize("weight", ["PWGTP", None])
@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("level", LEVELS)
def test_previews_are_what_assess_says_of_the_recoded_table(level, missing, weight):
    frame = acs(800, missing=missing)
    preview = assert_as_assessed(frame, LEVELS[level], schema(weight=weight))
    assert 0 < preview.loss < 1
    assert 0 < preview.similarity < 1


@pytest.mark.parametrize(
    "level",
    [
        {"AGEP": {"breaks": [-1, 17, 64], "closed": "right"}},
        {"AGEP": {"bottom": 18, "top": 80}},
        {"PINCP": {"bottom": 5000}},
        {"SCHL": {"round": 4}},
        {"SCHL": {"breaks": [1, 16, 20], "labels": ["low", "middle", "high"]}},
        {"SCHL": {"map": {str(i): 1 if i < 16 else 2 for i in range(1, 25)}}},
        {"MAR": {"map": dict.fromkeys("12345", "all")}},
        {"AGEP": {"breaks": [0]}},
        {"AGEP": "suppress"},
        {"PINCP": "suppress", "SCHL": "suppress"},
        {},
    ],
    ids=lambda level: str(level)[:40],
)
def test_previews_of_one_recoding(level):
    assert_as_assessed(acs(500), level, schema())


MASKS = {
    "round": ({"AGEP": {"round": 5}}, [{"method": "round", "variable": "AGEP", "unit": 5}]),
    "band": (
        {"AGEP": {"breaks": [0, 20, 40, 60]}},
        [{"method": "recode", "variable": "AGEP", "breaks": [0, 20, 40, 60]}],
    ),
    "prefix": ({"ZIP": {"prefix": 2}}, [{"method": "recode", "variable": "ZIP", "prefix": 2}]),
    "merge": (
        {"HISP": {"map": ORIGINS}},
        [{"method": "recode", "variable": "HISP", "map": ORIGINS}],
    ),
    "top": (
        {"AGEP": {"top": 70}, "PINCP": {"top": 60_000}},
        [
            {"method": "top_bottom", "variable": "AGEP", "top": 70},
            {"method": "top_bottom", "variable": "PINCP", "top": 60_000},
        ],
    ),
    "suppress": (
        {"RAC1P": "suppress", "SCHL": "suppress"},
        [{"method": "suppress", "variables": ["RAC1P", "SCHL"], "share": 1.0}],
    ),
    "target rounded": (
        {"PINCP": {"round": 5000}},
        [{"method": "round", "variable": "PINCP", "unit": 5000}],
    ),
    "target merged": (
        {"SCHL": {"map": SCHOOLS}, "MAR": {"map": dict.fromkeys("12345", "any")}},
        [
            {"method": "recode", "variable": "SCHL", "map": SCHOOLS},
            {"method": "recode", "variable": "MAR", "map": dict.fromkeys("12345", "any")},
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("targets", ["sensitive", "all", "named"])
@pytest.mark.parametrize("made", MASKS)
def test_previews_are_what_assess_says_of_the_masked_file(made, targets):
    """Nothing is declared: how the file was recoded is found from it."""
    zips = np.random.default_rng(3).integers(0, 40, 700) * 250
    frame = acs(700, missing=0.05).assign(ZIP=[f"z{z:04d}" for z in zips])
    level, steps = MASKS[made]
    variables = SAID | {"ZIP": {"type": "nominal"} | KEY}
    if targets != "sensitive":
        variables["PINCP"] = NUMBER
    risk = {"targets": ["SCHL", "PINCP"]} if targets == "named" else {}
    said = schema({"L": level}, risk=risk, variables=variables)
    (preview,) = diagnose(frame, said).levels
    masked = microgauge.mask(frame, {"seed": 1, "step": steps})
    said["options"]["aligned"] = True
    found = microgauge.assess(frame, masked, schema=said, only=["disclosure"]).disclosure
    assert found.found.exact > 0
    assert_intruder(preview, found)
    assert preview.risk == pytest.approx(found.risk, rel=1e-9)


def test_found_is_the_internal_risk_with_missing_keys_that_match_any():
    """The law: after recoding alone the two are one figure."""
    frame = acs(300, missing=0.1)
    found = diagnose(frame, schema(LEVELS, risk={"missing_keys": "any"}))
    for got in (found.classes, *found.subsets, *found.levels):
        assert got.found == approx(got.internal)


def learned_by_hand(frame, keys, target):
    """gain - null of one category, unit by unit; a missing key agrees with all."""
    rows = [
        tuple(None if pd.isna(v) else v for v in row)
        for row in frame[keys].itertuples(index=False, name=None)
    ]
    values = frame[target].to_numpy()
    shares = {v: (values == v).mean() for v in set(values)}
    total = 0.0
    for row, own in zip(rows, values, strict=True):
        shown = [v for other, v in zip(rows, values, strict=True) if alike(row, other)]
        if len(set(shown)) == 1:
            total += (own == shown[0]) - shares[shown[0]]
        total -= sum(q ** len(shown) * ((own == v) - q) for v, q in shares.items())
    return total / len(rows)


@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_what_is_learned_by_hand(missing):
    frame = acs(120, missing=missing).assign(SCHL=acs(120)["SCHL"] // 4)
    variables = {name: SAID[name] for name in KEYS} | {"SCHL": {"type": "nominal"}}
    said = schema({"L": {"AGEP": {"breaks": [0, 40]}}}, weight=None, variables=variables)
    said["risk"] = {"targets": ["SCHL"]}
    found = diagnose(frame, said)
    wanted = learned_by_hand(frame, KEYS, "SCHL")
    assert wanted > 0.01
    assert found.classes.learned == pytest.approx(wanted, rel=1e-9)
    assert found.classes.target == "SCHL"
    old = frame.assign(AGEP=(frame["AGEP"] >= 40).where(frame["AGEP"].notna()))
    wanted = max(learned_by_hand(old, KEYS, "SCHL"), 0.0)
    assert found.levels[0].learned == pytest.approx(wanted, rel=1e-9)
    for subset in found.subsets:
        wanted = max(learned_by_hand(frame, list(subset.keys), "SCHL"), 0.0)
        assert subset.learned == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_subsets_are_intruders_who_know_some_keys():
    frame = acs(300, missing=0.05)
    said = schema(risk={"intruders": True})
    said["options"]["aligned"] = True
    found = diagnose(frame, said)
    result = microgauge.assess(frame, frame, schema=said, only=["disclosure"]).disclosure
    some = {one.keys: one for one in result.intruders if one.knows == "some"}
    assert some.keys() == {s.keys for s in found.subsets}
    for subset in found.subsets:
        assert subset.found == approx(some[subset.keys].found)
        assert subset.learned == approx(some[subset.keys].learned)
    assert (found.classes.found, found.classes.learned) == approx(
        (result.found.value, max(t.value for t in result.learned))
    )
    assert found.classes.risk == approx(result.risk)


def test_beyond_many_cells_subsets_are_not_asked_what_they_tell(monkeypatch, frame):
    monkeypatch.setattr(diagnosis, "MOST_CELLS", 1000)
    found = diagnose(frame, schema(LEVELS))
    for subset in found.subsets:
        assert subset.found is not None
        assert (subset.learned, subset.target) == (None, None)
        assert "too many" in subset.reason
    assert found.classes.learned is not None
    assert str(found).count("too many combinations") == 1


def test_by_classes_levels_are_balanced_with_the_internal_risk(frame, found):
    other = diagnose(frame, schema(LEVELS, risk={"measure": "classes"}))
    for mine, theirs in zip(other.levels, found.levels, strict=True):
        assert (mine.risk, mine.risk_measure) == (mine.internal, "classes")
        assert (theirs.risk, theirs.risk_measure) == (
            max(theirs.found, theirs.learned), "disclosure",
        )  # fmt: skip
        assert (mine.found, mine.learned) == (theirs.found, theirs.learned)
        assert mine.value == approx(0.5 * mine.utility + 0.5 * (1 - mine.internal))
        assert theirs.value == approx(0.5 * theirs.utility + 0.5 * (1 - theirs.risk))
    assert "R_internal" in str(other).split("previewed")[1]
    assert "R_internal" not in str(found).split("previewed")[1]


def test_targets_of_a_diagnosis(frame):
    assert diagnose(frame).targets == ("PINCP",)
    without = schema(variables=SAID | {"PINCP": NUMBER})
    assert diagnose(frame.assign(unit=[f"u{i}" for i in range(3000)]), without).targets == (
        "PINCP", "SCHL",
    )  # fmt: skip
    (fault,) = faults(frame, schema(risk={"targets": ["PINPC"]}))
    assert 'Did you mean "PINCP"' in fault
    (fault,) = faults(frame, schema(risk={"targets": ["AGEP"]}))
    assert "which an intruder knows" in fault


def test_a_target_that_a_key_gives_away_is_none():
    """Unless it is named: a region is known from the district."""
    frame = acs(400).assign(REGION=lambda f: f["RAC1P"] // 3)
    variables = {**SAID, "REGION": {"type": "nominal"}, "PINCP": {"role": "exclude"},
                 "SCHL": {"role": "exclude"}}  # fmt: skip
    found = diagnose(frame, schema({"L": {"RAC1P": {"map": RACES}}}, variables=variables))
    assert found.classes.learned is None
    assert "no variable is left to learn" in found.classes.reason
    assert found.levels[0].target == "REGION"
    named = diagnose(frame, schema(variables=variables, risk={"targets": ["REGION"]}))
    assert named.classes.learned > 0.1


def test_bands_whose_labels_are_numbers():
    """A release that writes the lower end of each band is a column of numbers."""
    level = {"AGEP": {"breaks": [0, 20, 40, 60], "labels": [0, 20, 40, 60]}}
    assert_as_assessed(acs(500), level, schema())


def test_previews_of_a_cut_code():
    frame = acs(500).assign(ZIP=[f"{z:05d}" for z in np.random.default_rng(3).integers(0, 90, 500)])
    said = schema(variables={"SEX": SAID["SEX"], "ZIP": {"type": "nominal"} | KEY})
    preview = assert_as_assessed(frame, {"ZIP": {"prefix": 4}}, said)
    (attribute,) = [a for a in preview.attributes if a.name == "ZIP"]
    assert attribute.kind == "prefix"
    assert attribute.loss == approx(0.9)


@pytest.mark.parametrize("rounding", ["floor", "ceiling"])
def test_rounding_as_declared(rounding):
    frame = acs(400)
    said = schema({"L": {"PINCP": {"round": 5000}}}, variables=SAID | {
        "PINCP": NUMBER | {"rounding": rounding}
    })  # fmt: skip
    (preview,) = diagnose(frame, said).levels
    step = {"floor": np.floor, "ceiling": np.ceil}[rounding]
    apart = (step(frame["PINCP"] / 5000) * 5000 - frame["PINCP"]).abs().mean()
    (attribute,) = [a for a in preview.attributes if a.name == "PINCP"]
    assert attribute.loss == approx(apart / np.ptp(frame["PINCP"]))


@pytest.mark.parametrize(
    "loss", ["generalisation", "proximity", "euclidean", "entropy", "consistency", "deviation"]
)
@pytest.mark.parametrize("similarity", ["cosine", "jaccard", "values"])
def test_previews_by_any_measure(loss, similarity):
    """The same figure or the same null: also for codes that are numbers."""
    chosen = {"loss": [loss], "similarity": [similarity]}
    variables = {name: said | chosen for name, said in SAID.items()}
    level = {"AGEP": {"round": 10}, "SCHL": {"round": 4}, "RAC1P": {"map": RACES}}
    assert_as_assessed(acs(300), level, schema(variables=variables))


@pytest.mark.parametrize(
    "rut",
    [
        {"preset": "public"}, {"alpha": 0.9}, {"form": "difference"}, {"form": "ratio"},
        {"combine": "max"}, {"utility": [0.2, 0.8]}, {"utility": "ratio"}, {"lmax": "rule"},
    ],
    ids=str,
)  # fmt: skip
def test_previews_by_the_choices_of_balance(rut):
    assert_as_assessed(acs(300), LEVELS["P1"], schema(rut=rut))


def test_weights_of_attributes_count_in_previews():
    variables = SAID | {"AGEP": SAID["AGEP"] | {"rut_weight": 9.0}}
    preview = assert_as_assessed(acs(300), {"AGEP": "suppress"}, schema(variables=variables))
    assert preview.loss == approx(9 / 15)


def test_suppress_is_a_column_less():
    frame = acs(600)
    for keys in combinations(KEYS, 2):
        (preview,) = diagnose(frame, schema({"L": dict.fromkeys(keys, "suppress")})).levels
        left = [name for name in KEYS if name not in keys]
        sizes = sizes_of(frame, left)
        assert preview.internal == approx((1 / sizes).mean())
        assert preview.k == sizes.min()
        for attribute in preview.attributes:
            gone = attribute.name in keys
            assert (attribute.loss, attribute.similarity) == approx((gone * 1.0, 1.0 - gone))
            assert (attribute.kind == "removed") == gone


def test_all_keys_suppressed():
    (preview,) = diagnose(acs(50), schema({"L": dict.fromkeys(KEYS, "suppress")})).levels
    assert preview.internal == approx(1 / 50)
    assert (preview.k, preview.uniques) == (50, 0)
    assert (preview.found, preview.learned, preview.risk, preview.value) == (None,) * 4
    assert "no quasi-identifier" in preview.reason


def test_a_level_that_does_nothing(found, frame):
    (preview,) = diagnose(frame, schema({"nothing": {}})).levels
    assert preview.internal == found.classes.internal
    assert preview.uniques == found.classes.uniques
    assert (preview.loss, preview.similarity) == approx((0.0, 1.0))


def test_a_variable_that_a_level_leaves_alone_loses_nothing():
    """Even where the schema says how a release has recoded it: this level does not."""
    variables = SAID | {
        "PINCP": NUMBER | {"recode": {"round": 1000}, "loss": ["generalisation"]},
    }
    (preview,) = diagnose(acs(300), schema({"L": {}}, variables=variables)).levels
    (attribute,) = [a for a in preview.attributes if a.name == "PINCP"]
    assert attribute.loss == approx(0.0)
    assert attribute.rule is None


def test_a_schema_that_describes_a_release_too():
    """The order of released labels is no order of the original's numbers."""
    bands = {"breaks": [0, 18, 65], "labels": ["minor", "adult", "senior"]}
    variables = SAID | {
        "AGEP": SAID["AGEP"]
        | {"protected_type": "ordinal", "order": bands["labels"], "recode": bands}
    }
    frame = acs(300)
    released = applied(frame, {"AGEP": bands})
    said = schema({"L": {"AGEP": bands}}, variables=variables)
    risk = microgauge.assess(frame, released, schema=said, only=["risk"]).risk
    found = diagnose(frame, said)
    assert_classes(found.classes, sizes_of(frame, KEYS))
    assert found.levels[0].internal == approx(risk.internal)


def test_the_weight_of_a_release_is_not_looked_for():
    frame = acs(300)
    options = {"weight_original": "PWGTP", "weight_protected": "PWGTP_NEW"}
    found = diagnose(frame, {**schema(), "options": options})
    assert found.variables == diagnose(frame, schema()).variables


def test_levels_keep_their_order(frame):
    names = ["z", "a", "m"]
    found = diagnose(frame, schema({name: {} for name in names}))
    assert [level.name for level in found.levels] == names


# -- refusals ------------------------------------------------------------------------------------


def faults(frame, said):
    with pytest.raises(InputError) as caught:
        microgauge.diagnose(frame, schema=said)
    return caught.value.faults


def test_all_faults_of_levels_at_once():
    frame = acs(60).assign(SEX=np.where(np.arange(60) % 2, "secretive", "guarded"))
    levels = {
        "first": {
            "AGPE": {"round": 5},
            "SEX": {"map": {"guarded": "g"}},
            "AGEP": {"breaks": [0, 40, 20]},
        },
        "second": {
            "PINCP": {"round": 10, "top": 50},
            "AGEP": {"breaks": [200]},
            "RAC1P": {"shape": "round"},
            "MAR": "supress",
        },
        "third": {"SEX": {"round": 2}, "SCHL": {"prefix": 0}},
    }
    found = faults(frame, schema(levels))
    for words in (
        ('[level.first] AGPE', 'Did you mean "AGEP"'),
        ("[level.first] SEX", "does not cover 1 of the 2"),
        ("[level.first] AGEP", "must rise"),
        ("[level.second] PINCP", "round and top or bottom"),
        ("[level.second] AGEP", "do not cover"),
        ("[level.second] RAC1P", '"shape"'),
        ("[level.second] MAR", "must be a table"),
        ("[level.third] SEX", "numbers"),
        ("[level.third] SCHL", "prefix"),
    ):  # fmt: skip
        assert any(all(word in fault for word in words) for fault in found), words
    assert len(found) == len(set(found))
    assert "secretive" not in " ".join(found)  # names and counts, no cell values


def test_faults_of_the_schema_and_of_its_levels_together():
    said = schema({"L": {"AGPE": "suppress"}}, rut={"preset": "publc"}, variables=SAID | {
        "RACP": KEY
    })  # fmt: skip
    found = faults(acs(30), said)
    for word in ('"RACP"', "AGPE", '"publc"'):
        assert any(word in fault for fault in found)


def test_a_level_that_is_no_table():
    assert any("[level.L]" in fault for fault in faults(acs(30), schema({"L": 3})))


def test_no_quasi_identifier():
    for said in (None, {}, {"variable": {"AGEP": NUMBER}}):
        with pytest.raises(InputError) as caught:
            microgauge.diagnose(acs(30), schema=said)
        assert "--keys " in str(caught.value)


def test_a_key_that_is_no_column():
    (fault,) = faults(acs(30), {"variable": {"AGPE": KEY}})
    assert 'Did you mean "AGEP"' in fault


@pytest.mark.parametrize(
    "said",
    [
        {"options": {"weight": 3}},
        {"options": {"weight": "PWGT"}},
        {"variable": {"AGEP": KEY, "SEX": {"role": ["weight"]}}},
        {"variable": {"AGEP": KEY, "SEX": {"type": "nominl"}}},
        {"variable": {"AGEP": KEY, "PINCP": {"importance": "much"}}},
        {"risk": {"missing_keys": "all"}},
        {"rut": {"utility": 3}},
        {"level": []},
    ],
    ids=str,
)
def test_a_schema_of_the_wrong_form_is_refused(said):
    assert faults(acs(30), {"variable": {"AGEP": KEY}, **said})


def test_a_key_that_holds_no_single_values():
    """Lists can be no key: left out with a note where there are others, else refused."""
    frame = pl.DataFrame({"a": [[1], [2], [3]], "b": [1, 1, 2]})
    found = diagnose(frame, {"variable": {"a": KEY, "b": KEY}})
    assert found.classes.keys == ("b",)
    assert any('"a"' in note for note in found.notes)
    assert any('"a"' in fault for fault in faults(frame, {"variable": {"a": KEY}}))


@pytest.mark.parametrize("weight", [-1.0, np.inf, 0.0])
def test_bad_weights(weight):
    frame = acs(30).assign(PWGTP=weight)
    assert any("PWGTP" in fault for fault in faults(frame, schema()))


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        microgauge.diagnose(tmp_path / "none.csv", schema=schema())


def test_notes_speak_of_one_table(found):
    assert not any("protected" in note for note in found.notes)
    assert any("PWGTP" in note and "Kish" in note for note in found.notes)
    assert len(found.notes) == len(set(found.notes))


# -- JSON and text -------------------------------------------------------------------------------


def test_json_holds_everything(found):
    content = strict_json(json_text(found))
    assert content.pop("forms")["notes"]
    assert content == json.loads(json.dumps(found.to_dict()))
    assert {"microgauge", "path", "rows", "variables", "classes", "subsets", "levels",
            "missing_keys", "notes", "risk_measure", "targets"} == content.keys()  # fmt: skip
    assert content["rows"] == 3000
    assert len(content["subsets"]) == 25
    assert [level["name"] for level in content["levels"]] == ["P1", "P2", "P3"]
    for level in content["levels"]:
        assert {"internal", "k", "uniques", "loss", "similarity", "utility", "value",
                "found", "learned", "target", "risk", "risk_measure"} <= level.keys()  # fmt: skip
    for entry in (content["classes"], *content["subsets"]):
        assert {"found", "learned", "target"} <= entry.keys()
    for entry in [*content["variables"], *content["levels"]]:
        figures = {name: v for name, v in entry.items() if name not in ("label", "value_labels")}
        assert None not in figures.values() or entry["reason"], entry["name"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "polars", "arrow"])
def test_any_kind_of_table(tmp_path, found, frame, kind):
    source = {
        "csv": tmp_path / "t.csv", "parquet": tmp_path / "t.parquet",
        "polars": pl.from_pandas(frame), "arrow": pl.from_pandas(frame).to_arrow(),
    }[kind]  # fmt: skip
    if kind == "csv":
        frame.to_csv(source, index=False)
    if kind == "parquet":
        frame.to_parquet(source)
    other = diagnose(source, schema(LEVELS))
    assert (other.variables, other.subsets, other.levels) == (
        found.variables, found.subsets, found.levels,
    )  # fmt: skip


def test_rows_in_any_order(found, frame):
    shuffled = diagnose(frame.sample(frac=1, random_state=4), schema(LEVELS))
    assert shuffled.subsets == found.subsets
    assert [level.internal for level in shuffled.levels] == [
        level.internal for level in found.levels
    ]
    for a, b in zip(shuffled.levels, found.levels, strict=True):
        assert (a.loss, a.similarity) == approx((b.loss, b.similarity))


def test_text_says_the_main_figures(found):
    text = str(found)
    lines = text.splitlines()
    assert max(map(columns_of, lines)) <= 80
    assert "3,000 records" in text
    assert f"{found.classes.internal:.3f}" in text
    for level in found.levels:
        (line,) = [x for x in lines if x.split()[:1] == [level.name]]
        for value in (
            level.found, level.learned, level.loss, level.similarity, level.utility, level.value,
        ):  # fmt: skip
            assert f"{value:.3f}" in line
    worst = " × ".join(found.subsets[0].keys)
    (line,) = [x for x in lines if worst in x]
    assert f"{found.subsets[0].found:.3f}" in line
    assert f"{found.subsets[0].learned:.3f}" in line
    assert f"would find {found.classes.found:.3f}" in " ".join(text.split())
    assert f"learn {found.classes.learned:.3f} of PINCP" in " ".join(text.split())
    for variable in found.variables:
        assert any(variable.name in x and variable.type in x for x in lines)


LONG = "a_variable_whose_name_is_long_and_tells_all_about_it_"
WIDE = "年齢階級別個人所得と婚姻状況の秘匿水準その"


@pytest.mark.parametrize("name", [LONG, LONG.replace("_", " "), WIDE], ids=["word", "long", "wide"])
def test_text_fits_80_columns_with_long_names(name):
    frame = acs(300).rename(columns={n: name + n for n in [*KEYS, "PINCP"]})
    variables = {name + n if n in [*KEYS, "PINCP"] else n: said for n, said in SAID.items()}
    levels = {name + str(i): {name + "AGEP": {"round": 5 * i}} for i in (1, 2)}
    text = str(diagnose(frame, schema(levels, variables=variables)))
    for line in text.splitlines():
        assert columns_of(line) <= 80, line


def test_text_without_levels(frame):
    assert "previewed" not in str(diagnose(frame))


# -- the command ---------------------------------------------------------------------------------

TOML = """\
[options]
weight = "PWGTP"
[variable.AGEP]
type = "continuous"
role = "quasi_identifier"
[variable.SEX]
role = "quasi_identifier"
[variable.RAC1P]
type = "nominal"
role = "quasi_identifier"
[variable.PWGTP]
role = "weight"
[level.light]
AGEP = { round = 5 }
[level.strong]
AGEP = { breaks = [0, 18, 65], labels = ["minor", "adult", "senior"] }
RAC1P = "suppress"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    acs(400).to_csv(tmp_path / "original.csv", index=False)
    (tmp_path / "s.toml").write_text(TOML)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("folder")
class TestCommand:
    def test_prints_the_checks(self, capsys):
        assert main(["diagnose", "original.csv", "--schema", "s.toml"]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        assert printed.out.startswith("400 records in original.csv")
        for word in ("Classes", "Riskiest", "light", "strong", "Variables", "PINCP"):
            assert word in printed.out
        assert max(map(columns_of, printed.out.splitlines())) <= 80

    def test_json(self, capsys):
        assert main(["diagnose", "original.csv", "--schema", "s.toml", "--json", "-"]) == 0
        out = capsys.readouterr().out
        content = strict_json(out)
        wanted = microgauge.diagnose("original.csv", schema="s.toml")
        assert content == json.loads(json_text(wanted))
        assert main(["diagnose", "original.csv", "--schema", "s.toml", "--json", "r.json"]) == 0
        assert Path("r.json").read_text(encoding="utf-8") == out
        assert capsys.readouterr().out.startswith("400 records")
        assert content["levels"][1]["internal"] < content["levels"][0]["internal"]

    def test_no_quasi_identifier(self, capsys):
        said = refused(capsys, "diagnose", "original.csv", "--json", "r.json")
        assert "--keys AGEP,SEX" in said

    def test_a_missing_folder_is_refused_before_work(self, capsys, monkeypatch):
        def reading(*args, **kwargs):
            raise AssertionError("work was done")

        monkeypatch.setattr(diagnosis, "open_table", reading)
        said = refused(
            capsys, "diagnose", "original.csv", "--schema", "s.toml", "--json", "no/r.json"
        )
        assert "no folder no" in said

    def test_all_faults_of_levels(self, capsys):
        Path("s.toml").write_text(
            TOML + "[level.worse]\nAGPE = { round = 5 }\nAGEP = { breaks = [5, 1] }\n"
        )
        said = refused(capsys, "diagnose", "original.csv", "--schema", "s.toml", "--json", "r.json")
        assert said.count("\n  - ") == 2

    def test_a_missing_file(self, capsys):
        assert "orignal.csv" in refused(capsys, "diagnose", "orignal.csv", "--schema", "s.toml")

    def test_wrong_arguments(self, capsys):
        with pytest.raises(SystemExit) as caught:
            main(["diagnose"])
        assert caught.value.code == 2
        assert capsys.readouterr().err.startswith("usage: microgauge diagnose")
