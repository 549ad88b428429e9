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
Edition = Literal["internal", "public"]
"""Of a report: for the office, or for data users."""


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
class MissingCells:
    """Missing cells of a variable on both sides."""

    original: int
    protected: int | None
    share_original: float | None
    share_protected: float | None
    increase: float | None
    """By how much the share rose."""


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
    subdomains: tuple[SubdomainLoss, ...] = ()
    seed: int = 1
    reason: str | None = None


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
    overlap: float | None = None
    standardised_difference: float | None = None
    """|difference| in standard errors of the original."""
    same_sign: bool | None = None
    same_verdict: bool | None = None
    """Whether both or neither differ from 0 at 5 %."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class RegressionResult:
    """A regression fitted on both sides; overlap 1: the intervals are the same."""

    formula: str
    kind: Literal["linear", "logistic"]
    where: str | None
    overlap: float | None
    """Mean overlap of the coefficients' confidence intervals."""
    coefficients: tuple[CoefficientResult, ...]
    units_original: int | None = None
    units_protected: int | None = None
    fit_original: float | None = None
    """R², or McFadden's for a logistic model."""
    fit_protected: float | None = None
    robust: bool = False
    bands: Literal["categories", "midpoints"] = "categories"
    reason: str | None = None


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
    internal: float | None
    """R_internal: mean of 1/EC."""
    external: float | None
    external_methods: dict[str, float | None]
    external_reasons: dict[str, str]
    external_keys: tuple[str, ...]
    combine: str
    total: float | None
    safety: float | None
    k: int | None
    """The smallest class."""
    classes_total: int
    uniques: int
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
class NumberDetail:
    """How the numbers of a variable are distributed on both sides, on one scale."""

    edges: tuple[float, ...]
    """Of the bins; what lies outside counts in the outer ones."""
    before: tuple[float, ...]
    """Share of the weight in each bin, original."""
    after: tuple[float, ...]
    rows_before: tuple[int, ...]
    rows_after: tuple[int, ...]
    density: tuple[tuple[float, float, float], ...]
    """Place, and a smooth density there before and after."""
    box_before: tuple[float, ...]
    """Quantiles at 5, 25, 50, 75 and 95 %."""
    box_after: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class CategoryDetail:
    """How categories are distributed on both sides, the original recoded; most frequent first."""

    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    rows_before: tuple[int, ...]
    rows_after: tuple[int, ...]
    others: int
    """Categories that the last entry stands for; 0 where it stands for itself."""


@dataclass(frozen=True, kw_only=True)
class VariableDetail:
    """What a picture of one variable needs."""

    name: str
    numbers: NumberDetail | None = None
    categories: CategoryDetail | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class AxisDetail:
    """One side of a pair's table: categories, or bins of numbers between edges."""

    name: str
    labels: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PairDetail:
    """The table of two variables on both sides, in few rows and columns."""

    a: str
    b: str
    before: tuple[tuple[float, ...], ...]
    """Shares: rows are levels of a, columns of b."""
    after: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Details:
    """What the pictures of a report need beyond the figures."""

    variables: tuple[VariableDetail, ...]
    axes: tuple[AxisDetail, ...]
    pairs: tuple[PairDetail, ...]
    left_out: int
    """Pairs that have no table here, because there are so many."""


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
    loss: Loss | None = None
    indicators: tuple[IndicatorResult, ...] | None = None
    regressions: tuple[RegressionResult, ...] | None = None
    risk: Risk | None = None
    yardsticks: tuple[Yardstick, ...] | None = None
    rut: Rut | None = None
    notes: tuple[str, ...] = ()
    risky: Any = field(default=None, repr=False, compare=False, metadata={"json": False})
    """Row numbers and risks, where asked for; never part of the JSON result."""
    details: Details | None = field(
        default=None, repr=False, compare=False, metadata={"json": False}
    )
    """For a report, where asked for; not part of the JSON result."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import to_dict

        return dict(to_dict(self))

    def report(
        self, edition: Literal["internal", "public"] = "internal", min_count: int = 10
    ) -> str:
        """The report as HTML; assess with `details` for its pictures."""
        from microgauge.render.report import report_html

        return report_html(self, edition, min_count)

    def variable_table(self) -> Any:
        """A polars data frame with a row for each analysed variable."""
        from microgauge.render.frames import variable_frame

        return variable_frame(self)

    def pair_table(self) -> Any:
        """A polars data frame with a row for each pair of variables."""
        from microgauge.render.frames import pair_frame

        return pair_frame(self)

    def loss_table(self) -> Any:
        """A polars data frame with a row for each analysed variable: what changed in it."""
        from microgauge.render.frames import loss_frame

        return loss_frame(self)

    def table_table(self) -> Any:
        """A polars data frame with a row for each compared table."""
        from microgauge.render.frames import table_frame

        return table_frame(self)

    def indicator_table(self) -> Any:
        """A polars data frame with a row for each indicator and group."""
        from microgauge.render.frames import indicator_frame

        return indicator_frame(self)

    def coefficient_table(self) -> Any:
        """A polars data frame with a row for each coefficient of each regression."""
        from microgauge.render.frames import coefficient_frame

        return coefficient_frame(self)

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


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """Which candidate to release, and why; no name where none can be."""

    name: str | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Leader:
    """Which candidate has the best balance at one weight of utility."""

    alpha: float
    leader: str | None


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One protected table among several of the same original."""

    name: str
    assessment: Assessment
    settings: dict[str, Any] = field(default_factory=dict)
    """What tells it from the others of a grid, where it was made from one."""
    recipe: dict[str, Any] | None = None
    """The whole recipe it was made by; `mask` with it makes the same table."""

    @property
    def said(self) -> str:
        """The settings in words."""
        return ", ".join(f"{name} {value}" for name, value in self.settings.items())

    @property
    def risk(self) -> float | None:
        """R."""
        return None if self.assessment.risk is None else self.assessment.risk.total

    @property
    def utility(self) -> float | None:
        """U."""
        return None if self.assessment.rut is None else self.assessment.rut.utility

    @property
    def balance(self) -> float | None:
        """RUT."""
        return None if self.assessment.rut is None else self.assessment.rut.value


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Candidates side by side, and which to release."""

    candidates: tuple[Candidate, ...]
    frontier: tuple[str, ...]
    """Candidates that no other beats in risk or utility without losing in the other."""
    recommended: Recommendation
    sweep: tuple[Leader, ...]
    stable: bool
    """Whether one candidate leads at every weight of utility."""
    max_risk: float | None = None
    min_utility: float | None = None
    original_risk: float | None = None
    """R_internal of the original itself."""
    notes: tuple[str, ...] = ()

    @property
    def explored(self) -> bool:
        """Whether the candidates are those of a grid, which have settings and no order."""
        return any(candidate.recipe is not None for candidate in self.candidates)

    @property
    def best(self) -> Candidate | None:
        """The recommended candidate."""
        name = self.recommended.name
        return next((c for c in self.candidates if c.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import ranking_dict

        return ranking_dict(self)

    def report(
        self, edition: Literal["internal", "public"] = "internal", min_count: int = 10
    ) -> str:
        """The report as HTML; rank with `details` for its pictures."""
        from microgauge.render.report import report_html

        return report_html(self, edition, min_count)

    def table(self) -> Any:
        """A polars data frame with a row for each candidate."""
        from microgauge.render.frames import candidate_frame

        return candidate_frame(self)

    def __str__(self) -> str:
        from microgauge.render.ranking import ranking_text

        return ranking_text(self)

    def __repr__(self) -> str:
        return f"Ranking(candidates={len(self.candidates)}, recommended={self.recommended.name!r})"


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


@dataclass(frozen=True, kw_only=True)
class FigureRow:
    """One line of a paper's table: what was published and what we find, column by column."""

    name: str
    published: tuple[float | str | None, ...]
    """None where the paper says nothing."""
    own: tuple[float | str | None, ...]
    reason: str | None = None
    """Why the two differ, or why a figure of ours is undefined."""


@dataclass(frozen=True, kw_only=True)
class FigureTable:
    """A table of a paper beside our own."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[FigureRow, ...]
    digits: int = 3
    """Decimals that are shown on a terminal."""
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Something the paper says, and whether it comes out here."""

    claim: str
    holds: bool | None
    """None where it cannot be tried."""
    shown: str
    """The figures that decide."""
    reason: str | None = None
    """Why it does not hold, or cannot be tried."""


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A published study made again: figures side by side, and a verdict on each claim."""

    study: str
    title: str
    paper: str
    seed: int
    data: str
    """What was measured."""
    differences: tuple[str, ...]
    """What differs from the paper's data or design, and why."""
    tables: tuple[FigureTable, ...]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import to_dict

        found: dict[str, Any] = to_dict(self)
        return found

    def __str__(self) -> str:
        from microgauge.render.papers import reproduction_text

        return reproduction_text(self)

    def __repr__(self) -> str:
        held = sum(claim.holds is True for claim in self.claims)
        return f"Reproduction({self.study!r}, {held} of {len(self.claims)} claims hold)"
