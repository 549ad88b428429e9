"""How often intervals hold 0 where nothing can be learned, and whether figures centre on it."""

import numpy as np
import polars as pl
import pytest

import microgauge
from support.long import more

pytestmark = pytest.mark.slow
KEY = "quasi_identifier"
SCHEMA = {
    "options": {"aligned": False},
    "variable": {
        "area": {"role": KEY, "type": "nominal"},
        "age": {"role": KEY, "type": "continuous"},
        "job": {"type": "nominal"},
        "score": {"type": "continuous"},
    },
    "risk": {"targets": ["job", "score"], "interval": 0.2},
}
SEEDS = 200
"""A true coverage of 0.95 shows as less than 0.91 once in 200 times."""


def population(rng, rows, areas, ages):
    """People whose area and age tell of their job and score."""
    area, age = rng.integers(0, areas, rows), rng.integers(0, ages, rows)
    nurse = rng.random(rows) < np.where((area + age) % 2 == 0, 0.8, 0.3)
    other = np.where(rng.random(rows) < 0.5, "smith", "judge")
    return pl.DataFrame(
        {
            "area": area.astype(str),
            "age": age.astype(float),
            "job": np.where(nurse, "nurse", other),
            "score": (rng.normal(0, 1, rows) + 2 * (area % 2)).round(1),
        }
    )


def shuffled(rng, frame):
    """Each column drawn by itself: no record is anyone's, and no column tells of another."""
    rows = frame.height
    return frame.select(pl.Series(c.name, c.to_numpy()[rng.integers(0, rows, rows)]) for c in frame)


def disclosure(original, protected, holdout=None):
    found = microgauge.assess(
        original, protected, schema=SCHEMA, holdout=holdout, only=["disclosure"]
    )
    return found.disclosure


def coverage(figures):
    """The share of intervals that hold 0; the mean of the figures over its standard error."""
    values, ends = np.array([f for f, _ in figures]), np.array([e for _, e in figures])
    error = values.std(ddof=1) / np.sqrt(len(values))
    inside = (ends[:, 0] <= 1e-12) & (ends[:, 1] >= -1e-12)
    return float(inside.mean()), float(values.mean() / error) if error else 0.0


def summary(samples):
    return {name: tuple(round(v, 3) for v in coverage(found)) for name, found in samples.items()}


@pytest.mark.parametrize(
    ("rows", "areas", "ages"),
    [(200, 10, 60), *more((60, 2, 3), (100, 6, 10), (200, 10, 20), (400, 5, 8))],
)
def test_nothing_is_learned_from_independent_columns(rows, areas, ages):
    samples = {}
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        original = population(rng, rows, areas, ages)
        for target in disclosure(original, shuffled(rng, original)).learned:
            for way, ends in (("exact", target.exact_ci), ("nearest", target.nearest_ci)):
                found = samples.setdefault((target.target, way), [])
                found.append((getattr(target, way), ends))
    for name, (inside, centre) in summary(samples).items():
        assert inside >= 0.89, (name, inside)
        assert abs(centre) < 3.5, (name, centre)


@pytest.mark.parametrize("size", [1.0, *more(0.1, 3.0)])
def test_taking_part_costs_nothing_where_the_file_is_of_others(size):
    """The file is drawn from the population, whoever is in the original."""
    samples = {}
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        tables = [population(rng, int(n), 10, 20) for n in (200, 200, 200 * size)]
        found = disclosure(*tables)
        for target in found.learned:
            samples.setdefault(target.target, []).append((target.excess, target.excess_ci))
        copied = found.copied
        samples.setdefault("copied", []).append((copied.excess, copied.excess_ci))
        apart = (copied.found_copied_excess, copied.found_copied_excess_ci)
        samples.setdefault("found by a copy", []).append(apart)
    for name, (inside, _) in summary(samples).items():
        assert inside >= 0.91, (name, inside)
    for name in ("copied", "found by a copy"):
        assert abs(summary(samples)[name][1]) < 3.5
