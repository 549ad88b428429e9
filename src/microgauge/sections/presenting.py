"""What all sections say of a result, in the order in which a result tells them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from microgauge.languages.messages import say
from microgauge.results.blocks import Block, Group, Headline, Stories
from microgauge.sections.gdu.words import missing
from microgauge.sections.registry import sections
from microgauge.sections.section import Explanation, Section

if TYPE_CHECKING:
    from microgauge.results import Assessment, Edition


class SectionPresenter:
    """Asks the sections in the registry; pickled by its name."""

    def headlines(self, result: Assessment, edition: Edition) -> list[Headline]:
        """What stands above all else."""
        found = (section.headline(result) for section in _computed(result, edition))
        return [headline for headline in found if headline is not None]

    def brief(self, result: Assessment) -> list[Stories]:
        """What a terminal shows of each in a line or two."""
        told = (tuple(section.brief(result)) for section in _computed(result, "internal"))
        return [Stories(rows=rows) for rows in told if rows]

    def words(self, result: Assessment) -> list[Group]:
        """What a terminal shows, under its headings."""
        told = [
            group
            for section in _computed(result, "internal")
            for group in _grouped(section, section.words(result))
        ]
        return _merged(_with_missing(result, told))

    def report(self, result: Assessment, edition: Edition, threshold: int) -> list[Group]:
        """What a report shows, under its headings."""
        told = [
            group
            for section in _computed(result, edition)
            for group in _grouped(section, section.report(result, edition, threshold))
        ]
        return _merged(told)

    def for_users(self, results: Sequence[Assessment], threshold: int) -> list[Assessment]:
        """What data users may see of results that are published together."""
        from microgauge.sections.public.edition import for_users

        return for_users(results, threshold)

    def explanations(self, edition: Edition) -> dict[str, Explanation]:
        """For each figure of the sections that an edition may show: what it means."""
        return {
            name: words
            for section in sections()
            if section.public or edition == "internal"
            for name, words in section.explanations.items()
        }

    def __reduce__(self) -> str:
        return "PRESENTER"


PRESENTER = SectionPresenter()


def _computed(result: Assessment, edition: Edition) -> list[Section]:
    """The sections that have a result, and may be shown."""
    return [
        section
        for section in sections()
        if section.name in result.sections and (section.public or edition == "internal")
    ]


def _with_missing(result: Assessment, told: list[Group]) -> list[Group]:
    """Cells that are missing now are told of, whichever sections were computed."""
    more = missing(result)
    return told if more is None or more in told else [more, *told]


def _grouped(section: Section, blocks: Sequence[Block]) -> list[Group]:
    """Groups stand by themselves; other blocks under the section's own heading."""
    found: list[Group] = []
    for is_group, some in groupby(blocks, lambda block: isinstance(block, Group)):
        held = tuple(some)
        if is_group:
            found += [_named(block, section) for block in held if isinstance(block, Group)]
        else:
            key = section.name if section.name in section.explanations else None
            group = Group(name=section.name, title=section.title, explain=key, blocks=held)
            found.append(_answering(group, section))
    return found


def _named(group: Group, section: Section) -> Group:
    """With something that links can say, though the section gave it none."""
    said = "-".join(
        re.findall(r"\w+", say("{name} {title}", name=section.name, title=group.title).lower())
    )
    return _answering(group if group.name else replace(group, name=said), section)


def _answering(group: Group, section: Section) -> Group:
    return group if group.answers else replace(group, answers=section.answers)


def _merged(groups: Sequence[Group]) -> list[Group]:
    """Neighbours under the same heading are one."""
    found: list[Group] = []
    for group in groups:
        last = found[-1] if found else None
        if last and group.title and (last.title, last.answers) == (group.title, group.answers):
            found[-1] = last.joined(group)
        else:
            found.append(group)
    return found
