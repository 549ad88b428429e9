"""The tail of Kolmogorov's distribution for many units, without loading all of scipy.stats.

Simard, R. and L'Ecuyer, P. (2011). Computing the two-sided Kolmogorov–Smirnov distribution.
Journal of Statistical Software 39(11). Figures agree with scipy's `kstwo.sf`, which follows the
same paper.
"""

from __future__ import annotations

import numpy as np

MANY = 100_000
"""Units from which Pelz and Good's series serves for all small distances."""
SUMMED = (10_000, 1_000_000)
"""Units between which scipy adds up every term of the tail; beyond, it approximates."""
TAIL = 2.2
"""n d² from which the two-sided p is twice the one-sided one."""
GRID = 4097
"""Points of the grid that stands for the sum."""


def kolmogorov_tail(distance: float, units: int) -> float:
    """P(D > d) for n units: the p-value of the Kolmogorov–Smirnov test."""
    square = units * distance**2
    if SUMMED[0] <= units <= SUMMED[1] and square >= TAIL:
        return min(2.0 * one_sided_tail(distance, units), 1.0)
    if units > MANY and 0.04 < square < TAIL:
        return min(max(1.0 - pelz_good(distance, units), 0.0), 1.0)
    from scipy import stats  # takes half a second to load

    return float(np.clip(stats.kstwo.sf(distance, units), 0.0, 1.0))


def one_sided_tail(distance: float, units: int) -> float:
    """P(D⁺ > d) of n uniform variables, by the Birnbaum–Tingey sum, for large n.

    scipy's `smirnov` adds up all n terms, which takes a third of a second for half a million. Term
    j is d/p_j times the binomial probability of j out of n at p_j = d + j/n, here by Loader's
    formula, whose logarithm loses no digits. It is a smooth function of j/n that vanishes with all
    its derivatives at both ends, so that the sum over a coarse grid, times its step, is the sum.
    """
    last = units * (1.0 - distance) - 1.0
    if last <= 1.0:
        return 0.0  # samples all but apart: (2/n)^n is below any number for large n
    j, step = np.linspace(1.0, last, GRID, retstep=True)
    rest, shift = units - j, units * distance
    deviance = (shift - j * np.log1p(shift / j)) - (shift + rest * np.log1p(-shift / rest))
    stirling = (1.0 / units - 1.0 / j - 1.0 / rest) / 12.0
    scale = 0.5 * np.log(units / (2.0 * np.pi * j * rest))
    logs = scale + stirling - deviance - np.log(distance + j / units)
    return float(distance * step * np.exp(logs).sum())


def pelz_good(distance: float, units: int) -> float:
    """P(D ≤ d) by Pelz and Good's series in 1/√n (1976), four terms, with z = √n d.

    The last sum is divided by 216, as in scipy, where the paper prints 108: the difference is below
    1e-8 of p for the numbers of units this is used for.
    """
    z = np.sqrt(units) * distance
    h = (np.arange(-20, 20) + 0.5) * np.pi  # π(k + ½) over all whole k
    k = np.arange(-20, 21) * np.pi
    at_h, at_k = np.exp(-(h**2) / (2 * z**2)), np.exp(-(k**2) / (2 * z**2))
    root = np.sqrt(np.pi / 2)
    zero = root / z * at_h.sum()
    one = root / (6 * z**4) * ((h**2 - z**2) * at_h).sum()
    two = (
        root
        / (72 * z**7)
        * (
            (6 * z**6 + 2 * z**4 + (2 * z**4 - 5 * z**2) * h**2 + (1 - 2 * z**2) * h**4) * at_h
        ).sum()
        - root / (36 * z**3) * (k**2 * at_k).sum()
    )
    three = (
        root
        / (6480 * z**10)
        * (
            (
                (5 - 30 * z**2) * h**6
                + (212 * z**4 - 60 * z**2) * h**4
                + (135 * z**4 - 96 * z**6) * h**2
                - (30 * z**6 + 90 * z**8)
            )
            * at_h
        ).sum()
        + root / (216 * z**6) * ((3 * z**2 * k**2 - k**4) * at_k).sum()
    )
    return float(zero + one / units**0.5 + two / units + three / units**1.5)
