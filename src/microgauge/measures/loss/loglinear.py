"""Log-linear models of a table of categories, fitted before and after.

Log-linear modelling of several categorical variables is what Kocar's review (2018, 2.2) names
beside regressions for numbers. A hierarchical model is said by the margins it keeps (Agresti 2013,
*Categorical data analysis*, chapters 9 and 10); its estimates are those of a Poisson regression.
Parameters are u-terms, which add up to 0 over the categories of each variable: no category is a
reference, and the order of categories does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.analysis.overlap import overlap
from microgauge.measures.analysis.statistics import NORMAL_975
from microgauge.records import dataclass

MOST_CELLS = 20_000
MOST_PARAMETERS = 300
SWEEPS = 20
"""Of iterative proportional fitting, from which Newton's steps start."""
STEPS = 50
TOLERANCE = 1e-11
"""Share of all units by which a fitted margin may miss the observed one."""
NOBODY = 1e-9
"""Share of all units below which a cell's estimate is on its way to 0, its logarithm to -∞."""

Face = tuple[int, ...]
"""Places of the variables of a term."""


@dataclass(frozen=True)
class LogLinearModel:
    """A hierarchical model: the number of categories of each variable, and the margins it keeps."""

    sizes: tuple[int, ...]
    margins: tuple[Face, ...]

    @property
    def faces(self) -> list[Face]:
        """All terms but the constant: the margins and what is in them, the small ones first."""
        found = {
            face
            for margin in self.margins
            for length in range(1, len(margin) + 1)
            for face in combinations(sorted(margin), length)
        }
        return sorted(found, key=lambda face: (len(face), face))

    @property
    def cells(self) -> int:
        """Cells of the full cross of categories."""
        return prod(self.sizes)

    @property
    def parameters(self) -> int:
        """Free parameters, the constant included."""
        return 1 + sum(prod(self.sizes[i] - 1 for i in face) for face in self.faces)

    def design(self) -> Floats:
        """Cells × free parameters; categories add up to 0."""
        columns = [np.ones((self.cells, 1))]
        for face in self.faces:
            parts = [
                _contrasts(size) if place in face else np.ones((size, 1))
                for place, size in enumerate(self.sizes)
            ]
            columns.append(_product(parts))
        return np.concatenate(columns, axis=1)

    def empty_margin(self, counts: Floats) -> bool:
        """Whether some combination that the model has a parameter for has no unit."""
        return any(not _margin(counts, margin).all() for margin in self.margins)


def _contrasts(size: int) -> Floats:
    return np.concatenate([np.eye(size - 1), -np.ones((1, size - 1))])


def _product(parts: Sequence[Floats]) -> Floats:
    """Kronecker's product of several matrices."""
    found: Floats = np.ones((1, 1))
    for part in parts:
        found = np.asarray(np.kron(found, part), dtype=np.float64)
    return found


def _margin(counts: Floats, face: Face) -> Floats:
    others = tuple(place for place in range(counts.ndim) if place not in face)
    return np.asarray(counts.sum(axis=others, keepdims=True))


@dataclass(frozen=True, eq=False)
class LogLinearFit:
    """A model fitted to the counts of one side."""

    counts: Floats
    means: Floats
    terms: dict[Face, tuple[Floats, Floats]]
    """The u-terms of every combination of categories, and their standard errors."""

    @property
    def deviance(self) -> float:
        """2 Σ n log(n/μ): 0 where the model says all there is."""
        return deviance(self.counts, self.means)


def deviance(counts: Floats, means: Floats) -> float:
    """2 Σ [n log(n/μ) - (n - μ)] of a Poisson model.

    >>> round(deviance(np.array([2.0, 0.0]), np.array([1.0, 1.0])), 4)
    2.7726
    """
    some = counts > 0
    logs = float((counts[some] * np.log(counts[some] / means[some])).sum())
    return max(2.0 * (logs - float(counts.sum() - means.sum())), 0.0)


def fit_log_linear(model: LogLinearModel, counts: Floats) -> LogLinearFit:
    """Maximum likelihood; `Undefined` where it has no finite estimates."""
    if not counts.sum() > 0:
        raise Undefined(say("no complete unit"))
    if model.empty_margin(counts):
        raise Undefined(say("a combination of categories that is in the model has no unit"))
    design = model.design()
    means, inverse = _newton(design, counts.ravel(), _proportional(model, counts).ravel())
    coefficients = inverse @ (design.T @ (means * np.log(means)))
    terms, start = {}, 1
    for face in model.faces:
        spread = _product([_contrasts(model.sizes[i]) for i in face])
        here = slice(start, start + spread.shape[1])
        errors = np.sqrt(np.einsum("ij,jk,ik->i", spread, inverse[here, here], spread))
        terms[face] = (spread @ coefficients[here], errors)
        start = here.stop
    return LogLinearFit(counts, means.reshape(model.sizes), terms)


def _proportional(model: LogLinearModel, counts: Floats) -> Floats:
    """Some sweeps of iterative proportional fitting: each margin in turn is made what it was."""
    means = np.full(model.sizes, counts.sum() / model.cells)
    wanted = [(margin, _margin(counts, margin)) for margin in model.margins]
    for _ in range(SWEEPS):
        for margin, sums in wanted:
            means *= sums / _margin(means, margin)
    return means


def _newton(design: Floats, counts: Floats, means: Floats) -> tuple[Floats, Floats]:
    """Fitted means, and the covariance of the free parameters."""
    wanted, limit = design.T @ counts, TOLERANCE * float(counts.sum())
    logs = np.log(means)
    for _ in range(STEPS):
        information = design.T @ (design * means[:, np.newaxis])
        gap = wanted - design.T @ means
        try:
            inverse: Floats = np.asarray(np.linalg.inv(information), dtype=np.float64)
        except np.linalg.LinAlgError:
            break
        if np.abs(gap).max() <= limit:
            if means.min() < NOBODY * counts.sum():
                break
            return means, inverse
        # Steps of more than a factor e² in a cell are cut: beyond, the parabola says little.
        step = design @ (inverse @ gap)
        logs = logs + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        means = np.exp(logs)
    raise Undefined(say("the estimates are not finite: too many cells are empty"))


def fit_both(
    model: LogLinearModel, before: Floats, after: Floats
) -> tuple[LogLinearFit, LogLinearFit, float]:
    """Both sides fitted alike, and what was added to every cell of both.

    Where a side has no finite estimates, as many units as the model has parameters are spread
    over all cells of both sides (Clogg et al. 1991), which pulls estimates to "no association".
    """
    try:
        return fit_log_linear(model, before), fit_log_linear(model, after), 0.0
    except Undefined:
        if not (before.sum() > 0 and after.sum() > 0):
            raise
    added = model.parameters / model.cells
    return fit_log_linear(model, before + added), fit_log_linear(model, after + added), added


@dataclass(frozen=True)
class Agreement:
    """How far the parameters of both sides say the same."""

    parameters: int
    same: float
    """Share with the same verdict at 5 %, and the same sign where both differ from 0."""
    same_sign: float
    overlap: float
    """Mean overlap of 95 % confidence intervals; 1: the same, negative when apart."""
    rank_correlation: float | None
    """Spearman's; None where all are equal on a side."""


def agreement(original: LogLinearFit, protected: LogLinearFit, faces: Sequence[Face]) -> Agreement:
    """The u-terms of some terms, compared one by one."""
    sides = [
        [np.concatenate(part) for part in zip(*(fit.terms[face] for face in faces), strict=True)]
        for fit in (original, protected)
    ]
    (before, errors), (after, other_errors) = sides
    found = [np.abs(before) > NORMAL_975 * errors, np.abs(after) > NORMAL_975 * other_errors]
    signs = (before * after > 0) | (before == after)
    same = (found[0] == found[1]) & (signs | ~(found[0] & found[1]))
    overlaps = [
        overlap((x - NORMAL_975 * e, x + NORMAL_975 * e), (z - NORMAL_975 * f, z + NORMAL_975 * f))
        for x, e, z, f in zip(before, errors, after, other_errors, strict=True)
    ]
    return Agreement(
        len(before),
        float(same.mean()),
        float(signs.mean()),
        float(np.mean(overlaps)),
        _rank_correlation(before, after),
    )


def _rank_correlation(before: Floats, after: Floats) -> float | None:
    from scipy.stats import rankdata

    ranks = [rankdata(np.round(values, 12)) for values in (before, after)]
    if min(float(np.ptp(r)) for r in ranks) == 0:
        return None
    return float(np.corrcoef(*ranks)[0, 1])
