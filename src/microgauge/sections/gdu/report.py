"""Variables and pairs for the report, which has drawings of its own for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from microgauge.errors import listing
from microgauge.languages.messages import count, number, say, strung
from microgauge.results import (
    GDU,
    Assessment,
    Details,
    Edition,
    PairScore,
    RecodingResult,
    VariableDetail,
    VariableResult,
    VariableScore,
)
from microgauge.results.blocks import Block, Group, Part
from microgauge.results.wording import called, probability
from microgauge.sections.charts import ruler
from microgauge.sections.gdu.words import (
    AS_GOOD_AS_KEPT,
    CHANGED,
    NOT_FOUND,
    change_said,
    pair_story,
    variable_story,
    weakest_pairs,
)
from microgauge.sections.pictures.report import detail_data, rounded, told_data
from microgauge.sections.public.scores import GONE, p_said
from microgauge.sections.public.told import NOT_COUNTED

Data = dict[str, Any]

MOST_WEAKEST = 200
MOST_MAPPED = 200
MOST_DRAWN = 40
"""Variables that a heat map has room for."""
MOST_TOLD = 20_000
"""Pairs up to which each can be opened; of more, those that are drawn, listed or have a table."""


def report(result: Assessment, gdu: GDU, edition: Edition, threshold: int) -> list[Block]:
    """The list of variables, the pairs, and where the file stands among yardsticks."""
    return [
        Part(name="variables", content=variables(result, edition, threshold)),
        Part(name="pairs", content=pairs(result, gdu, edition)),
        *(_beside_yardsticks(gdu) if edition == "internal" and not result.yardsticks else []),
    ]


def _beside_yardsticks(gdu: GDU) -> list[Block]:
    """A ruler with the two that every run has, where no more were asked for."""
    known = {
        say("all columns permuted"): None if gdu.permuted is None else gdu.permuted.value,
        say("resample"): None if gdu.resample is None else gdu.resample.value,
    }
    if gdu.value is None or all(value is None for value in known.values()):
        return []
    chart = ruler(say("GDU beside yardsticks"), utility_heading(gdu), known, gdu.value)
    return [Group(name="gdu", title=say("Global data utility"), explain="gdu", blocks=(chart,))]


def utility_heading(gdu: GDU) -> str:
    """What stands above files whose loss is known: these have all variables."""
    gone = sum(v.reason == "removed" for v in gdu.variables)
    if not gone:
        return say("Global data utility: the farther to the right, the less was lost")
    return count(
        gone,
        "Global data utility, the removed variable counted as lost in this file only: the farther "
        "to the right, the less was lost",
        "Global data utility, the {n:,} removed variables counted as lost in this file only: the "
        "farther to the right, the less was lost",
    )


def variables(result: Assessment, edition: Edition, threshold: int) -> list[Data]:
    """What happened to each variable, with its distribution on both sides."""
    facts = {variable.name: variable for variable in result.variables}
    details = {d.name: d for d in (result.details.variables if result.details else ())}
    scores = {s.name: s for s in (result.gdu.variables if result.gdu is not None else ())}
    names = list(scores) or [name for name in facts if name in details]
    found = []
    for name in names:
        fact, score, detail = facts[name], scores.get(name), details.get(name)
        if edition == "public":
            found.append(_public_entry(fact, score, detail, threshold))
        else:
            found.append(_entry(fact, score, detail))
    return found


def _figures(fact: VariableResult, score: VariableScore | None) -> Data:
    return {
        "name": fact.name,
        "label": fact.label,
        "type": called(fact.type),
        "utility": None if score is None else score.utility,
        "pairs": None if score is None else score.bivariate_utility,
        "p": None if score is None else probability(score.p),
        "p_value": None if score is None else score.p,
        "test": None if score is None or score.test is None else called(score.test),
        "lost": _lost(fact, score),
    }


def _lost(fact: VariableResult, score: VariableScore | None) -> bool:
    """Whether something is shown to be taken from a variable: removed, recoded, found changed.

    A utility below 1 shows nothing by itself: chance alone makes it so.
    """
    if fact.removed or fact.recoding is not None:
        return True
    if score is None or score.utility is None:
        return False
    return score.utility < AS_GOOD_AS_KEPT if score.p is None else score.p < CHANGED


def _entry(
    fact: VariableResult, score: VariableScore | None, detail: VariableDetail | None
) -> Data:
    entry = {
        **_figures(fact, score),
        "missing": [fact.missing_original, fact.missing_protected],
        "detail": detail_data(detail),
        "story": "" if score is None else variable_story(fact, score),
        "more_missing": (fact.missing_protected or 0) > fact.missing_original,
        "reason": None if score is None else score.reason,
    }
    entry["value_labels"] = _value_labels(fact, entry["detail"], *_mapped(fact))
    if fact.recoding is not None:
        recoding = fact.recoding
        entry["recoding"] = {
            "how": called(recoding.how),
            "form": called(recoding.form),
            "utility": recoding.utility,
            "map": [_map_row(row) for row in recoding.map[:MOST_MAPPED]],
        }
    return entry


def _public_entry(
    fact: VariableResult,
    score: VariableScore | None,
    detail: VariableDetail | None,
    threshold: int,
) -> Data:
    """Of a result that holds no more than data users may see."""
    entry = {
        **_figures(fact, score),
        "p": None if score is None or score.p is None else p_said(score.p),
        "missing": _public_missing(fact, threshold),
        "detail": told_data(detail),
        "story": public_story(fact, score),
    }
    entry["value_labels"] = _value_labels(fact, entry["detail"])
    if entry["detail"] is None and not fact.removed:
        entry["lost"] = fact.recoding is not None
        entry["story"] = strung(
            [*_given(fact), say("not told: {why_untold}", why_untold=_why_untold(detail))], ", "
        )
    return entry


def _public_missing(fact: VariableResult, threshold: int) -> list[str]:
    """Missing cells of the protected file only; a small number is not told."""
    count = fact.missing_protected
    if count is None:
        return ["–"]
    return [
        number(f"{count:,}")
        if count == 0 or count >= threshold
        else say("fewer than {threshold}", threshold=threshold)
    ]


def _value_labels(fact: VariableResult, detail: Data | None, *more: str) -> dict[str, str]:
    """What those categories mean that are shown, and no others: few records may stand behind."""
    known = fact.value_labels or {}
    shown = [*(detail or {}).get("labels", ()), *more]
    return {name: known[name] for name in shown if name in known}


def _mapped(fact: VariableResult) -> list[str]:
    """Categories that a recoding names."""
    rows = () if fact.recoding is None else fact.recoding.map[:MOST_MAPPED]
    return [str(name) for row in rows for name in (row.get("to", ""), *row.get("from", ()))]


def _map_row(row: dict[str, Any]) -> list[str]:
    """Where to, and from what."""
    to = str(row.get("to", ""))
    if "low" in row and "high" in row:
        return [to, say("{row:g} to {row2:g}", row=row["low"], row2=row["high"])]
    return [to, _listed(row.get("from", ""))]


def _listed(values: Any) -> str:
    if not isinstance(values, list | tuple):
        return str(values)
    return listing(str(value) for value in values)


def public_story(fact: VariableResult, score: VariableScore | None) -> str:
    """What data users should know of a variable: how it is given, without what became what."""
    if fact.removed:
        return say("not in the protected file")
    given = _given(fact)
    if score is None or score.utility is None:
        return strung([*given, say("not measured")], ", ")
    if score.p is not None and score.p < CHANGED:
        return strung([*given, say("distribution changed")], ", ")
    # That it is exactly the same would confirm every value of the release.
    return given[0] if given else NOT_FOUND


def _why_untold(detail: VariableDetail | None) -> str:
    return NOT_COUNTED if detail is None or detail.reason is None else detail.reason


def _given(fact: VariableResult) -> list[str]:
    return [] if fact.recoding is None else [_given_as(fact.recoding)]


def _given_as(recoding: RecodingResult) -> str:
    """How recoded values are given, as the protected file itself shows it."""
    if recoding.unit is not None:
        return say("rounded to multiples of {unit:,g}", unit=recoding.unit)
    if recoding.form in _TAILS:
        return _TAILS[recoding.form]
    return _in_groups(recoding.form, recoding.groups)


def _in_groups(form: str, groups: int) -> str:
    if form == "banded":
        return count(groups, "given in {n:,} band", "given in {n:,} bands")
    if form == "merged":
        return count(groups, "given in {n:,} category", "given in {n:,} categories")
    return count(groups, "given in {n:,} value", "given in {n:,} values")


_TAILS = {
    "top-coded": say("top-coded: the largest values are given as one"),
    "bottom-coded": say("bottom-coded: the smallest values are given as one"),
    "top- and bottom-coded": say(
        "top- and bottom-coded: the largest values are given as one, and so are the smallest"
    ),
}


def pairs(result: Assessment, gdu: GDU, edition: Edition) -> Data:
    """Every pair's utility, the weakest ones, and their tables, which the public edition lacks."""
    pairs = gdu.pairs
    story = public_pair_story if edition == "public" else pair_story
    names = list(dict.fromkeys(name for p in pairs for name in (p.a, p.b)))
    place = {name: i for i, name in enumerate(names)}
    weakest, ranked = weakest_pairs(pairs)[:MOST_WEAKEST], weakest_first(gdu, names)
    details = result.details or Details(variables=(), axes=(), pairs=(), left_out=0)
    drawn = {names[i] for i in ranked["order"][:MOST_DRAWN]}
    told = _told(pairs, weakest, drawn, {(d.a, d.b) for d in details.pairs})
    found: Data = {
        "names": names,
        "matrix": [
            [place[p.a], place[p.b], None if p.utility is None else round(p.utility, 3)]
            for p in told
        ],
        "weakest": [
            [place[p.a], place[p.b], rounded(p.utility or 0.0), story(p)] for p in weakest
        ],
        "stories": {
            f"{place[p.a]},{place[p.b]}": story(p) for p in told
        },
        "untold": len(pairs) - len(told),
        "coverage": [gdu.coverage.tested, gdu.coverage.pairs],
        **ranked,
    }  # fmt: skip
    if edition == "internal":
        found["axes"] = {
            a.name: {
                "recoded": a.recoded,
                **({"labels": a.labels} if a.labels else {"edges": a.edges}),
            }
            for a in details.axes
        }
        found["tables"] = {
            f"{place[d.a]},{place[d.b]}": [
                _per_mille(d.before),
                _per_mille(d.after),
            ]
            for d in details.pairs
        }
        found["tables_left_out"] = details.left_out
        found["associations"] = _associations(gdu, names, found["order"][:MOST_DRAWN])
    return found


def _told(
    pairs: Sequence[PairScore],
    weakest: Sequence[PairScore],
    drawn: Collection[str],
    tabled: Collection[tuple[str, str]],
) -> Sequence[PairScore]:
    """The pairs that a report holds: all, unless there are so many that it would open slowly."""
    if len(pairs) <= MOST_TOLD:
        return pairs
    listed = {id(pair) for pair in weakest}
    return [
        p
        for p in pairs
        if id(p) in listed or (p.a in drawn and p.b in drawn) or (p.a, p.b) in tabled
    ]


def public_pair_story(pair: PairScore) -> str:
    """What happened to a pair, without p-values."""
    if pair.reason == GONE:
        return say("not in the protected file")
    if pair.outcome is None:
        return (
            say("not tested")
            if pair.reason is None
            else say("not told: {reason}", reason=pair.reason)
        )
    if pair.outcome == "lost":
        return say("lost: associated before, gone after")
    if pair.outcome == "gained":
        return say("appeared: no association before")
    if pair.outcome == "none" or pair.outcome == "reversed":
        return pair_story(pair)
    return _public_strength(pair)


def _public_strength(pair: PairScore) -> str:
    """How an association fared, as far as rounded figures tell."""
    before, after = pair.coefficient_original or 0.0, pair.coefficient_protected or 0.0
    if (pair.utility or 0.0) > AS_GOOD_AS_KEPT:
        said = say("nearly as it was")
    elif after == before:
        said = say("a little weaker or stronger")
    else:
        said = say("weaker") if after < before else say("stronger")
    return (
        say("{said}: {change_said}", said=said, change_said=change_said(pair))
        if before or after
        else say("{said}, and weak", said=said)
    )


def weakest_first(gdu: GDU, names: Sequence[str]) -> Data:
    """Variables by what their pairs kept on average, and those that are gone, which come first.

    What was not tested comes last.
    """
    gone = {v.name for v in gdu.variables if v.reason == "removed"}
    kept: dict[str, list[float]] = {name: [] for name in names}
    for pair in gdu.pairs:
        for name in (pair.a, pair.b):
            if pair.utility is not None:
                kept[name].append(pair.utility)

    def mean(place: int) -> float:
        name = names[place]
        if name in gone:
            return -1.0
        return sum(kept[name]) / len(kept[name]) if kept[name] else 2.0

    return {
        "order": sorted(range(len(names)), key=mean),
        "removed": [place for place, name in enumerate(names) if name in gone],
    }


def _associations(gdu: GDU, names: Sequence[str], order: Sequence[int]) -> Data:
    """How strong the associations of some variables are on both sides: roots of the coefficients,
    which are squares.
    """
    place = {names[i]: i for i in order}
    return {
        "names": names,
        "order": order,
        "rows": [
            [place[p.a], place[p.b], _root(p.coefficient_original), _root(p.coefficient_protected)]
            for p in gdu.pairs
            if p.a in place and p.b in place and p.outcome is not None
        ],
    }


def _root(square: float | None) -> float | None:
    return None if square is None else round(max(square, 0.0) ** 0.5, 3)


def _per_mille(table: Sequence[Sequence[float]]) -> list[list[int]]:
    """Shares in ten-thousandths: short to write, fine enough to see."""
    return [[round(cell * 10_000) for cell in row] for row in table]
