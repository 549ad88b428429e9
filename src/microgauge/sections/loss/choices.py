"""What a schema chooses for information loss: [loss]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from microgauge.schema.checks import whole
from microgauge.schema.columns import Columns, unknown
from microgauge.schema.entries import Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader


@dataclass(frozen=True, kw_only=True)
class LossChoices(Entries):
    """Choices of the information loss measures."""

    ways: int = 2
    """Variables in the largest tables: 1, 2 or 3."""
    groups: tuple[str, ...] = ()
    """Variables in whose groups means and covariances are compared too."""
    robust_sample: int = 2_000
    """Units of each file beyond which robust eigenvalues are those of a sample."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """One variable of groups, or several."""
        if "groups" in values:
            values["groups"] = reader.one_or_more(values["groups"], f"{where} groups")
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = whole(f"{where} robust_sample", self.robust_sample, 100)
        if self.ways not in (1, 2, 3):
            found.append(f"{where} ways must be 1, 2 or 3.")
        if not all(isinstance(name, str) for name in self.groups):
            found.append(f"{where} groups must be a list of variable names.")
        return found

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Groups are those of columns, and of none that is a number on both sides."""
        return unknown(f"{where} groups", self.groups, known) + [
            f'{where} groups names "{name}", which is continuous and forms no groups.'
            for name in self.groups
            if name in known and known[name].type == known[name].protected_type == "continuous"
        ]
