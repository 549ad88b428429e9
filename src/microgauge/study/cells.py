"""What the distinct raw values of a column are: numbers, labels, missing codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import polars as pl

from microgauge.arrays import Flags, Floats
from microgauge.records import dataclass
from microgauge.schema import Value
from microgauge.tables import NULL_WORDS, PADDED, Column
from microgauge.tables.dictionary import on_grid
from microgauge.values.labels import label_of, number_in, number_label


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct raw values of one column, read as values. Arrays run over the raw values."""

    column: Column
    missing: Flags
    null_words: bool = False
    """Whether a word such as NA was taken for a missing number."""
    width: float | None = None
    """Numbers stand for intervals so wide, in both tables."""
    codes: tuple[tuple[int, float], ...] = ()
    """Values that are codes for a tail ("80+"): their place, and the number that they name."""

    @staticmethod
    def read(column: Column, codes: Sequence[Value]) -> Cells:
        """Read a column, with the missing codes a user declares."""
        cells = Cells(column, np.zeros(len(column.values), dtype=np.bool_), width=column.width)
        if codes and column.width is None:  # on a grid they are missing cells already
            cells = replace(cells, missing=cells.matching(codes))
        return cells.without_null_words()

    def on_grid(self, width: float | None) -> Cells:
        """The same with numbers as the middles of wider intervals."""
        return self if width is None or width == self.width else replace(self, width=width)

    def matching(self, codes: Sequence[Value]) -> Flags:
        """Which values are among some that a schema names."""
        found = np.zeros(len(self.column.values), dtype=np.bool_)
        wanted = {label_of(code) for code in codes}
        if isinstance(self.column.values, pl.Series):
            return np.array([label in wanted for label in self.labels], dtype=np.bool_)
        for code in wanted:
            number = number_in(code)
            if number is not None:
                found |= self.column.values == number
        return found

    def without(self, places: Sequence[int]) -> Cells:
        """With some values as missing cells."""
        if not len(places):
            return self
        missing = self.missing.copy()
        missing[list(places)] = True
        return replace(self, missing=missing)

    def with_codes(self, codes: Mapping[int, float]) -> Cells:
        """With some values as the number that they name."""
        return replace(self, codes=tuple(sorted(codes.items()))) if codes else self

    @property
    def tails(self) -> tuple[float | None, float | None]:
        """What smaller and what larger numbers were given as, where a code says so."""
        held = self.numbers[self.here]
        named = [number for place, number in self.codes if self.here[place]]
        low = [number for number in named if number == held.min()]
        top = [number for number in named if number == held.max()]
        return (low[0] if low else None, top[0] if top else None)

    @property
    def padded(self) -> bool:
        """Whether any value is a code filled up with zeros."""
        return bool(self._padded[self.here].any())

    def without_null_words(self) -> Cells:
        """With words such as NA as missing cells where all else are numbers."""
        values = self.column.values
        if not isinstance(values, pl.Series):
            return self
        words = values.is_in(list(NULL_WORDS)).to_numpy() & ~self.missing
        rest = ~self.missing & ~words
        if not words.any() or not rest.any() or np.isnan(self.numbers[rest]).any():
            return self
        return replace(self, missing=self.missing | words, null_words=True)

    @cached_property
    def numbers(self) -> Floats:
        """Each value as a number; NaN where it is none."""
        values = self.column.values
        if isinstance(values, pl.Series):
            values = values.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
            if self.codes:
                values = values.copy()
                values[[place for place, _ in self.codes]] = [number for _, number in self.codes]
        if self.width is None or self.width == self.column.width:
            return values
        return on_grid(values, int(np.frexp(self.width)[1]) - 1) + self.width / 2.0

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Each value as a category: plain numbers in one spelling, the rest as it stands."""
        values = self.column.values
        if self.column.kind == "boolean":
            return tuple("true" if value else "false" for value in values)
        if not isinstance(values, pl.Series):
            return tuple(number_label(number) for number in values)
        plain = ~np.isnan(self.numbers) & np.isfinite(self.numbers) & ~self._padded
        return tuple(
            number_label(number) if is_plain else text
            for text, number, is_plain in zip(values.to_list(), self.numbers, plain, strict=True)
        )

    @cached_property
    def _padded(self) -> Flags:
        values = self.column.values
        if isinstance(values, pl.Series):
            return values.str.contains(PADDED).to_numpy()
        return np.zeros(len(values), dtype=np.bool_)

    @property
    def here(self) -> Flags:
        """Which values are not missing."""
        return ~self.missing

    @property
    def empty(self) -> bool:
        """Whether every value is missing."""
        return not bool(self.here.any())

    @property
    def all_numbers(self) -> bool:
        """Whether every value parses as a number."""
        return not bool(np.isnan(self.numbers[self.here]).any())

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers by themselves: they parse, and no code is zero-padded."""
        if self.column.kind == "boolean":
            return False
        return self.all_numbers and not bool(self._padded[self.here].any())

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        numbers = self.numbers[self.here]
        return bool((np.floor(numbers) == numbers).all())

    def value_labels(self) -> tuple[str | None, ...]:
        """The file's own label of each value, None where it has none."""
        labels = self.column.value_labels
        if not labels:
            return (None,) * len(self.column.values)
        by_text: Mapping[str, str] = {label_of(code): text for code, text in labels.items()}
        return tuple(by_text.get(label) for label in self.labels)
