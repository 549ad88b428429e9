"""What a schema chooses for tables: [tables]."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.checks import is_number, is_whole
from microgauge.schema.columns import Columns, no_numbers, unknown
from microgauge.schema.entries import Column, Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

QUANTILE_GROUPS = 10


@dataclass(frozen=True, kw_only=True)
class TablesChoices(Entries):
    """Choices of the tables that are compared."""

    ways: int = 2
    """Variables of a table: 2 or 3."""
    groups: int | Mapping[str, tuple[float, ...]] = QUANTILE_GROUPS
    """Quantile groups of numbers; or for some variables the breaks of their groups, each group
    from its break up to the next one."""
    by: Column | None = None
    """A variable in whose groups tables are compared for the k-marginal score."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """Breaks by variable."""
        groups = values.get("groups")
        if isinstance(groups, Mapping):
            values["groups"] = {
                name: reader.sequence(breaks, say("{where} groups {name}", where=where, name=name))
                for name, breaks in groups.items()
            }
        return values

    @property
    def quantiles(self) -> int:
        """Quantile groups of numbers that have no breaks."""
        return QUANTILE_GROUPS if isinstance(self.groups, Mapping) else self.groups

    def breaks(self, name: str) -> tuple[float, ...] | None:
        """The breaks of a variable, where they are given."""
        return self.groups.get(name) if isinstance(self.groups, Mapping) else None

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = [] if self.ways in (2, 3) else [say("{where} ways must be 2 or 3.", where=where)]
        if not isinstance(self.groups, Mapping):
            if not is_whole(self.groups) or not 2 <= self.groups <= 100:
                found.append(
                    say(
                        "{where} groups must be a whole number from 2 to 100, or a table "
                        "of breaks by variable.",
                        where=where,
                    )
                )
        else:
            found += [
                say(
                    "{where} groups {name}: breaks must be numbers that rise, and at least one.",
                    where=where,
                    name=name,
                )
                for name, breaks in self.groups.items()
                if not _rising(breaks)
            ]
        if not isinstance(self.by, str | None):
            found.append(say("{where} by must be the name of a variable.", where=where))
        return found

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Breaks are of numbers, and `by` is a column that forms groups."""
        found = unknown(say("{where} by", where=where), [self.by], known)
        if isinstance(self.groups, Mapping):
            found += no_numbers(say("{where} groups", where=where), self.groups, known, "breaks")
        return found


def _rising(breaks: tuple[float, ...]) -> bool:
    if not breaks or not all(is_number(b) for b in breaks):
        return False
    return all(a < b for a, b in itertools.pairwise(breaks))
