"""How delimited text is written: what a file does not say is found, not asked for.

Encoding, delimiter, quotes and decimal comma are told from the first lines.

Every column is read as text. What is a number is decided later, once per distinct value, so that
codes such as 00400 keep their zeros and declared missing codes do not spoil a number.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from polars.selectors import by_name

from microgauge.errors import InputError, listing
from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.tables.formats import format_names
from microgauge.tables.formats.format import Lines
from microgauge.tables.lines import (
    BLANK,
    BLOCK,
    counted,
    leading_blank,
    opened,
    uneven,
    without_blank_lines,
)

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 200

ENOUGH = 1 << 19
"""Bytes from which the first lines are taken."""
LONGEST = (1 << 31) - 1
"""Characters of a field."""
FIRST_YEAR, LAST_YEAR = 1900, 2100
FEWEST = 1
"""Records below the first line that tell whether it is one of them."""
FEWEST_WORDS = 3
"""Words of a line that may be fields: fewer are a name with a number, or a first and a last one."""
EMPTY = ("", "NA", "NaN", "nan", "NULL", "null", ".")
NO_HEADER = say(
    "{where} seems to have no header: its first line looks like the lines below it. Put a line "
    "with the names of the columns first; if that line is one, choose names that are no values."
)

_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
_COMMA_NUMBER = r"^\s*-?\d+(,\d+)?\s*$"
_SINGLE_QUOTED = re.compile(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r]|$)", re.MULTILINE)


@dataclass(frozen=True)
class Dialect:
    """How a file of delimited text is written."""

    delimiter: str
    quote: str
    header: tuple[str, ...]
    leading: int = 0
    """Blank lines before the header."""

    @staticmethod
    def found(text: bytes, where: str) -> Dialect:
        """From the first lines of a file."""
        leading, start = leading_blank(text)
        sample = _sample(text[start : start + ENOUGH] if start else text)
        quote = _quote(sample)
        try:
            delimiter = _delimiter(sample, quote)
            rows = _rows(sample, delimiter, quote)
        except csv.Error:
            raise InputError(
                say(
                    "{where} is not a readable CSV file: check its quotes and line ends.",
                    where=where,
                )
            ) from None
        if not rows:
            raise InputError(say("{where} is empty.", where=where))
        if is_headless(rows) or is_headless(_cut_at_spaces(rows)):
            raise InputError(NO_HEADER.format(where=where))
        header = checked_header([name.strip() for name in rows[0]], where)
        return Dialect(delimiter, quote, tuple(header), leading)


def dialect_of(path: Path, where: str) -> Dialect:
    """The dialect of a file that is read in batches, which must be plain text in UTF-8."""
    with opened(path) as file:
        start = file.read(1 << 18)
        if b"\n" not in start.strip():
            start += file.readline()  # a header of thousands of columns
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            say(
                "{where} is in UTF-16, which cannot be read in batches: convert it to "
                "UTF-8, or give more --memory.",
                where=where,
            )
        )
    return Dialect.found(_as_utf8(start[: start.rfind(b"\n") + 1] or start, where), where)


def read_delimited(content: bytes, where: str) -> tuple[pl.DataFrame, str, Lines]:
    """A data frame of text columns, the delimiter, and lines that are no whole records.

    `where` names the table in messages.
    """
    text_bytes = _as_utf8(content, where)
    found = Dialect.found(text_bytes, where)
    if found.leading:
        text_bytes = text_bytes[leading_blank(text_bytes)[1] :]
    try:
        frame = pl.read_csv(
            text_bytes,
            has_header=True,
            separator=found.delimiter,
            quote_char=found.quote,
            infer_schema=False,
            new_columns=list(found.header),
            raise_if_empty=False,
        )
    except pl.exceptions.PolarsError:
        raise InputError(_ragged(text_bytes, found, where)) from None
    frame, lines = _whole_records(frame, text_bytes, found, where)
    return frame, found.delimiter, lines + Lines(found.leading)


def _whole_records(
    frame: pl.DataFrame, content: bytes, dialect: Dialect, where: str
) -> tuple[pl.DataFrame, Lines]:
    """The frame without blank lines. They and short ones have no last field."""
    width = len(dialect.header)
    if width == 1 or not frame[:, -1].null_count():
        return frame, Lines()
    blocks = (content[i : i + BLOCK] for i in range(0, len(content), BLOCK))
    blank, lines, rows = counted(blocks, dialect.delimiter, dialect.quote, width, where)
    if rows != frame.height:
        if BLANK.search(content):
            raise uneven(where)
        return frame, Lines()
    return without_blank_lines(frame.lazy(), blank).collect(), lines


def with_decimal_points(frame: pl.DataFrame) -> pl.DataFrame:
    """3,14 is a number where the comma is not the delimiter and every value of a column fits."""
    commas = columns_with_commas(frame.lazy())
    return decimal_commas(frame.lazy(), commas).collect() if commas else frame


def _as_utf8(content: bytes, where: str) -> bytes:
    """The text in UTF-8, whatever it came in; a fault for what is no text at all."""
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    elif content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            content = content.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise InputError(_no_text(where)) from None
    if b"\0" in content[: 1 << 20]:
        raise InputError(_no_text(where))
    if not content.strip():
        raise InputError(say("{where} is empty.", where=where))
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        # Western European Windows text: the usual other encoding of such files. Bytes it does not
        # define are control characters in any code page, so the file is no text.
        try:
            return content.decode("cp1252").encode()
        except UnicodeDecodeError:
            raise InputError(_no_text(where)) from None
    return content


def _no_text(where: str) -> str:
    return say(
        "{where} is neither text nor a format that is known ({format_names}).",
        where=where,
        format_names=strung(format_names(), ", "),
    )


def _sample(content: bytes) -> str:
    """The first lines, whole."""
    start = content[: 1 << 18]
    if len(start) < len(content):
        start = start[: start.rfind(b"\n") + 1] or content[: content.find(b"\n") + 1] or start
    return "".join(start.decode("utf-8", errors="ignore").splitlines(keepends=True)[:SAMPLE_LINES])


def _quote(sample: str) -> str:
    """Single quotes only where every one of them stands around a whole field."""
    if '"' in sample:
        return '"'
    quoted = len(_SINGLE_QUOTED.findall(sample))
    return "'" if quoted >= 2 and sample.count("'") == 2 * quoted else '"'


def _rows(text: str, delimiter: str, quote: str) -> list[list[str]]:
    """The records of a text but for its blank lines."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote)
    return [row for row in rows if len(row) > 1 or "".join(row).strip()]


def _delimiter(sample: str, quote: str) -> str:
    """The delimiter that cuts the most rows into as many fields as the header has."""

    def score(delimiter: str) -> tuple[float, int]:
        rows = _rows(sample, delimiter, quote)
        width = len(rows[0]) if rows else 1
        if width == 1:
            return (0.0, 1)
        return (sum(len(row) == width for row in rows) / len(rows), width)

    return max(DELIMITERS, key=score)


def is_headless(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line looks like the lines below it, so that it names no columns.

    Each column may speak for a header (numbers below a word, words below a word that is none of
    them) or against it (a number above numbers, a word that is there again).

    >>> is_headless([["age", "sex"], ["31", "f"], ["42", "m"]])
    False
    >>> is_headless([["27", "f"], ["31", "f"], ["42", "m"]])
    True
    """
    first, width = rows[0], len(rows[0])
    below = [row for row in rows[1:] if len(row) == width]
    if len(below) < FEWEST or _counts_up(first) or _names_years(first, below):
        return False
    against = words = named = 0
    for cell, *values in zip(first, *below, strict=True):
        name, known = cell.strip(), [v.strip() for v in values if v.strip() not in EMPTY]
        if not known:
            continue
        numeric = all(_NUMBER.fullmatch(value) for value in known)
        if bool(_NUMBER.fullmatch(name)) != numeric and (numeric or not name):
            return False  # a word, or nothing, above numbers
        against += numeric
        words += not numeric and name in known
        named += not numeric and name not in known and _repeat(known)
    return 2 * (against + words) >= width and against + words >= named and against + words // 2 > 0


def _cut_at_spaces(rows: Sequence[Sequence[str]]) -> Sequence[Sequence[str]]:
    """Lines of one column by their words, where most have as many as the first: to us spaces cut
    no fields, but whoever wrote the file may have meant them to.
    """
    if any(len(row) > 1 for row in rows):
        return rows
    cut = [row[0].split() for row in rows]
    like_first = sum(len(words) == len(cut[0]) for words in cut)
    return cut if len(cut[0]) >= FEWEST_WORDS and 2 * like_first > len(cut) else rows


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether cells number the columns: 0, 1, 2, … or 1, 2, 3, …"""
    numbered = [str(start + place) for start in (0, 1) for place in range(len(cells))]
    found = [cell.strip() for cell in cells]
    return len(found) > 1 and found in (numbered[: len(found)], numbered[len(found) :])


def _names_years(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the numbers among cells are rising years that name columns of something else.

    Years above years may be anybody's birth year.
    """
    places = [i for i, cell in enumerate(first) if _NUMBER.fullmatch(cell.strip())]
    found = [first[i].strip() for i in places]
    if not found or not all(map(_is_year, found)) or found != sorted(set(found)):
        return False
    return not any(all(_is_year(row[i].strip()) for row in below) for i in places)


def _is_year(cell: str) -> bool:
    return cell.isascii() and cell.isdigit() and FIRST_YEAR <= int(cell[:9]) <= LAST_YEAR


def _repeat(values: Sequence[str]) -> bool:
    return 2 * len(set(values)) <= len(values)


def checked_header(header: Sequence[str], where: str) -> list[str]:
    """The names of columns; a fault where one is missing or there twice."""
    repeated = [column for column, times in Counter(header).items() if times > 1 and column]
    if repeated:
        # The first line of a file without a header holds cells of the data: places, no names.
        places = [str(i) for i, column in enumerate(header, start=1) if column == repeated[0]]
        raise InputError(
            say(
                "{where} has more than one column of the same name: columns {places}. "
                "Rename them so that every column has its own name.",
                where=where,
                places=listing(places),
            )
        )
    unnamed = [str(i) for i, column in enumerate(header, start=1) if not column]
    if unnamed == ["1"]:
        return ["row", *header[1:]]  # R and pandas write row names under an empty heading
    if unnamed:
        raise InputError(
            say("{where}: column {unnamed} has no name.", where=where, unnamed=listing(unnamed))
        )
    return list(header)


def _ragged(content: bytes, dialect: Dialect, where: str) -> str:
    text = content.decode("utf-8", errors="replace")
    reader = csv.reader(io.StringIO(text), delimiter=dialect.delimiter, quotechar=dialect.quote)
    width = len(dialect.header)
    try:
        long = [reader.line_num for row in reader if len(row) > width]
    except csv.Error as error:
        return say("{where} is not a readable CSV file ({error}).", where=where, error=error)
    if not long:
        return say("{where} is not a readable CSV file; check its quotes.", where=where)
    return say(
        "{where} has {width} columns by its header but more fields in {n} of its "
        "lines, first in line {long}. A delimiter inside a value needs quotes.",
        where=where,
        width=width,
        n=len(long),
        long=long[0],
    )


def columns_with_commas(frame: pl.LazyFrame) -> tuple[str, ...]:
    """Columns in which 3,14 is a number: some value has a comma, and every value fits."""
    some, every = comma_facts(frame)
    return tuple(name for name in some if some[name] and every[name])


def comma_facts(frame: pl.LazyFrame) -> tuple[dict[str, bool], dict[str, bool]]:
    """For each column whether some value has a comma, and whether every value fits a number."""
    names = frame.collect_schema().names()
    facts = frame.select(
        *(by_name(n).str.contains(",", literal=True).any().alias(f"any {n}") for n in names),
        *(by_name(n).str.contains(_COMMA_NUMBER).all().alias(f"all {n}") for n in names),
    ).collect(engine="streaming")
    return (
        {name: bool(facts[f"any {name}"][0]) for name in names},
        {name: bool(facts[f"all {name}"][0]) for name in names},
    )


def decimal_commas(frame: pl.LazyFrame, columns: Sequence[str]) -> pl.LazyFrame:
    """The columns with a point in place of the comma."""
    return frame.with_columns(by_name(*columns).str.replace(",", ".", literal=True))
