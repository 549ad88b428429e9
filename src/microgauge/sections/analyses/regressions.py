"""Regressions that a schema names, fitted on both sides as each table's user would."""

from __future__ import annotations

from microgauge.engines.rounds import Asking
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.analysis.regression import Fitted, compare_regressions, fit_regression
from microgauge.results import RegressionResult
from microgauge.schema import Regression, Which
from microgauge.schema.conditions import parse_condition
from microgauge.schema.formulas import parse_formula
from microgauge.study.conditions import rows_where
from microgauge.study.designs import RESPONSES, formula_design
from microgauge.study.records import Records, read_records, weight_name, weights_in
from microgauge.study.study import SIDES, Study


def run(study: Study, log: Log) -> Asking[tuple[RegressionResult, ...] | None]:
    """All regressions of a schema; None without any."""
    given = study.schema.regressions
    if not given:
        return None
    named = [n for one in given for which in SIDES for n in _columns(study, which, one)]
    records = yield from read_records(study, named)
    found = []
    for number, regression in enumerate(given):
        log.progress(say("fitting regressions"), number / len(given))
        start = RegressionResult(
            bands=regression.bands,
            formula=regression.formula or "",
            kind=regression.kind,
            where=regression.where,
            robust=regression.robust,
            overlap=None,
            coefficients=(),
        )
        fits = [
            _fitted(study, which, regression, held)
            for which, held in zip(SIDES, records, strict=True)
        ]
        found.append(compare_regressions(start, *fits))
    return tuple(found)


def _columns(study: Study, which: Which, given: Regression) -> list[str]:
    """The columns that a regression looks at in one table."""
    known = [v.name for v in study.variables]
    named = [*parse_formula(given.formula or "", known).columns]
    if given.where is not None:
        named += parse_condition(given.where, known).columns
    weight = weight_name(study, which, given.weight)
    return named if weight is None else [*named, weight]


def _fitted(study: Study, which: Which, given: Regression, held: Records) -> Fitted | Undefined:
    try:
        return _fit(study, which, given, held.only(_columns(study, which, given)))
    except Undefined as why:
        return why


def _fit(study: Study, which: Which, given: Regression, records: Records) -> Fitted:
    known = [v.name for v in study.variables]
    formula = parse_formula(given.formula or "", known)
    condition = None if given.where is None else parse_condition(given.where, known)
    weight = weight_name(study, which, given.weight)
    weights = weights_in(records, weight)
    if given.bands == "midpoints":
        records = records.with_midpoints()
    if condition is not None:
        rows = rows_where(condition, records)
        if not rows.any():
            raise Undefined(say("the condition leaves no unit"))
        records = records.taken(rows)
        weights = None if weights is None else weights[rows]
    design = formula_design(
        formula,
        records,
        weights,
        response=RESPONSES[given.kind],
        positions=False,
        drop_gone=False,
    )
    return fit_regression(design, given.kind, given.robust)
