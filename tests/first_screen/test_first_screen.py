"""The first screen says whether a file is good and safe, and nothing else is needed to know it."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path

import pytest

import microgauge
from support.first_screens import SCREENS

EXPECTED = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))
READ = Path(__file__).parent / "read.txt"
SHOWN = 6
"""Findings that a first screen has room for."""


@cache
def assessed(name: str) -> microgauge.Assessment:
    return SCREENS[name]().assessed()


def test_every_case_is_made():
    assert list(EXPECTED) == list(SCREENS)


@pytest.mark.parametrize("name", SCREENS)
def test_grades_are_those_written_down_before(name):
    verdict, expected = assessed(name).verdict, EXPECTED[name]
    assert (verdict.useful.grade, verdict.safe.grade) == (expected["useful"], expected["safe"])


@pytest.mark.parametrize("name", SCREENS)
def test_findings_are_those_written_down_before(name):
    codes = [finding.code for finding in assessed(name).verdict.findings]
    expected = EXPECTED[name]
    assert set(expected["shown"]) <= set(codes[:SHOWN])
    assert not set(expected["never"]) & set(codes)
    if "first" in expected:
        assert codes[0] == expected["first"]


def first_screen(name: str) -> str:
    """What stands before all else on a terminal: the two answers, and what to know."""
    told, _, _ = str(assessed(name)).partition("\n\n")
    return told


def test_the_texts_are_those_that_were_read():
    """Eight first screens as they were given to readers who were asked only: good? safe?

    Where the words change, have them read again by someone who does not know the answers, and
    renew the file: MICROGAUGE_RENEW=1 pytest tests/first_screen.
    """
    found = "\n".join(f"[{name}]\n{first_screen(name)}\n" for name in SCREENS)
    if os.environ.get("MICROGAUGE_RENEW"):
        READ.write_text(found, encoding="utf-8")
    assert found == READ.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SCREENS)
def test_a_first_screen_begins_with_both_answers(name):
    lines = first_screen(name).splitlines()
    words = " ".join(" ".join(lines).split())
    verdict = assessed(name).verdict
    for answer in (verdict.useful, verdict.safe):
        assert f" {answer.grade.capitalize()}. " in words
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
