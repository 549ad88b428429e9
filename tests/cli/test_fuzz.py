"""A short run of the fuzzer (`make fuzz` is a long one), and that it sees what it looks for."""

import os

import pytest

from support.fuzz import running
from support.fuzz.__main__ import order, shares
from support.fuzz.cases import PLANTED, Case
from support.fuzz.families import FAMILIES

SEED = 11
CASES = int(os.environ.get("MICROGAUGE_FUZZ", "60"))


@pytest.mark.slow
def test_hostile_inputs_of_all_families():
    outcomes = [running.run_case(*one, SEED) for one in order(shares(CASES, list(FAMILIES)))]
    failed = [(o.family, o.number, o.faults) for o in outcomes if o.faults]
    assert failed == []
    assert {o.family for o in outcomes} == set(FAMILIES)


def test_a_case_is_the_same_by_its_number():
    one, other = (running.run_case("formulas", 4, SEED) for _ in range(2))
    assert (one.code, one.said) == (other.code, other.said)


def broken(monkeypatch, main):
    """The faults of a case whose command does something that it must not."""
    files = {"o.csv": b"a,b\n1,2\n"}
    case = Case(files=files, arguments=["assess"], outputs=["r.json", "m.csv"])
    monkeypatch.setattr(running, "main", main)
    monkeypatch.setitem(running.FAMILIES, "broken", lambda rng: case)
    return running.run_case("broken", 1, SEED).faults


def test_what_must_not_happen_is_seen(monkeypatch):
    import sys
    import time
    from pathlib import Path

    def wrote(name, text, code=0):
        def main(arguments):
            Path(name).write_text(text)
            return code

        return main

    def said(text, code, stream="stderr"):
        def main(arguments):
            getattr(sys, stream).write(text)
            return code

        return main

    def raising(arguments):
        raise KeyError("x")

    monkeypatch.setattr(running, "LIMIT", 0.1)
    for main, words in (
        (raising, "raised KeyError"),
        (said("microgauge: a fault of microgauge", 3), "exit code 3"),
        (said("Traceback (most recent call last)", 2), "a traceback"),
        (said(f"the cell {PLANTED}0001", 2), "a leak"),
        (said("", 2), "refused without a word"),
        (said("the utility is nan.", 0, "stdout"), "an undefined number is printed"),
        (wrote("o.csv", "other"), "o.csv was changed"),
        (wrote(".r.json.x", "half"), "left behind"),
        (wrote("r.json", '{"a": NaN}'), "is no JSON"),
        (wrote("r.json", '{"a": 1'), "is no JSON"),
        (wrote("r.html", "<html>"), "is cut off"),
        (wrote("m.csv", "a\ninf\n"), "holds an undefined number"),
        (lambda arguments: time.sleep(5), "overtime"),
        (lambda arguments: os.write(2, b"thread 'x' panicked at x.rs:1\n") and 0, "a panic"),
    ):
        assert any(words in fault for fault in broken(monkeypatch, main)), words
    assert broken(monkeypatch, wrote("r.json", "{}")) == []
