"""Tests that are answered from tables of two axes, many tables at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Index
from microgauge.kernels import TableRanks, table_ranks
from microgauge.kernels.ranking import MOST_ROWS
from microgauge.measures.gdu.association import (
    Associations,
    CellFacts,
    GroupFacts,
    PairTest,
    ProductFacts,
    Units,
    anova,
    chi_squared,
    correlation,
    groups_from_cells,
    kruskal_wallis,
    products_from_cells,
)
from microgauge.passes.tables import Layers, SparseCells
from microgauge.records import dataclass
from microgauge.values.levels import Keys, Levels
from microgauge.values.segments import Segments, joined


@dataclass(frozen=True, eq=False)
class Tabled:
    """Tables of two axes, with the levels of their axes; each has missing cells as a last level."""

    counts: Layers | Sequence[SparseCells]
    """Layers × the cells of all tables, one after the other; or the cells of each that occur."""
    a: Sequence[Levels]
    b: Sequence[Levels]
    keys: tuple[Sequence[Keys], Sequence[Keys]]
    """What tells the levels apart that are tested: with that of missing cells where it counts."""

    @cached_property
    def heights(self) -> Counts:
        """The levels of each table's first axis."""
        return np.array([len(levels) + 1 for levels in self.a], dtype=np.int64)

    @cached_property
    def widths(self) -> Counts:
        """The levels of each table's second axis."""
        return np.array([len(levels) + 1 for levels in self.b], dtype=np.int64)


def tested(test: PairTest, tables: Tabled, test_n: int | None) -> Associations:
    """One test of many tables."""
    if test == "kruskal-wallis":
        return kruskal_wallis(_group_ranks(tables), test_n)
    if test == "spearman":
        return correlation(_rank_products(tables), "spearman", test_n)
    facts = cell_facts(tables)
    if test == "chi-squared":
        return chi_squared(facts, test_n)
    columns = [levels.numbers for levels in tables.b]
    if test == "anova":
        return anova(groups_from_cells(facts, columns), test_n)
    rows = [levels.numbers for levels in tables.a]
    return correlation(products_from_cells(facts, (rows, columns)), "pearson", test_n)


# -- ranks -------------------------------------------------------------------------------------


def _ranks(tables: Tabled) -> TableRanks | None:
    """Ranks out of tables, where rows are counted and ranks of theirs are whole numbers."""
    if not isinstance(tables.counts, np.ndarray) or len(tables.counts) > 1:
        return None
    if max((levels.present for levels in tables.b), default=0) > MOST_ROWS:
        return None
    starts = Segments((tables.heights * tables.widths).astype(np.intp)).starts
    return table_ranks(tables.counts[0], starts, tables.heights, tables.widths)


def _group_ranks(tables: Tabled) -> GroupFacts:
    found = _ranks(tables)
    if found is None:
        return groups_from_cells(cell_facts(tables), None)
    return groups_from_ranks(found, tables.keys[0])


def groups_from_ranks(found: TableRanks, keys: Sequence[Keys]) -> GroupFacts:
    """Groups of the first axis, ranked by the second."""
    return GroupFacts(
        _rows(found.rows),
        keys,
        found.groups.astype(np.float64),
        found.sums.astype(np.float64),
        found.squares_b.astype(np.float64),
    )


def _rank_products(tables: Tabled) -> ProductFacts:
    found = _ranks(tables)
    if found is None:
        return products_from_cells(cell_facts(tables), None)
    return products_from_ranks(found)


def products_from_ranks(found: TableRanks) -> ProductFacts:
    """Products of both axes' ranks."""
    return ProductFacts(
        _rows(found.rows),
        found.squares_a.astype(np.float64),
        found.squares_b.astype(np.float64),
        found.product.astype(np.float64),
    )


def _rows(counts: Counts) -> Units:
    rows = counts.astype(np.float64)
    return Units.of(counts, rows, rows)


# -- cells -------------------------------------------------------------------------------------


def cell_facts(tables: Tabled) -> CellFacts:
    """The cells that are tested and not empty: those of complete units, unless missing counts."""
    cells, keys, layers = _cells(tables)
    row, column = np.divmod(keys, tables.widths[cells.owner])
    height, width = (Segments.of(keys).lengths[cells.owner] for keys in tables.keys)
    kept = (row < height) & (column < width) & (layers[-1] > 0)
    cells, layers = cells.only(kept), [layer[kept] for layer in layers]
    weight = layers[min(1, len(layers) - 1)]
    sums = [cells.sums(layer) for layer in (layers[0], weight, layers[-1])]
    return CellFacts(
        Units.of(sums[0].astype(np.int64), sums[1], sums[2]),
        cells,
        row[kept],
        column[kept],
        weight.astype(np.float64),
        *tables.keys,
    )


def _cells(tables: Tabled) -> tuple[Segments, Index, list[NDArray[Any]]]:
    """The cells that occur, table by table: how many, their keys within a table, their layers."""
    if not isinstance(tables.counts, np.ndarray):
        each = tables.counts
        layers = [joined([t.layers[i] for t in each]) for i in range(len(each[0].layers))]
        return Segments.of([t.keys for t in each]), joined([t.keys for t in each]), layers
    found = np.flatnonzero(tables.counts[0])
    sizes = Segments((tables.heights * tables.widths).astype(np.intp))
    cells = Segments(np.diff(np.searchsorted(found, sizes.stops), prepend=0))
    return cells, found - sizes.starts[cells.owner], [layer[found] for layer in tables.counts]
