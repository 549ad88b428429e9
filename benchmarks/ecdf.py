"""(g) Exact distribution functions: Adult repeated to 50,000 rows, and its copy."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.measure import PYTHON, Outcome, Setting, assess, make, run

ROWS = 50_000


def measure(setting: Setting) -> list[Outcome]:
    """Seconds and megabytes beside their budgets, and a plain loop's seconds over microgauge's."""
    file = () if setting.adult is None else ("--file", setting.adult)
    folder = make("adult", setting.folder / f"adult_{ROWS}", "--rows", str(ROWS), *file)
    own = assess(folder, setting.repeats, "--only", "ecdf")
    found = json.loads((folder / "microgauge.json").read_text(encoding="utf-8"))["ecdf"]
    if not found["exact"] or found["maximum"] is None:
        raise SystemExit(f"the distribution functions were not compared exactly: {found}")
    loop = loop_seconds(folder)
    detail = f"{own} : {loop:.0f} s extrapolated"
    return [
        Outcome("g  exact U_m and U_s: seconds", own.seconds, 20, False, ""),
        Outcome("g  exact U_m and U_s: MB", own.megabytes, 1000, False, ""),
        Outcome("g  numpy loop / time", loop / own.seconds, None, True, detail),
    ]


def loop_seconds(folder: Path) -> float:
    """What the loop over all points would take, from a sample of them."""
    out = folder / "numpy.json"
    run(
        PYTHON,
        *("-m", "benchmarks.numpy_job"),
        *(folder / "original.parquet", folder / "protected.parquet", out),
    )
    return float(json.loads(out.read_text(encoding="utf-8"))["extrapolated"])
