"""Counts of tables on both sides, in parts of the units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines import ORIGINAL, PROTECTED, Engine
from microgauge.engines.rounds import Asking, asked_both, in_blocks
from microgauge.measures.balance.jackknife import GROUPS
from microgauge.passes import Axis, PartedTables
from microgauge.records import dataclass
from microgauge.sections.tables.cells import Tabled
from microgauge.study.study import Study
from microgauge.study.variable import Side
from microgauge.study.weights import WeightColumn

BLOCK_BYTES = 1 << 27
"""Facts held at a time."""

Combination = tuple[Tabled, ...]


@dataclass(frozen=True, eq=False)
class Counted:
    """A table on both sides, first as a whole, then without each part of the units."""

    variables: Combination
    before: Floats
    after: Floats | None
    """None where a variable of it is gone."""


@dataclass(eq=False)
class Counter:
    """Asks both tables for their counts."""

    study: Study

    def blocks(
        self, combinations: Sequence[Combination], *, parts: bool
    ) -> Iterator[list[Combination]]:
        """Tables whose facts fit into memory together."""
        several = GROUPS if parts else 1

        def size(variables: Combination) -> int:
            cells = prod(v.pieces + 1 for v in variables) + prod(v.places + 1 for v in variables)
            return 8 * several * cells

        return in_blocks(combinations, size, BLOCK_BYTES)

    def block(
        self, combinations: Sequence[Combination], *, parts: bool
    ) -> Asking[Iterator[Counted]]:
        """One round: the tables of both sides, made one by one."""
        here = [c for c in combinations if not any(v.removed for v in c)]
        before = self._before(combinations, parts=parts)
        whole, apart = self._whole(here), self._apart(here)
        # Where every protected row is matched, parts add up to the whole.
        wanted = [whole] if here and not (parts and self._all_matched) else []
        engines = [self.study.original, self.study.protected, self._rows]
        asked_apart = [apart] if here and parts else []
        facts = yield from asked_both(engines, [[before], wanted, asked_apart])
        firsts = before.each(facts[0][before])
        wholes = dict(zip(here, whole.each(facts[1][whole]), strict=True)) if wanted else {}
        aparts = dict(zip(here, apart.each(facts[2][apart]), strict=True)) if asked_apart else {}

        def after(variables: Combination) -> Floats | None:
            if variables in aparts:
                return _left_out(aparts[variables], wholes.get(variables))
            return wholes.get(variables)

        return (
            Counted(variables, _left_out(first, None) if parts else first, after(variables))
            for variables, first in zip(combinations, firsts, strict=True)
        )

    # -- questions ---------------------------------------------------------------------------

    def _before(self, tables: Sequence[Combination], *, parts: bool) -> PartedTables:
        axes = tuple(tuple(v.original_axis for v in table) for table in tables)
        return PartedTables(axes, self._unit, GROUPS) if parts else PartedTables(axes)

    def _whole(self, tables: Sequence[Combination]) -> PartedTables:
        return PartedTables(tuple(tuple(v.protected_axis for v in table) for table in tables))

    def _apart(self, tables: Sequence[Combination]) -> PartedTables:
        if not self._aligned:
            axes = tuple(tuple(v.protected_axis for v in table) for table in tables)
            return PartedTables(axes, self._protected_unit, GROUPS)
        axes = tuple(tuple(v.matched_axis for v in table) for table in tables)
        return PartedTables(axes, self._matched_unit, GROUPS, self._matched_weight)

    @property
    def _aligned(self) -> bool:
        return self.study.matched is not None

    @property
    def _rows(self) -> Engine:
        """The protected rows, beside the original's where they correspond."""
        return self.study.protected if self.study.matched is None else self.study.matched

    @property
    def _all_matched(self) -> bool:
        return not self._aligned or self._rows.rows == self.study.protected.rows

    # -- what a unit is told by ----------------------------------------------------------------

    @cached_property
    def _unit(self) -> tuple[Axis, ...]:
        return self._units("original", "")

    @cached_property
    def _matched_unit(self) -> tuple[Axis, ...]:
        return self._units("original", ORIGINAL)

    @cached_property
    def _protected_unit(self) -> tuple[Axis, ...]:
        return self._units("protected", "")

    def _units(self, which: str, prefix: str) -> tuple[Axis, ...]:
        """All columns of a table, whatever their order; keys, which not all engines code, aside."""
        key = self.study.options.key
        sides = {v.name: getattr(v, which) for v in self.study.variables if v.name != key}
        return tuple(
            _told_by(prefix + name, side)
            for name, side in sorted(sides.items())
            if side is not None and not side.empty
        )

    @cached_property
    def _matched_weight(self) -> Axis | None:
        """The protected rows' weights, which matched rows do not carry; with a mean of one."""
        weight = WeightColumn(self.study.tables[1], "protected", self.study.schema).raw()
        if weight is None or not self.study.protected.weighted:
            return None
        rows = self.study.description.protected_rows[weight.column]
        mean = float((weight.numbers * rows).sum()) / self.study.protected.rows
        size = len(weight.numbers) - 1
        return Axis(PROTECTED + weight.column, np.arange(size + 1), size, weight.numbers / mean)


def _told_by(column: str, side: Side) -> Axis:
    """Numbers and orders by their places, categories by how often they occur: not by names."""
    levels = side.levels
    codes = levels.rows if side.type == "nominal" else np.arange(len(levels))
    return Axis(column, np.append(codes, -1)[side.lookup].astype(np.intp), len(levels))


def _left_out(parts: Floats, whole: Floats | None) -> Floats:
    """The whole, then what is left without each part."""
    total = parts.sum(axis=0, keepdims=True) if whole is None else whole
    return np.concatenate([total, np.maximum(total - parts, 0.0)])
