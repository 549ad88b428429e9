"""Analyses that the schema names, in the report: with care where data users read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from microgauge.results import (
    Assessment,
    CoefficientResult,
    Edition,
    IndicatorResult,
    RegressionResult,
)
from microgauge.results.blocks import Block, Cell, Group, Head, Intervals, Legend, Sentence, Table
from microgauge.results.wording import beginning, begun, figure
from microgauge.sections.analyses.words import indicator_name, jointly
from microgauge.sections.gdu.report import variables
from microgauge.sections.public import may_be_told, public_indicators, public_labels

BOTH_SIDES = (
    Head(text="original", right=True),
    Head(text="protected", right=True),
    Head(text="overlap", digits=2),
    Head(text="intervals"),
)


def indicators_report(
    results: Sequence[IndicatorResult], edition: Edition, threshold: int
) -> list[Group]:
    """Both sides of each indicator; of the public edition, those that rest on enough records."""
    public = edition == "public"
    shown = public_indicators(results, threshold) if public else results
    if not shown:
        return []
    table = Table(
        caption="Indicators",
        heads=(Head(text="indicator"), *BOTH_SIDES),
        rows=tuple(_indicator_row(found, public) for found in shown),
    )
    blocks = (Legend(), table)
    return [Group(name="indicators", title="Indicators", explain="overlap", blocks=blocks)]


def _indicator_row(found: IndicatorResult, public: bool) -> tuple[Cell, ...]:
    name = indicator_name(found)
    drawn: Cell = "" if public else found.reason or ""
    if found.original_ci or found.protected_ci:
        drawn = Intervals(
            title=f"Intervals of {beginning(name)}",
            original=found.original,
            original_ci=found.original_ci,
            protected=found.protected,
            protected_ci=found.protected_ci,
        )
    return (name, found.original, found.protected, found.overlap, drawn)


def regressions_report(
    result: Assessment, results: Sequence[RegressionResult], edition: Edition, threshold: int
) -> list[Group]:
    """Both sides of each coefficient; of the public edition, those that give nobody away."""
    if edition == "public":
        told = public_labels(variables(result, edition, threshold))
        shown = [
            _regression(found, told)
            for found in results
            if min(found.units_original or 0, found.units_protected or 0) >= threshold
        ]
    else:
        shown = [_regression(found, None) for found in results]
    if not shown:
        return []
    blocks: tuple[Block, ...] = (Legend(), *shown)
    return [Group(name="regressions", title="Regressions", explain="overlap", blocks=blocks)]


def _regression(result: RegressionResult, told: Mapping[str, frozenset[str]] | None) -> Group:
    """A regression; with `told`, only terms whose categories may be told."""
    shown = [c for c in result.coefficients if told is None or may_be_told(c, told)]
    where = f", where {result.where}" if result.where and told is None else ""
    title = result.formula + where
    sentences = [Sentence(text=_mean_overlap(result, shown, public=told is not None))]
    # What is of all terms is told only where all terms are.
    if result.joint_overlap is not None and len(shown) == len(result.coefficients):
        said = jointly(result)
        sentences.append(Sentence(text=f"{begun(said)}."))
    table = Table(
        caption=f"Coefficients of {beginning(title)}",
        heads=(Head(text="term"), *BOTH_SIDES[:-1], Head(text="inside"), BOTH_SIDES[-1]),
        rows=tuple(
            (c.term, c.original, c.protected, c.overlap, INSIDE[c.inside], _drawn(c)) for c in shown
        ),
    )
    return Group(title=title, blocks=(*sentences, table))


INSIDE = {True: "yes", False: "no", None: None}
"""Whether the protected estimate lies in the original's interval."""


def _mean_overlap(
    result: RegressionResult, shown: Sequence[CoefficientResult], *, public: bool
) -> str:
    overlaps = [c.overlap for c in shown if c.overlap is not None]
    if result.overlap is None or not overlaps:
        reason = None if public else result.reason
        return f"Not comparable: {reason or 'the fits differ'}"
    mean, inside = sum(overlaps) / len(overlaps), sum(c.inside is True for c in shown)
    return (
        f"Mean overlap {figure(mean, 2)} of {len(shown)} coefficients; {inside} inside the "
        "original's interval."
    )


def _drawn(c: CoefficientResult) -> Cell:
    if not (c.original_ci and c.protected_ci):
        return ""
    return Intervals(
        title=f"Intervals of {beginning(c.term)}",
        original=c.original,
        original_ci=c.original_ci,
        protected=c.protected,
        protected_ci=c.protected_ci,
    )
