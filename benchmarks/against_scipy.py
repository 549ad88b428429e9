"""(b) 1,000,000 × 50: time beside a plain double loop over scipy's tests, extrapolated.

Measured on tables without missing cells and on tables with them: pairwise deletion gives every
pair ranks of its own, so the second is more work for microgauge and hardly more for the loop.
Beside the first, what the compiled loop takes by itself for the tables of all categorical pairs.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.measure import GDU, PYTHON, Cost, Outcome, Setting, assess, bare_seconds, make, run

ROWS = 1_000_000


def measure(setting: Setting) -> list[Outcome]:
    """The loop's seconds over microgauge's."""
    rows = ("--rows", str(ROWS))
    complete = make("mixed", setting.folder / "complete", *rows, "--missing", "0")
    missing = make("mixed", setting.folder / f"mixed_{ROWS}", *rows)
    own = assess(complete, setting.repeats, *GDU)
    bare = min(bare_seconds("pairs") for _ in range(setting.repeats))
    share = Outcome(
        "b  share of the bare compiled loop", bare / own.seconds, None, False, f"{bare:.2f} s"
    )
    return [
        _outcome("b  scipy loop / time", complete, own, 100),
        share,
        _outcome(
            "b  the same with missing cells", missing, assess(missing, setting.repeats, *GDU), 60
        ),
    ]


def _outcome(what: str, folder: Path, own: Cost, target: float) -> Outcome:
    loop = loop_seconds(folder)
    return Outcome(what, loop / own.seconds, target, True, f"{own} : {loop:.0f} s extrapolated")


def loop_seconds(folder: Path) -> float:
    """What the whole double loop would take, from a sample of its pairs."""
    out = folder / "scipy.json"
    run(
        PYTHON,
        *("-m", "benchmarks.scipy_job"),
        *(folder / "original.parquet", folder / "protected.parquet", out),
    )
    return float(json.loads(out.read_text(encoding="utf-8"))["extrapolated"])
