"""Covariances, correlations and principal components before and after.

Domingo-Ferrer and Torra 2001. Entries of the matrices are compared by mean square error, mean
absolute error and mean variation (|difference| / |original|, entries of 0 left out).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from microgauge.arrays import Flags, Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.loss.moments import TOO_LARGE
from microgauge.records import dataclass
from microgauge.values.hashing import small_seed

NEGLIGIBLE = 1e-10
"""Share of the largest eigenvalue below which one counts as 0: an exact linear dependence."""
NEARLY_FLAT = 1e-4
"""Share of the largest eigenvalue below which the core of the units all but lies in a plane."""


@dataclass(frozen=True, eq=False)
class Scatter:
    """Complete units of some continuous variables on one side."""

    rows: int
    means: Floats
    covariance: Floats

    @staticmethod
    def of(sums: Floats, centres: Floats) -> Scatter:
        """From one group of the pass `Moments`, whose scores were shifted by `centres`."""
        width = sums.shape[1]
        rows, squares = sums[width, 0], sums[width, 1]
        weight = sums[0, 0]
        if not np.isfinite(sums).all():
            raise Undefined(TOO_LARGE)
        units = weight * weight / squares if squares else 0.0
        if units <= 1:
            raise Undefined(say("fewer than two complete units"))
        shift = sums[0, 1:width] / weight
        covariance = sums[1:width, 1:width] / weight - np.outer(shift, shift)
        covariance = (covariance + covariance.T) / 2.0 * (units / (units - 1.0))
        # What rounding leaves of a constant variable is no variance.
        constant = np.diag(covariance) <= 1e-14 * (np.diag(sums)[1:width] / weight)
        covariance[constant] = covariance[:, constant] = 0.0
        return Scatter(int(rows), centres + shift, covariance)

    @property
    def constant(self) -> Flags:
        """Which variables do not vary."""
        return np.diag(self.covariance) <= 0

    def correlation(self) -> Floats:
        """The correlation matrix of variables that all vary."""
        return to_correlation(self.covariance)


def to_correlation(covariance: Floats) -> Floats:
    """A covariance matrix standardised."""
    roots = np.sqrt(np.diag(covariance))
    correlation: Floats = covariance / np.outer(roots, roots)
    np.fill_diagonal(correlation, 1.0)
    return correlation


@dataclass(frozen=True)
class Discrepancy:
    """How far the entries of two matrices are apart."""

    mse: float
    mae: float
    mean_variation: float | None
    """None where every original entry is 0."""


def discrepancy(before: Floats, after: Floats, weights: Floats | None = None) -> Discrepancy:
    """Weighted means over entries; weights add up to 1 and are equal if not given."""
    if not before.size:
        raise Undefined(say("no entry"))
    before, after = before.ravel(), after.ravel()
    shares = np.full(len(before), 1.0 / len(before)) if weights is None else weights.ravel()
    apart = np.abs(after - before)
    some = (before != 0) & (shares > 0)
    variation = None
    if some.any():
        relative = apart[some] / np.abs(before[some])
        variation = float((shares[some] * relative).sum() / shares[some].sum())
    return Discrepancy(float((shares * apart**2).sum()), float((shares * apart).sum()), variation)


@dataclass(frozen=True, eq=False)
class Components:
    """Principal components of a correlation matrix, the largest first."""

    values: Floats
    vectors: Floats

    @staticmethod
    def of(correlation: Floats) -> Components:
        """Eigenvalues and eigenvectors."""
        values, vectors = np.linalg.eigh(correlation)
        return Components(values[::-1], vectors[:, ::-1])

    @property
    def negligible(self) -> Flags:
        """Which components an exact linear dependence leaves nothing of."""
        return np.asarray(self.values < NEGLIGIBLE * self.values[0])

    def without(self, dropped: Flags) -> Components:
        """The other components."""
        return Components(self.values[~dropped], self.vectors[:, ~dropped])

    def signed_like(self, other: Components) -> Components:
        """The same components, each turned to point where the other's does."""
        signs = np.where((self.vectors * other.vectors).sum(axis=0) < 0, -1.0, 1.0)
        return Components(self.values, self.vectors * signs)

    @property
    def loadings(self) -> Floats:
        """RF: correlations of variables (rows) with components (columns)."""
        return self.vectors * np.sqrt(self.values)

    @property
    def communalities(self) -> Floats:
        """C: the share of each variable that the first component explains."""
        return np.asarray(self.loadings[:, 0] ** 2)

    @property
    def coefficients(self) -> Floats:
        """F: what multiplies the standardised variables to give the components' scores."""
        return self.vectors / np.sqrt(self.values)


def matched_components(before: Floats, after: Floats) -> tuple[Components, Components, int]:
    """Components of both correlation matrices with signs freed, and how many were left out."""
    original, protected = Components.of(before), Components.of(after)
    dropped = original.negligible | protected.negligible
    original, protected = original.without(dropped), protected.without(dropped)
    return original, protected.signed_like(original), int(dropped.sum())


def eigenvalue_difference(before: Floats, after: Floats) -> float:
    """Σ|λ_o - λ_p|/λ_o.

    >>> eigenvalue_difference(np.array([1.5, 0.5]), np.array([1.8, 0.2]))
    0.8
    """
    return float((np.abs(before - after) / before).sum())


def matrix_discrepancies(before: Scatter, after: Scatter) -> dict[str, Discrepancy]:
    """V and R, and RF, C and F of the principal components of R."""
    size = len(before.means)
    upper = np.triu_indices(size)
    found = {"covariance": discrepancy(before.covariance[upper], after.covariance[upper])}
    if size < 2 or before.constant.any() or after.constant.any():
        return found
    above = np.triu_indices(size, 1)
    correlations = before.correlation(), after.correlation()
    found["correlation"] = discrepancy(correlations[0][above], correlations[1][above])
    original, protected, _ = matched_components(*correlations)
    shares = np.tile(original.values / original.values.sum() / size, (size, 1))
    found["loadings"] = discrepancy(original.loadings, protected.loadings, shares)
    found["communalities"] = discrepancy(original.communalities, protected.communalities)
    found["score_coefficients"] = discrepancy(original.coefficients, protected.coefficients, shares)
    return found


def robust_eigenvalues(units: Floats, seed: int) -> Floats:
    """Eigenvalues of the minimum covariance determinant's correlation matrix, the largest first.

    `Undefined` where the core, the half of the units whose determinant is least, all but lies in
    a plane: a tiny eigenvalue there is divided by, and what is found says little but how flat the
    plane is. The units that reweighting adds may hide that, so the core itself is looked at.
    """
    fitted = _least_determinant(units, seed)
    found = [np.asarray(c) for c in (fitted.covariance_, fitted.raw_covariance_)]
    if not all(np.isfinite(c).all() and (np.diag(c) > 0).all() for c in found):
        raise Undefined(say("more than half of the units share a value"))
    final, core = (Components.of(to_correlation(c)).values for c in found)
    if min(v[-1] / v[0] for v in (final, core)) < NEARLY_FLAT:
        raise Undefined(
            say(
                "the covariance of the core is near singular (its smallest eigenvalue is "
                "below {nearly_flat:g} of the largest)",
                nearly_flat=NEARLY_FLAT,
            )
        )
    return final


def _least_determinant(units: Floats, seed: int) -> Any:
    """The fit of scikit-learn, on numbers brought to one scale."""
    import warnings

    from sklearn.covariance import MinCovDet

    # The search is the same for all units of measurement once numbers are on one scale.
    middle = np.median(units, axis=0)
    spread = np.median(np.abs(units - middle), axis=0)
    if (spread <= 0).any() or not np.isfinite(spread).all():
        raise Undefined(say("half of the complete units share a value"))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        scaled = (units - middle) / spread
        if not np.isfinite(scaled @ scaled.T[:, :1]).all():
            raise Undefined(TOO_LARGE)
        return MinCovDet(random_state=small_seed(seed)).fit(scaled)
