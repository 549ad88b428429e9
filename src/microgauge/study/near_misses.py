"""What looks as if it were meant otherwise: told in notes, never acted upon, without any value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from microgauge.errors import listing
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.left_in.names import named
from microgauge.schema import ANALYSED, Options
from microgauge.study.variable import Described, Side
from microgauge.tables import Column, Table
from microgauge.values.levels import Levels

FEWEST_ROWS = 20
"""Rows below which values may all differ by chance."""
IN_COMMON = 0.5
"""Share of the smaller table's values that must stand in both for a column to join them."""
NEARLY_ALL = 0.95
NEARLY_UNIQUE = 0.9
FEWEST_DATES = 3
MOST_LEVELS = 10_000
"""Different values up to which two variables are compared value by value."""
IDENTIFIERS = ("person-id", "national-id", "any-id")
_DATE = (
    r"^(?:\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
    r"(?:[ T]\d{1,2}:\d{2}.*)?$"
)


def note_near_misses(
    original: Table,
    protected: Table,
    variables: Sequence[Described],
    options: Options,
    log: Log,
) -> None:
    """Everything that looks as if it were meant otherwise."""
    if protected is original:
        return
    _note_key(original, protected, options, log)
    _note_repeats(variables, log)
    _note_swapped(variables, original.rows == protected.rows, log)
    for before, after in alike_columns(original, protected):
        log.note(
            "columns-alike",
            say(
                '"{before}" of the original and "{after}" of the protected table differ '
                "in case, blanks or punctuation only, and were taken for different "
                "columns. If they are the same, rename one of them.",
                before=before,
                after=after,
            ),
            [before],
        )
    _note_dates(original, variables, log)


# -- keys ------------------------------------------------------------------------------------


def possible_keys(original: Table, protected: Table) -> list[str]:
    """Columns that name each row once in both tables, and mostly the same ones."""
    if min(original.rows, protected.rows) < FEWEST_ROWS:
        return []
    shared = [name for name in original.columns if name in protected.columns]
    return [
        name
        for name in shared
        if _names_units(name, original.columns[name])
        and all(len(table.columns[name].values) == table.rows for table in (original, protected))
        and _in_common(original.columns[name], protected.columns[name]) >= IN_COMMON
    ]


def _names_units(name: str, column: Column) -> bool:
    """Whether a column with different values may name units, rather than measure them."""
    if isinstance(column.values, pl.Series):
        return True
    numbers = column.values
    if column.kind != "number" or column.width is not None or not len(numbers):
        return False
    if not bool((np.floor(numbers) == numbers).all()):
        return False
    return named(name) in IDENTIFIERS or float(numbers[-1] - numbers[0]) + 1 == len(numbers)


def _in_common(before: Column, after: Column) -> float:
    """Share of the smaller column's values that stand in both."""
    fewest = min(len(before.values), len(after.values))
    if isinstance(before.values, pl.Series) and isinstance(after.values, pl.Series):
        return int(before.values.is_in(after.values.implode()).sum()) / fewest
    if isinstance(before.values, pl.Series) or isinstance(after.values, pl.Series):
        return 0.0
    return len(np.intersect1d(before.values, after.values, assume_unique=True)) / fewest


def _note_key(original: Table, protected: Table, options: Options, log: Log) -> None:
    if options.key is not None or options.aligned is not None:
        return
    for name in possible_keys(original, protected)[:1]:
        log.note(
            "key-possible",
            say(
                '"{name}" has another value in every row of either table, and at least '
                "half of the values of the smaller one stand in both. If it names the "
                "same units, join the tables by it: --key, or key in [options].",
                name=name,
            ),
            [name],
        )


def _note_repeats(variables: Iterable[Described], log: Log) -> None:
    for variable in variables:
        if variable.role != "id" and named(variable.name) not in IDENTIFIERS:
            continue
        sides = {"original": variable.original, "protected": variable.protected}
        for which, side in sides.items():
            repeats = 0 if side is None else _repeats(side.levels)
            if repeats:
                log.note(
                    "identifier-repeats",
                    say(
                        '"{name}" looks like an identifier, but {repeats:,} of its cells '
                        "in the {which} table repeat the value of another one: it cannot "
                        "join the tables as their key.",
                        name=variable.name,
                        repeats=repeats,
                        which=which,
                    ),
                    [variable.name],
                )


def _repeats(levels: Levels) -> int:
    """Cells beyond the first of each value, where nearly all values differ."""
    here = levels.present
    few = here < FEWEST_ROWS or len(levels) < NEARLY_UNIQUE * here
    return 0 if few else here - len(levels)


# -- tables in the wrong order ---------------------------------------------------------------


def _note_swapped(variables: Iterable[Described], same_rows: bool, log: Log) -> None:
    """Where only the original looks protected."""
    both = [
        (v.name, v.original, v.protected)
        for v in variables
        if v.role in ANALYSED and v.protected is not None and not v.protected.empty
    ]
    coarse = [name for name, before, after in both if _banded(before, after)]
    if any(_banded(after, before) for _, before, after in both):
        return
    if coarse:
        log.note(
            "tables-swapped",
            say(
                "Bands or codes for a tail stand in the original and single numbers in "
                "the protected table ({coarse}), and nowhere the other way round. Were "
                "the two tables given in the wrong order?",
                coarse=listing(coarse, 5),
            ),
            coarse,
        )
        return
    filled = [name for name, before, after in both if after.levels.missing < before.levels.missing]
    if same_rows and filled and all(_within(x.levels, y.levels) for _, x, y in both):
        log.note(
            "tables-swapped",
            say(
                "Every value is at least as frequent in the protected table as in the "
                "original, where more cells are missing ({filled}). Unless these were "
                "filled in, the two tables were given in the wrong order.",
                filled=listing(filled, 5),
            ),
            filled,
        )


def _banded(side: Side, other: Side) -> bool:
    """Whether one side has bands, or codes for a tail, where the other has numbers alone."""
    if not other.levels.numeric or other.tails != (None, None):
        return False
    return side.intervals is not None or side.tails != (None, None)


def _within(fewer: Levels, more: Levels) -> bool:
    """Whether every value occurs at least as often in the second."""
    if max(len(fewer), len(more)) > MOST_LEVELS:
        return False
    known = dict(zip(more.labels, more.rows.tolist(), strict=True))
    return all(
        known.get(label, 0) >= rows
        for label, rows in zip(fewer.labels, fewer.rows.tolist(), strict=True)
    )


# -- names and dates -------------------------------------------------------------------------


def alike_columns(original: Table, protected: Table) -> list[tuple[str, str]]:
    """Columns of either table alone whose names are the same but for case and signs."""
    sides = []
    for table, other in ((original, protected), (protected, original)):
        found: dict[str, list[str]] = {}
        for name in table.columns:
            if name not in other.columns and name not in other.unsupported:
                found.setdefault(_plain(name), []).append(name)
        sides.append({plain: names[0] for plain, names in found.items() if len(names) == 1})
    return [(name, sides[1][plain]) for plain, name in sides[0].items() if plain in sides[1]]


def _plain(name: str) -> str:
    letters = "".join(sign for sign in name.casefold() if sign.isalnum())
    return letters or name


def _note_dates(original: Table, variables: Iterable[Described], log: Log) -> None:
    dated = [
        v.name
        for v in variables
        if v.role in ANALYSED
        and v.given.type is None
        and v.original.type == "nominal"
        and _spelt_like_dates(original.columns[v.name])
    ]
    if dated:
        log.note(
            "dates-as-categories",
            say(
                "Nearly all values are spelt like dates and were taken for categories, "
                "without order or distance: {dated}. Give dates as dates (Parquet, "
                "Arrow, a data frame) or as numbers.",
                dated=listing(dated),
            ),
            dated,
        )


def _spelt_like_dates(column: Column) -> bool:
    values = column.values
    if not isinstance(values, pl.Series) or len(values) < FEWEST_DATES or column.order is not None:
        return False
    return int(values.str.contains(_DATE).sum()) >= NEARLY_ALL * len(values)
