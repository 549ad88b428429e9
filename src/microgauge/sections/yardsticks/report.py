"""Files whose loss is known, in the report."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say
from microgauge.results import Assessment, Yardstick
from microgauge.results.blocks import Block, Group, Head, Sentence, Table
from microgauge.sections.charts import ruler
from microgauge.sections.gdu.report import utility_heading
from microgauge.sections.yardsticks.words import rows, shown, yardstick_story


def report(result: Assessment, yardsticks: Sequence[Yardstick]) -> list[Block]:
    """A ruler with each such file and this one on it, their figures, and where it stands."""
    if not yardsticks:
        return []
    table = Table(
        caption=say("Yardsticks"),
        heads=(
            Head(text=say("file")),
            Head(text=say("GDU"), digits=3),
            Head(text=say("variables"), digits=3),
            Head(text=say("pairs"), digits=3),
            Head(text=say("U_p ratio"), right=True),
        ),
        rows=tuple(rows(result, yardsticks)),
    )
    told = yardstick_story(result.gdu, yardsticks)
    figures = Group(title=say("Yardsticks in figures"), blocks=(table,), answers="experts")
    return [*_ruler(result, yardsticks), *(Sentence(text=said) for said in told), figures]


def _ruler(result: Assessment, yardsticks: Sequence[Yardstick]) -> list[Block]:
    """All on one line, in the order of their global data utility."""
    known = {shown(yardstick): yardstick.gdu for yardstick in yardsticks}
    if result.gdu is None or result.gdu.value is None or not any(known.values()):
        return []
    return [ruler(say("Yardsticks"), utility_heading(result.gdu), known, result.gdu.value)]
