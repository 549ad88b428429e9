"""What comes out: plain frozen records, whose fields are the names of the JSON result.

This module imports nothing of the package. A figure that could not be computed is None, and
`reason` beside it says why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Test = Literal[
    "kolmogorov-smirnov", "chi-squared", "kruskal-wallis", "anova", "spearman", "pearson"
]
Outcome = Literal["kept", "none", "lost", "gained", "reversed"]


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Whether a unit can be compared with itself, and how that is known."""

    aligned: bool
    how: Literal["row order", "key", "not aligned"]
    reason: str
    dropped: int | None = None
    added: int | None = None


@dataclass(frozen=True, kw_only=True)
class InputTable:
    """One of the tables that were read."""

    path: str
    rows: int
    columns: int


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What was compared."""

    original: InputTable
    protected: InputTable
    alignment: Alignment
    seed: int


@dataclass(frozen=True, kw_only=True)
class RecodingResult:
    """How a variable was recoded, and what that alone leaves of its utility."""

    how: Literal["declared", "labels", "inferred"]
    measure: Literal["pairs", "allocation", "heterogeneity"]
    form: Literal[
        "merged", "banded", "rounded", "top-coded", "bottom-coded", "top- and bottom-coded"
    ]
    utility: float | None
    map: tuple[dict[str, Any], ...]
    """Merged values: where to, and from which values or which range."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class VariableResult:
    """What happened to one variable."""

    name: str
    role: str
    type: str
    protected_type: str | None
    removed: bool
    missing_original: int
    missing_protected: int | None
    recoding: RecodingResult | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class VariableScore:
    """Univariate utility of one variable: 1 nothing lost, 0 all lost."""

    name: str
    test: Test | None = None
    statistic: float | None = None
    p: float | None = None
    recoding_utility: float | None = None
    perturbation_utility: float | None = None
    utility: float | None = None
    bivariate_utility: float | None = None
    """Mean utility of the variable's pairs."""
    importance: float = 1.0
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class PairScore:
    """Bivariate utility of one pair: 1 the association is as it was, 0 it is lost."""

    a: str
    b: str
    test: Test | None = None
    test_protected: Test | None = None
    n_original: int | None = None
    n_protected: int | None = None
    p_original: float | None = None
    p_protected: float | None = None
    coefficient_original: float | None = None
    coefficient_protected: float | None = None
    outcome: Outcome | None = None
    utility: float | None = None
    signs_flipped: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How many pairs were tested, and why the others were not."""

    pairs: int
    tested: int
    reasons: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TermScore:
    """One coefficient of a model on both sides."""

    term: str
    original: float | None
    protected: float | None
    outcome: Outcome | None
    utility: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ModelScore:
    """Utility of a model: of its statistic and of its coefficients."""

    kind: Literal["linear", "logistic", "scale"]
    formula: str
    statistic_original: float | None
    statistic_protected: float | None
    utility: float | None
    outcome: Outcome | None = None
    terms: tuple[TermScore, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class GDU:
    """Global data utility (Kocar 2018): 1 best, 0 worst; for ranking protections of one file."""

    value: float | None
    univariate: float | None
    bivariate: float | None
    grc: float | None
    value_with_grc: float | None
    threshold: float
    weights: tuple[float, float]
    test_n: int | None
    variables: tuple[VariableScore, ...]
    pairs: tuple[PairScore, ...]
    coverage: Coverage
    models: tuple[ModelScore, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class VariableDrop:
    """How much of U_p goes away when a variable is left out of the model."""

    name: str
    drop: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class PropensityResult:
    """Can a classifier tell the files apart? 0: not at all; c(1 - c): fully."""

    model: str
    terms: int | None
    """Columns of the model."""
    rank: int | None
    description: str
    """Which terms these are."""
    degree: int | None
    interactions: str | None
    value: float | None
    """U_p."""
    expected: float | None
    """U_p of a resample of the original."""
    ratio: float | None
    null_share: float | None
    """Share of resamples of the original with a larger U_p."""
    resamples: int
    auc: float | None
    specks: float | None
    po50: float | None
    percentiles_original: dict[str, float] | None
    percentiles_protected: dict[str, float] | None
    variables: tuple[VariableDrop, ...]
    rows: int
    """Rows of both files that were used."""
    seed: int
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ClusterResult:
    """Do clusters hold both files' rows in equal shares? U_c, 0: they do."""

    method: str
    groups: int
    weights: str
    value: float | None
    null_share: float | None
    rows: int
    seed: int
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
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Yardstick:
    """What the measures say of a file whose loss is known."""

    name: str
    gdu: float | None
    univariate: float | None
    bivariate: float | None
    propensity: float | None
    propensity_ratio: float | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """Everything said of one protected table. Written out field by field as the JSON result."""

    microgauge: str
    schema_version: int
    inputs: Inputs
    variables: tuple[VariableResult, ...]
    gdu: GDU | None = None
    propensity: PropensityResult | None = None
    clusters: tuple[ClusterResult, ...] | None = None
    ecdf: EcdfResult | None = None
    yardsticks: tuple[Yardstick, ...] | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.render.json import to_dict

        return dict(to_dict(self))

    def variable_table(self) -> Any:
        """A polars data frame with a row for each analysed variable."""
        from microgauge.render.frames import variable_frame

        return variable_frame(self)

    def pair_table(self) -> Any:
        """A polars data frame with a row for each pair of variables."""
        from microgauge.render.frames import pair_frame

        return pair_frame(self)

    def __str__(self) -> str:
        from microgauge.render.text import summary

        return summary(self)

    def __repr__(self) -> str:
        found = []
        if self.gdu is not None:
            value = "null" if self.gdu.value is None else f"{self.gdu.value:.4f}"
            found.append(f"gdu={value}")
        if self.propensity is not None and self.propensity.ratio is not None:
            found.append(f"propensity_ratio={self.propensity.ratio:.3g}")
        return f"Assessment({', '.join([*found, f'variables={len(self.variables)}'])})"

    def _repr_html_(self) -> str:
        from microgauge.render.notebook import notebook_view

        return notebook_view(self)
