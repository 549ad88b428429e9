"""From the cells of one variable to its type, its role and its levels in each table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import polars as pl

from microgauge.arrays import Flags, Floats, Index
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.results.wording import counted
from microgauge.schema import ANALYSED, Type, Variable
from microgauge.study.cells import Cells
from microgauge.study.strays import MOST_CODES
from microgauge.study.variable import Side
from microgauge.tables import Column
from microgauge.tables.dictionary import FEW_ROWS, mostly_numbers
from microgauge.values.intervals import parse_intervals
from microgauge.values.labels import label_of
from microgauge.values.levels import Keys, Levels, Weighing, regroup


def on_one_grid(cells: Cells, other: Cells) -> tuple[Cells, Cells]:
    """Values that are told apart in one table only are put on the other's grid."""
    widths = [side.width for side in (cells, other) if side.width is not None]
    if not widths or not (cells.all_numbers and other.all_numbers):
        return cells, other
    return cells.on_grid(max(widths)), other.on_grid(max(widths))


def is_identifier(column: Column, cells: Cells, rows: int) -> bool:
    """Text that differs in every row, or whole numbers that fill their range, each once.

    Few numbers must also run up row by row: 3, 1, 2 may be answers.
    """
    if rows < 2:
        return False
    if column.consecutive is not None:
        return column.consecutive
    if column.kind == "text" and not cells.numeric:
        texts = cast("pl.Series", column.values)
        return len(texts) == rows and cells.here.all().item() and not mostly_numbers(texts)
    if cells.empty or not cells.numeric or cells.missing.any():
        return False
    if len(column.values) != rows or not _fills_range(float(rows), cells.numbers):
        return False
    return rows >= FEW_ROWS or bool((np.diff(cells.numbers[column.codes[:]]) == 1).all())


def _fills_range(rows: float, numbers: Floats) -> bool:
    """Whether so many different numbers are all the whole ones from the least to the largest."""
    whole = bool((np.floor(numbers) == numbers).all())
    return whole and float(numbers.max() - numbers.min()) + 1.0 == rows


@dataclass
class VariableReader:
    """Decides types and builds levels for one variable."""

    name: str
    given: Variable
    cells: Cells
    other: Cells | None
    called: Callable[[str], str]
    """What messages call a table."""
    faults: list[str]
    log: Log
    said: Variable = field(init=False)
    """What the schema says of it, whatever its role."""

    def __post_init__(self) -> None:
        self.said = self.given

    # -- types -------------------------------------------------------------------------------

    def original_type(self) -> Type:
        """The type that is declared, or else the one that the values show."""
        return self.given.type or self.inferred_type()

    def inferred_type(self) -> Type:
        """The type that the values show."""
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
        if parse_intervals(_here(other)) or self._in_declared_bands(other):
            return "ordinal"
        if original_type == "ordinal" and self.given.order is not None:
            return "ordinal"
        strange = int(other.here.sum()) - int((~np.isnan(other.numbers) & other.here).sum())
        mixed = bool(strange) and strange < other.here.sum()
        if mixed and self.given.type == "continuous" and self.given.recode is None:
            return "continuous"  # whose levels say how many cells are at fault
        if mixed:
            self.log.note(
                "strange-values",
                say(
                    '"{name}": {strange} of {sum} distinct values in the protected table '
                    "are no numbers. If they mark suppressed cells, declare them as "
                    "missing in the schema.",
                    name=self.name,
                    strange=strange,
                    sum=int(other.here.sum()),
                ),
            )
        return "nominal"

    def _in_declared_bands(self, other: Cells) -> bool:
        """Whether all values are labels of declared breaks, which order them whatever they say."""
        recode = self.given.recode
        if recode is None or recode.breaks is None or recode.labels is None:
            return False
        return set(_here(other)) <= {label_of(label) for label in recode.labels}

    # -- levels ------------------------------------------------------------------------------

    @property
    def _labelled(self) -> bool:
        """Both files carry value labels: labels decide, not codes."""
        return bool(
            self.cells.column.value_labels
            and self.other is not None
            and self.other.column.value_labels
        )

    def in_words(self) -> tuple[str | None, dict[str, str]]:
        """What the variable is, and what its categories mean: by the schema, or by the files."""
        columns = [self.cells.column, *([] if self.other is None else [self.other.column])]
        label = next((one.label for one in columns if one.label), None)
        texts: dict[str, str] = {}
        for column in [] if self._labelled else columns:  # else the texts are the categories
            texts |= {label_of(code): text for code, text in column.value_labels.items() if text}
        own = self.said.labels or {}
        return self.said.label or label, texts | {label_of(v): text for v, text in own.items()}

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
            cells.tails if kind == "continuous" and cells.codes else (None, None),
        )

    def _check_infinite(self, cells: Cells, tally: Weighing, which: str) -> None:
        infinite = np.isinf(cells.numbers) & cells.here
        if self._numeric(cells) and infinite.any():
            rows = int(tally.rows[:-1][infinite].sum())
            self.faults.append(
                say(
                    '"{name}" is infinite in {cells} of the {which} table. Make such '
                    "cells missing, or declare a finite code for them.",
                    name=self.name,
                    cells=counted(rows, "cell"),
                    which=self.called(which),
                )
            )

    def _number_levels(self, cells: Cells, tally: Weighing, which: str) -> tuple[Keys, Index]:
        strange = np.isnan(cells.numbers) & cells.here
        if strange.any():
            rows = int(tally.rows[:-1][strange].sum())
            self.faults.append(
                say(
                    '"{name}" is declared continuous, but {cells} of the {which} table '
                    "({distinct_values}) cannot be read as numbers. Declare such values "
                    "as missing, or give the variable another type.",
                    name=self.name,
                    cells=counted(rows, "cell"),
                    which=self.called(which),
                    distinct_values=counted(int(strange.sum()), "distinct value"),
                )
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
        self.faults.append(
            say(
                '"{name}" is declared ordinal, but {n} of its {n2} distinct values in '
                "the {which} table have no place in an order. Give order = […] in the "
                "schema with all of them, or make it nominal.",
                name=self.name,
                n=len(unplaced),
                n2=len(labels),
                which=self.called(which),
            )
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
