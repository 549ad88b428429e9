"""What a schema chooses for information loss: [loss]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.records import dataclass
from microgauge.schema.checks import flag, number, whole
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
    robust: bool = False
    """Whether robust eigenvalues are computed, too, which takes long."""
    robust_sample: int = 2_000
    """Units of each file beyond which robust eigenvalues are those of a sample."""

    loglinear: tuple[tuple[str, ...], ...] | None = None
    """Margins of a log-linear model; None: all pairs of the keys, (): no model."""

    valid_means: float = 0.1
    """Largest shift of a mean in a subdomain, in standard deviations of the original."""
    valid_covariances: float = 0.1
    """Largest shift of a covariance in a subdomain, over both standard deviations."""
    valid_margins: float = 0.05
    """Largest share of units in another cell of a table."""
    valid_distribution: float = 0.05
    """Largest distance of two distribution functions."""
    valid_records: int = 30
    """Complete records of each side that a subdomain needs."""
    valid_tables: tuple[tuple[str, ...], ...] = ()
    """Tables whose margins are looked at; those of one variable unless named."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """One variable of groups, or several."""
        if "groups" in values:
            values["groups"] = reader.one_or_more(values["groups"], f"{where} groups")
        for name in ("loglinear", "valid_tables"):
            if name in values:
                values[name] = tuple(
                    reader.one_or_more(margin, f"{where} {name}")
                    for margin in reader.sequence(values[name], f"{where} {name}")
                )
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = flag(f"{where} robust", self.robust, optional=False)
        found += whole(f"{where} robust_sample", self.robust_sample, 100)
        if self.ways not in (1, 2, 3):
            found.append(f"{where} ways must be 1, 2 or 3.")
        if not all(isinstance(name, str) for name in self.groups):
            found.append(f"{where} groups must be a list of variable names.")
        found += _list_faults(f"{where} loglinear", self.loglinear or ())
        return found + self._validity_faults(where)

    def _validity_faults(self, where: str) -> list[str]:
        found = whole(f"{where} valid_records", self.valid_records, 2)
        for name in ("valid_means", "valid_covariances", "valid_margins", "valid_distribution"):
            found += number(f"{where} {name}", getattr(self, name), above=0, optional=False)
        found += _list_faults(f"{where} valid_tables", self.valid_tables)
        if not found and any(len(names) > self.ways for names in self.valid_tables):
            found.append(f"{where} valid_tables names a table of more variables than ways says.")
        return found

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Groups and margins are those of columns, and of none that is a number on both sides."""
        margins = tuple(dict.fromkeys(name for margin in self.loglinear or () for name in margin))
        tables = tuple(dict.fromkeys(name for names in self.valid_tables for name in names))
        named = (("groups", self.groups), ("loglinear", margins), ("valid_tables", tables))
        return [
            fault
            for entry, names in named
            for fault in _no_categories(f"{where} {entry}", names, known)
        ]


def _list_faults(where: str, given: tuple[tuple[str, ...], ...]) -> list[str]:
    """Lists of variables, in each of which no name stands twice."""
    if all(
        names and all(isinstance(name, str) for name in names) and len({*names}) == len(names)
        for names in given
    ):
        return []
    return [
        f"{where} must be lists of different variable names, such as "
        '[["SEX", "MAR"], ["MAR", "AGE"]].'
    ]


def _no_categories(where: str, names: tuple[str, ...], known: Columns) -> list[str]:
    return unknown(where, names, known) + [
        f'{where} names "{name}", which is continuous and forms no groups.'
        for name in names
        if name in known and known[name].type == known[name].protected_type == "continuous"
    ]
