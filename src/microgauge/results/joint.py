"""Both files together: propensity scores, clusters, distribution functions."""

from __future__ import annotations

from typing import Literal

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class VariableDrop:
    """How much of U_p goes away when a variable is left out of the model."""

    name: str
    drop: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sees:
    """Which pairs of variables a model can see: what it has no term for, it is blind to."""

    share: float
    """Share of all pairs, 0 to 1."""
    how: Literal["full", "coarse", "trees", "none"]
    """By products of values, of groups of values, by trees, or not at all."""
    pairs: int
    of: int
    """How many of how many."""
    names: tuple[tuple[str, str], ...] | None
    """Which they are, where they are not all."""


@dataclass(frozen=True, kw_only=True)
class DesignUsed:
    """The terms of a model, chosen on the original alone."""

    degree: int
    """Powers of numbers in main effects."""
    groups: int | None
    """Groups of variables whose products are formed; None: products of the values."""
    pairs: Literal["all", "most associated"]
    rows: int
    """Rows of both files that it was chosen for: the original's and the smallest candidate's."""
    terms: int
    categories: int | None = None
    """Groups that main effects have of a nominal variable at most; None: no such limit."""


@dataclass(frozen=True, kw_only=True)
class Boosted:
    """What boosted trees make of the same rows: they see what the model's terms cannot."""

    value: float | None
    """U_p of rows by trees that did not see them."""
    expected: float | None
    """The same with labels shuffled."""
    ratio: float | None
    null_share: float | None
    """Share of shuffles with a larger U_p."""
    beyond_chance: bool | None
    auc_cross: float | None
    size: Literal["small", "clear", "easy"] | None
    rows: int
    seed: int
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class PropensityResult:
    """Can a classifier tell the files apart? 0: not at all; c(1 - c): fully."""

    model: str
    terms: int | None
    """Columns of the model."""
    rank: int | None
    rank_original: int | None = None
    """Of the model on the original's rows alone, as every resample has it."""
    description: str
    """Which terms these are."""
    degree: int | None
    interactions: str | None
    sees: Sees | None = None
    design: DesignUsed | None = None
    """The design that `auto` chose on the original."""
    value: float | None
    """U_p."""
    expected: float | None
    """U_p of a resample of the original."""
    ratio: float | None
    null_deviation: float | None = None
    """Standard deviation of the ratio of resamples."""
    null_share: float | None
    """Share of resamples of the original with a larger U_p."""
    resamples: int
    beyond_chance: bool | None = None
    """Whether the files differ by more than a resample would."""
    permuted_ratio: float | None = None
    """Ratio of the original with every column permuted, its relations lost; looked at only where
    the files do not differ by more than chance."""
    sees_permuted: bool | None = None
    """Whether such a file would be told apart from the original all but always."""
    auc: float | None
    auc_cross: float | None = None
    """AUC of rows by models that did not see them: 0.5 not told apart, 1 fully."""
    size: Literal["small", "clear", "easy"] | None = None
    """How large the difference is, by `auc_cross`."""
    specks: float | None
    po50: float | None
    percentiles_original: dict[str, float] | None
    percentiles_protected: dict[str, float] | None
    variables: tuple[VariableDrop, ...]
    rows: int
    """Rows of both files that were used."""
    seed: int
    boosted: Boosted | None = None
    """A second opinion, where it was asked for."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClusterShare:
    """One cluster and what it counts."""

    rows: int
    original: float
    """Share of its rows that are the original's."""
    weight: float


@dataclass(frozen=True, kw_only=True)
class ClusterResult:
    """Do clusters hold both files' rows in equal shares? U_c, 0: they do."""

    method: str
    groups: int
    weights: str
    """The rule; "given" where weights were given one by one."""
    value: float | None
    null_share: float | None
    """Share of resamples of the original with a larger U_c."""
    rows: int
    seed: int
    expected: float | None = None
    """Mean of U_c over all ways to deal out the rows' labels at random."""
    ratio: float | None = None
    """U_c over that; above 1: further from equal shares than chance is."""
    resamples: int = 0
    clusters: tuple[ClusterShare, ...] = ()
    """Each cluster, the largest first, where weights were given one by one."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class EcdfResult:
    """How far apart are the joint distribution functions? 0: they are equal."""

    maximum: float | None
    """U_m."""
    mean_square: float | None
    """U_s."""
    exact: bool
    points: int
    null_share_maximum: float | None
    null_share_mean_square: float | None
    seed: int
    resamples: int = 0
    reason: str | None = None
