"""How far two confidence intervals, or two confidence ellipsoids, share their ground."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say

Bounds = tuple[float, float]


def overlap(original: Bounds, protected: Bounds) -> float:
    """Mean share of each interval that the other covers (Karr et al. 2006).

    1 for the same interval, 0 where they touch, negative where they are apart.

    >>> overlap((0.0, 2.0), (1.0, 3.0)), overlap((0.0, 1.0), (2.0, 3.0))
    (0.5, -1.0)
    """
    widths = [high - low for low, high in (original, protected)]
    # What rounding leaves of an exact fit is no width.
    sizes = [max(abs(low), abs(high)) for low, high in (original, protected)]
    if any(width <= 1e-12 * size for width, size in zip(widths, sizes, strict=True)):
        raise Undefined(say("a confidence interval has width 0"))
    shared = min(original[1], protected[1]) - max(original[0], protected[0])
    return 0.5 * (shared / widths[0] + shared / widths[1])


def inside(original: Bounds, protected: float) -> bool:
    """Whether the protected estimate lies in the original's interval, its ends included."""
    return original[0] <= protected <= original[1]


def joint_overlap(apart: Floats, original: Floats, protected: Floats) -> float:
    """How far two normal distributions of p estimates at once share their ground, by direction.

    The p-th root of Bhattacharyya's coefficient (1943) of N(β_o, V_o) and N(β_p, V_p), which are
    what the two fits say of the coefficients: with V the mean of V_o and V_p and d = β_p - β_o,

        exp(-d'V⁻¹d / 8) · (|V_o| |V_p|)^(1/4) / |V|^(1/2)

    It is the product of the overlaps in p directions in which both are uncorrelated; its root
    is their geometric mean, so that models with few and many terms are on one scale. 1: the same
    estimates with the same errors; towards 0: apart. Any linear change of the coefficients, as
    another reference category, leaves it as it is.

    >>> round(joint_overlap(np.array([2.0]), np.eye(1), np.eye(1)), 4)
    0.6065
    """
    both = (original + protected) / 2.0
    logs = [_log_determinant(matrix) for matrix in (original, protected, both)]
    distance = float(apart @ np.linalg.solve(both, apart))
    exponent = -distance / 8.0 + (logs[0] + logs[1]) / 4.0 - logs[2] / 2.0
    return float(np.exp(min(exponent, 0.0) / len(apart)))


def joint_distance(apart: Floats, original: Floats) -> float:
    """√(d'V_o⁻¹d / p): how many of the original's standard errors, over all coefficients at once.

    The root mean square of the standardised differences in p uncorrelated directions; p times its
    square is the lack of fit that synthpop's `compare` gives. 0: the same estimates.

    >>> joint_distance(np.array([1.0, -2.0]), np.diag([1.0, 4.0]))
    1.0
    """
    _log_determinant(original)
    return float(np.sqrt(max(float(apart @ np.linalg.solve(original, apart)), 0.0) / len(apart)))


def _log_determinant(matrix: Floats) -> float:
    try:
        roots = np.diag(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        raise Undefined(say("the covariance of the coefficients is singular")) from None
    return 2.0 * float(np.log(roots).sum())
