"""Rows of one table for analyses that must see units: numbers, labels and weights by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.engines.rounds import Asking, asked_both
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.passes import Column
from microgauge.schema import Which
from microgauge.study.study import SIDES, Study
from microgauge.study.variable import Side
from microgauge.values.intervals import midpoints
from microgauge.values.levels import Levels


@dataclass(frozen=True, eq=False)
class Records:
    """The levels of some columns in every row of a table."""

    sides: Mapping[str, Side]
    levels: Mapping[str, Index]
    rows: int
    factor: float = 1.0
    """Rows of the table for each one held: more than 1 in a sample."""

    def side(self, name: str) -> Side:
        """A column; `Undefined` where the table does not have it."""
        if name not in self.sides:
            raise Undefined(say('"{name}" is gone', name=name))
        return self.sides[name]

    def present(self, name: str) -> Flags:
        """In which rows a column has a value."""
        return np.asarray(self.levels[name] < len(self.side(name).levels))

    def numbers(self, name: str) -> Floats:
        """A column as numbers, NaN where missing."""
        side = self.side(name)
        if not side.levels.numeric:
            kind = say("bands") if side.intervals is not None else say("categories")
            raise Undefined(say('"{name}" holds {kind}, not numbers', name=name, kind=kind))
        return np.append(side.levels.numbers, np.nan)[self.levels[name]]

    def among(self, name: str, labels: Iterable[str]) -> Flags:
        """In which rows a column has one of some values."""
        wanted = set(labels)
        hits = [label in wanted for label in self.side(name).levels.labels]
        return np.append(np.array(hits, dtype=np.bool_), False)[self.levels[name]]

    def only(self, names: Iterable[str]) -> Records:
        """The same rows with fewer columns, in the order named; those that are gone left out."""
        levels = {name: self.levels[name] for name in names if name in self.levels}
        return replace(self, levels=levels)

    def taken(self, rows: Flags) -> Records:
        """Some of the rows."""
        levels = {name: found[rows] for name, found in self.levels.items()}
        return replace(self, levels=levels, rows=int(rows.sum()))

    def with_midpoints(self) -> Records:
        """The same rows with bands as the numbers in their middle."""
        banded = {
            name: side
            for name, side in self.sides.items()
            if name in self.levels and not side.levels.numeric and side.intervals is not None
        }
        sides = {
            name: replace(
                side,
                type="continuous",
                levels=Levels(midpoints(side.intervals or ()), side.levels.weighing),
            )
            for name, side in banded.items()
        }
        return replace(self, sides={**self.sides, **sides})

    def categories(self, name: str) -> Any:
        """A column as a pandas categorical of the labels that occur."""
        import pandas as pd

        used = np.unique(self.levels[name])
        labels = [self.side(name).levels.labels[level] for level in used]
        return pd.Categorical.from_codes(
            np.searchsorted(used, self.levels[name]), categories=pd.Index(labels, dtype=object)
        )


def sides_of(study: Study, which: Which) -> dict[str, Side]:
    """The columns of one table that hold any value."""
    sides = {v.name: v.original if which == "original" else v.protected for v in study.variables}
    return {name: side for name, side in sides.items() if side is not None and not side.empty}


def read_records(study: Study, names: Iterable[str]) -> Asking[tuple[Records, Records]]:
    """The named columns of both tables; those that one does not have are left out there."""
    wanted = list(dict.fromkeys(names))
    sides = [sides_of(study, which) for which in SIDES]
    rows = [study.rows(which) for which in SIDES]
    columns = [
        {name: Column(here[name].axis(name)) for name in wanted if name in here} for here in sides
    ]
    facts = yield from asked_both(rows, [list(asking.values()) for asking in columns])
    original, protected = (
        Records(
            here,
            {name: found[question] for name, question in asking.items()},
            held.rows,
            engine.rows / max(held.rows, 1),
        )
        for here, asking, found, held, engine in zip(
            sides, columns, facts, rows, study.engines, strict=True
        )
    )
    return original, protected


def weight_name(study: Study, which: Which, given: str | None) -> str | None:
    """The column of weights: given, or that of the run."""
    return given if given is not None else study.options.weight_of(which)


def weights_in(records: Records, name: str | None) -> Floats | None:
    """The weight of every row; None without weights."""
    if name is None:
        return None
    weights = records.numbers(name)
    if np.isnan(weights).any() or np.isinf(weights).any() or (weights < 0).any():
        raise Undefined(
            say('the weight "{name}" is missing, infinite or negative in some rows', name=name)
        )
    return weights
