"""Opening what a user names: a path, or a data frame of any of the usual libraries."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import polars as pl
from polars.selectors import by_name

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.log import Progress, silent
from microgauge.tables.column import Column, LeftOut, Table, UnsupportedColumn, encode
from microgauge.tables.formats.format import Held
from microgauge.tables.source import Source, is_paths, refuse_repeats
from microgauge.tables.streaming import Reading, streamed

COLUMNS_AT_A_TIME = 2


def read_table(
    source: Any, *, which: str, reading: Reading | None = None, progress: Progress = silent
) -> Table:
    """Read a table. `which` is "original" or "protected", for messages.

    Without `reading`, the table is read into memory however large it is.
    """
    if isinstance(source, Table):
        return source
    if is_paths(source):
        source = Source.find(source, which)
        if reading is not None and reading.batches(source):
            return _checked(streamed(source, reading, progress), which)
    key = None if reading is None else reading.key
    return coded_table(read_held(source, which), which, key)


def read_held(source: Any, which: str) -> Held:
    """The cells of a table as they were read, all in memory: files, or a data frame."""
    if isinstance(source, Source):
        return source.held()
    if is_paths(source):
        return Source.find(source, which).held()
    return _held_frame(source, which)


def coded_table(held: Held, which: str, key: str | None = None) -> Table:
    """A table of coded columns; `InputError` where it has no columns or no rows."""
    return _checked(_coded(held, key), which)


def changed_table(
    name: str, frame: pl.DataFrame, before: pl.DataFrame, table: Table, key: str | None = None
) -> Table:
    """The table of a frame made from one that is coded: columns that are the same keep their codes.

    The file's labels are not kept: the changed table stands for a file that has none.
    """
    same = {n for n in frame.columns if n in before.columns and _same(frame[n], before[n])}
    anew = _coded(Held.of(name, frame.drop(by_name(*same))), key)
    bare = {n: replace(table.columns[n], value_labels={}, declared_level=None)
            for n in same & table.columns.keys()}  # fmt: skip
    coded, left_out = {**anew.columns, **bare}, {**table.unsupported, **anew.unsupported}
    return Table(
        name,
        frame.height,
        {n: coded[n] for n in frame.columns if n in coded},
        {n: left_out[n] for n in frame.columns if n not in coded},
    )


def _same(cells: pl.Series, before: pl.Series) -> bool:
    """Whether cells are the same in the same rows; far quicker told than coded."""
    return cells.dtype == before.dtype and cells.equals(before, null_equal=True)


def _checked(table: Table, which: str) -> Table:
    if not table.columns and not table.unsupported:
        raise InputError(
            say("the {which} table {name} has no columns.", which=which, name=table.name)
        )
    if table.rows == 0:
        raise InputError(say("the {which} table {name} has no rows.", which=which, name=table.name))
    return table


def _coded(held: Held, key: str | None) -> Table:
    """Code column by column, a few at a time: no more raw columns are held beside the codes."""
    coded: dict[str, Column] = {}
    unsupported: dict[str, LeftOut] = {}
    rows = 0
    with ThreadPoolExecutor(COLUMNS_AT_A_TIME) as threads:
        for name, (count, found) in zip(
            held.columns,
            threads.map(lambda n: _encoded(held.column(n), is_key=n == key), held.columns),
            strict=True,
        ):
            rows = count
            if isinstance(found, Column):
                coded[name] = held.described(name, found)
            else:
                unsupported[name] = found
    return Table(held.name, rows, coded, unsupported, lines=held.lines)


def _encoded(series: pl.Series, *, is_key: bool) -> tuple[int, Column | LeftOut]:
    """The number of rows, and the coded column or why it is left out."""
    if is_key and series.dtype.is_integer() and is_long(series):
        series = series.cast(pl.String)  # a floating point number would lose digits
    try:
        return len(series), encode(series)
    except UnsupportedColumn as error:
        return len(series), error.why


def is_long(series: pl.Series) -> bool:
    """Whether some whole number has more digits than a floating point number holds."""
    low, high = series.min(), series.max()
    return isinstance(low, int) and isinstance(high, int) and max(-low, high) > 1 << 53


# -- data frames ---------------------------------------------------------------------------------


def _held_frame(source: Any, which: str) -> Held:
    """A data frame held in memory."""
    name = f"<{type(source).__name__}>"
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    if isinstance(source, pl.DataFrame):
        return Held.of(name, source)
    if "pandas" in sys.modules and isinstance(source, sys.modules["pandas"].DataFrame):
        names = [str(column) for column in source.columns]
        refuse_repeats(names, say("the {which} table {name}", which=which, name=name))
        by_name = dict(zip(names, source.columns, strict=True))
        return Held(name, names, lambda column: _from_pandas(source[by_name[column]]))
    if isinstance(source, Mapping):
        return Held.of(name, pl.DataFrame(source, strict=False))
    if hasattr(source, "__arrow_c_stream__"):
        if hasattr(source, "column_names"):
            refuse_repeats(
                source.column_names, say("the {which} table {name}", which=which, name=name)
            )
        return Held.of(name, pl.DataFrame(source))
    raise InputError(
        say(
            "the {which} table is a {name}. Give a path, a pandas or polars data frame, "
            "a PyArrow table, or any object with the Arrow C stream interface.",
            which=which,
            name=type(source).__name__,
        )
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
    if pd.api.types.is_integer_dtype(dtype):
        return _whole_numbers(column)
    if pd.api.types.is_numeric_dtype(dtype):
        kind = "float32" if str(dtype).lower() == "float32" else "float64"
        numbers = pl.Series(column.to_numpy(dtype=kind, na_value=float("nan")))
        return numbers.fill_nan(None)
    if pd.api.types.is_datetime64_any_dtype(dtype):
        times = pl.Series(column.to_numpy(dtype="datetime64[us]"))
        zone = getattr(dtype, "tz", None)
        return times if zone is None else times.dt.replace_time_zone("UTC")
    return _from_objects(column.to_list())


def _whole_numbers(column: Any) -> pl.Series:
    """Whole numbers stay whole, also where some are missing."""
    missing = column.isna().to_numpy()
    if not missing.any():
        return pl.Series(column.to_numpy())
    numbers = pl.Series(column.fillna(0).to_numpy(dtype=column.dtype.numpy_dtype))
    return pl.select(pl.when(pl.Series(~missing)).then(numbers)).to_series()


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
        raise InputError(
            say("a column of the pandas table holds lists or dicts; drop or unpack it.")
        )
    return pl.Series([None if c is None else _label(c) for c in cells], dtype=pl.String)
