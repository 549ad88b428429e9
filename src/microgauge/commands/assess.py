"""The run: tables and schema in, an assessment out."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge._version import __version__
from microgauge.commands.estimate import warn_if_long
from microgauge.commands.faults_first import SchemaSource, faults_first, read_schema
from microgauge.commands.manifest import engine_name, inputs_of, manifest_of
from microgauge.commands.wanted import Depth, Wanted, depth_of, in_full, wanted_of
from microgauge.engines.opening import engine_for, open_table, reading_of
from microgauge.engines.rounds import Asking, Rounds, run_one
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.log import Log, Note, Progress, Shown, followed, where_seen
from microgauge.records import dataclass
from microgauge.results import (
    Assessment,
    ClusterResult,
    EcdfResult,
    Inputs,
    InputTable,
    PropensityResult,
)
from microgauge.results.given_back import Frames, frames_of
from microgauge.results.plain import to_dict
from microgauge.schema import Names, Schema, with_roles
from microgauge.sections.gdu.recoding import variable_result
from microgauge.sections.registry import choosable
from microgauge.sections.requirements.holding import limit_faults, limited, requirements_of
from microgauge.sections.risk.choices import OTHER_TABLES, no_keys
from microgauge.sections.section import Section, Shared
from microgauge.sections.verdict.forming import needed_by, provisional, with_verdict
from microgauge.study.describe import OriginalCache
from microgauge.study.guesses import guessed_columns
from microgauge.study.study import Study
from microgauge.tables import Reading, Table

if TYPE_CHECKING:
    from microgauge.study.external import External

SCHEMA_VERSION = 1
LARGE = 100_000
"""Rows beyond which p-values say little and test_n is recommended."""


@followed
@faults_first
def assess(
    original: Any,
    protected: Any,
    *,
    schema: SchemaSource = None,
    key: str | None = None,
    keys: Names = None,
    sensitive: Names = None,
    weight: str | None = None,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    quick: bool = False,
    full: bool = False,
    yardsticks: bool = False,
    external: Any = None,
    population: Any = None,
    holdout: Any = None,
    require: str | Mapping[str, Any] | None = None,
    risky: bool = False,
    details: bool = False,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    engine: Any = "local",
    frames: Frames | None = None,
    progress: Progress = where_seen,
) -> Assessment:
    """Measure what a protected table is still good for, and how safe it is.

    >>> import microgauge
    >>> from microgauge.demo import ORIGINAL, PROTECTED
    >>> result = microgauge.assess(ORIGINAL, PROTECTED, keys=["AGEP", "SEX", "MAR"], quick=True)
    >>> result.verdict.useful.grade
    'fair'

    Tables are paths or data frames (pandas, polars, PyArrow, anything with the Arrow C stream
    interface). What can be said:

    - `schema`: a `Schema`, a dict of the same shape, or the path of a TOML file.
    - `key`: the column that joins the tables.
    - `keys`: names of variables by which a person could be recognised; added to the schema's.
    - `sensitive`: names of variables that an intruder wants to know; added to the schema's.
    - `weight`: the column of weights of the rows.
    - `only`, `skip`: names of sections; `microgauge assess --help` lists them.
    - `quick`: stop after a first verdict.
    - `full`: also what takes long, which else is computed where it is named or has a table in the
      schema.
    - `yardsticks`: also measure files whose loss is known.
    - `external`: a table that an intruder may hold.
    - `population`: the table that the original was drawn from.
    - `holdout`: a table of the same population, none of whose units was used.
    - `require`: limits on figures, "risk<=0.05, gdu>=0.8" or a dict; `result.requirements` says
      which are kept.
    - `risky`: whether `result.risky` is to be a table of row numbers and risks, the riskiest first.
    - `details`: whether the result is to hold what a report draws.
    - `memory`: what the run may use, "4GB"; tables that would take more than a quarter of it are
      read in batches.
    - `scratch`: the folder for scratch files of tables read in batches.
    - `engine`: "local", or "spark" or a Spark session: tables are then Spark data frames, names of
      tables or paths that Spark can read.
    - `frames`: what the result's tables are, "polars", "pandas" or "pyarrow"; as what was given
      unless said.
    - `progress`: called with what is being done and a share; shown in a terminal and in a notebook
      unless said.
    """
    given = {"external": external, "population": population, "holdout": holdout}
    roles = {"keys": keys, "sensitive": sensitive, "weight": weight}
    chosen = limited(chosen_schema(schema, key, roles, **given), require=require)
    depth = depth_of(quick, full)
    chosen = in_full(chosen) if full else chosen
    wanted = _chosen(only, skip, chosen, depth)
    _check_limits(chosen, wanted.sections)
    engine = engine_for(engine, original, protected, *given.values())
    reading = reading_of(chosen, memory, scratch, engine)
    with ThreadPoolExecutor(1) as aside:
        # What cannot be loaded is told where it is used.
        aside.submit(wanted.load)
        inputs = inputs_of(original, [("protected", None, protected)], chosen, reading)
        before = read_original(original, chosen, progress, reading)
    _check_risk(only, chosen, before.table)
    more = requested(yardsticks=yardsticks, details=details)
    wanted = replace(wanted, sections=wanted.sections | more, risky=risky)
    before = replace(before, frames=frames or frames_of(original, protected))
    result = assess_against(before, protected, chosen, wanted, progress)
    how = {"engine": engine_name(reading), "memory": memory, "quick": wanted.quick}
    return result.changed(manifest=manifest_of("assess", inputs, chosen, wanted, how))


@dataclass(frozen=True, eq=False)
class Original:
    """What is read once, however many candidates are compared with it."""

    table: Table
    external: External | None = None
    population: External | None = None
    holdout: External | None = None
    cache: OriginalCache = field(default_factory=OriginalCache)
    reading: Reading | None = None
    frames: Frames = "polars"
    """What tables of the result are."""


def read_original(
    source: Any, schema: Schema, progress: Progress, reading: Reading | None = None
) -> Original:
    """Read the original, and the tables that risk is measured against."""
    progress(say("reading the original table"), 0.0)
    table = open_table(source, which="original", reading=reading, progress=progress)
    others: dict[str, Any] = {}
    for which in OTHER_TABLES:
        given = getattr(schema.risk, which)
        if given is not None and schema.keys:
            from microgauge.study.external import read_external

            progress(say("reading the {which} table", which=which), 0.0)
            others[which] = read_external(given, which, table, schema, reading)
    return Original(table, **others, reading=reading)


def _within_memory(schema: Schema, reading: Reading | None) -> Schema:
    """The schema with no more rows for measures that hold them than the memory is said to bear.

    Only where it is said: figures must not depend on the machine.
    """
    most = None if reading is None else reading.most_rows
    if most is None or most >= schema.options.sample_rows:
        return schema
    return replace(schema, options=replace(schema.options, sample_rows=most))


def assess_against(
    original: Original,
    protected: Any,
    schema: Schema,
    wanted: Wanted,
    progress: Progress,
) -> Assessment:
    """Measure one protected table against an original that was read before.

    Where someone looks, a first verdict is shown before the rest is measured.
    """
    progress(say("reading the protected table"), 0.0)
    table = open_table(protected, which="protected", reading=original.reading, progress=progress)
    progress(say("describing variables"), 0.0)
    log = Log(progress)
    schema = _within_memory(schema, original.reading)
    study = run_one(Study.prepare(original.table, table, schema, log, original.cache))
    study = replace(
        study,
        external=original.external,
        population=original.population,
        holdout=original.holdout,
    )
    measuring = Measuring(study, schema, wanted, log, original.frames)
    if wanted.quick:
        return measuring.first()
    warn_if_long(progress, table.rows, len(study.variables), wanted.sections)
    judged = "verdict" in wanted.sections and wanted.later(schema)
    if not judged or not isinstance(progress, Shown) or not progress.shows:
        return measuring.whole()
    first = measuring.first()
    progress.first(first.headline_text(), to_dict(first.verdict))
    result = measuring.whole()
    revised = result.revision_of(first)
    if revised is not None:
        progress.keep(revised)
    return result


@dataclass(eq=False)
class Measuring:
    """A study on its way: first what the verdict is made of, then the rest. All share the scans."""

    study: Study
    schema: Schema
    wanted: Wanted
    log: Log
    frames: Frames = "polars"
    _logs: dict[Hashable, Log] = field(default_factory=dict)

    @cached_property
    def _rounds(self) -> Rounds:
        def begin(part: Section | Shared) -> Asking[Any]:
            self._logs[part] = self.log.child()
            return part.run(self.study, self._logs[part])

        return Rounds(begin)

    def first(self) -> Assessment:
        """The verdict from what can be had quickly, and what it rests on."""
        found = self._of(self.wanted.first(self.schema))
        result = with_verdict(found, self.schema)
        return provisional(result, self.wanted.later(self.schema))

    def whole(self) -> Assessment:
        """Everything that is wanted."""
        found = self._of(self.wanted.parts)
        return with_verdict(found, self.schema) if "verdict" in self.wanted.sections else found

    def _of(self, parts: Mapping[str, Section | Shared]) -> Assessment:
        """The results of some parts, the limits held against them, the notes of all in order."""
        outcomes = self._rounds.run(parts.values())
        study = self.study
        result = Assessment(
            microgauge=__version__,
            schema_version=SCHEMA_VERSION,
            inputs=_inputs(study),
            variables=tuple(
                variable_result(v, study.recodings.get(v.name)) for v in study.variables
            ),
            remarks=self._notes(parts),
            frames=self.frames,
            **{name: outcomes[p] for name, p in parts.items() if outcomes[p] is not None},
        )
        return result.changed(requirements=requirements_of(result, self.schema))

    def _notes(self, parts: Mapping[str, Section | Shared]) -> list[Note]:
        said = self._rounds.in_order(parts.values())
        own = [note for part in said for note in self._logs[part].notes]
        size = _size_notes(self.study) if "gdu" in parts else []
        return [*self.log.notes, *self.study.views.notes, *own, *size, *self.wanted.notes]


def chosen_schema(
    source: SchemaSource,
    key: str | None = None,
    roles: Mapping[str, Any] | None = None,
    **tables: Any,
) -> Schema:
    """The schema with what was said beside it: roles, and tables of [risk] by their names."""
    schema = with_roles(_schema(source, key), **(roles or {}))
    chosen = {name: table for name, table in tables.items() if table is not None}
    return schema.changed(risk=replace(schema.risk, **chosen)) if chosen else schema


def _chosen(
    only: Collection[str] | None, skip: Collection[str], schema: Schema, depth: Depth
) -> Wanted:
    """The sections; who asks for the verdict gets those that it is made of, too."""
    wanted = wanted_of(only, skip, schema, full=depth == "full")
    if depth == "quick":
        if only is not None or "verdict" not in wanted.sections:
            raise InputError(
                say("quick is for the verdict alone: leave only out, and do not skip it.")
            )
        return replace(wanted, quick=True)
    judged = only is not None and "verdict" in wanted.sections
    if judged and not limit_faults(schema, choosable()):
        more = needed_by(schema) - frozenset(skip)
        return replace(wanted, sections=wanted.sections | more)
    return wanted


def _check_limits(schema: Schema, computed: Collection[str]) -> None:
    """Limits must be on figures that are computed."""
    faults = limit_faults(schema, computed)
    if faults:
        raise InputError(*dict.fromkeys([*schema.faults(), *faults]))


def _check_risk(only: Collection[str] | None, schema: Schema, table: Table) -> None:
    """Who asks for risk by name must have said by which variables."""
    if only is not None and {"disclosure", "risk", "rut"} & set(only) and not schema.keys:
        raise InputError(no_keys(guessed_columns(table)))


def propensity(
    original: Any, protected: Any, *, schema: SchemaSource = None, **choices: Any
) -> PropensityResult:
    """The propensity score measure alone; `choices` are those of the schema's [propensity]."""
    result = _alone("propensity", original, protected, schema, choices).propensity
    assert result is not None
    return result


def clusters(
    original: Any, protected: Any, *, schema: SchemaSource = None, **choices: Any
) -> tuple[ClusterResult, ...]:
    """The cluster measure alone; `choices` are those of the schema's [clusters]."""
    result = _alone("clusters", original, protected, schema, choices).clusters
    assert result is not None
    return result


def ecdf(
    original: Any, protected: Any, *, schema: SchemaSource = None, **choices: Any
) -> EcdfResult:
    """The distribution function measures alone; `choices` are those of the schema's [ecdf]."""
    result = _alone("ecdf", original, protected, schema, choices).ecdf
    assert result is not None
    return result


def _alone(
    section: str,
    original: Any,
    protected: Any,
    schema: SchemaSource,
    choices: Mapping[str, Any],
) -> Assessment:
    """One section, with choices of its own."""
    return assess(original, protected, schema=_with(schema, section, choices), only=[section])


def _with(schema: SchemaSource, section: str, choices: Mapping[str, Any]) -> Schema:
    """A schema with some choices of one section replaced."""
    base = _schema(schema, None)
    given = Schema.from_dict({section: dict(choices)})
    if given.malformed:
        raise InputError(*given.malformed)
    read = getattr(given, section)
    changed = {name: getattr(read, name) for name in choices}
    return base.changed(**{section: replace(getattr(base, section), **changed)})


def requested(**asked: bool) -> frozenset[str]:
    """The names of sections that options of their own ask for."""
    return frozenset(name for name, wanted in asked.items() if wanted)


def _schema(source: SchemaSource, key: str | None) -> Schema:
    schema = read_schema(source)
    if key is not None:
        schema = replace(schema, options=replace(schema.options, key=key))
    return schema


def _inputs(study: Study) -> Inputs:
    original, protected = (
        InputTable(path=t.name, rows=t.rows, columns=len(t.columns) + len(t.unsupported))
        for t in study.tables
    )
    return Inputs(
        original=original,
        protected=protected,
        alignment=study.matching.alignment,
        seed=study.options.seed,
    )


def _size_notes(study: Study) -> list[Note]:
    rows = max(table.rows for table in study.tables)
    if rows <= LARGE or study.options.test_n is not None:
        return []
    return [
        Note(
            "many-rows",
            say(
                "With {rows:,} rows the smallest difference is significant, so p-values "
                "and this measure tell good from bad less well. Set test_n = 1000 in "
                "[options] to test every effect as if it came from 1,000 units.",
                rows=rows,
            ),
        )
    ]
