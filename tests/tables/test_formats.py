"""An input format is one file and one entry: whatever reads tables or lists formats finds it."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter

import microgauge
from microgauge.cli import main
from microgauge.errors import InputError
from microgauge.results.plain import to_dict
from microgauge.tables import read_held, read_table
from microgauge.tables.formats import format_names, formats, registered
from microgauge.tables.formats.format import WholeFormat

PEOPLE = pl.DataFrame(
    {
        "code": ["007", "010", "3"] * 20,
        "age": [20, 30, 40, 50, None, 60] * 10,
        "income": [1.5, 2.25, 1000.0] * 20,
        "member": [True, False, None] * 20,
        "born": [dt.date(1990, 1, 1), dt.date(2000, 2, 29), None] * 20,
        "seen": [dt.datetime(2020, 1, 1, 10, 30), None, dt.datetime(2020, 1, 2)] * 20,
        "wakes": [dt.time(6, 30), None, dt.time(7)] * 20,
        "region": [" north ", "south", None] * 20,
    }
)


class Lines(WholeFormat):
    """A toy: fields after colons, one record a line."""

    name = "lines"
    said = ("Lines",)
    endings = (".lines",)

    def frame(self, part, where):
        rows = [line.split(":") for line in part.read_text().splitlines()]
        if len({len(row) for row in rows}) > 1:
            raise InputError(f"{where} has lines of different lengths.")
        return pl.DataFrame([pl.Series(name, cells) for name, *cells in zip(*rows, strict=True)])


def lines(path: Path, frame: pl.DataFrame) -> Path:
    texts = frame.select(pl.all().cast(pl.String).fill_null(""))
    rows = [texts.columns, *texts.iter_rows()]
    path.write_text("\n".join(":".join(row) for row in rows))
    return path


def plain(result):
    """Everything but what names the files."""
    found = to_dict(result)
    return {name: part for name, part in found.items() if name not in ("inputs", "manifest")}


def test_a_toy_format_is_found_by_all_that_reads(tmp_path) -> None:
    table = PEOPLE.select("code", "age", "region")
    original = lines(tmp_path / "a.lines", table)
    table.write_csv(tmp_path / "a.csv")
    recipe = {"step": [{"method": "swap", "variable": "region", "share": 0.5}]}
    with registered(Lines()):
        after = microgauge.mask(original, recipe, tmp_path / "b.csv")
        assert after["code"].to_list() == table["code"].to_list()
        found = microgauge.assess(original, tmp_path / "b.csv", only=["gdu", "loss"])
        expected = microgauge.assess(tmp_path / "a.csv", tmp_path / "b.csv", only=["gdu", "loss"])
        assert plain(found) == plain(expected)
        assert format_names()[-1] == "Lines"
        (tmp_path / "c.csv").write_bytes(b"\0\1")
        with pytest.raises(InputError, match=r"format that is known \(.*, Lines\)"):
            read_table(tmp_path / "c.csv", which="original")
        (tmp_path / "d.lines").write_text("a:b\n1\n")
        with pytest.raises(InputError, match=r"the original table .*d\.lines has lines of"):
            microgauge.mask(tmp_path / "d.lines", recipe)
    assert "Lines" not in format_names()


def test_help_lists_the_formats_there_are_without_loading_them(capsys) -> None:
    with registered(Lines()), pytest.raises(SystemExit):
        main(["assess", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "CSV, Parquet, Arrow/Feather, SPSS, Stata, SAS, Excel, OpenDocument or Lines," in said
    script = (
        "import sys; from microgauge.tables.formats import format_names; format_names(); "
        "sys.exit(bool({'numpy', 'polars', 'python_calamine'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def test_a_toy_format_may_have_parts(tmp_path) -> None:
    table = PEOPLE.select("code", "age")
    for place in range(3):
        lines(tmp_path / f"p{place}.lines", table[20 * place : 20 * place + 20])
    with registered(Lines()):
        held = read_held(tmp_path, "original")
    assert held.frame()["code"].to_list() == table["code"].to_list()


def test_every_format_is_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    for known in formats():
        assert f"| {', '.join(known.said)} |" in page
        assert all(f"`{ending}`" in page for ending in known.endings)


def test_formats_are_told_apart() -> None:
    names = [known.name for known in formats()]
    assert len(set(names)) == len(names)
    with pytest.raises(ValueError, match="already"), registered(formats()[1]):
        pass


# -- workbooks -----------------------------------------------------------------------------------


def book(path: Path, frame: pl.DataFrame, sheets=("People",), header=None, merged=()) -> Path:
    """A workbook whose first sheet holds a frame; the others are empty."""
    with xlsxwriter.Workbook(str(path)) as made:
        formats = {
            dt.date: made.add_format({"num_format": "yyyy-mm-dd"}),
            dt.datetime: made.add_format({"num_format": "yyyy-mm-dd hh:mm"}),
            dt.time: made.add_format({"num_format": "hh:mm:ss"}),
        }
        first, *_ = [made.add_worksheet(name) for name in sheets]
        for place, name in enumerate(header or frame.columns):
            first.write_string(0, place, name)
        for start, stop in merged:
            first.merge_range(0, start, 0, stop, "both")
        for row, cells in enumerate(frame.iter_rows(), start=1):
            for place, cell in enumerate(cells):
                if isinstance(cell, str):
                    first.write_string(row, place, cell)
                elif type(cell) in formats:
                    first.write_datetime(row, place, cell, formats[type(cell)])
                elif cell is not None:
                    first.write(row, place, cell)
    return path


ODS_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document-content '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2">'
    "<office:body><office:spreadsheet>"
)


def ods_cell(cell) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, bool):
        said = f'office:value-type="boolean" office:boolean-value="{str(cell).lower()}"'
    elif isinstance(cell, int | float):
        said = f'office:value-type="float" office:value="{cell}"'
    elif isinstance(cell, dt.date):
        said = f'office:value-type="date" office:date-value="{cell.isoformat()}"'
    else:
        said = 'office:value-type="string"'
    return f"<table:table-cell {said}><text:p>{cell}</text:p></table:table-cell>"


def ods(path: Path, frame: pl.DataFrame, sheet="People", manifest="<manifest/>") -> Path:
    rows = "".join(
        f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>"
        for row in (frame.columns, *frame.iter_rows())
    )
    content = (
        f'{ODS_HEAD}<table:table table:name="{sheet}">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", manifest)
        made.writestr("content.xml", content)
    return path


def test_a_sheet_is_read_like_a_file_of_the_same_cells(tmp_path) -> None:
    path = book(tmp_path / "people.xlsx", PEOPLE)
    found = read_held(path, "original").frame()
    assert found.with_columns(pl.col("seen").cast(pl.Datetime("us"))).equals(PEOPLE)
    PEOPLE.write_parquet(tmp_path / "people.parquet")
    after = PEOPLE.with_columns(age=pl.col("age") // 10 * 10)
    other = book(tmp_path / "after.xlsx", after, ("one", "two"))
    after.write_parquet(tmp_path / "after.parquet")
    one = microgauge.assess(path, f"{other}::one")
    two = microgauge.assess(tmp_path / "people.parquet", tmp_path / "after.parquet")
    assert plain(one) == plain(two)
    assert one.inputs.protected.path.endswith("after.xlsx::one")


def test_an_opendocument_sheet_is_read_alike(tmp_path) -> None:
    table = PEOPLE.drop("seen", "wakes")
    found = read_held(f"{ods(tmp_path / 'people.ods', table)}::People", "original").frame()
    assert found.drop("region").equals(table.drop("region"))
    assert found["region"].str.strip_chars().equals(table["region"].str.strip_chars())


def test_cells_of_different_types_are_spelled(tmp_path) -> None:
    with xlsxwriter.Workbook(str(tmp_path / "mixed.xlsx")) as made:
        sheet = made.add_worksheet()
        day = made.add_format({"num_format": "yyyy-mm-dd"})
        for place, name in enumerate(("number", "day", "broken")):
            sheet.write_string(0, place, name)
        sheet.write_number(1, 0, 5)
        sheet.write_string(2, 0, "6")
        sheet.write_datetime(1, 1, dt.datetime(2020, 1, 2), day)
        sheet.write_string(2, 1, "unknown")
        sheet.write_formula(1, 2, "=1/0", None, "#DIV/0!")
        sheet.write_number(2, 2, 1)
        sheet.write_blank(9, 0, None, day)  # a format makes no record
    found = read_held(tmp_path / "mixed.xlsx", "original").frame()
    assert found.to_dict(as_series=False) == {
        "number": ["5", "6"],
        "day": ["2020-01-02", "unknown"],
        "broken": [None, 1],
    }
    assert read_table(tmp_path / "mixed.xlsx", which="original").rows == 2


def test_sheets_of_workbooks_may_be_parts(tmp_path) -> None:
    names = list(reversed(PEOPLE.columns))
    book(tmp_path / "1.xlsx", PEOPLE[:30])
    book(tmp_path / "2.xlsx", PEOPLE[30:].select(names), ("People", "Notes"))
    held = read_held(f"{tmp_path}/*.xlsx::People", "original")
    assert held.frame()["age"].equals(PEOPLE["age"])
    assert held.frame().columns == PEOPLE.columns
    listed = [f"{tmp_path}/1.xlsx", f"{tmp_path}/2.xlsx::People"]
    assert read_table(listed, which="original").rows == PEOPLE.height


def test_a_workbook_is_masked(tmp_path) -> None:
    recipe = {"step": [{"method": "top_bottom", "variable": "age", "top": 40}]}
    path = book(tmp_path / "people.xlsx", PEOPLE, ("People", "Notes"))
    microgauge.mask(f"{path}::People", recipe, tmp_path / "after.csv")
    found = pl.read_csv(tmp_path / "after.csv", infer_schema=False)
    assert found["code"].to_list() == PEOPLE["code"].to_list()
    assert found["age"].drop_nulls().cast(pl.Int64).max() == 40


def fault(path) -> str:
    with pytest.raises(InputError) as caught:
        read_table(path, which="original")
    (said,) = caught.value.faults
    assert main(["assess", str(path), str(path)]) == 2
    return said


def test_a_sheet_must_be_named_where_there_are_several(tmp_path, capsys) -> None:
    path = book(tmp_path / "book.xlsx", PEOPLE, ("People", "Notes"))
    assert fault(path) == (
        f"the original table {path} has 2 sheets: People, Notes. Name one behind the file, like "
        "book.xlsx::People."
    )
    assert fault(f"{path}::Poeple") == (
        f'the original table {path}::Poeple: there is no sheet "Poeple". There are People, Notes. '
        'Did you mean "People"?'
    )
    assert fault(f"{path}::Notes") == (
        f"the original table {path}::Notes: the sheet Notes is empty."
    )
    assert "Traceback" not in capsys.readouterr().err


def test_a_sheet_of_what_has_none_is_a_fault(tmp_path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    path = tmp_path / "people.csv"
    said = f"the original table {path} is a CSV file, which has no sheets: leave out ::People."
    assert fault(f"{path}::People") == said
    assert "there is no file" in fault(tmp_path / "none.xlsx::People")


@pytest.mark.parametrize("name", ["book.xlsx", "book.ods"])
def test_what_is_no_workbook_is_a_fault(tmp_path, name) -> None:
    whole = (book if name.endswith("xlsx") else ods)(tmp_path / name, PEOPLE.select("age"))
    content = whole.read_bytes()
    for broken in (content[:300], b"a,b\n1,2\n", content.replace(b"content.xml", b"contend.xml")):
        if broken != content:
            whole.write_bytes(broken)
            assert fault(whole).startswith(f"the original table {whole} is not a readable workbook")


def test_a_workbook_with_a_password_is_a_fault(tmp_path) -> None:
    path = tmp_path / "book.xlsx"
    name = "EncryptedPackage".encode("utf-16-le")
    path.write_bytes(bytes.fromhex("D0CF11E0A1B11AE1") + bytes(1000) + name + bytes(1000))
    said = f"the original table {path} is protected by a password. Save a copy without one."
    assert fault(path) == said
    path.write_bytes(bytes.fromhex("D0CF11E0A1B11AE1") + bytes(1000))
    assert "is not a readable workbook" in fault(path)
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/>'
        "</manifest:file-entry></manifest:manifest>"
    )
    path = ods(tmp_path / "book.ods", PEOPLE.select("age"), manifest=manifest)
    assert "is protected by a password" in fault(path)


def test_names_of_columns_are_checked(tmp_path) -> None:
    two = PEOPLE.select("code", "age", "income")
    path = book(tmp_path / "twice.xlsx", two, header=["a", "b", "a"])
    assert "more than one column of the same name: columns 1, 3" in fault(path)
    path = book(tmp_path / "empty.xlsx", two, header=["a", "", "c"])
    assert fault(path) == f"the original table {path}: column 2 has no name."
    path = book(tmp_path / "merged.xlsx", two, header=["a"], merged=[(1, 2)])
    assert fault(path) == (
        f"the original table {path}: cells of the first row of People are merged. Give every "
        "column a cell with its own name."
    )
    path = book(tmp_path / "rows.xlsx", two, header=["", "b", "c"])
    assert read_held(path, "original").columns == ["row", "b", "c"]
    assert fault(book(tmp_path / "none.xlsx", two[:0])).endswith("has no rows.")


def test_faults_of_all_parts_are_told_at_once(tmp_path) -> None:
    book(tmp_path / "1.xlsx", PEOPLE)
    book(tmp_path / "2.xlsx", PEOPLE.drop("age"))
    (tmp_path / "3.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError) as caught:
        read_table(tmp_path, which="original")
    assert ["lacks age" in said or "3.xlsx" in said for said in caught.value.faults] == [True, True]


# -- streams -------------------------------------------------------------------------------------


class Stream:
    """What a database gives: rows that can be read once."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame
        self.read = 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.read += 1
        assert self.read == 1
        return self._frame.__arrow_c_stream__(requested_schema)


def test_any_arrow_stream_is_a_table() -> None:
    after = PEOPLE.with_columns(age=pl.col("age") // 10 * 10)
    found = microgauge.assess(Stream(PEOPLE), Stream(after), only=["gdu", "loss"])
    assert plain(found) == plain(microgauge.assess(PEOPLE, after, only=["gdu", "loss"]))
    recipe = {"step": [{"method": "swap", "variable": "age", "share": 0.5}]}
    assert microgauge.mask(Stream(PEOPLE), recipe).equals(microgauge.mask(PEOPLE, recipe))
    schema = {"variable": {"region": {"role": "quasi_identifier"}}}
    ranked = microgauge.explore(Stream(PEOPLE), recipe, schema=schema, only=["gdu"])
    assert len(ranked.candidates) == 1


def test_a_sheet_that_is_cut_off_is_told(tmp_path) -> None:
    whole = book(tmp_path / "whole.xlsx", PEOPLE)
    cut = tmp_path / "cut.xlsx"
    with zipfile.ZipFile(whole) as held, zipfile.ZipFile(cut, "w") as made:
        for name in held.namelist():
            content = held.read(name)
            made.writestr(name, content[: len(content) // 2] if "sheet1" in name else content)
    with pytest.raises(InputError, match=r"cut\.xlsx is not a readable workbook"):
        read_table(cut, which="original")


def test_whole_numbers_of_parts_stay_whole(tmp_path) -> None:
    large = [2**60 + 1, 2**60 + 3]
    pl.DataFrame({"id": large}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"id": [5, 6]}, schema={"id": pl.Int32}).write_parquet(tmp_path / "2.parquet")
    held = read_held(f"{tmp_path}/*.parquet", "original").frame()
    assert held["id"].to_list() == [*large, 5, 6]
