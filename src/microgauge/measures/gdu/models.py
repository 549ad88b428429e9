"""Utility of models a user names: linear and logistic regressions, scales (Kocar 2018, 3.6).

For the model's statistic and for each coefficient the same three steps hold as for pairs.
Coefficients are squared in the third step, statistics and alphas are not; opposite signs score 0;
the intercept does not count; a term that one side lacks scores 0. The model's utility is the mean
of the statistic's score and of the coefficients' mean score.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np
from scipy import special

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.gdu.steps import Verdict, significance, similarity
from microgauge.records import dataclass
from microgauge.results import ModelScore, TermScore
from microgauge.schema import Model

LARGEST = 1e150
"""Beyond that, squares are not finite."""
CERTAIN = 1e-9
"""p (1 - p) of a unit below which its response is told with certainty."""


@dataclass(frozen=True)
class Estimate:
    """A number with the p-value of its test; None where it has no test."""

    value: float
    p: float | None = None


@dataclass(frozen=True)
class Fit:
    """A fitted model on one side."""

    statistic: Estimate
    terms: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True)
class Factor:
    """A column that enters a model as dummy variables: its categories, and the terms it is in."""

    categories: tuple[str, ...]
    terms: frozenset[str]
    products: bool = False
    """Whether it is multiplied with another column: that one's terms then depend on it."""


@dataclass(frozen=True, eq=False)
class Design:
    """Response, design matrix without the intercept, weights scaled to the effective units."""

    response: Floats
    matrix: Floats
    names: tuple[str, ...]
    weights: Floats
    intercept: bool = True
    factors: Mapping[str, Factor] = field(default_factory=dict)
    categories: Mapping[int, str] = field(default_factory=dict)
    """Of a response whose categories are ordered: the name of each code."""

    @property
    def units(self) -> float:
        """Effective number of units."""
        return float(self.weights.sum())


def linear(design: Design) -> Fit:
    """Adjusted R² with its F test; standardised betas with their t tests.

    Weighted least squares with weights that add up to the effective number of units, which takes
    the place of n in all degrees of freedom.
    """
    check_design(design)
    matrix, weights = with_intercept(design), design.weights
    roots = np.sqrt(weights)
    beta, *_ = np.linalg.lstsq(matrix * roots[:, np.newaxis], design.response * roots, rcond=None)
    terms, freedom = len(design.names), design.units - matrix.shape[1]
    if freedom <= 0:
        raise Undefined(say("fewer units than terms"))
    residual = float((weights * (design.response - matrix @ beta) ** 2).sum())
    centre = _mean(design.response, weights) if design.intercept else 0.0
    total = float((weights * (design.response - centre) ** 2).sum())
    explained = 1.0 - residual / total
    adjusted = 1.0 - (1.0 - explained) * (design.units - int(design.intercept)) / freedom
    inverse = np.linalg.inv(matrix.T @ (matrix * weights[:, np.newaxis]))
    errors = np.sqrt(np.diag(inverse) * residual / freedom)
    standard = _deviations(design) / _deviation(design.response, weights)
    start = int(design.intercept)
    return Fit(
        Estimate(adjusted, _f_p(explained, terms, freedom)),
        {
            name: Estimate(float(b * s), _t_p(float(b), float(e), freedom))
            for name, b, e, s in zip(
                design.names, beta[start:], errors[start:], standard, strict=True
            )
        },
    )


def _f_p(explained: float, terms: int, freedom: float) -> float:
    if explained >= 1.0:
        return 0.0
    return float(special.fdtrc(terms, freedom, explained / terms / ((1.0 - explained) / freedom)))


def _t_p(estimate: float, error: float, freedom: float) -> float:
    if error == 0:
        return 0.0 if estimate else 1.0
    return 2.0 * float(special.stdtr(freedom, -abs(estimate / error)))


def logistic(design: Design) -> Fit:
    """Cox and Snell's R² with its likelihood-ratio test; log odds ratios with their z tests."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    values = np.unique(design.response)
    if len(values) != 2:
        raise Undefined(say("the response has {n} values, not two", n=len(values)))
    check_design(design)
    response = (design.response == values[1]).astype(np.float64)
    # Terms on one scale: the fit then converges to the last digits whatever the units are.
    scale = _deviations(design)
    centre = design.matrix.mean(axis=0) if design.intercept else 0.0
    scaled = replace(design, matrix=(design.matrix - centre) / scale)
    model = GLM(
        response,
        with_intercept(scaled),
        family=Binomial(),
        freq_weights=design.weights,
    )
    fitted = fitted_glm(model)
    gain = 2.0 * float(fitted.llf - fitted.llnull)
    start = int(design.intercept)
    terms = {
        name: Estimate(float(fitted.params[start + i] / scale[i]), float(fitted.pvalues[start + i]))
        for i, name in enumerate(design.names)
    }
    statistic = 1.0 - float(np.exp(-gain / design.units))
    p = float(special.chdtrc(len(design.names), max(gain, 0.0)))
    return Fit(Estimate(statistic, p), terms)


def fitted_glm(model: Any) -> Any:
    """A binomial model fitted to the last digits; `Undefined` where it cannot be."""
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    with warnings.catch_warnings():
        warnings.simplefilter("error", PerfectSeparationWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            fitted = model.fit(maxiter=200, tol=1e-10, tol_criterion="params")
        except PerfectSeparationWarning:
            raise Undefined(say("the response is separated perfectly")) from None
    if not fitted.converged or not np.isfinite(fitted.params).all():
        raise Undefined(say("the fit does not converge"))
    if (fitted.mu * (1.0 - fitted.mu)).min() < CERTAIN:
        raise Undefined(say("the response of some units is separated perfectly"))
    return fitted


def check_design(design: Design) -> None:
    """`Undefined` where a model cannot be fitted."""
    rows, columns = design.matrix.shape
    if columns == 0:
        raise Undefined(say("no term is left"))
    if rows < columns + 2:
        raise Undefined(say("fewer complete units than terms"))
    if np.ptp(design.response) == 0:
        raise Undefined(say("the response is constant"))
    matrix = with_intercept(design)
    if max(np.abs(matrix).max(), np.abs(design.response).max()) > LARGEST:
        raise Undefined(say("the numbers are too large to be squared"))
    lengths = np.sqrt((matrix**2).sum(axis=0))
    # On one scale, so that a large number squared does not pass for a dependence.
    if not lengths.all() or np.linalg.matrix_rank(matrix / lengths) < matrix.shape[1]:
        raise Undefined(say("the terms are linearly dependent"))


def with_intercept(design: Design) -> Floats:
    """The design matrix with a first column of ones, if the model has an intercept."""
    if not design.intercept:
        return design.matrix
    return np.column_stack([np.ones(len(design.matrix)), design.matrix])


def _mean(values: Floats, weights: Floats) -> float:
    return float((values * weights).sum() / weights.sum())


def _deviation(values: Floats, weights: Floats) -> float:
    mean = _mean(values, weights)
    return float(np.sqrt((weights * (values - mean) ** 2).sum() / weights.sum()))


def _deviations(design: Design) -> Floats:
    return np.array([_deviation(column, design.weights) for column in design.matrix.T])


def scale(items: Floats, names: tuple[str, ...], weights: Floats) -> Fit:
    """Cronbach's alpha of the items, and alpha without each item in turn."""
    if len(items) < 2:
        raise Undefined(say("fewer than two complete units"))
    terms = {}
    if len(names) > 2:
        for place, name in enumerate(names):
            terms[name] = Estimate(cronbach_alpha(np.delete(items, place, axis=1), weights))
    return Fit(Estimate(cronbach_alpha(items, weights)), terms)


def cronbach_alpha(items: Floats, weights: Floats) -> float:
    """k/(k - 1) · (1 - Σ item variances / variance of the sum).

    >>> answers = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    >>> cronbach_alpha(answers, np.ones(3))
    1.0
    """
    count = items.shape[1]
    total = _deviation(items.sum(axis=1), weights) ** 2
    if total == 0:
        raise Undefined(say("the sum of the items is constant"))
    parts = sum(_deviation(item, weights) ** 2 for item in items.T)
    return float(count / (count - 1) * (1.0 - parts / total))


# -- comparison ------------------------------------------------------------------------------


def verdict(original: Estimate, protected: Estimate, threshold: float, *, squared: bool) -> Verdict:
    """The three steps for one statistic or coefficient."""
    if original.p is not None and protected.p is not None:
        found = significance(original.p, protected.p, threshold)
        if found is not None:
            return found
    if original.value * protected.value < 0:
        return Verdict("reversed", 0.0)
    power = 2 if squared else 1
    return Verdict("kept", similarity(original.value**power, protected.value**power))


def model_score(
    model: Model, original: Fit | Undefined, protected: Fit | Undefined, threshold: float
) -> ModelScore:
    """The utility of one model, or null with the reason."""
    if isinstance(original, Undefined):
        return _unfitted(model, None, None, say("original: {original}", original=original), None)
    if isinstance(protected, Undefined):
        # What users of the protected table cannot estimate at all is lost to them.
        return _unfitted(
            model,
            original.statistic.value,
            None,
            say("protected: {protected}", protected=protected),
            0.0,
        )
    whole = verdict(original.statistic, protected.statistic, threshold, squared=False)
    names = dict.fromkeys([*original.terms, *protected.terms])
    squared = model.kind != "scale"
    terms = tuple(
        _term(name, original.terms.get(name), protected.terms.get(name), threshold, squared)
        for name in names
    )
    scores = [term.utility for term in terms if term.utility is not None]
    utility = whole.utility if not scores else (whole.utility + sum(scores) / len(scores)) / 2
    return ModelScore(
        kind=model.kind,
        formula=model.title,
        statistic_original=original.statistic.value,
        statistic_protected=protected.statistic.value,
        outcome=whole.outcome,
        utility=utility,
        terms=terms,
    )


def _unfitted(
    model: Model, original: float | None, protected: float | None, why: str, utility: float | None
) -> ModelScore:
    return ModelScore(
        kind=model.kind,
        formula=model.title,
        statistic_original=original,
        statistic_protected=protected,
        outcome=None if utility is None else "lost",
        utility=utility,
        reason=why,
    )


def _term(
    name: str, before: Estimate | None, after: Estimate | None, threshold: float, squared: bool
) -> TermScore:
    if before is None or after is None:
        lacking = "original" if before is None else say("protected table")
        return TermScore(
            term=name,
            original=None if before is None else before.value,
            protected=None if after is None else after.value,
            outcome="gained" if before is None else "lost",
            utility=0.0,
            reason=say("the {lacking} lacks this term", lacking=lacking),
        )
    found = verdict(before, after, threshold, squared=squared)
    return TermScore(
        term=name,
        original=before.value,
        protected=after.value,
        outcome=found.outcome,
        utility=found.utility,
    )
