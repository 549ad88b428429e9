"""How far two tables of frequencies are apart: CTBIL, AAD, moved units, Hellinger, Cramér's V."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass

ROUNDING = 1e-12
"""What rounding may leave of χ²/n where there is no association."""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The cells of a table that are not empty on one side: rising keys and their weights."""

    keys: Index
    weights: Floats

    def scaled(self, factor: float) -> Frequencies:
        """All weights times a number."""
        return Frequencies(self.keys, self.weights * factor)


@dataclass(frozen=True)
class TableDistance:
    """What two tables differ in."""

    ctbil: float
    """Σ over cells |original - protected|."""
    aad: float
    """The same divided by the cells of the full cross of categories."""
    moved: float
    """Share of units in another cell."""
    hellinger: float


def table_distance(
    original: Frequencies, protected: Frequencies, cells: int, units: float
) -> TableDistance:
    """Compare two tables whose frequencies are scaled to one number of units.

    >>> a, b = (Frequencies(np.array([i]), np.array([5.0])) for i in (0, 1))
    >>> table_distance(a, b, 2, 5.0)
    TableDistance(ctbil=10.0, aad=5.0, moved=1.0, hellinger=1.0)
    """
    total, other = float(original.weights.sum()), float(protected.weights.sum())
    if total <= 0 or other <= 0:
        raise Undefined(say("no complete unit on one side"))
    before, after = _side_by_side(original, protected)
    ctbil = float(np.abs(before - after).sum())
    roots = np.sqrt(before / total) - np.sqrt(after / other)
    return TableDistance(
        ctbil, ctbil / cells, ctbil / (2.0 * units), float(np.sqrt(0.5 * (roots**2).sum()))
    )


def _side_by_side(a: Frequencies, b: Frequencies) -> tuple[Floats, Floats]:
    keys = np.union1d(a.keys, b.keys)
    found = []
    for side in (a, b):
        weights = np.zeros(len(keys))
        weights[np.searchsorted(keys, side.keys)] = side.weights
        found.append(weights)
    return found[0], found[1]


def cramers_v(table: Frequencies, width: int) -> float:
    """Cramér's V of a two-way table whose keys are row × width + column; empty lines are left out.

    >>> round(cramers_v(Frequencies(np.array([0, 3]), np.array([5.0, 5.0])), 2), 9)
    1.0
    """
    row, column = np.divmod(table.keys, width)
    rows, columns = np.bincount(row, table.weights), np.bincount(column, table.weights)
    smaller = min(int((rows > 0).sum()), int((columns > 0).sum()))
    if smaller < 2:
        raise Undefined(say("a variable is constant on one side"))
    expected = rows[row] * columns[column]
    # χ²/n = Σ o²/(row total × column total) - 1
    phi = float((table.weights**2 / expected).sum()) - 1.0
    return float(np.sqrt(phi / (smaller - 1))) if phi > ROUNDING else 0.0


def relative_change(v_original: float, v_protected: float) -> float:
    """RCV: the change of Cramér's V in percent."""
    if v_original == 0:
        raise Undefined(say("Cramér's V of the original is 0"))
    return 100.0 * (v_protected - v_original) / v_original
