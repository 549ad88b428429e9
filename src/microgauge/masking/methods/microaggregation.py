"""Microaggregation: records in small groups, each value replaced by its group's mean."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar, Literal

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.languages.messages import say
from microgauge.masking.checks import whole_up_to
from microgauge.masking.draws import normal_draws
from microgauge.masking.step import ColumnUse, Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass


def sorted_groups(scores: Floats, size: int) -> Index:
    """Groups of neighbours in the order of a score; the last one takes what is left over.

    >>> sorted_groups(np.array([5.0, 1.0, 4.0, 2.0, 3.0]), 2)
    array([1, 0, 1, 0, 1])
    """
    order = np.argsort(scores, kind="stable")
    places = np.minimum(np.arange(len(scores)) // size, max(len(scores) // size - 1, 0))
    groups = np.empty(len(scores), dtype=np.intp)
    groups[order] = places
    return groups


def projected(columns: Floats) -> Floats:
    """The sum of the standardised columns: one score for records of several variables."""
    return np.asarray(standardised(columns).sum(axis=1))


def standardised(columns: Floats) -> Floats:
    """Columns with mean 0 and deviation 1; constant ones 0."""
    centred = columns - columns.mean(axis=0)
    deviation = centred.std(axis=0)
    return np.asarray(centred / np.where(deviation > 0, deviation, 1.0))


def mdav_groups(columns: Floats, size: int) -> Index:
    """MDAV (Domingo-Ferrer and Torra 2005): groups of records near each other, by squared distance.

    While three groups are left: the record farthest from the mean and its nearest, then the record
    farthest from that one and its nearest. Of equal distances the first record counts.
    """
    points = standardised(columns)
    left = np.arange(len(points))
    groups = np.empty(len(points), dtype=np.intp)
    made = 0
    while len(left) >= 3 * size:
        first = int(np.argmax(_distances(points[left], points[left].mean(axis=0))))
        far = int(np.argmax(_distances(points[left], points[left[first]])))
        centres = (points[left[first]], points[left[far]])
        for centre in centres:
            taken = _nearest(_distances(points[left], centre), size)
            groups[left[taken]] = made
            left = np.delete(left, taken)
            made += 1
    if len(left) >= 2 * size:
        first = int(np.argmax(_distances(points[left], points[left].mean(axis=0))))
        taken = _nearest(_distances(points[left], points[left[first]]), size)
        groups[left[taken]] = made
        left = np.delete(left, taken)
        made += 1
    groups[left] = made
    return groups


def _distances(points: Floats, centre: Floats) -> Floats:
    apart = points - centre
    # Distances that are equal but for rounding are equal: the first record counts then.
    return np.asarray(np.round(np.einsum("ij,ij->i", apart, apart), 12))


def _nearest(distances: Floats, count: int) -> Index:
    within = np.partition(distances, count - 1)[count - 1]
    near = np.flatnonzero(distances <= within)
    return near[np.argsort(distances[near], kind="stable")][:count]


def group_means(columns: Floats, groups: Index) -> Floats:
    """Every value replaced by the mean of its group."""
    counts = np.bincount(groups)
    means = [np.bincount(groups, column) / counts for column in columns.T]
    return np.stack([mean[groups] for mean in means], axis=1)


def removed_noise(before: Floats, after: Floats, rng: np.random.Generator) -> Floats:
    """Normal noise with the covariance that aggregation took away."""
    width = before.shape[1]
    lost = np.atleast_2d(np.cov(before, rowvar=False)) - np.atleast_2d(np.cov(after, rowvar=False))
    return normal_draws(lost.reshape(width, width), len(before), rng)


@dataclass(frozen=True, kw_only=True)
class Microaggregate(Step):
    """Replace numbers by the means of groups of g records near each other."""

    method: ClassVar[str] = "microaggregation"
    takes: ClassVar[ColumnUse | None] = "number"

    g: int = 3
    """Records in a group, at least."""
    groups: Literal["each", "projection", "mdav"] = field(
        default="each",
        metadata={
            "meanings": {
                "each": say("each variable by itself"),
                "projection": say("all variables together, by the sum of z-scores"),
                "mdav": say("all variables together, by distance"),
            }
        },
    )
    """Which records are near each other."""
    noise: bool = False
    """Add noise with the covariance that aggregation removed."""

    def own_faults(self, look: Look) -> list[str]:
        """g up to the records."""
        found = whole_up_to("g", self.g, 2, look.rows)
        if self.groups not in ("each", "projection", "mdav"):
            found.append(say("groups must be each, projection or mdav."))
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Aggregated; records with some number missing by themselves, each number alone.

        Fewer than g cannot be aggregated, and become missing.
        """
        sets = [(n,) for n in self.variables] if self.groups == "each" else [self.variables]
        for names in sets:
            columns = data.matrix(names)
            whole = ~np.isnan(columns).any(axis=1)
            columns[whole] = self._aggregated(columns[whole], rng)
            for place in range(len(names)):
                rest = ~whole & ~np.isnan(columns[:, place])
                columns[rest, place] = self._aggregated(columns[rest, place][:, None], rng)[:, 0]
            data = data.with_matrix(names, columns)
        return data

    def _aggregated(self, before: Floats, rng: np.random.Generator) -> Floats:
        if len(before) < self.g:
            return np.full_like(before, np.nan)
        after = group_means(before, self._groups(before))
        return after + removed_noise(before, after, rng) if self.noise else after

    def _groups(self, columns: Floats) -> Index:
        if self.groups == "mdav":
            return mdav_groups(columns, self.g)
        scores = columns[:, 0] if self.groups == "each" else projected(columns)
        return sorted_groups(scores, self.g)
