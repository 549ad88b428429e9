"""Runs that are stopped at any moment: nothing is half-written, nobody is left running.

MICROGAUGE_MOMENTS says how many moments of each command are tried (20: all commands take minutes).
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from microgauge import cli
from support.surveys import make_survey

MOMENTS = int(os.environ.get("MICROGAUGE_MOMENTS", "2"))
RECIPE = '[[step]]\nmethod = "noise"\nvariables = ["income"]\nshare = 0.2\n'
GRID = RECIPE.replace("0.2", "{ grid = [0.1, 0.2, 0.3] }")
KEYS = ["--keys", "sex,region"]
COMMANDS = {
    "assess": (["assess", "o.csv", "p.csv", *KEYS, "--quick"],
               {"--json": "r.json", "--report": "r.html", "--summary": "r.pdf"}),
    "rank": (["rank", "o.csv", "p.csv", *KEYS, "--only", "gdu"],
             {"--json": "r.json", "--report": "r.html", "--map": "m.svg", "--table": "t.csv"}),
    "diagnose": (["diagnose", "o.csv", *KEYS], {"--json": "r.json"}),
    "schema": (["schema", "o.csv", "p.csv"], {"--output": "s.toml"}),
    "mask": (["mask", "o.csv", "--recipe", "recipe.toml"], {"--output": "m.csv"}),
    "explore": (["explore", "o.csv", "--recipe", "grid.toml", *KEYS, "--only", "gdu",
                 "--workers", "2", "--folder", "kept"], {"--json": "r.json", "--table": "t.csv"}),
    "reproduce": (["reproduce", "kim-10"], {"--json": "r.json"}),
    "verify": (["verify", "known.json"], {}),
    "demo": (["demo", "--raw", "raw.csv"], {}),
}  # fmt: skip
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX"),
]


@pytest.fixture
def folder(tmp_path):
    survey = pl.DataFrame(make_survey(300).to_dict("list"))
    survey.write_csv(tmp_path / "o.csv")
    survey.sample(fraction=1.0, shuffle=True, seed=2).write_csv(tmp_path / "p.csv")
    (tmp_path / "recipe.toml").write_text(RECIPE)
    (tmp_path / "grid.toml").write_text(GRID)
    return tmp_path


def started(folder, arguments):
    """The command in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "microgauge", *arguments], cwd=folder, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def alive(session):
    """Processes of a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(state[3]) == session and state[0] != "Z":
                found.append(entry.name)
    return found


def whole(path):
    """Whether a file is what it should be to its end."""
    content = path.read_bytes()
    if path.suffix == ".json":
        return bool(json.loads(content))
    ends = {".html": b"</html>", ".pdf": b"%%EOF", ".svg": b"</svg>"}
    return content.rstrip().endswith(ends.get(path.suffix, content.rstrip()[-1:]))


def check_stopped(folder, process, stop, outputs, before):
    """Nothing half-written, no one left, and a code that says what happened."""
    _, err = process.communicate(timeout=60)
    code = process.returncode
    # Before Python has come to our first line, a signal ends it as it ends any program.
    assert code in (0, 1, 128 + stop, -stop), (code, err)
    # While Python looks for our first line, a stop is told by Python itself.
    assert "Traceback" not in err or "_get_module_details" in err, err
    there = [folder / name for name in outputs.values() if (folder / name).exists()]
    assert all(whole(path) for path in there)
    if stop != signal.SIGKILL:
        assert len(there) in (0, len(outputs)), there
        hidden = [p.name for p in folder.rglob(".*") if p.is_file()]
        assert hidden == [], hidden
    for path, content in before.items():
        assert path.read_bytes() == content
    for kept in folder.glob("kept/*.json"):
        assert whole(kept)
    for _ in range(100):
        if not alive(process.pid):
            return
        time.sleep(0.1)
    raise AssertionError(f"left running: {alive(process.pid)}")


def test_no_command_is_forgotten():
    """The app ends only by being stopped: tests/app look at that."""
    assert sorted([*COMMANDS, "app"]) == sorted(command.name for command in cli.COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_stopped_at_any_moment_leaves_nothing_half_done(folder, name, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    arguments, outputs = COMMANDS[name]
    if name == "verify":
        made = ["assess", "o.csv", "p.csv", "--only", "gdu", "--json", "known.json"]
        started(folder, made).communicate(timeout=120)
    given = [*arguments, *(part for pair in outputs.items() for part in pair)]
    begun = time.monotonic()
    process = started(folder, given)
    _, err = process.communicate(timeout=300)
    lasted = time.monotonic() - begun
    assert process.returncode in (0, 1), err
    rng = random.Random(name)
    for number in range(MOMENTS):
        for output in [*outputs.values(), "raw.csv"]:
            (folder / output).unlink(missing_ok=True)
        for kept in folder.glob("kept/*"):
            kept.unlink()
        before = {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
        stop = STOPS[number % len(STOPS)]
        process = started(folder, given)
        time.sleep(rng.uniform(0.05, 1.0) * lasted)
        process.send_signal(stop)
        check_stopped(folder, process, stop, outputs, before)
