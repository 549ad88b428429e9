"""Texts among numbers: codes for missing cells, top codes such as "80+", and what is neither.

One stray text does not turn a number into a category. Both tables are read by the same rules, from
distinct values and the rows of each, so that every engine reads them alike. No text is ever told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np

from microgauge.arrays import Counts, Flags
from microgauge.records import dataclass
from microgauge.schema import Variable
from microgauge.study.cells import Cells
from microgauge.tables import NULL_WORDS
from microgauge.values.intervals import Interval, parse_interval

MOSTLY = 0.95
"""Share of a column's cells that must be numbers for the rest to count as missing."""
DECIDING = 0.5
"""Share of the original's cells that must be numbers for one repeated text to be a missing code."""
MOST_CODES = 10
"""Whole numbers with at most so many distinct values are taken for codes."""


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts among the numbers of one column."""

    cells: Cells
    rows: Counts
    """Rows of each raw value."""
    known: frozenset[str] = frozenset()
    """Texts that mark missing cells in the other table."""

    @property
    def numbers(self) -> Flags:
        """Which values are numbers."""
        return self.cells.here & ~np.isnan(self.cells.numbers)

    @property
    def texts(self) -> dict[int, str]:
        """Values that are none, by their place."""
        values = self.cells.column.values
        places = np.flatnonzero(self.cells.here & np.isnan(self.cells.numbers)).tolist()
        return {place: str(values[place]) for place in places}

    @property
    def intervals(self) -> dict[int, Interval]:
        """Texts that name a range of numbers."""
        found = {place: parse_interval(text) for place, text in self.texts.items()}
        return {place: interval for place, interval in found.items() if interval is not None}

    @property
    def words(self) -> dict[int, str]:
        """Texts that name neither a number nor a range, nor a missing cell."""
        ranges = self.intervals
        return {
            place: text
            for place, text in self.texts.items()
            if place not in ranges and text not in NULL_WORDS and text not in self.known
        }

    @property
    def share(self) -> float:
        """Share of the cells that are numbers, or top or bottom codes."""
        here = int(self.rows[self.cells.here].sum())
        good = int(self.rows[self.numbers].sum()) + int(self.rows[list(self.tails())].sum())
        return good / here if here else 0.0

    def share_without(self, missing: Sequence[int]) -> float:
        """The share where some values count as missing cells."""
        return Texts(self.cells.without(missing), self.rows).share

    def token(self) -> frozenset[str]:
        """The one text that occurs more than once and is no number; nothing where there are more.

        Where a file says "suppressed" in many cells, that is what it says for a missing one.
        """
        words = self.words
        repeated = [place for place in words if self.rows[place] > 1]
        return frozenset([words[repeated[0]]]) if len(words) == len(repeated) == 1 else frozenset()

    def tails(self) -> dict[int, float]:
        """Codes for the largest or the smallest numbers ("80+"), as the number they name."""
        numbers = self.cells.numbers[self.numbers]
        if not len(numbers):
            return {}
        low, high = float(numbers.min()), float(numbers.max())
        top = {
            place: interval.low
            for place, interval in self.intervals.items()
            if np.isinf(interval.high) and not interval.low_open and interval.low >= high
        }
        bottom = {
            place: interval.high
            for place, interval in self.intervals.items()
            if np.isinf(interval.low) and not interval.high_open and interval.high <= low
        }
        return {} if len(top) > 1 or len(bottom) > 1 else top | bottom

    def continuous(self) -> bool:
        """Whether the numbers alone would be taken for numbers, not for codes."""
        numbers = self.cells.numbers[self.numbers]
        whole = bool((np.floor(numbers) == numbers).all())
        return len(numbers) > 0 and not (whole and len(np.unique(numbers)) <= MOST_CODES)


@dataclass(frozen=True, eq=False)
class Read:
    """A column after its texts were read: its cells, and in how many what was done."""

    cells: Cells
    marked: int = 0
    """Cells with the one text that marks missing ones."""
    strange: int = 0
    """Cells with other texts, read as missing."""


@dataclass(frozen=True, eq=False)
class Strays:
    """Reads the texts among the numbers of a variable, alike in both tables."""

    given: Variable
    sides: Sequence[tuple[Cells, Counts]] = field(default_factory=list)
    """Cells and rows of each value: of the original, then of the protected table if it has it."""

    def read(self) -> list[Read] | None:
        """Both columns without their strays; None where the variable is no number with texts."""
        sides = [Texts(cells, rows) for cells, rows in self.sides]
        if not self._wanted(sides):
            return None
        tokens = frozenset[str]().union(*(side.token() for side in sides))
        return [self._side(replace(side, known=tokens)) for side in sides]

    def _wanted(self, sides: Sequence[Texts]) -> bool:
        given, first = self.given, sides[0]
        spoken = given.type in ("nominal", "ordinal") or given.order is not None
        if spoken or not any(side.texts for side in sides):
            return False
        if any(side.cells.column.order or side.cells.column.value_labels for side in sides):
            return False
        if given.type == "continuous":
            return True
        marked = replace(first, known=first.token())
        here = marked.share >= (DECIDING if not marked.words else MOSTLY)
        return here and first.continuous() and not first.cells.padded

    def _side(self, side: Texts) -> Read:
        """One column. Ranges other than top and bottom codes are bands, and stay what they are."""
        cells, tails, words = side.cells, side.tails(), side.words
        if not len(side.cells.numbers[side.numbers]) and not side.intervals:
            return Read(cells)
        bands = set(side.intervals) - set(tails)
        missing = [p for p, text in side.texts.items() if text in side.known | NULL_WORDS]
        marked = [p for p, text in side.texts.items() if text in side.known]
        strange: list[int] = []
        mostly = self.given.type is None and side.share_without(missing) >= MOSTLY
        if words and mostly:
            strange, bands = [*words, *bands], set()
        cells = cells.without([*missing, *strange])
        if not bands and (not words or strange):
            cells = cells.with_codes(tails)
        return Read(cells, int(side.rows[marked].sum()), int(side.rows[strange].sum()))
