"""Every format gives the same table; what cannot be read is said in one message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import microgauge
from microgauge.tables import read_table
from support.tables import write


@pytest.fixture
def people() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    n = 120
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "town": rng.choice(["Köln", "Łódź", "Besançon"], n),
            "age": rng.integers(0, 95, n),
            "income": np.where(rng.random(n) < 0.1, np.nan, rng.lognormal(9, 1, n).round(2)),
        }
    ).with_columns(pl.col("income").fill_nan(None))


def content(source: object) -> dict[str, list[object]]:
    """Cells as text, numbers in one spelling, None for missing."""
    table = read_table(source, which="original")
    found = {}
    for name, column in table.columns.items():
        values = [*_spelt(column.values), None]
        found[name] = [values[code] for code in column.codes]
    return found


def _spelt(values: pl.Series | np.ndarray) -> list[object]:
    return [_number(value) for value in values]


def _number(value: object) -> object:
    try:
        return float(value)  # type: ignore[arg-type]
    except ValueError:
        return value


def written(frame: pl.DataFrame, folder: Path, kind: str) -> Path:
    path = folder / f"people.{kind}"
    write(frame, path, kind)
    return path


@pytest.mark.parametrize(
    "kind", ["csv", "csv.gz", "parquet", "arrow", "feather", "sav", "zsav", "dta", "xpt"]
)
def test_every_file_format_reads_the_same(people: pl.DataFrame, tmp_path: Path, kind: str) -> None:
    assert content(written(people, tmp_path, kind)) == content(people)


def test_spss_portable_files_are_read(people: pl.DataFrame, tmp_path: Path) -> None:
    # The portable format knows capital names and plain letters only.
    frame = people.drop("town").rename(str.upper)
    found = content(written(frame, tmp_path, "por"))
    assert found["AGE"] == content(frame)["AGE"]


@pytest.mark.parametrize(
    "make",
    [
        lambda frame: frame,
        lambda frame: frame.lazy(),
        lambda frame: frame.to_pandas(),
        lambda frame: frame.to_arrow(),
        lambda frame: pa.RecordBatchReader.from_batches(
            frame.to_arrow().schema, frame.to_arrow().to_batches()
        ),
        lambda frame: frame.to_dict(as_series=False),
    ],
    ids=["polars", "lazy", "pandas", "pyarrow", "arrow stream", "dict"],
)
def test_every_data_frame_reads_the_same(people: pl.DataFrame, make: object) -> None:
    assert content(make(people)) == content(people)  # type: ignore[operator]


def test_the_two_tables_may_differ_in_format(people: pl.DataFrame, tmp_path: Path) -> None:
    result = microgauge.assess(written(people, tmp_path, "csv"), written(people, tmp_path, "dta"))
    assert [s.utility for s in result.gdu.variables] == pytest.approx([0.9999992] * 3, abs=1e-7)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_delimiter_and_encoding_are_found(tmp_path: Path, delimiter: str, encoding: str) -> None:
    rows = [["town", "note", "x"], ["Köln", '"a, b; c|d"', "1"], ["Besançon", '"e ""f"""', "2"]]
    path = tmp_path / "table.csv"
    path.write_bytes("\n".join(delimiter.join(row) for row in rows).encode(encoding))
    found = content(path)
    assert found["town"] == ["Köln", "Besançon"]
    assert found["note"] == ["a, b; c|d", 'e "f"']
    assert found["x"] == [1.0, 2.0]


def test_single_quotes_are_found(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n'x, y',1\n'z',2\n")
    assert content(path)["a"] == ["x, y", "z"]


def test_decimal_commas_are_numbers_where_the_comma_is_no_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a;b\n1,5;x,y\n-2;z\n")
    found = content(path)
    assert found["a"] == [1.5, -2.0]
    assert found["b"] == ["x,y", "z"]


def test_blank_cells_and_row_names(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('"",a,b\n1,x,\n2," ",5\n3,x ,""\n')
    found = content(path)
    assert found["row"] == [1.0, 2.0, 3.0]
    assert found["a"] == ["x", None, "x"]
    assert found["b"] == [None, 5.0, None]


def test_value_labels_and_declared_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "labelled.sav"
    pyreadstat.write_sav(
        pd.DataFrame({"sex": [1.0, 2.0, 9.0], "q": [1.0, 2.0, 3.0]}),
        path,
        variable_value_labels={"sex": {1.0: "male", 2.0: "female", 9.0: "refused"}},
        missing_ranges={"sex": [9.0]},
        variable_measure={"q": "ordinal"},
    )
    table = read_table(path, which="original")
    assert table.columns["sex"].value_labels[2.0] == "female"
    assert list(table.columns["sex"].codes) == [0, 1, 2]
    assert table.columns["sex"].missing == 2
    assert table.columns["q"].declared_level == "ordinal"


def test_ordered_categoricals_keep_their_order() -> None:
    grades = pd.Categorical(["b", "a", "c"], categories=["c", "b", "a"], ordered=True)
    for frame in (
        pd.DataFrame({"grade": grades}),
        pl.DataFrame({"grade": pl.Series(["b", "a", "c"], dtype=pl.Enum(["c", "b", "a"]))}),
    ):
        assert read_table(frame, which="original").columns["grade"].order == ("c", "b", "a")


def test_dates_are_numbers_and_lists_are_left_out() -> None:
    frame = pl.DataFrame(
        {"day": pl.Series(["2024-01-01", "2024-01-03"]).str.to_date(), "many": [[1, 2], [3]]}
    )
    table = read_table(frame, which="original")
    assert np.diff(table.columns["day"].values) == [2.0]
    assert list(table.unsupported) == ["many"]


def test_zero_and_minus_zero_are_one_value() -> None:
    table = read_table(pl.DataFrame({"x": [0.0, -0.0, 1.5]}), which="original")
    assert list(table.columns["x"].codes) == [0, 0, 1]


def test_numbers_beyond_small_spans_are_coded_too() -> None:
    numbers = [10**12, -5, None, 7, 10**12]
    column = read_table(pl.DataFrame({"x": numbers}), which="original").columns["x"]
    assert [None if c == column.missing else column.values[c] for c in column.codes] == numbers


def test_why_a_column_is_left_out_is_a_record() -> None:
    table = read_table(pl.DataFrame({"x": [1], "many": [[1, 2]]}), which="original")
    assert table.unsupported["many"].kind == "nested"
    assert str(table.unsupported["many"]) == "no single values (List(Int64))"
