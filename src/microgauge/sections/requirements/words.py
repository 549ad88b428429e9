"""Limits in sentences."""

from __future__ import annotations

from microgauge.languages.messages import say
from microgauge.results import Assessment
from microgauge.results.blocks import Block, Sentence
from microgauge.results.gate import file_checks, sentences

MOST_BRIEFLY = 5


def brief(result: Assessment) -> list[tuple[str, str]]:
    """A line for each limit, those that are missed first; of many, how many more there are."""
    said = sentences(file_checks(result))
    told = said[:MOST_BRIEFLY]
    if len(said) > MOST_BRIEFLY:
        told.append(say("{n} more", n=len(said) - MOST_BRIEFLY))
    return [(say("limits") if place == 0 else "", text) for place, text in enumerate(told)]


def words(result: Assessment) -> list[Block]:
    """A line for each limit, those that are missed first."""
    return [Sentence(text=said, hanging=True) for said in sentences(file_checks(result))]
