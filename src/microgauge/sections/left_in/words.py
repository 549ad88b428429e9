"""What names people, in words: stop, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.errors import listing
from microgauge.results.blocks import Block, Group, Head, Headline, Sentence, Table
from microgauge.results.left_in import LeftIn, stops

NOTHING = "Nothing that names people was found left in."
MOST_NAMED = 6


def headline(found: Sequence[LeftIn], *, on_terminal: bool = True) -> Headline | None:
    """Stop, above all else; nothing where nothing was found."""
    if not stops(found):
        return None
    told = [f"STOP: {one}" for one in _stories(found)]
    return Headline(sentence=" ".join(told), asides=tuple(told) if on_terminal else ())


def _stories(found: Sequence[LeftIn]) -> list[str]:
    """What is said of the file, and of its columns."""
    told = [f"nothing was changed. {one.remedy}" for one in found if one.column is None]
    names = [one.column for one in found if one.column is not None]
    if names:
        told.append(
            f"the file still holds what names people: {listing(names, MOST_NAMED)}. "
            "It must not be released as it is."
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
    return [Group(title="Left in", name="left_in", explain="left_in", blocks=told, first=True)]


def _told(found: Sequence[LeftIn]) -> list[Block]:
    whole = [one for one in found if one.column is None]
    columns = [one for one in found if one.column is not None]
    blocks: list[Block] = [Sentence(text=f"{one.sentence} {one.remedy}") for one in whole]
    if columns:
        blocks.append(
            Table(
                caption="Columns that name people",
                heads=(
                    Head(text="column", most=18),
                    Head(text="share", digits=2),
                    Head(text="what it holds, and what to do"),
                ),
                rows=tuple((c.column, c.share, f"{c.why}. {c.remedy}") for c in columns),
            )
        )
        blocks.append(Sentence(text=ACCEPT, soft=True))
    return blocks


ACCEPT = "A column that may stay is named in [left_in] ignore of the schema."
