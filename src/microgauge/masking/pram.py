"""PRAM: categories changed at random, by known probabilities."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index


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
