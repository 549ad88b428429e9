"""A table beside the two: one that an intruder may hold, or the population."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from microgauge.engines import Engine, over
from microgauge.engines.opening import open_table
from microgauge.engines.rounds import run_one
from microgauge.errors import InputError, listing
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.schema import Options, Schema, Variable
from microgauge.study.describe import Describer, crowded_in
from microgauge.study.variable import Described, Side
from microgauge.tables import Reading, Table


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
            say(
                "the {which} table has too many different values of {crowded} to tell "
                "all apart beyond memory: raise distinct_values in [options].",
                which=which,
                crowded=listing(crowded),
            )
        )
    shared = [name for name in keys if name in table.columns and name in original.columns]
    if not shared:
        raise InputError(
            say(
                "the {which} table has none of the quasi-identifiers {keys}. It has: {columns}.",
                which=which,
                keys=listing(keys),
                columns=listing(table.columns),
            )
        )
    if which == "holdout":  # measured in all variables, not by its keys alone
        shared = [name for name in table.columns if name in original.columns]
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
    variables = run_one(describer.describe()).variables
    if describer.faults:
        raise InputError(*describer.faults)
    return variables
