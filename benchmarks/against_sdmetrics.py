"""(a) Adult repeated 20 times: time and memory beside SDMetrics' QualityReport on all rows."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.measure import GDU, PYTHON, ROOT, Outcome, Setting, assess, fastest, make

VENV = ROOT / "benchmarks" / ".venv"
REQUIREMENTS = ROOT / "benchmarks" / "requirements.txt"
JOB = ROOT / "benchmarks" / "sdmetrics_job.py"


def sdmetrics_python() -> Path:
    """The interpreter of an environment with SDMetrics, made on first use."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([PYTHON, "-m", "venv", VENV], check=True)
    has = subprocess.run([python, "-c", "import sdmetrics, pyarrow"], capture_output=True)
    if has.returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", REQUIREMENTS], check=True)
    return python


def measure(setting: Setting) -> list[Outcome]:
    """microgauge over SDMetrics, seconds and megabytes."""
    python = sdmetrics_python()
    file = () if setting.adult is None else ("--file", setting.adult)
    folder = make("adult", setting.folder / "adult", *file)
    tables = [folder / "original.parquet", folder / "protected.parquet"]
    own = assess(folder, setting.repeats, *GDU)
    other = fastest(
        setting.repeats, python, "-W", "ignore", JOB, *tables, folder / "sdmetrics.json"
    )
    full = fastest(1, python, "-W", "ignore", JOB, *tables, folder / "full.json", "--every-pair")
    detail = f"{own} : {other} (all pairs scored: {full})"
    return [
        Outcome("a  time / SDMetrics", own.seconds / other.seconds, 0.06, False, detail),
        Outcome("a  memory / SDMetrics", own.megabytes / other.megabytes, 1, False, ""),
    ]
