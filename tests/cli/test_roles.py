"""Keys, sensitive variables and weights without a file, and single entries of one: --set."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.cli.options import chosen_schema
from microgauge.results.plain import json_text
from microgauge.schema import Schema, with_roles
from microgauge.schema.roles import column_names, listed_names
from support.command import complaint, refused
from support.surveys import make_survey, perturb

WEIGHT = "w, post"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """A survey and a protected version, with a weight whose name has a comma."""
    monkeypatch.chdir(tmp_path)
    frame = make_survey(200)
    weights = pl.Series(WEIGHT, [1.0 + i % 3 for i in range(frame.shape[0])])
    for name, table in (("o.csv", frame), ("p.csv", perturb(frame, 0.2))):
        pl.from_pandas(table).with_columns(weights).write_csv(name)
    return "o.csv", "p.csv"


DECLARED = {
    "options": {"weight": WEIGHT},
    "variable": {
        "age": {"role": "quasi_identifier"},
        "sex": {"role": "quasi_identifier"},
        "region": {"role": "quasi_identifier"},
        "income": {"role": "sensitive"},
    },
}
OPTIONS = [
    "--keys", "age, sex", "--keys", "region", "--sensitive", "income", "--weight", WEIGHT,
]  # fmt: skip
ROLES = {"keys": ["age", "sex", "region"], "sensitive": "income", "weight": WEIGHT}
ONLY = ["left_in", "gdu", "disclosure", "risk", "rut"]


def test_roles_beside_no_schema_are_the_same_as_in_one(files: tuple[str, str]) -> None:
    assert main(["assess", *files, *OPTIONS, "--only", ",".join(ONLY), "--json", "r.json"]) == 0
    declared = microgauge.assess(*files, schema=DECLARED, only=ONLY)
    assert json.loads(Path("r.json").read_text()) == json.loads(json_text(declared))
    said = microgauge.assess(*files, only=ONLY, **ROLES)
    assert json_text(said) == json_text(declared)
    assert said.risk is not None
    assert set(said.risk.keys) == {"age", "sex", "region"}


def test_rank_explore_and_diagnose_take_roles_too(files: tuple[str, str]) -> None:
    only = ["--only", "risk,tables", "--json", "r.json"]
    assert main(["rank", *files, *OPTIONS, *only]) == 0
    declared = microgauge.rank(files[0], [files[1]], schema=DECLARED, only=["risk", "tables"])
    assert json.loads(Path("r.json").read_text()) == json.loads(json_text(declared))
    Path("g.toml").write_text('[[step]]\nmethod = "round"\nvariables = ["age"]\nunit = 5\n')
    assert main(["explore", files[0], "--recipe", "g.toml", *OPTIONS, *only]) == 0
    (found,) = json.loads(Path("r.json").read_text())["candidates"]
    assert set(found["risk"]["keys"]) == {"age", "sex", "region"}
    assert main(["diagnose", files[0], *OPTIONS, "--json", "d.json"]) == 0
    told = json.loads(json_text(microgauge.diagnose(files[0], schema=DECLARED)))
    assert json.loads(Path("d.json").read_text()) == told
    assert told["classes"]["keys"] == ["age", "sex", "region"]
    assert told["targets"] == ["income"]


def test_all_faults_of_roles_come_at_once(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("s.toml").write_text(
        '[variable.education]\nrole = "exclude"\n[variable.score]\ntype = "numeric"\n'
    )
    said = refused(
        capsys, "assess", *files, "--schema", "s.toml", "--keys", "aeg,sex,education,health",
        "--sensitive", "sex,incone", "--weight", "health",
    )  # fmt: skip
    for fault in (
        '--keys and --sensitive both name "sex"',
        '--keys names "education", whose role in the schema is "exclude"',
        '--keys names a variable "aeg" that no table has. Did you mean "age"?',
        '--sensitive names a variable "incone" that no table has. Did you mean "income"?',
        '"health" is the weight, but --keys says that its role is "quasi_identifier"',
        '[variable.score] type is "numeric"',
    ):
        assert said.count(fault) == 1, (fault, said)
    assert said.startswith("microgauge: 6 faults:")


def test_a_key_must_be_in_the_original(files: tuple[str, str]) -> None:
    before = pl.DataFrame({"a": [1, 2], "held": [[1], [2]]})
    after = pl.DataFrame({"a": [1, 2], "added": [1, 2]})
    with pytest.raises(InputError) as found:
        microgauge.assess(before, after, keys=["a", "added", "held"])
    assert '--keys names "added", which the original table does not have.' in str(found.value)
    assert '--keys names "held", which holds no single values' in str(found.value)


def test_what_is_said_beside_adds_to_the_schema() -> None:
    schema = Schema.from_dict({
        "options": {"weight_original": "a", "weight_protected": "b"},
        "variable": {
            "age": {"role": "quasi_identifier"},
            "sex": {"role": "analysis", "type": "nominal"},
            "wage": {"role": "sensitive"},
        },
    })  # fmt: skip
    found = with_roles(schema, keys="sex,region", sensitive="wage", weight="w")
    assert found.keys == ("age", "sex", "region")
    assert found.variables["sex"].type == "nominal"
    assert (found.options.weight_of("original"), found.options.weight_of("protected")) == ("w", "w")
    assert found.faults() == []
    contradicted = with_roles(schema, keys="wage").faults()
    assert len(contradicted) == 1
    assert "--set variable.NAME.role=quasi_identifier" in contradicted[0]


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"keys": ""}, "--keys names no column."),
        ({"sensitive": []}, "--sensitive names no column."),
        ({"keys": [3]}, "--keys must be names of columns."),
        ({"weight": 3}, "[options] weight must be the name of a column."),
    ],
)
def test_roles_that_name_nothing(said: dict[str, object], fault: str) -> None:
    assert fault in with_roles(Schema(), **said).faults()  # type: ignore[arg-type]


def test_names_with_commas_and_quotes_come_back() -> None:
    names = ["age", "Income, net", 'the "real" one', 'both, "of" them', "größe"]
    assert column_names(listed_names(names)) == names
    assert column_names("a,,b, ") == ["a", "b"]


def test_a_weight_in_the_file_that_is_a_key_is_a_fault_too() -> None:
    said = {"options": {"weight": "w", "key": "w"}, "variable": {"w": {"role": "sensitive"}}}
    found = Schema.from_dict(said).faults()
    assert '"w" is the weight, but the schema says that its role is "sensitive"' in found[0]
    assert "key that joins" in found[1]


# -- --set -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "content"),
    [
        ("variable.age.role=quasi_identifier", {"age": {"role": "quasi_identifier"}}),
        ('variable."a b.c".type=nominal', {"a b.c": {"type": "nominal"}}),
        ("variable.'a b.c'.type='nominal'", {"a b.c": {"type": "nominal"}}),
        ("variable.a b.c.type=nominal", {"a b.c": {"type": "nominal"}}),  # as a shell gives it
        ('variable."x=1".bins=7', {"x=1": {"bins": 7}}),
        ("variable.größe.order=[1, 2]", {"größe": {"order": [1, 2]}}),
        ("variable.age.recode.top=80", {"age": {"recode": {"top": 80}}}),
        ("variable.age.recode={ top = 80 }", {"age": {"recode": {"top": 80}}}),
    ],
)
def test_set_changes_or_makes_a_variable(setting: str, content: dict[str, object]) -> None:
    found = chosen_schema(None, [setting])
    assert found.faults() == []
    assert found.variables == Schema.from_dict({"variable": content}).variables


def test_set_changes_what_the_file_says_and_no_more(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        '[variable.age]\ntype = "ordinal"\nrole = "exclude"\n[level.P1]\nage = "suppress"'
    )
    found = chosen_schema(
        str(file), ["variable.age.role=quasi_identifier", "level.P2.age={ round = 5 }"]
    )
    assert (found.variables["age"].type, found.keys) == ("ordinal", ("age",))
    assert list(found.levels) == ["P1", "P2"]
    assert with_roles(found, keys="age").faults() == []  # --set comes before --keys


def test_set_of_a_column_that_no_table_has(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    said = complaint(capsys, main(["assess", *files, "--set", "variable.aeg.role=sensitive"]))
    assert 'the schema names a variable "aeg" that no table has. Did you mean "age"?' in said


def test_all_faults_of_set_come_at_once() -> None:
    with pytest.raises(InputError) as found:
        chosen_schema(None, ["age", "variable.age=3", "risk..l=3", "risk.l.x=1", "risk.l=3",
                             "risk.l.x=1"])  # fmt: skip
    assert len(found.value.faults) == 4
    assert "variable.NAME.ENTRY=VALUE" in str(found.value)
    assert "risk.l is no table" in str(found.value)
    unknown = chosen_schema(None, ["variable.age.rolle=id"]).faults()
    assert unknown == ['[variable.age] has an unknown entry "rolle". Did you mean "role"?']
