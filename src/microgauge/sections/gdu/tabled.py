"""Tests that are answered from tables of two axes, many tables at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Index
from microgauge.measures.gdu.association import (
    Associations,
    CellFacts,
    PairTest,
    Units,
    anova,
    chi_squared,
    correlation,
    groups_from_cells,
    kruskal_wallis,
    products_from_cells,
)
from microgauge.passes.tables import Layers, SparseCells
from microgauge.values.levels import Keys, Levels
from microgauge.values.segments import Segments, joined


@dataclass(frozen=True, eq=False)
class Tabled:
    """A table of two axes: layers × levels of a × levels of b, missing cells last; or its cells."""

    counts: Layers | SparseCells
    a: Levels
    b: Levels
    keys: tuple[Keys, Keys]
    """What tells the levels apart that are tested: with that of missing cells where it counts."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns that are tested."""
        return len(self.keys[0]), len(self.keys[1])


def tested(test: PairTest, tables: Sequence[Tabled], test_n: int | None) -> Associations:
    """One test of many tables."""
    facts = cell_facts(tables)
    if test == "chi-squared":
        return chi_squared(facts, test_n)
    if test == "kruskal-wallis":
        return kruskal_wallis(groups_from_cells(facts, None), test_n)
    if test == "spearman":
        return correlation(products_from_cells(facts, None), "spearman", test_n)
    columns = [table.b.numbers for table in tables]
    if test == "anova":
        return anova(groups_from_cells(facts, columns), test_n)
    rows = [table.a.numbers for table in tables]
    return correlation(products_from_cells(facts, (rows, columns)), "pearson", test_n)


def cell_facts(tables: Sequence[Tabled]) -> CellFacts:
    """The cells that are tested and not empty: those of complete units, unless missing counts."""
    cells, keys, layers = _cells([table.counts for table in tables])
    widths = np.array([len(table.b) + 1 for table in tables], dtype=np.intp)
    row, column = np.divmod(keys, widths[cells.owner])
    shapes = np.array([table.shape for table in tables], dtype=np.intp).reshape(-1, 2)
    height, width = shapes[cells.owner].T
    kept = (row < height) & (column < width) & (layers[-1] > 0)
    cells, layers = cells.only(kept), [layer[kept] for layer in layers]
    sums = [cells.sums(layer) for layer in (layers[0], layers[min(1, len(layers) - 1)], layers[-1])]
    return CellFacts(
        Units.of(sums[0].astype(np.int64), sums[1], sums[2]),
        cells,
        row[kept],
        column[kept],
        layers[min(1, len(layers) - 1)].astype(np.float64),
        [table.keys[0] for table in tables],
        [table.keys[1] for table in tables],
    )


def _cells(tables: Sequence[Layers | SparseCells]) -> tuple[Segments, Index, list[NDArray[Any]]]:
    """The cells that occur, table by table: how many, their keys within a table, their layers."""
    sparse = [table for table in tables if isinstance(table, SparseCells)]
    if sparse:
        layers = [joined([t.layers[i] for t in sparse]) for i in range(len(sparse[0].layers))]
        return Segments.of([t.keys for t in sparse]), joined([t.keys for t in sparse]), layers
    dense = [table for table in tables if not isinstance(table, SparseCells)]
    count = len(dense[0]) if dense else 1
    written = [joined([table[layer].ravel() for table in dense]) for layer in range(count)]
    sizes = Segments(np.array([table[0].size for table in dense], dtype=np.intp))
    found = np.flatnonzero(written[0])
    until = np.searchsorted(found, sizes.stops)
    cells = Segments(np.diff(until, prepend=0))
    return cells, found - sizes.starts[cells.owner], [layer[found] for layer in written]
