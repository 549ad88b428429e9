"""One figure from the scores of variables and pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from microgauge.errors import Undefined
from microgauge.results import PairScore


def global_reduction_coefficient(before: int, after: int) -> float:
    """GRC = q(q - 1) / (k(k - 1)): the share of pairs of variables that are left.

    >>> round(global_reduction_coefficient(100, 95), 3)
    0.902
    """
    if before < 2:
        raise Undefined("with one variable there are no pairs to lose")
    return after * (after - 1) / (before * (before - 1))


def pair_means(pairs: Iterable[PairScore], removed: Sequence[str]) -> dict[str, float]:
    """Each variable's mean utility over its pairs that count.

    A removed variable's mean is 0, and its pairs do not count among those of the others; only so is
    the loss linear in the number of removed variables. `removed` names those with a wanted pair.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        if pair.utility is not None:
            found[pair.a].append(pair.utility)
            found[pair.b].append(pair.utility)
    means = {name: sum(utilities) / len(utilities) for name, utilities in found.items()}
    return means | dict.fromkeys(removed, 0.0)


def weighted_mean(values: Mapping[str, float], importance: Mapping[str, float]) -> float:
    """Mean over variables, weighted by importance."""
    if not values:
        raise Undefined("no variable has a score")
    total = sum(importance[name] for name in values)
    return sum(importance[name] * value for name, value in values.items()) / total


@dataclass(frozen=True)
class Halves:
    """The two halves of the global data utility and what they make together."""

    univariate: float | None
    bivariate: float | None
    value: float | None


def balanced(
    univariate: float | None, bivariate: float | None, balance: tuple[float, float]
) -> Halves:
    """GDU = w_uni · ALDUuni + w_biv · ALDUbiv; ALDUuni alone where there is no bivariate half."""
    if univariate is None:
        return Halves(None, bivariate, None)
    if bivariate is None:
        return Halves(univariate, None, univariate)
    return Halves(univariate, bivariate, balance[0] * univariate + balance[1] * bivariate)
