"""A penalised additive logistic model: a smooth curve for each number (Eilers and Marx 1996).

Woo et al. used generalised additive models for survey data. Each number has a basis of cubic
B-splines, whose coefficients pay for second differences: with a large penalty the curve is a
straight line, with none it is the regression spline of the same knots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Literal

import numpy as np
from scipy import interpolate, linalg, special

from microgauge.arrays import Counts, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.propensity import Fitted, score_distance
from microgauge.measures.joint.terms import Columns, Term, build
from microgauge.records import dataclass

PIECES = 10
"""Pieces of a curve, with as many rows of both files each as ties allow."""
CUBIC = 3
PENALTIES = tuple(float(10.0**power) for power in range(-2, 7))
"""Penalties that are tried where none is given."""
MOST_STEPS = 100
ARRIVED = 1e-12
"""Gain of a step per row at which the climb ends."""
RIDGE = 1e-9
"""Of the mean curvature, added to all of it: columns may depend on each other."""

Choice = Literal["aic", "gcv"]


def curve_basis(values: Floats) -> Floats:
    """Cubic B-splines between quantiles of the values: rows × pieces + 3, rows add up to 1."""
    at = np.unique(np.quantile(values, np.linspace(0.0, 1.0, PIECES + 1)))
    knots = np.concatenate([[at[0]] * CUBIC, at, [at[-1]] * CUBIC])
    found = interpolate.BSpline.design_matrix(values, knots, CUBIC)
    return np.asarray(found.toarray())


def difference_penalty(size: int) -> Floats:
    """Σ (second differences)² of coefficients, as a matrix.

    >>> difference_penalty(3)
    array([[ 1., -2.,  1.],
           [-2.,  4., -2.],
           [ 1., -2.,  1.]])
    """
    differences = np.diff(np.eye(size), 2, axis=0)
    return np.asarray(differences.T @ differences)


def is_smooth(joint: Joint, place: int) -> bool:
    """Whether a variable has a curve: a number with enough different values."""
    variable = joint.variables[place]
    return variable.kind == "continuous" and len(np.unique(joint.values[place])) > PIECES


def additive_columns(joint: Joint, terms: Sequence[Term]) -> tuple[Columns, list[Floats | None]]:
    """The columns of the terms, then curves; and the penalty of each block of columns."""
    rest = build(joint, terms)
    dense = [rest.as_array()]
    owners = list(rest.owners)
    penalties: list[Floats | None] = [None] if owners else []
    for place in range(len(joint.variables)):
        if is_smooth(joint, place):
            basis = curve_basis(joint.values[place])
            size = basis.shape[1]
            # All coefficients shifted alike are an intercept: the first is 0.
            dense.append((basis - basis.mean(axis=0))[:, 1:])
            owners += [frozenset({place})] * (size - 1)
            penalties.append(difference_penalty(size)[1:, 1:])
    return Columns(np.hstack(dense), None, tuple(owners)), penalties


def penalty_matrix(columns: Columns, penalties: Sequence[Floats | None]) -> Floats:
    """The penalties of all columns: blocks at the end, 0 for what stands before."""
    blocks = [block for block in penalties if block is not None]
    size = sum(len(block) for block in blocks)
    plain = columns.shape[1] - size
    return np.asarray(linalg.block_diag(np.zeros((plain, plain)), *blocks))


@dataclass(frozen=True, eq=False)
class Smooth:
    """A fit with one penalty."""

    probability: Floats
    deviance: float
    freedom: float
    """Effective number of columns: the trace of (XᵀWX + λS)⁻¹ XᵀWX."""

    def criterion(self, choice: Choice) -> float:
        """AIC, or GCV of the deviance: the smaller the better."""
        rows = len(self.probability)
        if choice == "aic":
            return self.deviance + 2.0 * self.freedom
        return rows * self.deviance / (rows - self.freedom) ** 2


@dataclass(frozen=True, eq=False)
class AdditiveModel:
    """A penalised additive logistic model on given rows."""

    columns: Columns
    penalty: Floats
    """S, for a penalty of 1."""
    choice: Choice | float = "aic"
    """How the penalty is chosen, or the penalty itself."""
    _settled: dict[str, float] = field(default_factory=dict)

    @staticmethod
    def of(joint: Joint, terms: Sequence[Term], choice: Choice | float) -> AdditiveModel:
        """Terms beside the curves; columns of numbers that have a curve are left to it."""
        curved = {place for place in range(len(joint.variables)) if is_smooth(joint, place)}
        kept = [term for term in terms if len(term) > 1 or term[0] not in {(p, 1) for p in curved}]
        columns, penalties = additive_columns(joint, kept)
        return AdditiveModel(columns, penalty_matrix(columns, penalties), choice)

    @property
    def terms(self) -> int:
        """Number of columns."""
        return self.columns.shape[1]

    def fitted(self, protected: Floats) -> Fitted:
        """Scores; the penalty is chosen by the first labels and kept for all others."""
        return Fitted(self._smooth(protected).probability, None)

    @property
    def penalty_used(self) -> float | None:
        """The penalty, once it was chosen."""
        return self._settled.get("penalty")

    def _smooth(
        self, response: Floats, weights: Floats | None = None, rows: Floats | None = None
    ) -> Smooth:
        weights = np.ones(len(response)) if weights is None else weights
        rows = self.columns.dense if rows is None else rows
        if not isinstance(self.choice, str):
            self._settled["penalty"] = float(self.choice)
        if "penalty" not in self._settled:
            choice: Choice = self.choice  # type: ignore[assignment]
            tried = [(self._at(p, response, weights, rows).criterion(choice), p) for p in PENALTIES]
            self._settled["penalty"] = min(tried)[1]
        return self._at(self._settled["penalty"], response, weights, rows)

    def _at(self, penalty: float, response: Floats, weights: Floats, rows: Floats) -> Smooth:
        """Damped Newton steps to the largest penalised likelihood."""
        share = float(weights @ response / weights.sum())
        if not 0 < share < 1:
            raise Undefined(say("one of the files has no rows"))
        matrix = np.column_stack([np.ones(len(response)), rows])
        costs = np.zeros((matrix.shape[1], matrix.shape[1]))
        costs[1:, 1:] = penalty * self.penalty
        beta = np.zeros(matrix.shape[1])
        beta[0] = float(special.logit(share))
        for _ in range(MOST_STEPS):
            probability = special.expit(matrix @ beta)
            curvature = matrix.T @ (matrix * (weights * probability * (1 - probability))[:, None])
            gradient = matrix.T @ (weights * (response - probability)) - costs @ beta
            ridge = RIDGE * max(float(curvature.trace()) / len(beta), 1e-300)
            whole = linalg.cho_factor(curvature + costs + ridge * np.eye(len(beta)))
            step = linalg.cho_solve(whole, gradient)
            gain = float(gradient @ step)
            if gain <= ARRIVED * weights.sum():
                break
            beta = self._stepped(matrix, costs, response, weights, beta, step)
        freedom = float(linalg.cho_solve(whole, curvature).trace())
        probability = special.expit(matrix @ beta)
        loss = special.xlogy(response, probability) + special.xlog1py(1 - response, -probability)
        return Smooth(probability, -2.0 * float(weights @ loss), freedom)

    @staticmethod
    def _stepped(
        matrix: Floats, costs: Floats, response: Floats, weights: Floats, beta: Floats, step: Floats
    ) -> Floats:
        def height(at: Floats) -> float:
            eta = matrix @ at
            soft = np.logaddexp(0.0, eta)
            return float(weights @ (response * eta - soft) - at @ costs @ at / 2.0)

        size, start = 1.0, height(beta)
        while size > 1e-10 and height(beta + size * step) < start - 1e-12 * abs(start):
            size /= 2
        return np.asarray(beta + size * step)

    def without(self, place: int, whole: Fitted | None = None) -> AdditiveModel:
        """Only the columns that the variable has no part in, with the penalty of the whole."""
        del whole
        kept = self.columns.without(place)
        return replace(
            self, columns=self.columns.kept(kept), penalty=self.penalty[np.ix_(kept, kept)]
        )

    def crossed(self, protected: Floats, folds: Index) -> Floats:
        """Each fold's scores by a fit on the others."""
        found = np.empty(len(protected))
        for fold in range(int(folds.max()) + 1):
            here = folds == fold
            found[here] = self._smooth(protected, (~here).astype(np.float64)).probability[here]
        return found

    def resampled(self, original: Index, draws: Counts) -> float:
        """Original rows once and drawn rows as often as drawn: one weighted fit on the original."""
        weights: Floats = 1.0 + draws.astype(np.float64)
        part = self.columns.taken(original).dense
        scores = self._smooth(draws / weights, weights, part).probability
        return score_distance(scores, float(draws.sum() / weights.sum()), weights)
