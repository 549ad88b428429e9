"""Whether real records stand in a file whose records are nobody's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.disclosure.intervals import newcombe
from microgauge.measures.disclosure.shares import Interval, wilson
from microgauge.records import dataclass

MOST = 2_000_000
"""Different records of a table beyond which they are not compared by their numbers."""
RADIUS = 1.0 + 1e-9
"""Numbers are in units of the interval within which they are the same."""
APART = 4.0
"""Between groups of records that differ in a category: more than any interval."""


@dataclass(frozen=True, eq=False)
class Whole:
    """Different records of a table in all variables, and how many there are of each."""

    groups: Index
    """Equal where all categories are, and the same numbers are missing; alike in all tables."""
    numbers: Floats
    """Records × numbers in units of the interval; 0 where missing."""
    rows: Counts

    @property
    def points(self) -> Floats:
        """Records as points: equal ones are within one unit in every direction."""
        return np.column_stack([self.groups * APART, self.numbers])

    @cached_property
    def neighbours(self) -> Neighbours:
        """Finds its records that equal others; made once for all who ask."""
        return Neighbours(self)


class Neighbours:
    """Finds the records of a table that equal others."""

    def __init__(self, table: Whole) -> None:
        from scipy.spatial import cKDTree

        if len(table.rows) > MOST:
            raise Undefined(say("more than {most:,} different records", most=MOST))
        self._tree = cKDTree(table.points)

    def number(self, asking: Whole) -> Counts:
        """How many different records equal each one."""
        if not len(asking.rows):
            return np.zeros(0, dtype=np.int64)
        found = self._tree.query_ball_point(asking.points, RADIUS, p=np.inf, return_length=True)
        return np.asarray(found, dtype=np.int64)

    def pairs(self, asking: Whole, some: Index) -> tuple[Index, Index]:
        """Each of some records beside every one that equals it."""
        lists = self._tree.query_ball_point(asking.points[some], RADIUS, p=np.inf)
        sizes = np.array([len(found) for found in lists], dtype=np.intp)
        flat = [place for found in lists for place in found]
        return np.repeat(some, sizes), np.array(flat, dtype=np.intp)


@dataclass(frozen=True)
class Control:
    """The same of people who are not in the original."""

    share: float
    """Of holdout records that equal no original one, the share that stands in the file."""
    found: float
    """Their mean chance to be found."""
    excess: float
    """Copied beyond the control, as a share of all original records."""
    excess_ci: Interval
    found_excess: float
    found_excess_ci: Interval


@dataclass(frozen=True, eq=False)
class Copied:
    """Original records, alone in all variables, that stand in the protected file."""

    records: int
    uniques: int
    copied: int
    found: float
    """Mean over all original records of their chance to be found by a copy."""
    found_ci: Interval
    unique: Flags
    """Which different records are alone."""
    chances: Floats
    """For each different record, its chance to be found where it is copied."""

    @property
    def value(self) -> float:
        """The share of original records that were copied; 0 is best."""
        return self.copied / self.records

    @property
    def present(self) -> float | None:
        """The share of lone records that were copied."""
        return self.copied / self.uniques if self.uniques else None


Chances = Callable[[Index, Index, Index], Floats]
"""From pairs of records and the records asked for: (equal records in M) / |M| of each of these."""


def copied(original: Whole, protected: Neighbours, chances: Chances) -> Copied:
    """Lone original records that equal a protected one, and how far a match leads to the copy."""
    records = int(original.rows.sum())
    if not records:
        raise Undefined(say("the table has no record"))
    unique = (original.rows == 1) & (original.neighbours.number(original) == 1)
    each, there = _chances(original, protected, np.flatnonzero(unique), chances)
    mean = float(each.sum() / records)
    trials = as_trials(float(each.sum()), float((each**2).sum()), records)
    return Copied(
        records,
        int(unique.sum()),
        int((there & unique).sum()),
        mean,
        wilson(mean, trials),
        unique,
        each,
    )


def _chances(
    table: Whole, protected: Neighbours, some: Index, chances: Chances
) -> tuple[Floats, Flags]:
    """The chance of each record to be found by an equal one, and whether there is one."""
    there = np.zeros(len(table.rows), dtype=np.bool_)
    there[some] = protected.number(_taken(table, some)) > 0
    present = np.flatnonzero(there)
    each = np.zeros(len(table.rows))
    if len(present):
        asking, equal = protected.pairs(table, present)
        each[present] = chances(asking, equal, present)
    return each, there


def _taken(table: Whole, some: Index) -> Whole:
    return Whole(table.groups[some], table.numbers[some], table.rows[some])


def as_trials(total: float, squares: float, people: int, usual: float = 1.0) -> float:
    """How many trials make a share as unsure as the mean of chances is, from their sums.

    Chances of people are between 0 and 1, mostly 0: an interval of their mean from its standard
    error is too short, and where nobody has a chance it has no length. That of a share holds. Where
    nobody has a chance, one would be as large as `usual`.

    >>> round(as_trials(2.0, 2.0, 10), 6), round(as_trials(2.0, 1.0, 10), 6)
    (10.0, 26.666667)
    >>> as_trials(0.0, 0.0, 10, usual=0.5)
    20.0
    """
    mean = total / people
    spread = squares / people - mean**2
    if not total:
        return people / usual
    return max(mean * (1.0 - mean) / spread, 1.0) * people if spread > 0 else people


def controlled(
    own: Copied, original: Whole, holdout: Whole, protected: Neighbours, chances: Chances
) -> Control:
    """What the same attack gives of people who are not in the original."""
    repeated = original.neighbours.number(holdout) > 0
    others = np.flatnonzero(~repeated)
    number = int(holdout.rows[others].sum())
    if not number:
        raise Undefined(say("every record of the holdout equals an original one"))
    if not own.uniques:
        raise Undefined(say("no original record is alone in all variables"))
    each, there = _chances(holdout, protected, others, chances)
    rows = holdout.rows.astype(np.float64)
    hits = int(holdout.rows[there].sum())
    mean = float((each * rows).sum() / number)
    scale = own.uniques / own.records
    low, high = newcombe((own.copied, hits), (own.uniques, number))
    mine = own.chances[own.unique]
    sums = float(mine.sum()), float((each * rows).sum())
    squares = float((mine**2).sum()), float((each**2 * rows).sum())
    usual = sum(squares) / sum(sums) if sum(sums) else 1.0
    trials = (
        as_trials(sums[0], squares[0], own.uniques, usual),
        as_trials(sums[1], squares[1], number, usual),
    )
    found_low, found_high = newcombe((float(mine.mean()) * trials[0], mean * trials[1]), trials)
    return Control(
        share=hits / number,
        found=mean,
        excess=scale * (own.copied / own.uniques - hits / number),
        excess_ci=(scale * low, scale * high),
        found_excess=float(scale * (mine.mean() - mean)),
        found_excess_ci=(scale * found_low, scale * found_high),
    )
