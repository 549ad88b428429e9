"""The intruder at work: who is found and what is learned by a set of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.errors import Undefined
from microgauge.kernels.threads import one_thread
from microgauge.languages.messages import say
from microgauge.measures.disclosure.found import Own, nearest_own
from microgauge.measures.disclosure.learned import Chance, Learned, Target, learned
from microgauge.measures.disclosure.matches import (
    Key,
    Matches,
    exact_matches,
    nearest_matches,
)
from microgauge.measures.risk.compatible import Layer
from microgauge.records import dataclass
from microgauge.sections.disclosure.evidence import Evidence, Profiles
from microgauge.study.common_views import View

MOST_COMPARED = 5_000_000_000
"""Pairs of profiles beyond which the nearest are looked for only for some people."""


@dataclass(frozen=True, eq=False)
class Attack:
    """What an intruder who knows some keys gets of the people of one table."""

    keys: Sequence[View]
    targets: Sequence[Target]
    """Those that the protected file still has."""
    people: Profiles
    shown: Profiles
    seed: int
    moved: tuple[Index, Index, Counts] | None = None
    quickly: int | None = None
    """People for whom the nearest are looked for, of those without a match, where all would take
    longer than a first reading may."""

    @property
    def _sizes(self) -> list[int]:
        return [key.size for key in self.keys]

    @cached_property
    def _layers(self) -> list[Layer]:
        """Weights of the matches, and for each target what they show."""
        found = []
        if self.shown.weights is not None:
            found.append(Layer(self.shown.weights, "sum"))
        for target in self.targets:
            found += target.layers(self.shown.cells[target.name])
        return found

    def _place(self, name: str) -> int:
        """Where the layers of a target begin."""
        place = int(self.shown.weights is not None)
        for target in self.targets:
            if target.name == name:
                return place
            place += 2 if target.numbers is None else 3
        raise KeyError(name)

    @cached_property
    def exact(self) -> Matches:
        """The records that agree in every key."""
        return exact_matches(
            self.people.levels, self.shown.levels, self.shown.people, self._sizes, self._layers
        )

    @cached_property
    def _near(self) -> tuple[Matches, list[tuple[Index, Index]]]:
        keys = [(Key(key.positions), key.size) for key in self.keys]
        pairs: list[tuple[Index, Index]] = []
        with one_thread():
            found = nearest_matches(
                self.exact,
                self.people.levels,
                self.shown.levels,
                self.shown.people,
                keys,
                self._layers,
                self.looked_for,
                pairs if self.moved is not None else None,
            )
        return found, pairs

    @property
    def nearest(self) -> Matches:
        """The records that agree, else the nearest."""
        return self._near[0]

    @cached_property
    def without_match(self) -> Index:
        """Profiles that no record agrees with."""
        return np.flatnonzero(self.exact.records == 0)

    @cached_property
    def looked_for(self) -> Index:
        """Those of them for which the nearest are looked for: all, or some drawn with the seed."""
        alone = self.without_match
        most = max(MOST_COMPARED // max(len(self.shown.levels), 1), 1_000)
        if self._drawn is not None:
            return alone[self._drawn > 0]
        if len(alone) <= most:
            return alone
        return np.sort(np.random.default_rng(self.seed).choice(alone, most, replace=False))

    @cached_property
    def _drawn(self) -> Counts | None:
        """People drawn of each profile without a match; None where no few are drawn.

        People, not profiles: those with common keys are most of them, and what few rare ones show
        says little of all.
        """
        alone = self.without_match
        if self.quickly is None or len(alone) <= self.quickly:
            return None
        rng = np.random.default_rng(self.seed)
        people = self.people.people[alone]
        return rng.multivariate_hypergeometric(people, self.quickly, method="marginals")

    @property
    def people_looked_for(self) -> tuple[int, int]:
        """For how many people the nearest are looked for, of how many without a match."""
        every = int(self.people.people[self.without_match].sum())
        if self.quickly is not None and self._drawn is not None:
            return self.quickly, every
        return int(self.people.people[self.looked_for].sum()), every

    @property
    def sampled(self) -> bool:
        """Whether the nearest are looked for only for some of those without a match."""
        return self._drawn is not None or len(self.looked_for) < len(self.without_match)

    @cached_property
    def scale(self) -> Floats:
        """What each profile stands for: more than itself where only some are looked for."""
        found = np.ones(len(self.people.people))
        if self._drawn is not None:
            alone = self.without_match
            drawn, every = self.people_looked_for
            found[alone] = self._drawn / self.people.people[alone] * (every / drawn)
        elif self.sampled:
            alone, drawn = (
                self.people.people[some].sum() for some in (self.without_match, self.looked_for)
            )
            found[self.without_match] = 0.0
            found[self.looked_for] = alone / max(drawn, 1)
        return found

    # -- identity ------------------------------------------------------------------------------

    @cached_property
    def own_exact(self) -> Own:
        """Whose own record is among those that agree."""
        if self.people.own is None:
            raise Undefined(say("the tables are not aligned"))
        return Own(self.people.people, self.people.own)

    @cached_property
    def own_nearest(self) -> Own:
        """Whose own record is among the nearest."""
        found = self.own_exact.found
        if self.moved is not None:
            found = found + nearest_own(self._near[1], self.moved, len(found))
        return Own(self.people.people, found)

    # -- attributes ----------------------------------------------------------------------------

    def chance(self, target: Target) -> Chance:
        """What a file without any relation would give of a target."""
        return Chance(target, self.shown.cells[target.name], self.seed)

    def learned(self, target: Target, matches: Matches, chance: Chance) -> Learned:
        """What is learned of a target from some matches."""
        believed = target.believed(matches, self._place(target.name))
        return learned(target, self.people.cells[target.name], believed, matches, chance)


@dataclass(frozen=True, eq=False)
class Both:
    """What is learned of one target, from equal records only and from the nearest too."""

    target: Target
    exact: Learned
    nearest: Learned


def both_ways(attack: Attack, chances: Mapping[str, Chance]) -> list[Both]:
    """What is learned of every target, both ways; targets that are all missing are left out."""
    found = []
    for target in attack.targets:
        if target.name not in attack.people.cells or target.name not in chances:
            continue
        chance = chances[target.name]
        exact = attack.learned(target, attack.exact, chance)
        near = exact
        if len(attack.looked_for):
            near = attack.learned(target, attack.nearest, chance)
        found.append(Both(target, exact, near))
    return found


def attack_of(
    keys: Sequence[View],
    targets: Sequence[Target],
    evidence: Evidence,
    seed: int,
    quickly: int | None = None,
) -> Attack:
    """The attack on the people of the original."""
    return Attack(keys, targets, evidence.people, evidence.shown, seed, evidence.moved, quickly)
