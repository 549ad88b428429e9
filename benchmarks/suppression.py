"""(l) Local suppression of 100,000 rows to k = 3 in seven keys; a missing key matches any value."""

from __future__ import annotations

from benchmarks.measure import PYTHON, Outcome, Setting, fastest

BUDGET = 60.0


def measure(setting: Setting) -> list[Outcome]:
    """Seconds, the table made in memory included."""
    cost = fastest(setting.repeats, PYTHON, "-m", "benchmarks.suppression_job")
    name = "l  local suppression, 10^5 rows, 7 keys: s"
    return [Outcome(name, cost.seconds, BUDGET, False, str(cost))]
