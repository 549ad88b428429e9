"""Records drawn by a seed, whatever the order of rows and columns and the names of levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Hashes, Index
from microgauge.values.hashing import mixed, seeded

Kind = Literal["number", "category"]
Cells = tuple[Kind, NDArray[Any]]
"""A column: numbers (NaN where missing), or codes of levels (-1 where missing)."""
_MISSING = np.uint64(1 << 62)


def random_order(columns: Sequence[Cells], seed: int) -> Index:
    """Records in a random order that depends on their values only.

    A level is known by how often it occurs, and a column by all its cells, so that names and places
    decide nothing. Equal records are told apart by number, or all would stand together.
    """
    units = np.zeros(len(columns[0][1]), dtype=np.uint64)
    for kind, cells in columns:
        hashes = cell_hashes(kind, cells)
        units += mixed(hashes ^ mixed(hashes.sum(keepdims=True)))
    order = np.argsort(units, kind="stable")
    alike = units[order]
    starts = np.flatnonzero(np.concatenate([[True], alike[1:] != alike[:-1]]))
    sizes = np.diff(np.append(starts, len(alike)))
    number = np.arange(len(alike)) - np.repeat(starts, sizes)
    hashes = seeded(alike ^ mixed(number.astype(np.uint64)), seed)
    return np.asarray(order[np.argsort(hashes, kind="stable")])


def cell_hashes(kind: Kind, cells: NDArray[Any]) -> Hashes:
    """A number for each cell: of its value, or of how often its level occurs."""
    if kind == "number":
        # Adding 0 makes one of the two zeros.
        return mixed((np.asarray(cells, dtype=np.float64) + 0.0).view(np.uint64))
    _, places = np.unique(cells, return_inverse=True)
    counts = np.bincount(places, minlength=1).astype(np.uint64)[places]
    return mixed(np.where(cells < 0, counts | _MISSING, counts))


def column_order(columns: Sequence[Cells]) -> list[int]:
    """Places of columns in an order that depends on their cells only."""
    sums = [int(cell_hashes(kind, cells).sum(dtype=np.uint64)) for kind, cells in columns]
    return sorted(range(len(columns)), key=sums.__getitem__)
