"""Formats that hold columns: a column is read without the others, rows in batches."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.tables.formats.format import Format, Held

if TYPE_CHECKING:
    import polars as pl

    from microgauge.tables.source import Source


class ColumnarFormat(Format):
    """Files of columns."""

    in_batches = True

    @abstractmethod
    def scan_file(self, path: Path) -> pl.LazyFrame:
        """A file as polars scans it."""

    @abstractmethod
    def read_column(self, file: Any, name: str) -> pl.Series:
        """One column of an open file."""

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
        """A column at a time, so that memory holds codes and one raw column."""
        import polars as pl

        def column(name: str) -> pl.Series:
            found = []
            for part in source.parts:
                # As a file object: a name may hold signs that polars would take for a pattern.
                with source.reading(part), part.open("rb") as file:
                    series = self.read_column(file, name)
                    found.append(series if len(source.parts) == 1 else series.cast(dtypes[name]))
            return pl.concat(found)

        dtypes = source.columns
        return Held(source.name, list(dtypes), column)
