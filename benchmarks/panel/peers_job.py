"""Other programs' default figures of risk; runs in benchmarks/panel/.venv.

Reads a line of JSON for each file from the standard input (paths of both tables, keys, targets and
numbers) and writes a line with the figures; null where the program has none or fails.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator
from sdmetrics.single_table import DisclosureProtection, NewRowSynthesis

ATTACKS = 500
"""Units that Anonymeter attacks by default, and protected rows that NewRowSynthesis looks up."""


def disclosure_protection(original: Any, protected: Any, said: dict[str, Any]) -> float:
    """SDMetrics' own CAP: 1 is safe."""
    return float(
        DisclosureProtection.compute(
            original,
            protected,
            known_column_names=said["keys"],
            sensitive_column_names=said["targets"],
            continuous_column_names=said["numbers"],
        )
    )


def new_rows(original: Any, protected: Any, said: dict[str, Any]) -> float:
    """The share of protected rows that are no original ones: 1 is safe."""
    kinds = {c: "numerical" if c in said["numbers"] else "categorical" for c in original}
    metadata = {"columns": {name: {"sdtype": kind} for name, kind in kinds.items()}}
    size = min(ATTACKS, len(protected))
    return float(NewRowSynthesis.compute(original, protected, metadata, synthetic_sample_size=size))


def inference(original: Any, protected: Any, said: dict[str, Any]) -> float:
    """Anonymeter's risk of inference, the largest over the targets; no control group."""
    return max(_inferred(original, protected, said, target) for target in said["targets"])


def _inferred(original: Any, protected: Any, said: dict[str, Any], target: str) -> float:
    attack = InferenceEvaluator(
        ori=original,
        syn=protected,
        aux_cols=said["keys"],
        secret=target,
        regression=target in said["numbers"],
        n_attacks=min(ATTACKS, len(original)),
    )
    return float(attack.evaluate(n_jobs=1).risk().value)


def linkability(original: Any, protected: Any, said: dict[str, Any]) -> float:
    """Anonymeter's risk of linking the first half of the keys with the second."""
    half = len(said["keys"]) // 2
    attack = LinkabilityEvaluator(
        ori=original,
        syn=protected,
        aux_cols=(said["keys"][:half], said["keys"][half:]),
        n_attacks=min(ATTACKS, len(original)),
    )
    return float(attack.evaluate(n_jobs=1).risk().value)


MEASURES: dict[str, Callable[[Any, Any, dict[str, Any]], float]] = {
    "SDMetrics DisclosureProtection": disclosure_protection,
    "SDMetrics NewRowSynthesis": new_rows,
    "Anonymeter inference": inference,
    "Anonymeter linkability": linkability,
}


def figures(said: dict[str, Any]) -> dict[str, float | None]:
    """The tables with the columns that both have, as they are: keys in bands remain texts."""
    original, protected = (pd.read_parquet(said[name]) for name in ("original", "protected"))
    shared = [name for name in original if name in protected]
    said = said | {
        part: [name for name in said[part] if name in shared]
        for part in ("keys", "targets", "numbers")
    }
    found: dict[str, float | None] = {}
    for name, measure in MEASURES.items():
        np.random.seed(said["seed"])  # noqa: NPY002 - what they draw from
        try:
            value = measure(original[shared], protected[shared], said)
        except Exception:  # noqa: BLE001 - whatever they fail with, there is no figure
            found[name] = None
        else:
            found[name] = value if np.isfinite(value) else None
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):  # the answers alone go to the output
            answer = figures(json.loads(line))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
