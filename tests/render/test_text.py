"""The summary on a terminal."""

import json
import re

import polars as pl
import pytest

import microgauge
from microgauge.cli import main
from microgauge.render.report.data import assessment_data
from microgauge.render.text import wrapped
from support.reports import demo_result

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
    told = result.long_text()
    assert "\ufffd[31marea" in told
    told += str(result)
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


def test_per_cent_stands_apart_from_its_number_and_on_its_line():
    lines = str(demo_result()).splitlines()
    assert any(re.search(r"\d %", line) for line in lines)
    assert not any(re.search(r"\d%", line) for line in lines)
    assert not any(line.strip().startswith("%") for line in lines)


def test_a_report_writes_per_cent_as_a_terminal_does():
    said = json.dumps(assessment_data(demo_result(), "internal", 3), ensure_ascii=False)
    told = re.sub(r'"[^"]*": |"\.\d%"', "", said)  # without keys and formats of charts
    assert re.search(r"\d %", told)
    assert not re.search(r"\d%", told)


@pytest.mark.parametrize("before", range(60, 80))
def test_no_line_is_broken_before_per_cent(before):
    lines = wrapped(f"{'x' * before} 93 % of all", "")
    assert any("93 %" in line for line in lines)
    assert all(len(line) <= 80 for line in lines)
