"""The verdict on a file: a pure function of its results and of what the schema asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microgauge.languages.messages import say, strung
from microgauge.results import Assessment
from microgauge.results.disclosure import LookedFor
from microgauge.results.figures import Measures, default_utility, utility_sections
from microgauge.results.verdict import Finding, Opinion, Provisional, Verdict
from microgauge.schema import Schema
from microgauge.sections.requirements.holding import (
    measures_of,
    named_utility,
    needed_by_limits,
)
from microgauge.sections.verdict.choices import VerdictChoices
from microgauge.sections.verdict.findings_of_safety import (
    left_in,
    risk_too_high,
    special_uniques,
    unchanged_records,
    unmatched,
    without_values,
)
from microgauge.sections.verdict.findings_of_use import FINDERS
from microgauge.sections.verdict.limits import limits_on
from microgauge.sections.verdict.low_limits import low_limits
from microgauge.sections.verdict.safe import risk_of, safe
from microgauge.sections.verdict.useful import useful, utility_of

RANKS = {"stop": 0, "warn": 1, "note": 2}


def needed_by(schema: Schema) -> frozenset[str]:
    """The sections that a verdict is made of: of both grades, and of the limits."""
    measures = measures_of(schema)
    found = {"left_in", "tables", *utility_sections(measures.utility)}
    if schema.keys:
        found.add("disclosure" if measures.risk == "disclosure" else "risk")
    return frozenset(found) | needed_by_limits(schema)


def with_verdict(result: Assessment, schema: Schema) -> Assessment:
    """An assessment with the verdict on it, its limits being held already."""
    return result.changed(
        verdict=verdict_of(result, _measures(result, schema), schema.of(VerdictChoices).title)
    )


def provisional(result: Assessment, later: Sequence[str]) -> Assessment:
    """The same with the verdict marked as a first one: what was cut short, what comes later."""
    verdict, found = result.verdict, result.disclosure
    assert verdict is not None
    looked_for = None if found is None else found.looked_for
    if looked_for is None and not later:
        return result  # nothing was cut short, and nothing comes later
    seed = result.inputs.seed
    why = Provisional(
        sentence=strung(_first_said(looked_for, later, seed), " "),
        looked_for=looked_for,
        not_measured=tuple(later),
        seed=seed,
    )
    return result.changed(verdict=replace(verdict, provisional=why))


def _first_said(looked_for: LookedFor | None, later: Sequence[str], seed: int) -> list[str]:
    said = [say("Provisional.")]
    if looked_for is not None:
        said.append(
            say(
                "Of {of:,} people whose keys agree with no record, the nearest records "
                "were looked for only for {drawn:,} (seed {seed}): the risk is an "
                "estimate.",
                of=looked_for.of,
                drawn=looked_for.drawn,
                seed=seed,
            )
        )
    if later:
        said.append(
            say("Findings of other sections are not in it: {later}.", later=strung(later, ", "))
        )
    return said


def _measures(result: Assessment, schema: Schema) -> Measures:
    """The two of the map; where nobody names a utility, the preferred one among those computed."""
    found = measures_of(schema)
    if named_utility(schema) is None:
        return replace(found, utility=default_utility(result.sections))
    return found


def verdict_of(result: Assessment, measures: Measures, title: str | None = None) -> Verdict:
    """Both grades, the two figures of the map, and what was found, the worst first."""
    use, safety = useful(result, measures), safe(result, measures)
    return Verdict(
        useful=use,
        safe=safety,
        utility=utility_of(result, measures)[0],
        risk=risk_of(result, measures)[0],
        findings=_findings(result, measures, safety),
        title=title,
    )


def _findings(result: Assessment, measures: Measures, safety: Opinion) -> tuple[Finding, ...]:
    found = [
        *left_in(result),
        *unchanged_records(result, safety),
        *_other_limits(result),
        *low_limits(result, measures),
        *risk_too_high(result, measures),
        *special_uniques(result, safety),
        *without_values(result),
        *unmatched(result),
        *(finding for finder in FINDERS for finding in finder(result)),
    ]
    return tuple(sorted(found, key=lambda one: RANKS[one.grade]))


def _other_limits(result: Assessment) -> list[Finding]:
    """Missed limits that neither grade speaks of."""
    return [
        Finding(
            code="limit-missed",
            grade="warn",
            about=(),
            sentence=say(
                "It misses a limit that was set: {missed_said}.", missed_said=one.missed_said
            ),
            remedy=say("Protect the file in another way, or set another limit."),
            see="docs/rank.md",
        )
        for one in limits_on(result, "both")
        if not one.met
    ]
