"""From the tests that are wanted on one table to passes, scans and associations.

A table of two axes answers every test, with pairwise deletion as a slice, while it stays small.
Beyond that, axes are scored (ranks or values) and only sums are kept: one more scan first counts
the levels of each axis where the other is present, because ranks are among complete units only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from microgauge.describe import Side
from microgauge.errors import Undefined
from microgauge.levels import Floats, Keys, Weighing
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
    Axes,
    Axis,
    Crosstab,
    Facts,
    Gram,
    GroupSums,
    Pass,
    Present,
    Product,
    SparseCrosstab,
)
from microgauge.passes.tables import Layers, SparseCells, weighing
from microgauge.ranks import centred_ranks

SMALL_TABLE = 1 << 14
"""Cells up to which any test is answered from a table."""
DENSE_TABLE = 1 << 22
"""Cells up to which a table is counted as an array."""
BLOCK_BYTES = 1 << 27
"""Facts held at a time."""

MISSING = "(missing)"


class Engine(Protocol):
    """What is needed of an engine: fold passes over all rows."""

    @property
    def weights(self) -> Floats | None:
        """The weight of every row."""
        ...

    def scan(self, passes: Sequence[Pass], axes: Axes, *, long_facts: bool = False) -> Facts:
        """The passes with their summed answers."""
        ...


@dataclass(frozen=True)
class Ask:
    """One test of two axes. In tests with groups, `a` holds the groups."""

    test: PairTest
    a: str
    b: str


Answer = Association | Undefined
"""An association, or why there is none."""


@dataclass(frozen=True)
class Asker:
    """Answers asks about one table."""

    engine: Engine
    sides: Mapping[str, Side]
    test_n: int | None = None
    missing_category: bool = False

    def answers(
        self, asks: Iterable[Ask], progress: Callable[[int], None] = lambda done: None
    ) -> dict[Ask, Answer]:
        """All answers, in blocks whose facts fit into memory."""
        found: dict[Ask, Answer] = {}
        for block in self._blocks(dict.fromkeys(asks)):
            facts = self._facts(block)
            for ask in block:
                try:
                    found[ask] = facts[ask]()
                except Undefined as reason:
                    found[ask] = reason
            progress(len(found))
        return found

    def _blocks(self, asks: Iterable[Ask]) -> Iterator[list[Ask]]:
        block: list[Ask] = []
        size = 0
        for ask in asks:
            weight = self._fact_bytes(ask)
            if block and size + weight > BLOCK_BYTES:
                yield block
                block, size = [], 0
            block.append(ask)
            size += weight
        if block:
            yield block

    def _fact_bytes(self, ask: Ask) -> int:
        layers = 1 if self.engine.weights is None else 3
        if self._tabled(ask):
            return 8 * layers * min(self._cells(ask), DENSE_TABLE)
        long = [self._levels(name) for name in (ask.a, ask.b) if self._sparse_ranks(ask)]
        return 16 * layers * sum(long) + 1024

    def _sparse_ranks(self, ask: Ask) -> bool:
        return self._missing(ask.a) or self._missing(ask.b)

    def _levels(self, name: str) -> int:
        return len(self.sides[name].levels)

    def _missing(self, name: str) -> bool:
        return self.sides[name].levels.missing > 0

    def _cells(self, ask: Ask) -> int:
        return (self._levels(ask.a) + 1) * (self._levels(ask.b) + 1)

    def _tabled(self, ask: Ask) -> bool:
        return ask.test == "chi-squared" or self._cells(ask) <= SMALL_TABLE

    # -- scans -------------------------------------------------------------------------------

    def _facts(self, block: list[Ask]) -> dict[Ask, Callable[[], Association]]:
        tabled = [ask for ask in block if self._tabled(ask)]
        scored = [ask for ask in block if not self._tabled(ask)]
        axes = self._axes({name for ask in block for name in (ask.a, ask.b)})
        found: dict[Ask, Callable[[], Association]] = {}
        tables = self.engine.scan([self._table_pass(ask) for ask in tabled], axes) if tabled else {}
        for ask in tabled:
            found[ask] = self._from_table(ask, tables[self._table_pass(ask)])
        if scored:
            found |= self._scored(scored, axes)
        return found

    def _axes(self, names: Iterable[str]) -> dict[str, Axis]:
        return {
            name: Axis(name.split("\0")[0], self.sides[name].lookup, self._levels(name))
            for name in names
        }

    def _table_pass(self, ask: Ask) -> Crosstab | SparseCrosstab:
        kind = Crosstab if self._cells(ask) <= DENSE_TABLE else SparseCrosstab
        return kind(ask.a, ask.b)

    # -- tests answered from a table ---------------------------------------------------------

    def _from_table(self, ask: Ask, answer: Layers | SparseCells) -> Callable[[], Association]:
        facts = self._cell_facts(ask, answer)

        def test() -> Association:
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

    def _numbers(self, name: str) -> Floats:
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

    def _with_missing(self, name: str) -> Keys:
        return (*self.sides[name].levels.labels, MISSING)

    # -- tests answered from scores ----------------------------------------------------------

    def _scored(
        self, asks: list[Ask], axes: dict[str, Axis]
    ) -> dict[Ask, Callable[[], Association]]:
        given = self._present(asks, axes)
        scored: dict[str, Axis] = {}
        plans = {ask: self._plan(ask, given, axes, scored) for ask in asks}
        grams = self._gram(plans)
        passes: list[Pass] = [p.question for p in plans.values() if p.question is not None]
        facts = self.engine.scan([*passes, *grams], axes | scored)
        return {ask: plan.test(facts, grams, self.test_n) for ask, plan in plans.items()}

    def _present(self, asks: list[Ask], axes: Axes) -> dict[tuple[str, str], Weighing]:
        """The levels of each axis of a pair where the other one is not missing."""
        wanted = [(name, given) for ask in asks for name, given in ((ask.a, ask.b), (ask.b, ask.a))]
        passes = [Present(*pair) for pair in wanted if self._missing(pair[1])]
        facts = self.engine.scan(passes, axes, long_facts=True) if passes else {}
        return {
            pair: weighing(facts[Present(*pair)])
            if self._missing(pair[1])
            else self.sides[pair[0]].levels.weighing
            for pair in wanted
        }

    def _plan(
        self,
        ask: Ask,
        given: Mapping[tuple[str, str], Weighing],
        axes: Axes,
        scored: dict[str, Axis],
    ) -> _Plan:
        a, b = given[ask.a, ask.b], given[ask.b, ask.a]
        units = _units(Weighing(b.rows[:-1], b.sums[:-1], b.squares[:-1]))
        ranked = ask.test in ("kruskal-wallis", "spearman")
        names = []
        tables = []
        for name, other, weights in ((ask.a, ask.b, a), (ask.b, ask.a, b)):
            scores = self._scores(name, weights, ranked)
            axis = "\0".join([name, "rank" if ranked else "value", other * self._missing(other)])
            scored[axis] = Axis(axes[name].column, axes[name].lookup, axes[name].size, scores)
            names.append(axis)
            tables.append(float((scores**2 * weights.sums).sum()))
        if ask.test in ("kruskal-wallis", "anova"):
            keys = self.sides[ask.a].levels.keys
            return _GroupPlan(ask, units, GroupSums(ask.a, names[1]), a.sums[:-1], keys, tables[1])
        complete = ranked and not self._missing(ask.a) and not self._missing(ask.b)
        return _ProductPlan(ask, units, Product(*names), (tables[0], tables[1]), complete)

    def _scores(self, name: str, weights: Weighing, ranked: bool) -> Floats:
        here = weights.sums[:-1]
        scores = centred_ranks(here) if ranked else centred_values(self._numbers(name), here)
        return np.append(scores, 0.0)

    def _gram(self, plans: Mapping[Ask, _Plan]) -> list[Gram]:
        """One matrix product for all complete pairs of ranked axes, in place of many sums."""
        names = dict.fromkeys(
            name
            for plan in plans.values()
            if isinstance(plan, _ProductPlan) and plan.complete
            for name in (plan.product.a, plan.product.b)
        )
        if not names:
            return []
        bound = max(self.sides[name.split("\0rank")[0]].levels.sums.sum() for name in names)
        return [Gram(tuple(names), float(bound))]


@dataclass(frozen=True, eq=False)
class _GroupPlan:
    """A test of groups by sums of scores."""

    ask: Ask
    units: Units
    question: GroupSums
    weight: Floats
    keys: Keys
    squares: float

    def test(
        self, facts: Facts, grams: list[Gram], test_n: int | None
    ) -> Callable[[], Association]:
        sums = facts[self.question][:-1]
        group_facts = GroupFacts(self.units, self.keys, self.weight, sums, self.squares)
        run = kruskal_wallis if self.ask.test == "kruskal-wallis" else anova
        return lambda: run(group_facts, test_n)


@dataclass(frozen=True, eq=False)
class _ProductPlan:
    """A correlation by the sum of products of scores."""

    ask: Ask
    units: Units
    product: Product
    squares: tuple[float, float]
    complete: bool
    """No missing cells: the sum is one entry of the common matrix product."""

    @property
    def question(self) -> Product | None:
        return None if self.complete else self.product

    def test(
        self, facts: Facts, grams: list[Gram], test_n: int | None
    ) -> Callable[[], Association]:
        if self.complete:
            places = [grams[0].axes.index(name) for name in (self.product.a, self.product.b)]
            product = float(facts[grams[0]][places[0], places[1]])
        else:
            product = facts[self.product]
        product_facts = ProductFacts(self.units, *self.squares, product)
        test = "spearman" if self.ask.test == "spearman" else "pearson"
        return lambda: correlation(product_facts, test, test_n)  # type: ignore[arg-type]


_Plan = _GroupPlan | _ProductPlan


def _weights(layers: Layers) -> Floats:
    return np.asarray(layers[min(1, len(layers) - 1)])


def _units(counts: Weighing) -> Units:
    rows, weight, effective = counts.over(slice(None))
    return Units(rows, weight, effective)
