"""(i) Classes and disclosure of 10,000,000 rows, special uniques of 100,000, record linkage."""

from __future__ import annotations

from benchmarks.measure import PYTHON, Outcome, Setting, fastest

BUDGETS = {"classes": 10.0, "suda": 10.0, "linkage": 60.0}
WHAT = {
    "classes": "classes and R_internal, 10^7 rows, 6 keys",
    "suda": "SUDA2, 10^5 rows, 7 keys",
    "linkage": "record linkage, 2 x 50,000 rows",
}


RATIOS = {"disclosure": 2.0, "suppressed": 4.0}
"""Found and learned of the same rows: how much longer they may take than classes and R_internal."""
BESIDE = {
    "disclosure": "found and learned / classes",
    "suppressed": "the same, 5 % of key cells gone",
}


def measure(setting: Setting) -> list[Outcome]:
    """Seconds of each, tables made in memory included; of disclosure the ratio to classes."""
    found, costs = [], {}
    for job, budget in BUDGETS.items():
        costs[job] = cost = fastest(setting.repeats, PYTHON, "-m", "benchmarks.risk_job", job)
        found.append(Outcome(f"i  {WHAT[job]}: s", cost.seconds, budget, False, str(cost)))
    for job, most in RATIOS.items():
        cost = fastest(setting.repeats, PYTHON, "-m", "benchmarks.risk_job", job)
        ratio = cost.seconds / costs["classes"].seconds
        found.append(Outcome(f"i  {BESIDE[job]}: time", ratio, most, False, str(cost)))
    return found
