"""Which terms a propensity model has, and the columns they give."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.terms import (
    MISSING,
    Columns,
    Term,
    build,
    main_effects,
    pair_products,
    standardised,
    terms_of,
    width,
)
from microgauge.schema.formulas import CONTEXT, Formula

ROWS_PER_TERM = 20
"""`auto` takes the richest model with at least so many rows for each term."""
LADDER = ((1, "none"), (3, "none"), (3, "pairs"))
"""Degrees and interactions that `auto` tries, in order of richness."""
KNOTS = 5


@dataclass(frozen=True, eq=False)
class Design:
    """The columns of a model, and in words which terms they are."""

    columns: Columns
    description: str
    degree: int | None = None
    interactions: str | None = None
    too_rich: bool = False
    """Whether it has more terms than its rows bear."""


def chosen_design(
    joint: Joint, degree: int, interactions: str, masked: Sequence[bool] | None
) -> Design:
    """Terms by degree and interactions."""
    terms = terms_of(joint, degree, interactions)
    said = _main_words(degree)
    if interactions == "full":
        said = f"all products up to degree {degree}"
    elif interactions == "pairs":
        said += " and products of pairs"
    return Design(build(joint, _masked(terms, masked), masked), said, degree, interactions)


def _main_words(degree: int) -> str:
    return "main effects" if degree == 1 else f"main effects with powers up to {degree}"


def _masked(terms: Sequence[Term], masked: Sequence[bool] | None) -> list[Term]:
    """Without terms of unmasked variables alone: these enter through interactions only."""
    if masked is None:
        return list(terms)
    return [term for term in terms if any(masked[place] for place, _ in term)]


def auto_choice(joint: Joint, masked: Sequence[bool] | None = None) -> tuple[int, str] | None:
    """The richest rung of the ladder that the rows bear, or None if they bear none."""
    fitting = None
    for degree, interactions in LADDER:
        terms = terms_of(joint, degree, interactions)
        columns = sum(width(joint, term) for term in _masked(terms, masked))
        if joint.rows >= ROWS_PER_TERM * columns:
            fitting = (degree, interactions)
    return fitting


def auto_design(joint: Joint, masked: Sequence[bool] | None) -> Design:
    """The richest of main effects, + squares and cubes, + products of pairs that the rows bear."""
    fitting = auto_choice(joint, masked)
    if fitting is None:
        return replace(chosen_design(joint, *LADDER[0], masked), too_rich=True)
    return chosen_design(joint, *fitting, masked)


def spline_design(joint: Joint, masked: Sequence[bool] | None) -> Design:
    """A spline basis for each continuous variable, plus products of pairs."""
    from sklearn.preprocessing import SplineTransformer

    smooth = [i for i, v in enumerate(joint.variables) if v.kind == "continuous" and v.size > KNOTS]
    terms = [
        t for t in main_effects(joint) if not (len(t) == 1 and t[0] in {(i, 1) for i in smooth})
    ]
    rest = build(joint, _masked(terms + pair_products(joint), masked), masked)
    dense, owners = [rest.dense], list(rest.owners[: rest.dense.shape[1]])
    for place in smooth:
        if masked is not None and not masked[place]:
            continue
        basis = SplineTransformer(n_knots=KNOTS, degree=3, knots="quantile", include_bias=False)
        values = basis.fit_transform(joint.values[place][:, np.newaxis])
        dense.append(np.column_stack([standardised(column) for column in values.T]))
        owners += [frozenset({place})] * values.shape[1]
    split = rest.dense.shape[1]
    columns = Columns(np.hstack(dense), rest.sparse, (*owners, *rest.owners[split:]))
    return Design(columns, "splines and products of pairs")


def formula_design(joint: Joint, formula: Formula) -> Design:
    """Terms by a formula that was checked.

    Indicators of missing numbers join the model, as in every other one.
    """
    import pandas as pd
    from formulaic import Formula as Parsed
    from formulaic.errors import FormulaicError

    places = {variable.name: place for place, variable in enumerate(joint.variables)}
    named = formula.columns
    absent = [name for name in named if name not in places]
    if absent:
        raise Undefined(f"the formula names {', '.join(absent)}, which is not compared")
    frame = pd.DataFrame(
        {name: _formula_values(joint, places[column]) for name, column in formula.names.items()},
        index=range(joint.rows),
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            matrix = Parsed(formula.plain).get_model_matrix(
                frame, context=dict(CONTEXT), na_action="ignore"
            )
        except (FormulaicError, TypeError, ValueError, OverflowError, RecursionError):
            raise Undefined("the formula cannot be computed for these variables") from None
        used = {name: places[column] for name, column in formula.names.items()}
        owners, columns = _formula_columns(matrix, used)
    missing = build(joint, [((places[n], MISSING),) for n in named if _may_miss(joint, places[n])])
    found = Columns(
        np.column_stack([*columns, missing.dense]) if columns else missing.dense,
        None,
        (*owners, *missing.owners),
    )
    if not columns:
        raise Undefined("the formula has no term")
    if not found.finite:
        raise Undefined("a term of the formula is not finite in every row")
    return Design(found, formula.text)


def _may_miss(joint: Joint, place: int) -> bool:
    return joint.variables[place].kind != "nominal" and joint.misses(place)


def _formula_columns(
    matrix: Any, places: Mapping[str, int]
) -> tuple[list[frozenset[int]], list[Floats]]:
    """Standardised columns of a model matrix without its intercept, and whose they are."""
    owners: list[frozenset[int]] = []
    columns: list[Floats] = []
    for term, part in matrix.model_spec.term_slices.items():
        used = {str(name) for name in matrix.model_spec.term_variables[term]}
        own = frozenset(places[name] for name in used if name in places)
        if own:
            for column in range(part.start, part.stop):
                owners.append(own)
                columns.append(standardised(np.asarray(matrix.iloc[:, column], dtype=np.float64)))
    return owners, columns


def _formula_values(joint: Joint, place: int) -> Any:
    if joint.variables[place].kind != "nominal":
        return joint.values[place]
    return _categories(joint, place)


def _categories(joint: Joint, place: int) -> Any:
    import pandas as pd

    codes = joint.codes[:, place]
    levels = pd.Index([str(i) for i in range(int(codes.max()) + 1)])
    return pd.Categorical.from_codes(codes, categories=levels)


def tree_features(joint: Joint) -> tuple[Floats, tuple[int, ...]]:
    """Numbers and indicators of every category, with the variable each belongs to."""
    columns: list[Floats] = []
    owners: list[int] = []
    for place, variable in enumerate(joint.variables):
        missing = joint.missing(place)
        if variable.kind == "nominal":
            indicators = joint.indicators(place).T
            columns += list(indicators)
            owners += [place] * len(indicators)
            continue
        columns.append(joint.values[place])
        owners.append(place)
        if missing.any():
            columns.append(missing.astype(np.float64))
            owners.append(place)
    return np.column_stack(columns), tuple(owners)
