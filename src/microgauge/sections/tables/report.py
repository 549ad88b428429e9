"""How far tables agree, in the report."""

from __future__ import annotations

from microgauge.errors import listing
from microgauge.languages.messages import count, say, strung
from microgauge.results.blocks import Block, Group, Head, Ruler, Sentence, Table
from microgauge.results.tables import Tables
from microgauge.sections.charts import bars, ruler
from microgauge.sections.tables.words import MOST_REMOVED, removed_of, words, worst_tables
from microgauge.sections.verdict.standing import tables_judged, tables_place

MOST_DRAWN = 20
MOST_LISTED = 50


def report(tables: Tables) -> list[Group]:
    """The stories, a picture of the worst tables, and rows for variables and tables."""
    blocks: list[Block] = list(words(tables))
    if tables.value is not None:
        blocks.insert(0, _ruler(tables))
    worst = worst_tables(tables)
    if worst:
        rows = [(strung(t.variables, " × "), t.moved) for t in worst[:MOST_DRAWN]]
        heading = say("Share of units in another cell, the worst tables")
        blocks.append(
            bars(say("The worst tables"), rows, colour="$bad", shape=".1%", heading=heading)
        )
    if tables.value is not None:
        blocks += [*_unlike(tables), _variables(tables), _tables(tables)]
    return [Group(name="tables", title=say("Tables"), explain="tables", blocks=tuple(blocks))]


def _ruler(tables: Tables) -> Ruler:
    """The file between both references; where a variable is gone, also without it.

    The references have all tables: beside the tables that are left, these alone are alike.
    """
    known = {say("all columns permuted"): tables.permuted, say("resample"): tables.resample}
    heading = say("Units in the right cell: the farther to the right, the less was lost")
    gone, left = removed_of(tables), tables_place(tables_judged(tables))
    if gone:
        heading = count(
            len(gone),
            "Units in the right cell, the removed variable counted as lost in this file only: "
            "the farther to the right, the less was lost",
            "Units in the right cell, the {n:,} removed variables counted as lost in this file "
            "only: the farther to the right, the less was lost",
        )
        known[say("its tables that are left")] = None if left is None else left.value
    return ruler(say("Tables beside yardsticks"), heading, known, tables.value)


def _unlike(tables: Tables) -> list[Sentence]:
    """Where a variable is gone: the columns of a row are not of the same tables."""
    gone = removed_of(tables)
    if not gone:
        return []
    said = count(
        len(gone),
        'Tables with {named}, which was removed, count as lost under "its tables", and do not '
        'under "permuted" and "resample".',
        'Tables with {named}, which were removed, count as lost under "its tables", and do not '
        'under "permuted" and "resample".',
        named=listing(gone, MOST_REMOVED),
    )
    return [Sentence(text=said, soft=True)]


def _variables(tables: Tables) -> Table:
    return Table(
        caption=say("The tables of each variable"),
        heads=(
            Head(text=say("variable")),
            Head(text=say("cells"), right=True),
            Head(text=say("alone"), digits=3),
            Head(text=say("its tables"), digits=3, explain="tables"),
            Head(text=say("permuted"), digits=3, optional=True),
            Head(text=say("resample"), digits=3, optional=True),
        ),
        rows=tuple(
            (v.name, v.cells, v.one_way, v.value, v.permuted, v.resample) for v in tables.variables
        ),
        notes=tuple(
            say("not in the protected file") if v.removed else None for v in tables.variables
        ),
    )


def _tables(tables: Tables) -> Table:
    return Table(
        caption=say("Tables, the worst first"),
        heads=(
            Head(text=say("table")),
            Head(text=say("moved"), digits=3),
            Head(text=say("by recoding"), digits=3, optional=True),
            Head(text=say("pMSE ratio"), digits=1, explain="pmse_ratio"),
        ),
        rows=tuple(
            (strung(t.variables, " × "), t.moved, t.recoding, t.pmse_ratio)
            for t in tables.worst[:MOST_LISTED]
        ),
    )
