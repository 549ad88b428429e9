"""A finer model for rows that it has not seen: what the cross-fitted AUC rests on.

U_p needs a model without a penalty and twenty rows for each term, or its expectation does not hold.
The AUC of rows that a model did not see is one half for equal files whatever the model is, so here
no term has to be saved: numbers in fine groups, all pairs in six groups, with a penalty against
what chance teaches (a normal prior for each cell's log odds). So a file that has numbers where the
original has none, or breaks what coarse groups do not show, is told apart.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.kernels import as_places, gathered_cells, scattered_cells
from microgauge.kernels.cells import CellNumbers
from microgauge.languages.messages import say
from microgauge.measures.joint.grouping import Frequencies, coarse, fine, pooled
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.ladder import MOST_GROUPS, by_association
from microgauge.measures.joint.logit import expected
from microgauge.records import dataclass

FINE_GROUPS = 30
"""Groups of a number by itself."""
MOST_CELLS = 6_000_000
"""Rows × terms that are held at once; beyond, the most associated pairs are taken."""
ALONE, TOGETHER = 1.0, 4.0
"""Penalties, one over the variance that log odds have beforehand: of a variable's group by itself,
and of a cell of two variables, which mostly says less."""
MOST_STEPS = 40
MEMORY = 8
ARRIVED = 1e-4
"""Gain per row of a step at which the order of scores does not change any more to speak of."""
FIRST = 0.2
"""Part of the first step that is tried: columns overlap, and each alone would go the whole way."""
DIGITS = 9
"""Of the scores: rounding errors part no rows that are alike."""


@dataclass(frozen=True, eq=False)
class Cells:
    """For each row the cells that it is in, one of each variable and of each pair."""

    places: CellNumbers
    penalties: Floats
    """Of each cell."""


def cells_of(joint: Joint) -> Cells:
    """The cells of all rows: groups and cells are those of the original's rows."""
    known = Frequencies.of(joint)
    alone, groups = [], []
    for place, variable in enumerate(joint.variables):
        codes = joint.codes[:, place]
        if variable.kind == "nominal":
            own = pooled(place, known, joint.misses(place))
        else:
            own = fine(place, variable, known, FINE_GROUPS)
        alone.append((own.of(codes), own.size))
        wide = coarse(place, variable, known, MOST_GROUPS)
        groups.append((wide.of(codes), wide.size))
    both = [
        (groups[a][0] * groups[b][1] + groups[b][0], groups[a][1] * groups[b][1])
        for a, b in _pairs(joint, known)
    ]
    return _packed(alone, both)


def _pairs(joint: Joint, known: Frequencies) -> list[tuple[int, int]]:
    """All pairs, or the most associated of the original where rows are many."""
    most = max(MOST_CELLS // joint.rows - len(joint.variables), 1)
    every = list(combinations(range(len(joint.variables)), 2))
    if len(every) <= most:
        return every
    original = np.flatnonzero(~joint.protected)
    found = by_association(joint.taken(original, joint.protected[original]), known)
    return sorted(found[:most])


def _packed(alone: list[tuple[Index, int]], both: list[tuple[Index, int]]) -> Cells:
    every = alone + both
    starts = np.concatenate([[0], np.cumsum([size for _, size in every])])
    places = np.empty((len(every[0][0]), len(every)), dtype=np.int32)
    for column, (codes, _) in enumerate(every):
        places[:, column] = codes + starts[column]
    penalties = np.full(int(starts[-1]), TOGETHER)
    penalties[: starts[len(alone)]] = ALONE
    return Cells(as_places(places, len(penalties)), penalties)


def crossed_scores(joint: Joint, folds: Index) -> Floats:
    """Scores of each fold's rows by the model of the other folds' rows, on the scale of log odds.

    The models of all folds are fitted in step, so that the rows are read once for all of them.
    """
    problem = _Problem.of(cells_of(joint), joint.protected.astype(np.float64), folds)
    scores = problem.climbed()
    return np.round(scores[np.arange(joint.rows), folds], DIGITS)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Penalised likelihoods of all folds; a column for each, coefficients in units of `scale`."""

    places: CellNumbers
    response: Floats
    seen: Floats
    """Rows × folds: 1 where a fold's model sees the row."""
    begun: Floats
    """The log odds that each begins with."""
    scale: Floats
    penalties: Floats

    @staticmethod
    def of(cells: Cells, response: Floats, folds: Index) -> _Problem:
        seen = (folds[:, np.newaxis] != np.arange(int(folds.max()) + 1)).astype(np.float64)
        share = (response @ seen) / seen.sum(axis=0)
        if not ((share > 0) & (share < 1)).all():
            raise Undefined(say("a fold leaves rows of one file alone"))
        penalties = cells.penalties[:, np.newaxis]
        curvature = (
            scattered_cells(cells.places, seen, len(penalties)) * (share * (1.0 - share))
            + penalties
        )
        scale = 1.0 / np.sqrt(curvature)
        begun = np.log(share / (1.0 - share))
        return _Problem(
            cells.places, response[:, np.newaxis], seen, begun, scale, penalties * scale**2
        )

    def likelihood(self, eta: Floats, beta: Floats) -> Floats:
        soft = np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))
        fits = np.einsum("ij,ij->j", self.seen, self.response * eta - soft)
        return np.asarray(fits - np.einsum("ij,ij->j", self.penalties, beta**2) / 2.0)

    def gradient(self, eta: Floats, beta: Floats) -> Floats:
        residual = self.seen * (self.response - expected(eta))
        sums = scattered_cells(self.places, residual, len(beta))
        return np.asarray(self.scale * sums - self.penalties * beta)

    def climbed(self) -> Floats:
        """Scores of all rows by each fold's model, by quasi-Newton steps (L-BFGS)."""
        eta = np.tile(self.begun, (len(self.response), 1))
        beta = np.zeros_like(self.scale)
        likelihood, gradient = self.likelihood(eta, beta), self.gradient(eta, beta)
        memory: list[tuple[Floats, Floats, Floats]] = []
        for _ in range(MOST_STEPS):
            step = _remembered(memory, gradient)
            image = gathered_cells(self.places, self.scale * step)
            size, there = self._damped(eta, image, beta, step, likelihood, gradient)
            eta, beta = eta + size * image, beta + size * step
            gained, likelihood = there - likelihood, there
            if float(gained.max()) <= ARRIVED * len(eta):
                break
            before, gradient = gradient, self.gradient(eta, beta)
            turned = before - gradient
            bend = np.maximum(_dots(size * step, turned), 1e-300)
            memory = [*memory[1 - MEMORY :], (size * step, turned, bend)]
        return eta

    def _damped(
        self,
        eta: Floats,
        image: Floats,
        beta: Floats,
        step: Floats,
        likelihood: Floats,
        gradient: Floats,
    ) -> tuple[Floats, Floats]:
        """For each fold the longest of the steps 1, ½, ¼, … that raises its likelihood enough."""
        gain = _dots(gradient, step)
        size = np.ones(len(gain))
        while True:
            there = self.likelihood(eta + size * image, beta + size * step)
            short = (there < likelihood + 1e-4 * size * gain) & (size > 0)
            if not short.any():
                return size, there
            size = np.where(short, np.where(size > 1e-6, size / 2.0, 0.0), size)


def _dots(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->j", one, other))


def _remembered(memory: list[tuple[Floats, Floats, Floats]], gradient: Floats) -> Floats:
    """The gradient divided by the curvature, as the steps before have shown it."""
    if not memory:
        return FIRST * gradient
    found, parts = gradient.copy(), []
    for step, turned, bend in reversed(memory):
        parts.append(_dots(step, found) / bend)
        found -= parts[-1] * turned
    _, turned, bend = memory[-1]
    found *= bend / np.maximum(_dots(turned, turned), 1e-300)
    for (step, turned, bend), part in zip(memory, reversed(parts), strict=True):
        found += (part - _dots(turned, found) / bend) * step
    return found
