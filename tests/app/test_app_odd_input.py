"""Names, numbers, forms and files as nobody would write them, and as somebody will."""

import errno
import io
import json
import os
import shutil
import subprocess
import threading
import time
from collections import deque

import pytest

from microgauge.app.asking import quoted
from microgauge.app.folder import Folder, plain_name
from microgauge.app.pages.sending import Incoming
from microgauge.app.schemas import with_entry
from support.app import Page, visited
from support.long import more

PAGES = ("/", "/describe", "/measure", "/look", "/protect", "/release", "/describe/schema")
HUGE = "9" * 5_000


def sent_by_browser(visitor, page, to, **changes):
    """A form whose line ends are those that every browser sends."""
    form = page.form(to)
    plain = [(key, value.replace("\r\n", "\n")) for key, value in form.filled(changes)]
    fields = [(key, value.replace("\n", "\r\n")) for key, value in plain]
    return visitor.post(form.action, fields)


def test_columns_whose_names_have_two_lines(tables):
    rows = "".join(f"{place},{place % 3}\n" for place in range(60))
    (tables / "lines.csv").write_text(f'"Income\n(EUR)",b\n{rows}')
    with visited(tables) as visitor:
        visitor.choose(original="lines.csv")
        visitor.wait()
        sent_by_browser(
            visitor, visitor.get("/describe"), "/describe/roles", role=["sensitive", ""]
        )
        visitor.wait()
        run = visitor.running.jobs.runs("describe")[0]
        assert (run.state, run.faults) == ("done", [])
        assert 'variable."Income\\n(EUR)"' in visitor.running.project.state["schema"]
        visitor.send(visitor.get("/protect"), "/protect")
        page = visitor.get("/protect/1/0?method=noise")
        found = sent_by_browser(
            visitor, page, "/protect/1/0", variable="Income\n(EUR)", **{"p-share": "0.1"}
        )
        assert found.status == 200
        step = visitor.running.project.state["recipes"][0]["content"]["step"][0]
        assert step["variables"] == ["Income\n(EUR)"]


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
@pytest.mark.parametrize("name", ["two\nlines.csv", *more("para\u2029graph.csv")])
def test_a_release_lists_its_commands_whatever_files_are_called(tables, name):
    (tables / "weak.csv").rename(tables / name)
    with visited(tables) as visitor:
        form = visitor.get("/").form("/files")
        names = [value for key, value in form.fields if key == "file"]
        roles = {"original.csv": "original", name: "candidate"}
        chosen = {"file": names, "role": [roles.get(one, "") for one in names]}
        sent_by_browser(visitor, visitor.get("/"), "/files", **chosen)
        visitor.wait()
        visitor.send(visitor.get("/describe"), "/describe/proposals")
        visitor.wait()
        page = sent_by_browser(visitor, visitor.get("/measure"), "/measure")
        run = visitor.wait(page.path.rsplit("/", 1)[-1])
        assert run.state == "done"
        visitor.release(visitor.get("/release"), choice=f"{run.id}:0", name="x")
        visitor.wait()
        manifest = json.loads((tables / "release-x-internal/release.json").read_text())
        (release,) = visitor.running.jobs.runs("release")
        assert [words(line)[1:] for line in manifest["commands"]] == release.commands


def words(line):
    """What a shell makes of a line."""
    told = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True)
    return [os.fsdecode(word) for word in told.stdout.split(b"\0")[:-1]]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no shell")
@pytest.mark.parametrize(
    "name",
    [
        "plain.csv",
        "it's $(touch x) `y` !! *.csv",
        "a\tb\\c'd\n.csv",
        "e\x15touch pwned\n.csv",
        "\x1b[201~\x15touch pwned\n1.csv",
        "right\u202eto left\u2029.csv",
        "latin\udce9.csv",
        "\x7f\x85ä€🙂.csv",
    ],
)
def test_a_command_that_is_pasted_is_the_one_that_is_shown(name):
    """A terminal obeys control signs before a shell sees them."""
    line = quoted(name)
    assert words(line) == [name]
    assert all(sign.isprintable() for sign in line)


@pytest.mark.parametrize(
    "path",
    [f"/describe/{HUGE}", f"/protect/1/{HUGE}", "/look/{run}/compare?of=²&of=³", "/look/{run}/٣"],
)
def test_numbers_in_addresses_that_are_none(measured, path):
    assert measured.get(path.format(run=measured.run)).status in (200, 404, 422)


@pytest.mark.parametrize("choice", ["{run}:²", "{run}:7", "{run}:99999", "²:0"])
def test_what_cannot_be_released_is_refused(measured, choice):
    chosen = choice.format(run=measured.run)
    page = measured.send(measured.get("/release"), "/release", choice=chosen, name="nothing")
    assert page.status == 422


def test_a_count_of_steps_that_is_none(described):
    page = described.get("/protect/1")
    fields = [("csrf", described.running.secrets.form), ("action", "odd"), ("count", "²")]
    seen = dict(page.form("/protect/1/text").fields)["seen"]
    assert described.post("/protect/1/preview", [*fields, ("seen", seen)]).status == 422


@pytest.mark.skipif(os.name != "posix", reason="names are Unicode there")
def test_a_folder_whose_name_is_not_in_utf_8(tmp_path):
    folder = os.fsencode(tmp_path) + b"/caf\xe9"
    try:
        os.mkdir(folder)  # noqa: PTH102  a name in bytes
    except OSError:
        pytest.skip("no such names on this disk")
    with visited(os.fsdecode(folder)) as visitor:
        assert [visitor.get(path).status for path in PAGES] == [200] * len(PAGES)


def test_what_is_changed_of_a_schema_is_copied_and_nothing_else():
    content = {"variable": {f"v{place}": {"role": "analysis"} for place in range(3)}}
    before = json.dumps(content)
    found = with_entry(content, "v0", {"role": "weight"})
    assert json.dumps(content) == before
    assert found["options"] == {"weight": "v0"}
    assert found["variable"]["v0"] == {"role": "weight"}
    assert found["variable"]["v1"] is content["variable"]["v1"]
    found = with_entry(found, "v0", {})
    assert "v0" not in found["variable"]
    assert "options" not in found


# -- recipes as text ------------------------------------------------------------------------

SEVERAL = """
seed = 1

[grid]
shares = [0.05, 0.1, 0.2]

[[step]]
method = "noise"
variable = "income"
share = { grid = "shares" }

[[step]]
either = [
  { method = "top_bottom", variable = "age", top = { grid = [60, 70] } },
  { method = "microaggregation", variable = "age", g = 5 },
]

[[step]]
method = "top_bottom"
variables = { grid = [["income"], ["age"]], names = ["of money", "of years"] }
top = 70
skip = { grid = [false, true] }
"""


def test_a_grid_as_the_guide_shows_it(tables):
    with visited(tables) as visitor:
        visitor.choose(original="original.csv", candidate="weak.csv")
        visitor.wait()
        visitor.send(visitor.get("/describe"), "/describe/proposals")
        visitor.wait()
        visitor.send(visitor.get("/protect"), "/protect", name="several")
        page = visitor.send(visitor.get("/protect/1"), "/protect/1/text", text=SEVERAL)
        assert page.path == "/protect/1"
        assert page.status == 200
        for said in (
            "top and bottom coding / microaggregation",
            "share shares",
            "Explore 27 candidates",
        ):
            assert said in page.text, page.text
        assert not [form for form in page.forms if form.action == "/protect/1/candidate"]
        assert "top and bottom coding / microaggregation" in visitor.get("/protect").text
        for place in range(3):
            assert visitor.get(f"/protect/1/{place}").status == 404, "a form would lose some of it"
        before = visitor.running.project.state["recipes"]
        visitor.send(page, "/protect/1/preview", count="2")
        visitor.wait()
        (run,) = visitor.running.jobs.runs("preview")
        assert (run.state, run.faults) == ("done", [])
        assert visitor.running.project.state["recipes"] == before
    with visited(tables) as visitor:
        assert visitor.get("/protect/1").status == 200


# -- files that are sent ---------------------------------------------------------------------


def sent(visitor, files):
    form = next(one for one in visitor.get("/").forms if one.action == "/upload")
    return Page(
        visitor.client.post(
            "/upload",
            data=dict(form.fields),
            files=[("sent", one) for one in files],
            headers={"origin": visitor.origin},
        )
    )


def test_the_limit_is_that_of_each_file(tables):
    content = b"a\n" + b"1\n" * 350_000
    with visited(tables, upload_limit=1 << 20) as visitor:
        assert sent(visitor, [("a.csv", content), ("b.csv", content)]).status == 200
        assert (tables / "b.csv").read_bytes() == content
        assert sent(visitor, [("c.csv", content), ("d.csv", content * 2)]).status == 413
        assert not (tables / "c.csv").exists()


@pytest.mark.parametrize(
    "name", ["é" * 300 + ".csv", "a." + "é" * 300, "é" * 300, "." * 300, "a" * 199 + "é.csv"]
)
def test_long_names_are_cut_to_what_a_disk_takes(name):
    found = plain_name(name)
    assert 0 < len(found.encode()) <= 200
    assert found.endswith(".csv") or not name.endswith(".csv")


def test_all_files_are_kept_or_none(tables, monkeypatch):
    free_name = Folder.free_name

    def failing(self, wanted, *more):
        if wanted == "b.csv":
            raise OSError(5, "Input/output error")
        return free_name(self, wanted, *more)

    with visited(tables) as visitor:
        monkeypatch.setattr(Folder, "free_name", failing)
        assert sent(visitor, [("a.csv", b"a\n1\n"), ("b.csv", b"a\n1\n")]).status == 507
        assert not (tables / "a.csv").exists()


class SmallDisk(io.RawIOBase):
    """A file on a disk that is soon full."""

    room = 100_000

    def writable(self):
        return True

    def write(self, data):
        if len(data) > self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= len(data)
        return len(data)


def test_a_disk_that_fills_up_while_a_file_comes_in(tables, monkeypatch):
    """What could not be written is held back, and cannot be written either when all is dropped."""

    def opened(handle, mode):
        os.close(handle)
        return io.BufferedWriter(SmallDisk())

    own = tables / "microgauge-app"
    own.mkdir()
    monkeypatch.setattr(os, "fdopen", opened)
    incoming = Incoming(Folder.of(str(tables)), 1 << 30, lambda fields: None)
    parser = incoming.parser(b"x")
    parser.write(b'--x\r\nContent-Disposition: form-data; name="sent"; filename="a.csv"\r\n\r\n')
    pieces = iter([b"1" * 1_000] * 200)
    with pytest.raises(OSError, match="No space left"):
        deque(map(parser.write, pieces), 0)
    assert list(own.glob(".sent-*"))
    incoming.drop()
    assert not list(own.glob(".sent-*"))


def test_a_form_that_is_cut_off_leaves_nothing(visitor, tables, capfd):
    form = next(one for one in visitor.get("/").forms if one.action == "/upload")
    body = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
        for key, value in form.fields
    )
    body += '--x\r\nContent-Disposition: form-data; name="sent"; filename="cut.csv"\r\n\r\na\n1'
    for boundary, content in (("x", body), ("x", "garbage"), ("b" * 300, body)):
        headers = {
            "origin": visitor.origin,
            "content-type": f"multipart/form-data; boundary={boundary}",
        }
        assert visitor.client.post("/upload", content=content, headers=headers).status_code == 400
    assert not (tables / "cut.csv").exists()
    assert not list((tables / "microgauge-app").glob(".sent-*"))
    assert capfd.readouterr().err == ""


def test_files_of_one_name_that_come_at_a_time_are_all_kept(tables, monkeypatch):
    free_name, both = Folder.free_name, threading.Barrier(2)

    def at_a_time(self, wanted, *more):
        found = free_name(self, wanted, *more)
        if found == "same.csv":
            both.wait(10)
        return found

    monkeypatch.setattr(Folder, "free_name", at_a_time)
    with visited(tables) as visitor:
        threads = [
            threading.Thread(target=sent, args=(visitor, [("same.csv", b"a\n%d\n" % number)]))
            for number in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        found = {path.read_bytes() for path in tables.glob("same*.csv")}
        assert found == {b"a\n0\n", b"a\n1\n"}


# -- texts that nobody writes -----------------------------------------------------------------


@pytest.mark.parametrize("by", ["Infinity", "inf", "NaN", "1e-400000"])
def test_a_range_without_steps_is_a_fault_of_its_field(measured, by):
    measured.send(measured.get("/protect"), "/protect")
    recipe = measured.running.project.state["recipes"][-1]["id"]
    page = measured.get(f"/protect/{recipe}/0?method=noise")
    fields = {"variable": "income", "p-share": f"0 to 5 by {by}"}
    assert measured.send(page, f"/protect/{recipe}/0", **fields).status == 422


@pytest.mark.parametrize(
    "text",
    [
        '[[step]]\nmethod = "noise"\nvariables = ["income"]\nshare = 0.1\n' * 20_000,
        f"seed = 0x{'f' * 6_000}\n",
    ],
    ids=["many steps", "a long number"],
)
def test_a_recipe_that_no_page_could_show_is_refused(measured, text):
    measured.send(measured.get("/protect"), "/protect")
    recipe = measured.running.project.state["recipes"][-1]["id"]
    to = f"/protect/{recipe}/text"
    began = time.monotonic()
    assert measured.send(measured.get(f"/protect/{recipe}"), to, text=text).status == 422
    assert measured.get(f"/protect/{recipe}").status == 200
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("entry", ["missing", "order"])
def test_a_schema_with_a_long_number_is_refused(measured, entry):
    text = f"[variable.age]\n{entry} = [0x{'f' * 6_000}]\n"
    page = measured.send(measured.get("/describe/schema"), "/describe/schema", text=text)
    assert page.status == 422
    assert "a number of more than 4,000 digits" in page.text
    assert measured.get("/describe/1").status == 200


def test_a_table_that_only_its_schema_makes_describable_is_described(tables):
    """Each row has its own number, which is taken for an identifier unless somebody says more."""
    (tables / "own.csv").write_text("a\n" + "".join(f"{place}\n" for place in range(50)))
    with visited(tables) as visitor:
        visitor.choose(original="own.csv")
        visitor.wait()
        text = '[variable.a]\nrole = "sensitive"\n'
        visitor.send(visitor.get("/describe/schema"), "/describe/schema", text=text)
        visitor.wait()
        run = visitor.running.jobs.runs("describe")[0]
        assert (run.state, run.faults) == ("done", [])
        assert "sensitive" in visitor.get("/describe").text


# -- what stands in the folder ---------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "new"},
        {"state": "paused"},
        {"about": None},
        {"about": {"files": 3}},
        {"kind": "release", "about": {}},
        {"kind": "candidate", "about": {}},
        {"commands": [[3]]},
        {"commands": None, "state": "queued"},
        {"inputs": [None], "state": "queued"},
        {"faults": None},
        {"messages": 3},
        {"prints": None, "state": "running"},
        {"queued": "x"},
        "[" * 100_000,
    ],
)
def test_a_run_of_another_form_is_passed_over(tables, change):
    place = tables / "microgauge-app" / "runs" / "0001"
    place.mkdir(parents=True)
    run = {
        "id": "0001",
        "kind": "describe",
        "title": "x",
        "commands": [["schema", "original.csv"]],
        "inputs": ["original.csv"],
        "about": {"files": ["original.csv"]},
        "state": "done",
        "queued": 1.0,
    }
    content = change if isinstance(change, str) else json.dumps(run | change)
    (place / "run.json").write_text(content)
    with visited(tables) as visitor:
        assert visitor.running.jobs.runs() == []
        visitor.choose(original="original.csv")
        visitor.wait()
        assert [visitor.get(path).status for path in PAGES] == [200] * len(PAGES)


@pytest.mark.parametrize(
    "change",
    [
        {"measure": {"require": ""}},
        {"schema": "\ud800"},
        {"recipes": [{"id": "1", "name": "x", "undo": [], "content": {"step": [{}]}}]},
        {"files": {**dict.fromkeys(("original", "external", "holdout", "population"))}},
    ],
)
def test_a_state_of_another_form_is_told(tables, change):
    from microgauge.app.project import Project, empty
    from microgauge.errors import InputError

    path = tables / "microgauge-app" / "project.json"
    path.parent.mkdir()
    path.write_text(json.dumps(empty() | change))
    with pytest.raises(InputError, match="cannot be read"):
        Project(Folder.of(str(tables)))


@pytest.mark.skipif(os.name != "posix", reason="no folders that cannot be written to")
def test_a_place_for_a_run_that_cannot_be_made_is_told(tables):
    with visited(tables) as visitor:
        page = visitor.get("/")
        runs = tables / "microgauge-app" / "runs"
        runs.write_text("no folder")
        form = page.form("/files")
        names = [value for key, value in form.fields if key == "file"]
        roles = ["original" if name == "original.csv" else "" for name in names]
        found = visitor.send(page, "/files", file=names, role=roles)
        assert found.status == 422
        assert "cannot be written" in found.text
