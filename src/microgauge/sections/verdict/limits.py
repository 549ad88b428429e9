"""Which limits speak of use and which of safety, and what they make of a grade."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from microgauge.results import Assessment
from microgauge.results.figures import Measures
from microgauge.results.requirements import Requirement, apart
from microgauge.results.verdict import Opinion

OF_USE = (
    "utility", "gdu", "gdu_1000", "tables", "k_marginal", "U", "auc_cross", "ratio", "il1s",
    "overlap", "inside",
)  # fmt: skip
OF_SAFETY = ("risk", "found", "learned", "copied", "internal", "k", "uniques")
"""`rut` is a balance of both, and grades neither."""


def limits_on(result: Assessment, figures: Collection[str]) -> list[Requirement]:
    """The limits on some figures, as they were set."""
    return [one for one in result.requirements or () if one.figure in figures]


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
        sentence=f"{_how(missed, told)}: {'; '.join(_said(one) for one in told)}.",
        reason=first.reason,
    )


def _called(figure: str, measures: Measures) -> str:
    """The measure behind a figure of the map."""
    return {"utility": measures.utility, "risk": str(measures.risk)}.get(figure, figure)


def _how(missed: Sequence[Requirement], told: Sequence[Requirement]) -> str:
    if missed:
        several = "a limit that was" if len(told) == 1 else "limits that were"
        return f"It misses {several} set"
    return f"It keeps the limit{'' if len(told) == 1 else 's'} set for it"


def _said(one: Requirement) -> str:
    if one.value is None:
        return one.missed_said
    return f"{one.said} (it is {apart(one.value, one.limit)})"
