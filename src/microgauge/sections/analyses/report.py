"""Analyses that the schema names, in the report: with care where data users read it."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say
from microgauge.results import CoefficientResult, Edition, IndicatorResult, RegressionResult
from microgauge.results.blocks import Block, Cell, Group, Head, Intervals, Legend, Sentence, Table
from microgauge.results.wording import beginning, begun, figure
from microgauge.sections.analyses.words import indicator_name, jointly

BOTH_SIDES = (
    Head(text=say("original"), right=True),
    Head(text=say("protected"), right=True),
    Head(text=say("overlap"), digits=2),
    Head(text=say("intervals")),
)


NOT_TOLD = say(
    "Told is what rests on enough records, on no single one, and gives none away by subtraction; "
    "figures are rounded, the fewer the records the more, and overlaps are of rounded intervals."
)
NO_TERM = say("None of its terms can be told: they rest on few records, or on one.")


def indicators_report(results: Sequence[IndicatorResult], edition: Edition) -> list[Group]:
    """Both sides of each indicator."""
    public = edition == "public"
    if not results:
        return []
    table = Table(
        caption=say("Indicators"),
        heads=(Head(text=say("indicator")), *BOTH_SIDES),
        rows=tuple(_indicator_row(found, public) for found in results),
    )
    aside = (Sentence(text=NOT_TOLD, soft=True),) if public else ()
    blocks = (Legend(), table, *aside)
    return [Group(name="indicators", title=say("Indicators"), explain="overlap", blocks=blocks)]


def _indicator_row(found: IndicatorResult, public: bool) -> tuple[Cell, ...]:
    name = indicator_name(found)
    drawn: Cell = "" if public else found.reason or ""
    if found.original_ci or found.protected_ci:
        drawn = Intervals(
            title=say("Intervals of {name}", name=beginning(name)),
            original=found.original,
            original_ci=found.original_ci,
            protected=found.protected,
            protected_ci=found.protected_ci,
        )
    return (name, found.original, found.protected, found.overlap, drawn)


def regressions_report(results: Sequence[RegressionResult], edition: Edition) -> list[Group]:
    """Both sides of each coefficient."""
    public = edition == "public"
    if not results:
        return []
    shown = [_regression(found, public) for found in results]
    aside = (Sentence(text=NOT_TOLD, soft=True),) if public else ()
    blocks: tuple[Block, ...] = (Legend(), *shown, *aside)
    return [Group(name="regressions", title=say("Regressions"), explain="overlap", blocks=blocks)]


def _regression(result: RegressionResult, public: bool) -> Group:
    where = say(", where {where}", where=result.where) if result.where else ""
    title = result.formula + where
    shown = result.coefficients
    if public and not shown:
        return Group(title=title, blocks=(Sentence(text=NO_TERM),))
    sentences = [Sentence(text=_mean_overlap(result, shown, public=public))]
    if result.joint_overlap is not None:
        said = jointly(result)
        sentences.append(Sentence(text=say("{said}.", said=begun(said))))
    table = Table(
        caption=say("Coefficients of {title}", title=beginning(title)),
        heads=(Head(text=say("term")), *BOTH_SIDES[:-1], Head(text=say("inside")), BOTH_SIDES[-1]),
        rows=tuple(
            (c.term, c.original, c.protected, c.overlap, INSIDE[c.inside], _drawn(c)) for c in shown
        ),
    )
    return Group(title=title, blocks=(*sentences, table))


INSIDE = {True: say("yes"), False: say("no"), None: None}
"""Whether the protected estimate lies in the original's interval."""


def _mean_overlap(
    result: RegressionResult, shown: Sequence[CoefficientResult], *, public: bool
) -> str:
    overlaps = [c.overlap for c in shown if c.overlap is not None]
    if result.overlap is None or not overlaps:
        reason = None if public else result.reason
        return say("Not comparable: {reason}", reason=reason or say("the fits differ"))
    mean, inside = sum(overlaps) / len(overlaps), sum(c.inside is True for c in shown)
    return say(
        "Mean overlap {mean} of {n} coefficients; {inside} inside the original's interval.",
        mean=figure(mean, 2),
        n=len(shown),
        inside=inside,
    )


def _drawn(c: CoefficientResult) -> Cell:
    if not (c.original_ci and c.protected_ci):
        return ""
    return Intervals(
        title=say("Intervals of {term}", term=beginning(c.term)),
        original=c.original,
        original_ci=c.original_ci,
        protected=c.protected,
        protected_ci=c.protected_ci,
    )
