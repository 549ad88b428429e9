"""Did associations change their direction? Of many pairs at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.measures.gdu.association import Associations, CellFacts, SignedGroups
from microgauge.records import dataclass
from microgauge.values.levels import Keys, common, sums_by
from microgauge.values.segments import Segments, joined

_BLOCK_CELLS = 1 << 20
"""Cells of tables that are written out at a time."""


@dataclass(frozen=True, eq=False)
class Turns:
    """Whether associations changed their direction."""

    opposite: Flags
    """Σ|MSD_o - MSD_p| > Σ|MSD_o|, or correlations of different sign."""
    signs_flipped: Flags
    """Whether cells or groups of opposite sign carry more than half of Σ|MSD_o · MSD_p|.

    A file may change the pattern of an association, or double it, and flip few signs: only with
    this does the association point the other way.
    """


def turns(original: Associations, o: Index, protected: Associations, p: Index) -> Turns:
    """Compare directions of the pairs o of one side with the pairs p of the other.

    Both sides must have been tested with levels that mean the same.
    """
    if original.correlation is not None and protected.correlation is not None:
        flipped = original.correlation[o] * protected.correlation[p] < 0
        return Turns(flipped, flipped)
    before, after = original.direction, protected.direction
    sums = _Sums.of(len(o))
    if isinstance(before, CellFacts) and isinstance(after, CellFacts):
        _add_tables(sums, before, o, after, p)
    elif isinstance(before, SignedGroups) and isinstance(after, SignedGroups):
        _add_groups(sums, before, o, after, p)
    else:
        raise TypeError("directions of different tests cannot be compared")
    return sums.turns


@dataclass(frozen=True, eq=False)
class _Sums:
    """What both sides' strengths add up to, by pair."""

    change: Floats
    strength: Floats
    against: Floats
    weight: Floats

    @staticmethod
    def of(pairs: int) -> _Sums:
        return _Sums(*np.zeros((4, pairs)))

    def add(self, pairs: slice, parts: Segments, before: Floats, after: Floats) -> None:
        """Add the strengths of some pairs, or of a part of one."""
        product = before * after
        negative = product < 0
        self.change[pairs] += parts.sums(np.abs(before - after))
        self.strength[pairs] += parts.sums(np.abs(before))
        self.against[pairs] -= parts.only(negative).sums(product[negative])
        self.weight[pairs] += parts.sums(np.abs(product))

    @property
    def turns(self) -> Turns:
        return Turns(self.change - self.strength > 0, 2.0 * self.against > self.weight)


@dataclass(frozen=True, eq=False)
class _Common:
    """Levels of both sides in one list for each pair: the lists, and where each side's stand."""

    levels: Segments
    original: Index
    protected: Index

    @staticmethod
    def of(original: Sequence[Keys], o: Index, protected: Sequence[Keys], p: Index) -> _Common:
        known: dict[tuple[int, int], tuple[Index, Index, int]] = {}
        found = []
        for i, j in zip(o.tolist(), p.tolist(), strict=True):
            a, b = original[i], protected[j]
            if (id(a), id(b)) not in known:  # as many as variables, not as pairs
                known[id(a), id(b)] = common(a, b)
            found.append(known[id(a), id(b)])
        return _Common(
            Segments(np.array([size for _, _, size in found], dtype=np.intp)),
            joined([a for a, _, _ in found]).astype(np.intp, copy=False),
            joined([b for _, b, _ in found]).astype(np.intp, copy=False),
        )


def _add_groups(sums: _Sums, before: SignedGroups, o: Index, after: SignedGroups, p: Index) -> None:
    both = _Common.of(before.keys, o, after.keys, p)
    sides = (
        sums_by(
            np.repeat(both.levels.starts, side.groups.lengths[chosen]) + places,
            side.signed[side.groups.places(chosen)],
            both.levels.total,
        )
        for side, chosen, places in ((before, o, both.original), (after, p, both.protected))
    )
    sums.add(slice(None), both.levels, *sides)


def _add_tables(sums: _Sums, before: CellFacts, o: Index, after: CellFacts, p: Index) -> None:
    """Standardised residuals per √N of both tables, over the cells of both, some at a time."""
    rows = _Common.of(before.row_keys, o, after.row_keys, p)
    columns = _Common.of(before.column_keys, o, after.column_keys, p)
    grid = _Grid(rows.levels, columns.levels)
    sides = [
        _Shares.of(before, o, rows.original, columns.original, grid),
        _Shares.of(after, p, rows.protected, columns.protected, grid),
    ]
    for pairs, lines in grid.stretches():
        parts = grid.parts(pairs, lines)
        sums.add(pairs, parts, *(side.residuals(grid, lines) for side in sides))


@dataclass(frozen=True, eq=False)
class _Grid:
    """All cells of tables, empty ones too: line by line, table by table."""

    rows: Segments
    columns: Segments

    def stretches(self) -> Iterator[tuple[slice, slice]]:
        """Tables, and their lines, that are few cells together; of a large table some lines."""
        cells = np.cumsum(self.rows.lengths * self.columns.lengths)
        first = 0
        while first < len(cells):
            before = cells[first - 1] if first else 0
            last = int(np.searchsorted(cells, before + _BLOCK_CELLS, "right"))
            start = int(self.rows.starts[first])
            if last > first:
                yield slice(first, last), slice(start, int(self.rows.stops[last - 1]))
            else:
                last, stop = first + 1, int(self.rows.stops[first])
                step = max(_BLOCK_CELLS // int(self.columns.lengths[first]), 1)
                for line in range(start, stop, step):
                    yield slice(first, last), slice(line, min(line + step, stop))
            first = last

    def parts(self, pairs: slice, lines: slice) -> Segments:
        """How many of the cells of some lines are of each table."""
        widths = self.columns.lengths[pairs]
        if len(widths) == 1:
            return Segments(widths * (lines.stop - lines.start))
        return Segments(self.rows.lengths[pairs] * widths)


@dataclass(frozen=True, eq=False)
class _Shares:
    """One side's shares on rows and columns that both sides have in common."""

    line: Index
    """The line of each cell among those of all tables."""
    column: Index
    share: Floats
    rows: Floats
    columns: Floats

    @staticmethod
    def of(facts: CellFacts, chosen: Index, rows: Index, columns: Index, grid: _Grid) -> _Shares:
        held = facts.cells.places(chosen)
        cells = Segments(facts.cells.lengths[chosen])
        share = facts.weight[held] / facts.units.weight[chosen][cells.owner]
        line = _moved(facts.row[held], rows, Segments(facts.heights.lengths[chosen]), cells)
        column = _moved(facts.column[held], columns, Segments(facts.widths.lengths[chosen]), cells)
        line = grid.rows.starts[cells.owner] + line
        return _Shares(
            line,
            column,
            share,
            sums_by(line, share, grid.rows.total),
            sums_by(grid.columns.starts[cells.owner] + column, share, grid.columns.total),
        )

    def residuals(self, grid: _Grid, lines: slice) -> Floats:
        """(p_ij - p_i p_j) / √(p_i p_j) for some lines; 0 where a margin is empty."""
        owner = grid.rows.owner[lines]
        cells = Segments(grid.columns.lengths[owner])
        here = slice(None)
        if len(cells) < grid.rows.total:
            here = (self.line >= lines.start) & (self.line < lines.stop)
        keys = cells.starts[self.line[here] - lines.start] + self.column[here]
        observed = sums_by(keys, self.share[here], cells.total)
        column = np.arange(cells.total) + np.repeat(
            grid.columns.starts[owner] - cells.starts, cells.lengths
        )
        expected = np.repeat(self.rows[lines], cells.lengths) * self.columns[column]
        root = np.sqrt(expected)
        return np.divide(observed - expected, root, out=np.zeros_like(root), where=root > 0)


def _moved(levels: Index, places: Index, known: Segments, cells: Segments) -> Index:
    """The levels of cells by their places among those that both sides have."""
    return np.asarray(places[known.starts[cells.owner] + levels])
