"""Noise on numbers."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import InputError
from microgauge.masking.microaggregation import normal_draws

MOST_DRAWS = 10_000
"""How often a draw is repeated before a value stays as it is."""


def additive(columns: Floats, deviations: Floats, rng: np.random.Generator) -> Floats:
    """Independent normal noise with a deviation for each column."""
    return columns + rng.standard_normal(columns.shape) * deviations


def correlated(columns: Floats, share: float, rng: np.random.Generator) -> Floats:
    """Normal noise with share² times the covariance of the columns: correlations stay."""
    complete = columns[~np.isnan(columns).any(axis=1)]
    if len(complete) < 2:
        raise InputError("correlated noise needs two records without a missing number.")
    covariance = np.atleast_2d(np.cov(complete, rowvar=False)) * share**2
    return columns + normal_draws(covariance, len(columns), rng)


def on_positive(column: Floats, deviation: float, rng: np.random.Generator) -> Floats:
    """Noise on positive values only, drawn again until the result is positive; the rest stays."""
    found = column.copy()
    left = np.flatnonzero(column > 0)
    for _ in range(MOST_DRAWS):
        if not len(left):
            break
        found[left] = column[left] + rng.normal(0.0, deviation, len(left))
        left = left[found[left] <= 0]
    found[left] = column[left]
    return found
