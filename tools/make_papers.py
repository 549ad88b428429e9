"""Make the tables that published studies are made again on, from public-domain files.

    python tools/make_papers.py HOUSEHOLDERS.csv LIBRARIES.csv ALASKA.csv

Householders and Alaska: American Community Survey 2024, public use sample (US Census Bureau).
Libraries: Public Libraries Survey 2020 (US Institute of Museum and Library Services).
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

FOLDER = Path(__file__).parents[1] / "src" / "microgauge" / "papers" / "data"
HOUSEHOLDERS = ["AGEP", "SEX", "RAC1P", "MAR", "SCHL", "NP", "TEN", "VALP", "HINCP"]
LIBRARIES = [
    "STABR",
    "C_FSCS",
    "MICROF",
    "BRANLIB",
    "CENTLIB",
    "TOTCIR",
    "VISITS",
    "REGBOR",
    "TOTSTAFF",
    "LIBRARIA",
]
NAMES = ("households", "libraries", "alaska")


def main(files: list[str]) -> None:
    """Read the three files and write what the studies need of them."""
    heads, libraries, alaska = (pl.read_csv(file, infer_schema_length=None) for file in files)
    tables = (
        heads.select(pl.col(HOUSEHOLDERS).cast(pl.Int32)),
        libraries.select(LIBRARIES),
        alaska.cast(pl.Int32),
    )
    for name, table in zip(NAMES, tables, strict=True):
        table.write_parquet(FOLDER / f"{name}.parquet", compression="zstd", compression_level=19)


if __name__ == "__main__":
    main(sys.argv[1:])
