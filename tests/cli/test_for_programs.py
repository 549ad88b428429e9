"""What commands offer to programs: progress as JSON, variables as JSON, all outputs of one run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest

from microgauge.cli import main
from microgauge.commands.describe import describe
from microgauge.errors import InputError
from support.app_tables import write_tables


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_tables(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(folder: Path, *words: str) -> tuple[int, list[dict[str, object]]]:
    """The exit code, and what a program hears on stderr."""
    found = subprocess.run(
        [sys.executable, "-m", "microgauge", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "MICROGAUGE_PROGRESS": "json"},
    )
    return found.returncode, [json.loads(line) for line in found.stderr.splitlines()]


def test_progress_is_a_json_object_in_each_line(tables: Path) -> None:
    code, lines = told(
        tables, "assess", "original.csv", "weak.csv", "--keys", "age", "--json", "r.json"
    )
    assert code == 0
    doing, share = lines[0]["doing"], lines[0]["share"]
    assert (doing, share) == ("reading the original table", 0.0)
    assert lines[0]["forms"] == {"doing": {doing: {"form": doing}}}
    (first,) = [line["verdict"] for line in lines if "verdict" in line]
    assert first["provisional"] is not None  # type: ignore[index]
    places = [place for place, line in enumerate(lines) if "verdict" in line]
    assert any("doing" in line for line in lines[places[0] + 1 :]), "the first verdict comes first"


def test_figures_do_not_depend_on_who_listens(tables: Path) -> None:
    words = ("assess", "original.csv", "weak.csv", "--keys", "age,sex", "--json")
    told(tables, *words, "heard.json")
    assert main([*words, "unheard.json"]) == 0
    assert Path("heard.json").read_text() == Path("unheard.json").read_text()


def test_faults_are_records_with_codes(tables: Path) -> None:
    code, lines = told(tables, "assess", "original.csv", "weak.csv", "--keys", "nix,nox")
    assert code == 2
    faults = lines[-1]["faults"]
    assert isinstance(faults, list)
    assert {fault["code"] for fault in faults} == {"table"}
    assert len(faults) == 2


def test_one_run_writes_both_editions_and_the_workbook(tables: Path) -> None:
    outputs = ["--report", "o.html", "--public", "p.html", "--excel", "t.xlsx"]
    assert main(["assess", "original.csv", "weak.csv", "--keys", "age", *outputs]) == 0
    again = ["--report", "q.html", "--edition", "public"]
    assert main(["assess", "original.csv", "weak.csv", "--keys", "age", *again]) == 0
    assert Path("p.html").read_text() == Path("q.html").read_text()
    assert Path("p.html").read_text() != Path("o.html").read_text()
    with zipfile.ZipFile("t.xlsx") as book:
        assert "xl/workbook.xml" in book.namelist()


def test_a_ranking_writes_them_too(tables: Path) -> None:
    outputs = ["--public", "p.html", "--excel", "t.xlsx"]
    assert main(["rank", "original.csv", "weak.csv", "strong.csv", "--keys", "age", *outputs]) == 0
    assert Path("p.html").read_text().startswith("<!DOCTYPE html>")
    assert Path("t.xlsx").read_bytes().startswith(b"PK")


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        (["--public", "p.pdf"], "--public writes HTML"),
        (["--excel", "t.csv"], "--excel writes XLSX"),
        (["--report", "a.html", "--public", "a.html"], "a.html"),
        (["--excel", "nowhere/t.xlsx"], "there is no folder nowhere"),
    ],
)
def test_outputs_are_checked_before_the_work(
    tables: Path, outputs: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["assess", "original.csv", "weak.csv", *outputs]) == 2
    assert said in capsys.readouterr().err


def test_variables_are_described_for_programs(tables: Path) -> None:
    assert main(["schema", "original.csv", "strong.csv", "--json", "v.json"]) == 0
    found = json.loads(Path("v.json").read_text())
    names = [variable["name"] for variable in found["variables"]]
    assert names == ["age", "sex", "region", "income"]
    age, sex = found["variables"][:2]
    assert age["guess"] == {"role": "quasi_identifier", "by": "name"}
    assert (age["original"]["numeric"], sex["original"]["values"]) == (True, ["f", "m"])
    ages = pl.read_csv("original.csv")["age"]
    assert age["original"]["range"] == [ages.min(), ages.max()]
    assert age["protected"]["range"] == [0, 60]
    assert sex["original"]["range"] is None
    for variable in found["variables"]:
        drawn = variable["numbers"] or variable["categories"]
        assert sum(drawn["before"]) == pytest.approx(1.0)
        assert sum(drawn["after"]) == pytest.approx(1.0)
    assert found["original"]["rows"] == 150


def test_what_names_people_is_said_and_is_no_key(tables: Path) -> None:
    """The rules are those by which an assessment stops a release."""
    numbers = [3 * row + 100_000 for row in range(150)]
    pl.read_csv("original.csv").with_columns(
        household_id=pl.Series([f"h{row // 2}" for row in range(150)]),
        zip=pl.Series(numbers).shuffle(1),
        income_wt=pl.Series([1.5 + row % 7 for row in range(150)]),
        visited=pl.Series([f"2024-{1 + row % 12:02}-{1 + row % 28:02}" for row in range(150)]),
    ).write_csv("original.csv")
    assert main(["schema", "original.csv", "--json", "v.json"]) == 0
    found = {one["name"]: one for one in json.loads(Path("v.json").read_text())["variables"]}
    told = {name: one["left_in"] for name, one in found.items() if one["left_in"]}
    assert {name: (one["code"], one["identifier"]) for name, one in told.items()} == {
        "household_id": ("called-person-id", True),
        "zip": ("running-number", True),
        "visited": ("date", False),
    }
    assert [name for name, one in found.items() if one["guess"]] == [
        "age",
        "sex",
        "region",
        "income",
        "income_wt",
    ]


@pytest.mark.parametrize(
    ("names", "guessed"),
    [
        (["sampling_weight"], "sampling_weight"),
        (["sample_weight"], "sample_weight"),
        (["weight"], "weight"),
        (["wgt"], "wgt"),
        (["PWGTP"], "PWGTP"),
        (["finalwt"], "finalwt"),
        (["birth_weight"], None),
        (["weight_kg"], None),
        (["wt_1", "wt_2"], None),
    ],
)
def test_a_weight_is_guessed(tables: Path, names: list[str], guessed: str | None) -> None:
    table = pl.read_csv("original.csv")
    values = pl.Series([1.5 + row % 7 for row in range(table.height)])
    table.with_columns(values.alias(name) for name in names).write_csv("original.csv")
    assert main(["schema", "original.csv", "--json", "v.json"]) == 0
    found = {one["name"]: one for one in json.loads(Path("v.json").read_text())["variables"]}
    told = [name for name in names if (found[name]["guess"] or {}).get("role") == "weight"]
    assert told == ([] if guessed is None else [guessed])


def test_what_holds_where_nothing_is_said_is_told_beside_what_is(tables: Path) -> None:
    said = '[variable.age]\ntype = "ordinal"\nrole = "quasi_identifier"\n'
    said += '[variable.sex]\nrole = "weight"\n[variable.id]\nrole = "sensitive"\n'
    table = pl.read_csv("original.csv")
    table.with_columns(id=pl.Series(range(table.height))).write_csv("original.csv")
    Path("s.toml").write_text(said)
    assert main(["schema", "original.csv", "--schema", "s.toml", "--json", "v.json"]) == 0
    found = {one["name"]: one for one in json.loads(Path("v.json").read_text())["variables"]}
    assert found["age"]["unsaid"] == {"type": "continuous", "role": "analysis"}
    assert found["sex"]["unsaid"] == {"type": "nominal", "role": "analysis"}
    assert found["id"]["unsaid"]["role"] == "id"
    assert (found["age"]["role"], found["age"]["original"]["type"]) == (
        "quasi_identifier",
        "ordinal",
    )


def test_a_schema_is_held_against_the_tables(
    tables: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.toml").write_text('[variable.age]\nrole = "sensitive"\nlabel = "Age"\n')
    assert main(["schema", "original.csv", "--schema", "s.toml", "--json", "v.json"]) == 0
    age = json.loads(Path("v.json").read_text())["variables"][0]
    assert (age["role"], age["label"], age["protected"]) == ("sensitive", "Age", None)
    Path("s.toml").write_text("[variable.nix]\n")
    assert main(["schema", "original.csv", "--schema", "s.toml", "--json", "v.json"]) == 2
    assert "nix" in capsys.readouterr().err
    assert main(["schema", "original.csv", "--schema", "s.toml"]) == 2
    assert "--json" in capsys.readouterr().err


def test_a_table_by_itself_has_one_side(tables: Path) -> None:
    found = describe("original.csv")
    assert found["protected"] is None
    assert all(variable["protected"] is None for variable in found["variables"])
    with pytest.raises(InputError):
        describe("nowhere.csv")


def test_schemas_are_written_as_they_are_read() -> None:
    import tomllib

    from microgauge.schema.writing import schema_toml

    content = {
        "options": {"seed": 3, "weight": "w"},
        "variable": {
            'a "b".c': {"label": "x\ny\x7f", "missing": [-9, "N/A", 0.5], "normal": True},
            "é": {"recode": {"map": {"1": "one", "2 = 3": "two"}}, "order": []},
        },
        "model": [{"formula": "a ~ b"}, {"kind": "scale", "items": ["q1"]}],
        "level": {"low": {"age": {"round": 5}, "sex": "suppress"}},
    }
    assert tomllib.loads(schema_toml(content)) == content
    assert tomllib.loads(schema_toml({"nix": 3, **content})) == {"nix": 3, **content}
