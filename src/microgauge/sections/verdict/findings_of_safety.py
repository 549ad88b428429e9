"""What was found about the safety of a file: a sentence, what to do, where to read on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microgauge.languages.messages import say
from microgauge.results import Assessment, Disclosure
from microgauge.results.figures import Measures
from microgauge.results.inputs import VariableResult
from microgauge.results.risk import Risk
from microgauge.results.verdict import Finding, Opinion
from microgauge.results.wording import about_per_cent, counted, in_words
from microgauge.sections.verdict.safe import GOOD, risk_of

MOST_NAMED = 3
MOST_KEYS = 5
FEW = 0.01
"""Combinations that stand out for each record, below which that is no warning."""
MANY = 50.0
"""Per cent of what makes records special from which a variable is told of."""


def left_in(result: Assessment) -> list[Finding]:
    """What names people and is still there."""
    return [
        Finding(
            code="unchanged" if one.column is None else "left-in",
            grade=one.grade,
            about=() if one.column is None else (one.column,),
            sentence=one.sentence,
            remedy=one.remedy,
            see="docs/left_in.md",
        )
        for one in result.left_in or ()
    ]


NEARLY_ALL = 0.95
"""A share of a file's records from which all that were not changed are told of."""
MANY_VARIABLES = 5
"""Variables from which records that correspond and are unchanged are told of: fewer may well agree
in a file that was protected by leaving the others out."""


def unchanged_records(result: Assessment, safe: Opinion) -> list[Finding]:
    """Real records that nothing was done to, in a file that is not the original itself.

    No row is looked at for it: where rows correspond, the section on loss counted the changed ones;
    elsewhere the search for copies counted people who are alone in all variables and stand there.
    """
    rows = result.inputs.protected.rows
    if not rows or any(one.column is None for one in result.left_in or ()):
        return []
    found = (
        _unchanged_units(result, rows)
        if result.inputs.alignment.aligned
        else _unchanged_people(result.disclosure, rows)
    )
    if found is None:
        return []
    sentence, about, see, all_of_them = found
    return [
        Finding(
            code="unchanged-records",
            grade="warn" if all_of_them or safe.grade != "good" else "note",
            about=about,
            sentence=sentence,
            remedy=say(
                "Change what people could be known by (coarsen, swap, suppress) in these "
                "records: to leave out others does not protect them."
            ),
            see=see,
        )
    ]


Told = tuple[str, tuple[str, ...], str, bool]
"""A sentence, the variables it speaks of, its page, and whether nothing was done to any record."""


def _unchanged_units(result: Assessment, rows: int) -> Told | None:
    """Where rows correspond: units without any changed value."""
    loss = result.loss
    if loss is None or loss.units is None or loss.records_changed is None:
        return None
    about = tuple(v.name for v in loss.variables if v.changed is not None)
    same = loss.units - loss.records_changed
    if len(about) < MANY_VARIABLES or loss.units > rows or same < NEARLY_ALL * rows:
        return None
    variables = counted(len(about), "variable")
    if same == rows:
        said = say(
            "All {rows:,} records of this file are unchanged records of the original, in all "
            "{variables} that can be compared.",
            rows=rows,
            variables=variables,
        )
    else:
        said = say(
            "{same:,} of {rows:,} records of this file are unchanged records of the original, in "
            "all {variables} that can be compared.",
            same=same,
            rows=rows,
            variables=variables,
        )
    return said, about, "docs/loss.md", same == rows


def _unchanged_people(found: Disclosure | None, rows: int) -> Told | None:
    """Where rows do not correspond: people who are alone in all variables, and stand there."""
    copied = None if found is None else found.copied
    if copied is None or copied.present is None or not copied.uniques:
        return None
    there = round(copied.present * copied.uniques)
    if there < NEARLY_ALL * rows:
        return None
    said = say(
        "{there:,} people of the original, each with values that nobody else has, have a record "
        "in this file of {records} with these values in all {variables} that can be compared "
        "(numbers to within {interval:g} of a standard deviation): it seems to hold real records, "
        "unchanged or nearly so.",
        there=there,
        records=counted(rows, "record"),
        variables=counted(len(copied.variables), "variable"),
        interval=copied.interval,
    )
    return said, copied.variables, "docs/disclosure/copied.md", True


def risk_too_high(result: Assessment, measures: Measures) -> list[Finding]:
    """What the risk comes from, where it is more than is good.

    A limit that is kept makes the grade good; whoever set it must still see whom it leaves to be
    found. It is a note then.
    """
    value, _ = risk_of(result, measures)
    limit = next((one for one in result.requirements or () if one.figure == "risk"), None)
    missed = limit is not None and not limit.met
    if value is None or not (missed or value > GOOD):
        return []
    if measures.risk == "classes":
        found = _of_classes(result)
    else:
        assert result.disclosure is not None
        found = _of_intruder(result, result.disclosure)
    return [replace(found, grade="note") if limit is not None and limit.met else found]


def _of_classes(result: Assessment) -> Finding:
    risk = result.risk
    assert risk is not None
    return Finding(
        code="risk",
        grade="warn",
        about=risk.keys,
        sentence=_alone(risk),
        remedy=say("Join rare values of these, or suppress some cells of such records."),
        see="docs/risk.md",
    )


def _alone(risk: Risk) -> str:
    """Who stands out by the keys; where nobody is alone, how small groups are."""
    keys = in_words(risk.keys, MOST_KEYS)
    if risk.uniques == 0:
        return say(
            "No record is alone with its values of {keys}, but groups of records "
            "that share them are as small as {k:,}.",
            keys=keys,
            k=risk.k,
        )
    if risk.uniques == 1:
        return say(
            "One of {records:,} records is alone with its values of {keys}.",
            records=risk.records,
            keys=keys,
        )
    return say(
        "{uniques:,} of {records:,} records are alone with their values of {keys}.",
        uniques=risk.uniques,
        records=risk.records,
        keys=keys,
    )


def _of_intruder(result: Assessment, found: Disclosure) -> Finding:
    worst = found.worst
    part = "found" if worst is None else worst.part
    target = None if worst is None else worst.variable
    keys = in_words(found.keys, MOST_KEYS)
    said, remedy, about, see = {
        "found": (
            say(
                "The risk is that people's records are found by {keys}{claims}.",
                keys=keys,
                claims=_claims(found),
            ),
            _coarsen_keys(result, found.keys),
            found.keys,
            "docs/disclosure/found.md",
        ),
        "found_copied": (
            say("The risk is that real records stand in the file, by which people are found."),
            say("Make the records anew, or remove those that equal a real one that is alone."),
            found.keys,
            "docs/disclosure/copied.md",
        ),
        "learned": (
            say("The risk is that {target} is learned from {keys}.", target=target, keys=keys),
            say(
                "{coarsen_target} {holdout}",
                coarsen_target=_coarsen_target(result, str(target), found.keys),
                holdout=_holdout(found),
            ).rstrip(),
            (str(target), *found.keys),
            "docs/disclosure/learned.md",
        ),
        "excess": (
            say(
                "The risk is that {target} of those who took part is learned from {keys}.",
                target=target,
                keys=keys,
            ),
            _coarsen_target(result, str(target), found.keys),
            (str(target), *found.keys),
            "docs/disclosure/holdout.md",
        ),
    }[part]
    return Finding(
        code="risk", grade="warn", about=tuple(about), sentence=said, remedy=remedy, see=see
    )


def _claims(found: Disclosure) -> str:
    """How many can be pointed at."""
    claims, right = found.found.claims, found.found.claims_right
    if not claims or right is None:
        return ""
    if claims == 1:
        whose = say("that person's") if right else say("another person's")
        return say("; one person matches exactly one record, which is {whose}", whose=whose)
    whose = {0.0: say("none"), 1.0: say("all")}.get(right) or about_per_cent(right)
    return say(
        "; {claims:,} people match exactly one record, {whose} of them their own",
        claims=claims,
        whose=whose,
    )


def _holdout(found: Disclosure) -> str:
    """What a holdout would add, where there is none."""
    if not found.upper_bound or found.holdout is not None:
        return ""
    return say(
        "People who are not in the original (--holdout) would show how much is true of anyone."
    )


def special_uniques(result: Assessment, safe: Opinion) -> list[Finding]:
    """The keys that make records stand out by few values."""
    risk = result.risk
    if risk is None or risk.records < 2 or len(risk.keys) < 2 or not risk.suda.contributions:
        return []
    ranked = sorted(risk.suda.contributions.items(), key=lambda item: (-item[1], item[0]))
    driving = [(name, share) for name, share in ranked if share >= MANY]
    count = sum((risk.suda.msus or {}).values())
    if not driving or not count:
        return []
    few = count < FEW * risk.records
    told = [
        say("{name} in {share}", name=name, share=about_per_cent(share / 100))
        for name, share in driving[:MOST_NAMED]
    ]
    first = say(
        "{driving} has a part in {driving2} of that",
        driving=driving[0][0],
        driving2=about_per_cent(driving[0][1] / 100),
    )
    return [
        Finding(
            code="special-uniques",
            grade="note" if few or safe.grade == "good" else "warn",
            about=tuple(name for name, _ in driving),
            sentence=say(
                "Some records stand out by only a few of their values; {value}.",
                value=in_words([first, *told[1:]]),
            ),
            remedy=coarser(result, driving[0][0]),
            see="docs/risk/suda.md",
        )
    ]


def coarser(result: Assessment, name: str) -> str:
    """What can still be done about the variable that has the largest part."""
    if not _can_be_coarser(result, name):
        return say("Swap or suppress {name} in some of such records.", name=name)
    variable = _variable(result, name)
    done = None if variable is None or variable.recoding is None else variable.recoding
    form = None if done is None or not done.joined else done.form
    if form in COARSER:
        return COARSER[form].format(name=name)
    if variable is not None and variable.protected_type == "continuous":
        return say("Give {name} in coarser steps, or cut off its ends.", name=name)
    return say("Join the rare groups of {name} first.", name=name)


COARSER = {
    "rounded": say("Give {name} in still coarser steps, or cut off its ends."),
    "top-coded": say("Give {name} in coarser steps, or cut off more of its ends."),
    "bottom-coded": say("Give {name} in coarser steps, or cut off more of its ends."),
    "top- and bottom-coded": say("Give {name} in coarser steps, or cut off more of its ends."),
    "banded": say("Make the bands of {name} broader."),
    "merged": say("Join more of the rare groups of {name}."),
}
"""What can be done about a variable beyond what was done to it."""


def _variable(result: Assessment, name: str) -> VariableResult | None:
    return next((v for v in result.variables if v.name == name), None)


def _can_be_coarser(result: Assessment, name: str) -> bool:
    """Whether it has more than two values, as far as is known: of two, none is left to join."""
    variable = _variable(result, name)
    if variable is None:
        return True
    if variable.recoding is not None and variable.recoding.groups:
        return variable.recoding.groups > 2
    tabled = [] if result.tables is None else result.tables.variables
    cells = next((v.cells for v in tabled if v.name == name), None)
    return cells is None or cells - bool(variable.missing_original) > 2


def _coarsen_keys(result: Assessment, keys: Sequence[str]) -> str:
    if any(_can_be_coarser(result, key) for key in keys):
        return say("Coarsen these variables, or swap or suppress their rare values.")
    return say("Swap or suppress values of these variables.")


def _coarsen_target(result: Assessment, target: str, keys: Sequence[str]) -> str:
    some = any(_can_be_coarser(result, key) for key in keys)
    if _can_be_coarser(result, target):
        return (
            say("Coarsen {target} or these keys.", target=target)
            if some
            else say("Coarsen {target}.", target=target)
        )
    return (
        say("Coarsen these keys.")
        if some
        else say("Swap some values of {target} or of these keys.", target=target)
    )


def without_values(result: Assessment) -> list[Finding]:
    """Keys and sensitive variables that the original has no value of, and so were not used."""
    if result.disclosure is None and result.risk is None:
        return []
    rows = result.inputs.original.rows
    empty = [v for v in result.variables if rows and v.missing_original == rows]
    found = []
    for role, one, many, remedy in EMPTY:
        names = [v.name for v in empty if v.role == role]
        if names:
            said = (one if len(names) == 1 else many).format(named=in_words(names, MOST_KEYS))
            found.append(
                Finding(
                    code="without-values", grade="warn", about=tuple(names), sentence=said,
                    remedy=remedy, see="docs/disclosure.md",
                )
            )  # fmt: skip
    return found


EMPTY = (
    (
        "quasi_identifier",
        say("The key {named} has no value in the original: nobody was looked for by it."),
        say("The keys {named} have no value in the original: nobody was looked for by them."),
        say("Check the files, or name keys that have values."),
    ),
    (
        "sensitive",
        say(
            "{named} is sensitive and has no value in the original: whether it can be learned was "
            "not measured."
        ),
        say(
            "{named} are sensitive and have no value in the original: whether they can be learned "
            "was not measured."
        ),
        say("Check the files, or name sensitive variables that have values."),
    ),
)
"""What is said of one and of many, by role, and what to do."""


def unmatched(result: Assessment) -> list[Finding]:
    """What was not looked for where no record is known to be anyone's."""
    found = result.disclosure
    if found is None or found.risk is None or result.inputs.alignment.aligned:
        return []
    return [
        Finding(
            code="rows-not-matched",
            grade="note",
            about=found.keys,
            sentence=say(
                "Rows of the two files are not matched: copied records were looked for, and "
                "what can be learned, but not whether people's own records can be found."
            ),
            remedy=say(
                "If the file holds the same people in another order, join it by a column that "
                "both files have (--key)."
            ),
            see="docs/disclosure/found.md",
        )
    ]
