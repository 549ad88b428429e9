"""What a user names, as Spark data frames: files, tables, data frames of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

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
        found = session.read.format("binaryFile").load(names).selectExpr("path", "length").collect()
    except AnalysisException:
        raise InputError(f"Spark finds no file {listing(names)} (the {which} table).") from None
    if not found:
        raise InputError(f"the {which} table {title} has no files.")
    empty = sorted(row[0] for row in found if not row[1])
    files = sorted(row[0] for row in found if row[1])
    with ThreadPoolExecutor(FILES_AT_A_TIME) as threads:
        schemas = list(threads.map(lambda file: _schema_of(file, kind, session), files))
    faults = [f"the part {file} of the {which} table is empty." for file in empty]
    faults += _part_faults(files, schemas, which, ordered=kind == "csv")
    if faults:
        raise InputError(*faults)
    return title, _reader(session, kind, files).load(files)


def _folder_format(name: str) -> str:
    folder = Path(name)
    if folder.is_dir():
        found = {_format_of(p.name) for p in folder.iterdir() if p.name[:1] not in "._"} - {None}
        if len(found) == 1:
            return str(found.pop())
    return "parquet"


def _reader(session: Any, kind: str, files: Sequence[str]) -> Any:
    reader = session.read.format(kind).option("ignoreCorruptFiles", "false")
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
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    if kind == "parquet" and file.startswith("file:"):
        return _footer(file)
    try:
        fields = _reader(session, kind, [file]).load(file).schema.fields
        return {field.name: field.dataType.simpleString() for field in fields}
    except (PySparkException, Py4JJavaError) as error:
        return type(error).__name__


def _footer(file: str) -> dict[str, str] | str:
    """The columns that the foot of a Parquet file names: quicker than asking Spark for each."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(url2pathname(urlparse(file).path))
    except (pa.ArrowException, OSError) as error:
        return type(error).__name__
    return {field.name: str(field.type) for field in schema}


def _part_faults(
    files: Sequence[str], schemas: Sequence[Any], which: str, *, ordered: bool
) -> list[str]:
    """Faults of all parts at once: Spark itself would fill what a part lacks with nulls."""
    faults = [
        f"the part {file} of the {which} table cannot be read ({schema}). It may be cut off or "
        "damaged; copy or export it again."
        for file, schema in zip(files, schemas, strict=True)
        if isinstance(schema, str)
    ]
    sound = [(f, s) for f, s in zip(files, schemas, strict=True) if not isinstance(s, str)]
    for file, schema in sound[1:]:
        if ordered and set(schema) != set(sound[0][1]):
            # The first line of a part without a header holds cells of the data.
            faults.append(
                f"the part {file} of the {which} table has another first line than {sound[0][0]}."
            )
            continue
        faults += _drift(f"the part {file} of the {which} table", schema, *sound[0])
        if ordered and set(schema) == set(sound[0][1]) and list(schema) != list(sound[0][1]):
            faults.append(
                f"the part {file} of the {which} table has its columns in another order than "
                f"{sound[0][0]}; Spark reads CSV by place."
            )
    return faults


def _drift(part: str, schema: dict[str, str], first: str, expected: dict[str, str]) -> list[str]:
    gone = [name for name in expected if name not in schema]
    new = [name for name in schema if name not in expected]
    faults = []
    if gone:
        faults.append(f"{part} lacks {listing(gone)}, which {first} has.")
    if new:
        faults.append(f"{part} has {listing(new)}, which {first} lacks.")
    return faults + [
        f'{part} holds "{name}" as {schema[name]}, where {first} holds {kind}. Write all parts '
        "with the same types."
        for name, kind in expected.items()
        if name in schema and schema[name] != kind
    ]
