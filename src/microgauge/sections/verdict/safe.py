"""Is the file safe? A grade by limits, or by the risk; poor where something must stop a release."""

from __future__ import annotations

from dataclasses import replace

from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.results import Assessment, Disclosure
from microgauge.results.figures import Measures, figure_value
from microgauge.results.left_in import stops
from microgauge.results.requirements import apart
from microgauge.results.risk import Risk
from microgauge.results.verdict import Grade, Opinion
from microgauge.results.wording import begun, figure, in_words
from microgauge.sections.risk.choices import NOT_MEASURED, no_keys
from microgauge.sections.verdict.limits import by_limits, limits_on
from microgauge.sections.verdict.standing import is_one_record, one_record_said
from microgauge.study.guesses import guessed_by_words, most_telling

GOOD, FAIR = 0.05, 0.2
MOST_NAMED = 5
STEPS = say("good up to 0.05, fair 0.2")
RULE = say("No limit on risk was set: up to 0.05 is called good, up to 0.2 fair.")
BOUNDS = {
    "learned": say(
        "The true risk may be lower: the figure also counts what the file says of people "
        "who are not in it."
    ),
    "found_copied": say(
        "The true risk may be lower: the figure also counts records that are alike by chance."
    ),
}
"""What a figure also counts that was not compared with people who are not in the original."""


def risk_of(result: Assessment, measures: Measures) -> tuple[float | None, str | None]:
    """The risk of the map, or why there is none."""
    try:
        return figure_value(result, "risk", measures), None
    except Undefined as why:
        return None, str(why)


def safe(result: Assessment, measures: Measures) -> Opinion:
    """A grade, and why."""
    found = _by_figures(result, measures)
    if not limits_on(result, "safety") and is_one_record(result):
        found = _of_one_record(result, measures)
    if not stops(result.left_in):
        return found
    stop = say("It must not be released as it is: {why_stopped}.", why_stopped=_why_stopped(result))
    brief = found.brief and say("{stop} {brief}", stop=stop, brief=found.brief)
    said = say("{stop} {sentence}", stop=stop, sentence=found.sentence)
    return replace(found, grade="poor", sentence=said, brief=brief, stop=stop)


def _of_one_record(result: Assessment, measures: Measures) -> Opinion:
    """No grade: what holds for one record says nothing of a risk."""
    value, _ = risk_of(result, measures)
    why = one_record_said(result)
    return Opinion(
        grade="unknown", measure=str(measures.risk), value=value, limit=None, reason=why,
        sentence=say("Its safety cannot be told: {why}.", why=why),
    )  # fmt: skip


def _why_stopped(result: Assessment) -> str:
    """What must stop a release: nothing was changed, or columns that name people."""
    found = [one for one in result.left_in or () if one.grade == "stop"]
    same = any(one.column is None for one in found)
    columns = [str(one.column) for one in found if one.column is not None]
    if not columns:
        return say("nothing was changed")
    left = say(
        "what may name people is still in it ({columns})", columns=in_words(columns, MOST_NAMED)
    )
    return say("nothing was changed, and {left}", left=left) if same else left


def _by_figures(result: Assessment, measures: Measures) -> Opinion:
    limits = limits_on(result, "safety")
    if limits:
        opinion = by_limits(limits, measures)
        return replace(opinion, sentence=_with_risk(opinion.sentence, result, measures))
    value, why = risk_of(result, measures)
    if value is None:
        return Opinion(
            grade="unknown", measure=str(measures.risk), value=None, limit=None,
            sentence=_not_measured(result, why), reason=why,
        )  # fmt: skip
    said = [figure_sentence(result, measures, value), bound(result, measures), RULE]
    return Opinion(
        grade=_grade(value),
        measure=str(measures.risk),
        value=value,
        limit=None,
        sentence=strung((part for part in said if part), " "),
        brief=strung((part for part in said[:-1] if part), " "),
        steps=STEPS,
    )


def _grade(risk: float) -> Grade:
    if risk <= GOOD:
        return "good"
    return "fair" if risk <= FAIR else "poor"


def _with_risk(said: str, result: Assessment, measures: Measures) -> str:
    """The limits after what the risk is; limits on other figures say nothing of it."""
    value, _ = risk_of(result, measures)
    if value is None:
        return said
    limited = any(one.figure == "risk" for one in result.requirements or ())
    told = [figure_sentence(result, measures, value), bound(result, measures), said]
    if not limited:
        told.append(say("The risk itself has no limit."))
    return strung((part for part in told if part), " ")


def _not_measured(result: Assessment, why: str | None) -> str:
    if not any(v.role == "quasi_identifier" for v in result.variables):
        return say("Its safety was not measured: {no_keys}", no_keys=no_keys(likely_keys(result)))
    return say("Its safety was not measured: {why}.", why=why)


def likely_keys(result: Assessment) -> tuple[str, ...]:
    """What may be keys: as the section on risk says, or where it was left out, by words alone."""
    told = [note.about for note in result.remarks if note.code == NOT_MEASURED]
    here = [v for v in result.variables if v.analysed and not v.removed]
    return (
        told[0] if told else most_telling((guessed_by_words(v.name, v.label), v.name) for v in here)
    )


def bound(result: Assessment, measures: Measures) -> str:
    """What the risk also counts, where it is an upper bound."""
    found = result.disclosure
    if measures.risk != "disclosure" or found is None or not found.upper_bound or not found.risk:
        return ""  # where nothing is found, a bound says all there is
    return "" if found.worst is None else BOUNDS.get(found.worst.part, "")


def figure_sentence(result: Assessment, measures: Measures, value: float) -> str:
    """The risk, and what it is of."""
    if measures.risk == "classes":
        return _of_classes(result.risk, value)
    return _of_intruder(result.disclosure, value)


def _of_classes(risk: Risk | None, value: float) -> str:
    assert risk is not None
    outside = "" if risk.external is None else say(", here and in the external table")
    return say(
        "By how many records share {keys}{outside}, the risk is {shown} (0 nobody "
        "stands out, 1 everybody does).",
        keys=in_words(risk.keys, MOST_NAMED),
        outside=outside,
        shown=_shown(value),
    )


def _of_intruder(found: Disclosure | None, value: float) -> str:
    assert found is not None
    intruder = say("an intruder who knows {keys}", keys=in_words(found.keys, MOST_NAMED))
    worst = found.worst
    if worst is None or not value:
        return say(
            "As far as was measured, {intruder} gets nothing beyond chance.", intruder=intruder
        )
    if worst.part == "found":
        said = say(
            "finds a person's record with a chance of {shown} on average", shown=_shown(value)
        )
        return say("{intruder} {said}.", intruder=begun(intruder), said=said)
    if worst.part == "found_copied":
        said = say(
            "finds a person by a real record with a chance of {shown} on average",
            shown=_shown(value),
        )
        beyond = say(", beyond what holds for people who are not in the original")
        controlled = found.copied.found_copied_excess is not None
        return say(
            "{intruder} {said}{value}.",
            intruder=begun(intruder),
            said=said,
            value=beyond if controlled else "",
        )
    scale = say(
        "{shown} of {variable} beyond guessing (0 nothing, 1 everything)",
        shown=_shown(value),
        variable=worst.variable,
    )
    if worst.part == "excess":
        return say(
            "{intruder} learns {scale} because people took part.",
            intruder=begun(intruder),
            scale=scale,
        )
    return say("{intruder} learns {scale}.", intruder=begun(intruder), scale=scale)


def _shown(value: float) -> str:
    """With digits that do not round it into another grade.

    >>> _shown(0.1234), _shown(0.05004), _shown(0.00001)
    ('0.123', '0.05004', 'under 0.001')
    """
    if 0 < value < 0.0005:
        return say("under 0.001")
    text = figure(value)
    if _grade(float(text)) == _grade(value):
        return text
    return apart(value, GOOD if value < 2 * GOOD else FAIR)
