"""How far tables agree, in the report."""

from __future__ import annotations

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
        known = {"all columns permuted": tables.permuted, "resample": tables.resample}
        heading = "Units in the right cell: the farther to the right, the less was lost"
        blocks.insert(0, ruler("Tables beside yardsticks", heading, known, tables.value))
    worst = worst_tables(tables)
    if worst:
        rows = [(" × ".join(t.variables), t.moved) for t in worst[:MOST_DRAWN]]
        heading = "Share of units in another cell, the worst tables"
        blocks.append(bars("The worst tables", rows, colour="$bad", shape=".1%", heading=heading))
    if tables.value is not None:
        blocks += [_variables(tables), _tables(tables)]
    return [Group(name="tables", title="Tables", explain="tables", blocks=tuple(blocks))]


def _variables(tables: Tables) -> Table:
    return Table(
        caption="The tables of each variable",
        heads=(
            Head(text="variable"),
            Head(text="cells", right=True),
            Head(text="alone", digits=3),
            Head(text="its tables", digits=3, explain="tables"),
            Head(text="permuted", digits=3, optional=True),
            Head(text="resample", digits=3, optional=True),
        ),
        rows=tuple(
            (v.name, v.cells, v.one_way, v.value, v.permuted, v.resample) for v in tables.variables
        ),
        notes=tuple("not in the protected file" if v.removed else None for v in tables.variables),
    )


def _tables(tables: Tables) -> Table:
    return Table(
        caption="Tables, the worst first",
        heads=(
            Head(text="table"),
            Head(text="moved", digits=3),
            Head(text="by recoding", digits=3, optional=True),
            Head(text="pMSE ratio", digits=1, explain="pmse_ratio"),
        ),
        rows=tuple(
            (" × ".join(t.variables), t.moved, t.recoding, t.pmse_ratio)
            for t in tables.worst[:MOST_LISTED]
        ),
    )
