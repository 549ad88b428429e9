"""The pictures of what an intruder gets are those that are drawn today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    import make_disclosure

    return make_disclosure


def test_whom_an_intruder_takes_for_whom(tool):
    drawn = tool.matches_picture()
    assert (tool.IMAGES / "matches.svg").read_text(encoding="utf-8") == drawn
    said = re.findall(r">M\((\d)\) = {([\d, ]+)}: ([\d.]+)<", drawn)
    assert said == [
        ("1", "2, 5", "0"), ("2", "2, 5", "0.5"), ("3", "4", "0"), ("4", "3", "0"), ("5", "1", "0"),
    ]  # fmt: skip


def test_the_bars_are_of_the_files_that_are_measured(tool):
    versions = tool.versions()
    drawn = (tool.IMAGES / "disclosure.svg").read_text(encoding="utf-8")
    shown = re.findall(r">(\d\.\d\d)</text>", drawn)
    wanted = [f"{f:.2f}" for v in versions for f in (v.found, v.learned, v.internal)]
    assert shown == wanted
    assert all(f">{version.name}</text>" in drawn for version in versions)
    recoded = versions[:5]
    assert all(abs(version.found - version.internal) < 1e-9 for version in recoded)
    assert versions[-1].found < 0.01 < max(v.internal for v in recoded) < versions[-1].internal
