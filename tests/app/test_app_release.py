"""Releasing: what speaks against it is overruled by a person, knowingly; limits as numbers."""

import json
import re

import polars as pl
import pytest

from microgauge.app.limits import fields_of
from microgauge.app.results import against
from microgauge.results.verdict import LIMIT_LOW
from support.app import visited


def measured(visitor, **limits):
    """A protected version with keys, measured within limits."""
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.wait()
    page = visitor.send(visitor.get("/measure"), "/measure", **limits)
    run = visitor.wait(page.path.rsplit("/", 1)[-1])
    assert run.state == "done", (run.faults, run.messages)
    return run


def test_a_missed_limit_is_overruled_knowingly(tables):
    with visited(tables) as visitor:
        run = measured(visitor, **{"limit-risk": "0.0001"})
        assert "not without a decision" in visitor.get("/release").text
        release = visitor.get(f"/release?choice={run.id}:0")
        asked = visitor.send(release, "/release", name="spring")
        assert "Release it all the same?" in asked.text
        assert "missed: risk at most 0.0001; it is" in asked.text
        assert not (tables / "release-spring").exists()
        assert visitor.running.jobs.runs("release") == []
        done = visitor.send(asked, "/release")
        visitor.wait()
        kept = json.loads((tables / "release-spring-internal/release.json").read_text())
        assert kept["despite"][0].startswith("missed: risk at most 0.0001; it is")
        assert [one.name for one in (tables / "release-spring").iterdir() if one.is_dir()] == []
        assert visitor.get(done.path).status == 200


def test_what_was_added_to_a_file_is_told_beside_it(tables):
    weak = pl.read_csv(tables / "weak.csv")
    weak.with_columns(target=pl.lit(1), other=pl.lit(2)).write_csv(tables / "weak.csv")
    said = "Only in the protected version, not measured, and released with it: target, other."
    with visited(tables) as visitor:
        run = measured(visitor)
        assert said in visitor.get(f"/look/{run.id}").text
        assert said in visitor.get("/release").text
        visitor.choose(original="original.csv", candidate=["weak.csv", "strong.csv"])
        visitor.wait()
        page = visitor.send(visitor.get("/measure"), "/measure")
        visitor.wait()
        page = visitor.get(f"/look/{page.path.rsplit('/', 1)[-1]}")
        assert page.text.count(said) == 1
        links = {link for link in page.links if re.fullmatch(f"{page.path}/[01]", link)}
        places = [visitor.get(link).text for link in links]
        assert [said in text for text in places].count(True) == 1
        assert visitor.get("/release").text.count(said) == 1


def test_a_file_is_offered_as_it_was_last_measured(tables):
    with visited(tables) as visitor:
        first = measured(visitor)
        old = visitor.get(f"/release?choice={first.id}:0")
        page = visitor.send(visitor.get("/measure"), "/measure", **{"limit-risk": "0.0001"})
        last = visitor.wait(page.path.rsplit("/", 1)[-1])
        page = visitor.get(f"/release?choice={first.id}:0")
        form = page.form("/release")
        assert form.choices["choice"] == [f"{last.id}:0"]
        assert ("choice", f"{last.id}:0") in form.fields, "the link of an older result leads there"
        asked = visitor.send(old, "/release", name="spring")
        assert "Release it all the same?" in asked.text
        assert "missed: risk at most 0.0001; it is" in asked.text
        assert visitor.running.jobs.runs("release") == []


@pytest.mark.parametrize("there", ["release-spring", "release-spring-internal"])
def test_neither_folder_of_a_release_is_written_into(tables, there):
    with visited(tables) as visitor:
        run = measured(visitor)
        (tables / there).mkdir()
        page = visitor.release(visitor.get(f"/release?choice={run.id}:0"), name="spring")
        assert page.status == 422
        assert f"There is a folder {there} already." in page.text
        assert visitor.running.jobs.runs("release") == []


def test_limits_are_numbers_and_what_else_is_said(tables):
    with visited(tables) as visitor:
        limits = {"limit-risk": "0.9", "limit-utility": "0.1", "require": "k>=1 , gdu>=0.1"}
        run = measured(visitor, **limits)
        (words,) = run.commands
        assert words[words.index("--require") + 1] == "risk<=0.9, utility>=0.1, k>=1, gdu>=0.1"
        fields = dict(visitor.get("/measure").form("/measure").fields)
        assert fields["limit-risk"] == "0.9"
        assert fields["limit-utility"] == "0.1"
        assert fields["require"] == "k>=1, gdu>=0.1"


@pytest.mark.parametrize(
    ("require", "risk", "utility", "others"),
    [
        ("", "", "", ""),
        ("risk<=0.05", "0.05", "", ""),
        ("risk<0.05,utility>=1", "", "1", "risk<0.05"),
        ("risk<=0.1, risk<=0.2", "0.1", "", "risk<=0.2"),
        ("risk<=much", "", "", "risk<=much"),
        ("risk<= 0.05 ,utility>=.5", "0.05", ".5", ""),
        ("risk<=1e-3, utility>=inf", "1e-3", "", "utility>=inf"),
        ("risk<=0_1, utility>=-1", "", "", "risk<=0_1, utility>=-1"),
    ],
)
def test_limits_stand_in_their_fields(require, risk, utility, others):
    assert fields_of(require) == {"risk": risk, "utility": utility, "require": others}


def outcome(useful="good", safe="good", findings=(), requirements=()):
    said = [{"grade": grade, "sentence": sentence} for grade, sentence in findings]
    verdict = {
        "useful": {"grade": useful},
        "safe": {"grade": safe, "sentence": "None."},
        "findings": said,
    }
    return {"verdict": verdict, "requirements": list(requirements)}


KEPT = {"figure": "k", "operator": ">=", "limit": 3.0, "value": 4.0, "met": True}


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (outcome(requirements=[KEPT]), []),
        (outcome(useful="fair", safe="fair", findings=[("warn", "x")]), []),
        (outcome(useful="poor"), ["Its use is called poor."]),
        (outcome(safe="poor"), ["Its safety is called poor."]),
        (outcome(safe="unknown"), ["None."]),
        (outcome(findings=[("stop", "Stop.")]), ["Stop."]),
        (
            outcome(requirements=[KEPT | {"value": None, "met": False, "reason": "no keys"}]),
            ["missed: k at least 3; there is no figure: no keys"],
        ),
        ({"verdict": None}, ["Its safety was not measured."]),
        (None, ["Its safety was not measured."]),
    ],
)
def test_what_speaks_against_a_release(found, told):
    assert against(found) == told


def test_a_limit_that_shuffled_variables_keep_speaks_against_a_file():
    said = "The limit on use that is kept says little."
    finding = {"code": LIMIT_LOW, "grade": "warn", "sentence": said, "remedy": None}
    sides = {side: {"grade": "good", "sentence": "Good."} for side in ("useful", "safe")}
    outcome = {"requirements": [], "verdict": {**sides, "findings": [finding]}}
    assert against(outcome) == [said]
    assert against({**outcome, "verdict": {**sides, "findings": []}}) == []
