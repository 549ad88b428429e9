"""Limits on use that tell nothing: a file without any relation would keep them, too."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from microgauge.languages.messages import count, say, strung
from microgauge.results import Assessment
from microgauge.results.figures import Measures
from microgauge.results.requirements import Requirement
from microgauge.results.verdict import LIMIT_LOW, Finding
from microgauge.results.wording import figure
from microgauge.schema.limits import Limit
from microgauge.sections.verdict.limits import limits_on
from microgauge.sections.verdict.standing import HALF, is_one_record, removed, tables_left
from microgauge.sections.verdict.useful import place_of


def low_limits(result: Assessment, measures: Measures) -> list[Finding]:
    """That the kept limits on use make no difference between the file and shuffled variables.

    **Reading**: the grade is what limits make of it, and limits that say so little are no reason to
    recommend a file that is nearer to shuffled variables than to a fresh sample.
    """
    limits = limits_on(result, "use")
    place = place_of(result, measures)
    if not limits or not all(one.met for one in limits) or place is None or place.narrow:
        return []
    if place.keeps(HALF) or is_one_record(result):
        return []
    floors = [_shuffled(result, measures, one.figure) for one in limits]
    if not all(x is not None and _keeps(x, one) for one, x in zip(limits, floors, strict=True)):
        return []
    return [
        Finding(
            code=LIMIT_LOW,
            grade="warn",
            about=(),
            sentence=_said(limits, [x for x in floors if x is not None]),
            remedy=say("Set a limit above that, or protect the file more gently."),
            see="docs/verdict.md",
        )
    ]


def _keeps(value: float, limit: Requirement) -> bool:
    same = Limit(figure=limit.figure, operator=limit.operator, limit=limit.limit)
    return same.met_by(value)


def _shuffled(result: Assessment, measures: Measures, name: str) -> float | None:
    """What a figure would be of the original's variables shuffled; None where it is not known.

    What the file does not have, that one has not, either.
    """
    measure = measures.utility if name == "utility" else name
    if measure == "tables" and result.tables is not None and result.tables.worst:
        left = fsum(table.permuted for table in tables_left(result.tables))
        return left / len(result.tables.worst)
    if measure == "gdu" and result.gdu is not None and not removed(result):
        return None if result.gdu.permuted is None else result.gdu.permuted.value
    return None


def _said(limits: Sequence[Requirement], floors: Sequence[float]) -> str:
    told = [
        say("{limit}, they would have {floor}", limit=one.said, floor=figure(floor))
        for one, floor in zip(limits, floors, strict=True)
    ]
    return count(
        len(limits),
        "The limit on use that is kept says little: shuffled variables would keep it, too "
        "({told}), and the file is nearer to these than to a fresh sample. Without a limit its use "
        "is called poor.",
        "The limits on use that are kept say little: shuffled variables would keep them, too "
        "({told}), and the file is nearer to these than to a fresh sample. Without a limit its use "
        "is called poor.",
        told=strung(told, "; "),
    )
