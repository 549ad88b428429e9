"""What runs write: beside what others put there meanwhile, whole, and in the folder alone."""

import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from microgauge.app import jobs
from microgauge.results.writing import not_written
from support.app import visited, wait_for

MASK = """
import pathlib, sys, time
words = sys.argv[1:]
while pathlib.Path("wait").exists():
    time.sleep(0.02)
if words[0] == "mask":
    pathlib.Path(words[words.index("--output") + 1]).write_text("protected\\n")
"""
QUICK = (sys.executable, "-c", MASK)


def with_recipe(visitor):
    """A recipe of one step whose version would be called one.csv."""
    visitor.choose(original="original.csv")
    visitor.wait()
    visitor.send(visitor.get("/protect"), "/protect", name="one")
    page = visitor.get("/protect/1/0?method=noise")
    visitor.send(page, "/protect/1/0", variable=["income"], **{"p-share": "0.1"})


def asked_for_a_version(visitor):
    """The run that makes it, which waits for the file "wait" to go."""
    (visitor.running.folder.root / "wait").touch()
    page = visitor.send(visitor.get("/protect/1"), "/protect/1/candidate")
    return page.path.rsplit("/", 1)[-1]


def made(visitor, run):
    (visitor.running.folder.root / "wait").unlink()
    visitor.wait()
    return visitor.running.jobs.get(run)


# -- a protected version ---------------------------------------------------------------------


def put_file(path, outside):
    path.write_text("mine\n")


def put_link(path, outside):
    outside.write_text("theirs\n")
    path.symlink_to(outside)


@pytest.mark.parametrize("put", [put_file, put_link])
def test_a_protected_version_replaces_no_file_that_came_meanwhile(tables, put):
    outside = tables.parent / "outside.csv"
    with visited(tables, program=QUICK) as visitor:
        with_recipe(visitor)
        name = asked_for_a_version(visitor)
        put(tables / "one.csv", outside)
        before = (tables / "one.csv").read_text()
        run = made(visitor, name)
        assert run.state == "done", (run.faults, run.messages)
        assert (tables / "one.csv").read_text() == before
        assert (tables / "one-2.csv").read_text() == "protected\n"
        assert visitor.running.project.state["files"]["candidates"] == ["one-2.csv"]
        page = visitor.get(f"/runs/{name}")
        assert "There is another file one.csv by now" in page.text
        assert "--output one-2.csv" in page.text, "its command line makes the same file"


def test_a_file_that_is_sent_is_not_called_like_one_that_will_be(tables):
    with visited(tables, program=QUICK) as visitor:
        with_recipe(visitor)
        run = asked_for_a_version(visitor)
        visitor.upload(visitor.get("/"), "one.csv", b"mine\n")
        assert made(visitor, run).messages == []
        assert (tables / "one.csv").read_text() == "protected\n"
        assert (tables / "one-2.csv").read_text() == "mine\n"


def test_a_version_that_is_made_again_replaces_nothing(tables):
    with visited(tables, program=QUICK) as visitor:
        with_recipe(visitor)
        run = asked_for_a_version(visitor)
        visitor.send(visitor.get(f"/runs/{run}"), f"/runs/{run}/cancel")
        visitor.wait(run)
        (tables / "one.csv").write_text("mine\n")
        visitor.send(visitor.get(f"/runs/{run}"), f"/runs/{run}/again")
        assert made(visitor, run).state == "done"
        assert (tables / "one.csv").read_text() == "mine\n"
        assert (tables / "one-2.csv").read_text() == "protected\n"


def test_the_command_line_of_a_version_makes_the_same_file(tables):
    with visited(tables) as visitor:
        with_recipe(visitor)
        page = visitor.send(visitor.get("/protect/1"), "/protect/1/candidate")
        visitor.wait()
        (run,) = visitor.running.jobs.runs("candidate")
        assert run.messages == ["wrote one.csv: 150 rows × 4."]
        before = (tables / "one.csv").read_bytes()
        (tables / "one.csv").unlink()
        assert f"microgauge {shlex.join(run.commands[0])}" in visitor.get(page.path).text
    subprocess.run([sys.executable, "-m", "microgauge", *run.commands[0]], cwd=tables, check=True)
    assert (tables / "one.csv").read_bytes() == before


# -- a release -------------------------------------------------------------------------------

RELEASED = """
import os, pathlib, signal, sys, time
words = sys.argv[1:]
if words[0] == "assess":
    while pathlib.Path("wait").exists():
        time.sleep(0.02)
    if pathlib.Path("die").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    for option in ("--report", "--public"):
        pathlib.Path(words[words.index(option) + 1]).write_text("said")
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory, measured):
    folder = tmp_path_factory.mktemp("outputs") / "work"
    shutil.copytree(measured.running.folder.root, folder)
    return folder


@pytest.fixture
def copy(kept, tmp_path):
    folder = tmp_path / "work"
    shutil.copytree(kept, folder)
    return folder


@contextmanager
def opened_on(folder):
    """An app whose commands do nothing much, where weak.csv was measured."""
    with visited(folder, program=(sys.executable, "-c", RELEASED)) as visitor:
        path = next((folder / "microgauge-app/runs").glob("*/result.json"))
        names = [one["name"] for one in json.loads(path.read_text())["candidates"]]
        visitor.place = names.index("weak")
        yield visitor


@pytest.fixture
def releasing(copy):
    with opened_on(copy) as visitor:
        yield visitor


def release(visitor, name="it"):
    """Asked for, with all that is overruled."""
    run = visitor.running.jobs.runs("measure")[-1]
    page = visitor.get("/release")
    return visitor.release(page, choice=f"{run.id}:{visitor.place}", name=name)


def there(visitor):
    return sorted(path.name for path in visitor.running.folder.root.glob("release-*"))


def exchange(path):
    """Another content of the same size, at the same time."""
    known = path.stat()
    path.write_bytes(path.read_bytes().replace(b"north", b"south", 1))
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))


def ended(visitor):
    visitor.wait()
    (run,) = visitor.running.jobs.runs("release")
    return run


def test_what_is_released_is_whole(releasing):
    release(releasing)
    assert ended(releasing).state == "done"
    root = releasing.running.folder.root
    assert there(releasing) == ["release-it", "release-it-internal"]
    listed = json.loads((root / "release-it-internal/release.json").read_text())["files"]
    names = ["release-it/public.html", "release-it/weak.csv"]
    inside = ["release-it-internal/report.html", "release-it-internal/schema.toml"]
    assert [one["name"] for one in listed] == [*names, *inside]
    path = f"/runs/{ended(releasing).id}"
    page = releasing.get(path)
    assert "release.json" in page.text
    assert [form for form in page.forms if form.action == f"{path}/again"] == []
    releasing.running.jobs.again(ended(releasing).id)
    assert ended(releasing).state == "done"


@pytest.mark.parametrize("name", ["weak.csv", "original.csv"])
def test_a_file_of_the_same_size_and_time_is_told_by_its_content(releasing, name):
    exchange(releasing.running.folder.root / name)
    page = release(releasing)
    assert page.status == 422
    assert f"{name} is not as it was measured" in page.text
    assert there(releasing) == []


@pytest.mark.parametrize("name", ["release-it/weak.csv", "original.csv"])
def test_what_is_exchanged_while_a_release_is_made_is_not_released(releasing, name):
    root = releasing.running.folder.root
    (root / "wait").touch()
    release(releasing)
    wait_for(lambda: (root / "release-it/weak.csv").exists())
    wait_for(lambda: releasing.running.jobs.busy().pid)
    exchange(root / name)
    (root / "wait").unlink()
    run = ended(releasing)
    assert run.state == "refused"
    assert run.faults == [f"{name} is not as it was measured. Measure again before release."]
    assert there(releasing) == []


def test_a_release_is_made_when_it_is_its_turn(releasing):
    root = releasing.running.folder.root
    (root / "wait").touch()
    releasing.send(releasing.get("/measure"), "/measure", candidate="weak.csv")
    wait_for(releasing.running.jobs.busy)
    release(releasing)
    assert there(releasing) == []
    assert "A release release-it is under way already." in release(releasing).text
    exchange(root / "weak.csv")
    (root / "wait").unlink()
    assert ended(releasing).state == "refused"
    assert there(releasing) == []


@pytest.mark.parametrize("how", ["killed", "cancelled"])
def test_a_release_that_came_to_nothing_leaves_nothing_and_can_be_done_again(releasing, how):
    root, queue = releasing.running.folder.root, releasing.running.jobs
    (root / "wait").touch()
    release(releasing)
    wait_for(lambda: queue.busy() and queue.busy().pid)
    (root / "release-it" / ".weak.csv.abc").write_text("half")
    (name,) = (run.id for run in queue.runs("release"))
    if how == "killed":
        (root / "die").touch()
        (root / "wait").unlink()
    else:
        releasing.send(releasing.get(f"/runs/{name}"), f"/runs/{name}/cancel")
    assert releasing.wait(name).state == how
    assert there(releasing) == []
    for left in ("wait", "die"):
        (root / left).unlink(missing_ok=True)
    releasing.send(releasing.get(f"/runs/{name}"), f"/runs/{name}/again")
    assert releasing.wait(name).state == "done"
    assert there(releasing) == ["release-it", "release-it-internal"]


def test_a_folder_of_the_user_is_not_removed_with_a_release(releasing):
    root, queue = releasing.running.folder.root, releasing.running.jobs
    (root / "wait").touch()
    release(releasing)
    wait_for(lambda: queue.busy() and queue.busy().pid)
    (root / "release-it").rename(root / "release-old")
    (root / "release-it").mkdir()
    (root / "release-it/weak.csv").write_text("mine")
    (root / "release-it-internal/notes.txt").write_text("mine")
    (root / "wait").unlink()
    assert ended(releasing).state in ("refused", "failed")
    assert (root / "release-it/weak.csv").read_text() == "mine"
    assert [one.name for one in (root / "release-it-internal").iterdir()] == ["notes.txt"]


def test_a_release_that_an_app_left_when_it_was_killed_is_removed(copy):
    with opened_on(copy) as visitor:
        release(visitor)
        run = ended(visitor)
    path = copy / "microgauge-app/runs" / run.id / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "state": "running"}))
    with opened_on(copy) as visitor:
        assert visitor.running.jobs.get(run.id).state == "killed"
        assert there(visitor) == []


def test_a_release_for_which_there_is_no_room_is_not_begun(releasing, monkeypatch):
    root, queue = releasing.running.folder.root, releasing.running.jobs
    last = sorted(path.name for path in (root / "microgauge-app/runs").iterdir())

    def full(path, content):
        raise not_written(path, OSError(errno.ENOSPC, "No space left on device"))

    monkeypatch.setattr("microgauge.app.jobs.write_whole", full)
    assert release(releasing).status == 422
    assert queue.runs("release") == []
    assert there(releasing) == []
    assert sorted(path.name for path in (root / "microgauge-app/runs").iterdir()) == last


@pytest.mark.parametrize("what", ["measure", "release", "candidate", "preview", "explore"])
def test_what_is_not_remembered_is_not_begun(releasing, monkeypatch, what):
    visitor = releasing
    visitor.send(visitor.get("/protect"), "/protect", name="one")
    page = visitor.get("/protect/1/0?method=noise")
    visitor.send(page, "/protect/1/0", variable=["income"], **{"p-share": "0.1"})
    before = [run.id for run in visitor.running.jobs.runs()]
    pages = {"measure": "/measure", "release": "/release"}
    page = visitor.get(pages.get(what, "/protect/1"))

    def full(path, content):
        raise not_written(path, OSError(errno.ENOSPC, "No space left on device"))

    monkeypatch.setattr("microgauge.app.project.write_whole", full)
    if what == "release":
        found = release(visitor)
    else:
        found = visitor.send(page, pages.get(what, f"/protect/1/{what}"))
    assert found.status == 422
    assert "No space left" in found.text
    assert [run.id for run in visitor.running.jobs.runs()] == before


@pytest.mark.parametrize("name", ["spring-internal", "Spring-INTERNAL"])
def test_no_release_is_called_like_what_stays_in_the_office(releasing, name):
    page = release(releasing, name)
    assert page.status == 422
    assert "A name that ends with -internal" in page.text
    assert there(releasing) == []


def test_what_became_a_link_is_not_written_through(releasing):
    root, queue = releasing.running.folder.root, releasing.running.jobs
    outside = root.parent / "outside"
    outside.mkdir()
    (root / "wait").touch()
    first = releasing.send(releasing.get("/measure"), "/measure", candidate="weak.csv")
    wait_for(queue.busy)
    second = releasing.send(releasing.get("/measure"), "/measure", candidate="weak.csv")
    place = queue.place(second.path.rsplit("/", 1)[-1])
    shutil.move(place, outside / "elsewhere")
    place.symlink_to(outside / "elsewhere")
    (outside / "elsewhere" / "report.html").unlink(missing_ok=True)
    (root / "wait").unlink()
    run = releasing.wait(place.name)
    assert run.state == "refused"
    assert "is a link" in run.faults[0]
    assert not (outside / "elsewhere" / "report.html").exists()
    assert releasing.wait(first.path.rsplit("/", 1)[-1]).state == "done"


# -- the folder itself -----------------------------------------------------------------------

GONE = "is gone or was renamed. End the app, and start it where the folder is now."


@pytest.mark.parametrize("anew", [False, True])
def test_a_folder_that_was_renamed_is_not_made_anew(tables, anew):
    other = tables.parent / "other"
    with visited(tables, program=QUICK) as visitor:
        with_recipe(visitor)
        pages = [visitor.get(path) for path in ("/measure", "/protect/1", "/")]
        before = len(visitor.running.jobs.runs())
        tables.rename(other)
        if anew:
            tables.mkdir()
        sent = [
            visitor.send(pages[1], "/protect/1/candidate"),
            visitor.send(pages[1], "/protect/1/rename", name="two"),
            visitor.upload(pages[2], "new.csv", b"a\n"),
        ]
        for page in sent:
            assert page.status == 422
            assert GONE in page.text
        for path in ("/", "/describe", "/measure", "/protect/1", "/release"):
            page = visitor.get(path)
            assert page.status == 200
            assert page.text.count(GONE) == 1
        assert len(visitor.running.jobs.runs()) == before
        assert list(tables.glob("*")) == []
        assert tables.exists() == anew
        if anew:
            tables.rmdir()
        other.rename(tables)
        assert GONE not in visitor.get("/").text
        assert visitor.send(visitor.get("/protect/1"), "/protect/1/candidate").status == 200
        visitor.wait()


def test_a_run_whose_folder_was_renamed_says_so(tables):
    with visited(tables, program=QUICK) as visitor:
        with_recipe(visitor)
        name = asked_for_a_version(visitor)
        wait_for(lambda: visitor.running.jobs.busy() and visitor.running.jobs.busy().pid)
        tables.rename(tables.parent / "other")
        (tables.parent / "other" / "wait").unlink()
        run = visitor.wait(name)
        assert run.state == "refused"
        assert run.faults[0].endswith(GONE)
        assert not tables.exists()


# -- what a killed app left running ----------------------------------------------------------


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="processes are not shown there")
@pytest.mark.parametrize("deaf", [False, True])
def test_a_halted_process_of_a_killed_app_is_ended(tmp_path, monkeypatch, deaf):
    # One that hears has all the time it may need on a busy machine.
    monkeypatch.setattr(jobs, "PATIENCE", 0.3 if deaf else 60)
    words = "import signal, time\n"
    words += "signal.signal(signal.SIGINT, signal.SIG_IGN)\n" if deaf else ""
    words += "print('ready', flush=True)\ntime.sleep(60)"
    stray = subprocess.Popen(
        [sys.executable, "-c", words, "microgauge"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with stray:
        stray.stdout.readline()
        os.kill(stray.pid, signal.SIGSTOP)
        jobs._end_stray(stray.pid, tmp_path.resolve())
        assert stray.wait(5) == (-signal.SIGKILL if deaf else -signal.SIGINT)
