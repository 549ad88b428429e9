"""The sheets of a workbook as a list of files tells them: those of the library that opens it."""

import struct
import zipfile

import pytest
import xlsxwriter

from microgauge.tables.formats.workbook import MOST_LISTED, Workbook

ODS = """<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.2">
<office:body><office:spreadsheet>{}</office:spreadsheet></office:body>
</office:document-content>"""
ODS_TABLE = '<table:table table:name="{}"><table:table-row/></table:table>'


def listed(path):
    return Workbook().listed_sheets(path)


def opened(path):
    return Workbook().sheets(path, path.name)


def workbook(path, *names, drawing=None):
    with xlsxwriter.Workbook(str(path)) as book:
        for name in names:
            book.add_worksheet(name).write_string(0, 0, "a")
        if drawing:
            chart = book.add_chart({"type": "bar"})
            chart.add_series({"values": f"='{names[0]}'!$A$1:$A$2"})
            book.add_chartsheet(drawing).set_chart(chart)
    return path


@pytest.mark.parametrize(
    "names", [["one"], ["People", "Released"], ["a & b", "<c>", "d 'e' f", "ä€"]], ids=len
)
def test_they_are_those_of_the_library(tmp_path, names):
    path = workbook(tmp_path / "book.xlsx", *names, drawing="picture")
    assert listed(path) == opened(path) == tuple(names)


@pytest.mark.parametrize("names", [["one"], ["People", "a &amp; b"]], ids=len)
def test_so_they_are_in_opendocument(tmp_path, names):
    path = tmp_path / "book.ods"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("META-INF/manifest.xml", "<manifest/>")
        packed.writestr("content.xml", ODS.format("".join(map(ODS_TABLE.format, names))))
    assert listed(path) == opened(path) == tuple(n.replace("&amp;", "&") for n in names)


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4 nothing", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"a" * 1_000]
)
def test_of_what_is_damaged_there_are_none(tmp_path, content):
    path = tmp_path / "book.xlsx"
    path.write_bytes(content)
    assert listed(path) == ()


def test_parts_that_are_missing_long_or_define_something_are_none(tmp_path):
    path = tmp_path / "book.xlsx"
    for said in (
        None,
        b"<workbook>",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]><workbook><sheet name='&b;'/></workbook>",
        b" " * (MOST_LISTED + 1),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("xl/workbook.xml", said or b"<workbook/>")
            if said:
                packed.writestr("xl/_rels/workbook.xml.rels", b"<Relationships/>")
        assert listed(path) == ()


def test_a_part_that_is_longer_than_it_says_is_not_read_to_its_end(tmp_path):
    """The list of parts says how long each is, and may say anything."""
    path = tmp_path / "book.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/_rels/workbook.xml.rels", b"<Relationships/>")
        packed.writestr("xl/workbook.xml", b" " * (64 << 20))
    content = path.read_bytes()
    path.write_bytes(content.replace(struct.pack("<L", 64 << 20), struct.pack("<L", 1_000)))
    assert listed(path) == ()


def test_no_text_of_a_cell_is_unpacked(tmp_path, monkeypatch):
    path = workbook(tmp_path / "book.xlsx", "one", "two")
    read = []
    real = zipfile.ZipFile.open
    monkeypatch.setattr(
        zipfile.ZipFile, "open", lambda self, name, *a: read.append(name) or real(self, name, *a)
    )
    assert listed(path) == ("one", "two")
    assert sorted(read) == ["xl/_rels/workbook.xml.rels", "xl/workbook.xml"]
