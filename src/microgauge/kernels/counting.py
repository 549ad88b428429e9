"""Tables of many pairs of columns, counted while a block of rows is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Codes, Counts, Floats
from microgauge.kernels.loading import compiled
from microgauge.kernels.sharing import in_parts
from microgauge.records import dataclass

CODES = (np.uint8, np.uint16, np.uint32)
"""Types of codes that the compiled loops know."""
SHARED = 1 << 20
"""Rows × pairs from which threads share the pairs."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Which columns go together: for each pair, columns, width of its table, place and cells."""

    rows: Counts
    cells: int
    """Of all tables together."""

    @staticmethod
    def of(a: Counts, b: Counts, sizes: Counts) -> Pairs:
        """Pairs of places among columns with so many levels, the missing one included."""
        cells = sizes[a] * sizes[b]
        starts = np.cumsum(cells) - cells
        rows = np.stack([a, b, sizes[b], starts, cells], axis=1)
        return Pairs(np.ascontiguousarray(rows, dtype=np.int64), int(cells.sum()))


def count_codes(codes: Codes, size: int) -> Counts:
    """How often each of the codes 0 … size - 1 occurs.

    >>> count_codes(np.array([0, 2, 2], dtype=np.uint8), 4)
    array([1, 0, 2, 0])
    """
    loops = compiled()
    if loops is None or codes.dtype not in CODES:
        return np.bincount(codes, minlength=size)
    counts = np.zeros(size, dtype=np.int64)
    loops.count_codes(np.ascontiguousarray(codes), counts)
    return counts


def sorted_codes(codes: Codes) -> tuple[Counts, Counts]:
    """The codes that occur, rising, and how often each does; for few codes out of many.

    >>> sorted_codes(np.array([7, 2, 7], dtype=np.uint32))
    (array([2, 7]), array([1, 2]))
    """
    loops = compiled()
    if loops is None or codes.dtype not in CODES:
        found, often = np.unique(codes, return_counts=True)
        return found.astype(np.int64), often.astype(np.int64)
    keys, counts = np.empty(len(codes), dtype=np.int64), np.empty(len(codes), dtype=np.int64)
    count = loops.sort_codes(codes.astype(np.uint32), keys, counts)
    return keys[:count].copy(), counts[:count].copy()


def count_pairs(
    columns: Sequence[Codes], pairs: Pairs, weights: Floats | None = None
) -> NDArray[Any]:
    """Layers × cells of all tables: rows; with weights also their sums and sums of squares."""
    if weights is None:
        layers: NDArray[Any] = np.zeros((1, pairs.cells), dtype=np.int64)
    else:
        layers = np.zeros((3, pairs.cells))
    loops = compiled()
    if loops is None:
        _count_plainly(columns, pairs, weights, layers)
        return layers
    held = [np.ascontiguousarray(column) for column in columns]
    rows = len(held[0]) if held else 0

    def count(part: tuple[int, int]) -> None:
        loops.count_pairs(held, rows, weights, pairs.rows, *part, layers)

    in_parts(count, len(pairs.rows), shared=len(pairs.rows) * rows >= SHARED)
    return layers


def _count_plainly(
    columns: Sequence[Codes], pairs: Pairs, weights: Floats | None, layers: NDArray[Any]
) -> None:
    for a, b, width, start, cells in pairs.rows.tolist():
        keys = columns[a].astype(np.intp) * width
        keys += columns[b]
        here = layers[:, start : start + cells]
        here[0] = np.bincount(keys, minlength=cells)
        if weights is not None:
            here[1] = np.bincount(keys, weights, cells)
            here[2] = np.bincount(keys, weights * weights, cells)
