"""(i) Classes of 10,000,000 rows, special uniques of 100,000, record linkage of 2 × 50,000."""

from __future__ import annotations

from benchmarks.measure import PYTHON, Outcome, Setting, fastest

BUDGETS = {"classes": 10.0, "suda": 10.0, "linkage": 60.0}
WHAT = {
    "classes": "classes and R_internal, 10^7 rows, 6 keys",
    "suda": "SUDA2, 10^5 rows, 7 keys",
    "linkage": "record linkage, 2 x 50,000 rows",
}


def measure(setting: Setting) -> list[Outcome]:
    """Seconds of each, tables made in memory included."""
    found = []
    for job, budget in BUDGETS.items():
        cost = fastest(setting.repeats, PYTHON, "-m", "benchmarks.risk_job", job)
        found.append(Outcome(f"i  {WHAT[job]}: s", cost.seconds, budget, False, str(cost)))
    return found
