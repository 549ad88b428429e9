"""What rows say: who has which keys and which value of a target, whose own record agrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Counts, Floats, Index, Words
from microgauge.engines import ORIGINAL, PROTECTED, Engine
from microgauge.engines.rounds import Asking, asked, asked_both
from microgauge.measures.disclosure.learned import Cells
from microgauge.measures.disclosure.matches import same_profiles
from microgauge.passes import Axis, Classes, Facts, MovedClasses, OwnClasses, Pass
from microgauge.passes.classes import ClassCells
from microgauge.records import dataclass
from microgauge.study.common_views import TableName, View
from microgauge.study.study import Study
from microgauge.values.packing import MOST, distinct, packed, unpacked, words_of

CLASSES_AT_A_TIME = 1 << 16
"""Classes that are split together: few enough to stay in the processor's cache."""

Grouping = tuple[Index, int]
"""Where each level goes, the missing one last, and how many levels there are then."""


@dataclass(frozen=True, eq=False)
class Profiles:
    """The combinations of keys that occur in a table, and the values of targets with each."""

    levels: Index
    """Profiles × keys; the key's size where missing."""
    people: Counts
    cells: Mapping[str, Cells]
    """For each target."""
    weights: Floats | None = None
    """Sampling weights of the records with each profile, added up."""
    own: Counts | None = None
    """People whose own record agrees with their keys."""
    released: Counts | None = None
    """People who are in the protected file."""
    words: Words | None = None
    """The levels of each profile, packed."""

    @staticmethod
    def of(
        answers: Mapping[str, ClassCells],
        sizes: Sequence[int],
        targets: Mapping[str, int],
        beside: Profiles | None = None,
    ) -> Profiles:
        """From classes of keys with each target, by its name; "" without one.

        A sum that classes have is the people whose own record agrees. Where another table's
        profiles `beside` are the same, their levels are taken.
        """
        cells: dict[str, Cells] = {}
        levels: Index | None = None
        people = own = None
        for name, answer in answers.items():
            split = _split(answer, sizes, targets.get(name))
            if levels is None:
                words = split.profiles
                levels = _levels(words, sizes, beside)
                people = split.added(answer.rows)
            if own is None and len(answer.sums):
                agree = np.array_equal(answer.sums[0], answer.rows)
                own = people if agree else split.added(answer.sums[0]).astype(np.int64)
            if name:
                assert people is not None
                cells[name] = Cells(split.starts, split.values, answer.rows, people, targets[name])
        assert levels is not None
        assert people is not None
        released = None if own is None else people
        return Profiles(levels, people, cells, own=own, released=released, words=words)

    def regrouped(self, keys: Mapping[int, Grouping], targets: Mapping[str, Grouping]) -> Profiles:
        """The same people by some of the keys, by their place, their levels and targets' regrouped.

        A level that goes to the number of levels is a missing one.
        """
        full = [size + 1 for _, size in keys.values()]
        columns = [goes[self.levels[:, place]] for place, (goes, _) in keys.items()]
        words, where, number = distinct(packed(columns, full), min(prod(full), MOST))
        people = np.bincount(where, self.people, number).astype(np.int64)
        cells = {}
        for name, (goes, size) in targets.items():
            held = self.cells[name]
            pairs = where[held.profiles] * np.int64(size + 1) + goes[held.values]
            found, place, count = distinct(pairs[np.newaxis], number * (size + 1))
            rows = np.bincount(place, held.rows, count).astype(np.int64)
            profile, value = np.divmod(found[0], size + 1)
            cells[name] = Cells.of(profile, value, rows, size)
        return Profiles(unpacked(words, full), people, cells)


def kept(size: int) -> Grouping:
    """Every level goes to itself."""
    return np.arange(size + 1), size


def _levels(words: Words, sizes: Sequence[int], beside: Profiles | None) -> Index:
    """Packed profiles as levels."""
    if beside is not None and beside.words is not None and np.array_equal(words, beside.words):
        return beside.levels
    return unpacked(words, [size + 1 for size in sizes])


@dataclass(frozen=True, eq=False)
class _Split:
    """Classes of keys and a target: where each profile of keys begins, and the target's values."""

    profiles: Words
    """The keys of each profile, packed."""
    starts: Index
    values: Index

    def added(self, figures: NDArray[Any]) -> NDArray[Any]:
        """Sums over the classes of each profile."""
        return np.add.reduceat(figures, self.starts) if len(figures) else figures


def _split(answer: ClassCells, sizes: Sequence[int], target: int | None) -> _Split:
    """The profiles of keys among classes whose last axis is a target.

    Classes are sorted, and the target is what changes last: equal keys stand together.
    """
    words = answer.keys
    if target is None:
        number = words.shape[1]
        return _Split(words, np.arange(number), np.zeros(number, dtype=np.intp))
    number = words.shape[1]
    # In as few bytes as may be: there are as many as classes.
    values = np.empty(number, dtype=np.min_scalar_type(target + 1))
    new = np.ones(number, dtype=np.bool_)
    for start in range(0, number, CLASSES_AT_A_TIME):
        # With the one before, which the first is compared with.
        some = slice(max(start - 1, 0), start + CLASSES_AT_A_TIME)
        part = words[:, some]
        last = part[-1] // (target + 1)
        np.subtract(part[-1], last * (target + 1), out=values[some], casting="unsafe")
        changed = last[1:] != last[:-1]
        for word in part[:-1]:
            changed |= word[1:] != word[:-1]
        new[some][1:] = changed
    starts = np.flatnonzero(new)
    keys = words[:, starts]
    keys[-1] //= target + 1
    alone = len(words_of([*(size + 1 for size in sizes), target + 1])[-1]) == 1
    return _Split(keys[:-1] if alone else keys, starts, values)


@dataclass(frozen=True, eq=False)
class Asked:
    """Which keys an intruder knows and which targets are wanted, and the axes of each table."""

    study: Study
    keys: Sequence[View]
    targets: Sequence[View]

    @property
    def sizes(self) -> list[int]:
        """Levels of each key."""
        return [key.size for key in self.keys]

    @property
    def target_sizes(self) -> dict[str, int]:
        """Levels of each target."""
        return {target.name: target.size for target in self.targets}

    def axes(self, table: TableName, prefix: str = "") -> tuple[Axis, ...]:
        """The keys of a table."""
        return tuple(key.axis(table, prefix + key.name) for key in self.keys)

    @property
    def pairs(self) -> tuple[tuple[Axis, Axis], ...]:
        """For each key, what is known of a unit and what its own record shows."""
        return tuple(
            zip(self.axes("original", ORIGINAL), self.axes("protected", PROTECTED), strict=True)
        )

    @property
    def moved(self) -> MovedClasses:
        """Units whose own record does not agree with what is known of them."""
        before, after = zip(*self.pairs, strict=True)
        return MovedClasses((*before, *after), self.pairs)

    def of_table(self, table: TableName, prefix: str = "") -> dict[str, Classes]:
        """The classes of keys with each target that a table has; without any, of keys alone."""
        keys = self.axes(table, prefix)
        found = {
            target.name: Classes((*keys, target.axis(table, prefix + target.name)))
            for target in self.targets
            if table in target.sides
        }
        return found or {"": Classes(keys)}

    @property
    def whole(self) -> bool:
        """Whether matched rows are all units of the original."""
        return self.study.matched is not None and not self.study.matching.alignment.dropped

    def of_units(self) -> dict[str, OwnClasses]:
        """The same of matched rows, with whose record agrees; only that where units are gone."""
        if not self.whole:
            return {"": OwnClasses(self.axes("original", ORIGINAL), self.pairs)}
        classes = self.of_table("original", ORIGINAL)
        return {name: OwnClasses(question.axes, self.pairs) for name, question in classes.items()}


@dataclass(frozen=True, eq=False)
class Evidence:
    """People of the original by what is known of them, and the records of the protected file."""

    people: Profiles
    shown: Profiles
    released: int | None
    """Units of the original that are in the file; None where nobody knows."""
    moved: tuple[Index, Index, Counts] | None = None
    """Profile, profile of the own record, units: of those whose own record does not agree."""


def read_evidence(wanted: Asked, weight: Axis | None) -> Asking[Evidence]:
    """From one round."""
    study = wanted.study
    shown = wanted.of_table("protected")
    asking: dict[Engine, list[Pass]] = {study.protected: [*shown.values()]}
    weighing = Classes(wanted.axes("protected"), () if weight is None else (weight,))
    if weight is not None:
        asking[study.protected].append(weighing)
    mine = {} if wanted.whole else wanted.of_table("original")
    if mine:
        asking.setdefault(study.original, []).extend(mine.values())
    units = {} if study.matched is None else wanted.of_units()
    if study.matched is not None:
        asking[study.matched] = [*units.values(), wanted.moved]
    answers = yield from asked_both(list(asking), list(asking.values()))
    facts = dict(zip(asking, answers, strict=True))
    records = _profiles(wanted, shown, facts[study.protected])
    if weight is not None:
        records = replace(records, weights=facts[study.protected][weighing].sums[0])
    if study.matched is None:
        return Evidence(_profiles(wanted, mine, facts[study.original]), records, None)
    people = agreeing = _profiles(wanted, units, facts[study.matched], records)
    if not wanted.whole:
        people = _with_own(wanted, mine, facts[study.original], agreeing)
    moved = _moved(wanted, people, records, facts[study.matched][wanted.moved])
    return Evidence(people, records, int(agreeing.people.sum()), moved)


def _moved(
    wanted: Asked, people: Profiles, shown: Profiles, cells: ClassCells
) -> tuple[Index, Index, Counts] | None:
    """Units whose own record does not agree with what is known: by both profiles."""
    if not len(cells.rows):
        return None
    levels = unpacked(cells.keys, wanted.moved.sizes)
    split = len(wanted.keys)
    person = same_profiles(levels[:, :split], people.levels, wanted.sizes)
    record = same_profiles(levels[:, split:], shown.levels, wanted.sizes)
    return person, record, cells.rows


def _profiles(
    wanted: Asked, questions: Mapping[str, Pass], facts: Facts, beside: Profiles | None = None
) -> Profiles:
    answers = {name: facts[question] for name, question in questions.items()}
    return Profiles.of(answers, wanted.sizes, wanted.target_sizes, beside)


def _with_own(
    wanted: Asked, questions: Mapping[str, Classes], facts: Facts, agreeing: Profiles
) -> Profiles:
    """All units of the original, with those of the released whose own record agrees."""
    people = _profiles(wanted, questions, facts)
    place = same_profiles(agreeing.levels, people.levels, wanted.sizes)
    own, released = np.zeros((2, len(people.people)), dtype=np.int64)
    assert agreeing.own is not None
    own[place], released[place] = agreeing.own, agreeing.people
    return Profiles(people.levels, people.people, people.cells, own=own, released=released)


def read_holdout(wanted: Asked) -> Asking[Profiles]:
    """People who are not in the original, by the same keys and targets."""
    holdout = wanted.study.holdout
    assert holdout is not None
    questions = wanted.of_table("holdout")
    facts = yield from asked(holdout.engine, list(questions.values()))
    return _profiles(wanted, questions, facts)
