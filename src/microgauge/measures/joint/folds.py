"""Rows in folds, so that scores of a row come from a model that did not see it or its like."""

from __future__ import annotations

from math import prod

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from microgauge.arrays import Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.propensity import separation
from microgauge.records import dataclass
from microgauge.values.packing import MOST, distinct, packed

FOLDS = 5
LARGEST = 0.4
"""Share of the rows that one fold may have at most; with more there is little to learn from."""


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold of each row, and what is kept together."""

    of: Index
    together: str
    """What rows have in common that are in one fold."""
    parted: bool = False
    """Whether equal rows, or corresponding ones, had to be parted."""


def folds_of(joint: Joint, seed: int) -> Folds:
    """Five folds; rows that correspond, or are equal, are in one.

    A copy of a row in another fold would be taken for its original: an AUC below one half, whatever
    the files are. Where so many rows are linked that no folds are left (few different rows),
    equal rows may part, and then corresponding ones.
    """
    equal = _equal(joint)
    every = np.arange(joint.rows)
    tries = [(say("equal rows"), equal), ("rows", every)]
    if joint.units is not None:
        both = _linked(joint.units, equal)
        tries = [
            (say("corresponding and equal rows"), both),
            (say("corresponding rows"), joint.units),
        ]
    for together, groups in tries:
        found = _balanced(groups, np.random.default_rng([seed, 3]))
        if np.bincount(found, minlength=FOLDS).max() <= LARGEST * joint.rows:
            return Folds(found, together, parted=together != tries[0][0])
    raise Undefined(say("too few rows for five folds"))


def _equal(joint: Joint) -> Index:
    """The same number for rows that have the same level of every variable."""
    if not joint.variables:
        return np.zeros(joint.rows, dtype=np.intp)
    sizes = [variable.size + 1 for variable in joint.variables]
    words = packed(list(joint.codes.T), sizes)
    return distinct(words, min(prod(sizes), MOST))[1]


def _linked(units: Index, equal: Index) -> Index:
    """Groups of rows that are linked by a unit or by being equal, by way of others too."""
    _, unit = np.unique(units, return_inverse=True)
    shape = (int(unit.max()) + 1, int(equal.max()) + 1)
    graph = sparse.coo_matrix((np.ones(len(unit)), (unit, equal)), shape=shape)
    size = sum(shape)
    whole = sparse.coo_matrix((graph.data, (graph.row, graph.col + shape[0])), shape=(size, size))
    return np.asarray(connected_components(whole, directed=False)[1][unit])


def _balanced(groups: Index, rng: np.random.Generator) -> Index:
    """Groups in random order, each into the fold that has fewest rows so far.

    Groups are numbered as the rows have them, so that only what the rows say decides.
    """
    _, first, numbers = np.unique(groups, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.intp)
    place[np.argsort(first)] = np.arange(len(first))
    sizes = np.bincount(place[numbers])
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    fold = np.empty(len(sizes), dtype=np.intp)
    large = int((sizes[order] > 1).sum())
    rows = [0] * FOLDS
    for group in order[:large].tolist():
        least = rows.index(min(rows))
        fold[group] = least
        rows[least] += int(sizes[group])
    fold[order[large:]] = _filled(rows, len(order) - large)
    return np.asarray(fold[place[numbers]])


def _filled(rows: list[int], single: int) -> Index:
    """Folds of single rows that make all as even as can be."""
    level = (sum(rows) + single) / FOLDS
    wanted = np.maximum(level - np.array(rows), 0.0)
    ends = np.cumsum(wanted) / max(wanted.sum(), 1e-300) * single
    return np.minimum(np.searchsorted(ends, np.arange(single), side="right"), FOLDS - 1)


def cross_auc(scores: Floats, protected: Flags, folds: Index) -> float:
    """The mean over folds of the AUC within each, by the pairs of rows it compares.

    0.5: not told apart; 1: fully. Scores of different folds come of different models and are not
    compared.
    """
    total = weight = 0.0
    for fold in range(int(folds.max()) + 1):
        here = folds == fold
        pairs = float(protected[here].sum()) * float((~protected[here]).sum())
        if pairs:
            total += pairs * separation(scores[here], protected[here], 0.5).auc
            weight += pairs
    if not weight:
        raise Undefined(say("no fold has rows of both files"))
    return total / weight
