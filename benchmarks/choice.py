"""What `rank` recommends where one of the files is made of real records.

`python -m benchmarks.choice [--rows N] [--max-risk R] [--seed N] [--holdout]`

Five protected versions of the survey that comes with the package (without its weights), keys age,
sex, marital status, race and area:

- `bootstrap`: real records, drawn with replacement;
- `swap50`, `swap100`: the values of each key exchanged in pairs, in half of the records or all;
- `trees`: records drawn from trees;
- `independent`: every column drawn by itself.

The first has the largest risk and must not be recommended. With `--holdout` half of the records are
set aside, and the risk is what taking part costs.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

import microgauge
from benchmarks.power import POPULATIONS
from microgauge.results import Ranking

SURVEY = POPULATIONS["survey"]
MAX_RISK = 0.1
BOOTSTRAP = "bootstrap"


def candidates(original: pl.DataFrame, seed: int) -> Mapping[str, pl.DataFrame]:
    """The five, by name."""
    rng = np.random.default_rng(seed)
    rest = [name for name in original.columns if name not in SURVEY.keys]
    synthetic = {"method": "synthesise", "variables": [*SURVEY.keys, *rest]}
    steps: Mapping[str, Sequence[Mapping[str, Any]]] = {
        "swap50": [{"method": "swap", "variable": name, "share": 0.5} for name in SURVEY.keys],
        "swap100": [{"method": "swap", "variable": name, "share": 1.0} for name in SURVEY.keys],
        "trees": [{**synthetic, "model": "trees"}],
        "independent": [{**synthetic, "model": "independent"}],
    }
    bootstrap = original[rng.integers(0, original.height, original.height)]
    return {BOOTSTRAP: bootstrap} | {
        name: microgauge.mask(original, {"seed": seed, "step": list(step)})
        for name, step in steps.items()
    }


def parts(rows: int | None, seed: int, aside: bool) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """The original, and people who are not in it."""
    table = SURVEY.table()
    table = table[np.random.default_rng(seed).permutation(table.height)[:rows]]
    if not aside:
        return table, None
    half = table.height // 2
    return table[:half], table[half:]


def ranked(
    rows: int | None = None,
    max_risk: float | None = MAX_RISK,
    seed: int = 1,
    aside: bool = False,
    only: Sequence[str] | None = None,
) -> Ranking:
    """The five side by side; `only` some sections, beside those that a ranking needs."""
    original, holdout = parts(rows, seed, aside)
    schema = SURVEY.schema(original.columns, seed)
    del schema["options"]["aligned"]  # whether records correspond is found out
    made = candidates(original, seed)
    return microgauge.rank(
        original,
        list(made.values()),
        names=list(made),
        schema=schema,
        holdout=holdout,
        max_risk=max_risk,
        only=only,
    )


def faults(ranking: Ranking) -> list[str]:
    """What is not as it must be."""
    risks = {c.name: c.risk for c in ranking.candidates if c.risk is not None}
    found = []
    if max(risks, key=risks.__getitem__) != BOOTSTRAP:
        found.append("the bootstrap has not the largest risk")
    if ranking.recommended.name == BOOTSTRAP:
        found.append("the bootstrap is recommended")
    return found


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choice")
    parser.add_argument("--rows", type=int, help="of the survey; all without")
    parser.add_argument("--max-risk", type=float, default=MAX_RISK)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--holdout", action="store_true", help="set half of the rows aside")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    given = arguments(words)
    ranking = ranked(given.rows, given.max_risk, given.seed, given.holdout)
    print(ranking)
    for candidate in ranking.candidates:
        found = candidate.assessment.disclosure
        assert found is not None
        print(f"{candidate.name}: {found.risk} {found.risk_ci} {found.worst}")
    failures = faults(ranking)
    print("missed: " + "; ".join(failures) if failures else "all goals met")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
