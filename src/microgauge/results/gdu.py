"""Global data utility: scores of variables, pairs and models."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from microgauge.records import dataclass

Test = Literal[
    "kolmogorov-smirnov", "chi-squared", "kruskal-wallis", "anova", "spearman", "pearson"
]
Outcome = Literal["kept", "none", "lost", "gained", "reversed"]


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
class GduFigures:
    """The global data utility and its halves, on other terms."""

    value: float | None = None
    univariate: float | None = None
    bivariate: float | None = None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class GduReference:
    """What a file whose loss is known would score: a reference point, not a bound."""

    value: float | None = None
    univariate: float | None = None
    bivariate: float | None = None
    rows: int
    """Rows of such a file."""
    files: int
    """How many were made: the figures are their means."""
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
    weights: tuple[float, ...]
    """Of variables, of pairs and, where the schema gives a third, of models."""
    test_n: int | None
    variables: tuple[VariableScore, ...]
    pairs: tuple[PairScore, ...]
    coverage: Coverage
    models: tuple[ModelScore, ...] = ()
    multivariate: float | None = None
    """Mean utility of the models that have one: counts in `value` by the third weight only."""
    permuted: GduReference | None = None
    """The original with every column permuted: no association left, distributions kept."""
    resample: GduReference | None = None
    """As many rows as the protected file has, drawn from the original: nothing lost but chance."""
    at_1000: GduFigures | None = None
    """All tests as if from 1,000 units; above 5,000 rows on either side."""
    reason: str | None = None
