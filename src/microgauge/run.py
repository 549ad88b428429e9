"""The run: tables and schema in, an assessment out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from microgauge._version import __version__
from microgauge.happened import variable_result
from microgauge.results import Assessment, Inputs, InputTable
from microgauge.schema import Options, Schema
from microgauge.study import Study
from microgauge.tables import Table, read_table
from microgauge.utility import GlobalUtility, Progress

SCHEMA_VERSION = 1
LARGE = 100_000
"""Rows beyond which p-values say little and test_n is recommended."""


def assess(
    original: Any,
    protected: Any,
    *,
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    key: str | None = None,
    progress: Progress = lambda what, share: None,
) -> Assessment:
    """Measure how much a protected table has lost.

    Tables are paths or data frames (pandas, polars, PyArrow, anything with the Arrow C stream
    interface). `schema` is a `Schema`, a dict of the same shape, or the path of a TOML file; `key`
    names the column that joins the tables.
    """
    chosen = _schema(schema, key)
    tables = []
    for source, which in ((original, "original"), (protected, "protected")):
        progress(f"reading the {which} table", 0.0)
        tables.append(read_table(source, which=which))
    progress("describing variables", 0.0)
    study = Study.prepare(tables[0], tables[1], chosen)
    gdu = GlobalUtility(study, progress).result()
    return Assessment(
        microgauge=__version__,
        schema_version=SCHEMA_VERSION,
        inputs=_inputs(tables[0], tables[1], study),
        variables=tuple(variable_result(v, study.recodings.get(v.name)) for v in study.variables),
        gdu=gdu,
        notes=tuple(study.notes + _size_notes(tables, chosen.options)),
    )


def _schema(schema: Schema | Mapping[str, Any] | str | Path | None, key: str | None) -> Schema:
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


def _size_notes(tables: list[Table], options: Options) -> list[str]:
    rows = max(table.rows for table in tables)
    if rows <= LARGE or options.test_n is not None:
        return []
    return [
        f"With {rows:,} rows the smallest difference is significant, so p-values and this measure "
        "tell good from bad less well. Set test_n = 1000 in [options] to test every effect as if "
        "it came from 1,000 units."
    ]
