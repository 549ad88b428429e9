"""Is a file analytically valid? Winkler's three criteria, each as one figure.

Winkler, W. E. (1998), *Producing public-use microdata that are analytically valid and
confidential*, US Census Bureau RR98/02: a file is analytically valid if it approximately preserves
means and covariances on a small set of subdomains, marginal values for a few tabulations, and at
least one distributional characteristic. How near is near is not said there.
"""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.measures.loss.matrices import Scatter
from microgauge.values.levels import Levels


def mean_shifts(before: Scatter, after: Scatter, deviations: Floats) -> Floats:
    """|difference of means| of each variable, in standard deviations of the whole original."""
    return np.asarray(np.abs(after.means - before.means) / deviations)


def covariance_shifts(before: Scatter, after: Scatter, deviations: Floats) -> Floats:
    """|difference of covariances| of each two variables, over both deviations in the original."""
    scale = np.outer(deviations, deviations)
    return np.asarray(np.abs(after.covariance - before.covariance) / scale)


def distribution_distance(original: Levels, protected: Levels) -> float:
    """The largest distance of two distribution functions (Kolmogorov–Smirnov), 0 to 1."""
    numbers = np.union1d(original.numbers, protected.numbers)
    functions = []
    for levels in (original, protected):
        total = float(levels.sums.sum())
        if total <= 0:
            raise Undefined("no value")
        below = np.append(0.0, np.cumsum(levels.sums)) / total
        functions.append(below[np.searchsorted(levels.numbers, numbers, side="right")])
    return float(np.abs(functions[0] - functions[1]).max())
