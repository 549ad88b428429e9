"""A result is never written over what it is made from."""

import shutil

import polars as pl
import pytest

from microgauge.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"a": [1, 2, 3, 4] * 10, "b": ["x", "y"] * 20})
    frame.write_csv("table.csv")
    frame.write_excel("book.xlsx", worksheet="People")
    (tmp_path / "parts").mkdir()
    for part in ("p-1.csv", "p-2.csv"):
        frame.write_csv(tmp_path / "parts" / part)
    shutil.copy("table.csv", "other.csv")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("table.csv", "table.csv"),
        ("table.csv", "./parts/../table.csv"),
        ("book.xlsx", "book.xlsx"),
        ("book.xlsx::People", "book.xlsx"),
        ("parts", "parts/p-2.csv"),
        ("parts/p-*.csv", "parts/p-1.csv"),
    ],
)
@pytest.mark.parametrize("option", ["--json", "--report", "--pairs"])
def test_an_input_is_no_output(folder, capsys, source, output, option):
    before = (folder / output).read_bytes()
    assert main(["assess", source, "other.csv", "--only", "gdu", option, output]) == 2
    assert "is an input of this run" in capsys.readouterr().err
    assert (folder / output).read_bytes() == before
    assert main(["assess", "other.csv", source, "--only", "gdu", option, output]) == 2
    assert (folder / output).read_bytes() == before
