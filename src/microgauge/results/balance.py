"""Risk and utility on one scale."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


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
    max_risk: float | None = None
    min_utility: float | None = None
    meets_limits: bool | None = None
    reason: str | None = None
