"""Opening what a user names: a path, or a data frame of any of the usual libraries."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import polars as pl

from microgauge.errors import InputError, listing
from microgauge.tables.column import Column, Table, UnsupportedColumn, encode
from microgauge.tables.delimited import read_delimited
from microgauge.tables.labelled import LABELLED, read_labelled

ARROW_MAGIC = b"ARROW1"
PARQUET_MAGIC = b"PAR1"
COLUMNS_AT_A_TIME = 2
GZIP_MAGIC = b"\x1f\x8b"


def read_table(source: Any, *, which: str) -> Table:
    """Read a table. `which` is "original" or "protected", for messages."""
    if isinstance(source, Table):
        return source
    if isinstance(source, str | Path):
        table = _read_path(Path(source), which)
    else:
        table = _frame_table(source, which)
    if not table.columns and not table.unsupported:
        raise InputError(f"the {which} table {table.name} has no columns.")
    if table.rows == 0:
        raise InputError(f"the {which} table {table.name} has no rows.")
    return table


def _coded(name: str, columns: Sequence[str], read: Callable[[str], pl.Series]) -> Table:
    """Code column by column, a few at a time: no more raw columns are held beside the codes."""
    coded: dict[str, Column] = {}
    unsupported: dict[str, str] = {}
    rows = 0
    with ThreadPoolExecutor(COLUMNS_AT_A_TIME) as threads:
        for column, (count, found) in zip(
            columns, threads.map(lambda c: _encoded(read(c)), columns), strict=True
        ):
            rows = count
            if isinstance(found, Column):
                coded[column] = found
            else:
                unsupported[column] = found
    return Table(name, rows, coded, unsupported)


def _encoded(series: pl.Series) -> tuple[int, Column | str]:
    """The number of rows, and the coded column or the type that cannot be coded."""
    try:
        return len(series), encode(series)
    except UnsupportedColumn as error:
        return len(series), str(error)


def _read_path(path: Path, which: str) -> Table:
    if path.is_dir():
        raise InputError(f"the {which} table {path} is a folder; name one file.")
    if not path.exists():
        raise InputError(f"there is no file {path} (the {which} table).{_neighbours(path)}")
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(f"the {which} table {path} cannot be read: {error.strerror}.") from None
    if not start:
        raise InputError(f"the {which} table {path} is empty.")
    if path.suffix.lower() in LABELLED:
        return _labelled_table(path, which)
    if start.startswith(PARQUET_MAGIC) or path.suffix.lower() in (".parquet", ".pq"):
        return _columnar_table(path, which, "Parquet", pl.read_parquet)
    if start.startswith(ARROW_MAGIC) or path.suffix.lower() in (".arrow", ".feather", ".ipc"):
        return _columnar_table(path, which, "Arrow", _read_ipc)
    content = _gunzipped(path, which) if start.startswith(GZIP_MAGIC) else path.read_bytes()
    return _of_frame(str(path), read_delimited(content, str(path), which))


def _neighbours(path: Path) -> str:
    if not path.parent.is_dir():
        return f" There is no folder {path.parent} either."
    names = sorted(p.name for p in path.parent.iterdir() if p.is_file() and p.name[:1] != ".")
    return f" The folder holds: {listing(names)}." if names else ""


def _gunzipped(path: Path, which: str) -> bytes:
    try:
        return gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the {which} table {path} is not a whole gzip file ({error}); copy it again."
        ) from None


def _of_frame(name: str, frame: pl.DataFrame) -> Table:
    return _coded(name, frame.columns, frame.get_column)


def _labelled_table(path: Path, which: str) -> Table:
    frame, facts = read_labelled(path, which)
    table = _of_frame(str(path), frame)
    return Table(
        table.name,
        table.rows,
        {name: facts.describe(name, column) for name, column in table.columns.items()},
        table.unsupported,
    )


def _read_ipc(path: Path, *, columns: list[str] | None = None) -> pl.DataFrame:
    return pl.read_ipc(path, columns=columns)


def _columnar_table(path: Path, which: str, kind: str, read: Callable[..., pl.DataFrame]) -> Table:
    """A column at a time, so that memory holds codes and one raw column."""
    try:
        schema = pl.read_parquet_schema(path) if kind == "Parquet" else pl.read_ipc_schema(path)
        names = list(schema)
        _refuse_repeats(names, str(path), which)
        return _coded(str(path), names, lambda name: read(path, columns=[name]).to_series())
    except (pl.exceptions.PolarsError, OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"the {which} table {path} is not a readable {kind} file "
            f"({_first_line(error)}). It may be cut off or damaged; copy or export it again."
        ) from None


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _refuse_repeats(names: Iterable[str], name: str, which: str) -> None:
    repeated = [column for column, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            f"the {which} table {name} has more than one column named {listing(repeated)}. "
            "Rename them so that every column has its own name."
        )


def _frame_table(source: Any, which: str) -> Table:
    """A data frame held in memory."""
    name = f"<{type(source).__name__}>"
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    if isinstance(source, pl.DataFrame):
        return _of_frame(name, source)
    if "pandas" in sys.modules and isinstance(source, sys.modules["pandas"].DataFrame):
        names = [str(column) for column in source.columns]
        _refuse_repeats(names, name, which)
        by_name = dict(zip(names, source.columns, strict=True))
        return _coded(name, names, lambda column: _from_pandas(source[by_name[column]]))
    if isinstance(source, Mapping):
        return _of_frame(name, pl.DataFrame(source, strict=False))
    if hasattr(source, "__arrow_c_stream__"):
        if hasattr(source, "column_names"):
            _refuse_repeats(source.column_names, name, which)
        return _of_frame(name, pl.DataFrame(source))
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
