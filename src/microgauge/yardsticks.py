"""Files whose loss is known, to hold a protected file against.

Global measures have no absolute scale. So the same measures are taken of a resample of the original
(nothing lost but chance), of simple random samples of it, and of the original with every column
permuted on its own: all associations gone, all distributions kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from microgauge.errors import InputError, Undefined
from microgauge.levels import Index
from microgauge.results import Yardstick
from microgauge.schema import Options, Schema, Variable
from microgauge.stack import stacked
from microgauge.study import Study
from microgauge.tables import Column, Table
from microgauge.utility import GlobalUtility, Progress
from microgauge.whole import WholeFile

SAMPLES = (0.5, 0.1, 0.01)


def yardsticks(
    original: Table, protected_rows: int, schema: Schema, progress: Progress
) -> tuple[Yardstick, ...]:
    """The measures of each file whose loss is known."""
    plain = _plain(schema)
    found = []
    weight = plain.options.weight
    for name, variant in _variants(original, protected_rows, weight, schema.options.seed):
        progress(f"yardstick: {name}", 0.0)
        found.append(_measured(name, original, variant, plain))
    return tuple(found)


def _plain(schema: Schema) -> Schema:
    """The schema without what protection did: the variants were neither recoded nor keyed."""
    variables = {
        name: replace(v, protected_type=None, recode=None, recode_measure=None)
        for name, v in schema.variables.items()
    }
    weight = schema.options.weight_original or schema.options.weight
    options: Options = replace(
        schema.options,
        key=None,
        aligned=False,
        weight=weight,
        weight_original=None,
        weight_protected=None,
    )
    if schema.options.key is not None:
        variables.setdefault(schema.options.key, Variable(role="id"))
    return replace(schema, variables=variables, options=options, models=())


def _variants(
    original: Table, protected_rows: int, weight: str | None, seed: int
) -> Iterator[tuple[str, Table]]:
    rng = np.random.default_rng([seed, 4])
    rows = original.rows
    yield "resample of the original", _taken(original, rng.integers(0, rows, protected_rows))
    for share in SAMPLES:
        count = max(round(rows * share), 1)
        yield f"{share:.0%} sample", _taken(original, rng.choice(rows, count, replace=False))
    yield "columns permuted", _permuted(original, weight, rng)


def _permuted(table: Table, weight: str | None, rng: np.random.Generator) -> Table:
    """Every column on its own. With weights, cells are drawn by weight and then weigh alike, which
    keeps weighted distributions as permuting keeps unweighted ones.
    """
    rows = table.rows
    share = None
    if weight is not None:
        column = table.columns[weight]
        numbers = np.append(np.asarray(column.values, dtype=np.float64), 0.0)[column.codes]
        share = numbers / numbers.sum()

    def order() -> Index:
        return rng.permutation(rows) if share is None else rng.choice(rows, rows, p=share)

    columns = {name: replace(c, codes=c.codes[order()]) for name, c in table.columns.items()}
    if weight is not None:
        columns[weight] = Column("number", np.ones(1), np.zeros(rows, dtype=np.uint8))
    return replace(table, columns=columns)


def _taken(table: Table, rows: Index) -> Table:
    columns = {name: replace(c, codes=c.codes[rows]) for name, c in table.columns.items()}
    return Table(table.name, len(rows), columns, table.unsupported)


def _measured(name: str, original: Table, variant: Table, schema: Schema) -> Yardstick:
    start = Yardstick(
        name=name,
        gdu=None,
        univariate=None,
        bivariate=None,
        propensity=None,
        propensity_ratio=None,
    )
    try:
        study = Study.prepare(original, variant, schema)
    except InputError as error:
        return replace(start, reason=error.faults[0])
    gdu = GlobalUtility(study).result()
    start = replace(
        start, gdu=gdu.value, univariate=gdu.univariate, bivariate=gdu.bivariate, reason=gdu.reason
    )
    joint, _ = stacked(study)
    try:
        value, ratio = WholeFile(joint, schema.options.seed).told_apart(schema.propensity)
    except Undefined as why:
        return replace(start, reason=f"propensity: {why}")
    return replace(start, propensity=value, propensity_ratio=ratio)
