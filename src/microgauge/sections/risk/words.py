"""How risky a file is, in sentences."""

from __future__ import annotations

from microgauge.languages.messages import say, strung
from microgauge.results import Assessment, Risk, SensitiveRisk
from microgauge.results.blocks import Block, Figure, Headline, Sentence, Stories
from microgauge.results.wording import counted, figure, per_cent, short


def headline(risk: Risk) -> Headline:
    """The whole risk."""
    return Headline(figures=(Figure(label=say("class risk"), value=risk.total, explain="risk"),))


def words(result: Assessment) -> list[Block]:
    """How risky the file is, line by line."""
    risk: Risk = result.sections["risk"]
    matched = result.inputs.alignment.aligned
    first: list[Block] = [] if matched else [Sentence(text=as_if_people(result))]
    return [*first, Stories(rows=tuple(risk_stories(risk, matched)))]


def as_if_people(result: Assessment) -> str:
    """What classes of records are worth where nobody knows whose records they are.

    A synthetic file has as many records without a double as the original, and yet nobody's.
    """
    said = say(
        "These figures look at the released file by itself and treat each of its records as if it "
        "were a person. Its rows were not matched to the original's: whether a record is that of "
        "anyone, these figures cannot tell."
    )
    verdict, disclosure = result.verdict, result.disclosure
    if verdict is None or disclosure is None or disclosure.risk is None:
        return said
    if verdict.safe.measure == "classes" or verdict.risk != disclosure.risk:
        return said
    return say(
        "{said} What an intruder finds or learns of people of the original is the risk that the "
        "verdict names ({risk}).",
        said=said,
        risk=figure(disclosure.risk),
    )


def risk_stories(risk: Risk, matched: bool = True, most: int = 4) -> list[tuple[str, str]]:
    """How risky a file is, line by line: a heading and a sentence.

    Where rows were not matched, a record need not be a person's.
    """
    found = [
        (
            say("keys"),
            say(
                "{keys} (a missing one {missing})",
                keys=strung(risk.keys, ", "),
                missing=_missing(risk),
            ),
        ),
        (say("class risk"), _total_story(risk, matched)),
        (
            say("classes"),
            say(
                "smallest {k:,}; {uniques:,} of {records} unique ({uniques2}), {share} "
                "in classes of at most 3",
                k=risk.k,
                uniques=risk.uniques,
                records=counted(risk.records, "record"),
                uniques2=per_cent(risk.uniques / risk.records),
                share=per_cent(risk.classes["3"].share),
            ),
        ),
    ]
    if risk.individual.sum is not None:
        found.append(
            (
                say("population"),
                say(
                    "re-identifications by sampling weights: {sum}", sum=short(risk.individual.sum)
                ),
            )
        )
    for place, sensitive in enumerate(risk.sensitive):
        found.append(("" if place else say("sensitive"), _sensitive(sensitive)))
    found += _special(risk, most)
    if risk.linkage is not None:
        found.append(
            (
                say("linkage"),
                say(
                    "{linkage} of records nearest to their own original",
                    linkage=per_cent(risk.linkage),
                ),
            )
        )
    return found


def _special(risk: Risk, most: int) -> list[tuple[str, str]]:
    """What makes records special, where something does."""
    ranked = sorted((risk.suda.contributions or {}).items(), key=lambda item: -item[1])
    held = strung(
        (
            say("{name} {share:.0f} %", name=name, share=share)
            for name, share in ranked[:most]
            if share > 0
        ),
        ", ",
    )
    said = say("unique by few variables, with {held}", held=held)
    return [(say("special"), said)] if held else []


def _missing(risk: Risk) -> str:
    """What a missing key is taken for, why, and what the other way would give."""
    said = {"value": say("is a value of its own"), "any": say("matches any value")}[
        risk.missing_keys
    ]
    if risk.missing_keys_why == "suppression found":
        said += say(", as keys were suppressed")
    other, k = (
        (risk.internal_any, risk.k_any)
        if risk.missing_keys == "value"
        else (risk.internal_value, risk.k_value)
    )
    if other == risk.internal and k == risk.k:
        return said
    return say(
        "{said}; else internal {other}, smallest class {k}", said=said, other=figure(other), k=k
    )


def _external(risk: Risk) -> str:
    said = say(", external {external}", external=figure(risk.external))
    if risk.external_unmatched:
        said += say(
            ", {external_unmatched} without a match",
            external_unmatched=per_cent(risk.external_unmatched),
        )
    return say("{said}; {combine}", said=said, combine=risk.combine)


def _total_story(risk: Risk, matched: bool) -> str:
    if risk.total is None:
        return say("not defined: {reason}", reason=risk.reason)
    by = say(" by sensitivity") if risk.sensitivity else ""
    said = say(
        "{total} (internal {internal}{by}",
        total=figure(risk.total),
        internal=figure(risk.internal),
        by=by,
    )
    if risk.external is not None:
        said += _external(risk)
    if matched:
        return say("{said}); {expected}", said=said, expected=_expected(risk))
    return say(
        "{said}); {expected} if each record were a person", said=said, expected=_expected(risk)
    )


def _expected(risk: Risk) -> str:
    found = risk.expected_reidentifications
    if 0 < found < 0.5:
        return say("under 1 expected re-identification")
    return counted(round(found), "expected re-identification")


def _sensitive(found: SensitiveRisk) -> str:
    if found.distinct_l is None:
        return say("{name}: {reason}", name=found.name, reason=found.reason)
    return say(
        "{name}: {distinct_l}-diverse (entropy {entropy_l}, recursive {recursive_l}), t {t}",
        name=found.name,
        distinct_l=found.distinct_l,
        entropy_l=figure(found.entropy_l, 2),
        recursive_l=found.recursive_l,
        t=figure(found.t, 2),
    )
