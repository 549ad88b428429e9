"""Formats that hold columns: a column is read without the others, rows in batches."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import IO, TYPE_CHECKING

from microgauge.tables.formats.format import Format, Held

if TYPE_CHECKING:
    import polars as pl

    from microgauge.tables.source import Source


FEW_CELLS = 1 << 22
"""Cells that are read at once: opening a file for each of many short columns takes longer."""


class ColumnarFormat(Format):
    """Files of columns."""

    in_batches = True

    @abstractmethod
    def scan_file(self, file: Path | IO[bytes]) -> pl.LazyFrame:
        """A file, or an open one, as polars scans it."""

    def scan(self, source: Source, part: Path) -> pl.LazyFrame:
        """The rows of a part."""
        del source
        return self.scan_file(part)

    def schema(self, source: Source, part: Path) -> dict[str, pl.DataType]:
        """The columns that the file names."""
        import polars as pl

        del source
        found = dict(self.scan_file(part).collect_schema())
        pl.DataFrame(schema=found)  # raises where there is no such type: decimals of 198 digits
        return found

    def rows(self, source: Source) -> int:
        """The number that files name."""
        import polars as pl

        total = 0
        for part in source.parts:
            with source.reading(part):
                total += int(source.scan(part).select(pl.len()).collect().item())
        return total

    def needed(self, source: Source, most: int) -> int:
        """Two bytes a code on average, and one raw column with its order beside them."""
        del most
        columns = source.columns  # refuses damaged and drifting parts, all at once
        return (source.rows or 0) * (2 * len(columns) + 40)

    def held(self, source: Source) -> Held:
        """A column at a time, so that memory holds codes and one raw column; few cells at once."""
        dtypes = source.columns
        if (source.rows or 0) * len(dtypes) <= FEW_CELLS:
            return Held.of(source.name, self._columns(source, list(dtypes)))
        return Held(
            source.name, list(dtypes), lambda name: self._columns(source, [name]).to_series()
        )

    def _columns(self, source: Source, names: list[str]) -> pl.DataFrame:
        """Some columns of all parts, one below the other."""
        import polars as pl
        from polars.selectors import by_name

        found = []
        for part in source.parts:
            # To polars, names such as * and ^a$ are patterns, of files and of columns.
            with source.reading(part), part.open("rb") as file:
                found.append(self.scan_file(file).select(by_name(*names)).collect())
        if len(found) == 1:
            return found[0]
        types = source.columns
        return pl.concat(
            pl.DataFrame([frame.get_column(name).cast(types[name]) for name in names])
            for frame in found
        )
