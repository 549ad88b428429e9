"""`python -m benchmarks.suppression_job [FILE --keys a,b,c] [--k 3]`: cells that k costs.

Of a table made by a seed, or of a file, under both meanings of a missing key. The fewest matches of
a record are counted pair by pair, without the package's own counts.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.risk_job import codes

MOST_COMPARED = 20_000
"""Records up to which all pairs are compared."""


def fewest_matches(frame: pl.DataFrame) -> int:
    """Over records, the fewest that agree in every key where both have values."""
    cells = [(c.is_null().to_numpy(), c.rank("dense").fill_null(0).to_numpy()) for c in frame]
    found = frame.height
    for record in range(frame.height):
        alike = np.ones(frame.height, dtype=np.bool_)
        for gone, ranks in cells:
            alike &= gone | gone[record] | (ranks == ranks[record])
        found = min(found, int(alike.sum()))
    return found


def told(frame: pl.DataFrame, missing: str, k: int) -> str:
    """What it costs to reach k."""
    from microgauge import mask

    chosen = {"method": "local_suppression", "variables": frame.columns}
    start = time.perf_counter()
    after = mask(frame, {"step": [{**chosen, "k": k, "missing": missing}]})
    seconds = time.perf_counter() - start
    cells = sum(after[n].null_count() - frame[n].null_count() for n in frame.columns)
    fewest = fewest_matches(after) if frame.height <= MOST_COMPARED else "not counted"
    return f"{missing:<6}{cells:>8} cells, fewest matches {fewest}, {seconds:.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--keys", help="columns, by commas")
    parser.add_argument("--k", type=int, default=3)
    given = parser.parse_args()
    if given.file is None:
        made = codes(100_000, 7)
        frame = pl.DataFrame({f"k{i}": made[:, i] for i in range(made.shape[1])})
        print(told(frame, "any", given.k))
        return
    frame = pl.read_csv(given.file, infer_schema_length=None, null_values=["NA"])
    frame = frame.select(given.keys.split(",") if given.keys else frame.columns)
    for missing in ("any", "value"):
        print(told(frame, missing, given.k))


if __name__ == "__main__":
    main()
