"""What a schema chooses for both files together: [propensity], [clusters], [ecdf]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema.checks import MOST_DRAWS, choice, flag, is_number, whole
from microgauge.schema.columns import Columns, unknown
from microgauge.schema.entries import Column, Entries

if TYPE_CHECKING:
    from microgauge.schema.reading import Reader


MOST_GROUPS = 10_000
"""Clusters: ten times as many as the paper has."""
MODELS = ("auto", "logit", "spline", "additive", "cart", "boost")


@dataclass(frozen=True, kw_only=True)
class PropensityChoices(Entries):
    """Choices of the propensity score measure."""

    model: Literal["auto", "logit", "spline", "additive", "cart", "boost"] = "auto"
    """What tells the files apart; auto: what suits their size."""
    degree: int = 1
    """Powers of numbers up to this one."""
    interactions: Literal["none", "pairs", "full"] = "none"
    """Products: of each two variables, or all of total degree up to `degree`."""
    formula: str | None = None
    """Terms by name, in place of degree and interactions: "~ a + b + a:b"."""
    resamples: int | None = None
    """Draws of the null distribution; unless said, 50 where the model is small."""
    unmasked: Literal["all", "interactions"] = "all"
    """How variables that protection left alone enter: as all others, or in products only."""
    permutations: int = 20
    """Shuffles of the labels, for models whose expectation has no formula."""
    penalty: Literal["aic", "gcv"] | float = "aic"
    """Of the curves of an additive model: how it is chosen, or the penalty itself."""
    leaf: int = 20
    """Fewest rows in a leaf of a tree."""
    leave_out: tuple[Column, ...] = ()
    """Variables that are left out of this measure alone."""
    sample: int = 50_000
    """Rows of both files together beyond which a sample of each is used."""
    boosted: bool = False
    """Whether a boosted model stands beside another, which takes long."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """Interactions may be true or false: of pairs, or none. One name is a list of one."""
        if "leave_out" in values:
            values["leave_out"] = reader.one_or_more(
                values["leave_out"], say("{where} leave_out", where=where)
            )
        if isinstance(values.get("interactions"), bool):
            values["interactions"] = "pairs" if values["interactions"] else "none"
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = choice(say("{where} model", where=where), self.model, MODELS)
        found += choice(
            say("{where} interactions", where=where), self.interactions, ("none", "pairs", "full")
        )
        found += choice(
            say("{where} unmasked", where=where), self.unmasked, ("all", "interactions")
        )
        for name, least in (("degree", 1), ("leaf", 1), ("sample", 100)):
            found += whole(
                say("{where} {name}", where=where, name=name), getattr(self, name), least
            )
        found += whole(say("{where} permutations", where=where), self.permutations, 1, MOST_DRAWS)
        found += whole(
            say("{where} resamples", where=where), self.resamples, 0, MOST_DRAWS, optional=True
        )
        found += flag(say("{where} boosted", where=where), self.boosted, optional=False)
        found += self._penalty_faults(where)
        if not all(isinstance(name, str) for name in self.leave_out):
            found.append(say("{where} leave_out must be names of columns.", where=where))
        if self.model == "additive" and self.interactions == "full":
            found.append(
                say('{where} interactions of an additive model are "none" or "pairs".', where=where)
            )
        if not isinstance(self.formula, str | None):
            found.append(say('{where} formula must be text, such as "~ a + b + a:b".', where=where))
        elif self.formula is not None and self.model not in ("auto", "logit"):
            found.append(say('{where} formula goes with model = "logit".', where=where))
        return found

    def _penalty_faults(self, where: str) -> list[str]:
        number = isinstance(self.penalty, int | float) and not isinstance(self.penalty, bool)
        if self.penalty in ("aic", "gcv") or (number and 0 <= float(self.penalty) < float("inf")):
            return []
        return [say('{where} penalty must be "aic", "gcv" or a number, 0 or more.', where=where)]

    def column_faults(self, where: str, known: Columns) -> list[str]:
        """What the formula names, and what is left out."""
        from microgauge.schema.formulas import parse_terms

        found = unknown(say("{where} leave_out", where=where), self.leave_out, known)
        try:
            if self.formula is not None:
                parse_terms(self.formula, known)
        except Undefined as error:
            found.append(say("{where} formula: {error}", where=where, error=error))
        return found


@dataclass(frozen=True, kw_only=True)
class ClusterChoices(Entries):
    """Choices of the cluster measure."""

    method: Literal["auto", "average", "kmeans"] = "auto"
    """How units are clustered; auto: what suits their number."""
    groups: tuple[int, ...] | None = None
    """Numbers of clusters that are tried; found by itself unless said."""
    weights: Literal["size", "equal", "error"] | tuple[float, ...] = "size"
    """A rule, or a number for each cluster, the largest first."""
    standardise: bool = True
    """Whether numbers are divided by their deviation first."""
    resamples: int = 0
    """Draws of the null distribution."""
    sample: int = 50_000
    """Rows of both files together beyond which a sample of each is used."""

    @classmethod
    def prepared(cls, values: dict[str, Any], where: str, reader: Reader) -> dict[str, Any]:
        """One number of groups, or several; a rule for the weights, or each of them."""
        if "groups" in values:
            values["groups"] = reader.one_or_more(
                values["groups"], say("{where} groups", where=where)
            )
        if not isinstance(values.get("weights", ""), str):
            values["weights"] = reader.sequence(
                values["weights"], say("{where} weights", where=where)
            )
        return values

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = choice(
            say("{where} method", where=where), self.method, ("auto", "average", "kmeans")
        )
        found += self._weight_faults(say("{where} weights", where=where))
        found += whole(say("{where} resamples", where=where), self.resamples, 0, MOST_DRAWS)
        found += whole(say("{where} sample", where=where), self.sample, 100)
        for groups in self.groups or ():
            found += whole(say("{where} groups", where=where), groups, 2, MOST_GROUPS)
        if self.groups == ():
            found.append(say("{where} groups names no number of groups.", where=where))
        return found

    def _weight_faults(self, where: str) -> list[str]:
        """A rule; or numbers, as many as there are groups."""
        if isinstance(self.weights, str):
            return choice(where, self.weights, ("size", "equal", "error"))
        if not all(is_number(w) and w >= 0 for w in self.weights) or not any(self.weights):
            return [
                say(
                    "{where} must be a rule (size, equal, error) or numbers from 0, not all 0.",
                    where=where,
                )
            ]
        if len(self.weights) < 2:
            return [say("{where} must be given for two clusters or more.", where=where)]
        if self.groups is not None and self.groups != (len(self.weights),):
            return [
                say(
                    "{where} are {n}; groups must then be that one number.",
                    where=where,
                    n=len(self.weights),
                )
            ]
        return []


@dataclass(frozen=True, kw_only=True)
class EcdfChoices(Entries):
    """Choices of the distribution function measures."""

    exact_limit: int = 100_000
    """Rows of both files together up to which every row is a point of comparison."""
    points: int = 10_000
    """Points of comparison beyond that."""
    resamples: int = 0
    """Draws of the null distribution."""

    def faults(self, where: str) -> list[str]:
        """What is wrong with the choices."""
        found = whole(say("{where} exact_limit", where=where), self.exact_limit, 1)
        found += whole(say("{where} points", where=where), self.points, 1)
        return found + whole(say("{where} resamples", where=where), self.resamples, 0, MOST_DRAWS)
