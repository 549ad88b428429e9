"""What every table of a schema is: a dataclass that reads itself and knows its own faults."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

if TYPE_CHECKING:
    from microgauge.schema.columns import Columns
    from microgauge.schema.reading import Reader


COLUMN = "the name of a column"
Column = Annotated[str, COLUMN]
"""A text that names a column: forms offer those there are."""


class Entries:
    """A table of the schema: subclasses are frozen dataclasses whose fields are its entries."""

    lists: ClassVar[tuple[str, ...]] = ()
    """Entries that a file writes as lists."""

    @classmethod
    def read(cls, entry: Any, where: str, reader: Reader) -> Self:
        """From what a file holds; what does not fit is left to the reader as a fault."""
        values = reader.known_fields(entry, cls, where)
        for name in cls.lists:
            if name in values:
                values[name] = reader.sequence(values[name], f"{where} {name}")
        return cls(**cls.prepared(values, where, reader))

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """The entries as the fields hold them, where a file may write them in another way."""
        del where, reader
        return values

    def of_original(self) -> Self:
        """What it says where the original is looked at alone."""
        return self

    def faults(self, where: str) -> list[str]:
        """Everything wrong with the entries by themselves; `where` is how the table is named."""
        del where
        return []

    def columns_checkable(self, where: str) -> bool:
        """Whether the columns that entries name can be looked up: where their form is sound."""
        return not self.faults(where)

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """What is wrong with the columns that entries name, where they are checkable."""
        del where, known
        return []

    def name_faults(self, where: str, names: Collection[str]) -> list[str]:
        """The same for entries that may name any column of either table, analysed or not."""
        del where, names
        return []
