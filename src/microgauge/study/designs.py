"""From the records of one table to the design of a model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.measures.gdu.models import Design, Factor, Fit, linear, logistic, scale
from microgauge.results.wording import called
from microgauge.schema import Model
from microgauge.schema.formulas import (
    CONTEXT,
    Formula,
    check_width,
    factor_names,
    parse_formula,
)
from microgauge.study.records import Records

Response = Literal["number", "two", "ordered"]
"""What a formula may explain: a number; that or two categories; ordered categories."""
RESPONSES: Mapping[str, Response] = {"linear": "number", "logistic": "two", "ordered": "ordered"}
"""By the kind of the model."""


def fit(model: Model, records: Records, weights: Floats | None, known: Sequence[str]) -> Fit:
    """Fit a model on one table; `known` are the columns of the original."""
    if model.kind == "scale":
        return _scale(model, records, weights)
    formula = parse_formula(model.formula or "", known)
    gone = [name for name in formula.response if name not in records.sides]
    if gone:
        raise Undefined(say("the response {gone} was removed", gone=strung(gone, ", ")))
    design = formula_design(formula, records, weights, response=RESPONSES[model.kind])
    return linear(design) if model.kind == "linear" else logistic(design)


def model_columns(model: Model, known: Sequence[str]) -> tuple[str, ...]:
    """The columns a model names."""
    if model.kind == "scale":
        return model.items
    return parse_formula(model.formula or "", known).columns


def _scale(model: Model, records: Records, weights: Floats | None) -> Fit:
    sides = records.sides
    here = [name for name in model.items if name in sides]
    if len(here) < 2:
        raise Undefined(say("fewer than two items are left"))
    labels = [n for n in here if not sides[n].levels.numeric and sides[n].type == "nominal"]
    if labels:
        raise Undefined(say("{labels} has unordered categories", labels=strung(labels, ", ")))
    complete, kept = complete_records(records, here, weights)
    items = np.column_stack([sides[n].levels.numbers[complete.levels[n]] for n in here])
    return scale(items, tuple(here), kept)


def complete_records(
    records: Records, names: Sequence[str], weights: Floats | None
) -> tuple[Records, Floats]:
    """Rows in which no named column is missing, and weights that add up to Kish's units."""
    complete = np.logical_and.reduce([records.present(name) for name in names])
    if weights is not None:
        complete = complete & (weights > 0)
    if not complete.any():
        raise Undefined(say("no complete unit"))
    kept = np.ones(int(complete.sum())) if weights is None else weights[complete]
    return records.taken(complete), kept * (kept.sum() / (kept**2).sum())


def formula_design(
    formula: Formula,
    records: Records,
    weights: Floats | None,
    *,
    response: Response,
    positions: bool = True,
    drop_gone: bool = True,
) -> Design:
    """The design of a formula.

    Terms with columns that the table does not have are dropped, or else `Undefined`. With
    `positions`, ordered labels count as 0, 1, 2, …; without, they are categories.
    """
    import pandas as pd
    from formulaic import Formula as Parsed

    parsed = Parsed(formula.plain)
    gone = {name for name, column in formula.names.items() if column not in records.sides}
    if gone and not drop_gone:
        lost = sorted({formula.names[name] for name in gone})
        raise Undefined(say("{lost} is gone", lost=strung(lost, ", ")))
    kept = [
        term
        for term in parsed.rhs
        if not any(factor_names(f.expr, formula.names) & gone for f in term.factors)
    ]
    here = {name: column for name, column in formula.names.items() if name not in gone}
    complete, units = complete_records(records, list(here.values()), weights)
    frame = pd.DataFrame(
        {name: _values(complete, column, positions) for name, column in here.items()},
        index=range(complete.rows),
    )
    check_width(kept, formula.names, frame)
    if response == "ordered":
        explained, categories = _ordered_response(parsed.lhs, complete, formula)
    else:
        explained, categories = _response(parsed.lhs, frame, complete, formula, response), {}
    design = _finite_design(_matrix(Parsed(kept), frame), explained, units)
    return replace(
        design,
        categories=categories,
        names=tuple(formula.in_words(term) for term in design.names),
        factors=_factors(design.names, frame, formula, kept),
    )


def _factors(
    terms: Sequence[str], frame: Any, formula: Formula, parsed: Sequence[Any]
) -> dict[str, Factor]:
    """Columns that enter as dummy variables ("SEX[T.male]", "C(SEX)[T.2]")."""
    multiplied = {
        name
        for term in parsed
        if len(term.factors) > 1
        for factor in term.factors
        for name in factor_names(factor.expr, formula.names)
    }
    found: dict[str, set[str]] = {}
    for term in terms:
        for part in term.split(":"):
            if "[" in part:
                for name in factor_names(part.split("[", 1)[0], formula.names):
                    found.setdefault(name, set()).add(formula.in_words(term))
    return {
        formula.names[name]: Factor(_categories(frame[name]), frozenset(held), name in multiplied)
        for name, held in found.items()
    }


def _categories(column: Any) -> tuple[str, ...]:
    """The categories of a factor, its reference first."""
    ordered = column.cat.categories if column.dtype == "category" else np.unique(column)
    return tuple(str(category) for category in ordered)


def _matrix(terms: Any, frame: Any) -> Any:
    from formulaic.errors import FormulaicError

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return terms.get_model_matrix(frame, context=dict(CONTEXT), na_action="ignore")
        except (FormulaicError, TypeError, ValueError, OverflowError, RecursionError):
            # Arithmetic with labels, where bands took the place of numbers; or without bounds.
            labels = any(frame[name].dtype == "category" for name in frame.columns)
            held = say(": a variable holds categories, not numbers") if labels else ""
            raise Undefined(say("the terms cannot be formed{held}", held=held)) from None


def _finite_design(matrix: Any, response: Floats, weights: Floats) -> Design:
    """Rows whose terms are all finite (a log of 0 is not), without the intercept's column."""
    values = np.asarray(matrix, dtype=np.float64)
    intercept = "Intercept" in matrix.columns
    names = [name for name in matrix.columns if name != "Intercept"]
    values = values[:, [i for i, name in enumerate(matrix.columns) if name != "Intercept"]]
    finite = np.isfinite(values).all(axis=1) & np.isfinite(response)
    if not finite.any():
        raise Undefined(say("no unit has finite terms"))
    return Design(response[finite], values[finite], tuple(names), weights[finite], intercept)


def _values(records: Records, name: str, positions: bool) -> Any:
    side = records.side(name)
    if side.type == "nominal" or not (side.levels.numeric or positions):
        return records.categories(name)
    return side.levels.numbers[records.levels[name]]


def _ordered_response(
    lhs: Any, records: Records, formula: Formula
) -> tuple[Floats, dict[int, str]]:
    """The place of each unit's category in their order, and the categories by place."""
    column = formula.names.get(str(lhs))
    if column is None:
        raise Undefined(say("the response of an ordered model must be a column by itself"))
    side = records.side(column)
    if side.type == "nominal":
        raise Undefined(say("the response {column} has categories without an order", column=column))
    return records.levels[column].astype(np.float64), dict(enumerate(side.levels.labels))


def _response(
    lhs: Any, frame: Any, records: Records, formula: Formula, response: Response
) -> Floats:
    labels = [
        (name, column)
        for name, column in formula.names.items()
        if column in formula.response and frame[name].dtype == "category"
    ]
    if labels and response != "two":
        side = records.side(labels[0][1])
        kind = called("nominal") if side.type == "nominal" else say("no number")
        raise Undefined(say("the response {labels} is {kind}", labels=labels[0][1], kind=kind))
    if labels and str(lhs) != labels[0][0]:
        raise Undefined(
            say("the response {labels} is nominal and must stand by itself", labels=labels[0][1])
        )
    if labels:
        return np.asarray(frame[labels[0][0]].cat.codes, dtype=np.float64)
    return np.asarray(_matrix(lhs, frame), dtype=np.float64)[:, -1]
