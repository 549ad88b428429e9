"""Arrow IPC files, also known as Feather."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.tables.formats.columnar import ColumnarFormat

if TYPE_CHECKING:
    import polars as pl


class Arrow(ColumnarFormat):
    """Arrow files."""

    name = "Arrow"
    said = ("Arrow/Feather",)
    endings = (".arrow", ".feather", ".ipc")
    magic = b"ARROW1"

    def scan_file(self, path: Path) -> pl.LazyFrame:
        """A file as polars scans it."""
        import polars as pl

        return pl.scan_ipc(path, glob=False)

    def read_column(self, file: Any, name: str) -> pl.Series:
        """One column."""
        import polars as pl

        return pl.read_ipc(file, columns=[name]).to_series()
