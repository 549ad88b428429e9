"""Is the file useful? A grade by limits, or by where it stands between two files of known loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microgauge.errors import Undefined
from microgauge.results import Assessment
from microgauge.results.figures import Measures, map_utility, utility_title
from microgauge.results.tables import Tables
from microgauge.results.verdict import Grade, Opinion
from microgauge.results.wording import (
    counted,
    figure,
    in_words,
    per_cent,
    whole_per_cent,
)
from microgauge.sections.verdict.limits import by_limits, limits_on
from microgauge.sections.verdict.standing import (
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
STEPS = "good from 90 %, fair 50 %"
NARROW_STEPS = "good if like a fresh sample, else poor"
NO_LIMIT = "No limit on utility was set"


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
        return by_limits(limits, measures)
    value, why = utility_of(result, measures)
    if value is None:
        return _unknown(measures, None, f"Its use was not measured: {why}.", why)
    if not result.inputs.protected.rows:
        return _opinion("poor", measures, value, ["It holds no record."])
    if measures.utility == "tables" and not tables_left(_tables(result)):
        return _opinion("poor", measures, value, [_no_table(result)])
    place = place_of(result, measures)
    if is_one_record(result) and not _too_few(result):
        why = one_record_said(result)
        return _unknown(measures, value, f"Its use cannot be told: {why}.", why)
    if place is None:
        return _not_placed(measures, value)
    return _placed(result, measures, value, place)


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
        sentence=" ".join(part for part in said if part),
    )


def _unknown(measures: Measures, value: float | None, said: str, why: str | None) -> Opinion:
    return Opinion(
        grade="unknown", measure=measures.utility, value=value, limit=None, sentence=said,
        reason=why,
    )  # fmt: skip


def _not_placed(measures: Measures, value: float) -> Opinion:
    """A measure that nothing stands beside."""
    why = "the measure has no reference points here"
    said = (
        f"{NO_LIMIT}, and no file of known loss stands beside the measure "
        f"({utility_title(measures.utility)}: {figure(value)}). Say what is enough: --require "
        '"utility>=0.8".'
    )
    return _unknown(measures, value, said, why)


def _no_table(result: Assessment) -> str:
    number = {2: "two", 3: "three"}[_tables(result).ways]
    return f"No table of {number} variables can be made any more: {_removed(removed(result))}."


def _removed(names: Sequence[str]) -> str:
    told = in_words(names, MOST_NAMED)
    return f"{told} was removed" if len(names) == 1 else f"{told} were removed"


def _placed(result: Assessment, measures: Measures, value: float, place: Place) -> Opinion:
    gone, weak = removed(result), list(weak_variables(result.tables))
    if _too_few(result):
        return _opinion("poor", measures, value, [_few_left(result)], place.kept)
    grade = _grade(place, gone, weak)
    held_back = place.keeps(GOOD) and grade != "good"
    said = [
        f"{_lead(result, measures, place, gone)}{_position(place, _fresh(result))}.",
        _caps(gone, weak) if held_back else _gone(gone),
        _rule(place),
    ]
    opinion = _opinion(grade, measures, value, said, place.kept)
    brief = " ".join(part for part in said[:-1] if part)
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
    return (
        f"It holds {_records(result)}, and its tables agree with the original's in only "
        f"{per_cent(place.value)} of what they count. {NO_LIMIT}: a smaller file with less than "
        "50 % is called poor, even if a fresh sample of its size would have no more."
    )


def _records(result: Assessment) -> str:
    rows, all_rows = result.inputs.protected.rows, result.inputs.original.rows
    return f"{counted(rows, 'record')} of {all_rows:,}"


def _fresh(result: Assessment) -> str:
    """What stands for nothing lost: a sample as large as the file."""
    rows = result.inputs.protected.rows
    if rows == result.inputs.original.rows:
        return "a fresh sample of the original"
    return f"a fresh sample of {counted(rows, 'record')} of the original"


def _grade(place: Place, gone: Sequence[str], weak: Sequence[str]) -> Grade:
    found = grade_of(place)
    return "fair" if found == "good" and (gone or weak) else found


def grade_of(place: Place) -> Grade:
    """The grade of a place by itself."""
    if place.keeps(GOOD):
        return "good"
    return "fair" if place.keeps(HALF) else "poor"


def _lead(result: Assessment, measures: Measures, place: Place, gone: Sequence[str]) -> str:
    if measures.utility == "gdu":
        left = " over what is left" if gone else ""
        return f"The global data utility{left} is {figure(place.value, 2)}, "
    tables = _tables(result)
    number = {2: "two", 3: "three"}[tables.ways]
    vary = len(tables_judged(tables)) < len(tables_left(tables))
    which = TABLES_JUDGED[bool(gone), vary].format(number=number)
    return f"{which} agree with the original's in {per_cent(place.value)} of what they count, "


TABLES_JUDGED = {
    (False, False): "Tables of {number} variables",
    (False, True): "Tables of {number} variables that vary",
    (True, False): "The tables of {number} variables that can still be made",
    (True, True): "The tables of {number} variables that vary, as far as they can still be made,",
}
"""By whether a variable was removed, and whether one has a single value."""


def _position(place: Place, fresh: str) -> str:
    """Where the score stands, in words that hold for every score."""
    kept = place.kept
    if kept is None:
        return _position_if_narrow(place, fresh)
    if kept >= 1:
        return f"which is no less than can be expected of {fresh} (100 %)"
    if kept <= 0:
        return "which is no more than with the original's variables shuffled at random (0 %)"
    return (
        f"which is {whole_per_cent(kept)} on a scale from variables shuffled at random (0 %) to "
        f"{fresh} (100 %)"
    )


def _position_if_narrow(place: Place, fresh: str) -> str:
    if abs(place.above_fresh) <= NARROW:
        beside = f"within 0.01 of that of {fresh}"
    else:
        beside = f"{'more' if place.above_fresh > 0 else 'less'} than {fresh} would have"
    return (
        f"which is {beside}; but such a sample itself is less than 0.01 above shuffled variables, "
        "so that this figure cannot tell whether relations are kept"
    )


def _caps(gone: Sequence[str], weak: Sequence[str]) -> str:
    """What keeps a file from being good that else would be."""
    kept = f"{in_words(weak, MOST_NAMED)} kept too little"
    if not weak:
        return f"It is not called good because {_removed(gone)}."
    if not gone:
        return f"It is not called good because {kept}."
    return f"It is not called good because {_removed(gone)}, and {kept}."


def _gone(gone: Sequence[str]) -> str:
    return f"{_removed(gone)}." if gone else ""


def _rule(place: Place) -> str:
    if place.narrow:
        return f"{NO_LIMIT}: as good as a fresh sample is called good, worse poor."
    return f"{NO_LIMIT}: 90 % and more is called good, 50 % and more fair."
