"""Several protected versions of one original: read, measured, and ranked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from microgauge.commands.assess import (
    Original,
    assess_against,
    chosen_schema,
    read_original,
    requested,
)
from microgauge.commands.candidates import opened
from microgauge.commands.choosing import ranking_of
from microgauge.commands.estimate import warn_if_long
from microgauge.commands.faults_first import SchemaSource, faults_first
from microgauge.commands.manifest import engine_name, inputs_of, manifest_of
from microgauge.commands.replicates import MeasuredAgain
from microgauge.commands.wanted import Wanted, in_full, wanted_of
from microgauge.engines import has_order
from microgauge.engines.opening import engine_for, reading_of, reads_files
from microgauge.engines.rounds import run_one
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.log import Log, Progress, followed, where_seen
from microgauge.results import Candidate, Ranking
from microgauge.results.figures import utility_sections
from microgauge.results.given_back import Frames, frames_of
from microgauge.results.manifest import Role
from microgauge.schema import Names, Schema
from microgauge.sections.disclosure.section import measured_disclosure
from microgauge.sections.requirements.holding import limit_faults, limited, measures_of
from microgauge.sections.risk.choices import NO_KEYS
from microgauge.sections.risk.section import internal_of
from microgauge.study.study import Study
from microgauge.tables import exists


@followed
@faults_first
def rank(
    original: Any,
    candidates: Sequence[Any],
    *,
    names: Sequence[str] | None = None,
    schema: SchemaSource = None,
    key: str | None = None,
    keys: Names = None,
    sensitive: Names = None,
    weight: str | None = None,
    external: Any = None,
    population: Any = None,
    holdout: Any = None,
    require: str | Mapping[str, Any] | None = None,
    max_risk: float | None = None,
    min_utility: float | None = None,
    utility: str | None = None,
    preset: str | None = None,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    full: bool = False,
    details: bool = False,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    engine: Any = "local",
    frames: Frames | None = None,
    progress: Progress = where_seen,
) -> Ranking:
    """Measure several protected tables against one original and say which to release.

    >>> import microgauge
    >>> from microgauge.demo import ORIGINAL
    >>> from microgauge.demo.candidates import NAMES, candidates
    >>> found = microgauge.rank(
    ...     ORIGINAL, candidates()[2:4], names=NAMES[2:4], keys=["AGEP", "SEX", "MAR"],
    ...     max_risk=0.1, only=["tables", "disclosure"],
    ... )
    >>> found.recommended.name
    '3-merged'

    The original is read and summarised once. What can be said, beside all that `assess` takes:

    - `names`: of the candidates; files are named by themselves.
    - `require`: limits on figures, "risk<=0.05, gdu>=0.8" or a dict. Without one on risk none is
      recommended.
    - `max_risk`, `min_utility`: limits on the two figures of the map.
    - `utility`: what stands up on the map, "tables", "gdu", "propensity" and others.
    - `preset`: weights of utility and safety, "analysis", "balanced", "sharing" or "public".
    """
    candidates = _listed(candidates)
    roles = {"keys": keys, "sensitive": sensitive, "weight": weight}
    tables = {"external": external, "population": population, "holdout": holdout}
    chosen = chosen_limits(
        chosen_schema(schema, key, roles, **tables),
        {"require": require, "max_risk": max_risk, "min_utility": min_utility},
        utility,
        preset,
    )
    chosen = in_full(chosen) if full else chosen
    wanted = wanted_of(only, skip, chosen, full=full)
    named = wanted.sections | requested(details=details)
    check_choice(chosen, named)
    reading = reading_of(chosen, memory, scratch, engine_for(engine, original, *candidates))
    if reads_files(reading):
        _check_files(candidates)
    labels = _names(candidates, names)
    inputs = inputs_of(original, _roles(labels, candidates), chosen, reading)
    before = read_original(original, chosen, progress, reading)
    before = replace(before, frames=frames or frames_of(original, *candidates))
    wanted = replace(wanted, sections=named | needed(chosen))
    candidates, before.cache.fewest_rows = opened(candidates, reading, wanted.sections)
    called = dict(zip(labels, candidates, strict=True))
    size = before.table.rows, len(before.table.columns)
    warn_if_long(progress, *size, wanted.sections, len(called))
    found = _measured(before, called, chosen, wanted, progress)
    again = MeasuredAgain.of(original, called.__getitem__, chosen, progress)
    replicates = again.replicates if reads_files(reading) else None
    ranking = ranking_of(found, chosen, original_risk(before, chosen), replicates)
    how = {"engine": engine_name(reading), "memory": memory}
    return replace(ranking, manifest=manifest_of("rank", inputs, chosen, wanted, how))


def _measured(
    before: Original, called: Mapping[str, Any], schema: Schema, wanted: Wanted, progress: Progress
) -> list[Candidate]:
    """The candidates with what was measured of each, in their order."""
    found = []
    for name, source in called.items():

        def told(what: str, share: float, name: str = name) -> None:
            progress(say("{name}: {what}", name=name, what=what), share)

        result = assess_against(before, source, schema, wanted, told)
        found.append(Candidate(name=name, assessment=result))
    return found


def needed(schema: Schema) -> frozenset[str]:
    """The sections without which candidates cannot be ranked."""
    by_intruder = {"disclosure"} if schema.risk.measure == "disclosure" else set()
    of_map = set(utility_sections(measures_of(schema).utility))
    return frozenset({"left_in", "risk", "rut"} | by_intruder | of_map)


def check_choice(schema: Schema, computed: Collection[str], faults: Sequence[str] = ()) -> None:
    """Raise every fault of the schema and of its limits, and those given, at once."""
    found = [*schema.faults(), *([] if schema.keys else [NO_KEYS]), *faults]
    known = choice_faults(schema, computed) if not schema.rank.faults("") else []
    if found or known:
        raise InputError(*dict.fromkeys([*found, *known]))


def choice_faults(schema: Schema, computed: Collection[str]) -> list[str]:
    """What is wrong with the limits and the utility of a ranking."""
    found = limit_faults(schema, ())
    if any(fault.startswith(("[rank] utility", "[verdict] utility")) for fault in found):
        return found
    return limit_faults(schema, {*computed, *needed(schema)})


def _listed(candidates: Any) -> list[Any]:
    """Candidates in a list, also where one was given without."""
    one = isinstance(candidates, str | Path) or hasattr(candidates, "columns")
    found = [candidates] if one else list(candidates)
    if not found:
        raise InputError(say("there is no candidate to compare."))
    return found


def _check_files(candidates: Sequence[Any]) -> None:
    """A mistyped name is told before the work on the others."""
    gone = [c for c in candidates if not exists(c)]
    if gone:
        raise InputError(
            *(say("there is no file {path} (a candidate).", path=path) for path in gone)
        )


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


def chosen_limits(
    schema: Schema, limits: Mapping[str, Any], utility: str | None, preset: str | None
) -> Schema:
    """The schema with limits, utility and weights that were said beside it."""
    schema = limited(schema, **limits)
    if utility is not None:
        verdict = replace(schema.verdict, utility=None)
        schema = schema.changed(rank=replace(schema.rank, utility=utility), verdict=verdict)
    if preset is not None:
        weights = {"preset": preset, "alpha": None, "beta": None}
        schema = schema.changed(rut=replace(schema.rut, **weights))
    return schema


def _roles(labels: Sequence[str], candidates: Sequence[Any]) -> list[tuple[Role, str, Any]]:
    """Candidates as a manifest names them."""
    return [("candidate", *one) for one in zip(labels, candidates, strict=True)]


def _stem(path: Path) -> str:
    """The name of a file, or of the folder that a pattern's files are in."""
    return path.parent.name or path.stem if "*" in path.name else path.stem


def _names(candidates: Sequence[Any], names: Sequence[str] | None) -> list[str]:
    """Names that tell candidates apart: file names, numbered where some are the same."""
    if names is not None:
        if len(names) != len(candidates) or len(set(names)) != len(names):
            raise InputError(say("names must be as many as candidates, and differ."))
        return list(names)
    paths = [Path(c) if isinstance(c, str | Path) else None for c in candidates]
    short = [
        say("candidate {i}", i=i) if p is None else _stem(p) for i, p in enumerate(paths, start=1)
    ]
    if len(set(short)) == len(short):
        return short
    return [say("{i} {name}", i=i, name=name) for i, name in enumerate(short, start=1)]
