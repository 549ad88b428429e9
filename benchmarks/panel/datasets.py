"""The data sets: read where they are, cut to so many rows, each row with a number of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

LISTED = Path(__file__).with_name("datasets.toml")
UNIT = "unit"
"""The column that says who a record is about, in files whose records are still somebody's."""
MOST_ROWS = 5_000
CUT = 20_250
"""Seed of the rows that are kept of larger tables: the same whatever else is drawn."""
DIGITS = 2
"""Numbers among the keys are cut to so many: nobody knows a stranger's to the last digit."""
MOST_CODES = 10
"""Whole numbers with so many values are codes of categories, as the schema infers them."""
TABLES = (".csv", ".parquet")


@dataclass(frozen=True, eq=False)
class DataSet:
    """A real table, the variables by which its units may be known, and what would be learned."""

    name: str
    frame: pl.DataFrame
    """With the column `unit`."""
    keys: tuple[str, ...]
    """The best known first: protections that take one key away take the first."""
    targets: tuple[str, ...]
    types: Mapping[str, str]

    @property
    def rows(self) -> int:
        return self.frame.height

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """Keys that are numbers."""
        return tuple(name for name in self.keys if self.types.get(name) == "continuous")

    @cached_property
    def all_numbers(self) -> tuple[str, ...]:
        """All variables that are numbers, the keys first; codes of up to ten values are none."""
        return tuple(name for name in self.variables if self._is_number(name))

    def _is_number(self, name: str) -> bool:
        if name in self.types:
            return self.types[name] == "continuous"
        cells = self.frame[name]
        few = cells.dtype.is_integer() and cells.drop_nulls().n_unique() <= MOST_CODES
        return cells.dtype.is_numeric() and not few

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """All columns but the unit, the keys first."""
        rest = [name for name in self.frame.columns if name not in (UNIT, *self.keys)]
        return (*self.keys, *rest)

    def schema(self, aligned: bool) -> dict[str, Any]:
        """What microgauge is told of an aligned protected file, or of one that is not."""
        roles = dict.fromkeys(self.keys, "quasi_identifier") | dict.fromkeys(
            self.targets, "sensitive"
        )
        variables = {
            name: ({"type": self.types[name]} if name in self.types else {})
            | ({"role": roles[name]} if name in roles else {})
            for name in self.variables
            if name in self.types or name in roles
        }
        options: dict[str, Any] = {"key": UNIT} if aligned else {"aligned": False}
        return {"options": options, "variable": variables}


def listed_names() -> list[str]:
    """The data sets of the list, in alphabetical order."""
    return sorted(_listed())


def named(name: str, rows: int = MOST_ROWS, folder: Path | None = None) -> DataSet | None:
    """A data set of the list or of a folder; None where the file is not in this installation."""
    listed = _listed()
    if name not in listed:
        assert folder is not None, name
        return _of_folder(name, rows, folder)
    entry = listed[name]
    frame = _read(str(entry["source"]))
    if frame is None:
        return None
    for column, value in entry.get("where", {}).items():
        frame = frame.filter(pl.col(column) == value)
    dropped = [c for c in frame.columns if any(fnmatchcase(c, p) for p in entry.get("without", ()))]
    return _cut(name, frame.drop(dropped), entry, rows)


def of_folder(folder: Path) -> Iterator[str]:
    """Names of the tables of a folder that have a schema of the same name beside them."""
    for file in sorted(folder.iterdir()):
        if file.suffix in TABLES and file.with_suffix(".toml").exists():
            yield file.stem


def _listed() -> dict[str, Any]:
    return tomllib.loads(LISTED.read_text(encoding="utf-8"))


def _of_folder(name: str, rows: int, folder: Path) -> DataSet:
    """A table whose schema (microgauge's own) says its keys, targets and types."""
    file = next(f for f in map((folder / name).with_suffix, TABLES) if f.exists())
    said = tomllib.loads(file.with_suffix(".toml").read_text(encoding="utf-8"))
    variables = said.get("variable", {})
    roles = {variable: entry.get("role") for variable, entry in variables.items()}
    out = {said.get("options", {}).get("weight")} | {
        variable for variable, role in roles.items() if role in ("id", "weight", "exclude")
    }
    entry = {
        "keys": [v for v, role in roles.items() if role == "quasi_identifier"],
        "targets": [v for v, role in roles.items() if role == "sensitive"],
        "types": {v: entry["type"] for v, entry in variables.items() if "type" in entry},
    }
    frame = pl.read_parquet(file) if file.suffix == ".parquet" else _csv(file)
    return _cut(name, frame.drop([c for c in frame.columns if c in out]), entry, rows)


def _cut(name: str, frame: pl.DataFrame, entry: Mapping[str, Any], rows: int) -> DataSet:
    if frame.height > rows:
        kept = np.random.default_rng(CUT).permutation(frame.height)[:rows]
        frame = frame[np.sort(kept)]
    numbers = [name for name in entry["keys"] if entry["types"].get(name) == "continuous"]
    frame = frame.with_columns([pl.col(name).round_sig_figs(DIGITS) for name in numbers])
    frame = frame.select([_whole(column) for column in frame]).with_row_index(UNIT)
    return DataSet(
        name,
        frame.with_columns(pl.col(UNIT).cast(pl.Int64)),
        tuple(entry["keys"]),
        tuple(entry["targets"]),
        entry["types"],
    )


def _whole(column: pl.Series) -> pl.Series:
    """Decimals that are all whole numbers, as whole numbers."""
    if not column.dtype.is_float():
        return column
    column = column.cast(pl.Float64).fill_nan(None)
    known = column.drop_nulls()
    return column.cast(pl.Int64) if bool((known.floor() == known).all()) else column


def _read(source: str) -> pl.DataFrame | None:
    home, _, place = source.partition(":")
    if home == "sklearn":
        return _of_sklearn(place)
    if home == "statsmodels":
        return _of_statsmodels(place)
    file = _folder(home.removesuffix("-file")) / place
    if not file.exists():
        return None
    if file.suffix == ".parquet":
        return pl.read_parquet(file)
    return _csv(file) if file.suffix == ".csv" else _stata(file)


def _csv(file: Path) -> pl.DataFrame:
    frame = pl.read_csv(file, infer_schema_length=None, null_values=["NA", ""])
    return frame.rename({name: name or "Unnamed: 0" for name in frame.columns})


def _stata(file: Path) -> pl.DataFrame:
    import pandas as pd

    return _polars(pd.read_stata(file))


def _of_sklearn(name: str) -> pl.DataFrame:
    from sklearn import datasets

    plain = {"scaled": False} if name == "diabetes" else {}  # in years and units, not deviations
    return _polars(getattr(datasets, f"load_{name}")(as_frame=True, **plain).frame)


def _of_statsmodels(name: str) -> pl.DataFrame:
    from statsmodels.api import datasets

    return _polars(getattr(datasets, name).load_pandas().data)


def _polars(frame: Any) -> pl.DataFrame:
    return pl.DataFrame({name: frame[name].to_numpy() for name in frame.columns})


def _folder(package: str) -> Path:
    from importlib.util import find_spec

    found = find_spec(package)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent
