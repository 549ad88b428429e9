"""Sums of ranks among complete rows: ranks of all rows, less the part of incomplete rows.

Twice the centred mid-rank of a row is the number of rows below it less the number above it: a whole
number, from which the part of any rows can be taken off. So ranks of a pair need no sorting of
their own, and sums of them are exact, whatever the batches and threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts
from microgauge.kernels import TableRanks, pair_ranks, ranks_within, score_product, score_sums
from microgauge.kernels.scoring import Scores
from microgauge.passes.batch import Axis, Batch, InThreads
from microgauge.passes.tables import OfPairs, SparseCells
from microgauge.records import dataclass

MOST_ROWS = 1 << 30
"""Rows up to which doubled ranks are kept in four bytes."""


class RankedLevels:
    """Levels with so many rows each, ranked.

    >>> RankedLevels(np.array([1, 2, 1])).scores
    array([-3,  0,  3,  0], dtype=int32)
    """

    def __init__(self, counts: Counts) -> None:
        self.counts = counts
        self.rows = int(counts.sum())
        self.cubes = _sum_of_cubes(counts)
        self.scores = self._scores()
        """Twice the centred mid-ranks, and 0 for missing cells."""

    def _scores(self) -> Scores:
        scores = np.zeros(len(self.counts) + 1, dtype=np.int32)
        ends = np.cumsum(self.counts)
        ends *= 2
        ends -= self.counts
        ends -= self.rows
        scores[:-1] = ends
        return scores


@dataclass(frozen=True, eq=False)
class Ranks:
    """The ranks of an axis' levels where another axis is not missing."""

    levels: RankedLevels
    absent: SparseCells | None
    """How many rows of each level the other axis is missing in; None where in none."""

    def scores(self) -> Scores:
        """Doubled centred ranks among complete rows; 0 for missing cells."""
        if self.absent is None:
            return self.levels.scores
        return ranks_within(self.levels.scores, self.absent.keys, self.absent.rows)

    @cached_property
    def squares(self) -> int:
        """Sum of the squared scores of complete rows: (N³ - Σ c³)/3.

        >>> Ranks(RankedLevels(np.array([1, 2, 1])), None).squares
        18
        """
        rows, cubes = self.levels.rows, self.levels.cubes
        if self.absent is not None:
            before = self.levels.counts[self.absent.keys]
            after = before - self.absent.rows
            rows -= int(self.absent.rows.sum())
            cubes += _sum_of_cubes(after) - _sum_of_cubes(before)
        return (rows**3 - cubes) // 3


# What ranks are is settled by the two axes, so that questions are equal where these are.


@dataclass(frozen=True)
class RankProduct(InThreads):
    """Sum of the products of two axes' doubled ranks among rows in which neither is missing."""

    a: Axis
    b: Axis
    ranks: tuple[Ranks, Ranks] = field(compare=False)

    def read(self, batch: Batch) -> int:
        """A whole number."""
        a, b = (ranks.scores() for ranks in self.ranks)
        return score_product(batch.narrow(self.a), a, batch.narrow(self.b), b)


@dataclass(frozen=True)
class RankSums(InThreads):
    """Sums of doubled ranks, among rows in which neither axis is missing, in each group."""

    group: Axis
    ranked: Axis
    ranks: Ranks = field(compare=False)

    @classmethod
    def alike(cls, questions: Sequence[Any]) -> Iterable[Sequence[Any]]:
        """Those about the same ranks, which are looked up once."""
        found: dict[int, list[RankSums]] = {}
        for question in questions:
            found.setdefault(id(question.ranks), []).append(question)
        return found.values()

    @classmethod
    def read_alike(cls, questions: Sequence[Any], batch: Batch) -> list[Counts]:
        """For each question and each level of its group axis, missing last."""
        first = questions[0]
        scores = first.ranks.scores().take(batch.narrow(first.ranked), mode="clip")
        return [score_sums(batch.narrow(q.group), q.group.size + 1, scores) for q in questions]

    def read(self, batch: Batch) -> Counts:
        """For each level of the group axis, missing last."""
        return self.read_alike([self], batch)[0]


@dataclass(frozen=True)
class PairRanks(OfPairs):
    """Ranks of many pairs of axes among rows in which neither is missing, out of few rows.

    They are not sums over rows, so that all rows are looked at together.
    """

    grouped: int
    """Pairs, the first ones, of which the sums in each group of the first axis are asked for."""

    __hash__ = OfPairs.__hash__

    def held(self, batch: Batch) -> NDArray[np.uint32]:
        """The levels of all rows."""
        return np.stack([batch.narrow(axis) for axis in self.axes], axis=1).astype(np.uint32)

    def answer(self, held: NDArray[np.uint32]) -> TableRanks:
        """What ranks add up to."""
        codes = np.ascontiguousarray(held.T)
        return pair_ranks(codes, self.pairs, [axis.size for axis in self.axes], self.grouped)


def _sum_of_cubes(counts: Counts) -> int:
    """Exact: squares are added up in three parts of few digits each."""
    squares = counts * counts
    if counts.max(initial=0) < _FEW:
        return int(np.dot(counts, squares))
    parts = (int(np.dot(counts, (squares >> shift) & _PART)) << shift for shift in _SHIFTS)
    return sum(parts)


_FEW = 1 << 10
"""Rows of a level up to which cubes of all levels add up within 64 bits."""
_SHIFTS = (0, 21, 42)
_PART = (1 << 21) - 1
