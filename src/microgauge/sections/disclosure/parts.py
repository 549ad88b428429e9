"""Parts of the result that one question answers each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.arrays import Index
from microgauge.errors import Undefined
from microgauge.languages.messages import say, strung
from microgauge.measures.disclosure.attribution import (
    Twins,
    attribution,
    common_value,
    telling_keys,
)
from microgauge.measures.disclosure.found import claims, population_chances, spread
from microgauge.measures.disclosure.learned import Cells
from microgauge.results.disclosure import Found, LearnedTarget, Replicated
from microgauge.results.wording import about_per_cent
from microgauge.sections.disclosure.attack import Attack
from microgauge.sections.disclosure.evidence import Evidence
from microgauge.study.common_views import View

NO_CLAIM = say("claims_right: nobody's keys agree with exactly one record")


def found_result(attack: Attack, evidence: Evidence, unweighted: str) -> Found:
    """Who is found, and what a claim is worth; null where tables are not aligned."""
    if evidence.released is None:
        return Found(
            value=None,
            reason=say(
                "the tables are not aligned: whose record is whose is not known (see copied)"
            ),
        )
    people = int(evidence.people.people.sum())
    own, exact = attack.own_exact, attack.exact
    sum_exact = float(own.chances(exact).sum())
    nearest = float((attack.own_nearest.chances(attack.nearest) * attack.scale).sum() / people)
    said = claims(own, exact)
    all_ = spread(attack.own_nearest, attack.nearest, attack.scale)
    population, why = _population(attack, people, unweighted)
    assert evidence.people.released is not None
    here = evidence.people.released > 0
    return Found(
        value=nearest,
        exact=sum_exact / people,
        nearest=nearest,
        released=sum_exact / evidence.released if evidence.released else None,
        population=population,
        min_matches=int(exact.records[here].min()) if here.any() else None,
        claims=said.number,
        claims_right=said.right,
        claims_right_ci=said.interval,
        largest=all_.largest,
        above=all_.above,
        looked_for=len(attack.looked_for) if attack.sampled else None,
        reason=strung([*([] if said.number else [NO_CLAIM]), *([why] if why else [])], "; ")
        or None,
    )


def _population(attack: Attack, people: int, why: str) -> tuple[float | None, str | None]:
    """The same where the file is a sample of a population."""
    if attack.shown.weights is None:
        return None, why
    weights = np.asarray(attack.exact.layers[0])
    try:
        each = population_chances(attack.own_exact, attack.exact, weights)
    except Undefined as reason:
        return None, say("population: {reason}", reason=reason)
    return float(each.sum() / people), None


def replicated_uniques(evidence: Evidence, twins: Twins) -> Replicated:
    """Uniques in the keys, and those that stand in both files."""
    mine, theirs = evidence.people.people, evidence.shown.people
    alone, there = mine == 1, twins.place >= 0
    both = alone & there
    both[both] = theirs[twins.place[both]] == 1
    units = int(mine.sum())
    return Replicated(
        unique_original=int(alone.sum()) / units,
        unique_protected=int((theirs == 1).sum()) / int(theirs.sum()),
        unique_present=int((alone & there).sum()) / units,
        replicated=int(both.sum()) / units,
    )


def attributed(
    target: str, people: Cells, shown: Cells, twins: Twins, keys: tuple[Sequence[View], Index]
) -> dict[str, object]:
    """The figures of attribution of one target, by the names of the result."""
    found = attribution(people, shown, twins)
    views, levels = keys
    flags = []
    common = common_value(people, shown, twins)
    if common is not None:
        flags.append(
            say(
                "one value makes up {common} of what is disclosed of {target}: little is learned",
                common=about_per_cent(common),
                target=target,
            )
        )
    telling = telling_keys(levels, [v.size for v in views], people)
    flags += [
        say(
            "some value of {name} nearly determines {target}", name=views[place].name, target=target
        )
        for place in telling
    ]
    return {
        "disclosed": found.disclosed,
        "correct": found.correct,
        "original": found.original,
        "both": found.both,
        "present": found.present,
        "cap_base": found.base,
        "cap_original": found.cap_original,
        "cap_protected": found.cap_protected,
        "dcap": found.dcap,
        "tcap": found.tcap,
        "flags": tuple(flags),
    }


def gone(target: str, reason: str) -> LearnedTarget:
    """A target of which nothing can be said, with the reason."""
    return LearnedTarget(target=target, value=None, reason=reason)
