"""Which candidate to release: limits, the frontier, what chance explains, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from microgauge.commands.reasons import against, all_said, reason_of
from microgauge.errors import Undefined, listing
from microgauge.languages.messages import say, strung
from microgauge.measures.balance.balance import SWEEP, frontier
from microgauge.measures.balance.jackknife import blocks, difference_interval
from microgauge.results import (
    Candidate,
    Equal,
    Leader,
    Ranking,
    Recommendation,
    Standing,
    Step,
    SweepStep,
)
from microgauge.results.figures import Measures, figure_value, map_utility
from microgauge.results.left_in import stops
from microgauge.results.requirements import Requirement, apart
from microgauge.results.verdict import LIMIT_LOW
from microgauge.results.wording import called, in_words
from microgauge.schema import Schema
from microgauge.schema.limits import Limit
from microgauge.sections.balance.section import balanced
from microgauge.sections.requirements.holding import limits_of, measures_of, requirements_of
from microgauge.sections.verdict.forming import with_verdict

Replicates = Callable[[Candidate], Sequence[float]]
"""The utility of a candidate without each of the groups of units, which are the same for all;
`Undefined` where it is not known."""

NO_LIMIT = say(
    'no limit on risk was given; set one by --max-risk 0.05, or risk = "<=0.05" in [require] of '
    "the schema"
)
MOST_LOST = 0.05
"""Utility that an equal may have less, at most. **Reading:** an interval that holds 0 and more than
this says that nothing is known (few units, or a measure that jumps), not that two are equal."""
MOST_TOLD = 3
"""Candidates that are stopped for different reasons and are told one by one."""
MOST_NAMED = 6
"""Columns that name people and are named one by one."""
HAS_OWN = ("tables",)
"""Utilities whose sections hold replicates."""


def ranking_of(
    candidates: Sequence[Candidate],
    schema: Schema,
    original_risk: float | None = None,
    replicates: Replicates | None = None,
) -> Ranking:
    """The frontier, the recommendation and how stable it is."""
    measures, limits = measures_of(schema), limits_of(schema)
    standing = [_standing(_held(candidate, schema), schema, measures) for candidate in candidates]
    points = {c.name: (c.risk, c.utility) for c in ranked(standing)}
    line = frontier({n: (r, u) for n, (r, u) in points.items() if r is not None and u is not None})
    chance = Chance(measures, replicates)
    recommended = _recommended(standing, limits, measures, chance)
    considered = _considered(standing)
    sweep = tuple(Leader(alpha=a, leader=_leader(considered, a)) for a in SWEEP)
    by_name = {c.name: c for c in standing}
    return Ranking(
        candidates=tuple(standing),
        frontier=tuple(line),
        recommended=recommended,
        sweep=sweep,
        stable=sweep[0].leader is not None and len({step.leader for step in sweep}) == 1,
        max_risk=_limit_on("risk", limits),
        min_utility=_limit_on("utility", limits),
        risk_measure=measures.risk,
        utility_measure=measures.utility,
        limits=tuple(
            {"figure": x.figure, "operator": x.operator, "limit": x.limit} for x in limits
        ),
        leader=_best_balance(considered),
        steps=tuple(_step(by_name[a], by_name[b]) for a, b in pairwise(line)),
        blocks=_blocks(considered, chance) if _limited_risk(limits) else (),
        original_risk=original_risk,
        notes=(*_notes(standing, measures, recommended), *chance.notes),
    )


def _limit_on(figure: str, limits: Sequence[Limit]) -> float | None:
    return next((limit.limit for limit in limits if limit.figure == figure), None)


def _limited_risk(limits: Sequence[Limit]) -> bool:
    return _limit_on("risk", limits) is not None


# -- where each stands ---------------------------------------------------------------------------


def _held(candidate: Candidate, schema: Schema) -> Candidate:
    """With the limits of now held against its figures: kept ones may have had others."""
    found = requirements_of(candidate.assessment, schema)
    result = candidate.assessment.changed(requirements=found)
    if result.verdict is not None:
        result = with_verdict(result, schema)
    return replace(candidate, assessment=result)


def _standing(candidate: Candidate, schema: Schema, measures: Measures) -> Candidate:
    """With the two figures of the map and their balance."""
    result = candidate.assessment
    utility, why_no_utility = _or_reason(lambda: map_utility(result, measures.utility))
    risk, why_no_risk = _or_reason(lambda: figure_value(result, "risk", measures))
    form, (alpha, beta) = schema.rut.form, schema.rut.weights
    steps = []
    for weight in SWEEP:
        value, why = balanced(utility, risk, weight, round(1.0 - weight, 1), form)
        if value is None and why is None:
            why = say("there is no risk or no utility")
        steps.append(SweepStep(alpha=weight, value=value, reason=why))
    return replace(
        candidate,
        standing=Standing(
            utility=utility,
            risk=risk,
            utility_reason=why_no_utility
            and say("utility: {why_no_utility}", why_no_utility=why_no_utility),
            risk_reason=why_no_risk and say("risk: {why_no_risk}", why_no_risk=why_no_risk),
            sweep=tuple(steps),
            balance=balanced(utility, risk, alpha, beta, form)[0],
        ),
    )


def _or_reason(find: Callable[[], float]) -> tuple[float | None, str | None]:
    try:
        return find(), None
    except Undefined as why:
        return None, str(why)


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that have a place on the map."""
    return [c for c in candidates if c.risk is not None and c.utility is not None]


def within(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those on the map that keep all limits."""
    return [c for c in ranked(candidates) if c.keeps_limits]


def stopped(candidate: Candidate) -> bool:
    """Whether it must not be released as it is."""
    return stops(candidate.assessment.left_in)


def useless(candidate: Candidate) -> bool:
    """Whether its use is called poor, or good only by limits that shuffled variables keep, too."""
    verdict = candidate.assessment.verdict
    if verdict is None:
        return False
    return verdict.useful.grade == "poor" or any(one.code == LIMIT_LOW for one in verdict.findings)


def barred(candidate: Candidate) -> bool:
    """Whether one that keeps the limits is not recommended all the same."""
    return stopped(candidate) or useless(candidate)


def _considered(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those that may be released."""
    return [c for c in within(candidates) if not stopped(c)]


def gain(candidate: Candidate) -> float:
    """The utility of one that is on the map."""
    assert candidate.utility is not None
    return candidate.utility


def danger(candidate: Candidate) -> float:
    """The risk of one that is on the map."""
    assert candidate.risk is not None
    return candidate.risk


def _leader(candidates: Sequence[Candidate], alpha: float) -> str | None:
    values = {}
    for candidate in candidates:
        assert candidate.standing is not None
        for step in candidate.standing.sweep:
            if step.alpha == alpha and step.value is not None:
                values[candidate.name] = (step.value, -danger(candidate))
    return max(values, key=values.__getitem__) if values else None


def _best_balance(candidates: Sequence[Candidate]) -> str | None:
    values = {
        c.name: (c.standing.balance, -danger(c))
        for c in candidates
        if c.standing is not None and c.standing.balance is not None
    }
    return max(values, key=values.__getitem__) if values else None


def _step(start: Candidate, end: Candidate) -> Step:
    risk, utility = danger(end) - danger(start), gain(end) - gain(start)
    known = utility > 0
    return Step(
        start=start.name,
        end=end.name,
        risk=risk,
        utility=utility,
        cost=risk / utility if known else None,
        reason=None if known else say("both stand at the same place"),
    )


# -- what chance explains ------------------------------------------------------------------------


@dataclass(eq=False)
class Chance:
    """Whether differences of utility are chance; asks for replicates once for each candidate."""

    measures: Measures
    replicates: Replicates | None = None
    untested: dict[str, str] = field(default_factory=dict)
    """Candidates whose difference could not be tested, and why."""
    unsure: dict[str, float] = field(default_factory=dict)
    """Candidates that chance does not tell from the best, and that may be worse by so much."""
    _known: dict[str, Sequence[float] | Undefined] = field(default_factory=dict)

    def equal(self, best: Candidate, other: Candidate) -> Equal | None:
        """The other as the best's equal; None where it is not, or where that was not tested."""
        apart = gain(best) - gain(other)
        try:
            ends = difference_interval(gain(best), gain(other), self._of(best), self._of(other))
        except Undefined as why:
            if apart != 0:
                self.untested[other.name] = str(why)
                return None
            ends = (0.0, 0.0)  # the very same utility needs no test
        if not ends[0] <= 0 <= ends[1]:
            return None
        if ends[1] > MOST_LOST:
            self.unsure[other.name] = ends[1]
            return None
        return Equal(name=other.name, difference=apart, interval=ends)

    def interval(self, best: Candidate, other: Candidate) -> tuple[float, float] | None:
        """The interval of the difference, where it was tested."""
        try:
            return difference_interval(gain(best), gain(other), self._of(best), self._of(other))
        except Undefined:
            return None

    def _of(self, candidate: Candidate) -> Sequence[float]:
        if candidate.name not in self._known:
            self._known[candidate.name] = self._found(candidate)
        found = self._known[candidate.name]
        if isinstance(found, Undefined):
            raise found
        return found

    def _found(self, candidate: Candidate) -> Sequence[float] | Undefined:
        if self.measures.utility in HAS_OWN:
            section = candidate.assessment.sections.get(self.measures.utility)
            own = getattr(section, "replicates", None)
            if own:
                return [float(value) for value in own]
        if self.replicates is None:
            return Undefined(say("{utility} has no replicates", utility=self.measures.utility))
        try:
            return self.replicates(candidate)
        except Undefined as why:
            return why

    @property
    def notes(self) -> list[str]:
        """Whose differences were not tested, by reason."""
        by_reason: dict[str, list[str]] = {}
        for name, why in self.untested.items():
            by_reason.setdefault(why, []).append(name)
        return [
            say(
                "Not tested whether chance explains the difference in utility, and so "
                "not called equal to the best: {names} ({why}).",
                names=listing(names),
                why=why,
            )
            for why, names in by_reason.items()
        ] + [
            say(
                "Chance may explain that {name} is less useful than the best, but it may "
                "also be worse by up to {most:.2f}: it is not called equal.",
                name=name,
                most=most,
            )
            for name, most in self.unsure.items()
        ]


def _blocks(considered: Sequence[Candidate], chance: Chance) -> tuple[tuple[str, ...], ...]:
    by_name = {c.name: c for c in considered}
    quiet = replace(chance, untested={}, unsure={})  # only the best's differences are told of
    found = blocks(
        {c.name: gain(c) for c in considered},
        lambda best, other: quiet.equal(by_name[best], by_name[other]) is not None,
    )
    return tuple(tuple(block) for block in found)


# -- the recommendation --------------------------------------------------------------------------


def _recommended(
    candidates: Sequence[Candidate], limits: Sequence[Limit], measures: Measures, chance: Chance
) -> Recommendation:
    """The best utility within the limits, of its equals the least risky; never one to stop, and
    none of no use."""
    if all(stopped(c) for c in candidates):
        return Recommendation(name=None, reason=_all_stopped(candidates))
    if not _limited_risk(limits):
        return Recommendation(name=None, reason=NO_LIMIT)
    kept = within(candidates)
    if not kept:
        return Recommendation(name=None, reason=_nobody(candidates, limits))
    best = min(kept, key=lambda c: (-gain(c), barred(c), danger(c), c.name))
    if barred(best):
        return Recommendation(name=None, reason=_best_is_barred(best, kept), best=best.name)
    others = [c for c in kept if c is not best and not barred(c)]
    others.sort(key=lambda c: (-gain(c), danger(c), c.name))  # the nearest are tested first
    equals = {c.name: e for c in others if (e := chance.equal(best, c)) is not None}
    alike = [best, *(c for c in others if c.name in equals)]
    chosen = min(alike, key=lambda c: (danger(c), -gain(c), c.name))
    known = {best.name: Equal(name=best.name, difference=0.0, interval=(0.0, 0.0)), **equals}
    following = max(
        (c for c in others if c.name not in equals), key=lambda c: (gain(c), c.name), default=None
    )
    tested = None if following is None else chance.interval(best, following)
    return Recommendation(
        name=chosen.name,
        reason=reason_of(chosen, best, alike, (kept, candidates, limits), (following, tested)),
        against=against(chosen, best, [best, *others], candidates, measures),
        equals=tuple(known[c.name] for c in alike if c is not chosen),
        best=best.name,
        interval=None if chosen is best else equals[chosen.name].interval,
    )


def _best_is_barred(best: Candidate, kept: Sequence[Candidate]) -> str:
    """Why the most useful is not recommended, and which would be without it."""
    said = _stop_said(best) if stopped(best) else _useless_said(best)
    rest = [c for c in kept if not barred(c)]
    if not rest:
        return (
            said
            if len(kept) == 1
            else say("{said}; no other within the limits can be recommended", said=said)
        )
    following = min(rest, key=lambda c: (-gain(c), danger(c), c.name))
    return say(
        "{said}; mend it or leave it out, then {name} has the highest ({gain:.3f})",
        said=said,
        name=following.name,
        gain=gain(following),
    )


def _stop_said(best: Candidate) -> str:
    return say(
        "{name} has the highest utility within the limits ({gain:.3f}) and must not "
        "be released as it is: {why}",
        name=best.name,
        gain=gain(best),
        why=_stops(best),
    )


def _useless_said(best: Candidate) -> str:
    verdict = best.assessment.verdict
    assert verdict is not None
    if verdict.useful.grade == "poor":
        return say(
            "{name} has the highest utility within the limits ({gain:.3f}), and its use is called "
            "poor; protect more gently, or say by a limit on utility what is enough",
            name=best.name,
            gain=gain(best),
        )
    return say(
        "{name} has the highest utility within the limits ({gain:.3f}), and is nearer to shuffled "
        "variables, which would keep the limits on use, too, than to a fresh sample; protect more "
        "gently, or set higher limits",
        name=best.name,
        gain=gain(best),
    )


def _all_stopped(candidates: Sequence[Candidate]) -> str:
    """That none may be released as it is, and why: once where it is the same for all."""
    if len(candidates) == 1:
        return say(
            "the only candidate must not be released as it is: {stops}", stops=_stops(candidates[0])
        )
    reasons = {_stops(c) for c in candidates}
    if len(reasons) == 1:
        return say("no candidate may be released as it is: {pop}", pop=reasons.pop())
    each = [say("{name}: {stops}", name=c.name, stops=_stops(c)) for c in candidates]
    more = say("; {n} more", n=len(each) - MOST_TOLD) if len(each) > MOST_TOLD else ""
    return say(
        "no candidate may be released as it is ({each}{more})",
        each=strung(each[:MOST_TOLD], "; "),
        more=more,
    )


def _stops(candidate: Candidate) -> str:
    """What stops a release, short."""
    found = [one for one in candidate.assessment.left_in or () if one.grade == "stop"]
    names = [
        say("{column} ({why})", column=one.column, why=one.why)
        for one in found
        if one.column is not None
    ]
    if not names:
        return say("nothing was changed")
    return say("people are named by {names}", names=in_words(names, MOST_NAMED))


def _nobody(candidates: Sequence[Candidate], limits: Sequence[Limit]) -> str:
    """That none keeps the limits, and what the nearest one misses."""
    asked = all_said(limits)
    keeping = [c for c in candidates if c.keeps_limits]
    if keeping:
        return say(
            "no candidate that has {asked} has both a risk and a utility: {keeping} "
            "cannot be ranked",
            asked=asked,
            keeping=listing(c.name for c in keeping),
        )
    nearest = min(candidates, key=_distance)
    has = in_words([_has(one) for one in nearest.requirements if not one.met])
    if len(candidates) == 1:
        return say(
            "no candidate has {asked}; the only one, {name}, has {has}",
            asked=asked,
            name=nearest.name,
            has=has,
        )
    return say(
        "no candidate has {asked}; the nearest is {name} with {has}",
        asked=asked,
        name=nearest.name,
        has=has,
    )


def _has(one: Requirement) -> str:
    """The figure of a missed limit, which is named before."""
    name = called(one.figure)
    if one.value is None:
        return say("no figure for {name} ({reason})", name=name, reason=one.reason)
    return say("{name} {value}", name=name, value=apart(one.value, one.limit))


def _distance(candidate: Candidate) -> tuple[int, float, str]:
    """How far outside the limits: how many it has no figure for, then by how much in all."""
    missed = [one for one in candidate.requirements if not one.met]
    unknown = sum(one.value is None for one in missed)
    apart = sum(
        abs(one.value - one.limit) / max(abs(one.limit), 0.01)
        for one in missed
        if one.value is not None
    )
    return unknown, apart, candidate.name


# -- notes ---------------------------------------------------------------------------------------


def _notes(
    candidates: Sequence[Candidate], measures: Measures, recommended: Recommendation
) -> list[str]:
    return [
        *_not_ranked(candidates),
        *_stop_notes(candidates),
        *_bounds(candidates, measures),
        *_unlike(candidates, measures),
        *_other_losses(candidates, measures),
        *_same_utility(candidates, recommended, measures),
    ]


def _not_ranked(candidates: Sequence[Candidate]) -> list[str]:
    """Who has no place on the map, by reason."""
    by_reason: dict[str, list[str]] = {}
    for candidate in candidates:
        standing = candidate.standing
        if standing is None or None not in (standing.utility, standing.risk):
            continue
        reasons = [why for why in (standing.risk_reason, standing.utility_reason) if why]
        by_reason.setdefault(strung(reasons, "; "), []).append(candidate.name)
    return [
        say(
            "Without a risk or utility, and not ranked: {names} ({why}).",
            names=strung(names, ", "),
            why=why,
        )
        for why, names in by_reason.items()
    ]


def _stop_notes(candidates: Sequence[Candidate]) -> list[str]:
    """Candidates that must not be released as they are, and why."""
    return [
        say("{name} is not to be released as it is: {stops}.", name=c.name, stops=_stops(c))
        for c in candidates
        if stopped(c)
    ]


def _bounds(candidates: Sequence[Candidate], measures: Measures) -> list[str]:
    """Whose risk is an upper bound: it does not compare with one that is not."""
    if measures.risk == "classes":
        return []
    bounds = [
        c.name
        for c in candidates
        if c.assessment.disclosure is not None and c.assessment.disclosure.upper_bound
    ]
    if not bounds:
        return []
    whose = say("all candidates") if len(bounds) == len(candidates) else listing(bounds)
    return [
        say(
            "The risk of {whose} is an upper bound: it also holds what the file says of "
            "people who are not in it. A holdout (people of the same population, none of "
            "whom was used) tells the two apart.",
            whose=whose,
        )
    ]


def _unlike(candidates: Sequence[Candidate], measures: Measures) -> list[str]:
    """Files whose rows correspond are measured in other ways than files whose rows do not."""
    known = [c for c in candidates if c.assessment.inputs.alignment.aligned]
    apart = [c.name for c in candidates if not c.assessment.inputs.alignment.aligned]
    told = []
    if measures.risk != "classes" and any(c.assessment.disclosure for c in candidates):
        told.append(say("only of the former is it known whose record is found"))
    if any(_found_recodings(c) for c in known):
        told.append(
            say("only in the former rounding and joined values are found that are not declared")
        )
    if not known or not apart or not told:
        return []
    return [
        say(
            "The records of {known} correspond to the original's, those of {apart} do "
            "not: {told}. The same file with its rows in another order may have another "
            "risk or utility. A key (--key), declared recodings, or aligned = false in "
            "[options] measure all alike.",
            known=listing(c.name for c in known),
            apart=listing(apart),
            told=strung(told, say(", and ")),
        )
    ]


def _found_recodings(candidate: Candidate) -> bool:
    known = [v.recoding for v in candidate.assessment.variables if v.recoding is not None]
    return any(recoding.how == "inferred" for recoding in known)


def _other_losses(candidates: Sequence[Candidate], measures: Measures) -> list[str]:
    """U is not one figure where some files are compared unit by unit and others cannot be."""
    if measures.utility != "U":
        return []
    aligned = [c.name for c in candidates if c.assessment.inputs.alignment.aligned]
    apart = [c.name for c in candidates if c.name not in aligned]
    differ = sorted(_measured_otherwise(candidates))
    if not aligned or not apart or not differ:
        return []
    return [
        say(
            "U does not compare {aligned}, whose records correspond to the original's, "
            "with {apart}, whose do not: the loss of {differ} is another measure there. "
            "Another utility (--utility) is the same for all.",
            aligned=listing(aligned),
            apart=listing(apart),
            differ=listing(differ),
        )
    ]


def _measured_otherwise(candidates: Sequence[Candidate]) -> set[str]:
    """Variables released alike whose loss is measured in different ways."""
    ways: dict[tuple[str, str], set[str]] = {}
    for candidate in candidates:
        rut = candidate.assessment.rut
        for attribute in () if rut is None else rut.attributes:
            ways.setdefault((attribute.name, attribute.kind), set()).add(attribute.loss_measure)
    return {name for (name, _), measures in ways.items() if len(measures) > 1}


SAME = 0.002
"""Values of U that are as good as the same."""
CLEARLY = 0.01
"""A difference of GDU worth a word."""


def _same_utility(
    candidates: Sequence[Candidate], recommended: Recommendation, measures: Measures
) -> list[str]:
    """U looks at single variables: of its equals, say which keeps more of their relations."""
    best = next((c for c in candidates if c.name == recommended.name), None)
    if measures.utility != "U" or best is None or _gdu(best) is None:
        return []
    near = [c for c in _considered(candidates) if abs(gain(c) - gain(best)) <= SAME]
    other = max(near, key=lambda c: _gdu(c) or 0.0)
    more, own = _gdu(other) or 0.0, _gdu(best) or 0.0
    if more < own + CLEARLY:
        return []
    return [
        say(
            "U does not see relations of variables. Of the candidates within the limits "
            "with nearly the same U, {name} has the highest GDU: {more:.3f} against "
            "{own:.3f} of {name2}; its risk is {risk:.3f}.",
            name=other.name,
            more=more,
            own=own,
            name2=best.name,
            risk=other.risk,
        )
    ]


def _gdu(candidate: Candidate) -> float | None:
    return None if candidate.assessment.gdu is None else candidate.assessment.gdu.value
