"""Is a file analytically valid? Winkler's three criteria, each as one figure.

Winkler, W. E. (1998), *Producing public-use microdata that are analytically valid and
confidential*, US Census Bureau RR98/02: a file is analytically valid if it approximately preserves
means and covariances on a small set of subdomains, marginal values for a few tabulations, and at
least one distributional characteristic. How near is near is not said there.
"""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats
from microgauge.measures.loss.matrices import Scatter


def mean_shifts(before: Scatter, after: Scatter, deviations: Floats) -> Floats:
    """|difference of means| of each variable, in standard deviations of the whole original."""
    return np.asarray(np.abs(after.means - before.means) / deviations)


def covariance_shifts(before: Scatter, after: Scatter, deviations: Floats) -> Floats:
    """|difference of covariances| of each two variables, over both deviations in the original."""
    scale = np.outer(deviations, deviations)
    return np.asarray(np.abs(after.covariance - before.covariance) / scale)
