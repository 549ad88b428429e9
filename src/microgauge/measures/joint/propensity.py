"""Can a classifier tell protected rows from original ones? The propensity score measure U_p."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.logit import CLOSE, FEW_COLUMNS, Basis, fit_logit, independent
from microgauge.measures.joint.terms import Columns
from microgauge.values.levels import sums_by

ROUGHLY = 1e-7
"""How close fits come that only serve for comparison."""
PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)


def score_distance(probability: Floats, share: float, weights: Floats | None = None) -> float:
    """U_p = (1/N) Σ (p̂ - c)². 0: indistinguishable; c(1 - c): fully told apart."""
    squares = (probability - share) ** 2
    return float(np.average(squares, weights=weights))


def expected_distance(rank: int, share: float, rows: int) -> float:
    """U_p expected of a resample of the original: K (1 - c)² c / N (Snoke et al. 2018)."""
    return rank * (1.0 - share) ** 2 * share / rows


@dataclass(frozen=True, eq=False)
class Fitted:
    """Propensity scores of all rows by one model."""

    probability: Floats
    rank: int | None
    """Rank of a logistic model; None for others."""
    separated: bool = False


class Model(Protocol):
    """A model of the propensity score on fixed rows."""

    @property
    def terms(self) -> int:
        """Number of columns."""
        ...

    def fitted(self, protected: Floats) -> Fitted:
        """Scores for given labels."""
        ...

    def without(self, place: int) -> Model:
        """The model with one variable left out."""
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

    @property
    def terms(self) -> int:
        """Number of columns, dependent ones too."""
        return self.columns.shape[1]

    @staticmethod
    def of(columns: Columns, close: float = CLOSE) -> LogitModel:
        """Drop dependent columns once."""
        gram = columns.gram() if columns.shape[1] > FEW_COLUMNS else None
        return LogitModel(columns, independent(columns, gram), gram, close)

    def fitted(self, protected: Floats) -> Fitted:
        """Scores by maximum likelihood."""
        found = fit_logit(self.basis, protected, close=self.close)
        return Fitted(found.probability, found.rank, found.separated)

    def without(self, place: int) -> LogitModel:
        """Only the columns that the variable has no part in."""
        kept = self.columns.without(place)
        columns = self.columns.kept(kept)
        gram = None if self.gram is None else self.gram[np.ix_(kept, kept)]
        return LogitModel(columns, independent(columns, gram), gram, ROUGHLY)

    def resampled(self, original: Index, draws: Counts) -> float:
        """Original rows once and drawn rows as often as drawn: one weighted fit on the original."""
        weights: Floats = 1.0 + draws.astype(np.float64)
        found = fit_logit(self.basis.taken(original), draws / weights, weights, ROUGHLY)
        return score_distance(found.probability, float(draws.sum() / weights.sum()), weights)


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

    def _tree(self, rows: Floats, labels: Floats, weights: Floats | None = None) -> Floats:
        from sklearn.tree import DecisionTreeClassifier

        if rows.shape[1] == 0:
            return np.full(len(rows), np.average(labels, weights=weights))
        tree = DecisionTreeClassifier(min_samples_leaf=self.leaf, random_state=self.seed)
        tree.fit(rows, labels > 0.5, sample_weight=weights)
        return np.asarray(tree.predict_proba(rows)[:, 1])

    def fitted(self, protected: Floats) -> Fitted:
        """Shares of protected rows in the leaves."""
        return Fitted(self._tree(self.features, protected), None)

    def without(self, place: int) -> TreeModel:
        """Only the other variables' features."""
        kept = [i for i, own in enumerate(self.owners) if own != place]
        owners = tuple(self.owners[i] for i in kept)
        return TreeModel(self.features[:, kept], owners, self.leaf, self.seed)

    def resampled(self, original: Index, draws: Counts) -> float:
        """The tree on the original rows followed by the drawn ones."""
        rows = np.concatenate([original, np.repeat(original, draws)])
        labels = np.repeat([0.0, 1.0], [len(original), int(draws.sum())])
        probability = self._tree(self.features[rows], labels)
        return score_distance(probability, float(labels.mean()))


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


def permuted_distance(
    model: Model, protected: Floats, rng: np.random.Generator, permutations: int
) -> float:
    """Mean U_p when labels are shuffled, for models without a formula for it."""
    share = float(protected.mean())
    found = [
        score_distance(model.fitted(rng.permutation(protected)).probability, share)
        for _ in range(permutations)
    ]
    return float(np.mean(found))


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


def larger_share(null: Sequence[float], value: float) -> float:
    """Share of the null distribution with a larger U_p."""
    if not null:
        raise Undefined("no resamples were drawn")
    return float(np.mean(np.asarray(null) > value))
