"""Risk of re-identification."""

from __future__ import annotations

from typing import Literal

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class ClassShare:
    """Records in small classes."""

    records: int
    share: float


@dataclass(frozen=True, kw_only=True)
class SensitiveRisk:
    """What a class gives away of a sensitive variable."""

    name: str
    distinct_l: int | None = None
    entropy_l: float | None = None
    recursive_l: int | None = None
    """Largest l of recursive (c, l)-diversity."""
    c: float = 1.0
    l_asked: int = 3
    satisfied: bool | None = None
    """Whether recursive (c, l)-diversity holds for the l that is asked for."""
    t: float | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class IndividualRisk:
    """Benedetti and Franconi's individual risk with sampling weights."""

    sum: float | None
    mean: float | None = None
    largest: float | None = None
    above_threshold: int | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class LogLinearRisk:
    """Global risk by a log-linear model (Skinner and Shlomo)."""

    tau1: float | None
    """Expected sample uniques that are unique in the population."""
    tau2: float | None
    """Expected correct matches among sample uniques."""
    model: str | None = None
    fraction: float | None = None
    converged: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class SudaRisk:
    """Special uniques: records unique in few attributes."""

    scores: dict[str, float] | None
    """Quantiles and mean of the records' scores."""
    contributions: dict[str, float] | None
    """Share of the total score, in percent, in minimal sample uniques that hold a variable."""
    level_contributions: dict[str, dict[str, float]] | None = None
    msus: dict[str, int] | None = None
    """Minimal sample uniques by their number of attributes."""
    dis: dict[str, float] | None = None
    """Quantiles and mean of the records' DIS-SUDA scores."""
    most: int | None = None
    fraction: float | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class AttackerRisk:
    """Risk as ARX names it: largest and mean risk of a record, and the share above a threshold."""

    largest: float | None
    mean: float | None
    at_risk: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Risk:
    """Re-identification risk: 0 safe, 1 everybody is found."""

    keys: tuple[str, ...]
    records: int
    missing_keys: Literal["value", "any"]
    """What a missing key is in all figures but those that name a way: a value of its own, or one
    that matches every value."""
    missing_keys_why: Literal["declared", "suppression found", "none found"]
    internal: float | None
    """R_internal: mean of 1/EC."""
    internal_value: float | None
    """The same with missing keys as a value of their own."""
    internal_any: float | None
    """The same with missing keys that match every value."""
    sensitivity: dict[str, float]
    """Of each key, where some were given: a record weighs what those it shows add up to."""
    external: float | None
    external_unmatched: float | None
    """Share of records that no external record matches, which count 0 in `class`."""
    external_matched: float | None
    """Mean of 1/ext over the records that some external record matches."""
    external_weights: dict[str, float]
    """What each way counts in `external`."""
    external_methods: dict[str, float | None]
    external_reasons: dict[str, str]
    external_keys: tuple[str, ...]
    combine: str
    total: float | None
    safety: float | None
    k: int | None
    """The smallest class."""
    k_value: int | None
    k_any: int | None
    classes_total: int
    uniques: int
    uniques_value: int
    uniques_any: int
    classes: dict[str, ClassShare]
    """Records in classes of at most so many."""
    class_quantiles: dict[str, float]
    expected_reidentifications: float
    threshold: float
    above_threshold: int
    population_uniques: int | None
    individual: IndividualRisk
    loglinear: LogLinearRisk
    sensitive: tuple[SensitiveRisk, ...]
    suda: SudaRisk
    linkage: float | None
    linkage_records: int | None
    interval: float | None
    """Share of values within a small interval of the original one."""
    interval_width: float
    interval_variables: dict[str, float]
    prosecutor: AttackerRisk
    journalist: AttackerRisk
    marketer: float | None
    seed: int = 1
    reason: str | None = None
