"""(o) Inference attacks on Adult: time per attack and guesses beside Anonymeter's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from benchmarks.measure import PYTHON, ROOT, Outcome, Setting, run

VENV = ROOT / "benchmarks" / ".venv" / "anonymeter"
REQUIREMENTS = ROOT / "benchmarks" / "requirements-anonymeter.txt"
JOB = ROOT / "benchmarks" / "anonymeter_job.py"


def anonymeter_python() -> Path:
    """The interpreter of an environment with Anonymeter, made on first use."""
    python = VENV / "bin" / "python"
    if not python.exists():
        subprocess.run([PYTHON, "-m", "venv", VENV], check=True)
    has = subprocess.run([python, "-c", "import anonymeter, polars"], capture_output=True)
    if has.returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", REQUIREMENTS], check=True)
    return python


def measure(setting: Setting) -> list[Outcome]:
    """Both guess the same secrets, in one thread; processor time without reading and compiling."""
    python = anonymeter_python()
    folder = setting.folder / "inference"
    file = () if setting.adult is None else (setting.adult,)
    run(PYTHON, "-m", "benchmarks.inference_job", "make", folder, *file)
    for _ in range(setting.repeats):
        run(PYTHON, "-m", "benchmarks.inference_job", "attack", folder)
        run(python, "-W", "ignore", JOB, folder)
    found = []
    for secret, words in json.loads((folder / "secrets.json").read_text()).items():
        own, other = (
            json.loads((folder / f"{who}-{secret}.json").read_text())
            for who in ("microgauge", "anonymeter")
        )
        mine, theirs = own["seconds"], other["seconds"]
        equal = sum(a == b for a, b in zip(own["guesses"], other["guesses"], strict=True))
        share = equal / len(other["guesses"])
        detail = f"{words}: {1000 * mine:.0f} ms : {1000 * theirs:.0f} ms"
        found += [
            Outcome(f"o  Anonymeter / time, {secret}", theirs / mine, 20, True, detail),
            Outcome(f"o  equal guesses, {secret}", share, 0.95, True, other["version"]),
        ]
    return found
