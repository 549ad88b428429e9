"""The manifest of a result, and what is found where it is held against its inputs."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import microgauge
from microgauge.cli import main
from microgauge.demo import SCHEMA as DEMO_SCHEMA
from microgauge.results.plain import json_text
from microgauge.schema import Schema
from microgauge.schema.plain import schema_content
from support.command import refused
from support.tables import said

TOML = (
    '[variable.age]\ntype = "continuous"\nrole = "quasi_identifier"\n'
    '[variable.sex]\nrole = "quasi_identifier"\n[rank]\njackknife = false\n'
)
ONLY = ("--schema", "s.toml", "--only", "gdu,risk,disclosure")


def table(step: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    age = draw.integers(18, 90, 150)
    income = (age * 300 + draw.normal(0, 3000, 150)).round(-2)
    sex = draw.choice(["f", "m"], 150)
    return pl.DataFrame({"age": age // step * step, "sex": sex, "income": income})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    table().write_csv("o.csv")
    table(5).write_csv("p.csv")
    table(10).write_csv("q.csv")
    Path("s.toml").write_text(TOML)
    return home


def change_a_byte(path: str) -> None:
    """The last digit of the first row's age: 1 byte."""
    content = bytearray(Path(path).read_bytes())
    place = content.index(b"\n") + 1
    content[place] = ord("8") if content[place] != ord("8") else ord("7")
    Path(path).write_bytes(content)


def sha256(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.mark.usefixtures("folder")
class TestManifest:
    def test_hashes_are_those_of_the_files(self):
        assert main(["assess", "o.csv", "p.csv", *ONLY, "--json", "r.json"]) == 0
        found = json.loads(Path("r.json").read_text())["manifest"]
        assert [(one["role"], one["sha256"]) for one in found["inputs"]] == [
            ("original", sha256("o.csv")), ("protected", sha256("p.csv")),
        ]  # fmt: skip
        assert found["schema"]["sha256"] == sha256("s.toml")
        assert found["schema"]["path"] == "s.toml"
        assert found["command"] == "assess"
        assert found["seed"] == 1
        assert {"microgauge", "python", "numpy", "polars", "scipy"} <= found["versions"].keys()

    def test_every_file_of_a_folder(self):
        Path("parts").mkdir()
        table().head(70).write_csv("parts/1.csv")
        table().tail(80).write_csv("parts/2.csv")
        result = microgauge.assess("parts", "p.csv", schema="s.toml", only=["gdu"])
        original = result.manifest.of("original")[0]
        digests = [sha256("parts/1.csv"), sha256("parts/2.csv")]
        assert [(f.name, f.sha256) for f in original.files] == [
            ("1.csv", digests[0]), ("2.csv", digests[1]),
        ]  # fmt: skip
        listed = "".join(f"{digest}\n" for digest in digests)
        assert original.sha256 == hashlib.sha256(listed.encode()).hexdigest()

    def test_a_data_frame_has_none_and_says_so(self):
        result = microgauge.assess(table(), table(5), only=["gdu"])
        for one in result.manifest.inputs:
            assert one.sha256 is None
            assert "data frame" in one.reason
        assert result.manifest.schema.sha256 is None

    def test_all_that_was_said_is_in_force(self):
        asked = ["--keys", "income", "--set", "options.seed=7", "--require", "k>=1"]
        main(["assess", "o.csv", "p.csv", *ONLY, *asked, "--json", "r.json"])
        found = json.loads(Path("r.json").read_text())["manifest"]
        content = found["schema"]["content"]
        assert content["variable"]["income"]["role"] == "quasi_identifier"
        assert content["require"] == {"k": ">=1.0"}
        assert found["seed"] == content["options"]["seed"] == 7

    def test_the_same_run_gives_the_same_bytes(self):
        first, second = (
            json_text(microgauge.assess("o.csv", "p.csv", schema="s.toml", only=["gdu"]))
            for _ in range(2)
        )
        assert first == second

    @pytest.mark.parametrize("command", ["assess", "rank"])
    def test_a_public_report_holds_no_hash(self, command):
        start = [command, "o.csv", "p.csv", *ONLY, "--json", "r.json"]
        main([*start, "--report", "r.html", "--edition", "public"])
        page = Path("r.html").read_text()
        for name in ("o.csv", "p.csv", "s.toml"):
            assert sha256(name)[:12] not in page
        assert "sha256" not in json.dumps(page.split('id="data">')[1].split("</script>")[0])


@pytest.mark.parametrize(
    "content",
    [
        {},
        said(key="number", weight="w"),
        {
            "options": {"pairs": [["a", "b"]], "balance": [0.2, 0.8], "seed": 4},
            "variable": {
                "a": {"recode": {"breaks": [1, 2.5], "labels": ["x", "y"]}, "missing": [9, "n/a"]},
                "b": {"recode": {"map": {"1": "one"}}, "loss": ["proximity"], "rut_weight": 2},
            },
            "model": [{"formula": "a ~ b"}, {"items": ["a", "b"]}],
            "require": {"risk": "<=0.05", "k": ">=3", "gdu": ">0.1"},
            "rut": {"vectors": [["a", "b"]], "utility": "ratio"},
            "clusters": {"groups": [4, 8], "weights": [2, 1, 1, 1]},
            "loss": {"groups": ["a"], "loglinear": [["a"], ["b"]]},
            "risk": {"external_method": ["class", "unique"], "l": 2, "sensitivity": {"a": 0.5}},
            "tables": {"groups": {"a": [1, 2]}},
            "level": {"low": {"a": {"round": 5}, "b": "suppress"}},
            "verdict": {"title": "A «title»"},
        },
    ],
)
def test_a_schema_is_what_its_content_gives(content):
    """Through JSON and back, whatever it holds."""
    schema = Schema.from_dict(content)
    again = Schema.from_dict(json.loads(json.dumps(schema_content(schema))))
    assert again == schema
    assert repr(again) == repr(schema)


def test_the_demos_schema_is_what_its_content_gives():
    schema = Schema.load(DEMO_SCHEMA)
    assert Schema.from_dict(json.loads(json.dumps(schema_content(schema)))) == schema


@pytest.mark.usefixtures("folder")
class TestAssess:
    @pytest.fixture(autouse=True)
    def result(self, folder, capsys):
        main(["assess", "o.csv", "p.csv", *ONLY, "--require", "k>=1", "--json", "r.json"])
        capsys.readouterr()

    def test_the_same(self, capsys):
        assert main(["verify", "r.json"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("The same inputs give the same figures: all ")
        assert out.count(": same; SHA-256") == 3

    def test_in_another_folder_under_other_names(self, folder, monkeypatch, capsys):
        elsewhere = folder.parent / "elsewhere"
        elsewhere.mkdir()
        for name in ("o", "p"):
            shutil.copy(f"{name}.csv", elsewhere / f"my-{name}.csv")
        shutil.move("r.json", elsewhere)
        shutil.rmtree(folder)
        monkeypatch.chdir(elsewhere)
        assert main(["verify", "r.json", "my-o.csv", "my-p.csv"]) == 0
        assert "what it said stands in the result" in " ".join(capsys.readouterr().out.split())

    def test_beside_the_result(self, folder, monkeypatch):
        monkeypatch.chdir(folder.parent)
        assert main(["verify", "home/r.json"]) == 0

    @pytest.mark.parametrize(
        ("name", "what"), [("o.csv", "the original table"), ("p.csv", "the protected table")]
    )
    def test_one_changed_byte_is_named(self, name, what, capsys):
        change_a_byte(name)
        assert main(["verify", "r.json"]) == 1
        out = capsys.readouterr().out
        assert out.startswith(f"Differs: {what}; ")
        assert f"{what}: differs; {name} has SHA-256 {sha256(name)[:12]}" in out
        assert out.count(": differs;") == 1
        assert "Figures that differ\n" in out

    @pytest.mark.parametrize("depth", [["--quick"], ["--only", "gdu", "--yardsticks"], []])
    def test_what_was_asked_for_is_measured_again(self, depth, capsys):
        main(["assess", "o.csv", "p.csv", "--schema", "s.toml", *depth, "--json", "r.json"])
        assert main(["verify", "r.json"]) == 0

    def test_hashes_alone(self, capsys):
        assert main(["verify", "r.json", "--hashes"]) == 0
        assert "nothing was measured again" in capsys.readouterr().out
        change_a_byte("o.csv")
        assert main(["verify", "r.json", "--hashes"]) == 1

    def test_a_changed_schema_file_is_named_and_not_used(self, capsys):
        Path("s.toml").write_text(TOML + "# a comment\n")
        assert main(["verify", "r.json"]) == 1
        out = capsys.readouterr().out
        assert out.startswith("Differs: the schema file; 0 of ")

    @pytest.mark.parametrize(("by", "code"), [(1e-12, 0), (1e-7, 1)])
    def test_a_figure_that_was_another(self, by, code, capsys):
        content = json.loads(Path("r.json").read_text())
        content["gdu"]["value"] *= 1 + by
        Path("r.json").write_text(json.dumps(content))
        assert main(["verify", "r.json"]) == code
        assert ("  gdu.value: " in capsys.readouterr().out) == bool(code)

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            (lambda r: r["verdict"]["safe"].update(sentence="All is well."), "verdict.safe.sent"),
            (lambda r: r["verdict"]["findings"][0].update(remedy="-"), "verdict.findings[0].rem"),
            (lambda r: r["verdict"].pop("findings"), "verdict.findings: nothing was, a list of"),
            (lambda r: r["verdict"]["findings"].pop(), "nothing was, a part of 6 is"),
            (lambda r: r.update(notes=[]), "notes: nothing was, "),
            (lambda r: r.pop("notes"), "notes: nothing was, a list of"),
            (lambda r: r["tables"].pop("worst"), "tables.worst: nothing was, a list of 3 is"),
            (lambda r: r.pop("disclosure"), "disclosure: nothing was, a part of"),
            (lambda r: r.update(left_in=[{"column": "x"}]), "left_in[0]: a part of 1 was, nothing"),
            (lambda r: r["manifest"].update(seed=7), "the seed: differs; the manifest says 7, its"),
        ],
    )
    def test_whatever_is_changed_in_it_is_named(self, change, told, capsys):
        main(["assess", "o.csv", "p.csv", "--schema", "s.toml", "--quick", "--json", "r.json"])
        capsys.readouterr()
        content = json.loads(Path("r.json").read_text())
        change(content)
        Path("r.json").write_text(json.dumps(content))
        assert main(["verify", "r.json"]) == 1
        out = capsys.readouterr().out
        assert out.startswith("Differs: ")
        assert told in " ".join(out.split())

    def test_another_version_may_use_other_words(self, capsys):
        content = json.loads(Path("r.json").read_text())
        content["manifest"]["versions"]["microgauge"] = "0.0.1"
        content["notes"][0] = "In other words."
        Path("r.json").write_text(json.dumps(content))
        assert main(["verify", "r.json"]) == 0
        out = capsys.readouterr().out
        assert "says some of it in other words." in " ".join(out.split())
        assert "Words that differ\n  notes: In other words. was, " in out

    def test_other_versions_are_listed_and_no_difference(self, capsys):
        content = json.loads(Path("r.json").read_text())
        content["manifest"]["versions"]["numpy"] = "1.0"
        Path("r.json").write_text(json.dumps(content))
        assert main(["verify", "r.json"]) == 0
        assert "  numpy: 1.0 was, " in capsys.readouterr().out

    def test_an_input_that_cannot_be_read_any_more_differs(self, capsys):
        Path("p.csv").write_text("another\n1\n2\n")
        assert main(["verify", "r.json"]) == 1
        assert "Nothing was measured again: " in capsys.readouterr().out

    def test_data_frames_are_held_against_it(self):
        found = microgauge.verify("r.json", table(), table(5))
        assert found.same
        assert {one.state for one in found.inputs if one.table} == {"not compared"}
        assert not microgauge.verify("r.json", table(), table(10)).same


@pytest.mark.usefixtures("folder")
class TestRank:
    @pytest.fixture(autouse=True)
    def result(self, folder, capsys):
        asked = ["--require", "risk<=0.9", "--json", "r.json", "--only", "gdu"]
        main(["rank", "o.csv", "p.csv", "q.csv", "--schema", "s.toml", *asked])
        capsys.readouterr()

    def test_candidates_in_any_order(self):
        assert main(["verify", "r.json"]) == 0
        assert main(["verify", "r.json", "o.csv", "q.csv", "p.csv"]) == 0

    def test_what_was_left_out_is_left_out_again(self):
        few = ["--skip", "loss,propensity,rut,risk"]
        main(["rank", "o.csv", "p.csv", "q.csv", "--schema", "s.toml", *few, "--json", "r.json"])
        assert "Left out, as it takes long" in Path("r.json").read_text()
        assert main(["verify", "r.json"]) == 0

    def test_the_candidate_is_named(self, capsys):
        change_a_byte("q.csv")
        assert main(["verify", "r.json"]) == 1
        out = capsys.readouterr().out
        assert out.startswith("Differs: the candidate q; ")
        assert "candidates[1]." in out

    def test_as_many_as_there_were(self, capsys):
        assert "2 protected tables" in refused(capsys, "verify", "r.json", "o.csv", "p.csv")


def test_explore(folder):
    Path("grid.toml").write_text(
        '[[step]]\nmethod = "round"\nvariables = ["age"]\nunit = { grid = [5, 10] }\n'
    )
    result = microgauge.explore("o.csv", "grid.toml", schema="s.toml", only=["gdu"])
    assert result.manifest.recipe.sha256 == sha256("grid.toml")
    Path("r.json").write_text(json_text(result))
    assert microgauge.verify("r.json").same
    change_a_byte("o.csv")
    assert not microgauge.verify("r.json").same


@pytest.mark.usefixtures("folder")
class TestWrongInput:
    @pytest.mark.parametrize(
        ("content", "told"),
        [
            ("", "not valid JSON"),
            ("[" * 100_000, "not valid JSON"),
            ("{}", "no manifest"),
            ('{"manifest": 3}', "damaged"),
            ('{"manifest": {"command": "assess", "inputs": []}}', "damaged"),
            ('{"manifest": {"command": "rm", "inputs": [], "schema": {}}}', "damaged"),
        ],
    )
    def test_what_is_no_result(self, content, told, capsys):
        Path("r.json").write_text(content)
        assert told in refused(capsys, "verify", "r.json")

    @pytest.mark.parametrize(
        "damage",
        [
            lambda m: m["inputs"][1].update(role="protectedX"),
            lambda m: m["inputs"][1].update(sha256=None),
            lambda m: m.update(options=None),
            lambda m: m.update(options={}),
            lambda m: m.update(schema=None),
            lambda m: m.update(versions=None),
            lambda m: m["schema"].update(content=None),
            lambda m: m["schema"].update(content_sha256="0" * 64),
        ],
    )
    def test_a_damaged_manifest_is_told(self, damage, capsys):
        main(["assess", "o.csv", "p.csv", "--only", "left_in", "--json", "r.json"])
        capsys.readouterr()
        content = json.loads(Path("r.json").read_text())
        damage(content["manifest"])
        Path("r.json").write_text(json.dumps(content))
        assert "the manifest of r.json is damaged" in refused(capsys, "verify", "r.json")

    def test_what_is_not_there(self, capsys):
        assert "no result none.json" in refused(capsys, "verify", "none.json")
        main(["assess", "o.csv", "p.csv", "--only", "gdu", "--json", "r.json"])
        capsys.readouterr()
        for name in ("o.csv", "p.csv"):
            Path(name).unlink()
        message = refused(capsys, "verify", "r.json")
        assert "the original table is not where" in message
        assert "the protected table is not where" in message

    def test_a_result_of_data_frames_needs_tables(self, capsys):
        Path("r.json").write_text(json_text(microgauge.assess(table(), table(5), only=["gdu"])))
        assert "was a data frame" in refused(capsys, "verify", "r.json")
        assert main(["verify", "r.json", "o.csv", "p.csv"]) == 0
