"""A section that is registered in this file only is found wherever sections are listed."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from microgauge.cli import main
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined
from microgauge.passes import Column, Tally
from microgauge.results.blocks import Block, Chart, Sentence
from microgauge.schema import Entries
from microgauge.schema.checks import whole
from microgauge.sections.registry import register, registered, sections
from microgauge.sections.section import Section
from support.reports import data_of
from support.surveys import make_survey, perturb

TOOLS = Path(__file__).parents[2] / "tools"


@dataclass(frozen=True, kw_only=True)
class LongestChoices(Entries):
    """Its one choice."""

    least: int = 2

    def faults(self, where: str) -> list[str]:
        """A run has a length."""
        return whole(f"{where} least", self.least, 1)


@dataclass(frozen=True, kw_only=True)
class LongestResult:
    """How many protected rows in a row have the same value, or why that is not told."""

    variable: str | None
    length: int | None
    reason: str | None = None


class Longest(Section):
    """The longest run of one value in the protected file."""

    name = "longest"
    title = "The longest run"
    about = "how many rows in a row are alike"
    page = "longest.md"
    choices = LongestChoices
    result = LongestResult
    explanations: ClassVar = {
        "longest": {
            "question": "How many rows in a row have the same value?",
            "range": "1 upwards",
            "direction": "none",
            "reference": "a toy",
        }
    }

    def run(self, study, log) -> Asking[LongestResult]:
        """Two rounds: which variable has the commonest value, then its rows."""
        variables = [v for v in study.analysed if v.protected is not None]
        axes = {v.name: v.protected.axis(v.name) for v in variables}
        facts = yield from asked(study.protected, [Tally(axis) for axis in axes.values()])
        name = max(axes, key=lambda n: int(facts[Tally(axes[n])][0].max()))
        facts = yield from asked(study.rows("protected"), [Column(axes[name])])
        levels = facts[Column(axes[name])].tolist()
        try:
            length = longest(levels, study.schema.of(LongestChoices).least)
        except Undefined as why:
            return LongestResult(variable=name, length=None, reason=str(why))
        log.note("longest", f'The longest run is one of "{name}".', [name])
        return LongestResult(variable=name, length=length)

    def words(self, result) -> Sequence[Block]:
        """A sentence and a picture."""
        found = result.longest
        if found.length is None:
            return (Sentence(text=f"There is no run: {found.reason}."),)
        spec = {
            "data": {"values": [{"variable": found.variable, "length": found.length}]},
            "mark": "bar",
            "encoding": {"x": {"field": "length", "type": "quantitative"}},
        }
        said = f"{found.length} rows in a row have the same {found.variable}."
        return Sentence(text=said), Chart(title="The longest run", spec=spec)


def longest(levels, least):
    """The length of the longest run; `Undefined` where it is too short to tell."""
    best = run = 0
    before = None
    for level in levels:
        run = run + 1 if level == before else 1
        before, best = level, max(best, run)
    if best < least:
        raise Undefined(f"the longest run is shorter than {least}")
    return best


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    survey = make_survey(120)
    survey.to_csv("original.csv", index=False)
    perturb(survey, 0.1).to_csv("protected.csv", index=False)
    with registered(Longest()):
        yield tmp_path


def assess(*arguments):
    return main(["assess", "original.csv", "protected.csv", "--only", "longest", *arguments])


@pytest.mark.usefixtures("files")
class TestANewSection:
    """Where it is found."""

    def test_in_help(self, capsys):
        with pytest.raises(SystemExit):
            main(["assess", "--help"])
        assert "longest" in capsys.readouterr().out

    def test_among_the_sections_there_are(self, capsys):
        assert main(["assess", "original.csv", "protected.csv", "--only", "longst"]) == 2
        assert 'Did you mean "longest"?' in capsys.readouterr().err

    def test_in_json_and_on_the_terminal(self, capsys):
        assert assess("--json", "r.json") == 0
        said = json.loads(Path("r.json").read_text(encoding="utf-8"))
        length = said["longest"]["length"]
        assert said["longest"].keys() == {"variable", "length"}
        assert length >= 2
        assert any("longest run is one of" in note for note in said["notes"])
        shown = capsys.readouterr().out
        assert "The longest run" in shown
        assert f"{length} rows in a row" in shown

    def test_among_the_keys_of_a_schema(self, capsys):
        Path("s.toml").write_text("[longest]\nleast = 100\n", encoding="utf-8")
        assert assess("--schema", "s.toml", "--json", "r.json") == 0
        said = json.loads(Path("r.json").read_text(encoding="utf-8"))["longest"]
        assert said["length"] is None
        assert said["reason"] == "the longest run is shorter than 100"
        assert "There is no run: the longest run is shorter than 100." in capsys.readouterr().out
        assert assess("--set", "longest.least=0") == 2
        assert "[longest] least must be a whole number" in capsys.readouterr().err
        assert assess("--set", "longest.lest=1") == 2
        assert 'Did you mean "least"?' in capsys.readouterr().err

    def test_in_the_report(self):
        assert assess("--report", "r.html") == 0
        shown = json.dumps(data_of(Path("r.html").read_text(encoding="utf-8")))
        assert "The longest run" in shown
        assert '"mark": "bar"' in shown
        assert "How many rows in a row have the same value?" in shown

    def test_in_the_check_of_the_documentation(self, monkeypatch):
        monkeypatch.syspath_prepend(TOOLS)
        import check_docs

        try:
            assert "docs/longest.md does not exist" in check_docs.missing_pages(sections())
        finally:
            for name in ("check_docs", "make_picture"):
                sys.modules.pop(name, None)


@pytest.mark.parametrize(("name", "key"), [("gdu", None), ("notes", None), ("x", "variable")])
def test_names_that_are_taken_are_refused(name, key):
    taken = type("Taken", (Longest,), {"name": name, "key": key})
    with pytest.raises(ValueError, match=key or name):
        register(taken())
    assert len([section for section in sections() if section.name == name]) <= 1


def test_it_is_gone_afterwards():
    assert "longest" not in [section.name for section in sections()]
