"""`python -m benchmarks.scale_job FOLDER RESULT`: two tables in parts, assessed in batches.

Counts how often the files were read and the codes scanned, and writes that as JSON together with
the seconds and the memory of the assessment. Start and imports are not in the seconds.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.scale_data import SCHEMA, persons, protected
from microgauge import assess
from microgauge.engines.local import Local
from microgauge.tables.source import Source
from microgauge.tables.streaming import Reading

SECTIONS = ("gdu", "loss", "risk", "rut")
"""Those whose work grows with the rows; the others look at a sample."""
MEMORY = "4GB"
EVERY_ROW = ("reading", "coding", "describing", "testing", "comparing tables", "measuring risk")
"""How steps begin that see every row. The others look at a sample beyond 5,000,000 rows."""


class Watch:
    """Counts reads and scans, and notes how long each step took and how far memory went."""

    def __init__(self) -> None:
        self.reads: Counter[str] = Counter()
        self.scans: Counter[int] = Counter()
        """Scans by the number of rows of the engine."""
        self.scanning = 0.0
        self.steps: dict[str, dict[str, float]] = {}
        self._step = "start"
        self._since = time.perf_counter()
        self._count_reads()
        self._count_scans()

    def _count_reads(self) -> None:
        read = Source.batches

        def batches(source: Source, size: int) -> Iterator[pl.DataFrame]:
            self.reads[source.which] += 1
            return read(source, size)

        Source.batches = batches  # type: ignore[assignment, method-assign]

    def _count_scans(self) -> None:
        plain = Local.scan

        def scan(engine: Local, *given: Any, **choices: Any) -> Any:
            self.scans[engine.rows] += 1
            start = time.perf_counter()
            try:
                return plain(engine, *given, **choices)
            finally:
                self.scanning += time.perf_counter() - start

        Local.scan = scan  # type: ignore[assignment, method-assign]

    def clear(self) -> None:
        """Forget what was counted so far."""
        self.reads.clear()
        self.scans.clear()
        self.scanning = 0.0
        self.steps.clear()
        self._step, self._since = "start", time.perf_counter()

    def progress(self, what: str, share: float) -> None:
        """Told by the run what it does next."""
        if what == self._step and share < 1:
            return
        now = time.perf_counter()
        found = self.steps.setdefault(self._step, {"seconds": 0.0, "megabytes": 0.0})
        found["seconds"] += now - self._since
        found["megabytes"] = peak()
        self._step, self._since = what, now


def peak() -> float:
    """The highest resident memory of this process so far, in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def warm_up(scratch: Path) -> None:
    """A tiny assessment, so that everything is imported."""
    import numpy as np

    rng = np.random.default_rng(0)
    original = persons(2_000, rng)
    files = [scratch / "original.parquet", scratch / "protected.parquet"]
    for frame, file in zip((original, protected(original, rng)), files, strict=True):
        frame.write_parquet(file)
    assess(*files, schema=SCHEMA, only=SECTIONS, memory=MEMORY)


def every_row(steps: dict[str, dict[str, float]]) -> float:
    """Seconds of the steps that see every row."""
    return sum(step["seconds"] for name, step in steps.items() if name.startswith(EVERY_ROW))


def measured(folder: Path, memory: str, profile: Path | None) -> dict[str, Any]:
    """The assessment of the tables in a folder, and what it took."""
    watch = Watch()
    # Tables of every size are read in batches: the growth is that of one method.
    Reading.batches = lambda reading, source: True  # type: ignore[assignment, method-assign]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        warm_up(Path(scratch))
        watch.clear()
        watcher = cProfile.Profile()
        start = time.perf_counter()
        if profile is not None:
            watcher.enable()
        found = assess(
            folder / "original",
            folder / "protected",
            schema=SCHEMA,
            only=SECTIONS,
            memory=memory,
            scratch=scratch,
            progress=watch.progress,
        )
        watcher.disable()
        seconds = time.perf_counter() - start
        watch.progress("end", 1.0)
    if profile is not None:
        watcher.dump_stats(profile)
    rows = found.inputs.original.rows
    return {
        "rows": rows,
        "seconds": seconds,
        "seconds_per_million": seconds / rows * 1e6,
        "every_row_per_million": every_row(watch.steps) / rows * 1e6,
        "megabytes": peak(),
        "megabytes_rusage": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "reads": dict(watch.reads),
        "scans": sum(watch.scans.values()),
        "scans_of_samples": sum(times for size, times in watch.scans.items() if size < rows),
        "scan_seconds": watch.scanning,
        "steps": watch.steps,
        "notes": list(found.notes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--memory", default=MEMORY)
    parser.add_argument("--profile", type=Path, help="where to write what cProfile found")
    given = parser.parse_args()
    found = measured(given.folder, given.memory, given.profile)
    given.result.write_text(json.dumps(found, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
