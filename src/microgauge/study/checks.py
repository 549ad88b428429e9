"""Checks of the analyses that a schema names, against the tables, before any work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from microgauge.errors import Undefined, hint, listing
from microgauge.schema import Indicator, Model, Regression, Schema
from microgauge.schema.conditions import parse_condition
from microgauge.schema.formulas import parse_formula, parse_terms
from microgauge.study.variable import Described


def analysis_faults(schema: Schema, variables: Iterable[Described]) -> list[str]:
    """What is wrong with models, indicators, regressions and groups.

    Entries whose form is at fault were told already and are passed over.
    """
    known = {variable.name: variable for variable in variables}
    faults = _propensity_faults(schema.propensity.formula, known)
    for number, model in enumerate(schema.models, start=1):
        if not Schema(models=(model,)).faults():
            faults += _model_faults(f"[[model]] number {number}", model, known)
    for number, indicator in enumerate(schema.indicators, start=1):
        if not Schema(indicators=(indicator,)).faults():
            faults += _indicator_faults(f"[[indicator]] number {number}", indicator, known)
    for number, regression in enumerate(schema.regressions, start=1):
        if not Schema(regressions=(regression,)).faults():
            faults += _regression_faults(f"[[regression]] number {number}", regression, known)
    return faults + _group_faults(schema.loss.groups, known)


def _propensity_faults(formula: object, known: Iterable[str]) -> list[str]:
    try:
        if isinstance(formula, str):
            parse_terms(formula, known)
    except Undefined as error:
        return [f"[propensity] formula: {error}"]
    return []


def _group_faults(names: Iterable[str], known: Mapping[str, Described]) -> list[str]:
    names = list(names)
    return _unknown("[loss] groups", names, known) + [
        f'[loss] groups names "{name}", which is continuous and forms no groups.'
        for name in names
        if name in known
        and known[name].original.type == "continuous"
        and (known[name].protected or known[name].original).type == "continuous"
    ]


def _unknown(where: str, names: Iterable[str | None], known: Mapping[str, Described]) -> list[str]:
    return [
        f'{where} names "{name}", which is no column.{hint(name, known)} '
        f"The original has: {listing(known)}."
        for name in names
        if name is not None and name not in known
    ]


def _formula_faults(where: str, formula: str | None, known: Iterable[str]) -> list[str]:
    try:
        parse_formula(formula or "", known)
    except Undefined as error:
        return [f"{where}: {error}"]
    return []


def _condition_faults(where: str, text: str | None, known: Iterable[str]) -> list[str]:
    try:
        if text is not None:
            parse_condition(text, known)
    except Undefined as error:
        return [f"{where}, where: {error}"]
    return []


def _model_faults(where: str, model: Model, known: Mapping[str, Described]) -> list[str]:
    faults = _unknown(where, model.items, known)
    if model.formula is not None and model.kind != "scale":
        faults += _formula_faults(where, model.formula, known)
    return faults


def _regression_faults(
    where: str, regression: Regression, known: Mapping[str, Described]
) -> list[str]:
    faults = _formula_faults(where, regression.formula, known)
    faults += _condition_faults(where, regression.where, known)
    return faults + _numbers(where, (regression.weight,), known, "a weight")


def _indicator_faults(
    where: str, indicator: Indicator, known: Mapping[str, Described]
) -> list[str]:
    faults = _unknown(where, (indicator.by,), known)
    faults += _condition_faults(where, indicator.where, known)
    faults += _numbers(where, (indicator.weight,), known, "a weight")
    if indicator.function is not None:
        return faults
    named = (indicator.variable, indicator.denominator)
    if indicator.statistic == "share":
        return faults + _unknown(where, named, known)
    return faults + _numbers(where, named, known, f"the statistic {indicator.statistic}")


def _numbers(
    where: str, names: Iterable[str | None], known: Mapping[str, Described], what: str
) -> list[str]:
    """Columns that must exist and hold numbers in the original."""
    given = [name for name in names if name is not None]
    faults = _unknown(where, given, known)
    for name in given:
        side = known[name].original if name in known else None
        if side is not None and not side.empty and not side.levels.numeric:
            faults.append(
                f'{where}: {what} needs numbers, but "{name}" holds {len(side.levels)} '
                f"categories ({side.type}) in the original."
            )
    return faults
