"""What a user names, as Spark data frames: files, tables, data frames of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

from microgauge.errors import InputError, listing

FILES_AT_A_TIME = 8


def opened(source: Any, session: Any, which: str) -> tuple[str, Any]:
    """The name of a table and its frame."""
    if type(source).__module__.startswith("pyspark.sql"):
        return "<DataFrame>", source
    if isinstance(source, list | tuple) and source and all(_is_name(s) for s in source):
        return _files([str(s) for s in source], session, which)
    if not _is_name(source):
        return f"<{type(source).__name__}>", session.createDataFrame(_as_arrow(source, which))
    name = str(source)
    if "/" not in name and not Path(name).suffix and not Path(name).exists():
        return name, session.table(name)
    if "." in name and "/" not in name and not Path(name).exists() and not _format_of(name):
        return name, session.table(name)
    return _files([name], session, which)


def _is_name(source: Any) -> bool:
    return isinstance(source, str | Path)


def _as_arrow(source: Any, which: str) -> Any:
    if isinstance(source, pl.DataFrame):
        return source.to_arrow()
    if isinstance(source, pl.LazyFrame):
        return source.collect().to_arrow()
    if hasattr(source, "iloc") or hasattr(source, "column_names"):
        return source
    raise InputError(
        f"the {which} table is a {type(source).__name__}. Give Spark a data frame, the name of a "
        "table, or a path."
    )


_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".orc": "orc"}


def _format_of(name: str) -> str | None:
    suffixes = [s.lower() for s in Path(name).suffixes]
    return next((_FORMATS[s] for s in reversed(suffixes) if s in _FORMATS), None)


def _files(names: list[str], session: Any, which: str) -> tuple[str, Any]:
    """Files that Spark reads; those of a folder are Parquet where their names do not tell."""
    from pyspark.errors import AnalysisException

    title = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    kind = _format_of(names[0]) or _folder_format(names[0])
    try:
        listed = session.read.format("binaryFile").load(names).select("path")
        files = sorted(row[0] for row in listed.collect())
    except AnalysisException as error:
        raise InputError(
            f"Spark finds no file {listing(names)} (the {which} table; "
            f"{error.getCondition() or 'no path'})."
        ) from None
    if not files:
        raise InputError(f"the {which} table {title} has no files.")
    with ThreadPoolExecutor(FILES_AT_A_TIME) as threads:
        schemas = list(threads.map(lambda file: _schema_of(file, kind, session), files))
    _check_parts(files, schemas, which)
    frame = _reader(session, kind, files).load(files)
    return title, frame


def _folder_format(name: str) -> str:
    folder = Path(name)
    if folder.is_dir():
        found = {_format_of(p.name) for p in folder.iterdir() if p.name[:1] not in "._"} - {None}
        if len(found) == 1:
            return str(found.pop())
    return "parquet"


def _reader(session: Any, kind: str, files: Sequence[str]) -> Any:
    reader = session.read.format(kind)
    if kind == "csv":
        reader = reader.options(header=True, inferSchema=False, sep=_separator(session, files[0]))
        reader = reader.options(multiLine=True, mode="FAILFAST", escape='"')
    return reader


def _separator(session: Any, file: str) -> str:
    from microgauge.tables.delimited import Dialect

    lines = [row[0] for row in session.read.text(file).limit(200).collect()]
    return Dialect.found(("\n".join(lines) + "\n").encode(), file).delimiter


def _schema_of(file: str, kind: str, session: Any) -> dict[str, str] | str:
    """The columns of one file with their types, or why it cannot be read."""
    from pyspark.errors import PySparkException

    try:
        fields = _reader(session, kind, [file]).load(file).schema.fields
        return {field.name: field.dataType.simpleString() for field in fields}
    except PySparkException as error:
        return error.getCondition() or type(error).__name__


_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


def _check_parts(files: Sequence[str], schemas: Sequence[Any], which: str) -> None:
    """Faults of all parts at once: Spark itself would fill what a part lacks with nulls."""
    faults = [
        f"the part {file} of the {which} table cannot be read ({schema}). It may be cut off or "
        "damaged; copy or export it again."
        for file, schema in zip(files, schemas, strict=True)
        if isinstance(schema, str)
    ]
    sound = [(f, s) for f, s in zip(files, schemas, strict=True) if not isinstance(s, str)]
    for file, schema in sound[1:]:
        first, expected = sound[0]
        gone, new = (
            [n for n in expected if n not in schema],
            [n for n in schema if n not in expected],
        )
        if gone:
            faults.append(
                f"the part {file} of the {which} table lacks {listing(gone)}, which {first} has."
            )
        if new:
            faults.append(
                f"the part {file} of the {which} table has {listing(new)}, which {first} lacks."
            )
        faults += [
            f'the part {file} of the {which} table holds "{name}" as {schema[name]}, where {first} '
            f"holds {kind}. Write all parts with the same types."
            for name, kind in expected.items()
            if name in schema and schema[name] != kind
        ]
    if faults:
        raise InputError(*faults)
