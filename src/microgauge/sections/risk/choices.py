"""What a schema chooses for risk: [risk]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from microgauge.errors import hint
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.checks import (
    choice,
    flag,
    fraction,
    is_number,
    number,
    share,
    texts,
    two_weights,
    weights_faults,
    whole,
)
from microgauge.schema.columns import Columns, unknown
from microgauge.schema.entries import Column, Entries
from microgauge.schema.roles import listed_names

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

NO_KEYS = say(
    "no quasi-identifier is declared. Name the variables by which a person could be recognised, "
    'with --keys A,B (keys= in Python) or role = "quasi_identifier" in the schema.'
)
NOT_MEASURED = "risk-not-measured"
"""Code of the note that says why there is no risk."""
OTHER_TABLES = ("external", "population", "holdout")
"""Entries that name a table beside the two."""
RiskMeasureName = Literal["disclosure", "classes"]
KEY_ROLE = "quasi_identifier"
ExternalMethod = Literal["class", "probability", "correlation", "unique"]


def no_keys(guessed: Sequence[str]) -> str:
    """What to do where no key is declared, with names that may be keys.

    >>> no_keys(["age", "home town"]).split(": ")[1]
    "--keys 'age,home town' (guessed by name or label; keys= in Python)."
    """
    if not guessed:
        return NO_KEYS
    return say(
        "no quasi-identifier is declared. Name the variables by which a person could "
        "be recognised: --keys {quote} (guessed by name or label; keys= in Python).",
        quote=quote(listed_names(guessed)),
    )


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
    targets: tuple[Column, ...] = ()
    """Variables an intruder wants to know; those that are sensitive unless given."""
    group: Column | None = None
    """A variable whose groups are shown by how many of them are found."""
    attacks: bool = False
    """Whether the three attacks of WP29 are run against the holdout."""
    intruders: bool = False
    """Whether those are shown too who know some of the keys, or all of them with error."""
    key_error: float = 0.1
    """The share of key values that an intruder who errs knows wrongly."""
    external_method: tuple[str, ...] = ("class",)
    """Ways of measuring external risk; of several, the mean counts."""
    external_weights: tuple[float, ...] | Mapping[str, float] | None = None
    """What each way counts in that mean: in their order, or by name; 1 unless said."""
    combine: Literal["max", "mean", "sum"] = "max"
    """How internal and external risk become one."""
    weights: tuple[float, float] = (0.5, 0.5)
    """Of internal and external risk, where the mean is taken."""
    missing_keys: Literal["value", "any"] | None = None
    """A missing key is a value of its own, or matches any value; unless said, any where keys were
    suppressed."""
    threshold: float = 0.2
    """Risk of a record above which it is counted."""
    record_weight: Column | None = None
    """A column that says how sensitive each record is."""
    sensitivity: Mapping[str, float] | None = None
    """How sensitive each quasi-identifier is, 1 unless said: a record weighs what those it still
    shows add up to."""
    l: int = 3  # noqa: E741
    """l of recursive (c, l)-diversity that is asked for."""
    c: float = 1.0
    """c of recursive (c, l)-diversity that is asked for."""
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
            values["external_method"] = reader.sequence(
                method, say("{where} external_method", where=where)
            )
        if isinstance(values.get("external_weights"), list):
            values["external_weights"] = tuple(values["external_weights"])
        return values

    @property
    def method_weights(self) -> dict[str, float]:
        """What each way of measuring external risk counts."""
        said = self.external_weights
        if said is None or isinstance(said, Mapping):
            return {name: float((said or {}).get(name, 1.0)) for name in self.external_method}
        return dict(zip(self.external_method, map(float, said), strict=True))

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = choice(say("{where} combine", where=where), self.combine, ("max", "mean", "sum"))
        found += choice(
            say("{where} missing_keys", where=where), self.missing_keys, ("value", "any")
        )
        for method in self.external_method:
            found += choice(
                say("{where} external_method", where=where), method, get_args(ExternalMethod)
            )
        if not self.external_method:
            found.append(say("{where} external_method names no method.", where=where))
        found += choice(
            say("{where} measure", where=where), self.measure, get_args(RiskMeasureName)
        )
        found += fraction(say("{where} key_error", where=where), self.key_error)
        found += flag(say("{where} attacks", where=where), self.attacks, optional=False)
        found += flag(say("{where} intruders", where=where), self.intruders, optional=False)
        if not all(isinstance(name, str) for name in self.targets):
            found.append(say("{where} targets must be a list of names of variables.", where=where))
        found += self._external_weight_faults(say("{where} external_weights", where=where))
        found += two_weights(say("{where} weights", where=where), self.weights)
        found += share(say("{where} threshold", where=where), self.threshold)
        found += number(
            say("{where} interval", where=where), self.interval, above=0, optional=False
        )
        found += number(say("{where} c", where=where), self.c, above=0, optional=False)
        found += whole(say("{where} l", where=where), self.l, 1)
        found += whole(say("{where} suda_max", where=where), self.suda_max, 1)
        found += fraction(say("{where} suda_fraction", where=where), self.suda_fraction)
        found += texts(where, self, ("record_weight", "group"))
        return found + self._sensitivity_faults(where)

    def _external_weight_faults(self, where: str) -> list[str]:
        said = self.external_weights
        if said is None:
            return []
        if isinstance(said, Mapping):
            found = [
                say(
                    '{where} names "{name}", which is not in external_method.{hint}',
                    where=where,
                    name=name,
                    hint=hint(str(name), self.external_method),
                )
                for name in said
                if name not in self.external_method
            ]
            every = len(said.keys() & set(self.external_method)) == len(self.external_method)
            return found + weights_faults(where, tuple(said.values()), all_named=every)
        found = weights_faults(where, said, all_named=True)
        if isinstance(said, tuple) and len(said) != len(self.external_method):
            found.append(
                say(
                    "{where} has {n} weights for {n2} methods.",
                    where=where,
                    n=len(said),
                    n2=len(self.external_method),
                )
            )
        return found

    def _sensitivity_faults(self, where: str) -> list[str]:
        said = self.sensitivity
        if said is None:
            return []
        if not isinstance(said, Mapping):
            return [
                say(
                    "{where} sensitivity must be a table of numbers, such as {{ age = 2.0 }}.",
                    where=where,
                )
            ]
        found = [
            say(
                '{where} sensitivity of "{name}" must be a number, 0 or more.',
                where=where,
                name=name,
            )
            for name, value in said.items()
            if not (is_number(value) and value >= 0)
        ]
        if self.record_weight is not None:
            found.append(
                say("{where} has a record_weight and sensitivities; give one.", where=where)
            )
        return found

    def columns_checkable(self, where: str) -> bool:
        """Always: names of keys can be looked up whatever else is wrong, and are told at once."""
        del where
        return True

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Names that are no columns; targets that an intruder knows; no keys."""
        names = [name for name in dict.fromkeys(self.targets) if isinstance(name, str)]
        found = unknown(say("{where} targets", where=where), names, known)
        for name in names:
            role = known[name].role if name in known else "analysis"
            if role not in ("analysis", "sensitive"):
                what = say("a key, which an intruder knows") if role == KEY_ROLE else role
                found.append(
                    say(
                        '{where} targets names "{name}", whose role is {what}.',
                        where=where,
                        name=name,
                        what=what,
                    )
                )
        found += unknown(
            say("{where} group", where=where),
            [n for n in [self.group] if isinstance(n, str)],
            known,
        )
        return found + self._sensitive_columns(where, known)

    def _sensitive_columns(self, where: str, known: Columns) -> list[str]:
        """Sensitivities of what is no quasi-identifier."""
        named = list(self.sensitivity) if isinstance(self.sensitivity, Mapping) else []
        others = [name for name in named if name in known and known[name].role != KEY_ROLE]
        return unknown(say("{where} sensitivity", where=where), named, known) + [
            say(
                '{where} sensitivity names "{name}", which is no quasi-identifier: its '
                "role is {role}.",
                where=where,
                name=name,
                role=known[name].role,
            )
            for name in others
        ]
