"""Analyses that a schema names: [[model]], [[indicator]], [[regression]]."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.schema.checks import MOST_DRAWS, choice, flag, is_number, number, texts, whole
from microgauge.schema.columns import (
    Columns,
    condition_faults,
    formula_faults,
    no_numbers,
    unknown,
)
from microgauge.schema.entries import Column, Entries
from microgauge.schema.variables import Value

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader

ModelKind = Literal["linear", "logistic", "scale"]
RegressionKind = Literal["linear", "logistic", "ordered"]
Statistic = Literal[
    "mean", "total", "median", "quantile", "share", "ratio", "gini", "s80s20", "arop"
]
STATISTICS: tuple[str, ...] = get_args(Statistic)
TITLES = {
    "mean": say("mean of {variable}"),
    "total": say("total of {variable}"),
    "median": say("median of {variable}"),
    "quantile": say("{quantile}-quantile of {variable}"),
    "share": say("share of {variable}"),
    "gini": say("gini of {variable}"),
    "s80s20": say("s80s20 of {variable}"),
    "arop": say("arop of {variable}"),
}


@dataclass(frozen=True, kw_only=True)
class Model(Entries):
    """A model whose utility is wanted: a regression by its formula, or a scale by its items."""

    lists: ClassVar[tuple[str, ...]] = ("items",)

    kind: ModelKind
    """A linear or a logistic regression, or a scale of several variables."""
    formula: str | None = None
    """Response ~ terms, such as income ~ age + sex; not for a scale."""
    items: tuple[Column, ...] = ()
    """The variables of a scale, at least two."""

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
        found = choice(say("{where} kind", where=where), self.kind, get_args(ModelKind))
        if not all(isinstance(name, str) for name in self.items):
            found.append(say("{where} items must be a list of names of variables.", where=where))
        if self.kind == "scale" and len(self.items) < 2:
            found.append(
                say("{where}: a scale needs items, a list of at least two variables.", where=where)
            )
        found += texts(where, self, ("formula",))
        if self.kind != "scale" and not self.formula:
            found.append(
                say(
                    '{where}: a {kind} model needs a formula such as "y ~ a + b".',
                    where=where,
                    kind=self.kind,
                )
            )
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
    """What it is called in the result; "mean of income" and the like if not given."""
    statistic: Statistic | None = None
    """What is computed."""
    variable: Column | None = None
    """The column it is of: numbers, or for a share any."""
    by: Column | None = None
    """A column whose groups get a figure each."""
    weight: Column | None = None
    """A column of weights; the run's weight if not given."""
    where: str | None = None
    """Which units: "WAGP > 0 and SEX == 1"; all if not given."""
    category: Value | None = None
    """Of which category the share is wanted; each one's if not given."""
    quantile: float = 0.5
    """Which quantile, from 0 to 1."""
    denominator: Column | None = None
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
            return say(
                "ratio of {variable} to {denominator}",
                variable=self.variable,
                denominator=self.denominator,
            )
        title = TITLES.get(self.statistic or "", say("{statistic} of {variable}"))
        at = {"quantile": f"{self.quantile:g}"} if self.statistic == "quantile" else {}
        more = {} if self.statistic in TITLES else {"statistic": self.statistic}
        return title.format(variable=self.variable, **at, **more)

    def faults(self, where: str) -> list[str]:
        """A statistic and what it needs, or a function."""
        found = texts(where, self, ("name", "variable", "by", "weight", "where", "denominator"))
        found += whole(say("{where}: resamples", where=where), self.resamples, 10, MOST_DRAWS)
        if not isinstance(self.category, str | int | float | bool | None):
            found.append(say("{where}: category must be a single value.", where=where))
        if self.function is None:
            return found + self._statistic_faults(where)
        if not callable(self.function):
            found.append(
                say("{where}: function must be a Python function of a data frame.", where=where)
            )
        if self.statistic is not None:
            found.append(say("{where} has both a statistic and a function; give one.", where=where))
        return found

    def _statistic_faults(self, where: str) -> list[str]:
        if self.statistic is None:
            return [
                say(
                    "{where} has no statistic; it may be {statistics}.",
                    where=where,
                    statistics=strung(STATISTICS, ", "),
                )
            ]
        found = choice(say("{where}: statistic", where=where), self.statistic, STATISTICS)
        if self.variable is None:
            found.append(say("{where} has no variable.", where=where))
        if self.statistic == "ratio" and self.denominator is None:
            found.append(
                say("{where}: a ratio needs a denominator, a second variable.", where=where)
            )
        if not is_number(self.quantile) or not 0 <= self.quantile <= 1:
            found.append(say("{where}: quantile must be a number between 0 and 1.", where=where))
        return found + number(say("{where}: line", where=where), self.line, above=0, optional=False)

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """Which units, groups and weights; and the numbers or categories it is of."""
        found = unknown(where, (self.by,), known)
        found += condition_faults(where, self.where, known)
        found += no_numbers(where, (self.weight,), known, say("a weight"))
        if self.function is not None:
            return found
        named = (self.variable, self.denominator)
        if self.statistic == "share":
            return found + unknown(where, named, known)
        return found + no_numbers(
            where, named, known, say("the statistic {statistic}", statistic=self.statistic)
        )


@dataclass(frozen=True, kw_only=True)
class Regression(Entries):
    """A regression whose coefficients are compared."""

    formula: str | None = None
    """Response ~ terms, such as log(income) ~ sex + age + I(age**2)."""
    kind: RegressionKind = "linear"
    """Linear; logistic for a response of two categories; ordered for categories in an order."""
    where: str | None = None
    """Which units: "WAGP > 0 and SEX == 1"; all if not given."""
    weight: Column | None = None
    """A column of weights; the run's weight if not given."""
    robust: bool = False
    """Standard errors that hold under unequal variances (HC1)."""
    bands: Literal["categories", "midpoints"] = "categories"
    """How numbers released in bands enter: as categories, or by the middle of their band."""

    def faults(self, where: str) -> list[str]:
        """A formula, and ways that there are."""
        found = choice(say("{where}: kind", where=where), self.kind, get_args(RegressionKind))
        found += choice(say("{where}: bands", where=where), self.bands, ("categories", "midpoints"))
        found += texts(where, self, ("formula", "where", "weight"))
        if not self.formula:
            found.append(say('{where} needs a formula such as "y ~ a + b".', where=where))
        return found + flag(say("{where}: robust", where=where), self.robust, optional=False)

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """What its formula, its condition and its weight name."""
        said = self.formula if isinstance(self.formula, str) else None
        found = formula_faults(where, said, known)
        found += condition_faults(where, self.where, known)
        return found + no_numbers(where, (self.weight,), known, say("a weight"))
