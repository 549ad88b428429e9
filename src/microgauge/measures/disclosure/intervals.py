"""How sure figures are: intervals of shares, of their differences, and of means in clusters.

People who share their matches stand or fall together: a wrong value there misleads them all. So
means over people are resampled by clusters, the people with a common match, not one by one.
"""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.shares import Interval, wilson
from microgauge.records import dataclass

LEVEL = 0.95
DRAWS = 20_000
"""Of the largest of several normal figures, for simultaneous intervals."""
FEWEST = 2.0
"""Degrees of freedom below which no interval says anything."""


def normal_quantile(level: float = LEVEL) -> float:
    """The two-sided normal quantile: 1.96 for 95 %."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + level / 2.0))


def newcombe(
    successes: tuple[float, float], trials: tuple[float, float], level: float = LEVEL
) -> Interval:
    """Newcombe's interval of the difference of two independent shares (method 10, 1998).

    It holds its level for shares near 0, where the usual one does not. Successes may be parts of
    one, and trials those of a share as unsure as the mean that it is.

    >>> [round(end, 4) for end in newcombe((56, 48), (70, 80))]
    [0.0524, 0.3339]
    """
    first, second = (s / n for s, n in zip(successes, trials, strict=True))
    (low, high), (other_low, other_high) = (
        wilson(s / n, n, level) for s, n in zip(successes, trials, strict=True)
    )
    apart = first - second
    below = np.hypot(first - low, other_high - second)
    above = np.hypot(high - first, second - other_low)
    return float(apart - below), float(apart + above)


@dataclass(frozen=True, eq=False)
class Clustered:
    """Means over people, and what each cluster of people adds to how unsure they are."""

    means: Floats
    """One for each figure."""
    residuals: Floats
    """Clusters × figures: how far the cluster moves each mean."""
    unseen: Floats | float = 0.0
    """Variance that a small second table does not show by itself, of each figure."""

    @property
    def covariance(self) -> Floats:
        """Of the means: the delete-a-group jackknife with clusters as the groups."""
        groups = len(self.residuals)
        factor = groups / (groups - 1.0) if groups > 1 else 1.0
        found = factor * (self.residuals.T @ self.residuals)
        return np.asarray(found + np.diag(np.broadcast_to(self.unseen, len(found))))

    @property
    def degrees(self) -> Floats:
        """Degrees of freedom of each variance, after Satterthwaite (1946): few where few clusters
        make it up.

        2 v² / Var(v), estimated from the clusters; as many as clusters less one where all move the
        mean alike.
        """
        squares = self.residuals**2
        groups, total = max(len(squares), 1), squares.sum(axis=0)
        varies = (squares**2).sum(axis=0) - total**2 / groups
        most = np.full(len(total), max(groups - 1.0, FEWEST))
        found = np.divide(2.0 * total**2, varies, out=most.copy(), where=varies > 0)
        return np.asarray(np.clip(found, FEWEST, most))

    @property
    def errors(self) -> Floats:
        """The standard errors of the means, so much wider that normal quantiles are Student's."""
        from scipy.special import stdtrit

        wider = stdtrit(self.degrees, 0.5 + LEVEL / 2.0) / normal_quantile()
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)) * wider)


Attacked = tuple[Floats, Counts, Index]
"""Profiles × figures: sums over the people with each profile; their people; their clusters.

Profiles with one cluster stand or fall together; -1: each by itself.
"""


def clustered(first: Attacked, second: Attacked | None = None, kept: int = 0) -> Clustered:
    """The means over the people of a table; less those of a second, clusters numbered alike.

    Few people of a second table may all be of whom nothing is right, and seem sure. People of both
    are of one population: so the second varies at least as the first would if it were as small. Of
    the `kept` first figures, the second table has none.
    """
    tables = [first] if second is None else [first, second]
    means, parts, places = [], [], []
    offset = 1 + max(int(clusters.max(initial=-1)) for _, _, clusters in tables)
    for sign, (totals, people, clusters) in zip((1.0, -1.0), tables, strict=False):
        number = people.sum()
        if not number:
            raise Undefined(say("nobody to look for"))
        mean = totals.sum(axis=0) / number
        means.append(sign * mean)
        parts.append(sign * (totals - people[:, None] * mean) / number)
        places.append(np.where(clusters < 0, offset + np.arange(len(people)), clusters))
        offset += len(people)
    unseen = np.zeros(first[0].shape[1])
    if second is not None:
        mine, theirs = (
            (_moves(part, where) ** 2).sum(axis=0)
            for part, where in zip(parts, places, strict=True)
        )
        unseen = np.maximum(mine * (first[1].sum() / second[1].sum()) - theirs, 0.0)
        unseen[:kept] = 0.0
    residuals = _moves(np.concatenate(parts), np.concatenate(places))
    return Clustered(np.sum(means, axis=0), residuals, unseen)


def _moves(parts: Floats, clusters: Index) -> Floats:
    """Clusters × figures: what the people of each cluster add up to."""
    _, where = np.unique(clusters, return_inverse=True)
    moves = [np.bincount(where, column) for column in parts.T]
    return np.stack(moves, axis=1) if moves else np.zeros((len(where), 0))


def simultaneous(covariance: Floats, seed: int, level: float = LEVEL) -> float:
    """How many standard errors hold all figures at once: the quantile of the largest |Z| (max-T).

    Between the normal quantile, for one figure or for figures that move as one, and Bonferroni's.
    """
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    known = errors > 0
    if known.sum() <= 1:
        return normal_quantile(level)
    correlation = covariance[np.ix_(known, known)] / np.outer(errors[known], errors[known])
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    draws = np.random.default_rng(seed).standard_normal((DRAWS, len(root)))
    largest = np.abs(draws @ root).max(axis=1)
    return max(float(np.quantile(largest, level)), normal_quantile(level))


def largest_interval(means: Floats, errors: Floats, width: float) -> Interval:
    """An interval of the largest of several figures that are held simultaneously."""
    return float((means - width * errors).max()), float((means + width * errors).max())
