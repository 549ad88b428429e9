"""Sheets of workbooks: each is a table of its own, named as the command names it."""

import json
import shlex
import subprocess
import sys
import zipfile
from html import escape

import pytest

from support.app import visited
from support.app_tables import write_tables, write_workbook

BOOK = ("book.xlsx::People", "book.xlsx::Released")


@pytest.fixture
def folder(tmp_path):
    """A folder with a workbook of three sheets and nothing else."""
    aside, folder = tmp_path / "aside", tmp_path / "work"
    for one in (aside, folder):
        one.mkdir()
    write_tables(aside)
    write_workbook(
        folder / "book.xlsx",
        People=aside / "original.csv",
        Released=aside / "weak.csv",
        Other=aside / "strong.csv",
    )
    return folder


@pytest.fixture
def visitor(folder):
    with visited(folder) as found:
        yield found


def names_in(page):
    return [value for name, value in page.form("/files").fields if name == "file"]


def chosen(visitor, original=BOOK[0], candidate=BOOK[1]):
    page = visitor.choose(original=original, candidate=candidate)
    visitor.wait()
    return page


def command(folder, *words):
    line = [sys.executable, "-m", "microgauge", *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True)


def test_each_sheet_is_a_table_that_can_be_chosen(visitor):
    assert names_in(visitor.get("/")) == [*BOOK, "book.xlsx::Other"]
    assert chosen(visitor).path == "/describe"
    files = visitor.running.project.state["files"]
    assert (files["original"], files["candidates"]) == (BOOK[0], [BOOK[1]])
    page = visitor.get("/describe")
    assert "150 rows in the original" in page.text
    assert page.html.count('class="spark"') == 4


def test_the_only_sheet_needs_no_name(tmp_path):
    write_tables(tmp_path)
    write_workbook(tmp_path / "one.xlsx", People=tmp_path / "original.csv")
    with visited(tmp_path) as visitor:
        assert "one.xlsx" in names_in(visitor.get("/"))
        chosen(visitor, "one.xlsx", "weak.csv")
        assert "150 rows in the original" in visitor.get("/describe").text


def test_two_sheets_are_measured_and_the_command_line_gives_the_same(visitor, tmp_path):
    chosen(visitor)
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.wait()
    page = visitor.send(visitor.get("/measure"), "/measure")
    run = visitor.wait(page.path.rsplit("/", 1)[-1])
    assert run.state == "done", (run.faults, run.messages)
    (line,) = visitor.client.get(f"/runs/{run.id}/command").text.splitlines()
    words = shlex.split(line)[1:]
    assert words[1:3] == list(BOOK)
    again = tmp_path / "again.json"
    words[words.index("--json") + 1] = str(again)
    for option in ("--report", "--public", "--summary", "--excel"):
        at = words.index(option)
        del words[at : at + 2]
    found = command(visitor.running.folder.root, *words)
    assert found.returncode == 0, found.stderr
    kept = visitor.running.jobs.place(run.id) / "result.json"
    ours, theirs = json.loads(again.read_text()), json.loads(kept.read_text())
    for one in (ours, theirs):  # the report needs pictures, which are no figures
        one["manifest"].pop("options", None)
    assert ours == theirs


def test_a_sheet_is_released_without_the_others(visitor):
    """The workbook holds the original: what is released must not."""
    chosen(visitor)
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.wait()
    page = visitor.send(visitor.get("/measure"), "/measure")
    run = visitor.wait(page.path.rsplit("/", 1)[-1])
    page = visitor.release(visitor.get("/release"), choice=f"{run.id}:0", name="out")
    done = visitor.wait(page.path.rsplit("/", 1)[-1])
    assert done.state == "done", (done.faults, done.messages)
    root = visitor.running.folder.root
    there = sorted(path.name for path in (root / "release-out").iterdir())
    assert there == ["book Released.parquet", "public.html"]
    inside = root / "release-out-internal"
    manifest = json.loads((inside / "release.json").read_text())
    assert BOOK[1] in manifest["commands"][0]
    released = json.loads((inside / "result.json").read_text())
    measured = json.loads((visitor.running.jobs.place(run.id) / "result.json").read_text())
    assert released["verdict"]["risk"] == measured["verdict"]["risk"]
    assert released["verdict"]["utility"] == measured["verdict"]["utility"]


def test_a_workbook_that_got_a_second_sheet_is_not_released_whole(visitor, tmp_path):
    aside, root = tmp_path / "aside", visitor.running.folder.root
    write_workbook(root / "one.xlsx", Released=aside / "weak.csv")
    chosen(visitor, BOOK[0], "one.xlsx")
    page = visitor.send(visitor.get("/measure"), "/measure")
    run = visitor.wait(page.path.rsplit("/", 1)[-1])
    write_workbook(root / "one.xlsx", Released=aside / "weak.csv", People=aside / "original.csv")
    page = visitor.send(visitor.get("/release"), "/release", choice=f"{run.id}:0", name="out")
    assert page.status == 422
    assert "has 2 sheets" in page.text
    assert not (root / "release-out").exists()


def test_a_preview_works_with_a_sheet(visitor):
    chosen(visitor)
    visitor.send(visitor.get("/protect"), "/protect")
    step = visitor.get("/protect/1/0?method=round")
    page = visitor.send(step, "/protect/1/0", variable=["age"], **{"p-unit": "20"})
    visitor.send(page, "/protect/1/preview", sample=None)
    visitor.wait()
    run = visitor.running.jobs.runs("preview")[0]
    assert run.state == "done", (run.faults, run.messages)
    assert run.commands[0][1] == BOOK[0]


def test_a_sheet_that_vanished_is_told_at_its_place_in_the_commands_words(visitor, tmp_path):
    chosen(visitor)
    root = visitor.running.folder.root
    before = visitor.get("/")
    write_workbook(root / "book.xlsx", People=tmp_path / "aside" / "original.csv")
    said = command(root, "assess", *BOOK).stderr.split("microgauge: ")[1].strip()
    assert "there is no sheet" in said
    page = visitor.get("/")
    assert said in page.text
    assert page.html.index("there is no sheet") < page.html.index("What book.xlsx::Released is")
    page = visitor.send(before, "/files")
    assert page.status == 422
    assert said in page.text
    visitor.send(visitor.get("/describe"), "/describe/again")
    visitor.wait()
    assert said in visitor.get("/describe").text


def test_a_workbook_that_changed_is_noticed(visitor, tmp_path):
    chosen(visitor)
    aside = tmp_path / "aside"
    write_workbook(
        visitor.running.folder.root / "book.xlsx",
        People=aside / "original.csv",
        Released=aside / "strong.csv",
    )
    assert "A file has changed since it was described." in visitor.get("/describe").text


@pytest.mark.parametrize("content", [b"", b"PK\3\4 nothing", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_a_workbook_that_is_none_is_listed_and_left_to_the_command(visitor, content):
    (visitor.running.folder.root / "bad.xlsx").write_bytes(content)
    assert "bad.xlsx" in names_in(visitor.get("/"))


def test_no_workbook_is_opened_for_a_list_of_files(visitor, monkeypatch):
    path = visitor.running.folder.root / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/sharedStrings.xml", b"a" * (2 << 20))
    monkeypatch.setattr(
        "microgauge.tables.formats.workbook._opened", lambda *_: pytest.fail("it was opened")
    )
    assert {"bomb.xlsx", *BOOK} <= set(names_in(visitor.get("/")))


def renamed(source, target, old, new):
    """A workbook with a name of a sheet that Excel itself would refuse."""
    with zipfile.ZipFile(source) as read, zipfile.ZipFile(target, "w") as written:
        for name in read.namelist():
            content = read.read(name)
            if name == "xl/workbook.xml":
                content = content.replace(old.encode(), escape(new).encode())
            written.writestr(name, content)


def test_names_of_sheets_are_text_and_lead_nowhere(visitor, tmp_path):
    hostile = "<script>hacked()</script>"
    aside, root = tmp_path / "aside", visitor.running.folder.root
    write_workbook(aside / "x.xlsx", NAME=aside / "weak.csv", **{"--json": aside / "weak.csv"})
    renamed(aside / "x.xlsx", root / "x.xlsx", "NAME", hostile)
    page = visitor.get("/")
    assert f"x.xlsx::{hostile}" in names_in(page)
    assert hostile not in page.html
    chosen(visitor, BOOK[0], f"x.xlsx::{hostile}")
    for path in ("/", "/describe", "/measure"):
        page = visitor.get(path)
        assert hostile not in page.html
    assert visitor.running.jobs.runs("describe")[0].state == "done"
    form = visitor.get("/").form("/files").filled({"file": ["../a.xlsx::b"], "role": ["original"]})
    assert visitor.post("/files", form).status == 422
