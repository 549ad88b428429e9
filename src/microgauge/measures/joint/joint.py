"""Both files' rows, one below the other, in terms that both share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.schema import Type
from microgauge.values.hashing import row_hashes


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
        """The same rows in an order that depends on values only: what is drawn then does so too."""
        hashes = row_hashes(self.codes.T, self.rows, 0)
        order = np.lexsort((hashes, self.protected))
        return self.taken(order, self.protected[order])

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

    def indicators(self, place: int) -> Floats:
        """Rows × levels: which level each row has."""
        has = self.codes[:, place, np.newaxis] == np.arange(self.levels(place))
        return np.asarray(has, dtype=np.float64)

    def missing(self, place: int) -> Flags:
        """Which cells of a variable are missing."""
        return np.asarray(self.codes[:, place] == self.variables[place].size)
