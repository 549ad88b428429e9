"""Regressions: terms that rest on enough records whichever way they are added up, rounded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from microgauge.measures.analysis.overlap import inside
from microgauge.results import CoefficientResult, RegressionResult
from microgauge.sections.public.indicators import MOST_INFLUENCE, overlap_of, rounded_bounds
from microgauge.sections.public.rounding import estimate_step, half_width, to_step
from microgauge.sections.public.told import Told

_DUMMY = re.compile(r"(?:C\()?([^\[\]()]+)\)?\[(?:T\.)?([^\[\]]*)\]")
SLACK = 1e-6
"""What arithmetic may take from a whole number of records."""


def regressions_for_users(
    results: Sequence[RegressionResult], told: Told
) -> tuple[RegressionResult, ...]:
    """Each regression that enough units are in, with the terms that may be told."""
    found: list[RegressionResult] = []
    units: dict[str, list[tuple[int, int]]] = {}
    for result in results:
        sides = result.units_original or 0, result.units_protected or 0
        beside = units.setdefault(result.formula, [])
        # The same model of nearly the same people tells of those that are in one only.
        near = any(
            0 < abs(a - b) < told.threshold
            for other in beside
            for a, b in zip(sides, other, strict=True)
        )
        if min(sides) >= told.threshold and not near:
            beside.append(sides)
            found.append(_regression(result, told))
    return tuple(found)


def _regression(result: RegressionResult, told: Told) -> RegressionResult:
    units = result.units_original or 1
    terms = tuple(
        _rounded(term, units, told.threshold)
        for term in result.coefficients
        if _may_be_told(term, told)
    )
    overlaps = [term.overlap for term in terms if term.overlap is not None]
    whole = result.overlap is not None and bool(overlaps)
    return RegressionResult(
        formula=result.formula,
        kind=result.kind,
        where=None,
        overlap=round(sum(overlaps) / len(overlaps), 2) if whole else None,
        coefficients=terms,
        robust=result.robust,
        bands=result.bands,
    )


def _may_be_told(term: CoefficientResult, told: Told) -> bool:
    """Whether a term is on both sides, rests on enough, on no single record, and names nothing
    that is not named.
    """
    if term.original is None or term.protected is None or term.original_ci is None:
        return False
    if term.records_original is None or term.influence_original is None:
        return False
    if term.records_original < told.threshold * (1.0 - SLACK):
        return False
    if term.influence_original > MOST_INFLUENCE * half_width(term.original_ci):
        return False
    return names_what_is_told(term.term, told.labels)


def names_what_is_told(term: str, labels: Mapping[str, frozenset[str]]) -> bool:
    """Whether a term names no category, or one that is named elsewhere; products are not told."""
    if not set("[]") & set(term):
        return True
    found = _DUMMY.fullmatch(term)
    return found is not None and found[2] in labels.get(found[1], frozenset())


def _rounded(term: CoefficientResult, units: int, threshold: int) -> CoefficientResult:
    assert term.original is not None
    assert term.protected is not None
    assert term.original_ci is not None
    step = estimate_step(
        term.original, term.original_ci, units, term.influence_original or 0.0, threshold
    )
    bounds = rounded_bounds(term.original_ci, step)
    other = rounded_bounds(term.protected_ci, step)
    protected = to_step(term.protected, step)
    return CoefficientResult(
        term=term.term,
        original=to_step(term.original, step),
        original_ci=bounds,
        protected=protected,
        protected_ci=other,
        overlap=None if term.overlap is None else overlap_of(bounds, other),
        inside=None if bounds is None or term.inside is None else inside(bounds, protected),
    )
