"""What changed, in the report."""

from __future__ import annotations

from microgauge.results import Loss
from microgauge.results.blocks import Group, Head, Table
from microgauge.sections.loss.words import words


def report(loss: Loss) -> list[Group]:
    """The stories, and a row for each variable."""
    table = Table(
        caption="What changed in each variable",
        heads=(
            Head(text="variable"),
            Head(text="changed", digits=3),
            Head(text="IL1s", digits=3),
            Head(text="NCP", digits=3),
            Head(text="more missing", digits=3),
        ),
        rows=tuple(
            (v.name, v.changed_share, v.il1s, v.ncp, v.missing.increase) for v in loss.variables
        ),
    )
    blocks = (*words(loss), table)
    return [Group(name="loss", title="What changed", explain="il1s", blocks=blocks)]
