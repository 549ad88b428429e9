"""The run: tables and schema in, an assessment out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge._version import __version__
from microgauge.engines.opening import engine_for, open_table, reading_of
from microgauge.errors import InputError, Undefined, hint
from microgauge.log import Progress, silent
from microgauge.results import (
    Assessment,
    ClusterResult,
    EcdfResult,
    Inputs,
    InputTable,
    PropensityResult,
)
from microgauge.schema import Options, Schema
from microgauge.schema.formulas import parse_terms
from microgauge.sections.gdu.recoding import variable_result
from microgauge.sections.gdu.section import GlobalUtility
from microgauge.sections.presenting import PRESENTER
from microgauge.sections.registry import choosable
from microgauge.sections.risk.choices import NO_KEYS
from microgauge.study.describe import Memory
from microgauge.study.study import Study
from microgauge.tables import Reading, Table

if TYPE_CHECKING:
    from microgauge.sections.joint.section import WholeFile
    from microgauge.sections.risk.external import External

SCHEMA_VERSION = 1
LARGE = 100_000
"""Rows beyond which p-values say little and test_n is recommended."""

WHOLE = frozenset({"propensity", "clusters", "ecdf"})

SchemaSource = Schema | Mapping[str, Any] | str | Path | None


def assess(
    original: Any,
    protected: Any,
    *,
    schema: SchemaSource = None,
    key: str | None = None,
    only: Collection[str] | None = None,
    skip: Collection[str] = (),
    yardsticks: bool = False,
    external: Any = None,
    population: Any = None,
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
    names the column that joins the tables. `only` and `skip` choose among the sections, which
    `microgauge assess --help` lists; `yardsticks` adds files whose loss is known. `external` is a
    table an intruder may hold, `population` the one the original was drawn from. With `risky`, the
    result's `risky` is a data frame of row numbers and risks, the riskiest first. With `details`,
    it holds what a report draws. Tables that would take more than a quarter of `memory` ("4GB"; a
    share of the machine's own unless given) are read in batches, with codes in files without a name
    in the folder `scratch`.
    With `engine` a Spark session, or "spark", tables are Spark data frames, names of tables or
    paths that Spark can read.
    """
    sections = chosen_sections(only, skip)
    chosen = chosen_schema(schema, key, external, population)
    engine = engine_for(engine, original, protected, external, population)
    reading = reading_of(chosen, memory, scratch, engine)
    before = read_original(original, chosen, progress, reading)
    _check_risk(only, chosen)
    return assess_against(
        before,
        protected,
        chosen,
        sections,
        progress,
        yardsticks=yardsticks,
        risky=risky,
        details=details,
    )


@dataclass(frozen=True, eq=False)
class Original:
    """What is read once, however many candidates are compared with it."""

    table: Table
    external: External | None = None
    population: External | None = None
    memory: Memory = field(default_factory=Memory)
    reading: Reading | None = None


def read_original(
    source: Any, schema: Schema, progress: Progress, reading: Reading | None = None
) -> Original:
    """Read the original, and the tables that risk is measured against."""
    progress("reading the original table", 0.0)
    table = open_table(source, which="original", reading=reading, progress=progress)
    others: dict[str, Any] = {}
    for which in ("external", "population"):
        given = getattr(schema.risk, which)
        if given is not None and schema.keys:
            from microgauge.sections.risk.external import read_external

            progress(f"reading the {which} table", 0.0)
            others[which] = read_external(given, which, table, schema, reading)
    return Original(table, **others, reading=reading)


def assess_against(
    original: Original,
    protected: Any,
    schema: Schema,
    sections: set[str],
    progress: Progress,
    *,
    yardsticks: bool = False,
    risky: bool = False,
    details: bool = False,
) -> Assessment:
    """Measure one protected table against an original that was read before."""
    progress("reading the protected table", 0.0)
    table = open_table(protected, which="protected", reading=original.reading, progress=progress)
    tables = [original.table, table]
    progress("describing variables", 0.0)
    study = Study.prepare(tables[0], tables[1], schema, original.memory)
    found: dict[str, Any] = {}
    notes: list[str] = []
    if "gdu" in sections:
        found["gdu"] = GlobalUtility(study, progress).result()
    if sections & WHOLE:
        found |= _whole(study, sections, progress, notes)
    found |= _analyses(study, sections, progress, notes)
    found |= _risks(study, original, sections, progress, notes, risky=risky)
    if yardsticks:
        from microgauge.sections.yardsticks.section import yardsticks as measured

        found["yardsticks"] = measured(tables[0], study, progress)
    if details:
        from microgauge.sections.pictures.section import details_of

        found["details"] = details_of(study, found.get("gdu"), progress)
    return Assessment(
        presenter=PRESENTER,
        microgauge=__version__,
        schema_version=SCHEMA_VERSION,
        inputs=_inputs(tables[0], tables[1], study),
        variables=tuple(variable_result(v, study.recodings.get(v.name)) for v in study.variables),
        notes=(*study.notes, *notes, *_size_notes(tables, schema.options, sections)),
        **found,
    )


def chosen_schema(
    source: SchemaSource, key: str | None = None, external: Any = None, population: Any = None
) -> Schema:
    """The schema with what was said beside it."""
    schema = _schema(source, key)
    given = {"external": external, "population": population}
    chosen = {name: source for name, source in given.items() if source is not None}
    return schema.changed(risk=replace(schema.risk, **chosen)) if chosen else schema


def _check_risk(only: Collection[str] | None, schema: Schema) -> None:
    """Who asks for risk by name must have said by which variables."""
    if only is not None and {"risk", "rut"} & set(only) and not schema.keys:
        raise InputError(NO_KEYS)


def _risks(
    study: Study,
    original: Original,
    sections: set[str],
    progress: Progress,
    notes: list[str],
    *,
    risky: bool,
) -> dict[str, Any]:
    """Risk, and its balance with utility; neither without quasi-identifiers."""
    if not sections & {"risk", "rut"}:
        return {}
    if not study.schema.keys:
        notes.append(f"Risk was not measured: {NO_KEYS}")
        return {}
    from microgauge.sections.balance.section import attribute_utilities, balance_of
    from microgauge.sections.risk.section import risk_of

    found: dict[str, Any] = {}
    section = risk_of(study, progress, notes, original.external, original.population)
    if not section.keys:
        notes.append("Risk was not measured: every quasi-identifier was removed.")
        return {}
    try:
        risk = section.result()
    except Undefined as why:
        notes.append(f"Risk was not measured: {why}.")
        return {}
    if "risk" in sections:
        found["risk"] = risk
        found["risky"] = section.risky() if risky else None
    if "rut" in sections:
        found["rut"] = balance_of(study.schema.rut, attribute_utilities(study, notes), risk.total)
    return found


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


def chosen_sections(only: Collection[str] | None, skip: Collection[str]) -> set[str]:
    """The sections to compute; `InputError` for a name that is none."""
    known = choosable()
    unknown = [name for name in [*(only or ()), *skip] if name not in known]
    if unknown:
        raise InputError(
            *(
                f'there is no section "{name}"; there are {", ".join(known)}.{hint(name, known)}'
                for name in unknown
            )
        )
    left = set(known if only is None else only) - set(skip)
    if not left:
        raise InputError("no section is left to compute.")
    return left


def _whole(
    study: Study, sections: set[str], progress: Progress, notes: list[str]
) -> dict[str, Any]:
    """The global measures that are wanted. Their libraries load here."""
    from microgauge.sections.joint.section import WholeFile
    from microgauge.study.joint_rows import stacked, unmasked

    joint, said = stacked(study)
    notes += said
    text = study.schema.propensity.formula
    formula = None if text is None else parse_terms(text, [v.name for v in study.variables])
    whole = WholeFile(joint, study.options.seed, progress, unmasked(study, joint), formula, notes)
    found: dict[str, Any] = {}
    if "propensity" in sections:
        found["propensity"] = _propensity(study, whole, notes)
    if "clusters" in sections:
        found["clusters"] = whole.clusters(study.schema.clusters)
    if "ecdf" in sections:
        found["ecdf"] = whole.ecdf(study.schema.ecdf)
    return found


def _propensity(study: Study, whole: WholeFile, notes: list[str]) -> PropensityResult:
    """U_p: on all rows where their place can fit a model there, else on those in memory."""
    from microgauge.engines import Local
    from microgauge.sections.joint.all_rows import on_all_rows
    from microgauge.study.joint_rows import compared

    chosen = study.schema.propensity
    result = whole.propensity(chosen)
    engines = (study.description.original, study.description.protected)
    plain = chosen.model in ("auto", "logit") and chosen.unmasked == "all"
    rows = sum(engine.rows for engine in engines)
    if isinstance(engines[0], Local) or not plain or rows <= chosen.sample:
        return result
    both = {placed.name: placed for placed in compared(study)[0]}
    return on_all_rows(result, whole.joint, both, engines, notes)


def _analyses(
    study: Study, sections: set[str], progress: Progress, notes: list[str]
) -> dict[str, Any]:
    """What changed, and whether the analyses that the schema names still hold."""
    found: dict[str, Any] = {}
    if "loss" in sections:
        from microgauge.sections.loss.section import information_loss

        found["loss"] = information_loss(study, progress, notes)
    if "indicators" in sections and study.schema.indicators:
        from microgauge.sections.analyses.indicators import indicator_results

        found["indicators"] = indicator_results(study, progress)
    if "regressions" in sections and study.schema.regressions:
        from microgauge.sections.analyses.regressions import regression_results

        found["regressions"] = regression_results(study, progress)
    return found


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


def _inputs(original: Table, protected: Table, study: Study) -> Inputs:
    tables = [
        InputTable(path=t.name, rows=t.rows, columns=len(t.columns) + len(t.unsupported))
        for t in (original, protected)
    ]
    return Inputs(
        original=tables[0],
        protected=tables[1],
        alignment=study.matching.alignment,
        seed=study.options.seed,
    )


def _size_notes(tables: list[Table], options: Options, sections: set[str]) -> list[str]:
    rows = max(table.rows for table in tables)
    if rows <= LARGE or options.test_n is not None or "gdu" not in sections:
        return []
    return [
        f"With {rows:,} rows the smallest difference is significant, so p-values and this measure "
        "tell good from bad less well. Set test_n = 1000 in [options] to test every effect as if "
        "it came from 1,000 units."
    ]
