"""Limits in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.results.blocks import Block, Sentence
from microgauge.results.requirements import Requirement, requirement_line
from microgauge.results.wording import begun


def words(found: Sequence[Requirement]) -> list[Block]:
    """A line for each limit, those that are missed first."""
    ordered = sorted(found, key=lambda one: one.met)
    return [Sentence(text=f"{begun(requirement_line(one))}.", hanging=True) for one in ordered]
