"""Tables read in batches: the same figures as in memory, and the same care with bad input."""

import errno
import gc
import gzip
import json
import tempfile
import warnings
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import microgauge
from microgauge import InputError
from microgauge.cli import main
from microgauge.commands.draft import draft_schema
from microgauge.engines import join, joining, local, opening
from microgauge.engines.opening import reading_of
from microgauge.results.plain import json_text
from microgauge.schema import Schema
from microgauge.sections.registry import choosable
from microgauge.tables import Key, Reading, read_table
from microgauge.tables.budget import memory_bytes
from microgauge.tables.scratch import Spilled, Veil
from microgauge.tables.source import Source
from microgauge.values.hashing import key_words
from microgauge.values.totals import Total
from support.batches import assessed, in_batches
from support.command import complaint
from support.figures import differences, without_paths
from support.tables import GRADES, SECRET, SUFFIX, parts, people, protected_version, said, write


def test_the_comparison_finds_differences():
    assert differences({"a": [1.0, {"b": 2}]}, {"a": [1.0, {"b": 3}]}) == ["result.a[1].b: 2 3"]
    assert differences({"a": 1.0}, {"a": 1.0 + 1e-8})
    assert differences({"a": None}, {"a": 0.0})
    assert differences({"a": 1}, {"b": 1})
    assert not differences({"a": 1.0}, {"a": 1.0 + 1e-11})


# -- tables --------------------------------------------------------------------------------------


def tables(design):
    """Two tables and the options that say how their rows correspond."""
    original = people()
    protected = protected_version(original)
    if design in ("row order", "apart"):
        original, protected = (t.drop("number") for t in (original, protected))
        if design == "row order":
            return original, protected, {}
        return original, protected.head(110), {"aligned": False}
    spelt = {
        "numbers": (pl.col("number"), pl.col("number")),
        "texts": (pl.format("u-{}", "number"),) * 2,
        "padded": (pl.format("00{}", "number"),) * 2,
        "number and text": (pl.col("number"), pl.col("number").cast(pl.String)),
    }[design]
    added = protected_version(people(12, seed=9)).with_columns(number=pl.col("number") + 10_000)
    protected = pl.concat([protected.head(118), added]).sample(fraction=1, shuffle=True, seed=3)
    original, protected = (
        table.with_columns(number=key)
        for table, key in zip((original, protected), spelt, strict=True)
    )
    return original, protected, {"key": "number", "weight": "w"}


SECTIONS = [
    "gdu", "propensity", "clusters", "ecdf", "loss", "indicators", "regressions", "risk", "rut",
]  # fmt: skip

FORMATS = ("parquet", "arrow", "csv", "semicolon", "csv.gz", "bom", "na")


# -- the same result -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("design", "form", "rows"),
    [
        ("numbers", "parquet", 40),
        ("texts", "csv.gz", 1000),
        ("padded", "csv", 13),
        ("number and text", "arrow", 33),
        ("row order", "parquet", 17),
        ("row order", "semicolon", 50),
        ("row order", "na", 31),
        ("apart", "bom", 77),
    ],
)
def test_every_section_is_the_same_in_memory_and_in_batches(tmp_path, design, form, rows):
    original, protected, options = tables(design)
    paths = [
        parts(original, tmp_path / "original", form),
        parts(protected, tmp_path / "protected", form, (90, 0, 3)),
    ]
    outside = parts(original[::2], tmp_path / "external", form, (5,))
    choices = {"schema": said(**options), "external": outside, "only": choosable()}
    whole = without_paths(assessed(*paths, **choices))
    split = without_paths(assessed(*paths, rows, **choices))
    assert set(SECTIONS) < whole.keys()
    assert whole["inputs"]["alignment"]["aligned"] == (design != "apart")
    assert differences(whole, split) == []


def test_one_table_in_memory_and_one_in_batches(tmp_path):
    original, protected, options = tables("number and text")
    path = parts(original, tmp_path / "original", "parquet")
    choices = {"schema": said(**options), "only": ["gdu", "loss", "risk"]}
    whole = assessed(original, protected, **choices)
    mixed = assessed(path, protected, 21, **choices)
    assert differences(without_paths(whole), without_paths(mixed)) == []


def test_samples_are_the_same_in_memory_and_in_batches(tmp_path):
    for design in ("numbers", "row order"):
        original, protected, options = tables(design)
        folder = tmp_path / design.split()[0]
        folder.mkdir()
        paths = [
            parts(original, folder / "original", "parquet"),
            parts(protected, folder / "protected", "parquet"),
        ]
        choices = {"schema": said(**options, sample_rows=100)}
        whole, split = assessed(*paths, **choices), assessed(*paths, 37, **choices)
        assert any("look at" in note for note in whole.notes)
        assert differences(without_paths(whole), without_paths(split)) == []


@pytest.mark.parametrize("limit", [1, 50, 10_000])
def test_the_join_of_rows_in_buckets_changes_nothing(tmp_path, limit):
    original, protected, options = tables("texts")
    choices = {"schema": said(**options), "only": ["loss"]}
    whole = without_paths(assessed(original, protected, **choices))
    path = parts(original, tmp_path / "original", "parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joining, "ROWS_AT_A_TIME", limit)
        patch.setattr(joining, "LONG_ROWS", 11)
        split = without_paths(assessed(path, protected, 40, **choices))
    assert differences(whole, split) == []


@pytest.mark.parametrize("rows", [None, 40])
@pytest.mark.parametrize("design", ["numbers", "texts", "padded", "number and text"])
def test_the_key_is_nominal(tmp_path, design, rows):
    # A name for units, whatever it is written in.
    original, protected, options = tables(design)
    paths = [tmp_path / "o.parquet", tmp_path / "p.parquet"]
    for path, frame in zip(paths, (original, protected), strict=True):
        frame.write_parquet(path)
    result = assessed(*paths, rows, schema={"options": options}, only=["gdu"])
    (found,) = (v for v in result.variables if v.name == "number")
    assert (found.type, found.protected_type, found.role) == ("nominal", "nominal", "id")


def test_diagnosis_and_draft_are_the_same(tmp_path):
    original, protected, _ = tables("numbers")
    paths = [
        parts(original, tmp_path / "original", "csv"),
        parts(protected, tmp_path / "protected", "csv"),
    ]
    schema = said()
    del schema["indicator"], schema["regression"], schema["model"], schema["propensity"]
    drafts = [draft_schema(*paths)]
    diagnoses = [json.loads(json_text(microgauge.diagnose(paths[0], schema=schema)))]
    with in_batches(23):
        drafts.append(draft_schema(*paths))
        diagnoses.append(json.loads(json_text(microgauge.diagnose(paths[0], schema=schema))))
    assert "[variable.region]" in drafts[0]
    assert drafts[0] == drafts[1]
    assert differences(*diagnoses) == []


def test_yardsticks_are_the_same(tmp_path):
    original, protected, options = tables("numbers")
    paths = [
        parts(original, tmp_path / "original", "parquet"),
        parts(protected, tmp_path / "protected", "parquet"),
    ]
    choices = {"schema": said(**options), "only": ["gdu"], "yardsticks": True}
    whole, split = (without_paths(assessed(*paths, rows, **choices)) for rows in (None, 40))
    assert len(whole["yardsticks"]) == 5
    assert differences(whole, split) == []


def test_a_ranking_is_the_same(tmp_path):
    original, protected, options = tables("texts")
    first = parts(original, tmp_path / "original", "csv")
    others = [
        parts(protected, tmp_path / "weak", "parquet"),
        parts(protected.with_columns(age=pl.lit(40)), tmp_path / "strong", "csv"),
    ]
    choices = {"schema": said(**options), "only": ["gdu", "risk", "rut"]}
    found = [json.loads(json_text(microgauge.rank(first, others, **choices)))]
    with in_batches(40):
        found.append(json.loads(json_text(microgauge.rank(first, others, **choices))))
    for ranking in found:
        assert len(ranking["candidates"]) == 2
    assert differences(*found) == []


def test_the_command_reads_in_batches(tmp_path, capsys):
    folder = parts(people(80), tmp_path / "t", "csv")
    (tmp_path / "scratch").mkdir()
    arguments = ["assess", str(folder / "part-*.csv"), str(folder), "--only", "gdu,loss"]
    found = []
    for name in ("whole", "split"):
        more = ["--json", str(tmp_path / f"{name}.json")]
        if name == "split":
            more += ["--memory", "256MB", "--scratch", str(tmp_path / "scratch")]
        with in_batches(30) if name == "split" else pytest.MonkeyPatch.context():
            assert main([*arguments, *more]) == 0
        found.append(json.loads((tmp_path / f"{name}.json").read_text()))
    memory = [one.pop("manifest")["options"]["memory"] for one in found]
    assert memory == [None, "256MB"]
    assert capsys.readouterr().err == ""
    assert found[0]["inputs"]["original"]["rows"] == 80
    assert differences(*found) == []


def test_progress_is_a_share(tmp_path):
    folder = parts(people(80), tmp_path / "t", "parquet")
    heard = []
    assessed(folder, folder, 9, only=["gdu"], progress=lambda *said: heard.append(said))
    assert all(0 <= share <= 1 for _, share in heard)
    words = {what for what, _ in heard}
    assert {f"{how} the {which} table" for how in ("reading", "coding")
            for which in ("original", "protected")} <= words  # fmt: skip
    shares = [share for what, share in heard if what == "coding the protected table"]
    assert shares == sorted(shares)
    assert shares[-1] > 0.8


# -- the same tables -----------------------------------------------------------------------------


def content(table):
    """Kinds, values and cells, by column; and what is left out."""
    found = {}
    for name, column in table.columns.items():
        known = column.values
        values = known.to_list() if isinstance(known, pl.Series) else known.tolist()
        cells = [[*values, None][code] for code in column.codes[:]]
        found[name] = (column.kind, column.order, values, cells)
    return table.rows, found, dict(table.unsupported)


def read_both(source, rows, key=None):
    """The content of a table in memory and in batches."""
    whole = read_table(source, which="original")
    with in_batches(rows):
        split = read_table(source, which="original", reading=Reading(1, key=key))
    assert any(isinstance(column.codes, Spilled) for column in split.columns.values())
    return content(whole), content(split)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("rows", [1, 17])
def test_every_cell_is_the_same_in_any_format_and_batches(tmp_path, form, rows):
    frame = people(25, seed=4)
    whole, split = read_both(parts(frame, tmp_path / "t", form, (0, 1, 15, 0)), rows)
    assert whole[0] == 25
    assert whole == split
    assert set(whole[1]["note"][2]) == {"two\nlines", 'says "no", twice', "blanks", "a;b,c|d",
                                        "Łódź", *(["NA"] if form == "na" else [])}  # fmt: skip


PLAIN = "name,x\n" + "".join(f"person {i},{i / 4}\n" for i in range(40))


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", "|"),
        PLAIN.replace("name,x", " name , x ").replace(",", ", "),
        PLAIN.replace("person 5,", "\n\nperson 5,") + "\n\n",
        PLAIN.replace("person 5,1.25", "person 5"),
        PLAIN.replace("person 5,", ","),
        PLAIN.replace("person", "'the, person'").replace("' ", "',").replace("name,", "name,n,"),
        PLAIN + '"a ""b"", c\n\nd",7\n',
        "x\n1\n\n3\n4\n\n",
        '"","x"\n' + "".join(f'"{i}",{i * 2}\n' for i in range(9)),
        "x;y\n" + "".join(f"{i},5;{i}\n" for i in range(20)) + "abc;3\n",
        "x;y\n" + "".join(f"-{i},25; {i} \n" for i in range(20)) + ";\n",
        "x,y\n" + "".join(f"{i if i % 3 else 'NA'},{i if i % 4 else '.'}\n" for i in range(20)),
        "\ufeff" + PLAIN.replace("name,x", '"name","x"'),
    ],
)
def test_every_spelling_of_delimited_text_reads_the_same(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_bytes(text.encode())
    zipped = tmp_path / "table.csv.gz"
    zipped.write_bytes(gzip.compress(text.encode()))
    whole, split = read_both(path, 3)
    assert whole == split
    assert read_both(zipped, 7)[1] == whole


@pytest.mark.parametrize(("lines", "batches"), [(20_000, False), (1_000_000, True)])
def test_zipped_text_counts_as_long_as_it_is(tmp_path, lines, batches):
    """A million equal lines zip to a thousandth."""
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"name,place\n" + b"a,somewhere else\n" * lines))
    source = Source.find(path, "original")
    assert source.bytes < 100_000
    assert Reading(memory=256 << 20).batches(source) is batches


@pytest.mark.parametrize(
    ("lines", "held"), [(20, True), (3_000_000, False)], ids=["held", "in batches"]
)
def test_zipped_text_is_unzipped_once(tmp_path, monkeypatch, lines, held):
    """For its length and for its cells; of too much of it, only as much as tells so."""
    text = b"name,place\n" + b"a,somewhere else\n" * lines
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(text))
    source = Source.find(path, "original")
    unzipped = []

    class Counting(gzip.GzipFile):
        def read(self, size=-1):
            unzipped.append(super().read(size))
            return unzipped[-1]

    monkeypatch.setattr(gzip, "open", lambda name, mode: Counting(name, mode))
    monkeypatch.setattr(gzip, "decompress", None)
    assert Reading(memory=256 << 20).batches(source) is not held
    if held:
        assert source.held().frame().height == lines
        assert b"".join(unzipped) == text
    assert source.unzipped == {}
    assert sum(map(len, unzipped)) <= (32 << 20)


def test_memory_that_is_given_bounds_the_rows_that_measures_hold(monkeypatch):
    monkeypatch.setattr(opening, "ROW_BYTES", 1 << 20)
    frame = pl.DataFrame({"x": range(400), "y": [1, 2] * 200})
    choices = {"only": ["propensity"]}
    bounded, free = (
        " ".join(microgauge.assess(frame, frame, memory=memory, **choices).notes)
        for memory in ("256MB", None)
    )
    assert "of the 400 original ones, chosen by hash" in bounded
    assert "of the 400 original ones" not in free


CELLS = {
    pl.Int64: st.integers(-(2**53), 2**53),
    pl.UInt8: st.integers(0, 255),
    pl.Float64: st.floats(allow_nan=True, allow_infinity=True, width=64),
    pl.Float32: st.floats(allow_nan=True, width=32),
    pl.Boolean: st.booleans(),
    pl.Date: st.dates(date(1, 1, 1), date(9999, 1, 1)),
    pl.Datetime: st.datetimes(pd.Timestamp(1700, 1, 1), pd.Timestamp(2200, 1, 1)),
    pl.Time: st.times(),
    pl.String: st.text(" \tab1é\n\"',;", max_size=4),
    pl.Categorical: st.sampled_from(["a", " a", "b", ""]),
    pl.Enum(["z", "y", " x "]): st.sampled_from(["z", "y", " x "]),
    pl.Null: st.none(),
}


@pytest.mark.parametrize("dtype", CELLS, ids=str)
@given(data=st.data())
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_cell_is_the_same_for_any_type(tmp_path, dtype, data):
    cells = data.draw(st.lists(st.none() | CELLS[dtype], min_size=1, max_size=25))
    cut = data.draw(st.integers(0, len(cells)))
    form = data.draw(st.sampled_from(["parquet", "arrow"]))
    frame = pl.DataFrame({"x": pl.Series(cells, dtype=dtype)})
    paths = [tmp_path / f"{i}.{form}" for i in range(2)]
    write(frame[:cut], paths[0], form)
    write(frame[cut:], paths[1], form)
    whole, split = read_both(paths, data.draw(st.integers(1, 26)))
    assert whole == split


def test_parts_may_differ_in_the_size_of_numbers_and_in_the_order_of_columns(tmp_path):
    frames = [
        pl.DataFrame({"x": [1, 2], "y": ["a", None]}, schema={"x": pl.Int8, "y": pl.String}),
        pl.DataFrame({"y": ["b", "a"], "x": [2.5, None]}, schema={"y": pl.String, "x": pl.Float64}),
        pl.DataFrame({"x": [None], "y": ["b"]}, schema={"x": pl.Null, "y": pl.Categorical}),
        pl.DataFrame({"x": [2**40], "y": [None]}, schema={"x": pl.UInt64, "y": pl.Null}),
    ]
    for i, frame in enumerate(frames):
        frame.write_parquet(tmp_path / f"{i}.parquet")
    whole, split = read_both(tmp_path, 1)
    assert whole == split
    assert whole[1]["x"][3] == [1, 2, 2.5, None, None, 2**40]
    assert whole[1]["y"][3] == ["a", None, "b", "a", "b", None]


def test_columns_of_lists_are_left_out_alike(tmp_path):
    pl.DataFrame({"x": [1, 2], "y": [[1], [2, 3]]}).write_parquet(tmp_path / "t.parquet")
    whole, split = read_both(tmp_path / "t.parquet", 1)
    assert whole == split
    assert list(whole[2]) == ["y"]


def test_an_order_survives_a_part_without_values(tmp_path):
    grades = pl.Series(GRADES * 5, dtype=pl.Enum(GRADES))
    pl.DataFrame({"x": grades}).write_parquet(tmp_path / "0.parquet")
    pl.DataFrame({"x": [None] * 3}, schema={"x": pl.Null}).write_parquet(tmp_path / "1.parquet")
    whole, split = read_both(tmp_path, 4)
    assert whole[1]["x"][1] == tuple(GRADES)
    assert whole == split


def test_delimited_parts_may_differ_in_the_order_of_columns(tmp_path):
    (tmp_path / "0.csv").write_text("x;y\n1,5;a\n2,5;b\n")
    (tmp_path / "1.csv").write_text("y;x\na;3,5\nb;4,5\n")
    whole, split = read_both(tmp_path, 1)
    assert whole[1]["x"][3] == ["1.5", "2.5", "3.5", "4.5"]
    assert whole == split


def test_decimal_commas_are_those_of_the_whole_table(tmp_path):
    (tmp_path / "0.csv").write_text("x;y\n1,5;a\n2,5;b\n")
    (tmp_path / "1.csv").write_text("x;y\n1,2,3;a\nnone;b\n")
    whole, split = read_both(tmp_path, 1)
    assert split[1]["x"][3] == ["1,5", "2,5", "1,2,3", "none"]
    assert whole == split


def test_whole_numbers_beyond_two_to_the_53_are_the_same(tmp_path):
    pl.DataFrame({"x": [2**60, 2**60 + 1, 2**60 + 300]}).write_parquet(tmp_path / "t.parquet")
    whole, split = read_both(tmp_path / "t.parquet", 2)
    assert whole == split


def test_unsigned_numbers_beyond_two_to_the_63_are_read(tmp_path):
    frame = pl.DataFrame({"x": pl.Series([2**63, 2**63 + 4096], dtype=pl.UInt64)})
    frame.write_parquet(tmp_path / "t.parquet")
    whole, split = read_both(tmp_path / "t.parquet", 1)
    assert whole == split


# -- identifiers ---------------------------------------------------------------------------------


def roles(tmp_path, cells, rows, said=None):
    """Whether a column is taken for an identifier: in memory, and in batches."""
    frame = pl.DataFrame({"x": cells, "sex": [i % 2 for i in range(len(cells))]})
    frame.write_csv(tmp_path / "t.csv")
    paths = [tmp_path / "t.csv"] * 2
    schema = {"variable": {"x": said}} if said else {}
    return [
        assessed(*paths, size, schema=schema, only=["gdu"]).variables[0].role == "id"
        for size in (None, rows)
    ]


@pytest.mark.parametrize("rows", [3, 1000])
@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (list(range(40)), True),
        (list(range(-5, 35)), True),
        ([f"{i:04d}" for i in range(40)], True),
        ([f"u{i}" for i in range(40)], True),
        ([f"u{i}" for i in range(39)] + ["u0"], False),
        ([f"u{i}" for i in range(39)] + [None], False),
        ([*range(20), *range(21, 41)], False),
        ([*range(20), None, *range(21, 40)], False),
        ([*range(39), 0], False),
        (list(range(40, 0, -1)), True),
        (list(range(19, 0, -1)), False),
        ([i / 2 for i in range(40)], False),
        ([i * 3 for i in range(40)], False),
    ],
)
def test_identifiers_are_found_alike(tmp_path, cells, found, rows):
    assert roles(tmp_path, cells, rows) == [found, found]


def test_numbers_with_one_na_are_no_identifier(tmp_path):
    cells = [*(str(i + i % 7 / 10) for i in range(39)), "NA"]
    assert roles(tmp_path, cells, 7) == [False, False]


def test_padded_codes_that_all_differ_are_an_identifier(tmp_path):
    assert roles(tmp_path, [f"{i * 7:05d}" for i in range(40)], 7) == [True, True]


def test_texts_with_a_declared_missing_code_are_no_identifier(tmp_path):
    cells = [*(f"t{i}" for i in range(39)), "none"]
    assert roles(tmp_path, cells, 7, {"missing": ["none"]}) == [False, False]


def test_numbers_that_fill_their_range_are_an_identifier_in_any_order(tmp_path):
    cells = [*range(20, 40), *range(20)]
    assert roles(tmp_path, cells, 20) == [True, True]
    assert roles(tmp_path, [*range(9, 18), *range(9)], 9) == [False, False]  # few may be answers


# -- what is a table -----------------------------------------------------------------------------


def test_a_folder_a_pattern_and_a_list_name_the_same_parts(tmp_path):
    frame = people(40)
    folder = parts(frame, tmp_path / "t", "parquet", (7, 11))
    (folder / "_SUCCESS").write_text("")
    (folder / ".part-0.parquet.crc").write_bytes(b"\0\1")
    (folder / "deeper").mkdir()
    write(frame, folder / "deeper" / "part-9.parquet", "parquet")
    names = [folder / f"part-{i}.parquet" for i in range(3)]
    expected = content(read_table(frame, which="original"))
    for source in (folder, str(folder), str(folder / "part-*.parquet"), names, [folder]):
        whole, split = read_both(source, 9)
        assert whole == split == expected
    turned = content(read_table(names[::-1], which="original"))
    assert turned[0] == expected[0]
    assert turned[1]["number"][3][:22] == expected[1]["number"][3][18:]


def test_zipped_and_plain_parts_may_be_mixed(tmp_path):
    frame = people(40)
    write(frame[:15], tmp_path / "0.csv.gz", "csv.gz")
    write(frame[15:], tmp_path / "1.csv", "csv")
    whole, split = read_both(tmp_path, 6)
    assert whole == split
    assert whole[0] == 40


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda folder: folder, "folder without files"),
        (lambda folder: [], "empty list"),
        (lambda folder: folder / "no.parquet", "there is no file"),
        (lambda folder: folder / "no-*.parquet", "no file is named like"),
        (lambda folder: [folder / "no.parquet"], "there is no file"),
    ],
)
def test_what_names_no_file_is_said(tmp_path, make, words):
    with pytest.raises(InputError, match=words):
        microgauge.assess(make(tmp_path), people(20))


def test_tables_are_read_in_batches_where_memory_is_short(tmp_path):
    frame = people(200)
    for form in ("parquet", "csv"):
        path = tmp_path / f"t.{form}"
        write(frame, path, form)
        source = Source.find(path, "original")
        needed = source.format.needed(source, 1 << 40)
        for memory, kind in ((4 * needed, np.ndarray), (4 * needed - 4, Spilled)):
            table = read_table(path, which="original", reading=Reading(memory))
            assert isinstance(table.columns["sex"].codes, kind)


# -- keys ----------------------------------------------------------------------------------------


def keyed(cells, name="k"):
    """A table of keys and row numbers."""
    return pl.DataFrame({name: cells, "row": np.arange(len(cells))})


def joined(a, b, limit=None, long=None):
    """Two tables joined by k: what was found, and the row numbers of each pair."""
    reading = Reading(1 << 40, key="k")
    sides = [read_table(frame, which="original", reading=reading) for frame in (a, b)]
    with pytest.MonkeyPatch.context() as patch:
        if limit is not None:
            patch.setattr(joining, "ROWS_AT_A_TIME", limit)
            patch.setattr(joining, "LONG_ROWS", long)
        found = join(*sides, "k")
    codes = found.rows._codes
    pairs = [codes[prefix + "row"][:] for prefix in (joining.ORIGINAL, joining.PROTECTED)]
    return found, list(zip(*(side.tolist() for side in pairs), strict=True))


keys = st.one_of(
    st.lists(st.integers(-20, 20), min_size=1, max_size=30),
    st.lists(st.text("ab01", max_size=3), min_size=1, max_size=30),
    st.lists(st.floats(-2, 2, allow_nan=False).map(lambda x: round(x, 1)), min_size=1, max_size=30),
)


@given(st.data(), st.sampled_from([(None, None), (1, 5), (7, 1), (16, 100)]))
@settings(max_examples=80, deadline=None)
def test_the_join_is_that_of_pandas(data, limits):
    one = data.draw(keys.filter(lambda cells: any(str(c).strip() for c in cells)))
    like = st.sampled_from(one) | st.none()
    sides = [data.draw(st.lists(like, min_size=1, max_size=25)) for _ in range(2)]
    frames = [keyed(pl.Series(side, dtype=pl.Series(one).dtype)) for side in sides]
    found, pairs = joined(*frames, *limits)
    cells = [frame["k"] for frame in frames]
    if cells[0].dtype == pl.String:
        cells = [side.replace("", None) for side in cells]
        parsed = [side.cast(pl.Float64, strict=False) for side in cells]
        # Where all keys of both tables spell numbers, they are numbers, whatever their zeros.
        if all(p.null_count() == c.null_count() for p, c in zip(parsed, cells, strict=True)):
            cells = parsed
        else:
            cells = [_spelt(side) for side in cells]
    pandas = [
        pd.DataFrame({"k": side.to_list(), "row": np.arange(len(side))}).dropna() for side in cells
    ]
    assert found.missing == tuple(side.null_count() for side in cells)
    assert found.repeated == tuple(int(side["k"].duplicated().sum()) for side in pandas)
    if not any(found.repeated):
        merged = pandas[0].merge(pandas[1], on="k", how="inner").sort_values("row_x")
        assert pairs == list(zip(merged["row_x"], merged["row_y"], strict=True))
        assert found.matched == len(merged)


def _spelt(texts):
    """Plain numbers in one spelling; padded ones and words as they stand."""
    return pl.Series(
        [
            t if t is None or not t.isdigit() or (t[:1] == "0" and t != "0") else str(float(t))
            for t in texts
        ],
        dtype=pl.String,
    )


@pytest.mark.parametrize("limit", [None, 1000])
def test_a_longer_join_is_that_of_pandas(limit):
    rng = np.random.default_rng(2)
    sides = [rng.choice(50_000, 20_000, replace=False) * 7919 for _ in range(2)]
    found, pairs = joined(keyed(sides[0]), keyed(sides[1].astype(str)), limit, 3001)
    frames = [pd.DataFrame({"k": side, "row": np.arange(20_000)}) for side in sides]
    merged = frames[0].merge(frames[1], on="k").sort_values("row_x")
    assert found.matched == len(merged) > 7000
    assert pairs == list(zip(merged["row_x"], merged["row_y"], strict=True))


def test_the_second_hash_decides_where_first_ones_collide(monkeypatch):
    texts = [f"unit {i}" for i in range(200)]
    other = [*texts[::-1][:150], "new"]

    def colliding(values, *, numbers):
        words = key_words(values, numbers=numbers)
        words[0] = 12345
        return words

    monkeypatch.setattr(local, "key_words", colliding)
    for limits in ((None, None), (30, 7)):
        found, pairs = joined(keyed(texts), keyed(other), *limits)
        assert found.repeated == (0, 0)
        assert pairs == [(row, 199 - row) for row in range(50, 200)]
    repeated, _ = joined(keyed([*texts, "unit 3", "unit 3"]), keyed(other))
    assert repeated.repeated == (2, 0)


def test_a_collision_of_both_hashes_would_be_a_repeated_key(monkeypatch):
    # What the words of a key do not tell apart is one key: no join falls back on something else.
    monkeypatch.setattr(
        local, "key_words", lambda values, numbers: np.full((2, len(values)), 5, np.uint64)
    )
    assert joined(keyed(["a", "b", "c"]), keyed(["a"]))[0].repeated == (2, 0)


@pytest.mark.parametrize(
    ("one", "other", "matched"),
    [
        (["007", "008"], [7, 8], 2),
        (["007", "008"], ["7", "8"], 2),
        (["007", "A"], ["7", "A"], 1),
        (["007", "A"], ["007", "A"], 2),
        ([7.0, 8.5], ["7", "8.50"], 2),
        (["1e3", "5"], [1000, 5], 2),
        ([0.0, 1.0], [-0.0, 2.0], 1),
        ([" a", "b "], ["a", "b"], 2),
        (["a", "A"], ["A", "c"], 1),
        ([date(2020, 1, 1), date(2020, 1, 2)], [date(2020, 1, 2), date(2021, 1, 1)], 1),
        ([True, False], [1, 2], 1),
        (["inf", "nan"], ["nan", "x"], 1),
    ],
)
def test_how_keys_are_compared(tmp_path, one, other, matched):
    assert joined(keyed(one), keyed(other))[0].matched == matched
    for found in joined_anywhere(tmp_path, one, other):
        assert found.matched == matched


def joined_anywhere(folder, one, other):
    """Two tables joined by k: in memory, in batches, and one in each, either way."""
    sides = []
    for name, cells in (("a", one), ("b", other)):
        path = folder / f"{name}.parquet"
        keyed(cells).write_parquet(path)
        whole = read_table(path, which="original", reading=Reading(1 << 40, key="k"))
        with in_batches(1):
            split = read_table(path, which="original", reading=Reading(1, key="k"))
            assert whole.key is None
            assert isinstance(split.key, Key)
            sides.append((whole, split))
    with in_batches(1):  # a key may have to be read once more
        return [join(a, b, "k") for a in sides[0] for b in sides[1]]


def test_padded_keys_beside_other_texts(tmp_path):
    # The same text in both tables must be the same unit, whatever other keys a table has.
    one, other = ["001", "002", "003"], ["001", "002", "X1"]
    for sides in ((one, other), (other, one)):
        for found in joined_anywhere(tmp_path, *sides):
            assert found.matched == 2
            assert found.repeated == (0, 0)
    # As numbers 1 and 001 are one key, as texts they are not.
    for found in joined_anywhere(tmp_path, ["1", "001"], ["1", "X"]):
        assert (found.repeated, found.matched) == ((0, 0), 1)
    for found in joined_anywhere(tmp_path, ["1", "001"], ["1", "2"]):
        assert found.repeated == (1, 0)


def spelt_as(kind, keys):
    """Whole numbers as a column of some kind."""
    return keys.cast(pl.String) if kind == "text" else keys.cast(kind)


LONG = {
    18: 110101199001010000,
    19: 1_750_000_000_000_000_000,
}


@pytest.mark.parametrize(
    "digits",
    [
        18,
        pytest.param(
            19,
        ),
    ],
)
@pytest.mark.parametrize("kind", ["text", pl.Int64, pl.UInt64])
def test_long_keys_are_told_apart(tmp_path, kind, digits):
    keys = pl.Series([LONG[digits] + i for i in range(20)])
    for other in ("text", pl.Int64):
        apart = joined_anywhere(tmp_path, spelt_as(kind, keys[:10]), spelt_as(other, keys[10:]))
        for found in apart:
            assert found.repeated == (0, 0)
            assert found.matched == 0
        for found in joined_anywhere(tmp_path, spelt_as(kind, keys), spelt_as(other, keys)):
            assert found.repeated == (0, 0)
            assert found.matched == 20


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ([1, 2, 3, None, None], [1, 2, 3, 4, 5], '"k" is missing in 2 rows of the original'),
        ([1, 2, 3, 4, 5], [1, 2, 2, 2, 5], '"k" is repeated in 2 rows of the protected'),
        ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], "no value that occurs in both"),
        (["a", "b", "", " ", "c"], ["a", "b", "c", "d", "e"], '"k" is missing in 2 rows of the or'),
    ],
)
@pytest.mark.parametrize("rows", [None, 2])
def test_keys_that_cannot_join_are_faults(tmp_path, capsys, one, other, words, rows):
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, cells in zip(paths, (one, other), strict=True):
        keyed(cells).with_columns(x=pl.col("row") % 2).write_parquet(path)
    arguments = ["assess", *map(str, paths), "--key", "k"]
    with in_batches(rows) if rows else pytest.MonkeyPatch.context():
        assert main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


def test_both_tables_faults_of_a_key_are_told_at_once():
    with pytest.raises(InputError) as caught:
        microgauge.assess(keyed([1, 1, 2, 3]), keyed([1, None, 2, 3]), key="k")
    assert len(caught.value.faults) == 2


# -- bad input -----------------------------------------------------------------------------------


def refused(capsys, *arguments, rows=5):
    """What the command says of input that it refuses, in batches or in memory."""
    with in_batches(rows) if rows else pytest.MonkeyPatch.context():
        said = complaint(capsys, main(["assess", *map(str, arguments), "--only", "gdu"]))
    assert "SECRET" not in said
    return said


def secrets(rows=12, **columns):
    frame = pl.DataFrame({"name": [SECRET] * rows, "age": [41] * rows, "sex": [1, 2] * (rows // 2)})
    return frame.with_columns(**columns)


def hundred(folder, form, spoil):
    """A hundred parts, of which some are spoilt."""
    folder.mkdir()
    paths = [folder / f"part-{i:03d}.{SUFFIX.get(form, form)}" for i in range(100)]
    for path in paths:
        write(secrets(2), path, form)
    for number, change in spoil.items():
        change(paths[number], form)
    return folder


def garbage(path, form):
    path.write_bytes(np.random.default_rng(1).bytes(900) + SECRET.encode())


def truncated(path, form):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])


def emptied(path, form):
    path.write_bytes(b"")


def without_a_column(path, form):
    write(secrets(2).drop("age"), path, form)


def with_a_column(path, form):
    write(secrets(2, salary=pl.lit(417)), path, form)


def of_another_type(path, form):
    write(secrets(2, age=pl.lit(SECRET)), path, form)


@pytest.mark.parametrize("rows", [None, 5])
@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("change", [garbage, truncated, emptied])
def test_a_damaged_part_is_named(tmp_path, capsys, form, change, rows):
    folder = hundred(tmp_path / "t", form, {57: change})
    said = refused(capsys, folder, folder, rows=rows)
    assert f"part-057.{form}" in said
    assert said.count("part-") == 1


@pytest.mark.parametrize("rows", [None, 5])
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_all_bad_parts_are_told_at_once(tmp_path, capsys, form, rows):
    spoil = {
        3: garbage, 11: truncated, 29: without_a_column, 30: garbage, 57: with_a_column,
        99: of_another_type,
    }  # fmt: skip
    folder = hundred(tmp_path / "t", form, spoil)
    with pytest.raises(InputError) as caught:
        assessed(folder, folder, rows)
    faults = caught.value.faults
    assert len(faults) == len(spoil)
    for number in spoil:
        assert sum(f"part-{number:03d}" in fault for fault in faults) == 1
    told = {number: next(f for f in faults if f"part-{number:03d}" in f) for number in spoil}
    assert "lacks age" in told[29]
    assert "has salary" in told[57]
    assert 'holds "age" as String' in told[99]
    said = refused(capsys, folder, folder, rows=rows)
    assert said.count("\n  - ") == len(spoil)


def test_an_empty_part_is_told_with_the_other_bad_ones(tmp_path):
    folder = hundred(tmp_path / "t", "parquet", {3: garbage, 8: emptied, 9: emptied})
    with pytest.raises(InputError) as caught:
        microgauge.assess(folder, folder)
    assert [sum(f"part-{n:03d}" in f for f in caught.value.faults) for n in (3, 8, 9)] == [1, 1, 1]


def test_the_odd_part_out_is_named(tmp_path):
    for i in range(20):
        write(secrets(2), tmp_path / f"part-{i:03d}", "parquet")
    garbage(tmp_path / "part-007", "parquet")
    with pytest.raises(InputError, match="part-007"):
        microgauge.assess(tmp_path, tmp_path)


def test_an_empty_part_is_told_with_the_odd_one_out(tmp_path):
    for i in range(20):
        write(secrets(2), tmp_path / f"part-{i:03d}", "parquet")
    garbage(tmp_path / "part-007", "parquet")
    emptied(tmp_path / "part-008", "parquet")
    with pytest.raises(InputError) as caught:
        microgauge.assess(tmp_path, tmp_path)
    assert [sum(f"part-{n:03d}" in f for f in caught.value.faults) for n in (7, 8)] == [1, 1]


@pytest.mark.parametrize("rows", [None, 5])
def test_all_bad_delimited_parts_are_told_at_once(tmp_path, rows):
    spoil = {3: garbage, 29: without_a_column, 30: garbage, 57: with_a_column}
    folder = hundred(tmp_path / "t", "csv", spoil)
    with pytest.raises(InputError) as caught:
        assessed(folder, folder, rows)
    for number in spoil:
        assert sum(f"part-{number:03d}" in fault for fault in caught.value.faults) == 1
    # The first line of a part may be data: no names of columns.
    told = " ".join(caught.value.faults).replace(str(folder), "")
    assert told.count("has another first line than part-000.csv") == 2
    assert "age" not in told
    assert "salary" not in told


@pytest.mark.parametrize("rows", [None, 5])
@pytest.mark.parametrize("line", [f"{SECRET},41,2\n", f"{SECRET},{SECRET},2\n"])
def test_a_part_without_a_header_shows_no_cell(tmp_path, capsys, line, rows):
    write(secrets(), tmp_path / "part-0.csv", "csv")
    (tmp_path / "part-1.csv").write_text(line * 3)
    assert "part-1.csv" in refused(capsys, tmp_path, tmp_path, rows=rows)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
@pytest.mark.parametrize("rows", [None, 5])
def test_damage_inside_a_part_is_found_and_named(tmp_path, capsys, form, rows):
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"name": [f"{SECRET}-{i}" for i in range(900)], "x": rng.random(900)})
    (tmp_path / "t").mkdir()
    for number in range(3):
        path = tmp_path / "t" / f"part-{number}.{form}"
        if form == "parquet":
            frame.write_parquet(path, compression="zstd")
        else:
            frame.write_ipc(path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[200:2000] = bytes(1800)
    path.write_bytes(content)
    said = refused(capsys, tmp_path / "t", tmp_path / "t", rows=rows)
    assert f"part-2.{form}" in said


def test_damage_that_polars_panics_at_is_a_fault(tmp_path, monkeypatch):
    # Some flipped bits of a Parquet or Arrow file do this; which, depends on the version.
    path = tmp_path / "t.parquet"
    write(secrets(), path, "parquet")

    def panic(*_, **__):
        raise pl.exceptions.PanicException("called `Option::unwrap()` on a `None` value")

    monkeypatch.setattr(Source, "scan", panic)
    with in_batches(5), pytest.raises(InputError, match=r"t\.parquet"):
        microgauge.assess(path, path)


LINES = secrets(40).write_csv()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LINES + f"{SECRET},1,2,3,4\n" + LINES.split("\n", 1)[1], "more fields"),
        (LINES + f'{SECRET},"1,2\n' + LINES.split("\n", 1)[1], "quote"),
        (LINES + f'"{SECRET}', "quote"),
        (LINES.encode() + SECRET.encode() + b"\x81\x8d,1,2\n", "neither text"),
        (LINES.encode() + SECRET.encode() + b"\0\0,1,2\n", "neither text"),
        (b"\xff\xfe" + LINES.encode("utf-16-le")[:-1], ""),
        (
            "name,age,age\n" + SECRET + ",1,2\n",
            "more than one column of the same name: columns 2, 3",
        ),
        ("name,,\n" + SECRET + ",1,2\n", "has no name"),
        ("   \n \n", "empty"),
        ("", "empty"),
    ],
)
@pytest.mark.parametrize("rows", [None, 5])
def test_bad_delimited_text_is_said(tmp_path, capsys, text, words, rows):
    path = tmp_path / "bad.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = refused(capsys, path, path, rows=rows)
    assert words in said
    assert "bad.csv" in said


def test_text_that_batches_cannot_read_is_said(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes(LINES.encode("utf-16"))
    assert "UTF-16" in refused(capsys, path, path)
    path.write_bytes((LINES + "Köln,41,2\n").encode("cp1252"))
    assert "UTF-8" in refused(capsys, path, path)


@pytest.mark.parametrize(
    "encoding",
    [
        "utf-8-sig",
        "cp1252",
        pytest.param(
            "utf-16",
        ),
    ],
)
def test_text_in_any_encoding_is_read_where_memory_is_enough(tmp_path, encoding):
    text = "city,x\n" + "".join(f"{'Köln' if i % 3 else 'Orléans'},{i % 7}\n" for i in range(90))
    found = []
    for name in ("utf-8", encoding):
        path = tmp_path / f"{name}.csv"
        path.write_bytes(text.encode(name))
        found.append(without_paths(microgauge.assess(path, path, only=["gdu"])))
    assert differences(*found) == []


def test_bytes_that_are_no_text_far_down_a_file(tmp_path, capsys):
    # The dialect is found in the first lines: what follows must be checked as it is read.
    path = tmp_path / "t.csv"
    path.write_bytes(LINES.encode() * 500 + b"\x81\x8d\xff,1,2\n")
    assert path.stat().st_size > 1 << 18
    assert "t.csv" in refused(capsys, path, path, rows=1000)


@pytest.mark.parametrize("rows", [None, 5])
def test_lines_that_end_in_a_lone_carriage_return(tmp_path, capsys, rows):
    path = tmp_path / "t.csv"
    path.write_bytes(LINES.replace("\n", "\r").encode())
    refused(capsys, path, path, rows=rows)


@pytest.mark.parametrize("rows", [None, 5])
def test_a_truncated_zipped_file_is_named(tmp_path, capsys, rows):
    path = tmp_path / "t.csv.gz"
    content = gzip.compress(secrets(400, age=pl.int_range(400)).write_csv().encode())
    path.write_bytes(content[: len(content) // 2])
    assert "t.csv.gz" in refused(capsys, path, path, rows=rows)


@pytest.mark.parametrize("rows", [None, 5])
def test_a_damaged_zipped_file_is_named(tmp_path, capsys, rows):
    path = tmp_path / "t.csv.gz"
    content = bytearray(gzip.compress(secrets(400, age=pl.int_range(400)).write_csv().encode()))
    content[-8:] = bytes(8)  # checksum and length
    path.write_bytes(content)
    assert "t.csv.gz" in refused(capsys, path, path, rows=rows)


@pytest.mark.parametrize("rows", [None, 5])
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_table_without_rows_is_said(tmp_path, capsys, form, rows):
    write(secrets().clear(), tmp_path / f"t.{form}", form)
    said = refused(capsys, tmp_path / f"t.{form}", tmp_path / f"t.{form}", rows=rows)
    assert "has no rows" in said


# -- memory and scratch files --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ("banana", '"banana" is no amount of memory'),
        ("9" * 400, "no machine has so much memory"),
        ("9" * 20 + "GB", "no machine has so much memory"),
        ("-4GB", "no amount of memory"),
        ("4XB", "no amount of memory"),
        ("", "no amount of memory"),
        ("10MB", "at least 256MB"),
        ("0", "at least 256MB"),
        ("255.9MB", "at least 256MB"),
    ],
)
def test_amounts_of_memory_that_are_none(tmp_path, capsys, given_, words):
    path = tmp_path / "t.parquet"
    write(secrets(), path, "parquet")
    assert words in refused(capsys, path, path, f"--memory={given_}", rows=None)


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        ("256MB", 1 << 28),
        ("1.5 gib", 3 << 29),
        (1 << 30, 1 << 30),
        ("2T", 1 << 41),
        ("4g", 1 << 32),
    ],
)
def test_amounts_of_memory(given_, expected):
    assert memory_bytes(given_) == expected


def test_without_an_amount_memory_is_a_share_of_the_machine():
    assert 0 < memory_bytes(None) < 1 << 50


def test_a_scratch_folder_that_is_none(tmp_path, capsys, monkeypatch):
    path = tmp_path / "t.parquet"
    write(secrets(), path, "parquet")
    assert "there is no folder" in refused(capsys, path, path, "--scratch", tmp_path / "no")
    assert "there is no folder" in refused(capsys, path, path, "--scratch", path)
    folder = tmp_path / "closed"
    folder.mkdir()
    # chmod does not keep an administrator out.
    monkeypatch.setattr("microgauge.engines.opening.os.access", lambda name, mode: False)
    assert "cannot be written to" in refused(capsys, path, path, "--scratch", folder)


def test_an_engine_that_is_none():
    with pytest.raises(InputError, match=r'no engine "sparc".*"spark"'):
        reading_of(Schema(), engine="sparc")


class _Full:
    """A file on a disk with room for some bytes."""

    def __init__(self, file, room):
        self._file = file
        self._room = room

    def write(self, view):
        if self._room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._file.write(view[: self._room])
        self._room -= written
        return written

    def __getattr__(self, name):
        return getattr(self._file, name)


@pytest.fixture
def full_disk(monkeypatch):
    """Scratch files with room for 10 bytes each."""
    made = Spilled.__init__

    def small(self, *given):
        made(self, *given)
        self._file = _Full(self._file, 10)

    monkeypatch.setattr(Spilled, "__init__", small)


def test_a_full_disk_is_said(tmp_path, capsys, full_disk):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    path = tmp_path / "t.parquet"
    write(secrets(200), path, "parquet")
    said = refused(capsys, path, path, "--scratch", scratch)
    assert f"scratch files cannot be written in {scratch}: No space left on device" in said
    assert "--scratch" in said
    assert list(scratch.iterdir()) == []


def test_a_full_disk_while_tables_are_joined_is_said(tmp_path, capsys, monkeypatch):
    path = tmp_path / "t.parquet"
    secrets(200, k=pl.int_range(200)).write_parquet(path)
    gathered = Spilled.gathered

    def full(self, rows):
        made = Spilled.__init__
        with pytest.MonkeyPatch.context() as patch:

            def small(new, *given):
                made(new, *given)
                new._file = _Full(new._file, 10)

            patch.setattr(Spilled, "__init__", small)
            return gathered(self, rows)

    monkeypatch.setattr(Spilled, "gathered", full)
    assert "No space left" in refused(capsys, path, path, "--key", "k", rows=50)


def test_a_write_cut_short_goes_on():
    column = Spilled(np.uint16, None)
    whole = column._file

    class Short:
        def write(self, view):
            return whole.write(view[:3])

        def __getattr__(self, name):
            return getattr(whole, name)

    column._file = Short()
    column.append(np.arange(50))
    assert column[:].tolist() == list(range(50))


@pytest.fixture
def open_files(monkeypatch):
    """A limit on open files that is none of this process's own: 1,000, and up to 4,000."""
    limits = [(1000, 4000)]
    monkeypatch.setattr("resource.getrlimit", lambda what: limits[-1])
    monkeypatch.setattr("resource.setrlimit", lambda what, given: limits.append(given))
    return limits


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENOSPC, errno.EROFS])
def test_a_scratch_file_that_cannot_be_opened_is_said(
    tmp_path, capsys, monkeypatch, open_files, code
):
    # A thousand files is the usual limit: 250 columns, two tables, and the two joined.
    path = tmp_path / "t.parquet"
    write(secrets(), path, "parquet")

    def closed(*_, **__):
        raise OSError(code, "no")

    monkeypatch.setattr("microgauge.tables.scratch.tempfile.TemporaryFile", closed)
    said = refused(capsys, path, path)
    assert "scratch files cannot be written in" in said
    assert "--scratch" in said
    assert "ulimit -n" in said


def test_more_files_are_opened_where_the_system_allows_it(monkeypatch, open_files):
    opened = tempfile.TemporaryFile
    tries = []

    def scarce(**choices):
        tries.append(open_files[-1][0])
        if tries[-1] == 1000:
            raise OSError(errno.EMFILE, "Too many open files")
        return opened(**choices)

    monkeypatch.setattr("microgauge.tables.scratch.tempfile.TemporaryFile", scarce)
    column = Spilled(np.uint8, None)
    column.append(np.arange(9))
    assert column[:].tolist() == list(range(9))
    assert tries == [1000, 4000]
    assert open_files == [(1000, 4000), (4000, 4000)]


def test_no_scratch_file_is_left_behind(tmp_path, capsys):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    original, protected, options = tables("numbers")
    paths = [
        parts(original, tmp_path / "original", "parquet"),
        parts(protected, tmp_path / "protected", "parquet"),
    ]
    seen = []
    made = Spilled.append

    def watched(self, entries):
        made(self, entries)
        seen.append((self._folder, list(scratch.iterdir())))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spilled, "append", watched)
        assessed(*paths, 40, schema=said(**options), only=["gdu"], scratch=scratch)
        garbage(paths[1] / "part-2.parquet", "parquet")
        refused(capsys, *paths, "--scratch", scratch)
    assert len(seen) > 20
    assert {folder for folder, _ in seen} == {scratch}
    # Not even while the run lasts: whoever may list the folder sees nothing, and a run that is
    # killed leaves nothing.
    assert all(not files for _, files in seen)
    assert list(scratch.iterdir()) == []


def test_a_scratch_file_holds_no_value(tmp_path):
    path = tmp_path / "t.parquet"
    secrets(200, salary=pl.int_range(200) + 41_700_000).write_parquet(path)
    written = []
    made = Spilled.append

    def watched(self, entries):
        written.append(np.ascontiguousarray(entries, dtype=self.dtype).tobytes())
        made(self, entries)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spilled, "append", watched)
        assessed(path, path, 50, only=["gdu"], key="name", schema={"options": {"aligned": False}})
    content = b"".join(written)
    assert len(content) > 800
    assert SECRET.encode() not in content
    for width in (np.int32, np.int64, np.float64):
        assert np.array([41_700_123], dtype=width).tobytes() not in content


def test_scratch_files_are_closed_when_let_go():
    gc.collect()  # those of other tests
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        column = Spilled(np.uint8, None)
        column.append(np.arange(9))
        others = column.gathered([np.array([1, 2])])
        files = [column._file, others._file]
        del column, others
        gc.collect()
    assert [str(warning.message) for warning in said] == []
    assert all(file.closed for file in files)


# -- a table that changes ------------------------------------------------------------------------


def reread(path, change, distinct=1000):
    """A table of which the second reading finds other batches than the first."""
    whole = Source.batches
    times = []

    def changing(self, size):
        times.append(size)
        frames = list(whole(self, 5))
        yield from frames if len(times) == 1 else change(frames)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reading, "batches", lambda self, source: True)
        patch.setattr(Source, "batches", changing)
        found = read_table(path, which="original", reading=Reading(1, distinct=distinct))
    assert len(times) == 2
    return found


@pytest.mark.parametrize(
    ("cells", "new"),
    [
        (["a", "b"] * 10, SECRET),
        ([1, 2] * 10, 417),
        ([0.25, None] * 10, 417.5),
        (list(range(0, 10**8, 5 * 10**6)), 417),
        ([True] * 20, False),
    ],
)
def test_a_new_value_at_the_second_reading_is_a_fault(tmp_path, cells, new):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"x": cells}).write_parquet(path)
    grown = pl.DataFrame({"x": [new]}, schema=pl.read_parquet_schema(path))
    with pytest.raises(InputError, match="changed while it was read") as caught:
        reread(path, lambda frames: [*frames[:-1], pl.concat([frames[-1][1:], grown])])
    assert "417" not in str(caught.value)


def test_a_new_value_on_a_grid_is_a_fault(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"x": np.linspace(0, 1, 200)}).write_parquet(path)
    grown = pl.DataFrame({"x": [1e6]})
    with pytest.raises(InputError, match="changed while it was read"):
        reread(path, lambda frames: [*frames[:-1], grown], distinct=100)


@pytest.mark.parametrize("change", [lambda f: f[:-1], lambda f: [*f, f[0]]], ids=["less", "more"])
def test_rows_that_come_or_go_between_the_readings_are_a_fault(tmp_path, change):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"x": [1, 2] * 20}).write_parquet(path)
    with pytest.raises(InputError, match="changed while it was read"):
        reread(path, change)


def test_a_part_that_vanishes_is_a_fault(tmp_path):
    folder = parts(people(40), tmp_path / "t", "parquet", (10, 10))

    whole = Source.batches
    times = []

    def losing(self, size):
        times.append(size)
        if len(times) == 2:
            (folder / "part-1.parquet").unlink()
        return whole(self, 5)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Reading, "batches", lambda self, source: True)
        patch.setattr(Source, "batches", losing)
        with pytest.raises(InputError, match=r"part-1\.parquet"):
            read_table(folder, which="original", reading=Reading(1))


# -- scratch columns -----------------------------------------------------------------------------


@given(
    st.lists(st.lists(st.integers(0, 255), max_size=20), max_size=6),
    st.integers(-30, 150),
    st.integers(-30, 150),
)
@settings(max_examples=60, deadline=None)
def test_a_scratch_column_reads_like_an_array(pieces, start, stop):
    column = Spilled(np.uint8, None)
    for piece in pieces:
        column.append(np.array(piece, dtype=np.int64))
    whole = np.array([entry for piece in pieces for entry in piece], dtype=np.uint8)
    assert len(column) == len(whole)
    assert column[start:stop].tolist() == whole[start:stop].tolist()
    assert column[:].tolist() == whole.tolist()
    assert column[start:].dtype == np.uint8


def test_a_scratch_column_can_be_read_while_it_grows():
    column = Spilled(np.uint32, None)
    for number in range(5):
        column.append(np.arange(3) + 3 * number)
        assert column[: 3 * number + 3].tolist() == list(range(3 * number + 3))


def test_rows_are_gathered_in_any_order():
    column = Spilled(np.uint16, None)
    column.append(np.arange(100) * 3)
    found = column.gathered([np.array([5, 5, 99]), np.array([], dtype=np.intp), np.array([0])])
    assert found[:].tolist() == [15, 15, 297, 0]
    assert found.dtype == np.uint16


class _Counted:
    """A file that counts the bytes read."""

    def __init__(self, file):
        self._file = file
        self.read = 0

    def readinto(self, view):
        found = self._file.readinto(view)
        self.read += found
        return found

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_only_the_slice_asked_for_is_read():
    column = Spilled(np.uint32, None)
    column.append(np.arange(10_000))
    column._file = _Counted(column._file)
    assert column[4000:4010].tolist() == list(range(4000, 4010))
    assert column._file.read == 40
    assert column[9_990:20_000].tolist() == list(range(9_990, 10_000))
    assert column._file.read == 80


@pytest.mark.parametrize("design", ["key", "row order"])
@pytest.mark.parametrize("section", ["gdu", "loss", "risk", "rut"])
def test_no_measure_reads_a_whole_scratch_column(tmp_path, monkeypatch, design, section):
    rows, most = 70_000, 1 << 16
    rng = np.random.default_rng(1)
    original = pl.DataFrame(
        {
            "k": rng.permutation(rows),
            "sex": rng.integers(0, 2, rows),
            "age": rng.integers(0, 90, rows),
            "income": rng.integers(0, 300, rows) * 0.5,
            "w": rng.integers(1, 4, rows),
        }
    )
    protected = original.with_columns(age=pl.col("age") // 5 * 5, income=pl.col("income") + 0.25)
    if design == "key":
        protected = protected.sample(fraction=0.99, shuffle=True, seed=1)
    for frame, name in ((original, "o"), (protected, "p")):
        frame.write_parquet(tmp_path / f"{name}.parquet")
    asked = []
    whole = Spilled.__getitem__

    def watched(self, part):
        asked.append(part.indices(len(self)))
        return whole(self, part)

    monkeypatch.setattr(Spilled, "__getitem__", watched)
    monkeypatch.setattr(local, "LONG_ROWS", most)
    monkeypatch.setattr(joining, "LONG_ROWS", most)
    schema = {
        "options": {"weight": "w"} | ({"key": "k"} if design == "key" else {"aligned": True}),
        "variable": {
            "sex": {"role": "quasi_identifier"},
            "age": {"role": "quasi_identifier", "type": "continuous"},
            "k": {"role": "id"},
        },
        "loss": {"robust_sample": 200},
        "gdu": {"references": False},  # these are drawn of rows in memory, so many as are allowed
    }
    paths = [tmp_path / f"{name}.parquet" for name in "op"]
    result = assessed(*paths, 30_000, schema=schema, only=[section])
    assert result.inputs.alignment.aligned
    assert len(asked) > 10
    assert max(stop - start for start, stop, _ in asked) <= most


# -- sums ----------------------------------------------------------------------------------------


@given(st.lists(st.text("ab", max_size=2), min_size=1, max_size=40))
def test_sums_keep_their_order(answers):
    total = Total()
    for answer in answers:
        total.add(answer)
    assert total.value == "".join(answers)
    assert "".join(total.parts) == total.value


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40))
def test_sums_of_arrays_are_kept_as_one(answers):
    total = Total()
    for answer in answers:
        total.add(np.array([answer, 1]))
    assert total.value.tolist() == [sum(answers), len(answers)]
    assert len(total.parts) == 1


def test_sums_that_grow_are_added_like_to_like():
    # 1,024 answers of one entry each: 10 additions each, not 512 on average.
    copied = []

    class Grown(tuple):
        def __add__(self, other):
            copied.append(len(self) + len(other))
            return Grown((*self, *other))

    total = Total()
    for answer in range(1024):
        total.add(Grown([answer]))
    assert total.value == tuple(range(1024))
    assert sum(copied) == 1024 * 10


def test_nothing_is_known_of_no_answers():
    assert not Total().known


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=50))
def test_veiled_numbers_come_back_and_show_nothing(numbers):
    plain = np.array(numbers, dtype=np.uint64)
    one, other = Veil(), Veil()
    assert (one.off(one.on(plain)) == plain).all()
    assert len(set(one.on(plain).tolist())) == len(set(numbers))
    assert not set(one.on(plain).tolist()) & set(other.on(plain).tolist())


def test_a_scratch_file_holds_no_key_that_can_be_turned_back(tmp_path):
    words = np.arange(1, 2000, dtype=np.uint64)
    column = Spilled(np.uint64, tmp_path, Veil())
    column.append(words)
    assert (column[5:900] == words[5:900]).all()
    some = column.gathered([np.array([3, 1, 700]), np.array([1998])])
    assert some[:].tolist() == [4, 2, 701, 1999]
    for spilled in (column, some):
        spilled._file.seek(0)
        stored = np.frombuffer(spilled._file.read(), dtype=np.uint64)
        assert not set(stored.tolist()) & set(words.tolist())
        steps = np.diff(stored)
        assert len(set(steps.tolist())) == len(steps)
