"""Data frames as those who asked like them: pandas for whoever gave pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    import polars as pl

Frames = Literal["polars", "pandas", "pyarrow"]
KINDS: tuple[str, ...] = get_args(Frames)


def frames_of(*given: Any) -> Frames:
    """The kind of the first data frame among what was given; polars where there is none.

    >>> import pandas
    >>> frames_of("original.csv"), frames_of(pandas.DataFrame())
    ('polars', 'pandas')
    """
    for table in given:
        home = type(table).__module__.partition(".")[0]
        if home == "pandas":
            return "pandas"
        if home == "pyarrow":
            return "pyarrow"
    return "polars"


def given_back(frame: pl.DataFrame, kind: str) -> Any:
    """A data frame as one of another kind; a missing value stays one."""
    if kind not in KINDS:
        raise ValueError(f"data frames are {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if kind == "pandas":
        return _as_pandas(frame)
    return frame.to_arrow() if kind == "pyarrow" else frame


def _as_pandas(frame: pl.DataFrame) -> Any:
    """Column by column: polars' own way needs PyArrow, which not everyone has."""
    import pandas as pd

    columns = {name: _series(frame[name]) for name in frame.columns}
    return pd.DataFrame(columns, index=pd.RangeIndex(frame.height))


def _series(column: pl.Series) -> Any:
    import pandas as pd
    import polars as pl

    if column.dtype.is_numeric() and not column.null_count():
        return pd.Series(column.to_numpy())
    if column.dtype.is_float():
        return pd.Series(column.to_list(), dtype=str(column.dtype).lower())
    if column.dtype.is_integer():
        # Plain whole numbers of pandas have no missing value; those of the same name ("Int64") do.
        return pd.Series(column.to_list(), dtype=str(column.dtype))
    if column.dtype == pl.Boolean:
        return pd.Series(column.to_list(), dtype="boolean" if column.null_count() else "bool")
    if column.dtype in (pl.Date, pl.Datetime):
        return pd.Series(pd.to_datetime(column.to_list()))
    return pd.Series(column.to_list(), dtype=object)
