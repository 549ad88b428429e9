"""Lines of delimited text that are no whole records: blank ones, and ones with too few fields.

A reader of text fills both with missing cells. A blank line is no record, so its row is taken out
again; in a file of one column it is a missing value. Short lines are counted.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.tables.formats.format import GZIP_MAGIC, Lines

BLOCK = 1 << 24
LEADING = re.compile(rb"(?:[ \t\r]*\n)+")
BLANK = re.compile(rb"\n[ \t\r]*\n")
NEWLINE = 10
PLACE = "\0place"
"""No column has this name: text with a NUL is refused."""


def leading_blank(text: bytes) -> tuple[int, int]:
    """Lines and bytes before the first line that is not blank.

    >>> leading_blank(b"\\n  \\r\\na,b\\n")
    (2, 5)
    """
    found = LEADING.match(text)
    return (0, 0) if found is None else (found.group().count(b"\n"), found.end())


@dataclass(eq=False)
class LineCount:
    """Follows the records of a file, block by block, by its line ends outside of quotes."""

    delimiter: bytes
    quote: bytes
    width: int
    """Fields of the header."""
    records: int = 0
    """The header counts."""
    blank: list[int] = field(default_factory=list)
    """Which records are blank lines."""
    short: int = 0
    last_fields: int = 0
    """Of the last record that is no blank line."""
    _inside: bool = False
    _fields: int = 0
    """Delimiters of the record under way."""
    _start: bytes = b""
    """The first bytes of the record under way, which tell whether it is blank."""

    def read(self, block: bytes) -> None:
        """One more block."""
        signs = np.frombuffer(block, dtype=np.uint8)
        ends, cuts = signs == NEWLINE, signs == self.delimiter[0]
        if self._inside or self.quote in block:
            inside = np.logical_xor.accumulate(signs == self.quote[0])
            inside ^= self._inside
            self._inside = bool(inside[-1])
            ends &= ~inside
            cuts &= ~inside
        self._count(block, np.flatnonzero(ends), np.flatnonzero(cuts))

    def _count(self, block: bytes, ends: NDArray[np.intp], cuts: NDArray[np.intp]) -> None:
        before = np.searchsorted(cuts, ends)
        counts = np.diff(before, prepend=0)
        starts = np.concatenate([[0], ends + 1])
        if len(ends):
            counts[0] += self._fields
        for place in np.flatnonzero(counts + 1 < self.width).tolist():
            text = block[starts[place] : ends[place]]
            self._judge(self._start + text if place == 0 else text, int(counts[place]), place)
        whole = np.flatnonzero(counts + 1 >= self.width)
        if len(whole) and whole[-1] == len(counts) - 1:
            self.last_fields = int(counts[-1]) + 1
        self.records += len(ends)
        rest = len(cuts) - (int(before[-1]) if len(ends) else 0)
        if len(ends):
            self._fields, self._start = rest, block[starts[-1] :][:64]
        else:
            self._fields += rest
            self._start = (self._start + block)[:64]

    def _judge(self, text: bytes, cuts: int, place: int) -> None:
        if not cuts and not text.strip(b" \t\r\n"):
            self.blank.append(self.records + place)
        else:
            self.short += 1
            self.last_fields = cuts + 1

    def end(self) -> LineCount:
        """The last line, which may have no end."""
        if self._start or self._fields:
            self.read(b"\n")
        return self


def counted(
    blocks: Iterable[bytes], delimiter: str, quote: str, width: int, where: str
) -> tuple[list[int], Lines, int]:
    """Rows that are blank lines, how many lines are no whole records, and how many rows there are.

    The text starts with its header. A last line with too few fields is what a file ends in that
    was cut off.
    """
    lines = LineCount(delimiter.encode(), quote.encode(), width)
    for block in blocks:
        lines.read(block)
    lines.end()
    if 0 < lines.last_fields < width:
        raise InputError(
            say(
                "{where} ends in a line of {last_fields} fields, where its header has "
                "{width}. It may be cut off; copy or export it again.",
                where=where,
                last_fields=lines.last_fields,
                width=width,
            )
        )
    return [r - 1 for r in lines.blank], Lines(len(lines.blank), lines.short), lines.records - 1


def without_blank_lines(frame: pl.LazyFrame, rows: list[int]) -> pl.LazyFrame:
    """The rows but for those that are blank lines."""
    if not rows:
        return frame
    places = pl.Series(rows, dtype=pl.get_index_type())
    return frame.with_row_index(PLACE).filter(~pl.col(PLACE).is_in(places.implode())).drop(PLACE)


def is_gzip(path: Path) -> bool:
    """Whether a file is zipped, whatever its name."""
    with path.open("rb") as file:
        return file.read(len(GZIP_MAGIC)) == GZIP_MAGIC


def opened(path: Path) -> gzip.GzipFile | io.BufferedReader:
    """A file of text, unzipped where it is zipped."""
    return gzip.open(path, "rb") if is_gzip(path) else path.open("rb")


def blocks_of(path: Path, skipped: int) -> Iterator[bytes]:
    """A file's bytes from its header on, unzipped if need be, so many at a time."""
    with opened(path) as file:
        for _ in range(skipped):
            file.readline()
        while block := file.read(BLOCK):
            yield block


def uneven(where: str) -> InputError:
    """For text whose quotes do not tell where a record ends."""
    return InputError(
        say(
            "{where} has blank lines and quotes that do not close: where a record ends "
            "cannot be told. Remove the blank lines, or double the quotes inside of "
            "values.",
            where=where,
        )
    )
