"""Which terms `auto` gives a propensity model: pairs always, coarse where they must be.

The choice sees the original alone (its frequencies, quantiles and associations) and a number of
rows, so it is fixed where the protected file is a resample, and one design holds for all
candidates that are compared, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from microgauge.arrays import Floats
from microgauge.measures.joint.grouping import (
    FEW_ROWS,
    Extension,
    Frequencies,
    Grouping,
    coarse,
    pooled,
    product_categories,
)
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.terms import MISSING, Term
from microgauge.records import dataclass

ROWS_PER_TERM = 20
"""Rows that a term needs."""
CUBES = 3
MOST_GROUPS = 6
"""Groups of a coarsened variable that are tried first; two are the fewest."""
ROOM = 0.25
"""Share of the terms that must be left for pairs: or the cubes go, then categories are joined."""


@dataclass(frozen=True)
class Plan:
    """The design of a propensity model, by the names of variables."""

    degree: int
    """Powers of numbers in main effects."""
    groups: int | None
    """Groups of the variables whose products are formed; None: products of the values."""
    pairs: tuple[tuple[str, str], ...] | None
    """The pairs that are in; None: all."""
    rows: int
    """Rows of both files that it was chosen for."""
    terms: int
    """Terms it has on the original."""
    categories: int | None = None
    """Groups of a nominal variable in main effects at most; None: all that have rows enough."""

    @property
    def too_rich(self) -> bool:
        """Whether its rows do not even bear its main effects and a first pair."""
        return self.terms * ROWS_PER_TERM > self.rows

    def has(self, a: str, b: str) -> bool:
        """Whether a pair of variables is in."""
        return self.pairs is None or (a, b) in self.pairs or (b, a) in self.pairs


def chosen_plan(original: Joint, rows: int) -> Plan:
    """The first step of the ladder that the rows bear.

    1. Main effects with cubes, and all products of pairs. 2. Products of variables in 6, 5, … 2
    groups. 3. Products of variables in two groups, those of the pairs with the strongest
    association in the original first, each variable's own strongest before all others, until the
    rows are used up. Main effects leave room for pairs (`_spared`).
    """
    known = Frequencies.of(original)
    most = rows / ROWS_PER_TERM
    with_cubes = _main_terms(original, known, CUBES)
    every = _pair_terms(np.array(_full_widths(original, known)))
    if with_cubes + every <= most:
        return Plan(CUBES, None, None, rows, with_cubes + every)
    degree, categories = _spared(original, known, most)
    main = _main_terms(original, known, degree, categories)
    for groups in range(MOST_GROUPS, 1, -1):
        every = _pair_terms(np.array(_coarse_widths(original, known, groups)))
        if main + every <= most:
            return Plan(degree, groups, None, rows, main + every, categories)
    kept = _strongest(original, known, most, main)
    widths = _coarse_widths(original, known, 2)
    terms = main + sum(widths[a] * widths[b] for a, b in kept)
    names = [variable.name for variable in original.variables]
    pairs = tuple((names[a], names[b]) for a, b in kept)
    return Plan(degree, 2, pairs, rows, terms, categories)


def _spared(original: Joint, known: Frequencies, most: float) -> tuple[int, int | None]:
    """The degree of main effects and the groups of their categories that leave pairs room.

    Cubes go first. Then the less frequent categories are joined: those of the variables that have
    most first, until room is left or every variable has two groups.
    """
    bearable = (1.0 - ROOM) * most
    for degree in (CUBES, 1):
        if _main_terms(original, known, degree) <= bearable:
            return degree, None
    sizes = [
        pooled(place, known, misses=False).size
        for place, variable in enumerate(original.variables)
        if variable.kind == "nominal"
    ]
    for categories in range(max(sizes, default=2) - 1, 1, -1):
        if _main_terms(original, known, 1, categories) <= bearable:
            return 1, categories
    return 1, 2 if max(sizes, default=2) > 2 else None


def _strongest(
    original: Joint, known: Frequencies, most: float, main: int
) -> list[tuple[int, int]]:
    """Pairs by association until the rows are used up.

    Where numbers alone use them up, pairs still have their share of the terms, beyond: a model
    without any pair would see nothing of a file that keeps every margin.
    """
    widths = _coarse_widths(original, known, 2)
    pairs = every_variable_first(by_association(original, known))
    for room in (most - main, ROOM * most):
        kept, left = [], room
        for a, b in pairs:
            left -= widths[a] * widths[b]
            if left < 0:
                break
            kept.append((a, b))
        if kept:
            break
    return kept


def _main_terms(
    original: Joint, known: Frequencies, degree: int, categories: int | None = None
) -> int:
    found = 0
    for place, variable in enumerate(original.variables):
        misses = known.missing(place) > 0
        if variable.kind == "nominal":
            found += pooled(place, known, misses, categories).size - 1
        else:
            found += degree + misses
    return found


def _full_widths(original: Joint, known: Frequencies) -> list[int]:
    return [
        product_categories(place, known).size - 1
        if variable.kind == "nominal"
        else 1 + (known.missing(place) >= FEW_ROWS)
        for place, variable in enumerate(original.variables)
    ]


def _coarse_widths(original: Joint, known: Frequencies, groups: int) -> list[int]:
    return [
        coarse(place, variable, known, groups).size - 1
        for place, variable in enumerate(original.variables)
    ]


def _pair_terms(widths: Floats) -> int:
    """The columns of all products of two variables."""
    return int((widths.sum() ** 2 - (widths**2).sum()) // 2)


# -- association -----------------------------------------------------------------------------


def by_association(original: Joint, known: Frequencies) -> list[tuple[int, int]]:
    """Pairs of variables, the most associated first; equal ones by name."""
    names = [variable.name for variable in original.variables]
    found = []
    groupings = [
        coarse(place, variable, known, MOST_GROUPS)
        for place, variable in enumerate(original.variables)
    ]
    codes = [grouping.of(original.codes[:, grouping.place]) for grouping in groupings]
    for a, b in combinations(range(len(names)), 2):
        sizes = (groupings[a].size, groupings[b].size)
        table = np.bincount(codes[a] * sizes[1] + codes[b], minlength=sizes[0] * sizes[1])
        strength = association(table.reshape(sizes).astype(np.float64))
        found.append((-strength, sorted((names[a], names[b])), (a, b)))
    return [pair for _, _, pair in sorted(found)]


def every_variable_first(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs by association, first those in which a variable is there for the first time.

    A variable without any pair could be permuted, and nothing would be seen.

    >>> every_variable_first([(0, 1), (0, 2), (1, 2), (2, 3)])
    [(0, 1), (0, 2), (2, 3), (1, 2)]
    """
    there: set[int] = set()
    first: list[tuple[int, int]] = []
    rest: list[tuple[int, int]] = []
    for pair in pairs:
        (rest if there.issuperset(pair) else first).append(pair)
        there.update(pair)
    return first + rest


def association(table: Floats) -> float:
    """Cramér's V² of a table, less what chance alone would give: 0 none, 1 full (Bergsma 2013).

    >>> association(np.array([[50.0, 0.0], [0.0, 50.0]]))
    1.0
    >>> association(np.array([[25.0, 25.0], [25.0, 25.0]]))
    0.0
    >>> association(np.eye(3))  # every unit another value: chance alone would give as much
    0.0
    """
    rows = float(table.sum())
    sides = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    height, width = (int((side > 0).sum()) for side in sides)
    if rows < 2 or min(height, width) < 2:
        return 0.0
    expected = sides[0] * sides[1] / rows
    squares = np.where(expected > 0, (table - expected) ** 2 / np.maximum(expected, 1e-300), 0.0)
    excess = max(float(squares.sum()) / rows - (height - 1) * (width - 1) / (rows - 1), 0.0)
    fewest = min(height - (height - 1) ** 2 / (rows - 1), width - (width - 1) ** 2 / (rows - 1))
    if fewest <= 1.0:
        return 0.0
    # Rounded, so that the same pairs come first whatever the order of sums.
    return round(min(excess / (fewest - 1.0), 1.0), 9)


# -- terms -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PlannedTerms:
    """The terms of a plan on given rows."""

    extension: Extension
    """The groups that stand below the variables."""
    terms: tuple[Term, ...]


def planned_terms(joint: Joint, plan: Plan, known: Frequencies | None = None) -> PlannedTerms:
    """A plan's terms for the variables that are there: main effects, then products of pairs."""
    known = Frequencies.of(joint) if known is None else known
    terms: list[Term] = []
    groupings: list[Grouping] = []
    parts: list[list[tuple[int, int]]] = []

    def below(grouping: Grouping) -> int:
        groupings.append(grouping)
        return len(joint.variables) + len(groupings) - 1

    for place, variable in enumerate(joint.variables):
        if variable.kind == "nominal":
            own = pooled(place, known, joint.misses(place), plan.categories)
            terms.append(((below(own), 1),))
        else:
            terms += [((place, power),) for power in range(1, plan.degree + 1)]
            terms += [((place, MISSING),)] if joint.misses(place) else []
        if plan.groups is not None:
            parts.append([(below(coarse(place, variable, known, plan.groups)), 1)])
        elif variable.kind == "nominal":
            parts.append([(below(product_categories(place, known)), 1)])
        else:
            often = known.missing(place) >= FEW_ROWS
            parts.append([(place, 1), *([(place, MISSING)] if often else [])])
    for a, b in combinations(range(len(parts)), 2):
        if plan.has(joint.variables[a].name, joint.variables[b].name):
            terms += [(one, other) for one in parts[a] for other in parts[b]]
    return PlannedTerms(Extension(tuple(groupings)), tuple(terms))
