"""Files that changed, cookies of others, and a folder whose files somebody else has written."""

import json
import math
import os
import shutil
import sys
import time

import httpx
import pytest

from microgauge.app import asking
from microgauge.app.folder import Folder
from microgauge.app.recipes import numbers_in
from microgauge.errors import InputError
from support.app import visited

PAGES = ("/", "/describe", "/measure", "/look", "/protect", "/release", "/describe/schema")
RUNS = "microgauge-app/runs"


@pytest.fixture(scope="session")
def kept(tmp_path_factory, measured):
    """A folder in which two versions were measured and a recipe was begun, as it was left."""
    folder = tmp_path_factory.mktemp("kept") / "work"
    shutil.copytree(measured.running.folder.root, folder)
    for path in (folder / "microgauge-app").glob("project.json"):
        state = json.loads(path.read_text())
        state["recipes"] = [{"id": "1", "name": "a", "content": {"step": []}, "undo": []}]
        path.write_text(json.dumps(state))
    return folder


@pytest.fixture
def copy(kept, tmp_path):
    """The same folder, to be changed; times of its files are others by now."""
    folder = tmp_path / "work"
    shutil.copytree(kept, folder, copy_function=shutil.copyfile)
    return folder


def change(path, *where, to):
    """Another value somewhere in a JSON file; `...` takes it out."""
    plain = json.loads(path.read_text())
    inner = plain
    for key in where[:-1]:
        inner = inner[key]
    if to is ...:
        del inner[where[-1]]
    else:
        inner[where[-1]] = to
    path.write_text(json.dumps(plain))


def broken(visitor, paths=PAGES):
    return {path: page.status for path in paths if (page := visitor.get(path)).status != 200}


# -- what is released ------------------------------------------------------------------------


def released(visitor, run, place=1):
    page = visitor.send(visitor.get("/release"), "/release", choice=f"{run}:{place}", name="it")
    return visitor.send(page, "/release") if "all the same?" in page.text else page


@pytest.mark.parametrize("name", ["weak.csv", "original.csv"])
def test_what_was_not_measured_is_not_released(copy, measured, name):
    place = [
        one["name"]
        for one in json.loads((copy / RUNS / measured.run / "result.json").read_text())[
            "candidates"
        ]
    ].index("weak")
    (copy / name).write_bytes((copy / name).read_bytes().replace(b"north", b"south", 1))
    with visited(copy) as visitor:
        page = released(visitor, measured.run, place)
        assert page.status == 422
        assert f"{name} is not as it was measured" in page.text
        assert not (copy / "release-it").exists()


def test_what_changes_before_a_release_is_made_leaves_it_without_a_manifest(
    copy, measured, monkeypatch
):
    released_by = asking.released

    def meanwhile(*given):
        path = copy / "original.csv"
        path.write_bytes(path.read_bytes().replace(b"north", b"south", 1))
        return released_by(*given)

    monkeypatch.setattr(asking, "released", meanwhile)
    with visited(copy) as visitor:
        released(visitor, measured.run)
        visitor.wait()
        (run,) = visitor.running.jobs.runs("release")
        assert run.state == "refused"
        assert run.faults == [
            "original.csv is not as it was measured. Measure again before release."
        ]
        assert list(copy.glob("release-it*")) == []


def test_a_folder_that_was_copied_is_released_by_the_content_of_its_files(copy, measured):
    for name in ("original.csv", "weak.csv", "strong.csv"):
        os.utime(copy / name, (1e9, 1e9))
    with visited(copy) as visitor:
        page = released(visitor, measured.run)
        visitor.wait()
        assert page.path.startswith("/runs/"), page.text
        assert [run.state for run in visitor.running.jobs.runs("release")] == ["done"]


def test_a_file_that_became_a_folder_is_named(tables):
    with visited(tables) as visitor:
        visitor.choose(original="original.csv", candidate=["weak.csv", "strong.csv"])
        visitor.wait()
        (tables / "strong.csv").unlink()
        (tables / "strong.csv").mkdir()
        page = visitor.send(visitor.get("/measure"), "/measure")
        assert page.status == 422
        assert "there is no file strong.csv in the folder" in page.text


# -- recipes as text -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "step = 0",
        "step = false",
        'step = ""',
        "step = {}",
        "seed = nan",
        "seed = [[[1]]]",
        "grid = 5",
        "step = []\nsteps = 3",
    ],
)
def test_a_recipe_that_is_none_is_not_kept(described, text):
    before = described.running.project.state["recipes"]
    page = described.send(described.get("/protect/1"), "/protect/1/text", text=text)
    assert page.status == 422
    assert text in dict(page.form("/protect/1/text").fields)["text"], "what was typed is not lost"
    assert described.running.project.state["recipes"] == before
    assert broken(described, ("/protect", "/protect/1")) == {}


def test_a_recipe_may_be_begun_as_text(described):
    page = described.send(described.get("/protect/1"), "/protect/1/text", text="seed = 7")
    assert page.path == "/protect/1"
    assert described.running.project.state["recipes"][0]["content"] == {"seed": 7, "step": []}


def test_a_long_text_is_no_range():
    started = time.process_time()
    assert numbers_in("a" * 40_000) == ["a" * 40_000]
    assert time.process_time() - started < 2


# -- others on this machine ------------------------------------------------------------------


@pytest.mark.parametrize(
    "others",
    [
        "list[1]=2; {ours}",
        'state={{"a": 1, "b": "c"}}; {ours}',
        "name=é; {ours}",
        "two words=1; {ours}",
        'open="; {ours}',
        "flag; {ours}",
        "{name}=theirs; {ours}",
        "{ours}; {name}=theirs",
    ],
)
def test_cookies_of_other_servers_keep_nobody_out(measured, others):
    (cookie,) = measured.client.cookies.jar
    line = others.format(name=cookie.name, ours=f"{cookie.name}={cookie.value}")
    headers = {"cookie": line.encode()}
    answer = httpx.get(measured.origin + "/measure", headers=headers, trust_env=False)
    assert answer.status_code == 200


# -- what was kept is not as we wrote it -----------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("queued", 1e300),
        ("queued", math.nan),
        ("queued", -1e18),
        ("title", 5),
        ("title", "a\udcff"),
        ("messages", ["\ud800"]),
        ("changed", ["\ud800"]),
        ("share", "x"),
        ("verdict", 5),
        ("about", {}),
        ("about", {"size": "x", "original": ["a"], "candidates": []}),
        ("about", {"original": "original.csv", "candidates": ["weak.csv"], "by": 5}),
    ],
)
def test_a_run_that_somebody_changed_breaks_no_page(copy, measured, key, value):
    change(copy / RUNS / measured.run / "run.json", key, to=value)
    with visited(copy) as visitor:
        assert broken(visitor) == {}
        for path in (f"/runs/{measured.run}", f"/look/{measured.run}"):
            assert visitor.get(path).status in (200, 404)


@pytest.mark.parametrize("state", ["queued", "running"])
@pytest.mark.parametrize(
    "changes",
    [
        {"inputs": ["a\0b"]},
        {"inputs": ["x" * 5_000]},
        {"prints": {"a\0b": [1, 2]}},
        {"pid": "self"},
        {"pid": -1},
    ],
)
def test_a_run_that_somebody_changed_stops_no_other(copy, measured, changes, state):
    for key, value in {**changes, "state": state}.items():
        change(copy / RUNS / measured.run / "run.json", key, to=value)
    # What the commands do is not what this is about: they end at once.
    with visited(copy, program=(sys.executable, "-c", "")) as visitor:
        visitor.send(visitor.get("/measure"), "/measure", candidate="weak.csv")
        (run, *_) = visitor.running.jobs.runs("measure")
        assert visitor.wait(run.id).state == "done"


@pytest.mark.parametrize("folder", ["../other/release-x", "/tmp/release-x", "link"])
def test_nothing_is_written_beside_the_folder_by_a_run_of_somebody_else(copy, measured, folder):
    other = copy.parent / "other" / "release-x-internal"
    other.mkdir(parents=True)
    (copy / "link-internal").symlink_to(other)
    path = copy / RUNS / measured.run / "run.json"
    change(path, "kind", to="release")
    change(path, "state", to="queued")
    change(path, "about", to={"folder": folder, "table": "weak.csv"})
    with visited(copy) as visitor:
        visitor.wait()
        assert visitor.get(f"/runs/{measured.run}").status == 404
    assert list(other.iterdir()) == []


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("candidates", 0, "requirements", 0, "operator"), "=="),
        (("candidates", 0, "requirements"), "x"),
        (("candidates", 0, "requirements", 0, "later"), 1),
        (("candidates", 0, "verdict", "useful"), "x"),
        (("candidates", 0, "verdict", "findings"), [5]),
        (("candidates", 0, "map", "risk"), "x"),
        (("candidates", 0, "name"), None),
        (("candidates",), {}),
        (("recommended", "reason"), None),
        (("frontier",), 5),
        (("max_risk",), "x"),
    ],
)
def test_a_result_of_another_form_breaks_no_page(copy, measured, where, value):
    change(copy / RUNS / measured.run / "result.json", *where, to=value)
    with visited(copy) as visitor:
        assert broken(visitor) == {}
        page = visitor.get(f"/look/{measured.run}")
        assert page.status == 200 or "It can be measured again" in page.text
        page = visitor.get(f"/runs/{measured.run}")
        assert [form for form in page.forms if form.action.endswith("/again")]


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("variables", 0, "name"), ...),
        (("variables", 0, "original"), ...),
        (("variables", 0, "original", "type"), "x"),
        (("variables", 0, "original", "range"), 5),
        (("variables", 0, "role"), None),
        (("variables", 0, "numbers", "before"), ["x"]),
        (("variables", 1), None),
        (("variables", 1, "left_in"), 5),
        (("columns",), 5),
        (("original",), 5),
    ],
)
def test_a_description_of_another_form_is_made_anew(copy, where, value):
    for path in (copy / RUNS).glob("*/variables.json"):
        change(path, *where, to=value)
    with visited(copy) as visitor:
        assert broken(visitor, (*PAGES, "/protect/1", "/protect/1/0?method=noise")) == {}
        visitor.send(visitor.get("/describe"), "/describe/again")
        visitor.wait()
        assert visitor.get("/describe").form("/describe/roles")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes there")
@pytest.mark.parametrize("name", ["project.json", "runs/0001/run.json", "lock"])
def test_a_pipe_among_what_is_kept_is_refused(copy, name):
    place = copy / "microgauge-app" / name
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(InputError, match="neither a file nor a folder"), visited(copy):
        pass


@pytest.mark.parametrize("path", ["/describe/analyses/indicator/" + "9" * 5_000])
def test_a_number_that_no_list_is_as_long_as(measured, path):
    assert measured.get(path).status == 404


# -- an app that was ended, or whose folder went ----------------------------------------------


def test_a_folder_has_one_app_though_what_it_keeps_was_deleted(tables):
    with visited(tables) as visitor:
        shutil.rmtree(tables / "microgauge-app")
        with pytest.raises(InputError, match="another microgauge app"), visited(tables):
            pass
        visitor.choose(original="original.csv")
        visitor.wait()
        assert visitor.running.jobs.runs("describe")[0].state == "done"
    with visited(tables):
        pass


def test_half_of_a_file_does_not_outlive_an_app_that_was_killed(tables):
    own = tables / "microgauge-app"
    own.mkdir()
    (own / ".sent-abc").write_bytes(b"half")
    (own / ".project.json.abc").write_bytes(b"{")
    (tables / ".mine").write_text("")
    with visited(tables):
        assert [path.name for path in own.glob(".*")] == []
    assert (tables / ".mine").exists()


# -- many ------------------------------------------------------------------------------------


def test_what_is_chosen_is_listed_however_many_files_there_are(tables, monkeypatch):
    monkeypatch.setattr("microgauge.app.folder.MOST_FILES", 2)
    with visited(tables) as visitor:
        page = visitor.choose(original="original.csv")
        visitor.wait()
        for place in range(3):
            (tables / f"a{place}.csv").write_text("a\n1\n")
        page = visitor.get("/")
        assert "2 tables of this folder are listed; there may be more" in page.text
        assert "no longer in the folder" not in page.text
        fields = [value for key, value in page.form("/files").fields if key == "file"]
        assert fields == ["a0.csv", "a1.csv", "original.csv"]


def test_files_outside_the_folder_are_listed_by_nobody(tables):
    (tables.parent / "outside.csv").write_text("a\n1\n")
    assert Folder.of(str(tables)).entries("../outside.csv") == []


def test_results_are_read_once_however_many_there_are(copy, measured, monkeypatch):
    for number in range(100, 180):
        shutil.copytree(copy / RUNS / measured.run, copy / RUNS / f"{number:04d}")
        change(copy / RUNS / f"{number:04d}" / "run.json", "id", to=f"{number:04d}")
    with visited(copy) as visitor:
        visitor.get("/look")

        def again(*_):
            raise AssertionError

        monkeypatch.setattr("microgauge.app.results.said_again", again)
        assert broken(visitor, ("/look", "/release")) == {}
