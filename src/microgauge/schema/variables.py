"""What is known of one variable, and how it was recoded: [variable.NAME]."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.schema.checks import choice, flag, is_number, number, texts, weights_faults, whole
from microgauge.schema.entries import Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

Type = Literal["nominal", "ordinal", "continuous"]
Role = Literal["analysis", "quasi_identifier", "sensitive", "id", "weight", "derived", "exclude"]
RecodeMeasure = Literal["pairs", "allocation", "heterogeneity"]
Rounding = Literal["nearest", "floor", "ceiling"]
Value = str | int | float | bool

LOSSES = ("generalisation", "proximity", "euclidean", "entropy", "consistency", "deviation")
SIMILARITIES = ("cosine", "jaccard", "values")


@dataclass(frozen=True, kw_only=True)
class Recode(Entries):
    """How a variable was recoded: one of a map, breaks, top/bottom codes, a step, a prefix."""

    lists: ClassVar[tuple[str, ...]] = ("breaks", "labels")

    map: Mapping[str, Value] | None = None
    breaks: tuple[float, ...] | None = None
    labels: tuple[str, ...] | None = None
    closed: Literal["left", "right"] = "left"
    top: float | None = None
    bottom: float | None = None
    round: float | None = None
    prefix: int | None = None

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """A map goes from labels, as TOML writes them."""
        if "map" in values:
            values["map"] = {str(k): v for k, v in reader.table(values["map"], where).items()}
        return values

    def faults(self, where: str) -> list[str]:
        """One way of recoding, and what it needs."""
        given = [n for n in ("map", "breaks", "round", "prefix") if getattr(self, n) is not None]
        if self.top is not None or self.bottom is not None:
            given.append(say("top or bottom"))
        if len(given) != 1:
            said = strung(given, say(" and ")) or say("none of them")
            return [
                say(
                    "{where} must have one of map, breaks, top/bottom, round, prefix; it "
                    "has {said}.",
                    where=where,
                    said=said,
                )
            ]
        found = choice(say("{where} closed", where=where), self.closed, ("left", "right"))
        found += number(say("{where} round", where=where), self.round, above=0)
        for code in ("top", "bottom"):
            if getattr(self, code) is not None and not is_number(getattr(self, code)):
                found.append(say("{where} {code} must be a number.", where=where, code=code))
        found += whole(say("{where} prefix", where=where), self.prefix, 1, optional=True)
        return found + self._breaks_faults(where)

    def _breaks_faults(self, where: str) -> list[str]:
        if self.breaks is None:
            return (
                [say("{where} has labels but no breaks.", where=where)]
                if self.labels is not None
                else []
            )
        if not self.breaks or not all(is_number(b) for b in self.breaks):
            return [say("{where} breaks must be a list of numbers.", where=where)]
        found = []
        if any(high <= low for low, high in pairwise(self.breaks)):
            found.append(say("{where} breaks must rise.", where=where))
        if self.labels is not None and len(self.labels) != len(self.breaks):
            found.append(
                say(
                    "{where} has {n} breaks and {n2} labels; there must be as many "
                    "labels as breaks (the last band is open above).",
                    where=where,
                    n=len(self.breaks),
                    n2=len(self.labels),
                )
            )
        return found


@dataclass(frozen=True, kw_only=True)
class Variable(Entries):
    """What is known of one variable. None means: infer it, or take the default."""

    lists: ClassVar[tuple[str, ...]] = (
        "missing",
        "order",
        "loss",
        "similarity",
        "loss_weights",
        "similarity_weights",
    )

    type: Type | None = None
    protected_type: Type | None = None
    role: Role | None = None
    missing: tuple[Value, ...] = ()
    order: tuple[Value, ...] | None = None
    normal: bool | None = None
    resolution: float | None = None
    rounding: Rounding = "nearest"
    loss: tuple[str, ...] | None = None
    loss_weights: tuple[float, ...] | None = None
    """What each loss counts, in their order; alike unless said."""
    similarity: tuple[str, ...] | None = None
    similarity_weights: tuple[float, ...] | None = None
    rut_weight: float = 1.0
    bins: int = 50
    importance: float = 1.0
    recode: Recode | None = None
    recode_measure: RecodeMeasure | None = None
    label: str | None = None
    """What it is, in words: shown beside its name."""
    labels: Mapping[str, str] | None = None
    """What its values mean, in words: shown beside them."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """Recodings and labels are tables of their own."""
        if "recode" in values:
            values["recode"] = Recode.read(
                values["recode"], say("{where} recode", where=where), reader
            )
        if values.get("labels") is not None:
            table = reader.table(values["labels"], say("{where} labels", where=where))
            values["labels"] = {str(value): text for value, text in table.items()}
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with what is said of the variable."""
        found = choice(say("{where} type", where=where), self.type, get_args(Type))
        found += choice(
            say("{where} protected_type", where=where), self.protected_type, get_args(Type)
        )
        found += choice(say("{where} role", where=where), self.role, get_args(Role))
        found += choice(
            say("{where} recode_measure", where=where), self.recode_measure, get_args(RecodeMeasure)
        )
        found += choice(say("{where} rounding", where=where), self.rounding, get_args(Rounding))
        found += number(
            say("{where} importance", where=where), self.importance, above=0, optional=False
        )
        found += number(say("{where} resolution", where=where), self.resolution, above=0)
        found += number(
            say("{where} rut_weight", where=where), self.rut_weight, above=0, optional=False
        )
        found += whole(say("{where} bins", where=where), self.bins, 1)
        for loss in self.loss or ():
            found += choice(say("{where} loss", where=where), loss, LOSSES)
        for similarity in self.similarity or ():
            found += choice(say("{where} similarity", where=where), similarity, SIMILARITIES)
        found += _weights_faults(say("{where} loss", where=where), self.loss, self.loss_weights)
        found += _weights_faults(
            say("{where} similarity", where=where), self.similarity, self.similarity_weights
        )
        found += flag(say("{where} normal", where=where), self.normal)
        found += texts(where, self, ("label",))
        for name in ("missing", "order"):
            if not all(isinstance(v, str | int | float) for v in getattr(self, name) or ()):
                found.append(
                    say(
                        "{where} {name} must be a list of texts and numbers.",
                        where=where,
                        name=name,
                    )
                )
        if not all(isinstance(text, str) for text in (self.labels or {}).values()):
            found.append(
                say(
                    '{where} labels must be a table of texts, such as {{ 1 = "married" }}.',
                    where=where,
                )
            )
        if self.order is not None and len({str(v) for v in self.order}) != len(self.order):
            found.append(say("{where} order names a value twice.", where=where))
        if self.recode is not None:
            found += self.recode.faults(say("{where} recode", where=where))
        return found


def _weights_faults(
    where: str, named: tuple[str, ...] | None, weights: tuple[float, ...] | None
) -> list[str]:
    """As many weights as measures are named."""
    if weights is None:
        return []
    found = weights_faults(f"{where}_weights", weights, all_named=True)
    if isinstance(weights, tuple) and len(weights) != len(named or ()):
        found.append(
            say(
                "{where}_weights has {n} weights for {n2} named measures.",
                where=where,
                n=len(weights),
                n2=len(named or ()),
            )
        )
    return found
