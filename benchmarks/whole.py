"""(f) All global measures with their defaults: Adult repeated to 100,000 rows, and its copy."""

from __future__ import annotations

from benchmarks.measure import Cost, Outcome, Setting, assess, make

ROWS = 100_000
SECTIONS = ("propensity", "clusters", "ecdf")
LIMIT = 300
"""Seconds after which a run is stopped."""


def measure(setting: Setting) -> list[Outcome]:
    """Seconds and megabytes, all at once and each section alone."""
    file = () if setting.adult is None else ("--file", setting.adult)
    folder = make("adult", setting.folder / f"adult_{ROWS}", "--rows", str(ROWS), *file)

    def cost(*options: str) -> Cost:
        return assess(folder, setting.repeats, *options, limit=LIMIT)

    alone = {name: cost("--only", name) for name in SECTIONS}
    late = [each for each in alone.values() if not each.finished]
    whole = late[0] if late else cost("--only", ",".join(SECTIONS))
    outcomes = [_shown("all global measures", whole)]
    return outcomes + [_shown(f"  {name} alone", each) for name, each in alone.items()]


def _shown(what: str, cost: Cost) -> Outcome:
    detail = str(cost) if cost.finished else f"{cost} (limit {LIMIT} s)"
    return Outcome(f"f  {what}: seconds", cost.seconds, None, False, detail)
