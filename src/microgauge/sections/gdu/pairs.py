"""From the tests that are wanted on one table to passes, scans and associations.

A table of two axes answers every test, with pairwise deletion as a slice, while it stays small.
Beyond that, axes are scored (ranks or values) and only sums are kept: one more scan first counts
the levels of each axis where the other is present, because ranks are among complete units only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import Engine
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
    Axes,
    Axis,
    Crosstab,
    Cube,
    Facts,
    Gram,
    GroupSums,
    Pass,
    Present,
    Product,
    SparseCrosstab,
)
from microgauge.passes.tables import Layers, SparseCells, weighing
from microgauge.study.describe import Side
from microgauge.values.levels import Keys, Weighing
from microgauge.values.ranks import centred_ranks

SMALL_TABLE = 1 << 14
"""Cells up to which any test is answered from a table."""
DENSE_TABLE = 1 << 22
"""Cells up to which a table is counted as an array."""
BLOCK_BYTES = 1 << 27
"""Facts held at a time."""

SMALL_CUBE = 1 << 12
"""Cells up to which three axes are counted together."""

MISSING = "(missing)"

TablePass = Crosstab | SparseCrosstab | Cube


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
            found |= self._answered(block)
            progress(len(found))
        return found

    def _answered(self, block: list[Ask]) -> dict[Ask, Answer]:
        try:
            facts = self._facts(block)
        except Undefined as reason:  # the cells of one are too many: the others may do without it
            if len(block) == 1:
                return {block[0]: reason}
            return {ask: answer for one in block for ask, answer in self._answered([one]).items()}
        found: dict[Ask, Answer] = {}
        for ask in block:
            try:
                found[ask] = facts[ask]()
            except Undefined as reason:
                found[ask] = reason
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
        layers = 1 if not self.engine.weighted else 3
        if self._tabled(ask):
            return 8 * layers * min(self._cells(ask), DENSE_TABLE)
        long = [self._levels(name) for name in (ask.a, ask.b) if self._sparse_ranks(ask)]
        return 16 * layers * sum(long) + 1024

    def _sparse_ranks(self, ask: Ask) -> bool:
        return self.missing(ask.a) or self.missing(ask.b)

    def _levels(self, name: str) -> int:
        return len(self.sides[name].levels)

    def missing(self, name: str) -> bool:
        """Whether an axis has missing cells."""
        return self.sides[name].levels.missing > 0

    def _cells(self, ask: Ask) -> int:
        return (self._levels(ask.a) + 1) * (self._levels(ask.b) + 1)

    def _tabled(self, ask: Ask) -> bool:
        return ask.test == "chi-squared" or self._cells(ask) <= SMALL_TABLE

    # -- scans -------------------------------------------------------------------------------

    def _facts(self, block: list[Ask]) -> dict[Ask, Callable[[], Association]]:
        """One scan for the block; one before it where ranks depend on missing cells."""
        tabled = self._table_passes([ask for ask in block if self._tabled(ask)])
        scored = [ask for ask in block if ask not in tabled]
        axes = self._axes({name for ask in block for name in (ask.a, ask.b)})
        scoring = _Scoring(self, axes, self._present(scored, axes))
        plans = {ask: scoring.plan(ask) for ask in scored}
        shared = _Shared.of(plans.values(), scoring.bound)
        passes: list[Pass] = [*tabled.values(), *shared.passes]
        facts = self.engine.scan(passes, axes | scoring.axes)
        found: dict[Ask, Callable[[], Association]] = {}
        for ask in block:
            if ask in tabled:
                found[ask] = self._from_table(ask, _table(ask, tabled[ask], facts))
            else:
                found[ask] = plans[ask].test(shared, facts, self.test_n)
        return found

    def _axes(self, names: Iterable[str]) -> dict[str, Axis]:
        return {name: self.sides[name].axis(name.split("\0")[0]) for name in names}

    def _table_passes(self, asks: list[Ask]) -> dict[Ask, TablePass]:
        """A pass for each table. Small tables of three axes are counted together."""
        wanted = {frozenset((ask.a, ask.b)) for ask in asks}
        names = list(dict.fromkeys(name for ask in asks for name in (ask.a, ask.b)))
        found: dict[frozenset[str], TablePass] = {}
        for ask in asks:
            pair = frozenset((ask.a, ask.b))
            if pair in found:
                continue
            third = self._third(ask, names, wanted - found.keys())
            if third is not None:
                cube = Cube(ask.a, ask.b, third)
                found |= dict.fromkeys((pair, *_sides_of(ask, third)), cube)
            elif self._cells(ask) <= DENSE_TABLE:
                found[pair] = Crosstab(ask.a, ask.b)
            else:
                found[pair] = SparseCrosstab(ask.a, ask.b)
        return {ask: found[frozenset((ask.a, ask.b))] for ask in asks}

    def _third(self, ask: Ask, names: list[str], open_pairs: set[frozenset[str]]) -> str | None:
        """An axis that is still wanted with both of a pair and makes a small table with them."""
        if 2 * self._cells(ask) > SMALL_CUBE:
            return None
        for name in names:
            fits = self._cells(ask) * (self._levels(name) + 1) <= SMALL_CUBE
            if fits and name not in (ask.a, ask.b) and open_pairs.issuperset(_sides_of(ask, name)):
                return name
        return None

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

    def _present(self, asks: list[Ask], axes: Axes) -> dict[tuple[str, str], Weighing]:
        """The levels of an axis where another one is not missing, for pairs that need it."""
        wanted = dict.fromkeys(
            pair
            for ask in asks
            for pair in ((ask.a, ask.b), (ask.b, ask.a))
            if self.missing(pair[1])
        )
        passes = [Present(*pair) for pair in wanted]
        facts = self.engine.scan(passes, axes, long_facts=True) if passes else {}
        return {pair: weighing(facts[Present(*pair)]) for pair in wanted}


@dataclass(eq=False)
class _Scoring:
    """Scores of axes, worked out once for each axis and set of complete units."""

    asker: Asker
    raw: Axes
    present: Mapping[tuple[str, str], Weighing]
    axes: dict[str, Axis] = field(default_factory=dict)
    _squares: dict[str, float] = field(default_factory=dict)
    _units: dict[tuple[str, str], Units] = field(default_factory=dict)

    def _given(self, name: str, other: str) -> tuple[str, Weighing]:
        """What an axis depends on beside itself, and its levels in the pair's complete units."""
        if self.asker.missing(other):
            return other, self.present[name, other]
        return "", self.asker.sides[name].levels.weighing

    def plan(self, ask: Ask) -> _Plan:
        ranked = ask.test in ("kruskal-wallis", "spearman")
        second = self._axis(ask.b, ask.a, ranked)
        units = self._units_of(ask.b, ask.a)
        if ask.test in ("kruskal-wallis", "anova"):
            _, weights = self._given(ask.a, ask.b)
            keys = self.asker.sides[ask.a].levels.keys
            return _GroupPlan(ask, units, second, weights.sums[:-1], keys, self._squares[second])
        first = self._axis(ask.a, ask.b, ranked)
        complete = ranked and not self.asker.missing(ask.a) and not self.asker.missing(ask.b)
        squares = (self._squares[first], self._squares[second])
        return _ProductPlan(ask, units, Product(first, second), squares, complete)

    def _axis(self, name: str, other: str, ranked: bool) -> str:
        given, weights = self._given(name, other)
        axis = "\0".join([name, "rank" if ranked else "value", given])
        if axis not in self.axes:
            here = weights.sums[:-1]
            if ranked:
                scores = centred_ranks(here)
            else:
                scores = centred_values(self.asker.sides[name].levels.numbers, here)
            raw = self.raw[name]
            table = np.append(scores, 0.0)
            self.axes[axis] = self.asker.sides[name].axis(raw.column, table)
            self._squares[axis] = float((scores**2 * here).sum())
        return axis

    @property
    def bound(self) -> float:
        """The largest score of complete ranked axes: at most the weight of all rows."""
        sides = self.asker.sides
        return max((float(sides[name].levels.sums.sum()) for name in self.raw), default=1.0)

    def _units_of(self, name: str, other: str) -> Units:
        given, weights = self._given(name, other)
        if (name, given) not in self._units:
            here = Weighing(weights.rows[:-1], weights.sums[:-1], weights.squares[:-1])
            self._units[name, given] = _units(here)
        return self._units[name, given]


@dataclass(frozen=True, eq=False)
class _Shared:
    """Passes that several plans share: group sums of many axes, one matrix of rank products."""

    groups: Mapping[str, GroupSums]
    gram: Gram | None
    products: tuple[Product, ...]

    @staticmethod
    def of(plans: Iterable[_Plan], bound: float) -> _Shared:
        grouped: dict[str, dict[str, None]] = {}
        complete: dict[str, None] = {}
        products = []
        for plan in plans:
            if isinstance(plan, _GroupPlan):
                grouped.setdefault(plan.ask.a, {})[plan.scored] = None
            elif plan.complete:
                complete |= dict.fromkeys((plan.product.a, plan.product.b))
            else:
                products.append(plan.product)
        return _Shared(
            {group: GroupSums(group, tuple(scored)) for group, scored in grouped.items()},
            Gram(tuple(complete), bound) if complete else None,
            tuple(products),
        )

    @property
    def passes(self) -> list[Pass]:
        return [*self.groups.values(), *([self.gram] if self.gram else []), *self.products]


@dataclass(frozen=True, eq=False)
class _GroupPlan:
    """A test of groups by sums of scores."""

    ask: Ask
    units: Units
    scored: str
    weight: Floats
    keys: Keys
    squares: float

    def test(self, shared: _Shared, facts: Facts, test_n: int | None) -> Callable[[], Association]:
        question = shared.groups[self.ask.a]
        sums = facts[question][:-1, question.scored.index(self.scored)]
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

    def test(self, shared: _Shared, facts: Facts, test_n: int | None) -> Callable[[], Association]:
        if self.complete and shared.gram is not None:
            axes = shared.gram.axes
            places = axes.index(self.product.a), axes.index(self.product.b)
            product = float(facts[shared.gram][places])
        else:
            product = facts[self.product]
        product_facts = ProductFacts(self.units, *self.squares, product)
        test = "spearman" if self.ask.test == "spearman" else "pearson"
        return lambda: correlation(product_facts, test, test_n)  # type: ignore[arg-type]


_Plan = _GroupPlan | _ProductPlan


def _sides_of(ask: Ask, third: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset((ask.a, third)), frozenset((ask.b, third))


def _table(ask: Ask, question: TablePass, facts: Facts) -> Layers | SparseCells:
    """The table of an ask with its axes in order."""
    answer: Layers | SparseCells = facts[question]
    if isinstance(question, Cube):
        assert not isinstance(answer, SparseCells)
        return question.crosstab(answer, ask.a, ask.b)
    if question.a == ask.a:
        return answer
    assert not isinstance(answer, SparseCells)
    return answer.transpose(0, 2, 1)


def _weights(layers: Layers) -> Floats:
    return np.asarray(layers[min(1, len(layers) - 1)], dtype=np.float64)


def _units(counts: Weighing) -> Units:
    rows, weight, effective = counts.over(slice(None))
    return Units(rows, weight, effective)
