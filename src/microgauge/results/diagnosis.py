"""What to know of an original before it is protected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from microgauge.records import dataclass
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
    label: str | None = None
    """What it is, in the words of the schema or of the file."""
    value_labels: dict[str, str] | None = None
    """What its categories mean, by the category as it is shown; None where nothing says so."""
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
    found: float | None = None
    """Mean chance that an intruder who knows these keys finds a person's record, were the table
    released as it is: 0 nobody, 1 everybody. A missing key agrees with all values."""
    learned: float | None = None
    """What such an intruder learns of a target beyond guessing: the largest over targets, 0 or
    more."""
    target: str | None = None
    """Of which most is learned."""
    reason: str | None = None

    @property
    def risk(self) -> float | None:
        """What such an intruder gets: the larger of found and learned."""
        return None if self.found is None else max(self.found, self.learned or 0.0)


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
    """RUT with the risk."""
    attributes: tuple[AttributeUtility, ...]
    found: float | None = None
    """Mean chance that an intruder who knows the keys finds a person's record: 0 nobody, 1
    everybody."""
    learned: float | None = None
    """What is learned of a target beyond guessing: the largest over targets, 0 or more."""
    target: str | None = None
    """Of which most is learned."""
    risk: float | None = None
    """What is balanced: the larger of found and learned; the internal risk where that is chosen."""
    risk_measure: Literal["disclosure", "classes"] = "disclosure"
    """Which of the two `risk` is: "disclosure", or "classes"."""
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
    risk_measure: Literal["disclosure", "classes"] = "disclosure"
    """Which risk levels are balanced with: what an intruder gets, or R_internal of classes."""
    targets: tuple[str, ...] = ()
    """What an intruder may want to know."""
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import to_dict

        return dict(to_dict(self))

    def __str__(self) -> str:
        return self.short_text()

    def short_text(
        self, ending: Sequence[tuple[str, str]] = (), more: str = "print(result.long_text())"
    ) -> str:
        """What matters most, in at most 40 lines of 80 columns.

        `ending` adds lines under labels of their own; `more` says how to see everything.
        """
        from microgauge.render.ranking import short_diagnosis

        return short_diagnosis(self, ending, more)

    def long_text(self) -> str:
        """Everything, line by line."""
        from microgauge.render.ranking import diagnosis_text

        return diagnosis_text(self)

    def __repr__(self) -> str:
        told = [f"rows={self.rows}", f"variables={len(self.variables)}"]
        if self.classes.risk is not None:
            told.append(f"risk={self.classes.risk:.3f}")
        return f"Diagnosis({', '.join([*told, f'keys={len(self.classes.keys)}'])})"

    def _repr_html_(self) -> str:
        from microgauge.render.notebook import diagnosis_view

        return diagnosis_view(self)
