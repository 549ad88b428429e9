"""Rules over different values and their records, by themselves."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microgauge.measures.left_in import contents as contents_module
from microgauge.measures.left_in.contents import Contents
from microgauge.measures.left_in.names import named
from microgauge.measures.left_in.rules import found_in, given_out


def numbers(values):
    found, rows = np.unique(np.asarray(values, dtype=float), return_counts=True)
    return Contents("x", "number", found, rows)


def texts(values, name="x"):
    counted = pl.Series(values).value_counts().sort("")
    return Contents(name, "text", counted[""], counted["count"].to_numpy().astype(np.int64))


@given(st.integers(40, 400), st.integers(-1000, 1000), st.sampled_from([1, 2, 7]))
def test_whole_runs_are_given_out(count, start, step):
    assert given_out(numbers(start + step * np.arange(count)))


@pytest.mark.parametrize("seed", range(40))
def test_numbers_that_are_drawn_are_not_given_out(seed):
    """Uniform numbers, which repeat least, whatever their range."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(20, 2000))
    assert not given_out(numbers(rng.integers(0, int(rng.integers(2, 50)) * count, count)))


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
def test_samples_of_a_run_are_given_out(share):
    """As long as enough repeats would be expected: 2000 of 40,000 numbers, 50 pairs."""
    rng = np.random.default_rng(3)
    assert given_out(numbers(rng.choice(int(2000 / share), 2000, replace=False)))
    assert not given_out(numbers(rng.choice(10**6, 2000, replace=False)))  # 2 pairs: may be amounts


def test_hardly_any_repeats_are_allowed():
    run = np.arange(2000)
    assert given_out(numbers(np.append(run, run[:20])))  # 1000 pairs are expected
    assert not given_out(numbers(np.append(run, run[:400])))


@pytest.mark.parametrize("most", [50, 100_000])
def test_shares_are_those_of_records(monkeypatch, most):
    """The commonest values are always among those looked at."""
    monkeypatch.setattr(contents_module, "MOST_LOOKED", most)
    values = ["none"] * 900 + [f"p{i}@x.org" for i in range(100)]
    found = found_in(texts(values))
    assert found.code == "email"
    assert found.share == pytest.approx(0.1)


def test_few_values_are_groups():
    assert found_in(texts([f"p{i}@x.org" for i in range(9)] * 30)) is None
    assert found_in(texts([f"p{i}@x.org" for i in range(10)] * 30)).code == "email"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("date_of_birth", "birth"), ("DOB", "birth"), ("Geburts-Datum", "birth"),
        ("fecha de nacimiento", "birth"), ("data_nascita", "birth"), ("geboortedatum", "birth"),
        ("data de nascimento", "birth"), ("DateNaissance", "birth"),
        ("SSN", "national-id"), ("BSN", "national-id"), ("codice_fiscale", "national-id"),
        ("DNI", "national-id"), ("Sozialversicherungsnummer", "national-id"),
        ("cpf", "national-id"),
        ("E-Mail", "contact"), ("e_mail_address", "contact"), ("téléphone", "contact"),
        ("Telefonnummer", "contact"), ("telefoon", "contact"), ("IBAN", "contact"),
        ("full_name", "name"), ("Familienname", "name"), ("Nom", "name"), ("NOMBRE", "name"),
        ("Straße", "address"), ("strasse_2", "address"), ("homeAddress", "address"),
        ("dirección", "address"), ("indirizzo", "address"), ("endereço", "address"),
        ("patient_id", "person-id"), ("PersonID", "person-id"), ("SERIALNO", "person-id"),
        ("ori_hid", "person-id"), ("Matrikelnummer", "person-id"), ("id", "person-id"),
        ("Längengrad", "degrees"), ("Laengengrad", "degrees"), ("gps.lat", "degrees"),
        ("name_of_region", None), ("region name", None), ("AGEP", None), ("idea", None),
        ("valid", None), ("income", None), ("birth_order", None), ("birth_weight", None),
        ("year_of_birth", None), ("country_of_birth", None), ("school_id", None), ("", None),
        ("latent", None), ("how_long", None), ("platform", None), ("hid_den", "person-id"),
        ("名前", None), ("widower", None), ("paid", None),
    ],
)  # fmt: skip
def test_names_of_columns(name, kind):
    assert named(name) == kind
