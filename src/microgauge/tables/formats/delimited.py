"""CSV and its relatives, plain or zipped: what no other format opens is taken for text."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.tables.formats.format import GZIP_MAGIC, Format, Held, Lines

if TYPE_CHECKING:
    import polars as pl

    from microgauge.tables.dialect import Dialect
    from microgauge.tables.source import Source

TEXT_GROWS = 4
"""How much more memory than bytes of text a table needs while it is coded."""


class Delimited(Format):
    """Files of delimited text."""

    name = "CSV"
    said = ("CSV",)
    endings = (".csv", ".tsv", ".txt", ".csv.gz")
    in_batches = True

    def opens(self, path: Path, start: bytes) -> bool:
        """No: this is what is left when no other format opens a file."""
        del path, start
        return False

    def held(self, source: Source) -> Held:
        """All parts as text; a decimal comma is a point where every part can have one."""
        from microgauge.tables.dialect import read_delimited, with_decimal_points

        delimiters = set()
        lines = Lines()

        def frame(part: Path) -> pl.DataFrame:
            nonlocal lines
            found, delimiter, here = read_delimited(_content(part, source), source.part_name(part))
            delimiters.add(delimiter)
            lines += here
            return found

        found = source.joined(frame)
        cells = found if "," in delimiters else with_decimal_points(found)
        return Held.of(source.name, cells, spelled=True, lines=lines)

    def damaged(self, where: str, why: str) -> str:
        """What a reader of text says may hold cells of the data, so it is left out."""
        del why
        return say(
            "{where} is not a readable CSV file in UTF-8: a line has more fields "
            "than the header, a quote is not closed, or a byte is no text. Repair or "
            "convert it.",
            where=where,
        )

    def schema(self, source: Source, part: Path) -> dict[str, pl.DataType]:
        """Texts under the names of the first line."""
        import polars as pl

        from microgauge.tables.dialect import dialect_of

        return dict.fromkeys(dialect_of(part, source.part_name(part)).header, pl.String())

    def scan(self, source: Source, part: Path) -> pl.LazyFrame:
        """The rows of a part, with decimal points."""
        from microgauge.tables.dialect import decimal_commas

        frame, _ = _scanned(source, part)
        return decimal_commas(frame, source.prepared) if source.prepared else frame

    def prepared(self, source: Source) -> tuple[str, ...]:
        """Columns of numbers with a decimal comma, in all parts together."""
        import polars as pl
        from polars.selectors import by_name

        from microgauge.tables.dialect import columns_with_commas

        frames = []
        for part in source.parts:
            frame, delimiter = _scanned(source, part)
            if delimiter == ",":
                return ()
            frames.append(frame.select(by_name(*source.columns)))
        with source.reading(source.parts[0]):
            return columns_with_commas(pl.concat(frames))

    def lines(self, source: Source) -> Lines:
        """Those of all parts, which were looked at before they were scanned."""
        return sum((source.seen[part][1] for part in source.parts), start=Lines())

    def needed(self, source: Source, most: int) -> int:
        """More than the text is long. How long zipped text is, only unzipping tells."""
        length = 0
        for part in source.parts:
            length += _length(source, part, most // TEXT_GROWS - length)
            if TEXT_GROWS * length > most:
                source.unzipped.clear()
                break
        return TEXT_GROWS * length

    def drift(
        self, part: str, found: Mapping[str, Any], first: str, expected: Mapping[str, Any]
    ) -> list[str]:
        """First lines that differ."""
        from microgauge.tables.drift import header_drift

        return header_drift(part, found, first, expected)


def _scanned(source: Source, part: Path) -> tuple[pl.LazyFrame, str]:
    """The rows of a part as they are spelled, and the delimiter."""
    import polars as pl

    from microgauge.tables.dialect import dialect_of
    from microgauge.tables.lines import without_blank_lines

    dialect = dialect_of(part, source.part_name(part))
    frame = pl.scan_csv(
        part,
        glob=False,
        has_header=True,
        skip_lines=dialect.leading,
        separator=dialect.delimiter,
        quote_char=dialect.quote,
        infer_schema=False,
        new_columns=list(dialect.header),
    )
    if part not in source.seen:
        source.seen[part] = _lines(frame, part, dialect, source.part_name(part))
    return without_blank_lines(frame, source.seen[part][0]), dialect.delimiter


def _lines(
    frame: pl.LazyFrame, part: Path, dialect: Dialect, where: str
) -> tuple[list[int], Lines]:
    """Rows that are blank lines, and how many lines are no whole records."""
    import polars as pl

    from microgauge.tables.lines import blocks_of, counted, uneven

    leading, width = Lines(dialect.leading), len(dialect.header)
    if width == 1:
        return [], leading
    blocks = blocks_of(part, dialect.leading)
    blank, lines, rows = counted(blocks, dialect.delimiter, dialect.quote, width, where)
    if blank and rows != frame.select(pl.len()).collect(engine="streaming").item():
        raise uneven(where)
    return blank, lines + leading


def _length(source: Source, part: Path, most: int) -> int:
    """Bytes of text, or some more than `most`; zipped text is kept until it is read.

    Of a damaged zip those before the damage, which reading then tells of.
    """
    from microgauge.tables.lines import blocks_of, is_gzip

    if not is_gzip(part):
        return part.stat().st_size
    blocks, length = [], 0
    with suppress(OSError, EOFError, zlib.error):
        for block in blocks_of(part, 0):
            blocks.append(block)
            length += len(block)
            if length > most:
                return length
        source.unzipped[part] = b"".join(blocks)
    return length


def _content(part: Path, source: Source) -> bytes:
    if part in source.unzipped:
        return source.unzipped.pop(part)
    content = part.read_bytes()
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        # What is said of it may hold the first bytes of text that follows the zip.
        where = source.part_name(part)
        raise InputError(
            say("{where} is not a whole gzip file; copy it again.", where=where)
        ) from None
