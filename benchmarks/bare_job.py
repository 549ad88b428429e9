"""`python -m benchmarks.bare_job pairs|groups`: what nothing but the loop takes; prints seconds.

`pairs`: the compiled loop over the codes of 30 columns of 1,000,000 rows, tables of all 435 pairs,
twice. `groups`: polars' own grouping of the rows of `risk_job classes`. Tables are made before.
"""

from __future__ import annotations

import sys
import time
from itertools import combinations

import numpy as np

COLUMNS, ROWS = 30, 1_000_000


def pairs() -> float:
    """Tables of all pairs of two tables' categorical columns."""
    from microgauge.kernels import Pairs, compiled, count_pairs

    assert compiled() is not None, "there is no compiled loop to be measured"
    rng = np.random.default_rng(1)
    sizes = rng.integers(3, 23, COLUMNS)
    columns = [rng.integers(0, size, ROWS).astype(np.uint8) for size in sizes]
    a, b = (np.array(side) for side in zip(*combinations(range(COLUMNS), 2), strict=True))
    wanted = Pairs.of(a, b, sizes)
    start = time.perf_counter()
    for _ in range(2):
        count_pairs(columns, wanted)
    return time.perf_counter() - start


def groups() -> float:
    """Classes by polars, and nothing else."""
    import polars as pl

    from benchmarks.risk_job import KEYS, codes
    from benchmarks.risk_job import ROWS as MANY

    levels = codes(MANY, KEYS).astype(np.uint8)
    frame = pl.DataFrame({f"k{i}": levels[:, i].copy() for i in range(KEYS)})
    start = time.perf_counter()
    frame.group_by(frame.columns).len()
    return time.perf_counter() - start


if __name__ == "__main__":
    print({"pairs": pairs, "groups": groups}[sys.argv[1]]())
