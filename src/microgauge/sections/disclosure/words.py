"""What an intruder gets, in sentences."""

from __future__ import annotations

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
        sentence=None if found.risk is None else f"What an intruder gets: {risk_sentence(found)}.",
        figures=(Figure(label="disclosure risk", value=found.risk, explain="disclosure"),),
    )


def words(found: Disclosure) -> list[Block]:
    """What an intruder gets, line by line."""
    return [Stories(rows=tuple(stories(found)))]


def stories(found: Disclosure, most: int = 4) -> list[tuple[str, str]]:
    """A heading and a sentence for each part."""
    rows = [("risk", risk_sentence(found))]
    if found.risk is None:
        return rows
    rows.append(("known", _known(found)))
    if found.found.value is not None:
        rows += _found(found.found, found.units)
    if found.copied.value is not None:
        rows += _copied(found.copied, found.units)
    elif found.released is None and found.copied.reason is not None:
        rows.append(("copied", f"not defined: {found.copied.reason}"))
    rows += _learned(found, most)
    if found.membership is not None:
        rows.append(("membership", _membership(found.membership)))
    rows += [("" if place else "attacks", said) for place, said in enumerate(_attacks(found))]
    rows += [("" if place else "intruders", said) for place, said in enumerate(_intruders(found))]
    if found.holdout_shared is not None:
        rows.append(
            (
                "holdout",
                f"{about_per_cent(found.holdout_shared)} of its {found.holdout:,} units equal "
                "one of the original, more than by chance: if they are the same people, what "
                "taking part costs is understated",
            )
        )
    return rows


def risk_sentence(found: Disclosure) -> str:
    """The figure, what it is of, and whether it is a bound."""
    if found.risk is None:
        return f"not defined: {found.reason}"
    said = f"{figure(found.risk)}{_ends(found.risk_ci)}: {_worst(found)}"
    if found.upper_bound:
        said += "; an upper bound: it also holds what the file says of anyone"
    return said


def _worst(found: Disclosure) -> str:
    worst = found.worst
    if worst is None or not found.risk:
        return "nothing is found or learned beyond chance"
    if worst.part == "found":
        return "the mean chance that a person's record is found by the keys"
    if worst.part == "found_copied":
        over = " beyond the holdout's" if found.copied.found_copied_excess is not None else ""
        return f"the mean chance that a person is found by a copied record{over}"
    if worst.part == "excess":
        return f"what is learned of {worst.variable} because a person took part"
    return f"what is learned of {worst.variable} beyond guessing"


def _ends(ends: Ends | None) -> str:
    return "" if ends is None else f" ({figure(ends[0])} to {figure(ends[1])})"


def _known(found: Disclosure) -> str:
    said = f"an intruder knows the true values of {', '.join(found.keys)}"
    if found.keys_gone:
        said += f"; of no use, because the file does not show them: {', '.join(found.keys_gone)}"
    return said


def _found(found: Found, units: int) -> list[tuple[str, str]]:
    said = f"{figure(found.value)} by the nearest records, {figure(found.exact)} by equal ones"
    if found.population is not None:
        said += f", {figure(found.population)} in the population"
    if found.looked_for is not None:
        said += f"; the nearest of {found.looked_for:,} combinations, which stand for the others"
    rows = [("found", said)]
    if found.claims is not None:
        rows.append(("", _claims(found, units)))
    if found.above is not None and found.largest:
        rows.append(
            (
                "",
                f"{per_cent(found.above['0.5'])} of people have a chance above a half, "
                f"{per_cent(found.above['0.1'])} above a tenth; "
                f"the highest is {figure(found.largest)}",
            )
        )
    if found.groups and found.groups[0].found:
        worst = found.groups[0]
        rows.append(
            (
                "",
                f"by equal records, most in {found.group} {worst.level}: {figure(worst.found)} of "
                f"{worst.units:,}",
            )
        )
    return rows


def _claims(found: Found, units: int) -> str:
    if not found.claims or found.claims_right is None:
        return "no person's keys agree with exactly one record"
    return (
        f"{found.claims:,} of {units:,} people's keys agree with exactly one record; "
        f"{about_per_cent(found.claims_right)} of these are theirs"
    )


def _copied(copied: CopiedUnits, units: int) -> list[tuple[str, str]]:
    number = round((copied.value or 0.0) * units)
    rows = [
        (
            "copied",
            f"of {counted(copied.uniques or 0, 'person who is', 'people who are')} alone in all "
            f"variables, {number:,} in the file (numbers to within {copied.interval:g} of a "
            "standard deviation); chance to be found by that "
            f"{figure(copied.found_copied)}",
        )
    ]
    if copied.excess is not None:
        beyond = ""
        if copied.excess_ci is not None:
            beyond = ", beyond chance" if copied.excess_ci[0] > 0 else ", no more than chance"
        rows.append(
            (
                "",
                f"of people who are not in the original {per_cent(copied.control)} are; copied "
                f"beyond that {figure(copied.excess)}{_ends(copied.excess_ci)}{beyond}",
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
        rows.append(("", f"{more}, of which less is learned"))
    rows += [("", f"{t.target}: not defined: {t.reason}") for t in found.learned if t.value is None]
    if not rows:
        rows = [("", f"not defined: {found.reason}")]
    return [("learned", rows[0][1]), *rows[1:]]


def _target(target: LearnedTarget, *, compared: bool) -> str:
    said = f"{target.target}: {figure(target.value)}{_ends(target.ci)} beyond guessing"
    if target.excess is not None:
        said += f"; because people took part {figure(target.excess)}{_ends(target.excess_ci)}"
    elif compared:
        said += "; not compared: the holdout has no value of it"
    return said


def _membership(found: Membership) -> str:
    if found.auc is None:
        return f"not defined: {found.reason}"
    return (
        f"who was in is told with an AUC of {figure(found.auc)}{_ends(found.auc_ci)}; at 1 % false "
        f"alarms {figure(found.tpr_01)} are told{_ends(found.tpr_01_ci)}"
    )


def _attacks(found: Disclosure) -> list[str]:
    names = {"singling_out": "singling out"}
    said = []
    for name, attack in (found.attacks or {}).items():
        if attack.attack is None:
            said.append(f"{names.get(name, name)}: not defined: {attack.reason}")
            continue
        what = f"{names.get(name, name)}{f' of {attack.target}' if attack.target else ''}"
        start = f"{what}: {figure(attack.attack)} of guesses right, {figure(attack.naive)} naively"
        if attack.control is None or attack.risk is None:
            said.append(f"{start}; no risk: {attack.reason}")
            continue
        said.append(
            f"{start}, {figure(attack.control)} of people not in the file: risk "
            f"{figure(attack.risk)}{_ends(attack.ci)}"
        )
    return said


def _intruders(found: Disclosure) -> list[str]:
    return [_intruder(intruder) for intruder in found.intruders[:4]]


def _intruder(intruder: Intruder) -> str:
    who = {
        "all": "who knows all keys",
        "some": f"who knows only {', '.join(intruder.keys)}",
        "with error": "who knows all keys, "
        f"{about_per_cent(intruder.error or 0.0)} of them wrongly",
    }[intruder.knows]
    parts = []
    if intruder.found is not None:
        parts.append(f"finds {figure(intruder.found)}")
    if intruder.learned is not None:
        of = f" of {intruder.target}" if intruder.target else ""
        parts.append(f"learns {figure(intruder.learned)}{of}")
    return f"one {who} {' and '.join(parts) or 'gets nothing that is defined'}"
