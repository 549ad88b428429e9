"""What a schema chooses for what is left in: [left_in]."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from microgauge.errors import hint, listing
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.entries import Column, Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader


@dataclass(frozen=True, kw_only=True)
class LeftInChoices(Entries):
    """Columns that are accepted, whatever they hold."""

    ignore: tuple[Column, ...] = ()
    """Columns of the protected table that a person has looked at; listed in the notes."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """One column, or several."""
        if "ignore" in values:
            values["ignore"] = reader.one_or_more(
                values["ignore"], say("{where} ignore", where=where)
            )
        return values

    def of_original(self) -> LeftInChoices:
        """Columns that only a protected table has are not named."""
        return LeftInChoices()

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        if all(isinstance(name, str) for name in self.ignore):
            return []
        return [say("{where} ignore must be a list of column names.", where=where)]

    def name_faults(self, where: str, names: Collection[str]) -> list[str]:
        """Columns that neither table has."""
        return [
            say(
                '{where} ignore names "{name}", which is no column.{hint} There are: {names}.',
                where=where,
                name=name,
                hint=hint(name, names),
                names=listing(names),
            )
            for name in self.ignore
            if name not in names
        ]
