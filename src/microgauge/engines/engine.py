"""What measures may ask of the place where rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from microgauge.arrays import Floats
from microgauge.passes import Axis, Batch, Facts, Pass
from microgauge.records import dataclass

if TYPE_CHECKING:
    from microgauge.engines.local import Local

ORIGINAL, PROTECTED = "original ", "protected "
"""What stands before a column's name in matched rows."""


class Features(Protocol):
    """The columns of a model, worked out for any batch of rows alike."""

    @property
    def seen(self) -> tuple[Axis, ...]:
        """The axes that they look at."""
        ...

    def __call__(self, batch: Batch) -> Floats:
        """Rows × columns."""
        ...


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

    def scan(self, passes: Sequence[Pass]) -> Facts:
        """Fold the passes over all rows."""
        ...

    def sample(self, most: int, seed: int, *, by_place: bool = False) -> Local:
        """All rows where they are not more, else about so many, chosen by hash, in memory.

        The hash is that of the key if there is one, else of the row; of its number with `by_place`,
        for tables that correspond row by row.
        """
        ...

    @property
    def here(self) -> bool:
        """Whether rows are on this machine."""
        ...

    @property
    def numbered(self) -> bool:
        """Whether rows have numbers by which a user finds them again."""
        ...

    @property
    def fits_models(self) -> bool:
        """Whether the place has a logistic regression of its own for all rows."""
        ...

    def logistic(self, other: Engine, features: tuple[Features, Features]) -> Floats:
        """Intercept and coefficients of the model that tells the other's rows from these."""
        ...


@dataclass(frozen=True, eq=False)
class Weight:
    """A column of weights: a number for each raw value, where known with a mean of one."""

    column: str
    numbers: Floats
    mean: float = 1.0
    """What the numbers were divided by."""


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
