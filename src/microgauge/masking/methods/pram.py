"""PRAM: categories changed at random, by known probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from microgauge.arrays import Floats, Index
from microgauge.masking.step import ColumnUse, Look, Step
from microgauge.masking.table import Data
from microgauge.schema.checks import share
from microgauge.values.labels import label_of


def even_matrix(categories: int, keep: float) -> Floats:
    """Each category stays with one probability; the others share the rest evenly."""
    if categories < 2:
        return np.ones((categories, categories))
    matrix = np.full((categories, categories), (1.0 - keep) / (categories - 1))
    np.fill_diagonal(matrix, keep)
    return matrix


def invariant(matrix: Floats, counts: Floats) -> Floats:
    """A matrix that keeps the expected frequencies (Gouweleeuw et al. 1998).

    PRAM by the given matrix, then by what it tells of the original categories (Bayes): R = P Q
    with Q[k, l] = P[l, k] t_l / Σ_j P[j, k] t_j, so that t R = t.
    """
    joint = matrix * counts[:, np.newaxis]
    reached = joint.sum(axis=0)
    back = joint.T / np.where(reached > 0, reached, 1.0)[:, np.newaxis]
    back[reached <= 0] = np.eye(len(counts))[reached <= 0]
    return np.asarray(matrix @ back)


def perturbed(codes: Index, matrix: Floats, rng: np.random.Generator) -> Index:
    """New codes, drawn from the rows of the matrix; codes beyond it (missing cells) stay."""
    steps = np.cumsum(matrix, axis=1)
    steps[:, -1] = 1.0
    known = codes < len(matrix)
    draws = rng.random(len(codes))
    found = codes.copy()
    for category in np.unique(codes[known]):
        here = np.flatnonzero(codes == category)
        found[here] = np.searchsorted(steps[category], draws[here], side="right")
    return found


@dataclass(frozen=True, kw_only=True)
class Pram(Step):
    """Change categories at random: by a matrix, or so that expected frequencies stay."""

    method: ClassVar[str] = "pram"
    takes: ClassVar[ColumnUse | None] = "category"

    keep: float | None = None
    """Probability that a category stays, before the matrix is made invariant."""
    invariant: bool = True
    matrix: Mapping[str, Mapping[str, float]] | None = None
    """For each category the probabilities of what it becomes; what is not named stays."""

    def own_faults(self, look: Look) -> list[str]:
        """A probability or a matrix whose rows add up to 1."""
        if (self.keep is None) == (self.matrix is None):
            return ["give keep or matrix."]
        if self.keep is not None:
            return share("keep", self.keep, optional=False)
        assert self.matrix is not None
        found = []
        for name, row in self.matrix.items():
            good = isinstance(row, Mapping) and all(
                isinstance(p, int | float) and 0 <= p <= 1 for p in row.values()
            )
            if not good or abs(sum(row.values()) - 1.0) > 1e-9:
                found.append(f"the row of matrix for {name!r} must be shares that add up to 1.")
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Changed; missing cells stay missing."""
        for name in self.variables:
            codes, values = data.codes(name)
            if not len(values):
                continue
            counts = np.bincount(codes, minlength=len(values) + 1)[: len(values)]
            matrix, values = self._matrix(values)
            if self.matrix is None and self.invariant:
                matrix = invariant(matrix, counts.astype(np.float64))
            data = data.with_codes(name, self._drawn(codes, matrix, len(counts), rng), values)
        return data

    def _matrix(self, values: pl.Series) -> tuple[Floats, pl.Series]:
        if self.matrix is None:
            assert self.keep is not None
            return even_matrix(len(values), self.keep), values
        # Text is spelled as it stands; numbers and truth values as labels are.
        text = values.dtype == pl.String
        labels = [str(v) if text else label_of(v) for v in values.to_list()]
        matrix = {
            _spelled(name): {_spelled(other): share for other, share in row.items()}
            for name, row in self.matrix.items()
        }
        wanted = [label for row in matrix.values() for label in row]
        labels += [label for label in dict.fromkeys(wanted) if label not in labels]
        place = {label: i for i, label in enumerate(labels)}
        found = np.eye(len(labels))
        for label, row in matrix.items():
            if label in place:
                found[place[label]] = 0.0
                for other, share in row.items():
                    found[place[label], place[other]] = share
        return found, pl.Series(labels, dtype=pl.String)

    @staticmethod
    def _drawn(codes: Index, matrix: Floats, known: int, rng: np.random.Generator) -> Index:
        # A matrix may name categories that no record has; a missing cell's code moves behind them.
        places = np.where(codes == known, len(matrix), codes)
        return perturbed(places, matrix, rng)


def _spelled(name: Any) -> str:
    """A category as a file spells it; from Python it may be a number."""
    return name if isinstance(name, str) else label_of(name)
