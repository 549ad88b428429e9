"""`python -m benchmarks.scale_data FOLDER ROWS`: persons, and their protected copy, in part files.

Rows are drawn in blocks, each with a seed of its own, so that a smaller table is the start of every
larger one and memory does not grow with it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

SEED = 20_190
BLOCK = 1_000_000
"""Rows drawn at a time, and rows of a row group."""
PART = 2 * BLOCK
"""Rows of a part file."""

REGIONS = [f"region {i:02}" for i in range(17)]
SEXES = ["female", "male"]
MARITAL = ["single", "married", "divorced", "widowed", "separated"]
OCCUPATIONS = [f"occupation {i:02}" for i in range(40)]
BANDS = [f"{low}-{low + 4}" for low in range(0, 100, 5)]

SCHEMA: dict[str, Any] = {
    "variable": {
        "region": {"type": "nominal", "role": "quasi_identifier"},
        "sex": {"type": "nominal", "role": "quasi_identifier"},
        "age": {"type": "continuous", "role": "quasi_identifier"},
        "education": {"type": "ordinal", "role": "quasi_identifier"},
        "marital": {"type": "nominal", "role": "quasi_identifier"},
        "household": {"type": "ordinal"},
        "occupation": {"type": "nominal", "role": "sensitive"},
        "hours": {"type": "continuous"},
        "income": {"type": "continuous"},
        "distance": {"type": "continuous"},
    }
}

Floats = NDArray[np.float64]


def block(number: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Some rows of both tables, the same whatever the size of the table."""
    rng = np.random.default_rng([SEED, number])
    original = persons(BLOCK, rng)
    return original, protected(original, rng)


def persons(rows: int, rng: np.random.Generator) -> pl.DataFrame:
    """Ten columns that lean on age and on one more factor."""
    factor = rng.normal(size=rows)
    age = np.clip(rng.gamma(4.0, 10.5, rows), 0, 99).astype(np.int64)
    grown = np.minimum(age / 25, 1.0)
    education = _whole(4 * grown + 1.1 * factor + 0.9 * rng.normal(size=rows), 1, 7)
    work = _whole(38 * grown + 5 * factor + 9 * rng.normal(size=rows), 0, 99)
    columns = {
        "region": _labels(REGIONS, _skewed(len(REGIONS), rng.random(rows))),
        "sex": _labels(SEXES, (rng.random(rows) < 0.49).astype(np.int64)),
        "age": age,
        "education": education,
        "marital": _labels(MARITAL, _marital(age, rng.random(rows))),
        "household": _whole(1 + rng.exponential(1.6, rows), 1, 9),
        "occupation": _labels(OCCUPATIONS, _occupation(factor, rng)),
        "hours": _suppressed(pl.Series(work), 0.05, rng),
        # Amounts in cents: many are the same. Distances with every digit: none are.
        "income": np.round(np.exp(9.8 + 0.5 * factor + 0.5 * rng.normal(size=rows)), 2),
        "distance": rng.gamma(2.0, 8.0, rows) + 0.3 * education,
    }
    return pl.DataFrame(columns)


def protected(original: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Age in bands, swapped occupations, noise on income, a few cells suppressed."""
    rows = original.height
    income = original["income"].to_numpy()
    noise = np.where(rng.random(rows) < 0.5, rng.normal(1.0, 0.03, rows), 1.0)
    place = np.arange(rows)
    chosen = np.flatnonzero(rng.random(rows) < 0.05)
    place[chosen] = rng.permutation(chosen)
    return original.with_columns(
        age=_suppressed(_labels(BANDS, original["age"].to_numpy() // 5), 0.002, rng),
        marital=_suppressed(original["marital"], 0.005, rng),
        occupation=_suppressed(original["occupation"].gather(place), 0.01, rng),
        income=pl.Series(np.round(income * noise, 2)),
    )


def _whole(numbers: Floats, low: int, high: int) -> NDArray[np.int64]:
    return np.clip(np.rint(numbers), low, high).astype(np.int64)


def _labels(labels: list[str], codes: NDArray[np.int64]) -> pl.Series:
    return pl.Series(labels).gather(codes)


def _skewed(count: int, uniform: Floats) -> NDArray[np.int64]:
    """Categories of which the last is the rarest."""
    shares = np.cumsum(1 / np.arange(2, count + 2))
    return np.searchsorted(shares[:-1] / shares[-1], uniform)


def _marital(age: NDArray[np.int64], uniform: Floats) -> NDArray[np.int64]:
    """Single while young, then married, then the rest."""
    shares = np.array([[1, 0, 0, 0], [0.6, 0.35, 0.03, 0], [0.2, 0.6, 0.15, 0.02]])
    shares = np.vstack([shares, [0.08, 0.5, 0.14, 0.25]])
    edges = np.cumsum(shares, axis=1)[np.digitize(age, [18, 35, 65])]
    return np.asarray((uniform[:, np.newaxis] > edges).sum(axis=1))


def _occupation(factor: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    from scipy.special import ndtr

    score = 0.6 * factor + 0.8 * rng.normal(size=len(factor))
    return _skewed(len(OCCUPATIONS), ndtr(score))


def _suppressed(column: pl.Series, share: float, rng: np.random.Generator) -> pl.Series:
    keep = pl.Series(rng.random(len(column)) >= share)
    return pl.select(pl.when(keep).then(column)).to_series()


def write(folder: Path, rows: int) -> None:
    """Part files in the folders `original` and `protected`, a block to a row group."""
    sides = [folder / "original", folder / "protected"]
    for side in sides:
        side.mkdir(parents=True, exist_ok=True)
    for part, start in enumerate(range(0, rows, PART)):
        stop = min(start + PART, rows)
        blocks = [block(number) for number in range(start // BLOCK, -(-stop // BLOCK))]
        for side, frames in zip(sides, zip(*blocks, strict=True), strict=True):
            frame = pl.concat(frames).head(stop - start)
            frame.write_parquet(side / f"part-{part:03}.parquet", row_group_size=BLOCK)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rows", type=int)
    given = parser.parse_args()
    write(given.folder, given.rows)


if __name__ == "__main__":
    main()
