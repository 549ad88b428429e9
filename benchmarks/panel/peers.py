"""Other programs on the same files, each in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.panel.cases import Case, Figures
from benchmarks.panel.datasets import UNIT

HERE = Path(__file__).parent
VENV = HERE / ".venv"


@dataclass(frozen=True)
class Peer:
    """What runs another program: its environment, what is installed there, and the job."""

    environment: str
    requirements: str
    job: tuple[str, ...]


PEERS: Mapping[str, Peer] = {
    "risk_peers": Peer("risk", "requirements.txt", ("peers_job.py",)),
    "sdmetrics": Peer("utility", "requirements-utility.txt", ("utility_peers_job.py", "sdmetrics")),
    "syntheval": Peer("utility", "requirements-utility.txt", ("utility_peers_job.py", "syntheval")),
    "table_evaluator": Peer(
        "table_evaluator",
        "requirements-table-evaluator.txt",
        ("utility_peers_job.py", "table_evaluator"),
    ),
}
"""By measurer. Table Evaluator asks for libraries so old that it has an environment of its own."""
UTILITY_PEERS: Mapping[str, str] = {
    "SDMetrics QualityReport": "sdmetrics",
    "SDMetrics Column Shapes": "sdmetrics",
    "SDMetrics Column Pair Trends": "sdmetrics",
    "SynthEval": "syntheval",
    "Table Evaluator": "table_evaluator",
}
"""Other programs' figures of utility, by who makes them; more is better in all of them."""


def environment(peer: Peer) -> Path:
    """The interpreter of an environment with the peers, made on first use."""
    place = VENV / peer.environment
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        wanted = HERE / peer.requirements
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", wanted], check=True)
    return python


@cache
def _job(measurer: str) -> subprocess.Popen[str]:
    """One for each process at work: starting it takes longer than most files."""
    peer = PEERS[measurer]
    script, *words = peer.job
    return subprocess.Popen(
        [environment(peer), "-W", "ignore", HERE / script, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def risk_peers(case: Case) -> Figures:
    """SDMetrics and Anonymeter as they are by default, keys and targets named."""
    return _answer("risk_peers", case)


def sdmetrics(case: Case) -> Figures:
    """SDMetrics' quality report, numbers named."""
    return _answer("sdmetrics", case)


def syntheval(case: Case) -> Figures:
    """SynthEval's figures of utility that need no target, numbers named."""
    return _answer("syntheval", case)


def table_evaluator(case: Case) -> Figures:
    """Table Evaluator's similarity score, numbers and the first target named."""
    return _answer("table_evaluator", case)


def _answer(measurer: str, case: Case) -> Figures:
    data = case.data
    job = _job(measurer)
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
