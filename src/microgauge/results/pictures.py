"""What a report draws: distributions of variables, tables of pairs."""

from __future__ import annotations

from typing import ClassVar

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class NumberDetail:
    """How the numbers of a variable are distributed on both sides, on one scale."""

    edges: tuple[float, ...]
    """Of the bins; what lies outside counts in the outer ones."""
    before: tuple[float, ...]
    """Share of the weight in each bin, original."""
    after: tuple[float, ...]
    rows_before: tuple[int, ...]
    rows_after: tuple[int, ...]
    density: tuple[tuple[float, float, float], ...]
    """Place, and a smooth density there before and after."""
    box_before: tuple[float, ...]
    """Quantiles at 5, 25, 50, 75 and 95 %."""
    box_after: tuple[float, ...]
    ends_before: tuple[float, float]
    """The least and the largest number."""
    ends_after: tuple[float, float]
    whiskers_before: tuple[float, float]
    """The least and the largest number within one and a half box lengths of the box (Tukey)."""
    whiskers_after: tuple[float, float]
    outliers_before: tuple[float, ...]
    """Numbers beyond the whiskers; of many, some that are spread over them, with both ends."""
    outliers_after: tuple[float, ...]
    beyond_before: int
    """Records beyond the whiskers."""
    beyond_after: int
    outside_before: tuple[float, float]
    """Share of the weight below the first edge and above the last, drawn in the outer bins."""
    outside_after: tuple[float, float]
    units_before: float
    """Kish's effective number of the original's units."""
    dominance_before: float
    """Share that one record of the original has in the sum of squares about the mean, at most."""


@dataclass(frozen=True, kw_only=True)
class CategoryDetail:
    """How categories are distributed on both sides, most frequent first."""

    labels: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    rows_before: tuple[int, ...]
    rows_after: tuple[int, ...]
    others: int
    """Categories that the last entry stands for; 0 where it stands for itself."""
    units_before: float
    """Kish's effective number of the original's units."""
    recoded: bool = False
    """Whether the original's values were recoded first: they are not what the original holds."""


@dataclass(frozen=True, kw_only=True)
class ToldShares:
    """A distribution as data users may see it: rounded shares of groups that hold enough."""

    labels: tuple[str, ...] = ()
    """Categories; the last may stand for all others."""
    inner: tuple[float, ...] = ()
    """Or where bins of numbers meet; the outer ones are open."""
    before: tuple[float, ...]
    after: tuple[float, ...]
    recoded: bool = False


@dataclass(frozen=True, kw_only=True)
class VariableDetail:
    """What a picture of one variable needs."""

    name: str
    numbers: NumberDetail | None = None
    categories: CategoryDetail | None = None
    told: ToldShares | None = None
    """In place of both, in the edition for data users."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class AxisDetail:
    """One side of a pair's table: categories, or bins of numbers between edges."""

    name: str
    labels: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()
    recoded: bool = False
    """Whether the original's values were recoded first."""


@dataclass(frozen=True, kw_only=True)
class PairDetail:
    """The table of two variables on both sides, in few rows and columns."""

    a: str
    b: str
    before: tuple[tuple[float, ...], ...]
    """Shares: rows are levels of a, columns of b."""
    after: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Details:
    """What the pictures of a report need beyond the figures. Not part of the JSON result."""

    written: ClassVar[bool] = False
    variables: tuple[VariableDetail, ...]
    axes: tuple[AxisDetail, ...]
    pairs: tuple[PairDetail, ...]
    left_out: int
    """Pairs that have no table here, because there are so many."""
