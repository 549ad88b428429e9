"""What still names people: every kind is found, surveys are not, and no value is ever told."""

import json
import uuid
from datetime import date, datetime, timedelta
from hashlib import sha256

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microgauge
from microgauge import InputError
from microgauge.results import stops
from microgauge.results.plain import json_text
from support.batches import assessed
from support.reports import data_of
from support.surveys import make_survey, perturb

ROWS = 240
RNG = np.random.default_rng(7)
NUMBERS = RNG.permutation(ROWS)
DAYS = [date(1950, 1, 1) + timedelta(int(d)) for d in RNG.integers(0, 20_000, ROWS)]
GIVEN = ["Ann", "Bo", "Cy", "Dee", "Eve", "Flo", "Gus", "Hal", "Ida", "Jon", "Kim", "Lou"]
STEMS = ["Hill", "Wood", "Lake", "Stone", "Field", "Brook", "Marsh", "North", "Black", "White"]
SURNAMES = [a + b for a in STEMS for b in ("", "er", "man", "son", "by", "ton", "well", "s")]


def drawn(values):
    return [values[i] for i in RNG.integers(0, len(values), ROWS)]


def iban(number):
    """A German account with right check digits, by the definition in ISO 13616."""
    account = f"{37040044:08d}{number:010d}"
    check = 98 - int(account + "131400") % 97
    return f"DE{check:02d}{account}"


def pesel(number):
    digits = [int(sign) for sign in f"{4405140000 + number:010d}"]
    weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)
    total = sum(d * w for d, w in zip(digits, weights, strict=True))
    return int("".join(map(str, digits)) + str(-total % 10))


KINDS = {
    "email": ("reach", [f"p{i}@mail.example.org" for i in NUMBERS]),
    "url": ("page", [f"https://example.org/people/{i}" for i in NUMBERS]),
    "phone": ("reach", [f"+49 30 {5_550_000 + i}" for i in NUMBERS]),
    "ip": ("machine", [f"10.1.{i % 250}.{i // 2}" for i in NUMBERS]),
    "iban": ("bank", [iban(i) for i in NUMBERS]),
    "card": ("payment", None),
    "national-id": ("p", [pesel(int(i)) for i in NUMBERS]),
    "hash": ("h", [sha256(str(i).encode()).hexdigest() for i in NUMBERS]),
    "date": ("d", DAYS),
    "coordinates": ("Latitude", (48 + RNG.random(ROWS)).round(5).tolist()),
    "free-text": ("said", [f"he told me that {w} was ill {i} times" for i, w in
                           zip(NUMBERS, drawn(GIVEN), strict=True)]),
    "called-name": ("Nachname", drawn(SURNAMES)),
    "called-address": ("calle", [f"{s} {i % 9}" for s, i in zip(drawn(SURNAMES), NUMBERS,
                                                                  strict=True)]),
    "called-contact": ("telefono", (600_000 + 7 * RNG.integers(0, 9_999, ROWS)).tolist()),
    "called-national-id": ("ssn", RNG.integers(10_000, 99_999, ROWS).tolist()),
    "called-person-id": ("hhid", (NUMBERS // 3 * 17 + 5).tolist()),
    "called-birth": ("geburtsdatum", RNG.integers(20_000, 44_000, ROWS).tolist()),
    "code": ("s", [f"2024HU{i // 2:07d}" for i in NUMBERS]),
    "running-number": ("n", (NUMBERS + 1).tolist()),
    "text": ("t", [f"{a} {b} {i}" for a, b, i in zip(drawn(GIVEN), drawn(STEMS), NUMBERS,
                                                        strict=True)]),
}  # fmt: skip


def card(number):
    """A card number with Luhn's digit, worked out from the right by hand."""
    digits = [int(sign) for sign in f"4{number:014d}"]
    total = 0
    for place, digit in enumerate(reversed(digits)):
        total += sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit
    return "".join(map(str, digits)) + str(-total % 10)


KINDS["card"] = ("payment", [card(int(i) * 7919) for i in NUMBERS])


def survey(seed=1, rows=ROWS):
    return pl.from_pandas(make_survey(rows, seed))


def release(seed=1):
    return pl.from_pandas(perturb(make_survey(ROWS, seed), 0.2))


def found(protected, original=None, rows=None, **choices):
    """Codes by column."""
    original = survey() if original is None else original
    result = assessed(original, protected, rows, only=["left_in"], **choices)
    return {one.column: one.code for one in result.left_in}


def codes_of(name, values):
    """What is found in a column that only the protected table has."""
    return found(release().with_columns(pl.Series(name, values))).get(name)


# -- every kind is found -----------------------------------------------------------------------


@pytest.mark.parametrize("code", KINDS)
def test_every_kind_is_found(code):
    name, values = KINDS[code]
    assert codes_of(name, values) == code


@pytest.mark.parametrize(
    "spelling",
    ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%y", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y",
     "%d-%b-%Y", "%Y%m%d", "%d%m%Y", "%Y-%m-%dT%H:%M:%S"],
)  # fmt: skip
def test_dates_are_found_as_they_are_spelt(spelling):
    texts = [datetime(d.year, d.month, d.day, 7).strftime(spelling) for d in DAYS]
    assert codes_of("x", texts) == "date"


def test_dates_are_found_as_dates_and_times_and_numbers():
    assert codes_of("x", [datetime(d.year, d.month, d.day, 7, 31) for d in DAYS]) == "date"
    assert codes_of("x", [int(d.strftime("%Y%m%d")) for d in DAYS]) == "date"


@pytest.mark.parametrize(
    "spelling", ["(907) 555-{:04d}", "907-555-{:04d}", "06 12 34 {:02d} 78", "0049 30 55{:05d}"]
)
def test_telephones_are_found_as_they_are_spelt(spelling):
    assert codes_of("x", [spelling.format(i % 100 + 0) for i in NUMBERS]) == "phone"


@pytest.mark.parametrize(
    "spelling",
    ["{:03d}-12-9999", "AB {:02d} 12 34 C", "1234{:04d}Z", "RSSMRA85T10A{:03d}S",
     "756.1234.{:04d}.97", "{:06d}-123A"],
)  # fmt: skip
def test_numbers_of_states_are_found_as_they_are_spelt(spelling):
    count = 100 if "{:02d}" in spelling else ROWS
    assert codes_of("x", [spelling.format(i % count) for i in NUMBERS]) == "national-id"


@pytest.mark.parametrize("count", [3, 1])
def test_a_few_addresses_among_other_answers_are_found(count):
    answers = ["yes"] * (ROWS - 12 * count) + [f"p{i}@x.org" for i in range(12)] * count
    result = microgauge.assess(
        survey(), release().with_columns(contact=pl.Series(answers)), only=["left_in"]
    )
    (one,) = result.left_in
    assert (one.code, one.share) == ("email", 12 * count / ROWS)


def test_uuids_in_either_spelling():
    made = [uuid.UUID(int=int(i) * 7919**9) for i in NUMBERS]
    assert codes_of("x", [str(u) for u in made]) == "hash"
    assert codes_of("x", [u.hex for u in made]) == "hash"


def test_pairs_of_coordinates_in_one_cell():
    pairs = [f"{a:.5f}, {b:.5f}" for a, b in RNG.random((ROWS, 2)) * 50]
    assert codes_of("x", pairs) == "coordinates"
    assert codes_of("x", [f"POINT({p.replace(',', '')})" for p in pairs]) == "coordinates"


def test_part_of_a_run_is_a_run():
    """Half of 1 … 480, and every third number: measured values would repeat."""
    assert codes_of("x", sorted(RNG.choice(2 * ROWS, ROWS, replace=False).tolist())) == (
        "running-number"
    )
    assert codes_of("x", (3 * NUMBERS + 11).tolist()) == "running-number"


def test_long_numbers_are_codes():
    assert codes_of("x", RNG.integers(10**9, 10**10, ROWS).tolist()) == "code"
    assert codes_of("x", [f"{i:09d}" for i in RNG.integers(0, 10**9, ROWS)]) == "code"
    assert codes_of("x", [f"{10**19 + int(i) * 7919:d}" for i in NUMBERS]) == "code"


@pytest.mark.parametrize(
    "name", ["name", "Last Name", "surname", "prénom", "apellidos", "cognome", "achternaam",
             "sobrenome", "Vorname", "patientName", "nazwisko"],
)  # fmt: skip
def test_names_in_several_languages(name):
    assert codes_of(name, drawn(SURNAMES)) == "called-name"


# -- surveys are not -----------------------------------------------------------------------------

HARMLESS = {
    "incomes, all different": np.exp(RNG.normal(10, 1, ROWS)),
    "incomes in cents": np.round(np.exp(RNG.normal(10, 1, ROWS)), 2),
    "whole amounts of eight digits": RNG.integers(10_000, 99_000_000, ROWS),
    "amounts of nine digits, most of one length": RNG.integers(1_000_000, 900_000_000, ROWS),
    "weights": RNG.uniform(0.2, 3000.0, ROWS),
    "amounts in another spelling": [f"{i:,.2f}".replace(",", " ").replace(".", ",")
                                    for i in np.exp(RNG.normal(10, 1, ROWS))],
    "euros": [f"€ {i:,}" for i in RNG.integers(100, 99_000_000, ROWS)],
    "answers": drawn(["yes", "no", "never"]),
    "ages": RNG.integers(16, 95, ROWS),
    "years": RNG.integers(1930, 2005, ROWS),
    "months": [date(1990 + m // 12, m % 12 + 1, 1) for m in RNG.integers(0, 240, ROWS)],
    "months as text": [f"{m % 12 + 1:02d}/{1990 + m // 12}" for m in RNG.integers(0, 240, ROWS)],
    "ends of quarters": [date(1990 + q // 4, q % 4 * 3 + 3, (31, 30, 30, 31)[q % 4])
                         for q in RNG.integers(0, 120, ROWS)],
    "days of field work": [date(2024, 5, 1) + timedelta(int(d)) for d in RNG.integers(0, 30, ROWS)],
    "hours of the day": [f"{m // 60:02d}:{m % 60:02d}" for m in RNG.permutation(1440)[:ROWS]],
    "lengths of time": [timedelta(seconds=float(s)) for s in RNG.random(ROWS) * 5000],
    "bands": [f"{10 * b}-{10 * b + 9}" for b in RNG.integers(0, 90, ROWS)],
    "open bands": [f"[{a:.1f},{a + 7:.1f})" for a in RNG.random(ROWS) * 1000],
    "occupations": [f"{1000 + o}" for o in RNG.integers(0, 400, ROWS)],
    "diseases": [f"{'ABCDEFGHIJ'[d % 10]}{d:02d}.{d % 9}" for d in RNG.integers(0, 99, ROWS)],
    "regions": drawn([f"{a} {b} District of the {c}" for a in STEMS for b in ("East", "West")
                      for c in ("Hills",)]),
    "flags": RNG.random(ROWS) < 0.5,
    "scores": RNG.normal(size=ROWS),
    "nothing": [None] * ROWS,
    "versions": drawn(["1.2.3.4", "1.2.3.5", "2.0.0.1"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_surveys_hold_is_not_found(kind):
    assert codes_of("x", HARMLESS[kind]) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("name", "answers"),  # of a region, say: few values
        ("name", "regions"),
        ("region_name", "regions"),
        ("name of school", "regions"),
        ("region_id", "occupations"),
        ("id", "answers"),
        ("year of birth", "years"),
        ("birth_date", "years"),
        ("dob", "months as text"),
        ("birth_weight", "incomes in cents"),
        ("latitude", "ages"),
        ("address", "answers"),
        ("street", "incomes in cents"),
        ("patient_id", "scores"),
    ],
)
def test_a_name_alone_is_no_finding(name, kind):
    assert codes_of(name, HARMLESS[kind]) is None


def test_coarse_coordinates_are_regions():
    assert codes_of("lat", (48 + RNG.random(ROWS)).round(2)) is None
    assert codes_of("long", RNG.integers(0, 9, ROWS)) is None


def test_a_protected_survey_has_nothing_left_in():
    assert found(release()) == {}


def test_amounts_that_a_file_holds_once_each_are_no_numbers_of_records():
    """A file may be chosen for its different values; these are skewed, a run is even."""
    skewed = np.unique(np.exp(RNG.normal(7.5, 1, 5000)).astype(int))
    assert codes_of("x", RNG.permutation(skewed)[:ROWS].tolist()) is None


# -- ids and the key -----------------------------------------------------------------------------


def numbered():
    """A key that no rule would find: whole numbers with gaps, most of which other records have."""
    units = pl.Series("unit", RNG.permutation(10**5)[:ROWS] ** 2)
    return survey().with_columns(units), release().with_columns(units)


def test_the_key_is_found_and_must_go():
    original, protected = numbered()
    result = microgauge.assess(original, protected, key="unit", only=["left_in"])
    (one,) = result.left_in
    assert (one.column, one.code, one.share, one.grade) == ("unit", "key", 1.0, "stop")
    assert "Remove the column, or replace it by a random number" in one.remedy


def test_ids_of_the_schema_are_found_whatever_they_hold():
    original, protected = numbered()
    assert found(protected, original) == {}
    said = {"variable": {"unit": {"role": "id"}}}
    assert found(protected, original, schema=said) == {"unit": "id"}
    few = [table.head(4) for table in (original, protected)]
    assert found(few[1], few[0], schema=said) == {"unit": "id"}
    gone = protected.with_columns(unit=pl.lit(None, pl.Int64))
    assert found(gone, original, schema=said) == {}
    same = protected.with_columns(unit=pl.lit(1))
    assert found(same, original, schema=said) == {}


def test_excluded_columns_are_looked_at():
    name, values = KINDS["email"]
    protected = release().with_columns(pl.Series(name, values))
    original = survey().with_columns(pl.Series(name, values))
    said = {"variable": {name: {"role": "exclude"}}}
    assert found(protected, original, schema=said) == {name: "email"}


def test_an_identifier_of_the_original_that_was_sampled_is_still_one():
    """Numbers that ran in the original leave gaps in a sample of records."""
    original = survey(rows=3000).with_columns(n=pl.int_range(3000))
    protected = release().with_columns(n=pl.Series(RNG.permutation(3000)[:ROWS] ** 1))
    assert found(protected, original) == {"n": "found-id"}


def test_weights_are_no_ids():
    weights = pl.Series("w", (NUMBERS + 1).astype(float))
    tables = [table.with_columns(weights) for table in (survey(), release())]
    assert found(tables[1], tables[0]) == {"w": "running-number"}
    assert found(tables[1], tables[0], schema={"options": {"weight": "w"}}) == {}


def test_declared_missing_codes_are_missing():
    values = [f"p{i}@x.org" if i < 9 else "unknown" for i in range(ROWS)]
    assert codes_of("x", values) is None
    values[0] = "-9"
    said = {"variable": {"x": {"missing": ["unknown", "-9"]}}}
    column = pl.Series("x", [f"p{i}@x.org" for i in range(12)] + ["unknown"] * (ROWS - 12))
    tables = [table.with_columns(column) for table in (survey(), release())]
    (one,) = microgauge.assess(*tables, schema=said, only=["left_in"]).left_in
    assert one.share == 1.0


def test_columns_that_cannot_be_looked_at_are_noted():
    lists = pl.Series("tags", [["a", "b"]] * ROWS)
    result = microgauge.assess(survey(), release().with_columns(lists), only=["left_in"])
    assert result.left_in == ()
    assert any('"tags"' in note and "not looked at" in note for note in result.notes)


# -- nothing was changed -----------------------------------------------------------------------


def test_the_same_file_is_found():
    assert found(survey()) == {None: "unchanged"}
    assert found(survey(), rows=50) == {None: "unchanged"}


@pytest.mark.parametrize("aligned", [None, False])
def test_the_same_rows_in_another_order_are_found(aligned):
    shuffled = survey().sample(fraction=1.0, shuffle=True, seed=3)
    said = {"options": {} if aligned is None else {"aligned": aligned}}
    assert found(shuffled, schema=said) == {None: "unchanged"}


def test_the_same_cells_spelt_in_another_way_are_found():
    as_text = survey().with_columns(pl.col("age").cast(pl.String))
    assert found(as_text) == {None: "unchanged"}


def test_values_where_there_were_none_are_a_change():
    """A variable that was empty and is not says nothing of what names people, but is no copy."""
    empty = pl.DataFrame({"answer": pl.Series([None] * ROWS, dtype=pl.Float64)})
    filled = pl.DataFrame({"answer": [1.5, 2.5] * (ROWS // 2)})
    assert found(filled, empty) == {}
    assert found(survey().with_columns(filled), survey().with_columns(empty)) == {}
    # Nothing at all is not called the very rows of the original; beside other variables it may be.
    assert found(empty, empty) == {}
    assert found(*[survey().with_columns(empty)] * 2) == {None: "unchanged"}


def test_new_ids_and_weights_are_no_protection():
    original = survey().with_columns(id=pl.Series(NUMBERS), w=pl.Series([1.0, 2.0] * (ROWS // 2)))
    protected = survey().with_columns(w=pl.Series([1.5, 1.0] * (ROWS // 2)))
    said = {"variable": {"id": {"role": "id"}}, "options": {"weight": "w"}}
    assert found(protected, original, schema=said) == {None: "unchanged"}


@given(st.integers(0, ROWS - 1), st.integers(0, ROWS - 1))
@settings(max_examples=20)
def test_two_cells_that_changed_places_are_a_change(a, b):
    """Every value is as frequent as before; only the rows differ."""
    original = survey()
    places = np.arange(ROWS)
    places[[a, b]] = places[[b, a]]
    protected = original.with_columns(original["income"].gather(places))
    rows = [sorted(map(repr, table.rows())) for table in (original, protected)]
    assert (found(protected, original) == {None: "unchanged"}) == (rows[0] == rows[1])


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.head(ROWS - 1),
        lambda t: pl.concat([t, t.tail(1)]),
        lambda t: t.drop("income"),
        lambda t: t.with_columns(region=pl.lit(None, pl.String)),
        lambda t: t.with_columns(sex=t["sex"].set(pl.Series([True] + [False] * (ROWS - 1)), None)),
        lambda t: t.select(pl.col(name).shuffle(i) for i, name in enumerate(t.columns)),
    ],
)
def test_any_change_is_a_change(change):
    assert found(change(survey())) == {}


# -- laws ------------------------------------------------------------------------------------------


def crowded():
    """A table with every kind of column in it."""
    columns = [pl.Series(f"{name} {i}", values) for i, (name, values) in enumerate(KINDS.values())]
    return release().with_columns(columns)


def told(result):
    return sorted(json.dumps(one) for one in result.to_dict()["left_in"])


def test_neither_order_nor_batches_matter():
    protected = crowded()
    whole = microgauge.assess(survey(), protected, only=["left_in"])
    assert len(whole.left_in) == len(KINDS)
    other = protected.select(protected.columns[::-1]).sample(fraction=1.0, shuffle=True, seed=9)
    assert told(microgauge.assess(survey(), other, only=["left_in"])) == told(whole)
    assert told(assessed(survey(), protected, 37, only=["left_in"])) == told(whole)


def test_twice_the_records_leave_spellings_alone():
    protected = crowded()
    twice = pl.concat([protected, protected])
    once = microgauge.assess(survey(), protected, only=["left_in"])
    both = microgauge.assess(survey(), twice, only=["left_in"])
    spelt = {"email", "url", "phone", "ip", "iban", "card", "national-id", "hash", "date"}
    wanted = {(one.column, one.code, one.share) for one in once.left_in if one.code in spelt}
    assert len(wanted) == len(spelt)
    assert wanted <= {(one.column, one.code, one.share) for one in both.left_in}


MARK = "Zyxwvut"


def test_no_cell_is_ever_told(capsys, tmp_path):
    """A mark in every cell of text, and one in every number, is in no output."""
    columns = {
        "Nachname": [f"{MARK}{s}" for s in drawn(SURNAMES)],
        "mail": [f"{MARK}{i}@example.org" for i in NUMBERS],
        "said": [f"he is {MARK} and was here {i} times" for i in NUMBERS],
        "code": [f"{MARK}{i:07d}" for i in NUMBERS],
        "long": [f"98765432{i:04d}" for i in NUMBERS],
        "kept": [f"{MARK}{i}" for i in NUMBERS],
    }
    protected = release().with_columns([pl.Series(name, v) for name, v in columns.items()])
    said = {"left_in": {"ignore": ["kept"]}}
    result = microgauge.assess(survey(), protected, schema=said, only=["left_in"])
    assert {one.column for one in result.left_in} == columns.keys() - {"kept"}
    outputs = [str(result), json_text(result), result.report(), result._repr_html_(), repr(result)]
    outputs += [result.report(edition="public"), *map(str, result.remarks)]
    from microgauge.cli import main

    survey().write_csv(tmp_path / "o.csv")
    protected.write_csv(tmp_path / "p.csv")
    names = [str(tmp_path / name) for name in ("o.csv", "p.csv")]
    assert main(["assess", *names, "--only", "left_in", "--set", "left_in.ignore=nothing"]) == 2
    assert main(["assess", *names, "--only", "left_in"]) == 0
    outputs += list(capsys.readouterr())
    for output in outputs:
        assert MARK not in output
        assert "98765432" not in output


# -- many values ---------------------------------------------------------------------------------


def test_beyond_a_limit_a_sample_of_values_tells(monkeypatch):
    """Shares are near those of all values, whichever are looked at."""
    monkeypatch.setattr("microgauge.measures.left_in.contents.MOST_LOOKED", 100)
    rows = 4000
    mail = [f"p{i}@x.org" if i % 4 else f"other answer {i}" for i in range(rows - 2000)]
    protected = survey(2, rows).with_columns(x=pl.Series(mail + ["none"] * 2000))
    original = survey(3, rows)
    (one,) = microgauge.assess(original, protected, only=["left_in"]).left_in
    assert one.code == "email"
    assert one.share == pytest.approx(0.375, abs=0.06)


def test_texts_that_cannot_be_told_apart(tmp_path):
    protected = release().with_columns(note=pl.Series([f"a {i}" for i in NUMBERS]))
    protected.write_parquet(tmp_path / "p.parquet")
    survey().write_parquet(tmp_path / "o.parquet")
    paths = (tmp_path / "o.parquet", tmp_path / "p.parquet")
    said = {"options": {"distinct_values": 150}}
    result = assessed(*paths, 50, schema=said, only=["left_in"])
    assert {one.column: one.code for one in result.left_in} == {"note": "crowded"}
    (plain,) = result.to_dict()["left_in"]
    assert plain["share"] is None
    assert "distinct_values" in plain["reason"]
    said = {"options": {"distinct_values": 100}}  # too few of 240 to say anything
    result = assessed(*paths, 50, schema=said, only=["left_in"])
    assert result.left_in == ()
    assert any('"note"' in note and "not looked at" in note for note in result.notes)


def test_runs_that_cannot_be_told_apart(tmp_path):
    release().with_columns(n=pl.Series(NUMBERS)).write_parquet(tmp_path / "p.parquet")
    survey().write_parquet(tmp_path / "o.parquet")
    said = {"options": {"distinct_values": 150}}
    tables = (tmp_path / "o.parquet", tmp_path / "p.parquet")
    result = assessed(*tables, 50, schema=said, only=["left_in"])
    assert {one.column: one.code for one in result.left_in} == {"n": "running-number"}


def test_a_key_that_joins_nothing_is_told_without_a_share(tmp_path):
    original, protected = numbered()
    original.write_parquet(tmp_path / "o.parquet")
    protected.write_parquet(tmp_path / "p.parquet")
    said = {"options": {"key": "unit", "aligned": False}}
    tables = (tmp_path / "o.parquet", tmp_path / "p.parquet")
    (one,) = assessed(*tables, 50, schema=said, only=["left_in"]).left_in
    assert (one.code, one.share, one.reason) == ("key", None, "its values were not told apart")
    (one,) = assessed(*tables, schema=said, only=["left_in"]).left_in
    assert (one.code, one.share) == ("key", 1.0)


# -- choices -------------------------------------------------------------------------------------


def with_mail():
    name, values = KINDS["email"]
    return release().with_columns(pl.Series(name, values))


def test_a_column_may_be_accepted_and_is_noted():
    said = {"left_in": {"ignore": "reach"}}  # one name stands for a list of it
    result = microgauge.assess(survey(), with_mail(), schema=said, only=["left_in"])
    assert result.left_in == ()
    (note,) = [remark for remark in result.remarks if remark.code == "left-in-accepted"]
    assert note.about == ("reach",)
    assert "e-mail addresses" in note.sentence


@pytest.mark.parametrize(
    ("ignore", "fault"),
    [
        (["raech"], 'names "raech", which is no column. Did you mean "reach"?'),
        ([1], "ignore must be a list of column names"),
        ({}, "ignore must be a list"),
    ],
)
def test_what_is_wrong_with_choices_is_told(ignore, fault):
    said = {"left_in": {"ignore": ignore}, "variable": {"nobody": {"role": "id"}}}
    with pytest.raises(InputError) as caught:
        microgauge.assess(survey(), with_mail(), schema=said)
    assert any(fault in one for one in caught.value.faults)
    assert any('"nobody"' in one for one in caught.value.faults)


def test_other_parts_do_not_mind_a_column_that_only_the_protected_table_has():
    """Yardsticks and rankings look at the original alone, too."""
    said = {
        "left_in": {"ignore": ["reach"]},
        "variable": {"age": {"role": "quasi_identifier"}},
        "propensity": {"resamples": 0},
    }
    asked = {"schema": said, "only": ["gdu", "left_in"]}
    result = microgauge.assess(survey(), with_mail(), yardsticks=True, **asked)
    assert all(one.gdu is not None for one in result.yardsticks)
    ranking = microgauge.rank(survey(), [with_mail()], names=["a"], **asked)
    assert ranking.candidates[0].assessment.left_in == ()
    microgauge.diagnose(survey(), schema=said)


# -- where it is told ------------------------------------------------------------------------------


def test_it_is_told_before_all_else():
    result = microgauge.assess(survey(), with_mail(), only=["gdu", "left_in"])
    assert stops(result.left_in)
    lines = str(result).splitlines()
    assert lines[0].startswith("STOP: the file still holds what names people: reach.")
    assert next(n for n, line in enumerate(lines) if line == "Left in") < next(
        n for n, line in enumerate(lines) if line.startswith("Weakest")
    )
    data = data_of(result.report())
    assert data["verdict"][0].startswith("STOP: the file still holds")
    assert data["sections"][0]["name"] == "left_in"
    assert data["sections"][0]["first"] is True
    assert "STOP" in result._repr_html_()
    plain = result.to_dict()
    assert list(plain)[4] == "left_in"
    assert plain["left_in"] == [
        {
            "column": "reach",
            "why": "e-mail addresses",
            "share": 1.0,
            "code": "email",
            "grade": "stop",
            "sentence": '"reach" holds e-mail addresses in all of its filled cells.',
            "remedy": "Remove the column.",
        }
    ]


def test_both_stories_are_told():
    same = survey().with_columns(pl.Series(*KINDS["email"]))
    text = str(microgauge.assess(same, same, only=["left_in"]))
    assert text.startswith("STOP: nothing was changed.")
    assert "\nSTOP: the file still holds what names people: reach." in text


def test_little_is_said_where_nothing_was_found():
    result = microgauge.assess(survey(), release(), only=["gdu", "left_in"])
    assert result.left_in == ()
    assert not stops(result.left_in)
    assert str(result).count("names people") == 1
    assert "STOP" not in str(result)
    assert result.to_dict()["left_in"] == []


def test_data_users_are_not_told():
    page = microgauge.assess(survey(), with_mail(), only=["gdu", "left_in"])
    public = json.dumps(data_of(page.report(edition="public")))
    assert "STOP" not in public
    assert "left_in" not in public


def test_it_can_be_left_out():
    result = microgauge.assess(survey(), with_mail(), only=["gdu"])
    assert result.left_in is None
    assert not stops(result.left_in)
    assert "left_in" not in result.to_dict()
