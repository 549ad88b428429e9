"""Other programs on the same files, each in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.panel.cases import Case, Figures
from benchmarks.panel.datasets import UNIT

HERE = Path(__file__).parent
VENV = HERE / ".venv"
REQUIREMENTS = HERE / "requirements.txt"
JOB = HERE / "peers_job.py"


def environment() -> Path:
    """The interpreter of an environment with the peers, made on first use."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", REQUIREMENTS], check=True)
    return python


@cache
def _job() -> subprocess.Popen[str]:
    """One for each process at work: starting it takes longer than most files."""
    return subprocess.Popen(
        [environment(), "-W", "ignore", JOB],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def peers(case: Case) -> Figures:
    """SDMetrics and Anonymeter as they are by default, keys and targets named."""
    data = case.data
    job = _job()
    assert job.stdin is not None
    assert job.stdout is not None
    with TemporaryDirectory() as folder:
        paths = {name: str(Path(folder) / f"{name}.parquet") for name in ("original", "protected")}
        for frame, path in zip((data.frame, case.protected), paths.values(), strict=True):
            frame.select([c for c in frame.columns if c != UNIT]).write_parquet(path)
        numbers = [name for name, kind in data.types.items() if kind == "continuous"]
        said = paths | {
            "keys": list(data.keys),
            "targets": list(data.targets),
            "numbers": numbers,
            "seed": case.seed,
        }
        print(json.dumps(said), file=job.stdin, flush=True)
        found: Figures = json.loads(job.stdout.readline())
    return found
