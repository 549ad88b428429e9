"""Covariances, correlations, components and eigenvalues of the continuous variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED, Local
from microgauge.engines.rounds import Asking, asked_both, together
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.log import Log
from microgauge.measures.loss.matrices import (
    Discrepancy,
    Scatter,
    discrepancy,
    eigenvalue_difference,
    matched_components,
    matrix_discrepancies,
    robust_eigenvalues,
)
from microgauge.passes import Axis, Column, Facts, Moments, Pass
from microgauge.results import MatrixLoss, SubdomainLoss
from microgauge.results.loss import Correlations
from microgauge.sections.loss.choices import LossChoices
from microgauge.study.common_levels import Placed
from microgauge.study.study import SIDES, Study
from microgauge.study.variable import Described, Side

MATRICES = ("covariance", "correlation", "loadings", "communalities", "score_coefficients")
HALF = 0.5
MOST_CORRELATED = 40
"""Variables whose correlations are told one by one: as many as a picture has room for."""
MOST_GROUPS = 12
"""Categories of a variable that forms groups unasked."""
MOST_UNASKED = 3
"""Variables that form groups unasked."""


@dataclass(eq=False)
class Statistics:
    """Compares what describes the continuous variables together, on complete units."""

    study: Study
    numbers: Sequence[Described]
    """Variables that are continuous on both sides."""
    log: Log
    _facts: list[Facts] = field(default_factory=list)
    _columns: list[list[Facts]] = field(default_factory=list)
    """Rows for robust eigenvalues: of both tables, or twice the matched ones."""

    def ask(self) -> Asking[None]:
        """Sums and rows of both tables, from one round."""
        works = [asked_both(self.study.engines, [self._moments(place) for place in (0, 1)])]
        if self.wants_robust and len(self._spread) >= 2:
            columns = [self._robust_columns(place) for place in (0, 1)]
            works.append(asked_both(self._robust_rows, columns))
        self._facts, *self._columns = yield from together(*works)

    def _moments(self, place: int) -> list[Pass]:
        """The sums of all units, and of those in each group."""
        if not self.variables:
            return []
        return [self._question(place), *(self._question(place, g) for g in self.groups_asked)]

    def _question(self, place: int, group: Placed | None = None) -> Moments:
        axes = self._axes[place]
        if group is None:
            return Moments(axes)
        axis = group.protected_axis if place else group.original_axis
        return Moments(axes, axis(group.name))

    @cached_property
    def variables(self) -> list[Described]:
        """Those that are constant on neither side."""
        constant = [v.name for v in self.numbers if any(len(s.levels) < 2 for s in _sides(v))]
        if constant:
            self.log.note(
                "statistics-constant",
                say(
                    "Covariances and components leave out constant variables: {constant}.",
                    constant=strung(constant, ", "),
                ),
                constant,
            )
        return [v for v in self.numbers if v.name not in constant]

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(v.name for v in self.variables)

    @cached_property
    def _centres(self) -> list[Floats]:
        return [np.array([_centre(_sides(v)[place]) for v in self.variables]) for place in (0, 1)]

    @cached_property
    def _axes(self) -> list[tuple[Axis, ...]]:
        """Axes scored with values less their centre, so that squares stay exact."""
        found = []
        for place, centres in enumerate(self._centres):
            sides = [_sides(v)[place] for v in self.variables]
            scores = [
                np.append(s.levels.numbers - c, 0.0) for s, c in zip(sides, centres, strict=True)
            ]
            found.append(
                tuple(s.axis(n, x) for s, n, x in zip(sides, self._names, scores, strict=True))
            )
        return found

    # -- all units ---------------------------------------------------------------------------

    def scatters(self) -> tuple[Scatter, Scatter]:
        """Means and covariances on both sides; `Undefined` where a side has no two units."""
        if not self.variables:
            raise Undefined(say("no variable is continuous in both tables"))
        for side in self._scattered:
            if side.constant.any():
                raise Undefined(say("a variable is constant among complete units"))
        return self._scattered

    @cached_property
    def _scattered(self) -> tuple[Scatter, Scatter]:
        """Both sides, put together once: what is incomplete is noted once."""
        before, after = (
            Scatter.of(self._facts[place][self._question(place)][0], self._centres[place])
            for place in (0, 1)
        )
        self._note_incomplete([before, after])
        return before, after

    def _note_incomplete(self, found: Sequence[Scatter]) -> None:
        units = [engine.rows for engine in self.study.engines]
        if [side.rows for side in found] != units:
            self.log.note(
                "statistics-incomplete",
                say(
                    "Covariances and components use the units complete in all {n} "
                    "continuous variables: {rows:,} of {units:,} original, {rows2:,} of "
                    "{units2:,} protected.",
                    n=len(self.variables),
                    rows=found[0].rows,
                    units=units[0],
                    rows2=found[1].rows,
                    units2=units[1],
                ),
            )

    def matrices(self, scatters: tuple[Scatter, Scatter]) -> dict[str, MatrixLoss]:
        """The discrepancies of all matrices."""
        found = matrix_discrepancies(*scatters)
        missing = say("fewer than two continuous variables")
        return {
            name: _matrix(found[name]) if name in found else no_matrix(missing) for name in MATRICES
        }

    def correlations(self, scatters: tuple[Scatter, Scatter]) -> Correlations | None:
        """Both correlation matrices; of many variables, those whose correlations changed most."""
        count = len(self.variables)
        if count < 2:
            return None
        before, after = (side.correlation() for side in scatters)
        shown = np.arange(count)
        if count > MOST_CORRELATED:
            moved = np.abs(after - before).mean(axis=1)
            shown = np.argsort(-moved, kind="stable")[:MOST_CORRELATED]
        return Correlations(
            variables=tuple(self._names[i] for i in shown),
            original=_below(before[np.ix_(shown, shown)]),
            protected=_below(after[np.ix_(shown, shown)]),
            left_out=count - len(shown),
        )

    def eigenvalues(self, scatters: tuple[Scatter, Scatter]) -> float:
        """Classical: of the correlation matrices."""
        if len(self.variables) < 2:
            raise Undefined(say("fewer than two continuous variables"))
        before, after, dropped = matched_components(*(side.correlation() for side in scatters))
        if dropped:
            self.log.note(
                "eigenvalues-negligible",
                say(
                    "{dropped} of {n} eigenvalues are negligible (an exact linear "
                    "dependence) and left out on both sides.",
                    dropped=dropped,
                    n=len(self.variables),
                ),
            )
        return eigenvalue_difference(before.values, after.values)

    # -- robust ------------------------------------------------------------------------------

    @property
    def wants_robust(self) -> bool:
        """Whether robust eigenvalues are asked for."""
        return self.study.schema.of(LossChoices).robust

    def robust(self) -> float:
        """Of correlation matrices by the minimum covariance determinant, of a sample if large."""
        spread = self._spread
        piled = [v.name for v in self.variables if v not in spread]
        if piled:
            self.log.note(
                "robust-piled",
                say(
                    "Robust eigenvalues leave out variables of which half of the units "
                    "share one value: {piled}.",
                    piled=strung(piled, ", "),
                ),
                piled,
            )
        if len(spread) < 2:
            raise Undefined(
                say("fewer than two continuous variables without a value that half share")
            )
        values = []
        for which, units in zip(SIDES, self._units(), strict=True):
            if len(units) < 2 * len(spread) + 2:
                raise Undefined(say("too few complete units"))
            try:
                values.append(robust_eigenvalues(units, self.study.options.seed))
            except Undefined as why:
                raise Undefined(say("{which}: {why}", which=which, why=why)) from None
        return eigenvalue_difference(*values)

    @cached_property
    def _spread(self) -> list[Described]:
        """Variables of which no value is shared by half of the units.

        In the order of names, not of columns: where the search begins depends on it.
        """
        found = [v for v in self.variables if not any(_piled(side) for side in _sides(v))]
        return sorted(found, key=lambda v: v.name)

    @property
    def _together(self) -> bool:
        """Whether every unit is in both tables.

        Then the same units are drawn: what differs is what protection did, not the draw.
        """
        alignment = self.study.matching.alignment
        return self.study.matched is not None and not (alignment.dropped or alignment.added)

    @property
    def _robust_rows(self) -> tuple[Local, Local]:
        if self._together:
            return self.study.rows("matched"), self.study.rows("matched")
        return self.study.rows("original"), self.study.rows("protected")

    def _robust_columns(self, place: int) -> list[Column]:
        prefix = (ORIGINAL, PROTECTED)[place] if self._together else ""
        return [Column(_sides(v)[place].axis(prefix + v.name)) for v in self._spread]

    def _units(self) -> list[Floats]:
        """Complete units of both tables, few, in an order that does not depend on that of rows."""
        levels = []
        for place in (0, 1):
            columns = [self._columns[0][place][c] for c in self._robust_columns(place)]
            levels.append(np.stack(columns, axis=1))
        if self._together:
            drawn = self._sampled(np.concatenate(levels, axis=1), "matched")
            levels = np.split(drawn, 2, axis=1)
        else:
            sides = [[_sides(v)[place] for v in self._spread] for place in (0, 1)]
            levels = [
                self._sampled(here[_complete(here, side)], which)
                for here, side, which in zip(levels, sides, SIDES, strict=True)
            ]
        return [
            _numbers(here, [_sides(v)[place] for v in self._spread])
            for place, here in enumerate(levels)
        ]

    def _sampled(self, levels: Index, which: str) -> Index:
        seed, limit = self.study.options.seed, self.study.schema.of(LossChoices).robust_sample
        rng = np.random.default_rng([seed, 2])
        levels = levels[np.argsort(levels @ rng.uniform(1.0, 2.0, levels.shape[1]))]
        if len(levels) <= limit:
            return levels
        self.log.note(
            "robust-sampled",
            say(
                "Robust eigenvalues are those of {limit:,} of {n:,} {which} units (seed {seed}).",
                limit=limit,
                n=len(levels),
                which=which,
                seed=seed,
            ),
        )
        return levels[np.sort(rng.choice(len(levels), limit, replace=False))]

    # -- groups ------------------------------------------------------------------------------

    @property
    def _groups_named(self) -> list[str]:
        """Variables that form groups in both tables."""
        return [name for name in self.study.schema.loss.groups if name in self.study.placed]

    @cached_property
    def groups_asked(self) -> list[Placed]:
        """The variables that form groups; where none is named, a few with the fewest categories."""
        placed = self.study.placed
        if self.study.schema.loss.groups:
            return [placed[name] for name in self._groups_named]
        few = [
            both
            for both in placed.values()
            if both.type == "nominal" and 2 <= both.size <= MOST_GROUPS
        ]
        return sorted(few, key=lambda both: (both.size, both.name))[:MOST_UNASKED]

    def scatters_by_group(self) -> Iterator[tuple[str, str, Scatter, Scatter]]:
        """Variable and category of each group with two complete units on both sides; both sides."""
        for both in self.groups_asked if self.variables else ():
            sums = [self._facts[place][self._question(place, both)] for place in (0, 1)]
            for level, label in enumerate(both.labels):
                try:
                    before, after = (
                        Scatter.of(found[level], centres)
                        for found, centres in zip(sums, self._centres, strict=True)
                    )
                except Undefined:
                    continue
                yield both.name, label, before, after

    def subdomains(self) -> tuple[SubdomainLoss, ...]:
        """Means and covariances in the groups of the chosen variables."""
        for name in self.study.schema.loss.groups:
            if name not in self.study.placed:
                self.log.note(
                    "groups-differ",
                    say('Groups of "{name}" cannot be formed in both tables.', name=name),
                    [name],
                )
        if not self.variables:
            return ()
        return tuple(
            found for name in self._groups_named for found in self._groups(self.study.placed[name])
        )

    def _groups(self, both: Placed) -> list[SubdomainLoss]:
        sums = [self._facts[place][self._question(place, both)] for place in (0, 1)]
        return [
            self._subdomain(
                both.name,
                label,
                *((found[level], c) for found, c in zip(sums, self._centres, strict=True)),
            )
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


def _centre(side: Side) -> float:
    here = side.levels.sums
    return float(np.average(side.levels.numbers, weights=here)) if here.sum() else 0.0


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


def _below(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    """The rows of a matrix, each as far as its diagonal."""
    return tuple(tuple(float(v) for v in row[:i]) for i, row in enumerate(matrix))


def _matrix(found: Discrepancy) -> MatrixLoss:
    reason = say("every original entry is 0") if found.mean_variation is None else None
    return MatrixLoss(
        mse=found.mse,
        mae=found.mae,
        mean_variation=found.mean_variation,
        reason=reason and say("mean_variation: {reason}", reason=reason),
    )


def no_matrix(why: str) -> MatrixLoss:
    """A matrix that could not be compared."""
    return MatrixLoss(mse=None, mae=None, mean_variation=None, reason=why)
