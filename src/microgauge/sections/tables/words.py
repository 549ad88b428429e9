"""How far tables agree, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.errors import listing
from microgauge.results.blocks import Block, Sentence, Stories
from microgauge.results.tables import Tables, TableScore
from microgauge.results.wording import figure, per_cent

MOST_NAMED = 3
MOST_REMOVED = 6


def words(tables: Tables) -> list[Block]:
    """How far tables agree, and the worst of them."""
    if tables.value is None:
        return [Sentence(text=f"No table is compared: {tables.reason}.")]
    rows = [
        ("in all", in_all(tables)),
        ("like", like(tables)),
        *k_marginal_story(tables),
        ("differ most", worst_story(tables)),
        *removed_story(tables),
    ]
    return [Stories(rows=tuple((head, said) for head, said in rows if said))]


def in_all(tables: Tables) -> str:
    """The value, with its interval and beside what chance would give."""
    assert tables.value is not None
    number = {2: "two", 3: "three"}[tables.ways]
    several = f"{tables.tables:,} tables" if tables.tables > 1 else "the one table"
    mean = "mean of " if tables.tables > 1 else ""
    said = f"agree in {per_cent(tables.value)} of units, {mean}{several} of {number} variables"
    if tables.value_ci is not None:
        low, high = tables.value_ci
        said += f" (95 % interval {per_cent(low)} to {per_cent(high)})"
    return f"{said}; in {per_cent(tables.one_way)} in tables of one variable"


def like(tables: Tables) -> str:
    """Which sample scores alike, and what a resample and permuted columns would have."""
    if tables.value == 1.0:
        said = "the original itself: all tables are the same"
    elif tables.sample_share is None:
        said = "no sample of the original: one of a single unit would score higher"
    else:
        said = f"a random sample of {per_cent(tables.sample_share)} of the original"
    return (
        f"{said}; expected of a resample {per_cent(tables.resample)}, of permuted columns "
        f"{per_cent(tables.permuted)}"
    )


def k_marginal_story(tables: Tables) -> list[tuple[str, str]]:
    """NIST's score, where it is taken within groups and so is another figure."""
    if tables.by is None:
        return []
    if tables.k_marginal is None:
        return [("k-marginal", f'none within the groups of "{tables.by}"')]
    return [("k-marginal", f'{tables.k_marginal:.0f} of 1000, mean of the groups of "{tables.by}"')]


def worst_tables(tables: Tables) -> list[TableScore]:
    """Tables that lost something and still have all of their variables, the worst first."""
    gone = {v.name for v in tables.variables if v.removed}
    return [t for t in tables.worst if t.moved > 0 and not gone & set(t.variables)]


def worst_story(tables: Tables) -> str:
    """The tables that differ in most units."""
    return "; ".join(_told(table) for table in worst_tables(tables)[:MOST_NAMED])


def _told(table: TableScore) -> str:
    said = f"{' × '.join(table.variables)} {per_cent(table.moved)} of units"
    notes = []
    if table.recoding > 0:
        notes.append(f"{per_cent(table.recoding)} by recoding")
    if table.pmse_ratio is not None:
        notes.append(f"pMSE ratio {figure(table.pmse_ratio, 1)}")
    return f"{said} ({', '.join(notes)})" if notes else said


def removed_story(tables: Tables) -> list[tuple[str, str]]:
    """Variables whose tables cannot be made any more."""
    gone = [v.name for v in tables.variables if v.removed]
    if not gone:
        return []
    number = sum(1 for table in tables.worst if set(gone) & set(table.variables))
    named = listing(gone, MOST_REMOVED)
    return [("removed", f"{named}: tables with {_them(gone)} score 0 ({number:,})")]


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "any of them"
