"""From the tests that are wanted on one table to passes, rounds and associations.

A table of two axes answers every test, with pairwise deletion as a slice, while it stays small.
Beyond that, axes are scored (ranks or values) and only sums are kept: one more round first counts
the levels of each axis where the other is missing, because ranks are among complete units only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import Engine
from microgauge.engines.rounds import Asking, asked, in_blocks
from microgauge.errors import Undefined
from microgauge.measures.gdu.association import (
    Association,
    CellFacts,
    GroupFacts,
    PairTest,
    ProductFacts,
    Units,
    anova,
    centred_values,
    chi_squared,
    correlation,
    groups_from_cells,
    kruskal_wallis,
    products_from_cells,
)
from microgauge.passes import (
    Absent,
    Axis,
    Crosstab,
    Facts,
    Gram,
    GroupSums,
    Pass,
    Product,
    RankProduct,
    Ranks,
    RankSums,
    SparseCrosstab,
)
from microgauge.passes.ranks import MOST_ROWS, RankedLevels
from microgauge.passes.tables import DENSE_TABLE, Layers, SparseCells, TablePass, weighing
from microgauge.study.variable import Side
from microgauge.values.levels import Keys, Weighing
from microgauge.values.ranks import centred_ranks

SMALL_TABLE = 1 << 14
"""Cells up to which any test is answered from a table."""
BLOCK_BYTES = 1 << 27
"""Facts held at a time."""

MISSING = "(missing)"


class Seen(NamedTuple):
    """A variable as a test sees it: as it was, or recoded first."""

    variable: str
    recoded: bool = False


@dataclass(frozen=True)
class Ask:
    """One test of two variables. In tests with groups, `a` holds the groups."""

    test: PairTest
    a: Seen
    b: Seen


Answer = Association | Undefined
"""An association, or why there is none."""


@dataclass(frozen=True)
class Asker:
    """Answers asks about one table."""

    engine: Engine
    sides: Mapping[Seen, Side]
    test_n: int | None = None
    missing_category: bool = False
    _axes: dict[Seen, Axis] = field(default_factory=dict)

    def answers(
        self, asks: Iterable[Ask], progress: Callable[[int], None] = lambda done: None
    ) -> Asking[dict[Ask, Answer]]:
        """All answers, in rounds whose facts fit into memory."""
        found: dict[Ask, Answer] = {}
        for block in in_blocks(dict.fromkeys(asks), self._fact_bytes, BLOCK_BYTES):
            tests = yield from self._tests(block)
            for ask, test in tests.items():
                try:
                    found[ask] = test()
                except Undefined as reason:
                    found[ask] = reason
            progress(len(found))
        return found

    def _fact_bytes(self, ask: Ask) -> int:
        layers = 1 if not self.engine.weighted else 3
        if self._tabled(ask):
            return 8 * layers * min(self._cells(ask), DENSE_TABLE)
        absent = sum(self.sides[name].levels.missing for name in (ask.a, ask.b))
        return 8 * (layers + 1) * absent + 1024

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

    def _tests(self, block: list[Ask]) -> Asking[dict[Ask, Callable[[], Association]]]:
        """One round for the block; one before it where ranks depend on missing cells."""
        tabled = self._table_passes([ask for ask in block if self._tabled(ask)])
        scored = [ask for ask in block if ask not in tabled]
        absent = self._absent_passes(scored)
        first: list[Pass] = [*tabled.values(), *absent.values()]
        # Tables are counted in the first of two rounds, so that the second is the shorter one.
        facts = (yield from asked(self.engine, first)) if absent else Facts({})
        scoring = _Scoring(self, {pair: facts[q] for pair, q in absent.items()})
        plans = {ask: scoring.plan(ask) for ask in scored}
        shared = _Shared.of(plans.values(), scoring.bound)
        if absent:
            sums = yield from asked(self.engine, shared.passes)
        else:
            facts = sums = yield from asked(self.engine, [*first, *shared.passes])
        found: dict[Ask, Callable[[], Association]] = {}
        for ask in block:
            if ask in tabled:
                found[ask] = self._from_table(ask, tabled[ask], facts)
            else:
                found[ask] = plans[ask].test(shared, sums, self.test_n)
        return found

    def axis(self, name: Seen, scores: Floats | None = None) -> Axis:
        """How passes see a variable."""
        if scores is not None:
            return self.sides[name].axis(name.variable, scores)
        if name not in self._axes:
            self._axes[name] = self.sides[name].axis(name.variable)
        return self._axes[name]

    def _table_passes(self, asks: list[Ask]) -> dict[Ask, TablePass]:
        """A pass for each table."""
        axes = {name: self.axis(name) for ask in asks for name in (ask.a, ask.b)}
        return {
            ask: (Crosstab if self._cells(ask) <= DENSE_TABLE else SparseCrosstab)(
                axes[ask.a], axes[ask.b]
            )
            for ask in asks
        }

    # -- tests answered from a table ---------------------------------------------------------

    def _from_table(self, ask: Ask, question: TablePass, found: Facts) -> Callable[[], Association]:
        def test() -> Association:
            facts = self._cell_facts(ask, found[question])
            if ask.test == "chi-squared":
                return chi_squared(facts, self.test_n)
            if ask.test == "kruskal-wallis":
                return kruskal_wallis(groups_from_cells(facts, None), self.test_n)
            if ask.test == "anova":
                return anova(groups_from_cells(facts, self._numbers(ask.b)), self.test_n)
            if ask.test == "spearman":
                return correlation(products_from_cells(facts, None), "spearman", self.test_n)
            numbers = (self._numbers(ask.a), self._numbers(ask.b))
            return correlation(products_from_cells(facts, numbers), "pearson", self.test_n)

        return test

    def _numbers(self, name: Seen) -> Floats:
        return self.sides[name].levels.numbers

    def _cell_facts(self, ask: Ask, answer: Layers | SparseCells) -> CellFacts:
        """The cells of complete units; of all units where missing is a category."""
        width = self._levels(ask.b) + 1
        if isinstance(answer, SparseCells):
            keys, layers = answer.keys, answer.layers
        else:
            keys = np.flatnonzero(answer[0].ravel())
            layers = answer.reshape(len(answer), -1)[:, keys]
        row, column = np.divmod(keys, width)
        row_keys, column_keys = (self.sides[name].levels.keys for name in (ask.a, ask.b))
        if self.missing_category and ask.test == "chi-squared":
            row_keys, column_keys = self._with_missing(ask.a), self._with_missing(ask.b)
        else:
            complete = (row < self._levels(ask.a)) & (column < width - 1)
            row, column, layers = row[complete], column[complete], layers[:, complete]
        used = layers[-1] > 0
        row, column, layers = row[used], column[used], layers[:, used]
        return CellFacts(
            _units(weighing(layers)), row, column, _weights(layers), row_keys, column_keys
        )

    def _with_missing(self, name: Seen) -> Keys:
        return (*self.sides[name].levels.labels, MISSING)

    # -- tests answered from scores ----------------------------------------------------------

    def _absent_passes(self, asks: list[Ask]) -> dict[tuple[Seen, Seen], Absent]:
        """The levels of an axis where another one is missing, for pairs that need it."""
        return {
            pair: Absent(self.axis(pair[0]), self.axis(pair[1]))
            for ask in asks
            for pair in ((ask.a, ask.b), (ask.b, ask.a))
            if self.missing(pair[1])
        }


@dataclass(frozen=True, eq=False)
class _Scored:
    """An axis with scores, and the sum of their squares over complete units."""

    axis: Axis
    squares: float
    ranks: Ranks | None = None
    """Whole ranks among complete units, which axes need not hold."""


@dataclass(eq=False)
class _Scoring:
    """Scores of axes, worked out once for each axis and set of complete units."""

    asker: Asker
    absent: Mapping[tuple[Seen, Seen], SparseCells]
    _scored: dict[tuple[Seen, bool, Seen | None], _Scored] = field(default_factory=dict)
    _units: dict[tuple[Seen, Seen | None], Units] = field(default_factory=dict)
    _levels: dict[Seen, RankedLevels] = field(default_factory=dict)
    _ranked: dict[tuple[Seen, Seen | None], _Scored] = field(default_factory=dict)

    def _given(self, name: Seen, other: Seen) -> tuple[Seen | None, Weighing]:
        """What an axis depends on beside itself, and its levels in the pair's complete units."""
        weights = self.asker.sides[name].levels.weighing
        if self.asker.missing(other):
            return other, _without(weights, self.absent[name, other])
        return None, weights

    def plan(self, ask: Ask) -> _Plan:
        ranked = ask.test in ("kruskal-wallis", "spearman")
        complete = not self.asker.missing(ask.a) and not self.asker.missing(ask.b)
        scored = self._ranks if ranked and self._whole and not complete else self._axis
        second = scored(ask.b, ask.a, ranked)
        units = self._units_of(ask.b, ask.a)
        if ask.test in ("kruskal-wallis", "anova"):
            _, weights = self._given(ask.a, ask.b)
            keys = self.asker.sides[ask.a].levels.keys
            return _GroupPlan(ask, units, self.asker.axis(ask.a), second, weights.sums[:-1], keys)
        first = scored(ask.a, ask.b, ranked)
        return _ProductPlan(ask, units, (first, second), ranked and complete)

    @property
    def _whole(self) -> bool:
        """Whether ranks are whole numbers."""
        engine = self.asker.engine
        return not engine.weighted and engine.rows <= MOST_ROWS

    def _ranks(self, name: Seen, other: Seen, ranked: bool) -> _Scored:
        """An axis by its whole ranks among the pair's complete units."""
        given = other if self.asker.missing(other) else None
        if (name, given) not in self._ranked:
            if name not in self._levels:
                self._levels[name] = RankedLevels(self.asker.sides[name].levels.rows)
            ranks = Ranks(self._levels[name], self.absent[name, other] if given else None)
            scored = _Scored(self.asker.axis(name), float(ranks.squares), ranks)
            self._ranked[name, given] = scored
        return self._ranked[name, given]

    def _axis(self, name: Seen, other: Seen, ranked: bool) -> _Scored:
        given = other if self.asker.missing(other) else None
        key = (name, ranked, given)
        if key not in self._scored:
            here = self._given(name, other)[1].sums[:-1]
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

    def _units_of(self, name: Seen, other: Seen) -> Units:
        given = other if self.asker.missing(other) else None
        if (name, given) not in self._units:
            absent = self.absent[name, other] if given else None
            weights = self.asker.sides[name].levels.weighing
            self._units[name, given] = _complete_units(weights, absent)
        return self._units[name, given]


@dataclass(frozen=True, eq=False)
class _Shared:
    """Passes that several plans share: group sums of many axes, one matrix of rank products."""

    groups: Mapping[Axis, GroupSums]
    gram: Gram | None
    single: tuple[Pass, ...]
    """What no other plan has a part in."""
    places: Mapping[Axis, int]
    """Where an axis stands in the matrix."""

    @staticmethod
    def of(plans: Iterable[_Plan], bound: float) -> _Shared:
        grouped: dict[Axis, dict[Axis, None]] = {}
        complete: dict[Axis, None] = {}
        single: list[Pass] = []
        for plan in plans:
            if plan.own is not None:
                single.append(plan.own)
            elif isinstance(plan, _GroupPlan):
                grouped.setdefault(plan.group, {})[plan.scored.axis] = None
            else:
                complete |= dict.fromkeys(one.axis for one in plan.scored)
        return _Shared(
            {group: GroupSums(group, tuple(scored)) for group, scored in grouped.items()},
            Gram(tuple(complete), bound) if complete else None,
            tuple(single),
            {axis: place for place, axis in enumerate(complete)},
        )

    @property
    def passes(self) -> list[Pass]:
        return [*self.groups.values(), *([self.gram] if self.gram else []), *self.single]


@dataclass(frozen=True, eq=False)
class _GroupPlan:
    """A test of groups by sums of scores."""

    ask: Ask
    units: Units
    group: Axis
    scored: _Scored
    weight: Floats
    keys: Keys

    @property
    def own(self) -> RankSums | None:
        """Its question where no other can share it: ranks among complete units are its own."""
        if self.scored.ranks is None:
            return None
        return RankSums(self.group, self.scored.axis, self.scored.ranks)

    def test(self, shared: _Shared, facts: Facts, test_n: int | None) -> Callable[[], Association]:
        run = kruskal_wallis if self.ask.test == "kruskal-wallis" else anova

        def test() -> Association:
            if self.own is not None:
                sums = facts[self.own][:-1].astype(np.float64)
            else:
                question = shared.groups[self.group]
                sums = facts[question][:-1, question.scored.index(self.scored.axis)]
            squares = self.scored.squares
            return run(GroupFacts(self.units, self.keys, self.weight, sums, squares), test_n)

        return test


@dataclass(frozen=True, eq=False)
class _ProductPlan:
    """A correlation by the sum of products of scores."""

    ask: Ask
    units: Units
    scored: tuple[_Scored, _Scored]
    complete: bool
    """No missing cells: the sum is one entry of the common matrix product."""

    @property
    def own(self) -> RankProduct | Product | None:
        """Its question where no other can share it."""
        a, b = self.scored
        if a.ranks is not None and b.ranks is not None:
            return RankProduct(a.axis, b.axis, (a.ranks, b.ranks))
        return None if self.complete else Product(a.axis, b.axis)

    def test(self, shared: _Shared, facts: Facts, test_n: int | None) -> Callable[[], Association]:
        kind: Literal["spearman", "pearson"]
        kind = "spearman" if self.ask.test == "spearman" else "pearson"

        def test() -> Association:
            if self.own is not None:
                product = float(facts[self.own])
            else:
                assert shared.gram is not None
                places = tuple(shared.places[one.axis] for one in self.scored)
                product = float(facts[shared.gram][places])
            first, second = (one.squares for one in self.scored)
            found = ProductFacts(self.units, first, second, product)
            return correlation(found, kind, test_n)

        return test


_Plan = _GroupPlan | _ProductPlan


def _weights(layers: Layers) -> Floats:
    return np.asarray(layers[min(1, len(layers) - 1)], dtype=np.float64)


def _units(counts: Weighing) -> Units:
    rows, weight, effective = counts.over(slice(None))
    return Units(rows, weight, effective)


def _without(weights: Weighing, absent: SparseCells) -> Weighing:
    """Levels without the units that are left out."""
    rows = weights.rows.copy()
    rows[absent.keys] -= absent.layers[0].astype(np.int64)
    if len(absent.layers) == 1:
        sums = rows.astype(np.float64)
        return Weighing(rows, sums, sums)
    left = []
    for layer, gone in zip((weights.sums, weights.squares), absent.layers[1:], strict=True):
        here = layer.copy()
        here[absent.keys] -= gone
        left.append(np.where(rows > 0, here, 0.0))  # what rounding leaves is no weight
    return Weighing(rows, *left)


def _complete_units(weights: Weighing, absent: SparseCells | None) -> Units:
    """The units of all levels, without those that are left out."""
    if absent is None:
        return _units(Weighing(weights.rows[:-1], weights.sums[:-1], weights.squares[:-1]))
    if len(absent.layers) > 1:
        return _complete_units(_without(weights, absent), None)
    rows = int(weights.rows[:-1].sum()) - int(absent.layers[0].sum())
    return Units(rows, float(rows), float(rows))
