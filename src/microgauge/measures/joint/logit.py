"""Logistic regression by maximum likelihood, without a penalty, that tells when it fails.

Plain Newton steps on heavy-tailed terms "converge" to fitted probabilities of 0 and 1. Here steps
are damped until the likelihood rises, and a fit counts only if its gradient is zero to tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import log
from typing import Any

import numpy as np
from scipy import linalg

from microgauge.arrays import Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.joint.terms import Columns
from microgauge.records import dataclass

FEW_COLUMNS = 40
"""Up to so many columns a step is a least squares problem, which heavy tails do not upset; beyond,
conjugate gradients solve for it on the sparse matrix."""
SLOW_SOLVE = 15
"""Iterations of a solve from which the preconditioner is made anew for the current weights."""
MOST_ITERATIONS = 40
MOST_STEPS = 200
CERTAIN = 1e-4
"""Fitted probabilities nearer than this to 0 or 1 are of rows told apart with certainty."""
CLOSE = 1e-12
"""Gain of a step per row at which the climb ends where some rows are told apart with certainty:
their coefficients would grow for ever."""
TOLERANCE = 1e-6
"""Largest gradient per row, of columns with a mean square of 1, that counts as zero."""
MANY_COLUMNS = 200
ENOUGH = 1e-18
"""Gain of a step per row at which the quasi-Newton climb has arrived."""
MOST_APPROACHES = 150
"""Steps of the quasi-Newton climb before Newton's own take over."""
LONGEST = 1024.0
"""Times a step is lengthened at most where rows are told apart with certainty."""
MEMORY = 40
"""Steps that the quasi-Newton climb remembers."""
PATIENCE = 120
"""Steps of the quasi-Newton climb after which it looks at the curvature where it is: as much work
as some twenty steps, without which most climbs arrive."""
LEAST_WEIGHT, LITTLE_WEIGHT = 0.02, 0.001
"""Of a row in a curvature that leads the steps of other fits, whose scores are less certain: where
all share one, and where each has its own."""
MANY_APART, MOST_APART = 0.05, 0.5
"""Shares of rows of less weight from which, and up to which, it pays that each fit has its own."""
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
    beta: Floats
    """Coefficients of the basis, that of the intercept first."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Independent columns of a model, the intercept among them, ready for fitting."""

    rank: int
    """Number of columns beside the intercept."""
    matrix: Floats | None
    """Few columns with the intercept, as one array; None where there are many."""
    columns: Columns | None = None
    """All columns, where there is no one matrix."""
    kept: Index | None = None
    """Those of all columns that are independent."""
    factor: Floats | None = None
    """Cholesky factor of the Gram matrix per row of the kept ones, intercept first."""
    dependent: Index | None = None
    """Those that vary, but depend on the kept ones."""
    weighted: bool = False
    """Whether the factor is that of a curvature, with the weights of a fit, and not of the rows."""

    def solved(self, vector: Floats, level: float) -> Floats:
        """The vector divided by the curvature, or by what is near it where rows weigh `level`."""
        found = _solved(self.factor, vector)
        return found if self.weighted else found / level

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
        return np.asarray(beta[0] + self.columns.dot(self.spread(beta)[1:]))

    def spread(self, beta: Floats) -> Floats:
        """Coefficients of all columns: 0 for those that are not kept."""
        assert self.columns is not None
        assert self.kept is not None
        found = np.zeros(self.columns.shape[1] + 1)
        found[0] = beta[0]
        found[1 + self.kept] = beta[1:]
        return found

    def gathered(self, every: Floats) -> Floats:
        """Of coefficients of all columns, those of the kept ones."""
        assert self.kept is not None
        return np.append(every[0], every[1 + self.kept])

    def transposed_dot(self, values: Floats) -> Floats:
        """Xᵀ v."""
        if self.matrix is not None:
            return np.asarray(self.matrix.T @ values)
        assert self.columns is not None
        return np.append(values.sum(), self.columns.transposed_dot(values)[self.kept])

    def taken(self, rows: Index) -> Basis:
        """The same columns on some of the rows."""
        if self.matrix is not None:
            return replace(self, matrix=self.matrix[rows])
        assert self.columns is not None
        return replace(self, columns=self.columns.taken(rows))


def independent(columns: Columns, gram: Floats | None = None, among: Index | None = None) -> Basis:
    """Drop columns that depend on others (and on the intercept); look at some columns only."""
    among = np.arange(columns.shape[1]) if among is None else among
    if len(among) <= FEW_COLUMNS:
        return _independent_few(columns if len(among) == columns.shape[1] else columns.kept(among))
    gram = columns.gram() if gram is None else gram
    part = gram if len(among) == columns.shape[1] else gram[np.ix_(among, among)]
    kept, varies = _independent_places(part, columns.sums[among], columns.shape[0])
    varies[kept] = False
    found = Basis(len(kept), None, columns, among[kept], dependent=among[varies])
    return factored(found, gram)


def _independent_places(gram: Floats, sums: Floats, rows: int) -> tuple[Index, Flags]:
    """Which columns are independent of each other and the intercept; which of all vary."""
    centred = (gram - np.outer(sums, sums) / rows) / rows
    spread = centred.diagonal()
    varies = spread > DEPENDENT * np.maximum(gram.diagonal() / rows, 1e-300)
    scale = np.sqrt(np.where(varies, spread, np.inf))
    centred /= scale
    centred /= scale[:, np.newaxis]
    _, pivots, rank, _ = linalg.lapack.dpstrf(centred, tol=DEPENDENT)
    return np.sort(pivots[:rank] - 1), varies


def rank_of(columns: Columns) -> int:
    """How many of the columns are independent, the intercept not counted."""
    if columns.shape[1] <= FEW_COLUMNS:
        return _independent_few(columns).rank
    return len(_independent_places(columns.gram(), columns.sums, columns.shape[0])[0])


def factored(basis: Basis, gram: Floats) -> Basis:
    """The basis with the factor of its Gram matrix."""
    assert basis.columns is not None
    assert basis.kept is not None
    rows, kept = basis.rows, basis.kept
    with_one = np.empty((basis.rank + 1, basis.rank + 1))
    with_one[0, 0] = 1.0
    with_one[0, 1:] = with_one[1:, 0] = basis.columns.sums[kept] / rows
    with_one[1:, 1:] = gram[np.ix_(kept, kept)] / rows
    with_one[np.diag_indices(basis.rank + 1)] += 1e-12
    return replace(basis, factor=_compact(_factor(with_one)))


def curved(basis: Basis, curvature: Floats) -> Basis:
    """The basis with the factor of a curvature of all columns, the intercept first."""
    places = np.append(0, 1 + np.asarray(basis.kept))
    try:
        part = curvature.astype(_kind(len(places)))[np.ix_(places, places)]
        factor = _factor(part)
    except linalg.LinAlgError:  # half the digits were too few
        factor = _compact(_factor(curvature[np.ix_(places, places)]))
    return replace(basis, factor=factor, weighted=True)


def _factor(square: Floats) -> Floats:
    """The Cholesky factor of a matrix, which it takes the place of."""
    # Turned it is the same matrix, in the order that LAPACK needs.
    return np.asarray(linalg.cholesky(square.T, lower=True, overwrite_a=True, check_finite=False))


def curvature(columns: Columns | None, weights: Floats) -> Floats:
    """Xᵀ W X of all columns, the intercept first; a little more, so that it can be factored."""
    assert columns is not None
    level = float(weights.sum())
    found = columns.gram(weights, ahead=1)
    found[0, 0] = level
    found[0, 1:] = found[1:, 0] = columns.transposed_dot(weights)
    found[np.diag_indices(len(found))] += 1e-10 * level
    return found


@dataclass(frozen=True, eq=False)
class Lead:
    """The curvature at one fit, which leads the steps of fits with some of its columns.

    Rows that are told apart nearly for certain weigh next to nothing there. In another fit they may
    be told apart no more, or still: where they are many, what they add is found for each anew.
    """

    common: Floats
    """Of the other rows."""
    certain: Columns
    """Those rows, where they are many."""

    @staticmethod
    def of(columns: Columns, probability: Floats) -> Lead:
        """At the fitted probabilities. Few such rows just weigh a little, in every fit the same."""
        weights = probability * (1.0 - probability)
        apart = weights < LEAST_WEIGHT
        many = bool(MANY_APART < apart.mean() <= MOST_APART)
        common = curvature(columns, np.where(apart, 0.0 if many else LEAST_WEIGHT, weights))
        return Lead(common, columns.taken(np.flatnonzero(apart & many)))

    @property
    def own(self) -> bool:
        """Whether fits differ in it."""
        return self.certain.shape[0] > 0

    def leading(self, basis: Basis, start: Floats) -> Basis:
        """Some of the columns with the factor of the curvature at which another fit starts."""
        if not self.own:
            return curved(basis, self.common)
        every = basis.spread(basis.gathered(start))
        probability = expected(every[0] + self.certain.dot(every[1:]))
        found = curvature(
            self.certain, np.maximum(probability * (1.0 - probability), LITTLE_WEIGHT)
        )
        found += self.common
        return curved(basis, found)


def _compact(factor: Floats) -> Any:
    """Large factors in half the memory: they only lead the steps, what is reached stays exact."""
    return np.asfortranarray(factor, dtype=_kind(len(factor)))


def _kind(size: int) -> Any:
    """The type of the numbers of a factor."""
    return np.float32 if size > MANY_COLUMNS else np.float64


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


def expected(eta: Floats) -> Floats:
    """Probabilities of log odds; quicker than scipy's `expit`, with the same digits.

    >>> expected(np.array([-800.0, 0.0, np.log(3.0)]))
    array([0.  , 0.5 , 0.75])
    """
    with np.errstate(over="ignore"):  # 1 over more than can be written is 0
        return np.asarray(1.0 / (1.0 + np.exp(-eta)))


def fit_logit(
    basis: Basis,
    response: Floats,
    weights: Floats | None = None,
    close: float = CLOSE,
    enough: float = ENOUGH,
    start: Floats | None = None,
    longer: float = 1.0,
) -> LogitFit:
    """Maximise the likelihood. `response` is the share of protected units in each row.

    The climb begins at the intercept alone, or at the coefficients `start` where that is higher.
    Where a larger share of rows than `longer` is told apart, longer steps are tried.
    """
    weights = np.ones(len(response)) if weights is None else weights
    share = float((weights * response).sum() / weights.sum())
    if not 0 < share < 1:
        raise Undefined(say("one of the files has no rows"))
    if basis.rank + 1 >= np.count_nonzero(weights):
        raise Undefined(say("fewer rows than terms"))
    whole = _Problem(basis, response, weights)
    floor = whole.likelihood(whole.start(share))
    certain = _one_sided_rows(whole)
    problem = replace(whole, weights=np.where(certain == 0, weights, 0.0), certain=certain)
    left = float(problem.weights.sum())
    part = float(problem.weights @ response / left) if left else share
    if not 0 < part < 1:  # every row is in a cell of one file alone
        return problem.judged(problem.start(share), floor, close)
    beta = problem.start(part)
    if start is not None and problem.likelihood(start) > problem.likelihood(beta):
        beta = start
    arrived = False
    if basis.matrix is None and basis.rank:
        beta, arrived = _approach(problem, beta, close, enough, longer)
    if not arrived:
        beta = _climb(problem, beta, close)
    return problem.judged(beta, floor, close)


def _one_sided_rows(problem: _Problem) -> Floats:
    """Rows in cells that one file alone has: 1 only the protected one, -1 only the other, else 0.

    The coefficient of such a cell grows for ever, its rows' probabilities tend to 1 or 0, and what
    is left of the likelihood is that of the other rows; among these there may be more such cells.
    """
    found = np.zeros(len(problem.response))
    columns = problem.basis.columns
    if columns is None or columns.sparse is None:
        return found
    split = columns.dense.shape[1]
    open_cells = np.zeros(columns.shape[1], dtype=np.bool_)
    open_cells[problem.basis.kept] = True
    open_cells = open_cells[split:] & columns.one_sided
    sides = np.zeros(len(open_cells))
    weights = problem.weights
    while True:
        ones = columns.sparse.T @ (weights * problem.response)
        zeros = columns.sparse.T @ (weights * (1.0 - problem.response))
        new = open_cells & ((ones == 0) != (zeros == 0))
        if not new.any():
            break
        sides[new] = np.where(zeros[new] == 0, 1.0, -1.0)
        open_cells = open_cells & ~new
        weights = np.where(columns.sparse @ new.astype(np.float64) > 0, 0.0, weights)
    if not sides.any():
        return found
    up, down = (columns.sparse @ (sides == side).astype(np.float64) > 0 for side in (1.0, -1.0))
    return np.asarray(up, dtype=np.float64) - np.asarray(down, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Problem:
    basis: Basis
    response: Floats
    weights: Floats
    certain: Floats | None = None
    """1 and -1 for rows of a cell that one file alone has, which weigh nothing any more."""

    def start(self, share: float) -> Floats:
        """The intercept alone: the first column of the matrix is constant in every basis."""
        beta = np.zeros(self.basis.rank + 1)
        first = 1.0 if self.basis.matrix is None else float(self.basis.matrix[0, 0])
        beta[0] = log(share / (1.0 - share)) / first
        return beta

    def likelihood(self, beta: Floats) -> float:
        return self.likelihood_at(self.basis.dot(beta))

    def likelihood_at(self, eta: Floats) -> float:
        # log(1 + e^η) as η⁺ + log(1 + e^-|η|), which is quicker than logaddexp.
        soft = np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))
        return float(self.weights @ (self.response * eta - soft))

    def gradient(self, probability: Floats) -> Floats:
        return self.basis.transposed_dot(self.weights * (self.response - probability))

    def judged(self, beta: Floats, floor: float, close: float) -> LogitFit:
        """The fit, if it is one."""
        tolerance = TOLERANCE * max(close / 1e-9, 1.0)
        probability = expected(self.basis.dot(beta))
        if self.certain is not None and self.certain.any():
            probability = np.where(
                self.certain == 0, probability, np.where(self.certain > 0, 1.0, 0.0)
            )
        likelihood = self.likelihood(beta)
        gradient = float(np.abs(self.gradient(probability)).max(initial=0.0))
        gradient /= max(float(self.weights.sum()), 1.0)
        certain = _certain(probability[self.weights > 0]) or bool(np.any(self.certain))
        # Where coefficients grow for ever the climb ends by its gain, of which this is the root.
        tolerance = max(tolerance, float(np.sqrt(close)) if certain else 0.0)
        if likelihood < floor - 1e-9 * abs(floor) or gradient > tolerance:
            raise Undefined(say("the likelihood could not be maximised"))
        return LogitFit(probability, likelihood, gradient, self.basis.rank, certain, beta)


def _certain(probability: Floats) -> bool:
    """Whether some rows are told apart with certainty."""
    return bool(np.minimum(probability, 1.0 - probability).min(initial=0.5) < CERTAIN)


def _told_apart(probability: Floats, seen: Flags) -> float:
    """Share of the rows that are seen which are told apart nearly for certain."""
    apart = (probability * (1.0 - probability) < LEAST_WEIGHT) & seen
    return float(apart.sum() / max(int(seen.sum()), 1))


def _approach(
    problem: _Problem, beta: Floats, close: float, enough: float, longer: float
) -> tuple[Floats, bool]:
    """Steps of a quasi-Newton climb (L-BFGS), and whether they arrived at the top.

    They start from the factored Gram matrix, which is the curvature but for weights p(1 - p) that
    differ from row to row. While these are much alike, as they are unless rows are told apart with
    near certainty, ten to twenty steps of one product each way are enough. Where they are not, the
    curvature at hand takes the place of the first one, now and then.
    """
    basis, rows = problem.basis, float(problem.weights.sum())
    eta = basis.dot(beta)
    likelihood = problem.likelihood_at(eta)
    probability = expected(eta)
    gradient = problem.gradient(probability)
    seen = problem.weights > 0
    memory: list[tuple[Floats, Floats, float]] = []
    for count in range(MOST_APPROACHES):
        if count and count % PATIENCE == 0:
            weights = problem.weights * probability * (1.0 - probability)
            basis, memory = curved(basis, curvature(basis.columns, weights)), []
        level = float((problem.weights * probability * (1.0 - probability)).sum())
        step = _remembered(memory, gradient, basis, level)
        gain = float(gradient @ step)
        if gain <= enough * rows:
            return beta, True
        image = basis.dot(step)
        along = partial(_likelihood_along, problem.likelihood_at, eta, image)
        size, there = _damped(along, likelihood, gain)
        if size == 0:
            return beta, False
        if longer < 1.0 and _told_apart(probability, seen) > longer:
            size, there = _lengthened(along, size, there)
        # A step that could be lengthened is not the last one.
        certain = size <= 1.0 and gain <= close * rows and _certain(probability[seen])
        beta, eta, likelihood = beta + size * step, eta + size * image, there
        probability = expected(eta)
        last, gradient = gradient, problem.gradient(probability)
        turned = last - gradient
        bend = float(turned @ step) * size
        if certain or bend <= 0:
            return beta, certain
        memory = [*memory[1 - MEMORY :], (size * step, turned, bend)]
    return beta, False


def _remembered(
    memory: list[tuple[Floats, Floats, float]],
    gradient: Floats,
    basis: Basis,
    level: float,
) -> Floats:
    """The gradient divided by the curvature, as the steps before have shown it."""
    rest = gradient.copy()
    parts = []
    for step, turned, curvature in reversed(memory):
        parts.append(float(step @ rest) / curvature)
        rest -= parts[-1] * turned
    found = basis.solved(rest, level)
    for (step, turned, curvature), part in zip(memory, reversed(parts), strict=True):
        found += (part - float(turned @ found) / curvature) * step
    return found


def _climb(problem: _Problem, beta: Floats, close: float) -> Floats:
    """Damped Newton steps until the likelihood rises no more."""
    likelihood = problem.likelihood(beta)
    rows = float(problem.weights.sum())
    solver = _Solver(problem.basis)
    for _ in range(MOST_STEPS):
        probability = expected(problem.basis.dot(beta))
        gradient = problem.gradient(probability)
        step = _step(problem, solver, probability, gradient)
        gain = float(gradient @ step)
        if gain <= (1e-25 if problem.basis.matrix is not None else 1e-16) * rows:
            break
        size, there = _damped(
            partial(_likelihood_along, problem.likelihood, beta, step), likelihood, gain
        )
        if size == 0:
            break
        beta, likelihood = beta + size * step, there
        if (
            problem.basis.matrix is None
            and gain <= close * rows
            and _certain(probability[problem.weights > 0])
        ):
            break
    return beta


def _likelihood_along(
    likelihood_at: Callable[[Floats], float], start: Floats, direction: Floats, size: float
) -> float:
    """The likelihood after a part of a step, in coefficients or in the scores that they give."""
    return likelihood_at(start + size * direction)


def _damped(
    likelihood_after: Callable[[float], float], likelihood: float, gain: float
) -> tuple[float, float]:
    """The longest of the steps 1, ½, ¼, … that raises the likelihood enough, and its likelihood."""
    size = 1.0
    while size > 1e-10:
        there = likelihood_after(size)
        # Near the top the gain drowns in rounding: then not to fall is enough.
        if there >= likelihood + 1e-4 * size * gain - 1e-14 * abs(likelihood):
            return size, there
        size /= 2
    return 0.0, likelihood


def _lengthened(
    likelihood_after: Callable[[float], float], size: float, likelihood: float
) -> tuple[float, float]:
    """A whole step doubled while the likelihood rises: rows told apart have a long way to go."""
    while 1.0 <= size < LONGEST:
        there = likelihood_after(2.0 * size)
        if there <= likelihood:
            break
        size, likelihood = 2.0 * size, there
    return size, likelihood


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
                return basis.solved(vector, level)
            return _solved(self.factor, vector)

        found, iterations = _conjugate_gradients(product, gradient, precondition)
        if iterations >= SLOW_SOLVE:
            self.factor = self._weighted_factor(weights)
        return found

    def _weighted_factor(self, weights: Floats) -> Floats:
        assert self.basis.columns is not None
        whole = curvature(self.basis.columns, weights)
        places = np.append(0, 1 + np.asarray(self.basis.kept))
        return _factor(whole[np.ix_(places, places)])


def _solved(factor: Floats | None, vector: Floats) -> Floats:
    assert factor is not None
    # For one vector LAPACK's own (potrs) takes several times as long as its two halves.
    half = linalg.blas.strsv if factor.dtype == np.float32 else linalg.blas.dtrsv
    below = half(factor, vector.astype(factor.dtype), lower=1)
    return np.asarray(half(factor, below, lower=1, trans=1), dtype=np.float64)


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
