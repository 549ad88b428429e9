"""Normal draws, which several methods make."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats


def normal_draws(covariance: Floats, rows: int, rng: np.random.Generator) -> Floats:
    """Draws with mean 0 and a covariance; directions of negative variance have none."""
    lengths, axes = np.linalg.eigh((covariance + covariance.T) / 2.0)
    stretch = np.sqrt(np.maximum(lengths, 0.0))
    return np.asarray(rng.standard_normal((rows, len(lengths))) * stretch @ axes.T)
