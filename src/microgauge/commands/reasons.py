"""Why a candidate is recommended, and the strongest argument against it, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.errors import Undefined
from microgauge.results import Candidate
from microgauge.results.figures import UTILITIES, Measures, map_utility
from microgauge.results.wording import against_each, in_words, short
from microgauge.schema.limits import Limit

WORTH_A_WORD = 0.01
"""A difference in another measure that is an argument."""
NOISE = 1e-9
"""A difference that arithmetic alone may leave."""
MOST_NAMED = 6
"""Removed variables that are named one by one."""

Setting = tuple[Sequence[Candidate], Sequence[Candidate], Sequence[Limit]]
"""Those within the limits, all, and the limits."""
Following = tuple[Candidate | None, tuple[float, float] | None]
"""The most useful that is no equal, and the interval of the best's difference to it."""


def all_said(limits: Sequence[Limit]) -> str:
    """The limits in words."""
    return in_words([limit.said for limit in limits])


def reason_of(
    chosen: Candidate,
    best: Candidate,
    alike: Sequence[Candidate],
    setting: Setting,
    following: Following,
) -> str:
    """What decided."""
    kept, every, limits = setting
    asked = all_said(limits)
    of = (
        f"of the {len(every)} candidates, all with {asked}"
        if len(kept) == len(every)
        else f"of the {len(kept)} of {len(every)} candidates with {asked}"
    )
    own = f"its risk is {chosen.risk:.3f}"
    if len(kept) == 1:
        if len(every) == 1:
            return f"the only candidate has {asked}; its utility is {chosen.utility:.3f}, {own}"
        return (
            f"the only one of {len(every)} candidates with {asked}; its utility is "
            f"{chosen.utility:.3f}, {own}"
        )
    if len(alike) == 1:
        said = f"the highest utility ({chosen.utility:.3f}) {of}; {own}"
        return said + _next(following)
    many = f"{len(alike)} whose utility chance does not tell apart"
    if chosen is best:
        return f"the highest utility ({chosen.utility:.3f}) {of}, and the safest of {many}; {own}"
    return (
        f"the safest ({chosen.risk:.3f}) of {many}, {of}; its utility is {chosen.utility:.3f}, "
        f"the highest is {best.utility:.3f} of {best.name}, whose risk is {best.risk:.3f}"
    )


def _next(following: Following) -> str:
    other, ends = following
    # An interval that holds 0 may be that of one who is no equal, because too little is known.
    if other is None or ends is None or ends[0] <= 0:
        return ""
    return (
        f"; the next, {other.name} ({other.utility:.3f}), is below it by {short(ends[0])} to "
        f"{short(ends[1])}, more than chance explains"
    )


def against(
    chosen: Candidate,
    best: Candidate,
    kept: Sequence[Candidate],
    every: Sequence[Candidate],
    measures: Measures,
) -> str:
    """The strongest argument: a limit that may not be kept, then what others keep better.

    `kept` are those within the limits that may be released; of `every` other nothing is argued but
    that it is outside.
    """
    return (
        _limit_in_doubt(chosen, measures)
        or _less_useful(chosen, best)
        or _worse_in(chosen, kept, measures)
        or _safer(chosen, kept)
        or _removed(chosen)
        or _just_outside(chosen, every)
        or _nothing(kept)
    )


def _limit_in_doubt(chosen: Candidate, measures: Measures) -> str | None:
    """Whether the risk's interval reaches beyond the limit."""
    found = chosen.assessment.disclosure
    limit = next((one for one in chosen.requirements if one.figure == "risk"), None)
    if measures.risk != "disclosure" or found is None or found.risk_ci is None or limit is None:
        return None
    low, high = found.risk_ci
    if high <= limit.limit:
        return None
    return (
        f"its risk may be above the limit of {limit.limit:g}: the 95 % interval is {low:.3f} to "
        f"{high:.3f}"
    )


def _less_useful(chosen: Candidate, best: Candidate) -> str | None:
    assert chosen.utility is not None
    assert best.utility is not None
    if chosen is best or best.utility - chosen.utility < NOISE:
        return None
    both = against_each(best.utility, chosen.utility)
    return f"{best.name} has the higher utility as measured, {both}"


def _worse_in(chosen: Candidate, kept: Sequence[Candidate], measures: Measures) -> str | None:
    """The other measure in which another within the limits is ahead most."""
    found: list[tuple[float, str, Candidate, float, float]] = []
    for name in UTILITIES:
        own = _value(chosen, name)
        if name == measures.utility or own is None:
            continue
        for other in kept:
            theirs = _value(other, name) if name != "U" or _alike(chosen, other) else None
            if theirs is not None and theirs - own >= WORTH_A_WORD:
                found.append((theirs - own, name, other, theirs, own))
    if not found:
        return None
    _, name, other, theirs, own = max(found, key=lambda one: (one[0], one[1], one[2].name))
    return (
        f"{other.name}, within the limits too, keeps more by {UTILITIES[name].title}: "
        f"{against_each(theirs, own)}"
    )


def _alike(one: Candidate, other: Candidate) -> bool:
    """Whether both are compared with the original unit by unit, or both are not."""
    both = {c.assessment.inputs.alignment.aligned for c in (one, other)}
    return len(both) == 1


def _value(candidate: Candidate, name: str) -> float | None:
    try:
        return map_utility(candidate.assessment, name)
    except Undefined:
        return None


def _safer(chosen: Candidate, kept: Sequence[Candidate]) -> str | None:
    """The most useful of those within the limits that are safer."""
    assert chosen.risk is not None
    assert chosen.utility is not None
    found = [c for c in kept if c.risk is not None and chosen.risk - c.risk > NOISE]
    if not found:
        return None
    other = max(found, key=lambda c: (c.utility or 0.0, c.name))
    risks = against_each(other.risk or 0.0, chosen.risk)
    utilities = against_each(other.utility or 0.0, chosen.utility)
    return f"{other.name} is safer, with risk {risks}; its utility is {utilities}"


def _removed(chosen: Candidate) -> str | None:
    gone = [v.name for v in chosen.assessment.variables if v.removed and v.role != "id"]
    if not gone:
        return None
    return f"it lacks {in_words(gone, MOST_NAMED)}"


def _just_outside(chosen: Candidate, every: Sequence[Candidate]) -> str | None:
    """The least risky that is more useful, and is out."""
    assert chosen.utility is not None
    better = [
        c
        for c in every
        if not c.keeps_limits
        and c.utility is not None
        and c.risk is not None
        and c.utility - chosen.utility > NOISE
    ]
    if not better:
        return None
    other = min(better, key=lambda c: (c.risk or 0.0, c.name))
    utilities = against_each(other.utility or 0.0, chosen.utility)
    return (
        f"{other.name}, outside the limits, has utility {utilities}; its risk is {other.risk:.3f}"
    )


def _nothing(kept: Sequence[Candidate]) -> str:
    if len(kept) == 1:
        return (
            "it is the only one within the limits that may be released, so nothing was compared "
            "with it"
        )
    return (
        "none was found: no other within the limits that may be released is safer, or clearly "
        "ahead in another utility that was measured"
    )
