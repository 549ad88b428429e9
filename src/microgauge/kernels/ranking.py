"""Ranks among complete rows, out of tables of two axes or out of rows themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts
from microgauge.kernels.loading import compiled
from microgauge.kernels.sharing import in_parts
from microgauge.records import dataclass

MOST_ROWS = 1 << 20
"""Rows up to which cubes of ranks are whole numbers of eight bytes."""
SHARED = 1 << 20
"""Cells from which threads share the tables."""


@dataclass(frozen=True, eq=False)
class TableRanks:
    """Of tables: what ranks by columns add up to in the groups of the rows, and products of ranks.

    Ranks are mid-ranks less their mean, doubled: whole numbers.
    """

    rows: Counts
    """Complete rows of each table."""
    groups: Counts
    """Complete rows in each group, one table after the other."""
    sums: Counts
    """Ranks of the rows in each group."""
    squares_a: Counts
    """Squared ranks by rows of the table, of all complete rows."""
    squares_b: Counts
    product: Counts

    def of(self, some: slice) -> TableRanks:
        """Of some tables; groups are those of all."""
        parts = (self.squares_a, self.squares_b, self.product)
        return TableRanks(self.rows[some], self.groups, self.sums, *(each[some] for each in parts))


def table_ranks(cells: Counts, starts: Counts, heights: Counts, widths: Counts) -> TableRanks:
    """Ranks out of tables that stand where they start, with so many rows and columns each.

    >>> found = table_ranks(np.array([1, 0, 0, 0, 2, 5, 0, 0, 7]), *np.array([[0], [3], [3]]))
    >>> found.rows, found.groups, found.sums, found.product
    (array([3]), array([1, 2]), array([-2,  2]), array([6]))
    """
    groups = np.cumsum(heights - 1) - (heights - 1)
    tables = np.ascontiguousarray(np.stack([starts, heights, widths, groups], axis=1), np.int64)
    total = int((heights - 1).sum())
    of_groups, sums = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.int64)
    whole = np.zeros((len(tables), 4), dtype=np.int64)
    loops = compiled()
    if loops is None:
        for table, found in zip(tables.tolist(), whole, strict=True):
            _rank_plainly(cells, table, of_groups, sums, found)
    else:
        held = np.ascontiguousarray(cells, dtype=np.int64)

        def rank(part: tuple[int, int]) -> None:
            loops.rank_tables(held, tables, *part, of_groups, sums, whole)

        in_parts(rank, len(tables), shared=len(held) >= SHARED)
    return TableRanks(whole[:, 0], of_groups, sums, whole[:, 1], whole[:, 2], whole[:, 3])


def _rank_plainly(
    cells: Counts, table: list[int], groups: Counts, sums: Counts, found: Counts
) -> None:
    start, height, width, first = table
    counts = cells[start : start + height * width].reshape(height, width)[:-1, :-1]
    own, other = counts.sum(axis=1), counts.sum(axis=0)
    ranks, ranks_b = (2 * (np.cumsum(c) - c) + c - c.sum() for c in (own, other))
    here = counts @ ranks_b
    groups[first : first + height - 1] = own
    sums[first : first + height - 1] = here
    found[:] = own.sum(), own @ ranks**2, other @ ranks_b**2, ranks @ here


def pair_ranks(
    codes: NDArray[np.uint32], pairs: Sequence[tuple[int, int]], sizes: Sequence[int], grouped: int
) -> TableRanks:
    """The same for pairs of columns (columns × rows), each with so many levels besides missing.

    Groups and their sums are told of the first pairs only, as many as `grouped`.

    >>> found = pair_ranks(np.array([[0, 1, 1, 2], [0, 1, 1, 0]], np.uint32), [(0, 1)], [2, 2], 1)
    >>> found.rows, found.groups, found.sums, found.product
    (array([3]), array([1, 2]), array([-2,  2]), array([6]))
    """
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    levels = np.array(sizes, dtype=np.int64)[places]
    starts = np.full(len(places), -1, dtype=np.int64)
    heights = levels[:grouped, 0]
    starts[:grouped] = np.cumsum(heights) - heights
    total = int(heights.sum())
    of_groups, sums = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.int64)
    whole = np.zeros((len(places), 4), dtype=np.int64)
    loops = compiled()
    if loops is None:
        for (a, b), start, found in zip(pairs, starts.tolist(), whole, strict=True):
            _rank_rows(codes, (a, b), (sizes[a], sizes[b]), (start, of_groups, sums), found)
    else:
        rows = codes.shape[1]
        told = np.ascontiguousarray(np.column_stack([places, levels, starts]))

        def rank(part: tuple[int, int]) -> None:
            loops.rank_pairs(np.ascontiguousarray(codes), rows, told, *part, of_groups, sums, whole)

        in_parts(rank, len(told), shared=len(told) * rows >= SHARED)
    return TableRanks(whole[:, 0], of_groups, sums, whole[:, 1], whole[:, 2], whole[:, 3])


def _rank_rows(
    codes: NDArray[np.uint32],
    pair: tuple[int, int],
    sizes: tuple[int, int],
    groups: tuple[int, Counts, Counts],
    found: Counts,
) -> None:
    a, b = (codes[place].astype(np.intp) for place in pair)
    here = (a < sizes[0]) & (b < sizes[1])
    a, b = a[here], b[here]
    own, other = np.bincount(a, minlength=sizes[0]), np.bincount(b, minlength=sizes[1])
    ranks, ranks_b = (2 * (np.cumsum(c) - c) + c - c.sum() for c in (own, other))
    sums = np.zeros(sizes[0], dtype=np.int64)
    np.add.at(sums, a, ranks_b[b])
    start, of_groups, of_sums = groups
    if start >= 0:
        of_groups[start : start + sizes[0]] = own
        of_sums[start : start + sizes[0]] = sums
    found[:] = own.sum(), own @ ranks**2, other @ ranks_b**2, ranks @ sums
