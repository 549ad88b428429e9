"""Which terms a propensity model has, and the columns they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microgauge.errors import Undefined
from microgauge.formulas import CONTEXT
from microgauge.levels import Floats
from microgauge.measures.whole.joint import Joint
from microgauge.measures.whole.terms import (
    Columns,
    Term,
    build,
    full_polynomial,
    main_effects,
    pair_products,
    standardised,
    width,
)

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


def chosen_design(
    joint: Joint, degree: int, interactions: str, masked: Sequence[bool] | None
) -> Design:
    """Terms by degree and interactions."""
    if interactions == "full":
        terms = full_polynomial(joint, degree)
        said = f"all products up to degree {degree}"
    else:
        terms = main_effects(joint, degree)
        said = _main_words(degree)
        if interactions == "pairs":
            terms += pair_products(joint)
            said += " and products of pairs"
    return Design(build(joint, _masked(terms, masked)), said, degree, interactions)


def _main_words(degree: int) -> str:
    return "main effects" if degree == 1 else f"main effects with powers up to {degree}"


def _masked(terms: Sequence[Term], masked: Sequence[bool] | None) -> list[Term]:
    """Without terms of unmasked variables alone: these enter through interactions only."""
    if masked is None:
        return list(terms)
    return [term for term in terms if any(masked[place] for place, _ in term)]


def auto_design(joint: Joint, masked: Sequence[bool] | None, notes: list[str]) -> Design:
    """The richest of main effects, + squares and cubes, + products of pairs that the rows bear."""
    fitting = None
    for degree, interactions in LADDER:
        terms = main_effects(joint, degree)
        terms += pair_products(joint) if interactions == "pairs" else []
        columns = sum(width(joint, term) for term in _masked(terms, masked))
        if joint.rows >= ROWS_PER_TERM * columns:
            fitting = (degree, interactions)
    if fitting is None:
        notes.append(
            f"Fewer than {ROWS_PER_TERM} rows for each main effect: the propensity model is richer "
            "than the rows bear."
        )
    return chosen_design(joint, *(fitting or LADDER[0]), masked)


def spline_design(joint: Joint, masked: Sequence[bool] | None) -> Design:
    """A spline basis for each continuous variable, plus products of pairs."""
    from sklearn.preprocessing import SplineTransformer

    smooth = [i for i, v in enumerate(joint.variables) if v.kind == "continuous" and v.size > KNOTS]
    terms = [
        t for t in main_effects(joint) if not (len(t) == 1 and t[0] in {(i, 1) for i in smooth})
    ]
    rest = build(joint, _masked(terms + pair_products(joint), masked))
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


def formula_design(joint: Joint, formula: str) -> Design:
    """Terms by a formula over the joint variables. The formula must have been checked."""
    import pandas as pd
    from formulaic import Formula

    frame = pd.DataFrame(
        {
            variable.name: _categories(joint, place)
            if variable.kind == "nominal"
            else joint.values[place]
            for place, variable in enumerate(joint.variables)
        }
    )
    matrix = Formula(formula.replace("~", "", 1)).get_model_matrix(
        frame, context=dict(CONTEXT), na_action="ignore"
    )
    places = {variable.name: place for place, variable in enumerate(joint.variables)}
    owners, columns = [], []
    for term, slices in matrix.model_spec.term_slices.items():
        used = frozenset(
            places[name] for name in map(str, term_variables(term, matrix)) if name in places
        )
        for i in range(slices.start, slices.stop):
            if used:
                owners.append(used)
                columns.append(standardised(np.asarray(matrix.iloc[:, i], dtype=np.float64)))
    if not columns:
        raise Undefined("the formula has no term")
    if not np.isfinite(np.array([c.sum() for c in columns])).all():
        raise Undefined("a term of the formula is not finite in every row")
    return Design(Columns(np.column_stack(columns), None, tuple(owners)), formula)


def term_variables(term: object, matrix: object) -> set[str]:
    """The columns that a term of a formula is made of."""
    return {str(v) for v in matrix.model_spec.term_variables[term]}  # type: ignore[attr-defined]


def _categories(joint: Joint, place: int) -> object:
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
            levels = np.arange(variable.size + int(missing.any()))
            indicators = (joint.codes[:, place, np.newaxis] == levels).T.astype(np.float64)
            columns += list(indicators)
            owners += [place] * len(levels)
            continue
        columns.append(joint.values[place])
        owners.append(place)
        if missing.any():
            columns.append(missing.astype(np.float64))
            owners.append(place)
    return np.column_stack(columns), tuple(owners)
