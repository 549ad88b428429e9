"""Stretches of one long array: what many have, each as much as it has, with no loop over them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Flags, Floats, Index
from microgauge.records import dataclass


@dataclass(frozen=True, eq=False)
class Segments:
    """How long each stretch is; one follows the other."""

    lengths: Index

    @staticmethod
    def of(parts: Sequence[Any]) -> Segments:
        """As long as some arrays or tuples."""
        return Segments(np.fromiter(map(len, parts), dtype=np.intp, count=len(parts)))

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def stops(self) -> Index:
        """Where each ends."""
        return np.cumsum(self.lengths)

    @cached_property
    def starts(self) -> Index:
        """Where each begins."""
        return self.stops - self.lengths

    @cached_property
    def total(self) -> int:
        """The length of all."""
        return int(self.stops[-1]) if len(self) else 0

    @cached_property
    def owner(self) -> Index:
        """Whose each entry of the long array is."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def sums(self, values: NDArray[Any]) -> Floats:
        """The sum over each stretch, added up as numpy adds up a stretch that is by itself.

        >>> Segments(np.array([2, 0, 1])).sums(np.array([1.0, 2.0, 4.0]))
        array([3., 0., 4.])
        """
        # Those of a length are one matrix: `np.add.reduceat` adds one by one, less exactly.
        found = np.zeros(len(self))
        for places in self._alike:
            first = int(places[0])
            if self.lengths[first] == 0:
                continue
            if len(places) == 1:
                found[first] = values[self.starts[first] : self.stops[first]].sum()
            else:
                within = np.arange(self.lengths[first])
                found[places] = values[self.starts[places][:, np.newaxis] + within].sum(axis=1)
        return found

    @cached_property
    def _alike(self) -> list[Index]:
        """The stretches of each length."""
        order = np.argsort(self.lengths, kind="stable")
        changes = np.flatnonzero(np.diff(self.lengths[order])) + 1
        return np.split(order, changes) if len(order) else []

    def before(self, values: Floats) -> Floats:
        """The sum of what comes before each entry in its stretch.

        >>> Segments(np.array([2, 1])).before(np.array([1.0, 2.0, 4.0]))
        array([0., 1., 0.])
        """
        # One call for each: a running sum over all, less what came before, would not be as exact.
        found = np.zeros(len(values))
        for start, stop in zip(self.starts.tolist(), self.stops.tolist(), strict=True):
            if stop > start + 1:
                values[start : stop - 1].cumsum(out=found[start + 1 : stop])
        return found

    def only(self, here: Flags) -> Segments:
        """The stretches of those entries that are flagged."""
        return Segments(np.bincount(self.owner[here], minlength=len(self)))

    def places(self, chosen: Index) -> Index:
        """Where the entries of some stretches stand, one stretch after the other.

        >>> Segments(np.array([2, 3, 1])).places(np.array([2, 0]))
        array([5, 0, 1])
        """
        lengths = self.lengths[chosen]
        shift = self.starts[chosen] - (np.cumsum(lengths) - lengths)
        return np.repeat(shift, lengths) + np.arange(int(lengths.sum()))


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Arrays as one long array; an empty one where there is none."""
    return np.concatenate(parts) if parts else np.zeros(0)
