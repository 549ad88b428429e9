"""`python -m benchmarks.nearest_job CASE`: all nearest pairs of two tables made by a seed."""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.risk_job import SIZES
from microgauge.measures.disclosure.nearest import Attribute, nearest_pairs

ROWS = 50_000
LEVELS = (*SIZES, 30)
NUMBERS = {"mixed": 4, "categories": 0, "missing": 4, "uniform": 8}


def numbers(rng: np.random.Generator, case: str, missing: float) -> Attribute:
    """Two columns in units of the first one's range."""
    draw = rng.random if case == "uniform" else lambda rows: rng.lognormal(size=rows)
    x, z = draw(ROWS), draw(ROWS)
    unit = np.ptp(x)
    for column in (x, z):
        column /= unit
        column[rng.random(ROWS) < missing] = np.nan
    return Attribute("number", x, z)


def categories(rng: np.random.Generator, levels: int, missing: float) -> Attribute:
    """Two columns of skewed categories, as those of people are."""
    sides = []
    for _ in range(2):
        column = np.minimum(rng.exponential(levels / 3, ROWS).astype(np.intp), levels - 1)
        column[rng.random(ROWS) < missing] = -1
        sides.append(column)
    return Attribute("category", *sides)


def attributes(case: str) -> list[Attribute]:
    """Eight attributes."""
    rng = np.random.default_rng(3)
    missing = 0.05 if case == "missing" else 0.0
    found = [numbers(rng, case, missing) for _ in range(NUMBERS[case])]
    return found + [categories(rng, levels, missing) for levels in LEVELS[: 8 - len(found)]]


if __name__ == "__main__":
    print(sum(len(near.queries) for near in nearest_pairs(attributes(sys.argv[1]))))
