"""From a column of the protected table to what the rules look at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from microgauge.arrays import Counts, Flags, Floats
from microgauge.measures.left_in.contents import FEW, ContentKind, Contents
from microgauge.schema import Value
from microgauge.study.cells import Cells
from microgauge.tables import NULL_WORDS, PADDED, Column

MOSTLY = 0.95
"""Share of the different texts that must be numbers for a column to be one of numbers."""


def contents_of(
    name: str, column: Column, rows: Counts, missing: Sequence[Value]
) -> Contents | None:
    """What a column holds, without missing cells; None where it tells groups only.

    `rows` are those of each raw value, and last of missing cells.
    """
    if column.kind in ("boolean", "span"):
        return None
    counts = rows[: len(column.values)]
    here = (counts > 0) & Cells.read(column, missing).here
    if here.sum() < FEW:
        return None
    if isinstance(column.values, pl.Series):
        return _of_texts(name, column.values.filter(pl.Series(here)), counts[here])
    here &= np.isfinite(column.values)
    kind: ContentKind = column.kind if column.kind in ("date", "time") else "number"
    return Contents(
        name,
        kind,
        column.values[here],
        counts[here],
        width=column.width,
        consecutive=bool(column.consecutive) and column.width is not None,
    )


def _of_texts(name: str, texts: pl.Series, rows: Counts) -> Contents:
    """Texts that spell numbers are numbers, but for codes with leading zeros and very long ones."""
    numbers = texts.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    plain = np.isfinite(numbers)
    words = texts.is_in(list(NULL_WORDS)).to_numpy()
    codes = (texts.str.contains(PADDED) | texts.str.contains(r"^\d{16,}$")).to_numpy()
    if plain.sum() < MOSTLY * (~words).sum() or codes.any():
        return Contents(name, "text", texts.filter(pl.Series(~words)), rows[~words])
    return Contents(name, "number", *_merged(numbers, rows, plain))


def _merged(numbers: Floats, rows: Counts, here: Flags) -> tuple[Floats, Counts]:
    """Different numbers, rising: 1 and 1.0 are one."""
    values, places = np.unique(numbers[here] + 0.0, return_inverse=True)
    return values, np.bincount(places, rows[here]).astype(np.int64)
