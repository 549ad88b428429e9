"""Several candidates of one original: side by side, on a map, and which to release."""

import json
import math
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.commands import assess as run
from microgauge.commands.rank import ranking_of
from microgauge.demo import ORIGINAL, SCHEMA
from microgauge.demo.candidates import NAMES, candidates, write_candidates
from microgauge.measures.balance.balance import frontier
from microgauge.passes import Tally
from microgauge.render.pictures import levels_picture, risk_utility_map
from microgauge.results import Candidate, SweepStep
from microgauge.results.plain import json_text
from microgauge.schema import Schema
from microgauge.sections.gdu.pairs import Asker
from microgauge.study import external as external_tables
from support.command import columns_of, files_here, refused
from support.figures import approx, strict_json
from support.scans import counted_scans
from support.surveys import KEY

ALPHAS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
PRESETS = {"analysis": 0.7, "balanced": 0.5, "sharing": 0.4, "public": 0.3}
SAID = {
    "age": {"type": "continuous", **KEY},
    "sex": {"type": "nominal", **KEY},
    "region": {"type": "nominal", **KEY},
    "income": {"type": "continuous", "role": "sensitive"},
}
PICTURES = {"map": risk_utility_map, "levels": levels_picture}


# -- tables, and looking into a result -----------------------------------------------------------


def people(rows=240, seed=5):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "unit": [f"u{i:04d}" for i in rng.permutation(rows)],
            "age": rng.integers(16, 90, rows),
            "sex": rng.choice(["female", "male"], rows),
            "region": rng.choice(["Northshire", "Eastmarch", "Southmoor"], rows, p=[0.6, 0.3, 0.1]),
            "income": rng.lognormal(9, 1, rows).round(),
            "w": rng.integers(1, 40, rows),
        }
    )


def banded(frame, step, noise=0.0, seed=3):
    """Ages in bands, such as 20-29, and noise on incomes."""
    low = frame["age"] // step * step
    blur = np.random.default_rng(seed).normal(size=len(frame))
    return frame.assign(
        age=low.astype(str) + "-" + (low + step - 1).astype(str),
        income=(frame["income"] * (1 + noise * blur)).round(),
    )


def three(frame):
    """Weak, middle and strong."""
    return [
        banded(frame, 5, 0.01),
        banded(frame, 20, 0.1),
        banded(frame, 40, 0.3).drop(columns="region"),
    ]


def schema(options=None, rut=None, risk=None, **more):
    """Kim's U and R of classes, whose arithmetic is tested here; ids go before release."""
    variables = {name: SAID.get(name, {}) | more.get(name, {}) for name in SAID | more}
    return {
        "options": options or {}, "variable": variables, "rut": rut or {},
        "risk": {"measure": "classes"} | (risk or {}), "left_in": {"ignore": ["unit"]},
        "rank": {"utility": "U", "jackknife": False},
    }  # fmt: skip


def rank(protected, original=None, said=None, **choices):
    """A ranking of risk and utility alone; it can be written as JSON."""
    result = microgauge.rank(
        people() if original is None else original,
        protected,
        schema=schema() if said is None else said,
        **({"only": ["risk", "rut"]} | choices),
    )
    strict_json(json_text(result))
    return result


def by_classes():
    """The demo's schema, with Kim's R of classes as the risk."""
    said = Schema.load(SCHEMA)
    return said.changed(risk=replace(said.risk, measure="classes"))


def points(result):
    return {c.name: (c.risk, c.utility) for c in result.candidates}


def texts(svg):
    """What is written in a picture, and where: (x, y) by text."""
    found = {}

    def walk(element, x, y):
        moved = element.get("transform", "")
        if moved.startswith("translate("):
            dx, dy = moved.removeprefix("translate(").split(")")[0].split(",")
            x, y = x + float(dx), y + float(dy)
        if element.tag.endswith("}text"):
            found["".join(element.itertext())] = (x, y)
        for child in element:
            walk(child, x, y)

    walk(ET.fromstring(svg), 0.0, 0.0)
    return found


def signs(svg):
    """The points of a map by the names they are of."""
    named = re.compile(r'aria-label="[^"]*name: ([^;]*);[^"]*"[^>]*translate\(([^,]*),([^)]*)\)')
    return {name: (float(x), float(y)) for name, x, y in named.findall(svg.decode())}


@pytest.fixture(scope="module")
def demo():
    """The five versions of the shipped extract, with risk, balance and global data utility."""
    return microgauge.rank(
        ORIGINAL, candidates(), names=NAMES, schema=SCHEMA, only=["gdu"], utility="U"
    )


@pytest.fixture(scope="module")
def quick():
    """The same with limits and presets, without global data utility."""
    tables = candidates()

    @cache
    def ranked(**choices):
        return microgauge.rank(
            ORIGINAL, tables, names=NAMES, schema=SCHEMA, only=["risk", "rut"], utility="U",
            **choices,
        )  # fmt: skip

    return ranked


# -- the shipped extract -------------------------------------------------------------------------


def test_stronger_protection_is_safer_and_less_useful(demo):
    assert [c.name for c in demo.candidates] == list(NAMES)
    for a, b in pairwise(demo.candidates):
        assert a.risk > b.risk
        assert a.utility > b.utility
        assert a.assessment.gdu.value > b.assessment.gdu.value
        assert a.assessment.risk.uniques > b.assessment.risk.uniques


def test_a_trade_off_is_all_frontier_the_safest_first(demo):
    assert demo.frontier == tuple(reversed(NAMES))


def test_risk_and_balance_are_those_of_each_candidate(demo):
    for c in demo.candidates:
        found, rut = c.assessment.disclosure, c.assessment.rut
        assert c.risk == rut.risk == found.risk
        assert rut.risk_measure == demo.risk_measure == "disclosure"
        assert c.assessment.risk.total == c.assessment.risk.internal
        assert rut.utility == approx(0.5 * rut.similarity + 0.5 * (1 - rut.loss))
        assert c.balance == approx(0.5 * rut.utility + 0.5 * (1 - found.risk))


def test_without_a_limit_on_risk_none_is_recommended(demo):
    best = max(demo.candidates, key=lambda c: c.balance)
    assert demo.recommended.name is None
    assert demo.leader == best.name
    assert "no limit on risk" in demo.recommended.reason
    assert "--max-risk" in demo.recommended.reason
    text = " ".join(str(demo).split())
    assert (
        f"{best.name} has the lead on the map with 0.5 of utility and 0.5 of safety, which is no"
        in text
    )
    assert "Release none" not in text
    assert "No version is recommended yet: no limit on risk was given" in text


def test_what_each_step_along_the_frontier_costs(demo):
    place = points(demo)
    assert [(s.start, s.end) for s in demo.steps] == list(pairwise(demo.frontier))
    for step in demo.steps:
        risk, utility = (b - a for a, b in zip(place[step.start], place[step.end], strict=True))
        assert (step.risk, step.utility) == approx((risk, utility))
        assert step.cost == approx(risk / utility)
        assert f"from {step.start} to {step.end}: risk {risk:+.3f}" in str(demo)


def test_the_sweep_says_who_leads_at_each_weight(demo):
    assert [step.alpha for step in demo.sweep] == ALPHAS
    for step in demo.sweep:
        balance = {n: step.alpha * u + (1 - step.alpha) * (1 - r) for n, (r, u) in
                   points(demo).items()}  # fmt: skip
        assert step.leader == max(balance, key=balance.get)
        for c in demo.candidates:
            (own,) = [s.value for s in c.assessment.rut.sweep if s.alpha == step.alpha]
            assert own == approx(balance[c.name])
    # The more utility counts, the weaker the protection that leads.
    places = [NAMES.index(step.leader) for step in demo.sweep]
    assert places == sorted(places, reverse=True)
    assert len(set(places)) > 1
    assert demo.stable is False
    assert "depends on the weight" in str(demo)


def test_the_map_shows_the_trade_off(demo):
    svg = risk_utility_map(demo, "svg")
    found, drawn = texts(svg), signs(svg)
    places = [drawn[name] for name in NAMES]
    for (x, y), (next_x, next_y) in pairwise(places):
        assert next_x < x  # to the left: safer
        assert next_y > y  # down: less useful

    def drawn_to_scale(written, values):
        return [(v - values[0]) / (values[-1] - values[0]) for v in values] == pytest.approx(
            [(w - written[0]) / (written[-1] - written[0]) for w in written], abs=0.01
        )

    assert drawn_to_scale([x for x, _ in places], [c.risk for c in demo.candidates])
    assert drawn_to_scale([y for _, y in places], [c.utility for c in demo.candidates])
    assert drawn["original"][0] > places[0][0]
    assert drawn["no release"][1] > places[-1][1]
    assert {*NAMES, "original", "no release"} <= set(found)
    assert any("risk" in text for text in found)
    assert any("utility" in text for text in found)


@pytest.mark.parametrize("kind", PICTURES)
def test_a_png_is_a_picture_of_a_sensible_size(demo, kind):
    png = PICTURES[kind](demo, "png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert 400 <= width <= 4000
    assert 300 <= height <= 4000
    assert png.rstrip()[-8:-4] == b"IEND"
    assert len(png) > 5000


@pytest.mark.parametrize("kind", PICTURES)
def test_the_same_picture_is_the_same_file(demo, kind):
    assert PICTURES[kind](demo, "svg") == PICTURES[kind](demo, "svg")


def test_levels_are_drawn_in_the_order_given(demo):
    found = texts(levels_picture(demo, "svg"))
    across = [found[name][0] for name in NAMES]
    assert across == sorted(across)
    assert len(set(across)) == len(NAMES)
    for word in ("safety", "utility", "Balance on the map"):
        assert any(word in text for text in found)


def test_levels_in_another_order_are_drawn_in_that_order():
    given_order = ["strong", "weak", "middle"]
    made = dict(zip(["weak", "middle", "strong"], three(people()), strict=True))
    result = rank([made[name] for name in given_order], names=given_order)
    found = texts(levels_picture(result, "svg"))
    assert sorted(given_order, key=lambda name: found[name][0]) == given_order


def test_limits_are_drawn(quick):
    drawn = texts(risk_utility_map(quick(max_risk=0.237, min_utility=0.613), "svg"))
    assert any("0.237" in text and "risk" in text for text in drawn)
    assert any("0.613" in text and "utility" in text for text in drawn)
    plain = texts(risk_utility_map(quick(), "svg"))
    assert not any("0.237" in text or "0.613" in text for text in plain)


def test_the_table_of_candidates(demo):
    frame = demo.table()
    assert frame["name"].to_list() == list(NAMES)
    assert frame["risk"].to_list() == [c.risk for c in demo.candidates]
    assert frame["utility"].to_list() == [c.utility for c in demo.candidates]
    assert frame["gdu"].to_list() == [c.assessment.gdu.value for c in demo.candidates]
    assert frame["uniques"].to_list() == [c.assessment.risk.uniques for c in demo.candidates]
    assert not frame["recommended"].any()  # there is no limit on risk
    assert frame["frontier"].all()


# -- limits and presets --------------------------------------------------------------------------


def test_a_risk_limit_changes_the_recommendation(quick):
    free = quick()
    seen = set()
    for limit in (0.3, 0.2, 0.1, 0.05):
        result = quick(max_risk=limit)
        within = {n: u for n, (r, u) in points(free).items() if r <= limit}
        assert result.recommended.name == max(within, key=within.get)
        assert f"risk at most {limit:g}" in result.recommended.reason
        count = f"{len(within)} of 5" if len(within) > 1 else "the only one of 5"
        assert count in result.recommended.reason
        assert points(result) == points(free)  # a limit chooses, it measures nothing
        meets = [c.name for c in result.candidates if c.assessment.rut.meets_limits]
        assert set(meets) == set(within)
        seen.add(result.recommended.name)
    assert len(seen) == 4
    assert all(c.assessment.rut.meets_limits is None for c in free.candidates)


def test_a_limit_that_is_just_met(quick):
    risks = {name: risk for name, (risk, _) in points(quick()).items()}
    third = NAMES[2]
    assert quick(max_risk=risks[third]).recommended.name == third
    below = math.nextafter(risks[third], 0.0)
    assert quick(max_risk=below).recommended.name == NAMES[3]


def test_a_utility_that_is_wanted(quick):
    free = points(quick())
    wanted = free[NAMES[3]][1]
    result = quick(min_utility=wanted)
    meets = [c.name for c in result.candidates if c.assessment.rut.meets_limits]
    assert meets == list(NAMES[:4])
    assert result.recommended.name is None  # a limit on utility is none on risk
    both = quick(min_utility=wanted, max_risk=free[NAMES[2]][0])
    assert both.recommended.name == NAMES[2]
    for said in ("risk at most", "utility at least", "2 of 5"):
        assert said in both.recommended.reason


@pytest.mark.parametrize(
    "limits",
    [{"max_risk": 0.0}, {"max_risk": 1.0, "min_utility": 1.0},
     {"max_risk": 0.02, "min_utility": 0.9}],
)  # fmt: skip
def test_limits_that_nobody_meets(quick, limits):
    result = quick(**limits)
    assert result.recommended.name is None
    assert result.recommended.reason.startswith("no candidate")
    for limit in limits.values():
        assert f"{limit:g}" in result.recommended.reason
    said = result.to_dict()["recommended"]
    assert said["name"] is None
    assert said["reason"]
    assert "Release none" in str(result)
    assert not result.table()["recommended"].any()
    assert all(NAMES[i] in texts(risk_utility_map(result, "svg")) for i in range(5))


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_weights(quick, demo, preset):
    result = quick(preset=preset)
    alpha = PRESETS[preset]
    for c in result.candidates:
        rut = c.assessment.rut
        assert (rut.alpha, rut.beta) == approx((alpha, 1 - alpha))
        assert c.balance == approx(alpha * c.utility + (1 - alpha) * (1 - c.risk))
    (leader,) = [step.leader for step in demo.sweep if step.alpha == alpha]
    assert result.leader == leader


def test_presets_change_who_leads(quick):
    found = {name: quick(preset=name).leader for name in ("analysis", "public")}
    assert NAMES.index(found["analysis"]) < NAMES.index(found["public"])


def test_a_preset_stands_before_the_weights_of_the_schema():
    said = schema(rut={"alpha": 0.9})
    plain = rank(three(people()), said=said)
    assert plain.candidates[0].assessment.rut.alpha == 0.9
    chosen = rank(three(people()), said=said, preset="public").candidates[0].assessment.rut
    assert (chosen.alpha, chosen.beta) == (0.3, 0.7)


def test_limits_of_the_schema_hold_unless_others_are_given():
    said = schema(rut={"max_risk": 0.2, "min_utility": 0.1})
    assert rank(three(people()), said=said).max_risk == 0.2
    result = rank(three(people()), said=said, max_risk=0.9)
    assert (result.max_risk, result.min_utility) == (0.9, 0.1)


@pytest.mark.parametrize("form", ["difference", "ratio"])
def test_other_forms_of_balance(form):
    result = rank(three(people()), said=schema(rut={"form": form}))
    for c in result.candidates:
        asked = {
            "difference": 0.5 * c.utility - 0.5 * c.risk,
            "ratio": c.utility / c.risk,
        }
        assert c.balance == approx(asked[form])
    assert result.leader == max(result.candidates, key=lambda c: c.balance).name


def test_a_utility_without_a_figure_and_a_risk_limit():
    """S / L of an untouched file has no value: it may not be recommended for its utility."""
    original = people()
    said = schema(rut={"utility": "ratio"})
    alone = rank([original], said=said, max_risk=1.0)
    assert alone.candidates[0].utility is None
    assert alone.recommended.name is None
    assert alone.recommended.reason
    beside = rank([original, banded(original, 10)], said=said, max_risk=1.0, names=["a", "b"])
    assert beside.recommended.name == "b"


def test_a_risk_without_a_figure_and_a_wanted_utility():
    original = people().assign(grave=0)
    result = rank([original], original, schema(risk={"record_weight": "grave"}), min_utility=0.1)
    assert result.candidates[0].risk is None
    assert result.recommended.name is None
    assert result.recommended.reason


# -- the frontier --------------------------------------------------------------------------------

EIGHTHS = st.integers(0, 8).map(lambda i: i / 8)
PLACES = st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=1, max_size=12)


def beaten(point, other):
    """Nowhere better, and worse somewhere."""
    return other[0] <= point[0] and other[1] >= point[1] and other != point


@given(PLACES)
@example([(0.5, 0.5)] * 3)
@example([(0.5, 0.5), (0.5, 0.75), (0.25, 0.75)])
@settings(max_examples=150, deadline=None)
def test_the_frontier_is_that_of_all_pairs(places):
    named = {f"c{i}": place for i, place in enumerate(places)}
    wanted = {n for n, p in named.items() if not any(beaten(p, q) for q in places)}
    found = frontier(named)
    assert set(found) == wanted
    assert len(found) == len(wanted)
    risks = [named[name][0] for name in found]
    assert risks == sorted(risks)
    # Along it, more risk is only taken for more utility.
    for a, b in pairwise(found):
        assert named[a] == named[b] or (
            named[a][0] < named[b][0] and named[a][1] < named[b][1]
        )  # fmt: skip


@pytest.fixture(scope="module")
def made():
    """Candidates at any place of the map."""
    frame = people(30)
    start = rank([banded(frame, 20)], frame, only=["gdu"]).candidates[0].assessment

    def at(places, gdus=None):
        found = []
        for i, (risk, utility) in enumerate(places):
            gdu = None if gdus is None else replace(start.gdu, value=gdus[i])
            steps = tuple(
                SweepStep(alpha=a, value=a * utility + (1 - a) * (1 - risk)) for a in ALPHAS
            )
            assessment = replace(
                start,
                gdu=gdu,
                risk=replace(start.risk, total=risk),
                rut=replace(
                    start.rut,
                    utility=utility,
                    risk=risk,
                    value=(utility + 1 - risk) / 2,
                    sweep=steps,
                    meets_limits=True,
                ),
            )
            found.append(Candidate(name=f"c{i}", assessment=assessment))
        return found

    return at


def on_map(**rut):
    """A schema with U and R of classes on the map, and limits."""
    return Schema.from_dict(
        {"risk": {"measure": "classes"}, "rank": {"utility": "U"}, "rut": rut}
    )  # fmt: skip


@given(PLACES)
@example([(0.5, 0.5)] * 3)
@settings(max_examples=100, deadline=None)
def test_leaders_and_the_recommended_are_on_the_frontier(made, places):
    result = ranking_of(made(places), on_map())
    named = {f"c{i}": place for i, place in enumerate(places)}
    assert set(result.frontier) == {
        n for n, p in named.items() if not any(beaten(p, q) for q in places)
    }
    assert result.recommended.name is None
    assert all(step.leader in result.frontier for step in result.sweep)
    best = max((u + 1 - r) / 2 for r, u in places)
    risk, utility = named[result.leader]
    assert (utility + 1 - risk) / 2 == approx(best)
    limited = ranking_of(made(places), on_map(max_risk=0.5))
    within = {n: p for n, p in named.items() if p[0] <= 0.5}
    if not within:
        assert limited.recommended.name is None
        assert {step.leader for step in limited.sweep} == {None}
        return
    assert limited.recommended.name in limited.frontier
    assert named[limited.recommended.name][1] == max(u for _, u in within.values())
    assert {step.leader for step in limited.sweep} <= set(within)
    assert result.stable == (len({step.leader for step in result.sweep}) == 1)


def test_one_candidate_that_beats_all_is_stable(made):
    result = ranking_of(made([(0.5, 0.5), (0.1, 0.9), (0.6, 0.9)]), on_map())
    assert result.stable is True
    assert result.frontier == ("c1",)
    assert "does not depend on the weight" in str(result)


def test_of_the_same_utility_the_safer_is_recommended(made):
    places = [(0.5, 0.5), (0.25, 0.5)]
    for order in (places, places[::-1]):
        named = {f"c{i}": place for i, place in enumerate(order)}
        result = ranking_of(made(order), on_map(max_risk=0.9))
        assert named[result.recommended.name][0] == 0.25
        assert [one.interval for one in result.recommended.equals] == [(0.0, 0.0)]


def test_of_the_same_balance_the_safer_leads(made):
    places = [(0.5, 0.5), (0.25, 0.25), (0.75, 0.75)]
    for order in (places, places[::-1]):
        named = {f"c{i}": place for i, place in enumerate(order)}
        assert named[ranking_of(made(order), on_map()).leader][0] == 0.25


@pytest.mark.parametrize(("utility", "noted"), [(0.6995, True), (0.69, False), (0.685, False)])
def test_nearly_the_same_u_is_within_two_thousandths(made, utility, noted):
    """A candidate nearly as good that keeps more of the relations is worth a word."""
    places = [(0.3, 0.7), (0.3, utility)]
    result = ranking_of(made(places, gdus=(0.5, 0.9)), on_map(max_risk=0.5))
    assert result.recommended.name == "c0"
    assert any("c1 has the highest GDU" in note for note in result.notes) is noted


# -- JSON ----------------------------------------------------------------------------------------


def test_names_of_the_contract(demo):
    content = strict_json(json_text(demo))
    assert content.pop("forms")
    assert {"candidates", "frontier", "recommended", "sweep"} <= content.keys()
    for entry, candidate in zip(content["candidates"], demo.candidates, strict=True):
        assert entry["name"] == candidate.name
        whole = json.loads(json.dumps(candidate.assessment.to_dict(), allow_nan=False))
        assert {k: v for k, v in entry.items() if k not in ("name", "utility", "map")} == whole
        assert entry["utility"] == entry["map"]["utility"] == candidate.utility
        assert entry["map"]["risk"] == candidate.risk
        assert {"microgauge", "schema_version", "inputs", "variables", "gdu", "risk", "rut",
                "notes"} <= entry.keys()  # fmt: skip
    assert content["frontier"] == list(reversed(NAMES))
    assert content["recommended"].keys() == {
        "name", "reason", "against", "equals", "best", "interval",
    }  # fmt: skip
    assert content["recommended"]["name"] is None
    assert (content["utility_measure"], content["risk_measure"]) == ("U", "disclosure")
    assert [step.keys() for step in content["sweep"]] == [{"alpha", "leader"}] * 7
    assert [step["alpha"] for step in content["sweep"]] == ALPHAS
    assert content == json.loads(json.dumps(demo.to_dict()))


# -- the original is looked at once --------------------------------------------------------------


@pytest.fixture
def watched(monkeypatch):
    """Counts of what is read, scanned and tested of the original."""
    seen = SimpleNamespace(reads=Counter(), originals=[], asks=Counter())

    def watch_reading(module):
        read = module.open_table

        def reading(source, *, which, **choices):
            seen.reads[which] += 1
            table = read(source, which=which, **choices)
            if which == "original":
                seen.originals.append(table)
            return table

        monkeypatch.setattr(module, "open_table", reading)

    def of_original(engine):
        return any(
            engine._codes.get(name) is column.codes
            for table in seen.originals
            for name, column in table.columns.items()
        )

    answers = Asker.answers

    def answering(self, asks, *args, **kwargs):
        asks = list(asks)
        if of_original(self.engine):
            seen.asks.update(asks)
        return answers(self, asks, *args, **kwargs)

    watch_reading(run)
    watch_reading(external_tables)
    seen.scans = counted_scans(monkeypatch, of_original)
    monkeypatch.setattr(Asker, "answers", answering)
    return seen


@pytest.mark.parametrize("count", [1, 4])
def test_the_original_is_read_once(watched, tmp_path, count):
    frame = people()
    frame.to_csv(tmp_path / "original.csv", index=False)
    original = str(tmp_path / "original.csv")
    rank([banded(frame, 5 * (i + 1)) for i in range(count)], original, external=original,
         population=original)  # fmt: skip
    assert watched.reads == {
        "original": 1, "protected": count, "external": 1, "population": 1,
    }  # fmt: skip


@pytest.mark.parametrize("count", [1, 4])
def test_rows_of_the_original_are_counted_once(watched, count):
    rank([banded(people(), 5 * (i + 1)) for i in range(count)])
    tallies = [passes for passes in watched.scans if any(isinstance(p, Tally) for p in passes)]
    assert len(tallies) == 1
    asked = Counter(p for passes in watched.scans for p in passes)
    assert {p.axis.column for p in asked if isinstance(p, Tally)} == set(people())
    assert set(asked.values()) == {1}  # no question twice, however many candidates
    assert len(watched.scans) <= 2  # its values, and its classes for the map


def test_pairs_of_the_original_are_tested_once(watched):
    frame = people()
    noisy = [frame.assign(income=banded(frame, 5, i / 10)["income"]) for i in (1, 2, 3)]
    rank(noisy[:1], only=["gdu"])
    alone, scans = +watched.asks, len(watched.scans)
    watched.asks.clear()
    watched.scans.clear()
    rank(noisy, only=["gdu"])
    assert watched.asks == alone  # none more for two more candidates
    assert set(alone.values()) == {1}
    assert len(alone) == 10  # age, sex, region, income, w
    assert len(watched.scans) == scans


def test_pairs_of_recoded_originals_are_tested_for_each_candidate(watched):
    rank(three(people()), only=["gdu"])
    recoded = [ask for ask in watched.asks if ask.a.recoded or ask.b.recoded]
    plain = [ask for ask in watched.asks if not (ask.a.recoded or ask.b.recoded)]
    assert recoded
    assert plain
    assert {watched.asks[ask] for ask in plain} == {1}


def alone(original, protected, said, sections, **choices):
    needed = sections and [*sections, "left_in"]  # which ranking needs as well
    found = microgauge.assess(original, protected, schema=said, only=needed, **choices)
    return found.changed(manifest=None).to_dict()  # a ranking has one for all candidates


def assert_as_alone(result, original, tables, said, sections, **choices):
    for entry, table in zip(result.to_dict()["candidates"], tables, strict=True):
        name = entry.pop("name")
        del entry["utility"], entry["map"]
        assert entry == alone(original, table, said, sections, **choices), name


FIGURES = ["gdu", "ecdf", "loss", "risk", "rut"]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["plain", "weights", "key", "external", "missing"])
def test_every_candidate_is_measured_as_it_would_be_alone(how):
    original = people(120)
    tables = [original, *three(original)]
    said, choices = schema(), {}
    if how == "weights":
        said = schema({"weight": "w"})
    if how == "key":
        rng = np.random.default_rng(1)
        tables = [t.iloc[rng.permutation(len(t))[: 100 + i]] for i, t in enumerate(tables)]
        choices = {"key": "unit"}
    if how == "external":
        choices = {"external": original.head(80), "population": people(600, seed=8)}
    if how == "missing":
        rng = np.random.default_rng(2)
        original = original.assign(
            sex=original["sex"].mask(rng.random(120) < 0.2),
            income=original["income"].mask(rng.random(120) < 0.1),
        )
        said = schema({"missing": "category"}, risk={"missing_keys": "any"})
    result = rank(tables, original, said, only=FIGURES, **choices)
    assert_as_alone(result, original, tables, said, FIGURES, **choices)
    assert len({json.dumps(c.assessment.to_dict()["risk"]) for c in result.candidates}) > 2


def test_all_sections_as_alone():
    original = people(90)
    tables = [banded(original, 10, 0.1), banded(original, 30, 0.2)]
    said = schema() | {
        "clusters": {},
        "ecdf": {},
        "propensity": {"resamples": 0, "model": "logit"},
        "model": [{"kind": "linear", "formula": "income ~ sex + region"}],
        "regression": [{"formula": "income ~ sex + region"}],
        "indicator": [{"statistic": "mean", "variable": "income", "by": "sex", "resamples": 20}],
    }
    result = rank(tables, original, said, only=None)
    assert_as_alone(result, original, tables, said, None)
    assert {"propensity", "clusters", "ecdf", "loss", "indicators", "regressions"} <= (
        result.to_dict()["candidates"][0].keys()
    )


def test_an_original_that_candidates_make_read_otherwise():
    """Codes that one candidate holds as numbers, the other as text: not one answer for both."""
    rng = np.random.default_rng(4)
    original = people(150).assign(
        code=[f"{i:02d}" for i in rng.integers(1, 25, 150)], flag=rng.random(150) < 0.4
    )
    tables = [
        original,
        original.assign(code=original["code"].astype(int), flag=original["flag"].astype(int)),
        original,
    ]
    said = schema()
    for order in (tables, tables[::-1], [tables[1], tables[0]]):
        result = rank(order, original, said, only=["gdu"])
        assert_as_alone(result, original, order, said, ["gdu", "risk", "rut"])
    types = [
        {v.name: v.type for v in c.assessment.variables}["code"]
        for c in rank(tables, original, said, only=["gdu"]).candidates
    ]
    assert types[0] == types[2] != types[1]


def test_an_original_whose_levels_depend_on_the_candidate():
    """1 and 01 are two codes beside text and one number beside numbers: two tests of one name."""
    rng = np.random.default_rng(6)
    original = people(200).assign(code=rng.choice(["1", "01", "2", "02"], 200))
    original["sex"] = np.where(original["code"].isin(["1", "2"]), "female", "male")
    tables = [original, original.assign(code=original["code"].astype(int)), original]
    said = schema(code={"type": "nominal"})
    result = rank(tables, original, said, only=["gdu"])
    assert_as_alone(result, original, tables, said, ["gdu", "risk", "rut"])
    tested = [
        next(p for p in c.assessment.gdu.pairs if {p.a, p.b} == {"sex", "code"})
        for c in result.candidates
    ]
    assert tested[0].coefficient_original == approx(1.0)
    assert tested[1].coefficient_original < 0.5


BANDS = {"breaks": [0, 30, 60], "labels": ["young", "middle", "old"]}


@pytest.mark.parametrize("how", ["order", "recode", "weight", "map", "missing"])
def test_a_schema_that_says_what_only_releases_have(how):
    """What holds of the candidates need not hold of the original."""
    original = people(150)
    ages = pd.cut(original["age"], [0, 30, 60, 200], right=False, labels=BANDS["labels"])
    table = original.assign(age=ages.astype(str))
    said = schema(age={"recode": BANDS})
    if how == "order":
        more = {"protected_type": "ordinal", "order": BANDS["labels"], "recode": BANDS}
        said = schema(age=more)
    if how == "weight":
        table = table.assign(v=original["w"] * 2)
        said = schema({"weight_original": "w", "weight_protected": "v"}, age={"recode": BANDS})
    if how == "map":
        merged = {"Northshire": "N", "Eastmarch": "other", "Southmoor": "other"}
        table = original.assign(region=original["region"].map(merged))
        said = schema(region={"recode": {"map": merged}})
    if how == "missing":
        table = table.assign(region=original["region"].where(original["w"] > 10, "suppressed"))
        said = schema(age={"recode": BANDS}, region={"missing": ["suppressed"]})
    result = rank([table], original, said)
    assert_as_alone(result, original, [table], said, ["risk", "rut"])


def test_the_risk_of_the_original_beside_its_candidates(demo):
    frame = pd.read_csv(ORIGINAL, dtype={"PUMA": str})
    sizes = frame.groupby(["PUMA", "AGEP", "SEX", "RAC1P", "MAR"])["PWGTP"].transform("size")
    assert demo.original_risk == approx((1 / sizes).mean())
    assert demo.original_risk > demo.candidates[0].risk
    assert demo.to_dict()["original_risk"] == demo.original_risk


@pytest.mark.parametrize("risk", [{}, {"missing_keys": "any"}, {"record_weight": "w"}])
def test_the_original_as_its_own_candidate_has_the_risk_of_the_original(risk):
    original = people(150)
    original.loc[::9, "sex"] = None
    result = rank([original], original, schema(risk=risk))
    assert result.original_risk == approx(result.candidates[0].assessment.risk.internal)


def test_the_order_of_candidates_changes_nothing_but_their_order():
    tables = three(people())
    names = ["weak", "middle", "strong"]
    there = rank(tables, names=names, only=["gdu"])
    back = rank(tables[::-1], names=names[::-1], only=["gdu"])
    assert {c.name: c.assessment for c in there.candidates} == {
        c.name: c.assessment for c in back.candidates
    }
    assert there.recommended == back.recommended
    assert there.frontier == back.frontier
    assert there.sweep == back.sweep


def test_ages_in_bands_with_the_original_as_the_external_table():
    result = microgauge.rank(
        ORIGINAL, candidates(), names=NAMES, schema=by_classes(), only=["risk"], external=ORIGINAL
    )
    for c in result.candidates[1:]:
        risk = c.assessment.risk
        assert risk.external == approx(risk.internal)
        assert c.risk == approx(risk.internal)
        assert set(risk.external_keys) == set(risk.keys)
    assert result.candidates[-1].assessment.risk.keys == ("AGEP", "SEX", "RAC1P", "MAR")


def test_progress_names_the_candidate():
    told = []
    rank(three(people()), names=["a", "b", "c"], progress=lambda what, share: told.append(what))
    for name in "abc":
        assert any(what.startswith(f"{name}: ") for what in told)


# -- what is given -------------------------------------------------------------------------------


def test_data_frames_with_and_without_names():
    tables = three(people())
    kinds = [tables[0], pl.from_pandas(tables[1]), pl.from_pandas(tables[2]).to_arrow()]
    named = rank(kinds, names=["w", "m", "s"])
    assert [c.name for c in named.candidates] == ["w", "m", "s"]
    assert len({c.name for c in rank(kinds).candidates}) == 3
    assert points(named)["s"] == points(rank(tables, names=["w", "m", "s"]))["s"]


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], ["a", "a"], []])
def test_names_that_do_not_tell_candidates_apart(names):
    with pytest.raises(InputError, match="names must be as many as candidates, and differ"):
        rank(three(people())[:2], names=names)


def test_files_of_the_same_name(tmp_path):
    paths = []
    for folder, table in zip(("a", "b", "c"), three(people()), strict=True):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "release.csv")
        table.to_csv(paths[-1], index=False)
    result = rank([str(path) for path in paths], max_risk=1.0)
    names = [c.name for c in result.candidates]
    assert len(set(names)) == 3
    assert all("release" in name for name in names)
    assert result.recommended.name in names
    assert len(set(points(result).values())) == 3
    assert [c.name for c in rank(paths[:1]).candidates] == ["release"]


def test_a_missing_file(tmp_path):
    people().to_csv(tmp_path / "there.csv", index=False)
    with pytest.raises(InputError, match=r"there is no file .*their\.csv"):
        rank([tmp_path / "there.csv", tmp_path / "their.csv"])


def test_no_candidate():
    with pytest.raises(InputError, match="no candidate"):
        rank([])


def test_no_quasi_identifier(tmp_path):
    with pytest.raises(InputError) as caught:
        microgauge.rank(tmp_path / "not read yet.csv", [people()])
    assert 'role = "quasi_identifier"' in str(caught.value)
    assert "--keys A,B" in str(caught.value)


def test_an_unknown_preset():
    with pytest.raises(InputError, match='Did you mean "public"') as caught:
        rank([people()], preset="publc")
    for preset in PRESETS:
        assert preset in str(caught.value)


def test_all_faults_of_limits_at_once(tmp_path):
    with pytest.raises(InputError) as caught:
        microgauge.rank(
            tmp_path / "not read yet.csv",
            ["neither is this.csv"],
            schema=schema(rut={"form": "product"}),
            max_risk=1.5,
            min_utility=-0.1,
            preset="pubic",
        )
    assert len(caught.value.faults) == 4
    for fault in ("max_risk", "min_utility", '"pubic"', '"product"'):
        assert any(fault in said for said in caught.value.faults)


@pytest.mark.parametrize("limit", [-0.01, 1.01, math.nan, math.inf, "0.2", True])
@pytest.mark.parametrize("which", ["max_risk", "min_utility"])
def test_limits_that_are_no_shares(which, limit):
    with pytest.raises(InputError, match=rf"\[rut\] {which} must be a number from 0 to 1"):
        rank([people()], **{which: limit})


def test_a_section_that_there_is_not():
    with pytest.raises(InputError, match='no section "riks"'):
        rank([people()], only=["riks"])


def test_a_key_that_the_original_does_not_have():
    with pytest.raises(InputError, match=r'"agee".* Did you mean "age"'):
        rank([people()], said=schema(agee=KEY))


def test_a_candidate_without_any_quasi_identifier():
    frame = people()
    bare = frame[["unit", "income", "w"]]
    for tables in ([bare, banded(frame, 10)], [banded(frame, 10), bare]):
        names = ["bare" if table is bare else "bands" for table in tables]
        result = rank(tables, names=names, only=["gdu"], max_risk=1.0)
        assert points(result)["bare"] == (None, None)
        assert result.frontier == ("bands",)
        assert result.recommended.name == "bands"
        assert [step.leader for step in result.sweep] == ["bands"] * 7
        assert any("bare" in note for note in result.notes)
        assert "bands" in texts(risk_utility_map(result, "svg"))
        assert "bare" not in texts(risk_utility_map(result, "svg"))
        assert result.table()["risk"].isna().sum() == 1
        entry = next(c for c in result.to_dict()["candidates"] if c["name"] == "bare")
        assert any(
            "every quasi-identifier was removed or has no value" in note for note in entry["notes"]
        )


@pytest.mark.parametrize("limits", [{}, {"max_risk": 0.5}, {"min_utility": 0.1}])
def test_only_candidates_without_any_quasi_identifier(limits):
    result = rank([people()[["unit", "income", "w"]]], names=["bare"], **limits)
    assert result.recommended.name is None
    assert result.recommended.reason
    assert result.frontier == ()
    assert [step.leader for step in result.sweep] == [None] * 7
    assert "bare" in str(result)
    for draw in PICTURES.values():
        assert draw(result, "png")[:4] == b"\x89PNG"
        ET.fromstring(draw(result, "svg"))


def test_a_candidate_with_other_rows():
    frame = people()
    sample = banded(frame, 10).sample(100, random_state=1)
    result = rank([banded(frame, 10), sample], names=["all", "sample"], only=["gdu"], max_risk=1.0)
    both = {c.name: c.assessment for c in result.candidates}
    assert both["sample"].inputs.protected.rows == both["sample"].risk.records == 100
    assert both["all"].inputs.protected.rows == 240
    assert both["sample"].inputs.alignment.aligned is False
    sizes = sample.groupby(["age", "sex", "region"])["w"].transform("size")
    assert both["sample"].risk.internal == approx((1 / sizes).mean())
    assert result.recommended.name in both


def test_a_sample_joined_by_its_key():
    frame = people()
    sample = banded(frame, 10).sample(100, random_state=1)
    result = rank([banded(frame, 10), sample], names=["all", "sample"], key="unit")
    aligned = result.candidates[1].assessment.inputs.alignment
    assert aligned.how == "key"
    assert aligned.dropped == 140


def test_one_candidate_only():
    result = rank([banded(people(), 10)], names=["one"], max_risk=1.0)
    assert result.frontier == ("one",)
    assert result.recommended.name == "one"
    assert {step.leader for step in result.sweep} == {"one"}
    assert result.stable is True
    for draw in PICTURES.values():
        assert "one" in texts(draw(result, "svg"))


def test_equal_candidates_are_all_on_the_frontier():
    table = banded(people(), 10)
    result = rank([table, table, banded(people(), 5, 0.5)], names=["a", "b", "c"], max_risk=1.0)
    assert {"a", "b"} <= set(result.frontier)
    assert result.recommended.name in ("a", "b", "c")


def test_the_original_itself_is_a_candidate():
    result = rank([people()], names=["same"])
    assert result.candidates[0].utility == approx(1.0)


# -- as text -------------------------------------------------------------------------------------

LONG = "a release of the year 2024 with ages in bands of ten years, second draft"
WIDE = "東京都の標本調査二〇二四年版の年齢階級別秘匿済み個票データ"


@pytest.mark.parametrize(
    "name", ["short", LONG, LONG.replace(" ", "_"), WIDE], ids=["short", "long", "word", "wide"]
)
def test_a_ranking_fits_80_columns(name):
    result = rank(three(people()), names=[f"{name}{i}" for i in (1, 2, 3)], max_risk=0.9)
    for line in str(result).splitlines():
        assert columns_of(line) <= 80, line


def test_a_ranking_with_all_its_figures_fits_80_columns(demo):
    for text in (str(demo), demo.long_text()):
        assert max(map(columns_of, text.splitlines())) <= 80


def test_a_row_says_what_the_candidate_is(demo):
    for c in demo.candidates:
        (line,) = [x for x in str(demo).splitlines() if f" {c.name} " in x and "%" in x]
        for value in (c.risk, c.utility, c.balance, c.assessment.gdu.value):
            assert f"{value:.3f}" in line
        assert ("*" in line) == (c.name == demo.recommended.name)
        assert "+" in line


@pytest.mark.parametrize("step", [0.001, 1.0, 1e7])
def test_a_distance_in_the_table_is_a_number(step):
    """Small and large figures are not cut where their exponent begins."""
    original = people()
    changed = original.assign(income=original["income"] + step * (np.arange(240) == 7))
    result = rank([changed], names=["x"], only=["loss"])
    (line,) = [x for x in result.long_text().splitlines() if " x " in x and "%" in x]
    il1s = result.candidates[0].assessment.loss.il1s
    assert float(line.split()[-1]) == pytest.approx(il1s, rel=0.5)


def test_a_line_break_in_a_name_does_not_break_the_table():
    plain = str(rank(three(people()), names=["a b", "c", "d"])).splitlines()
    broken = str(rank(three(people()), names=["a\nb", "c", "d"])).splitlines()
    assert len(broken) == len(plain)


# -- the command ---------------------------------------------------------------------------------

TOML = """\
[variable.age]
type = "continuous"
role = "quasi_identifier"
[variable.sex]
role = "quasi_identifier"
[variable.region]
role = "quasi_identifier"
[risk]
measure = "classes"
[left_in]
ignore = ["unit"]
[rank]
utility = "U"
jackknife = false
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An original, three versions of it, and a schema."""
    frame = people()
    frame.to_csv(tmp_path / "original.csv", index=False)
    for name, table in zip(("weak", "middle", "strong"), three(frame), strict=True):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    (tmp_path / "s.toml").write_text(TOML)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILES = ["weak.csv", "middle.csv", "strong.csv"]


def rank_command(*arguments, files=FILES, only="risk"):
    return main(
        ["rank", "original.csv", *files, "--schema", "s.toml", "--only", only, *arguments]
    )  # fmt: skip


@pytest.mark.usefixtures("folder")
class TestRankCommand:
    def test_prints_the_recommendation_and_the_candidates(self, capsys):
        assert rank_command() == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        assert printed.out.startswith("No version is recommended yet: no limit on risk")
        for name in ("weak", "middle", "strong"):
            assert name in printed.out
        assert max(map(columns_of, printed.out.splitlines())) <= 80

    def test_json_on_stdout_is_nothing_but_json(self, capsys):
        assert rank_command("--json", "-") == 0
        content = strict_json(capsys.readouterr().out)
        assert [c["name"] for c in content["candidates"]] == ["weak", "middle", "strong"]
        assert content["candidates"][0]["inputs"]["protected"]["path"] == "weak.csv"

    def test_json_in_a_file_is_the_same(self, capsys):
        assert rank_command("--json", "-") == 0
        out = capsys.readouterr().out
        assert rank_command("--json", "r.json") == 0
        assert Path("r.json").read_text(encoding="utf-8") == out
        assert capsys.readouterr().out.startswith("No version is recommended yet: ")

    def test_the_command_says_what_the_function_says(self, capsys):
        assert rank_command("--json", "-", "--max-risk", "0.4", "--preset", "public") == 0
        said = rank(FILES, "original.csv", "s.toml", max_risk=0.4, preset="public", only=["risk"])
        assert json.loads(capsys.readouterr().out) == json.loads(json_text(said))

    def test_limits_and_presets(self, capsys):
        rank_command("--json", "free.json", only="risk")
        free = json.loads(Path("free.json").read_text())
        risks = {c["name"]: c["risk"]["total"] for c in free["candidates"]}
        rank_command("--json", "r.json", "--max-risk", str(risks["middle"]))
        assert json.loads(Path("r.json").read_text())["recommended"]["name"] == "middle"
        rank_command("--json", "set.json", "--set", f"rut.max_risk={risks['middle']}")
        assert Path("set.json").read_text() == Path("r.json").read_text()
        rank_command("--json", "r.json", "--max-risk", "0", "--min-utility", "1")
        assert json.loads(Path("r.json").read_text())["recommended"]["name"] is None
        rank_command("--json", "r.json", "--preset", "analysis")
        assert json.loads(Path("r.json").read_text())["candidates"][0]["rut"]["alpha"] == 0.7

    def test_nobody_within_the_limits_misses_the_gate(self, capsys):
        assert rank_command("--max-risk", "0") == 1
        assert capsys.readouterr().out.startswith("Release none: no candidate")

    def test_external_and_population(self, capsys):
        assert rank_command("--json", "-", "--external", "original.csv", "--population",
                            "original.csv") == 0  # fmt: skip
        for c in json.loads(capsys.readouterr().out)["candidates"]:
            risk = c["risk"]
            assert risk["external"] == approx(risk["internal"])
            assert risk["population_uniques"] == risk["uniques"]
        assert rank_command("--json", "-") == 0
        for c in json.loads(capsys.readouterr().out)["candidates"]:
            assert c["risk"]["external"] is None
            assert "external" in c["risk"]["reason"]

    def test_a_map_without_a_suffix_is_svg_and_png(self):
        before = set(files_here())
        assert rank_command("--map", "map", "--levels", "levels.v1") == 0
        assert {str(p) for p in set(files_here()) - before} == {
            "map.svg", "map.png", "levels.v1.svg", "levels.v1.png",
        }  # fmt: skip
        assert {"weak", "middle", "strong"} <= set(texts(Path("map.svg").read_bytes()))
        assert Path("map.png").read_bytes()[:4] == b"\x89PNG"

    @pytest.mark.parametrize("option", ["--map", "--levels"])
    @pytest.mark.parametrize("name", ["p.svg", "p.PNG"])
    def test_a_picture_with_a_suffix_is_that_file_alone(self, option, name):
        before = set(files_here())
        assert rank_command(option, name) == 0
        assert {str(p) for p in set(files_here()) - before} == {name}
        start = b"\x89PNG" if name.endswith("PNG") else b"<svg"
        assert start in Path(name).read_bytes()[:200]

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--map", "no/map"], ["--map", "no/map.svg"], ["--levels", "no/levels.png"],
            ["--json", "no/r.json"],
        ],
    )  # fmt: skip
    def test_a_missing_folder_is_refused_before_work(self, capsys, monkeypatch, arguments):
        def reading(*args, **kwargs):
            raise AssertionError("work was done")

        monkeypatch.setattr(run, "open_table", reading)
        said = refused(capsys, "rank", "original.csv", *FILES, "--schema", "s.toml", *arguments)
        assert "no folder no" in said

    def test_a_folder_in_place_of_a_picture(self, capsys):
        Path("map.png").mkdir()
        said = refused(capsys, "rank", "original.csv", *FILES, "--schema", "s.toml", "--map", "map")
        assert "map.png is a folder" in said

    def test_a_missing_candidate_leaves_nothing_behind(self, capsys):
        arguments = ["--only", "risk", "--map", "map", "--json", "r.json", "--levels", "l"]
        said = refused(
            capsys, "rank", "original.csv", "weak.csv", "stong.csv", "--schema", "s.toml",
            *arguments,
        )  # fmt: skip
        assert "stong.csv" in said

    def test_a_failed_write_leaves_nothing_behind(self, capsys, monkeypatch):
        def failing(self, target):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", failing)
        said = refused(
            capsys, "rank", "original.csv", *FILES, "--schema", "s.toml", "--only", "risk",
            "--map", "map.svg",
        )  # fmt: skip
        assert "No space left" in said

    def test_what_cannot_be_drawn_leaves_no_other_picture(self, capsys, monkeypatch):
        """All pictures are drawn before the first one is written."""
        from microgauge.render import pictures

        def failing(result, kind):
            raise InputError("cannot be drawn")

        monkeypatch.setattr(pictures, "levels_picture", failing)
        refused(
            capsys, "rank", "original.csv", *FILES, "--schema", "s.toml", "--only", "risk",
            "--map", "map.svg", "--levels", "levels.svg", "--json", "r.json",
        )  # fmt: skip

    def test_refusals(self, capsys):
        start = ["rank", "original.csv", *FILES]
        assert 'role = "quasi_identifier"' in refused(capsys, *start)
        with_schema = [*start, "--schema", "s.toml"]
        said = refused(capsys, *with_schema, "--max-risk", "2", "--min-utility", "-1", "--preset",
                       "x")  # fmt: skip
        assert said.count("\n  - ") == 3
        assert "nan" not in refused(capsys, *with_schema, "--max-risk", "nan")

    @pytest.mark.parametrize("arguments", [["original.csv"], ["original.csv", "weak.csv", "--max-risk", "much"]])  # fmt: skip  # noqa: E501
    def test_wrong_arguments(self, capsys, arguments):
        with pytest.raises(SystemExit) as caught:
            main(["rank", *arguments])
        assert caught.value.code == 2
        assert capsys.readouterr().err.startswith("usage: microgauge rank")

    def test_long_and_wide_file_names(self, capsys):
        names = [f"{LONG}.csv", f"{WIDE}.csv"]
        Path("weak.csv").rename(names[0])
        Path("middle.csv").rename(names[1])
        assert rank_command("--map", "map", files=names) == 0
        out = capsys.readouterr().out
        assert [line for line in out.splitlines() if columns_of(line) > 80] == []
        assert Path("map.png").exists()

    def test_names_that_mean_something_elsewhere(self, capsys):
        names = ["<script>alert(1)", "$x$", "a&b", '"quoted"', "{{7}}", "--"]
        frame = people()
        for i, name in enumerate(names):
            banded(frame, 5 + 5 * i, i / 20).to_csv(f"{name}.csv", index=False)
        files = [f"./{name}.csv" for name in names]
        assert rank_command("--map", "m.svg", "--levels", "l.svg", "--json", "r.json",
                            files=files) == 0  # fmt: skip
        for picture in ("m.svg", "l.svg"):
            content = Path(picture).read_bytes()
            assert b"<script" not in content
            assert not [e for e in ET.fromstring(content).iter() if e.tag.endswith("script")]
            assert set(names) <= set(texts(content)), picture
        assert [c["name"] for c in json.loads(Path("r.json").read_text())["candidates"]] == names

    def test_a_control_character_in_a_name(self):
        """Refused or drawn, but neither a crash nor a picture that nothing can open."""
        Path("weak.csv").rename("a\x01b.csv")
        script = "import sys\nfrom microgauge.cli import main\nsys.exit(main(sys.argv[1:]))"
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", script, "rank", "original.csv", "a\x01b.csv",
             "middle.csv", "--schema", "s.toml", "--only", "risk", "--map", "m"],
            capture_output=True, text=True, env={**os.environ, "RUST_BACKTRACE": "0"},
        )  # fmt: skip
        assert done.returncode in (0, 2), done.stderr[-500:]
        if done.returncode == 0:
            ET.fromstring(Path("m.svg").read_bytes())

    def test_the_shipped_versions_as_files(self, tmp_path, capsys, quick):
        paths = write_candidates(tmp_path / "made")
        arguments = ["--schema", str(SCHEMA), "--only", "risk", "--json", "-", "--utility", "U"]
        assert main(["rank", str(ORIGINAL), *map(str, paths), *arguments]) == 0
        content = json.loads(capsys.readouterr().out)
        assert [c["name"] for c in content["candidates"]] == list(NAMES)
        wanted = points(quick())
        for c in content["candidates"]:
            assert (c["rut"]["risk"], c["rut"]["utility"]) == approx(wanted[c["name"]])


# -- the riskiest records ------------------------------------------------------------------------

RISKY = {"row", "class", "class_size", "risk", "individual_risk", "suda", "dis_suda"}


def risky_command(*arguments, protected="middle.csv", only="risk"):
    return main(
        ["assess", "original.csv", protected, "--schema", "s.toml", "--only", only, *arguments]
    )  # fmt: skip


@pytest.mark.usefixtures("folder")
class TestRisky:
    def test_row_numbers_and_risks(self, capsys):
        assert risky_command("--risky", "r.csv") == 0
        found = pd.read_csv("r.csv")
        frame = pd.read_csv("middle.csv")
        sizes = frame.groupby(["age", "sex", "region"])["w"].transform("size").to_numpy()
        assert sorted(found["row"]) == list(range(1, 241))
        assert (found["class_size"].to_numpy() == sizes[found["row"] - 1]).all()
        assert found["risk"].to_numpy() == approx(1 / sizes[found["row"] - 1])
        assert (found["risk"].diff().dropna() <= 0).all()  # the riskiest first
        assert found["risk"].mean() == approx(
            microgauge.assess("original.csv", "middle.csv", schema="s.toml", only=["risk"])
            .risk.internal
        )  # fmt: skip
        # A class is the same people: told by its number as by its values.
        both = frame.iloc[found["row"] - 1].reset_index(drop=True).assign(number=found["class"])
        assert both.groupby(["age", "sex", "region"])["number"].nunique().max() == 1
        assert both["number"].nunique() == both.groupby(["age", "sex", "region"]).ngroups

    def test_no_value_of_the_data(self):
        assert risky_command("--risky", "r.csv") == 0
        header, *rows = Path("r.csv").read_text().splitlines()
        assert set(header.split(",")) <= RISKY
        assert {"row", "risk"} <= set(header.split(","))
        for row in rows:
            for cell in row.split(","):
                assert cell == "" or math.isfinite(float(cell))

    def test_not_in_the_json(self, capsys):
        assert risky_command("--json", "plain.json") == 0
        assert risky_command("--json", "with.json", "--risky", "r.csv") == 0
        assert Path("with.json").read_text() == Path("plain.json").read_text()
        assert "risky" not in json.loads(Path("with.json").read_text())
        capsys.readouterr()
        assert risky_command("--json", "-", "--risky", "r.csv") == 0
        assert "risky" not in json.loads(capsys.readouterr().out)

    def test_weights_give_an_individual_risk(self):
        assert risky_command("--risky", "r.csv", "--set", "options.weight=w") == 0
        found = pd.read_csv("r.csv")
        frame = pd.read_csv("middle.csv").iloc[found["row"] - 1].reset_index(drop=True)
        alone = found["class_size"] == 1
        assert alone.any()
        p = 1 / frame["w"][alone]
        wanted = np.where(p == 1, 1.0, p / (1 - p + (p == 1)) * np.log(1 / p))
        assert found["individual_risk"][alone].to_numpy() == approx(wanted)

    def test_a_missing_key_that_matches_everything(self):
        frame = pd.read_csv("middle.csv").head(80)
        frame.loc[::7, "sex"] = None
        frame.loc[::5, "region"] = None
        frame.to_csv("holes.csv", index=False)
        assert risky_command("--risky", "r.csv", "--set", "risk.missing_keys=any",
                             protected="holes.csv") == 0  # fmt: skip
        found = pd.read_csv("r.csv").sort_values("row")
        keys = [
            [None if pd.isna(v) else v for v in row]
            for row in frame[["age", "sex", "region"]].itertuples(index=False)
        ]
        wanted = [
            sum(all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))
                for other in keys)
            for one in keys
        ]  # fmt: skip
        assert found["class_size"].tolist() == wanted
        assert found["risk"].to_numpy() == approx(1 / np.array(wanted))

    def test_from_python(self):
        result = microgauge.assess(
            people(), banded(people(), 10), schema=schema(), only=["risk"], risky=True
        )
        assert result.risky["row"].sort().to_list() == list(range(1, 241))
        plain = microgauge.assess(people(), banded(people(), 10), schema=schema(), only=["risk"])
        assert plain.risky is None
        assert result.to_dict() == plain.to_dict()

    def test_needs_the_section_risk(self, capsys):
        said = refused(
            capsys, "assess", "original.csv", "middle.csv", "--schema", "s.toml", "--only", "gdu",
            "--risky", "r.csv", "--json", "r.json",
        )  # fmt: skip
        assert "--risky needs the section risk" in said

    def test_without_quasi_identifiers_nothing_is_written(self, capsys):
        said = refused(
            capsys, "assess", "original.csv", "middle.csv", "--skip", "propensity,clusters",
            "--risky", "r.csv", "--json", "r.json", "--pairs", "p.csv",
        )  # fmt: skip
        assert "--keys age,sex,region" in said

    def test_where_every_quasi_identifier_was_removed(self, capsys):
        people()[["unit", "income", "w"]].to_csv("bare.csv", index=False)
        said = refused(
            capsys, "assess", "original.csv", "bare.csv", "--schema", "s.toml", "--only", "risk",
            "--risky", "r.csv", "--json", "r.json",
        )  # fmt: skip
        assert "removed" in said
        assert "is declared" not in said  # they are declared

    def test_a_missing_folder(self, capsys):
        said = refused(
            capsys, "assess", "original.csv", "middle.csv", "--schema", "s.toml", "--risky",
            "no/r.csv",
        )  # fmt: skip
        assert "no folder" in said

    def test_external_and_population_of_one_assessment(self, capsys):
        people().head(150).to_csv("known.csv", index=False)
        assert risky_command("--json", "-", "--external", "known.csv", "--population",
                             "original.csv") == 0  # fmt: skip
        risk = json.loads(capsys.readouterr().out)["risk"]
        low = people()["age"] // 20 * 20
        keys = ["age", "sex", "region"]
        known = people().assign(age=low)[keys].head(150).value_counts()
        mine = people().assign(age=low)[keys].itertuples(index=False, name=None)
        wanted = [1 / known[key] if key in known.index else 0.0 for key in mine]
        assert risk["external"] == approx(np.mean(wanted))
        assert risk["population_uniques"] == risk["uniques"]

    @pytest.mark.parametrize("option", ["--external", "--population"])
    def test_an_external_table_that_is_not_there(self, capsys, option):
        said = refused(
            capsys, "assess", "original.csv", "middle.csv", "--schema", "s.toml", option, "x.csv"
        )
        assert "x.csv" in said
