"""All tables of a result in one workbook, a sheet for each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from typing import Any

import polars as pl

from microgauge.render import frames
from microgauge.results import Assessment, Ranking

Frame = Callable[[Assessment], pl.DataFrame]
SHEETS: dict[str, tuple[str, Frame]] = {
    "variables": ("gdu", frames.variable_frame),
    "pairs": ("gdu", frames.pair_frame),
    "tables": ("tables", frames.scored_table_frame),
    "changes": ("loss", frames.loss_frame),
    "loss tables": ("loss", frames.table_frame),
    "log-linear": ("loss", frames.loglinear_frame),
    "validity": ("loss", frames.validity_frame),
    "indicators": ("indicators", frames.indicator_frame),
    "regressions": ("regressions", frames.regression_frame),
    "coefficients": ("regressions", frames.coefficient_frame),
    "clusters": ("clusters", frames.cluster_frame),
    "learned": ("disclosure", frames.disclosure_frame),
    "intruders": ("disclosure", frames.intruder_frame),
}
"""Each sheet: the section that it needs, and how its table is made."""
MADE = datetime(2000, 1, 1)
"""What every workbook says of when it was made: equal results are equal files."""
LONGEST = 32_767
"""Characters that a cell of a workbook may hold."""


def result_workbook(result: Assessment | Ranking) -> bytes:
    """All tables that a result has."""
    return workbook(sheets_of(result))


def sheets_of(result: Assessment | Ranking) -> dict[str, pl.DataFrame]:
    """The tables by the names of their sheets; of a ranking, those of all candidates joined."""
    if isinstance(result, Assessment):
        return {"verdict": verdict_frame(result), **_tables(result)}
    found: dict[str, list[pl.DataFrame]] = {}
    for candidate in result.candidates:
        named = pl.Series("candidate", [candidate.name], dtype=pl.String)
        both = {"verdict": verdict_frame(candidate.assessment), **_tables(candidate.assessment)}
        for sheet, table in both.items():
            column = named.new_from_index(0, table.height)
            name = "candidate" if "candidate" not in table.columns else "candidate (name)"
            found.setdefault(sheet, []).append(table.insert_column(0, column.alias(name)))
    return {
        "candidates": frames.candidate_frame(result),
        **{sheet: pl.concat(parts, how="diagonal") for sheet, parts in found.items()},
    }


def _tables(result: Assessment) -> dict[str, pl.DataFrame]:
    made = {name: make(result) for name, (needs, make) in SHEETS.items() if needs in result.written}
    return {name: table for name, table in made.items() if table.height}


def verdict_frame(result: Assessment) -> pl.DataFrame:
    """Both answers, what was found, and what a reader should know: a row for each."""
    rows: list[tuple[str, str | None, float | None, str]] = []
    if result.verdict is not None:
        for name, opinion in (("useful", result.verdict.useful), ("safe", result.verdict.safe)):
            rows.append((name, opinion.grade, opinion.value, opinion.sentence))
        rows += [
            (one.code, one.grade, None, f"{one.sentence} {one.remedy}")
            for one in result.verdict.findings
        ]
    rows += [("note", None, None, note) for note in result.notes]
    columns = {"about": pl.String, "grade": pl.String, "value": pl.Float64, "sentence": pl.String}
    return pl.DataFrame(rows, schema=columns, orient="row")


def workbook(sheets: dict[str, pl.DataFrame]) -> bytes:
    """A workbook in which no name or label is a formula or a link."""
    import xlsxwriter

    content = BytesIO()
    inert = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(content, inert) as book:
        book.set_properties({"created": MADE})
        bold = book.add_format({"bold": True})
        for name, table in sheets.items():
            sheet = book.add_worksheet(name)
            sheet.freeze_panes(1, 1)
            for place, column in enumerate(table.columns):
                sheet.write_string(0, place, column[:LONGEST], bold)
                for row, value in enumerate(table[column].to_list(), start=1):
                    _write(sheet, row, place, value)
    return content.getvalue()


def _write(sheet: Any, row: int, place: int, value: Any) -> None:
    """Numbers as numbers, all else as text; nothing where there is no value."""
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
    elif isinstance(value, int | float):
        sheet.write_number(row, place, value)
    elif value is not None:
        sheet.write_string(row, place, str(value)[:LONGEST])
