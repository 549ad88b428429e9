"""Opening tables: into memory, in batches, or where Spark has them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from microgauge.errors import InputError, hint, said_by_system
from microgauge.languages.messages import say, strung
from microgauge.log import Progress, silent
from microgauge.schema import Schema
from microgauge.tables import Reading, Table, read_table
from microgauge.tables.budget import memory_bytes
from microgauge.values.labels import label_of

ENGINES = ("local", "spark")
ROW_BYTES = 1 << 10
"""What a row takes where measures hold it, with all that is worked out beside it."""


def reading_of(
    schema: Schema,
    memory: str | int | None = None,
    scratch: str | Path | None = None,
    engine: Any = "local",
) -> Reading:
    """How the tables of a run are read. `engine` is "local", "spark" or a Spark session."""
    options = schema.options
    return Reading(
        memory=memory_bytes(memory),
        most_rows=None if memory is None else memory_bytes(memory) // ROW_BYTES,
        scratch=_folder(scratch),
        key=options.key if isinstance(options.key, str) else None,
        distinct=options.distinct_values,
        missing={
            name: frozenset(label_of(code) for code in variable.missing)
            for name, variable in schema.variables.items()
            if variable.missing
        },
        session=_session(engine),
    )


def _folder(scratch: str | Path | None) -> Path | None:
    if scratch is None:
        return None
    folder = Path(scratch)
    try:
        there = folder.is_dir()
    except OSError as error:  # a name that is too long
        raise InputError(
            say(
                "the folder {folder} for scratch files cannot be used: {said_by_system}.",
                folder=folder,
                said_by_system=said_by_system(error),
            )
        ) from None
    if not there:
        raise InputError(say("there is no folder {folder} for scratch files.", folder=folder))
    if not os.access(folder, os.W_OK):
        raise InputError(
            say("the folder {folder} for scratch files cannot be written to.", folder=folder)
        )
    return folder


def _session(engine: Any) -> Any:
    """The Spark session to use; None for this machine."""
    if engine == "local":
        return None
    if isinstance(engine, str) and engine != "spark":
        known = strung(ENGINES, say(" and "))
        raise InputError(
            say(
                'there is no engine "{engine}"; there are {known}.{hint}',
                engine=engine,
                known=known,
                hint=hint(engine, ENGINES),
            )
        )
    from microgauge.engines.spark import session_of

    return session_of(None if engine == "spark" else engine)


def open_table(
    source: Any, *, which: str, reading: Reading | None = None, progress: Progress = silent
) -> Table:
    """Open a table. `which` is "original" or "protected", for messages."""
    if isinstance(source, Table):
        return source
    if _is_spark(source) or (reading is not None and reading.session is not None):
        from microgauge.engines.spark import read_frame

        return read_frame(source, which=which, reading=reading, progress=progress)
    return read_table(source, which=which, reading=reading, progress=progress)


def reads_files(reading: Reading) -> bool:
    """Whether paths are those of files here, and not names that Spark knows."""
    return reading.session is None


def engine_for(engine: Any, *sources: Any) -> Any:
    """The engine given, or the session of the first table that is a Spark data frame."""
    if engine != "local":
        return engine
    return next((s.sparkSession for s in sources if _is_spark(s)), engine)


def _is_spark(source: Any) -> bool:
    """Whether a table is a Spark data frame, told without loading Spark."""
    return any(
        kind.__module__ == "pyspark.sql.dataframe" and kind.__name__ == "DataFrame"
        for kind in type(source).__mro__
    )
