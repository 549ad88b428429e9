"""Opening what a user names: a path, or a data frame of any of the usual libraries."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

from microgauge.errors import InputError
from microgauge.tables.column import Column, LeftOut, Table, UnsupportedColumn, encode
from microgauge.tables.delimited import read_delimited, with_decimal_points
from microgauge.tables.labelled import read_labelled
from microgauge.tables.source import GZIP_MAGIC, Source, is_paths, refuse_repeats
from microgauge.tables.streaming import Progress, Reading, streamed

COLUMNS_AT_A_TIME = 2


def _silent(what: str, share: float) -> None:
    """Says nothing."""


def read_table(
    source: Any, *, which: str, reading: Reading | None = None, progress: Progress = _silent
) -> Table:
    """Read a table. `which` is "original" or "protected", for messages.

    Without `reading`, the table is read into memory however large it is.
    """
    if isinstance(source, Table):
        return source
    if is_paths(source):
        table = _read_source(Source.find(source, which), reading, progress)
    else:
        table = _frame_table(source, which, None if reading is None else reading.key)
    if not table.columns and not table.unsupported:
        raise InputError(f"the {which} table {table.name} has no columns.")
    if table.rows == 0:
        raise InputError(f"the {which} table {table.name} has no rows.")
    return table


def _read_source(source: Source, reading: Reading | None, progress: Progress) -> Table:
    if source.format == "labelled":
        return _labelled_table(source.parts[0], source.which)
    key = None if reading is None else reading.key
    if reading is not None and reading.batches(source):
        return streamed(source, reading, progress)
    if source.format == "CSV":
        return named_table(source.name, _delimited_parts(source), key)
    return _columnar_table(source, key)


def _delimited_parts(source: Source) -> pl.DataFrame:
    frames: dict[Path, pl.DataFrame] = {}
    faults: list[str] = []
    commas = True
    for part in source.parts:
        zipped = source.gzipped and part.read_bytes()[:2] == GZIP_MAGIC
        try:
            content = _gunzipped(part, source.which) if zipped else part.read_bytes()
            frame, delimiter = read_delimited(content, source.part_name(part))
        except InputError as error:
            faults += error.faults
            continue
        commas &= delimiter != ","
        frames[part] = frame
    columns = source.agreed({part: dict(frame.schema) for part, frame in frames.items()}, faults)
    found = pl.concat([frame.select(list(columns)) for frame in frames.values()])
    return with_decimal_points(found) if commas else found


def _coded(
    name: str, columns: Sequence[str], read: Callable[[str], pl.Series], key: str | None
) -> Table:
    """Code column by column, a few at a time: no more raw columns are held beside the codes."""
    coded: dict[str, Column] = {}
    unsupported: dict[str, LeftOut] = {}
    rows = 0
    with ThreadPoolExecutor(COLUMNS_AT_A_TIME) as threads:
        for column, (count, found) in zip(
            columns, threads.map(lambda c: _encoded(read(c), is_key=c == key), columns), strict=True
        ):
            rows = count
            if isinstance(found, Column):
                coded[column] = found
            else:
                unsupported[column] = found
    return Table(name, rows, coded, unsupported)


def _encoded(series: pl.Series, *, is_key: bool) -> tuple[int, Column | LeftOut]:
    """The number of rows, and the coded column or why it is left out."""
    if is_key and series.dtype.is_integer() and _is_long(series):
        series = series.cast(pl.String)  # a floating point number would lose digits
    try:
        return len(series), encode(series)
    except UnsupportedColumn as error:
        return len(series), error.why


def _is_long(series: pl.Series) -> bool:
    """Whether some whole number has more digits than a floating point number holds."""
    low, high = series.min(), series.max()
    return isinstance(low, int) and isinstance(high, int) and max(-low, high) > 1 << 53


def _gunzipped(path: Path, which: str) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the {which} table {path} is not a whole gzip file ({error}); copy it again."
        ) from None


def named_table(name: str, frame: pl.DataFrame, key: str | None = None) -> Table:
    """A polars data frame under a name of its own."""
    return _coded(name, frame.columns, frame.get_column, key)


def _labelled_table(path: Path, which: str) -> Table:
    frame, facts = read_labelled(path, which)
    table = named_table(str(path), frame)
    return Table(
        table.name,
        table.rows,
        {name: facts.describe(name, column) for name, column in table.columns.items()},
        table.unsupported,
    )


def _columnar_table(source: Source, key: str | None) -> Table:
    """A column at a time, so that memory holds codes and one raw column."""

    def read(part: Path, name: str) -> pl.Series:
        # As a file object: a name may hold signs that polars would take for a pattern.
        with part.open("rb") as file:
            if source.format == "Parquet":
                return pl.read_parquet(file, columns=[name]).to_series()
            return pl.read_ipc(file, columns=[name]).to_series()

    def column(name: str) -> pl.Series:
        found = []
        for part in source.parts:
            with source.reading(part):
                series = read(part, name)
                found.append(series if len(source.parts) == 1 else series.cast(dtypes[name]))
        return pl.concat(found)

    dtypes = source.columns
    return _coded(source.name, list(dtypes), column, key)


def _frame_table(source: Any, which: str, key: str | None) -> Table:
    """A data frame held in memory."""
    name = f"<{type(source).__name__}>"
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    if isinstance(source, pl.DataFrame):
        return named_table(name, source, key)
    if "pandas" in sys.modules and isinstance(source, sys.modules["pandas"].DataFrame):
        names = [str(column) for column in source.columns]
        refuse_repeats(names, f"the {which} table {name}")
        by_name = dict(zip(names, source.columns, strict=True))
        return _coded(name, names, lambda column: _from_pandas(source[by_name[column]]), key)
    if isinstance(source, Mapping):
        return named_table(name, pl.DataFrame(source, strict=False), key)
    if hasattr(source, "__arrow_c_stream__"):
        if hasattr(source, "column_names"):
            refuse_repeats(source.column_names, f"the {which} table {name}")
        return named_table(name, pl.DataFrame(source), key)
    raise InputError(
        f"the {which} table is a {type(source).__name__}. Give a path, a pandas or polars data "
        "frame, a PyArrow table, or any object with the Arrow C stream interface."
    )


def _from_pandas(column: Any) -> pl.Series:
    """A pandas column without a detour over Arrow, which pandas does not need to be installed."""
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        texts = pl.Series([None if pd.isna(v) else _label(v) for v in column.astype(object)])
        if dtype.ordered:
            return texts.cast(pl.Enum([_label(category) for category in dtype.categories]))
        return texts.cast(pl.String)
    if pd.api.types.is_bool_dtype(dtype):
        return pl.Series([None if pd.isna(v) else bool(v) for v in column], dtype=pl.Boolean)
    if pd.api.types.is_integer_dtype(dtype) and not column.isna().any():
        return pl.Series(column.to_numpy())
    if pd.api.types.is_numeric_dtype(dtype):
        return pl.Series(column.to_numpy(dtype="float64", na_value=float("nan")))
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return pl.Series(column.to_numpy(dtype="datetime64[us]"))
    return _from_objects(column.to_list())


def _label(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _from_objects(cells: list[Any]) -> pl.Series:
    """Mixed cells: text, unless every one that is not missing is a plain number or boolean."""
    import pandas as pd

    cells = [None if cell is None or cell is pd.NA or cell != cell else cell for cell in cells]
    present = {type(cell) for cell in cells if cell is not None}
    if present and present <= {bool}:
        return pl.Series(cells, dtype=pl.Boolean)
    if present and present <= {int, float}:
        return pl.Series(cells, dtype=pl.Float64, strict=False)
    if any(issubclass(kind, list | dict | tuple | set) for kind in present):
        raise InputError("a column of the pandas table holds lists or dicts; drop or unpack it.")
    return pl.Series([None if c is None else _label(c) for c in cells], dtype=pl.String)
