"""The distinct values of a column, gathered batch by batch; and the codes that stand for them.

Dictionaries add up whatever the order and the size of the batches, so that every engine finds the
same codes. A column with more different numbers than are told apart is put on a grid of a power of
two: the finest on which it has few enough. Grids are nested, so this too depends on nothing but
the values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.errors import InputError
from microgauge.tables.column import (
    Codes,
    Column,
    Kind,
    UnsupportedColumn,
    as_cells,
    smallest,
)

Floats = NDArray[np.float64]
MOST_SPAN = 1 << 22
"""Whole numbers within such a span are coded by looking them up."""


@dataclass(frozen=True, eq=False)
class Dictionary:
    """What is known of a column after some of its rows."""

    rows: int
    limit: int
    """Different values that are told apart."""
    kind: Kind
    """`text` for text, whatever it spells; else the kind of number."""
    numbers: Floats | None = None
    """Different numbers, rising; places on the grid where there are too many."""
    texts: pl.Series | None = None
    """Different texts, rising. None where there are too many."""
    exponent: int | None = None
    """The grid is that of multiples of 2**exponent."""
    order: tuple[str, ...] | None = None
    words: frozenset[str] = frozenset()
    """Words that stand for a missing number among numbers."""
    missing: int = 0
    whole: bool = True
    """Whether all cells are whole numbers, each one more than the last within its batch."""
    low: float = np.inf
    high: float = -np.inf

    @staticmethod
    def read(
        series: pl.Series, limit: int, words: frozenset[str], exponent: int | None = None
    ) -> Dictionary:
        """Of one batch. A grid known to be needed for other batches may be given."""
        kind, order, cells = as_cells(series)
        unique = cells.unique().drop_nulls()
        start = Dictionary(len(cells), limit, kind, order=order, words=words)
        start = replace(start, missing=cells.null_count()).running(cells, len(unique))
        if kind == "text":
            start = replace(start, texts=unique.sort())
        else:
            start = replace(start, numbers=np.unique(unique.to_numpy() + 0.0))
        if exponent is not None:
            start = start.as_numbers()
            numbers = None if start.numbers is None else start.on_grid(exponent)
            start = replace(start, numbers=numbers, exponent=exponent)
        return start.within_limit()

    def running(self, cells: pl.Series, unique: int) -> Dictionary:
        """With what tells an identifier: whether numbers run up one by one."""
        if unique < len(cells) or not len(cells):
            return self if not len(cells) else replace(self, whole=False)
        numbers = cells.cast(pl.Float64, strict=False)
        if numbers.null_count():
            return replace(self, whole=False)
        values = numbers.to_numpy()
        whole = bool((np.floor(values) == values).all() and (np.diff(values) == 1).all())
        return replace(self, whole=whole, low=float(values.min()), high=float(values.max()))

    def __add__(self, other: Dictionary) -> Dictionary:
        if "text" in (self.kind, other.kind) and self.kind != other.kind:
            # A batch without any value says nothing of the kind.
            if self.rows == self.missing:
                return replace(other, rows=self.rows + other.rows, whole=False).with_missing(self)
            if other.rows == other.missing:
                return replace(self, rows=self.rows + other.rows, whole=False).with_missing(other)
            raise InputError("a column is text in some batches and numbers in others.")
        both = replace(
            self,
            rows=self.rows + other.rows,
            missing=self.missing + other.missing,
            order=self.order if self.order == other.order else None,
            kind=self.kind if self.kind == other.kind else "number",
            whole=self.whole and other.whole,
            low=min(self.low, other.low),
            high=max(self.high, other.high),
        )
        return both._united(self, other)

    def with_missing(self, other: Dictionary) -> Dictionary:
        """With the missing cells of another."""
        return replace(self, missing=self.missing + other.missing)

    def _united(self, a: Dictionary, b: Dictionary) -> Dictionary:
        texts = numbers = None
        if a.texts is not None and b.texts is not None:
            texts = pl.concat([a.texts, b.texts]).unique().sort()
        elif self.kind == "text":
            a, b = a.as_numbers(), b.as_numbers()
        exponent = a.exponent if b.exponent is None else b.exponent
        if a.exponent is not None and b.exponent is not None:
            exponent = max(a.exponent, b.exponent)
        if a.numbers is not None and b.numbers is not None:
            numbers = _united(a.on_grid(exponent), b.on_grid(exponent))
        found = replace(self, texts=texts, numbers=numbers, exponent=exponent)
        return found.within_limit()

    def within_limit(self) -> Dictionary:
        """The same with no more values than the limit: on a coarser grid, or without texts."""
        found = self
        if found.texts is not None and len(found.texts) > found.limit:
            found = found.as_numbers()
        if found.numbers is not None and len(found.numbers) > found.limit:
            found = found.coarser()
        return found

    def as_numbers(self) -> Dictionary:
        """Texts as the numbers they spell; neither texts nor numbers where some spell none."""
        if self.texts is None:
            return self
        texts = self.texts.filter(~self.texts.is_in(list(self.words)))
        numbers = texts.cast(pl.Float64, strict=False)
        if numbers.null_count():
            return replace(self, texts=None, numbers=None)
        return replace(self, texts=None, numbers=np.unique(numbers.to_numpy() + 0.0)).within_limit()

    def on_grid(self, exponent: int | None) -> Floats:
        """Numbers as places on a grid at least as coarse as their own."""
        assert self.numbers is not None
        if exponent == self.exponent or exponent is None:
            return self.numbers
        if self.exponent is not None:
            return _distinct(np.floor(np.ldexp(self.numbers, self.exponent - exponent)))
        known = self.numbers[~np.isin(self.numbers, self._missing_numbers)]
        return _distinct(np.floor(np.ldexp(known, -exponent)))

    @cached_property
    def _missing_numbers(self) -> Floats:
        """Declared missing codes that are numbers: on a grid they would be among the values."""
        words = pl.Series(list(self.words), dtype=pl.String).cast(pl.Float64, strict=False)
        return words.drop_nulls().to_numpy()

    def coarser(self) -> Dictionary:
        """On the finest grid that has few enough places."""
        assert self.numbers is not None
        exponent = self.exponent
        if exponent is None:
            finite = self.numbers[np.isfinite(self.numbers)]
            largest = float(np.abs(finite).max(initial=1.0))
            # So fine that nothing is lost yet: 52 bits below the largest number.
            exponent = int(np.frexp(largest)[1]) - 53
        numbers = self.on_grid(exponent)
        few, many = 2048, 0  # doublings: no two finite numbers are told apart; too many are
        while few - many > 1:
            middle = (few + many) // 2
            if len(_distinct(np.floor(np.ldexp(numbers, -middle)))) > self.limit:
                many = middle
            else:
                few = middle
        few = few if len(numbers) > self.limit else 0
        return replace(
            self,
            numbers=_distinct(np.floor(np.ldexp(numbers, -few))),
            exponent=exponent + few,
        )

    # -- the column --------------------------------------------------------------------------

    @property
    def width(self) -> float | None:
        """The width of the grid; None where values are told apart."""
        return None if self.exponent is None else float(np.ldexp(1.0, self.exponent))

    @property
    def values(self) -> Floats | pl.Series:
        """What the codes stand for."""
        if self.texts is not None:
            return self.texts
        if self.numbers is None:
            raise UnsupportedColumn(f"more than {self.limit:,} different texts")
        width = self.width
        return self.numbers if width is None else (self.numbers + 0.5) * width

    @property
    def consecutive(self) -> bool:
        """Whether the values name rows: whole numbers that run up, or texts that all differ."""
        if self.whole and self.missing == 0 and self.rows > 1:
            return self.high - self.low + 1 == self.rows
        if self.texts is None or len(self.texts) != self.rows:
            return False
        return self.texts.cast(pl.Float64, strict=False).null_count() > 0

    def column(self, codes: Any) -> Column:
        """The column whose rows have these codes."""
        kind: Kind = "number" if self.kind == "text" and self.texts is None else self.kind
        return Column(
            kind,
            self.values,
            codes,
            order=self.order,
            width=self.width,
            consecutive=self.consecutive,
        )

    # -- coding ------------------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the codes."""
        return smallest(np.empty(0, dtype=np.int64), len(self.values)).dtype

    def coded(self, series: pl.Series) -> Codes:
        """The codes of a batch."""
        _, _, cells = as_cells(series)
        if self.texts is not None:
            found = self._text_codes(cells)
        else:
            found = self._number_codes(cells.cast(pl.Float64, strict=False))
        return smallest(found, len(self.values))

    @cached_property
    def _places(self) -> pl.DataFrame:
        assert self.texts is not None
        return pl.DataFrame({"text": self.texts, "code": np.arange(len(self.texts))})

    def _text_codes(self, cells: pl.Series) -> NDArray[np.int64]:
        size = len(self._places)
        found = (
            cells.alias("text")
            .to_frame()
            .join(self._places, on="text", how="left", maintain_order="left")["code"]
        )
        _check_known(found.null_count() == cells.null_count())
        return found.fill_null(size).to_numpy()

    def _number_codes(self, cells: pl.Series) -> NDArray[np.int64]:
        assert self.numbers is not None
        values = cells.fill_nan(None).fill_null(np.nan).to_numpy() + 0.0
        missing = np.isnan(values)
        if self.exponent is not None:
            missing |= np.isin(values, self._missing_numbers)
            values = np.floor(np.ldexp(values, -self.exponent))
        found = self._looked_up(values, missing)
        if found is None:
            found = np.minimum(np.searchsorted(self.numbers, values), max(len(self.numbers) - 1, 0))
            same = missing if not len(self.numbers) else missing | (self.numbers[found] == values)
            _check_known(bool(same.all()))
        found[missing] = len(self.numbers)
        return found

    @cached_property
    def _lookup(self) -> tuple[int, NDArray[np.int64]] | None:
        numbers = self.numbers
        assert numbers is not None
        if not len(numbers) or not np.isfinite(numbers[[0, -1]]).all():
            return None
        if numbers[-1] - numbers[0] >= MOST_SPAN or not (np.floor(numbers) == numbers).all():
            return None
        places = (numbers - numbers[0]).astype(np.int64)
        lookup = np.full(places[-1] + 1, -1)
        lookup[places] = np.arange(len(numbers))
        return int(numbers[0]), lookup

    def _looked_up(self, values: Floats, missing: NDArray[np.bool_]) -> NDArray[np.int64] | None:
        if self._lookup is None:
            return None
        low, lookup = self._lookup
        places = np.where(missing, low, values) - low
        _check_known(bool(((places >= 0) & (places < len(lookup))).all()))
        found = lookup[places.astype(np.int64)]
        _check_known(bool((found >= 0).all()))
        return found


def _distinct(ranked: Floats) -> Floats:
    """Each of some rising numbers once."""
    return np.asarray(ranked[np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)]])


def _united(a: Floats, b: Floats) -> Floats:
    """The numbers of both, rising: a stable sort only has to merge them."""
    return _distinct(np.sort(np.concatenate([a, b]), kind="stable"))


def _check_known(known: bool) -> None:
    if not known:
        raise InputError("a table changed while it was read; read it again when it is at rest.")
