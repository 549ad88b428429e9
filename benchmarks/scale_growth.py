"""(j) Tables in parts, read in batches: time per row and memory as they grow."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from benchmarks.measure import PYTHON, Outcome, Setting, run

SIZES = (1_000_000, 3_000_000)
WANTED = "MICROGAUGE_SCALE"
"""Other numbers of rows, by commas."""
LIMIT = 1800
"""Seconds after which a run is stopped."""
BUDGET = 4096
"""Megabytes: what the runs are told to keep to."""
TARGET = 1.3


def measure(setting: Setting) -> list[Outcome]:
    """Seconds per row at the largest size over those at the smallest; the memory of all."""
    found: list[dict[str, Any]] = []
    for rows in sizes():
        result = measured(setting, rows)
        if result is None:
            late = Outcome(_what(rows), float("inf"), None, False, f"stopped after {LIMIT} s")
            return [*map(_shown, found), late]
        found.append(result)
    return [*map(_shown, found), _growth(found), _memory(found)]


def sizes() -> tuple[int, ...]:
    """Numbers of rows, rising."""
    wanted = os.environ.get(WANTED)
    return SIZES if not wanted else tuple(sorted(int(float(rows)) for rows in wanted.split(",")))


def measured(setting: Setting, rows: int) -> dict[str, Any] | None:
    """The fastest of some runs, with the most memory of all; None if one had to be stopped."""
    folder = setting.folder / f"scale_{rows}"
    run(PYTHON, "-m", "benchmarks.scale_data", folder, str(rows))
    found = []
    for _ in range(setting.repeats):
        result = folder / "result.json"
        cost = run(PYTHON, "-m", "benchmarks.scale_job", folder, result, limit=LIMIT)
        if not cost.finished:
            break
        found.append(json.loads(Path(result).read_text(encoding="utf-8")))
    shutil.rmtree(folder)
    if len(found) < setting.repeats:
        return None
    fastest: dict[str, Any] = min(found, key=lambda each: each["seconds"])
    return {**fastest, "megabytes": max(each["megabytes"] for each in found)}


def _what(rows: int) -> str:
    return f"j  {rows:,} rows in batches: s per million"


def _shown(found: dict[str, Any]) -> Outcome:
    detail = (
        f"{found['seconds']:.1f} s, {found['megabytes']:,.0f} MB, {found['scans']} scans, "
        f"{' + '.join(map(str, found['reads'].values()))} reads"
    )
    return Outcome(_what(found["rows"]), found["seconds_per_million"], None, False, detail)


def _growth(found: list[dict[str, Any]]) -> Outcome:
    """Of the steps that see every row; the others look at a sample of large tables."""
    each = [result["every_row_per_million"] for result in found]
    detail = ", ".join(f"{seconds:.2f}" for seconds in each) + " s per million rows"
    return Outcome("j  time per row, largest / smallest", each[-1] / each[0], TARGET, False, detail)


def _memory(found: list[dict[str, Any]]) -> Outcome:
    most = max(each["megabytes"] for each in found)
    return Outcome("j  memory in batches: MB", most, BUDGET, False, "told to keep to 4 GB")
