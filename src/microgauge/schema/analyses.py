"""Analyses that a schema names: [[model]], [[indicator]], [[regression]]."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from microgauge.records import dataclass
from microgauge.schema.checks import MOST_DRAWS, choice, flag, is_number, number, texts, whole
from microgauge.schema.columns import (
    Columns,
    condition_faults,
    formula_faults,
    no_numbers,
    unknown,
)
from microgauge.schema.entries import Entries
from microgauge.schema.variables import Value

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

ModelKind = Literal["linear", "logistic", "scale"]
RegressionKind = Literal["linear", "logistic", "ordered"]
Statistic = Literal[
    "mean", "total", "median", "quantile", "share", "ratio", "gini", "s80s20", "arop"
]
STATISTICS: tuple[str, ...] = get_args(Statistic)


@dataclass(frozen=True, kw_only=True)
class Model(Entries):
    """A model whose utility is wanted: a regression by its formula, or a scale by its items."""

    lists: ClassVar[tuple[str, ...]] = ("items",)

    kind: ModelKind
    formula: str | None = None
    items: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How the model is named in results."""
        return self.formula if self.formula is not None else " + ".join(self.items)

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """Without a kind, a formula is a linear model and items are a scale."""
        del where, reader
        values.setdefault("kind", "linear" if "formula" in values else "scale")
        return values

    def faults(self, where: str) -> list[str]:
        """A model has a formula, a scale has items."""
        found = choice(f"{where} kind", self.kind, get_args(ModelKind))
        if not all(isinstance(name, str) for name in self.items):
            found.append(f"{where} items must be a list of names of variables.")
        if self.kind == "scale" and len(self.items) < 2:
            found.append(f"{where}: a scale needs items, a list of at least two variables.")
        found += texts(where, self, ("formula",))
        if self.kind != "scale" and not self.formula:
            found.append(f'{where}: a {self.kind} model needs a formula such as "y ~ a + b".')
        return found

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """What its items and its formula name."""
        found = unknown(where, [name for name in self.items if isinstance(name, str)], known)
        if isinstance(self.formula, str) and self.kind != "scale":
            found += formula_faults(where, self.formula, known)
        return found


@dataclass(frozen=True, kw_only=True)
class Indicator(Entries):
    """A statistic that data users publish: of a variable, by groups if wanted, weighted."""

    name: str | None = None
    statistic: Statistic | None = None
    variable: str | None = None
    by: str | None = None
    weight: str | None = None
    """A column of weights; the run's weight if not given."""
    where: str | None = None
    """Which units: "WAGP > 0 and SEX == 1"."""
    category: Value | None = None
    """Of which category the share is wanted; each one's if not given."""
    quantile: float = 0.5
    denominator: str | None = None
    """The variable whose total a ratio divides by."""
    line: float = 0.6
    """The poverty line as a share of the median."""
    resamples: int = 500
    """Draws of the bootstrap."""
    function: Callable[[Any], float] | None = None
    """From Python: any function of a polars data frame, in place of a statistic."""

    @property
    def title(self) -> str:
        """How the indicator is named in results."""
        if self.name is not None:
            return self.name
        if self.function is not None:
            return getattr(self.function, "__name__", "function")
        if self.statistic == "ratio":
            return f"ratio of {self.variable} to {self.denominator}"
        what = f"{self.quantile:g}-quantile" if self.statistic == "quantile" else self.statistic
        return f"{what} of {self.variable}"

    def faults(self, where: str) -> list[str]:
        """A statistic and what it needs, or a function."""
        found = texts(where, self, ("name", "variable", "by", "weight", "where", "denominator"))
        found += whole(f"{where}: resamples", self.resamples, 10, MOST_DRAWS)
        if not isinstance(self.category, str | int | float | bool | None):
            found.append(f"{where}: category must be a single value.")
        if self.function is None:
            return found + self._statistic_faults(where)
        if not callable(self.function):
            found.append(f"{where}: function must be a Python function of a data frame.")
        if self.statistic is not None:
            found.append(f"{where} has both a statistic and a function; give one.")
        return found

    def _statistic_faults(self, where: str) -> list[str]:
        if self.statistic is None:
            return [f"{where} has no statistic; it may be {', '.join(STATISTICS)}."]
        found = choice(f"{where}: statistic", self.statistic, STATISTICS)
        if self.variable is None:
            found.append(f"{where} has no variable.")
        if self.statistic == "ratio" and self.denominator is None:
            found.append(f"{where}: a ratio needs a denominator, a second variable.")
        if not is_number(self.quantile) or not 0 <= self.quantile <= 1:
            found.append(f"{where}: quantile must be a number between 0 and 1.")
        return found + number(f"{where}: line", self.line, above=0, optional=False)

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Which units, groups and weights; and the numbers or categories it is of."""
        found = unknown(where, (self.by,), known)
        found += condition_faults(where, self.where, known)
        found += no_numbers(where, (self.weight,), known, "a weight")
        if self.function is not None:
            return found
        named = (self.variable, self.denominator)
        if self.statistic == "share":
            return found + unknown(where, named, known)
        return found + no_numbers(where, named, known, f"the statistic {self.statistic}")


@dataclass(frozen=True, kw_only=True)
class Regression(Entries):
    """A regression whose coefficients are compared."""

    formula: str | None = None
    kind: RegressionKind = "linear"
    where: str | None = None
    weight: str | None = None
    """A column of weights; the run's weight if not given."""
    robust: bool = False
    """Standard errors that hold under unequal variances (HC1)."""
    bands: Literal["categories", "midpoints"] = "categories"
    """How numbers released in bands enter: as categories, or by the middle of their band."""

    def faults(self, where: str) -> list[str]:
        """A formula, and ways that there are."""
        found = choice(f"{where}: kind", self.kind, get_args(RegressionKind))
        found += choice(f"{where}: bands", self.bands, ("categories", "midpoints"))
        found += texts(where, self, ("formula", "where", "weight"))
        if not self.formula:
            found.append(f'{where} needs a formula such as "y ~ a + b".')
        return found + flag(f"{where}: robust", self.robust, optional=False)

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """What its formula, its condition and its weight name."""
        said = self.formula if isinstance(self.formula, str) else None
        found = formula_faults(where, said, known)
        found += condition_faults(where, self.where, known)
        return found + no_numbers(where, (self.weight,), known, "a weight")
