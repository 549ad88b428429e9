"""Risk and utility on one scale."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class AttributeUtility:
    """Loss and similarity of one attribute, on the scale of risk: 0 to 1."""

    name: str
    kind: str
    """What was done to it: range, prefix, number, category, merged, removed."""
    loss: float | None
    loss_measure: str
    similarity: float | None
    similarity_measure: str
    weight: float = 1.0
    losses: dict[str, float | None] = field(default_factory=dict)
    similarities: dict[str, float | None] = field(default_factory=dict)
    loss_weights: dict[str, float] = field(default_factory=dict)
    """What each of the losses counts in their mean."""
    similarity_weights: dict[str, float] = field(default_factory=dict)
    rule: str | None = None
    """A rounding rule that was found or declared."""
    loss_by_rule: float | None = None
    """The error against the rule's own unit: not comparable between levels."""
    entropy_difference: float | None = None
    """Bits lost; negative where protection added some."""
    suppressed: float | None = None
    """Share of values suppressed, which count as lost."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class VectorUtility:
    """How far units moved in several attributes at once, in the attributes' own units."""

    variables: tuple[str, ...]
    manhattan: float | None = None
    """Mean over units of Σ |x - x′|."""
    euclidean: float | None = None
    """Root of the mean over units of Σ (x - x′)²."""
    manhattan_bound: float | None = None
    """L_max: the sum of the attributes' bounds."""
    euclidean_bound: float | None = None
    """L_max: the root of the sum of their squares."""
    manhattan_loss: float | None = None
    """0 nothing moved, 1 as far as can be; units with a suppressed value count as lost."""
    euclidean_loss: float | None = None
    compared: int | None = None
    suppressed: float | None = None
    """Share of units that lost a value of the vector."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class SweepStep:
    """The balance at one weight of utility."""

    alpha: float
    value: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Rut:
    """The balance of risk and utility (Kim 2025)."""

    loss: float | None
    similarity: float | None
    utility: float | None
    form: Literal["sum", "difference", "ratio"]
    alpha: float
    beta: float
    value: float | None
    attributes: tuple[AttributeUtility, ...]
    sweep: tuple[SweepStep, ...]
    risk: float | None = None
    """The risk that utility is balanced with."""
    risk_measure: Literal["disclosure", "classes"] = "disclosure"
    """What that risk is: what an intruder gets, or Kim's R of classes."""
    attribute_combine: Literal["mean", "max"] = "mean"
    """How several losses or similarities of one attribute become one."""
    vectors: tuple[VectorUtility, ...] = ()
    """Beside: distances of several attributes jointly."""
    max_risk: float | None = None
    min_utility: float | None = None
    meets_limits: bool | None = None
    reason: str | None = None
