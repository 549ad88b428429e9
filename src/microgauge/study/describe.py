"""From two tables and a schema to described variables: types, roles, levels, faults.

Everything a schema claims is checked here against both tables before any measure runs, and
everything it leaves open is inferred and noted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from microgauge.arrays import Counts, Flags, Floats, Index
from microgauge.engines import Engine, Weight, over
from microgauge.engines.rounds import Asking, asked_both
from microgauge.errors import hint, listing
from microgauge.log import Log
from microgauge.passes import Axis, Facts, Pass, Tally
from microgauge.passes.tables import Layers, weighing
from microgauge.schema import ANALYSED, Options, Role, Schema, Type, Variable
from microgauge.study.cells import Cells
from microgauge.tables import Column, Table
from microgauge.tables.dictionary import FEW_ROWS
from microgauge.values.intervals import Interval, parse_intervals
from microgauge.values.labels import label_of
from microgauge.values.levels import Keys, Levels, Weighing, regroup

Tallies = Mapping[str, Layers]
"""For each column, rows of each raw value, and what they weigh."""
MOST_CODES = 10
"""Whole numbers with at most so many distinct values are taken for codes."""


@dataclass(frozen=True, eq=False)
class Side:
    """A variable in one of the two tables."""

    type: Type
    levels: Levels
    lookup: Index
    """Level of each raw value; `len(levels)` for a missing one."""
    intervals: tuple[Interval, ...] | None = None
    """The intervals that the levels name, where they all do."""

    @property
    def empty(self) -> bool:
        """Whether every cell is missing."""
        return self.levels.present == 0

    def axis(self, column: str, scores: Floats | None = None) -> Axis:
        """How passes see the variable in a column of a table."""
        return Axis(column, self.lookup, len(self.levels), scores, self._identity)

    @cached_property
    def _identity(self) -> bool:
        size = len(self.levels)
        return len(self.lookup) == size + 1 and bool((self.lookup == np.arange(size + 1)).all())


def continuous_both(before: Side, after: Side) -> bool:
    """Whether both sides are numbers to calculate with."""
    return all(side.type == "continuous" and side.levels.numeric for side in (before, after))


@dataclass(frozen=True, eq=False)
class Described:
    """A variable with what is known of it on both sides."""

    name: str
    role: Role
    given: Variable
    original: Side
    protected: Side | None
    """None where the column is gone."""

    @property
    def continuous(self) -> bool:
        """Whether it is a number to calculate with on both sides."""
        return self.protected is not None and continuous_both(self.original, self.protected)

    @property
    def removed(self) -> bool:
        """Whether the protected table has nothing of it: no column, or only missing cells."""
        return not self.original.empty and (self.protected is None or self.protected.empty)


@dataclass(frozen=True, eq=False)
class Description:
    """All variables of the original, and the engines to ask about their rows."""

    variables: tuple[Described, ...]
    original: Engine
    protected: Engine

    @property
    def analysed(self) -> tuple[Described, ...]:
        """The variables that count in utility."""
        return tuple(v for v in self.variables if v.role in ANALYSED)


@dataclass(eq=False)
class OriginalCache:
    """What was worked out of the original once, for every candidate it is compared with."""

    tallies: Tallies | None = None
    raw_engine: Engine | None = None
    engine: Engine | None = None
    """The original's rows; before that, with weights as they stand."""
    answers: dict[Any, Any] = field(default_factory=dict)
    """Tests of pairs of the original's variables."""


@dataclass
class Describer:
    """Works through the columns and gathers faults and notes as it goes."""

    original: Table
    protected: Table
    schema: Schema
    cache: OriginalCache = field(default_factory=OriginalCache)
    other: str = "protected"
    """What messages call the second table."""
    faults: list[str] = field(default_factory=list)
    log: Log = field(default_factory=Log)

    def describe(self) -> Asking[Description]:
        """The description, from one round. It is of use only where no faults were found."""
        self._check_names()
        tallies = yield from self._tallies()
        weights = [self._weight(place, tallies[place]) for place in (0, 1)]
        engines = self._engines(weights)
        weighed = [_weighed(found, w) for found, w in zip(tallies, weights, strict=True)]
        crowded = self._crowded()
        names = [name for name in self.original.columns if name not in crowded]
        variables = [self._variable(name, *weighed) for name in names]
        self._check_pairs()
        self._note_weights(weighed, weights)
        self._note_columns()
        self._note_inferences(variables)
        return Description(tuple(variables), engines[0], engines[1])

    @cached_property
    def raw_engines(self) -> tuple[Engine, Engine]:
        """The rows of both tables with weights as they stand: their mean is not known yet."""
        if self.cache.raw_engine is None:
            self.cache.raw_engine = self._raw_engine(*self._sides[0])
        if self.protected is self.original:
            return self.cache.raw_engine, self.cache.raw_engine
        return self.cache.raw_engine, self._raw_engine(*self._sides[1])

    def _raw_engine(self, table: Table, which: str) -> Engine:
        name = self._weight_name(which)
        weight = None
        if name is not None and name in table.columns:
            numbers = self._weight_cells(table, name).numbers
            weight = Weight(name, np.append(np.where(np.isfinite(numbers), numbers, 0.0), 0.0))
        return over(table, weight, self.schema.options.key)

    def _tallies(self) -> Asking[list[Tallies]]:
        """How often each raw value of each column occurs; of the original, asked once."""
        known = self.cache.tallies
        wanted = [[] if known else _tally_passes(self.original), _tally_passes(self.protected)]
        if self.protected is self.original:
            wanted[1] = []
        facts = yield from asked_both(self.raw_engines, wanted)
        if known is None:
            known = self.cache.tallies = tallies_in(facts[0], self.original)
        if self.protected is self.original:
            return [known, known]
        return [known, tallies_in(facts[1], self.protected)]

    def _engines(self, weights: Sequence[Weight | None]) -> tuple[Engine, Engine]:
        """The rows of both tables; the original's are the same for every candidate."""
        key = self.schema.options.key
        if self.cache.engine is None:
            self.cache.engine = over(self.original, weights[0], key)
        if self.protected is self.original:
            return self.cache.engine, self.cache.engine
        return self.cache.engine, over(self.protected, weights[1], key)

    @property
    def _sides(self) -> tuple[tuple[Table, str], tuple[Table, str]]:
        return (self.original, "original"), (self.protected, "protected")

    # -- names -------------------------------------------------------------------------------

    def called(self, which: str) -> str:
        """What messages call a table."""
        return which if which == "original" else self.other

    def _check_names(self) -> None:
        shared = [name for name in self.original.columns if name in self.protected.columns]
        if not shared:
            self.faults.append(
                "the two tables have no column in common. The original has: "
                f"{listing(self.original.columns)}. The protected has: "
                f"{listing(self.protected.columns)}."
            )
        known = dict.fromkeys(
            [*self.original.columns, *self.original.unsupported, *self.protected.columns]
        )
        for name in self.schema.variables:
            if name not in known:
                self.faults.append(
                    f'the schema names a variable "{name}" that no table has.{hint(name, known)} '
                    f"The original has: {listing(self.original.columns)}."
                )

    def _check_pairs(self) -> None:
        for pair in self.schema.options.pairs or ():
            for name in pair:
                if name not in self.original.columns:
                    self.faults.append(
                        f'[options] pairs names "{name}", which the original table does not have.'
                        f"{hint(name, self.original.columns)}"
                    )
            if pair[0] == pair[1]:
                self.faults.append(f'[options] pairs has "{pair[0]}" paired with itself.')

    def _note_columns(self) -> None:
        known = {*self.original.columns, *self.original.unsupported}
        extra = [name for name in self.protected.columns if name not in known]
        if extra:
            self.log.note(
                "columns-added",
                f"Columns only in the protected table, left out: {listing(extra, 30)}.",
                ["protected"],
            )
        for table, which in self._sides:
            for name, what in table.unsupported.items():
                self.log.note(
                    "column-left-out",
                    f'Column "{name}" of the {which} table holds {what} and is left out.',
                    [which],
                )

    def _crowded(self) -> set[str]:
        """Columns with too many texts in either table, which cannot be compared.

        A fault for those by which risk is measured: without them it would look smaller than it is.
        """
        found: set[str] = set()
        for table, which in self._sides:
            crowded = [n for n in (*table.columns, *table.unsupported) if crowded_in(table, n)]
            found.update(name for name in crowded if name in table.unsupported)
            self.faults += [
                f'the {given.role} variable "{name}" has more than '
                f"{self.schema.options.distinct_values:,} different values in the "
                f"{self.called(which)} table, which is too many to tell all apart beyond memory: "
                "raise distinct_values in [options], or recode it."
                for name in crowded
                if (given := self._given(name)).role == "quasi_identifier"
                or (given.role == "sensitive" and name in table.unsupported)
            ]
        return found

    # -- weights -----------------------------------------------------------------------------

    def _weight_name(self, which: str) -> str | None:
        own = getattr(self.schema.options, f"weight_{which}")
        return cast("str | None", own if own is not None else self.schema.options.weight)

    def _weight_cells(self, table: Table, name: str) -> Cells:
        return Cells.read(table.columns[name], self._given(name).missing)

    def _weight(self, place: int, tallies: Tallies) -> Weight | None:
        """The weights of a table's rows; None without, or where all are equal: no weighting."""
        table, which = self._sides[place]
        name = self._weight_name(which)
        if name is None:
            return None
        if name not in table.columns:
            self.faults.append(
                f'the {which} table has no column "{name}", the weight.{hint(name, table.columns)}'
            )
            return None
        cells = self._weight_cells(table, name)
        rows = tallies[name][0].astype(np.int64)
        fault = _weight_fault(cells, rows)
        if fault:
            self.faults.append(f'the weight "{name}" of the {which} table {fault}')
            return None
        if cells.width is not None:
            self.log.note(
                "weight-on-grid",
                f'The weight "{name}" of the {which} table has more than '
                f"{self.schema.options.distinct_values:,} different values, which were read as "
                f"the middles of intervals {cells.width:g} wide.",
                [which],
            )
        used = rows[:-1] > 0
        if len(np.unique(cells.numbers[used])) == 1:
            return None
        mean = float((cells.numbers[used] * rows[:-1][used]).sum()) / table.rows
        return Weight(name, np.append(np.where(used, cells.numbers, 0.0) / mean, 0.0), mean)

    def _note_weights(
        self, tallies: Sequence[Mapping[str, Weighing]], weights: Sequence[Weight | None]
    ) -> None:
        for (table, which), tally, weight in zip(self._sides, tallies, weights, strict=True):
            name = self._weight_name(which)
            if name is None:
                continue
            if weight is None:
                self.log.note(
                    "weight-constant",
                    f'The weight "{name}" is the same in all rows of the {which} table.',
                    [which],
                )
            else:
                units = tally[name].over(slice(None))[2]
                self.log.note(
                    "weighted",
                    f'The {which} table is weighted by "{name}": {table.rows:,} rows count as '
                    f"{units:,.0f} units (Kish).",
                    [which],
                )

    def _given(self, name: str) -> Variable:
        return self.schema.variables.get(name, Variable())

    # -- one variable ------------------------------------------------------------------------

    def _variable(
        self, name: str, tally: Mapping[str, Weighing], protected_tally: Mapping[str, Weighing]
    ) -> Described:
        given = self._given(name)
        column = self.original.columns[name]
        cells = Cells.read(column, given.missing)
        other_column = self.protected.columns.get(name)
        other = None if other_column is None else Cells.read(other_column, given.missing)
        if other is not None:
            cells, other = _on_one_grid(cells, other)
        self._note_null_words(name, cells, other)
        reader = _VariableReader(self, name, given, cells, other)
        original_type = reader.original_type()
        if name == self.schema.options.key:
            original_type = "nominal"  # a name for units, whatever it is written in
        role = self._role(name, given, column, cells, original_type)
        if role not in ANALYSED:
            return self._left_out(name, role, reader, original_type, tally, protected_tally)
        original = reader.side(cells, original_type, tally[name], "original")
        protected = None
        if other is not None:
            protected_type = reader.protected_type(original_type)
            protected = reader.side(other, protected_type, protected_tally[name], "protected")
        if cells.width is not None:
            self._note_width(name, cells.width, original, protected)
        return Described(name, role, given, original, protected)

    def _note_width(self, name: str, width: float, *sides: Side | None) -> None:
        """What reading values as the middles of intervals may change."""
        shares = [s.levels.rows.max() / s.levels.present for s in sides if s and not s.empty]
        self.log.note(
            "number-on-grid",
            f'"{name}" has more than {self.schema.options.distinct_values:,} different values, '
            f"which were read as the middles of intervals {width:g} wide. The fullest holds "
            f"{max(shares, default=0.0):.2g} of the rows: no rank and no distance between "
            "distributions is off by more, and p-values are those of such distances. Changes "
            "within an interval are not seen.",
        )

    @staticmethod
    def _left_out(
        name: str,
        role: Role,
        reader: _VariableReader,
        kind: Type,
        tally: Mapping[str, Weighing],
        protected_tally: Mapping[str, Weighing],
    ) -> Described:
        """A variable that is not analysed: its values need no meaning and cannot be at fault."""
        reader.given = Variable(missing=reader.given.missing, role=role)
        original = reader.side(reader.cells, "nominal", tally[name], "original")
        protected = None
        if reader.other is not None:
            side = reader.side(reader.other, "nominal", protected_tally[name], "protected")
            protected = replace(side, type=kind)
        return Described(name, role, reader.given, replace(original, type=kind), protected)

    def _note_null_words(self, name: str, *sides: Cells | None) -> None:
        if any(cells is not None and cells.null_words for cells in sides):
            self.log.note(
                "null-words",
                f'In "{name}", words such as NA among numbers were read as missing values.',
            )

    def _role(
        self, name: str, given: Variable, column: Column, cells: Cells, inferred_type: Type
    ) -> Role:
        options = self.schema.options
        if name in (options.weight, options.weight_original, options.weight_protected):
            return "weight"
        if given.role is not None:
            return given.role
        if name == options.key:
            return "id"
        if given.type is None and _is_identifier(column, cells, self.original.rows):
            self.log.note(
                "identifier",
                f'"{name}" is taken for an identifier (its values are all different or run '
                'consecutively) and left out; role = "analysis" in the schema keeps it.',
            )
            return "id"
        return "analysis"

    def _note_inferences(self, variables: Sequence[Described]) -> None:
        inferred: dict[str, list[str]] = {}
        for variable in variables:
            if variable.role in ANALYSED and variable.given.type is None:
                inferred.setdefault(variable.original.type, []).append(variable.name)
        for kind in ("nominal", "ordinal", "continuous"):
            if kind in inferred:
                self.log.note(
                    "type-inferred", f"Type inferred as {kind}: {', '.join(inferred[kind])}."
                )
        for variable in variables:
            if variable.protected is None or variable.role not in ANALYSED:
                continue
            before, after = variable.original.type, variable.protected.type
            if before != after and variable.given.protected_type is None:
                self.log.note(
                    "type-changed",
                    f'"{variable.name}" is {before} in the original and was found to be {after} '
                    "in the protected table.",
                )


def _on_one_grid(cells: Cells, other: Cells) -> tuple[Cells, Cells]:
    """Values that are told apart in one table only are put on the other's grid."""
    widths = [side.width for side in (cells, other) if side.width is not None]
    if not widths or not (cells.all_numbers and other.all_numbers):
        return cells, other
    return cells.on_grid(max(widths)), other.on_grid(max(widths))


_NO_LOOKUP: Index = np.arange(0)


def crowded_in(table: Table, name: str) -> bool:
    """Whether a column has more values than are told apart."""
    if name in table.columns:
        return table.columns[name].width is not None
    return name in table.unsupported and table.unsupported[name].kind == "crowded"


def raw_axes(table: Table) -> dict[str, Axis]:
    """Every column as its raw codes."""
    return {
        name: Axis(name, _NO_LOOKUP, len(column.values), identity=True)
        for name, column in table.columns.items()
    }


def _tally_passes(table: Table) -> list[Pass]:
    return [Tally(axis) for axis in raw_axes(table).values()]


def tallies_in(facts: Facts, table: Table) -> Tallies:
    """How often each raw value of each column occurs, and what these rows weigh."""
    return {name: facts[Tally(axis)] for name, axis in raw_axes(table).items()}


def _weighed(tallies: Tallies, weight: Weight | None) -> dict[str, Weighing]:
    """Rows, weights and squared weights of each value, by weights with a mean of one."""
    if weight is None:
        return {name: weighing(layers[:1]) for name, layers in tallies.items()}
    scale = np.array([[1.0], [1.0 / weight.mean], [1.0 / weight.mean**2]])
    return {name: weighing(layers * scale) for name, layers in tallies.items()}


def _weight_fault(cells: Cells, rows: Counts) -> str | None:
    """What is wrong with weights; `rows` counts the rows of each raw value."""
    if not cells.all_numbers:
        return "holds values that are no numbers."
    missing = int(rows[np.append(cells.missing, True)].sum())
    if missing:
        return f"is missing in {missing} rows. Give every row a weight, or drop those rows."
    numbers, rows = cells.numbers, rows[:-1]
    infinite, negative = int(rows[~np.isfinite(numbers)].sum()), int(rows[numbers < 0].sum())
    if infinite:
        return f"is infinite in {infinite} rows."
    if negative:
        return f"is negative in {negative} rows."
    if not rows[numbers > 0].any():
        return "is 0 in every row."
    return None


def _is_identifier(column: Column, cells: Cells, rows: int) -> bool:
    """Text that differs in every row, or whole numbers that fill their range, each once.

    Few numbers must also run up row by row: 3, 1, 2 may be answers.
    """
    if rows < 2:
        return False
    if column.consecutive is not None:
        return column.consecutive
    if column.kind == "text" and not cells.numeric:
        return len(column.values) == rows and cells.here.all().item()
    if cells.empty or not cells.numeric or cells.missing.any():
        return False
    if len(column.values) != rows or not fills_range(float(rows), cells.numbers):
        return False
    return rows >= FEW_ROWS or bool((np.diff(cells.numbers[column.codes[:]]) == 1).all())


def fills_range(rows: float, numbers: Floats) -> bool:
    """Whether so many different numbers are all the whole ones from the least to the largest."""
    whole = bool((np.floor(numbers) == numbers).all())
    return whole and float(numbers.max() - numbers.min()) + 1.0 == rows


@dataclass
class _VariableReader:
    """Decides types and builds levels for one variable."""

    owner: Describer
    name: str
    given: Variable
    cells: Cells
    other: Cells | None

    # -- types -------------------------------------------------------------------------------

    def original_type(self) -> Type:
        return self.given.type or self._inferred_type()

    def _inferred_type(self) -> Type:
        cells, column = self.cells, self.cells.column
        if column.order is not None or self.given.order is not None:
            return "ordinal"
        if cells.empty or column.kind == "boolean":
            return "nominal"
        if not self._numeric(cells):
            return "ordinal" if parse_intervals(_here(cells)) else "nominal"
        if column.declared_level == "ordinal":
            return "ordinal"
        if self._fully_labelled(cells):
            return "nominal"
        if cells.whole and len(np.unique(cells.numbers[cells.here])) <= MOST_CODES:
            return "nominal"
        return "continuous"

    @staticmethod
    def _fully_labelled(cells: Cells) -> bool:
        labels = cells.value_labels()
        return all(labels[i] is not None for i in np.flatnonzero(cells.here))

    def _numeric(self, cells: Cells) -> bool:
        """Numbers by themselves, or zero-padded codes that the other table holds as numbers."""
        if cells.numeric:
            return True
        beside = self.other if cells is self.cells else self.cells
        kind = cells.column.kind
        return (
            kind != "boolean"
            and cells.all_numbers
            and beside is not None
            and not beside.empty
            and beside.numeric
        )

    def protected_type(self, original_type: Type) -> Type:
        """The original's, unless the values are interval labels or no longer numbers."""
        other = self.other
        if self.given.protected_type is not None:
            return self.given.protected_type
        if other is None or other.empty or self._numeric(other):
            return original_type
        if original_type == "continuous" or (self._numeric(self.cells) and not self._labelled):
            return self._type_of_labels(other, original_type)
        return original_type

    def _type_of_labels(self, other: Cells, original_type: Type) -> Type:
        if original_type == "nominal" and set(_here(other)) <= set(_here(self.cells)):
            return "nominal"
        if parse_intervals(_here(other)):
            return "ordinal"
        if original_type == "ordinal" and self.given.order is not None:
            return "ordinal"
        strange = int(other.here.sum()) - int((~np.isnan(other.numbers) & other.here).sum())
        if strange and strange < other.here.sum():
            self.owner.log.note(
                "strange-values",
                f'"{self.name}": {strange} of {int(other.here.sum())} distinct values in the '
                "protected table are no numbers. If they mark suppressed cells, declare them as "
                "missing in the schema.",
            )
        return "nominal"

    # -- levels ------------------------------------------------------------------------------

    @property
    def _labelled(self) -> bool:
        """Both files carry value labels: labels decide, not codes."""
        return bool(
            self.cells.column.value_labels
            and self.other is not None
            and self.other.column.value_labels
        )

    def side(self, cells: Cells, kind: Type, tally: Weighing, which: str) -> Side:
        """The levels of one side, in their order."""
        analysed = self.given.role is None or self.given.role in ANALYSED
        if analysed:
            self._check_infinite(cells, tally, which)
        if kind == "continuous":
            keys, lookup = self._number_levels(cells, tally, which)
        elif self._numeric(cells) and not self._labelled and self.given.order is None:
            keys, lookup = _distinct_numbers(cells)
        else:
            keys, lookup = self._label_levels(cells, kind, which)
        levels = Levels(keys, regroup(tally, np.append(lookup, len(keys)), len(keys) + 1))
        intervals = None if isinstance(keys, np.ndarray) else parse_intervals(keys)
        return Side(
            kind,
            levels,
            np.append(lookup, len(keys)),
            None if intervals is None else tuple(intervals),
        )

    def _check_infinite(self, cells: Cells, tally: Weighing, which: str) -> None:
        infinite = np.isinf(cells.numbers) & cells.here
        if self._numeric(cells) and infinite.any():
            rows = int(tally.rows[:-1][infinite].sum())
            self.owner.faults.append(
                f'"{self.name}" is infinite in {rows} cells of the {self.owner.called(which)} '
                "table. Make them missing, or declare a finite code for them."
            )

    def _number_levels(self, cells: Cells, tally: Weighing, which: str) -> tuple[Keys, Index]:
        strange = np.isnan(cells.numbers) & cells.here
        if strange.any():
            rows = int(tally.rows[:-1][strange].sum())
            self.owner.faults.append(
                f'"{self.name}" is declared continuous, but {rows} cells of the '
                f"{self.owner.called(which)} table ({int(strange.sum())} distinct values) are no "
                "numbers. Declare them as missing, or give the variable another type."
            )
        return _distinct_numbers(cells)

    def _label_levels(self, cells: Cells, kind: Type, which: str) -> tuple[Keys, Index]:
        labels = list(_category_labels(cells, self.other if which == "original" else self.cells))
        if self._labelled:
            own = cells.value_labels()
            labels = [text or label for text, label in zip(own, labels, strict=True)]
        here = [label for label, missing in zip(labels, cells.missing, strict=True) if not missing]
        keys = self._ordered(sorted(set(here)), kind, which, cells)
        index = {key: place for place, key in enumerate(keys)}
        lookup = [
            len(keys) if missing else index[label]
            for label, missing in zip(labels, cells.missing, strict=True)
        ]
        return tuple(keys), np.array(lookup, dtype=np.intp)

    def _ordered(self, labels: list[str], kind: Type, which: str, cells: Cells) -> list[str]:
        """Labels in the order of the variable; a fault where an ordinal one has none."""
        if kind != "ordinal":
            return labels
        position = self._positions(labels, cells)
        if position is not None and all(label in position for label in labels):
            return sorted(labels, key=lambda label: position[label])
        if which == "protected" and self.given.protected_type is None:
            return labels  # settled once the recoding is known: see `microgauge.study.recoding`
        unplaced = [label for label in labels if position is None or label not in position]
        self.owner.faults.append(
            f'"{self.name}" is declared ordinal, but {len(unplaced)} of its {len(labels)} distinct '
            f"values in the {self.owner.called(which)} table have no place in an order. Give "
            "order = […] in the schema with all of them, or make it nominal."
        )
        return labels

    def _positions(self, labels: list[str], cells: Cells) -> dict[str, float] | None:
        """Where each label stands in the order, from the first source that knows."""
        if self.given.order is not None:
            return {label_of(value): place for place, value in enumerate(self.given.order)}
        if self._labelled:
            return self._code_positions()
        for column in (self.cells.column, cells.column):
            if column.order is not None:
                return {label_of(value): place for place, value in enumerate(column.order)}
        intervals = parse_intervals(labels)
        if intervals is not None:
            ranked = sorted(range(len(labels)), key=lambda i: intervals[i])
            return {labels[i]: place for place, i in enumerate(ranked)}
        numbers = [as_number(label) for label in labels]
        if None not in numbers:
            return dict(zip(labels, cast("list[float]", numbers), strict=True))
        return None

    def _code_positions(self) -> dict[str, float]:
        """Value labels stand in the order of their codes, the original's codes first."""
        found: dict[str, float] = {}
        for cells in (self.cells, self.other):
            if cells is None:
                continue
            own = cells.value_labels()
            for text, label, number in zip(own, cells.labels, cells.numbers, strict=True):
                if not np.isnan(number):
                    found.setdefault(text or label, float(number))
        return found


def _here(cells: Cells) -> list[str]:
    return [label for label, here in zip(cells.labels, cells.here, strict=True) if here]


def as_number(label: str) -> float | None:
    """A label that is a number; None where it is none."""
    try:
        return float(label)
    except ValueError:
        return None


def _category_labels(cells: Cells, beside: Cells | None) -> Sequence[str]:
    """Labels as the other table spells them: a boolean beside 0 and 1 is a number."""
    if cells.column.kind == "boolean" and beside is not None and beside.numeric:
        return tuple(str(int(number)) for number in cells.numbers)
    if beside is not None and beside.column.kind == "boolean":
        lowered = [label.lower() for label in cells.labels]
        if set(lowered) <= {"true", "false"}:
            return lowered
    return cells.labels


def _distinct_numbers(cells: Cells) -> tuple[Keys, Index]:
    if not isinstance(cells.column.values, pl.Series) and cells.width == cells.column.width:
        return _rising_numbers(cells.column.values, cells.missing)
    numbers = np.where(cells.missing, np.nan, cells.numbers)
    finite = ~np.isnan(numbers)
    keys, places = np.unique(numbers[finite] + 0.0, return_inverse=True)
    lookup = np.full(len(numbers), len(keys), dtype=np.intp)
    lookup[finite] = places
    return keys, lookup


def _rising_numbers(values: Floats, missing: Flags) -> tuple[Keys, Index]:
    """Numbers of a column are distinct and rising already."""
    if not missing.any():
        return values, np.arange(len(values))
    place = np.cumsum(~missing) - 1
    return values[~missing], np.where(missing, int((~missing).sum()), place)


def options_notes(options: Options, variables: Sequence[Described], log: Log) -> None:
    """What a reader should know of weights that were declared but not used."""
    used = {options.weight, options.weight_original, options.weight_protected}
    idle = [v.name for v in variables if v.role == "weight" and v.name not in used]
    if idle:
        log.note(
            "weight-idle",
            f"Declared as weight but not used: {', '.join(idle)}. Name it in [options] weight.",
            idle,
        )
