"""Other programs on the same files, each in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.panel.cases import Case, Figures
from benchmarks.panel.datasets import UNIT
from benchmarks.panel.pairs import Kind

HERE = Path(__file__).parent
VENV = HERE / ".venv"
JOBS: Mapping[Kind, str] = {"risk": "peers_job.py", "utility": "utility_peers_job.py"}
REQUIREMENTS: Mapping[Kind, str] = {
    "risk": "requirements.txt",
    "utility": "requirements-utility.txt",
}
UTILITY_PEERS: Mapping[str, bool] = {
    "SDMetrics QualityReport": True,
    "SDMetrics Column Shapes": True,
    "SDMetrics Column Pair Trends": True,
    "SynthEval": True,
}
"""Other programs' figures of utility: whether more is better."""


def environment(kind: Kind) -> Path:
    """The interpreter of an environment with the peers, made on first use."""
    place = VENV / kind
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        wanted = HERE / REQUIREMENTS[kind]
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", wanted], check=True)
    return python


@cache
def _job(kind: Kind) -> subprocess.Popen[str]:
    """One for each process at work: starting it takes longer than most files."""
    return subprocess.Popen(
        [environment(kind), "-W", "ignore", HERE / JOBS[kind]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def risk_peers(case: Case) -> Figures:
    """SDMetrics and Anonymeter as they are by default, keys and targets named."""
    return _peers(case, "risk")


def utility_peers(case: Case) -> Figures:
    """Scores of utility as they are by default, numbers named."""
    return _peers(case, "utility")


def _peers(case: Case, kind: Kind) -> Figures:
    data = case.data
    job = _job(kind)
    assert job.stdin is not None
    assert job.stdout is not None
    with TemporaryDirectory() as folder:
        paths = {name: str(Path(folder) / f"{name}.parquet") for name in ("original", "protected")}
        for frame, path in zip((data.frame, case.protected), paths.values(), strict=True):
            frame.select([c for c in frame.columns if c != UNIT]).write_parquet(path)
        said = paths | {
            "keys": list(data.keys),
            "targets": list(data.targets),
            "numbers": list(data.all_numbers),
            "seed": case.seed,
        }
        print(json.dumps(said), file=job.stdin, flush=True)
        found: Figures = json.loads(job.stdout.readline())
    return found
