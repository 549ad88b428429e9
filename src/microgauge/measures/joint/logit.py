"""Logistic regression by maximum likelihood, without a penalty, that tells when it fails.

Plain Newton steps on heavy-tailed terms "converge" to fitted probabilities of 0 and 1. Here steps
are damped until the likelihood rises, and a fit counts only if its gradient is zero to tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, special

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.measures.joint.terms import Columns

FEW_COLUMNS = 40
"""Up to so many columns a step is a least squares problem, which heavy tails do not upset; beyond,
conjugate gradients solve for it on the sparse matrix."""
SLOW_SOLVE = 15
"""Iterations of a solve from which the preconditioner is made anew for the current weights."""
MOST_ITERATIONS = 40
MOST_STEPS = 200
CERTAIN = 1e-4
"""Fitted probabilities nearer than this to 0 or 1 are of rows told apart with certainty."""
CLOSE = 1e-9
"""Gain of a step per row at which the climb ends where some rows are told apart with certainty:
their coefficients would grow for ever."""
TOLERANCE = 1e-6
"""Largest gradient per row, of columns with a mean square of 1, that counts as zero."""
DEPENDENT = 1e-10
"""A column whose squared part outside the columns before it is smaller is dropped as dependent."""


@dataclass(frozen=True, eq=False)
class LogitFit:
    """Fitted probabilities, and what is known of the fit."""

    probability: Floats
    likelihood: float
    gradient: float
    """Largest gradient per row."""
    rank: int
    """Rank of the model matrix less the intercept."""
    separated: bool
    """Whether some rows are told apart with certainty."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Independent columns of a model, the intercept among them, ready for fitting."""

    rank: int
    """Number of columns beside the intercept."""
    matrix: Floats | None
    """Few columns with the intercept, as one array; None where there are many."""
    columns: Columns | None = None
    """The independent columns, where there is no one matrix."""
    factor: Floats | None = None
    """Cholesky factor of their Gram matrix per row, intercept first."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        if self.matrix is not None:
            return len(self.matrix)
        assert self.columns is not None
        return self.columns.shape[0]

    def dot(self, beta: Floats) -> Floats:
        """X β, the intercept first in β."""
        if self.matrix is not None:
            return np.asarray(self.matrix @ beta)
        assert self.columns is not None
        return np.asarray(beta[0] + self.columns.dot(beta[1:]))

    def transposed_dot(self, values: Floats) -> Floats:
        """Xᵀ v."""
        if self.matrix is not None:
            return np.asarray(self.matrix.T @ values)
        assert self.columns is not None
        return np.append(values.sum(), self.columns.transposed_dot(values))

    def taken(self, rows: Index) -> Basis:
        """The same columns on some of the rows."""
        if self.matrix is not None:
            return replace(self, matrix=self.matrix[rows])
        assert self.columns is not None
        return replace(self, columns=self.columns.taken(rows))


def independent(columns: Columns, gram: Floats | None = None) -> Basis:
    """Drop columns that depend on others (and on the intercept)."""
    if columns.shape[1] <= FEW_COLUMNS:
        return _independent_few(columns)
    rows = columns.shape[0]
    gram = columns.gram() if gram is None else gram
    ones = columns.transposed_dot(np.ones(rows))
    centred = (gram - np.outer(ones, ones) / rows) / rows
    scale = np.sqrt(np.where(centred.diagonal() > 0, centred.diagonal(), 1.0))
    _, pivots, rank, _ = linalg.lapack.dpstrf(centred / scale / scale[:, np.newaxis], tol=DEPENDENT)
    kept = np.sort(pivots[:rank] - 1)
    with_one = np.empty((rank + 1, rank + 1))
    with_one[0, 0] = 1.0
    with_one[0, 1:] = with_one[1:, 0] = ones[kept] / rows
    with_one[1:, 1:] = gram[np.ix_(kept, kept)] / rows
    factor = linalg.cholesky(with_one + 1e-12 * np.eye(rank + 1), lower=True)
    return Basis(rank, None, columns.kept(kept), factor)


def _independent_few(columns: Columns) -> Basis:
    """By a pivoted QR decomposition, which keeps the digits that squaring would lose."""
    matrix = np.column_stack([np.ones(columns.shape[0]), columns.as_array()])
    norms = np.sqrt((matrix**2).mean(axis=0))
    matrix = matrix / np.where(norms > 0, norms, 1.0)
    rest = matrix[:, 1:] - matrix[:, 1:].mean(axis=0)
    if rest.shape[1] == 0:
        return Basis(0, matrix)
    _, triangle, pivots = linalg.qr(rest, mode="economic", pivoting=True)
    size = np.abs(np.diag(triangle)) / np.sqrt(len(matrix))
    rank = int((size > 1e-8).sum())
    return Basis(rank, matrix[:, np.concatenate([[0], np.sort(pivots[:rank]) + 1])])


def fit_logit(
    basis: Basis, response: Floats, weights: Floats | None = None, close: float = CLOSE
) -> LogitFit:
    """Maximise the likelihood. `response` is the share of protected units in each row."""
    weights = np.ones(len(response)) if weights is None else weights
    share = float((weights * response).sum() / weights.sum())
    if not 0 < share < 1:
        raise Undefined("one of the files has no rows")
    if basis.rank + 1 >= len(response):
        raise Undefined("fewer rows than terms")
    problem = _Problem(basis, response, weights)
    beta = problem.start(share)
    floor = problem.likelihood(beta)
    tolerance = TOLERANCE * max(close / CLOSE, 1.0)
    return problem.judged(_climb(problem, beta, close), floor, tolerance)


@dataclass(frozen=True, eq=False)
class _Problem:
    basis: Basis
    response: Floats
    weights: Floats

    def start(self, share: float) -> Floats:
        """The intercept alone: the first column of the matrix is constant in every basis."""
        beta = np.zeros(self.basis.rank + 1)
        first = 1.0 if self.basis.matrix is None else float(self.basis.matrix[0, 0])
        beta[0] = float(special.logit(share)) / first
        return beta

    def likelihood(self, beta: Floats) -> float:
        eta = self.basis.dot(beta)
        return float((self.weights * (self.response * eta - np.logaddexp(0.0, eta))).sum())

    def gradient(self, probability: Floats) -> Floats:
        return self.basis.transposed_dot(self.weights * (self.response - probability))

    def judged(self, beta: Floats, floor: float, tolerance: float) -> LogitFit:
        """The fit, if it is one."""
        probability = special.expit(self.basis.dot(beta))
        likelihood = self.likelihood(beta)
        gradient = float(np.abs(self.gradient(probability)).max() / self.weights.sum())
        if likelihood < floor - 1e-9 * abs(floor) or gradient > tolerance:
            raise Undefined("the likelihood could not be maximised")
        return LogitFit(probability, likelihood, gradient, self.basis.rank, _certain(probability))


def _certain(probability: Floats) -> bool:
    """Whether some rows are told apart with certainty."""
    return bool(np.minimum(probability, 1.0 - probability).min() < CERTAIN)


def _climb(problem: _Problem, beta: Floats, close: float) -> Floats:
    """Damped Newton steps until the likelihood rises no more."""
    likelihood = problem.likelihood(beta)
    rows = float(problem.weights.sum())
    solver = _Solver(problem.basis)
    for _ in range(MOST_STEPS):
        probability = special.expit(problem.basis.dot(beta))
        gradient = problem.gradient(probability)
        step = _step(problem, solver, probability, gradient)
        gain = float(gradient @ step)
        if gain <= (1e-25 if problem.basis.matrix is not None else 1e-16) * rows:
            break
        size, there = _damped(problem, beta, step, likelihood, gain)
        if size == 0:
            break
        beta, likelihood = beta + size * step, there
        if problem.basis.matrix is None and gain <= close * rows and _certain(probability):
            break
    return beta


def _damped(
    problem: _Problem, beta: Floats, step: Floats, likelihood: float, gain: float
) -> tuple[float, float]:
    """The longest of the steps 1, ½, ¼, … that raises the likelihood enough, and its likelihood."""
    size = 1.0
    while size > 1e-10:
        there = problem.likelihood(beta + size * step)
        # Near the top the gain drowns in rounding: then not to fall is enough.
        if there >= likelihood + 1e-4 * size * gain - 1e-14 * abs(likelihood):
            return size, there
        size /= 2
    return 0.0, likelihood


def _step(problem: _Problem, solver: _Solver, probability: Floats, gradient: Floats) -> Floats:
    """The Newton step: solves (Xᵀ W X) step = gradient."""
    weights = problem.weights * probability * (1.0 - probability)
    matrix = problem.basis.matrix
    if matrix is None:
        return solver.step(weights, gradient)
    residual = problem.weights * (problem.response - probability)
    return _least_squares_step(matrix, weights, residual)


def _least_squares_step(matrix: Floats, weights: Floats, residual: Floats) -> Floats:
    """As weighted least squares, which keeps the digits that squaring the matrix would lose."""
    root = np.sqrt(np.maximum(weights, 1e-300))
    found, *_ = linalg.lstsq(
        matrix * root[:, np.newaxis], residual / root, cond=1e-13, lapack_driver="gelsy"
    )
    return np.asarray(found)


@dataclass
class _Solver:
    """Newton steps by conjugate gradients, with a preconditioner that follows the weights.

    The Gram matrix serves while fitted probabilities are near each other. As rows come to be told
    apart, their weights vanish, solves slow down, and the weighted Gram matrix takes its place.
    """

    basis: Basis
    factor: Floats | None = None
    """Cholesky factor of the weighted Gram matrix, once it was needed."""

    def step(self, weights: Floats, gradient: Floats) -> Floats:
        """An approximate solution of (Xᵀ W X) step = gradient."""
        basis, level = self.basis, float(weights.sum())

        def product(vector: Floats) -> Floats:
            return basis.transposed_dot(weights * basis.dot(vector)) + 1e-12 * level * vector

        def precondition(vector: Floats) -> Floats:
            if self.factor is None:
                return _solved(basis.factor, vector) / level
            return _solved(self.factor, vector)

        found, iterations = _conjugate_gradients(product, gradient, precondition)
        if iterations >= SLOW_SOLVE:
            self.factor = self._weighted_factor(weights, level)
        return found

    def _weighted_factor(self, weights: Floats, level: float) -> Floats:
        columns = self.basis.columns
        assert columns is not None
        size = self.basis.rank + 1
        gram = np.empty((size, size))
        gram[0, 0] = level
        gram[0, 1:] = gram[1:, 0] = columns.transposed_dot(weights)
        gram[1:, 1:] = columns.gram(weights)
        gram[np.diag_indices(size)] += 1e-10 * level
        return np.asarray(linalg.cholesky(gram, lower=True, overwrite_a=True))


def _solved(factor: Floats | None, vector: Floats) -> Floats:
    half = linalg.solve_triangular(factor, vector, lower=True, check_finite=False)
    back = linalg.solve_triangular(factor, half, lower=True, trans="T", check_finite=False)
    return np.asarray(back)


def _conjugate_gradients(
    product: Callable[[Floats], Floats], target: Floats, precondition: Callable[[Floats], Floats]
) -> tuple[Floats, int]:
    """A solution near enough for the steps to converge quickly, and the iterations it took."""
    found = np.zeros_like(target)
    residual = target.copy()
    direction = prepared = precondition(residual)
    energy = first = float(residual @ prepared)
    for iteration in range(1, MOST_ITERATIONS + 1):
        image = product(direction)
        size = energy / float(direction @ image)
        found = found + size * direction
        residual = residual - size * image
        prepared = precondition(residual)
        last, energy = energy, float(residual @ prepared)
        if energy <= 1e-6 * first:
            return found, iteration
        direction = prepared + energy / last * direction
    return found, MOST_ITERATIONS
