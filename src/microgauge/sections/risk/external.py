"""A table that an intruder may hold, in the terms of the protected one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from microgauge.arrays import Counts, Floats, Index
from microgauge.engines import ORIGINAL, PROTECTED, Engine, over
from microgauge.engines.opening import open_table
from microgauge.errors import InputError, Undefined, listing
from microgauge.measures.loss.moments import quantile
from microgauge.measures.loss.tables import Frequencies, cramers_v
from microgauge.measures.risk.classes import ClassTable, compatible, equal_records
from microgauge.measures.risk.external import (
    class_risk,
    frequency_correlation,
    mean_of,
    probability_risk,
    spearman,
    unique_risk,
)
from microgauge.passes import Axis, Classes
from microgauge.schema import Options, Schema, Variable
from microgauge.study.alignment import joined
from microgauge.study.common_levels import common_order
from microgauge.study.describe import Described, Describer, Side, as_number, crowded_in
from microgauge.study.recoding import recoded_like
from microgauge.study.study import Study
from microgauge.tables import Reading, Table
from microgauge.values.levels import common
from microgauge.values.packing import unpacked

PERCENTILES = np.arange(1, 100) / 100.0


@dataclass(frozen=True, eq=False)
class External:
    """A second table that holds some of the quasi-identifiers, with its values read."""

    table: Table
    engine: Engine
    sides: Mapping[str, Side]


def read_external(
    source: Any, which: str, original: Table, schema: Schema, reading: Reading | None = None
) -> External:
    """Read a table an intruder may hold; `InputError` if it has no quasi-identifier."""
    table = open_table(source, which=which, reading=reading)
    keys = [n for n, v in schema.variables.items() if v.role == "quasi_identifier"]
    crowded = [name for name in keys if crowded_in(table, name)]
    if crowded:
        raise InputError(
            f"the {which} table has too many different values of {listing(crowded)} to tell all "
            "apart beyond memory: raise distinct_values in [options]."
        )
    shared = [name for name in keys if name in table.columns and name in original.columns]
    if not shared:
        raise InputError(
            f"the {which} table has none of the quasi-identifiers {listing(keys)}. It has: "
            f"{listing(table.columns)}."
        )
    described = _described(original, table, schema, shared, which)
    sides = {v.name: v.protected for v in described if v.protected is not None}
    return External(table, over(table), sides)


def _described(
    original: Table, table: Table, schema: Schema, names: Sequence[str], which: str
) -> tuple[Described, ...]:
    """The table's columns in the terms of the original's."""
    parts = [
        replace(t, columns={name: t.columns[name] for name in names}, unsupported={})
        for t in (original, table)
    ]
    given = {
        name: replace(schema.variables.get(name, Variable()), recode=None, protected_type=None)
        for name in names
    }
    said = Schema(options=Options(), variables=given)
    describer = Describer(parts[0], parts[1], said, other=which)
    variables = describer.describe().variables
    if describer.faults:
        raise InputError(*describer.faults)
    return variables


@dataclass(frozen=True, eq=False)
class Linked:
    """The protected classes beside an external table, over the keys that both have."""

    study: Study
    protected: ClassTable
    keys: Sequence[Described]
    """The quasi-identifiers, in the order of the classes' columns."""
    external: External

    @cached_property
    def shared(self) -> list[Described]:
        """Keys that the external table has."""
        return [v for v in self.keys if v.name in self.external.sides]

    @cached_property
    def _common(self) -> dict[str, tuple[Index, Index, int]]:
        """For each shared key: places of protected and external levels, and their number."""
        found = {}
        for variable in self.shared:
            assert variable.protected is not None
            found[variable.name] = _common(variable.protected, self._side(variable))
        return found

    def _side(self, variable: Described) -> Side:
        return self._recoded[variable.name]

    @cached_property
    def _recoded(self) -> dict[str, Side]:
        return {
            v.name: recoded_like(
                v,
                self.study.recodings.get(v.name),
                self.external.sides[v.name],
                self.study.matching.rows,
            )
            for v in self.shared
        }

    def check(self) -> None:
        """`Undefined` where a key has no value in common with the external table."""
        if not self.shared:
            raise Undefined("every quasi-identifier of the external table was removed")
        for name, (mine, theirs, _) in self._common.items():
            if not np.intersect1d(mine, theirs).size:
                raise Undefined(f'no value of "{name}" occurs in the external table')

    @cached_property
    def matches(self) -> Counts:
        """ext: external records that each protected class may be taken for."""
        self.check()
        sizes = [self._common[v.name][2] for v in self.shared]
        columns = [self.keys.index(v) for v in self.shared]
        levels = np.stack(
            [
                np.append(self._common[v.name][0], size)[self.protected.levels[:, column]]
                for v, size, column in zip(self.shared, sizes, columns, strict=True)
            ],
            axis=1,
        )
        others, rows = self._external_classes(sizes)
        if self.study.schema.risk.missing_keys == "any":
            return compatible(levels, others, rows, sizes)
        return equal_records(levels, others, rows, sizes)

    def _external_classes(self, sizes: Sequence[int]) -> tuple[Index, Counts]:
        axes = {}
        for variable, size in zip(self.shared, sizes, strict=True):
            side, places = self._side(variable), self._common[variable.name][1]
            axes[variable.name] = Axis(variable.name, np.append(places, size)[side.lookup], size)
        question = Classes(tuple(axes))
        cells = self.external.engine.scan([question], axes, long_facts=True)[question]
        return unpacked(cells.keys, [size + 1 for size in sizes]), cells.rows

    # -- the four ways -----------------------------------------------------------------------

    def methods(self) -> tuple[dict[str, float | None], dict[str, str]]:
        """External risk by each way, and why some are null."""
        ways: dict[str, Callable[[], float]] = {
            "class": lambda: class_risk(self.protected.rows, self.matches),
            "probability": self._probability,
            "correlation": self._correlation,
            "unique": lambda: unique_risk(self.protected, self.matches),
        }
        found: dict[str, float | None] = {}
        reasons = {}
        for name, way in ways.items():
            try:
                self.check()
                found[name] = way()
            except Undefined as why:
                found[name], reasons[name] = None, str(why)
        return found, reasons

    def _shares(self, variable: Described) -> tuple[Floats, Floats]:
        """How values are distributed in both tables, over the union of values."""
        assert variable.protected is not None
        mine, theirs, size = self._common[variable.name]
        shares = []
        for side, places in ((variable.protected, mine), (self._side(variable), theirs)):
            share = np.zeros(size)
            np.add.at(share, places, side.levels.rows / max(side.levels.present, 1))
            shares.append(share)
        return shares[0], shares[1]

    def _probability(self) -> float:
        return probability_risk([self._shares(v) for v in self.shared])

    def _correlation(self) -> float:
        """Of linked values where there is a common key, else of the two distributions."""
        key = self.study.options.key
        linked = key is not None and key in self.external.table.columns
        found = {v.name: self._linked(v) if linked else self._alike(v) for v in self.shared}
        weights = [v.given.rut_weight for v in self.shared]
        return mean_of(found, weights)

    def _alike(self, variable: Described) -> float:
        assert variable.protected is not None
        side = self._side(variable)
        if variable.protected.type == "continuous" and side.levels.numeric:
            curves = [_quantiles(variable.protected), _quantiles(side)]
            return frequency_correlation(curves[0], curves[1])
        return frequency_correlation(*self._shares(variable))

    def _linked(self, variable: Described) -> float:
        """Pearson or Spearman of the linked values; Cramér's V for nominal ones."""
        assert variable.protected is not None
        side = self._side(variable)
        first, second = self._linked_levels(variable.protected, side, variable.name)
        kinds = {variable.protected.type, side.type}
        if "nominal" in kinds:
            mine, theirs, size = self._common[variable.name]
            keys, counts = np.unique(mine[first] * size + theirs[second], return_counts=True)
            return cramers_v(Frequencies(keys, counts.astype(np.float64)), size)
        if "ordinal" in kinds:
            places = common_order(variable.protected, side)
            return max(spearman(places[0][first], places[1][second]), 0.0)
        numbers = variable.protected.levels.numbers[first], side.levels.numbers[second]
        return frequency_correlation(*numbers)

    def _linked_levels(self, mine: Side, theirs: Side, name: str) -> tuple[Index, Index]:
        """Both tables' levels of the units that the key joins and that have a value in both."""
        key = self.study.options.key
        assert key is not None
        rows = joined(self.study.protected, self.external.table, key)
        names = (ORIGINAL + name, PROTECTED + name)
        axes = {n: side.axis(n) for n, side in zip(names, (mine, theirs), strict=True)}
        options = self.study.options
        found = rows.sample(options.sample_rows, options.seed).levels(axes)
        known = (found < [len(mine.levels), len(theirs.levels)]).all(axis=1)
        if known.sum() < 2:
            raise Undefined("fewer than two linked units")
        return found[known, 0], found[known, 1]


def _common(mine: Side, theirs: Side) -> tuple[Index, Index, int]:
    """Common levels; codes such as 00400 are the numbers that the other table holds."""
    keys = [mine.levels.keys, theirs.levels.keys]
    for place in (0, 1):
        own, other = keys[place], keys[1 - place]
        if not isinstance(own, np.ndarray) and isinstance(other, np.ndarray):
            numbers = [as_number(label) for label in own]
            if None not in numbers:
                keys[place] = np.array(numbers, dtype=np.float64)
    return common(keys[0], keys[1])


def _quantiles(side: Side) -> Floats:
    rows = side.levels.rows.astype(np.float64)
    return np.array([quantile(side.levels.numbers, rows, p, counts=True) for p in PERCENTILES])
