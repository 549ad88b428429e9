"""The first screen says whether a file is good and safe, and nothing else is needed to know it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest

import microgauge
from support.first_screens import SCREENS

EXPECTED = tomllib.loads((Path(__file__).parent / "cases.toml").read_text(encoding="utf-8"))
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
