"""What a schema chooses for risk: [risk]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from microgauge.schema.checks import (
    choice,
    flag,
    fraction,
    number,
    share,
    texts,
    two_weights,
    whole,
)
from microgauge.schema.columns import Columns, unknown
from microgauge.schema.entries import Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

NO_KEYS = (
    'no quasi-identifier is declared: give role = "quasi_identifier" to the variables by which a '
    "person could be recognised, in the schema's [variable.NAME] sections."
)
NOT_MEASURED = "risk-not-measured"
"""Code of the note that says why there is no risk."""
OTHER_TABLES = ("external", "population", "holdout")
"""Entries that name a table beside the two."""
RiskMeasureName = Literal["disclosure", "classes"]
ExternalMethod = Literal["class", "probability", "correlation", "unique"]


@dataclass(frozen=True, kw_only=True)
class RiskChoices(Entries):
    """Choices of the risk measures."""

    lists: ClassVar[tuple[str, ...]] = ("weights", "targets")

    external: Any = None
    """A table an intruder may hold: a path, in Python also a data frame."""
    population: Any = None
    """The table the original was drawn from."""
    holdout: Any = None
    """People of the same population of whom none was used: a path, in Python also a data frame."""
    measure: RiskMeasureName = "disclosure"
    """Which risk is balanced, ranked and limited: what an intruder gets, or Kim's R of classes."""
    targets: tuple[str, ...] = ()
    """Variables an intruder wants to know; those that are sensitive unless given."""
    group: str | None = None
    """A variable whose groups are shown by how many of them are found."""
    attacks: bool = False
    """Whether the three attacks of WP29 are run against the holdout."""
    intruders: bool = False
    """Whether those are shown too who know some of the keys, or all of them with error."""
    key_error: float = 0.1
    """The share of key values that an intruder who errs knows wrongly."""
    external_method: tuple[str, ...] = ("class",)
    """Ways of measuring external risk; of several, the mean counts."""
    combine: Literal["max", "mean", "sum"] = "max"
    """How internal and external risk become one."""
    weights: tuple[float, float] = (0.5, 0.5)
    """Of internal and external risk, where the mean is taken."""
    missing_keys: Literal["value", "any"] = "value"
    """A missing key is a value of its own, or matches every value."""
    threshold: float = 0.2
    """Risk of a record above which it is counted."""
    record_weight: str | None = None
    """A column that says how sensitive each record is."""
    l: int = 3  # noqa: E741
    """l of recursive (c, l)-diversity that is asked for."""
    c: float = 1.0
    interval: float = 0.05
    """Half width of interval disclosure, in standard deviations of the original."""
    suda_max: int = 3
    """Most attributes in a minimal sample unique."""
    suda_fraction: float = 0.1
    """Sampling fraction of DIS-SUDA."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """One way of measuring external risk, or several."""
        method = values.get("external_method")
        if isinstance(method, str):
            values["external_method"] = (method,)
        elif "external_method" in values:
            values["external_method"] = reader.sequence(method, f"{where} external_method")
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = choice(f"{where} combine", self.combine, ("max", "mean", "sum"))
        found += choice(f"{where} missing_keys", self.missing_keys, ("value", "any"))
        for method in self.external_method:
            found += choice(f"{where} external_method", method, get_args(ExternalMethod))
        if not self.external_method:
            found.append(f"{where} external_method names no method.")
        found += choice(f"{where} measure", self.measure, get_args(RiskMeasureName))
        found += fraction(f"{where} key_error", self.key_error)
        found += flag(f"{where} attacks", self.attacks, optional=False)
        found += flag(f"{where} intruders", self.intruders, optional=False)
        found += two_weights(f"{where} weights", self.weights)
        found += share(f"{where} threshold", self.threshold)
        found += number(f"{where} interval", self.interval, above=0, optional=False)
        found += number(f"{where} c", self.c, above=0, optional=False)
        found += whole(f"{where} l", self.l, 1)
        found += whole(f"{where} suda_max", self.suda_max, 1)
        found += fraction(f"{where} suda_fraction", self.suda_fraction)
        return found + texts(where, self, ("record_weight", "group"))

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Targets and groups that are no columns; targets that an intruder knows already."""
        found = unknown(f"{where} targets", self.targets, known)
        for name in self.targets:
            role = known[name].role if name in known else "analysis"
            if role not in ("analysis", "sensitive"):
                what = "a key, which an intruder knows" if role == "quasi_identifier" else role
                found.append(f'{where} targets names "{name}", whose role is {what}.')
        return found + unknown(f"{where} group", [self.group], known)
