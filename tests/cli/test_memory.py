"""What the C library is asked to do with memory that was freed."""

import ctypes
import os
import sys
from types import SimpleNamespace

import pytest

from microgauge.cli.memory import MMAP_THRESHOLD, TRIM_THRESHOLD, keep_freed


@pytest.fixture
def chosen(monkeypatch):
    """What is in force in a library that refuses thresholds above 32 MB, as older ones do."""
    found = {}

    def mallopt(choice, value):
        if choice == MMAP_THRESHOLD and value > 1 << 25:
            return 0
        found[choice] = value
        return 1

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace(mallopt=mallopt))
    for name in list(os.environ):
        if name.startswith("MALLOC_"):
            monkeypatch.delenv(name)
    return found


def test_older_libraries_keep_as_much_as_they_can(chosen):
    """Left at its default beside another choice, the threshold would never rise: see mallopt(3)."""
    keep_freed()
    assert chosen[MMAP_THRESHOLD] == 1 << 25
    assert chosen[TRIM_THRESHOLD] == 1 << 30


def test_what_the_user_says_is_left_alone(chosen, monkeypatch):
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    keep_freed()
    assert not chosen


def test_a_library_without_such_choices_is_left_alone(chosen, monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())
    keep_freed()
    assert not chosen
