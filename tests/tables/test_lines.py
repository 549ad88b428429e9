"""Delimited text whose lines are no records, or whose first line is no header."""

import csv
import gzip
import io
import json
import os
import random
import threading
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microgauge
from microgauge.cli import main
from microgauge.errors import InputError
from microgauge.tables import read_held
from microgauge.tables.dialect import NO_HEADER, read_delimited
from microgauge.tables.lines import LineCount
from support.batches import assessed
from support.command import complaint

BLANKS = ("", "  ", "\r", " \t")


def people(rng, rows=60):
    """Lines of a table with quotes, line breaks in quotes, records without any value."""
    names = ["x", '"y, z"', '"two\n\nlines"', ""]
    return [
        ",,"
        if rng.random() < 0.05
        else f"{rng.randint(1, 30)},{rng.choice(names)},{rng.choice(['', '1.5', '2'])}"
        for _ in range(rows)
    ]


def figures(folder, text, rows=None):
    """All figures of a file held against one without blank lines, and what is said of lines."""
    (folder / "protected.csv").write_bytes(text.encode())
    result = assessed(
        str(folder / "original.csv"), str(folder / "protected.csv"), rows, keys=["a", "b"],
        quick=True,
    ).to_dict()  # fmt: skip
    notes = [note for note in result.pop("notes") if "line" in note]
    del result["manifest"]
    return json.dumps(result, sort_keys=True), notes


@pytest.mark.parametrize("rows", [None, 7])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_blank_lines_anywhere_change_no_figure(tmp_path, rows, ends):
    rng = random.Random(5)
    lines = ["a,b,c", *people(rng), "7,x,2"]
    plain = ends.join(lines) + ends
    (tmp_path / "original.csv").write_bytes(plain.encode())
    wanted, said = figures(tmp_path, plain, rows)
    assert said == []
    for count in range(1, 6):
        for leading in (False, True):
            given = list(lines)
            for _ in range(count):
                given.insert(0 if leading else rng.randint(1, len(given)), rng.choice(BLANKS))
            found, said = figures(tmp_path, ends.join(given) + ends, rows)
            assert found == wanted, (count, leading)
            what = "1 blank line, which is" if count == 1 else f"{count} blank lines, which are"
            assert len(said) == 1
            assert what in said[0]


@pytest.mark.parametrize("rows", [None, 3])
def test_a_blank_line_of_one_column_is_a_missing_value(tmp_path, rows):
    (tmp_path / "o.csv").write_text("\na\n" + "1\n2\n\n3\n4\n" * 8)
    result = assessed(str(tmp_path / "o.csv"), str(tmp_path / "o.csv"), rows, only=["gdu"])
    assert result.inputs.original.rows == 40
    assert sum("1 blank line" in note for note in result.notes) == 2


@pytest.mark.parametrize("rows", [None, 3])
@pytest.mark.parametrize("zipped", [False, True])
def test_short_lines_are_counted_and_not_quoted(tmp_path, rows, zipped):
    lines = ["a,b,c", *["1,x,5", "2,y,6"] * 20]
    lines[4:4] = ["9,secretvalue", "", "8"]
    text = ("\n".join(lines) + "\n").encode()
    path = tmp_path / "o.csv.gz" if zipped else tmp_path / "o.csv"
    path.write_bytes(gzip.compress(text) if zipped else text)
    result = assessed(str(path), str(path), rows, only=["gdu"])
    assert result.inputs.original.rows == 42
    said = [note for note in result.notes if "lines have fewer" in note]
    assert len(said) == 2
    assert "2 lines have fewer fields than the header" in said[0]
    assert not any("secretvalue" in note for note in result.notes)


@pytest.mark.parametrize("rows", [None, 3])
@pytest.mark.parametrize("end", ["2,x", "2,x\n", "2,x\n\n  \n"])
def test_a_last_line_that_is_short_is_a_file_cut_off(tmp_path, rows, end):
    path = tmp_path / "o.csv"
    path.write_text("a,b,c\n" + "1,x,5\n" * 20 + end)
    with pytest.raises(InputError, match="ends in a line of 2 fields"):
        assessed(str(path), str(path), rows, only=["gdu"])


CELLS = st.sampled_from(["", "1", "x", '"q"', '"a,b"', '"l\n\nm"', '"say ""so"""'])


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=4), max_size=12),
    st.integers(1, 9),
    st.sampled_from(["\n", "\r\n"]),
)
def test_records_are_counted_like_another_reader_counts_them(records, size, ends):
    """Python's csv module, whatever the blocks in which the text comes."""
    text = ends.join([",".join(record) for record in records]) + ends
    found = LineCount(b",", b'"', 3)
    content = text.encode()
    for start in range(0, len(content), size):
        found.read(content[start : start + size])
    found.end()
    rows = list(csv.reader(io.StringIO(text)))
    assert found.records == len(rows)
    assert found.blank == [place for place, row in enumerate(rows) if not row]
    assert found.short == sum(0 < len(row) < 3 for row in rows)


# -- headers -------------------------------------------------------------------------------------

SECRET = "Wilhelmine"


@pytest.mark.parametrize(
    "rows",
    [
        ["47,f,1200", "31,m,900", "52,f,1500", "31,m,800"],
        [f"{SECRET},47,Graz,f", "Otto,31,Wien,m", "Ida,52,Graz,f", "Max,31,Graz,m"],
        ["1;2,5;x", "2;3,5;x", "3;1,5;y"],
        [f"46,f,300,{SECRET}", "38,m,0,A", "73,m,300,C", "73,f,500,A", "69,m,400,A"],
        ["46,f,300", "38,m,0"],
        ["47\tf", "31\tm", "52\tf"],
        [f"46 f 300 {SECRET}", "38 m 0 A", "73 m 300 C", "69 m 400 A"],
    ],
)
def test_a_file_without_a_header_is_recognised_and_not_quoted(tmp_path, capsys, rows):
    path = tmp_path / "o.csv"
    path.write_text("\n".join(rows * 1) + "\n")
    for arguments in (["assess", str(path), str(path)], ["schema", str(path)],
                      ["diagnose", str(path), "--keys", "a"]):  # fmt: skip
        said = complaint(capsys, main(arguments)).replace(str(path), "o.csv")  # of any digits
        assert "seems to have no header" in said
        assert not any(cell in said for cell in (SECRET, "1200", "Graz", "47"))


@pytest.mark.parametrize(
    "text",
    [
        "age,sex\n31,f\n42,m\n42,m\n",
        "Question 1\nAnswer 2\nAnswer 3\nAnswer 2\n",
        "age sex town\n31 f A\n42 m B\n42 m A\n",
        "a,b\nx,y\nu,v\nx,w\n",
        "2019,2020,2021\n4,5,6\n7,8,9\n1,2,3\n",
        "0,1\n4,5\n7,8\n1,2\n",
        "id,2019,2020\n1,5,6\n2,8,9\n",
        "land,2019,2021\nA,5,6\nB,8,9\n",
        "1,2,3\n7,8,9\n4,4,4\n",
        ",2019,2021\nr1,5,6\nr2,8,9\n",
        "a\na\nb\nc\n",
        "x,y\n1,\n2,\n3,\n",
    ],
)
def test_headers_are_taken_for_headers(text):
    frame, *_ = read_delimited(text.encode(), "the table")
    assert frame.height == text.count("\n") - 1


@pytest.mark.parametrize("rows", [None, 5])
@pytest.mark.parametrize("length", [131_072, 131_073, 400_000])
def test_fields_of_any_length_are_read(tmp_path, rows, length):
    path = tmp_path / "o.csv"
    texts = ["x" * length, "y", f'"{"z" * length}"']
    path.write_text("a,b\n" + "".join(f"{n},{text}\n" for n, text in enumerate(texts * 4)))
    found = assessed(str(path), str(path), rows, only=["gdu"])
    assert found.inputs.original.rows == 12


def test_a_header_of_thousands_of_columns_is_read(tmp_path):
    names = [f"a_long_name_of_a_column_{n}" for n in range(12_000)]
    text = ",".join(names) + "\n" + ",".join("1" for _ in names) + "\n"
    frame, *_ = read_delimited(text.encode(), "the table")
    assert frame.columns == names


# -- names ---------------------------------------------------------------------------------------

ODD = ["^v$", "*", "v", "__proto__", "constructor", "^.*$", "a\tb", "'", "row", "%s", "{x}"]


def odd_table(rows=40):
    rng = random.Random(3)
    return pl.DataFrame({name: [str(rng.randint(1, 4)) for _ in range(rows)] for name in ODD})


@pytest.mark.parametrize("rows", [None, 6])
def test_names_that_are_patterns_elsewhere_are_names(tmp_path, rows):
    frame = odd_table()
    plain = frame.rename({name: f"v{place}" for place, name in enumerate(ODD)})
    results = []
    for table, names in ((frame, ODD), (plain, plain.columns)):
        table.write_csv(tmp_path / "o.csv", separator=";")
        table[::-1].write_csv(tmp_path / "p.csv", separator=";")
        found = assessed(
            str(tmp_path / "o.csv"), str(tmp_path / "p.csv"), rows, keys=list(names[:3]),
            only=["gdu", "tables", "risk", "loss"],
        )  # fmt: skip
        assert [v.name for v in found.variables] == list(names)
        results.append((found.gdu.value, found.tables.score, found.risk.k, found.loss.il1s))
    assert results[0] == results[1]


def test_parts_with_such_names_are_one_table(tmp_path):
    frame = odd_table()
    frame[:20].write_csv(tmp_path / "p-1.csv")
    frame[20:].select(pl.selectors.by_name(*reversed(ODD))).write_csv(tmp_path / "p-2.csv")
    assert read_held(str(tmp_path / "p-*.csv"), "original").frame().equals(frame)


@pytest.mark.parametrize("few_cells", [1 << 22, 0], ids=["at once", "a column at a time"])
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_files_of_columns_with_such_names_are_read(tmp_path, monkeypatch, kind, parts, few_cells):
    monkeypatch.setattr("microgauge.tables.formats.columnar.FEW_CELLS", few_cells)
    frame = odd_table()
    names = list(reversed(ODD))
    for part in range(parts):
        some = frame[part::parts].select(pl.selectors.by_name(*(names if part else ODD)))
        (some.write_parquet if kind == "parquet" else some.write_ipc)(tmp_path / f"{part}.{kind}")
    found = read_held(str(tmp_path / f"*.{kind}"), "original").frame()
    assert found.equals(pl.concat([frame[part::parts] for part in range(parts)]))


def test_such_names_are_protected_and_reported(tmp_path):
    frame = odd_table()
    frame.write_csv(tmp_path / "o.csv")
    step = {"method": "suppress", "share": 0.5}
    for name in ODD:
        found = microgauge.mask(tmp_path / "o.csv", {"step": [{**step, "variables": [name]}]})
        assert found.columns == ODD
        changed = [n for n in ODD if not found[n].equals(frame[n])]
        assert changed == [name]
    page = microgauge.assess(frame, frame[::-1], keys=ODD[:4], quick=True).report()
    assert "__proto__" in page


# -- what is no file -----------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a POSIX system")
def test_a_pipe_is_told_and_not_waited_for(tmp_path, capsys):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    ended = threading.Event()

    def run():
        main(["assess", str(pipe), str(pipe)])
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    assert ended.wait(60)
    assert "is no file but a pipe or device" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs the pipes of a shell")
@pytest.mark.parametrize(
    ("given", "what"),
    [
        (["assess", "{0}", "o.csv"], "the original table {0}"),
        (["assess", "o.csv", "{0}"], "the protected table {0}"),
        (["assess", "{0}", "{1}"], "the original table {0}"),
        (["rank", "o.csv", "{0}", "{1}", "--keys", "a"], "the protected table {0}"),
        (["schema", "{0}"], "the original table {0}"),
        (["assess", "o.csv", "o.csv", "--schema", "{0}"], "the schema file {0}"),
        (["mask", "o.csv", "--recipe", "{0}", "-o", "m.csv"], "the recipe {0}"),
    ],
)
@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n")], ids=["text", "zipped"]
)
def test_a_pipe_of_the_shell_is_told(tmp_path, monkeypatch, capsys, given, what, content):
    """`<(command)` is read once: a second look, at a schema too, would find nothing in it."""
    monkeypatch.chdir(tmp_path)
    Path("o.csv").write_text("a,b\n1,2\n3,4\n")
    ends = [os.pipe() for _ in range(2)]
    names = [f"/dev/fd/{reading}" for reading, _ in ends]
    for _, writing in ends:
        os.write(writing, content)
        os.close(writing)
    try:
        assert main([part.format(*names) for part in given]) == 2
    finally:
        for reading, _ in ends:
            os.close(reading)
    said = capsys.readouterr().err
    assert said.startswith(f"microgauge: {what.format(*names)} is no file but a pipe or device")
    assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["o.csv"]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_nul_in_a_name_is_a_sign_like_others(tmp_path, monkeypatch, capsys, ending):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"a\0b": [1, 2, 3, 4] * 20, "\0place": ["m", "f", "f", "m"] * 20})
    frame.write_parquet("t.parquet") if ending == "parquet" else frame.write_ipc("t.arrow")
    given = [f"t.{ending}", f"t.{ending}"]
    assert main(["schema", *given, "-o", "s.toml"]) == 0
    assert main(["assess", *given, "--schema", "s.toml", "--json", "r.json", "--only", "gdu"]) == 0
    found = json.loads(Path("r.json").read_text())
    assert [v["name"] for v in found["variables"]] == ["a\0b", "\0place"]
    recipe = {"step": [{"method": "round", "variables": ["a\0b"], "unit": 2}]}
    microgauge.mask(f"t.{ending}", recipe, output="m.parquet")
    assert pl.read_parquet("m.parquet").columns == frame.columns
    with pytest.raises(InputError, match="CSV cannot hold NUL"):
        microgauge.mask(f"t.{ending}", recipe, output="m.csv")
    assert not Path("m.csv").exists()


def test_text_with_a_nul_in_its_header_is_no_text(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a\0b,sex\n" + b"1,m\n2,f\n" * 9)
    assert main(["assess", str(path), str(path)]) == 2
    assert "is neither text nor a format that is known" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "loop.csv"])
def test_odd_names_of_files_give_one_message(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    Path("loop.csv").symlink_to("loop.csv")
    Path("o.csv").write_text("a,b\n1,x\n2,y\n" * 1)
    for arguments in (["assess", name, "o.csv"], ["assess", "o.csv", name],
                      ["schema", name], ["assess", "o.csv", "o.csv", "--schema", name],
                      ["mask", "o.csv", "--recipe", name, "-o", "x.csv"],
                      ["diagnose", "o.csv", "--keys", "a", "--json", f"{name}"],
                      ["verify", name], ["explore", "o.csv", "--recipe", name]):  # fmt: skip
        said = complaint(capsys, main(arguments))
        assert "fault of microgauge" not in said, arguments


def test_names_that_are_no_text_are_read_and_told(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"caf\xe9.csv")
    try:
        Path(name).write_text("a,b\n" + "1,x\n2,y\n" * 20)
    except OSError:
        pytest.skip("this file system takes no such name")
    given = ["assess", name, name, "--only", "gdu", "--json", "r.json", "--report", "r.html"]
    assert main(given) == 0
    inputs = json.loads(Path("r.json").read_text(encoding="utf-8"))["inputs"]
    assert inputs["original"]["path"] == name
    Path("r.html").read_text(encoding="utf-8")
    assert main(["verify", "r.json", "--hashes"]) == 0
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "1984,f,north\n1990,m,south\n1975,f,south\n2001,m,north\n",
        "3,4,5\n7,8,9\n1,2,2\n",
        "44,f,100,far\n48,m,0,near\n73,m,300,near\n",
        "1984,1999\n1970,2001\n1985,2010\n",
    ],
)
def test_a_birth_year_is_no_name(tmp_path, text):
    path = tmp_path / "people.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="no header") as refused:
        read_held(path, "original")
    assert str(refused.value).startswith(NO_HEADER.format(where=f"the original table {path}"))


def test_a_file_of_blanks_that_are_no_spaces_is_empty(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("\u00a0\n\u00a0\n")
    with pytest.raises(InputError, match="is empty"):
        read_held(path, "original")
