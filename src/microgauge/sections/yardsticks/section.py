"""Files whose loss is known, to hold a protected file against.

Global measures have no absolute scale. So the same measures are taken of a resample of the original
(nothing lost but chance), of simple random samples of it, and of the original with every column
permuted on its own: all associations gone, all distributions kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from microgauge.arrays import Index
from microgauge.engines.rounds import Asking, together
from microgauge.errors import InputError, Undefined
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.joint.ladder import Plan
from microgauge.records import dataclass
from microgauge.results import Yardstick
from microgauge.schema import Options, Schema, Variable
from microgauge.schema.formulas import parse_terms
from microgauge.sections.gdu.section import GlobalUtility
from microgauge.sections.joint.choices import PropensityChoices
from microgauge.sections.joint.plan import planned
from microgauge.sections.joint.propensity import PropensityMeasure
from microgauge.sections.left_in.choices import LeftInChoices
from microgauge.study.cells import Cells
from microgauge.study.describe import OriginalCache
from microgauge.study.joint_rows import joint_rows
from microgauge.study.study import Study
from microgauge.tables import Column, Table

SAMPLES = (0.5, 0.1, 0.01)
MOST_CELLS = 20_000_000
"""Cells of the original up to which all files are made and measured together."""


def run(study: Study, log: Log) -> Asking[tuple[Yardstick, ...]]:
    """The measures of each file whose loss is known, for the study of a protected file.

    Files of the protected one's size get its propensity model; smaller ones, whose rows do not bear
    it, the model that suits their own rows.
    """
    whole = study.rows("original") is study.original
    original = study.tables[0] if whole else study.rows("original").table(study.tables[0])
    rows = study.rows("protected").rows
    plain = _plain(study.schema)
    plan = yield from planned(study, study.schema.of(PropensityChoices))
    found: list[Yardstick] = []
    for variants in _groups(original, _variants(original, rows, plain.options)):
        # What is known of the original is known, unless that saw other rows.
        cache = study.cache if whole else OriginalCache()
        works = []
        for variant in variants:
            log.progress(say("yardstick: {name}", name=variant.name), 0.0)
            small = variant.records.rows < min(original.rows, rows)
            works.append(_measured(original, variant, plain, cache, None if small else plan))
        found += yield from together(*works)
    return tuple(found)


def _groups(original: Table, variants: Iterator[_Variant]) -> Iterator[list[_Variant]]:
    """All at once where they are small, else one after the other."""
    if original.rows * len(original.columns) <= MOST_CELLS:
        yield list(variants)
    else:
        for variant in variants:
            yield [variant]


@dataclass(frozen=True, eq=False)
class _Variant:
    """A file whose loss is known. Weighted measures may need another one than those of records."""

    name: str
    records: Table
    weighted: Table

    @property
    def tables(self) -> list[Table]:
        """Its one table, or its two."""
        return [self.records] if self.records is self.weighted else [self.records, self.weighted]


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
    return schema.changed(variables=variables, options=options, models=(), left_in=LeftInChoices())


def _variants(original: Table, protected_rows: int, options: Options) -> Iterator[_Variant]:
    rng = np.random.default_rng([options.seed, 4])
    rows = original.rows
    resample = _taken(original, rng.integers(0, rows, protected_rows))
    yield _Variant(say("resample of the original"), resample, resample)
    for share in SAMPLES:
        sample = _taken(original, rng.choice(rows, max(round(rows * share), 1), replace=False))
        yield _Variant(say("{share:.0%} sample", share=share), sample, sample)
    permuted = _drawn(original, lambda: rng.permutation(rows))
    weighted = permuted
    if options.weight is not None:
        weighted = _drawn_by_weight(original, options.weight, rng)
    yield _Variant(say("columns permuted"), permuted, weighted)


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


def _measured(
    original: Table,
    variant: _Variant,
    schema: Schema,
    cache: OriginalCache,
    plan: Plan | None,
) -> Asking[Yardstick]:
    start = Yardstick(
        name=variant.name,
        gdu=None,
        univariate=None,
        bivariate=None,
        propensity=None,
        propensity_ratio=None,
    )
    tables = [variant.weighted, *variant.tables[:-1]]
    try:
        studies = yield from together(
            *(Study.prepare(original, table, schema, Log(), cache) for table in tables)
        )
    except InputError as error:
        return replace(start, reason=error.faults[0])
    gdu, joint = yield from together(
        GlobalUtility(studies[0], Log()).figures(), joint_rows(studies[-1], Log())
    )
    start = replace(
        start, gdu=gdu.value, univariate=gdu.univariate, bivariate=gdu.bivariate, reason=gdu.reason
    )
    chosen = schema.of(PropensityChoices)
    if plan is None:
        own = replace(studies[-1], cache=OriginalCache())
        plan = yield from planned(own, chosen)
    try:
        names = [v.name for v in studies[-1].variables]
        formula = None if chosen.formula is None else parse_terms(chosen.formula, names)
        measure = PropensityMeasure(
            joint.ordered(), schema.options.seed, formula=formula, plan=plan
        )
        value, ratio = measure.told_apart(chosen)
    except Undefined as why:
        return replace(start, reason=say("propensity: {why}", why=why))
    return replace(start, propensity=value, propensity_ratio=ratio)
