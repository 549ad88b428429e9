"""An order of rows that depends on what they hold: not on how they lie in a file or are labelled.

Files drawn by chance from a table are the same for the same seed only if its rows are numbered
alike whatever the order of rows and columns, the engine, and the names of categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from microgauge.arrays import Floats, Hashes, Index
from microgauge.records import dataclass
from microgauge.values.hashing import mixed

ROUNDS = 2
"""How often a category is looked at through the rows that have it."""
_LOW = np.uint64((1 << 24) - 1)
"""Bits of a hash whose sums over rows are exact in floating point."""
_DIGITS = 6
"""Of a weight with a mean near one: its last digits depend on how sums were taken."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: the level of every row; the last of `size` levels is missing cells."""

    name: str
    levels: Index
    size: int
    ordered: bool
    """Whether the order of its levels means something, as that of categories does not."""


def canonical_order(columns: Sequence[Coded], weights: Floats | None = None) -> Index:
    """The places of the rows in that order.

    A level that has an order is known by its place. A category is known by the number of its rows,
    then by what stands in them. Rows that are still equal can be told apart by nobody.
    """
    known = [_first(column) for column in columns]
    rows = _rows(columns, known, weights)
    for _ in range(ROUNDS):
        known = [
            level if column.ordered else _by_rows(column, rows)
            for column, level in zip(columns, known, strict=True)
        ]
        rows = _rows(columns, known, weights)
    return np.argsort(rows, kind="stable")


def named(text: str) -> int:
    """A number for a column's name."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _first(column: Coded) -> Hashes:
    if column.ordered:
        return mixed(np.arange(column.size, dtype=np.uint64))
    return mixed(np.bincount(column.levels, minlength=column.size).astype(np.uint64))


def _by_rows(column: Coded, rows: Hashes) -> Hashes:
    low = (rows & _LOW).astype(np.float64)
    return mixed(np.bincount(column.levels, low, column.size).astype(np.uint64))


def _rows(columns: Sequence[Coded], known: Sequence[Hashes], weights: Floats | None) -> Hashes:
    """Sums over columns, so that their order does not matter."""
    total = np.zeros(len(columns[0].levels), dtype=np.uint64)
    for column, level in zip(columns, known, strict=True):
        total += mixed(level ^ np.uint64(named(column.name)))[column.levels]
    if weights is not None:
        total += mixed(np.round(weights, _DIGITS).view(np.uint64))
    return mixed(total)
