"""How far tables agree, in the report."""

from __future__ import annotations

from microgauge.languages.messages import say, strung
from microgauge.results.blocks import Block, Group, Head, Table
from microgauge.results.tables import Tables
from microgauge.sections.charts import bars, ruler
from microgauge.sections.tables.words import words, worst_tables

MOST_DRAWN = 20
MOST_LISTED = 50


def report(tables: Tables) -> list[Group]:
    """The stories, a picture of the worst tables, and rows for variables and tables."""
    blocks: list[Block] = list(words(tables))
    if tables.value is not None:
        known = {say("all columns permuted"): tables.permuted, say("resample"): tables.resample}
        heading = say("Units in the right cell: the farther to the right, the less was lost")
        blocks.insert(0, ruler(say("Tables beside yardsticks"), heading, known, tables.value))
    worst = worst_tables(tables)
    if worst:
        rows = [(strung(t.variables, " × "), t.moved) for t in worst[:MOST_DRAWN]]
        heading = say("Share of units in another cell, the worst tables")
        blocks.append(
            bars(say("The worst tables"), rows, colour="$bad", shape=".1%", heading=heading)
        )
    if tables.value is not None:
        blocks += [_variables(tables), _tables(tables)]
    return [Group(name="tables", title=say("Tables"), explain="tables", blocks=tuple(blocks))]


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
