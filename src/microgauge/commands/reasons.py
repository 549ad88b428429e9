"""Why a candidate is recommended, and the strongest argument against it, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.errors import Undefined
from microgauge.languages.messages import say
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
        say("of the {n} candidates, all with {asked}", n=len(every), asked=asked)
        if len(kept) == len(every)
        else say(
            "of the {n} of {n2} candidates with {asked}", n=len(kept), n2=len(every), asked=asked
        )
    )
    own = say("its risk is {risk:.3f}", risk=chosen.risk)
    if len(kept) == 1:
        return _only_one(chosen, len(every), asked, own)
    if len(alike) == 1:
        said = say(
            "the highest utility ({utility:.3f}) {of}; {own}",
            utility=chosen.utility,
            of=of,
            own=own,
        )
        return said + _next(following)
    many = say("{n} whose utility chance does not tell apart", n=len(alike))
    if chosen is best:
        return say(
            "the highest utility ({utility:.3f}) {of}, and the safest of {many}; {own}",
            utility=chosen.utility,
            of=of,
            many=many,
            own=own,
        )
    return say(
        "the safest ({risk:.3f}) of {many}, {of}; its utility is {utility:.3f}, the "
        "highest is {utility2:.3f} of {name}, whose risk is {risk2:.3f}",
        risk=chosen.risk,
        many=many,
        of=of,
        utility=chosen.utility,
        utility2=best.utility,
        name=best.name,
        risk2=best.risk,
    )


def _only_one(chosen: Candidate, number: int, asked: str, own: str) -> str:
    """That no other candidate keeps the limits."""
    if number == 1:
        return say(
            "the only candidate has {asked}; its utility is {utility:.3f}, {own}",
            asked=asked,
            utility=chosen.utility,
            own=own,
        )
    return say(
        "the only one of {n} candidates with {asked}; its utility is {utility:.3f}, {own}",
        n=number,
        asked=asked,
        utility=chosen.utility,
        own=own,
    )


def _next(following: Following) -> str:
    other, ends = following
    # An interval that holds 0 may be that of one who is no equal, because too little is known.
    if other is None or ends is None or ends[0] <= 0:
        return ""
    return say(
        "; the next, {name} ({utility:.3f}), is below it by {ends} to {ends2}, more "
        "than chance explains",
        name=other.name,
        utility=other.utility,
        ends=short(ends[0]),
        ends2=short(ends[1]),
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
    return say(
        "its risk may be above the limit of {limit:g}: the 95 % interval is "
        "{low:.3f} to {high:.3f}",
        limit=limit.limit,
        low=low,
        high=high,
    )


def _less_useful(chosen: Candidate, best: Candidate) -> str | None:
    assert chosen.utility is not None
    assert best.utility is not None
    if chosen is best or best.utility - chosen.utility < NOISE:
        return None
    both = against_each(best.utility, chosen.utility)
    return say("{name} has the higher utility as measured, {both}", name=best.name, both=both)


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
    return say(
        "{name}, within the limits too, keeps more by {title}: {against_each}",
        name=other.name,
        title=UTILITIES[name].title,
        against_each=against_each(theirs, own),
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
    return say(
        "{name} is safer, with risk {risks}; its utility is {utilities}",
        name=other.name,
        risks=risks,
        utilities=utilities,
    )


def _removed(chosen: Candidate) -> str | None:
    gone = [v.name for v in chosen.assessment.variables if v.removed and v.role != "id"]
    if not gone:
        return None
    return say("it lacks {gone}", gone=in_words(gone, MOST_NAMED))


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
    return say(
        "{name}, outside the limits, has utility {utilities}; its risk is {risk:.3f}",
        name=other.name,
        utilities=utilities,
        risk=other.risk,
    )


def _nothing(kept: Sequence[Candidate]) -> str:
    if len(kept) == 1:
        return say(
            "it is the only one within the limits that may be released, so nothing was compared "
            "with it"
        )
    return say(
        "none was found: no other within the limits that may be released is safer, or clearly "
        "ahead in another utility that was measured"
    )
