"""How analyses fare that the schema names, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.results import CoefficientResult, IndicatorResult, RegressionResult
from microgauge.results.blocks import Block, Group, Head, Sentence, Table
from microgauge.results.wording import counted, figure, interval_words, short


def indicators_brief(results: Sequence[IndicatorResult]) -> list[tuple[str, str]]:
    """How many still lie where they did, in a line."""
    known = [found for found in results if found.inside is not None]
    if not results:
        return []
    inside = sum(found.inside is True for found in known)
    unknown = f"; {len(results) - len(known)} not comparable" if len(known) < len(results) else ""
    said = f"{inside} of {len(known)} inside the original's confidence interval{unknown}"
    return [("analyses", f"Indicators: {said}")]


def regressions_brief(results: Sequence[RegressionResult]) -> list[tuple[str, str]]:
    """How far the intervals of coefficients overlap, in a line."""
    known = [found.overlap for found in results if found.overlap is not None]
    if not results:
        return []
    each = ", ".join(figure(overlap, 2) for overlap in known) or "none comparable"
    return [("analyses", f"Regressions, mean overlap of their intervals (1 the same): {each}")]


def indicators_words(results: Sequence[IndicatorResult]) -> list[Block]:
    """Both sides of each indicator, with its reason where a figure is missing."""
    if not results:
        return []
    table = Table(
        caption="Indicators",
        heads=(
            Head(text="", most=30),
            Head(text="original", width=17),
            Head(text="protected", width=17),
            Head(text="overlap", digits=2, width=7),
        ),
        rows=tuple(
            (
                indicator_name(found),
                interval_words(found.original, found.original_ci),
                interval_words(found.protected, found.protected_ci),
                found.overlap,
            )
            for found in results
        ),
        notes=tuple(found.reason for found in results),
    )
    return [Group(title="Indicators, with 95 % intervals", blocks=(table,))]


def regressions_words(results: Sequence[RegressionResult]) -> list[Block]:
    """Each regression's overlap, and its weakest coefficients."""
    told: list[Block] = []
    for found in results:
        where = f", where {found.where}" if found.where else ""
        told.append(Sentence(text=f"{found.kind}: {found.formula}{where}", hanging=True))
        told += [Sentence(text=said, level=2, hanging=True) for said in regression_story(found)]
    return told


def indicator_name(result: IndicatorResult) -> str:
    """The indicator with its group."""
    return result.name if result.group is None else f"{result.name}, {result.by} {result.group}"


def regression_story(result: RegressionResult, most: int = 3) -> list[str]:
    """How a regression fares, in sentences."""
    if result.overlap is None:
        told = [f"not comparable: {result.reason}"]
        return [*told, jointly(result)] if result.joint_overlap is not None else told
    terms = result.coefficients
    mean = f"mean overlap {figure(result.overlap, 2)} of {counted(len(terms), 'coefficient')}"
    other = [c.term for c in terms if not (c.same_sign and c.same_verdict)]
    said = f"{mean}; another sign or verdict: {', '.join(other)}" if other else f"{mean}; {SAME}"
    inside = sum(c.inside is True for c in terms)
    told = [f"inside the original's interval: {inside} of {len(terms)}"]
    if result.joint_overlap is not None:
        told.append(jointly(result))
    weakest = sorted(terms, key=lambda c: c.overlap or 0.0)[:most]
    weak = "weakest: " + "; ".join(_coefficient_words(c) for c in weakest)
    return [said, "; ".join(told), weak]


SAME = "the same signs and verdicts"


def jointly(result: RegressionResult) -> str:
    """All comparable coefficients at once, in words."""
    whole = result.joint_terms == len(result.coefficients)
    comparable = counted(result.joint_terms or 0, "comparable term")
    which = "all at once" if whole else f"all at once, of {comparable}"
    return (
        f"{which}: overlap {figure(result.joint_overlap, 2)}, "
        f"{figure(result.joint_distance, 2)} standard errors apart"
    )


def _coefficient_words(c: CoefficientResult) -> str:
    assert c.original is not None
    assert c.protected is not None
    return f"{c.term} {figure(c.overlap, 2)} ({short(c.original)} → {short(c.protected)})"
