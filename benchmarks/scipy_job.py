"""The same tests as an analyst writes them with pandas and scipy, pair by pair; a sample is timed.

`python -m benchmarks.scipy_job ORIGINAL PROTECTED OUT [--sample N]` times N pairs of each kind on
both tables and N variables of each kind, and writes the mean seconds of each kind, how many of
that kind the double loop would go through, and the product summed: an extrapolation.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
from scipy import stats

SEED = 7

Pair = tuple[str, str]
T = TypeVar("T")


def kind(column: str) -> str:
    """nominal, ordinal or continuous: the columns are named by it."""
    return column.split("_")[0]


# -- the tests -------------------------------------------------------------------------------


def chi_squared(frame: pd.DataFrame, a: str, b: str) -> float:
    pair = frame[[a, b]].dropna()
    return float(stats.chi2_contingency(pd.crosstab(pair[a], pair[b])).pvalue)


def kruskal_wallis(frame: pd.DataFrame, group: str, scored: str) -> float:
    pair = frame[[group, scored]].dropna()
    return float(
        stats.kruskal(*[part.to_numpy() for _, part in pair.groupby(group)[scored]]).pvalue
    )


def spearman(frame: pd.DataFrame, a: str, b: str) -> float:
    pair = frame[[a, b]].dropna()
    return float(stats.spearmanr(pair[a], pair[b]).pvalue)


def test_pair(frame: pd.DataFrame, a: str, b: str) -> float:
    """The test for the kinds of two columns; nominal ones come first."""
    kinds = (kind(a), kind(b))
    if kinds == ("nominal", "nominal"):
        return chi_squared(frame, a, b)
    if "nominal" in kinds:
        return kruskal_wallis(frame, a, b)
    return spearman(frame, a, b)


def compare_variable(original: pd.DataFrame, protected: pd.DataFrame, name: str) -> float:
    """Kolmogorov–Smirnov for continuous variables, chi-squared for all others."""
    before, after = original[name].dropna(), protected[name].dropna()
    if kind(name) == "continuous":
        return float(stats.ks_2samp(before, after).pvalue)
    counts = pd.DataFrame({"before": before.value_counts(), "after": after.value_counts()})
    return float(stats.chi2_contingency(counts.fillna(0).T).pvalue)


# -- timing a sample -------------------------------------------------------------------------


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def pairs_by_kind(columns: list[str]) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for a, b in combinations(columns, 2):
        found.setdefault(f"{kind(a)} × {kind(b)}", []).append((a, b))
    return found


def variables_by_kind(columns: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in columns:
        found.setdefault(kind(name), []).append(name)
    return found


def sampled(items: list[T], size: int, rng: np.random.Generator) -> list[T]:
    chosen = rng.choice(len(items), size=min(size, len(items)), replace=False)
    return [items[i] for i in chosen]


def test_both(original: pd.DataFrame, protected: pd.DataFrame, a: str, b: str) -> None:
    for table in (original, protected):
        test_pair(table, a, b)


def timed(
    original: pd.DataFrame, protected: pd.DataFrame, size: int
) -> dict[str, dict[str, float]]:
    """Mean seconds (both tables together) and number of each kind of pair and of variable."""
    rng = np.random.default_rng(SEED)
    columns = list(original.columns)
    found = {}
    for name, pairs in pairs_by_kind(columns).items():
        times = [
            seconds(partial(test_both, original, protected, a, b))
            for a, b in sampled(pairs, size, rng)
        ]
        found[name] = {"mean": float(np.mean(times)), "count": len(pairs)}
    for name, variables in variables_by_kind(columns).items():
        times = [
            seconds(partial(compare_variable, original, protected, v))
            for v in sampled(variables, size, rng)
        ]
        found[name] = {"mean": float(np.mean(times)), "count": len(variables)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("original", "protected", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--sample", type=int, default=4)
    given = parser.parse_args()
    start = time.perf_counter()
    original, protected = (pd.read_parquet(path) for path in (given.original, given.protected))
    reading = time.perf_counter() - start
    kinds = timed(original, protected, given.sample)
    total = reading + sum(entry["mean"] * entry["count"] for entry in kinds.values())
    result = {"reading": reading, "kinds": kinds, "extrapolated": total}
    given.out.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
