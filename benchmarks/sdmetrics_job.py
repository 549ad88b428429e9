"""SDMetrics' QualityReport on two Parquet files, all rows, JSON out.

Runs in benchmarks/.venv: `python sdmetrics_job.py ORIGINAL PROTECTED OUT [--every-pair]`.
QualityReport leaves pairs with a weak association in the original unscored, and never looks at
their protected side; with --every-pair its two thresholds are 0.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from sdmetrics.reports.single_table import QualityReport


def metadata(frame: pd.DataFrame) -> dict[str, Any]:
    """Numbers are numerical, all else is categorical."""
    kinds = {
        name: "numerical" if pd.api.types.is_numeric_dtype(column) else "categorical"
        for name, column in frame.items()
    }
    return {"columns": {name: {"sdtype": kind} for name, kind in kinds.items()}}


def refuse_errors(details: pd.DataFrame) -> None:
    """A pair that SDMetrics gave up on would make it look fast."""
    if "Error" in details and details["Error"].notna().any():
        raise SystemExit(f"SDMetrics reports errors: {details['Error'].dropna().unique()}")


def main() -> None:
    original, protected, out, *options = sys.argv[1:]
    real, synthetic = pd.read_parquet(original), pd.read_parquet(protected)
    report = QualityReport()
    report.num_rows_subsample = None  # 50,000 rows by default
    if "--every-pair" in options:
        report.real_correlation_threshold = report.real_association_threshold = 0
    report.generate(real, synthetic, metadata(real), verbose=False)
    details = {name: report.get_details(name) for name in report.get_properties()["Property"]}
    for table in details.values():
        refuse_errors(table)
    result = {
        "sdmetrics": version("sdmetrics"),
        "score": report.get_score(),
        "details": {name: table.to_dict("records") for name, table in details.items()},
    }
    Path(out).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
