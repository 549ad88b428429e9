"""Tables of several variables: how many units stand in the same cell."""

from __future__ import annotations

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class TableScore:
    """One table of two or three variables."""

    variables: tuple[str, ...]
    score: float
    """1 - moved: 1 the same table, 0 no unit in its cell, or a variable of it is gone."""
    moved: float
    """Share of units in another cell: the total variation, and what recoding costs."""
    recoding: float
    """What recoding has in it."""
    permuted: float
    """The expected score if every column were permuted, with as many rows."""
    resample: float
    """The expected score of a resample of the original with as many rows."""
    pmse_ratio: float | None = None
    """pMSE of the table over its expectation; 1 is chance."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class TableVariable:
    """One variable in all of its tables."""

    name: str
    value: float | None
    """The mean score of its tables; 0 for a removed one."""
    one_way: float
    """The score of its own distribution in the same groups."""
    cells: int
    """Cells of the original: categories, or groups of numbers; missing ones are a cell."""
    permuted: float | None
    resample: float | None
    removed: bool = False
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Do users' tables still hold? 1 all tables are the same, 0 none has a unit in its cell."""

    ways: int
    """Variables of a table."""
    tables: int
    """Tables compared."""
    value: float | None
    """The mean score over tables; `score` is the same figure."""
    score: float | None
    standard_error: float | None
    """Of the value, by leaving out one of 30 groups of units at a time."""
    value_ci: tuple[float, float] | None
    """With 95 % confidence."""
    k_marginal: float | None
    """1000 · value; with `by`, the mean over its groups of the same within each."""
    by: str | None
    sample_share: float | None
    """A random sample of this share of the original is expected to score alike."""
    permuted: float | None
    """The value that the original with every column permuted is expected to have, with as many
    rows as the protected table."""
    resample: float | None
    """The value that a resample of the original with as many rows is expected to have."""
    one_way: float | None
    """The mean score of the variables' own distributions."""
    variables: tuple[TableVariable, ...]
    worst: tuple[TableScore, ...]
    """All tables, the worst first."""
    replicates: tuple[float, ...] = ()
    """The value without each of 30 groups of units, by which differences are told from chance."""
    possible: int = 0
    """Tables there are; more than were compared where triples were sampled."""
    seed: int = 1
    reason: str | None = None
