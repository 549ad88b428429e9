"""Intruders who know less (Duncan and Lambert 1989): some keys, or all of them with error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from microgauge.arrays import Counts, Index
from microgauge.engines.rounds import Asking, asked
from microgauge.languages.messages import say, strung
from microgauge.measures.disclosure.learned import Cells, Target
from microgauge.measures.disclosure.matches import agree, same_profiles
from microgauge.passes import Classes
from microgauge.records import dataclass
from microgauge.results.disclosure import Intruder
from microgauge.sections.disclosure.attack import Attack, both_ways
from microgauge.sections.disclosure.evidence import (
    Asked,
    Evidence,
    Profiles,
    kept,
)
from microgauge.study.common_views import View
from microgauge.values.packing import MOST, distinct, packed, unpacked

MOST_KNOWN = 3
"""Keys that an intruder knows who knows some."""
MOST_UNITS = 5_000_000
"""Units beyond which nobody is made to err."""


@dataclass(frozen=True, eq=False)
class Joint:
    """What is known of units beside what their own records show: pairs of profiles, and units."""

    known: Index
    shown: Index
    rows: Counts


def read_joint(wanted: Asked) -> Asking[Joint | None]:
    """One round of matched rows; None where tables are not aligned."""
    if wanted.study.matched is None:
        return None
    before, after = zip(*wanted.pairs, strict=True)
    question = Classes((*before, *after))
    facts = yield from asked(wanted.study.matched, [question])
    levels = unpacked(facts[question].keys, question.sizes)
    split = len(before)
    return Joint(levels[:, :split], levels[:, split:], facts[question].rows)


@dataclass(frozen=True, eq=False)
class Intruders:
    """The attacks of those who know less than all keys."""

    keys: Sequence[View]
    targets: Sequence[Target]
    evidence: Evidence
    joint: Joint | None
    seed: int
    error: float

    def results(self, all_keys: Intruder) -> tuple[Intruder, ...]:
        """Who knows all keys, who knows them with error, and who knows some, the worst first."""
        some = sorted(self._some(), key=lambda one: -max(one.found or 0.0, one.learned or 0.0))
        return (all_keys, self._with_error(), *some)

    def _some(self) -> Iterator[Intruder]:
        for size in range(1, min(MOST_KNOWN, len(self.keys) - 1) + 1):
            for places in combinations(range(len(self.keys)), size):
                yield self._of(list(places))

    def _of(self, places: list[int]) -> Intruder:
        keys = [self.keys[i] for i in places]
        sizes = [key.size for key in keys]
        people = _collapsed(self.evidence.people, places, sizes)
        shown = _collapsed(self.evidence.shown, places, sizes)
        moved = None
        if self.joint is not None:
            joint = Joint(self.joint.known[:, places], self.joint.shown[:, places], self.joint.rows)
            people, moved = _matched(people, shown, joint, sizes)
        return self._told("some", keys, people, shown, moved)

    def _with_error(self) -> Intruder:
        """The intruder who takes another person's value for some of the keys' values."""
        names = tuple(key.name for key in self.keys)
        units = int(self.evidence.people.people.sum())
        if units > MOST_UNITS:
            return Intruder(
                knows="with error",
                keys=names,
                found=None,
                learned=None,
                error=self.error,
                reason=say("more than {most_units:,} units", most_units=MOST_UNITS),
            )
        sizes = [key.size for key in self.keys]
        moved = None
        people, shown = self.evidence.people, self.evidence.shown
        if self.joint is not None:
            erring = self._erred(np.repeat(self.joint.known, self.joint.rows, axis=0))
            records = np.repeat(self.joint.shown, self.joint.rows, axis=0)
            levels, rows = _counted(erring, sizes)
            people = Profiles(levels, rows, {}, released=rows)
            joint = Joint(erring, records, np.ones(len(erring), dtype=np.int64))
            people, moved = _matched(people, shown, joint, sizes)
        found = self._told("with error", self.keys, people, shown, moved, targets=())
        released = int(people.people.sum())  # those not released are not found, and count
        best: tuple[float, str] | None = None
        for target in self.targets:
            told = self._learned_with_error(target, sizes)
            if told is not None and (best is None or told > best[0]):
                best = (told, target.name)
        return explained(
            replace(
                found,
                found=None if found.found is None else found.found * released / units,
                learned=None if best is None else max(best[0], 0.0),
                target=None if best is None else best[1],
                error=self.error,
            )
        )

    def _learned_with_error(self, target: Target, sizes: list[int]) -> float | None:
        cells = self.evidence.people.cells.get(target.name)
        if cells is None:
            return None
        erring = self._erred(np.repeat(self.evidence.people.levels[cells.profiles], cells.rows, 0))
        values = np.repeat(cells.values, cells.rows)
        full = [size + 1 for size in sizes]
        keys, places, _ = distinct(packed(list(erring.T), full), MOST)
        pairs, counts = np.unique(places * (target.size + 1) + values, return_counts=True)
        profile, value = np.divmod(pairs, target.size + 1)
        made = Cells.of(profile, value, counts.astype(np.int64), target.size)
        people = Profiles(unpacked(keys, full), made.people, {target.name: made})
        told = self._told(
            "with error", self.keys, people, self.evidence.shown, None, targets=[target]
        )
        return told.learned

    def _erred(self, levels: Index) -> Index:
        """What is known of units, some values of each key taken from another unit."""
        chance = np.random.default_rng([self.seed, 7])
        found = levels.copy()
        for place in range(levels.shape[1]):
            wrong = np.flatnonzero(chance.random(len(levels)) < self.error)
            found[wrong, place] = levels[chance.integers(0, len(levels), len(wrong)), place]
        return found

    def _told(
        self,
        knows: str,
        keys: Sequence[View],
        people: Profiles,
        shown: Profiles,
        moved: tuple[Index, Index, Counts] | None,
        targets: Sequence[Target] | None = None,
    ) -> Intruder:
        wanted = self.targets if targets is None else targets
        shown = replace(shown, weights=None)
        attack = Attack(keys, wanted, people, shown, self.seed, moved)
        return intruder_of(attack, knows)


def intruder_of(attack: Attack, knows: str) -> Intruder:
    """What an attack gets, in short."""
    units = attack.people.people.sum()
    found = None
    if attack.people.own is not None:
        each = attack.own_nearest.chances(attack.nearest) * attack.scale
        found = float(each.sum() / units)
    chances = {
        target.name: attack.chance(target)
        for target in attack.targets
        if attack.people.cells[target.name].counts[: target.size].sum()
    }
    best = max(
        (
            (max(way.exact.worth.sum(), (way.nearest.worth * attack.scale).sum()), way.target.name)
            for way in both_ways(attack, chances)
        ),
        default=None,
    )
    return explained(
        Intruder(
            knows=knows,  # type: ignore[arg-type]
            keys=tuple(key.name for key in attack.keys),
            found=found,
            learned=None if best is None else max(float(best[0] / units), 0.0),
            target=None if best is None else best[1],
        )
    )


def explained(intruder: Intruder) -> Intruder:
    """With the reason of each figure that there is not."""
    why = []
    if intruder.found is None:
        why.append(say("found: the tables are not aligned"))
    if intruder.learned is None:
        why.append(say("learned: there is no target"))
    return replace(intruder, reason=strung(why, "; ") or None)


def _counted(levels: Index, sizes: Sequence[int]) -> tuple[Index, Counts]:
    """Different profiles, and the units with each."""
    full = [size + 1 for size in sizes]
    keys, places, number = distinct(packed(list(levels.T), full), MOST)
    return unpacked(keys, full), np.bincount(places, minlength=number).astype(np.int64)


def _collapsed(profiles: Profiles, places: list[int], sizes: Sequence[int]) -> Profiles:
    """The same people or records by fewer keys."""
    return profiles.regrouped(
        {place: kept(size) for place, size in zip(places, sizes, strict=True)},
        {name: kept(cells.size) for name, cells in profiles.cells.items()},
    )


def _matched(
    people: Profiles, shown: Profiles, joint: Joint, sizes: Sequence[int]
) -> tuple[Profiles, tuple[Index, Index, Counts]]:
    """With whose own record agrees, and where the records of the others are."""
    person = same_profiles(joint.known, people.levels, sizes)
    record = same_profiles(joint.shown, shown.levels, sizes)
    same = agree(joint.known, joint.shown, sizes)
    own = np.bincount(person[same], joint.rows[same], len(people.people)).astype(np.int64)
    rest = np.flatnonzero(~same)
    pairs = person[rest] * np.int64(len(shown.people)) + record[rest]
    found, place = np.unique(pairs, return_inverse=True)
    rows = np.bincount(place, joint.rows[rest], len(found)).astype(np.int64)
    first, second = np.divmod(found, np.int64(max(len(shown.people), 1)))
    return replace(people, own=own), (first.astype(np.intp), second.astype(np.intp), rows)
