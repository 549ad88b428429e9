"""What names people, in words: stop, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.errors import listing
from microgauge.languages.messages import say, strung
from microgauge.results.blocks import Block, Group, Head, Headline, Sentence, Table
from microgauge.results.left_in import LeftIn, stops

NOTHING = say("Nothing that names people was found left in.")
MOST_NAMED = 6


def headline(found: Sequence[LeftIn], *, on_terminal: bool = True) -> Headline | None:
    """Stop, above all else; nothing where nothing was found."""
    if not stops(found):
        return None
    told = [say("STOP: {one}", one=one) for one in _stories(found)]
    return Headline(sentence=strung(told, " "), asides=tuple(told) if on_terminal else ())


def _stories(found: Sequence[LeftIn]) -> list[str]:
    """What is said of the file, and of its columns."""
    told = [
        say("nothing was changed. {remedy}", remedy=one.remedy)
        for one in found
        if one.column is None
    ]
    names = [one.column for one in found if one.column is not None]
    if names:
        told.append(
            say(
                "the file still holds what names people: {names}. It must not be "
                "released as it is.",
                names=listing(names, MOST_NAMED),
            )
        )
    return told


def words(found: Sequence[LeftIn]) -> list[Block]:
    """What was found, and what to do about it."""
    if not found:
        return [Group(title="", name="left_in", blocks=(Sentence(text=NOTHING, level=0),))]
    return list(_told(found))


def report(found: Sequence[LeftIn]) -> list[Block]:
    """The same, before all other sections where something was found."""
    if not found:
        return [Sentence(text=NOTHING)]
    told = tuple(_told(found))
    return [Group(title=say("Left in"), name="left_in", explain="left_in", blocks=told, first=True)]


def _told(found: Sequence[LeftIn]) -> list[Block]:
    whole = [one for one in found if one.column is None]
    columns = [one for one in found if one.column is not None]
    blocks: list[Block] = [
        Sentence(text=say("{sentence} {remedy}", sentence=one.sentence, remedy=one.remedy))
        for one in whole
    ]
    if columns:
        blocks.append(
            Table(
                caption=say("Columns that name people"),
                heads=(
                    Head(text=say("column"), most=18),
                    Head(text=say("share"), digits=2),
                    Head(text=say("what it holds, and what to do")),
                ),
                rows=tuple(
                    (c.column, c.share, say("{why}. {remedy}", why=c.why, remedy=c.remedy))
                    for c in columns
                ),
            )
        )
        blocks.append(Sentence(text=ACCEPT, soft=True))
    return blocks


ACCEPT = say("A column that may stay is named in [left_in] ignore of the schema.")
