"""(n) The nearest of 50,000 records for each of 50,000: mixed, categories alone, missing cells."""

from __future__ import annotations

from benchmarks.measure import PYTHON, Outcome, Setting, fastest

BUDGET = 60.0
CASES = {
    "mixed": "4 numbers, 4 categories",
    "categories": "8 categories",
    "missing": "mixed, 5 % missing cells",
    "uniform": "8 numbers without any structure",
}


def measure(setting: Setting) -> list[Outcome]:
    """Seconds of each in one thread, tables made in memory included."""
    found = []
    for case, words in CASES.items():
        cost = fastest(setting.repeats, PYTHON, "-m", "benchmarks.nearest_job", case)
        budget = None if case == "uniform" else BUDGET
        detail = f"{words}: {cost}"
        what = f"n  nearest of 2 x 50,000 x 8, {case}: s"
        found.append(Outcome(what, cost.seconds, budget, False, detail))
    return found
