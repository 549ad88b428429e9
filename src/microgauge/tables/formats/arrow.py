"""Arrow IPC files, also known as Feather."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.tables.formats.columnar import ColumnarFormat

if TYPE_CHECKING:
    import polars as pl

    from microgauge.tables.source import Source


class Arrow(ColumnarFormat):
    """Arrow files."""

    name = "Arrow"
    said = ("Arrow/Feather",)
    endings = (".arrow", ".feather", ".ipc")
    magic = b"ARROW1"

    def schema(self, source: Source, part: Path) -> dict[str, pl.DataType]:
        """The columns that the file names, once it is known to hold what it says."""
        from microgauge.tables.formats.arrow_buffers import buffers_fit

        if not buffers_fit(part):
            raise InputError(
                self.damaged(source.part_name(part), say("a buffer ends beyond the file"))
            )
        return super().schema(source, part)

    def scan_file(self, file: Path | IO[bytes]) -> pl.LazyFrame:
        """A file, or an open one, as polars scans it."""
        import polars as pl

        return pl.scan_ipc(file, glob=False)
