"""What an input format is: one object that knows its files and how to read them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from microgauge.languages.messages import say
from microgauge.records import dataclass

if TYPE_CHECKING:
    import polars as pl

    from microgauge.tables.column import Column
    from microgauge.tables.source import Source


SHEET = "::"
"""Stands between a file and the name of a sheet in it."""
GZIP_MAGIC = b"\x1f\x8b"
"""How zipped files start."""


@dataclass(frozen=True)
class Lines:
    """How many lines of delimited text are no whole records."""

    blank: int = 0
    short: int = 0

    def __add__(self, other: Lines) -> Lines:
        return Lines(self.blank + other.blank, self.short + other.short)


@dataclass(frozen=True, eq=False)
class Held:
    """A table that is read whole: its columns, one at a time or all together."""

    name: str
    columns: Sequence[str]
    column: Callable[[str], pl.Series]
    """The cells of a column, as they were read."""
    described: Callable[[str, Column], Column] = lambda _, column: column
    """A coded column with what the file says of it."""
    spelled: bool = False
    """Whether cells are texts as a delimited file spells them."""
    lines: Lines = field(default_factory=Lines)
    """Lines of delimited text that are no whole records."""

    @staticmethod
    def of(
        name: str, frame: pl.DataFrame, *, spelled: bool = False, lines: Lines | None = None
    ) -> Held:
        """A data frame."""
        return Held(name, frame.columns, frame.get_column, spelled=spelled, lines=lines or Lines())

    def in_memory(self) -> Held:
        """The same, with all columns read."""
        return replace(self, column=self.frame().get_column)

    def frame(self) -> pl.DataFrame:
        """All columns, side by side."""
        import polars as pl

        return pl.DataFrame([self.column(name).alias(name) for name in self.columns])


class Format(ABC):
    """Files of one kind.

    These objects are light: help lists them all, so what reads is imported where it is used.
    """

    name: ClassVar[str]
    """As messages call it: "… is not a readable Parquet file"."""
    said: ClassVar[tuple[str, ...]]
    """What lists of the formats that are read call it."""
    endings: ClassVar[tuple[str, ...]]
    magic: ClassVar[bytes] = b""
    """How its files start, where that tells."""
    in_batches: ClassVar[bool] = False
    """Whether rows can be read in batches; else a table is held in memory whole."""
    several: ClassVar[bool] = True
    """Whether a table may be several files."""
    has_sheets: ClassVar[bool] = False
    """Whether a file holds tables by name: FILE::NAME."""

    def sheets(self, path: Path, where: str) -> tuple[str, ...]:
        """The tables in a file, where its format has sheets; `where` names the file."""
        del path, where
        return ()

    def listed_sheets(self, path: Path) -> tuple[str, ...]:
        """The same for a list of files: in a moment, whatever is in the file; none where it is
        damaged or would take longer."""
        del path
        return ()

    def opens(self, path: Path, start: bytes) -> bool:
        """Whether a file, by its first bytes or its name, is one of these."""
        told = bool(self.magic) and start.startswith(self.magic)
        return told or path.suffix.lower() in self.endings

    @abstractmethod
    def held(self, source: Source) -> Held:
        """The table, read whole; all faults of all parts at once."""

    def damaged(self, where: str, why: str) -> str:
        """The fault of a part that cannot be read. What a reader says may not hold cells."""
        return say(
            "{where} is not a readable {name} file ({why}). It may be cut off or "
            "damaged; copy or export it again.",
            where=where,
            name=self.name,
            why=why,
        )

    # -- for formats that are read in batches ----------------------------------------------------

    def schema(self, source: Source, part: Path) -> dict[str, pl.DataType]:
        """The columns of a part with their types, without reading its rows."""
        raise NotImplementedError

    def scan(self, source: Source, part: Path) -> pl.LazyFrame:
        """The rows of a part, to be read in batches."""
        raise NotImplementedError

    def prepared(self, source: Source) -> Any:
        """What must be known of all parts before one is scanned; kept as `source.prepared`."""
        del source
        return None

    def rows(self, source: Source) -> int | None:
        """Number of rows; None where only reading everything would tell."""
        del source
        return None

    def lines(self, source: Source) -> Lines:
        """Lines of delimited text that are no whole records; known once the rows were read."""
        del source
        return Lines()

    def needed(self, source: Source, most: int) -> int:
        """About how many bytes a table takes in memory while it is coded, or more than `most`."""
        raise NotImplementedError

    def drift(
        self, part: str, found: Mapping[str, Any], first: str, expected: Mapping[str, Any]
    ) -> list[str]:
        """How the columns of a part differ from those of the first part."""
        from microgauge.tables.drift import alike, column_drift

        return column_drift(part, found, first, expected, alike)


class WholeFormat(Format):
    """Files that are read whole, each into a data frame."""

    @abstractmethod
    def frame(self, part: Path, where: str) -> pl.DataFrame:
        """The cells of a file. `where` names it in messages."""

    def held(self, source: Source) -> Held:
        """All files, one below the other."""
        return Held.of(source.name, source.joined(lambda p: self.frame(p, source.part_name(p))))
