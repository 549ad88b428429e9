"""Ordered logistic regression: proportional odds, fitted by Newton's method."""

from __future__ import annotations

import numpy as np
from scipy import special

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass

STEPS, HALVINGS = 100, 40
CLOSE = 1e-10
"""A gain of the log-likelihood for each unit below which a fit is done."""
NEAR = 1e-6
"""The length of a step, in terms of one standard deviation, below which a fit may be done."""
STEEP = 30.0
"""Log-odds that terms add or take away, from which units count as separated."""
MOST_CATEGORIES = 50


@dataclass(frozen=True)
class Ordered:
    """Estimates and their covariance: terms first, then thresholds from the lowest up."""

    values: Floats
    covariance: Floats
    explained: float
    """McFadden's 1 - l/l0: 0 as good as the shares of the categories, 1 certain."""


def ordered_logit(matrix: Floats, codes: Index, weights: Floats, *, robust: bool) -> Ordered:
    """logit P(category <= j) = threshold_j - x'b, by maximum likelihood.

    A positive coefficient goes with higher categories; `codes` are 0, 1, 2, … without a gap.
    Reference: McCullagh, P. (1980), *Regression models for ordinal data*, Journal of the Royal
    Statistical Society B 42(2). Robust errors are White's with n/(n - k), weights being those of a
    sample (HC1).

    >>> x = np.array([[0.0], [1.0], [2.0], [3.0], [1.0], [2.0]])
    >>> fit = ordered_logit(x, np.array([0, 1, 0, 2, 2, 1]), np.ones(6), robust=False)
    >>> bool(fit.values[0] > 0), bool(fit.values[1] < fit.values[2])
    (True, True)
    """
    categories = int(codes.max()) + 1
    if categories > MOST_CATEGORIES:
        raise Undefined(
            say(
                "the response has {categories} values, more than {most_categories}",
                categories=categories,
                most_categories=MOST_CATEGORIES,
            )
        )
    # On one scale, so that a number and its square are solved alike.
    centre, scale = matrix.mean(axis=0), matrix.std(axis=0)
    model = _Likelihood((matrix - centre) / scale, codes, weights, categories)
    values = model.fitted()
    covariance = np.linalg.inv(-model.hessian(values))
    if robust:
        rows, terms = len(codes), len(values)
        scores = model.scores(values)
        covariance = covariance @ (scores.T @ scores) @ covariance * (rows / (rows - terms))
    explained = 1.0 - model.value(values) / model.value(model.start())
    back = _back(centre, scale, categories - 1)
    return Ordered(back @ values, back @ covariance @ back.T, float(explained))


def _back(centre: Floats, scale: Floats, thresholds: int) -> Floats:
    """From estimates of centred and scaled terms to those of the terms as they are."""
    terms = len(centre)
    back = np.eye(terms + thresholds)
    back[:terms, :terms] = np.diag(1.0 / scale)
    back[terms:, :terms] = centre / scale
    return back


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """The weighted log-likelihood of terms and thresholds; concave in both."""

    matrix: Floats
    codes: Index
    weights: Floats
    categories: int

    def start(self) -> Floats:
        """No term matters, and thresholds give the shares of the categories."""
        shares = np.bincount(self.codes, self.weights, self.categories) / self.weights.sum()
        return np.append(np.zeros(self.matrix.shape[1]), special.logit(np.cumsum(shares)[:-1]))

    def fitted(self) -> Floats:
        """Newton's steps, halved while they do not gain."""
        here = self.start()
        value = self.value(here)
        for _ in range(STEPS):
            step = self._step(here)
            for _ in range(HALVINGS):
                reached = self.value(here + step)
                if reached >= value:
                    break
                step = step / 2.0
            else:
                return here
            gained, here, value = reached - value, self._bounded(here + step), reached
            if gained <= CLOSE * self.weights.sum() and np.abs(step).max() < NEAR:
                return here
        raise Undefined(say("the fit does not converge"))

    def _step(self, here: Floats) -> Floats:
        try:
            return np.linalg.solve(-self.hessian(here), self.scores(here).sum(axis=0))
        except np.linalg.LinAlgError:
            raise Undefined(say("the response of some units is separated perfectly")) from None

    def _bounded(self, found: Floats) -> Floats:
        """`Undefined` where terms grow without bound."""
        if np.abs(self.matrix @ found[: self.matrix.shape[1]]).max() > STEEP:
            raise Undefined(say("the response of some units is separated perfectly"))
        return found

    def _ends(self, at: Floats) -> tuple[Floats, Floats]:
        """Where each unit's category ends and begins, less what its terms say."""
        terms = self.matrix.shape[1]
        bounds = np.concatenate([[-np.inf], at[terms:], [np.inf]])
        said = self.matrix @ at[:terms]
        return bounds[self.codes + 1] - said, bounds[self.codes] - said

    def _chances(self, upper: Floats, lower: Floats) -> Floats:
        # On the side where both ends are small, so that no digits cancel.
        flip = lower > 0
        return np.asarray(
            np.where(
                flip,
                special.expit(-lower) - special.expit(-upper),
                special.expit(upper) - special.expit(lower),
            )
        )

    def value(self, at: Floats) -> float:
        """The log-likelihood; minus infinity where thresholds are not in order."""
        if (np.diff(at[self.matrix.shape[1] :]) <= 0).any():
            return -np.inf
        chances = self._chances(*self._ends(at))
        if (chances <= 0).any():
            return -np.inf
        return float((self.weights * np.log(chances)).sum())

    def _slopes(self, at: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Densities and their slopes at both ends, over the chance of the category."""
        upper, lower = self._ends(at)
        chances = self._chances(upper, lower)
        first = [special.expit(end) * special.expit(-end) for end in (upper, lower)]
        second = [
            density * (special.expit(-end) - special.expit(end))
            for density, end in zip(first, (upper, lower), strict=True)
        ]
        a, b, slope_a, slope_b = (part / chances for part in (*first, *second))
        return a, b, slope_a, slope_b

    def _ways(self) -> tuple[Floats, Floats]:
        """How both ends of each unit move with the parameters."""
        marks = np.eye(self.categories + 1)[:, 1:-1]
        upper = np.hstack([-self.matrix, marks[self.codes + 1]])
        lower = np.hstack([-self.matrix, marks[self.codes]])
        return upper, lower

    def scores(self, at: Floats) -> Floats:
        """The slope of each unit's log-likelihood, weighted."""
        a, b, _, _ = self._slopes(at)
        upper, lower = self._ways()
        slopes = a[:, np.newaxis] * upper - b[:, np.newaxis] * lower
        return np.asarray(slopes * self.weights[:, np.newaxis])

    def hessian(self, at: Floats) -> Floats:
        """The curvature of the log-likelihood."""
        a, b, slope_a, slope_b = self._slopes(at)
        upper, lower = self._ways()
        w = self.weights
        mixed = (upper.T * (w * a * b)) @ lower
        return np.asarray(
            (upper.T * (w * (slope_a - a**2))) @ upper
            + mixed
            + mixed.T
            - (lower.T * (w * (slope_b + b**2))) @ lower
        )
