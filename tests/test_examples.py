"""The examples run as they are, and say what they promise."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

SAID = {
    "assess_two_tables.py": ["Global data utility: 0.", "The associations that lost most:"],
    "choose_a_candidate.py": ["Release ", "utility weighs 50 %"],
    "check_in_ci.py": ["pay gap: 0.", "kept   pay gap within its interval"],
}


def test_no_example_is_forgotten():
    assert {path.name for path in EXAMPLES.glob("*.py")} == SAID.keys()
    read_me = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for name in SAID:
        assert f"({name})" in read_me


@pytest.mark.parametrize("name", SAID)
def test_an_example_runs(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / name), run_name="an example")
    said = capsys.readouterr()
    for words in SAID[name]:
        assert words in said.out
    assert said.err == ""
