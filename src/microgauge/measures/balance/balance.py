"""Risk and utility as one figure, and the choice among candidates (Kim 2025, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from microgauge.errors import Undefined
from microgauge.languages.messages import say

SWEEP = tuple(round(0.2 + 0.1 * step, 1) for step in range(7))
"""α from 0.2 to 0.8."""


def weighted_total(
    values: Sequence[float], weights: Sequence[float], how: str = "mean", *, worst: bool = True
) -> float:
    """The weighted mean over attributes, or the worst of them: the largest loss."""
    if not values:
        raise Undefined(say("no attribute has a figure"))
    if how == "max":
        return max(values) if worst else min(values)
    return sum(v * w for v, w in zip(values, weights, strict=True)) / sum(weights)


def utility(similarity: float, loss: float, how: tuple[float, float] | str = (0.5, 0.5)) -> float:
    """U = w_S S + w_L (1 - L); or S / L.

    >>> utility(0.9, 0.2)
    0.8500000000000001
    """
    if how == "ratio":
        if loss == 0:
            raise Undefined(say("the loss is 0, so its ratio is not defined"))
        return similarity / loss
    first, second = (float(weight) for weight in how)
    return (first * similarity + second * (1.0 - loss)) / (first + second)


def balance(utility: float, risk: float, alpha: float, beta: float, form: str = "sum") -> float:
    """RUT = α U + β (1 - R); `difference` α U - β R; `ratio` U / R.

    **Reading:** section 3.4.3 prints α U + β R; a sum that rewards risk is a misprint.

    >>> round(balance(0.86, 0.41, 0.5, 0.5), 9)
    0.725
    """
    if form == "sum":
        return alpha * utility + beta * (1.0 - risk)
    if form == "difference":
        return alpha * utility - beta * risk
    if risk == 0:
        raise Undefined(say("the risk is 0, so the ratio is not defined"))
    return utility / risk


def frontier(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Names of the points (risk, utility) that no other beats in one without losing in the other.

    Safest first. Equal points are all on it.

    >>> frontier({"a": (0.1, 0.5), "b": (0.2, 0.9), "c": (0.2, 0.6)})
    ['a', 'b']
    """
    found = [
        name
        for name, (risk, gain) in points.items()
        if not any(r <= risk and u >= gain and (r < risk or u > gain) for r, u in points.values())
    ]
    return sorted(found, key=lambda name: (points[name][0], -points[name][1], name))
