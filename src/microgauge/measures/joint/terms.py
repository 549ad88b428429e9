"""The terms of a propensity model, and their columns.

A term is a product of powers of variables. Nominal variables enter as indicators (missing is one
more category), ordinal ones by their scores, continuous ones by their values; a missing number is
set to the pooled mean and an indicator "is missing" joins the model. Products are formed from raw
values; columns are centred and scaled only after that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
from scipy import sparse

from microgauge.arrays import Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.kernels import sparse_gram
from microgauge.languages.messages import say
from microgauge.measures.joint.joint import Joint, check_size
from microgauge.records import dataclass

Term = tuple[tuple[int, int], ...]
"""(variable, power) pairs, e.g. ((0, 1), (2, 1)) for the product of the first and third."""

MISSING = -1
"""Power that stands for the indicator "is missing"."""


def main_effects(joint: Joint, degree: int = 1) -> list[Term]:
    """Each variable by itself: powers up to `degree` of numbers, indicators of categories."""
    found: list[Term] = []
    for place, variable in enumerate(joint.variables):
        powers = 1 if variable.kind == "nominal" else degree
        found += [((place, power),) for power in range(1, powers + 1)]
        if variable.kind != "nominal" and joint.misses(place):
            found.append(((place, MISSING),))
    return found


def pair_products(joint: Joint) -> list[Term]:
    """Products of the first powers, and of the indicators "is missing", of each two variables."""
    parts = [_parts(joint, place) for place in range(len(joint.variables))]
    return [(one, other) for a, b in combinations(parts, 2) for one in a for other in b]


def _parts(joint: Joint, place: int) -> list[tuple[int, int]]:
    """What of a variable enters products: missing categories are levels already."""
    number = joint.variables[place].kind != "nominal"
    return [(place, 1), *([(place, MISSING)] if number and joint.misses(place) else [])]


def full_polynomial(joint: Joint, degree: int) -> list[Term]:
    """All products of variables of total degree up to `degree`."""
    found = list(main_effects(joint, degree))
    for total in range(2, degree + 1):
        for places in combinations_with_replacement(range(len(joint.variables)), total):
            term = tuple((place, places.count(place)) for place in sorted(set(places)))
            nominal_power = any(
                power > 1 and joint.variables[place].kind == "nominal" for place, power in term
            )
            if len(term) > 1 and not nominal_power:
                found.append(term)
    return found


@dataclass(frozen=True, eq=False)
class Columns:
    """A model matrix in two parts, without an intercept: dense numbers, sparse indicators."""

    dense: Floats
    sparse: sparse.csr_matrix | None
    owners: tuple[frozenset[int], ...]
    """Which variables each column is made of."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.dense), len(self.owners)

    @property
    def finite(self) -> bool:
        """Whether every number is one."""
        cells = () if self.sparse is None else self.sparse.data
        return bool(np.isfinite(self.dense).all() and np.isfinite(cells).all())

    def kept(self, keep: Index) -> Columns:
        """Some of the columns."""
        split = self.dense.shape[1]
        first, second = keep[keep < split], keep[keep >= split] - split
        return Columns(
            np.ascontiguousarray(self.dense[:, first]),
            None if self.sparse is None else self.sparse[:, second].tocsr(),
            tuple(self.owners[i] for i in [*first, *(second + split)]),
        )

    def without(self, place: int) -> Index:
        """The columns that a variable has no part in."""
        return np.array([i for i, own in enumerate(self.owners) if place not in own], dtype=np.intp)

    def taken(self, rows: Index) -> Columns:
        """Some of the rows."""
        part = None if self.sparse is None else self.sparse[rows]
        return Columns(self.dense[rows], part, self.owners)

    def dot(self, beta: Floats) -> Floats:
        """X β."""
        split = self.dense.shape[1]
        found = self.dense @ beta[:split]
        return found if self.sparse is None else found + self.sparse @ beta[split:]

    def transposed_dot(self, values: Floats) -> Floats:
        """Xᵀ v."""
        found = self.dense.T @ values
        if self._turned is None:
            return np.asarray(found)
        return np.concatenate([found, self._turned @ values])

    @cached_property
    def _turned(self) -> Any:
        """The sparse part transposed, made once for all products."""
        return None if self.sparse is None else self.sparse.T

    @cached_property
    def sums(self) -> Floats:
        """The sum of each column."""
        return self.transposed_dot(np.ones(self.shape[0]))

    @cached_property
    def one_sided(self) -> Flags:
        """Which columns of the sparse part are never negative: indicators of cells."""
        assert self.sparse is not None
        found = np.ones(self.sparse.shape[1], dtype=np.bool_)
        found[self.sparse.indices[self.sparse.data < 0]] = False
        return found

    def gram(self, weights: Floats | None = None, ahead: int = 0) -> Floats:
        """Xᵀ W X, with so many rows and columns of 0 ahead; `Undefined` where it is too large."""
        check_size(self.shape[1], self.shape[1])
        weighted = self.dense if weights is None else self.dense * weights[:, np.newaxis]
        found = np.zeros((ahead + self.shape[1], ahead + self.shape[1]))
        split = ahead + self.dense.shape[1]
        found[ahead:split, ahead:split] = self.dense.T @ weighted
        if self.sparse is not None:
            found[split:, ahead:split] = self._turned @ weighted
            found[ahead:split, split:] = found[split:, ahead:split].T
            sparse_gram(self.sparse, self._by_columns, weights, found)
        return found

    @cached_property
    def _by_columns(self) -> Any:
        """The cells of the sparse part, column by column."""
        assert self.sparse is not None
        return self.sparse.tocsc()

    def as_array(self) -> Floats:
        """One dense matrix; `Undefined` where that is too large."""
        check_size(*self.shape)
        if self.sparse is None:
            return self.dense
        return np.hstack([self.dense, self.sparse.toarray()])


def build(joint: Joint, terms: Sequence[Term], masked: Sequence[bool] | None = None) -> Columns:
    """The columns of all terms, scaled to a mean square of 1; numbers also centred.

    With `masked`, variables that protection left alone have no main effects, and their products
    with masked ones are coded so that no level's place among the others matters.
    """
    dense: list[Floats] = []
    dense_owners: list[frozenset[int]] = []
    parts: list[sparse.csr_matrix] = []
    part_owners: list[frozenset[int]] = []
    with np.errstate(over="ignore", invalid="ignore"):
        for term in terms:
            own = frozenset(place for place, _ in term)
            if masked is not None and not all(masked[place] for place in own):
                columns = _contrasts(joint, term, masked)
                dense += [standardised(column) for column in columns.T]
                dense_owners += [own] * columns.shape[1]
                continue
            numbers, keys, size = _product(joint, term)
            if keys is None:
                dense.append(standardised(numbers))
                dense_owners.append(own)
            elif size > 0:
                parts.append(_scaled(numbers, keys, size))
                part_owners += [own] * size
    found = Columns(
        np.column_stack(dense) if dense else np.empty((joint.rows, 0)),
        sparse.hstack(parts, format="csr") if parts else None,
        (*dense_owners, *part_owners),
    )
    if not found.finite:
        raise Undefined(say("a term of the model is too large to be computed"))
    return found


def _contrasts(joint: Joint, term: Term, masked: Sequence[bool]) -> Floats:
    """Products of an unmasked variable with masked ones: all levels of the first, contrasts (which
    add up to 0 over the levels) of the others, so that the first has no main effect in them.
    """
    found = np.ones((joint.rows, 1))
    for place, power in term:
        if joint.variables[place].kind != "nominal":
            part = (joint.values[place] ** power)[:, np.newaxis]
        else:
            part = joint.indicators(place)
            if masked[place]:
                part = part[:, 1:] - part[:, :1]
        found = (found[:, :, np.newaxis] * part[:, np.newaxis, :]).reshape(joint.rows, -1)
    return found


def _product(joint: Joint, term: Term) -> tuple[Floats, Index | None, int]:
    """The numeric part of a term, and the cell of its categories (0: some reference level)."""
    numbers = np.ones(joint.rows)
    keys: Index | None = None
    size = 0
    for place, power in term:
        if power == MISSING:
            numbers = numbers * joint.missing(place)
        elif joint.variables[place].kind != "nominal":
            numbers = numbers * joint.values[place] ** power
        else:
            levels = max(joint.levels(place) - 1, 0)
            codes = joint.codes[:, place]
            if keys is None:
                keys, size = codes.copy(), levels
            else:
                both = (keys > 0) & (codes > 0)
                keys = np.where(both, (keys - 1) * levels + codes, 0)
                size *= levels
    return numbers, keys, size


def terms_of(joint: Joint, degree: int, interactions: str) -> list[Term]:
    """Terms by degree and interactions."""
    if interactions == "full":
        return full_polynomial(joint, degree)
    pairs = pair_products(joint) if interactions == "pairs" else []
    return main_effects(joint, degree) + pairs


def raw_columns(joint: Joint, terms: Sequence[Term]) -> Floats:
    """The columns of all terms as they are, so that those of some rows do not depend on others."""
    found: list[Floats] = []
    for term in terms:
        numbers, keys, size = _product(joint, term)
        if keys is None:
            found.append(numbers[:, np.newaxis])
        elif size > 0:
            cells = keys[:, np.newaxis] == np.arange(1, size + 1)
            found.append(cells * numbers[:, np.newaxis])
    return np.hstack(found) if found else np.empty((joint.rows, 0))


def standardised(numbers: Floats) -> Floats:
    """Centred, with a mean square of 1."""
    centred = numbers - numbers.mean()
    scale = float(np.sqrt((centred**2).mean()))
    return np.asarray(centred / scale if scale > 0 else centred)


def _scaled(numbers: Floats, keys: Index, size: int) -> sparse.csr_matrix:
    """Indicators of cells 1 … size times numbers, each column with a mean square of 1."""
    here = np.flatnonzero(keys)
    places = keys[here] - 1
    values = numbers[here]
    squares = np.bincount(places, values**2, size)
    scale = np.sqrt(np.where(squares > 0, squares, 1.0) / len(keys))
    starts = np.zeros(len(keys) + 1, dtype=np.int64)
    starts[1:] = np.cumsum(keys > 0)
    return sparse.csr_matrix((values / scale[places], places, starts), shape=(len(keys), size))
