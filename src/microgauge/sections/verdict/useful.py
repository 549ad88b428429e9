"""Is the file useful? A grade by limits, or by where it stands between two files of known loss."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.errors import Undefined, listing
from microgauge.results import Assessment
from microgauge.results.figures import Measures, map_utility, utility_title
from microgauge.results.tables import Tables
from microgauge.results.verdict import Grade, Opinion
from microgauge.results.wording import figure, per_cent, whole_per_cent
from microgauge.sections.verdict.limits import by_limits, limits_on
from microgauge.sections.verdict.standing import (
    HALF,
    NARROW,
    Place,
    gdu_place,
    removed,
    tables_left,
    tables_place,
    variable_places,
    weak_variables,
)

GOOD = 0.9
MOST_NAMED = 4
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
    place = _place(result, measures)
    if place is None:
        return _not_placed(measures, value)
    return _placed(result, measures, value, place)


def _tables(result: Assessment) -> Tables:
    assert result.tables is not None
    return result.tables


def _place(result: Assessment, measures: Measures) -> Place | None:
    if measures.utility == "tables":
        return tables_place(tables_left(_tables(result)))
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
    return (
        f"No table of {number} variables can be made any more: "
        f"{listing(removed(result), MOST_NAMED)} {_was(removed(result))} removed."
    )


def _was(names: Sequence[str]) -> str:
    return "was" if len(names) == 1 else "were"


def _placed(result: Assessment, measures: Measures, value: float, place: Place) -> Opinion:
    gone, weak = removed(result), weak_variables(variable_places(result.tables))
    grade = _grade(place, gone, weak)
    held_back = place.keeps(GOOD) and grade != "good"
    said = [
        f"{_lead(result, measures, place, gone)}{_position(place)}.",
        _caps(gone, weak) if held_back else _gone(gone),
        _rule(place),
    ]
    return _opinion(grade, measures, value, said, place.kept)


def _grade(place: Place, gone: Sequence[str], weak: Sequence[str]) -> Grade:
    if place.keeps(GOOD):
        return "fair" if gone or weak else "good"
    return "fair" if place.keeps(HALF) else "poor"


def _lead(result: Assessment, measures: Measures, place: Place, gone: Sequence[str]) -> str:
    if measures.utility == "gdu":
        left = " over what is left" if gone else ""
        return f"The global data utility{left} is {figure(place.value, 2)}, "
    number = {2: "two", 3: "three"}[_tables(result).ways]
    which = f"The tables of {number} variables" if gone else f"Tables of {number} variables"
    still = " that can still be made" if gone else ""
    return f"{which}{still} agree with the original's in {per_cent(place.value)} of units, "


def _position(place: Place) -> str:
    """Where the score stands, in words that hold for every score."""
    kept = place.kept
    if kept is None:
        return _position_if_narrow(place)
    if kept >= 1:
        return "which is no less than can be expected of a fresh sample of the original"
    if kept <= 0:
        return "which is no more than with the original's variables shuffled against each other"
    return (
        f"which is {whole_per_cent(kept)} of the way from variables shuffled against each other "
        "to a fresh sample of the original"
    )


def _position_if_narrow(place: Place) -> str:
    if abs(place.above_fresh) <= NARROW:
        fresh = "within 0.01 of a fresh sample's"
    else:
        fresh = f"{'more' if place.above_fresh > 0 else 'less'} than a fresh sample's"
    return (
        f"which is {fresh}; but a fresh sample would be less than 0.01 above shuffled variables, "
        "so that this figure cannot tell whether relations are kept"
    )


def _caps(gone: Sequence[str], weak: Sequence[str]) -> str:
    """What keeps a file from being good that else would be."""
    told = []
    if gone:
        told.append(f"{listing(gone, MOST_NAMED)} {_was(gone)} removed")
    if weak:
        told.append(f"{listing(weak, MOST_NAMED)} kept too little")
    return f"It is not called good because {' and '.join(told)}."


def _gone(gone: Sequence[str]) -> str:
    return f"{listing(gone, MOST_NAMED)} {_was(gone)} removed." if gone else ""


def _rule(place: Place) -> str:
    if place.narrow:
        return f"{NO_LIMIT}: as good as a fresh sample is called good, worse poor."
    return f"{NO_LIMIT}: 90 % and more is called good, 50 % and more fair."
