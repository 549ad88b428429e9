"""From the tests that are wanted on one table to passes, rounds and associations.

A table of two axes answers every test, with pairwise deletion as a slice, while it stays small.
Beyond that, axes are scored (ranks or values) and only sums are kept: one more round first counts
the levels of each axis where the other is present, because ranks are among complete units only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import Engine
from microgauge.engines.rounds import Asking, asked
from microgauge.measures.gdu.association import (
    Associations,
    GroupFacts,
    PairTest,
    ProductFacts,
    Units,
    anova,
    centred_values,
    correlation,
    kruskal_wallis,
)
from microgauge.passes import (
    Axis,
    Facts,
    Gram,
    GroupSums,
    Pass,
    Present,
    Product,
    SparseCrosstab,
)
from microgauge.passes.covering import TablePass, covering, crosstab_in
from microgauge.passes.tables import DENSE_TABLE, Layers, SparseCells, weighing
from microgauge.sections.gdu.tabled import Tabled, tested
from microgauge.study.variable import Side
from microgauge.values.levels import Keys, Weighing
from microgauge.values.ranks import centred_ranks
from microgauge.values.segments import joined

SMALL_TABLE = 1 << 14
"""Cells up to which any test is answered from a table."""

MISSING = "(missing)"


class Seen(NamedTuple):
    """A variable as a test sees it: as it was, or recoded first."""

    variable: str
    recoded: bool = False


class Ask(NamedTuple):
    """One test of two variables. In tests with groups, `a` holds the groups."""

    test: PairTest
    a: Seen
    b: Seen


class Answer(NamedTuple):
    """Where the answer to an ask stands."""

    found: Associations
    place: int


@dataclass(frozen=True)
class Asker:
    """Answers asks about one table."""

    engine: Engine
    sides: Mapping[Seen, Side]
    test_n: int | None = None
    missing_category: bool = False
    _axes: dict[Seen, Axis] = field(default_factory=dict)
    _keys: dict[Seen, Keys] = field(default_factory=dict)

    def fact_bytes(self, ask: Ask) -> int:
        """How much memory the facts take from which an ask is answered."""
        layers = 1 if not self.engine.weighted else 3
        if self._tabled(ask):
            return 8 * layers * min(self._cells(ask), DENSE_TABLE)
        long = [self._levels(name) for name in (ask.a, ask.b) if self._sparse_ranks(ask)]
        return 16 * layers * sum(long) + 1024

    def _sparse_ranks(self, ask: Ask) -> bool:
        return self.missing(ask.a) or self.missing(ask.b)

    def _levels(self, name: Seen) -> int:
        return len(self.sides[name].levels)

    def missing(self, name: Seen) -> bool:
        """Whether an axis has missing cells."""
        return self.sides[name].levels.missing > 0

    def _cells(self, ask: Ask) -> int:
        return (self._levels(ask.a) + 1) * (self._levels(ask.b) + 1)

    def _tabled(self, ask: Ask) -> bool:
        return ask.test == "chi-squared" or self._cells(ask) <= SMALL_TABLE

    # -- rounds ------------------------------------------------------------------------------

    def answers(self, asks: Iterable[Ask]) -> Asking[dict[Ask, Answer]]:
        """One round for the asks; one before it where ranks depend on missing cells."""
        block = list(dict.fromkeys(asks))
        tabled = self._table_passes([ask for ask in block if self._tabled(ask)])
        scored = [ask for ask in block if ask not in tabled]
        present = self._present_passes(scored)
        first: list[Pass] = [*tabled.values(), *present.values()]
        # Tables are counted in the first of two rounds, so that the second is the shorter one.
        facts = (yield from asked(self.engine, first)) if present else Facts({})
        scoring = _Scoring(self, {pair: weighing(facts[q]) for pair, q in present.items()})
        plans = {ask: scoring.plan(ask) for ask in scored}
        shared = _Shared.of(plans.values(), scoring.bound)
        if present:
            sums = yield from asked(self.engine, shared.passes)
        else:
            facts = sums = yield from asked(self.engine, [*first, *shared.passes])
        found = self._from_tables(tabled, facts)
        return found | _from_scores(plans.values(), shared, sums, self.test_n)

    def axis(self, name: Seen, scores: Floats | None = None) -> Axis:
        """How passes see a variable."""
        if scores is not None:
            return self.sides[name].axis(name.variable, scores)
        if name not in self._axes:
            self._axes[name] = self.sides[name].axis(name.variable)
        return self._axes[name]

    def _table_passes(self, asks: list[Ask]) -> dict[Ask, TablePass]:
        """A pass for each table. Small tables of three axes are counted together."""
        axes = {name: self.axis(name) for ask in asks for name in (ask.a, ask.b)}
        dense = [ask for ask in asks if self._cells(ask) <= DENSE_TABLE]
        covered = covering([(axes[ask.a], axes[ask.b]) for ask in dense])
        found: dict[Ask, TablePass] = {}
        for ask in asks:
            pair = (axes[ask.a], axes[ask.b])
            found[ask] = covered[pair] if pair in covered else SparseCrosstab(*pair)
        return found

    # -- tests answered from a table ---------------------------------------------------------

    def _from_tables(self, tabled: Mapping[Ask, TablePass], facts: Facts) -> dict[Ask, Answer]:
        """Each test once, for all its tables."""
        alike: dict[tuple[PairTest, bool], list[Ask]] = {}
        for ask, question in tabled.items():
            alike.setdefault((ask.test, isinstance(question, SparseCrosstab)), []).append(ask)
        found: dict[Ask, Answer] = {}
        for (test, _), asks in alike.items():
            tables = [self._table(ask, tabled[ask], facts) for ask in asks]
            found |= placed(asks, tested(test, tables, self.test_n))
        return found

    def _table(self, ask: Ask, question: TablePass, facts: Facts) -> Tabled:
        """The table of an ask with its axes in order."""
        counts: Layers | SparseCells
        if isinstance(question, SparseCrosstab):
            counts = facts[question]
        else:
            counts = crosstab_in(facts, question, self.axis(ask.a), self.axis(ask.b))
        a, b = self.sides[ask.a].levels, self.sides[ask.b].levels
        if self.missing_category and ask.test == "chi-squared":
            return Tabled(counts, a, b, (self._with_missing(ask.a), self._with_missing(ask.b)))
        return Tabled(counts, a, b, (a.keys, b.keys))

    def _with_missing(self, name: Seen) -> Keys:
        if name not in self._keys:
            self._keys[name] = (*self.sides[name].levels.labels, MISSING)
        return self._keys[name]

    # -- tests answered from scores ----------------------------------------------------------

    def _present_passes(self, asks: list[Ask]) -> dict[tuple[Seen, Seen], Present]:
        """The levels of an axis where another one is not missing, for pairs that need it."""
        return {
            pair: Present(self.axis(pair[0]), self.axis(pair[1]))
            for ask in asks
            for pair in ((ask.a, ask.b), (ask.b, ask.a))
            if self.missing(pair[1])
        }


@dataclass(frozen=True, eq=False)
class _Scored:
    """An axis with scores, and the sum of their squares over complete units."""

    axis: Axis
    squares: float


@dataclass(eq=False)
class _Scoring:
    """Scores of axes, worked out once for each axis and set of complete units."""

    asker: Asker
    present: Mapping[tuple[Seen, Seen], Weighing]
    _scored: dict[tuple[Seen, bool, Seen | None], _Scored] = field(default_factory=dict)
    _units: dict[tuple[Seen, Seen | None], _Units] = field(default_factory=dict)

    def _given(self, name: Seen, other: Seen) -> tuple[Seen | None, Weighing]:
        """What an axis depends on beside itself, and its levels in the pair's complete units."""
        if self.asker.missing(other):
            return other, self.present[name, other]
        return None, self.asker.sides[name].levels.weighing

    def plan(self, ask: Ask) -> _Plan:
        ranked = ask.test in ("kruskal-wallis", "spearman")
        second = self._axis(ask.b, ask.a, ranked)
        units = self._units_of(ask.b, ask.a)
        if ask.test in ("kruskal-wallis", "anova"):
            _, weights = self._given(ask.a, ask.b)
            keys = self.asker.sides[ask.a].levels.keys
            return _GroupPlan(ask, units, self.asker.axis(ask.a), second, weights.sums[:-1], keys)
        first = self._axis(ask.a, ask.b, ranked)
        complete = ranked and not self.asker.missing(ask.a) and not self.asker.missing(ask.b)
        return _ProductPlan(ask, units, (first, second), complete)

    def _axis(self, name: Seen, other: Seen, ranked: bool) -> _Scored:
        given, weights = self._given(name, other)
        key = (name, ranked, given)
        if key not in self._scored:
            here = weights.sums[:-1]
            if ranked:
                scores = centred_ranks(here)
            else:
                scores = centred_values(self.asker.sides[name].levels.numbers, here)
            axis = self.asker.axis(name, np.append(scores, 0.0))
            self._scored[key] = _Scored(axis, float((scores**2 * here).sum()))
        return self._scored[key]

    @property
    def bound(self) -> float:
        """The largest score of complete ranked axes: at most the weight of all rows."""
        sides = self.asker.sides
        named = {name for name, _, _ in self._scored}
        return max((float(sides[name].levels.sums.sum()) for name in named), default=1.0)

    def _units_of(self, name: Seen, other: Seen) -> _Units:
        given, weights = self._given(name, other)
        if (name, given) not in self._units:
            self._units[name, given] = weights.over(slice(0, -1))
        return self._units[name, given]


@dataclass(frozen=True, eq=False)
class _Shared:
    """Passes that several plans share: group sums of many axes, one matrix of rank products."""

    groups: Mapping[Axis, GroupSums]
    gram: Gram | None
    products: tuple[Product, ...]
    places: Mapping[Axis, int]
    """Where an axis stands in the matrix."""

    @staticmethod
    def of(plans: Iterable[_Plan], bound: float) -> _Shared:
        grouped: dict[Axis, dict[Axis, None]] = {}
        complete: dict[Axis, None] = {}
        products = []
        for plan in plans:
            if isinstance(plan, _GroupPlan):
                grouped.setdefault(plan.group, {})[plan.scored.axis] = None
            elif plan.complete:
                complete |= dict.fromkeys((plan.product.a, plan.product.b))
            else:
                products.append(plan.product)
        return _Shared(
            {group: GroupSums(group, tuple(scored)) for group, scored in grouped.items()},
            Gram(tuple(complete), bound) if complete else None,
            tuple(products),
            {axis: place for place, axis in enumerate(complete)},
        )

    @property
    def passes(self) -> list[Pass]:
        return [*self.groups.values(), *([self.gram] if self.gram else []), *self.products]


@dataclass(frozen=True, eq=False)
class _GroupPlan:
    """A test of groups by sums of scores."""

    ask: Ask
    units: _Units
    group: Axis
    scored: _Scored
    weight: Floats
    keys: Keys

    def sums(self, shared: _Shared, facts: Facts) -> Floats:
        """The sum of the scores of each group."""
        question = shared.groups[self.group]
        found: Floats = facts[question][:-1, question.scored.index(self.scored.axis)]
        return found


@dataclass(frozen=True, eq=False)
class _ProductPlan:
    """A correlation by the sum of products of scores."""

    ask: Ask
    units: _Units
    scored: tuple[_Scored, _Scored]
    complete: bool
    """No missing cells: the sum is one entry of the common matrix product."""

    @property
    def product(self) -> Product:
        return Product(self.scored[0].axis, self.scored[1].axis)

    def sum(self, shared: _Shared, facts: Facts) -> float:
        """The sum of the products."""
        if self.complete and shared.gram is not None:
            return float(facts[shared.gram][tuple(shared.places[one.axis] for one in self.scored)])
        return float(facts[self.product])


_Plan = _GroupPlan | _ProductPlan


def _from_scores(
    plans: Iterable[_Plan], shared: _Shared, facts: Facts, test_n: int | None
) -> dict[Ask, Answer]:
    """Each test once, for all its plans."""
    alike: dict[PairTest, list[_Plan]] = {}
    for plan in plans:
        alike.setdefault(plan.ask.test, []).append(plan)
    found: dict[Ask, Answer] = {}
    for test, same in alike.items():
        asks = [plan.ask for plan in same]
        groups = [plan for plan in same if isinstance(plan, _GroupPlan)]
        if groups:
            run = kruskal_wallis if test == "kruskal-wallis" else anova
            found |= placed(asks, run(_group_facts(groups, shared, facts), test_n))
        else:
            products = [plan for plan in same if isinstance(plan, _ProductPlan)]
            kind: Literal["spearman", "pearson"]
            kind = "spearman" if test == "spearman" else "pearson"
            found |= placed(
                asks, correlation(_product_facts(products, shared, facts), kind, test_n)
            )
    return found


def _group_facts(plans: list[_GroupPlan], shared: _Shared, facts: Facts) -> GroupFacts:
    return GroupFacts(
        _units([plan.units for plan in plans]),
        [plan.keys for plan in plans],
        joined([plan.weight for plan in plans]),
        joined([plan.sums(shared, facts) for plan in plans]),
        np.array([plan.scored.squares for plan in plans]),
    )


def _product_facts(plans: list[_ProductPlan], shared: _Shared, facts: Facts) -> ProductFacts:
    return ProductFacts(
        _units([plan.units for plan in plans]),
        np.array([plan.scored[0].squares for plan in plans]),
        np.array([plan.scored[1].squares for plan in plans]),
        np.array([plan.sum(shared, facts) for plan in plans]),
    )


def placed(asks: Iterable[Ask], found: Associations) -> dict[Ask, Answer]:
    """Each ask with its place in what was found."""
    return {ask: Answer(found, place) for place, ask in enumerate(asks)}


_Units = tuple[int, float, float]
"""Rows, weight and effective number of the complete units of one pair."""


def _units(pairs: list[_Units]) -> Units:
    rows, weight, effective = zip(*pairs, strict=True)
    return Units(np.array(rows, dtype=np.int64), np.array(weight), np.array(effective))
