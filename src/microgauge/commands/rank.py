"""Several protected versions of one original: side by side, and which to release."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from microgauge.commands.assess import (
    Original,
    SchemaSource,
    Wanted,
    assess_against,
    chosen_schema,
    chosen_sections,
    read_original,
    requested,
)
from microgauge.commands.candidates import opened
from microgauge.engines import has_order
from microgauge.engines.opening import engine_for, reading_of, reads_files
from microgauge.engines.rounds import run_one
from microgauge.errors import InputError, listing
from microgauge.log import Log, Progress, silent
from microgauge.measures.balance.balance import SWEEP, frontier
from microgauge.results import Candidate, Leader, Ranking, Recommendation
from microgauge.results.left_in import stops
from microgauge.schema import Schema
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.disclosure.section import measured_disclosure
from microgauge.sections.risk.choices import NO_KEYS
from microgauge.sections.risk.section import internal_of
from microgauge.study.study import Study
from microgauge.tables import exists

SAME = 0.002
"""Values of U or R that are as good as the same."""
CLEARLY = 0.01
"""A difference of GDU worth a word."""


def rank(
    original: Any,
    candidates: Sequence[Any],
    *,
    names: Sequence[str] | None = None,
    schema: SchemaSource = None,
    key: str | None = None,
    external: Any = None,
    population: Any = None,
    holdout: Any = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
    preset: str | None = None,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    details: bool = False,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    engine: Any = "local",
    progress: Progress = silent,
) -> Ranking:
    """Measure several protected tables against one original and say which to release.

    The original is read and summarised once. `names` name the candidates; files are named by
    themselves. `max_risk` and `min_utility` are limits, `preset` the weights of utility and safety
    (analysis, balanced, sharing, public); all else is as in `assess`.
    """
    candidates = _listed(candidates)
    named = chosen_sections(only, skip) | requested(details=details)
    chosen = limited_schema(
        chosen_schema(schema, key, external=external, population=population, holdout=holdout),
        max_risk,
        min_utility,
        preset,
    )
    if chosen.faults():
        raise InputError(*chosen.faults())
    if not chosen.keys:
        raise InputError(NO_KEYS)
    reading = reading_of(chosen, memory, scratch, engine_for(engine, original, *candidates))
    if reads_files(reading):
        _check_files(candidates)
    before = read_original(original, chosen, progress, reading)
    wanted = Wanted(named | needed(chosen))
    labels = _names(candidates, names)
    candidates, before.cache.fewest_rows = opened(candidates, reading, wanted.sections)
    found = []
    for name, source in zip(labels, candidates, strict=True):

        def told(what: str, share: float, name: str = name) -> None:
            progress(f"{name}: {what}", share)

        result = assess_against(before, source, chosen, wanted, told)
        found.append(Candidate(name=name, assessment=result))
    return ranking_of(found, chosen, original_risk(before, chosen))


def needed(schema: Schema) -> frozenset[str]:
    """The sections without which candidates cannot be ranked."""
    by_intruder = {"disclosure"} if schema.risk.measure == "disclosure" else set()
    return frozenset({"left_in", "risk", "rut"} | by_intruder)


def _listed(candidates: Any) -> list[Any]:
    """Candidates in a list, also where one was given without."""
    one = isinstance(candidates, str | Path) or hasattr(candidates, "columns")
    found = [candidates] if one else list(candidates)
    if not found:
        raise InputError("there is no candidate to compare.")
    return found


def _check_files(candidates: Sequence[Any]) -> None:
    """A mistyped name is told before the work on the others."""
    gone = [c for c in candidates if not exists(c)]
    if gone:
        raise InputError(*(f"there is no file {path} (a candidate)." for path in gone))


def original_risk(before: Original, schema: Schema) -> float | None:
    """The risk of the original, released as it is: what an intruder gets, or R_internal."""
    alone = schema.of_original()
    # Each row is its own: by its place, or where rows have none by its key.
    known = {"aligned": True} if has_order(before.table) else {"key": schema.options.key}
    alone = replace(alone, options=replace(alone.options, **known))
    study = run_one(Study.prepare(before.table, before.table, alone, Log(), before.cache))
    if schema.risk.measure == "classes":
        return run_one(internal_of(study))
    found = run_one(measured_disclosure(replace(study, holdout=before.holdout), Log()))
    return None if found is None else found.risk


def limited_schema(
    schema: Schema, max_risk: float | None, min_utility: float | None, preset: str | None
) -> Schema:
    """The schema with limits and weights that were said beside it."""
    given: dict[str, Any] = {"max_risk": max_risk, "min_utility": min_utility}
    changed = {name: value for name, value in given.items() if value is not None}
    if preset is not None:
        changed |= {"preset": preset, "alpha": None, "beta": None}
    return schema.changed(rut=replace(schema.rut, **changed))


def _stem(path: Path) -> str:
    """The name of a file, or of the folder that a pattern's files are in."""
    return path.parent.name or path.stem if "*" in path.name else path.stem


def _names(candidates: Sequence[Any], names: Sequence[str] | None) -> list[str]:
    """Names that tell candidates apart: file names, numbered where some are the same."""
    if names is not None:
        if len(names) != len(candidates) or len(set(names)) != len(names):
            raise InputError("names must be as many as candidates, and differ.")
        return list(names)
    paths = [Path(c) if isinstance(c, str | Path) else None for c in candidates]
    short = [f"candidate {i}" if p is None else _stem(p) for i, p in enumerate(paths, start=1)]
    if len(set(short)) == len(short):
        return short
    return [f"{i} {name}" for i, name in enumerate(short, start=1)]


def ranking_of(
    candidates: Sequence[Candidate], schema: Schema, original_risk: float | None = None
) -> Ranking:
    """The frontier, the recommendation and how stable it is."""
    points = {
        c.name: (c.risk, c.utility)
        for c in candidates
        if c.risk is not None and c.utility is not None
    }
    left_out = [c.name for c in candidates if c.name not in points]
    notes = (
        [f"Without a risk or utility, and not ranked: {', '.join(left_out)}."] if left_out else []
    )
    notes += [*_stopped(candidates), *_bounds(candidates, schema)]
    recommended = _recommended(candidates, schema)
    notes += _same_utility(candidates, recommended, schema)
    led = _considered(candidates, schema)
    sweep = tuple(Leader(alpha=a, leader=_leader(led, a)) for a in SWEEP)
    return Ranking(
        candidates=tuple(candidates),
        frontier=tuple(frontier(points)),
        recommended=recommended,
        sweep=sweep,
        stable=sweep[0].leader is not None and len({step.leader for step in sweep}) == 1,
        max_risk=schema.rut.max_risk,
        min_utility=schema.rut.min_utility,
        risk_measure=schema.risk.measure,
        original_risk=original_risk,
        notes=tuple(notes),
    )


def _stopped(candidates: Sequence[Candidate]) -> list[str]:
    """Candidates that must not be released as they are, and why."""
    return [
        f"Not to be released as it is: {c.name}. {listing(one.sentence for one in found)}"
        for c in candidates
        if stops(found := c.assessment.left_in or ())
    ]


def _bounds(candidates: Sequence[Candidate], schema: Schema) -> list[str]:
    """Whose risk is an upper bound: it does not compare with one that is not."""
    if schema.risk.measure == "classes":
        return []
    bounds = [
        c.name
        for c in candidates
        if c.assessment.disclosure is not None and c.assessment.disclosure.upper_bound
    ]
    if not bounds:
        return []
    whose = "all candidates" if len(bounds) == len(candidates) else listing(bounds)
    return [
        f"The risk of {whose} is an upper bound: it also holds what the file says of people who "
        "are not in it. A holdout (people of the same population, none of whom was used) tells "
        "the two apart."
    ]


def _considered(candidates: Sequence[Candidate], schema: Schema) -> list[Candidate]:
    """Those that may be released: within the limits, and none that still names people."""
    kept = _within(candidates) if _limited(schema) else candidates
    return [c for c in kept if not stops(c.assessment.left_in)]


def _limited(schema: Schema) -> bool:
    return schema.rut.max_risk is not None or schema.rut.min_utility is not None


def _leader(candidates: Sequence[Candidate], alpha: float) -> str | None:
    values = {}
    for candidate in candidates:
        rut = candidate.assessment.rut
        for step in () if rut is None else rut.sweep:
            if step.alpha == alpha and step.value is not None:
                values[candidate.name] = step.value
    return max(values, key=values.__getitem__) if values else None


def _recommended(candidates: Sequence[Candidate], schema: Schema) -> Recommendation:
    """The highest U within the limits; without limits, the highest RUT; never one to stop."""
    chosen = schema.of(RutChoices)
    stopped = [c.name for c in candidates if stops(c.assessment.left_in)]
    candidates = [c for c in candidates if c.name not in stopped]
    if not candidates:
        said = "every candidate still holds what names people, or is the original unchanged"
        return Recommendation(name=None, reason=said)
    limits = []
    if chosen.max_risk is not None:
        limits.append(f"risk at most {chosen.max_risk:g}")
    if chosen.min_utility is not None:
        limits.append(f"utility at least {chosen.min_utility:g}")
    if not limits:
        return _best_balance(candidates, schema)
    within = _within(candidates)
    said = " and ".join(limits)
    if not within:
        return Recommendation(name=None, reason=f"no candidate has {said}{_nearest(candidates)}")
    best = max(within, key=lambda c: (c.utility or 0.0, -(c.risk or 0.0)))
    return Recommendation(
        name=best.name,
        reason=f"the highest utility ({best.utility:.3f}) of the {len(within)} of "
        f"{len(candidates)} candidates with {said}; its risk is {best.risk:.3f}",
    )


def _within(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that keep the limits."""
    return [
        c
        for c in candidates
        if c.assessment.rut is not None
        and c.assessment.rut.meets_limits
        and None not in (c.risk, c.utility)
    ]


def _nearest(candidates: Sequence[Candidate]) -> str:
    """The safest of those that are outside the limits."""
    known = [c for c in candidates if c.risk is not None and c.utility is not None]
    if not known:
        return ""
    safest = min(known, key=lambda c: (c.risk or 0.0, -(c.utility or 0.0)))
    return (
        f"; the safest, {safest.name}, has risk {safest.risk:.3f} and utility {safest.utility:.3f}"
    )


def _same_utility(
    candidates: Sequence[Candidate], recommended: Recommendation, schema: Schema
) -> list[str]:
    """U looks at single variables: of its equals, say which keeps more of their relations."""
    best = next((c for c in candidates if c.name == recommended.name), None)
    if best is None or best.utility is None or best.risk is None or _gdu(best) is None:
        return []
    if _limited(schema):
        which, among = "within the limits", _considered(candidates, schema)
    else:
        which, among = (
            "that are as safe",
            [
                c
                for c in _considered(candidates, schema)
                if c.risk is not None and c.risk <= best.risk + SAME
            ],
        )
    near = [c for c in among if abs((c.utility or -1.0) - best.utility) <= SAME]
    other = max(near, key=lambda c: _gdu(c) or 0.0)
    gain, own = _gdu(other) or 0.0, _gdu(best) or 0.0
    if gain < own + CLEARLY:
        return []
    return [
        f"U does not see relations of variables. Of the candidates {which} with nearly the same U, "
        f"{other.name} has the highest GDU: {gain:.3f} against {own:.3f} of {best.name}; its risk "
        f"is {other.risk:.3f}."
    ]


def _gdu(candidate: Candidate) -> float | None:
    return None if candidate.assessment.gdu is None else candidate.assessment.gdu.value


def _best_balance(candidates: Sequence[Candidate], schema: Schema) -> Recommendation:
    known = [c for c in candidates if c.balance is not None]
    if not known:
        return Recommendation(name=None, reason="no candidate has a balance of risk and utility")
    best = max(known, key=lambda c: (c.balance or 0.0, -(c.risk or 0.0)))
    alpha, beta = schema.rut.weights
    if schema.rut.form == "ratio":
        return Recommendation(
            name=best.name,
            reason=f"the best ratio of utility to risk ({best.balance:.3f}); no limits were given",
        )
    return Recommendation(
        name=best.name,
        reason=f"the best balance ({best.balance:.3f}) with weights {alpha:g} of utility and "
        f"{beta:g} of safety; no limits were given",
    )
