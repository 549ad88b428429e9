"""Choices that hold for the whole run: [options]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.checks import choice, flag, fraction, is_number, seed_faults, whole
from microgauge.schema.entries import Column, Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader


Which = Literal["original", "protected"]
"""One of the two tables."""


@dataclass(frozen=True, kw_only=True)
class Options(Entries):
    """Choices that hold for the whole run."""

    lists: ClassVar[tuple[str, ...]] = ("pairs", "balance")

    key: Column | None = None
    """A column that joins the tables; without it rows are matched in order where that is shown."""
    aligned: bool | None = None
    """Whether row by row both tables hold the same units; found by itself unless said."""
    threshold: float = 0.05
    """Threshold of the tests of pairs."""
    normality: bool = True
    """Whether a variable of numbers may count as normal."""
    pairs: tuple[tuple[Column, Column], ...] | None = None
    """Pairs of variables that are compared; all of them unless some are named."""
    missing: Literal["drop", "category"] = "drop"
    """Missing values in tests of tables: left out, or a category of their own."""
    changed_types: Literal["harmonise", "exclude"] = "harmonise"
    """Pairs whose types were changed by protection: made alike, or left out where one variable of
    the pair is nominal."""
    balance: tuple[float, ...] = (0.5, 0.5)
    """Weights in the global data utility: of variables, of pairs and, where a third one stands, of
    the schema's models."""
    test_n: int | None = None
    """Every test is made as if a side had at most so many units."""
    weight: Column | None = None
    """The column of weights of both tables."""
    weight_original: Column | None = None
    """The column of weights of the original, where it is another one."""
    weight_protected: Column | None = None
    """The column of weights of the protected table, where it is another one."""
    seed: int = 1
    """Where chance plays a part, the same seed gives the same result."""
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
            reader.faults += [
                say("{where} pairs must be a list of pairs of variable names.", where=where)
            ] * wrong
            values["pairs"] = tuple((str(first), str(second)) for first, second in pairs)
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the options."""
        found = choice(say("{where} missing", where=where), self.missing, ("drop", "category"))
        found += choice(
            say("{where} changed_types", where=where), self.changed_types, ("harmonise", "exclude")
        )
        for name in ("key", "weight", "weight_original", "weight_protected"):
            if not isinstance(getattr(self, name), str | None):
                found.append(
                    say("{where} {name} must be the name of a column.", where=where, name=name)
                )
        found += flag(say("{where} aligned", where=where), self.aligned)
        found += flag(say("{where} normality", where=where), self.normality)
        found += fraction(say("{where} threshold", where=where), self.threshold)
        found += seed_faults(say("{where} seed", where=where), self.seed)
        found += whole(say("{where} test_n", where=where), self.test_n, 4, optional=True)
        found += whole(say("{where} sample_rows", where=where), self.sample_rows, 100)
        found += whole(say("{where} distinct_values", where=where), self.distinct_values, 100)
        return found + self._balance_faults(where)

    def _balance_faults(self, where: str) -> list[str]:
        shares = self.balance
        good = len(shares) in (2, 3) and all(is_number(share) and share >= 0 for share in shares)
        if good and math.isclose(sum(shares), 1.0):
            return []
        return [
            say(
                "{where} balance must be two numbers, or three, 0 or more, that add up to 1.",
                where=where,
            )
        ]


def _is_pair(entry: object) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2
