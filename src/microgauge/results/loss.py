"""What changed: values, tables, moments, covariances."""

from __future__ import annotations

from typing import Literal

from microgauge.records import dataclass

Method = Literal["removed", "recoded", "suppressed", "swapped", "noisy", "changed", "unmatched"]
"""What is done to a variable; `swapped`: the same values as often, at other records."""


@dataclass(frozen=True, kw_only=True)
class MissingCells:
    """Missing cells of a variable on both sides."""

    original: int
    protected: int | None
    share_original: float | None
    share_protected: float | None
    increase: float | None
    """By how much the share rose."""
    relative_increase: float | None = None
    """By how much the number rose, as a share of what it was."""
    reason: str | None = None
    """Why that is not defined."""


@dataclass(frozen=True, kw_only=True)
class MomentsResult:
    """What describes the numbers of one side."""

    mean: float
    sd: float | None
    q1: float
    median: float
    q3: float


@dataclass(frozen=True, kw_only=True)
class VariableLoss:
    """What changed in one variable."""

    name: str
    missing: MissingCells
    changed: int | None = None
    """Units whose value differs; a suppressed value counts as changed."""
    changed_share: float | None = None
    changed_recoded: int | None = None
    """The same after recoding the original as the protected table was."""
    compared: int | None = None
    """Units with a number on both sides, over which distances are means."""
    left_out: int | None = None
    """Units with a missing side."""
    il1s: float | None = None
    il1: float | None = None
    mae: float | None = None
    mse: float | None = None
    mean_variation: float | None = None
    ncp: float | None = None
    moments: dict[str, MomentsResult] | None = None
    methods: tuple[Method, ...] = ()
    """What was done to it, as far as the files show."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class TableLoss:
    """How far a table of one, two or three variables is from the original's."""

    variables: tuple[str, ...]
    cells: int
    ctbil: float | None = None
    aad: float | None = None
    moved: float | None = None
    hellinger: float | None = None
    cramers_v_original: float | None = None
    cramers_v_protected: float | None = None
    rcv: float | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class MatrixLoss:
    """How far the entries of two matrices are apart."""

    mse: float | None
    mae: float | None
    mean_variation: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Correlations:
    """Pearson's correlations on both sides, of the units that are complete in all variables."""

    variables: tuple[str, ...]
    """Of many, those whose correlations changed most, these first; else in their order."""
    original: tuple[tuple[float, ...], ...]
    """A row for each variable: with each of the variables before it."""
    protected: tuple[tuple[float, ...], ...]
    left_out: int = 0
    """Variables that are not among these, because there are so many."""


@dataclass(frozen=True, kw_only=True)
class SubdomainLoss:
    """Means and covariances in one group of units."""

    group: str
    category: str
    rows_original: int
    rows_protected: int
    means: dict[str, dict[str, float]] | None
    """Variable: its mean on both sides."""
    covariance: MatrixLoss | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class LogLinearTerm:
    """A term of a log-linear model: how far its parameters say the same on both sides."""

    variables: tuple[str, ...]
    parameters: int
    """One for each combination of categories."""
    agreement: float
    overlap: float


@dataclass(frozen=True, kw_only=True)
class LogLinearLoss:
    """The same log-linear model on both sides; agreement and overlap 1: nothing lost."""

    variables: tuple[str, ...]
    margins: tuple[tuple[str, ...], ...]
    """The margins that the model keeps, which say what it is."""
    cells: int | None = None
    parameters: int | None = None
    """Free ones, the constant included."""
    added: float = 0.0
    """Units added to every cell of both sides, where estimates would not be finite without."""
    units_original: int | None = None
    """Records that are complete in all variables of the model."""
    units_protected: int | None = None
    freedom: int | None = None
    """Cells less parameters."""
    deviance_original: float | None = None
    deviance_protected: float | None = None
    deviance_under_original: float | None = None
    """Of the protected counts under the original's model, scaled to their number."""
    agreement: float | None = None
    """Share of parameters with the same verdict at 5 %, and the same sign where both have one."""
    same_sign: float | None = None
    overlap: float | None = None
    """Mean overlap of the parameters' confidence intervals."""
    rank_correlation: float | None = None
    """Spearman's, of the parameters of both sides."""
    terms: tuple[LogLinearTerm, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ValidityCriterion:
    """One criterion of analytic validity: the largest figure, and its limit."""

    name: str
    value: float | None
    limit: float
    passed: bool | None
    """Whether the value is at most the limit; None where there is no value."""
    compared: int = 0
    """Groups, tables or variables that it is the largest of."""
    about: tuple[str, ...] = ()
    """Where it is largest: group, category and variables; the table; the variable."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ValidityLoss:
    """Winkler's verdict: means and covariances on subdomains, margins, and a distribution."""

    valid: bool | None
    """Whether all criteria are met; None where none fails and one could not be looked at."""
    criteria: tuple[ValidityCriterion, ...]
    groups: tuple[str, ...]
    """Variables whose categories are the subdomains."""
    least_records: int
    """Complete records on each side below which a subdomain is not looked at."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Information loss: 0 nothing lost. For comparing protections of one file."""

    units: int | None
    """Units that are compared with themselves."""
    records_changed: int | None
    """Units with a change in any variable."""
    records_changed_recoded: int | None
    il1s: float | None
    il1: float | None
    gcp: float | None
    ctbil: float | None
    aad: float | None
    eigenvalues: float | None
    eigenvalues_robust: float | None
    variables: tuple[VariableLoss, ...]
    tables: tuple[TableLoss, ...]
    matrices: dict[str, MatrixLoss]
    correlations: Correlations | None = None
    """None where there are no two continuous variables, or one is constant: `matrices` says why."""
    subdomains: tuple[SubdomainLoss, ...] = ()
    loglinear: LogLinearLoss | None = None
    """None where no model was wanted."""
    validity: ValidityLoss | None = None
    seed: int = 1
    reason: str | None = None
