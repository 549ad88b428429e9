"""Sums over sparse rows: of products of columns, and of cells that rows are in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats
from microgauge.kernels.loading import compiled

CellNumbers = NDArray[np.uint16] | NDArray[np.uint32]
"""Rows × cells: the number of each cell that a row is in."""


def sparse_gram(
    rows: Any, columns: Any, weights: Floats | None = None, into: Floats | None = None
) -> Floats:
    """Xᵀ W X of a sparse matrix, given by its rows (CSR, sorted) and by its columns (CSC).

    It goes into the last rows and columns of `into`, a square of zeros, where that is given.
    """
    size = rows.shape[1]
    found = np.zeros((size, size)) if into is None else into
    loops = compiled()
    if loops is not None and rows.indices.dtype == columns.indices.dtype == np.int32:
        held = None if weights is None else np.ascontiguousarray(weights)
        loops.gram_into(
            *(rows.indptr, rows.indices, rows.data),
            *(columns.indptr, columns.indices, columns.data),
            *(held, found, len(found)),
        )
        return found
    weighted = rows
    if weights is not None:
        weighted = rows.copy()
        weighted.data = np.repeat(weights, np.diff(rows.indptr)) * rows.data
    upper = np.triu((columns.T @ weighted).toarray())
    first = len(found) - size
    found[first:, first:] = upper + np.triu(upper, 1).T
    return found


def as_places(cells: NDArray[Any], size: int) -> CellNumbers:
    """Numbers of cells in as few bytes as so many cells need."""
    if size <= 1 << 16:
        return np.ascontiguousarray(cells, dtype=np.uint16)
    return np.ascontiguousarray(cells, dtype=np.uint32)


def gathered_cells(places: CellNumbers, table: Floats) -> Floats:
    """Rows × depth: what the cells of each row have, added up. `table` is cells × depth."""
    rows, width = places.shape
    loops = compiled()
    if loops is None:
        return np.asarray(_matrix(places, len(table)) @ table)
    found = np.zeros((rows, table.shape[1]))
    held = np.ascontiguousarray(table)
    loops.gather_cells(places, places.itemsize, rows, width, held, table.shape[1], found)
    return found


def scattered_cells(places: CellNumbers, values: Floats, size: int) -> Floats:
    """Cells × depth: what the rows of each cell have, added up. `values` is rows × depth."""
    rows, width = places.shape
    loops = compiled()
    if loops is None:
        return np.asarray(_matrix(places, size).T @ values)
    found = np.zeros((size, values.shape[1]))
    held = np.ascontiguousarray(values)
    loops.scatter_cells(places, places.itemsize, rows, width, held, values.shape[1], found)
    return found


def _matrix(places: CellNumbers, size: int) -> Any:
    """One in each cell of each row."""
    from scipy import sparse  # not needed where loops are compiled

    rows, width = places.shape
    ends = np.arange(0, places.size + 1, width, dtype=np.int32)
    ones = np.ones(places.size)
    return sparse.csr_matrix((ones, places.reshape(-1).astype(np.int32), ends), shape=(rows, size))
