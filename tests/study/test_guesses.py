"""Guesses of keys and sensitive variables: by words in several languages, types, and values."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pandas as pd
import polars as pl
import pyreadstat
import pytest

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.commands.draft import draft_schema
from microgauge.study.guesses import MOST_KEYS, guessed_by_words

KEYS = """
age AGEP AgeGroup age_cat birth_year sex Gender race RAC1P ethnicity marital.status MAR occupation
workclass native-country PUMA ST zip_code education SCHL hhsize nationality Alter Geschlecht
Geburtsjahr Familienstand Staatsangehörigkeit Staatsangehoerigkeit Bundesland Gemeindegröße PLZ
Beruf Schulabschluss Haushaltsgröße sexe année_naissance nationalité commune profession diplôme
état_civil edad sexo año_nacimiento municipio estado_civil ocupación nivel_estudios leeftijd
geslacht geboortejaar gemeente beroep opleiding burgerlijke_staat età sesso anno_nascita comune
stato_civile titolo_di_studio cittadinanza idade concelho escolaridade wiek płeć województwo ålder
kjønn kommune utbildning
"""
SENSITIVE = """
income PINCP wage_week salary Health health_status diagnosis religion HICOV disability
capital-gain Einkommen Haushaltsnettoeinkommen Bruttolohn Gesundheitszustand Diagnose Behinderung
Konfession revenu salaire santé maladie ingresos salario enfermedad religión inkomen ziekte
godsdienst reddito stipendio malattia rendimento saúde dochód inkomst
"""
NEITHER = """
average percentage stage image message weight w id PWGTP q7 x value score height storage
sexton_brand incoming note comment height_cm age_at_diagnosis passage
"""


@pytest.mark.parametrize("name", KEYS.split())
def test_names_of_keys(name: str) -> None:
    found = guessed_by_words(name)
    assert found is not None
    assert (found.role, found.by) == ("quasi_identifier", "name")


@pytest.mark.parametrize("name", SENSITIVE.split())
def test_names_of_what_is_sensitive(name: str) -> None:
    found = guessed_by_words(name)
    assert found is not None
    assert found.role == "sensitive"


@pytest.mark.parametrize("name", NEITHER.split())
def test_names_that_say_nothing(name: str) -> None:
    assert guessed_by_words(name) is None


def test_a_label_speaks_where_the_name_does_not() -> None:
    assert guessed_by_words("V12", "Age of the respondent") == guessed_by_words("V1", "age")
    assert guessed_by_words("V12", "Do you think that at your age people should still work") is None
    assert guessed_by_words("income", "Sex").role == "sensitive"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("income_wt", None), ("hhweight", "Household weight"), ("V7", "Weight for income"),
        ("PWGTP", "Person's weight"), ("gewicht_haushalt", None), ("poids_menage", None),
        ("household_id", None), ("V3", "Household identifier"), ("family_id", None),
        ("V4", "Identifiant du ménage"),
    ],
)  # fmt: skip
def test_weights_and_identifiers_are_no_keys(name: str, label: str | None) -> None:
    assert guessed_by_words(name, label) is None


@pytest.mark.parametrize("name", ["sex_id", "region_id", "education_id", "diagnosis_id"])
def test_codes_of_groups_are_no_identifiers(name: str) -> None:
    assert guessed_by_words(name) is not None


SLOW = ["propensity", "clusters", "ecdf"]
ROWS = 60
FRAME = pl.DataFrame(
    {
        "person": [f"p-{i:03}" for i in range(ROWS)],
        "age": [20 + i % 31 for i in range(ROWS)],
        "sex": ["f", "m"] * (ROWS // 2),
        "region": ["one value"] * ROWS,
        "occupation": [f"secret text {i % 40}" for i in range(ROWS)],
        "city": [i / 7 for i in range(ROWS)],
        "zip": [1000 + i * i for i in range(ROWS)],
        "income": [100.5 * i for i in range(ROWS)],
        "other": [f"hidden {i % 3}" for i in range(ROWS)],
    }
)


def test_types_and_distinct_values_count() -> None:
    """Constants, free text and measured sizes are no keys whatever they are called."""
    drafted = draft_schema(FRAME)
    roles = {name: entry["role"] for name, entry in tomllib.loads(drafted)["variable"].items()}
    assert roles == {
        "person": "id", "age": "quasi_identifier", "sex": "quasi_identifier",
        "region": "analysis", "occupation": "analysis", "city": "analysis",
        "zip": "analysis",
        "income": "sensitive", "other": "analysis",
    }  # fmt: skip


def test_a_draft_says_what_is_a_guess_and_quotes_no_cell() -> None:
    drafted = draft_schema(FRAME)
    assert 'role = "quasi_identifier"  # a guess by its name: check it' in drafted
    assert "# Guessed to be keys, by name or label: age, sex." in drafted
    assert "# Guessed to be sensitive, by name or label: income." in drafted
    for cell in ("secret", "hidden", "one value", "p-0", "100.5"):
        assert cell not in drafted
    result = microgauge.assess(FRAME, FRAME, schema=tomllib.loads(drafted), only=["risk"])
    assert result.risk is not None
    assert result.risk.keys == ("age", "sex")


def test_a_draft_takes_labels_from_the_file(tmp_path: Path) -> None:
    hostile = 'Sex \x7f "of" the\n# person ]]'
    frame = pd.DataFrame({"V1": [1.0, 2.0] * 20, "V2": [float(i % 9) for i in range(40)]})
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(
        frame, str(path), column_labels={"V1": hostile}, variable_value_labels={"V1": {1: "male"}}
    )
    drafted = draft_schema(path)
    found = tomllib.loads(drafted)["variable"]
    assert found["V1"]["label"] == " ".join(hostile.split())
    assert 'role = "quasi_identifier"  # a guess by its label: check it' in drafted
    assert "label" not in found["V2"]
    assert "male" not in drafted
    assert "\x7f" not in drafted


# -- the next step ---------------------------------------------------------------------------


def test_the_verdict_names_what_may_be_keys() -> None:
    before = FRAME.drop("person")
    after = before.with_columns(age=pl.col("age") // 10 * 10)
    result = microgauge.assess(before, after, skip=SLOW)
    assert result.verdict is not None
    assert result.verdict.safe.sentence == (
        "Its safety was not measured: no quasi-identifier is declared. Name the variables by "
        "which a person could be recognised: --keys age,sex (guessed by name or label; keys= in "
        "Python)."
    )
    (note,) = [note for note in result.remarks if note.code == "risk-not-measured"]
    assert note.about == ("age", "sex")


def test_what_was_removed_is_not_proposed() -> None:
    result = microgauge.assess(FRAME, FRAME.drop("sex"), skip=SLOW)
    assert result.verdict is not None
    assert "--keys age (guessed" in result.verdict.safe.sentence


def test_without_a_guess_it_is_said_how_keys_are_named() -> None:
    frame = FRAME.select("city", "other")
    result = microgauge.assess(frame, frame, skip=SLOW)
    assert result.verdict is not None
    assert "with --keys A,B (keys= in Python) or role" in result.verdict.safe.sentence


def test_names_are_quoted_for_a_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    frame = FRAME.select(pl.col("age").alias("age, in years"), pl.col("sex").alias("$sex"))
    frame.write_csv(path)
    assert main(["diagnose", str(path)]) == 2
    said = capsys.readouterr().err
    assert """--keys '"age, in years",$sex' (guessed""" in said
    assert main(["diagnose", str(path), "--keys", '"age, in years",$sex']) == 0


def test_only_so_many_are_proposed() -> None:
    frame = FRAME.select(pl.col("sex").alias(f"race{i}") for i in range(20))
    frame = frame.with_columns(FRAME["age"])
    with pytest.raises(InputError, match="--keys age,race0") as found:
        microgauge.diagnose(frame)
    assert str(found.value).count("race") == MOST_KEYS - 1
