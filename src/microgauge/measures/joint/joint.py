"""Both files' rows, one below the other, in terms that both share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from zlib import crc32

import numpy as np

from microgauge.arrays import Flags, Floats, Hashes, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema import Type
from microgauge.values.hashing import mixed, row_hashes

ROUNDS = 2
"""How often a category's mark is told by the rows it stands in."""


@dataclass(frozen=True, eq=False)
class JointVariable:
    """A variable with levels that mean the same in both files."""

    name: str
    kind: Type
    size: int
    """Number of levels; also the code of a missing cell."""
    numbers: Floats
    """Value of each level: the number itself, the score 0, 1, 2, … of an ordinal one."""
    mean: float | None = None
    """The pooled mean of the numbers; that of the rows held where it is not given."""
    misses: bool | None = None
    """Whether any cell is missing; found in the rows held where it is not given."""


@dataclass(frozen=True, eq=False)
class Joint:
    """All rows of both files: codes, and which rows are protected ones."""

    variables: tuple[JointVariable, ...]
    codes: Index
    """Rows × variables."""
    protected: Flags
    units: Index | None = None
    """The unit of each row, the same number in both files; None where it is not known."""

    @property
    def rows(self) -> int:
        """N, the rows of both files together."""
        return len(self.protected)

    @property
    def share(self) -> float:
        """c = N_M / N, the share of protected rows."""
        return float(self.protected.mean())

    def taken(self, rows: Index, protected: Flags) -> Joint:
        """Some rows, with new labels."""
        units = None if self.units is None else self.units[rows]
        return Joint(self.variables, self.codes[rows], protected, units)

    def only(self, places: Sequence[int]) -> Joint:
        """Some of the variables."""
        variables = tuple(self.variables[place] for place in places)
        return Joint(variables, self.codes[:, list(places)], self.protected, self.units)

    def ordered(self) -> Joint:
        """The same rows in an order that depends on values only: what is drawn then does so too.

        Neither the order of columns nor the labels of categories have a part in it.
        """
        hashes = row_hashes(self.codes.T, self.rows, 0)
        order = np.lexsort((hashes, row_marks(self), self.protected))
        return self.taken(order, self.protected[order])

    def unrelated(self, rng: np.random.Generator) -> Joint:
        """The original against itself with every column permuted, of the protected file's size."""
        original = self.codes[~self.protected]
        count = int(self.protected.sum())
        columns = [np.resize(rng.permutation(column), count) for column in original.T]
        labels = np.repeat([False, True], [len(original), count])
        return Joint(self.variables, np.vstack([original, np.column_stack(columns)]), labels)

    @cached_property
    def values(self) -> tuple[Floats, ...]:
        """Numbers of each ordinal or continuous variable, the pooled mean where missing."""
        return tuple(self._values(i) for i in range(len(self.variables)))

    def _values(self, place: int) -> Floats:
        variable, codes = self.variables[place], self.codes[:, place]
        here = codes < variable.size
        numbers = np.append(variable.numbers, 0.0)[codes]
        mean = variable.mean
        if mean is None:
            mean = float(numbers[here].mean()) if here.any() else 0.0
        return np.where(here, numbers, mean)

    def levels(self, place: int) -> int:
        """Levels of a variable, missing cells as one more where there are any."""
        return self.variables[place].size + int(self.misses(place))

    def misses(self, place: int) -> bool:
        """Whether any cell of a variable is missing."""
        known = self.variables[place].misses
        return bool(self.missing(place).any()) if known is None else known

    def check_indicators(self) -> None:
        """`Undefined` where an indicator for each category of each variable would be too many."""
        nominal = (i for i, v in enumerate(self.variables) if v.kind == "nominal")
        check_size(self.rows, sum(map(self.levels, nominal)))

    def indicators(self, place: int) -> Floats:
        """Rows × levels: which level each row has."""
        has = self.codes[:, place, np.newaxis] == np.arange(self.levels(place))
        return np.asarray(has, dtype=np.float64)

    def missing(self, place: int) -> Flags:
        """Which cells of a variable are missing."""
        return np.asarray(self.codes[:, place] == self.variables[place].size)


MOST_CELLS = 1 << 27
"""Numbers of a matrix of all rows: a gigabyte."""


def check_size(rows: int, columns: int) -> None:
    """`Undefined` where a matrix of rows and columns would be too large."""
    if rows * columns > MOST_CELLS:
        raise Undefined(
            say(
                "{rows:,} × {columns:,} numbers would have to be held at once; merge the "
                "categories of the variable that has most, or leave it out",
                rows=rows,
                columns=columns,
            )
        )


def row_marks(joint: Joint) -> Hashes:
    """A number for each row that stays the same when categories are renamed or columns reordered.

    A number is known by its rank, a category by how often each file has it and, in two rounds, by
    the rows that it stands in: the refinement by which graphs are told apart.
    """
    marks = [_level_marks(joint, place) for place in range(len(joint.variables))]
    for _ in range(ROUNDS):
        rows = _sums(joint, marks)
        marks = [
            mixed(mark ^ _added(rows, joint.codes[:, place], len(mark)))
            for place, mark in enumerate(marks)
        ]
    return _sums(joint, marks)


def _level_marks(joint: Joint, place: int) -> Hashes:
    """Of each level of a variable, missing cells last."""
    variable, codes = joint.variables[place], joint.codes[:, place]
    name = np.uint64(crc32(variable.name.encode()))
    if variable.kind == "nominal":
        counts = [np.bincount(codes[side], minlength=variable.size + 1) for side in _files(joint)]
        known = mixed(counts[0].astype(np.uint64)) ^ counts[1].astype(np.uint64)
    else:
        ranks = np.unique(variable.numbers, return_inverse=True)[1].reshape(-1)
        known = np.append(ranks, len(ranks)).astype(np.uint64)
    return mixed(mixed(known) ^ name)


def _files(joint: Joint) -> tuple[Flags, Flags]:
    return ~joint.protected, joint.protected


def _sums(joint: Joint, marks: Sequence[Hashes]) -> Hashes:
    """Of each row, the marks of its levels: a sum, so that no order of columns counts."""
    found = joint.protected.astype(np.uint64)
    for place, mark in enumerate(marks):
        found = found + mark[joint.codes[:, place]]
    return mixed(found)


def _added(rows: Hashes, codes: Index, size: int) -> Hashes:
    found = np.zeros(size, dtype=np.uint64)
    np.add.at(found, codes, rows)
    return found
