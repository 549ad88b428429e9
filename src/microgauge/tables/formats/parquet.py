"""Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.tables.formats.columnar import ColumnarFormat

if TYPE_CHECKING:
    import polars as pl


class Parquet(ColumnarFormat):
    """Parquet files."""

    name = "Parquet"
    said = ("Parquet",)
    endings = (".parquet", ".pq")
    magic = b"PAR1"

    def scan_file(self, path: Path) -> pl.LazyFrame:
        """A file as polars scans it."""
        import polars as pl

        return pl.scan_parquet(path, glob=False)

    def read_columns(self, file: Any, names: list[str]) -> pl.DataFrame:
        """Some columns."""
        import polars as pl

        return pl.read_parquet(file, columns=names)
