"""The risk of a record of a sample: how likely is it the one sought in the population?

Benedetti, R. and Franconi, L. (1998). Statistical and technological solutions for controlled data
dissemination. Pre-proceedings of New Techniques and Technologies for Statistics, 1, 225–232.
Franconi, L. and Polettini, S. (2004). Individual risk estimation in µ-Argus: a review. Privacy in
Statistical Databases, 262–272.
"""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say

ROUNDING = 1e-9
"""How far, relatively, a class's weight may fall short of its size: weights of 1 come rounded."""

NEARLY_ALL = 0.1
"""Below this share of the class not in the sample a series replaces the formula, which cancels."""

TERMS = 18
"""Of that series: the first left out is below 1e-18 × the sum."""


def individual_risk(sizes: Index, weights: Floats) -> Floats:
    """The risk of each record of a class with f = `sizes` records that weigh F = `weights`.

    E(1/F_k | f) for F_k records in the population, negative binomial given f with p = f/F: exact
    for f ≤ 2, from 3 on the approximation p/(f - 1 + p), at most 4 % above. It lies between 1/F and
    1/f, which it reaches where every weight is 1 (p = 1); lower is safer.

    >>> individual_risk(np.array([1, 2, 4]), np.array([1.0, 2.0, 4.0]))
    array([1.  , 0.5 , 0.25])
    >>> individual_risk(np.array([1, 2, 3]), np.array([2.0, 4.0, 6.0])).round(4)
    array([0.6931, 0.3069, 0.2   ])
    """
    _check(sizes, weights)
    shares = np.minimum(sizes / weights, 1.0)
    rests = np.maximum(weights - sizes, 0.0) / weights
    risks: Floats = shares / (sizes - 1.0 + shares)
    for size, formula in ((1, _alone), (2, _pair)):
        here = sizes == size
        risks[here] = formula(shares[here], rests[here])
    return risks


def total_risk(sizes: Index, risks: Floats) -> float:
    """Expected re-identifications: the sum over records, each with its class's risk.

    >>> total_risk(np.array([1, 2]), np.array([1.0, 0.25]))
    1.5
    """
    return float((sizes * risks).sum())


def _check(sizes: Index, weights: Floats) -> None:
    """Weights must be those of a sample: no class weighs less than its records."""
    if not np.isfinite(weights).all():
        raise Undefined(say("a class's weight is not a finite number"))
    short = int((weights < sizes * (1.0 - ROUNDING)).sum())
    if short:
        raise Undefined(
            say("classes whose weights add up to less than their records: {short}", short=short)
        )


def _alone(p: Floats, q: Floats) -> Floats:
    """p/q · ln(1/p) with q = 1 - p; 1 where p is 1."""
    return p * np.divide(_log_inverse(p, q), q, out=np.ones_like(q), where=q > 0)


def _pair(p: Floats, q: Floats) -> Floats:
    """p/q - (p/q)² ln(1/p); for small q the same as p Σ q^k / ((k + 1)(k + 2)), k = 0, 1, …"""
    k = np.arange(TERMS)
    series = p * np.polynomial.polynomial.polyval(q, 1.0 / ((k + 1.0) * (k + 2.0)))
    odds = p / np.maximum(q, NEARLY_ALL)
    return np.where(q < NEARLY_ALL, series, odds - odds**2 * _log_inverse(p, q))


def _log_inverse(p: Floats, q: Floats) -> Floats:
    """ln(1/p) from whichever of p and q = 1 - p is small and so exact."""
    return np.where(p < 0.5, -np.log(p), -np.log1p(-np.minimum(q, 0.5)))
