"""Files whose loss is known, to hold a protected file against.

Global measures have no absolute scale. So the same measures are taken of a resample of the original
(nothing lost but chance), of simple random samples of it, and of the original with every column
permuted on its own: all associations gone, all distributions kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from microgauge.arrays import Index
from microgauge.errors import InputError, Undefined
from microgauge.log import Progress
from microgauge.measures.joint.designs import LADDER, auto_choice
from microgauge.results import Yardstick
from microgauge.schema import Options, Schema, Variable
from microgauge.sections.gdu.section import GlobalUtility
from microgauge.sections.joint.choices import PropensityChoices
from microgauge.sections.joint.section import WholeFile
from microgauge.study.cells import Cells
from microgauge.study.joint_rows import stacked
from microgauge.study.study import Study
from microgauge.tables import Column, Table

SAMPLES = (0.5, 0.1, 0.01)


def yardsticks(original: Table, study: Study, progress: Progress) -> tuple[Yardstick, ...]:
    """The measures of each file whose loss is known, for the study of a protected file.

    Files of the protected one's size get its propensity model; smaller ones, whose rows do not bear
    it, the model that suits their own rows.
    """
    original = study.rows("original").table(original)
    rows = study.rows("protected").rows
    plain = _plain(study.schema)
    same = plain.changed(propensity=_same_model(study))
    found = []
    for variant in _variants(original, rows, plain.options):
        progress(f"yardstick: {variant.name}", 0.0)
        small = variant.records.rows < min(original.rows, rows)
        found.append(_measured(original, variant, plain if small else same))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Variant:
    """A file whose loss is known. Weighted measures may need another one than those of records."""

    name: str
    records: Table
    weighted: Table


def _same_model(study: Study) -> PropensityChoices:
    """What `auto` chooses for the protected file, as a choice of its own."""
    chosen = study.schema.of(PropensityChoices)
    if chosen.model != "auto" or chosen.formula is not None:
        return chosen
    degree, interactions = auto_choice(stacked(study)[0]) or LADDER[0]
    kind = cast('Literal["none", "pairs", "full"]', interactions)
    return replace(chosen, model="logit", degree=degree, interactions=kind)


def _plain(schema: Schema) -> Schema:
    """The schema without what protection did: the variants were neither recoded nor keyed."""
    variables = {
        name: replace(v, protected_type=None, recode=None, recode_measure=None)
        for name, v in schema.variables.items()
    }
    options = replace(
        schema.options,
        key=None,
        aligned=False,
        weight=schema.options.weight_original or schema.options.weight,
        weight_original=None,
        weight_protected=None,
    )
    if schema.options.key is not None:
        variables.setdefault(schema.options.key, Variable(role="id"))
    return replace(schema, variables=variables, options=options, models=())


def _variants(original: Table, protected_rows: int, options: Options) -> Iterator[_Variant]:
    rng = np.random.default_rng([options.seed, 4])
    rows = original.rows
    resample = _taken(original, rng.integers(0, rows, protected_rows))
    yield _Variant("resample of the original", resample, resample)
    for share in SAMPLES:
        sample = _taken(original, rng.choice(rows, max(round(rows * share), 1), replace=False))
        yield _Variant(f"{share:.0%} sample", sample, sample)
    permuted = _drawn(original, lambda: rng.permutation(rows))
    weighted = permuted
    if options.weight is not None:
        weighted = _drawn_by_weight(original, options.weight, rng)
    yield _Variant("columns permuted", permuted, weighted)


def _taken(table: Table, rows: Index) -> Table:
    columns = {name: replace(c, codes=c.codes[:][rows]) for name, c in table.columns.items()}
    return Table(table.name, len(rows), columns, table.unsupported)


def _drawn(table: Table, order: Callable[[], Index]) -> Table:
    """Every column in an order of its own."""
    columns = {name: replace(c, codes=c.codes[:][order()]) for name, c in table.columns.items()}
    return replace(table, columns=columns)


def _drawn_by_weight(table: Table, weight: str, rng: np.random.Generator) -> Table:
    """Cells drawn by weight, which then weigh alike: keeps weighted distributions, as permuting
    keeps unweighted ones.
    """
    column = table.columns[weight]
    numbers = np.append(Cells.read(column, ()).numbers, 0.0)[column.codes[:]]
    share = numbers / numbers.sum()
    drawn = _drawn(table, lambda: rng.choice(table.rows, table.rows, p=share))
    alike = Column("number", np.ones(1), np.zeros(table.rows, dtype=np.uint8))
    return replace(drawn, columns={**drawn.columns, weight: alike})


def _measured(original: Table, variant: _Variant, schema: Schema) -> Yardstick:
    start = Yardstick(
        name=variant.name,
        gdu=None,
        univariate=None,
        bivariate=None,
        propensity=None,
        propensity_ratio=None,
    )
    try:
        weighted = Study.prepare(original, variant.weighted, schema)
        records = weighted
        if variant.records is not variant.weighted:
            records = Study.prepare(original, variant.records, schema)
    except InputError as error:
        return replace(start, reason=error.faults[0])
    gdu = GlobalUtility(weighted).result()
    start = replace(
        start, gdu=gdu.value, univariate=gdu.univariate, bivariate=gdu.bivariate, reason=gdu.reason
    )
    joint, _ = stacked(records)
    try:
        value, ratio = WholeFile(joint, schema.options.seed).told_apart(schema.propensity)
    except Undefined as why:
        return replace(start, reason=f"propensity: {why}")
    return replace(start, propensity=value, propensity_ratio=ratio)
