"""Results as data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import polars as pl
from polars.selectors import by_name

from microgauge.results import (
    GDU,
    Assessment,
    Candidate,
    ClusterResult,
    CoefficientResult,
    Disclosure,
    IndicatorResult,
    Loss,
    PairScore,
    Ranking,
    RegressionResult,
    TableLoss,
    VariableLoss,
    VariableScore,
)
from microgauge.results.disclosure import Intruder, LearnedTarget
from microgauge.results.loss import LogLinearTerm, ValidityCriterion
from microgauge.results.plain import to_dict
from microgauge.results.tables import TableScore
from microgauge.results.wording import drawable

_DTYPES: dict[str, type[pl.DataType]] = {
    "float": pl.Float64,
    "int": pl.Int64,
    "bool": pl.Boolean,
    "tuple[float, float]": pl.Float64,
    "Ends": pl.Float64,
}
"""What a field of a result is as a column; all else is text."""
_INTERVALS = ("tuple[float, float]", "Ends")


def _frame(kind: type[Any], rows: Sequence[dict[str, Any]], *left_out: str) -> pl.DataFrame:
    """The fields of a kind of result as columns; an interval as its two ends."""
    columns: dict[str, pl.Series] = {}
    for field in fields(kind):
        if field.name in left_out:
            continue
        said = str(field.type).removesuffix(" | None")
        dtype = _DTYPES.get(said, pl.String)
        values = [row.get(field.name) for row in rows]
        if said in _INTERVALS:
            for end, name in enumerate(("low", "high")):
                ends = [None if value is None else value[end] for value in values]
                title = f"{field.name.removesuffix('_ci')}_{name}"
                columns[title] = pl.Series(ends, dtype=dtype)
        else:
            columns[field.name] = pl.Series(values, dtype=dtype)
    return pl.DataFrame(columns)


def _gdu(result: Assessment) -> GDU:
    if result.gdu is None:
        raise ValueError("the global data utility was not computed: leave gdu among the sections")
    return result.gdu


def _loss(result: Assessment) -> Loss:
    if result.loss is None:
        raise ValueError("the loss was not computed: leave loss among the sections")
    return result.loss


def _disclosure(result: Assessment) -> Disclosure:
    if result.disclosure is None:
        raise ValueError(
            "disclosure was not computed: leave it among the sections, and name quasi-identifiers"
        )
    return result.disclosure


def variable_frame(result: Assessment) -> pl.DataFrame:
    """A row for each analysed variable: what happened to it, and its scores."""
    scores = _frame(VariableScore, [to_dict(v) for v in _gdu(result).variables])
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
    return _frame(PairScore, [to_dict(pair) for pair in _gdu(result).pairs])


def loss_frame(result: Assessment) -> pl.DataFrame:
    """A row for each analysed variable: what changed in it."""
    rows = [
        {**to_dict(variable), "methods": ", ".join(variable.methods) or None}
        for variable in _loss(result).variables
    ]
    return _frame(VariableLoss, rows, "missing", "moments")


def table_frame(result: Assessment) -> pl.DataFrame:
    """A row for each table of one, two or three variables."""
    rows = [
        {**to_dict(table), "variables": " × ".join(table.variables)}
        for table in _loss(result).tables
    ]
    return _frame(TableLoss, rows)


def scored_table_frame(result: Assessment) -> pl.DataFrame:
    """A row for each table of two or three variables in cells of the original, the worst first."""
    if result.tables is None:
        raise ValueError("tables were not compared: leave tables among the sections")
    rows = [
        {**to_dict(table), "variables": " × ".join(table.variables)}
        for table in result.tables.worst
    ]
    return _frame(TableScore, rows)


def loglinear_frame(result: Assessment) -> pl.DataFrame:
    """A row for each term of the log-linear model; none where it could not be fitted."""
    found = _loss(result).loglinear
    rows = [
        {**to_dict(term), "variables": " × ".join(term.variables)}
        for term in (() if found is None else found.terms)
    ]
    return _frame(LogLinearTerm, rows)


def validity_frame(result: Assessment) -> pl.DataFrame:
    """A row for each criterion of analytic validity."""
    found = _loss(result).validity
    rows = [
        {**to_dict(criterion), "about": ", ".join(criterion.about) or None}
        for criterion in (() if found is None else found.criteria)
    ]
    return _frame(ValidityCriterion, rows)


def indicator_frame(result: Assessment) -> pl.DataFrame:
    """A row for each indicator and group; none where no indicator was declared."""
    return _frame(IndicatorResult, [to_dict(found) for found in result.indicators or ()])


def cluster_frame(result: Assessment) -> pl.DataFrame:
    """A row for each number of groups; none where clusters were not computed."""
    return _frame(ClusterResult, [to_dict(found) for found in result.clusters or ()], "clusters")


def regression_frame(result: Assessment) -> pl.DataFrame:
    """A row for each regression; none where no regression was declared."""
    rows = [to_dict(found) for found in result.regressions or ()]
    return _frame(RegressionResult, rows, "coefficients")


def coefficient_frame(result: Assessment) -> pl.DataFrame:
    """A row for each coefficient of each regression; none where no regression was declared."""
    found = [(r.formula, c) for r in result.regressions or () for c in r.coefficients]
    table = _frame(CoefficientResult, [to_dict(coefficient) for _, coefficient in found])
    formulas = pl.Series("formula", [formula for formula, _ in found], dtype=pl.String)
    return table.insert_column(0, formulas)


def disclosure_frame(result: Assessment) -> pl.DataFrame:
    """A row for each target: what is learned of it, and how others count it."""
    rows = [
        {**to_dict(target), "flags": "; ".join(target.flags) or None}
        for target in _disclosure(result).learned
    ]
    return _frame(LearnedTarget, rows)


def intruder_frame(result: Assessment) -> pl.DataFrame:
    """A row for each intruder; none where those who know less were not asked for."""
    rows = [
        {**to_dict(intruder), "keys": ", ".join(intruder.keys)}
        for intruder in _disclosure(result).intruders
    ]
    return _frame(Intruder, rows)


def candidate_frame(result: Ranking) -> pl.DataFrame:
    """A row for each candidate with its main figures."""
    rows = [_candidate_row(candidate) for candidate in result.candidates]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    columns |= _settings(result, columns)
    chosen = [c.name == result.recommended.name for c in result.candidates]
    on = [c.name in result.frontier for c in result.candidates]
    return pl.DataFrame(columns).with_columns(
        pl.Series("frontier", on, dtype=pl.Boolean),
        pl.Series("recommended", chosen, dtype=pl.Boolean),
    )


def _settings(result: Ranking, taken: Mapping[str, Any]) -> dict[str, list[str | None]]:
    """A column of text for each axis of the grid that candidates are from."""
    columns: dict[str, list[str | None]] = {}
    for axis in dict.fromkeys(name for c in result.candidates for name in c.settings):
        name = axis
        while name in {*taken, *columns, "frontier", "recommended"}:
            name += " (setting)"
        columns[name] = [
            str(c.settings[axis]) if axis in c.settings else None for c in result.candidates
        ]
    return columns


def _candidate_row(candidate: Candidate) -> dict[str, Any]:
    found = candidate.assessment
    risk, gdu, loss, propensity = found.risk, found.gdu, found.loss, found.propensity
    beside = (gdu.at_1000, gdu.permuted, gdu.resample) if gdu is not None else (None, None, None)
    return {
        "name": drawable(candidate.name),
        "risk": candidate.risk,
        "internal": None if risk is None else risk.internal,
        "external": None if risk is None else risk.external,
        "k": None if risk is None else risk.k,
        "uniques": None if risk is None else risk.uniques,
        "utility": candidate.utility,
        "rut": candidate.balance,
        "gdu": None if gdu is None else gdu.value,
        **{
            name: None if figures is None else figures.value
            for name, figures in zip(
                ("gdu_1000", "gdu_permuted", "gdu_resample"), beside, strict=True
            )
        },
        "propensity_ratio": None if propensity is None else propensity.ratio,
        "auc_cross": None if propensity is None else propensity.auc_cross,
        "il1s": None if loss is None else loss.il1s,
        "ctbil": None if loss is None else loss.ctbil,
        "keeps_limits": candidate.keeps_limits if candidate.requirements else None,
    }


FORMULA = tuple("=+-@\t\r")


def csv_text(table: pl.DataFrame) -> str:
    """A data frame as CSV in which no name or label is a formula to a spreadsheet."""
    texts = [name for name, dtype in table.schema.items() if dtype == pl.String]
    inert = [
        pl.when(by_name(name).str.contains(r"^[=+\-@\t\r]"))
        .then(pl.lit("'") + by_name(name))
        .otherwise(by_name(name))
        .alias(name)
        for name in texts
    ]
    heads = {name: f"'{name}" for name in table.columns if name[:1] in FORMULA}
    return str(table.with_columns(inert).rename(heads).write_csv())
