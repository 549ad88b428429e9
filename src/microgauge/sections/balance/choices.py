"""What a schema chooses for the balance of risk and utility: [rut]."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.inputs import ANALYSED
from microgauge.schema.checks import choice, share, two_weights
from microgauge.schema.columns import Columns, no_numbers
from microgauge.schema.entries import Column, Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

RutForm = Literal["sum", "difference", "ratio"]
PRESETS: Mapping[str, tuple[float, float]] = {
    "analysis": (0.7, 0.3),
    "balanced": (0.5, 0.5),
    "sharing": (0.4, 0.6),
    "public": (0.3, 0.7),
}
"""Weights of utility and of safety for some uses."""


@dataclass(frozen=True, kw_only=True)
class RutChoices(Entries):
    """Choices of the balance of risk and utility."""

    preset: str | None = None
    """Weights of utility and safety by a name: analysis, balanced, sharing or public."""
    alpha: float | None = None
    """Weight of utility."""
    beta: float | None = None
    """Weight of safety."""
    form: RutForm = "sum"
    """How utility and safety become one figure."""
    max_risk: float | None = None
    """The most that the risk may be."""
    min_utility: float | None = None
    """The least that the utility may be."""
    lmax: Literal["range", "rule"] = "range"
    """What errors of numbers are divided by."""
    utility: tuple[float, float] | Literal["ratio"] = (0.5, 0.5)
    """Weights of similarity and of 1 - loss; or their ratio."""
    combine: Literal["mean", "max"] = "mean"
    """Over the attributes."""
    attribute_combine: Literal["mean", "max"] = "mean"
    """Over several losses or similarities of one attribute; max: the worst."""
    vectors: tuple[tuple[Column, ...], ...] = ()
    """Attributes whose distances are also measured jointly."""

    @property
    def weights(self) -> tuple[float, float]:
        """α and β."""
        if self.preset is not None:
            return PRESETS[self.preset]
        if self.alpha is None and self.beta is None:
            return PRESETS["balanced"]
        if self.alpha is None:
            assert self.beta is not None
            return 1.0 - self.beta, self.beta
        return self.alpha, 1.0 - self.alpha

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """Utility is a pair of weights, or the word "ratio"."""
        if "utility" in values and values["utility"] != "ratio":
            values["utility"] = reader.sequence(
                values["utility"], say("{where} utility", where=where)
            )
        if "vectors" in values:
            listed = reader.sequence(values["vectors"], say("{where} vectors", where=where))
            values["vectors"] = tuple(tuple(v) if isinstance(v, list) else v for v in listed)
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = choice(say("{where} preset", where=where), self.preset, tuple(PRESETS))
        found += choice(say("{where} form", where=where), self.form, get_args(RutForm))
        found += choice(say("{where} lmax", where=where), self.lmax, ("range", "rule"))
        found += choice(say("{where} combine", where=where), self.combine, ("mean", "max"))
        found += choice(
            say("{where} attribute_combine", where=where), self.attribute_combine, ("mean", "max")
        )
        if not all(_is_vector(names) for names in self.vectors):
            found.append(
                say(
                    "{where} vectors must be lists of two or more different column names.",
                    where=where,
                )
            )
        for name in ("alpha", "beta", "max_risk", "min_utility"):
            found += share(say("{where} {name}", where=where, name=name), getattr(self, name))
        if self.preset is not None and (self.alpha is not None or self.beta is not None):
            found.append(say("{where} has a preset and alpha or beta; give one.", where=where))
        if not found and None not in (self.alpha, self.beta) and not self._add_up():
            found.append(say("{where} alpha and beta must add up to 1.", where=where))
        if self.utility != "ratio":
            found += two_weights(say("{where} utility", where=where), self.utility)
        return found

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Vectors are of analysed numbers."""
        where = say("{where} vectors", where=where)
        named = list(dict.fromkeys(name for names in self.vectors for name in names))
        aside = [name for name in named if name in known and known[name].role not in ANALYSED]
        return no_numbers(where, named, known, say("a distance")) + [
            say(
                '{where} names "{name}", which is not analysed: its role is {role}.',
                where=where,
                name=name,
                role=known[name].role,
            )
            for name in aside
        ]

    def _add_up(self) -> bool:
        return math.isclose((self.alpha or 0.0) + (self.beta or 0.0), 1.0)


def _is_vector(names: object) -> bool:
    if not isinstance(names, tuple) or not all(isinstance(name, str) for name in names):
        return False
    return len(set(names)) == len(names) >= 2
