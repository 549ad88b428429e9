"""Re-identification risk from the sizes of equivalence classes (Kim 2025).

A class holds the records that agree in all quasi-identifiers; EC(i) is the number of records that
record i cannot be told from. Sampling weights play no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.measures.loss.moments import quantile
from microgauge.values.packing import MOST, distinct, packed


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The classes of a table: their levels, their records, and who else they may be taken for."""

    levels: Index
    """Classes × keys; the code of a missing value is the key's size."""
    sizes: tuple[int, ...]
    """Categories of each key, missing values not counted."""
    rows: Counts
    sums: Floats
    """Sums of some columns in each class: columns × classes."""
    matching: Counts
    """EC: records that a record of the class cannot be told from."""

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.rows.sum())

    @property
    def risk(self) -> Floats:
        """1/EC of a record of each class."""
        return np.asarray(1.0 / self.matching)


def class_table(
    levels: Index, sizes: Sequence[int], rows: Counts, sums: Floats, *, missing_matches: bool
) -> ClassTable:
    """Classes with missing keys as a value of their own, or as one that matches every value."""
    if not len(rows):
        raise Undefined("the table has no record")
    matching = rows
    if missing_matches:
        matching = compatible(levels, levels, rows, sizes)
    return ClassTable(levels, tuple(sizes), rows, sums, matching)


FEW_PAIRS = 1 << 18
"""Pairs of classes up to which each is looked at by itself."""


def compatible(levels: Index, others: Index, rows: Counts, sizes: Sequence[int]) -> Counts:
    """For each class, the records of other classes that agree with it where both have values.

    Classes are taken by the pattern of their missing keys: for two patterns, only the keys that
    neither lacks are compared, so that no pair of classes is looked at by itself, unless those
    of a pattern are few.
    """
    limits = np.asarray(sizes)
    missing = others >= limits
    found = np.zeros(len(levels), dtype=np.int64)
    for pattern, members in _patterns(levels >= limits):
        if len(members) * len(others) <= FEW_PAIRS:
            found[members] = _agreeing(levels[members], others, missing, ~pattern) @ rows
            continue
        for lacking, theirs in _patterns(missing | pattern):
            found[members] += _matches(
                levels[members][:, ~lacking],
                others[theirs][:, ~lacking],
                rows[theirs],
                limits[~lacking].tolist(),
            )
    return found


def compatible_pairs(levels: Index, others: Index, sizes: Sequence[int]) -> tuple[Index, Index]:
    """The places of all pairs, one of each side, that agree where both have values."""
    limits = np.asarray(sizes)
    missing = others >= limits
    found = [np.zeros((2, 0), dtype=np.intp)]
    for pattern, members in _patterns(levels >= limits):
        if len(members) * len(others) <= FEW_PAIRS:
            one, other = _agreeing(levels[members], others, missing, ~pattern).nonzero()
            found.append(np.stack([members[one], other]))
            continue
        for lacking, theirs in _patterns(missing | pattern):
            one, other = _equal_pairs(
                levels[members][:, ~lacking],
                others[theirs][:, ~lacking],
                limits[~lacking].tolist(),
            )
            found.append(np.stack([members[one], theirs[other]]))
    one, other = np.concatenate(found, axis=1)
    return one, other


def _agreeing(levels: Index, others: Index, missing: Flags, keys: Flags) -> Flags:
    """Classes × others: whether they agree in all these keys, where the other has a value."""
    found = np.ones((len(levels), len(others)), dtype=np.bool_)
    for key in np.flatnonzero(keys):
        found &= (levels[:, key, np.newaxis] == others[:, key]) | missing[:, key]
    return found


def _equal_pairs(levels: Index, others: Index, sizes: Sequence[int]) -> tuple[Index, Index]:
    """Places of the pairs with exactly the same levels."""
    places = np.zeros(len(levels) + len(others), dtype=np.intp)
    if sizes:
        _, places, _ = distinct(packed(list(np.concatenate([levels, others]).T), sizes), MOST)
    mine, theirs = places[: len(levels)], places[len(levels) :]
    order = np.argsort(theirs, kind="stable")
    start, end = (np.searchsorted(theirs[order], mine, side) for side in ("left", "right"))
    one = np.repeat(np.arange(len(mine)), end - start)
    turn = np.arange(len(one)) - np.repeat(np.cumsum(end - start) - (end - start), end - start)
    return one, order[start[one] + turn]


def _patterns(missing: Flags) -> list[tuple[Flags, Index]]:
    """The patterns of missing keys that occur, and the classes that have each."""
    if (missing == missing[:1]).all():
        return [(missing[0], np.arange(len(missing)))] if len(missing) else []
    width = missing.shape[1]
    _, places, _ = distinct(packed(list(missing.T), [2] * width), 1 << width)
    ends = np.cumsum(np.bincount(places))
    members = np.split(np.argsort(places, kind="stable"), ends[:-1])
    return [(missing[rows[0]], rows) for rows in members]


def _matches(levels: Index, others: Index, rows: Counts, sizes: Sequence[int]) -> Counts:
    """Records of the others that have exactly the levels of each class."""
    if not levels.shape[1]:
        return np.full(len(levels), rows.sum(), dtype=np.int64)
    both = np.concatenate([levels, others])
    _, places, size = distinct(packed(list(both.T), sizes), MOST)
    counts = np.bincount(places[len(levels) :], rows, size)
    return counts[places[: len(levels)]].astype(np.int64)


def equal_records(levels: Index, others: Index, rows: Counts, sizes: Sequence[int]) -> Counts:
    """For each class, the records of other classes with the same levels, missing ones included."""
    return _matches(levels, others, rows, [size + 1 for size in sizes])


def internal_risk(table: ClassTable, weights: Floats | None = None) -> float:
    """R_internal = (1/N) Σ 1/EC(i), or its mean weighted by a sensitivity of each record.

    **Reading:** table 1 of the paper prints another probability; text and tables use 1/EC(i).
    """
    shares = table.rows.astype(np.float64) if weights is None else weights
    if shares.sum() <= 0:
        raise Undefined("the record weights are 0")
    return float((shares * table.risk).sum() / shares.sum())


def expected_matches(table: ClassTable) -> float:
    """Σ 1/EC(i): with missing as a value of its own, the number of classes."""
    return float((table.rows * table.risk).sum())


def records_within(table: ClassTable, most: int) -> int:
    """Records in classes of at most so many."""
    return int(table.rows[table.matching <= most].sum())


def size_quantiles(table: ClassTable, shares: Sequence[float] = (0.05, 0.5, 0.95)) -> list[float]:
    """Quantiles of EC over records."""
    order = np.argsort(table.matching)
    sizes, rows = table.matching[order].astype(np.float64), table.rows[order].astype(np.float64)
    return [quantile(sizes, rows, share, counts=True) for share in shares]


def records_above(risk: Floats, rows: Counts, threshold: float) -> int:
    """Records whose risk is above a threshold."""
    return int(rows[risk > threshold].sum())
