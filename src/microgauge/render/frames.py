"""Results as data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from microgauge.render.json import to_dict
from microgauge.results import GDU, Assessment, PairScore, VariableScore

_FLOATS = {
    "statistic", "p", "recoding_utility", "perturbation_utility", "utility", "bivariate_utility",
    "importance", "p_original", "p_protected", "coefficient_original", "coefficient_protected",
}  # fmt: skip
_INTEGERS = {"n_original", "n_protected"}


def _frame(records: Sequence[VariableScore | PairScore], names: Sequence[str]) -> pl.DataFrame:
    rows = [to_dict(record) for record in records]
    columns: dict[str, Any] = {name: [row.get(name) for row in rows] for name in names}
    return pl.DataFrame(columns, schema={name: _dtype(name) for name in names})


def _dtype(name: str) -> type[pl.DataType]:
    if name in _FLOATS:
        return pl.Float64
    if name in _INTEGERS:
        return pl.Int64
    return pl.Boolean if name == "signs_flipped" else pl.String


def _gdu(result: Assessment) -> GDU:
    if result.gdu is None:
        raise ValueError("the global data utility was not computed: leave gdu among the sections")
    return result.gdu


def variable_frame(result: Assessment) -> pl.DataFrame:
    """A row for each analysed variable: what happened to it, and its scores."""
    gdu = _gdu(result)
    scores = _frame(gdu.variables, list(VariableScore.__dataclass_fields__))
    facts = {variable.name: variable for variable in result.variables}
    known = [facts[name] for name in scores["name"]]
    return scores.insert_column(
        1, pl.Series("type", [v.type for v in known], dtype=pl.String)
    ).with_columns(
        pl.Series("protected_type", [v.protected_type for v in known], dtype=pl.String),
        pl.Series("removed", [v.removed for v in known], dtype=pl.Boolean),
        pl.Series("missing_original", [v.missing_original for v in known], dtype=pl.Int64),
        pl.Series("missing_protected", [v.missing_protected for v in known], dtype=pl.Int64),
        pl.Series("recoded", [v.recoding and v.recoding.how for v in known], dtype=pl.String),
    )


def pair_frame(result: Assessment) -> pl.DataFrame:
    """A row for each pair of variables."""
    return _frame(_gdu(result).pairs, list(PairScore.__dataclass_fields__))
