"""Files whose loss is known, in the report."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.results import Assessment, Yardstick
from microgauge.results.blocks import Block, Group, Head, Sentence, Table
from microgauge.sections.yardsticks.words import rows, yardstick_story


def report(result: Assessment, yardsticks: Sequence[Yardstick]) -> list[Block]:
    """The figures of each such file and of this one, and where it stands."""
    if not yardsticks:
        return []
    table = Table(
        caption="Yardsticks",
        heads=(
            Head(text="file"),
            Head(text="GDU", digits=3),
            Head(text="variables", digits=3),
            Head(text="pairs", digits=3),
            Head(text="U_p ratio", right=True),
        ),
        rows=tuple(rows(result, yardsticks)),
    )
    told = yardstick_story(result.gdu, yardsticks)
    figures = Group(title="Yardsticks in figures", blocks=(table,), answers="experts")
    return [*(Sentence(text=said) for said in told), figures]
