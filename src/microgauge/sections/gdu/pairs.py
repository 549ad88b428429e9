"""From the tests that are wanted on one table to passes, rounds and associations.

A table of two axes answers every test, with pairwise deletion as a slice, while it stays small.
Beyond that, axes are scored (ranks or values) and only sums are kept: one more round first counts
the levels of each axis where the other is missing, because ranks are among complete units only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import Engine
from microgauge.engines.rounds import Asking, asked
from microgauge.kernels import TableRanks, in_threads
from microgauge.languages.messages import say
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
    Absent,
    Axis,
    Facts,
    Gram,
    GroupSums,
    PairRanks,
    PairTables,
    Pass,
    Product,
    RankProduct,
    Ranks,
    RankSums,
    SparseCrosstab,
)
from microgauge.passes.batch import SHARED_ROWS
from microgauge.passes.ranks import MOST_ROWS, RankedLevels
from microgauge.passes.tables import DENSE_TABLE, Layers, SparseCells
from microgauge.records import dataclass
from microgauge.sections.gdu.tabled import Tabled, groups_from_ranks, products_from_ranks, tested
from microgauge.study.variable import Side
from microgauge.values.levels import Keys, Levels, Weighing
from microgauge.values.ranks import centred_ranks
from microgauge.values.segments import joined

SMALL_TABLE = 1 << 15
"""Cells up to which any test is answered from a table."""

RANKED: tuple[PairTest, ...] = ("kruskal-wallis", "spearman")
"""Tests of ranks."""
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


@dataclass(frozen=True, eq=False)
class ScoredAxis:
    """An axis with scores, and the sum of their squares over complete units."""

    axis: Axis
    squares: float
    ranks: Ranks | None = None
    """Whole ranks among complete units, which axes need not hold."""


@dataclass(frozen=True)
class Asker:
    """Answers asks about one table."""

    engine: Engine
    sides: Mapping[Seen, Side]
    test_n: int | None = None
    missing_category: bool = False
    _axes: dict[Seen, Axis] = field(default_factory=dict)
    _keys: dict[Seen, Keys] = field(default_factory=dict)
    _scored: dict[tuple[Seen, bool], ScoredAxis] = field(default_factory=dict)

    def fact_bytes(self, ask: Ask) -> int:
        """How much memory the facts take from which an ask is answered."""
        layers = 1 if not self.engine.weighted else 3
        if self._from_rows(ask):
            return 16 * self._sizes[ask.a] + 64
        if self._tabled(ask):
            return 8 * layers * min(self.cells(ask), DENSE_TABLE)
        absent = sum(self.sides[name].levels.missing for name in (ask.a, ask.b))
        return 8 * (layers + 1) * absent + 1024

    @cached_property
    def _sizes(self) -> dict[Seen, int]:
        """The levels of each axis, missing cells too: looked up for each pair, so found once."""
        return {name: len(side.levels) + 1 for name, side in self.sides.items()}

    def missing(self, name: Seen) -> bool:
        """Whether an axis has missing cells."""
        return self.sides[name].levels.missing > 0

    def cells(self, ask: Ask) -> int:
        """The cells of a table, with those of missing cells."""
        return self._sizes[ask.a] * self._sizes[ask.b]

    @cached_property
    def _few(self) -> bool:
        """Whether rows are so few that ranks of a pair are found from them in no time."""
        return self.engine.here and not self.engine.weighted and self.engine.rows < SHARED_ROWS

    def _from_rows(self, ask: Ask) -> bool:
        """Whether ranks are found from rows: there are fewer than a table would have cells."""
        return self._few and ask.test in RANKED and self.cells(ask) > self.engine.rows

    def _tabled(self, ask: Ask) -> bool:
        return ask.test == "chi-squared" or self.cells(ask) <= SMALL_TABLE

    # -- rounds ------------------------------------------------------------------------------

    def answers(self, asks: Iterable[Ask]) -> Asking[dict[Ask, Answer]]:
        """One round for the asks; one before it where ranks depend on missing cells."""
        block = dict.fromkeys(asks)
        rows = [ask for ask in block if self._from_rows(ask)]
        rest = block if not rows else [ask for ask in block if not self._from_rows(ask)]
        ranked = _RankedRows.of(self, rows)
        tabled = _Tables.of(self, [ask for ask in rest if self._tabled(ask)])
        scored = [ask for ask in rest if not self._tabled(ask)]
        absent = self._absent_passes(scored)
        first: list[Pass] = [*ranked.passes, *tabled.passes, *absent.values()]
        # Tables are counted in the first of two rounds, so that the second is the shorter one.
        facts = (yield from asked(self.engine, first)) if absent else Facts({})
        scoring = _Scoring(self, {pair: facts[q] for pair, q in absent.items()})
        scoring.prepare(scored)
        plans = {ask: scoring.plan(ask) for ask in scored}
        shared = _Shared.of(plans.values(), self._weight)
        if absent:
            sums = yield from asked(self.engine, shared.passes)
        else:
            facts = sums = yield from asked(self.engine, [*first, *shared.passes])
        found = ranked.answers(facts) | tabled.answers(facts)
        return found | _from_scores(plans.values(), shared, sums, self.test_n)

    def axis(self, name: Seen) -> Axis:
        """How passes see a variable."""
        if name not in self._axes:
            self._axes[name] = self.sides[name].axis(name.variable)
        return self._axes[name]

    def written_out(self, ask: Ask) -> bool:
        """Whether a table is counted as an array."""
        return self.cells(ask) <= DENSE_TABLE

    @property
    def _weight(self) -> float:
        """What all rows weigh: no score of ranks is larger."""
        return max(float(next(iter(self.sides.values())).levels.weighing.sums.sum()), 1.0)

    def ranked(self, name: Seen) -> RankedLevels:
        """The levels of a variable, ranked among all its units."""
        levels = self.sides[name].levels
        return levels.once("ranked", lambda: RankedLevels(levels.rows))

    def scored(self, name: Seen, *, ranked: bool) -> ScoredAxis:
        """A variable scored among all its units."""
        if (name, ranked) not in self._scored:
            levels = self.sides[name].levels
            said = say(
                "{value} of all units, recoded: {recoded}",
                value="ranks" if ranked else "values",
                recoded=name.recoded,
            )
            # Levels may serve several tables, whose raw values differ: they keep scores, not axes.
            scores = levels.once(("scores", ranked), lambda: _scores(levels, levels.sums, ranked))
            self._scored[name, ranked] = self._scored_by(name, scores, said)
        return self._scored[name, ranked]

    def scored_within(self, name: Seen, weights: Floats, ranked: bool) -> ScoredAxis:
        """A variable scored among units of which each level has so many."""
        return self._scored_by(name, _scores(self.sides[name].levels, weights, ranked))

    def _scored_by(
        self, name: Seen, scores: tuple[Floats, float], said: str | None = None
    ) -> ScoredAxis:
        axis = self.sides[name].axis(name.variable, scores[0], said)
        return ScoredAxis(axis, scores[1])

    def tables(self, asks: Sequence[Ask], counts: Layers | Sequence[SparseCells]) -> Tabled:
        """The tables of asks of one test."""
        a, b = ([self.sides[name].levels for name in side] for side in _sides(asks))
        if self.missing_category and asks[0].test == "chi-squared":
            named = _sides(asks)
            keys = tuple([self._with_missing(name) for name in side] for side in named)
            return Tabled(counts, a, b, (keys[0], keys[1]))
        return Tabled(counts, a, b, ([levels.keys for levels in a], [levels.keys for levels in b]))

    def _with_missing(self, name: Seen) -> Keys:
        if name not in self._keys:
            self._keys[name] = (*self.sides[name].levels.labels, MISSING)
        return self._keys[name]

    # -- tests answered from scores ----------------------------------------------------------

    def _absent_passes(self, asks: list[Ask]) -> dict[tuple[Seen, Seen], Absent]:
        """The levels of an axis where another one is missing, for pairs that need it."""
        return {
            pair: Absent(self.axis(pair[0]), self.axis(pair[1]))
            for ask in asks
            for pair in ((ask.a, ask.b), (ask.b, ask.a))
            if self.missing(pair[1])
        }


def _scores(levels: Levels, weights: Floats, ranked: bool) -> tuple[Floats, float]:
    """The score of each level, 0 for missing cells, and the sum of the squares of all units."""
    scores = centred_ranks(weights) if ranked else centred_values(levels.numbers, weights)
    return np.append(scores, 0.0), float((scores**2 * weights).sum())


# -- tests answered from tables ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Tables:
    """Asks that are answered from tables, those of a test one after the other."""

    asker: Asker
    written: Sequence[Ask]
    question: PairTables | None
    sparse: Mapping[Ask, SparseCrosstab]
    """Of tables too large to write out."""

    @staticmethod
    def of(asker: Asker, asks: Sequence[Ask]) -> _Tables:
        written = sorted(filter(asker.written_out, asks), key=lambda ask: ask.test)
        axes, pairs = _axes_of(asker, written)
        sparse = {
            ask: SparseCrosstab(asker.axis(ask.a), asker.axis(ask.b))
            for ask in asks
            if not asker.written_out(ask)
        }
        return _Tables(asker, written, PairTables(axes, pairs) if written else None, sparse)

    @property
    def passes(self) -> list[Pass]:
        return [*([self.question] if self.question else []), *self.sparse.values()]

    def answers(self, facts: Facts) -> dict[Ask, Answer]:
        """Each test once, for all its tables."""
        asker, found = self.asker, dict[Ask, Answer]()
        layers: Layers | None = None if self.question is None else facts[self.question]
        start = 0
        for test, these in groupby(self.written, key=lambda ask: ask.test):
            asks = list(these)
            assert layers is not None
            stop = start + sum(map(asker.cells, asks))
            tables = asker.tables(asks, layers[:, start:stop])
            found |= placed(asks, tested(test, tables, asker.test_n))
            start = stop
        large = sorted(self.sparse, key=lambda ask: ask.test)
        for test, these in groupby(large, key=lambda ask: ask.test):
            asks = list(these)
            tables = asker.tables(asks, [facts[self.sparse[ask]] for ask in asks])
            found |= placed(asks, tested(test, tables, asker.test_n))
        return found


def _axes_of(asker: Asker, asks: Sequence[Ask]) -> tuple[tuple[Axis, ...], _Places]:
    """The axes of some asks, each once, and their places for each ask."""
    names = dict.fromkeys(name for side in _sides(asks) for name in side)
    place = {name: i for i, name in enumerate(names)}
    pairs = tuple((place[ask.a], place[ask.b]) for ask in asks)
    return tuple(asker.axis(name) for name in names), pairs


_Places = tuple[tuple[int, int], ...]


def _sides(asks: Sequence[Ask]) -> tuple[list[Seen], list[Seen]]:
    return [ask.a for ask in asks], [ask.b for ask in asks]


# -- tests answered from rows --------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _RankedRows:
    """Asks that are answered from the ranks of few rows, tests of groups first."""

    asker: Asker
    groups: Sequence[Ask]
    products: Sequence[Ask]
    question: PairRanks | None

    @staticmethod
    def of(asker: Asker, asks: Sequence[Ask]) -> _RankedRows:
        groups = [ask for ask in asks if ask.test == "kruskal-wallis"]
        products = [ask for ask in asks if ask.test != "kruskal-wallis"]
        axes, pairs = _axes_of(asker, [*groups, *products])
        question = PairRanks(axes, pairs, len(groups)) if asks else None
        return _RankedRows(asker, groups, products, question)

    @property
    def passes(self) -> list[Pass]:
        return [self.question] if self.question else []

    def answers(self, facts: Facts) -> dict[Ask, Answer]:
        """Each test once, for all its asks."""
        if self.question is None:
            return {}
        ranks: TableRanks = facts[self.question]
        asker, count = self.asker, len(self.groups)
        found: dict[Ask, Answer] = {}
        if self.groups:
            keys = [asker.sides[ask.a].levels.keys for ask in self.groups]
            of_groups = groups_from_ranks(ranks.of(slice(count)), keys)
            found |= placed(self.groups, kruskal_wallis(of_groups, asker.test_n))
        if self.products:
            products = products_from_ranks(ranks.of(slice(count, None)))
            found |= placed(self.products, correlation(products, "spearman", asker.test_n))
        return found


# -- tests answered from scores ------------------------------------------------------------------


class _Way(NamedTuple):
    """How the axes of an ask are scored."""

    ranked: bool
    grouped: bool
    """Whether the first axis holds groups, which have no scores."""
    complete: bool
    """Whether neither axis has missing cells."""
    whole: bool
    """Whether scores are whole ranks."""


@dataclass(eq=False)
class _Scoring:
    """Scores of axes, worked out once for each axis and set of complete units."""

    asker: Asker
    absent: Mapping[tuple[Seen, Seen], SparseCells]
    _scored: dict[tuple[Seen, bool, Seen | None], ScoredAxis] = field(default_factory=dict)
    _units: dict[tuple[Seen, Seen | None], _Units] = field(default_factory=dict)
    _ranked: dict[tuple[Seen, Seen | None], ScoredAxis] = field(default_factory=dict)

    def _given(self, name: Seen, other: Seen) -> Seen | None:
        """What an axis depends on beside itself: the other, where it has missing cells."""
        return other if self.asker.missing(other) else None

    def _complete(self, name: Seen, other: Seen) -> Weighing:
        """The levels of an axis in the pair's complete units."""
        weights = self.asker.sides[name].levels.weighing
        if self._given(name, other) is None:
            return weights
        return _without(weights, self.absent[name, other])

    def prepare(self, asks: Iterable[Ask]) -> None:
        """Score the axes of all asks; where they are long, threads share them, an axis each."""
        wanted: dict[Seen, dict[object, tuple[_Way, Seen]]] = {}
        for ask in asks:
            way = self._way(ask)
            for name, other in ((ask.b, ask.a), (ask.a, ask.b))[: 1 if way.grouped else 2]:
                depends = (way.whole, way.ranked, self._given(name, other))
                wanted.setdefault(name, {})[depends] = (way, other)

        def score(name: Seen) -> None:
            for way, other in wanted[name].values():
                self._scores(way, name, other)

        in_threads(score, wanted, shared=self.asker.engine.rows >= SHARED_ROWS)

    def plan(self, ask: Ask) -> _Plan:
        way = self._way(ask)
        second = self._scores(way, ask.b, ask.a)
        units = self._units_of(ask.b, ask.a)
        if way.grouped:
            weights = self._complete(ask.a, ask.b).sums[:-1]
            keys = self.asker.sides[ask.a].levels.keys
            return _GroupPlan(ask, units, self.asker.axis(ask.a), second, weights, keys)
        first = self._scores(way, ask.a, ask.b)
        return _ProductPlan(ask, units, (first, second), way.ranked and way.complete)

    def _way(self, ask: Ask) -> _Way:
        ranked = ask.test in RANKED
        grouped = ask.test in ("kruskal-wallis", "anova")
        complete = not self.asker.missing(ask.a) and not self.asker.missing(ask.b)
        # One matrix holds all products of complete axes; nothing is as quick for single ones.
        whole = ranked and self._whole and (grouped or not complete)
        return _Way(ranked, grouped, complete, whole)

    def _scores(self, way: _Way, name: Seen, other: Seen) -> ScoredAxis:
        return self._ranks(name, other) if way.whole else self._axis(name, other, way.ranked)

    @property
    def _whole(self) -> bool:
        """Whether ranks are whole numbers."""
        engine = self.asker.engine
        return not engine.weighted and engine.rows <= MOST_ROWS

    def _ranks(self, name: Seen, other: Seen) -> ScoredAxis:
        """An axis by its whole ranks among the pair's complete units."""
        given = self._given(name, other)
        if (name, given) not in self._ranked:
            absent = self.absent[name, other] if given else None
            ranks = Ranks(self.asker.ranked(name), absent)
            scored = ScoredAxis(self.asker.axis(name), float(ranks.squares), ranks)
            self._ranked[name, given] = scored
        return self._ranked[name, given]

    def _axis(self, name: Seen, other: Seen, ranked: bool) -> ScoredAxis:
        given = self._given(name, other)
        if given is None:
            return self.asker.scored(name, ranked=ranked)
        key = (name, ranked, given)
        if key not in self._scored:
            here = self._complete(name, other).sums[:-1]
            self._scored[key] = self.asker.scored_within(name, here, ranked)
        return self._scored[key]

    def _units_of(self, name: Seen, other: Seen) -> _Units:
        given = self._given(name, other)
        if (name, given) not in self._units:
            absent = self.absent[name, other] if given else None
            levels = self.asker.sides[name].levels
            if absent is None:
                units = levels.units
            elif self.asker.engine.weighted:
                units = self._complete(name, other).over(slice(0, -1))
            else:
                rows = levels.present - int(absent.rows.sum())
                units = rows, float(rows), float(rows)
            self._units[name, given] = units
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
    units: _Units
    group: Axis
    scored: ScoredAxis
    weight: Floats
    keys: Keys

    @property
    def own(self) -> RankSums | None:
        """Its question where no other can share it: ranks among complete units are its own."""
        if self.scored.ranks is None:
            return None
        return RankSums(self.group, self.scored.axis, self.scored.ranks)

    def sums(self, shared: _Shared, facts: Facts) -> Floats:
        """The sum of the scores of each group."""
        if self.own is not None:
            return np.asarray(facts[self.own][:-1], dtype=np.float64)
        question = shared.groups[self.group]
        found: Floats = facts[question][:-1, question.scored.index(self.scored.axis)]
        return found


@dataclass(frozen=True, eq=False)
class _ProductPlan:
    """A correlation by the sum of products of scores."""

    ask: Ask
    units: _Units
    scored: tuple[ScoredAxis, ScoredAxis]
    complete: bool
    """No missing cells: the sum is one entry of the common matrix product."""

    @property
    def own(self) -> RankProduct | Product | None:
        """Its question where no other can share it."""
        a, b = self.scored
        if a.ranks is not None and b.ranks is not None:
            return RankProduct(a.axis, b.axis, (a.ranks, b.ranks))
        return None if self.complete else Product(a.axis, b.axis)

    def sum(self, shared: _Shared, facts: Facts) -> float:
        """The sum of the products."""
        if self.own is not None:
            return float(facts[self.own])
        assert shared.gram is not None
        return float(facts[shared.gram][tuple(shared.places[one.axis] for one in self.scored)])


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


def _without(weights: Weighing, absent: SparseCells) -> Weighing:
    """Levels without the units that are left out."""
    rows = weights.rows.copy()
    rows[absent.keys] -= absent.rows
    if len(absent.layers) == 1:
        sums = rows.astype(np.float64)
        return Weighing(rows, sums, sums)
    left = []
    for layer, gone in zip((weights.sums, weights.squares), absent.layers[1:], strict=True):
        here = layer.copy()
        here[absent.keys] -= gone
        left.append(np.where(rows > 0, here, 0.0))  # what rounding leaves is no weight
    return Weighing(rows, *left)
