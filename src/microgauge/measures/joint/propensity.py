"""Can a classifier tell protected rows from original ones? The propensity score measure U_p."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any, Literal, Protocol

import numpy as np

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.kernels.threads import one_thread_if_few
from microgauge.languages.messages import say
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.logit import (
    CLOSE,
    ENOUGH,
    FEW_COLUMNS,
    MANY_APART,
    Basis,
    Lead,
    fit_logit,
    independent,
    rank_of,
)
from microgauge.measures.joint.terms import Columns
from microgauge.records import dataclass
from microgauge.values.hashing import small_seed
from microgauge.values.levels import sums_by

ROUGHLY, NEAR = 1e-7, 1e-10
"""How close fits come that only serve for comparison, and those without a variable."""
FOR_DROPS, FOR_NULL, FOR_FOLDS = 1e-14, 1e-13, 1e-11
"""Gain of a step per row at which fits of many columns have arrived: without a variable (U_p to
some 1e-6 of itself), of resamples, of folds (for an AUC)."""
DEVIATIONS = 3.0
SURELY = 4.0
"""Deviations between what a permuted file has and what is chance, so that it is never missed."""
RARELY = 0.01
SMALL, CLEAR = 0.55, 0.65
"""Cross-fitted AUC below which a difference is small, and clear; from there it is easy to see."""
PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


def score_distance(probability: Floats, share: float, weights: Floats | None = None) -> float:
    """U_p = (1/N) Σ (p̂ - c)². 0: indistinguishable; c(1 - c): fully told apart."""
    squares = (probability - share) ** 2
    return float(np.average(squares, weights=weights))


def expected_distance(rank: int, share: float, rows: int) -> float:
    """U_p expected of a resample of the original: K (1 - c)² c / N (Snoke et al. 2018).

    **Reading.** K is the rank that the model has on the original's rows, which is that of every
    resample. Values and combinations that only the protected file has make the model richer; they
    are no part of what chance alone would give.
    """
    return rank * (1.0 - share) ** 2 * share / rows


@dataclass(frozen=True, eq=False)
class Fitted:
    """Propensity scores of all rows by one model."""

    probability: Floats
    rank: int | None
    """Rank of a logistic model; None for others."""
    separated: bool = False
    coefficients: Floats | None = None
    """Those of all columns of a logistic model of many, that of the intercept first."""
    rank_original: int | None = None
    """Rank of a logistic model on the original's rows alone, where these are known."""


class Model(Protocol):
    """A model of the propensity score on fixed rows."""

    @property
    def terms(self) -> int:
        """Number of columns."""
        ...

    def fitted(self, protected: Floats) -> Fitted:
        """Scores for given labels."""
        ...

    def without(self, place: int, whole: Fitted | None = None) -> Model:
        """The model with one variable left out; `whole` is the fit with all."""
        ...

    def crossed(self, protected: Floats, folds: Index) -> Floats:
        """Scores of each fold's rows by the model of the other folds' rows."""
        ...

    def resampled(self, original: Index, draws: Counts) -> float:
        """U_p of the original rows against a resample in which row i occurs draws[i] times."""
        ...


@dataclass(frozen=True, eq=False)
class LogitModel:
    """Logistic regression on given columns. One factorisation serves all labels."""

    columns: Columns
    basis: Basis
    gram: Floats | None = None
    close: float = CLOSE
    enough: float = ENOUGH
    start: Floats | None = None
    """Coefficients of all columns from which a fit begins."""
    rank_original: int | None = None
    """Rank on the original's rows alone."""
    longer: float = 1.0
    """Share of rows told apart from which longer steps are tried."""
    _held: dict[str, Any] = field(default_factory=dict)
    """What serves several fits: the curvature at that of the whole, the original's rows."""

    @property
    def terms(self) -> int:
        """Number of columns, dependent ones too."""
        return self.columns.shape[1]

    @staticmethod
    def of(columns: Columns, close: float = CLOSE, protected: Flags | None = None) -> LogitModel:
        """Drop dependent columns once; count them on the original where its rows are known."""
        gram = columns.gram() if columns.shape[1] > FEW_COLUMNS else None
        rank = None
        if protected is not None:
            rank = rank_of(columns.taken(np.flatnonzero(~protected)))
        basis = independent(columns, gram)
        longer = MANY_APART if close <= CLOSE else 1.0  # rough fits end before it pays
        return LogitModel(columns, basis, gram, close, rank_original=rank, longer=longer)

    def fitted(self, protected: Floats) -> Fitted:
        """Scores by maximum likelihood."""
        many = self.basis.matrix is None
        start = self.basis.gathered(self.start) if many and self.start is not None else None
        found = fit_logit(self.basis, protected, None, self.close, self.enough, start, self.longer)
        every = self.basis.spread(found.beta) if many else None
        return Fitted(found.probability, found.rank, found.separated, every, self.rank_original)

    def without(self, place: int, whole: Fitted | None = None) -> LogitModel:
        """Only the columns that the variable has no part in; a fit begins at that of the whole."""
        kept = self.columns.without(place)
        basis = self._among(kept)
        if whole is None or whole.coefficients is None or basis.matrix is not None:
            return LogitModel(self.columns, basis, self.gram, NEAR, FOR_DROPS)
        if "lead" not in self._held:
            self._held["lead"] = Lead.of(self.columns, whole.probability)
        lead: Lead = self._held["lead"]
        start, longer = whole.coefficients, 0.0 if lead.own else 1.0
        basis = lead.leading(basis, start)
        return LogitModel(self.columns, basis, self.gram, NEAR, FOR_DROPS, start, longer=longer)

    def _among(self, kept: Index) -> Basis:
        """A part of independent columns is independent, unless others depended on what is gone."""
        basis = self.basis
        if len(kept) <= FEW_COLUMNS or self.gram is None or basis.kept is None:
            return independent(self.columns, self.gram, kept)
        if basis.dependent is not None and np.isin(basis.dependent, kept).any():
            return independent(self.columns, self.gram, kept)
        own = np.intersect1d(basis.kept, kept)
        return replace(basis, rank=len(own), kept=own)

    def crossed(self, protected: Floats, folds: Index) -> Floats:
        """Each fold's scores by a fit on the others, which begins without knowing its labels."""
        found = np.empty(len(protected))
        for fold in range(int(folds.max()) + 1):
            here = folds == fold
            others = (~here).astype(np.float64)
            fit = fit_logit(self.basis, protected, others, ROUGHLY, FOR_FOLDS)
            found[here] = fit.probability[here]
        return found

    def resampled(self, original: Index, draws: Counts) -> float:
        """Original rows once and drawn rows as often as drawn: one weighted fit on the original."""
        weights: Floats = 1.0 + draws.astype(np.float64)
        basis = self._of_original(original)
        found = fit_logit(basis, draws / weights, weights, ROUGHLY, FOR_NULL)
        return score_distance(found.probability, float(draws.sum() / weights.sum()), weights)

    def _of_original(self, original: Index) -> Basis:
        """The basis on the original's rows, taken once for all resamples."""
        if "original" not in self._held:
            self._held["original"] = self.basis.taken(original)
        found: Basis = self._held["original"]
        return found


@dataclass(frozen=True, eq=False)
class TreeModel:
    """A classification tree (scikit-learn), as users of synthpop expect."""

    features: Floats
    owners: tuple[int, ...]
    leaf: int
    seed: int

    @property
    def terms(self) -> int:
        """Number of features."""
        return int(self.features.shape[1])

    def _made(self) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(
            min_samples_leaf=self.leaf, random_state=small_seed(self.seed)
        )

    def _tree(self, rows: Floats, labels: Floats) -> Floats:
        if rows.shape[1] == 0:
            return np.full(len(rows), labels.mean())
        tree = self._made().fit(rows, labels > 0.5)
        return np.asarray(tree.predict_proba(rows)[:, 1])

    def fitted(self, protected: Floats) -> Fitted:
        """Shares of protected rows in the leaves."""
        return Fitted(self._tree(self.features, protected), None)

    def without(self, place: int, whole: Fitted | None = None) -> TreeModel:
        """Only the other variables' features."""
        del whole
        kept = [i for i, own in enumerate(self.owners) if own != place]
        owners = tuple(self.owners[i] for i in kept)
        return TreeModel(self.features[:, kept], owners, self.leaf, self.seed)

    def crossed(self, protected: Floats, folds: Index) -> Floats:
        """A tree for each fold."""
        return crossed_by(self._made, self.features, protected, folds)

    def resampled(self, original: Index, draws: Counts) -> float:
        """The tree on the original rows followed by the drawn ones."""
        rows = np.concatenate([original, np.repeat(original, draws)])
        labels = np.repeat([0.0, 1.0], [len(original), int(draws.sum())])
        probability = self._tree(self.features[rows], labels)
        return score_distance(probability, float(labels.mean()))


def crossed_by(
    made: Callable[[], Any], features: Floats, protected: Floats, folds: Index
) -> Floats:
    """Each fold's scores by a classifier of scikit-learn that was fitted on the others."""
    found = np.empty(len(protected))
    for fold in range(int(folds.max()) + 1):
        here = folds == fold
        others = protected[~here] > 0.5
        if features.shape[1] == 0 or others.all() or not others.any():
            found[here] = others.mean()
            continue
        model = made()
        with one_thread_if_few(len(features)):
            model.fit(features[~here], others)
            found[here] = model.predict_proba(features[here])[:, 1]
    return found


# -- what the scores say ---------------------------------------------------------------------


@dataclass(frozen=True)
class Separation:
    """How well the scores tell the files apart."""

    auc: float
    """0.5: not at all; 1: fully."""
    specks: float
    """Kolmogorov–Smirnov distance between the two sets of scores, 0 to 1."""
    po50: float
    """Per cent correctly classified at the threshold c, less 50, with both files weighing alike."""


def separation(probability: Floats, protected: Flags, share: float) -> Separation:
    """AUC, SPECKS and PO50. Scores equal to each other or to the threshold count half."""
    values, places = np.unique(probability, return_inverse=True)
    before = sums_by(places, ~protected, len(values))
    return separation_of(values, before, sums_by(places, protected, len(values)), share)


def separation_of(values: Floats, before: Floats, after: Floats, share: float) -> Separation:
    """The same from rising scores and the rows of each file that have them."""
    before, after = before / before.sum(), after / after.sum()
    below = np.cumsum(before) - before
    auc = float((after * (below + before / 2.0)).sum())
    specks = float(np.abs(np.cumsum(before) - np.cumsum(after)).max())
    above = (values > share + 1e-12).astype(np.float64)
    above[np.abs(values - share) <= 1e-12] = 0.5
    correct = ((after * above).sum() + (before * (1.0 - above)).sum()) / 2.0
    return Separation(auc, specks, 100.0 * (float(correct) - 0.5))


def percentiles(probability: Floats) -> dict[str, float]:
    """Percentiles of the scores of one file."""
    found = np.percentile(probability, PERCENTILES)
    return {str(p): float(value) for p, value in zip(PERCENTILES, found, strict=True)}


def permuted_distances(
    model: Model, protected: Floats, rng: np.random.Generator, permutations: int
) -> list[float]:
    """U_p when labels are shuffled, for models without a formula for its expectation."""
    share = float(protected.mean())
    return [
        score_distance(model.fitted(rng.permutation(protected)).probability, share)
        for _ in range(permutations)
    ]


def null_distances(
    model: Model, joint: Joint, rng: np.random.Generator, resamples: int
) -> list[float]:
    """U_p of resamples of the original with replacement, of the protected file's size."""
    original = np.flatnonzero(~joint.protected)
    count = int(joint.protected.sum())
    found = []
    for _ in range(resamples):
        draws = np.bincount(rng.integers(0, len(original), count), minlength=len(original))
        found.append(model.resampled(original, draws))
    return found


def beyond_chance(ratio: float, deviation: float | None, null_share: float | None) -> bool:
    """Whether the files differ by more than a resample would.

    By the ratio, more than three of its own null deviations (√(2/K) for a logit of rank K) above 1;
    or by the share of resamples with a larger U_p, below one in a hundred.

    >>> beyond_chance(1.2, 0.1, None), beyond_chance(1.4, 0.1, None), beyond_chance(1.2, 0.1, 0.0)
    (False, True, True)
    """
    far = deviation is not None and ratio > 1.0 + DEVIATIONS * deviation
    return far or (null_share is not None and null_share < RARELY)


def surely_seen(ratios: Sequence[float], share: float, deviation: float) -> bool:
    """Whether files whose ratios vary about these are beyond chance all but always.

    The ratio of a file that is drawn independently is that of a non-central χ², times 1/(1 - c):
    its deviation follows from its mean and that of resamples. Four of them must be between the
    mean and what is still chance.

    >>> surely_seen([9.0], 0.5, 0.2), surely_seen([1.8, 2.2], 0.5, 0.2)
    (True, False)
    """
    mean, scale = float(np.mean(ratios)), 1.0 / (1.0 - share)
    variance = deviation**2 * scale * max(2.0 * mean - scale, scale)
    margin = SURELY * float(np.sqrt(variance * (1.0 + 1.0 / len(ratios))))
    return mean - margin > 1.0 + DEVIATIONS * deviation


def difference_size(auc: float | None) -> Literal["small", "clear", "easy"] | None:
    """How large a difference is that is no chance, by the cross-fitted AUC."""
    if auc is None:
        return None
    return "small" if auc < SMALL else "clear" if auc < CLEAR else "easy"


def larger_share(null: Sequence[float], value: float) -> float:
    """Share of the null distribution with a larger U_p."""
    if not null:
        raise Undefined(say("no resamples were drawn"))
    return float(np.mean(np.asarray(null) > value))
