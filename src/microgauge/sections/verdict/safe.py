"""Is the file safe? A grade by limits, or by the risk; poor where something must stop a release."""

from __future__ import annotations

from dataclasses import replace

from microgauge.errors import Undefined
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
STEPS = "good up to 0.05, fair 0.2"
RULE = "No limit on risk was set: up to 0.05 is called good, up to 0.2 fair."
BOUNDS = {
    "learned": "The true risk may be lower: the figure also counts what the file says of people "
    "who are not in it.",
    "found_copied": "The true risk may be lower: the figure also counts records that are alike by "
    "chance.",
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
    stop = f"It must not be released as it is: {_why_stopped(result)}."
    brief = found.brief and f"{stop} {found.brief}"
    said = f"{stop} {found.sentence}"
    return replace(found, grade="poor", sentence=said, brief=brief, stop=stop)


def _of_one_record(result: Assessment, measures: Measures) -> Opinion:
    """No grade: what holds for one record says nothing of a risk."""
    value, _ = risk_of(result, measures)
    why = one_record_said(result)
    return Opinion(
        grade="unknown", measure=str(measures.risk), value=value, limit=None, reason=why,
        sentence=f"Its safety cannot be told: {why}.",
    )  # fmt: skip


def _why_stopped(result: Assessment) -> str:
    """What must stop a release: nothing was changed, or columns that name people."""
    found = [one for one in result.left_in or () if one.grade == "stop"]
    same = any(one.column is None for one in found)
    columns = [str(one.column) for one in found if one.column is not None]
    if not columns:
        return "nothing was changed"
    left = f"what may name people is still in it ({in_words(columns, MOST_NAMED)})"
    return f"nothing was changed, and {left}" if same else left


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
        sentence=" ".join(part for part in said if part),
        brief=" ".join(part for part in said[:-1] if part),
        steps=STEPS,
    )


def _grade(risk: float) -> Grade:
    if risk <= GOOD:
        return "good"
    return "fair" if risk <= FAIR else "poor"


def _with_risk(said: str, result: Assessment, measures: Measures) -> str:
    """Limits on other figures say nothing of the risk itself."""
    value, _ = risk_of(result, measures)
    limited = any(one.figure == "risk" for one in result.requirements or ())
    if value is None:
        return said
    told = [said] if limited else [said, f"The risk itself has no limit; it is {figure(value)}."]
    return " ".join([*told, bound(result, measures)]).rstrip()


def _not_measured(result: Assessment, why: str | None) -> str:
    if not any(v.role == "quasi_identifier" for v in result.variables):
        return f"Its safety was not measured: {no_keys(likely_keys(result))}"
    return f"Its safety was not measured: {why}."


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
    outside = "" if risk.external is None else ", here and in the external table"
    return (
        f"By how many records share {in_words(risk.keys, MOST_NAMED)}{outside}, the risk is "
        f"{_shown(value)} (0 nobody stands out, 1 everybody does)."
    )


def _of_intruder(found: Disclosure | None, value: float) -> str:
    assert found is not None
    intruder = f"an intruder who knows {in_words(found.keys, MOST_NAMED)}"
    worst = found.worst
    if worst is None or not value:
        return f"As far as was measured, {intruder} gets nothing beyond chance."
    if worst.part == "found":
        said = f"finds a person's record with a chance of {_shown(value)} on average"
        return f"{begun(intruder)} {said}."
    if worst.part == "found_copied":
        said = f"finds a person by a real record with a chance of {_shown(value)} on average"
        beyond = ", beyond what holds for people who are not in the original"
        controlled = found.copied.found_copied_excess is not None
        return f"{begun(intruder)} {said}{beyond if controlled else ''}."
    scale = f"{_shown(value)} of {worst.variable} beyond guessing (0 nothing, 1 everything)"
    if worst.part == "excess":
        return f"{begun(intruder)} learns {scale} because people took part."
    return f"{begun(intruder)} learns {scale}."


def _shown(value: float) -> str:
    """With digits that do not round it into another grade.

    >>> _shown(0.1234), _shown(0.05004), _shown(0.00001)
    ('0.123', '0.05004', 'under 0.001')
    """
    if 0 < value < 0.0005:
        return "under 0.001"
    text = figure(value)
    if _grade(float(text)) == _grade(value):
        return text
    return apart(value, GOOD if value < 2 * GOOD else FAIR)
