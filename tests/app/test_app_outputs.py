"""What runs write: beside what others put there meanwhile, whole, and in the folder alone."""

import shlex
import subprocess
import sys

import pytest

from support.app import visited

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
