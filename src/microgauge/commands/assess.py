"""The run: tables and schema in, an assessment out."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge._version import __version__
from microgauge.engines.opening import engine_for, open_table, reading_of
from microgauge.engines.rounds import Asking, Rounds, run_one
from microgauge.errors import InputError, hint
from microgauge.log import Log, Note, Progress, silent
from microgauge.results import (
    Assessment,
    ClusterResult,
    EcdfResult,
    Inputs,
    InputTable,
    PropensityResult,
)
from microgauge.schema import Names, Schema, with_roles
from microgauge.sections.gdu.recoding import variable_result
from microgauge.sections.registry import choosable, sections
from microgauge.sections.requirements.holding import limit_faults, limited, requirements_of
from microgauge.sections.risk.choices import OTHER_TABLES, no_keys
from microgauge.sections.section import Section, Shared
from microgauge.sections.verdict.forming import needed_by, with_verdict
from microgauge.study.describe import OriginalCache
from microgauge.study.guesses import guessed_columns
from microgauge.study.study import Study
from microgauge.tables import Reading, Table

if TYPE_CHECKING:
    from microgauge.study.external import External

SCHEMA_VERSION = 1
LARGE = 100_000
"""Rows beyond which p-values say little and test_n is recommended."""

SchemaSource = Schema | Mapping[str, Any] | str | Path | None


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
    progress: Progress = silent,
) -> Assessment:
    """Measure how much a protected table has lost.

    Tables are paths or data frames (pandas, polars, PyArrow, anything with the Arrow C stream
    interface). `schema` is a `Schema`, a dict of the same shape, or the path of a TOML file; `key`
    names the column that joins the tables. `keys` are the variables by which a person could be
    recognised, `sensitive` those that an intruder wants to know, `weight` the weights of the rows:
    names, which add to what the schema says. `only` and `skip` choose among the sections, which
    `microgauge assess --help` lists; `yardsticks` adds files whose loss is known. `external` is a
    table an intruder may hold, `population` the one the original was drawn from, `holdout` one of
    the same population none of whose units was used. `require` are limits on figures, "risk<=0.05,
    gdu>=0.8", or a dict: the result's `requirements` say which are kept. With `risky`, the result's
    `risky` is a data frame of row numbers and risks, the riskiest first. With `details`, it holds
    what a report draws. Tables that would take more than a quarter of `memory` ("4GB"; a share of
    the machine's own unless given) are read in batches, with codes in files without a name in the
    folder `scratch`. With `engine` a Spark session, or "spark", tables are Spark data frames, names
    of tables or paths that Spark can read.
    """
    given = {"external": external, "population": population, "holdout": holdout}
    roles = {"keys": keys, "sensitive": sensitive, "weight": weight}
    chosen = limited(chosen_schema(schema, key, roles, **given), require=require)
    chosen_names = _with_judged(chosen_sections(only, skip), only, skip, chosen)
    _check_limits(chosen, chosen_names)
    engine = engine_for(engine, original, protected, *given.values())
    reading = reading_of(chosen, memory, scratch, engine)
    before = read_original(original, chosen, progress, reading)
    _check_risk(only, chosen, before.table)
    wanted = Wanted(chosen_names | requested(yardsticks=yardsticks, details=details), risky)
    return assess_against(before, protected, chosen, wanted, progress)


@dataclass(frozen=True, eq=False)
class Original:
    """What is read once, however many candidates are compared with it."""

    table: Table
    external: External | None = None
    population: External | None = None
    holdout: External | None = None
    cache: OriginalCache = field(default_factory=OriginalCache)
    reading: Reading | None = None


def read_original(
    source: Any, schema: Schema, progress: Progress, reading: Reading | None = None
) -> Original:
    """Read the original, and the tables that risk is measured against."""
    progress("reading the original table", 0.0)
    table = open_table(source, which="original", reading=reading, progress=progress)
    others: dict[str, Any] = {}
    for which in OTHER_TABLES:
        given = getattr(schema.risk, which)
        if given is not None and schema.keys:
            from microgauge.study.external import read_external

            progress(f"reading the {which} table", 0.0)
            others[which] = read_external(given, which, table, schema, reading)
    return Original(table, **others, reading=reading)


def assess_against(
    original: Original,
    protected: Any,
    schema: Schema,
    wanted: Wanted,
    progress: Progress,
) -> Assessment:
    """Measure one protected table against an original that was read before."""
    progress("reading the protected table", 0.0)
    table = open_table(protected, which="protected", reading=original.reading, progress=progress)
    progress("describing variables", 0.0)
    log = Log(progress)
    study = run_one(Study.prepare(original.table, table, schema, log, original.cache))
    study = replace(
        study,
        external=original.external,
        population=original.population,
        holdout=original.holdout,
    )
    found, notes = measured(study, wanted, log)
    result = Assessment(
        microgauge=__version__,
        schema_version=SCHEMA_VERSION,
        inputs=_inputs(study),
        variables=tuple(variable_result(v, study.recodings.get(v.name)) for v in study.variables),
        remarks=notes,
        **found,
    )
    result = result.changed(requirements=requirements_of(result, schema))
    return with_verdict(result, schema) if "verdict" in wanted.sections else result


@dataclass(frozen=True)
class Wanted:
    """What is to be computed: sections by name, and whether the riskiest records are listed."""

    sections: frozenset[str]
    risky: bool = False

    @property
    def parts(self) -> dict[str, Section | Shared]:
        """Parts by the names of their results."""
        parts: dict[str, Section | Shared] = {
            section.name: section for section in sections() if section.name in self.sections
        }
        if self.risky and "risk" in self.sections:
            from microgauge.sections.risk.section import RISKY

            parts["risky"] = RISKY
        return parts


def measured(study: Study, wanted: Wanted, log: Log) -> tuple[dict[str, Any], list[Note]]:
    """The results of all sections, which share the scans, and the notes of all in order."""
    logs: dict[Hashable, Log] = {}

    def begin(part: Section | Shared) -> Asking[Any]:
        logs[part] = log.child()
        return part.run(study, logs[part])

    rounds = Rounds(begin)
    parts = wanted.parts
    outcomes = rounds.run(parts.values())
    found = {name: outcomes[part] for name, part in parts.items()}
    own = [note for part in rounds.in_order(parts.values()) for note in logs[part].notes]
    notes = [*log.notes, *study.views.notes, *own, *_size_notes(study, wanted)]
    return {name: result for name, result in found.items() if result is not None}, notes


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


def _with_judged(
    names: frozenset[str],
    only: Collection[str] | None,
    skip: Collection[str],
    schema: Schema,
) -> frozenset[str]:
    """Who asks for the verdict by name gets the sections that it is made of, too."""
    if only is None or "verdict" not in names or limit_faults(schema, choosable()):
        return names
    return names | (needed_by(schema) - frozenset(skip))


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


def chosen_sections(only: Collection[str] | None, skip: Collection[str]) -> frozenset[str]:
    """The sections to compute; `InputError` for a name that is none."""
    known = choosable()
    every = [section.name for section in sections()]  # those on request too, where named
    unknown = [name for name in [*(only or ()), *skip] if name not in every]
    if unknown:
        raise InputError(
            *(
                f'there is no section "{name}"; there are {", ".join(known)}.{hint(name, known)}'
                for name in unknown
            )
        )
    left = frozenset(known if only is None else only) - frozenset(skip)
    if not left:
        raise InputError("no section is left to compute.")
    return left


def requested(**asked: bool) -> frozenset[str]:
    """The names of sections that options of their own ask for."""
    return frozenset(name for name, wanted in asked.items() if wanted)


def _schema(schema: SchemaSource, key: str | None) -> Schema:
    if schema is None:
        schema = Schema()
    elif isinstance(schema, str | Path):
        schema = Schema.load(schema)
    elif isinstance(schema, Mapping):
        schema = Schema.from_dict(schema)
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


def _size_notes(study: Study, wanted: Wanted) -> list[Note]:
    rows = max(table.rows for table in study.tables)
    if rows <= LARGE or study.options.test_n is not None or "gdu" not in wanted.sections:
        return []
    return [
        Note(
            "many-rows",
            f"With {rows:,} rows the smallest difference is significant, so p-values and this "
            "measure tell good from bad less well. Set test_n = 1000 in [options] to test every "
            "effect as if it came from 1,000 units.",
        )
    ]
