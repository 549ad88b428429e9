"""Choices that hold for the whole run: [options]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from microgauge.records import dataclass
from microgauge.schema.checks import choice, flag, fraction, is_number, seed_faults, whole
from microgauge.schema.entries import Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader


Which = Literal["original", "protected"]
"""One of the two tables."""


@dataclass(frozen=True, kw_only=True)
class Options(Entries):
    """Choices that hold for the whole run."""

    lists: ClassVar[tuple[str, ...]] = ("pairs", "balance")

    key: str | None = None
    aligned: bool | None = None
    threshold: float = 0.05
    normality: bool = True
    pairs: tuple[tuple[str, str], ...] | None = None
    missing: Literal["drop", "category"] = "drop"
    changed_types: Literal["harmonise", "exclude"] = "harmonise"
    balance: tuple[float, ...] = (0.5, 0.5)
    """Weights in the global data utility: of variables, of pairs and, where a third one stands, of
    the schema's models."""
    test_n: int | None = None
    weight: str | None = None
    weight_original: str | None = None
    weight_protected: str | None = None
    seed: int = 1
    sample_rows: int = 5_000_000
    """Records of a table beyond which measures that look at single records see a sample."""
    distinct_values: int = 1 << 20
    """Different numbers of a column that are told apart where a table does not fit into memory."""

    def weight_of(self, which: Which) -> str | None:
        """The column of a table's weights: its own, or that of both; None without weights."""
        own = self.weight_original if which == "original" else self.weight_protected
        return own if own is not None else self.weight

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """Pairs are pairs of names."""
        if "pairs" in values:
            pairs = [pair for pair in values["pairs"] if _is_pair(pair)]
            wrong = len(values["pairs"]) - len(pairs)
            reader.faults += [f"{where} pairs must be a list of pairs of variable names."] * wrong
            values["pairs"] = tuple((str(first), str(second)) for first, second in pairs)
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the options."""
        found = choice(f"{where} missing", self.missing, ("drop", "category"))
        found += choice(f"{where} changed_types", self.changed_types, ("harmonise", "exclude"))
        for name in ("key", "weight", "weight_original", "weight_protected"):
            if not isinstance(getattr(self, name), str | None):
                found.append(f"{where} {name} must be the name of a column.")
        found += flag(f"{where} aligned", self.aligned)
        found += flag(f"{where} normality", self.normality)
        found += fraction(f"{where} threshold", self.threshold)
        found += seed_faults(f"{where} seed", self.seed)
        found += whole(f"{where} test_n", self.test_n, 4, optional=True)
        found += whole(f"{where} sample_rows", self.sample_rows, 100)
        found += whole(f"{where} distinct_values", self.distinct_values, 100)
        return found + self._balance_faults(where)

    def _balance_faults(self, where: str) -> list[str]:
        shares = self.balance
        good = len(shares) in (2, 3) and all(is_number(share) and share >= 0 for share in shares)
        if good and math.isclose(sum(shares), 1.0):
            return []
        return [f"{where} balance must be two numbers, or three, 0 or more, that add up to 1."]


def _is_pair(entry: object) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2
