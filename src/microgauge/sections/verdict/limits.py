"""What limits make of a grade."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say, strung
from microgauge.results import Assessment
from microgauge.results.figures import FIGURES, Measures, Subject
from microgauge.results.requirements import Requirement
from microgauge.results.verdict import Opinion


def limits_on(result: Assessment, subject: Subject) -> list[Requirement]:
    """The limits that speak of use, or of safety, as they were set."""
    return [one for one in result.requirements or () if FIGURES[one.figure].subject == subject]


def by_limits(limits: Sequence[Requirement], measures: Measures) -> Opinion:
    """Good where all limits are kept, else poor. The figure is that of the first one missed."""
    missed = [one for one in limits if not one.met]
    told = missed or list(limits)
    first = next((one for one in told if one.figure in ("utility", "risk")), told[0])
    return Opinion(
        grade="poor" if missed else "good",
        measure=_called(first.figure, measures),
        value=first.value,
        limit=first.limit,
        sentence=_sentence(missed, told),
        reason=first.reason,
    )


def _called(figure: str, measures: Measures) -> str:
    """The measure behind a figure of the map."""
    return {"utility": measures.utility, "risk": str(measures.risk)}.get(figure, figure)


def _sentence(missed: Sequence[Requirement], told: Sequence[Requirement]) -> str:
    held = strung((one.missed_said for one in told), "; ")
    if missed and len(told) == 1:
        return say("It misses a limit that was set: {held}.", held=held)
    if missed:
        return say("It misses {n:,} limits that were set: {held}.", n=len(told), held=held)
    if len(told) == 1:
        return say("It keeps the limit that was set: {held}.", held=held)
    return say("It keeps the limits that were set: {held}.", held=held)
