"""What an intruder gets, in the report."""

from __future__ import annotations

from microgauge.languages.messages import say, strung
from microgauge.results.blocks import Block, Chart, Group, Head, Table
from microgauge.results.disclosure import Disclosure
from microgauge.sections.charts import bars
from microgauge.sections.disclosure.words import words

MOST_INTRUDERS = 12
"""Those who get most; all are in the result."""


def report(found: Disclosure) -> list[Group]:
    """The stories, what is learned of each target, and groups in which many are found."""
    blocks: list[Block] = [*words(found)]
    if any(target.value is not None for target in found.learned):
        blocks += [_targets(found), _picture(found)]
    if found.found.groups:
        blocks.append(_groups(found))
    if found.intruders:
        blocks.append(_intruders(found))
    return [
        Group(
            name="disclosure",
            title=say("What an intruder gets"),
            explain="disclosure",
            blocks=tuple(blocks),
        )
    ]


def _targets(found: Disclosure) -> Table:
    heads = [
        Head(text=say("Target")),
        Head(text=say("Learned"), digits=3, explain="learned"),
        Head(text=say("95 % from"), digits=3, optional=True),
        Head(text=say("to"), digits=3, optional=True),
        Head(text=say("DiSCO"), digits=3, optional=True, explain="disco"),
    ]
    if found.holdout is not None:
        heads += [
            Head(text=say("Holdout"), digits=3, optional=True),
            Head(text=say("By taking part"), digits=3),
        ]
    rows = []
    notes = []
    for target in found.learned:
        ends = target.ci or (None, None)
        row = [target.target, target.value, *ends, target.correct]
        if found.holdout is not None:
            row += [target.holdout, target.excess]
        rows.append(tuple(row))
        notes.append(
            strung([*([target.reason] if target.reason else []), *target.flags], "; ") or None
        )
    return Table(
        caption=say("What is learned of each target"),
        heads=tuple(heads),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _picture(found: Disclosure) -> Chart:
    values = [(t.target, max(t.value, 0.0)) for t in found.learned if t.value is not None]
    return bars(
        say("What is learned of each target"),
        sorted(values, key=lambda item: -item[1]),
        colour="$bad",
        shape=".3f",
        heading=say("Learned beyond guessing"),
    )


def _groups(found: Disclosure) -> Table:
    return Table(
        caption=say("People found, by {group}", group=found.found.group),
        heads=(
            Head(text=say("Group")),
            Head(text=say("People"), right=True),
            Head(text=say("Found"), digits=3, explain="found"),
        ),
        rows=tuple((g.level, g.units, g.found) for g in found.found.groups),
    )


def _intruders(found: Disclosure) -> Table:
    return Table(
        caption=say("Intruders who know less"),
        heads=(
            Head(text=say("Known")),
            Head(text=say("Found"), digits=3, explain="found"),
            Head(text=say("Learned"), digits=3, explain="learned"),
            Head(text=say("of")),
        ),
        rows=tuple(
            (
                say("{keys} (with error)", keys=strung(i.keys, ", "))
                if i.knows == "with error"
                else strung(i.keys, ", "),
                i.found,
                i.learned,
                i.target,
            )
            for i in found.intruders[:MOST_INTRUDERS]
        ),
    )
