"""Regressions on both sides: coefficients with their confidence intervals, compared."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.measures.analysis.leaning import leaning
from microgauge.measures.analysis.ordered import ordered_logit
from microgauge.measures.analysis.overlap import inside, joint_distance, joint_overlap, overlap
from microgauge.measures.analysis.resting import response_rests_on
from microgauge.measures.analysis.statistics import NORMAL_975
from microgauge.measures.gdu.models import (
    Design,
    Factor,
    check_design,
    fitted_glm,
    with_intercept,
)
from microgauge.records import dataclass
from microgauge.results import CoefficientResult, RegressionKind, RegressionResult

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Coefficient:
    """An estimate, its standard error, its 95 % interval and its p-value."""

    value: float
    error: float
    bounds: tuple[float, float]
    p: float
    records: float | None = None
    """Records that it rests on, whichever way it is added to others that rest on as many."""
    influence: float | None = None
    """The most that leaving out one record moves it."""


_Terms = dict[str, Coefficient]


@dataclass(frozen=True)
class Fitted:
    """A regression fitted on one side."""

    terms: Mapping[str, Coefficient]
    units: int
    explained: float
    """R², or McFadden's for a logistic or ordered model."""
    factors: Mapping[str, Factor]
    """The categories of the columns that enter as dummy variables."""
    covariance: Floats | None = None
    """Of the estimates, in the order of the terms."""

    def at(self, terms: Sequence[str]) -> tuple[Floats, Floats]:
        """Some of the estimates, and their covariance."""
        if self.covariance is None:
            raise Undefined(say("the covariance of the coefficients is not known"))
        places = [list(self.terms).index(term) for term in terms]
        values = np.array([self.terms[term].value for term in terms])
        return values, self.covariance[np.ix_(places, places)]


def fit_regression(design: Design, kind: RegressionKind, robust: bool) -> Fitted:
    """Fit by statsmodels: least squares (weighted), or a binomial model with logit link.

    An ordered model is fitted by proportional odds. Robust standard errors are White's with a
    correction for small samples (HC1).
    """
    fits = {"linear": _linear, "logistic": _logistic, "ordered": _ordered}
    return fits[kind](design, robust)


def _linear(design: Design, robust: bool) -> Fitted:
    from statsmodels.regression.linear_model import WLS

    check_design(design)
    matrix, factors = _scaled(design)
    if design.units <= matrix.shape[1]:
        raise Undefined(say("fewer units than terms"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = WLS(design.response, matrix, weights=design.weights)
        if not robust:
            # Weighted units are as many as they are worth; robust errors count rows.
            model.df_resid = design.units - matrix.shape[1]
        fitted = model.fit(cov_type="HC1", use_t=True) if robust else model.fit()
    errors = design.response - np.asarray(fitted.fittedvalues)
    return Fitted(
        _leaning(
            _terms(design, fitted, factors), design, design.weights, errors, (matrix, factors)
        ),
        len(design.response),
        float(fitted.rsquared),
        design.factors,
        np.asarray(fitted.cov_params()) / np.outer(factors, factors),
    )


def _logistic(design: Design, robust: bool) -> Fitted:
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    check_design(design)
    values = np.unique(design.response)
    if len(values) != 2:
        raise Undefined(say("the response has {n} values, not two", n=len(values)))
    matrix, factors = _scaled(design)
    response = (design.response == values[1]).astype(np.float64)
    model = GLM(response, matrix, family=Binomial(), freq_weights=design.weights)
    fitted = fitted_glm(model)
    explained = 1.0 - float(fitted.llf / fitted.llnull)
    covariance = np.asarray(fitted.cov_params())
    if robust:
        covariance = _sandwich(matrix, design.weights, response, np.asarray(fitted.mu))
    covariance = covariance / np.outer(factors, factors)
    terms = _normal_terms(_term_names(design), np.asarray(fitted.params) / factors, covariance)
    mu = np.asarray(fitted.mu)
    spread = np.maximum(mu * (1.0 - mu), 1e-12)
    errors = (response - mu) / spread
    terms = _leaning(terms, design, design.weights * spread, errors, (matrix, factors))
    return Fitted(terms, len(design.response), explained, design.factors, covariance)


def _ordered(design: Design, robust: bool) -> Fitted:
    """Thresholds take the intercept's place; they belong to the response's categories."""
    check_design(replace(design, intercept=True))
    values, codes = np.unique(design.response, return_inverse=True)
    found = ordered_logit(design.matrix, codes, design.weights, robust=robust)
    thresholds = tuple(f"threshold[{number}]" for number in range(1, len(values)))
    terms = _normal_terms((*design.names, *thresholds), found.values, found.covariance)
    categories = tuple(design.categories[int(value)] for value in values)
    response = Factor(categories, frozenset(thresholds))
    factors = {**design.factors, "the response": response}
    return Fitted(terms, len(design.response), found.explained, factors, found.covariance)


def _normal_terms(names: Sequence[str], values: Floats, covariance: Floats) -> _Terms:
    """Intervals and tests of estimates that are normal in large samples."""
    errors = np.sqrt(np.diag(covariance))
    half = NORMAL_975 * errors
    bounds = np.stack([values - half, values + half], axis=1)
    return _coefficients(names, values, errors, bounds, 2.0 * special.ndtr(-abs(values / errors)))


def _sandwich(matrix: Floats, weights: Floats, response: Floats, fitted: Floats) -> Floats:
    """White's covariance with n/(n - k), weights being those of a sample (HC1)."""
    rows, terms = matrix.shape
    bread = np.linalg.inv((matrix.T * (weights * fitted * (1.0 - fitted))) @ matrix)
    scores = matrix * (weights * (response - fitted))[:, np.newaxis]
    return np.asarray(bread @ (scores.T @ scores) @ bread * (rows / (rows - terms)))


def _leaning(
    terms: _Terms, design: Design, weights: Floats, errors: Floats, scaled: tuple[Floats, Floats]
) -> _Terms:
    """With the records that each term rests on, and what one of them does to it."""
    matrix, factors = scaled
    try:
        found = leaning(matrix, weights, errors)
    except np.linalg.LinAlgError:
        return terms
    columns = dict(zip(design.names, design.matrix.T, strict=True))
    most = response_rests_on(
        design.response, design.weights, columns, list(design.factors.values())
    )
    return {
        name: replace(
            term,
            records=min(float(found.records[place]), float(most)),
            influence=float(found.influence[place] / factors[place]),
        )
        for place, (name, term) in enumerate(terms.items())
    }


def _scaled(design: Design) -> tuple[Floats, Floats]:
    """Terms on one scale, so that AGEP and AGEP² are solved alike; and what to divide by."""
    matrix = with_intercept(design)
    factors = np.sqrt((matrix**2).mean(axis=0))
    return matrix / factors, factors


def _term_names(design: Design) -> tuple[str, ...]:
    return (*(("Intercept",) if design.intercept else ()), *design.names)


def _terms(design: Design, fitted: Any, factors: Floats) -> _Terms:
    return _coefficients(
        _term_names(design),
        np.asarray(fitted.params) / factors,
        np.asarray(fitted.bse) / factors,
        np.asarray(fitted.conf_int(alpha=0.05)) / factors[:, np.newaxis],
        np.asarray(fitted.pvalues),
    )


def _coefficients(
    names: Sequence[str], values: Floats, errors: Floats, bounds: Floats, p: Floats
) -> _Terms:
    if not (np.isfinite(values).all() and np.isfinite(bounds).all()):
        raise Undefined(say("the fit gives no finite intervals"))
    return {
        name: Coefficient(
            float(values[i]),
            float(errors[i]),
            (float(bounds[i, 0]), float(bounds[i, 1])),
            float(p[i]),
        )
        for i, name in enumerate(names)
    }


# -- comparison ------------------------------------------------------------------------------


def compare_regressions(
    start: RegressionResult, original: Fitted | Undefined, protected: Fitted | Undefined
) -> RegressionResult:
    """Coefficient by coefficient; null with the reason where a side could not be fitted."""
    reasons = [
        say("{which}: {why}", which=which, why=side)
        for which, side in (("original", original), ("protected", protected))
        if isinstance(side, Undefined)
    ]
    before = {} if isinstance(original, Undefined) else original.terms
    after = {} if isinstance(protected, Undefined) else protected.terms
    shifted: set[str] = set()
    if not (isinstance(original, Undefined) or isinstance(protected, Undefined)):
        shifted, why = _shifted(original, protected)
        reasons += why
    coefficients = tuple(
        _coefficient(term, before.get(term), after.get(term), term in shifted)
        for term in dict.fromkeys([*before, *after])
    )
    overlaps = [c.overlap for c in coefficients if c.overlap is not None]
    whole = not reasons and len(overlaps) == len(coefficients)
    if not reasons and not whole:
        reasons.append(say("a coefficient has no overlap"))
    if not (isinstance(original, Undefined) or isinstance(protected, Undefined)):
        try:
            start = _jointly(start, original, protected, shifted)
        except Undefined as why:
            reasons.append(say("joint_overlap, joint_distance: {why}", why=why))
    return replace(
        start,
        coefficients=coefficients,
        overlap=sum(overlaps) / len(overlaps) if whole and overlaps else None,
        inside=_share([c.inside for c in coefficients]) if whole and overlaps else None,
        units_original=None if isinstance(original, Undefined) else original.units,
        units_protected=None if isinstance(protected, Undefined) else protected.units,
        fit_original=None if isinstance(original, Undefined) else original.explained,
        fit_protected=None if isinstance(protected, Undefined) else protected.explained,
        reason=strung(reasons, "; ") or None,
    )


def _share(flags: Sequence[bool | None]) -> float:
    return sum(flag is True for flag in flags) / len(flags)


def _jointly(
    start: RegressionResult, original: Fitted, protected: Fitted, shifted: set[str]
) -> RegressionResult:
    """All coefficients at once that mean the same on both sides.

    Where a factor's categories differ, the intercept is relative to its reference and left out
    with it: what is left does not depend on any reference. A product with such a factor makes its
    partner relative to it too, and nothing is compared.
    """
    both = [term for term in original.terms if term in protected.terms and term not in shifted]
    if len(both) < max(len(original.terms), len(protected.terms)):
        both = [term for term in both if term != "Intercept"]
        left_out = {*original.terms, *protected.terms} - {*both}
        factors = [*original.factors.values(), *protected.factors.values()]
        if any(factor.products and factor.terms & left_out for factor in factors):
            raise Undefined(say("a factor whose categories differ is multiplied with other terms"))
    if not both:
        raise Undefined(say("no coefficient means the same on both sides"))
    (before, first), (after, second) = original.at(both), protected.at(both)
    _check_widths(original, protected, both)
    # On one scale, so that a large number squared does not pass for a dependence.
    scale = np.sqrt(np.diag(first))
    apart = (after - before) / scale
    first, second = (matrix / np.outer(scale, scale) for matrix in (first, second))
    return replace(
        start,
        joint_overlap=joint_overlap(apart, first, second),
        joint_distance=joint_distance(apart, first),
        joint_terms=len(both),
    )


def _check_widths(original: Fitted, protected: Fitted, terms: Sequence[str]) -> None:
    """`Undefined` where an exact fit leaves an interval without width."""
    for term in terms:
        overlap(original.terms[term].bounds, protected.terms[term].bounds)


def _shifted(original: Fitted, protected: Fitted) -> tuple[set[str], list[str]]:
    """Terms that mean something else on the other side, and why.

    A dummy variable is a difference to the reference category. Where categories differ, a term of
    the same name is another contrast; where the reference differs, so is the intercept.
    """
    terms: set[str] = set()
    changed = []
    for name, factor in original.factors.items():
        other = protected.factors.get(name)
        if other is not None and other.categories == factor.categories:
            continue
        changed.append(name)
        terms |= factor.terms | (other.terms if other is not None else set())
        if other is None or other.categories[0] != factor.categories[0]:
            terms.add("Intercept")
    for name, factor in protected.factors.items():
        if name not in original.factors:
            changed.append(name)
            terms |= factor.terms | {"Intercept"}
    reasons = (
        [say("protected: the categories of {changed} differ", changed=strung(changed, ", "))]
        if changed
        else []
    )
    lost = [term for term in original.terms if term not in protected.terms]
    new = [term for term in protected.terms if term not in original.terms]
    if lost or new:
        reasons.append(_other_terms(lost, new))
    return terms, reasons


def _other_terms(lost: list[str], new: list[str]) -> str:
    gone, there = strung(lost, ", "), strung(new, ", ")
    if not lost:
        return say("protected: the fit also has {new}", new=there)
    if not new:
        return say("protected: the fit lacks {lost}", lost=gone)
    return say("protected: the fit lacks {lost} and has {new} instead", lost=gone, new=there)


def _coefficient(
    term: str, before: Coefficient | None, after: Coefficient | None, shifted: bool
) -> CoefficientResult:
    start = CoefficientResult(
        term=term,
        original=None if before is None else before.value,
        original_ci=None if before is None else before.bounds,
        protected=None if after is None else after.value,
        protected_ci=None if after is None else after.bounds,
        records_original=None if before is None else before.records,
        influence_original=None if before is None else before.influence,
    )
    if before is None or after is None:
        which = "original" if before is None else "protected"
        return replace(start, reason=say("no such term in the {which} fit", which=which))
    if shifted:
        return replace(start, reason=say("the factor's categories differ between the tables"))
    reason = shared = None
    try:
        shared = overlap(before.bounds, after.bounds)
    except Undefined as why:
        reason = say("overlap: {why}", why=why)
    apart = abs(after.value - before.value)
    return replace(
        start,
        inside=inside(before.bounds, after.value),
        overlap=shared,
        standardised_difference=apart / before.error if before.error > 0 else None,
        same_sign=before.value * after.value > 0 or before.value == after.value,
        same_verdict=(before.p < SIGNIFICANT) == (after.p < SIGNIFICANT),
        reason=reason,
    )
