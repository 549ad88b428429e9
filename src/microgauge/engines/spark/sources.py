"""What a user names, as Spark data frames: files, tables, data frames of other libraries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import eq
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl
from polars.selectors import by_name

from microgauge.engines.spark.delimited import looked_at, parsed
from microgauge.errors import InputError, listing
from microgauge.languages.messages import say
from microgauge.tables.drift import column_drift, header_drift
from microgauge.tables.formats.format import Lines

FILES_AT_A_TIME = 8
_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv", ".orc": "orc"}
_PATTERN = re.compile(r"([\\*?\[\]{}])")


Opened = tuple[str, Any, tuple[str, ...], Lines]


def opened(source: Any, session: Any, which: str) -> Opened:
    """The name of a table, its frame, the names of its columns, lines that are no records."""
    if type(source).__module__.startswith("pyspark.sql"):
        return "<DataFrame>", source, tuple(source.columns), Lines()
    if isinstance(source, list | tuple) and source and all(_is_name(s) for s in source):
        return _files([str(s) for s in source], session, which)
    if not _is_name(source):
        frame = session.createDataFrame(_as_arrow(source, which))
        return f"<{type(source).__name__}>", frame, tuple(frame.columns), Lines()
    name = str(source)
    if "/" not in name and not Path(name).exists() and not _format_of(name):
        frame = session.table(name)
        return name, frame, tuple(frame.columns), Lines()
    return _files([name], session, which)


def _is_name(source: Any) -> bool:
    return isinstance(source, str | Path)


def _as_arrow(source: Any, which: str) -> Any:
    """A data frame held in memory, for Spark to take over."""
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    if isinstance(source, pl.DataFrame) or hasattr(source, "column_names"):
        frame = pl.DataFrame(source)
    elif hasattr(source, "iloc"):
        frame = pl.from_pandas(source)
    else:
        raise InputError(
            say(
                "the {which} table is a {name}. Give Spark a data frame, the name of a "
                "table, or a path.",
                which=which,
                name=type(source).__name__,
            )
        )
    # Spark would take times without a zone for those of its session, and move them.
    times = [n for n, t in frame.schema.items() if isinstance(t, pl.Datetime) and not t.time_zone]
    if times:
        frame = frame.with_columns(by_name(*times).dt.replace_time_zone("UTC"))
    return frame.to_arrow()


def _format_of(name: str) -> str | None:
    suffixes = [s.lower() for s in Path(name).suffixes]
    return next((_FORMATS[s] for s in reversed(suffixes) if s in _FORMATS), None)


# -- files -----------------------------------------------------------------------------------------


def _files(names: list[str], session: Any, which: str) -> Opened:
    """Files that Spark reads; those of a folder are Parquet where their names do not tell."""
    from pyspark.errors import AnalysisException

    title = (
        names[0]
        if len(names) == 1
        else say("{names} and {n} more", names=names[0], n=len(names) - 1)
    )
    kind = _format_of(names[0]) or _folder_format(names[0])
    names = [_literal(name) for name in names]
    try:
        files = session.read.format("binaryFile").load(names)
        listed = sorted(row[0] for row in files.selectExpr("path").collect())
        every = sorted(session.read.text(names).inputFiles())
    except AnalysisException:
        raise InputError(
            say(
                "Spark finds no file {names} (the {which} table).",
                names=listing(names),
                which=which,
            )
        ) from None
    if not every:
        raise InputError(say("the {which} table {title} has no files.", which=which, title=title))
    known = {_as_path(file) for file in listed}
    faults = [
        say("the part {file} of the {which} table is empty.", file=file, which=which)
        for file in every
        if unquote(_as_path(file)) not in known
    ]
    if kind == "csv":
        return title, *_delimited(files, which, faults)
    with ThreadPoolExecutor(FILES_AT_A_TIME) as threads:
        schemas = list(threads.map(lambda file: _schema_of(file, kind, session), listed))
    faults += _part_faults(listed, schemas, which)
    if faults:
        raise InputError(*faults)
    frame = session.read.format(kind).option("ignoreCorruptFiles", "false").load(names)
    return title, frame, tuple(frame.columns), Lines()


def _literal(name: str) -> str:
    """A name as Spark must be given it: that of a file is no pattern, whatever signs it holds."""
    return _PATTERN.sub(r"\\\1", name) if Path(name).exists() else name


def _as_path(file: str) -> str:
    """The path of a file on this machine by its address; other addresses as they are."""
    if not file.startswith("file:"):
        return file
    return "/" + file.removeprefix("file:").lstrip("/")


def _folder_format(name: str) -> str:
    folder = Path(name)
    if folder.is_dir():
        found = {_format_of(p.name) for p in folder.rglob("*") if p.name[:1] not in "._"} - {None}
        if len(found) == 1:
            return str(found.pop())
    return "parquet"


def _schema_of(file: str, kind: str, session: Any) -> dict[str, str] | str:
    """The columns of one file with their types, or why it cannot be read."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    if kind == "parquet" and file.startswith("file:"):
        return _footer(_as_path(file))
    try:
        fields = session.read.format(kind).load(_literal(_as_path(file))).schema.fields
        return {field.name: field.dataType.simpleString() for field in fields}
    except (PySparkException, Py4JJavaError) as error:
        return type(error).__name__


def _footer(path: str) -> dict[str, str] | str:
    """The columns that the foot of a Parquet file names: quicker than asking Spark for each."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        return type(error).__name__
    return {field.name: _type_name(field.type) for field in schema}


def _type_name(kind: Any) -> str:
    """A type of Arrow as Spark sees it: text is text, however it is held."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _type_name(kind.value_type)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return "string" if any(is_text(kind) for is_text in texts) else str(kind)


def _part_faults(files: Sequence[str], schemas: Sequence[Any], which: str) -> list[str]:
    """Faults of all parts at once: Spark itself would fill what a part lacks with nulls."""
    faults = [
        say(
            "the part {file} of the {which} table cannot be read ({schema}). It may be "
            "cut off or damaged; copy or export it again.",
            file=file,
            which=which,
            schema=schema,
        )
        for file, schema in zip(files, schemas, strict=True)
        if isinstance(schema, str)
    ]
    sound = [(f, s) for f, s in zip(files, schemas, strict=True) if not isinstance(s, str)]
    for file, schema in sound[1:]:
        faults += column_drift(
            say("the part {file} of the {which} table", file=file, which=which),
            schema,
            *sound[0],
            eq,
        )
    return faults


# -- delimited text --------------------------------------------------------------------------------


def _delimited(files: Any, which: str, faults: list[str]) -> tuple[Any, tuple[str, ...], Lines]:
    """CSV, by the same reader as everywhere: every file is looked at first, then parsed."""
    import json

    contents = files.select("path", "content")
    rows = contents.mapInArrow(partial(looked_at, which=which), "path string, look string")
    looks = {row[0]: json.loads(row[1]) for row in rows.collect()}
    faults += [look["fault"] for look in looks.values() if "fault" in look]
    sound = {path: look for path, look in sorted(looks.items()) if "fault" not in look}
    if sound:
        first, header = next((path, look["header"]) for path, look in sound.items())
        for path, look in sound.items():
            part = say("the part {path} of the {which} table", path=path, which=which)
            faults += header_drift(part, look["header"], first, header)
    if faults:
        raise InputError(*faults)
    commas = [
        name
        for name in header
        if all(look["delimiter"] != "," and look["all"][name] for look in sound.values())
        and any(look["any"][name] for look in sound.values())
    ]
    places = ", ".join(f"c{i} string" for i in range(len(header)))
    work = partial(parsed, header=tuple(header), commas=tuple(commas), which=which)
    lines = sum((Lines(*look["lines"]) for look in sound.values()), start=Lines())
    return contents.mapInArrow(work, places), tuple(header), lines
