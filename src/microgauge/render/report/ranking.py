"""From a ranking to the data inside a report: the choice, and each candidate's report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from microgauge.languages.catalogue import ENGLISH_WORDS, Words
from microgauge.languages.messages import number, say
from microgauge.render.charts import closer_spec, crowded, levels_spec, map_spec
from microgauge.render.ranking import (
    RISKS,
    balances_said,
    cluster_vote_words,
    limits_said,
    missed_said,
    stability,
    undecided,
    verdict,
)
from microgauge.render.report.data import Data, assessment_data, compared, day, explanations
from microgauge.results import (
    Assessment,
    Candidate,
    CoefficientResult,
    Edition,
    IndicatorResult,
    Ranking,
    VariableDetail,
)
from microgauge.results.figures import utility_title
from microgauge.results.verdict import Verdict
from microgauge.results.wording import as_sentence

MOST_REPORTS = 20


def ranking_data(
    result: Ranking, edition: Edition, threshold: int, words: Words = ENGLISH_WORDS
) -> Data:
    """Everything a report of several candidates shows: the choice, and each candidate's report."""
    public = edition == "public"
    whole = _with_report(result)
    shown = [c for c in result.candidates if c.name in whole]
    data: Data = {
        "kind": "rank",
        "edition": edition,
        "date": day(),
        "compared": _compared(result, public),
        "candidates": [c.name for c in result.candidates],
        "reports": [
            assessment_data(c.assessment, edition, threshold) if c.name in whole else None
            for c in result.candidates
        ],
        "experts": _figures(result, public),
        "regressions": [] if public else _coefficients(shown),
        "indicators": [] if public else _indicators(shown),
        "mosaics": [] if public else _mosaics(shown),
        "explain": explanations(result.candidates[0].assessment, edition),
    }
    if public:
        data["verdict"] = [
            say("{n} protected versions of one original, side by side.", n=len(result.candidates))
        ]
        data["left_out"] = next(r["left_out"] for r in data["reports"] if r)
        return data
    for report in data["reports"]:
        if report and "decision" in report:
            report["decision"]["map"]["original_risk"] = result.original_risk
    return data | _chosen(result, words)


def _chosen(result: Ranking, words: Words) -> Data:
    """What is said of the choice, which data users are not told."""
    close = crowded(result)
    return {
        "verdict": [*verdict(result), say("{stability}.", stability=stability(result))],
        "choice": _choice(result),
        "table": _candidates(result),
        "risk": say(
            "Risk: {risks}. Utility: {utility_title}.",
            risks=RISKS[result.risk_measure],
            utility_title=utility_title(result.utility_measure),
        ),
        "limits": limits_said(result),
        "outside": [
            [c.name, say("{missed_said}.", missed_said=missed_said(c))]
            for c in result.candidates
            if not c.keeps_limits
        ],
        "steps": [
            [step.start, step.end, step.risk, step.utility, step.cost] for step in result.steps
        ],
        "equals": [one.name for one in result.recommended.equals],
        "recommended": result.recommended.name,
        "frontier": list(result.frontier),
        "map": map_spec(result, words),
        "closer": closer_spec(result, words) if close else None,
        "levels": _levels(result, words, close),
        "settings": [c.said for c in result.candidates] if result.explored else None,
        "clusters": cluster_vote_words(result),
        "balances": balances_said(result),
        "sweep": [[step.alpha, step.leader] for step in result.sweep],
        "notes": list(result.notes),
    }


def _levels(result: Ranking, words: Words, close: bool) -> Data | None:
    """Of candidates in an order, how both figures change; those of a grid have none."""
    if not result.explored:
        return levels_spec(result)
    return None if close else closer_spec(result, words)


def for_users(result: Ranking, threshold: int) -> Ranking:
    """As data users may see it: looked at together, under numbers in place of files' names."""
    whole = _with_report(result)
    shown = [c.assessment for c in result.candidates if c.name in whole]
    told = shown[0].presenter.for_users(shown, threshold)
    candidates = tuple(
        Candidate(name=say("candidate {place}", place=place), assessment=one)
        for place, one in enumerate(told, start=1)
    )
    return replace(result, candidates=candidates, frontier=())


def _choice(result: Ranking) -> Data:
    """Which, why, and what speaks against it: each a sentence."""
    found = result.recommended
    names = [candidate.name for candidate in result.candidates]
    return {
        "name": found.name,
        "undecided": undecided(result),
        "settings": "" if result.best is None else result.best.said,
        "reason": as_sentence(found.reason, names),
        "against": None if found.against is None else as_sentence(found.against, names),
        "title": next((v.title for v in _verdicts(result) if v.title), None),
    }


def _verdicts(result: Ranking) -> list[Verdict]:
    found = (c.assessment.verdict for c in result.candidates)
    return [verdict for verdict in found if verdict is not None]


def _compared(result: Ranking, public: bool) -> list[list[str]]:
    """The original, how many candidates, and by what."""
    first = result.candidates[0].assessment
    rows = compared(first, public)
    several = [say("candidates"), number(f"{len(result.candidates):,}")]
    return [row if row[0] != "protected" else several for row in rows if row[0] != "alignment"]


def _with_report(result: Ranking) -> set[str]:
    """Candidates with a report of their own: all, or of a large grid those on the frontier."""
    if not result.explored or len(result.candidates) <= MOST_REPORTS:
        return {c.name for c in result.candidates}
    first = result.candidates[0].name
    return {*result.frontier, result.recommended.name or first}


def _candidates(result: Ranking) -> Data:
    """What the choice looks at: both grades, and both figures of the map."""
    measure = "disclosure" if result.risk_measure == "disclosure" else "risk"
    # What stands on the map is explained where it is a figure of its own.
    shown_as = {"U": "rut_utility"}.get(result.utility_measure, result.utility_measure)
    rows = []
    for candidate in result.candidates:
        a = candidate.assessment
        grades = [None, None] if a.verdict is None else [a.verdict.useful, a.verdict.safe]
        rows.append(
            [
                candidate.name,
                *(None if opinion is None else opinion.grade for opinion in grades),
                candidate.utility,
                candidate.risk,
                None if a.risk is None else a.risk.k,
            ]
        )
    return {
        "heads": [say("useful"), say("safe"), say("utility"), say("risk"), "k"],
        "keys": ["verdict", "verdict", shown_as, measure, "k"],
        "rows": rows,
    }


def _figures(result: Ranking, public: bool) -> Data:
    """The other figures; of a public report, those that data users may see."""
    heads = ["GDU", say("variables"), say("pairs"), say("U_p ratio")]
    keys: list[str | None] = ["gdu", "univariate", "bivariate", "propensity"]
    if not public:
        heads, keys = [*heads, "RUT", "IL1s"], [*keys, "rut", "il1s"]
    rows = []
    for candidate in result.candidates:
        a = candidate.assessment
        shown = [
            None if a.gdu is None else a.gdu.value,
            None if a.gdu is None else a.gdu.univariate,
            None if a.gdu is None else a.gdu.bivariate,
            None if a.propensity is None else a.propensity.ratio,
        ]
        if not public:
            shown += [candidate.balance, None if a.loss is None else a.loss.il1s]
        rows.append([candidate.name, *shown])
    return {"heads": heads, "keys": keys, "rows": rows}


def _by_expected(candidates: Sequence[Candidate]) -> list[Candidate]:
    """In order of the expected number of re-identifications, where risk was measured."""
    return sorted(candidates, key=lambda c: -(_expected(c) or 0.0))


def _expected(candidate: Candidate) -> float | None:
    risk = candidate.assessment.risk
    return None if risk is None else risk.expected_reidentifications


def _coefficients(candidates: Sequence[Candidate]) -> list[Data]:
    """Each coefficient: the original's interval on top, one interval for each candidate below."""
    found = []
    for place, regression in enumerate(candidates[0].assessment.regressions or ()):
        terms = []
        for one in regression.coefficients:
            several = [
                (c, next((t for t in _regression(c, place) if t.term == one.term), None))
                for c in _by_expected(candidates)
            ]
            terms += _interval_rows(one.term, one, several)
        found.append({"title": regression.formula, "terms": terms})
    return found


def _regression(candidate: Candidate, place: int) -> tuple[CoefficientResult, ...]:
    return (candidate.assessment.regressions or ())[place].coefficients


def _indicators(candidates: Sequence[Candidate]) -> list[Data]:
    """The same for each indicator, by its groups."""
    found: dict[str, list[Data]] = {}
    for one in candidates[0].assessment.indicators or ():
        several = [(c, _same_indicator(c, one)) for c in _by_expected(candidates)]
        label = one.name if one.group is None else say("{by}: {group}", by=one.by, group=one.group)
        found.setdefault(one.name, []).extend(_interval_rows(label, one, several))
    return [{"title": name, "terms": terms} for name, terms in found.items() if terms]


def _same_indicator(candidate: Candidate, wanted: IndicatorResult) -> IndicatorResult | None:
    known = (wanted.name, wanted.by, wanted.group)
    here = candidate.assessment.indicators or ()
    return next((one for one in here if (one.name, one.by, one.group) == known), None)


Analysed = CoefficientResult | IndicatorResult


def _interval_rows(
    name: str, first: Analysed, several: Sequence[tuple[Candidate, Analysed | None]]
) -> list[Data]:
    """Name, estimate, interval and expected re-identifications; none without an original."""
    if first.original is None or first.original_ci is None:
        return []
    rows: list[list[Any]] = [[say("original"), first.original, *first.original_ci, None]]
    rows += [
        [c.name, one.protected, *one.protected_ci, _expected(c)]
        for c, one in several
        if one is not None and one.protected is not None and one.protected_ci
    ]
    return [{"name": name, "rows": rows}]


MOST_CATEGORIES = 12
"""Categories of a variable that is drawn over all candidates."""


def _mosaics(candidates: Sequence[Candidate]) -> list[Data]:
    """One variable over all candidates: shares of its categories, the original's above them.

    Where a candidate recoded the variable, the original is drawn recoded alike above it, and says
    so; once for all candidates that have the same categories.
    """
    found: dict[str, list[list[Any]]] = {}
    above: dict[str, set[tuple[str, ...]]] = {}
    taken = {candidate.name for candidate in candidates}
    for candidate in sorted(candidates, key=lambda c: _recodings(c.assessment)):
        for detail in _drawn(candidate.assessment):
            c = detail.categories
            if c is None or len(c.labels) > MOST_CATEGORIES:
                continue
            rows = found.setdefault(detail.name, [])
            before = above.setdefault(detail.name, set())
            if (kind := tuple(sorted(c.labels)) if c.recoded else ()) not in before:
                before.add(kind)
                said = (
                    say("original, recoded as in {name}", name=candidate.name)
                    if c.recoded
                    else say("original")
                )
                rows += _shares(_not_in(said, taken), c.labels, c.before)
            rows += _shares(candidate.name, c.labels, c.after)
    return [{"name": name, "rows": rows} for name, rows in found.items()]


def _recodings(result: Assessment) -> int:
    """How many variables were recoded: the original as it is comes with those that have fewest."""
    return sum(d.categories is not None and d.categories.recoded for d in _drawn(result))


def _shares(name: str, labels: Sequence[str], shares: Sequence[float]) -> list[list[Any]]:
    return [[name, label, _short(share)] for label, share in zip(labels, shares, strict=True)]


def _not_in(name: str, taken: Collection[str]) -> str:
    """The name, marked where a candidate has it."""
    while name in taken:
        name = say("{name} *", name=name)
    return name


def _drawn(result: Assessment) -> tuple[VariableDetail, ...]:
    return () if result.details is None else result.details.variables


def _short(value: float) -> float:
    return float(f"{value:.4g}")
