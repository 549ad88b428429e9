"""What a report draws: distributions of every variable and tables of pairs, on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines.rounds import Asking, IsAsked, Need, asked_both
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.loss.moments import quantiles
from microgauge.passes import Axis, Crosstab, Facts
from microgauge.passes.tables import AxisPair, Layers
from microgauge.records import dataclass
from microgauge.results import (
    GDU,
    AxisDetail,
    CategoryDetail,
    Details,
    NumberDetail,
    PairDetail,
    VariableDetail,
)
from microgauge.sections.gdu import GDU_SECTION
from microgauge.sections.public import OTHERS
from microgauge.study.common_levels import Placed
from microgauge.study.study import Study
from microgauge.study.variable import Described
from microgauge.values.levels import Levels, sums_by

BINS = 30
FINE_BINS = 512
GRID = 64
TAIL = 0.005
"""Share of each end of the original's numbers that is drawn in the outer bins."""
MOST_CATEGORIES = 20
TINY, HUGE, FINE = 1e-100, 1e100, 1e-9
"""Sizes of numbers, and of their spread, that a scale can be drawn for."""
BOX = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_OUTLIERS = 80
"""Distinct numbers beyond the whiskers that are drawn on each side."""
PAIR_BINS = 10
PAIR_CATEGORIES = 7
MOST_PAIRS = 1_500
"""Pairs that are drawn."""
MOST_COUNTED = 10_000
"""Pairs that are counted before it is known which lost most: 100 MB."""


def run(study: Study, log: Log) -> Asking[Details]:
    """The details of all variables, and of the pairs that lost most."""
    log.progress(say("drawing variables"), 0.0)
    both = study.compared
    found = [variable_detail(variable, both.get(variable.name)) for variable in study.analysed]
    recoded = {v.name for v in study.analysed if v.name in both and _recoded(v, both[v.name])}
    axes = {name: _coarse(side) for name, side in both.items()}
    drawn = {name: axis.axes(both[name]) for name, axis in axes.items()}
    pairs = list(combinations(both, 2))
    tested = yield IsAsked(GDU_SECTION)
    # Pairs are all counted while they are tested; of very many, those that lost most, after that.
    early = tested and len(pairs) <= MOST_COUNTED
    tables = yield from _Tables.ask(study, drawn, pairs if early else ())
    gdu = (yield Need(GDU_SECTION)) if tested else None
    wanted, left_out = _wanted(gdu, both)
    if not early:
        tables = yield from _Tables.ask(study, drawn, wanted)
    log.progress(say("drawing pairs"), 0.0)
    return Details(
        variables=tuple(found),
        axes=tuple(axis.detail(name, name in recoded) for name, axis in axes.items()),
        pairs=tuple(tables.detail(a, b) for a, b in wanted),
        left_out=left_out,
    )


# -- one variable ----------------------------------------------------------------------------


def variable_detail(variable: Described, both: Placed | None) -> VariableDetail:
    """How a variable is distributed on both sides, or why that cannot be drawn."""
    name = variable.name
    if both is None:
        removed = variable.removed or variable.protected is None
        why = say("removed") if removed else say("not comparable")
        return VariableDetail(name=name, reason=why)
    try:
        if both.type == "continuous":
            return VariableDetail(name=name, numbers=_numbers(both))
        categories = replace(_categories(both), recoded=_recoded(variable, both))
        return VariableDetail(name=name, categories=categories)
    except Undefined as why:
        return VariableDetail(name=name, reason=str(why))


def _recoded(variable: Described, both: Placed) -> bool:
    """Whether a picture does not show the original's own values."""
    return both.original is not variable.original


def _numbers(both: Placed) -> NumberDetail:
    sides = (both.original.levels, both.protected.levels)
    if any(levels.sums.sum() <= 0 for levels in sides):
        raise Undefined(say("no value has any weight"))
    low, high = _range(both)
    largest = max(abs(low), abs(high))
    if not TINY < largest < HUGE or high - low < FINE * largest:
        raise Undefined(
            say("the numbers are too large, too small or too close to each other to draw")
        )
    edges = _round_edges(low, high)
    low, high = float(edges[0]), float(edges[-1])
    shares = [_binned(levels, levels.sums, edges) for levels in sides]
    rows = [_binned(levels, levels.rows.astype(np.float64), edges) for levels in sides]
    grid, *curves = _densities(sides, low, high)
    boxes = [_quantiles(levels, BOX) for levels in sides]
    tails = [_tails(levels, box) for levels, box in zip(sides, boxes, strict=True)]
    return NumberDetail(
        edges=tuple(float(edge) for edge in edges),
        before=_floats(shares[0] / shares[0].sum()),
        after=_floats(shares[1] / shares[1].sum()),
        rows_before=tuple(int(n) for n in rows[0]),
        rows_after=tuple(int(n) for n in rows[1]),
        density=tuple(
            (float(x), float(a), float(b)) for x, a, b in zip(grid, *curves, strict=True)
        ),
        box_before=boxes[0],
        box_after=boxes[1],
        ends_before=_ends(sides[0]),
        ends_after=_ends(sides[1]),
        whiskers_before=tails[0].whiskers,
        whiskers_after=tails[1].whiskers,
        outliers_before=tails[0].outliers,
        outliers_after=tails[1].outliers,
        beyond_before=tails[0].beyond,
        beyond_after=tails[1].beyond,
        outside_before=_outside(sides[0], low, high),
        outside_after=_outside(sides[1], low, high),
        units_before=_units(sides[0]),
        dominance_before=_dominance(sides[0]),
    )


def _units(levels: Levels) -> float:
    _, _, effective = levels.weighing.over(slice(0, -1))
    return effective


def _dominance(levels: Levels) -> float:
    """What the record farthest from the mean has of the sum of squares about it, at most."""
    here = levels.sums > 0
    numbers, sums = levels.numbers[here], levels.sums[here]
    size = float(np.abs(numbers).max()) or 1.0  # squares of the largest numbers there are
    apart = numbers / size - float((numbers / size * sums).sum() / sums.sum())
    squares = apart**2
    total = float((squares * sums).sum())
    # A level's weight over its rows is its records' weight; one may have all but all of it.
    heaviest = np.sqrt(levels.weighing.squares[:-1][here])
    one = np.where(levels.rows[here] == sums, 1.0, heaviest)
    return float((squares * one).max()) / total if total > 0 else 0.0


@dataclass(frozen=True)
class _Tails:
    """What a box plot shows beyond its box."""

    whiskers: tuple[float, float]
    outliers: tuple[float, ...]
    beyond: int


def _tails(levels: Levels, box: Sequence[float]) -> _Tails:
    """Tukey's: whiskers end at the last number within one and a half box lengths."""
    here = levels.sums > 0
    numbers, rows = levels.numbers[here], levels.rows[here]
    low, high = box[1], box[3]
    reach = 1.5 * (high - low)
    inside = (numbers >= low - reach) & (numbers <= high + reach)
    least = float(numbers[inside].min()) if inside.any() else low
    largest = float(numbers[inside].max()) if inside.any() else high
    # A whisker never ends inside the box, though quantiles may lie between two numbers.
    return _Tails(
        (min(least, low), max(largest, high)),
        _spread(np.sort(numbers[~inside])),
        int(rows[~inside].sum()),
    )


def _spread(numbers: Floats) -> tuple[float, ...]:
    """All of them, or as many as a picture has room for from the least to the largest."""
    if len(numbers) > MOST_OUTLIERS:
        numbers = numbers[np.linspace(0, len(numbers) - 1, MOST_OUTLIERS).round().astype(np.intp)]
    return _floats(numbers)


def _ends(levels: Levels) -> tuple[float, float]:
    """The least and the largest number that weighs anything."""
    here = levels.numbers[levels.sums > 0]
    return float(here.min()), float(here.max())


def _outside(levels: Levels, low: float, high: float) -> tuple[float, float]:
    """Share of the weight below and above a range."""
    total = float(levels.sums.sum())
    below, above = levels.numbers < low, levels.numbers > high
    return float(levels.sums[below].sum()) / total, float(levels.sums[above].sum()) / total


def _range(both: Placed) -> tuple[float, float]:
    """Where most numbers lie: long tails would squeeze all else into one bin."""
    ends = [
        _quantiles(levels, (TAIL, 1.0 - TAIL))
        for levels in (both.original.levels, both.protected.levels)
    ]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _round_edges(low: float, high: float) -> Floats:
    """About thirty bins between round numbers, which tell nothing of the data by themselves."""
    step = 10.0 ** np.floor(np.log10((high - low) / BINS))
    step *= next(
        m
        for m in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
        if m * step * BINS >= high - low
    )
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    decimals = max(0, int(np.ceil(-np.log10(step))) + 1)
    edges = np.arange(first, max(last, first + 1) + 1) * step
    return np.asarray(np.round(edges, decimals), dtype=np.float64)


def _quantiles(levels: Levels, shares: Sequence[float]) -> tuple[float, ...]:
    counts = levels.weighing.sums is levels.weighing.squares
    return quantiles(levels.numbers, levels.sums, shares, counts=counts)


def _binned(levels: Levels, weights: Floats, edges: Floats) -> Floats:
    place = np.clip(np.searchsorted(edges, levels.numbers, side="right") - 1, 0, len(edges) - 2)
    return sums_by(place, weights, len(edges) - 1)


def _densities(
    sides: tuple[Levels, Levels], low: float, high: float
) -> tuple[Floats, Floats, Floats]:
    """Smooth densities by a normal kernel (Silverman's width), the same for both sides."""
    edges = np.linspace(low, high, FINE_BINS + 1)
    middles = (edges[:-1] + edges[1:]) / 2.0
    grid = np.linspace(low, high, GRID)
    before = _binned(sides[0], sides[0].sums, edges)
    before = before / before.sum()
    mean = float((before * middles).sum())
    spread = float(np.sqrt((before * (middles - mean) ** 2).sum()))
    width = max(1.06 * spread * max(sides[0].present, 1) ** -0.2, (high - low) / 200.0)
    kernel = np.exp(-0.5 * ((grid[:, np.newaxis] - middles) / width) ** 2)
    kernel /= width * np.sqrt(2.0 * np.pi)
    after = _binned(sides[1], sides[1].sums, edges)
    return grid, kernel @ before, kernel @ (after / after.sum())


def _categories(both: Placed) -> CategoryDetail:
    shares, rows = [], []
    for side, places in both.sides:
        weights = sums_by(places, side.levels.sums, both.size)
        shares.append(weights / max(float(weights.sum()), 1e-300))
        rows.append(sums_by(places, side.levels.rows, both.size))
    labels = both.labels
    order = _order(both, shares[0] + shares[1])
    kept, rest = order[:MOST_CATEGORIES], order[MOST_CATEGORIES:]
    if both.type == "ordinal":
        kept = np.sort(kept)

    def taken(values: Floats) -> list[float]:
        return [*values[kept].tolist(), *([float(values[rest].sum())] if len(rest) else [])]

    return CategoryDetail(
        labels=(*(labels[i] for i in kept), *([OTHERS] if len(rest) else [])),
        before=tuple(taken(shares[0])),
        after=tuple(taken(shares[1])),
        rows_before=tuple(int(n) for n in taken(rows[0])),
        rows_after=tuple(int(n) for n in taken(rows[1])),
        others=len(rest),
        units_before=_units(both.original.levels),
    )


def _order(both: Placed, weights: Floats) -> Index:
    if both.type == "ordinal" and both.size <= MOST_CATEGORIES:
        return np.arange(both.size)
    return np.argsort(-weights, kind="stable")


def _floats(values: Floats) -> tuple[float, ...]:
    return tuple(float(f"{value:.6g}") for value in values)


# -- pairs -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Coarse:
    """A variable in few levels, the same on both sides."""

    size: int
    original: Index
    """The coarse level of each level of the original, as it is compared."""
    protected: Index
    labels: tuple[str, ...] = ()
    edges: tuple[float, ...] = ()

    def detail(self, name: str, recoded: bool) -> AxisDetail:
        return AxisDetail(name=name, labels=self.labels, edges=self.edges, recoded=recoded)

    def axes(self, both: Placed) -> AxisPair:
        """How passes see the variable in both tables."""
        before, after = (
            Axis(both.name, np.append(coarse, self.size)[side.lookup], self.size)
            for side, coarse in ((both.original, self.original), (both.protected, self.protected))
        )
        return before, after


def _coarse(both: Placed) -> _Coarse:
    if both.type == "continuous":
        return _coarse_numbers(both)
    weights = sums_by(both.original_places, both.original.levels.sums, both.size)
    weights += sums_by(both.protected_places, both.protected.levels.sums, both.size)
    labels = both.labels
    order = np.argsort(-weights, kind="stable")
    most = PAIR_BINS if both.type == "ordinal" else PAIR_CATEGORIES
    kept = order[:most]
    if both.type == "ordinal":
        kept = np.sort(kept)
    few = both.size <= most
    goes = np.full(both.size, len(kept), dtype=np.intp)
    goes[kept] = np.arange(len(kept))
    names = tuple(labels[i] for i in kept)
    return _Coarse(
        len(kept) + (0 if few else 1),
        goes[both.original_places],
        goes[both.protected_places],
        names if few else (*names, OTHERS),
    )


def _coarse_numbers(both: Placed) -> _Coarse:
    """Bins that hold about as many original units each."""
    before = both.original.levels
    inner = np.unique(_quantiles(before, [i / PAIR_BINS for i in range(1, PAIR_BINS)]))
    places = [
        np.searchsorted(inner, side.levels.numbers, side="right")
        for side in (both.original, both.protected)
    ]
    low, high = _range(both)
    edges = [min(low, float(inner[0])), *inner.tolist(), max(high, float(inner[-1]))]
    return _Coarse(len(inner) + 1, places[0], places[1], (), _floats(np.array(edges)))


def _wanted(gdu: GDU | None, both: Mapping[str, Placed]) -> tuple[list[tuple[str, str]], int]:
    """Pairs that were tested, those that lost most first, up to a number."""
    if gdu is None:
        return [], 0
    tested = [p for p in gdu.pairs if p.utility is not None and p.a in both and p.b in both]
    tested.sort(key=lambda p: p.utility or 0.0)
    return [(p.a, p.b) for p in tested[:MOST_PAIRS]], max(len(tested) - MOST_PAIRS, 0)


Shares = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class _Tables:
    """The tables of pairs, counted on both sides."""

    drawn: Mapping[str, AxisPair]
    facts: Sequence[Facts]

    @staticmethod
    def ask(
        study: Study, drawn: Mapping[str, AxisPair], pairs: Sequence[tuple[str, str]]
    ) -> Asking[_Tables]:
        """Count the tables of some pairs, in one round."""
        wanted = [
            [Crosstab(drawn[a][place], drawn[b][place]) for a, b in pairs] for place in (0, 1)
        ]
        facts = yield from asked_both(study.engines, wanted)
        return _Tables(drawn, facts)

    def detail(self, a: str, b: str) -> PairDetail:
        """The shares of a pair's cells, before and after."""
        before, after = (
            _shares(self.facts[place][Crosstab(*axes)])
            for place, axes in enumerate(zip(self.drawn[a], self.drawn[b], strict=True))
        )
        return PairDetail(a=a, b=b, before=before, after=after)


def _shares(layers: Layers) -> Shares:
    """Shares of complete units, in four digits: enough for a picture."""
    table = layers[min(1, len(layers) - 1)][:-1, :-1]
    total = max(float(table.sum()), 1e-300)
    return tuple(tuple(round(float(cell) / total, 4) for cell in row) for row in table)
