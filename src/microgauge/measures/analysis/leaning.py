"""How many records a regression's terms rest on, and how far one record moves them."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats
from microgauge.records import dataclass

ENOUGH = 1_000.0
"""Records beyond which nobody asks whether there are enough."""
ALONE = 1e-9
"""What is left of 1 less a leverage where a record is fitted exactly."""


@dataclass(frozen=True, eq=False)
class Leaning:
    """Of each term: the records it rests on, and the most that leaving one out moves it."""

    records: Floats
    influence: Floats


def leaning(matrix: Floats, weights: Floats, errors: Floats) -> Leaning:
    """Of a fit by (weighted) least squares, or one step of it, with its residuals.

    A term is a sum of responses, each times a number. Of all sums of some terms, the largest share
    that one record has in one (in squares) is its leverage on them; its reciprocal is how many
    records such a sum rests on, at least. Terms are taken out one by one, first that in which the
    record with the largest leverage has the largest share, and each is given what the terms
    rested on before it went: the terms with `records` of t or more rest on t records, whichever
    way they are added up. A category of c records has c at most, whether it has a term of its own
    or is the one that the others are compared with.

    >>> one_alone = np.array([[1.0, 0.0]] * 9 + [[1.0, 1.0]])
    >>> leaning(one_alone, np.ones(10), np.zeros(10)).records.round(6).tolist()
    [9.0, 1.0]
    """
    scaled = matrix * np.sqrt(weights)[:, np.newaxis]
    inner = scaled.T @ scaled
    inverse = np.linalg.inv(inner)
    roots = np.abs(np.sqrt(weights) * errors)
    influence = np.zeros(scaled.shape[1])
    leaned: list[_Rows] = []
    for start in range(0, len(scaled), BLOCK):
        block = slice(start, start + BLOCK)
        parts = scaled[block] @ inverse
        leverage = (parts * scaled[block]).sum(axis=1)
        influence = np.maximum(influence, _moved(parts, roots[block], 1.0 - leverage))
        # A leverage only falls when terms go: a record with a small one never decides.
        some = leverage >= min(1.0 / ENOUGH, float(leverage.max()))
        shares = parts[some] ** 2 / np.diag(inverse)
        leaned.append(_Rows(scaled[block][some], leverage[some], shares))
    return Leaning(_rested_on(_Rows.joined(leaned), inner), influence)


BLOCK = 65_536
"""Rows that are looked at together."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """Records whose leverage may matter, and their share in each term."""

    projected: Floats
    leverage: Floats
    shares: Floats

    @staticmethod
    def joined(several: list[_Rows]) -> _Rows:
        """All as one."""
        return _Rows(
            np.concatenate([one.projected for one in several]),
            np.concatenate([one.leverage for one in several]),
            np.concatenate([one.shares for one in several]),
        )


def _moved(parts: Floats, roots: Floats, room: Floats) -> Floats:
    """The most that a record moves each term; one that is fitted exactly has no residual."""
    free = room > ALONE
    if not free.any():
        return np.zeros(parts.shape[1])
    moved = np.abs(parts[free]) * (roots[free] / room[free])[:, np.newaxis]
    return np.asarray(moved.max(axis=0))


def _rested_on(rows: _Rows, inner: Floats) -> Floats:
    """Terms taken out one by one; what is left of the others follows by a step of elimination."""
    projected, leverage = rows.projected, rows.leverage
    places = list(range(projected.shape[1]))
    found = np.zeros(len(places))
    most = 0.0
    while True:
        first = int(np.argmax(leverage))
        most = max(most, 1.0 / max(float(leverage[first]), 1e-300))
        if most >= ENOUGH or len(places) == 1:
            found[places] = most
            return found
        out = int(np.argmax(rows.shares[first, places]))
        found[places.pop(out)] = most
        column, pivot = projected[:, out], inner[out, out]
        leverage = leverage - column**2 / pivot
        row = np.delete(inner[out], out) / pivot
        projected = np.delete(projected, out, axis=1) - np.outer(column, row)
        inner = np.delete(np.delete(inner, out, 0), out, 1) - np.outer(row, row) * pivot
