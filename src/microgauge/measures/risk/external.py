"""Risk against a table that an intruder may hold (Kim 2025)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.risk.classes import ClassTable
from microgauge.values.ranks import centred_ranks


def class_risk(rows: Counts, external: Counts) -> float:
    """Mean over protected records of 1/ext(i); 0 where no external record matches (Reading)."""
    return float((rows * _inverse(external)).sum() / rows.sum())


def unmatched_share(rows: Counts, external: Counts) -> float:
    """Share of protected records that no external record matches, which `class_risk` counts 0.

    >>> unmatched_share(np.array([3, 1]), np.array([2, 0]))
    0.25
    """
    return float(rows[external == 0].sum() / rows.sum())


def matched_risk(rows: Counts, external: Counts) -> float:
    """Mean over the protected records that some external record matches of 1/ext(i).

    >>> matched_risk(np.array([3, 1]), np.array([2, 0]))
    0.5
    """
    matched = external > 0
    if not rows[matched].sum():
        raise Undefined(say("no record matches the external table"))
    return class_risk(rows[matched], external[matched])


def unique_risk(table: ClassTable, external: Counts) -> float:
    """(1/N) Σ over sample uniques of 1/ext(i), 0 where ext(i) = 0."""
    alone = table.matching == 1
    return float((table.rows[alone] * _inverse(external[alone])).sum() / table.records)


def _inverse(counts: Counts) -> Floats:
    return np.where(counts > 0, 1.0 / np.maximum(counts, 1), 0.0)


def probability_risk(shares: Sequence[tuple[Floats, Floats]]) -> float:
    """Per attribute Σ_v f_protected(v) f_external(v); the product over attributes (Reading).

    >>> probability_risk([(np.array([0.1, 0.0]), np.array([0.05, 0.0]))])
    0.005000000000000001
    """
    return float(np.prod([float((mine * theirs).sum()) for mine, theirs in shares]))


def frequency_correlation(protected: Floats, external: Floats) -> float:
    """Correlation of two frequency vectors over the union of values; a negative one counts 0."""
    return max(_pearson(protected, external), 0.0)


def _pearson(a: Floats, b: Floats) -> float:
    sides = []
    for side in (a, b):
        centred = side - side.mean()
        largest = float(np.abs(centred).max(initial=0.0))
        if largest <= 1e-12 * float(np.abs(side).max(initial=0.0)):
            raise Undefined(say("one side is constant"))
        sides.append(centred / largest)
    return float(
        (sides[0] * sides[1]).sum() / np.sqrt((sides[0] ** 2).sum() * (sides[1] ** 2).sum())
    )


def spearman(a: Index, b: Index) -> float:
    """Correlation of ranks, ties in the middle."""
    ranks = [centred_ranks(np.bincount(side).astype(np.float64))[side] for side in (a, b)]
    return _pearson(ranks[0], ranks[1])


def journalist_risk(external: Counts) -> float:
    """Largest 1/ext over matched classes."""
    matched = external[external > 0]
    if not len(matched):
        raise Undefined(say("no class matches the external table"))
    return 1.0 / float(matched.min())


def combined_risk(
    internal: float, external: float | None, how: str, weights: Sequence[float] = (0.5, 0.5)
) -> float:
    """The larger one, a weighted mean, or the sum up to 1; R_internal where there is no other.

    >>> combined_risk(0.4, 0.7, "max"), combined_risk(0.4, 0.8, "sum")
    (0.7, 1.0)
    """
    if external is None:
        return internal
    if how == "max":
        return max(internal, external)
    if how == "sum":
        return min(1.0, internal + external)
    return (weights[0] * internal + weights[1] * external) / sum(weights)


def mean_of(methods: Mapping[str, float], weights: Sequence[float] | None = None) -> float:
    """The (weighted) mean of several ways of measuring external risk."""
    shares = [1.0] * len(methods) if weights is None else list(weights)
    pairs = zip(methods.values(), shares, strict=True)
    return sum(value * share for value, share in pairs) / sum(shares)
