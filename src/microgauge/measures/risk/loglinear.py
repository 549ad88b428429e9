"""Global risk of a sample: how many of its uniques does a population hold only once?

Skinner, C. J. and Shlomo, N. (2008). Assessing identification risk in survey microdata using
log-linear models. Journal of the American Statistical Association 103(483), 989–1001.

Population counts are Poisson, records are drawn with probability π. A combination of key values
with μ expected records in the sample then has Poisson((1 - π) μ/π) further ones in the population
beside the one that was drawn. μ comes from a log-linear model, because one record says little.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import inf, prod
from typing import Literal

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.records import dataclass

Model = Literal["pairs", "main effects"]

MOST_CELLS = 2_000_000
"""Largest full cross of categories that pairs are fitted on: 16 MB, about 0.1 s a sweep."""

MOST_SWEEPS = 200
"""Sweeps over all pairs. Empty pairs can push estimates to 0, which takes ever more of them."""

TOLERANCE = 1e-3
"""Records by which a fitted two-way margin may miss the observed one."""


@dataclass(frozen=True)
class LogLinear:
    """What the uniques of a sample risk; lower is safer, all of them is the worst."""

    tau1: float
    """Expected sample uniques that are unique in the population."""
    tau2: float
    """Expected correct matches of sample uniques: Σ E(1/F)."""
    model: Model
    uniques: int
    """Sample uniques, the most either can be."""
    iterations: int
    """Sweeps of the iterative fit; 0 where there is nothing to iterate."""
    converged: bool
    """Whether all fitted margins came as near to the observed ones as asked for."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Expected sample counts of the observed classes."""

    means: Floats
    model: Model
    iterations: int
    converged: bool


def log_linear_risk(
    levels: Index,
    counts: Index,
    sizes: tuple[int, ...],
    fraction: float,
    *,
    matching: Index | None = None,
) -> LogLinear:
    """τ1 and τ2 of a sample drawn with `fraction` π.

    A row of `levels` for each class, with the index of its category for each key; `counts` are the
    records of the classes, `sizes` the categories of the keys.

    **Reading** where a missing key matches every value (`matching` is given: the records that each
    class is compatible with; a key's last category is the missing one): a record is unique where no
    other is compatible with it, and μ is what the model, in which "missing" is a category like any
    other, expects of all combinations that are compatible with its own.

    Four uniques, one of each combination of two keys; one half of the population was drawn:

    >>> levels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> risk = log_linear_risk(levels, np.ones(4, dtype=int), (2, 2), 0.5)
    >>> round(risk.tau1, 6), round(risk.tau2, 6)  # 4/e and 4 (1 - 1/e)
    (1.471518, 2.528482)
    """
    if not 0 < fraction <= 1:
        raise Undefined(say("the sampling fraction is not between 0 and 1"))
    if not len(counts):
        raise Undefined(say("no record"))
    unique = (counts if matching is None else matching) == 1
    fit = expected_counts(levels, counts, sizes, missing_matches=matching is not None)
    others = fit.means[unique] * ((1.0 - fraction) / fraction)
    return LogLinear(
        tau1=float(np.exp(-others).sum()),
        tau2=float(_mean_inverse(others).sum()),
        model=fit.model,
        uniques=int(unique.sum()),
        iterations=fit.iterations,
        converged=fit.converged,
    )


def _mean_inverse(rates: Floats) -> Floats:
    """E(1/(1 + X)) for X Poisson: (1 - e^-h)/h, and 1 where h is 0."""
    return np.divide(-np.expm1(-rates), rates, out=np.ones_like(rates), where=rates > 0)


def expected_counts(
    levels: Index,
    counts: Index,
    sizes: tuple[int, ...],
    *,
    tolerance: float = TOLERANCE,
    most_sweeps: int = MOST_SWEEPS,
    most_cells: int = MOST_CELLS,
    missing_matches: bool = False,
) -> Fit:
    """The maximum likelihood estimate for each class, with pairs of keys where they fit in memory.

    Categories that no record has are expected to have none, so they and keys with one category
    are left out. Two keys make the model with pairs saturated: the estimates are the counts.
    With `missing_matches` the estimates are those of all combinations compatible with the class's.
    """
    levels, sizes, missing = _occupied(levels, sizes)
    joined = missing if missing_matches else (False,) * len(sizes)
    if len(sizes) < 2 or prod(sizes) > most_cells:
        return Fit(_independent(levels, counts, joined), "main effects", 0, True)
    means = np.ones(sizes)
    margins = _margins(levels, counts, sizes)
    sweeps, gap = 0, inf
    while gap > tolerance and sweeps < most_sweeps:
        gap = _sweep(means, margins)
        sweeps += 1
    for axis, joins in enumerate(joined):
        if joins:
            means = _with_compatible(means, axis)
    return Fit(means[tuple(levels.T)], "pairs", sweeps, gap <= tolerance)


def _with_compatible(means: Floats, axis: int) -> Floats:
    """Each cell with those compatible along a key: a value with "missing", the last, with all.

    >>> _with_compatible(np.array([1.0, 2.0, 4.0]), 0)
    array([5., 6., 7.])
    """
    missing = np.take(means, [-1], axis)
    found = means + missing
    last = [slice(None)] * means.ndim
    last[axis] = slice(-1, None)
    found[tuple(last)] = means.sum(axis, keepdims=True)
    return found


def _occupied(
    levels: Index, sizes: tuple[int, ...]
) -> tuple[Index, tuple[int, ...], tuple[bool, ...]]:
    """Keys with more than one category that occurs, and these categories numbered anew.

    Last: whether each key's last category, that of missing values, is among them.
    """
    columns, kept, missing = [], [], []
    for column, size in zip(levels.T, sizes, strict=True):
        seen = np.bincount(column, minlength=size) > 0
        if seen.sum() > 1:
            columns.append((np.cumsum(seen) - 1)[column])
            kept.append(int(seen.sum()))
            missing.append(bool(seen[-1]))
    codes = np.array(columns, dtype=np.intp).reshape(len(kept), len(levels)).T
    return codes, tuple(kept), tuple(missing)


def _independent(levels: Index, counts: Index, joined: Sequence[bool]) -> Floats:
    """n Π (margin/n): what is expected of each class if the keys have nothing to do with another.

    With one key these are the counts, and without any their sum. `joined` says which keys' missing
    category matches every other.
    """
    total = float(counts.sum())
    means = np.full(len(counts), total)
    for column, joins in zip(levels.T, joined, strict=True):
        margin = np.bincount(column, counts).astype(np.float64)
        means *= (_with_compatible(margin, 0) if joins else margin)[column] / total
    return means


@dataclass(frozen=True, eq=False)
class _Margin:
    """The records of each pair of categories of two keys, and how the full cross folds to them."""

    records: Floats
    fold: tuple[int, int, int, int, int]
    """Cells before the first key, of it, between the two, of the second, and after it."""


def _margins(levels: Index, counts: Index, sizes: tuple[int, ...]) -> list[_Margin]:
    """One for each pair of keys."""
    found = []
    for i, j in combinations(range(len(sizes)), 2):
        one, other = sizes[i], sizes[j]
        sums = np.bincount(levels[:, i] * other + levels[:, j], counts, one * other)
        records = np.asarray(sums, dtype=np.float64).reshape(one, other)
        before, between, after = prod(sizes[:i]), prod(sizes[i + 1 : j]), prod(sizes[j + 1 :])
        found.append(_Margin(records, (before, one, between, other, after)))
    return found


def _sweep(means: Floats, margins: list[_Margin]) -> float:
    """Scale the table in place to one margin after another; the largest gap that was met.

    Iterative proportional fitting, whose limit is the maximum likelihood estimate of the model.
    """
    largest = 0.0
    for margin in margins:
        table = means.reshape(margin.fold)
        fitted = np.einsum("hibjk->ij", table)
        largest = max(largest, float(np.abs(fitted - margin.records).max()))
        factors = np.divide(
            margin.records, fitted, out=np.zeros_like(fitted), where=margin.records > 0
        )
        table *= factors[:, None, :, None]
    return largest
