"""Is the file useful? A grade by limits, or by where it stands between two files of known loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microgauge.errors import Undefined
from microgauge.languages.messages import count, say, strung
from microgauge.results import Assessment
from microgauge.results.figures import Measures, map_utility, utility_title
from microgauge.results.tables import Tables
from microgauge.results.verdict import Grade, Opinion
from microgauge.results.wording import (
    SMALL,
    counted,
    figure,
    in_words,
    per_cent,
    whole_per_cent,
)
from microgauge.sections.verdict.limits import by_limits, limits_on
from microgauge.sections.verdict.standing import (
    DIGITS,
    HALF,
    NARROW,
    Place,
    gdu_place,
    is_one_record,
    one_record_said,
    removed,
    tables_judged,
    tables_left,
    tables_place,
    weak_variables,
)

GOOD = 0.9
MOST_NAMED = 4
STEPS = say("good from 90 % of that way, fair 50 %")
NARROW_STEPS = say("good if like a fresh sample, else poor")
NO_LIMIT = say("No limit on utility was set")


def utility_of(result: Assessment, measures: Measures) -> tuple[float | None, str | None]:
    """The utility of the map, or why there is none."""
    try:
        return map_utility(result, measures.utility), None
    except Undefined as why:
        return None, str(why)


def useful(result: Assessment, measures: Measures) -> Opinion:
    """A grade, and why."""
    limits = limits_on(result, "use")
    if limits:
        opinion = by_limits(limits, measures)
        told = [*_explained(result, measures), opinion.sentence]
        return replace(opinion, sentence=strung(told, " "))
    value, why = utility_of(result, measures)
    if value is None:
        return _unknown(measures, None, say("Its use was not measured: {why}.", why=why), why)
    if not result.inputs.protected.rows:
        return _opinion("poor", measures, value, [say("It holds no record.")])
    if measures.utility == "tables" and not tables_left(_tables(result)):
        return _opinion("poor", measures, value, [_no_table(result)])
    place = place_of(result, measures)
    if is_one_record(result) and not _too_few(result):
        why = one_record_said(result)
        return _unknown(measures, value, say("Its use cannot be told: {why}.", why=why), why)
    if place is None:
        return _not_placed(measures, value)
    return _placed(result, measures, value, place)


def _explained(result: Assessment, measures: Measures) -> list[str]:
    """What the utility is, where limits decide; nothing where no file of known loss tells it."""
    value, _ = utility_of(result, measures)
    place = None if value is None else place_of(result, measures)
    if value is None or place is None or is_one_record(result) or _too_few(result):
        return []
    return [part for part in _told(result, measures, value, place) if part]


def _told(
    result: Assessment, measures: Measures, value: float, place: Place, held: str = ""
) -> list[str]:
    """Where the file stands, what is gone or held against it, and its figure on the map."""
    gone = removed(result)
    return [
        _three(result, measures, place, gone),
        _position(place, _step(measures)),
        held or _gone(gone),
        _on_the_map(value, place, gone),
    ]


def _tables(result: Assessment) -> Tables:
    assert result.tables is not None
    return result.tables


def place_of(result: Assessment, measures: Measures) -> Place | None:
    """Where the utility stands between both references; None where there are none."""
    if measures.utility == "tables":
        return tables_place(tables_judged(_tables(result)))
    if measures.utility == "gdu" and result.gdu is not None:
        return gdu_place(result.gdu)
    return None


def _opinion(
    grade: Grade, measures: Measures, value: float, said: Sequence[str], kept: float | None = None
) -> Opinion:
    return Opinion(
        grade=grade,
        measure=measures.utility,
        value=value,
        limit=None,
        kept=kept,
        sentence=strung((part for part in said if part), " "),
    )


def _unknown(measures: Measures, value: float | None, said: str, why: str | None) -> Opinion:
    return Opinion(
        grade="unknown", measure=measures.utility, value=value, limit=None, sentence=said,
        reason=why,
    )  # fmt: skip


def _not_placed(measures: Measures, value: float) -> Opinion:
    """A measure that nothing stands beside."""
    why = say("the measure has no reference points here")
    said = say(
        "{no_limit}, and no file of known loss stands beside the measure "
        '({utility_title}: {value}). Say what is enough: --require "utility>=0.8".',
        no_limit=NO_LIMIT,
        utility_title=utility_title(measures.utility),
        value=figure(value),
    )
    return _unknown(measures, value, said, why)


def _no_table(result: Assessment) -> str:
    number = SMALL[_tables(result).ways]
    return say(
        "No table of {number} variables can be made any more: {removed}.",
        number=number,
        removed=_removed(removed(result)),
    )


def _removed(names: Sequence[str]) -> str:
    told = in_words(names, MOST_NAMED)
    return (
        say("{told} was removed", told=told)
        if len(names) == 1
        else say("{told} were removed", told=told)
    )


def _placed(result: Assessment, measures: Measures, value: float, place: Place) -> Opinion:
    gone, weak = removed(result), list(weak_variables(result.tables))
    if _too_few(result):
        return _opinion("poor", measures, value, [_few_left(result)], place.kept)
    grade = _grade(place, gone, weak)
    held_back = place.keeps(GOOD) and grade != "good"
    held = _caps(gone, weak) if held_back else ""
    said = [*_told(result, measures, value, place, held), _rule(place, _step(measures))]
    opinion = _opinion(grade, measures, value, said, place.kept)
    brief = strung((part for part in said[:-1] if part), " ")
    return replace(opinion, brief=brief, steps=NARROW_STEPS if place.narrow else STEPS)


def _too_few(result: Assessment) -> bool:
    """Whether so few records are left that most units count as moved to another cell.

    **Reading**: a fresh sample as small would lose as much, and nothing would tell two records of a
    thousand from a good file.
    """
    if result.tables is None or not _is_smaller(result):
        return False
    place = tables_place(tables_judged(result.tables))
    return place is not None and place.value < HALF


def _is_smaller(result: Assessment) -> bool:
    return result.inputs.protected.rows < result.inputs.original.rows


def _few_left(result: Assessment) -> str:
    place = tables_place(tables_judged(_tables(result)))
    assert place is not None
    return say(
        "It holds {records}, and its tables agree with the original's in only "
        "{value} of what they count. {no_limit}: a smaller file with less than 50 % "
        "is called poor, even if a fresh sample of its size would have no more.",
        records=_records(result),
        value=per_cent(place.value),
        no_limit=NO_LIMIT,
    )


def _records(result: Assessment) -> str:
    rows, all_rows = result.inputs.protected.rows, result.inputs.original.rows
    return say("{records} of {all_rows:,}", records=counted(rows, "record"), all_rows=all_rows)


def _fresh(result: Assessment) -> str:
    """What stands for nothing lost: a sample as large as the file."""
    rows = result.inputs.protected.rows
    if rows == result.inputs.original.rows:
        return say("a fresh sample of the original")
    return say("a fresh sample of {records} of the original", records=counted(rows, "record"))


def _grade(place: Place, gone: Sequence[str], weak: Sequence[str]) -> Grade:
    found = grade_of(place)
    return "fair" if found == "good" and (gone or weak) else found


def grade_of(place: Place) -> Grade:
    """The grade of a place by itself."""
    if place.keeps(GOOD):
        return "good"
    return "fair" if place.keeps(HALF) else "poor"


def _three(result: Assessment, measures: Measures, place: Place, gone: Sequence[str]) -> str:
    """The file's figure and those of the two files of known loss, all of the same tables."""
    fresh = _fresh(result)
    if measures.utility == "gdu":
        return (GDU_OF_REST if gone else GDU_OF_ALL).format(
            value=figure(place.value),
            fresh=fresh,
            resample=figure(place.resample),
            permuted=figure(place.permuted),
        )
    tables = _tables(result)
    vary = len(tables_judged(tables)) < len(tables_left(tables))
    return say(
        "{which} agree with the original's in {value}; {fresh} would agree in {resample}, "
        "shuffled variables in {permuted}.",
        which=TABLES_JUDGED[bool(gone), vary].format(number=SMALL[tables.ways]),
        value=per_cent(place.value),
        fresh=fresh,
        resample=per_cent(place.resample),
        permuted=per_cent(place.permuted),
    )


GDU_OF_ALL = say(
    "The global data utility is {value}; {fresh} would have {resample}, shuffled variables "
    "{permuted}."
)
GDU_OF_REST = say(
    "The global data utility of the variables that are left is {value}; with all variables, "
    "{fresh} would have {resample}, shuffled variables {permuted}."
)
"""Both files of known loss are measured with all variables."""


TABLES_JUDGED = {
    (False, False): say("Tables of {number} variables"),
    (False, True): say("Tables of {number} variables that vary"),
    (True, False): say("The tables of {number} variables that can still be made"),
    (True, True): say(
        "The tables of {number} variables that vary, as far as they can still be made,"
    ),
}
"""By whether a variable was removed, and whether one has a single value."""


def _position(place: Place, step: str) -> str:
    """Where the figure stands between the other two, in words that hold for every figure."""
    kept = place.kept
    if kept is None:
        return _position_if_narrow(place, step)
    if kept > 1:
        return say("That is all of the way from shuffled variables to a fresh sample, and further.")
    if kept == 1:
        return say("That is all of the way from shuffled variables to a fresh sample.")
    if kept <= 0:
        return say("That is no further than shuffled variables.")
    return say(
        "That is {kept} of the way from shuffled variables to a fresh sample.",
        kept=whole_per_cent(kept),
    )


def _position_if_narrow(place: Place, step: str) -> str:
    if abs(place.above_fresh) <= NARROW:
        return say(
            "That is within {step} of a fresh sample; but such a sample itself is less than {step} "
            "above shuffled variables, so that this figure cannot tell whether relations are kept.",
            step=step,
        )
    if place.above_fresh > 0:
        return say(
            "That is more than a fresh sample has; but such a sample itself is less than {step} "
            "above shuffled variables, so that this figure cannot tell whether relations are kept.",
            step=step,
        )
    return say(
        "That is less than a fresh sample has; and such a sample itself is less than {step} "
        "above shuffled variables, so that this figure cannot tell whether relations are kept.",
        step=step,
    )


def _step(measures: Measures) -> str:
    """The distance below which the two cannot be told apart, as figures of the measure are said."""
    return figure(NARROW, 2) if measures.utility == "gdu" else say("one percentage point")


def _caps(gone: Sequence[str], weak: Sequence[str]) -> str:
    """What keeps a file from being good that else would be."""
    kept = say("{weak} kept too little", weak=in_words(weak, MOST_NAMED))
    if not weak:
        return say("It is not called good because {removed}.", removed=_removed(gone))
    if not gone:
        return say("It is not called good because {kept}.", kept=kept)
    return say(
        "It is not called good because {removed}, and {kept}.", removed=_removed(gone), kept=kept
    )


def _gone(gone: Sequence[str]) -> str:
    return say("{removed}.", removed=_removed(gone)) if gone else ""


def _on_the_map(value: float, place: Place, gone: Sequence[str]) -> str:
    """The figure of the map, where removed variables make it another than the one judged."""
    if not gone or round(value - place.value, DIGITS) == 0:
        return ""
    return count(
        len(gone),
        "On the map its utility is {value}: there, the removed variable counts as nothing.",
        "On the map its utility is {value}: there, the {n:,} removed variables count as nothing.",
        value=figure(value),
    )


def _rule(place: Place, step: str) -> str:
    if not place.narrow:
        return say(
            "{no_limit}: from 90 % of that way a file is called good, from 50 % fair.",
            no_limit=NO_LIMIT,
        )
    return say(
        "{no_limit}: a file with no more than {step} less than a fresh sample is called good, "
        "any other poor.",
        no_limit=NO_LIMIT,
        step=step,
    )
