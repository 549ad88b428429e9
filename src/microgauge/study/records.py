"""Rows of one table for analyses that must see units: numbers, labels and weights by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from microgauge.arrays import Flags, Floats, Index
from microgauge.errors import Undefined
from microgauge.study.describe import Side
from microgauge.study.study import Study
from microgauge.values.intervals import midpoints
from microgauge.values.levels import Levels

Which = Literal["original", "protected"]
SIDES: tuple[Which, Which] = ("original", "protected")


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
            raise Undefined(f'"{name}" is gone')
        return self.sides[name]

    def present(self, name: str) -> Flags:
        """In which rows a column has a value."""
        return np.asarray(self.levels[name] < len(self.side(name).levels))

    def numbers(self, name: str) -> Floats:
        """A column as numbers, NaN where missing."""
        side = self.side(name)
        if not side.levels.numeric:
            kind = "bands" if side.intervals is not None else "categories"
            raise Undefined(f'"{name}" holds {kind}, not numbers')
        return np.append(side.levels.numbers, np.nan)[self.levels[name]]

    def among(self, name: str, labels: Iterable[str]) -> Flags:
        """In which rows a column has one of some values."""
        wanted = set(labels)
        hits = [label in wanted for label in self.side(name).levels.labels]
        return np.append(np.array(hits, dtype=np.bool_), False)[self.levels[name]]

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


def read_records(study: Study, which: Which, names: Iterable[str]) -> Records:
    """The named columns of one table; those that it does not have are left out."""
    sides = sides_of(study, which)
    rows = study.rows(which)
    factor = getattr(study.description, which).rows / max(rows.rows, 1)
    here = tuple(dict.fromkeys(name for name in names if name in sides))
    if not here:
        return Records(sides, {}, rows.rows, factor)
    found = rows.levels({name: sides[name].axis(name) for name in here})
    levels = {name: found[:, i].copy() for i, name in enumerate(here)}
    return Records(sides, levels, rows.rows, factor)


def weight_name(study: Study, which: Which, given: str | None) -> str | None:
    """The column of weights: given, or that of the run."""
    if given is not None:
        return given
    own = study.options.weight_original if which == "original" else study.options.weight_protected
    return own if own is not None else study.options.weight


def weights_in(records: Records, name: str | None) -> Floats | None:
    """The weight of every row; None without weights."""
    if name is None:
        return None
    weights = records.numbers(name)
    if np.isnan(weights).any() or np.isinf(weights).any() or (weights < 0).any():
        raise Undefined(f'the weight "{name}" is missing, infinite or negative in some rows')
    return weights
