"""A table as arrays: each column is its distinct values and one small code per row.

Everything that is said of values (is it a number, a missing code, a band?) is worked out once per
distinct value; rows are only ever touched as codes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Literal, Protocol, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.arrays import Codes, Counts, Floats
from microgauge.kernels import distinct_numbers, few_texts
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.tables.formats.format import Lines

Kind = Literal["text", "number", "boolean", "date", "time", "span"]
"""What the cells are. Held as numbers: a `date` in days and a `time` in seconds since 1970, and a
`span`, a duration or a time of day, in seconds."""


class Sliceable(Protocol):
    """An array of one entry per row, or what gives one for a slice of the rows."""

    def __getitem__(self, part: slice, /) -> NDArray[Any]: ...

    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Column:
    """One column. A row's code is the index of its value; `len(values)` marks a missing cell."""

    kind: Kind
    values: Floats | pl.Series
    """Distinct values: rising float64 for numbers, times and booleans, strings for text."""
    codes: Sliceable
    """In memory, or in a scratch file; empty where rows are on other machines."""
    value_labels: Mapping[float | str, str] = field(default_factory=dict)
    """What the file says its codes mean (SPSS, Stata, SAS)."""
    label: str | None = None
    """What the file says that the column is."""
    order: tuple[str, ...] | None = None
    """The categories of an ordered categorical, in order."""
    declared_level: str | None = None
    """The level of measurement the file declares: nominal, ordinal or scale."""
    width: float | None = None
    """Values are middles of intervals so wide, where there were too many to tell apart."""
    consecutive: bool | None = None
    """Whether they are whole numbers that run up row by row; None where rows can be looked at."""
    strays: int = 0
    """Cells that are no numbers and count as missing, where there were too many to tell apart."""

    @property
    def missing(self) -> int:
        """The code of a missing cell."""
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Key:
    """The column that names units, as two numbers for each row that tell its values apart."""

    name: str
    words: tuple[Sliceable, Sliceable]
    """Both 0 where the key is missing."""
    numbers: bool
    """Whether all keys are numbers, and were read as such."""
    as_texts: Callable[[], tuple[Sliceable, Sliceable]]
    """The words where the other table's keys are not all numbers: 007 is a text then."""

    def alike(self, other: Key) -> Key:
        """With words that mean the same in another table."""
        if self.numbers == other.numbers or not self.numbers:
            return self
        return replace(self, words=self.as_texts(), numbers=False)


@dataclass(frozen=True)
class LeftOut:
    """Why a column is left out: of its kind for programs, what it holds for people."""

    kind: Literal["nested", "crowded"]
    """Its cells are no single values; or they are too many texts to tell apart."""
    holds: str

    def __str__(self) -> str:
        return self.holds

    @staticmethod
    def nested(what: object) -> LeftOut:
        """For a column of lists, structures or the like."""
        return LeftOut("nested", say("no single values ({what})", what=what))


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read: its columns, and where it came from."""

    name: str
    rows: int
    columns: Mapping[str, Column]
    unsupported: Mapping[str, LeftOut] = field(default_factory=dict)
    """Columns that are left out, and why: they hold lists, or too many different texts."""
    key: Key | None = None
    """The key, where it was too long to be coded as a column."""
    frame: Any = None
    """Rows on other machines: a frame of codes that their engine knows."""
    lines: Lines = field(default_factory=Lines)
    """Lines of delimited text that are no whole records."""


class UnsupportedColumn(Exception):
    """A column that is left out, and why."""

    def __init__(self, why: LeftOut) -> None:
        self.why = why
        super().__init__(why.holds)


def as_cells(series: pl.Series) -> tuple[Kind, tuple[str, ...] | None, pl.Series]:
    """What the cells are, their order if they have one, and the cells as numbers or clean text."""
    series = series.alias("cells")  # to polars, a name such as * is a pattern
    dtype = series.dtype
    if dtype == pl.Boolean:
        return "boolean", None, series.cast(pl.Float64)
    if dtype.is_numeric():
        return "number", None, series.cast(pl.Float64).fill_nan(None)
    if dtype.is_temporal():
        return _time_kind(dtype), None, _as_number(series)
    if dtype in (pl.String, pl.Categorical, pl.Null) or isinstance(dtype, pl.Enum):
        order = tuple(dtype.categories.to_list()) if isinstance(dtype, pl.Enum) else None
        texts = series.cast(pl.String).str.strip_chars()
        return "text", order, texts.replace("", None)
    raise UnsupportedColumn(LeftOut.nested(dtype))


def encode(series: pl.Series) -> Column:
    """The coded form of one column of a data frame."""
    series = series.alias("cells")  # to polars, a name such as * is a pattern
    dtype = series.dtype
    if dtype == pl.Boolean:
        return _encode_numbers(series.cast(pl.Float64), "boolean")
    if dtype.is_integer():
        return _encode_integers(series)
    if dtype.is_float() or dtype.is_decimal():
        return _encode_numbers(series.cast(pl.Float64), "number")
    if dtype.is_temporal():
        return _encode_numbers(_as_number(series), _time_kind(dtype))
    if isinstance(dtype, pl.Enum):
        return _encode_text(series.cast(pl.String), tuple(dtype.categories.to_list()))
    if dtype in (pl.String, pl.Categorical, pl.Null):
        return _encode_text(series.cast(pl.String))
    raise UnsupportedColumn(LeftOut.nested(dtype))


def _time_kind(dtype: pl.DataType) -> Kind:
    if dtype == pl.Date:
        return "date"
    return "time" if isinstance(dtype, pl.Datetime) else "span"


def _as_number(series: pl.Series) -> pl.Series:
    """Days for dates, seconds for everything finer."""
    if series.dtype == pl.Date:
        return series.to_physical().cast(pl.Float64)
    if series.dtype == pl.Time:
        return series.to_physical().cast(pl.Float64) / 1e9
    if isinstance(series.dtype, pl.Duration):
        return series.dt.total_microseconds().cast(pl.Float64) / 1e6
    return series.dt.epoch("us").cast(pl.Float64) / 1e6


def smallest(codes: NDArray[np.integer[Any]], count: int) -> Codes:
    """Codes 0 … count in the smallest unsigned type that holds them."""
    for dtype in (np.uint8, np.uint16):
        if count <= np.iinfo(dtype).max:
            return codes.astype(dtype, copy=False)
    return codes.astype(np.uint32, copy=False)


def _encode_integers(series: pl.Series) -> Column:
    """Whole numbers within a small span are coded by subtraction, without sorting."""
    low, high = cast("int | None", series.min()), cast("int | None", series.max())
    if low is None or high is None:
        return _encode_numbers(series.cast(pl.Float64), "number")
    span = high - low + 1
    if span > 1 << 16 or max(abs(low), abs(high)) > 1 << 53:
        return _encode_numbers(series.cast(pl.Float64), "number")
    offset = (series.cast(pl.Int64) - low).fill_null(span)
    return _densify(offset.to_numpy(), span, "number", float(low))


def _densify(offset: Counts, span: int, kind: Kind, low: float) -> Column:
    """Codes 0 … span - 1 (span: missing) without the values that do not occur."""
    present = np.bincount(offset, minlength=span + 1)[:span] > 0
    count = int(present.sum())
    lookup = np.full(span + 1, count, dtype=np.int64)
    lookup[:span][present] = np.arange(count)
    values = np.flatnonzero(present).astype(np.float64) + low
    return Column(kind, values, smallest(smallest(lookup, count)[offset], count))


def _encode_numbers(series: pl.Series, kind: Kind) -> Column:
    numbers = series.fill_nan(None).fill_null(float("nan")).to_numpy()
    values, codes = distinct_numbers(numbers)
    if len(values) and np.isnan(values[-1]):  # missing cells come last
        values = values[:-1]
    return Column(kind, values, smallest(codes, len(values)))


def _encode_text(series: pl.Series, order: tuple[str, ...] | None = None) -> Column:
    """Surrounding blanks do not make another value; a blank cell is a missing one."""
    values, numbers = _distinct_text(series)
    stripped = values.str.strip_chars()
    stripped = pl.select(pl.when(stripped.str.len_bytes() > 0).then(stripped)).to_series()
    known = stripped.drop_nulls().unique().sort()
    index = {value: code for code, value in enumerate(known.to_list())}
    lookup = [len(known), *(index.get(value, len(known)) for value in stripped.to_list())]
    codes = smallest(np.array(lookup, dtype=np.int64), len(known)).take(numbers, mode="clip")
    return Column("text", known, codes, order=order)


def _distinct_text(series: pl.Series) -> tuple[pl.Series, NDArray[np.integer[Any]]]:
    """Distinct cells, and for each row the number of its own, from 1; 0 where null."""
    series = series.rechunk()
    few = few_texts(series)
    if few is not None:
        return series.gather(few[0]), few[1]
    physical = series.cast(pl.Categorical).to_physical().cast(pl.UInt32)
    most = cast("int | None", physical.max())
    if most is None:
        return series.clear(), np.zeros(len(series), dtype=np.int64)
    codes = physical.fill_null(most + 1).to_numpy().astype(np.int64)
    first = np.full(most + 2, -1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    present = np.flatnonzero(first[:-1] >= 0)
    lookup = np.zeros(most + 2, dtype=np.int64)
    lookup[present] = np.arange(1, len(present) + 1)
    return series.gather(first[present]), lookup.take(codes, mode="clip")
