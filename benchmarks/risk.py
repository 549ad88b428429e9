"""(i) Classes and disclosure of 10,000,000 rows, special uniques of 100,000, record linkage."""

from __future__ import annotations

import ast
import subprocess
from statistics import median

from benchmarks.measure import PYTHON, ROOT, Outcome, Setting, bare_seconds, fastest, run

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
ROUNDS = 7
"""Making tables of 10^7 rows varies by half: a ratio of two single runs would say nothing."""


def measure(setting: Setting) -> list[Outcome]:
    """Seconds of each, tables made in memory included; of disclosure the ratio to classes."""
    found = []
    for job, budget in BUDGETS.items():
        cost = fastest(setting.repeats, *_command(job))
        found.append(Outcome(f"i  {WHAT[job]}: s", cost.seconds, budget, False, str(cost)))
    return [*found, _beside_grouping(), *_beside_classes()]


def _beside_grouping() -> Outcome:
    """Classes and R_internal beside polars' grouping of the same rows, each without its tables."""
    rounds = [(_own_seconds(), bare_seconds("groups")) for _ in range(ROUNDS)]
    ratios = sorted(own / bare for own, bare in rounds)
    own, bare = (min(side) for side in zip(*rounds, strict=True))
    detail = f"{own:.2f} s : {bare:.2f} s, {ratios[0]:.2f} to {ratios[-1]:.2f} in {ROUNDS} rounds"
    return Outcome("i  classes / grouping by polars", median(ratios), 1.5, False, detail)


def _own_seconds() -> float:
    said = subprocess.run(_command("classes"), capture_output=True, check=True, cwd=ROOT)
    return float(ast.literal_eval(said.stdout.decode())[-1])


def _beside_classes() -> list[Outcome]:
    """The median ratio of jobs that take turns, so that a busy moment meets all of them."""
    jobs = ("classes", *RATIOS)
    rounds = [{job: run(*_command(job)) for job in jobs} for _ in range(ROUNDS)]
    found = []
    for job, most in RATIOS.items():
        ratios = sorted(costs[job].seconds / costs["classes"].seconds for costs in rounds)
        megabytes = max(costs[job].megabytes for costs in rounds)
        detail = f"{ratios[0]:.2f} to {ratios[-1]:.2f} in {ROUNDS} rounds, {megabytes:,.0f} MB"
        what = f"i  {BESIDE[job]}: time"
        found.append(Outcome(what, median(ratios), most, False, detail))
    return found


def _command(job: str) -> tuple[str, ...]:
    return PYTHON, "-m", "benchmarks.risk_job", job
