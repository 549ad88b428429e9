"""Analyses that the schema names, on both sides."""

from __future__ import annotations

from typing import Literal

from microgauge.records import dataclass

RegressionKind = Literal["linear", "logistic", "ordered"]


@dataclass(frozen=True, kw_only=True)
class IndicatorResult:
    """A published statistic on both sides, with confidence intervals."""

    name: str
    statistic: str
    by: str | None
    """The variable that forms groups."""
    group: str | None
    """Its category; None for all units."""
    original: float | None = None
    original_ci: tuple[float, float] | None = None
    protected: float | None = None
    protected_ci: tuple[float, float] | None = None
    relative_difference: float | None = None
    inside: bool | None = None
    """Whether the protected estimate lies in the original interval."""
    overlap: float | None = None
    interval: Literal["closed form", "bootstrap"] | None = None
    resamples: int = 0
    units_original: int | None = None
    units_protected: int | None = None
    records_original: int | None = None
    """Records that the figure rests on: of a share the fewer of those inside and outside."""
    records_protected: int | None = None
    influence_original: float | None = None
    """The most that leaving out one record of the original moves the figure, of those with the
    smallest, the largest and the heaviest values."""
    variable: str | None = None
    """What it is a statistic of."""
    category: str | None = None
    """Of a share."""
    where: str | None = None
    """The condition that its units fulfil."""
    seed: int = 1
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class CoefficientResult:
    """One coefficient of a regression on both sides."""

    term: str
    original: float | None = None
    original_ci: tuple[float, float] | None = None
    protected: float | None = None
    protected_ci: tuple[float, float] | None = None
    inside: bool | None = None
    """Whether the protected estimate lies in the original interval."""
    overlap: float | None = None
    standardised_difference: float | None = None
    """|difference| in standard errors of the original."""
    same_sign: bool | None = None
    same_verdict: bool | None = None
    """Whether both or neither differ from 0 at 5 %."""
    records_original: float | None = None
    """Records of the original that it rests on, whichever way it is added to other terms that rest
    on as many: the reciprocal of the largest leverage on them."""
    influence_original: float | None = None
    """The most that leaving out one record of the original moves it."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class RegressionResult:
    """A regression fitted on both sides; overlap 1: the intervals are the same."""

    formula: str
    kind: RegressionKind
    where: str | None
    overlap: float | None
    """Mean overlap of the coefficients' confidence intervals."""
    coefficients: tuple[CoefficientResult, ...]
    inside: float | None = None
    """Share of the coefficients whose protected estimate lies in the original interval."""
    joint_overlap: float | None = None
    """Overlap of all comparable coefficients at once; 1: the same. No matter which category is
    the reference."""
    joint_distance: float | None = None
    """Their distance in standard errors of the original, over all at once; 0: none."""
    joint_terms: int | None = None
    """Coefficients that these two are of."""
    units_original: int | None = None
    units_protected: int | None = None
    fit_original: float | None = None
    """R², or McFadden's for a logistic or ordered model."""
    fit_protected: float | None = None
    robust: bool = False
    bands: Literal["categories", "midpoints"] = "categories"
    reason: str | None = None
