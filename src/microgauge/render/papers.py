"""A study made again, on a terminal, within 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.render.text import notes_text, padded, wrapped
from microgauge.results import Claim, FigureRow, FigureTable, Reproduction
from microgauge.results.names import columns_of

MOST_NAME = 30
SIDES = ("paper", "ours")
VERDICTS = {True: "holds", False: "does not hold", None: "cannot be tried"}


def reproduction_text(result: Reproduction) -> str:
    """What was made again, figures in pairs of lines, verdicts."""
    held = sum(claim.holds is True for claim in result.claims)
    parts = [
        "\n".join(
            [
                *wrapped(f"{result.study}: {result.title}", "", "  "),
                *wrapped(result.paper, "  "),
                *wrapped(f"Data: {result.data}", "  ", "    "),
                f"  Seed {result.seed}. {held} of {len(result.claims)} claims hold.",
            ]
        ),
        _differences(result.differences),
        *(_table(table) for table in result.tables),
        "\n".join([result.heading, *(line for c in result.claims for line in _claim(c))]),
        notes_text(result.notes),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _differences(differences: Sequence[str]) -> str:
    if not differences:
        return ""
    said = [line for text in differences for line in wrapped(text, "  - ", "    ")]
    return "\n".join(["What differs from the paper", *said])


def _claim(claim: Claim) -> list[str]:
    mark = {True: "+", False: "-", None: "?"}[claim.holds]
    lines = wrapped(f"{VERDICTS[claim.holds]}: {claim.claim}", f"  {mark} ", "    ")
    lines += wrapped(claim.shown, "      ")
    if claim.reason:
        lines += wrapped(f"Why: {claim.reason}", "      ")
    return lines


def _table(table: FigureTable) -> str:
    """Two lines for each row: the paper's figures above ours."""
    name = min(max((columns_of(row.name) for row in table.rows), default=0), MOST_NAME)
    cells = [_cells(row, table.digits) for row in table.rows]
    widths = [
        max(columns_of(column), *(columns_of(line[i]) for pair in cells for line in pair))
        for i, column in enumerate(table.columns)
    ]
    lines = wrapped(table.title, "", "  ")
    lines.append(f"  {'':<{name}}  {'':<5}  {_aligned(table.columns, widths)}".rstrip())
    for row, pair in zip(table.rows, cells, strict=True):
        for side, line in zip(SIDES, pair, strict=True):
            start = padded(row.name, name) if side == SIDES[0] else " " * name
            lines.append(f"  {start}  {side:<5}  {_aligned(line, widths)}".rstrip())
        if row.reason:
            lines += wrapped(row.reason, " " * (name + 4))
    if table.note:
        lines += wrapped(table.note, "  ")
    return "\n".join(lines)


def _aligned(texts: Sequence[str], widths: Sequence[int]) -> str:
    """Texts to the right of their columns."""
    return "  ".join(
        " " * (width - columns_of(text)) + text for text, width in zip(texts, widths, strict=True)
    )


def _cells(row: FigureRow, digits: int) -> tuple[list[str], list[str]]:
    return (
        [_cell(value, digits) for value in row.published],
        [_cell(value, digits) for value in row.own],
    )


def _cell(value: float | str | None, digits: int) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:,.{digits}f}"
