"""Limits as a gate: exit codes, test cases, and a helper for tests."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import microgauge
from microgauge.cli import main
from microgauge.render.junit import junit_xml
from microgauge.results.figures import FIGURES
from microgauge.results.gate import gate_of
from microgauge.results.requirements import Requirement
from microgauge.sections.requirements import Requirements
from microgauge.testing import require

SCHEMA = {
    "variable": {
        "age": {"type": "continuous", "role": "quasi_identifier"},
        "sex": {"role": "quasi_identifier"},
    }
}
TOML = (
    '[variable.age]\ntype = "continuous"\nrole = "quasi_identifier"\n'
    '[variable.sex]\nrole = "quasi_identifier"\n[rank]\nutility = "tables"\njackknife = false\n'
)


def people(rows: int = 240) -> pd.DataFrame:
    draw = np.random.default_rng(5)
    age = draw.integers(18, 90, rows)
    income = (age * 300 + draw.normal(0, 3000, rows)).round(-2)
    return pd.DataFrame({"age": age, "sex": draw.choice(["f", "m"], rows), "income": income})


def good(frame: pd.DataFrame) -> pd.DataFrame:
    """Ages by ten years."""
    return frame.assign(age=frame["age"] // 10 * 10)


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    """Ages by ten years, and no relation left: the planted regression."""
    draw = np.random.default_rng(6)
    return good(frame).apply(lambda column: draw.permutation(column.to_numpy()))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    people().to_csv(tmp_path / "o.csv", index=False)
    good(people()).to_csv(tmp_path / "good.csv", index=False)
    shuffled(people()).to_csv(tmp_path / "worse.csv", index=False)
    people().to_csv(tmp_path / "same.csv", index=False)
    (tmp_path / "s.toml").write_text(TOML)
    monkeypatch.chdir(tmp_path)


ASSESS = ("--schema", "s.toml", "--only", "verdict,risk,tables")
LIMITS = "tables>=0.8, risk<=0.5, k>=1"


@pytest.mark.usefixtures("folder")
class TestExitCodes:
    def test_a_planted_regression_fails(self, capsys):
        start = ["assess", "o.csv"]
        assert main([*start, "good.csv", *ASSESS, "--require", LIMITS]) == 0
        capsys.readouterr()
        assert main([*start, "worse.csv", *ASSESS, "--require", LIMITS]) == 1
        out = " ".join(capsys.readouterr().out.split())
        assert "Missed: tables at least 0.8; it is 0." in out
        assert "Kept: k at least 1; it is " in out

    def test_nothing_to_hold_it_against(self):
        assert main(["assess", "o.csv", "worse.csv", *ASSESS]) == 0
        assert main(["assess", "o.csv", "worse.csv", *ASSESS, "--require", "tabels>=1"]) == 2

    def test_rank_passes_where_a_candidate_does(self):
        start = ["rank", "o.csv", "good.csv", "worse.csv", "--schema", "s.toml", "--only", "tables"]
        assert main([*start, "--require", LIMITS]) == 0
        assert main([*start, "--require", "tables>=0.8"]) == 0  # recommends none, but one keeps it
        assert main(start) == 0

    def test_rank_fails_where_none_does(self, capsys):
        start = ["rank", "o.csv", "worse.csv", "--schema", "s.toml", "--only", "tables"]
        assert main([*start, "--require", LIMITS]) == 1
        assert "Release none" in capsys.readouterr().out
        assert main([*start, "--require", "tables>=0.8"]) == 1

    def test_what_stops_a_release_does_not_pass_a_limit_on_safety(self, capsys):
        start = ["assess", "o.csv", "same.csv", *ASSESS]
        assert main([*start, "--require", "tables>=0.8"]) == 0  # says nothing of safety
        assert main([*start, "--require", "risk<=1"]) == 1
        assert "Missed: nothing left in that stops a release;" in " ".join(
            capsys.readouterr().out.split()
        )

    def test_a_failed_gate_leaves_all_that_was_asked_for(self):
        files = ["r.json", "r.html", "l.xml", "p.csv"]
        asked = ["--json", "r.json", "--report", "r.html", "--junit", "l.xml", "--pairs", "p.csv"]
        chosen = ["--schema", "s.toml", "--only", "gdu,tables,verdict"]
        assert (
            main(["assess", "o.csv", "worse.csv", *chosen, "--require", "tables>=1", *asked]) == 1
        )
        assert all(Path(name).stat().st_size for name in files)


def cases(text: str) -> dict[tuple[str, str], str | None]:
    """The message of each case that failed; None of the others. Counts must be right."""
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    found = {}
    for suite in root:
        assert suite.tag == "testsuite"
        assert int(suite.attrib["tests"]) == len(suite)
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        for case in suite:
            failure = case.find("failure")
            name = (case.attrib["classname"], case.attrib["name"])
            found[name] = None if failure is None else failure.attrib["message"]
    assert int(root.attrib["tests"]) == len(found)
    return found


@pytest.mark.usefixtures("folder")
class TestJUnit:
    def test_a_case_for_each_limit(self):
        asked = ["--require", LIMITS, "--junit", "l.xml"]
        assert main(["assess", "o.csv", "worse.csv", *ASSESS, *asked]) == 1
        found = cases(Path("l.xml").read_text())
        assert [name for _, name in found] == [
            "tables at least 0.8", "risk at most 0.5", "k at least 1",
            "nothing left in that stops a release",
        ]  # fmt: skip
        failed = {name: said for (_, name), said in found.items() if said}
        assert failed.keys() == {"tables at least 0.8"}
        assert failed["tables at least 0.8"].startswith("missed: tables at least 0.8; it is 0.")

    def test_a_case_for_each_limit_and_candidate(self):
        start = ["rank", "o.csv", "good.csv", "worse.csv", "--schema", "s.toml", "--only", "tables"]
        assert main([*start, "--require", LIMITS, "--junit", "l.xml"]) == 0
        found = cases(Path("l.xml").read_text())
        assert found["microgauge.good", "tables at least 0.8"] is None
        assert found["microgauge.worse", "tables at least 0.8"]
        assert found["microgauge.limits", "a candidate to release"] is None

    def test_without_limits_there_is_nothing_to_write(self, capsys):
        for command in (["assess", "o.csv", "good.csv"], ["rank", "o.csv", "good.csv"]):
            assert main([*command, "--schema", "s.toml", "--junit", "l.xml"]) == 2
            assert "--require" in capsys.readouterr().err
        assert not Path("l.xml").exists()

    def test_not_over_an_input(self, capsys):
        for place in ("o.csv", "s.toml"):
            asked = ["--require", "k>=1", "--junit", place]
            assert main(["assess", "o.csv", "good.csv", *ASSESS, *asked]) == 2
            assert "is an input" in capsys.readouterr().err

    def test_two_outputs_in_one_place(self, capsys):
        asked = ["--require", "k>=1", "--junit", "x", "--json", "./x"]
        assert main(["assess", "o.csv", "good.csv", *ASSESS, *asked]) == 2
        assert "--json and --junit" in capsys.readouterr().err
        assert not Path("x").exists()


HOSTILE = [
    '"><script>&amp;',
    "bell\a nul\0 esc\x1b[31m",
    "half \ud800 \uffff",
    "]]>",
    "\u202egnp.exe",
]


def test_hostile_names_are_escaped():
    frame = people(60)
    result = microgauge.rank(
        frame, [good(frame)] * len(HOSTILE), names=HOSTILE, schema=SCHEMA, only=["tables"],
        require="risk<=0.5, k>=1000",
    )  # fmt: skip
    text = junit_xml(result)
    found = cases(text.encode("utf-8").decode("utf-8"))
    assert len({suite for suite, _ in found}) == len(HOSTILE) + 1
    assert 'microgauge."><script>&amp;' in {suite for suite, _ in found}
    assert not set(text) & {"\a", "\0", "\x1b", "\ud800", "\uffff"}


@pytest.mark.parametrize(
    ("figure", "limit", "value", "held"),
    [("k", 3.0, 1.0, "1"), ("risk", 0.05, 0.0500001, "0.0500001"), ("risk", 0.05, None, None)],
)
def test_a_report_tells_figures_from_their_limits(figure, limit, value, held):
    """A count is no 1.000, and what misses 0.05 is not shown as 0.050."""
    result = microgauge.assess(people(), good(people()), schema=SCHEMA, require="k>=1")
    one = Requirement(
        figure=figure, operator=">=", limit=limit, value=value, met=False, reason="why"
    )
    told = Requirements().report(
        replace(result, sections=result.sections | {"requirements": (one,)}), "internal", 1
    )
    assert told[0].content == [[one.said, held, False, "why"]]


def test_a_figure_that_is_not_defined_is_missed_and_says_why():
    frame = people(60).assign(sex="f")
    result = microgauge.assess(
        frame, good(frame), schema=SCHEMA, only=["gdu"], require="gdu_1000>=0.1"
    )
    (check,) = gate_of(result).checks
    assert not check.kept
    assert "there is no figure: " in check.line
    assert 'type="not defined"' in junit_xml(result)


class TestHelper:
    def test_gives_the_result_where_all_is_kept(self):
        result = require(people(), good(people()), LIMITS, schema=SCHEMA)
        assert [one.met for one in result.requirements] == [True] * 3

    def test_measures_what_is_limited_and_no_more(self):
        result = require(people(), good(people()), "k>=1", schema=SCHEMA)
        assert result.sections.keys() == {"left_in", "risk", "requirements"}

    def test_fails_with_a_line_for_each_limit(self):
        with pytest.raises(AssertionError) as failed:
            require(people(), shuffled(people()), LIMITS, schema=SCHEMA)
        first, *lines = str(failed.value).splitlines()
        assert "misses a limit" in first
        assert [line.split(":")[0] for line in lines] == ["missed", "kept", "kept", "kept"]

    def test_takes_keys_without_a_schema(self):
        assert require(people(), good(people()), "k>=1", keys=["age", "sex"]).risk.k >= 1

    def test_takes_the_limits_of_the_schema(self):
        with pytest.raises(AssertionError, match="k at least 1000"):
            require(people(), good(people()), schema=SCHEMA | {"require": {"k": ">=1000"}})

    @pytest.mark.parametrize("limits", [None, "kk>=3", "k<=3", "overlap>=0.5", ""])
    def test_what_cannot_be_asked_is_no_failed_test(self, limits):
        with pytest.raises(microgauge.InputError):
            require(people(), good(people()), limits, schema=SCHEMA)


@pytest.mark.parametrize("limits", ["foo<=1", {"foo": "<=1"}])
def test_a_limit_on_nothing_lists_what_can_be_limited(limits):
    with pytest.raises(microgauge.InputError, match="foo") as told:
        require(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 2]}), limits)
    assert all(name in str(told.value) for name in FIGURES)


def test_files_are_written_all_or_none(tmp_path, monkeypatch):
    from microgauge.results import writing

    (tmp_path / "a").write_text("before")
    filled = writing._fill

    def full_disk(path, content, *more):
        if content == "second":
            raise OSError(28, "No space left on device")
        filled(path, content, *more)

    monkeypatch.setattr(writing, "_fill", full_disk)
    with pytest.raises(microgauge.InputError, match="No space left"):
        writing.write_together({tmp_path / "a": "first", tmp_path / "b": "second"})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "before"
