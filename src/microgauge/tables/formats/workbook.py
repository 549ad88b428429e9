"""Workbooks: one sheet of an Excel or OpenDocument file, read whole.

The first row names the columns. Cells have types of their own: a column is numbers, truth values or
dates where all its cells are, else text, as other files would spell it.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from microgauge.errors import InputError, hint, listing
from microgauge.languages.messages import say
from microgauge.tables.formats.format import SHEET, WholeFormat

if TYPE_CHECKING:
    import polars as pl

OLD_MAGIC = bytes.fromhex("D0CF11E0A1B11AE1")
"""What Office's older files start with; newer ones do if a password protects them."""
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


MOST_LISTED = 16 << 20
"""Bytes of the part of a file that lists its sheets; in OpenDocument it holds the cells, too."""


class Workbook(WholeFormat):
    """Files of sheets."""

    name = "workbook"
    said = ("Excel", "OpenDocument")
    endings = (".xlsx", ".ods")
    has_sheets = True

    def damaged(self, where: str, why: str) -> str:
        """A workbook that is none."""
        return say(
            "{where} is not a readable workbook ({why}). It may be damaged; save it again.",
            where=where,
            why=why,
        )

    def sheets(self, path: Path, where: str) -> tuple[str, ...]:
        """All sheets, in their order."""
        return _names(_opened(path, where))

    def listed_sheets(self, path: Path) -> tuple[str, ...]:
        """All sheets, without the cells: to open a workbook is to unpack all its texts."""
        try:
            with zipfile.ZipFile(path) as packed:
                return _sheets_said(packed)
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, NotImplementedError, zlib.error):
            return ()
        except (EOFError, RuntimeError, ElementTree.ParseError):
            return ()

    def frame(self, part: Path, where: str) -> pl.DataFrame:
        """The cells of one sheet under the names in its first row."""
        import polars as pl

        from microgauge.tables.dialect import checked_header
        from microgauge.tables.source import file_of

        sheet = _sheet(_opened(file_of(part), where), part, where)
        rows = _without_empty_end(sheet.to_python())
        if not rows:
            raise InputError(
                say("{where}: the sheet {name} is empty.", where=where, name=sheet.name)
            )
        _refuse_merged_header(sheet, where)
        header = checked_header([_text(cell).strip() for cell in rows[0]], where)
        columns = zip(*rows[1:], strict=True) if rows[1:] else [()] * len(header)
        return pl.DataFrame([_column(n, c) for n, c in zip(header, columns, strict=True)])


def _opened(path: Path, where: str) -> Any:
    """The workbook; a fault for one that a password protects, and for what is none."""
    import python_calamine as calamine

    try:
        return calamine.load_workbook(str(path))
    except calamine.PasswordError:
        raise InputError(_protected(where)) from None
    except calamine.CalamineError as error:
        content = path.read_bytes()
        if content.startswith(OLD_MAGIC) and ENCRYPTED in content:
            raise InputError(_protected(where)) from None
        # A runtime error is what reading a damaged file may raise; `source.reading` says so.
        raise RuntimeError(str(error)) from None


def _protected(where: str) -> str:
    return say("{where} is protected by a password. Save a copy without one.", where=where)


def _sheets_said(packed: zipfile.ZipFile) -> tuple[str, ...]:
    """What the part that lists the sheets says; at most as much of it is read as it may be long."""
    if "xl/workbook.xml" in packed.namelist():
        kinds = {
            one.get("Id"): one.get("Type", "")
            for one in _elements(packed, "xl/_rels/workbook.xml.rels", "Relationship")
        }
        return tuple(
            one.get("name", "")
            for one in _elements(packed, "xl/workbook.xml", "sheet")
            if kinds.get(_reference(one), "").endswith("/worksheet")
        )
    tables = _elements(packed, "content.xml", "table")
    names = ([v for k, v in one.items() if _local(k) == "name"] for one in tables)
    return tuple(found[0] for found in names if found)


def _elements(packed: zipfile.ZipFile, part: str, name: str) -> Iterator[dict[str, str]]:
    """The attributes of the elements of a name."""
    if packed.getinfo(part).file_size > MOST_LISTED:
        return
    with packed.open(part) as file:
        text = file.read(MOST_LISTED)
    if b"<!DOCTYPE" in text:
        return  # office programs write none, and what one defines may be of any length
    for _, element in ElementTree.iterparse(io.BytesIO(text), ("start",)):  # noqa: S314
        if _local(element.tag) == name:
            yield dict(element.attrib)


def _local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def _reference(sheet: dict[str, str]) -> str | None:
    """By which a sheet is named among the parts of the file."""
    return next((v for k, v in sheet.items() if k.startswith("{") and _local(k) == "id"), None)


def _names(workbook: Any) -> tuple[str, ...]:
    """The sheets that hold cells; others hold a drawing."""
    return tuple(s.name for s in workbook.sheets_metadata if str(s.typ).endswith("WorkSheet"))


def _sheet(workbook: Any, part: Path, where: str) -> Any:
    """The sheet that is named, or the only one."""
    from microgauge.tables.source import sheet_of

    wanted = chosen_sheet(_names(workbook), sheet_of(part), part.name, where)
    import python_calamine as calamine

    try:
        return workbook.get_sheet_by_name(wanted)
    except calamine.CalamineError as error:
        raise RuntimeError(str(error)) from None


def chosen_sheet(names: Sequence[str], wanted: str | None, file: str, where: str) -> str:
    """The sheet that is meant: the one that is named, or the only one; a fault where none is."""
    if wanted is None:
        if len(names) != 1:
            raise InputError(
                say(
                    "{where} has {n} sheets: {names}. Name one behind the file, like "
                    "{name}{sheet}{value}.",
                    where=where,
                    n=len(names),
                    names=listing(names),
                    name=file,
                    sheet=SHEET,
                    value=names[0] if names else "Sheet",
                )
            )
        return names[0]
    if wanted not in names:
        raise InputError(
            say(
                '{where}: there is no sheet "{wanted}". There are {names}.{hint}',
                where=where,
                wanted=wanted,
                names=listing(names),
                hint=hint(wanted, names),
            )
        )
    return wanted


def _refuse_merged_header(sheet: Any, where: str) -> None:
    """A name across several columns names none of them."""
    top = sheet.start[0]
    if any(first[0] <= top <= last[0] for first, last in sheet.merged_cell_ranges or ()):
        raise InputError(
            say(
                "{where}: cells of the first row of {name} are merged. Give every column "
                "a cell with its own name.",
                where=where,
                name=sheet.name,
            )
        )


def _without_empty_end(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows that only have a format are no records."""
    count = len(rows)
    while count and all(cell == "" for cell in rows[count - 1]):
        count -= 1
    return rows[:count]


def _column(name: str, cells: Sequence[Any]) -> pl.Series:
    """Cells of one type as such, all others as text; an empty cell is a missing one."""
    import polars as pl

    found = [None if cell == "" else cell for cell in cells]
    kinds = {type(cell) for cell in found if cell is not None}
    if kinds <= {str}:
        return pl.Series(name, found, dtype=pl.String)
    if kinds <= {int, float}:
        whole = all(c is None or (float(c).is_integer() and abs(c) < 2**53) for c in found)
        cells_as = [None if c is None else int(c) for c in found] if whole else found
        return pl.Series(name, cells_as, dtype=pl.Int64 if whole else pl.Float64, strict=False)
    if kinds == {dt.date, dt.datetime}:  # a day without a time beside days with one
        found = [_at_midnight(cell) for cell in found]
        kinds = {dt.datetime}
    if len(kinds) == 1:
        return pl.Series(name, found)
    texts = [None if cell is None else _text(cell) for cell in found]
    return pl.Series(name, texts, dtype=pl.String)


def _at_midnight(cell: Any) -> Any:
    is_day = isinstance(cell, dt.date) and not isinstance(cell, dt.datetime)
    return dt.datetime.combine(cell, dt.time()) if is_day else cell


def _text(cell: Any) -> str:
    """A cell as a delimited file would spell it: whole numbers without decimals."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)
