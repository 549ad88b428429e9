"""What is kept is sealed: by a secret that only its owner can read."""

import json
import os
import stat
from pathlib import Path

import polars as pl
import pytest

from microgauge import explore
from microgauge.commands.explore import sealing

GRID = {"step": [{"method": "round", "variables": ["income"], "unit": {"grid": [100, 300]}}]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    sealing._kept_in.cache_clear()
    frame = pl.DataFrame({"age": [n % 9 for n in range(60)], "income": [n * 37 for n in range(60)]})
    frame.write_csv("o.csv")
    yield tmp_path
    sealing._kept_in.cache_clear()


def explored():
    """The figures of a small grid, with what is kept of it."""
    ranking = explore("o.csv", GRID, folder="kept", keys=["age"], only=["gdu", "risk"])
    return [c.assessment.gdu.value for c in ranking.candidates]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_the_secret_is_its_owners_alone(folder):
    explored()
    path = folder / "state" / "microgauge" / sealing.NAME
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700
    secret = path.read_bytes()
    assert len(secret) == 32
    assert not any(secret in p.read_bytes() for p in Path("kept").iterdir())
    assert secret.hex() not in "".join(p.read_text() for p in Path("kept").iterdir())


def test_a_result_that_was_changed_is_made_again(folder):
    wanted = explored()
    for path in Path("kept").iterdir():
        content = json.loads(path.read_text())
        content["assessment"]["gdu"]["value"] = 0.123
        path.write_text(json.dumps(content))
    sealing._kept_in.cache_clear()
    assert explored() == wanted
    assert all("0.123" not in p.read_text() for p in Path("kept").iterdir())


def test_a_result_under_the_name_of_another_is_made_again(folder):
    wanted = explored()
    one, other = sorted(Path("kept").iterdir())
    one.write_bytes(other.read_bytes())
    assert explored() == wanted


def test_a_secret_that_others_could_read_is_replaced(folder):
    wanted = explored()
    path = folder / "state" / "microgauge" / sealing.NAME
    before = path.read_bytes()
    path.chmod(0o644)
    sealing._kept_in.cache_clear()
    assert explored() == wanted
    assert path.read_bytes() != before
    assert mode(path) == 0o600


def test_without_a_place_for_the_secret_seals_hold_for_the_process(folder, monkeypatch):
    Path("file").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "file"))
    wanted = explored()
    assert explored() == wanted
    kept = {p.name: p.read_bytes() for p in Path("kept").iterdir()}
    sealing._of_this_process.cache_clear()
    assert explored() == wanted
    assert {p.name: p.read_bytes() for p in Path("kept").iterdir()} != kept
