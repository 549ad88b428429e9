"""How analyses fare that the schema names, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say, strung
from microgauge.results import CoefficientResult, IndicatorResult, RegressionResult
from microgauge.results.blocks import Block, Group, Head, Sentence, Table
from microgauge.results.wording import counted, figure, interval_words, short


def indicators_brief(results: Sequence[IndicatorResult]) -> list[tuple[str, str]]:
    """How many still lie where they did, in a line."""
    known = [found for found in results if found.inside is not None]
    if not results:
        return []
    inside = sum(found.inside is True for found in known)
    unknown = (
        say("; {n} not comparable", n=len(results) - len(known))
        if len(known) < len(results)
        else ""
    )
    said = say(
        "{inside} of {n} inside the original's confidence interval{unknown}",
        inside=inside,
        n=len(known),
        unknown=unknown,
    )
    return [(say("analyses"), say("Indicators: {said}", said=said))]


def regressions_brief(results: Sequence[RegressionResult]) -> list[tuple[str, str]]:
    """How far the intervals of coefficients overlap, in a line."""
    known = [found.overlap for found in results if found.overlap is not None]
    if not results:
        return []
    each = strung((figure(overlap, 2) for overlap in known), ", ") or say("none comparable")
    return [
        (
            say("analyses"),
            say("Regressions, mean overlap of their intervals (1 the same): {each}", each=each),
        )
    ]


def indicators_words(results: Sequence[IndicatorResult]) -> list[Block]:
    """Both sides of each indicator, with its reason where a figure is missing."""
    if not results:
        return []
    table = Table(
        caption=say("Indicators"),
        heads=(
            Head(text="", most=30),
            Head(text=say("original"), width=17),
            Head(text=say("protected"), width=17),
            Head(text=say("overlap"), digits=2, width=7),
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
    return [Group(title=say("Indicators, with 95 % intervals"), blocks=(table,))]


def regressions_words(results: Sequence[RegressionResult]) -> list[Block]:
    """Each regression's overlap, and its weakest coefficients."""
    told: list[Block] = []
    for found in results:
        where = say(", where {where}", where=found.where) if found.where else ""
        told.append(
            Sentence(
                text=say(
                    "{kind}: {formula}{where}", kind=found.kind, formula=found.formula, where=where
                ),
                hanging=True,
            )
        )
        told += [Sentence(text=said, level=2, hanging=True) for said in regression_story(found)]
    return told


def indicator_name(result: IndicatorResult) -> str:
    """The indicator with its group."""
    return (
        result.name
        if result.group is None
        else say("{name}, {by} {group}", name=result.name, by=result.by, group=result.group)
    )


def regression_story(result: RegressionResult, most: int = 3) -> list[str]:
    """How a regression fares, in sentences."""
    if result.overlap is None:
        told = [say("not comparable: {reason}", reason=result.reason)]
        return [*told, jointly(result)] if result.joint_overlap is not None else told
    terms = result.coefficients
    mean = say(
        "mean overlap {overlap} of {coefficients}",
        overlap=figure(result.overlap, 2),
        coefficients=counted(len(terms), "coefficient"),
    )
    other = [c.term for c in terms if not (c.same_sign and c.same_verdict)]
    said = (
        say("{mean}; another sign or verdict: {other}", mean=mean, other=strung(other, ", "))
        if other
        else say("{mean}; {same}", mean=mean, same=SAME)
    )
    inside = sum(c.inside is True for c in terms)
    told = [say("inside the original's interval: {inside} of {n}", inside=inside, n=len(terms))]
    if result.joint_overlap is not None:
        told.append(jointly(result))
    weakest = sorted(terms, key=lambda c: c.overlap or 0.0)[:most]
    weak = say("weakest: {told}", told=strung((_coefficient_words(c) for c in weakest), "; "))
    return [said, strung(told, "; "), weak]


SAME = say("the same signs and verdicts")


def jointly(result: RegressionResult) -> str:
    """All comparable coefficients at once, in words."""
    whole = result.joint_terms == len(result.coefficients)
    comparable = counted(result.joint_terms or 0, "comparable term")
    which = (
        say("all at once") if whole else say("all at once, of {comparable}", comparable=comparable)
    )
    return say(
        "{which}: overlap {joint_overlap}, {joint_distance} standard errors apart",
        which=which,
        joint_overlap=figure(result.joint_overlap, 2),
        joint_distance=figure(result.joint_distance, 2),
    )


def _coefficient_words(c: CoefficientResult) -> str:
    assert c.original is not None
    assert c.protected is not None
    return say(
        "{term} {overlap} ({original} → {protected})",
        term=c.term,
        overlap=figure(c.overlap, 2),
        original=short(c.original),
        protected=short(c.protected),
    )
