"""U_m and U_s as an analyst writes them with numpy, point by point; a sample of points is timed.

`python -m benchmarks.numpy_job ORIGINAL PROTECTED OUT [--sample N]` times N points drawn by a seed
and multiplies their mean by the number of points, the rows of both tables; reading is added once.
Every point takes the same work, so the sample stands for all. N ≥ the number of points: all are
visited, and maximum and mean_square in OUT are U_m and U_s.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

SEED = 7

Column = NDArray[np.float64] | NDArray[np.int64]


def columns(pooled: pl.DataFrame) -> dict[str, Column]:
    """Numbers as they are, missing lowest; codes of the categories of text, missing one more."""
    return {
        name: pooled[name].cast(pl.Float64).fill_null(-np.inf).to_numpy()
        if pooled[name].dtype.is_numeric()
        else np.unique(pooled[name].fill_null("").to_numpy(), return_inverse=True)[1]
        for name in pooled.columns
    }


def difference(
    point: int, table: dict[str, Column], text: set[str], protected: NDArray[np.bool_]
) -> float:
    """S_protected - S_original at one row: the inner loop goes over the variables."""
    within = np.ones(len(protected), dtype=np.bool_)
    for name, column in table.items():
        within &= column == column[point] if name in text else column <= column[point]
    return float(within[protected].mean() - within[~protected].mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("original", "protected", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--sample", type=int, default=1_000)
    given = parser.parse_args()
    start = time.perf_counter()
    tables = [pl.read_parquet(path) for path in (given.original, given.protected)]
    pooled = pl.concat(tables)
    text = {name for name in pooled.columns if not pooled[name].dtype.is_numeric()}
    table = columns(pooled)
    protected = np.repeat([False, True], [len(frame) for frame in tables])
    reading = time.perf_counter() - start
    rng = np.random.default_rng(SEED)
    points = rng.choice(len(pooled), size=min(given.sample, len(pooled)), replace=False)
    start = time.perf_counter()
    found = np.array([difference(point, table, text, protected) for point in points])
    each = (time.perf_counter() - start) / len(points)
    result = {
        "reading": reading,
        "mean": each,
        "count": len(pooled),
        "extrapolated": reading + each * len(pooled),
        "maximum": float(np.abs(found).max()),
        "mean_square": float((found**2).mean()),
    }
    given.out.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
