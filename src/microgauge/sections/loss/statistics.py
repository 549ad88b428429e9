"""Covariances, correlations, components and eigenvalues of the continuous variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED, Engine, Local
from microgauge.errors import Undefined
from microgauge.measures.loss.matrices import (
    Discrepancy,
    Scatter,
    discrepancy,
    eigenvalue_difference,
    matched_components,
    matrix_discrepancies,
    robust_eigenvalues,
)
from microgauge.passes import Axis, Moments
from microgauge.results import MatrixLoss, SubdomainLoss
from microgauge.sections.loss.choices import LossChoices
from microgauge.study.common_levels import Placed
from microgauge.study.describe import Described, Side
from microgauge.study.records import SIDES
from microgauge.study.study import Study

MATRICES = ("covariance", "correlation", "loadings", "communalities", "score_coefficients")
HALF = 0.5
GROUP = "\0group"
"""An axis whose name no column has."""


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
    def _engines(self) -> tuple[Engine, Engine]:
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
        dropped = np.logical_or.reduce([negligible for _, negligible in values])
        if dropped.any():
            self.notes.append(
                f"{int(dropped.sum())} of {len(spread)} robust eigenvalues are negligible (most "
                "units lie in a plane) and left out on both sides."
            )
        return eigenvalue_difference(values[0][0][~dropped], values[1][0][~dropped])

    def _units(self, variables: Sequence[Described]) -> list[Floats]:
        """Complete units of both tables, few, in an order that does not depend on that of rows.

        Where every unit is in both tables, the same units are drawn: what differs then is what
        protection did, not the draw.
        """
        rows, alignment = self.study.matching.rows, self.study.matching.alignment
        if rows is None or alignment.dropped or alignment.added:
            levels = self._apart(variables)
        else:
            levels = self._together(variables)
        return [
            _numbers(here, [_sides(v)[place] for v in variables])
            for place, here in enumerate(levels)
        ]

    def _apart(self, variables: Sequence[Described]) -> list[Index]:
        found = []
        for place, which in enumerate(SIDES):
            sides = {v.name: _sides(v)[place] for v in variables}
            levels = _levels(self.study.rows(which), sides)
            complete = _complete(levels, list(sides.values()))
            found.append(self._sampled(levels[complete], which))
        return found

    def _together(self, variables: Sequence[Described]) -> list[Index]:
        sides = {
            prefix + v.name: _sides(v)[place]
            for place, prefix in enumerate((ORIGINAL, PROTECTED))
            for v in variables
        }
        return np.split(
            self._sampled(_levels(self.study.rows("matched"), sides), "matched"), 2, axis=1
        )

    def _sampled(self, levels: Index, which: str) -> Index:
        seed, limit = self.study.options.seed, self.study.schema.of(LossChoices).robust_sample
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
        question = Moments(self._names, GROUP)
        sums = []
        for place, engine in enumerate(self._engines):
            axes, centres = self._axes(place)
            axes[GROUP] = both.protected_axis(both.name) if place else both.original_axis(both.name)
            sums.append((engine.scan([question], axes)[question], centres))
        return [
            self._subdomain(both.name, label, *((facts[level], c) for facts, c in sums))
            for level, label in enumerate(both.labels)
        ]

    def _subdomain(
        self,
        group: str,
        category: str,
        original: tuple[Floats, Floats],
        protected: tuple[Floats, Floats],
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


def _levels(rows: Local, sides: Mapping[str, Side]) -> Index:
    return rows.levels({name: side.axis(name) for name, side in sides.items()})


def _complete(levels: Index, sides: Sequence[Side]) -> Flags:
    return np.asarray((levels < [len(side.levels) for side in sides]).all(axis=1))


def _numbers(levels: Index, sides: Sequence[Side]) -> Floats:
    """The numbers of the units in which none is missing."""
    levels = levels[_complete(levels, sides)]
    return np.column_stack([side.levels.numbers[levels[:, i]] for i, side in enumerate(sides)])


def _sides(variable: Described) -> tuple[Side, Side]:
    assert variable.protected is not None
    return variable.original, variable.protected


def _piled(side: Side) -> bool:
    """Whether half of the units or more share one value: no robust deviation then."""
    return bool(side.levels.rows.max(initial=0) >= HALF * side.levels.present)


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
