"""What is known of one variable, and how it was recoded: [variable.NAME]."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

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
            given.append("top or bottom")
        if len(given) != 1:
            said = " and ".join(given) or "none of them"
            return [
                f"{where} must have one of map, breaks, top/bottom, round, prefix; it has {said}."
            ]
        found = choice(f"{where} closed", self.closed, ("left", "right"))
        found += number(f"{where} round", self.round, above=0)
        for code in ("top", "bottom"):
            if getattr(self, code) is not None and not is_number(getattr(self, code)):
                found.append(f"{where} {code} must be a number.")
        found += whole(f"{where} prefix", self.prefix, 1, optional=True)
        return found + self._breaks_faults(where)

    def _breaks_faults(self, where: str) -> list[str]:
        if self.breaks is None:
            return [f"{where} has labels but no breaks."] if self.labels is not None else []
        if not self.breaks or not all(is_number(b) for b in self.breaks):
            return [f"{where} breaks must be a list of numbers."]
        found = []
        if any(high <= low for low, high in pairwise(self.breaks)):
            found.append(f"{where} breaks must rise.")
        if self.labels is not None and len(self.labels) != len(self.breaks):
            found.append(
                f"{where} has {len(self.breaks)} breaks and {len(self.labels)} labels; there must "
                "be as many labels as breaks (the last band is open above)."
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
            values["recode"] = Recode.read(values["recode"], f"{where} recode", reader)
        if values.get("labels") is not None:
            table = reader.table(values["labels"], f"{where} labels")
            values["labels"] = {str(value): text for value, text in table.items()}
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with what is said of the variable."""
        found = choice(f"{where} type", self.type, get_args(Type))
        found += choice(f"{where} protected_type", self.protected_type, get_args(Type))
        found += choice(f"{where} role", self.role, get_args(Role))
        found += choice(f"{where} recode_measure", self.recode_measure, get_args(RecodeMeasure))
        found += choice(f"{where} rounding", self.rounding, get_args(Rounding))
        found += number(f"{where} importance", self.importance, above=0, optional=False)
        found += number(f"{where} resolution", self.resolution, above=0)
        found += number(f"{where} rut_weight", self.rut_weight, above=0, optional=False)
        found += whole(f"{where} bins", self.bins, 1)
        for loss in self.loss or ():
            found += choice(f"{where} loss", loss, LOSSES)
        for similarity in self.similarity or ():
            found += choice(f"{where} similarity", similarity, SIMILARITIES)
        found += _weights_faults(f"{where} loss", self.loss, self.loss_weights)
        found += _weights_faults(f"{where} similarity", self.similarity, self.similarity_weights)
        found += flag(f"{where} normal", self.normal)
        found += texts(where, self, ("label",))
        for name in ("missing", "order"):
            if not all(isinstance(v, str | int | float) for v in getattr(self, name) or ()):
                found.append(f"{where} {name} must be a list of texts and numbers.")
        if not all(isinstance(text, str) for text in (self.labels or {}).values()):
            found.append(f'{where} labels must be a table of texts, such as {{ 1 = "married" }}.')
        if self.order is not None and len({str(v) for v in self.order}) != len(self.order):
            found.append(f"{where} order names a value twice.")
        if self.recode is not None:
            found += self.recode.faults(f"{where} recode")
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
            f"{where}_weights has {len(weights)} weights for {len(named or ())} named measures."
        )
    return found
