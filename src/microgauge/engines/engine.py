"""What measures may ask of the place where rows are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from microgauge.arrays import Floats
from microgauge.passes import Axes, Batch, Facts, Pass

if TYPE_CHECKING:
    from microgauge.engines.local import Local

ORIGINAL, PROTECTED = "original ", "protected "
"""What stands before a column's name in matched rows."""


class Engine(Protocol):
    """The rows of one table, or of two tables matched unit by unit, and their weights."""

    @property
    def rows(self) -> int:
        """Their number."""
        ...

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        ...

    def scan(self, passes: Sequence[Pass], axes: Axes, *, long_facts: bool = False) -> Facts:
        """Fold the passes over all rows. Facts as long as the table want batches as long."""
        ...

    def sample(self, most: int, seed: int, *, by_place: bool = False) -> Local:
        """All rows where they are not more, else about so many, chosen by hash, in memory.

        The hash is that of the key if there is one, else of the row; of its number with `by_place`,
        for tables that correspond row by row.
        """
        ...

    def logistic(
        self, other: Engine, axes: tuple[Axes, Axes], features: Callable[[Batch], Floats]
    ) -> Floats | None:
        """Intercept and coefficients of the model that tells the other's rows from these.

        None where the place has no logistic regression of its own for all rows.
        """
        ...


@dataclass(frozen=True, eq=False)
class Weight:
    """A column of weights: a number for each raw value, scaled to a mean of one over the rows."""

    column: str
    numbers: Floats


@dataclass(frozen=True, eq=False)
class Join:
    """Two tables joined by a key."""

    rows: Engine
    """Units that both have."""
    matched: int
    missing: tuple[int, int]
    """Rows without a key in each table."""
    repeated: tuple[int, int]
    """Rows whose key an earlier row has."""
