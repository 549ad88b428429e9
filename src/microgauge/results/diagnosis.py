"""What to know of an original before it is protected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from microgauge.results.balance import AttributeUtility


@dataclass(frozen=True, kw_only=True)
class VariableDiagnosis:
    """How one variable of the original is distributed."""

    name: str
    type: str
    distinct: int
    missing: int
    histogram: tuple[dict[str, Any], ...]
    """Bins of numbers, or the most frequent categories, with their (weighted) shares."""
    skewness: float | None = None
    top_share: float | None = None
    """Share of the total that the top 1 % of units hold."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class SubsetRisk:
    """Classes formed by some of the quasi-identifiers."""

    keys: tuple[str, ...]
    internal: float
    classes: int
    uniques: int
    unique_share: float
    small_share: float
    """Share of records in classes of at most three."""
    class_quantiles: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class LevelPreview:
    """What a protection level would do."""

    name: str
    internal: float
    k: int
    uniques: int
    loss: float | None
    similarity: float | None
    utility: float | None
    value: float | None
    """RUT with the internal risk."""
    attributes: tuple[AttributeUtility, ...]
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What to know of an original before it is protected."""

    microgauge: str
    path: str
    rows: int
    variables: tuple[VariableDiagnosis, ...]
    classes: SubsetRisk
    subsets: tuple[SubsetRisk, ...]
    """Every subset of up to three quasi-identifiers, worst first."""
    levels: tuple[LevelPreview, ...]
    missing_keys: str = "value"
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import to_dict

        return dict(to_dict(self))

    def __str__(self) -> str:
        from microgauge.render.ranking import diagnosis_text

        return diagnosis_text(self)
