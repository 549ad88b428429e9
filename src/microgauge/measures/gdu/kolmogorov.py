"""The tail of Kolmogorov's distribution, without loading all of scipy.stats.

Simard, R. and L'Ecuyer, P. (2011). Computing the two-sided Kolmogorov–Smirnov distribution.
Journal of Statistical Software 39(11). Figures agree with scipy's `kstwo.sf`, which follows the
same paper.
"""

from __future__ import annotations

from math import ceil, exp, gcd, lgamma, log

import numpy as np
from scipy import special

from microgauge.arrays import Floats
from microgauge.kernels import compiled

MANY = 100_000
"""Units from which Pelz and Good's series serves for all small distances."""
FEW = 140
"""Units up to which the matrix serves for all distances that are not large."""
SUMMED = (10_000, 1_000_000)
"""Units between which scipy adds up every term of the tail; beyond, it approximates."""
NEAR = 0.04
"""n d² up to which P(D ≤ d) is below 1e-12."""
TAIL, FAR = 2.2, 370.0
"""n d² from which the two-sided p is twice the one-sided one, and from which it is 0."""
GRID = 4097
"""Points of the grid that stands for the sum."""


def kolmogorov_tail(distance: float, units: int) -> float:
    """P(D > d) for n units: the p-value of the Kolmogorov–Smirnov test."""
    square = units * distance**2
    if distance >= 1.0 or units * distance <= 0.5:
        return 0.0 if distance >= 1.0 else 1.0
    if units <= FEW:
        if square > 4.0 or distance >= 0.5:
            return min(2.0 * float(special.smirnov(units, distance)), 1.0)
        return _unlike(durbin(distance, units))
    if SUMMED[0] <= units <= SUMMED[1] and square >= TAIL:
        return min(2.0 * one_sided_tail(distance, units), 1.0)
    if square >= TAIL:
        return min(2.0 * float(special.smirnov(units, distance)), 1.0) if square < FAR else 0.0
    if square <= NEAR:
        return 1.0
    if units <= MANY and units * distance**1.5 <= 1.4:
        return _unlike(durbin(distance, units))
    return _unlike(pelz_good(distance, units))


def exact_tail(n: int, m: int, steps: int) -> float:
    """P(D ≥ d) for two samples of n and m units, d in steps of 1/lcm(n, m); needs compiled loops.

    Lattice paths that touch one of two lines (Hodges, J. L. (1958). The significance probability of
    the Smirnov two-sample test. Arkiv för Matematik 3(43)), in the order of scipy's `ks_2samp`.
    """
    if steps == 0:
        return 1.0
    if n == m:
        return _outside_square(n, steps)
    loops = compiled()
    assert loops is not None
    return float(loops.paths_outside(max(n, m), min(n, m), gcd(n, m), steps))


def _outside_square(n: int, steps: int) -> float:
    """The share of paths from (0, 0) to (n, n) that touch |x - y| = steps."""
    found = 0.0
    for times in range(n // steps, -1, -1):
        part = 1.0
        for j in range(steps):
            part = (n - times * steps - j) * part / (n + times * steps + j + 1)
        found = part * (1.0 - found)
    return 2.0 * found


def _unlike(below: float) -> float:
    return min(max(1.0 - below, 0.0), 1.0)


def durbin(distance: float, units: int) -> float:
    """P(D ≤ d) by Durbin's matrix, to the power n (Marsaglia, Tsang and Wang, 2003)."""
    steps = ceil(units * distance)
    matrix = _durbin_matrix(steps, steps - units * distance)
    power, scale = np.eye(len(matrix)), 0.0  # of the power, the logarithm that was taken out
    own = 0.0
    left = units
    while left:
        if left & 1:
            power, scale = power @ matrix, scale + own
        matrix, own = matrix @ matrix, 2.0 * own
        left >>= 1
        most = float(matrix[steps - 1, steps - 1])
        matrix, own = matrix / most, own + log(most)
        most = float(power[steps - 1, steps - 1])
        if most > 0.0:
            power, scale = power / most, scale + log(most)
    return exp(scale + lgamma(units + 1.0) - units * log(units))


def _durbin_matrix(steps: int, short: float) -> Floats:
    """Entry (i, j) is 1/(i - j + 1)!, with what the last step lacks taken off at the edges."""
    size = 2 * steps - 1
    lags = np.arange(size)[:, np.newaxis] - np.arange(size) + 1
    powers = short ** np.arange(1, size + 1)
    matrix = np.where(lags >= 0, 1.0, 0.0)
    matrix[:, 0] -= powers
    matrix[-1, :] -= powers[::-1]
    matrix[-1, 0] += max(2.0 * short - 1.0, 0.0) ** size
    return np.asarray(matrix / special.gamma(np.maximum(lags, 0) + 1.0))


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
