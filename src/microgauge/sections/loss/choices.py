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

    loglinear: tuple[tuple[str, ...], ...] | None = None
    """Margins of a log-linear model; None: all pairs of the keys, (): no model."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """One variable of groups, or several."""
        if "groups" in values:
            values["groups"] = reader.one_or_more(values["groups"], f"{where} groups")
        if "loglinear" in values:
            values["loglinear"] = tuple(
                reader.one_or_more(margin, f"{where} loglinear")
                for margin in reader.sequence(values["loglinear"], f"{where} loglinear")
            )
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = whole(f"{where} robust_sample", self.robust_sample, 100)
        if self.ways not in (1, 2, 3):
            found.append(f"{where} ways must be 1, 2 or 3.")
        if not all(isinstance(name, str) for name in self.groups):
            found.append(f"{where} groups must be a list of variable names.")
        for margin in self.loglinear or ():
            named = all(isinstance(name, str) for name in margin)
            if not named or not margin or len(set(margin)) < len(margin):
                found.append(
                    f"{where} loglinear must be lists of different variable names, such as "
                    '[["SEX", "MAR"], ["MAR", "AGE"]].'
                )
                break
        return found

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Groups and margins are those of columns, and of none that is a number on both sides."""
        margins = tuple(dict.fromkeys(name for margin in self.loglinear or () for name in margin))
        return [
            fault
            for entry, names in (("groups", self.groups), ("loglinear", margins))
            for fault in _no_categories(f"{where} {entry}", names, known)
        ]


def _no_categories(where: str, names: tuple[str, ...], known: Columns) -> list[str]:
    return unknown(where, names, known) + [
        f'{where} names "{name}", which is continuous and forms no groups.'
        for name in names
        if name in known and known[name].type == known[name].protected_type == "continuous"
    ]
