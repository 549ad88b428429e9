"""Makes the demo's files from the American Community Survey's public use sample for Alaska, 2024.

    python tools/make_demo.py PERSON.csv

The survey's microdata are a work of the US Census Bureau and in the public domain. The protected
version shows five usual protections at once: ages in bands, swapped marital statuses and races,
noise on incomes, suppressed cells, and one removed variable.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

FOLDER = Path(__file__).parents[1] / "src" / "microgauge" / "demo"
SEED = 2024
COLUMNS = [
    "PUMA", "PWGTP", "AGEP", "SEX", "RAC1P", "MAR", "SCHL", "ESR", "COW", "WKHP", "WAGP", "PINCP",
    "CIT", "DIS", "HICOV",
]  # fmt: skip
LABELS = {
    "SEX": ["male", "female"],
    "RAC1P": [
        "white", "black", "American Indian", "Alaska Native", "tribes not specified", "Asian",
        "Pacific Islander", "other", "two or more",
    ],
    "MAR": ["married", "widowed", "divorced", "separated", "never married"],
    "ESR": [
        "employed", "employed, not at work", "unemployed", "armed forces",
        "armed forces, not at work", "not in labour force",
    ],
    "COW": [
        "private company", "non-profit", "local government", "state government",
        "federal government", "self-employed", "self-employed, incorporated", "unpaid family work",
        "unemployed",
    ],
    "CIT": ["born in state", "born in territory", "born abroad", "naturalised", "not a citizen"],
    "DIS": ["with disability", "without disability"],
    "HICOV": ["insured", "not insured"],
}  # fmt: skip


def original(person: Path) -> pl.DataFrame:
    """Persons aged 16 and over, with words for codes."""
    table = pl.read_csv(person, schema_overrides={"PUMA": pl.String}).select(COLUMNS)
    table = table.filter(pl.col("AGEP") >= 16)
    return table.with_columns(
        pl.col(name).replace_strict(dict(enumerate(words, start=1)), default=None)
        for name, words in LABELS.items()
    )


def protected(table: pl.DataFrame) -> pl.DataFrame:
    """Five protections at once."""
    rng = np.random.default_rng(SEED)
    noise = rng.normal(1.0, 0.1, table.height)
    noisy = (pl.col("PINCP") * pl.lit(pl.Series(noise)) / 100).round().cast(pl.Int64) * 100
    return table.with_columns(
        _banded(table["AGEP"]),
        _swapped(table["MAR"], 0.10, rng),
        _swapped(table["RAC1P"], 0.05, rng),
        noisy.alias("PINCP"),
        _suppressed(table["SCHL"], 0.04, rng),
        _suppressed(table["WKHP"], 0.03, rng),
    ).drop("COW")


def _banded(ages: pl.Series) -> pl.Series:
    low = (ages // 10 * 10).clip(10, 80)
    labels = [("16-19" if a == 10 else "80+" if a == 80 else f"{a}-{a + 9}") for a in low]
    return pl.Series(ages.name, labels)


def _swapped(values: pl.Series, share: float, rng: np.random.Generator) -> pl.Series:
    """A share of the units exchange their values among themselves."""
    chosen = np.flatnonzero(rng.random(len(values)) < share)
    places = np.arange(len(values))
    places[chosen] = rng.permutation(chosen)
    return values.gather(places)


def _suppressed(values: pl.Series, share: float, rng: np.random.Generator) -> pl.Series:
    keep = pl.Series(rng.random(len(values)) >= share)
    return pl.select(pl.when(keep).then(values)).to_series().alias(values.name)


if __name__ == "__main__":
    whole = original(Path(sys.argv[1]))
    whole.write_csv(FOLDER / "original.csv")
    protected(whole).write_csv(FOLDER / "protected.csv")
