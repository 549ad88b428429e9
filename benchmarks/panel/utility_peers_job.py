"""Other programs' default scores of utility; runs in benchmarks/panel/.venv/utility.

Reads a line of JSON for each file from the standard input (paths of both tables and which columns
are numbers) and writes a line with the figures; null where the program has none or fails.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
from sdmetrics.reports.single_table import QualityReport
from syntheval import SynthEval

UTILITY = ("dwm", "cio", "corr_diff", "mi_diff", "ks_test", "h_dist", "p_mse")
"""SynthEval's metrics of utility that need no target."""


def quality(original: Any, protected: Any, numbers: list[str]) -> dict[str, float]:
    """SDMetrics' quality score, and its two parts."""
    kinds = {c: "numerical" if c in numbers else "categorical" for c in original}
    metadata = {"columns": {name: {"sdtype": kind} for name, kind in kinds.items()}}
    report = QualityReport()
    report.generate(original, protected, metadata, verbose=False)
    parts = dict(report.get_properties().itertuples(index=False))
    return {
        "SDMetrics QualityReport": float(report.get_score()),
        "SDMetrics Column Shapes": float(parts["Column Shapes"]),
        "SDMetrics Column Pair Trends": float(parts["Column Pair Trends"]),
    }


def syntheval(original: Any, protected: Any, numbers: list[str]) -> dict[str, float]:
    """The mean of SynthEval's normalised results of utility: 1 is best."""
    categories = [name for name in original if name not in numbers]
    judge = SynthEval(
        original,
        cat_cols=categories,
        verbose=False,
        enable_plots=False,
        console="off",
        missing_directive="drop",
    )
    found = judge.evaluate(protected, None, **{name: {} for name in UTILITY})
    shares = [row["n_val"] for _, row in found.iterrows() if row["dim"] == "u"]
    return {"SynthEval": float(np.nanmean(shares))}


MEASURES: list[Callable[[Any, Any, list[str]], dict[str, float]]] = [quality, syntheval]


def figures(said: dict[str, Any]) -> dict[str, float | None]:
    """The tables with the columns that both have, as they are: numbers in bands remain texts."""
    original, protected = (pd.read_parquet(said[name]) for name in ("original", "protected"))
    shared = [name for name in original if name in protected]
    numbers = [name for name in said["numbers"] if name in shared]
    found: dict[str, float | None] = {}
    for measure in MEASURES:
        np.random.seed(said["seed"])  # noqa: NPY002 - what they draw from
        try:
            values = measure(original[shared], protected[shared], numbers)
        except Exception as fault:  # noqa: BLE001 - whatever they fail with, there is no figure
            print(type(fault).__name__, fault, file=sys.stderr)
            continue
        found |= {name: value if np.isfinite(value) else None for name, value in values.items()}
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    os.chdir(mkdtemp())  # SynthEval writes where it stands
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):  # the answers alone go to the output
            answer = figures(json.loads(line))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
