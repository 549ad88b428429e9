"""Which terms a propensity model has, and the columns they give."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any

import numpy as np

from microgauge.arrays import Floats
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.measures.joint.grouping import Extension, Frequencies
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.ladder import Plan, planned_terms
from microgauge.measures.joint.terms import (
    MISSING,
    Columns,
    Term,
    build,
    main_effects,
    pair_products,
    standardised,
    terms_of,
)
from microgauge.records import dataclass
from microgauge.schema.formulas import CONTEXT, Formula, check_width

KNOTS = 5


@dataclass(frozen=True, eq=False)
class Design:
    """The columns of a model, and in words which terms they are."""

    columns: Columns
    description: str
    degree: int | None = None
    interactions: str | None = None
    plan: Plan | None = None
    """Where it follows one."""
    terms: tuple[Term, ...] | None = None
    """Its terms, on the variables and the groups below them; None where it has others."""
    extension: Extension = field(default_factory=lambda: Extension(()))

    def pairs(self, variables: int) -> list[tuple[int, int]]:
        """The pairs of variables that have a term together."""
        seen = {own for own in self.columns.owners if len(own) > 1}
        found = {pair for own in seen for pair in combinations(sorted(own), 2)}
        return [pair for pair in combinations(range(variables), 2) if pair in found]


def chosen_design(
    joint: Joint, degree: int, interactions: str, masked: Sequence[bool] | None
) -> Design:
    """Terms by degree and interactions."""
    terms = terms_of(joint, degree, interactions)
    said = _main_words(degree)
    if interactions == "full":
        said = say("all products up to degree {degree}", degree=degree)
    elif interactions == "pairs":
        said += say(" and products of pairs")
    terms = _masked(terms, masked)
    return Design(build(joint, terms, masked), said, degree, interactions, terms=tuple(terms))


def _main_words(degree: int) -> str:
    return (
        say("main effects")
        if degree == 1
        else say("main effects with powers up to {degree}", degree=degree)
    )


def _masked(terms: Sequence[Term], masked: Sequence[bool] | None) -> list[Term]:
    """Without terms of unmasked variables alone: these enter through interactions only."""
    if masked is None:
        return list(terms)
    return [term for term in terms if any(masked[place] for place, _ in term)]


def planned_design(
    joint: Joint, plan: Plan, known: Frequencies | None = None, masked: Sequence[bool] | None = None
) -> Design:
    """The terms of a plan. `known` are the original's frequencies where rows are a sample."""
    planned = planned_terms(joint, plan, known)
    owners = planned.extension.owners(len(joint.variables))
    hidden = None if masked is None else [masked[own] for own in owners]
    terms = _masked(planned.terms, hidden)
    columns = build(planned.extension.of(joint), terms, hidden)
    owned = tuple(frozenset(owners[place] for place in own) for own in columns.owners)
    return Design(
        replace(columns, owners=owned),
        plan_words(plan),
        plan.degree,
        "none" if plan.pairs == () else "pairs",
        plan=plan,
        terms=tuple(terms),
        extension=planned.extension,
    )


def plan_words(plan: Plan) -> str:
    """Which terms a plan has."""
    said = _main_words(plan.degree)
    if plan.categories is not None:
        said += say(" (categories in at most {categories} groups)", categories=plan.categories)
    if plan.pairs == ():
        return said
    how = "" if plan.groups is None else say(" of variables in {groups} groups", groups=plan.groups)
    which = (
        "pairs" if plan.pairs is None else say("the {n} most associated pairs", n=len(plan.pairs))
    )
    return say("{said} and products of {which}{how}", said=said, which=which, how=how)


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
    return Design(columns, say("splines and products of pairs"))


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
        raise Undefined(
            say("the formula names {absent}, which is not compared", absent=strung(absent, ", "))
        )
    frame = pd.DataFrame(
        {name: _formula_values(joint, places[column]) for name, column in formula.names.items()},
        index=range(joint.rows),
    )
    parsed = Parsed(formula.plain)
    check_width(parsed, formula.names, frame)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            matrix = parsed.get_model_matrix(frame, context=dict(CONTEXT), na_action="ignore")
        except (FormulaicError, TypeError, ValueError, OverflowError, RecursionError):
            raise Undefined(say("the formula cannot be computed for these variables")) from None
        used = {name: places[column] for name, column in formula.names.items()}
        owners, columns = _formula_columns(matrix, used)
    missing = build(joint, [((places[n], MISSING),) for n in named if _may_miss(joint, places[n])])
    found = Columns(
        np.column_stack([*columns, missing.dense]) if columns else missing.dense,
        None,
        (*owners, *missing.owners),
    )
    if not columns:
        raise Undefined(say("the formula has no term"))
    if not found.finite:
        raise Undefined(say("a term of the formula is not finite in every row"))
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
    joint.check_indicators()
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
