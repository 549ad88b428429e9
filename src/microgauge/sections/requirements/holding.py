"""Which limits hold, what is wrong with them, and whether a file keeps them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.results import Assessment
from microgauge.results.figures import (
    PREFERRED_UTILITIES,
    Measures,
    figure_value,
    sections_of,
    utility_fault,
    utility_sections,
)
from microgauge.results.requirements import Requirement
from microgauge.schema import Schema
from microgauge.schema.limits import Limit, Limits, RankChoices
from microgauge.sections.verdict.choices import VerdictChoices

NEEDS_KEYS = ("disclosure", "risk", "rut")


def measures_of(schema: Schema) -> Measures:
    """What stands on the map: the utility that is named, or the one that is preferred."""
    named = named_utility(schema)
    return Measures(PREFERRED_UTILITIES[0] if named is None else named, schema.risk.measure)


def named_utility(schema: Schema) -> str | None:
    """The utility that the schema names, in [rank] or in [verdict]."""
    of_rank = schema.of(RankChoices).utility
    return schema.of(VerdictChoices).utility if of_rank is None else of_rank


def limits_of(schema: Schema) -> tuple[Limit, ...]:
    """All limits: those of [require], and max_risk and min_utility of [rut]."""
    named = schema.of(Limits).limits
    taken = {limit.figure for limit in named}
    return (*(limit for limit in _of_balance(schema) if limit.figure not in taken), *named)


def _of_balance(schema: Schema) -> list[Limit]:
    found = []
    if schema.rut.max_risk is not None:
        found.append(Limit(figure="risk", operator="<=", limit=schema.rut.max_risk))
    if schema.rut.min_utility is not None:
        found.append(Limit(figure="utility", operator=">=", limit=schema.rut.min_utility))
    return found


def limited(
    schema: Schema,
    *,
    require: Any = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
) -> Schema:
    """The schema with limits that were said beside it, which replace its own on the same figures.

    `max_risk` and `min_utility` are the limits on risk and utility.
    """
    own, rut = schema.of(Limits), schema.rut
    if require is not None:
        said = Limits.parsed(require)
        own = own.with_others(said)
        figures = {limit.figure for limit in said.limits}
        rut = replace(
            rut,
            max_risk=None if "risk" in figures else rut.max_risk,
            min_utility=None if "utility" in figures else rut.min_utility,
        )
    if max_risk is not None:
        own, rut = _without_schemas(own, require, "risk"), replace(rut, max_risk=max_risk)
    if min_utility is not None:
        own, rut = _without_schemas(own, require, "utility"), replace(rut, min_utility=min_utility)
    return schema.changed(requirements=own, rut=rut)


def _without_schemas(own: Limits, require: Any, figure: str) -> Limits:
    """Without the schema's limit on a figure; one said at the same time stays, and is a fault."""
    said = () if require is None else Limits.parsed(require).limits
    return own if any(limit.figure == figure for limit in said) else own.without(figure)


def limit_faults(
    schema: Schema, computed: Collection[str], *, also_balance: bool = False
) -> list[str]:
    """What is wrong with the limits and the utility, given the sections that are computed.

    `also_balance`: also where the limits of [rut] cannot be held against a figure.
    """
    found = _utility_faults(schema)
    if found:
        return found + _twice(schema)
    measures = measures_of(schema)
    strict = limits_of(schema) if also_balance else schema.of(Limits).limits
    for limit in strict:
        found += _not_computed(limit.figure, measures, schema, computed)
    return found + _twice(schema)


def _twice(schema: Schema) -> list[str]:
    """Limits of [rut] and of [require] that differ on one figure."""
    named = {limit.figure: limit for limit in schema.of(Limits).limits}
    entries = {"risk": "max_risk", "utility": "min_utility"}
    return [
        say(
            "{figure} is limited twice, by {entries} ({said}) and by [require] "
            "({said2}); give one.",
            figure=limit.figure,
            entries=entries[limit.figure],
            said=limit.said,
            said2=named[limit.figure].said,
        )
        for limit in _of_balance(schema)
        if limit.figure in named and named[limit.figure] != limit
    ]


def _utility_faults(schema: Schema) -> list[str]:
    of_rank, of_verdict = schema.of(RankChoices).utility, schema.of(VerdictChoices).utility
    named = named_utility(schema)
    if not isinstance(named, str):
        return []  # the preferred one, or told of by the schema itself
    where = say("[rank] utility") if named == of_rank else say("[verdict] utility")
    if None not in (of_rank, of_verdict) and of_rank != of_verdict:
        return [
            say(
                '{where} is "{of_rank}", and that of [verdict] is "{of_verdict}"; give one.',
                where=where,
                of_rank=of_rank,
                of_verdict=of_verdict,
            )
        ]
    analyses = {r.formula: "" for r in schema.regressions} | {
        i.title: "" for i in schema.indicators
    }
    found = utility_fault(where, named, analyses)
    if found:
        return found
    return [
        say('{where} is "{named}", {why}.', where=where, named=named, why=why)
        for section in utility_sections(named)[: 1 if ":" not in named else 0]
        if (why := _why_not(section, schema))
    ]


def _not_computed(
    figure: str, measures: Measures, schema: Schema, computed: Collection[str]
) -> list[str]:
    for section in sections_of(figure, measures):
        why = _why_not(section, schema)
        if why:
            return [say("{figure} is limited, {why}.", figure=figure, why=why)]
        if section not in computed:
            return [
                say(
                    "{figure} is limited, and it is a figure of the section {section}, "
                    "which --only or --skip leaves out.",
                    figure=figure,
                    section=section,
                )
            ]
    return []


def _why_not(section: str, schema: Schema) -> str:
    """Why a section cannot be computed at all."""
    if section in NEEDS_KEYS and not schema.keys:
        return say(
            'and the schema names no variable with role = "quasi_identifier", which it needs'
        )
    if section == "regressions" and not schema.regressions:
        return say("and the schema has no [[regression]]")
    if section == "indicators" and not schema.indicators:
        return say("and the schema has no [[indicator]]")
    return ""


def needed_by_limits(schema: Schema) -> frozenset[str]:
    """The sections whose figures are limited, and what may stop a release; none without limits."""
    measures = measures_of(schema)
    named = [sections_of(limit.figure, measures) for limit in limits_of(schema)]
    return frozenset({"left_in"}.union(*named)) if named else frozenset()


def requirements_of(result: Assessment, schema: Schema) -> tuple[Requirement, ...] | None:
    """Every limit, held against the figures of a file; None where there are no limits."""
    limits, measures = limits_of(schema), measures_of(schema)
    return tuple(_held(limit, result, measures) for limit in limits) or None


def _held(limit: Limit, result: Assessment, measures: Measures) -> Requirement:
    value, reason = None, None
    try:
        value = figure_value(result, limit.figure, measures)
    except Undefined as why:
        reason = str(why)
    return Requirement(
        figure=limit.figure,
        operator=limit.operator,
        limit=limit.limit,
        value=value,
        met=value is not None and limit.met_by(value),
        reason=reason,
    )
