"""The cells of a variable: groups of its numbers, its categories, and what recoded values cover."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.engines import PROTECTED
from microgauge.measures.tables.agreement import Cells, Spread
from microgauge.passes import Axis
from microgauge.records import dataclass
from microgauge.sections.tables.choices import TablesChoices
from microgauge.study.recoding import MatchedCells, Recoding, shown_rule
from microgauge.study.variable import Described, Side
from microgauge.values.levels import Keys, Levels, common

MOST_CATEGORIES = {2: 100, 3: 30}
"""Categories of a variable in tables of two and three; rarer ones are one cell."""


@dataclass(frozen=True, eq=False)
class Tabled:
    """A variable as tables see it.

    Cells are groups or categories, then one for values that the original does not have, and last
    one for missing values. Recoded values that cover a single cell are counted as that cell.
    """

    variable: Described
    cells: Cells
    original: Index
    """Where each level of the original is counted."""
    pieces: int
    """Places of the original; one more is for missing values."""
    protected: Index | None
    """Where each protected level is counted; None where the variable is gone."""
    places: int
    """Places of the protected table; one more is for missing values."""

    @property
    def name(self) -> str:
        """The variable's."""
        return self.variable.name

    @property
    def removed(self) -> bool:
        """Whether nothing of it is in the protected table."""
        return self.protected is None

    @property
    def recoded(self) -> bool:
        """Whether some of its cells can no longer be told apart."""
        return self.cells.spread is not None

    @cached_property
    def original_axis(self) -> Axis:
        """How passes see the original's column."""
        lookup = np.append(self.original, self.pieces)[self.variable.original.lookup]
        return Axis(self.name, lookup, self.pieces)

    @cached_property
    def protected_axis(self) -> Axis:
        """How passes see the protected column."""
        assert self.protected is not None
        assert self.variable.protected is not None
        lookup = np.append(self.protected, self.places)[self.variable.protected.lookup]
        return Axis(self.name, lookup, self.places)

    @cached_property
    def matched_axis(self) -> Axis:
        """The same in rows that hold both tables' values."""
        return replace(self.protected_axis, column=PROTECTED + self.name)

    def one_way(self) -> tuple[Floats, Floats]:
        """What each place of both tables weighs."""
        before = _weighed(self.original, self.variable.original.levels, self.pieces)
        if self.protected is None or self.variable.protected is None:
            return before, np.zeros((1, self.places + 1))
        return before, _weighed(self.protected, self.variable.protected.levels, self.places)


def _weighed(places: Index, levels: Levels, size: int) -> Floats:
    sums = levels.weighing.sums
    found = np.bincount(np.append(places, size), sums, size + 1)
    return np.asarray(found, dtype=np.float64)[np.newaxis]


def tabled(
    variable: Described,
    recoding: Recoding | None,
    matched: MatchedCells | None,
    choices: TablesChoices,
) -> Tabled:
    """A variable in cells that depend on the original alone."""
    original = variable.original
    numbers = original.type == "continuous" and original.levels.numeric
    borders = _borders(original.levels, choices, variable.name) if numbers else None
    if borders is None:
        of_level, size = _categories(original.levels, MOST_CATEGORIES[choices.ways])
    else:
        of_level, size = _grouped(original.levels.numbers, borders)
    after = None if variable.removed else variable.protected
    known = None if after is None else _recoded(variable, recoding, matched)
    values = np.append(np.bincount(of_level, minlength=size), [0, 1]).astype(np.float64)
    if after is None:
        return Tabled(variable, Cells(values), of_level, size + 1, None, size + 1)
    alone = _placed(after, original.levels, of_level, size, borders)
    if known is None:
        return Tabled(variable, Cells(values), of_level, size + 1, alone, size + 1)
    return _with_recoding(variable, known, (of_level, values), alone)


# -- cells of the original -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Borders:
    """Where groups of numbers end; the last one has no end."""

    at: Floats
    closed_right: bool
    """Whether a border belongs to the group below it."""

    def group(self, numbers: Floats) -> Index:
        """The group of each number."""
        side = "left" if self.closed_right else "right"
        return np.searchsorted(self.at, numbers, side=side)  # type: ignore[call-overload, no-any-return]


def _borders(levels: Levels, choices: TablesChoices, name: str) -> Borders:
    """Declared breaks, or quantiles of the original; equal ones are one border."""
    breaks = choices.breaks(name)
    if breaks is not None:
        return Borders(np.array(breaks, dtype=np.float64), closed_right=False)
    up_to = np.cumsum(levels.sums)
    wanted = np.arange(1, choices.quantiles) / choices.quantiles * up_to[-1]
    # Sums of weights have errors in their last digits, which must not move a border.
    last = np.unique(np.searchsorted(up_to, wanted * (1.0 - 1e-12)))
    last = last[last < len(levels) - 1]
    # Half way to the next value: at the value itself, the least noise would move half of its units.
    between = (levels.numbers[last] + levels.numbers[last + 1]) / 2.0
    return Borders(between, closed_right=True)


def _grouped(numbers: Floats, borders: Borders) -> tuple[Index, int]:
    """The group of each level; groups that no original value is in stay empty."""
    return borders.group(numbers), len(borders.at) + 1


def _categories(levels: Levels, most: int) -> tuple[Index, int]:
    """A cell for each category; beyond `most`, the rarest share one, those alike in number too."""
    if len(levels) <= most:
        return np.arange(len(levels)), len(levels)
    rows = levels.rows
    limit = np.sort(rows)[::-1][most - 1]
    kept = rows > limit
    found = np.full(len(levels), int(kept.sum()), dtype=np.intp)
    found[kept] = np.arange(kept.sum())
    return found, int(kept.sum()) + 1


def _placed(
    after: Side, before: Levels, of_level: Index, size: int, borders: Borders | None
) -> Index:
    """The cell of each protected level by itself; `size` where the original has no such value."""
    if borders is not None and after.levels.numeric:
        return borders.group(after.levels.numbers)
    own = _matched(after.levels.keys, before.keys)
    return np.where(own >= 0, np.append(of_level, size)[own], size)


def _matched(keys: Keys, known: Keys) -> Index:
    """The place of each key among known ones; -1 where it is none."""
    a, b, size = common(known, keys)
    place = np.full(size, -1, dtype=np.intp)
    place[a] = np.arange(len(a))
    return place[b]


# -- recoded values --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Known:
    """Which recoded value each original level became."""

    keys: Keys
    target: Index


def _recoded(
    variable: Described, recoding: Recoding | None, matched: MatchedCells | None
) -> _Known | None:
    """What is known of a recoding: declared, shown by matched rows, told by labels, inferred."""
    declared = recoding is not None and recoding.how == "declared"
    rule = None if declared else shown_rule(variable, matched)
    if rule is not None:
        keys, target = np.unique(
            rule.applied(variable.original.levels.numbers), return_inverse=True
        )
        return _Known(keys, target)
    return None if recoding is None else _Known(recoding.recoded.levels.keys, recoding.target)


def _with_recoding(
    variable: Described, known: _Known, before: tuple[Index, Floats], alone: Index
) -> Tabled:
    """Recoded values of several cells get places of their own, after those of the cells."""
    assert variable.protected is not None
    of_level, values = before
    size = len(values) - 2
    covers = np.zeros((len(known.keys), len(values)))
    np.add.at(covers, (known.target, of_level), 1.0)
    several = (covers > 0).sum(axis=1) > 1
    place = np.where(several, size + np.cumsum(several), covers.argmax(axis=1))
    own = _matched(variable.protected.levels.keys, known.keys)
    protected = np.where(own >= 0, place[own], alone)
    places = size + 1 + int(several.sum())
    if not several.any():
        return Tabled(variable, Cells(values), of_level, size + 1, protected, places)
    spread = np.zeros((places + 1, len(values)))
    np.add.at(spread, place, covers)
    shares = spread / np.maximum(spread.sum(axis=1, keepdims=True), 1.0)
    # What no recoding gives stands for itself; so does a missing value.
    bare = np.flatnonzero(spread.sum(axis=1) == 0)
    shares[bare, np.where(bare < places, bare, len(values) - 1)] = 1.0
    spread[places, -1] = 1.0
    pieces, of_piece = np.unique(
        np.stack([of_level, place[known.target]]), axis=1, return_inverse=True
    )
    held = np.append(pieces, [[size + 1], [places]], axis=1)
    cells = Cells(values, (held[0], held[1]), Spread(shares, spread))
    return Tabled(variable, cells, of_piece.ravel(), pieces.shape[1], protected, places)
