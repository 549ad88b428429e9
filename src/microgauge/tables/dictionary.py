"""The distinct values of a column, gathered batch by batch; and the codes that stand for them.

Dictionaries add up whatever the order and the size of the batches, so that every engine finds the
same codes. A column with more different numbers than are told apart is put on a grid of a power of
two: the finest on which it has few enough. Grids are nested, so this too depends on nothing but
the values.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from microgauge.arrays import Codes, Floats
from microgauge.errors import InputError
from microgauge.kernels import Places, distinct_numbers
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.tables.column import Column, Kind, LeftOut, UnsupportedColumn, as_cells, smallest

NULL_WORDS = frozenset({"NA", ".", "NULL", "#N/A"})
"""What R, SAS and databases write for a missing number. Missing only among numbers."""
PADDED = r"^[-+]?0\d"
"""Codes such as 00400 are text, unless the other table holds the same values as numbers."""

FEW_ROWS = 20
"""Rows below which whole numbers name rows only if they run up one by one."""
FINEST, COARSEST = -1074, 1023
"""Powers of two that floating point numbers have."""
MOSTLY = 0.95
"""Share of a column's texts that must be numbers for it to be one, and to name no rows."""
MOST_POWER = 1022
"""2 to plus or minus so much is a number of all digits."""
DIGITS = 2.0**53
"""Beyond so many steps of a grid, a floating point number is on the grid already."""


def on_grid(numbers: Floats, exponent: int) -> Floats:
    """The largest multiples of 2**exponent that are not larger.

    >>> on_grid(np.array([-0.1, 0.3, 5.0]), 1)
    array([-2.,  0.,  4.])
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        steps = _times_power(numbers, -exponent)
        below = np.floor(steps)
        below[(steps == 0.0) & (numbers < 0.0)] = -1.0  # so small that they became 0
        found = _times_power(below, exponent)
        # Beyond so many steps, also where there is no end of them, a number is on the grid.
        found = np.where(np.abs(steps) < DIGITS, found, numbers)
        found += 0.0
        return found


def _times_power(numbers: Floats, exponent: int) -> Floats:
    """Numbers times 2**exponent: by multiplying where that power is a number, which is quicker."""
    if abs(exponent) <= MOST_POWER:
        return numbers * 2.0**exponent
    return np.ldexp(numbers, exponent)


def _cells_in(cells: pl.Series, values: pl.Series) -> int:
    return int(cells.is_in(values.to_list()).sum()) if len(values) else 0


def mostly_numbers(texts: pl.Series) -> bool:
    """Whether nearly all of some texts are numbers: amounts among which a few words stand.

    >>> mostly_numbers(pl.Series(["1.5"] * 30 + ["refused"])), mostly_numbers(pl.Series(["a", "1"]))
    (True, False)
    """
    rest = texts.filter(~texts.is_in(list(NULL_WORDS)))
    if not len(rest) or bool(rest.str.contains(PADDED).any()):
        return False
    return len(rest) - rest.cast(pl.Float64, strict=False).null_count() >= MOSTLY * len(rest)


@dataclass(frozen=True)
class Run:
    """What tells whether whole numbers name rows: do they fill their range, each once?"""

    whole: bool = True
    ordered: bool = True
    """Whether they run up from row to row."""
    first: float | None = None
    last: float | None = None
    low: float = np.inf
    high: float = -np.inf
    total: float = 0.0
    squares: float = 0.0

    @staticmethod
    def of(numbers: Floats) -> Run:
        """Of the numbers of one batch; NaN where a cell is none."""
        if not len(numbers):
            return Run()
        if not (np.floor(numbers) == numbers).all():
            return NO_RUN
        return Run(
            ordered=bool((np.diff(numbers) == 1).all()),
            first=float(numbers[0]),
            last=float(numbers[-1]),
            low=float(numbers.min()),
            high=float(numbers.max()),
            total=float(numbers.sum()) if np.isfinite(numbers).all() else np.inf,
            squares=_sum_of_squares(numbers),
        )

    def __add__(self, other: Run) -> Run:
        if self.first is None and self.whole:
            return other
        if other.first is None and other.whole:
            return self
        follows = self.last is not None and other.first == self.last + 1
        return Run(
            self.whole and other.whole,
            self.ordered and other.ordered and follows,
            self.first,
            other.last,
            min(self.low, other.low),
            max(self.high, other.high),
            self.total + other.total,
            self.squares + other.squares,
        )

    def numbers(self, rows: int) -> bool:
        """Whether so many rows are numbered.

        Numbers too many to be held are known by their sums: those of all whole numbers of a range
        are given by its ends.
        """
        if self.first is None or not self.whole or self.high - self.low + 1 != rows:
            return False
        if rows < FEW_ROWS:
            return self.ordered
        middle, spread = (self.low + self.high) / 2.0, (float(rows) ** 2 - 1.0) / 12.0
        wanted = rows * (spread + middle**2)
        return bool(
            np.isclose(self.total, rows * middle, rtol=1e-12, atol=0.5)
            and np.isclose(self.squares, wanted, rtol=1e-12, atol=0.5)
        )


def _sum_of_squares(numbers: Floats) -> float:
    with np.errstate(over="ignore"):
        return float((numbers * numbers).sum())


NO_RUN = Run(whole=False, ordered=False)


@dataclass(frozen=True)
class Spelled:
    """How many cells of a text column spell a number, and how many do not."""

    numbers: int = 0
    strays: int = 0
    words: tuple[str, ...] = ()
    """Different texts that are no numbers: the first two, which tells one from more."""

    @staticmethod
    def of(cells: pl.Series, unique: pl.Series, missing: frozenset[str]) -> Spelled:
        """Of one batch; words that mean missing are neither."""
        marks = unique.is_in(list(missing))
        known, marked = unique.filter(~marks), unique.filter(marks)
        spells = known.cast(pl.Float64, strict=False)
        strange = known.filter(spells.is_null() | spells.is_nan())
        here = len(cells) - cells.null_count() - _cells_in(cells, marked)
        strays = here if len(strange) == len(known) else _cells_in(cells, strange)
        return Spelled(here - strays, strays, tuple(strange.sort().head(2).to_list()))

    def __add__(self, other: Spelled) -> Spelled:
        return Spelled(
            self.numbers + other.numbers,
            self.strays + other.strays,
            tuple(sorted({*self.words, *other.words})[:2]),
        )

    @property
    def number(self) -> bool:
        """Whether they are numbers among which few words stand, or one that marks missing cells."""
        if len(self.words) == 1 and self.strays > 1 and self.numbers >= self.strays:
            return True
        return self.numbers >= MOSTLY * (self.numbers + self.strays)


@dataclass(frozen=True, eq=False)
class Dictionary:
    """What is known of a column after some of its rows."""

    rows: int
    limit: int
    """Different values that are told apart."""
    kind: Kind
    """`text` for text, whatever it spells; else the kind of number."""
    numbers: Floats | None = None
    """Different numbers, rising; where there are too many, the lower ends of intervals."""
    texts: pl.Series | None = None
    """Different texts, rising. None where there are too many."""
    exponent: int | None = None
    """Intervals are 2**exponent wide."""
    order: tuple[str, ...] | None = None
    declared: frozenset[str] = frozenset()
    """Declared missing codes."""
    missing: int = 0
    run: Run = NO_RUN
    spelled: Spelled = Spelled()
    """What the cells of a text column spell."""

    @staticmethod
    def read(
        series: pl.Series, limit: int, declared: frozenset[str], exponent: int | None = None
    ) -> Dictionary:
        """Of one batch. A grid known to be needed for other batches may be given."""
        kind, order, cells = as_cells(series)
        start = Dictionary(
            len(cells), limit, kind, order=order, declared=declared, missing=cells.null_count()
        )
        if kind == "text":
            unique = cells.unique().drop_nulls()
            spelled = Spelled.of(cells, unique, declared | NULL_WORDS)
            run = start.run_of(cells, len(unique))
            start = replace(start, texts=unique.sort(), spelled=spelled, run=run)
        else:
            numbers, _ = distinct_numbers(cells.drop_nulls().to_numpy())
            start = replace(start, numbers=numbers, run=start.run_of(cells, len(numbers)))
        return (start if exponent is None else start.coarsened(exponent)).within_limit()

    def run_of(self, cells: pl.Series, unique: int) -> Run:
        """Whether the cells of a batch run up one by one."""
        if unique < len(cells):  # some twice, or missing
            return NO_RUN
        if self.kind == "text" and bool(cells.str.contains(PADDED).any()):
            return NO_RUN
        numbers = cells.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        if np.isin(numbers, self._declared_numbers).any():
            return NO_RUN
        return Run.of(numbers)

    @property
    def empty(self) -> bool:
        """Whether no row has a value."""
        return self.rows == self.missing

    def __add__(self, other: Dictionary) -> Dictionary:
        both = replace(
            self,
            rows=self.rows + other.rows,
            missing=self.missing + other.missing,
            run=self.run + other.run,
            spelled=self.spelled + other.spelled,
            order=self._order(other),
            kind=self._kind(other),
        )
        a, b = self, other
        if self.kind != other.kind and "text" in (self.kind, other.kind):
            # One has no value, and so says nothing of the kind.
            a = b = other if self.empty else self
        return both.united(a, b)

    def _order(self, other: Dictionary) -> tuple[str, ...] | None:
        if self.empty or other.empty:
            return other.order if self.empty else self.order
        return self.order if self.order == other.order else None

    def _kind(self, other: Dictionary) -> Kind:
        if self.kind == other.kind or other.empty:
            return self.kind
        if self.empty:
            return other.kind
        if "text" in (self.kind, other.kind):
            raise InputError(say("a column is text in some batches and numbers in others."))
        return "number"

    def united(self, a: Dictionary, b: Dictionary) -> Dictionary:
        """With the values of two others."""
        texts = numbers = exponent = None
        if a.texts is not None and b.texts is not None:
            texts = pl.concat([a.texts, b.texts]).unique().sort()
        else:
            a, b = a.as_numbers(), b.as_numbers()
            known = [side.exponent for side in (a, b) if side.exponent is not None]
            if known:
                exponent = max(known)
                a, b = a.coarsened(exponent), b.coarsened(exponent)
            if a.numbers is not None and b.numbers is not None:
                numbers = _united(a.numbers, b.numbers)
        return replace(self, texts=texts, numbers=numbers, exponent=exponent).within_limit()

    # -- limits ------------------------------------------------------------------------------

    def within_limit(self) -> Dictionary:
        """The same with no more values than the limit: on a coarser grid, or without texts."""
        found = self
        if found.texts is not None and found.beyond(len(found.texts)):
            found = found.as_numbers()
        if found.numbers is not None and found.beyond(len(found.numbers)):
            found = found.coarser()
        return found

    def beyond(self, count: int) -> bool:
        """Whether so many values are too many, declared missing codes not counted."""
        if count <= self.limit or not self.declared or self.exponent is not None:
            return count > self.limit
        if self.texts is not None:
            return count - int(self.texts.is_in(list(self.declared)).sum()) > self.limit
        assert self.numbers is not None
        return len(self._undeclared(self.numbers)) > self.limit

    def as_numbers(self) -> Dictionary:
        """Texts as the numbers they spell; whether the rest are few is known when all are read."""
        if self.texts is None:
            return self
        words = list(self.declared | NULL_WORDS)
        numbers = self.texts.filter(~self.texts.is_in(words)).cast(pl.Float64, strict=False)
        found = np.unique(numbers.fill_nan(None).drop_nulls().to_numpy() + 0.0)
        return replace(self, texts=None, numbers=self._undeclared(found))

    @cached_property
    def _declared_numbers(self) -> Floats:
        """Declared missing codes that are numbers."""
        words = pl.Series(list(self.declared), dtype=pl.String).cast(pl.Float64, strict=False)
        return words.drop_nulls().to_numpy()

    def _undeclared(self, numbers: Floats) -> Floats:
        return np.asarray(numbers[~np.isin(numbers, self._declared_numbers)])

    def coarsened(self, exponent: int) -> Dictionary:
        """On a grid at least as coarse as its own."""
        found = self.as_numbers()
        if found.numbers is None or found.exponent == exponent:
            return replace(found, exponent=exponent)
        # On a grid, declared missing codes could not be told from values near them.
        numbers = found.numbers if found.exponent is not None else self._undeclared(found.numbers)
        return replace(found, numbers=_distinct(on_grid(numbers, exponent)), exponent=exponent)

    def coarser(self) -> Dictionary:
        """On the finest grid that has few enough places."""
        many = FINEST if self.exponent is None else self.exponent
        few = COARSEST
        while few - many > 1:
            middle = (few + many) // 2
            found = self.coarsened(middle).numbers
            if found is not None and len(found) > self.limit:
                many = middle
            else:
                few = middle
        return self.coarsened(few)

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
        if self.numbers is None or (self.kind == "text" and not self.spelled.number):
            raise UnsupportedColumn(
                LeftOut("crowded", say("more than {limit:,} different texts", limit=self.limit))
            )
        width = self.width
        return self.numbers if width is None else self.numbers + width / 2.0

    @property
    def identifies(self) -> bool:
        """Whether the values name rows: whole numbers that fill a range, or texts that differ."""
        if self.rows < 2 or self.missing:
            return False
        if self.run.numbers(self.rows):
            held = self.numbers is not None and self.exponent is None
            return self.numbers is None or not held or len(self.numbers) == self.rows
        texts = self.texts
        if texts is None or len(texts) != self.rows or texts.is_in(list(self.declared)).any():
            return False
        rest = texts.filter(~texts.is_in(list(NULL_WORDS)))
        if rest.cast(pl.Float64, strict=False).null_count():
            return not mostly_numbers(texts)
        return len(rest) == len(texts) and bool(texts.str.contains(PADDED).any())

    def column(self, codes: Any) -> Column:
        """The column whose rows have these codes."""
        kind: Kind = "number" if self.kind == "text" and self.texts is None else self.kind
        return Column(
            kind,
            self.values,
            codes,
            order=self.order,
            width=self.width,
            consecutive=self.identifies,
            strays=self.spelled.strays if kind != self.kind else 0,
        )

    # -- coding ------------------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the codes."""
        return smallest(np.empty(0, dtype=np.int64), len(self.values)).dtype

    def coded(self, series: pl.Series) -> Codes:
        """The codes of a batch."""
        _, _, cells = as_cells(series)
        found: Codes
        if self.texts is not None:
            found = self._text_codes(cells.cast(pl.String))
        else:
            found = self._number_codes(cells.cast(pl.Float64, strict=False))
        return smallest(found, len(self.values))

    @cached_property
    def _texts_in_order(self) -> pl.Enum:
        assert self.texts is not None
        return pl.Enum(self.texts)

    def _text_codes(self, cells: pl.Series) -> Codes:
        order = self._texts_in_order
        found = cells.cast(order, strict=False)
        check_unchanged(found.null_count() == cells.null_count())
        codes = found.to_physical().cast(pl.UInt32)
        return codes.fill_null(len(order.categories)).to_numpy()

    def _number_codes(self, cells: pl.Series) -> Codes:
        assert self.numbers is not None
        values = cells.fill_nan(None).fill_null(np.nan).to_numpy() + 0.0
        missing = np.isnan(values)
        if self.exponent is not None or self.kind == "text":
            missing |= np.isin(values, self._declared_numbers)
        if self.exponent is not None:
            values = on_grid(values, self.exponent)
        values[missing] = np.nan
        found = self._number_places.of(values)
        check_unchanged(found is not None)
        assert found is not None
        return found

    @cached_property
    def _number_places(self) -> Places:
        assert self.numbers is not None
        return Places(self.numbers)


def _distinct(ranked: Floats) -> Floats:
    """Each of some rising numbers once."""
    return np.asarray(ranked[np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)]])


def _united(a: Floats, b: Floats) -> Floats:
    """The numbers of both, rising: a stable sort only has to merge them."""
    return _distinct(np.sort(np.concatenate([a, b]), kind="stable"))


def check_unchanged(same: bool) -> None:
    """`InputError` where the second reading of a table does not find what the first did."""
    if not same:
        raise InputError(
            say("a table changed while it was read; read it again when it is at rest.")
        )
