"""CSV and its relatives: encoding, delimiter, quotes and decimal comma are found, not asked for.

Every column is read as text. What is a number is decided later, once per distinct value, so that
codes such as 00400 keep their zeros and declared missing codes do not spoil a number.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

import polars as pl

from microgauge.errors import InputError, listing

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 200

_SINGLE_QUOTED = re.compile(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r]|$)", re.MULTILINE)


def read_delimited(content: bytes, name: str, which: str) -> pl.DataFrame:
    """A data frame of text columns."""
    text_bytes = _as_utf8(content, name, which)
    sample = _sample(text_bytes)
    quote = _quote(sample)
    delimiter = _delimiter(sample, quote)
    header = _header(sample, delimiter, quote)
    _check_header(header, name, which)
    try:
        frame = pl.read_csv(
            text_bytes,
            has_header=True,
            separator=delimiter,
            quote_char=quote,
            infer_schema=False,
            new_columns=header,
            raise_if_empty=False,
        )
    except pl.exceptions.PolarsError:
        raise InputError(_ragged(text_bytes, delimiter, quote, len(header), name, which)) from None
    if delimiter != ",":
        frame = _with_decimal_points(frame)
    return frame


def _as_utf8(content: bytes, name: str, which: str) -> bytes:
    """The text in UTF-8, whatever it came in; a fault for what is no text at all."""
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    elif content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            content = content.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise InputError(_no_text(name, which)) from None
    if b"\0" in content[: 1 << 20]:
        raise InputError(_no_text(name, which))
    if not content.strip():
        raise InputError(f"the {which} table {name} is empty.")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        # Western European Windows text: the usual other encoding of such files. Bytes it does not
        # define are control characters in any code page, so the file is no text.
        try:
            return content.decode("cp1252").encode()
        except UnicodeDecodeError:
            raise InputError(_no_text(name, which)) from None
    return content


def _no_text(name: str, which: str) -> str:
    return (
        f"the {which} table {name} is neither text nor a format that is known (CSV, Parquet, "
        "Arrow/Feather, SPSS, Stata, SAS)."
    )


def _sample(content: bytes) -> str:
    """The first lines, whole."""
    start = content[: 1 << 18]
    if len(start) < len(content):
        start = start[: start.rfind(b"\n") + 1] or start
    return "".join(start.decode("utf-8", errors="ignore").splitlines(keepends=True)[:SAMPLE_LINES])


def _quote(sample: str) -> str:
    """Single quotes only where every one of them stands around a whole field."""
    if '"' in sample:
        return '"'
    quoted = len(_SINGLE_QUOTED.findall(sample))
    return "'" if quoted >= 2 and sample.count("'") == 2 * quoted else '"'


def _rows(text: str, delimiter: str, quote: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote))


def _delimiter(sample: str, quote: str) -> str:
    """The delimiter that cuts the most rows into as many fields as the header has."""

    def score(delimiter: str) -> tuple[float, int]:
        rows = [row for row in _rows(sample, delimiter, quote) if row]
        width = len(rows[0]) if rows else 1
        if width == 1:
            return (0.0, 1)
        return (sum(len(row) == width for row in rows) / len(rows), width)

    return max(DELIMITERS, key=score)


def _header(sample: str, delimiter: str, quote: str) -> list[str]:
    return [name.strip() for name in _rows(sample, delimiter, quote)[0]]


def _check_header(header: list[str], name: str, which: str) -> None:
    repeated = [column for column, times in Counter(header).items() if times > 1 and column]
    if repeated:
        raise InputError(
            f"the {which} table {name} has more than one column named {listing(repeated)}. "
            "Rename them so that every column has its own name."
        )
    unnamed = [str(i) for i, column in enumerate(header, start=1) if not column]
    if len(unnamed) == 1 and unnamed[0] == "1":
        header[0] = "row"  # R and pandas write row names under an empty heading
    elif unnamed:
        raise InputError(f"the {which} table {name}: column {listing(unnamed)} has no name.")


def _ragged(content: bytes, delimiter: str, quote: str, width: int, name: str, which: str) -> str:
    text = content.decode("utf-8", errors="replace")
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote)
    try:
        long = [reader.line_num for row in reader if len(row) > width]
    except csv.Error as error:
        return f"the {which} table {name} is not a readable CSV file ({error})."
    if not long:
        return f"the {which} table {name} is not a readable CSV file; check its quotes."
    return (
        f"the {which} table {name} has {width} columns by its header but more fields in "
        f"{len(long)} of its lines, first in line {long[0]}. A delimiter inside a value needs "
        "quotes."
    )


def _with_decimal_points(frame: pl.DataFrame) -> pl.DataFrame:
    """3,14 is a number where the comma is not the delimiter and every value of a column fits."""
    changed = []
    for series in frame:
        if not series.str.contains(",", literal=True).any():
            continue
        if (series.str.contains(r"^\s*-?\d+(,\d+)?\s*$") | series.is_null()).all():
            changed.append(series.str.replace(",", ".", literal=True))
    return frame.with_columns(changed)
