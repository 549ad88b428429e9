"""What was found about the use of a file: a sentence, what to do, where to read on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from microgauge.errors import listing
from microgauge.languages.messages import say, strung
from microgauge.results import GDU, Assessment, PairScore
from microgauge.results.tables import TableScore
from microgauge.results.verdict import Finding, FindingGrade
from microgauge.results.wording import begun, counted, figure, in_words, per_cent, whole_per_cent
from microgauge.sections.gdu.words import NEAR, TELLS_LITTLE
from microgauge.sections.joint.recoded import apart_from
from microgauge.sections.joint.words import giveaways
from microgauge.sections.verdict.standing import (
    HALF,
    Place,
    gdu_place,
    is_one_record,
    removed,
    tables_left,
    weak_variables,
)

MOST_NAMED = 4
WORSE = 0.1
"""Units in another cell beyond those of a fresh sample, from which a table is told of."""
STRONG = 0.04
"""A squared coefficient from which an association that is gone is a warning."""
GROWN, MUCH = 0.01, 0.2
"""More missing cells, as a share, from which they are told of, and from which they warn."""
FEW = 100
"""Records below which chance moves every figure."""


def gone_variables(result: Assessment) -> list[Finding]:
    """Variables that were removed."""
    names = removed(result)
    if not names:
        return []
    one = len(names) == 1
    return [
        Finding(
            code="removed",
            grade="warn",
            about=tuple(names),
            sentence=say(
                "{names} was removed: no analysis with it can be made.",
                names=in_words(names, MOST_NAMED),
            )
            if one
            else say(
                "{names} were removed: no analysis with any of them can be made.",
                names=in_words(names, MOST_NAMED),
            ),
            remedy=say("If users need it, release it in broad groups instead.")
            if one
            else say("If users need them, release them in broad groups instead."),
            see="docs/tables.md",
        )
    ]


def coarsened(result: Assessment) -> list[Finding]:
    """Variables whose values are coarser than they were."""
    found = {
        v.name: v.recoding
        for v in result.variables
        if v.recoding is not None and v.recoding.joined and v.analysed and not v.removed
    }
    if not found:
        return []
    told = [
        say("{name} ({said})", name=name, said=recoding.said) for name, recoding in found.items()
    ]
    costly = [n for n, r in found.items() if r.utility is not None and r.utility < HALF]
    seen = any(r.how == "inferred" for r in found.values())
    lead = (
        say("Users get coarser values, as far as can be seen")
        if seen
        else say("Users get coarser values")
    )
    more = (
        say(" By this alone {costly} kept less than half.", costly=in_words(costly, MOST_NAMED))
        if costly
        else ""
    )
    return [
        Finding(
            code="coarsened",
            grade="warn" if costly else "note",
            about=tuple(found),
            sentence=say(
                "{lead}: {told}.{more}", lead=lead, told=in_words(told, MOST_NAMED), more=more
            ),
            remedy=say("Tell users what was done; release finer values where analyses need them."),
            see="docs/gdu.md",
        )
    ]


def lost_variables(result: Assessment) -> list[Finding]:
    """Variables whose tables keep less than half of what they could."""
    weak = weak_variables(result.tables)
    if not weak or is_one_record(result):
        return []
    return [
        Finding(
            code="variables-lost",
            grade="warn",
            about=tuple(weak),
            sentence=strung(_lost_said(weak), " "),
            remedy=say(
                "Protect such variables more gently, or tell users which of their tables changed."
            ),
            see="docs/tables.md",
        )
    ]


def _lost_said(weak: Mapping[str, Place]) -> list[str]:
    """Those nearer to shuffled variables; those of which that cannot be said."""
    near = {n: _way(p.kept) for n, p in weak.items() if p.kept is not None}
    worse = [n for n, p in weak.items() if p.kept is None]
    said = []
    if near:
        which = (
            say("with {near}", near=next(iter(near)))
            if len(near) == 1
            else say("with these variables")
        )
        told = [say("{name} ({way})", name=name, way=way) for name, way in near.items()]
        where = next(iter(near.values())) if len(near) == 1 else listing(told, MOST_NAMED)
        said.append(
            say(
                "Taken together, tables {which} are nearer to shuffled variables (0 %) than to a "
                "fresh sample of the original (100 %): {where}.",
                which=which,
                where=where,
            )
        )
    if worse:
        said.append(
            say(
                "Tables with {worse} are worse than those of a fresh sample of the original.",
                worse=in_words(worse, MOST_NAMED),
            )
        )
    return said


def _way(kept: float) -> str:
    if kept < 0:
        return say("below 0 %")
    return "0 %" if kept == 0 else whole_per_cent(kept)


def lost_tables(result: Assessment) -> list[Finding]:
    """The tables that changed most beyond chance."""
    if result.tables is None or is_one_record(result):
        return []
    far = [t for t in tables_left(result.tables) if t.resample - t.score >= WORSE]
    if not far:
        return []
    ranked = sorted(far, key=lambda table: (table.score - table.resample, table.variables))
    told = [
        say("{variables} ({moved})", variables=strung(t.variables, " × "), moved=per_cent(t.moved))
        for t in ranked
    ]
    return [
        Finding(
            code="tables-changed",
            grade="warn",
            about=_variables_of(ranked[:MOST_NAMED]),
            sentence=say(
                "Tables that changed most beyond chance, with the share of what they "
                "count that moved to another cell: {told}.",
                told=listing(told, MOST_NAMED),
            ),
            remedy=say("Check what users publish from such tables before the release."),
            see="docs/tables.md",
        )
    ]


def _variables_of(tables: Sequence[TableScore]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for table in tables for name in table.variables))


def lost_pairs(result: Assessment) -> list[Finding]:
    """Associations that are gone, or turned round."""
    if result.gdu is None:
        return []
    pairs = result.gdu.pairs
    gone = [p for p in pairs if p.outcome == "lost"]
    turned = [p for p in pairs if p.outcome == "reversed" and p.signs_flipped]
    return [
        *_pairs(gone, "associations-gone"),
        *_pairs(turned, "associations-reversed"),
    ]


PAIRS = {
    ("associations-gone", True): say(
        "An association that the original shows is no longer to be found in the file: {named}."
    ),
    ("associations-gone", False): say(
        "{number:,} associations that the original shows are no longer "
        "to be found in the file, the strongest first: {named}."
    ),
    ("associations-reversed", True): say(
        "An association that the original shows is the other way round in the file: {named}."
    ),
    ("associations-reversed", False): say(
        "{number:,} associations that the original shows are the "
        "other way round in the file, the strongest first: {named}."
    ),
}
"""What is said of pairs, by code and whether it is one."""


def _pairs(pairs: Sequence[PairScore], code: str) -> list[Finding]:
    if not pairs:
        return []
    ranked = sorted(pairs, key=lambda p: (-(p.coefficient_original or 0.0), p.a, p.b))
    one = len(ranked) == 1
    named = listing([say("{a} × {b}", a=p.a, b=p.b) for p in ranked], MOST_NAMED)
    strong = code == "associations-reversed" or (ranked[0].coefficient_original or 0.0) >= STRONG
    return [
        Finding(
            code=code,
            grade="warn" if strong else "note",
            about=tuple(dict.fromkeys(n for p in ranked for n in (p.a, p.b))),
            sentence=PAIRS[code, one].format(number=len(ranked), named=named),
            remedy=say("Warn users who study this, or protect these variables more gently."),
            see="docs/gdu.md",
        )
    ]


def told_apart(result: Assessment) -> list[Finding]:
    """Whether records of the two files can be told apart, beyond chance and by much."""
    found = result.propensity
    if found is None or not found.beyond_chance or found.auc_cross is None:
        return []
    if found.size not in ("clear", "easy"):
        return []
    by = giveaways(found)
    apart = apart_from(result)
    return [
        Finding(
            code="told-apart",
            grade="warn" if found.size == "easy" else "note",
            about=tuple(by),
            sentence=_apart_said(found.auc_cross, apart, by),
            remedy=say(
                "Analyses of many variables at once may mislead: try them on the file first."
            ),
            see="docs/propensity.md",
        )
    ]


def _apart_said(share: float, apart: str, by: Sequence[str]) -> str:
    lead = say("{apart}, a computer", apart=begun(apart)) if apart else say("A computer")
    said = say(
        "{lead} can tell records of the file from records of the original: of one "
        "each, it picks the right one in {share} of cases (50 % is guessing).",
        lead=lead,
        share=per_cent(share),
    )
    return (
        say("{said} What gives it away most: {by}.", said=said, by=in_words(by, MOST_NAMED))
        if by
        else said
    )


def more_missing(result: Assessment) -> list[Finding]:
    """Variables with a larger share of missing cells than before."""
    rows = (result.inputs.original.rows, result.inputs.protected.rows)
    if not all(rows):
        return []
    grown: dict[str, tuple[float, float]] = {}
    for v in result.variables:
        if v.analysed and v.missing_protected is not None:
            shares = v.missing_original / rows[0], v.missing_protected / rows[1]
            if shares[1] - shares[0] >= GROWN:
                grown[v.name] = shares
    if not grown:
        return []
    ranked = sorted(grown, key=lambda name: (grown[name][0] - grown[name][1], name))
    told = [
        say(
            "{n} {grown} → {grown2}", n=n, grown=per_cent(grown[n][0]), grown2=per_cent(grown[n][1])
        )
        for n in ranked
    ]
    most = max(after - before for before, after in grown.values())
    return [
        Finding(
            code="more-missing",
            grade="warn" if most >= MUCH else "note",
            about=tuple(ranked),
            sentence=say(
                "A larger share of cells is empty than before: {told}.",
                told=listing(told, MOST_NAMED),
            ),
            remedy=say("Tell users, or suppress fewer cells by joining groups first."),
            see="docs/loss.md",
        )
    ]


STRAYS = ("strays-missing", "missing-code-found", "strange-values", "values-differ")
"""Notes that speak of values that could not be read as they stand."""


def stray_values(result: Assessment) -> list[Finding]:
    """Values that were not read as they stand, in the sentences of the notes."""
    return [
        Finding(
            code=note.code,
            grade="warn",
            about=note.about,
            sentence=note.sentence,
            remedy=say("Say in the schema what these values are."),
            see="docs/schema.md",
        )
        for note in result.remarks
        if note.code in STRAYS
    ]


def tells_little(result: Assessment) -> list[Finding]:
    """Files on which figures cannot tell good from bad."""
    original, protected = result.inputs.original.rows, result.inputs.protected.rows
    found = []
    if 0 < min(original, protected) < FEW:
        which = "original" if original < protected else say("protected file")
        held = counted(min(original, protected), "record")
        found.append(
            Finding(
                code="few-records",
                grade="note",
                about=(),
                sentence=say(
                    "The {which} holds only {held}: chance moves every figure.",
                    which=which,
                    held=held,
                ),
                remedy=say("Judge such a file by looking at it, too."),
                see="docs/verdict.md",
            )
        )
    return found + ([] if result.gdu is None else _near_shuffled(result.gdu))


def _near_shuffled(gdu: GDU) -> list[Finding]:
    place = gdu_place(gdu)
    if place is None:
        return []
    if place.resample - place.permuted < TELLS_LITTLE:
        said = say(
            "The global data utility says little here: shuffled variables would have "
            "{permuted}, a fresh sample of the original {resample}.",
            permuted=figure(place.permuted),
            resample=figure(place.resample),
        )
        return [_little("gdu-tells-little", "note", said)]
    if place.value - place.permuted >= NEAR:
        return []
    gone = any(v.reason == "removed" for v in gdu.variables)
    which = (
        say("The global data utility of what is left") if gone else say("The global data utility")
    )
    said = say(
        "{which} is {value}; with shuffled variables the original itself would have {permuted}.",
        which=which,
        value=figure(place.value),
        permuted=figure(place.permuted),
    )
    return [_little("near-shuffled", "warn", said)]


def _little(code: str, grade: FindingGrade, said: str) -> Finding:
    return Finding(
        code=code,
        grade=grade,
        about=(),
        sentence=said,
        remedy=say("Look at the tables and analyses that users make."),
        see="docs/gdu.md",
    )


def changed_indicators(result: Assessment) -> list[Finding]:
    """Indicators that lie outside the original's interval."""
    indicators = result.indicators or ()
    outside = [one for one in indicators if one.inside is False]
    if not outside:
        return []
    names = list(dict.fromkeys(one.name for one in outside))
    return [
        Finding(
            code="indicators-outside",
            grade="warn",
            about=tuple(names),
            sentence=say(
                "{outside_said} outside the original's confidence interval: {names}.",
                outside_said=_outside_said(len(outside), len(indicators)),
                names=listing(names, MOST_NAMED),
            ),
            remedy=say(
                "Publish such figures from the original, or protect their variables more gently."
            ),
            see="docs/indicators.md",
        )
    ]


def _outside_said(outside: int, indicators: int) -> str:
    if indicators == 1:
        return say("The one indicator that is named lies")
    if outside == 1:
        return say("One of {indicators:,} indicators lies", indicators=indicators)
    return say(
        "{outside:,} of {indicators:,} indicators lie", outside=outside, indicators=indicators
    )


def changed_regressions(result: Assessment) -> list[Finding]:
    """Regressions whose intervals overlap the original's by less than half."""
    known = result.regressions or ()
    weak = [one.formula for one in known if one.overlap is not None and one.overlap < HALF]
    if not weak:
        return []
    return [
        Finding(
            code="regressions-changed",
            grade="warn",
            about=tuple(weak),
            sentence=say(
                "In a regression, confidence intervals overlap the original's by less "
                "than half on average: {weak}.",
                weak=weak[0],
            )
            if len(weak) == 1
            else say(
                "In {n:,} regressions, confidence intervals overlap the original's by "
                "less than half on average: {weak}.",
                n=len(weak),
                weak=listing(weak, 2),
            ),
            remedy=say("Warn users of such models, or protect their variables more gently."),
            see="docs/regressions.md",
        )
    ]


FINDERS = (
    gone_variables, lost_variables, lost_tables, lost_pairs, changed_indicators,
    changed_regressions, told_apart, coarsened, more_missing, stray_values, tells_little,
)  # fmt: skip
"""In the order in which findings of one grade are told."""
