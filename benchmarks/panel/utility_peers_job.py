"""Another program's default score of utility: `utility_peers_job.py NAME`.

Runs in an environment under benchmarks/panel/.venv that has the program. Reads a line of JSON for
each file from the standard input (paths of both tables, which columns are numbers and which are
targets) and writes a line with the figures; null or nothing where the program has none or fails.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd

UTILITY = ("dwm", "cio", "corr_diff", "mi_diff", "ks_test", "h_dist", "p_mse", "q_mse")
"""SynthEval's metrics of utility that its full evaluation has and that need no target."""
SCORE = "Similarity Score"


def sdmetrics(original: Any, protected: Any, said: dict[str, Any]) -> dict[str, float]:
    """SDMetrics' quality score, and its two parts."""
    from sdmetrics.reports.single_table import QualityReport

    numbers = said["numbers"]
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


def syntheval(original: Any, protected: Any, said: dict[str, Any]) -> dict[str, float]:
    """The mean of SynthEval's normalised results of utility: 1 is best."""
    from syntheval import SynthEval

    categories = [name for name in original if name not in said["numbers"]]
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


def table_evaluator(original: Any, protected: Any, said: dict[str, Any]) -> dict[str, float]:
    """Table Evaluator's similarity score: 1 is best. It cannot do without a target."""
    from table_evaluator import TableEvaluator

    target = said["targets"][0]
    judge = TableEvaluator(
        original,
        protected,
        cat_cols=[name for name in original if name not in said["numbers"]],
    )
    found = judge.evaluate(
        target_col=target,
        target_type="regr" if target in said["numbers"] else "class",
        return_outputs=True,
    )
    return {"Table Evaluator": float(found["Overview Results"][SCORE]["result"])}


Measure = Callable[[Any, Any, dict[str, Any]], dict[str, float]]
MEASURES: dict[str, Measure] = {
    measure.__name__: measure for measure in (sdmetrics, syntheval, table_evaluator)
}


def figures(measure: Measure, said: dict[str, Any]) -> dict[str, float | None]:
    """The tables with the columns that both have, as they are: numbers in bands remain texts."""
    original, protected = (pd.read_parquet(said[name]) for name in ("original", "protected"))
    shared = [name for name in original if name in protected]
    said = said | {
        part: [name for name in said[part] if name in shared] for part in ("targets", "numbers")
    }
    np.random.seed(said["seed"])  # noqa: NPY002 - what they draw from
    try:
        found = measure(original[shared], protected[shared], said)
    except Exception as fault:  # noqa: BLE001 - whatever they fail with, there is no figure
        print(type(fault).__name__, fault, file=sys.stderr)
        return {}
    return {name: value if np.isfinite(value) else None for name, value in found.items()}


def main() -> None:
    warnings.simplefilter("ignore")
    measure = MEASURES[sys.argv[1]]
    os.chdir(mkdtemp())  # SynthEval writes where it stands
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever they print, in processes of their own too, is no answer
    for line in sys.stdin:
        print(json.dumps(figures(measure, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
