"""The whole way by forms alone, without a line of JavaScript: files to release."""

import json
import re
import shlex
import subprocess
import sys
import tomllib

import pytest

from support.app import visited


def last(visitor, kind):
    return visitor.running.jobs.runs(kind)[0]


def test_files_are_chosen_and_described(visitor):
    page = visitor.choose(original="original.csv", candidate="weak.csv")
    assert page.path == "/describe"
    visitor.wait()
    page = visitor.get("/describe")
    assert "150 rows in the original" in page.text
    for name in ("age", "sex", "region", "income"):
        assert name in page.text
    assert page.html.count('class="spark"') == 4
    assert "Proposed, by names and labels" in page.text


def test_proposals_become_roles_of_the_schema(visitor):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    schema = tomllib.loads(visitor.running.project.state["schema"])
    roles = {name: entry["role"] for name, entry in schema["variable"].items()}
    assert roles == {
        "age": "quasi_identifier",
        "sex": "quasi_identifier",
        "region": "quasi_identifier",
        "income": "sensitive",
    }
    visitor.wait()
    assert "Proposed" not in visitor.get("/describe").text


def test_a_variable_is_changed_field_by_field(visitor):
    visitor.choose(original="original.csv", candidate="strong.csv")
    visitor.wait()
    page = visitor.get("/describe/0")
    page = visitor.send(
        page,
        "/describe/0",
        role="quasi_identifier",
        type="continuous",
        label="Age in years",
        missing='-9, "N/A"',
        importance="2",
        recode="round",
        round="20",
    )
    assert page.path == "/describe"
    entry = tomllib.loads(visitor.running.project.state["schema"])["variable"]["age"]
    assert entry == {
        "type": "continuous",
        "role": "quasi_identifier",
        "label": "Age in years",
        "missing": [-9, "N/A"],
        "importance": 2,
        "recode": {"round": 20},
    }
    page = visitor.get("/describe/0")
    assert dict(page.form("/describe/0").fields)["missing"] == "-9, N/A"


def test_the_weight_is_one_for_the_whole_file(visitor):
    visitor.choose(original="original.csv")
    visitor.wait()
    page = visitor.get("/describe/3")
    visitor.send(page, "/describe/3", role="weight")
    schema = tomllib.loads(visitor.running.project.state["schema"])
    assert schema["options"]["weight"] == "income"
    visitor.send(visitor.get("/describe/3"), "/describe/3", role="")
    assert "options" not in tomllib.loads(visitor.running.project.state["schema"])


def test_the_schema_goes_out_and_comes_in_as_text(visitor):
    visitor.choose(original="original.csv")
    visitor.wait()
    text = '# mine\n[variable.age]\nrole = "quasi_identifier"\n'
    page = visitor.send(visitor.get("/describe/schema"), "/describe/schema", text=text)
    assert page.path == "/describe"
    assert visitor.client.get("/describe/schema.toml").text == text
    page = visitor.upload(
        visitor.get("/describe/schema"),
        "s.toml",
        b'[variable.sex]\nrole = "id"\n',
        purpose="schema",
    )
    assert page.path == "/describe"
    assert "sex" in visitor.running.project.state["schema"]


def test_a_measure_shows_the_verdict_first(measured):
    page = measured.get(f"/look/{measured.run}")
    assert page.status == 200
    order = [page.text.index(word) for word in ("Which one to release?", "Take it with you")]
    assert order == sorted(order)
    assert page.html.index("Which one to release?") < page.html.index("<iframe")
    page = measured.get(f"/look/{measured.run}/1")
    assert "Is it still useful?" in page.text
    page = measured.get(f"/look/{measured.run}/compare?of=1&of=0")
    assert "strong" in page.text
    assert page.text.count("Is it safe enough?") == 2


def test_every_export_is_there(measured):
    starts = {
        "report.html": b"<!DOCTYPE html>",
        "public.html": b"<!DOCTYPE html>",
        "summary.pdf": b"%PDF",
        "result.json": b"{",
        "tables.xlsx": b"PK",
        "schema.toml": b"[variable",
        "map.svg": b"<svg",
    }
    for name, start in starts.items():
        answer = measured.client.get(f"/runs/{measured.run}/files/{name}")
        assert answer.status_code == 200, name
        assert answer.content.startswith(start), name
        assert "attachment" in answer.headers["content-disposition"]


def test_the_exported_command_line_gives_the_same_figures(measured, tmp_path):
    text = measured.client.get(f"/runs/{measured.run}/command").text
    (line,) = text.splitlines()
    name, *words = shlex.split(line)
    assert name == "microgauge"
    again = tmp_path / "again.json"
    words[words.index("--json") + 1] = str(again)
    kept = measured.running.jobs.place(measured.run) / "result.json"
    for option in ("--report", "--public", "--summary", "--excel", "--map"):
        at = words.index(option)
        del words[at : at + 2]
    found = subprocess.run(
        [sys.executable, "-m", "microgauge", *words],
        cwd=measured.running.folder.root,
        capture_output=True,
    )
    assert found.returncode in (0, 1), found.stderr
    ours, theirs = json.loads(again.read_text()), json.loads(kept.read_text())
    for one in (ours, theirs):  # the report needs pictures, which are no figures
        one["manifest"].pop("options", None)
    assert ours == theirs


def test_results_are_found_again_after_a_restart(tables):
    with visited(tables) as visitor:
        visitor.choose(original="original.csv", candidate="weak.csv")
        visitor.wait()
        page = visitor.send(visitor.get("/measure"), "/measure")
        run = page.path.rsplit("/", 1)[-1]
        assert visitor.wait(run).state == "done"
        before = visitor.get(f"/look/{run}").text
    with visited(tables) as visitor:
        assert visitor.get(f"/look/{run}").text == before
        assert visitor.get("/describe").status == 200
        assert "weak.csv" in visitor.get("/measure").text


def test_recipes_step_by_step_with_undo(visitor):
    visitor.choose(original="original.csv")
    visitor.wait()
    page = visitor.send(visitor.get("/protect"), "/protect", name="Mild")
    assert page.path == "/protect/1"
    step = visitor.get("/protect/1/0?method=round")
    assert "Numbers become multiples of this." in step.text
    page = visitor.send(step, "/protect/1/0", variable=["age"], **{"p-unit": "5"})
    assert visitor.running.project.state["recipes"][0]["content"]["step"] == [
        {"method": "round", "variables": ["age"], "unit": 5}
    ]
    step = visitor.get("/protect/1/1?method=noise")
    page = visitor.send(step, "/protect/1/1", variable=["income"], **{"p-share": "0.1"})
    page = visitor.send(page, "/protect/1/1/raise")
    steps = visitor.running.project.state["recipes"][0]["content"]["step"]
    assert [one["method"] for one in steps] == ["noise", "round"]
    for _ in range(3):
        page = visitor.send(page, "/protect/1/undo")
    assert visitor.running.project.state["recipes"][0]["content"]["step"] == []


def test_a_preview_says_what_a_step_costs(visitor):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.send(visitor.get("/protect"), "/protect")
    step = visitor.get("/protect/1/0?method=round")
    page = visitor.send(step, "/protect/1/0", variable=["age"], **{"p-unit": "20"})
    page = visitor.send(page, "/protect/1/preview")
    visitor.wait()
    run = last(visitor, "preview")
    assert run.state == "done", (run.faults, run.messages)
    result = json.loads((visitor.running.jobs.place(run.id) / "result.json").read_text())
    page = visitor.get("/protect/1")
    assert f"utility {result['verdict']['utility']:.3f}" in page.text
    assert f"risk {result['verdict']['risk']:.3f}" in page.text
    assert result["verdict"]["provisional"] is not None


@pytest.mark.parametrize(
    ("said", "grid"),
    [("0.1, 0.2", [0.1, 0.2]), ("0.1 to 0.3 by 0.1", [0.1, 0.2, 0.3]), ("0.1", 0.1)],
)
def test_ranges_become_grids(visitor, said, grid):
    visitor.choose(original="original.csv")
    visitor.wait()
    visitor.send(visitor.get("/protect"), "/protect")
    step = visitor.get("/protect/1/0?method=noise")
    visitor.send(step, "/protect/1/0", variable=["income"], **{"p-share": said})
    (step,) = visitor.running.project.state["recipes"][0]["content"]["step"]
    assert step["share"] == ({"grid": grid} if isinstance(grid, list) else grid)


def test_a_grid_is_explored_and_one_is_released(visitor):
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    visitor.send(visitor.get("/describe"), "/describe/proposals")
    visitor.send(visitor.get("/protect"), "/protect", name="Grid")
    step = visitor.get("/protect/1/0?method=round")
    page = visitor.send(step, "/protect/1/0", variable=["age"], **{"p-unit": "10, 20"})
    page = visitor.send(page, "/protect/1/explore", require="risk<=0.9")
    run = visitor.wait(page.path.rsplit("/", 1)[-1])
    assert run.state == "done", (run.faults, run.messages)
    part = visitor.get(f"/runs/{run.id}/part")
    assert "2 candidates measured" in part.text
    assert "so far" not in part.text
    assert "1 age unit 10 utility" in part.text
    assert part.html.count("<circle") == 2
    look = visitor.get(f"/look/{run.id}")
    assert "recommended" in look.text
    assert "Candidate 1 : age unit 10" in look.text
    release = visitor.get(next(link for link in look.links if link.startswith("/release?")))
    page = visitor.release(release, name="spring")
    done = visitor.wait(page.path.rsplit("/", 1)[-1])
    assert done.state == "done", (done.faults, done.messages)
    root = visitor.running.folder.root
    inside = root / "release-spring-internal"
    manifest = json.loads((inside / "release.json").read_text())
    names = {one["name"] for one in manifest["files"]}
    office = ("recipe.toml", "schema.toml", "report.html", "summary.pdf", "result.json")
    assert names == {
        "release-spring/protected.csv",
        "release-spring/public.html",
        *(f"release-spring-internal/{name}" for name in (*office, "tables.xlsx")),
    }
    there = {path.name for path in (root / "release-spring").iterdir()}
    assert there == {"protected.csv", "public.html"}
    listed = visitor.get(f"/runs/{done.id}").text
    assert all(name.partition("/")[2] in listed for name in names)
    import hashlib

    for one in manifest["files"]:
        content = (root / one["name"]).read_bytes()
        assert (one["bytes"], one["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    ranked = json.loads((visitor.running.jobs.place(run.id) / "result.json").read_text())
    chosen = ranked["recommended"]["name"]
    (measured,) = [one for one in ranked["candidates"] if one["name"] == chosen]
    released = json.loads((inside / "result.json").read_text())
    assert released["verdict"]["risk"] == measured["verdict"]["risk"]
    assert "release-spring" in visitor.get("/release").text


def test_three_recipes_become_candidates_to_compare(visitor):
    visitor.choose(original="original.csv")
    visitor.wait()
    for place, unit in enumerate(("5", "10", "25"), start=1):
        visitor.send(visitor.get("/protect"), "/protect", name=f"round {unit}")
        step = visitor.get(f"/protect/{place}/0?method=round")
        page = visitor.send(
            step, f"/protect/{place}/0", variable=["age", "income"], **{"p-unit": unit}
        )
        visitor.send(page, f"/protect/{place}/candidate")
    visitor.wait()
    names = visitor.running.project.state["files"]["candidates"]
    assert names == ["round 5.csv", "round 10.csv", "round 25.csv"]
    page = visitor.get("/measure")
    assert page.form("/measure").choices["candidate"] == names


def test_the_demo_is_copied_once_however_often_it_is_asked_for(tmp_path):
    with visited(tmp_path) as visitor:
        page = visitor.get("/")
        assert "demo-original.csv" in page.text
        form = page.form("/demo").filled()
        for _ in range(3):
            assert visitor.post("/demo", form).path == "/describe"
        visitor.send(visitor.get("/"), "/demo")
        assert sorted(path.name for path in tmp_path.glob("*.csv")) == [
            "demo-original.csv",
            "demo-protected.csv",
        ]


def test_explanations_of_methods_are_those_of_the_code(described):
    from microgauge.masking.forms import parameters
    from microgauge.masking.methods import method, method_names

    visitor = described
    for name in method_names():
        page = visitor.get(f"/protect/1/0?method={name}")
        assert page.status == 200
        for one in parameters(method(name)):
            assert one.explanation, (name, one.name)
            assert " ".join(one.explanation.split()) in page.text, (name, one.name)


def test_the_address_alone_is_printed_without_a_browser(tables):
    from support.app import started

    with started(tables, "--port", "0") as (_, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", address)


def test_pages_speak_the_language_that_is_chosen(visitor):
    page = visitor.get("/")
    assert "Which files?" in page.text
    page = visitor.send(page, "/language", language="de")
    assert "Welche Dateien?" in page.text
    assert 'lang="de"' in page.html
    visitor.choose(original="original.csv", candidate="weak.csv")
    visitor.wait()
    page = visitor.get("/describe")
    assert "150 Zeilen im Original" in page.text
    assert "Was bedeuten die Variablen?" in page.text
    field = visitor.get("/describe/0")
    assert "Schlüssel" in field.text
    field = visitor.send(field, "/describe/0", importance="x")
    assert "[variable.age] importance muss eine Zahl über 0 sein." in field.text
    visitor.send(visitor.get("/"), "/language", language="en")
    assert "Which files?" in visitor.get("/").text


@pytest.mark.parametrize(
    ("language", "wished", "said"),
    [
        ("de", "xx, de-AT;q=0.9, en;q=0.5", "Welche Dateien?"),
        ("fr", "fr-CA, fr;q=0.9", "Quels fichiers"),
        ("es", "ca, es;q=0.9, en;q=0.5", "¿Qué ficheros?"),
    ],
)
def test_the_language_of_the_command_line_and_of_the_browser(tables, language, wished, said):
    with visited(tables, language=language) as visitor:
        assert said in visitor.get("/").text
    with visited(tables) as visitor:
        visitor.client.headers["accept-language"] = wished
        assert said in visitor.get("/").text


def test_no_file_speaks_another_language_than_the_commands(tables):
    """Numbers and words by language stand on pages, never in what is written."""
    with visited(tables, language="de") as visitor:
        visitor.choose(original="original.csv")
        visitor.wait()
        visitor.send(visitor.get("/describe/0"), "/describe/0", importance="1.5")
        assert "importance = 1.5" in visitor.client.get("/describe/schema.toml").text
        visitor.send(visitor.get("/protect"), "/protect", name="x")
        step = visitor.get("/protect/1/0?method=noise")
        visitor.send(step, "/protect/1/0", variable=["income"], **{"p-share": "0.1 bis 0.2 je 0.1"})
        text = visitor.client.get("/protect/1/recipe.toml").text
        assert 'share = { "grid" = [0.1, 0.2] }' in text
