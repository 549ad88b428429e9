"""The one figure, its interval and its worst part, from what was found and learned."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.measures.disclosure.attribution import Twins
from microgauge.measures.disclosure.intervals import (
    Attacked,
    Clustered,
    clustered,
    largest_interval,
    normal_quantile,
    simultaneous,
)
from microgauge.records import dataclass
from microgauge.results.disclosure import (
    CopiedUnits,
    Disclosure,
    Ends,
    Found,
    LearnedTarget,
    LookedFor,
    Part,
    Worst,
)
from microgauge.sections.disclosure.attack import Attack, Both
from microgauge.sections.disclosure.intruders import Intruders, intruder_of
from microgauge.sections.disclosure.outsiders import Outsiders
from microgauge.sections.disclosure.parts import attributed, found_result, gone, replicated_uniques

if TYPE_CHECKING:
    from microgauge.sections.disclosure.section import Measure

ALIGNED = say("the tables are aligned: whose record is whose is known (see found)")
NO_VALUE_LEFT = say("the protected file has no value in any variable that the tables share")
ROUNDING = 1e-12
"""A risk no larger is what sums leave behind, not a finding."""
NO_TCAP = say("tcap: no person's keys occur in the protected file")
NOT_COMPARED = say("excess: the holdout has no value of it")
NO_TARGET = say("no variable is left to learn: name sensitive variables or targets")


@dataclass(frozen=True, eq=False)
class Column:
    """A figure that may be the largest: what part and variable it is of."""

    part: Part
    variable: str | None
    mean: float
    variance: float


def _totals(attack: Attack, ways: list[Both], found: Floats | None) -> Attacked:
    """Profiles × figures: found, and of each target exact and nearest."""
    columns = [] if found is None else [found]
    for way in ways:
        columns += [way.exact.worth, way.nearest.worth * attack.scale]
    people = attack.people.people
    clusters = attack.nearest.first if len(attack.looked_for) else attack.exact.first
    totals = np.stack(columns, axis=1) if columns else np.zeros((len(people), 0))
    return totals, people, clusters


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures of one measure."""

    measure: Measure

    @property
    def _aligned(self) -> bool:
        return self.measure.evidence.released is not None

    @cached_property
    def _found(self) -> Floats | None:
        """For each profile, the chances of its people to be found."""
        attack = self.measure.attack
        if not self._aligned:
            return None
        return attack.own_nearest.chances(attack.nearest) * attack.scale

    @cached_property
    def own(self) -> Clustered:
        """Found, and both ways of every target, of the people of the original."""
        attack = self.measure.attack
        return clustered(_totals(attack, self.measure.ways, self._found))

    @cached_property
    def apart(self) -> Clustered | None:
        """The same less that of the holdout.

        First what the holdout cannot answer for, as it is: found, and targets that it lacks.
        """
        other = self.measure.holdout_attack
        if other is None or not other.people.people.sum():
            return None
        names = {way.target.name for way in self.measure.holdout_ways}
        mine = [way for way in self.measure.ways if way.target.name in names]
        totals, people, clusters = _totals(other, self.measure.holdout_ways, None)
        nothing = np.zeros((len(people), self._compared))
        return clustered(
            _totals(self.measure.attack, [*self._alone, *mine], self._found),
            (np.concatenate([nothing, totals], axis=1), people, clusters),
            kept=self._compared,
        )

    @cached_property
    def _alone(self) -> list[Both]:
        """Targets of which the holdout has no value: all that is learned of them counts."""
        names = {way.target.name for way in self.measure.holdout_ways}
        return [way for way in self.measure.ways if way.target.name not in names]

    @property
    def _compared(self) -> int:
        """Where the columns begin that are compared with the holdout."""
        return self._first + 2 * len(self._alone)

    @property
    def _first(self) -> int:
        """Where the targets' columns begin."""
        return int(self._aligned)

    # -- one target ------------------------------------------------------------------------------

    def targets(self) -> tuple[LearnedTarget, ...]:
        """What is learned of each target; those that are gone with the reason."""
        measure = self.measure
        twins = self._twins
        found = {}
        for place, way in enumerate(measure.ways):
            found[way.target.name] = self._target(way, self._first + 2 * place, twins)
        for target in measure.attack.targets:
            found.setdefault(target.name, gone(target.name, say("every value is missing")))
        for name in _wanted(measure):
            found.setdefault(
                name, gone(name, say("it is not in the protected file, or not comparable"))
            )
        return tuple(found[name] for name in sorted(found))

    @cached_property
    def _twins(self) -> Twins:
        evidence = self.measure.evidence
        sizes = [key.size for key in self.measure.keys]
        return Twins.of(evidence.people.levels, evidence.shown.levels, sizes)

    def _target(self, way: Both, place: int, twins: Twins) -> LearnedTarget:
        evidence, name = self.measure.evidence, way.target.name
        keys = (self.measure.keys, evidence.people.levels)
        more: dict[str, Any] = attributed(
            name, evidence.people.cells[name], evidence.shown.cells[name], twins, keys
        )
        against = self._against_holdout(name)
        units = evidence.people.people.sum()
        means, errors = self.own.means[place : place + 2], self.own.errors[place : place + 2]
        z = normal_quantile()
        ends = [(float(m - z * e), float(m + z * e)) for m, e in zip(means, errors, strict=True)]
        return LearnedTarget(
            target=name,
            value=float(means.max()),
            exact=float(means[0]),
            exact_ci=ends[0],
            nearest=float(means[1]),
            nearest_ci=ends[1],
            gain=float(way.exact.gain.sum() / units),
            null=float(way.exact.null.sum() / units),
            ci=self._interval(self.own, slice(place, place + 2)),
            **more,
            **against,
            reason=self._lacking(more["tcap"] is None, "excess" not in against),
        )

    def _lacking(self, no_tcap: bool, no_excess: bool) -> str | None:
        """Why a target lacks some figures that others have."""
        why = [NO_TCAP] if no_tcap else []
        if no_excess and self.apart is not None:
            why.append(NOT_COMPARED)
        return strung(why, "; ") or None

    def _interval(self, figures: Clustered, columns: slice) -> Ends:
        """Of the largest of some figures."""
        covariance = figures.covariance[columns, columns]
        width = simultaneous(covariance, self.measure.study.options.seed)
        return largest_interval(figures.means[columns], figures.errors[columns], width)

    def _against_holdout(self, name: str) -> dict[str, Any]:
        names = [way.target.name for way in self.measure.holdout_ways]
        if self.apart is None or name not in names:
            return {}
        place = self._compared + 2 * names.index(name)
        way = self.measure.holdout_ways[names.index(name)]
        other = self.measure.holdout_attack
        assert other is not None
        people = other.people.people.sum()
        exact, near = way.exact.worth.sum(), (way.nearest.worth * other.scale).sum()
        return {
            "holdout": float(max(exact, near) / people),
            "excess": float(self.apart.means[place : place + 2].max()),
            "excess_ci": self._interval(self.apart, slice(place, place + 2)),
        }

    # -- the largest -----------------------------------------------------------------------------

    def columns(self, copied: CopiedUnits) -> tuple[list[Column], Floats]:
        """All figures that may be the largest, and their covariance."""
        figures = self.own if self.apart is None else self.apart
        alone = self.measure.ways if self.apart is None else self._alone
        compared = [] if self.apart is None else self.measure.holdout_ways
        labels: list[tuple[Part, str | None]] = [("found", None)] if self._aligned else []
        labels += [("learned", way.target.name) for way in alone for _ in (0, 1)]
        labels += [("excess", way.target.name) for way in compared for _ in (0, 1)]
        found = [
            Column(part, name, float(mean), float(error**2))
            for (part, name), mean, error in zip(labels, figures.means, figures.errors, strict=True)
        ]
        covariance = figures.covariance
        if self._aligned:
            return found, covariance
        return _with_copied(found, covariance, copied)

    def result(self) -> Disclosure:
        """Every figure, null with a reason where there is none."""
        measure = self.measure
        found = found_result(measure.attack, measure.evidence, _unweighted(measure))
        copied = self._copied()
        columns, covariance = self.columns(copied)
        targets = self.targets()
        risk, ends, worst = _largest(columns, covariance, measure.study.options.seed)
        if self._aligned:
            found = replace(found, ci=_clipped(self._interval(self.own, slice(0, 1))))
            found = self._by_group(found)
        learned = slice(self._first, None)
        here = {key.name for key in measure.keys}
        return Disclosure(
            risk=risk,
            risk_ci=ends,
            upper_bound=_is_bound(worst, copied),
            worst=worst,
            keys=tuple(key.name for key in measure.keys),
            keys_gone=tuple(name for name in measure.study.schema.keys if name not in here),
            targets=tuple(target.target for target in targets),
            units=int(measure.evidence.people.people.sum()),
            released=measure.evidence.released,
            found=found,
            copied=copied,
            replicated=replicated_uniques(measure.evidence, self._twins),
            learned=targets,
            learned_ci=_clipped(self._interval(self.own, learned)) if measure.ways else None,
            **self._excess(),
            **self._on_request(),
            looked_for=_looked_for(measure.attack),
            seed=measure.study.options.seed,
            reason=None if targets else NO_TARGET,
        )

    def _excess(self) -> dict[str, Any]:
        measure = self.measure
        if self.apart is None or measure.holdout is None:
            return {}
        found: dict[str, Any] = {"holdout": int(measure.holdout.people.sum())}
        learned = slice(self._compared, None)
        if measure.holdout_ways:
            found["excess"] = max(float(self.apart.means[learned].max()), 0.0)
            found["excess_ci"] = _clipped(self._interval(self.apart, learned))
        if measure.copies is not None:
            try:
                found["holdout_shared"] = measure.copies.shared_units()
            except Undefined:
                found["holdout_shared"] = None  # too many records to compare; nothing is claimed
        return found

    def _by_group(self, found: Found) -> Found:
        groups = self.measure.more.groups
        if groups is None:
            return found
        attack = self.measure.attack
        return replace(
            found, group=groups.name, groups=groups.results(attack.people.levels, attack.exact)
        )

    def _on_request(self) -> dict[str, Any]:
        """Membership where there is a holdout; WP29's attacks and lesser intruders if asked."""
        measure = self.measure
        found: dict[str, Any] = {}
        if measure.quickly is not None:  # a quick reading
            return found
        seed, chosen = measure.study.options.seed, measure.chosen
        if measure.copies is not None and (measure.holdout is not None or chosen.attacks):
            outsiders = Outsiders(measure.copies, seed)
            if measure.holdout is not None:
                measure.log.progress(say("telling who was in"), 0.0)
                found["membership"] = outsiders.membership()
            if chosen.attacks:
                names = [target.name for target in measure.attack.targets]
                keys = [key.name for key in measure.keys]
                found["attacks"] = outsiders.attacks(keys, names)
        if chosen.intruders:
            intruders = Intruders(
                measure.keys,
                measure.attack.targets,
                measure.evidence,
                measure.more.joint,
                seed,
                chosen.key_error,
            )
            found["intruders"] = intruders.results(intruder_of(measure.attack, "all"))
        return found

    def _copied(self) -> CopiedUnits:
        measure = self.measure
        if self._aligned:
            return CopiedUnits(value=None, reason=ALIGNED)
        if measure.copies is None:
            return CopiedUnits(value=None, reason=NO_VALUE_LEFT)
        measure.log.progress(say("looking for copied records"), 0.0)
        return measure.copies.result(measure.keys, measure.evidence.shown)


def _looked_for(attack: Attack) -> LookedFor | None:
    """For how many the nearest were looked for, where not for all."""
    if not attack.sampled:
        return None
    drawn, every = attack.people_looked_for
    return LookedFor(drawn=drawn, of=every)


def _unweighted(measure: Measure) -> str:
    """Why nobody is found in the population, where there are no weights of records."""
    if measure.study.options.weight_of("protected") is None:
        return say("population: no sampling weight is named")
    return say("population: the weight is no column of numbers in the protected table")


def _is_bound(worst: Worst | None, copied: CopiedUnits) -> bool:
    """Whether the largest figure was not compared with people who are not in the file."""
    if worst is None:
        return False
    uncontrolled = worst.part == "found_copied" and copied.found_copied_excess is None
    return worst.part == "learned" or uncontrolled


def _wanted(measure: Measure) -> list[str]:
    """Targets that were named, or whose role names them."""
    return list(measure.chosen.targets) or [
        v.name for v in measure.study.variables if v.role == "sensitive"
    ]


def _with_copied(
    found: list[Column], covariance: Floats, copied: CopiedUnits
) -> tuple[list[Column], Floats]:
    """With the chance to be found by a copy, which varies by itself."""
    value, ends = copied.found_copied_excess, copied.found_copied_excess_ci
    if value is None:
        value, ends = copied.found_copied, copied.found_copied_ci
    if value is None or ends is None:
        return found, covariance
    error = (ends[1] - ends[0]) / (2.0 * normal_quantile())
    size = len(found) + 1
    wider = np.zeros((size, size))
    wider[1:, 1:] = covariance
    wider[0, 0] = error**2
    return [Column("found_copied", None, value, error**2), *found], wider


def _largest(
    columns: list[Column], covariance: Floats, seed: int
) -> tuple[float | None, Ends | None, Worst | None]:
    """The risk: the largest figure, never below 0; its interval; where it comes from."""
    if not columns:
        return None, None, None
    means = np.array([column.mean for column in columns])
    errors = np.sqrt(np.array([column.variance for column in columns]))
    ends = largest_interval(means, errors, simultaneous(covariance, seed))
    worst = columns[int(means.argmax())]
    largest = float(means.max())
    return (
        largest if largest > ROUNDING else 0.0,
        _clipped(ends),
        Worst(part=worst.part, variable=worst.variable),
    )


def _clipped(ends: Ends) -> Ends:
    """Figures below 0 are chance."""
    return max(ends[0], 0.0), min(max(ends[1], 0.0), 1.0)
