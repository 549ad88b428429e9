"""Wall time and peak memory of a process. Imports nothing heavy: see `run`."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
GDU = ("--only", "gdu")
"""The global data utility alone."""


@dataclass(frozen=True)
class Cost:
    """What a process took."""

    seconds: float
    megabytes: float
    """Peak resident memory."""
    processor: float = math.inf
    """Seconds of all processors together, which other programs hardly change."""

    @property
    def finished(self) -> bool:
        """Whether the process came to its end within its limit."""
        return math.isfinite(self.seconds)

    def __str__(self) -> str:
        if not self.finished:
            return f"stopped unfinished, {self.megabytes:,.0f} MB by then"
        return f"{self.seconds:.1f} s, {self.megabytes:,.0f} MB"


def run(*command: str | Path, limit: float | None = None) -> Cost:
    """Start a process, wait for it, stop the benchmarks if it fails.

    Past a limit in seconds the process is stopped, and its time is infinite.

    The peak that Linux reports for a child is never below the memory of the process that started
    it, so tables are made and read in children only and this process stays small.
    """
    words = [str(word) for word in command]
    start = time.perf_counter()
    child = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    late = threading.Event()

    def stop() -> None:
        late.set()
        child.kill()

    timer = threading.Timer(limit or threading.TIMEOUT_MAX, stop)
    timer.daemon = True
    timer.start()
    complaint = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    if late.is_set():
        return Cost(math.inf, usage.ru_maxrss / 1024)
    spent = usage.ru_utime + usage.ru_stime
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed:\n{complaint}")
    return Cost(seconds, usage.ru_maxrss / 1024, spent)


def fastest(repeats: int, *command: str | Path, limit: float | None = None) -> Cost:
    """The fastest of some runs: what else the machine does only ever adds. Memory: the most.

    A run that has to be stopped is not repeated.
    """
    costs: list[Cost] = []
    while len(costs) < repeats and all(cost.finished for cost in costs):
        costs.append(run(*command, limit=limit))
    return Cost(
        min(c.seconds for c in costs),
        max(c.megabytes for c in costs),
        min(c.processor for c in costs),
    )


def assess(folder: Path, repeats: int, *options: str, limit: float | None = None) -> Cost:
    """microgauge on the two tables in a folder, some sections, JSON out."""
    schema = folder / "schema.toml"
    return fastest(
        repeats,
        *microgauge("assess", folder / "original.parquet", folder / "protected.parquet"),
        *(("--schema", schema) if schema.exists() else ()),
        *options,
        "--json",
        folder / "microgauge.json",
        limit=limit,
    )


def microgauge(*words: Sequence[str | Path] | str | Path) -> list[str]:
    """The command as installed beside the interpreter that runs the benchmarks."""
    return [str(Path(PYTHON).parent / "microgauge"), *map(str, words)]


def bare_seconds(job: str) -> float:
    """What a loop takes by itself, as its own process says."""
    said = subprocess.run(
        [PYTHON, "-m", "benchmarks.bare_job", job], capture_output=True, check=True, cwd=ROOT
    )
    return float(said.stdout)


def make(kind: str, folder: Path, *options: str | Path) -> Path:
    """Write tables into a folder."""
    run(PYTHON, "-m", "benchmarks.data", kind, folder, *options)
    return folder


@dataclass(frozen=True)
class Outcome:
    """One measured ratio (or seconds, or megabytes) and what it has to be."""

    what: str
    figure: float
    target: float | None
    """None: shown, and does not count."""
    at_least: bool
    detail: str

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        if self.target is None:
            return True
        return self.figure >= self.target if self.at_least else self.figure <= self.target

    def __str__(self) -> str:
        if self.target is None:
            return f"{self.what:<46}{self.figure:>8.3g}  {'':<8}{'shown':<8}{self.detail}"
        sign = "≥" if self.at_least else "≤"
        verdict = "met" if self.met else "missed"
        return (
            f"{self.what:<46}{self.figure:>8.3g}  {sign} {self.target:<6g}{verdict:<8}{self.detail}"
        )


@dataclass(frozen=True)
class Setting:
    """What every benchmark is given."""

    folder: Path
    adult: Path | None
    repeats: int
