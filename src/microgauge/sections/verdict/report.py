"""The verdict in a report: two answers, the findings, and where the file stands on the map."""

from __future__ import annotations

from typing import Any

from microgauge.results import Assessment
from microgauge.results.blocks import Part
from microgauge.results.figures import UTILITIES, utility_title
from microgauge.results.requirements import SAID, Requirement
from microgauge.results.verdict import Finding, Opinion, Verdict

Data = dict[str, Any]

RISKS = {
    "disclosure": "what an intruder finds or learns",
    "classes": "how few records share their keys",
}
EXPLAINED = {"classes": "risk", "U": "rut_utility", "overlap": "overlap", "ratio": "propensity"}
"""Where the explanation of a measure is called otherwise."""


def report(result: Assessment, verdict: Verdict) -> list[Part]:
    """What stands first in a report, and alone on its first page."""
    limits = result.requirements or ()
    content = {
        "title": verdict.title,
        "useful": _answer(verdict.useful, limits),
        "safe": _answer(verdict.safe, limits),
        "findings": [_finding(found) for found in verdict.findings],
        "map": {
            "utility": verdict.utility,
            "risk": verdict.risk,
            "original_risk": None,
            "limits": [
                [one.figure, one.limit] for one in limits if one.figure in ("utility", "risk")
            ],
        },
    }
    return [Part(name="decision", content=content)]


def _answer(opinion: Opinion, limits: tuple[Requirement, ...]) -> Data:
    measure = opinion.measure or ""
    return {
        "grade": opinion.grade,
        "value": opinion.value,
        "measure": _called(measure),
        "key": EXPLAINED.get(measure, measure),
        "limit": _limit(opinion, limits),
        "at": opinion.limit,
        "sentence": opinion.sentence,
    }


def _called(measure: str) -> str:
    plain = measure.partition(":")[0]
    return utility_title(measure) if plain in UTILITIES else RISKS.get(measure, measure)


def _limit(opinion: Opinion, limits: tuple[Requirement, ...]) -> str | None:
    """The limit that the grade rests on, in words; None where none was set."""
    same = (one for one in limits if (one.value, one.limit) == (opinion.value, opinion.limit))
    return next((f"{SAID[one.operator]} {one.limit:g}" for one in same), None)


def _finding(found: Finding) -> Data:
    return {
        "grade": found.grade,
        "sentence": found.sentence,
        "remedy": found.remedy,
        "see": found.see,
    }
