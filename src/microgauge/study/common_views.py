"""Variables of several tables on common levels: the original recoded as the protected one was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Literal

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines.rounds import Asking
from microgauge.passes import Axis
from microgauge.records import dataclass
from microgauge.study.common_levels import comparable
from microgauge.study.recoding import (
    MatchedCells,
    matched_cells,
    may_be_rounded,
    recoded_like,
    recoded_original,
)
from microgauge.study.study import Study
from microgauge.study.variable import Described, Side

Kind = Literal["number", "order", "category"]
TableName = Literal["original", "protected", "holdout"]


@dataclass(frozen=True, eq=False)
class View:
    """A variable on levels that are common to all tables that have it."""

    name: str
    kind: Kind
    size: int
    numbers: Floats
    """The levels as numbers: values, or places in the order; zeros for categories."""
    sides: Mapping[TableName, tuple[Side, Index]]
    """Each table's own levels, and where they stand among the common ones."""

    def axis(self, table: TableName, column: str) -> Axis:
        """How passes see a table's column."""
        side, places = self.sides[table]
        lookup = np.append(places, self.size)[side.lookup]
        return Axis.of(column, lookup, self.size)

    @property
    def range(self) -> float:
        """The range of the original's values."""
        side, places = self.sides["original"]
        here = self.numbers[places[side.levels.rows > 0]]
        with np.errstate(over="ignore"):
            return float(here.max() - here.min()) if len(here) else 0.0

    @property
    def positions(self) -> Floats | None:
        """The levels in units of the original's range; None where they are only same or other."""
        width = self.range
        if self.kind == "category" or not width:
            return None
        if not isfinite(width):  # of numbers near the largest there are
            side, places = self.sides["original"]
            here = self.numbers[places[side.levels.rows > 0]] / 2
            return self.numbers / 2 / float(here.max() - here.min())
        return self.numbers / width

    @property
    def deviation(self) -> float:
        """The standard deviation (n - 1) of the original's numbers; 0 where there is none."""
        side, places = self.sides["original"]
        rows, numbers = side.levels.rows.astype(np.float64), self.numbers[places]
        total = rows.sum()
        if self.kind != "number" or total < 2:
            return 0.0
        # By a power of two first, which changes no digit: squares of large numbers overflow.
        scale = float(np.ldexp(1.0, int(np.frexp(np.abs(numbers).max())[1]) - 1))
        numbers = numbers / scale
        mean = (rows * numbers).sum() / total
        return scale * float(np.sqrt((rows * (numbers - mean) ** 2).sum() / (total - 1)))


def read_views(
    study: Study, others: Mapping[TableName, Mapping[str, Side]]
) -> Asking[dict[str, View]]:
    """The analysed variables that both tables have and that can be compared, by name.

    A key of which every cell was suppressed is there too: it agrees with everybody.
    """
    shared = [v for v in study.analysed if comparable(v) or _suppressed_key(v)]
    cells = yield from matched_cells([v for v in shared if may_be_rounded(v)], study.matched)
    found = {v.name: _view(study, v, cells.get(v.name), others) for v in shared}
    return {name: view for name, view in found.items() if view is not None}


def _suppressed_key(variable: Described) -> bool:
    """Whether a key is still a column, but every cell of it was suppressed."""
    is_key = variable.role == "quasi_identifier" and not variable.original.empty
    return is_key and variable.protected is not None and variable.protected.empty


def _view(
    study: Study,
    variable: Described,
    cells: MatchedCells | None,
    others: Mapping[TableName, Mapping[str, Side]],
) -> View | None:
    """None where numbers became categories in an unknown way."""
    assert variable.protected is not None
    recoding = study.recodings.get(variable.name)
    before, after = recoded_original(variable, recoding, cells), variable.protected
    kind = "category" if after.empty else _kind(before, after)
    if after.empty:
        before = variable.original
    elif kind != "number" and before.type == "continuous" and not after.levels.numeric:
        return None
    sides: dict[TableName, Side] = {"original": before, "protected": after}
    for table, has in others.items():
        if variable.name in has:
            sides[table] = recoded_like(variable, recoding, has[variable.name], cells)
    if kind == "number":
        sides = {table: side for table, side in sides.items() if side.levels.numeric}
    places, numbers = _common(list(sides.values()), kind)
    if kind == "order":
        numbers = _ranks(places, len(numbers))
    placed = dict(zip(sides, zip(sides.values(), places, strict=True), strict=True))
    return View(variable.name, kind, len(numbers), numbers, placed)


def released_view(name: str, side: Side) -> View:
    """A variable of the original as it would be released: the same on both sides."""
    kind = _kind(side, side)
    [places], numbers = _common([side], kind)
    return View(
        name, kind, len(numbers), numbers, dict.fromkeys(("original", "protected"), (side, places))
    )


def _kind(before: Side, after: Side) -> Kind:
    types = {before.type, after.type}
    if "nominal" in types:
        return "category"
    if types == {"continuous"} and before.levels.numeric and after.levels.numeric:
        return "number"
    return "order"


def _ranks(places: Sequence[Index], size: int) -> Floats:
    """Places in the order of what the first two tables have; levels of others stand in between.

    So another table changes no distance between units and records.

    >>> _ranks([np.array([0, 2]), np.array([2, 3]), np.array([1, 4])], 5)
    array([0. , 0.5, 1. , 2. , 2.5])
    """
    known = np.unique(np.concatenate(list(places[:2])))
    last = len(known) - 1.0
    return np.interp(np.arange(size), known, np.arange(len(known)), left=-0.5, right=last + 0.5)


def _common(sides: Sequence[Side], kind: Kind) -> tuple[list[Index], Floats]:
    """Where each side's levels stand among those of all, and these as numbers."""
    if all(side.levels.numeric for side in sides):
        union = np.unique(np.concatenate([side.levels.numbers for side in sides]))
        places = [np.searchsorted(union, side.levels.numbers) for side in sides]
        ordered = np.arange(len(union), dtype=np.float64)
        return places, {"number": union, "order": ordered}.get(kind, np.zeros(len(union)))
    order = _ordered([side.levels.labels for side in sides])
    place = {label: i for i, label in enumerate(order)}
    places = [np.array([place[n] for n in s.levels.labels], dtype=np.intp) for s in sides]
    return places, np.arange(len(order), dtype=np.float64) * (kind == "order")


def _ordered(sides: Sequence[Sequence[str]]) -> list[str]:
    """Labels of all sides, those that only a later one has after the ones they follow there."""
    order = list(sides[0])
    for labels in sides[1:]:
        known = {label: place for place, label in enumerate(order)}
        strange: dict[int, list[str]] = {}
        last = -1
        for label in labels:
            if label in known:
                last = known[label]
            else:
                strange.setdefault(last, []).append(label)
        order = [
            *strange.get(-1, []),
            *(n for i, label in enumerate(order) for n in (label, *strange.get(i, []))),
        ]
    return order
