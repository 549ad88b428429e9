"""The summary on a terminal."""

import polars as pl
import pytest

import microgauge
from microgauge.cli import main

RED = "\x1b[31m"


@pytest.fixture
def people():
    """A level, a key and a target that would command a terminal."""
    return pl.DataFrame(
        {
            f"{RED}area": [f"{RED}north", "south\x00"] * 20,
            "sex": ["f", "f", "m", "m"] * 10,
            f"job{RED}": ["nurse", "smith", "nurse", "judge"] * 10,
        }
    )


def test_names_and_levels_do_not_command_a_terminal(people):
    area, _, job = people.columns
    schema = {
        "options": {"aligned": True},
        "variable": {
            area: {"role": "quasi_identifier"},
            "sex": {"role": "quasi_identifier"},
            job: {"role": "sensitive"},
        },
        "risk": {"group": area, "intruders": True},
    }
    protected = people.with_columns(sex=pl.Series(["f", "m"] * 20))
    result = microgauge.assess(people, protected, schema=schema)
    told = str(result)
    assert "\ufffd[31marea" in told
    assert "most in" in " ".join(told.split())
    assert all(sign.isprintable() for line in told.split("\n") for sign in line)


def test_faults_do_not_command_a_terminal(people, tmp_path, capsys):
    people.with_columns(pl.lit(1).alias(people.columns[0])).write_csv(tmp_path / "table.csv")
    schema = tmp_path / "schema.toml"
    schema.write_text('[variable.nobody]\nrole = "id"\n')
    table = str(tmp_path / "table.csv")
    assert main(["assess", table, table, "--schema", str(schema)]) == 2
    told = capsys.readouterr().err
    assert "\ufffd[31marea" in told
    assert "\x1b" not in told
