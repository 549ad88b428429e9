"""How often each raw value of each column occurs, and what these rows weigh."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microgauge.arrays import Index
from microgauge.engines import Weight
from microgauge.kernels import in_threads
from microgauge.passes import Axis, Facts, Pass, Tally
from microgauge.passes.batch import SHARED_ROWS
from microgauge.passes.tables import Layers, weighing
from microgauge.tables import Table
from microgauge.values.levels import Weighing

Tallies = Mapping[str, Layers]
"""For each column, rows of each raw value, and what they weigh."""

_NO_LOOKUP: Index = np.arange(0)


def raw_axes(table: Table) -> dict[str, Axis]:
    """Every column as its raw codes."""
    return {
        name: Axis(name, _NO_LOOKUP, len(column.values), identity=True)
        for name, column in table.columns.items()
    }


def tally_passes(table: Table) -> list[Pass]:
    """The questions whose answers are tallies."""
    return [Tally(axis) for axis in raw_axes(table).values()]


def tallies_in(facts: Facts, table: Table) -> Tallies:
    """How often each raw value of each column occurs, and what these rows weigh."""
    return {name: facts[Tally(axis)] for name, axis in raw_axes(table).items()}


def weighed(tallies: Tallies, weight: Weight | None) -> dict[str, Weighing]:
    """Rows, weights and squared weights of each value, by weights with a mean of one."""
    if weight is None:
        long = any(layers.shape[1] >= SHARED_ROWS for layers in tallies.values())
        found = in_threads(lambda layers: weighing(layers[:1]), tallies.values(), shared=long)
        return dict(zip(tallies, found, strict=True))
    scale = np.array([[1.0], [1.0 / weight.mean], [1.0 / weight.mean**2]])
    return {name: weighing(layers * scale) for name, layers in tallies.items()}
