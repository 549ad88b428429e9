"""Small tables, and the app on a folder that holds them."""

import pytest

from microgauge.app import jobs
from support.app import visited
from support.app_tables import write_tables


@pytest.fixture(scope="session", autouse=True)
def as_fast_as_others():
    """The work gives way to pages; here it would give way to all other tests, which wait for it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(jobs, "NICE", 0)
        yield


@pytest.fixture
def tables(tmp_path):
    """A folder with an original and two protected versions."""
    folder = tmp_path / "work"
    folder.mkdir()
    write_tables(folder)
    return folder


@pytest.fixture
def visitor(tables):
    with visited(tables) as found:
        yield found


@pytest.fixture(scope="session")
def measured(tmp_path_factory):
    """An app in which the files are chosen, described and measured."""
    folder = tmp_path_factory.mktemp("measured")
    write_tables(folder)
    with visited(folder) as visitor:
        visitor.choose(original="original.csv", candidate=["weak.csv", "strong.csv"])
        visitor.wait()
        page = visitor.get("/describe")
        visitor.send(page, "/describe/proposals")
        visitor.wait()
        page = visitor.send(visitor.get("/measure"), "/measure", require="risk<=0.9")
        visitor.run = page.path.rsplit("/", 1)[-1]
        run = visitor.wait(visitor.run)
        assert run.state == "done", (run.faults, run.messages)
        yield visitor


@pytest.fixture(scope="session")
def described(tmp_path_factory):
    """An app in which the files are described and a recipe is begun: for what changes nothing."""
    folder = tmp_path_factory.mktemp("described")
    write_tables(folder)
    with visited(folder) as visitor:
        visitor.choose(original="original.csv", candidate="weak.csv")
        visitor.send(visitor.get("/protect"), "/protect")
        visitor.wait()
        yield visitor
