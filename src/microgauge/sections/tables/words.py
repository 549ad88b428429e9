"""How far tables agree, in sentences."""

from __future__ import annotations

from microgauge.errors import listing
from microgauge.languages.messages import count, say, strung
from microgauge.results.blocks import Block, Sentence, Stories
from microgauge.results.tables import Tables, TableScore
from microgauge.results.wording import SMALL, figure, per_cent
from microgauge.sections.verdict.standing import tables_judged, tables_left, tables_place

MOST_NAMED = 3
MOST_REMOVED = 6


def words(tables: Tables) -> list[Block]:
    """How far tables agree, and the worst of them."""
    if tables.value is None:
        return [Sentence(text=say("No table is compared: {reason}.", reason=tables.reason))]
    rows = [
        (say("in all"), in_all(tables)),
        (say("like"), like(tables)),
        *removed_story(tables),
        *k_marginal_story(tables),
        (say("differ most"), worst_story(tables)),
    ]
    return [Stories(rows=tuple((head, said) for head, said in rows if said))]


def in_all(tables: Tables) -> str:
    """The value, with its interval and beside what chance would give."""
    assert tables.value is not None
    number = SMALL[tables.ways]
    several = (
        say("{tables:,} tables", tables=tables.tables)
        if tables.tables > 1
        else say("the one table")
    )
    mean = say("mean of ") if tables.tables > 1 else ""
    said = say(
        "agree in {value} of units, {mean}{several} of {number} variables",
        value=per_cent(tables.value),
        mean=mean,
        several=several,
        number=number,
    )
    if tables.value_ci is not None:
        low, high = tables.value_ci
        said += say(" (95 % interval {low} to {high})", low=per_cent(low), high=per_cent(high))
    return say(
        "{said}; in {one_way} in tables of one variable",
        said=said,
        one_way=per_cent(tables.one_way),
    )


def like(tables: Tables) -> str:
    """Which sample scores alike, and what a resample and permuted columns would have."""
    if tables.value == 1.0:
        said = say("the original itself: all tables are the same")
    elif tables.sample_share is None:
        said = say("no sample of the original: one of a single unit would score higher")
    else:
        said = say(
            "a random sample of {sample_share} of the original",
            sample_share=per_cent(tables.sample_share),
        )
    resample, permuted = per_cent(tables.resample), per_cent(tables.permuted)
    gone = removed_of(tables)
    if not gone:
        return say(
            "{said}; expected of a resample {resample}, of permuted columns {permuted}",
            said=said,
            resample=resample,
            permuted=permuted,
        )
    return count(
        len(gone),
        "{said}, with the removed variable counted as lost; expected of a resample {resample}, "
        "of permuted columns {permuted}, both with all variables",
        "{said}, with the {n:,} removed variables counted as lost; expected of a resample "
        "{resample}, of permuted columns {permuted}, both with all variables",
        said=said,
        resample=resample,
        permuted=permuted,
    )


def removed_of(tables: Tables) -> list[str]:
    """The variables whose tables count as nothing."""
    return [v.name for v in tables.variables if v.removed]


def k_marginal_story(tables: Tables) -> list[tuple[str, str]]:
    """NIST's score, where it is taken within groups and so is another figure."""
    if tables.by is None:
        return []
    if tables.k_marginal is None:
        return [(say("k-marginal"), say('none within the groups of "{by}"', by=tables.by))]
    return [
        (
            say("k-marginal"),
            say(
                '{k_marginal:.0f} of 1000, mean of the groups of "{by}"',
                k_marginal=tables.k_marginal,
                by=tables.by,
            ),
        )
    ]


def worst_tables(tables: Tables) -> list[TableScore]:
    """Tables that lost something and still have all of their variables, the worst first."""
    gone = {*removed_of(tables)}
    return [t for t in tables.worst if t.moved > 0 and not gone & set(t.variables)]


def worst_story(tables: Tables) -> str:
    """The tables that differ in most units."""
    return strung((_told(table) for table in worst_tables(tables)[:MOST_NAMED]), "; ")


def _told(table: TableScore) -> str:
    said = say(
        "{variables} {moved} of units",
        variables=strung(table.variables, " × "),
        moved=per_cent(table.moved),
    )
    notes = []
    if table.recoding > 0:
        notes.append(say("{recoding} by recoding", recoding=per_cent(table.recoding)))
    if table.pmse_ratio is not None:
        notes.append(say("pMSE ratio {pmse_ratio}", pmse_ratio=figure(table.pmse_ratio, 1)))
    return say("{said} ({notes})", said=said, notes=strung(notes, ", ")) if notes else said


def removed_story(tables: Tables) -> list[tuple[str, str]]:
    """What tables that cannot be made any more do to the figures, and what the file has without."""
    gone = removed_of(tables)
    if not gone:
        return []
    left = tables_left(tables)
    said = count(
        len(tables.worst) - len(left),
        "{named}: {n:,} of {of:,} tables can no longer be made and counts as lost",
        "{named}: {n:,} of {of:,} tables can no longer be made and count as lost",
        named=listing(gone, MOST_REMOVED),
        of=len(tables.worst),
    )
    return [(say("removed"), say("{said}; {left}", said=said, left=left_story(tables)))]


def left_story(tables: Tables) -> str:
    """The tables that can still be made, as the verdict judges them, beside the same references."""
    judged = tables_judged(tables)
    place = tables_place(judged)
    if place is None:
        return say("no table is left")
    which = (
        say("the tables that are left")
        if len(judged) == len(tables_left(tables))
        else say("the tables that are left, of variables that vary,")
    )
    return say(
        "{which} agree in {value} of units, those of a resample would in {resample}, of permuted "
        "columns in {permuted}",
        which=which,
        value=per_cent(place.value),
        resample=per_cent(place.resample),
        permuted=per_cent(place.permuted),
    )
