"""SUDA2: how few attributes it takes for a record to stand alone, and DIS-SUDA.

A minimal sample unique (MSU) of a record is a set of attributes on which no other record agrees
with it, while on every smaller part of the set some other does. The fewer attributes an MSU needs
and the more MSUs a record has, the likelier it is rare in the population too, not only by the luck
of the sample (Elliot, Manning and Ford 2002; Manning, Haglin and Keane 2008).

**Reading** where a missing value matches every value: another record agrees on a set where it is
compatible, that is, where each attribute of the set has the same value in both or is missing in
one. A suppressed cell then tells nobody apart: no MSU holds an attribute that its record lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod
from typing import Protocol

import numpy as np

from microgauge.arrays import Codes, Counts, Flags, Floats, Index
from microgauge.errors import InputError, Undefined
from microgauge.languages.messages import say
from microgauge.measures.risk.compatible import compatible
from microgauge.records import dataclass

Subset = tuple[int, ...]

LARGEST = 2**63 - 1
"""The last number that can be a key."""

ROOM = 8
"""Up to so many possible keys per record they are counted in an array, beyond by sorting."""


@dataclass(frozen=True, eq=False)
class Suda:
    """Which records stand out by few attributes, and which attributes and levels make them."""

    scores: Floats
    """Of each record: Σ over its MSUs of Π_{i=k}^{M} (m - i), k the MSU's size; 0: none found."""
    dis: Floats
    """Of each record: DIS-SUDA, the chance that a unique match with it is right; 0: not alone."""
    msu_sizes: dict[int, int]
    """How many MSUs there are of each size from 1 to M."""
    contributions: dict[int, float]
    """Percent of the total score in MSUs that hold the attribute. They may exceed 100 in sum, as
    an MSU counts for each of its attributes. All are 0 where there is no MSU: no attribute makes
    anybody stand out."""
    level_contributions: dict[int, dict[int, float]]
    """The same for the codes of each attribute. They add up to the attribute's; codes in no MSU are
    left out."""
    attributes: int
    """m."""
    size: int
    """M, the largest MSU looked for."""
    fraction: float
    """δ, the share of the population that is in the file."""
    uniques: int
    """U, records alone with their values in all attributes."""
    pairs: int
    """P, records that share theirs with exactly one other."""
    intrusion: float | None
    """DIS, the chance that a unique match is right in the file; None if none can be."""


def suda2(
    levels: Codes,
    sizes: tuple[int, ...],
    *,
    most: int = 3,
    fraction: float = 0.1,
    missing_matches: bool = False,
) -> Suda:
    """Find every MSU of up to `most` attributes; score records, attributes and levels by them.

    `levels` has a row of codes per record; `sizes[j]`, the number of categories of attribute j, is
    the code of a missing cell, which is a value like any other, or matches every value
    (`missing_matches`). An MSU of all m attributes would score 0, so M is at most m - 1. Records
    that agree with another in all attributes have no MSU.

    >>> found = suda2(np.array([[2, 0, 0], [1, 1, 1], [1, 0, 0]]), (3, 2, 2), most=2)
    >>> found.scores.tolist(), found.contributions
    ([2.0, 4.0, 2.0], {0: 50.0, 1: 37.5, 2: 37.5})
    """
    _check(levels, sizes, most, fraction)
    rows, width = levels.shape
    size = min(most, width - 1)
    holes = missing_matches and bool((levels >= np.asarray(sizes)).any())
    table: _Agreement = _Compatible(levels, sizes) if holes else _Table.of(levels, sizes)
    classes = table.class_sizes(tuple(range(width)), slice(None))
    # Alone on some attributes means alone on all: only these records can have an MSU.
    alone = np.flatnonzero(classes == 1)
    tally = _tally(table, alone, size)
    pairs = int((classes == 2).sum())
    intrusion = data_intrusion(len(alone), pairs, fraction)
    return Suda(
        scores=_spread(tally.scores, alone, rows),
        dis=_spread(_risks(tally.scores, width, intrusion), alone, rows),
        msu_sizes=tally.sizes,
        contributions={j: tally.percent(tally.held[j].sum()) for j in range(width)},
        level_contributions={j: tally.by_level(j, levels[alone, j]) for j in range(width)},
        attributes=width,
        size=size,
        fraction=fraction,
        uniques=len(alone),
        pairs=pairs,
        intrusion=intrusion,
    )


def data_intrusion(uniques: int, pairs: int, fraction: float) -> float | None:
    """DIS: the chance that a unique match between the file and the population is a right one.

    Uδ / (Uδ + P(1 - δ)) with U records alone, P in pairs and δ the share of the population in the
    file: what taking records out one by one and putting back a share δ of them would give on
    average (Skinner and Elliot 2002).

    >>> data_intrusion(4, 6, 0.5)
    0.4
    """
    right = uniques * fraction
    matches = right + pairs * (1.0 - fraction)
    return right / matches if matches > 0 else None


def dis_suda(scores: Floats, attributes: int, intrusion: float) -> Floats:
    """DIS-SUDA of all sample uniques, by their SUDA scores, which must be above 0.

    1 / (1 + (1/DIS - 1) · s^-Q / mean(s^-Q)) with Q = 1 + (8 - m)/20, the mean over all uniques:
    the odds against a right match fall with the score, and their mean is that of DIS. So each value
    is within 0 … 1, equal scores all get DIS itself, and only ratios of scores matter. The mean of
    the values is DIS if scores are equal, else (by Jensen's inequality) somewhat more.

    The idea is of Elliot and Manning (2003, Using DIS to modify the classification of special
    uniques), the formula that of sdcMicro and of ARX's library suda2, which cites Elliot's SUDA
    User Guide (2004). The Python package suda differs: s · DIS / Σs, whose sum, not mean, is DIS.
    With more than 28 attributes Q would turn the order round; there we keep it at 0.

    >>> dis_suda(np.array([1.0, 1.0]), 8, 0.25).tolist()
    [0.25, 0.25]
    """
    power = max(0.0, 1.0 + (8 - attributes) / 20.0)
    against = scores**-power
    return np.asarray(1.0 / (1.0 + (1.0 / intrusion - 1.0) * against / against.mean()))


def _risks(scores: Floats, attributes: int, intrusion: float | None) -> Floats:
    """DIS-SUDA of the records that are alone.

    Elliot looks for MSUs of any size, so that every unique has a score. Those whose MSUs are all
    larger than M get the least there is here, 1, the empty product; with M = m - 1 that is what
    sdcMicro gives them.
    """
    if not len(scores):
        return scores
    assert intrusion is not None
    return dis_suda(np.maximum(scores, 1.0), attributes, intrusion)


def _check(levels: Codes, sizes: tuple[int, ...], most: int, fraction: float) -> None:
    if most < 1:
        raise InputError(say("the largest minimal sample unique looked for must be 1 or more"))
    if not 0 < fraction <= 1:
        raise InputError(say("the sampling fraction of DIS-SUDA must be above 0 and at most 1"))
    if levels.ndim != 2 or levels.shape[1] != len(sizes):
        raise ValueError("one column of codes and one size per attribute")
    if len(sizes) < 2:
        raise Undefined(
            say("fewer than two attributes: SUDA compares uniques by how few of several they need")
        )
    if not len(levels):
        raise Undefined(say("the table has no rows"))
    if (levels.min(axis=0) < 0).any() or (levels.max(axis=0) > np.array(sizes)).any():
        raise ValueError("codes beyond the number of categories")


class _Agreement(Protocol):
    """Who agrees with whom."""

    @property
    def width(self) -> int:
        """Number of attributes."""
        ...

    def class_sizes(self, subset: Subset, of: Index | slice) -> Index:
        """Of some records: how many agree with each on some attributes, itself included."""
        ...


@dataclass(frozen=True, eq=False)
class _Compatible:
    """Records agree where both have values."""

    levels: Codes
    sizes: tuple[int, ...]

    @property
    def width(self) -> int:
        return len(self.sizes)

    def class_sizes(self, subset: Subset, of: Index | slice) -> Index:
        """How many records are compatible."""
        columns = self.levels[:, list(subset)].astype(np.intp, copy=False)
        ones = np.ones(len(columns), dtype=np.int64)
        return compatible(columns[of], columns, ones, [self.sizes[j] for j in subset])


@dataclass(frozen=True, eq=False)
class _Table:
    """Columns of codes below their radix, which is at most the number of rows or small."""

    columns: tuple[Counts, ...]
    radices: tuple[int, ...]

    @staticmethod
    def of(levels: Codes, sizes: tuple[int, ...]) -> _Table:
        """Codes as they are, or counted through where most of their range must be empty."""
        coded = [
            _dense(column) if size >= len(column) else (column.astype(np.int64), size + 1)
            for column, size in zip(levels.T, sizes, strict=True)
        ]
        return _Table(tuple(column for column, _ in coded), tuple(radix for _, radix in coded))

    @property
    def width(self) -> int:
        return len(self.columns)

    def class_sizes(self, subset: Subset, of: Index | slice) -> Index:
        """How many records have the same codes."""
        keys, span = self._keys(subset)
        if span > ROOM * len(keys):
            keys, _ = _dense(keys)
        return np.bincount(keys)[keys[of]]

    def _keys(self, subset: Subset) -> tuple[Counts, int]:
        """A number below the second result for each record; equal if and only if its codes are."""
        keys, span = self.columns[subset[0]], self.radices[subset[0]]
        for column, radix in ((self.columns[j], self.radices[j]) for j in subset[1:]):
            if span > LARGEST // radix:
                keys, span = _dense(keys)
            keys, span = keys * radix + column, span * radix
        return keys, span


def _dense(keys: Codes) -> tuple[Counts, int]:
    """The same classes with no number left out, and how many there are."""
    found, dense = np.unique(keys, return_inverse=True)
    return dense.astype(np.int64), len(found)


def _minimal_uniques(table: _Agreement, alone: Index, most: int) -> Iterator[tuple[Subset, Index]]:
    """Each set of attributes with those of the records alone, by position, that it is an MSU of.

    Whoever is unique on a part is unique on the whole, so parts with one attribute less tell all.
    """
    before: dict[Subset, Flags] = {(): np.zeros(len(alone), np.bool_)}
    for size in range(1, most + 1):
        unique: dict[Subset, Flags] = {}
        for subset in combinations(range(table.width), size):
            here = table.class_sizes(subset, alone) == 1
            smaller = np.logical_or.reduce(
                [before[part] for part in combinations(subset, size - 1)]
            )
            yield subset, np.flatnonzero(here & ~smaller)
            if size < most:
                unique[subset] = here
        before = unique


@dataclass(frozen=True, eq=False)
class _Tally:
    """What MSUs add up to, for the records that are alone."""

    scores: Floats
    held: Floats
    """Attributes × records: the part of the score in MSUs that hold the attribute."""
    sizes: dict[int, int]

    def percent(self, part: float) -> float:
        """Of the total score; 0 of none."""
        total = self.scores.sum()
        return float(100.0 * part / total) if total else 0.0

    def by_level(self, attribute: int, codes: Codes) -> dict[int, float]:
        """The percentages of the levels that are in some MSU, by code."""
        found, dense = np.unique(codes, return_inverse=True)
        sums = np.bincount(dense, self.held[attribute], len(found))
        return {
            int(code): self.percent(part) for code, part in zip(found, sums, strict=True) if part
        }


def _tally(table: _Agreement, alone: Index, most: int) -> _Tally:
    width = table.width
    tally = _Tally(
        np.zeros(len(alone)), np.zeros((width, len(alone))), dict.fromkeys(range(1, most + 1), 0)
    )
    for subset, rows in _minimal_uniques(table, alone, most):
        score = prod(width - i for i in range(len(subset), most + 1))
        tally.scores[rows] += score
        for attribute in subset:
            tally.held[attribute, rows] += score
        tally.sizes[len(subset)] += len(rows)
    return tally


def _spread(values: Floats, places: Index, rows: int) -> Floats:
    """Values at their places in the file, 0 elsewhere."""
    spread = np.zeros(rows)
    spread[places] = values
    return spread
