"""Reports of many kinds, each made once, and ways to look into their pages."""

import base64
import gzip
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.demo.candidates import candidates
from microgauge.results import PairScore
from support.figures import strict_json

QUICK = ("propensity", "clusters", "ecdf")
"""Sections that take long and bring no data of their own into a report."""


# -- looking into a report -------------------------------------------------------------------


def packed_of(page):
    """The library that draws, as it stands in a page."""
    (text,) = re.findall(r'<script type="text/plain" id="drawing">(.*?)</script>', page, re.DOTALL)
    return text


def scripts_of(page):
    """The scripts of a page that run: Vega, which is unpacked, then ours."""
    (ours,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    return gzip.decompress(base64.b64decode(packed_of(page))).decode(), ours


def own_text(page):
    """All of a page but the library that draws, which is the same in every report."""
    return page.replace(packed_of(page), "")


def data_text(page):
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return text


def data_of(page):
    """The data of a page; NaN and Infinity are no data."""
    return strict_json(data_text(page))


def variable_of(data, name):
    return next(v for v in data["variables"] if v["name"] == name)


def section_of(data, name):
    """The blocks of a section; none where the report does not have it."""
    return next((s["blocks"] for s in data["sections"] if s["name"] == name), [])


def table_rows(blocks):
    """The rows of the first table among blocks."""
    return next((block.get("rows", []) for block in blocks if block["block"] == "table"), [])


def indicator_names(data):
    """The indicators that are shown."""
    return [row[0] for row in table_rows(section_of(data, "indicators"))]


def regressions_of(data):
    """Titles, sentences and coefficients of the regressions that are shown."""
    return [
        {
            "title": group["title"],
            "said": group["blocks"][0]["text"],
            "others": [b["text"] for b in group["blocks"][1:] if b["block"] == "sentence"],
            "terms": [
                {"name": term, "overlap": overlap}
                for term, _, _, overlap, *_ in table_rows(group["blocks"])
            ],
        }
        for group in section_of(data, "regressions")
        if group["block"] == "group"
    ]


def leaves(data, name=""):
    """Everything in the data that is no dict or list, with the name it stands under."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from leaves(value, name)
    else:
        yield name, data


def keys_in(data):
    if isinstance(data, dict):
        yield from data
    for value in data.values() if isinstance(data, dict) else data:
        if isinstance(value, dict | list):
            yield from keys_in(value)


# -- results ---------------------------------------------------------------------------------


@cache
def demo_result():
    return microgauge.assess(ORIGINAL, PROTECTED, schema=SCHEMA, skip=QUICK, details=True)


@cache
def demo_ranking():
    names = ["light", "bands", "joined", "coarse", "strong"]
    skip = [*QUICK, "loss"]
    return microgauge.rank(
        ORIGINAL, candidates(), names=names, schema=SCHEMA, skip=skip, details=True, max_risk=0.15
    )


@cache
def many_variables(count, rows=60, seed=1):
    """Words and numbers by turns, tied to one hidden number, every third one shuffled."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    columns = {}
    for i in range(count):
        x = hidden + rng.normal(size=rows)
        words = np.array(["low", "middle", "high", "top"])[np.searchsorted([-1, 0, 1], x)]
        columns[f"v{i:03d}"] = x.round(3) if i % 2 else words
    before = pd.DataFrame(columns)
    after = before.assign(**{n: rng.permutation(before[n].to_numpy()) for n in list(before)[::3]})
    return before, after


@cache
def hundred_variables():
    return microgauge.assess(*many_variables(100), only=["gdu"], details=True)


def five_hundred_variables():
    return as_if_tested(500)


@cache
def as_if_tested(count):
    """All pairs of so many variables: two of them tested, the rest as if they had been."""
    before, after = many_variables(count, 30)
    names = list(before)
    few = {"options": {"pairs": [names[:2], names[1:3]]}}
    result = microgauge.assess(before, after, schema=few, only=["gdu"], details=True)
    rng = np.random.default_rng(4)
    kept = {"outcome": "kept", "coefficient_original": 0.5, "coefficient_protected": 0.4}
    pairs = [
        PairScore(a=a, b=b, test="chi-squared", test_protected="chi-squared", utility=u, **kept)
        for place, a in enumerate(names)
        for b, u in zip(names[place + 1 :], rng.uniform(size=count).tolist(), strict=False)
    ]
    return replace(result, gdu=replace(result.gdu, pairs=tuple(pairs)))


def small(rows=120, seed=3):
    """A table of every type, quick to assess."""
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south", "east"], rows)
    return pd.DataFrame(
        {
            "region": region,
            "sex": rng.choice(["female", "male"], rows),
            "age": rng.integers(18, 90, rows),
            "income": rng.lognormal(9, 0.6, rows).round(1) + 500 * (region == "north"),
        }
    )


def shuffled(frame, *names, seed=5):
    rng = np.random.default_rng(seed)
    return frame.assign(**{name: rng.permutation(frame[name].to_numpy()) for name in names})


# -- names that would do harm ---------------------------------------------------------------

HOSTILE = (
    "<script>window.hacked=1</script>",
    '"></div><img src=x onerror=window.hacked=1>',
    "</script><script>window.hacked=1</script>",
    "<!--",
    "<!--<script>",
    "]]>",
    "javascript:alert(1)",
    "\u202eright to left\u200f",
    "x" * 10_000,
    "👩‍👩‍👧🎉" * 12,
    "datum.value",
    '"+window.hacked+"',
    "back\\slash \\\" ' ` quotes",
    "=cmd|' /C calc'!A0",
    '"])[0]||(window.hacked=1)||(["',
    '\\"])||(window.hacked=1)//',
    "\\u0022+(window.hacked=1)+\\u0022",
    "${window.hacked=1}{{window.hacked=1}}",
    "tab\tand\nnew line\r",
    "\x07\x1b[31m control",
    "&lt;b&gt; &amp; &#60;",
    "TITLE",
)
"""Names and labels that would do harm, or look bad, if they were anything but text."""
BREAKING = ("line\u2028break", "paragraph\u2029break")
INHERITED = ("__proto__", "constructor", "toString", "hasOwnProperty", "valueOf")
"""What every object of JavaScript has, and no label should find."""


def hostile_tables(names, rows=400, seed=2):
    """Every name is a variable, and a category of the others."""
    rng = np.random.default_rng(seed)
    before = pd.DataFrame(
        {
            name: rng.normal(size=rows).round(2) if i % 4 == 3 else rng.choice(names, rows)
            for i, name in enumerate(names)
        }
    )
    return before, shuffled(before, *names[::2])


@cache
def hostile_result(names=HOSTILE):
    before, after = hostile_tables(names)
    after["y" * 10_000] = 1  # a column the original lacks is told of in a note
    keys = {name: {"role": "quasi_identifier"} for name in names[:3]}
    means = [
        {"statistic": "mean", "variable": names[3], "by": name} for name in (names[0], names[1])
    ]
    said = {"variable": keys, "indicator": means, "risk": {"suda_max": 2}}
    return microgauge.assess(before, after, schema=said, skip=QUICK, details=True, yardsticks=False)


@cache
def hostile_ranking(names=HOSTILE):
    before, after = hostile_tables(names[:6], 200)
    said = {"variable": {name: {"role": "quasi_identifier"} for name in names[:3]}}
    tables = [shuffled(after, names[1], seed=i) for i in range(len(names))]
    return microgauge.rank(before, tables, names=names, schema=said, only=["gdu"], details=True)


# -- a register with what must not be told --------------------------------------------------

JOBS = [f"Jobword{i}" for i in range(12)]


GROUPS = ["Trades", "Offices", "Care"]
LOWEST, LARGEST = -48_213.37, 9_876_543.21


def register(seed, rows=420):
    """A register with what must not be told, and a release of it."""
    rng = np.random.default_rng([seed, 17])
    town = rng.choice(["Aldbrook", "Brindle", "Carrow"], rows).astype(object)
    job = rng.integers(0, 12, rows)
    age = np.clip(rng.normal(48, 16, rows).round(), 17, 97).astype(int)
    income = rng.lognormal(10, 0.8, rows).round(2)
    wage = rng.gamma(3, 9000, rows).round(2)
    health = rng.choice(["good", "fair", "poor"], rows, p=[0.5, 0.3, 0.2]).astype(object)
    places = rng.permutation(rows)
    town[places[:40]] = "Eastmere"  # few are left of it
    town[places[40:75]] = "Gonewick"  # none is left
    start = 75
    for i, count in enumerate((1, 2, 4, 6, 8, 11, 19, 24)):
        town[places[start : start + count]] = f"Rareham{i}"
        start += count
    health[places[:4]] = "Terminal"
    income[places[0]], income[places[1]] = LOWEST, LARGEST
    before = pd.DataFrame(
        {
            "town": town, "job": [JOBS[i] for i in job], "age": age, "health": health,
            "income": income, "wage": wage, "hours": rng.integers(0, 80, rows).astype(float),
            "w": rng.uniform(1, 9, rows).round(3),
        }
    )  # fmt: skip
    noisy = income * (1 + rng.normal(0, 0.05, rows))
    noisy[places[:2]] = np.median(income)
    after = before.assign(
        job=[GROUPS[i % 3] for i in job],
        age=[f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in age],
        income=noisy.round(2),
        wage=np.minimum(wage, 60_000.0),
    )
    moved = places[3:40]  # all but three of Eastmere
    after.loc[moved, "town"] = rng.choice(["Aldbrook", "Brindle"], len(moved))
    after.loc[places[40:75], "town"] = rng.choice(["Brindle", "Carrow"], 35)
    after.loc[places[100:103], "hours"] = np.nan
    after.loc[places[200:216], "wage"] = np.nan
    return before, after


@cache
def register_result(seed):
    before, after = register(seed)
    quasi, sensitive = {"role": "quasi_identifier"}, {"role": "sensitive"}
    said = {
        "options": {"weight": "w"} if seed % 2 else {},
        "variable": {
            "town": quasi, "age": quasi | {"type": "continuous"}, "job": quasi,
            "health": sensitive, "w": {"role": "weight"}, "hours": {"type": "continuous"},
        },
        "indicator": [
            {"statistic": "mean", "variable": "income", "by": "town", "name": "Income"},
            {"statistic": "median", "variable": "hours", "by": "health", "resamples": 50},
            {"statistic": "share", "variable": "town"},
        ],
        "regression": [{"formula": "hours ~ town + health + wage"}],
    }  # fmt: skip
    return microgauge.assess(before, after, schema=said, skip=QUICK, details=True)


@cache
def register_ranking(seed):
    before, after = register(seed)
    quasi = {"role": "quasi_identifier"}
    said = {"variable": {"town": quasi, "age": quasi | {"type": "continuous"}, "job": quasi}}
    said["regression"] = [{"formula": "hours ~ town + health"}]
    named = before.assign(job=after["job"])
    return microgauge.rank(
        before, [after, named], names=["one", "two"], schema=said, skip=QUICK, details=True
    )
