"""What an intruder gets, in sentences."""

from __future__ import annotations

from microgauge.languages.messages import say, strung
from microgauge.results.blocks import Block, Figure, Headline, Stories
from microgauge.results.disclosure import (
    CopiedUnits,
    Disclosure,
    Ends,
    Found,
    Intruder,
    LearnedTarget,
    Membership,
)
from microgauge.results.wording import about_per_cent, counted, figure, per_cent


def headline(found: Disclosure) -> Headline:
    """The figure."""
    return Headline(
        sentence=None
        if found.risk is None
        else say("What an intruder gets: {risk_sentence}.", risk_sentence=risk_sentence(found)),
        figures=(Figure(label=say("disclosure risk"), value=found.risk, explain="disclosure"),),
    )


def words(found: Disclosure) -> list[Block]:
    """What an intruder gets, line by line."""
    return [Stories(rows=tuple(stories(found)))]


def stories(found: Disclosure, most: int = 4) -> list[tuple[str, str]]:
    """A heading and a sentence for each part."""
    rows = [(say("risk"), risk_sentence(found))]
    if found.risk is None:
        return rows
    rows.append((say("known"), _known(found)))
    if found.found.value is not None:
        rows += _found(found.found, found.units)
    if found.copied.value is not None:
        rows += _copied(found.copied, found.units)
    elif found.released is None and found.copied.reason is not None:
        rows.append((say("copied"), say("not defined: {reason}", reason=found.copied.reason)))
    rows += _learned(found, most)
    if found.membership is not None:
        rows.append((say("membership"), _membership(found.membership)))
    rows += [("" if place else say("attacks"), said) for place, said in enumerate(_attacks(found))]
    rows += [
        ("" if place else say("intruders"), said) for place, said in enumerate(_intruders(found))
    ]
    if found.holdout_shared is not None:
        rows.append(
            (
                say("holdout"),
                say(
                    "{holdout_shared} of its {holdout:,} units equal one of the "
                    "original, more than by chance: if they are the same people, what "
                    "taking part costs is understated",
                    holdout_shared=about_per_cent(found.holdout_shared),
                    holdout=found.holdout,
                ),
            )
        )
    return rows


def risk_sentence(found: Disclosure) -> str:
    """The figure, what it is of, and whether it is a bound."""
    if found.risk is None:
        return say("not defined: {reason}", reason=found.reason)
    said = say(
        "{risk}{ends}: {worst}",
        risk=figure(found.risk),
        ends=_ends(found.risk_ci),
        worst=_worst(found),
    )
    if found.upper_bound:
        said += say("; an upper bound: it also holds what the file says of anyone")
    return said


def _worst(found: Disclosure) -> str:
    worst = found.worst
    if worst is None or not found.risk:
        return say("nothing is found or learned beyond chance")
    if worst.part == "found":
        return say("the mean chance that a person's record is found by the keys")
    if worst.part == "found_copied":
        over = say(" beyond the holdout's") if found.copied.found_copied_excess is not None else ""
        return say("the mean chance that a person is found by a copied record{over}", over=over)
    if worst.part == "excess":
        return say(
            "what is learned of {variable} because a person took part", variable=worst.variable
        )
    return say("what is learned of {variable} beyond guessing", variable=worst.variable)


def _ends(ends: Ends | None) -> str:
    return (
        ""
        if ends is None
        else say(" ({ends} to {ends2})", ends=figure(ends[0]), ends2=figure(ends[1]))
    )


def _known(found: Disclosure) -> str:
    said = say("an intruder knows the true values of {keys}", keys=strung(found.keys, ", "))
    if found.keys_gone:
        said += say(
            "; of no use, because the file does not show them: {keys_gone}",
            keys_gone=strung(found.keys_gone, ", "),
        )
    return said


def _found(found: Found, units: int) -> list[tuple[str, str]]:
    said = say(
        "{value} by the nearest records, {exact} by equal ones",
        value=figure(found.value),
        exact=figure(found.exact),
    )
    if found.population is not None:
        said += say(", {population} in the population", population=figure(found.population))
    if found.looked_for is not None:
        said += say(
            "; the nearest of {looked_for:,} combinations, which stand for the others",
            looked_for=found.looked_for,
        )
    rows = [(say("found"), said)]
    if found.claims is not None:
        rows.append(("", _claims(found, units)))
    if found.above is not None and found.largest:
        rows.append(
            (
                "",
                say(
                    "{above} of people have a chance above a half, {above2} above a "
                    "tenth; the highest is {largest}",
                    above=per_cent(found.above["0.5"]),
                    above2=per_cent(found.above["0.1"]),
                    largest=figure(found.largest),
                ),
            )
        )
    if found.groups and found.groups[0].found:
        worst = found.groups[0]
        rows.append(
            (
                "",
                say(
                    "by equal records, most in {group} {level}: {found} of {units:,}",
                    group=found.group,
                    level=worst.level,
                    found=figure(worst.found),
                    units=worst.units,
                ),
            )
        )
    return rows


def _claims(found: Found, units: int) -> str:
    if not found.claims or found.claims_right is None:
        return say("no person's keys agree with exactly one record")
    return say(
        "{claims:,} of {units:,} people's keys agree with exactly one record; "
        "{claims_right} of these are theirs",
        claims=found.claims,
        units=units,
        claims_right=about_per_cent(found.claims_right),
    )


def _copied(copied: CopiedUnits, units: int) -> list[tuple[str, str]]:
    number = round((copied.value or 0.0) * units)
    rows = [
        (
            say("copied"),
            say(
                "of {people_who_are} alone in all variables, {number:,} in the file "
                "(numbers to within {interval:g} of a standard deviation); chance to be "
                "found by that {found_copied}",
                people_who_are=counted(copied.uniques or 0, "person who is", "people who are"),
                number=number,
                interval=copied.interval,
                found_copied=figure(copied.found_copied),
            ),
        )
    ]
    if copied.excess is not None:
        beyond = ""
        if copied.excess_ci is not None:
            beyond = (
                say(", beyond chance") if copied.excess_ci[0] > 0 else say(", no more than chance")
            )
        rows.append(
            (
                "",
                say(
                    "of people who are not in the original {control} are; copied beyond "
                    "that {excess}{ends}{beyond}",
                    control=per_cent(copied.control),
                    excess=figure(copied.excess),
                    ends=_ends(copied.excess_ci),
                    beyond=beyond,
                ),
            )
        )
    return rows


def _learned(found: Disclosure, most: int) -> list[tuple[str, str]]:
    known = [t for t in found.learned if t.value is not None]
    ranked = sorted(known, key=lambda t: -(t.excess if t.excess is not None else t.value or 0.0))
    compared = found.holdout is not None
    rows = [("", _target(target, compared=compared)) for target in ranked[:most]]
    if len(ranked) > most:
        more = counted(len(ranked) - most, "more target", "more targets")
        rows.append(("", say("{more}, of which less is learned", more=more)))
    rows += [
        ("", say("{target}: not defined: {reason}", target=t.target, reason=t.reason))
        for t in found.learned
        if t.value is None
    ]
    if not rows:
        rows = [("", say("not defined: {reason}", reason=found.reason))]
    return [(say("learned"), rows[0][1]), *rows[1:]]


def _target(target: LearnedTarget, *, compared: bool) -> str:
    said = say(
        "{target}: {value}{ends} beyond guessing",
        target=target.target,
        value=figure(target.value),
        ends=_ends(target.ci),
    )
    if target.excess is not None:
        said += say(
            "; because people took part {excess}{ends}",
            excess=figure(target.excess),
            ends=_ends(target.excess_ci),
        )
    elif compared:
        said += say("; not compared: the holdout has no value of it")
    return said


def _membership(found: Membership) -> str:
    if found.auc is None:
        return say("not defined: {reason}", reason=found.reason)
    return say(
        "who was in is told with an AUC of {auc}{ends}; at 1 % false alarms {tpr_01} "
        "are told{ends2}",
        auc=figure(found.auc),
        ends=_ends(found.auc_ci),
        tpr_01=figure(found.tpr_01),
        ends2=_ends(found.tpr_01_ci),
    )


def _attacks(found: Disclosure) -> list[str]:
    names = {
        "singling_out": say("singling out"),
        "linkability": say("linkability"),
        "inference": say("inference"),
    }
    said = []
    for name, attack in (found.attacks or {}).items():
        if attack.attack is None:
            said.append(
                say("{get}: not defined: {reason}", get=names.get(name, name), reason=attack.reason)
            )
            continue
        what = names.get(name, name)
        if attack.target:
            what = say("{what} of {target}", what=what, target=attack.target)
        start = say(
            "{what}: {attack} of guesses right, {naive} naively",
            what=what,
            attack=figure(attack.attack),
            naive=figure(attack.naive),
        )
        if attack.control is None or attack.risk is None:
            said.append(say("{start}; no risk: {reason}", start=start, reason=attack.reason))
            continue
        said.append(
            say(
                "{start}, {control} of people not in the file: risk {risk}{ends}",
                start=start,
                control=figure(attack.control),
                risk=figure(attack.risk),
                ends=_ends(attack.ci),
            )
        )
    return said


def _intruders(found: Disclosure) -> list[str]:
    return [_intruder(intruder) for intruder in found.intruders[:4]]


def _intruder(intruder: Intruder) -> str:
    who = {
        "all": say("who knows all keys"),
        "some": say("who knows only {keys}", keys=strung(intruder.keys, ", ")),
        "with error": say(
            "who knows all keys, {error} of them wrongly",
            error=about_per_cent(intruder.error or 0.0),
        ),
    }[intruder.knows]
    parts = []
    if intruder.found is not None:
        parts.append(say("finds {found}", found=figure(intruder.found)))
    if intruder.learned is not None:
        of = say(" of {target}", target=intruder.target) if intruder.target else ""
        parts.append(say("learns {learned}{of}", learned=figure(intruder.learned), of=of))
    return say(
        "one {who} {parts}",
        who=who,
        parts=strung(parts, say(" and ")) or say("gets nothing that is defined"),
    )
