"""The table that a recipe works on: columns of numbers and of categories, as read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from microgauge.arrays import Floats, Index
from microgauge.errors import InputError, listing
from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.results.writing import check_writable, write_whole
from microgauge.tables import NULL_WORDS, PADDED, read_held
from microgauge.tables.formats.format import Held
from microgauge.tables.read import is_long

ColumnUse = Literal["number", "code", "category"]
"""What methods may use a column as.

A code is a whole number of few values: a number to some methods, a category to others.
"""
MOST_CODES = 10
LONG = r"^[-+]?\d{16,}"
"""Digits before the point of which a floating point number may lose some."""
WRITTEN = (".csv", ".parquet", ".arrow", ".feather")


@dataclass(frozen=True, eq=False)
class Data:
    """A data frame in which a column is numbers or categories."""

    frame: pl.DataFrame
    spelled: bool = False
    """Whether cells are texts as a delimited file spells them."""

    parsed: dict[str, pl.Series] = field(default_factory=dict)
    """Spelled columns that were asked for, each parsed once for all recipes of a grid."""

    def prepared(self, names: Collection[str], counted: Collection[str] = ()) -> Data:
        """With the columns that are used as numbers, where all values spell plain ones.

        `names` are all that are used. A file that tells texts from numbers may still hold numbers
        as texts: of these the `counted` are read, those that nothing but numbers will do for.
        """
        used = [name for name in self.frame.columns if name in names]
        if not self.spelled:
            types = self.frame.schema
            used = [name for name in used if name in counted and types[name] == pl.String]
        if not used:
            return self
        for name in used:
            if name not in self.parsed:
                self.parsed[name] = _as_numbers(self.column(name)).alias(name)
        data = Data(self.frame)
        for name in used:
            data = data.with_column(name, self.parsed[name])
        return data

    @property
    def rows(self) -> int:
        """Number of records."""
        return self.frame.height

    @cached_property
    def uses(self) -> Mapping[str, ColumnUse]:
        """What each column may be used as."""
        return {name: self._use(name) for name in self.frame.columns}

    def _use(self, name: str) -> ColumnUse:
        dtype = self.frame.schema[name]
        if not dtype.is_numeric():
            return "category"
        few = dtype.is_integer() and self.column(name).n_unique() <= MOST_CODES
        return "code" if few else "number"

    def faults(self, names: Collection[str]) -> list[str]:
        """Columns that no method can work on."""
        found = []
        for name in self.frame.columns:
            dtype = self.frame.schema[name]
            if name in names and dtype.is_float() and self.column(name).is_infinite().any():
                count = int(self.column(name).is_infinite().sum())
                found.append(
                    say(
                        '"{name}" is infinite in {count} cells: make them missing.',
                        name=name,
                        count=count,
                    )
                )
            if name in names and dtype.is_integer() and is_long(self.column(name)):
                found.append(
                    say(
                        '"{name}" has whole numbers beyond 2^53, which would lose '
                        "digits: leave it out of the steps, or give it in larger units.",
                        name=name,
                    )
                )
        return found

    def numbers(self, name: str) -> Floats:
        """A column of numbers, NaN where missing."""
        cells = self.column(name).cast(pl.Float64).fill_nan(None)
        return cells.fill_null(float("nan")).to_numpy().copy()

    def matrix(self, names: Sequence[str]) -> Floats:
        """Columns of numbers side by side."""
        return np.stack([self.numbers(name) for name in names], axis=1)

    def codes(self, name: str) -> tuple[Index, pl.Series]:
        """Each cell's place among the sorted values, their number where missing; and the values."""
        cells = self.column(name)
        values = cells.drop_nulls().unique().sort()
        places = pl.DataFrame({"value": values, "code": np.arange(len(values))})
        found = (
            cells.alias("value")
            .to_frame()
            .join(places, on="value", how="left", maintain_order="left")["code"]
        )
        return found.fill_null(len(values)).to_numpy().astype(np.intp), values

    def with_numbers(self, name: str, numbers: Floats) -> Data:
        """With other numbers in a column; whole ones stay whole."""
        cells = pl.Series(finite(name, numbers)).fill_nan(None)
        known = cells.drop_nulls().to_numpy()
        whole = (np.floor(known) == known) & (np.abs(known) < 2.0**63)
        if self.frame.schema[name].is_integer() and bool(whole.all()):
            cells = cells.cast(pl.Int64)
        return self.with_column(name, cells)

    def with_matrix(self, names: Sequence[str], columns: Floats) -> Data:
        """With other numbers in several columns."""
        data = self
        for name, column in zip(names, columns.T, strict=True):
            data = data.with_numbers(name, column)
        return data

    def with_codes(self, name: str, codes: Index, values: pl.Series) -> Data:
        """With the values that codes stand for; missing where there is none."""
        return self.with_column(name, values.extend_constant(None, 1).gather(codes))

    def column(self, name: str) -> pl.Series:
        """The cells of a column. They have no name: to polars, one such as * is a pattern."""
        return self.frame.get_column(name).alias("cells")

    def with_column(self, name: str, cells: pl.Series) -> Data:
        """With other cells in a column."""
        frame = self.frame.clone()
        return Data(frame.replace_column(frame.get_column_index(name), cells.alias(name)))

    def taken(self, name: str, rows: Index) -> Data:
        """With a column's cells taken from other records."""
        return self.with_column(name, self.column(name).gather(rows))


def finite(name: str, numbers: Floats, *, missing: bool = True) -> Floats:
    """Numbers that a step made; a fault where one is beyond all numbers, or none any more."""
    lost = np.isinf(numbers) if missing else ~np.isfinite(numbers)
    if lost.any():
        raise InputError(
            say(
                '"{name}" would be infinite or undefined: its numbers are too large for this step.',
                name=name,
            )
        )
    return numbers


def read_data(source: Any) -> Data:
    """The original: all that a table may be read from, or what was read of it."""
    if isinstance(source, Data):
        return source
    held = source if isinstance(source, Held) else read_held(source, "original")
    return Data(held.frame(), spelled=held.spelled)


def _as_numbers(column: pl.Series) -> pl.Series:
    clean = column.str.strip_chars().replace("", None)
    words = clean.is_in(list(NULL_WORDS))
    parsed = clean.cast(pl.Float64, strict=False)
    known = clean.is_not_null() & ~words
    if not known.any() or (parsed.is_null() & known).any():
        return clean
    if clean.filter(known).str.contains(PADDED).any():
        return clean
    if clean.filter(known).str.contains(LONG).any():
        # A floating point number would lose digits: to the last one, or as text.
        exact = _where(known, clean).cast(pl.Int64, strict=False)
        return clean if (exact.is_null() & known).any() else exact
    numbers = parsed.drop_nulls()
    whole = (numbers.floor() == numbers) & (numbers.abs() < 2.0**53)
    return parsed.cast(pl.Int64) if bool(whole.all()) else parsed


def _where(chosen: pl.Series, cells: pl.Series) -> pl.Series:
    return pl.select(pl.when(chosen).then(cells)).to_series().alias(cells.name)


def check_output(path: Path) -> None:
    """Refuse a file that cannot be written before the work is done."""
    if path.suffix.lower() not in WRITTEN:
        raise InputError(
            say(
                "{name}: write a file that ends in {written}.",
                name=path.name,
                written=strung(WRITTEN, ", "),
            )
        )
    check_writable(path)


def write_data(data: Data, path: Path) -> None:
    """Write the table in the format that the file's name tells."""
    import io

    kind = path.suffix.lower()
    buffer = io.BytesIO()
    if kind == ".csv":
        nested = [name for name, dtype in data.frame.schema.items() if dtype.is_nested()]
        if nested:
            raise InputError(
                say("CSV cannot hold lists: {nested}. Write .parquet.", nested=listing(nested))
            )
        data.frame.write_csv(buffer)
        if b"\0" in buffer.getvalue():
            raise InputError(
                say("CSV cannot hold NUL, a sign of a name or a cell. Write .parquet.")
            )
    elif kind == ".parquet":
        data.frame.write_parquet(buffer)
    else:
        data.frame.write_ipc(buffer)
    write_whole(path, buffer.getvalue())
