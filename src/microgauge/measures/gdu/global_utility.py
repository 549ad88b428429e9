"""One figure from the scores of variables and pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass


def global_reduction_coefficient(before: int, after: int) -> float:
    """GRC = q(q - 1) / (k(k - 1)): the share of pairs of variables that are left.

    >>> round(global_reduction_coefficient(100, 95), 3)
    0.902
    """
    if before < 2:
        raise Undefined(say("with one variable there are no pairs to lose"))
    return after * (after - 1) / (before * (before - 1))


def pair_means(
    pairs: Iterable[tuple[str, str, float | None]], removed: Sequence[str]
) -> dict[str, float]:
    """Each variable's mean utility over its pairs that count, from two names and a utility each.

    A removed variable's mean is 0, and its pairs do not count among those of the others; only so is
    the loss linear in the number of removed variables. `removed` names those with a wanted pair.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    for a, b, utility in pairs:
        if utility is not None:
            found[a].append(utility)
            found[b].append(utility)
    means = {name: sum(utilities) / len(utilities) for name, utilities in found.items()}
    return means | dict.fromkeys(removed, 0.0)


def weighted_mean(values: Mapping[str, float], importance: Mapping[str, float]) -> float:
    """Mean over variables, weighted by importance."""
    if not values:
        raise Undefined(say("no variable has a score"))
    total = sum(importance[name] for name in values)
    return sum(importance[name] * value for name, value in values.items()) / total


@dataclass(frozen=True)
class Parts:
    """The parts of the global data utility and what they make together."""

    univariate: float | None
    bivariate: float | None
    multivariate: float | None
    value: float | None


def balanced(
    univariate: float | None,
    bivariate: float | None,
    multivariate: float | None,
    balance: tuple[float, ...],
) -> Parts:
    """GDU = w_uni · ALDUuni + w_biv · ALDUbiv + w_mod · (mean utility of the models).

    The third weight is 0 unless it is given. Where a part is not there, the weights of the others
    are scaled to add up to 1: with no pair that can be tested, GDU is ALDUuni alone.

    >>> balanced(0.8, 0.4, 0.1, (0.5, 0.5)).value, balanced(0.8, None, None, (0.5, 0.5)).value
    (0.6000000000000001, 0.8)
    >>> round(balanced(0.8, 0.4, 0.1, (0.4, 0.4, 0.2)).value, 9)
    0.5
    """
    if univariate is None:
        return Parts(None, bivariate, multivariate, None)
    weights = (*balance, 0.0)[:3]
    scores = (univariate, bivariate, multivariate)
    known = [(w, s) for w, s in zip(weights, scores, strict=True) if s is not None and w > 0]
    total = sum(weight for weight, _ in known)
    if not known:  # the parts that weigh something are not there
        return Parts(*scores, univariate)
    if len(known) == sum(weight > 0 for weight in weights):
        total = 1.0  # as given, up to rounding
    return Parts(*scores, sum(weight / total * score for weight, score in known))
