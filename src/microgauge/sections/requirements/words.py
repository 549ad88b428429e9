"""Limits in sentences."""

from __future__ import annotations

from microgauge.results import Assessment
from microgauge.results.blocks import Block, Sentence
from microgauge.results.gate import file_checks, sentences


def words(result: Assessment) -> list[Block]:
    """A line for each limit, those that are missed first."""
    return [Sentence(text=said, hanging=True) for said in sentences(file_checks(result))]
