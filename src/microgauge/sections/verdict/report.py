"""The verdict in a report: two answers, the findings, and where the file stands on the map."""

from __future__ import annotations

from typing import Any

from microgauge.languages.messages import say
from microgauge.results import Assessment
from microgauge.results.blocks import Part
from microgauge.results.figures import UTILITIES, Measures, utility_title
from microgauge.results.requirements import SAID, Requirement
from microgauge.results.verdict import Finding, Opinion, Verdict
from microgauge.results.wording import whole_per_cent
from microgauge.sections.verdict.safe import FAIR
from microgauge.sections.verdict.safe import GOOD as SAFE
from microgauge.sections.verdict.standing import HALF
from microgauge.sections.verdict.useful import GOOD as USEFUL
from microgauge.sections.verdict.useful import grade_of, place_of

Data = dict[str, Any]
Steps = tuple[float, float]
"""Where good ends or begins, and where fair does."""

RISKS = {
    "disclosure": say("what an intruder finds or learns"),
    "classes": say("how few records share their keys"),
}
EXPLAINED = {"classes": "risk", "U": "rut_utility", "overlap": "overlap", "ratio": "propensity"}
"""Where the explanation of a measure is called otherwise."""


def report(result: Assessment, verdict: Verdict) -> list[Part]:
    """What stands first in a report, and alone on its first page."""
    limits = result.requirements or ()
    content = {
        "title": verdict.title,
        "useful": _answer(verdict.useful, limits) | {"bar": _bar_of_use(verdict.useful)},
        "safe": _answer(verdict.safe, limits) | {"bar": _bar_of_safety(verdict.safe)},
        "findings": [_finding(found) for found in verdict.findings],
        "map": {
            "utility": verdict.utility,
            "risk": verdict.risk,
            "original_risk": None,
            "zones": _zones(result, verdict),
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
        "sentence": opinion.sentence,
    }


def _bar_of_use(opinion: Opinion) -> Data:
    """What the grade rests on, from 0 to 1: the figure by its limit, or where the file stands."""
    if opinion.limit is not None:
        return _bar(opinion.value, [opinion.limit])
    if opinion.kept is None:
        return _bar(opinion.value, [])
    kept = min(max(opinion.kept, 0.0), 1.0)
    return _bar(kept, [HALF, USEFUL]) | {
        "said": _place_said(opinion.kept),
        "ends": [say("0 %: shuffled variables"), say("100 %: fresh sample")],
    }


def _place_said(kept: float) -> str:
    """As the sentence says it."""
    if kept > 1:
        return say("all of the way from shuffled variables to a fresh sample, and further")
    if kept == 1:
        return say("all of the way from shuffled variables to a fresh sample")
    if kept <= 0:
        return say("no further than shuffled variables")
    return say(
        "{kept} of the way from shuffled variables to a fresh sample", kept=whole_per_cent(kept)
    )


def _zones(result: Assessment, verdict: Verdict) -> Data | None:
    """Up to which risk and down to which utility a file is good, and at least fair.

    Of a respect whose grade does not come of the figure alone (limits, a stop, a removed variable)
    there is no zone; None where there is none of both.
    """
    risk = _risk_steps(verdict.safe, verdict.risk)
    use = _utility_steps(result, verdict)
    if risk is None and use is None:
        return None
    good, fair = ((risk or (1.0, 1.0))[at] for at in (0, 1))
    above, half = ((use or (0.0, 0.0))[at] for at in (0, 1))
    return {"good": [good, above], "fair": [fair, half], "said": _zones_said(risk, use)}


def _zones_said(risk: Steps | None, use: Steps | None) -> Data:
    if use is None:
        return {"good": say("safety good"), "fair": say("safety fair or better")}
    if risk is None:
        return {"good": say("use good"), "fair": say("use fair or better")}
    return {"good": say("both good"), "fair": say("both fair or better")}


def _risk_steps(opinion: Opinion, risk: float | None) -> Steps | None:
    own = opinion.steps is not None and opinion.stop is None and risk == opinion.value
    return (SAFE, FAIR) if own else None


def _utility_steps(result: Assessment, verdict: Verdict) -> Steps | None:
    """In the units of the map, where the file's place between both references gives the grade."""
    opinion = verdict.useful
    if opinion.kept is None or verdict.utility is None or opinion.measure is None:
        return None
    place = place_of(result, Measures(opinion.measure))
    if (
        place is None
        or grade_of(place) != opinion.grade
        or abs(place.value - verdict.utility) > 1e-9
    ):
        return None
    wide = place.resample - place.permuted
    return place.permuted + USEFUL * wide, place.permuted + HALF * wide


def _bar_of_safety(opinion: Opinion) -> Data:
    if opinion.limit is not None:
        return _bar(opinion.value, [opinion.limit])
    return _bar(opinion.value, [SAFE, FAIR])


def _bar(value: float | None, marks: list[float]) -> Data:
    """Nothing to be drawn where the figure is none, or is not between 0 and 1."""
    inside = value is not None and 0 <= value <= 1 and all(0 <= mark <= 1 for mark in marks)
    return {"value": value if inside else None, "marks": marks}


def _called(measure: str) -> str:
    plain = measure.partition(":")[0]
    return utility_title(measure) if plain in UTILITIES else RISKS.get(measure, measure)


def _limit(opinion: Opinion, limits: tuple[Requirement, ...]) -> str | None:
    """The limit that the grade rests on, in words; None where none was set."""
    same = (one for one in limits if (one.value, one.limit) == (opinion.value, opinion.limit))
    return next(
        (say("{said} {limit:g}", said=SAID[one.operator], limit=one.limit) for one in same), None
    )


def _finding(found: Finding) -> Data:
    return {
        "grade": found.grade,
        "sentence": found.sentence,
        "remedy": found.remedy,
        "see": found.see,
    }
