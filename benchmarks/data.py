"""Seeded tables for the benchmarks, written as Parquet.

Runs in a process of its own (`python -m benchmarks.data adult|mixed|survey|wide FOLDER …`): the
peak memory that the system reports for a child process is at least that of the process that
started it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

SEED = 20_180
ADULT_ROWS = 48_842
ADULT_REPEATS = 20

Floats = NDArray[np.float64]
Maker = Callable[[int, Floats], pl.Series]
"""A column from its place among those of its kind and the scores of the rows."""


# -- Adult -----------------------------------------------------------------------------------

ADULT_CATEGORIES = {
    "workclass": 8,
    "education": 16,
    "marital_status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native_country": 41,
    "income": 2,
}
ADULT_MISSING = {"workclass": 0.057, "occupation": 0.058, "native_country": 0.018}
ADULT_NUMBERS = (
    "age",
    "fnlwgt",
    "education_num",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
)
ADULT_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
)


def adult(path: Path | None) -> pl.DataFrame:
    """The Adult table: the file given, or a stand-in of its shape, types and cardinalities."""
    if path is None:
        return adult_stand_in(np.random.default_rng(SEED))
    frame = pl.read_csv(path, infer_schema_length=None, null_values=["?", ""])
    return frame.select(ADULT_COLUMNS)


def adult_stand_in(rng: np.random.Generator) -> pl.DataFrame:
    """48,842 × 15, nine text columns and six of whole numbers, all leaning on one factor."""
    factor = rng.normal(size=ADULT_ROWS)
    columns = {
        name: _categories(name, count, factor, rng, ADULT_MISSING.get(name, 0.0))
        for name, count in ADULT_CATEGORIES.items()
    } | {
        "age": _whole(38 + 10 * factor + 9 * rng.normal(size=ADULT_ROWS), 17, 90),
        "fnlwgt": _weights(rng),
        "education_num": _whole(10 + 1.5 * factor + 2 * rng.normal(size=ADULT_ROWS), 1, 16),
        "capital_gain": _rare_amounts(0.083, 122, 99_999, rng),
        "capital_loss": _rare_amounts(0.047, 98, 4_356, rng),
        "hours_per_week": _whole(40 + 5 * factor + 9 * rng.normal(size=ADULT_ROWS), 1, 99),
    }
    return pl.DataFrame(columns).select(ADULT_COLUMNS)


def _whole(numbers: Floats, low: int, high: int) -> NDArray[np.int64]:
    return np.clip(np.rint(numbers), low, high).astype(np.int64)


def _weights(rng: np.random.Generator) -> NDArray[np.int64]:
    """Some 28,500 different whole numbers, as in fnlwgt."""
    pool = np.rint(rng.gamma(3.3, 57_000, size=40_000)).astype(np.int64) + 12_285
    return rng.choice(pool, size=ADULT_ROWS)


def _rare_amounts(
    share: float, kinds: int, highest: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    amounts = rng.choice(np.arange(100, highest), size=kinds, replace=False)
    return np.where(rng.random(ADULT_ROWS) < share, rng.choice(amounts, size=ADULT_ROWS), 0)


def adult_protected(frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Noise on numbers, swapped categories, suppressed cells; numbers stay numbers."""
    noised = {
        "age": _noised(frame["age"], 0.5, 3.0, 17, 90, rng),
        "fnlwgt": _noised(frame["fnlwgt"], 1.0, 5_000.0, 1, 2_000_000, rng),
        "hours_per_week": _noised(frame["hours_per_week"], 0.3, 4.0, 1, 99, rng),
    }
    swapped = {
        name: _swapped(frame[name], 0.1, rng)
        for name in ("workclass", "education", "marital_status", "occupation", "race")
    }
    changed = frame.with_columns(**noised, **swapped)
    return changed.with_columns(
        **{
            name: _suppressed(changed[name], 0.03, rng)
            for name in ("age", "marital_status", "occupation", "native_country")
        }
    )


def _noised(
    column: pl.Series, share: float, size: float, low: int, high: int, rng: np.random.Generator
) -> pl.Series:
    rows = len(column)
    noise = np.where(rng.random(rows) < share, rng.normal(0, size, rows), 0.0)
    return pl.Series(_whole(column.to_numpy() + noise, low, high))


def _swapped(column: pl.Series, share: float, rng: np.random.Generator) -> pl.Series:
    """A share of the cells takes the value of another row, so that the margin stays."""
    rows = len(column)
    source = np.arange(rows)
    chosen = np.flatnonzero(rng.random(rows) < share)
    source[chosen] = rng.permutation(chosen)
    return column.gather(source)


def _suppressed(column: pl.Series, share: float, rng: np.random.Generator) -> pl.Series:
    if not share:
        return column
    keep = pl.Series(rng.random(len(column)) >= share)
    return pl.select(pl.when(keep).then(column)).to_series()


# -- nominal, ordinal and continuous columns -------------------------------------------------


@dataclass(frozen=True)
class Mix:
    """The columns of each kind."""

    categories: tuple[int, ...]
    """How many each nominal column has."""
    ordinal: int
    continuous: int

    @property
    def names(self) -> dict[str, list[str]]:
        """The columns of each kind."""
        counts = {
            "nominal": len(self.categories),
            "ordinal": self.ordinal,
            "continuous": self.continuous,
        }
        return {kind: [f"{kind}_{i}" for i in range(count)] for kind, count in counts.items()}


FIFTY = Mix(categories=tuple(range(2, 22)), ordinal=10, continuous=20)
SURVEY = Mix(categories=(3, 4, 5, 6, 7, 9), ordinal=2, continuous=4)


def wide(columns: int) -> Mix:
    """Two fifths nominal with 2 to 12 categories, one fifth ordinal, two fifths continuous."""
    nominal, ordinal = 2 * columns // 5, columns // 5
    categories = tuple(2 + place % 11 for place in range(nominal))
    return Mix(categories, ordinal, columns - nominal - ordinal)


def mixed(rows: int, mix: Mix, rng: np.random.Generator, missing: float) -> pl.DataFrame:
    """Columns that lean on three common factors; every fifth one has missing cells."""
    factors = rng.normal(size=(3, rows))
    columns: dict[str, pl.Series] = {}
    makers: list[Maker] = [partial(_nominal, mix.categories), _ordinal, _continuous]
    for names, make in zip(mix.names.values(), makers, strict=True):
        for place, name in enumerate(names):
            score = 0.6 * factors[place % 3] + 0.8 * rng.normal(size=rows)
            column = make(place, score)
            columns[name] = _suppressed(column, missing, rng) if place % 5 == 4 else column
    return pl.DataFrame(columns)


def mixed_protected(frame: pl.DataFrame, rng: np.random.Generator, missing: float) -> pl.DataFrame:
    """Swapped categories, noised numbers, and more missing cells in half of the columns."""
    columns = {}
    for place, name in enumerate(frame.columns):
        column = frame[name]
        if name.startswith("continuous"):
            column = _blurred(column, rng)
        else:
            column = _swapped(column, 0.1, rng)
        columns[name] = _suppressed(column, missing, rng) if place % 4 in (1, 2) else column
    return pl.DataFrame(columns)


def _nominal(categories: tuple[int, ...], place: int, score: Floats) -> pl.Series:
    """Text."""
    return _cut(score, categories[place], lambda code: f"category {code}")


def _ordinal(place: int, score: Floats) -> pl.Series:
    """Whole numbers from 1 to 4 … 8, as in a survey."""
    levels = 4 + place % 5
    edges = np.quantile(score[:100_000], np.linspace(0, 1, levels + 1)[1:-1])
    return pl.Series(np.searchsorted(edges, score) + 1)


def _continuous(place: int, score: Floats) -> pl.Series:
    """Skewed amounts, in turn with every digit and in cents."""
    amounts = np.exp(0.5 * score) * 1_000
    return pl.Series(amounts if place % 2 else np.round(amounts, 2))


def _blurred(column: pl.Series, rng: np.random.Generator) -> pl.Series:
    """Half of the values times a factor around one; amounts in cents stay in cents."""
    noise = np.where(rng.random(len(column)) < 0.5, rng.normal(1, 0.05, len(column)), 1.0)
    blurred = column * pl.Series(noise)
    return blurred.round(2) if (column.round(2) == column).all() else blurred


def _categories(
    name: str, count: int, factor: Floats, rng: np.random.Generator, missing: float
) -> pl.Series:
    score = 0.5 * factor + rng.normal(size=len(factor))
    return _suppressed(_cut(score, count, lambda code: f"{name} {code}"), missing, rng)


def _cut(score: Floats, count: int, label: object) -> pl.Series:
    """Categories of unequal size in no order."""
    shares = 1 / np.arange(1, count + 1)
    edges = np.quantile(score[:100_000], np.cumsum(shares / shares.sum())[:-1])
    labels = [label(code) for code in range(count)]  # type: ignore[operator]
    return pl.Series(labels).gather(np.searchsorted(edges, score))


# -- files -----------------------------------------------------------------------------------


def write_adult(folder: Path, path: Path | None, rows: int | None) -> None:
    """original.parquet and protected.parquet, Adult repeated: 20 times, or up to some rows."""
    frame = adult(path)
    rows = ADULT_REPEATS * len(frame) if rows is None else rows
    original = pl.concat([frame] * (rows // len(frame) + 1)).head(rows)
    original.write_parquet(folder / "original.parquet")
    rng = np.random.default_rng(SEED + 1)
    adult_protected(original, rng).write_parquet(folder / "protected.parquet")


def write_mixed(folder: Path, rows: int, missing: float, mix: Mix) -> None:
    """original.parquet, protected.parquet and schema.toml with the type of every column."""
    original = mixed(rows, mix, np.random.default_rng(SEED), missing)
    original.write_parquet(folder / "original.parquet")
    rng = np.random.default_rng(SEED + 1)
    mixed_protected(original, rng, missing).write_parquet(folder / "protected.parquet")
    lines = [
        f'[variable.{name}]\ntype = "{kind}"\n'
        for kind, names in mix.names.items()
        for name in names
    ]
    (folder / "schema.toml").write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind in ("adult", "mixed", "survey", "wide"):
        kinds.add_parser(kind).add_argument("folder", type=Path)
        kinds.choices[kind].add_argument("--rows", type=int, required=kind != "adult")
    kinds.choices["adult"].add_argument("--file", type=Path)
    for kind in ("mixed", "wide"):
        kinds.choices[kind].add_argument("--missing", type=float, default=0.03, help="share")
    kinds.choices["wide"].add_argument("--columns", type=int, required=True)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.kind == "adult":
        write_adult(given.folder, given.file, given.rows)
    elif given.kind == "mixed":
        write_mixed(given.folder, given.rows, given.missing, FIFTY)
    elif given.kind == "wide":
        write_mixed(given.folder, given.rows, given.missing, wide(given.columns))
    else:
        write_mixed(given.folder, given.rows, 0.0, SURVEY)


if __name__ == "__main__":
    main()
