"""From the rows of one table to the design of a model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.asking import Engine
from microgauge.describe import Side
from microgauge.errors import Undefined
from microgauge.formulas import CONTEXT, Formula, factor_columns, parse_formula
from microgauge.measures.gdu.models import Design, Fit, linear, logistic, scale
from microgauge.passes import Rows
from microgauge.schema import Model


def fit(model: Model, engine: Engine, sides: Mapping[str, Side], known: Sequence[str]) -> Fit:
    """Fit a model on one table; `sides` are the variables it has, `known` those of the original."""
    if model.kind == "scale":
        return _scale(model, engine, sides)
    formula = parse_formula(model.formula or "", known)
    gone = [name for name in formula.response if name not in sides]
    if gone:
        raise Undefined(f"the response {', '.join(gone)} was removed")
    design = _design(formula, engine, sides, model.kind)
    return linear(design) if model.kind == "linear" else logistic(design)


def _scale(model: Model, engine: Engine, sides: Mapping[str, Side]) -> Fit:
    here = [name for name in model.items if name in sides]
    if len(here) < 2:
        raise Undefined("fewer than two items are left")
    labels = [n for n in here if not sides[n].levels.numeric and sides[n].type == "nominal"]
    if labels:
        raise Undefined(f"{', '.join(labels)} has unordered categories")
    columns, weights = _complete_rows(here, engine, sides)
    items = np.column_stack([_as_numbers(sides[n], columns[n]) for n in here])
    return scale(items, tuple(here), weights)


def _complete_rows(
    names: Sequence[str], engine: Engine, sides: Mapping[str, Side]
) -> tuple[dict[str, NDArray[np.intp]], NDArray[np.float64]]:
    """Levels of each variable in the rows where none is missing, and scaled weights."""
    axes = {name: sides[name].axis(name) for name in names}
    question = Rows(tuple(names))
    stacked = engine.scan([question], axes)[question].values
    sizes = np.array([len(sides[name].levels) for name in names])
    complete = (stacked[:, : len(names)] < sizes).all(axis=1)
    stacked = stacked[complete]
    if not len(stacked):
        raise Undefined("no complete unit")
    weights = np.ones(len(stacked))
    if engine.weights is not None:
        weights = stacked[:, -1]
        weights = weights * (weights.sum() / (weights**2).sum())
    levels = {name: stacked[:, i].astype(np.intp) for i, name in enumerate(names)}
    return levels, weights


def _as_numbers(side: Side, levels: NDArray[np.intp]) -> NDArray[np.float64]:
    """Numbers as they are; ordered labels by their positions 0, 1, 2, …"""
    return side.levels.numbers[levels]


def _design(formula: Formula, engine: Engine, sides: Mapping[str, Side], kind: str) -> Design:
    import pandas as pd
    from formulaic import Formula as Parsed
    from formulaic.errors import FormulaicError

    parsed = Parsed(formula.text)
    gone = set(formula.predictors) - set(sides)
    kept = [
        term
        for term in parsed.rhs
        if not any(factor_columns(f.expr, formula.columns) & gone for f in term.factors)
    ]
    names = [name for name in formula.columns if name in sides]
    columns, weights = _complete_rows(names, engine, sides)
    frame = pd.DataFrame(
        {name: _values(sides[name], columns[name]) for name in names}, index=range(len(weights))
    )
    response = _response(parsed.lhs, frame, sides, formula, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            matrix = Parsed(kept).get_model_matrix(frame, context=dict(CONTEXT), na_action="ignore")
        except FormulaicError as error:
            raise Undefined(f"the terms cannot be formed ({type(error).__name__})") from None
    return _finite_design(matrix, response, weights)


def _finite_design(
    matrix: Any, response: NDArray[np.float64], weights: NDArray[np.float64]
) -> Design:
    """Rows whose terms are all finite (a log of 0 is not), without the intercept's column."""
    values = np.asarray(matrix, dtype=np.float64)
    intercept = "Intercept" in matrix.columns
    names = [name for name in matrix.columns if name != "Intercept"]
    values = values[:, [i for i, name in enumerate(matrix.columns) if name != "Intercept"]]
    finite = np.isfinite(values).all(axis=1) & np.isfinite(response)
    return Design(response[finite], values[finite], tuple(names), weights[finite], intercept)


def _values(side: Side, levels: NDArray[np.intp]) -> Any:
    import pandas as pd

    if side.type == "nominal":
        used = np.unique(levels)
        labels = [side.levels.labels[level] for level in used]
        return pd.Categorical.from_codes(
            np.searchsorted(used, levels), categories=pd.Index(labels, dtype=object)
        )
    return _as_numbers(side, levels)


def _response(
    lhs: Any, frame: Any, sides: Mapping[str, Side], formula: Formula, kind: str
) -> NDArray[np.float64]:
    nominal = [name for name in formula.response if sides[name].type == "nominal"]
    if nominal and kind == "linear":
        raise Undefined(f"the response {nominal[0]} is nominal")
    if nominal:
        return np.asarray(frame[nominal[0]].cat.codes, dtype=np.float64)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        matrix = lhs.get_model_matrix(frame, context=dict(CONTEXT), na_action="ignore")
    return np.asarray(matrix, dtype=np.float64)[:, -1]
