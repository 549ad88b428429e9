"""Propensity scores by gradient-boosted trees: cross-fitted, because they would learn every row."""

from __future__ import annotations

from typing import Any

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.measures.joint.propensity import Fitted, crossed_by, score_distance
from microgauge.records import dataclass
from microgauge.values.hashing import small_seed

TREES = 100
LEAVES = 15
"""Leaves of a tree: enough for what three or four variables do together."""


@dataclass(frozen=True, eq=False)
class BoostModel:
    """Gradient boosting (scikit-learn); the scores of a row are those of a model without it."""

    features: Floats
    owners: tuple[int, ...]
    leaf: int
    seed: int
    folds: Index

    @property
    def terms(self) -> int:
        """Number of features."""
        return int(self.features.shape[1])

    def _made(self) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=TREES,
            max_leaf_nodes=LEAVES,
            min_samples_leaf=self.leaf,
            early_stopping=False,
            random_state=small_seed(self.seed),
        )

    def fitted(self, protected: Floats) -> Fitted:
        """Out-of-fold scores."""
        return Fitted(self.crossed(protected, self.folds), None)

    def crossed(self, protected: Floats, folds: Index) -> Floats:
        """A model for each fold."""
        return crossed_by(self._made, self.features, protected, folds)

    def without(self, place: int, whole: Fitted | None = None) -> BoostModel:
        """Only the other variables' features."""
        del whole
        kept = [i for i, own in enumerate(self.owners) if own != place]
        owners = tuple(self.owners[i] for i in kept)
        return BoostModel(self.features[:, kept], owners, self.leaf, self.seed, self.folds)

    def resampled(self, original: Index, draws: Counts) -> float:
        """Original rows and drawn ones, a row with its copies in one fold."""
        rows = np.concatenate([original, np.repeat(original, draws)])
        labels = np.repeat([0.0, 1.0], [len(original), int(draws.sum())])
        scores = crossed_by(self._made, self.features[rows], labels, self.folds[rows])
        return score_distance(scores, float(labels.mean()))
