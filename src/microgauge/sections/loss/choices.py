"""What a schema chooses for information loss: [loss]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.checks import flag, number, whole
from microgauge.schema.columns import Columns, unknown
from microgauge.schema.entries import Column, Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader


@dataclass(frozen=True, kw_only=True)
class LossChoices(Entries):
    """Choices of the information loss measures."""

    ways: int = 2
    """Variables in the largest tables: 1, 2 or 3."""
    groups: tuple[Column, ...] = ()
    """Variables in whose groups means and covariances are compared too."""
    robust: bool = False
    """Whether robust eigenvalues are computed, too, which takes long."""
    robust_sample: int = 2_000
    """Units of each file beyond which robust eigenvalues are those of a sample."""

    loglinear: tuple[tuple[Column, ...], ...] | None = None
    """Margins of a log-linear model; all pairs of the keys unless said."""

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
    valid_tables: tuple[tuple[Column, ...], ...] = ()
    """Tables whose margins are looked at; those of one variable unless named."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """One variable of groups, or several."""
        if "groups" in values:
            values["groups"] = reader.one_or_more(
                values["groups"], say("{where} groups", where=where)
            )
        for name in ("loglinear", "valid_tables"):
            if name in values:
                values[name] = tuple(
                    reader.one_or_more(margin, say("{where} {name}", where=where, name=name))
                    for margin in reader.sequence(
                        values[name], say("{where} {name}", where=where, name=name)
                    )
                )
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = flag(say("{where} robust", where=where), self.robust, optional=False)
        found += whole(say("{where} robust_sample", where=where), self.robust_sample, 100)
        if self.ways not in (1, 2, 3):
            found.append(say("{where} ways must be 1, 2 or 3.", where=where))
        if not all(isinstance(name, str) for name in self.groups):
            found.append(say("{where} groups must be a list of variable names.", where=where))
        found += _list_faults(say("{where} loglinear", where=where), self.loglinear or ())
        return found + self._validity_faults(where)

    def _validity_faults(self, where: str) -> list[str]:
        found = whole(say("{where} valid_records", where=where), self.valid_records, 2)
        for name in ("valid_means", "valid_covariances", "valid_margins", "valid_distribution"):
            found += number(
                say("{where} {name}", where=where, name=name),
                getattr(self, name),
                above=0,
                optional=False,
            )
        found += _list_faults(say("{where} valid_tables", where=where), self.valid_tables)
        if not found and any(len(names) > self.ways for names in self.valid_tables):
            found.append(
                say(
                    "{where} valid_tables names a table of more variables than ways says.",
                    where=where,
                )
            )
        return found

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Groups and margins are those of columns, and of none that is a number on both sides."""
        margins = tuple(dict.fromkeys(name for margin in self.loglinear or () for name in margin))
        tables = tuple(dict.fromkeys(name for names in self.valid_tables for name in names))
        named = (("groups", self.groups), ("loglinear", margins), ("valid_tables", tables))
        return [
            fault
            for entry, names in named
            for fault in _no_categories(
                say("{where} {entry}", where=where, entry=entry), names, known
            )
        ]


def _list_faults(where: str, given: tuple[tuple[str, ...], ...]) -> list[str]:
    """Lists of variables, in each of which no name stands twice."""
    if all(
        names and all(isinstance(name, str) for name in names) and len({*names}) == len(names)
        for names in given
    ):
        return []
    return [
        say(
            '{where} must be lists of different variable names, such as [["SEX", "MAR"], '
            '["MAR", "AGE"]].',
            where=where,
        )
    ]


def _no_categories(where: str, names: tuple[str, ...], known: Columns) -> list[str]:
    return unknown(where, names, known) + [
        say(
            '{where} names "{name}", which is continuous and forms no groups.',
            where=where,
            name=name,
        )
        for name in names
        if name in known and known[name].type == known[name].protected_type == "continuous"
    ]
