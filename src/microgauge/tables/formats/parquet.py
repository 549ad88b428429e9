"""Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

from microgauge.tables.formats.columnar import ColumnarFormat

if TYPE_CHECKING:
    import polars as pl


class Parquet(ColumnarFormat):
    """Parquet files."""

    name = "Parquet"
    said = ("Parquet",)
    endings = (".parquet", ".pq")
    magic = b"PAR1"

    def scan_file(self, file: Path | IO[bytes]) -> pl.LazyFrame:
        """A file, or an open one, as polars scans it."""
        import polars as pl

        return pl.scan_parquet(file, glob=False)
