"""What must be known of all candidates before the first is measured."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from microgauge.engines.opening import open_table
from microgauge.tables import Reading, Table

MOST_CELLS = 50_000_000
"""Cells of candidates that are held from being counted to being measured."""


def opened(
    candidates: Sequence[Any], reading: Reading, sections: Collection[str]
) -> tuple[list[Any], int | None]:
    """The candidates, read where they are small, and the rows of the smallest.

    The propensity model is one for all candidates, so it must suit the one with fewest rows. Large
    files are read once to be counted and once more to be measured.
    """
    if "propensity" not in sections or len(candidates) < 2:
        return list(candidates), None
    found: list[Any] = []
    rows = []
    held = 0
    for source in candidates:
        table: Table = open_table(source, which="protected", reading=reading)
        rows.append(table.rows)
        cells = table.rows * len(table.columns)
        kept = held + cells <= MOST_CELLS
        held += cells if kept else 0
        found.append(table if kept else source)
    return found, min(rows)
