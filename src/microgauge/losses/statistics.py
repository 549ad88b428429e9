"""Covariances, correlations, components and eigenvalues of the continuous variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from microgauge.describe import Described, Side
from microgauge.engines.local import ORIGINAL, PROTECTED, Local
from microgauge.errors import Undefined
from microgauge.levels import Floats
from microgauge.measures.loss.matrices import (
    NEGLIGIBLE,
    Discrepancy,
    Scatter,
    discrepancy,
    eigenvalue_difference,
    matched_components,
    matrix_discrepancies,
    robust_eigenvalues,
)
from microgauge.passes import Axis, Moments, Rows
from microgauge.placing import Placed
from microgauge.results import MatrixLoss, SubdomainLoss
from microgauge.study import Study

MATRICES = ("covariance", "correlation", "loadings", "communalities", "score_coefficients")
HALF = 0.5


@dataclass(eq=False)
class Statistics:
    """Compares what describes the continuous variables together, on complete units."""

    study: Study
    variables: Sequence[Described]
    """Variables that are continuous on both sides."""
    both: Mapping[str, Placed]
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        constant = [v.name for v in self.variables if any(len(s.levels) < 2 for s in _sides(v))]
        if constant:
            self.notes.append(
                f"Covariances and components leave out constant variables: {', '.join(constant)}."
            )
        self.variables = [v for v in self.variables if v.name not in constant]

    @property
    def _engines(self) -> tuple[Local, Local]:
        return self.study.description.original, self.study.description.protected

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    def _axes(self, place: int) -> tuple[dict[str, Axis], Floats]:
        """Axes scored with values less their centre, so that squares stay exact."""
        axes = {}
        centres = []
        for variable in self.variables:
            side = _sides(variable)[place]
            here = side.levels.sums
            centre = float(np.average(side.levels.numbers, weights=here)) if here.sum() else 0.0
            scores = np.append(side.levels.numbers - centre, 0.0)
            axes[variable.name] = side.axis(variable.name, scores)
            centres.append(centre)
        return axes, np.array(centres)

    # -- all units ---------------------------------------------------------------------------

    def scatters(self) -> tuple[Scatter, Scatter]:
        """Means and covariances on both sides; `Undefined` where a side has no two units."""
        if not self.variables:
            raise Undefined("no variable is continuous in both tables")
        found = []
        for place, engine in enumerate(self._engines):
            axes, centres = self._axes(place)
            question = Moments(self._names)
            sums = engine.scan([question], axes)[question][0]
            found.append(Scatter.of(sums, centres))
        self._note_incomplete(found)
        for side in found:
            if side.constant.any():
                raise Undefined("a variable is constant among complete units")
        return found[0], found[1]

    def _note_incomplete(self, found: Sequence[Scatter]) -> None:
        units = [engine.rows for engine in self._engines]
        if [side.rows for side in found] != units:
            self.notes.append(
                f"Covariances and components use the units complete in all {len(self.variables)} "
                f"continuous variables: {found[0].rows:,} of {units[0]:,} original, "
                f"{found[1].rows:,} of {units[1]:,} protected."
            )

    def matrices(self, scatters: tuple[Scatter, Scatter]) -> dict[str, MatrixLoss]:
        """The discrepancies of all matrices."""
        found = matrix_discrepancies(*scatters)
        missing = "fewer than two continuous variables"
        return {
            name: _matrix(found[name]) if name in found else no_matrix(missing) for name in MATRICES
        }

    def eigenvalues(self, scatters: tuple[Scatter, Scatter]) -> float:
        """Classical: of the correlation matrices."""
        if len(self.variables) < 2:
            raise Undefined("fewer than two continuous variables")
        before, after, dropped = matched_components(*(side.correlation() for side in scatters))
        if dropped:
            self.notes.append(
                f"{dropped} of {len(self.variables)} eigenvalues are negligible (an exact linear "
                "dependence) and left out on both sides."
            )
        return eigenvalue_difference(before.values, after.values)

    # -- robust ------------------------------------------------------------------------------

    def robust(self) -> float:
        """Of correlation matrices by the minimum covariance determinant, of a sample if large."""
        spread = [v for v in self.variables if not any(_piled(side) for side in _sides(v))]
        piled = [v.name for v in self.variables if v not in spread]
        if piled:
            self.notes.append(
                "Robust eigenvalues leave out variables of which half of the units share one "
                f"value: {', '.join(piled)}."
            )
        if len(spread) < 2:
            raise Undefined("fewer than two continuous variables without a value that half share")
        values = []
        for units in self._units(spread):
            if len(units) < 2 * len(spread) + 2:
                raise Undefined("too few complete units")
            values.append(robust_eigenvalues(units, self.study.options.seed))
        dropped = np.logical_or.reduce([v < NEGLIGIBLE * v[0] for v in values])
        return eigenvalue_difference(values[0][~dropped], values[1][~dropped])

    def _units(self, variables: Sequence[Described]) -> list[NDArray[np.float64]]:
        """Complete units of both tables: the same ones where tables are aligned.

        They stand in an order that does not depend on the order of rows, and are few.
        """
        rows = self.study.matching.rows
        if rows is None:
            levels = [
                self._levels(engine, variables, place) for place, engine in enumerate(self._engines)
            ]
            levels = [
                self._sampled(here, which)
                for here, which in zip(levels, ("original", "protected"), strict=True)
            ]
        else:
            together = self._sampled(self._matched_levels(rows, variables), "matched")
            levels = np.split(together, 2, axis=1)
        return [
            np.column_stack(
                [_sides(v)[place].levels.numbers[here[:, i]] for i, v in enumerate(variables)]
            )
            for place, here in enumerate(levels)
        ]

    @staticmethod
    def _levels(engine: Local, variables: Sequence[Described], place: int) -> NDArray[np.intp]:
        return _complete_levels(engine, {v.name: _sides(v)[place] for v in variables})

    @staticmethod
    def _matched_levels(rows: Local, variables: Sequence[Described]) -> NDArray[np.intp]:
        sides = {
            prefix + v.name: _sides(v)[place]
            for place, prefix in enumerate((ORIGINAL, PROTECTED))
            for v in variables
        }
        return _complete_levels(rows, sides)

    def _sampled(self, levels: NDArray[np.intp], which: str) -> NDArray[np.intp]:
        seed, limit = self.study.options.seed, self.study.schema.loss.robust_sample
        rng = np.random.default_rng([seed, 2])
        levels = levels[np.argsort(levels @ rng.uniform(1.0, 2.0, levels.shape[1]))]
        if len(levels) <= limit:
            return levels
        self.notes.append(
            f"Robust eigenvalues are those of {limit:,} of {len(levels):,} {which} units (seed "
            f"{seed})."
        )
        return levels[np.sort(rng.choice(len(levels), limit, replace=False))]

    # -- groups ------------------------------------------------------------------------------

    def subdomains(self) -> tuple[SubdomainLoss, ...]:
        """Means and covariances in the groups of the chosen variables."""
        found: list[SubdomainLoss] = []
        for name in self.study.schema.loss.groups:
            if name not in self.both:
                self.notes.append(f'Groups of "{name}" cannot be formed in both tables.')
            elif self.variables:
                found += self._groups(self.both[name])
        return tuple(found)

    def _groups(self, both: Placed) -> list[SubdomainLoss]:
        question = Moments(self._names, "group")
        sums = []
        for place, engine in enumerate(self._engines):
            axes, centres = self._axes(place)
            axes["group"] = (
                both.protected_axis(both.name) if place else both.original_axis(both.name)
            )
            sums.append((engine.scan([question], axes)[question], centres))
        return [
            self._subdomain(both.name, label, *((facts[level], c) for facts, c in sums))
            for level, label in enumerate(_labels(both))
        ]

    def _subdomain(
        self,
        group: str,
        category: str,
        original: tuple[NDArray[np.float64], Floats],
        protected: tuple[NDArray[np.float64], Floats],
    ) -> SubdomainLoss:
        rows = [int(sums[-1, 0]) for sums, _ in (original, protected)]
        try:
            before, after = Scatter.of(*original), Scatter.of(*protected)
        except Undefined as why:
            return SubdomainLoss(
                group=group,
                category=category,
                rows_original=rows[0],
                rows_protected=rows[1],
                means=None,
                covariance=None,
                reason=str(why),
            )
        upper = np.triu_indices(len(self.variables))
        return SubdomainLoss(
            group=group,
            category=category,
            rows_original=rows[0],
            rows_protected=rows[1],
            means={
                name: {"original": float(x), "protected": float(z)}
                for name, x, z in zip(self._names, before.means, after.means, strict=True)
            },
            covariance=_matrix(discrepancy(before.covariance[upper], after.covariance[upper])),
        )


def _complete_levels(engine: Local, sides: Mapping[str, Side]) -> NDArray[np.intp]:
    """The levels of the rows in which no column is missing."""
    question = Rows(tuple(sides))
    axes = {name: side.axis(name) for name, side in sides.items()}
    levels = engine.scan([question], axes)[question].values[:, : len(sides)]
    complete = (levels < [len(side.levels) for side in sides.values()]).all(axis=1)
    return np.asarray(levels[complete], dtype=np.intp)


def _sides(variable: Described) -> tuple[Side, Side]:
    assert variable.protected is not None
    return variable.original, variable.protected


def _piled(side: Side) -> bool:
    """Whether half of the units or more share one value: no robust deviation then."""
    return bool(side.levels.rows.max(initial=0) >= HALF * side.levels.present)


def _labels(both: Placed) -> list[str]:
    """The common levels by name."""
    labels = [""] * both.size
    for side, places in (
        (both.original, both.original_places),
        (both.protected, both.protected_places),
    ):
        for place, label in zip(places, side.levels.labels, strict=True):
            labels[place] = label
    return labels


def _matrix(found: Discrepancy) -> MatrixLoss:
    reason = "every original entry is 0" if found.mean_variation is None else None
    return MatrixLoss(
        mse=found.mse,
        mae=found.mae,
        mean_variation=found.mean_variation,
        reason=reason and f"mean_variation: {reason}",
    )


def no_matrix(why: str) -> MatrixLoss:
    """A matrix that could not be compared."""
    return MatrixLoss(mse=None, mae=None, mean_variation=None, reason=why)
