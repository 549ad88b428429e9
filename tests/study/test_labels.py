"""Labels of variables and of their values: from files and from the schema, into results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyreadstat
import pytest

import microgauge
from microgauge.results import Assessment, VariableResult
from microgauge.results.wording import abridged
from microgauge.sections.gdu.report import variables as reported
from microgauge.tables import read_table
from support.command import columns_of

LABELS = {"sex": "Sex of the person", "income": "Yearly  income\n(euro)", "region": "Region"}
SEXES = {1: "male", 2: "female"}
REGIONS = {1: "north", 2: "south", 3: "the island"}
ROWS = 120
FRAME = pd.DataFrame(
    {
        "sex": [1 + i % 2 for i in range(ROWS)],
        "region": [3 if i < 4 else 1 + i % 2 for i in range(ROWS)],
        "income": [1000.5 + 37 * (i % 50) for i in range(ROWS)],
        "plain": [i % 7 for i in range(ROWS)],
    }
)


def by_name(result: Assessment) -> dict[str, VariableResult]:
    return {variable.name: variable for variable in result.variables}


@pytest.mark.parametrize("form", ["sav", "zsav", "por", "dta", "xpt"])
def test_labels_of_variables_are_read_from_files(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    upper = form in ("por", "xpt")
    frame = FRAME.rename(columns=str.upper) if upper else FRAME
    labels = {name.upper() if upper else name: text for name, text in LABELS.items()}
    if form == "por":  # which has no signs for other lines
        labels = {name: text.replace("\n", " ") for name, text in labels.items()}
    write = {"sav": "sav", "zsav": "sav", "por": "por", "dta": "dta", "xpt": "xport"}[form]
    more = {"compress": True} if form == "zsav" else {}
    getattr(pyreadstat, f"write_{write}")(frame, str(path), column_labels=labels, **more)
    found = {
        name: column.label for name, column in read_table(path, which="original").columns.items()
    }
    expected = {name: " ".join(text.split()) for name, text in labels.items()}
    assert found == expected | {"PLAIN" if upper else "plain": None}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labelled") / "o.sav"
    values = {"sex": SEXES, "region": REGIONS}
    pyreadstat.write_sav(
        FRAME.astype(float), str(path), column_labels=LABELS, variable_value_labels=values
    )
    return path


def assessed(labelled: Path, schema: dict[str, Any] | None = None, **choices: Any) -> Assessment:
    """A labelled original against a protected file that has no labels."""
    after = pl.from_pandas(FRAME).with_columns(income=(pl.col("income") / 100).round() * 100)
    return microgauge.assess(labelled, after, schema=schema, only=["gdu"], **choices)


def test_labels_come_into_the_result(labelled: Path) -> None:
    found = by_name(assessed(labelled))
    assert found["sex"].label == "Sex of the person"
    assert found["income"].label == "Yearly income (euro)"
    assert found["sex"].value_labels == {"1": "male", "2": "female"}
    assert found["plain"].label is None
    assert found["plain"].value_labels is None
    written = json.loads(json.dumps(assessed(labelled).to_dict()))["variables"]
    assert [v["label"] for v in written] == [v.label for v in found.values()]


def test_the_schema_has_the_last_word_and_moves_no_figure(labelled: Path) -> None:
    said = {"variable": {
        "sex": {"label": "Gender", "labels": {"2": "woman"}},
        "plain": {"label": "Any", "labels": {"1": "one"}, "role": "exclude"},
    }}  # fmt: skip
    without = {"variable": {"plain": {"role": "exclude"}}}
    result = assessed(labelled, said)
    found = by_name(result)
    assert (found["sex"].label, found["plain"].label) == ("Gender", "Any")
    assert found["sex"].value_labels == {"1": "male", "2": "woman"}
    assert result.gdu == assessed(labelled, without).gdu


def test_where_both_files_are_labelled_the_texts_are_the_categories(labelled: Path) -> None:
    result = microgauge.assess(labelled, labelled, only=["gdu"], details=True)
    assert by_name(result)["sex"].value_labels is None
    (entry,) = [e for e in reported(result, "internal", 0) if e["name"] == "sex"]
    assert set(entry["detail"]["labels"]) == {"male", "female"}


def test_the_report_is_handed_labels_of_what_it_shows(labelled: Path) -> None:
    result = assessed(labelled, details=True)
    entries = {entry["name"]: entry for entry in reported(result, "internal", 0)}
    assert entries["region"]["label"] == "Region"
    assert entries["region"]["value_labels"] == {"1": "north", "2": "south", "3": "the island"}
    (told,) = result.presenter.for_users([result], 10)
    public = {entry["name"]: entry for entry in reported(told, "public", 10)}
    assert public["region"]["label"] == "Region"
    assert "3" not in public["region"]["detail"]["labels"]
    assert "3" not in public["region"]["value_labels"]
    shown = set(public["region"]["detail"]["labels"])
    assert set(public["region"]["value_labels"]) == shown - {"(others)"}
    assert "the island" not in result.report("public")
    assert "the island" in result.report("internal")


def test_the_terminal_shows_labels_within_80_columns(labelled: Path) -> None:
    long = "面" * 5000 + "\x1b[2J" + "x" * 5000
    for label in ("Sex", long):
        after = pl.from_pandas(FRAME).with_columns(sex=1)
        said = {"variable": {"sex": {"label": label}}}
        text = str(microgauge.assess(labelled, after, schema=said, only=["gdu"]))
        assert abridged(label)[:3] in text
        assert "\x1b" not in text
        assert max(map(columns_of, text.splitlines())) <= 80
        told = str(microgauge.diagnose(labelled, schema=said, keys="sex"))
        assert "Labels" in told
        assert max(map(columns_of, told.splitlines())) <= 80


def test_a_diagnosis_has_labels(labelled: Path) -> None:
    found = {v.name: v for v in microgauge.diagnose(labelled, keys="sex").variables}
    assert found["income"].label == "Yearly income (euro)"
    assert found["plain"].label is None


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ({"label": 3}, "[variable.sex]: label must be text."),
        ({"labels": {"1": 2}}, "[variable.sex] labels must be a table of texts"),
        ({"labels": ["male"]}, "[variable.sex] labels must be a table, found list."),
    ],
)
def test_labels_that_are_none(entry: dict[str, Any], fault: str) -> None:
    (found,) = microgauge.Schema.from_dict({"variable": {"sex": entry}}).faults()
    assert found.startswith(fault)
