"""Recipes read what `assess` reads, with its messages; what they do not name is as it was."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microgauge
from microgauge.errors import InputError
from microgauge.masking import mask

TABLE = pl.DataFrame(
    {
        "code": ["007", "7", " 7", "1e3", "+1", "0x1", "NA", ".", '"', "a,b"] * 4,
        "number": ["1.50", "2", "-0", "1e-3", "", "3.0", "00", "5 ", "9007199254740993", "x"] * 4,
        "age": [str(age) for age in range(20, 60)],
    }
)
RECIPE = {"seed": 3, "step": [{"method": "noise", "variable": "age", "share": 0.5}]}
UNTOUCHED = ["code", "number"]


def read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, infer_schema=False)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    TABLE.write_csv(tmp_path / "original.csv")
    return tmp_path / "original.csv"


@pytest.fixture
def expected(made: Path) -> pl.DataFrame:
    return microgauge.mask(made, RECIPE)


def test_columns_that_no_step_names_are_written_as_they_were(made, tmp_path) -> None:
    microgauge.mask(made, RECIPE, tmp_path / "after.csv")
    assert read(tmp_path / "after.csv").select(UNTOUCHED).equals(read(made).select(UNTOUCHED))


def test_a_zipped_file_is_masked(made, expected, tmp_path) -> None:
    zipped = tmp_path / "original.csv.gz"
    zipped.write_bytes(gzip.compress(made.read_bytes()))
    assert microgauge.mask(zipped, RECIPE).equals(expected)


def test_a_lazy_frame_is_masked(made, expected) -> None:
    whole = pl.read_csv(made, infer_schema=False).with_columns(pl.col("age").cast(pl.Int64))
    assert microgauge.mask(whole.lazy(), RECIPE).equals(microgauge.mask(whole, RECIPE))
    assert microgauge.mask(whole.lazy(), RECIPE)["age"].equals(expected["age"])


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "csv.gz"])
def test_parts_with_columns_in_another_order_are_masked(made, expected, tmp_path, ending) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    whole = read(made)
    for place in range(4):
        part = whole[10 * place : 10 * place + 10]
        part = part if place % 2 else part.select(reversed(part.columns))
        path = parts / f"part-{place}.{ending}"
        if ending == "csv.gz":
            path.write_bytes(gzip.compress(part.write_csv().encode()))
        elif ending == "csv":
            part.write_csv(path)
        else:
            part = part.with_columns(pl.col("age").cast(pl.Int64 if place else pl.Int16))
            part.write_parquet(path) if ending == "parquet" else part.write_ipc(path)
    for source in (parts, f"{parts}/part-*"):
        found = microgauge.mask(source, RECIPE)
        assert found.columns == list(reversed(whole.columns))
        assert found.select(UNTOUCHED).equals(whole.select(UNTOUCHED))
        assert found["age"].equals(expected["age"])


def test_parts_of_the_original_are_not_written_over(made, tmp_path) -> None:
    for name in ("parts-1.csv", "parts-2.csv"):
        (tmp_path / name).write_bytes(made.read_bytes())
    with pytest.raises(InputError, match="is an input of this run"):
        microgauge.mask(f"{tmp_path}/parts-*.csv", RECIPE, tmp_path / "parts-2.csv")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\1\2",
        b"a,a\n1,2\n",
        b"a,,c\n1,2,3\n",
        b"a,b\n1,2,3\n4,5\n",
        b"a,b\n1,2\n3\n",
        b"PAR1",
    ],
)
def test_a_file_that_cannot_be_read_has_the_message_of_assess(tmp_path, content) -> None:
    path = tmp_path / "original.csv"
    path.write_bytes(content)
    told = []
    for run in (
        lambda: microgauge.mask(path, RECIPE),
        lambda: microgauge.assess(path, path),
        lambda: microgauge.explore(
            path, RECIPE, schema={"variable": {"a": {"role": "quasi_identifier"}}}
        ),
    ):
        with pytest.raises(InputError) as caught:
            run()
        told.append(caught.value.faults)
    assert told[0] == told[1] == told[2]


def test_what_is_no_table_has_the_message_of_assess() -> None:
    with pytest.raises(InputError, match=r"the original table is a int\. Give a path, a pandas"):
        microgauge.mask(5, RECIPE)
    with pytest.raises(InputError, match=r"there is no file none\.csv"):
        microgauge.mask("none.csv", RECIPE)


def test_pandas_columns_keep_their_values() -> None:
    frame = pd.DataFrame(
        {
            "age": range(40),
            "count": pd.array([1, None, 3, 4] * 10, dtype="Int64"),
            "small": pd.Series([0.1, None] * 20, dtype="float32"),
            "mixed": [1, "a", None, 2.5] * 10,
            "kind": pd.Categorical(["b", "a"] * 20),
            "when": pd.to_datetime(["2020-01-01", None] * 20),
        }
    )
    found = microgauge.mask(frame, RECIPE)
    assert found["count"].equals(frame["count"])
    assert found["small"].equals(frame["small"])
    assert found["mixed"].to_list() == ["1", "a", None, "2.5"] * 10
    assert found["kind"].to_list() == ["b", "a"] * 20
    assert found["when"].isna().sum() == 20


@pytest.mark.parametrize("cell", [str(2**53 + 1), str(-(2**53) - 1), str(2**63), "9" * 25])
def test_whole_numbers_beyond_two_to_the_53_are_kept_or_refused(cell, tmp_path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("id,x\n" + "".join(f"{cell[:-1]}{n},{n}\n" for n in range(6)))
    wanted = pl.read_csv(path, infer_schema=False)["id"].to_list()
    for method, choice in {"round": {"unit": 10}, "noise": {"share": 0.1}}.items():
        steps = {"step": [{"method": method, "variables": ["id"], **choice}]}
        with pytest.raises(InputError):
            mask(path, steps, tmp_path / "m.csv")
        mask(path, {"step": [{"method": method, "variables": ["x"], **choice}]}, tmp_path / "m.csv")
        assert pl.read_csv(tmp_path / "m.csv", infer_schema=False)["id"].to_list() == wanted
    mask(path, {"step": [{"method": "suppress", "variables": ["x"], "share": 0.5}]},
         tmp_path / "m.csv")  # fmt: skip
    assert pl.read_csv(tmp_path / "m.csv", infer_schema=False)["id"].to_list() == wanted


@pytest.mark.parametrize(
    "step",
    [
        {"method": "noise", "share": 1.0},
        {"method": "round", "unit": 1.5e308},
        {"method": "microaggregation", "g": 3},
        {"method": "synthesise", "model": "normal"},
        {"method": "noise", "share": 0.5, "correlated": True},
    ],
    ids=str,
)
def test_nothing_infinite_is_written(step, tmp_path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("x,y\n" + "1.7e308,1\n-1.7e308,2\n1e308,3\n" * 5)
    output = tmp_path / "m.csv"
    with np.errstate(all="ignore"):
        try:
            mask(path, {"step": [{**step, "variables": ["x"]}]}, output)
        except InputError:
            assert not output.exists()
            return
    found = pl.read_csv(output)["x"]
    assert found.is_finite().all()
