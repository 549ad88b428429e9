"""How far the cells of two tables agree: total variation, and what coarser values cost.

A table is an array whose first axis counts tables alike (the whole and its replicates, or groups)
and whose other axes are variables. Cells are those of the original: its categories, or groups of
its numbers. A recoded variable is counted by its recoded values, which are then spread evenly over
the original values that they cover.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass


@dataclass(frozen=True, eq=False)
class Spread:
    """How a recoded variable's values cover the cells of the original."""

    shares: Floats
    """Recoded values × cells: the share of each one's original values that lie in a cell."""
    values: Floats
    """The same as numbers of original values; zeros for a value that no recoding gives."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one variable, and how both tables' counts become them."""

    values: Floats
    """Original values in each cell."""
    pieces: tuple[Index, Index] | None = None
    """What the original is counted by, where the variable was recoded: cell and recoded value."""
    spread: Spread | None = None
    """None where protected values are counted by cells."""


def shares(counts: Floats) -> Floats:
    """Counts as shares of their table; those of an empty table are 0."""
    axes = tuple(range(1, counts.ndim))
    totals = counts.sum(axis=axes, keepdims=True)
    return np.asarray(counts / np.where(totals > 0, totals, 1.0))


def in_cells(counts: Floats, cells: Sequence[Cells]) -> Floats:
    """The original's counts by pieces, added up to cells."""
    for axis, one in enumerate(cells, start=1):
        if one.pieces is not None:
            counts = _added(counts, axis, one.pieces[0], len(one.values))
    return counts


def recoded(counts: Floats, cells: Sequence[Cells]) -> Floats:
    """The original's counts by pieces, added up to the protected table's recoded values."""
    for axis, one in enumerate(cells, start=1):
        if one.pieces is not None and one.spread is not None:
            counts = _added(counts, axis, one.pieces[1], len(one.spread.shares))
    return counts


def _added(counts: Floats, axis: int, places: Index, size: int) -> Floats:
    members = np.zeros((len(places), size))
    members[np.arange(len(places)), places] = 1.0
    return _along(counts, axis, members)


def _along(counts: Floats, axis: int, matrix: Floats) -> Floats:
    return np.moveaxis(np.tensordot(counts, matrix, axes=(axis, 0)), -1, axis)


def spread_out(counts: Floats, cells: Sequence[Cells]) -> Floats:
    """Counts by recoded values, spread evenly over the original values that each covers."""
    for axis, one in enumerate(cells, start=1):
        if one.spread is not None:
            counts = _along(counts, axis, one.spread.shares)
    return counts


def total_variation(p: Floats, q: Floats) -> Floats:
    """Half the sum of |p - q| over cells: the share of units in another cell, 0 the same table.

    >>> total_variation(np.array([[0.5, 0.5]]), np.array([[0.8, 0.2]]))
    array([0.3])
    """
    return np.asarray(np.abs(p - q).sum(axis=tuple(range(1, p.ndim))) / 2.0)


def lost(before: Floats, after: Floats, cells: Sequence[Cells]) -> tuple[Floats, Floats]:
    """Share of units in another cell of each table, 0 best, 1 worst; and what recoding has in it.

    The first is TV(spread protected table, spread recoded original) + the cost of recoding, at most
    1: without recoding the total variation of the two tables, for recoding alone its cost. A
    protected table that is empty has lost everything.
    """
    cost = np.zeros(len(before))
    compared = before
    if any(one.spread is not None for one in cells):
        cost = coarsening(shares(in_cells(before, cells)), cells)
        compared = spread_out(recoded(before, cells), cells)
    moved = total_variation(shares(compared), shares(spread_out(after, cells)))
    empty = after.sum(axis=tuple(range(1, after.ndim))) <= 0
    return np.where(empty, 1.0, np.minimum(moved + cost, 1.0)), cost


def coarsening(p: Floats, cells: Sequence[Cells]) -> Floats:
    """What is lost because values that were told apart no longer are; 0 nothing, below 1.

    A coarse cell C (a combination of recoded values) covers |C| combinations of original values, of
    which those in cell x hold f(x) = p(x)/|x| units each, on average. It costs
    |C|/2 · E|f(X) - f(X')|, X and X' drawn evenly among what it covers: the share of units that
    stand in another cell once the counts that C covers are handed out among them at random.

    **Reading.** With the counts' mean in the place of one at random, |C|/2 · E|f(X) - E f|, this
    would be the total variation of a table whose bands are spread evenly; but that may fall when
    bands are merged further ((3, 2, 2, 1, 2, 2) loses more in two halves than as a whole). The mean
    difference is never less, at most twice as much, and cannot fall: E|X - X'| is concave in the
    distribution (|x - y| is a negative definite kernel), and merging mixes distributions.
    """
    density = p
    for axis, one in enumerate(cells, start=1):
        shape = [1] * p.ndim
        shape[axis] = len(one.values)
        density = density / np.maximum(one.values, 1.0).reshape(shape)
    total = np.zeros(len(p))
    for parts in product(*(_covers(one) for one in cells)):
        if prod(part[0].shape[1] for part in parts) > 1:
            total += _mean_differences(density, parts)
    return total


_Cover = tuple[Index, Floats]
"""Recoded values × the cells each covers, and how many original values it has there."""


def _covers(one: Cells) -> Iterator[_Cover]:
    """What recoded values cover, those together that cover equally many cells."""
    if one.spread is None:
        here = np.flatnonzero(one.values > 0)
        yield here[:, np.newaxis], one.values[here, np.newaxis]
        return
    values = one.spread.values
    sizes = (values > 0).sum(axis=1)
    for size in np.unique(sizes[sizes > 0]).tolist():
        rows = values[sizes == size]
        places = np.nonzero(rows)[1].reshape(len(rows), size)
        yield places, np.take_along_axis(rows, places, axis=1)


def _mean_differences(density: Floats, parts: Sequence[_Cover]) -> Floats:
    """Σ over coarse cells of |C|/2 · E|f(X) - f(X')|, for each table."""
    found, shape = density, [len(density)]
    for axis, (places, _) in enumerate(parts, start=1):
        found = found.take(places.ravel(), axis=axis)
        shape += places.shape
    order = [0, *range(1, len(shape), 2), *range(2, len(shape), 2)]
    coarse = prod(shape[1::2])
    found = found.reshape(shape).transpose(order).reshape(len(density), coarse, -1)
    weights = parts[0][1]
    for _, more in parts[1:]:
        weights = weights[:, np.newaxis, :, np.newaxis] * more[np.newaxis, :, np.newaxis, :]
        weights = weights.reshape(weights.shape[0] * weights.shape[1], -1)
    ranked = np.argsort(found, axis=2)
    f = np.take_along_axis(found, ranked, axis=2)
    w = np.take_along_axis(np.broadcast_to(weights, found.shape), ranked, axis=2)
    up_to = w.cumsum(axis=2)
    total = up_to[:, :, -1:]
    # Σ over i < j of w_i w_j (f_j - f_i), in one pass over the sorted densities.
    apart = (w * f * (2.0 * up_to - w - total)).sum(axis=2)
    return np.asarray((apart / total[:, :, 0]).sum(axis=1))


def pmse_ratio(before: Floats, after: Floats) -> float:
    """pMSE of a table over its expectation if rows were drawn from the original; 1 is chance.

    The saturated logit of the cells gives every row of a cell its share s of protected rows, so
    pMSE = Σ rows · (s - c)² / N, c the share of protected rows in all; the expectation is
    K (1 - c)² c / N, K the cells that are not empty less one (Snoke et al. 2018, Raab et al. 2021).

    >>> round(pmse_ratio(np.array([30.0, 70.0]), np.array([40.0, 60.0])), 3)
    4.396
    """
    both = before + after
    here = both > 0
    rows, freedom = float(both.sum()), int(here.sum()) - 1
    c = float(after.sum()) / rows if rows else 0.0
    if freedom < 1:
        raise Undefined(say("the table has one cell only"))
    if not 0.0 < c < 1.0:
        raise Undefined(say("one of the tables is empty"))
    squares = (both[here] * (after[here] / both[here] - c) ** 2).sum() / rows
    return float(squares / (freedom * (1.0 - c) ** 2 * c / rows))
