"""(w) Wide tables: 2,000 rows, and 50 to 500 columns of mixed types with missing cells."""

from __future__ import annotations

import os

from benchmarks.measure import GDU, Cost, Outcome, Setting, assess, make

ROWS = 2_000
COLUMNS = tuple(int(n) for n in os.environ.get("MICROGAUGE_WIDE", "50,100,200,500").split(","))
GDU_SECONDS = {200: 3, 500: 20}
ALL_SECONDS = {200: 40, 500: 180}
MOST_GROWTH = 1.2
"""Seconds per pair of the widest table over those of the next."""
LIMIT = 600
"""Seconds after which a run is stopped."""


def measure(setting: Setting) -> list[Outcome]:
    """Seconds of the global data utility and of all default sections, by the number of columns."""
    outcomes = []
    alone: dict[int, Cost] = {}
    whole: dict[int, Cost] = {}
    for columns in COLUMNS:
        folder = setting.folder / f"wide_{columns}"
        make("wide", folder, "--rows", str(ROWS), "--columns", str(columns))
        report = ("--report", str(folder / "report.html"))
        alone[columns] = assess(folder, setting.repeats, *GDU, limit=LIMIT)
        whole[columns] = assess(folder, setting.repeats, *report, limit=LIMIT)
        outcomes += [
            _seconds(f"{columns} columns, gdu", alone[columns], GDU_SECONDS.get(columns)),
            _seconds(f"{columns} columns, all", whole[columns], ALL_SECONDS.get(columns)),
        ]
    if len(COLUMNS) > 1:
        outcomes += [_growth("gdu", alone), _growth("all", whole)]
    return outcomes


def _pairs(columns: int) -> int:
    return columns * (columns - 1) // 2


def _seconds(what: str, cost: Cost, most: float | None) -> Outcome:
    return Outcome(f"w  {what}: seconds", cost.seconds, most, False, str(cost))


def _growth(what: str, costs: dict[int, Cost]) -> Outcome:
    """What a pair costs in the widest table, over what one costs in the next."""
    *_, less, most = sorted(costs)
    each = {n: costs[n].seconds / _pairs(n) for n in (less, most)}
    said = ", ".join(f"{n} columns: {1e6 * each[n]:,.0f} µs per pair" for n in (less, most))
    return Outcome(f"w  growth per pair, {what}", each[most] / each[less], MOST_GROWTH, False, said)
