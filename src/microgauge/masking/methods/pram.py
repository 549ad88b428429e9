"""PRAM: categories changed at random, by known probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import ceil
from typing import Any, ClassVar

import numpy as np
import polars as pl

from microgauge.arrays import Floats, Index
from microgauge.errors import InputError, Undefined
from microgauge.languages.messages import say, strung
from microgauge.masking.step import ColumnUse, Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.schema.checks import share
from microgauge.values.labels import label_of

CLOSE = 1e-9
"""How near the share that is kept is to the one that is asked for."""
EXAMPLE = "north = { north = 0.8, south = 0.2 }"
"""A line of a matrix as it is typed, with signs that no form of a text may hold."""


def even_matrix(categories: int, keep: float) -> Floats:
    """Each category stays with one probability; the others share the rest evenly."""
    if categories < 2:
        return np.ones((categories, categories))
    matrix = np.full((categories, categories), (1.0 - keep) / (categories - 1))
    np.fill_diagonal(matrix, keep)
    return matrix


def invariant(matrix: Floats, counts: Floats) -> Floats:
    """A matrix that keeps the expected frequencies (Gouweleeuw et al. 1998).

    PRAM by the given matrix, then by what it tells of the original categories (Bayes): R = P Q
    with Q[k, l] = P[l, k] t_l / Σ_j P[j, k] t_j, so that t R = t.
    """
    joint = matrix * counts[:, np.newaxis]
    reached = joint.sum(axis=0)
    back = joint.T / np.where(reached > 0, reached, 1.0)[:, np.newaxis]
    back[reached <= 0] = np.eye(len(counts))[reached <= 0]
    return np.asarray(matrix @ back)


def share_kept(matrix: Floats, counts: Floats) -> float:
    """The expected share of records that keep their category, Σ p_v R_vv: 1 if nothing changes."""
    return float(counts @ np.diag(matrix) / counts.sum())


def least_kept(counts: Floats) -> float:
    """The smallest share that `keeping` can keep, Σ p_v²: as many stay if all are drawn anew.

    >>> least_kept(np.array([50.0, 30.0, 20.0]))
    0.38
    """
    return float(counts @ counts / counts.sum() ** 2)


def keeping(counts: Floats, keep: float) -> Floats:
    """The matrix that keeps the expected frequencies and, in expectation, this share of records.

    It is `invariant` of the even matrix whose probability of staying makes it so. The share kept is
    convex in that probability and smallest where all categories are equally likely, so there is
    one such matrix from `least_kept` to 1.

    >>> matrix = keeping(np.array([50.0, 30.0, 20.0]), 0.9)
    >>> round(share_kept(matrix, np.array([50.0, 30.0, 20.0])), 12)
    0.9
    """
    from scipy.optimize import brentq

    categories = len(counts)
    even, least = 1.0 / categories, least_kept(counts)
    if keep < least - CLOSE:
        raise Undefined(say("the smallest share that can be kept is {least:.4f}", least=least))
    if keep >= 1.0 or categories < 2:
        return np.eye(categories)
    shares = counts / counts.sum()

    def beyond(stays: float) -> float:
        return _kept(shares, stays) - keep

    stays = even if beyond(even) >= 0 else brentq(beyond, even, 1.0, xtol=1e-15, rtol=1e-15)
    return invariant(even_matrix(categories, float(stays)), counts)


def _kept(shares: Floats, stays: float) -> float:
    """The share kept by `invariant` of an even matrix, without the matrix."""
    leaves = (1.0 - stays) / (len(shares) - 1)
    squares = shares**2
    reached = shares * stays + (1.0 - shares) * leaves
    return float(((squares * stays**2 + (squares.sum() - squares) * leaves**2) / reached).sum())


def perturbed(codes: Index, matrix: Floats, rng: np.random.Generator) -> Index:
    """New codes, drawn from the rows of the matrix; codes beyond it (missing cells) stay."""
    steps = np.cumsum(matrix, axis=1)
    steps[:, -1] = 1.0
    known = codes < len(matrix)
    draws = rng.random(len(codes))
    found = codes.copy()
    for category in np.unique(codes[known]):
        here = np.flatnonzero(codes == category)
        found[here] = np.searchsorted(steps[category], draws[here], side="right")
    return found


@dataclass(frozen=True, kw_only=True)
class Pram(Step):
    """Change categories at random: by a matrix, or so that expected frequencies stay."""

    method: ClassVar[str] = "pram"
    takes: ClassVar[ColumnUse | None] = "category"

    keep: float | None = field(default=None, metadata={"tried": (0.7, 0.9, 0.1)})
    """Probability that a category stays; if invariant, that a record's does, over all records."""
    invariant: bool = True
    """Whether expected frequencies stay as they are."""
    matrix: Mapping[str, Mapping[str, float]] | None = field(
        default=None,
        metadata={"lines": say("A line for each category: {example}", example=EXAMPLE)},
    )
    """For each category the probabilities of what it becomes; what is not named stays."""

    def own_faults(self, look: Look) -> list[str]:
        """A probability or a matrix whose rows add up to 1."""
        if (self.keep is None) == (self.matrix is None):
            return [say("give keep or matrix.")]
        if self.keep is not None:
            return share("keep", self.keep, optional=False)
        assert self.matrix is not None
        found = []
        for name, row in self.matrix.items():
            good = isinstance(row, Mapping) and all(
                isinstance(p, int | float) and 0 <= p <= 1 for p in row.values()
            )
            if not good or abs(sum(row.values()) - 1.0) > 1e-9:
                found.append(
                    say(
                        "the row of matrix for {name!r} must be shares that add up to 1.", name=name
                    )
                )
        return found

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Changed; missing cells stay missing."""
        self._check_attainable(data)
        for name in self.variables:
            codes, values = data.codes(name)
            if not len(values):
                continue
            known = len(values)
            matrix, values = self._matrix(values, _counts(codes, known))
            data = data.with_codes(name, self._drawn(codes, matrix, known, rng), values)
        return data

    def _check_attainable(self, data: Data) -> None:
        """Refuse to keep less than frequencies that stay allow, of all variables at once."""
        if self.keep is None or not self.invariant:
            return
        least = {}
        for name in self.variables:
            codes, values = data.codes(name)
            if len(values):
                least[name] = least_kept(_counts(codes, len(values)))
        low = {name: share for name, share in least.items() if self.keep < share - CLOSE}
        if low:
            # Rounded up, so that what is said can be kept.
            told = (
                say('{ceil:.4f} of "{name}"', ceil=ceil(share * 10000.0) / 10000.0, name=name)
                for name, share in low.items()
            )
            raise InputError(
                say(
                    "pram: keep = {keep} cannot be met with invariant = true, which "
                    "keeps at least {told}: so many stay if all are drawn anew. Keep "
                    "more, or give invariant = false.",
                    keep=f"{self.keep:g}",
                    told=strung(told, ", "),
                )
            )

    def _matrix(self, values: pl.Series, counts: Floats) -> tuple[Floats, pl.Series]:
        if self.matrix is None:
            assert self.keep is not None
            if self.invariant:
                return keeping(counts, self.keep), values
            return even_matrix(len(values), self.keep), values
        # Text is spelled as it stands; numbers and truth values as labels are.
        text = values.dtype == pl.String
        labels = [str(v) if text else label_of(v) for v in values.to_list()]
        matrix = {
            _spelled(name): {_spelled(other): share for other, share in row.items()}
            for name, row in self.matrix.items()
        }
        wanted = [label for row in matrix.values() for label in row]
        labels += [label for label in dict.fromkeys(wanted) if label not in labels]
        place = {label: i for i, label in enumerate(labels)}
        found = np.eye(len(labels))
        for label, row in matrix.items():
            if label in place:
                found[place[label]] = 0.0
                for other, share in row.items():
                    found[place[label], place[other]] = share
        return found, pl.Series(labels, dtype=pl.String)

    @staticmethod
    def _drawn(codes: Index, matrix: Floats, known: int, rng: np.random.Generator) -> Index:
        # A matrix may name categories that no record has; a missing cell's code moves behind them.
        places = np.where(codes == known, len(matrix), codes)
        return perturbed(places, matrix, rng)


def _counts(codes: Index, known: int) -> Floats:
    """How often each category occurs; missing cells do not count."""
    return np.bincount(codes, minlength=known + 1)[:known].astype(np.float64)


def _spelled(name: Any) -> str:
    """A category as a file spells it; from Python it may be a number."""
    return name if isinstance(name, str) else label_of(name)
