"""From a ranking to the data inside a report: the choice, and each candidate's report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microgauge.render.charts import closer_spec, crowded, levels_spec, map_spec
from microgauge.render.ranking import (
    RISKS,
    cluster_vote_words,
    limits_said,
    missed_said,
    stability,
    verdict,
)
from microgauge.render.report.data import Data, assessment_data, compared, day, explanations
from microgauge.results import Assessment, Candidate, Edition, Ranking, VariableDetail
from microgauge.results.figures import utility_title
from microgauge.results.verdict import Verdict
from microgauge.results.wording import begun

MOST_REPORTS = 20


def ranking_data(result: Ranking, edition: Edition, threshold: int) -> Data:
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
        "regressions": [] if public else _over_candidates(shown),
        "mosaics": [] if public else _mosaics(shown),
        "explain": explanations(result.candidates[0].assessment, edition),
    }
    if public:
        data["verdict"] = [
            f"{len(result.candidates)} protected versions of one original, side by side."
        ]
        data["left_out"] = next(r["left_out"] for r in data["reports"] if r)
        return data
    for report in data["reports"]:
        if report and "decision" in report:
            report["decision"]["map"]["original_risk"] = result.original_risk
    data |= {
        "verdict": [*verdict(result), f"{stability(result)}."],
        "choice": _choice(result),
        "table": _candidates(result),
        "risk": f"Risk: {RISKS[result.risk_measure]}. Utility: "
        f"{utility_title(result.utility_measure)}.",
        "limits": limits_said(result),
        "outside": [
            [c.name, f"{missed_said(c)}."] for c in result.candidates if not c.keeps_limits
        ],
        "steps": [
            [step.start, step.end, step.risk, step.utility, step.cost] for step in result.steps
        ],
        "equals": [one.name for one in result.recommended.equals],
        "recommended": result.recommended.name,
        "frontier": list(result.frontier),
        "map": map_spec(result),
        "closer": closer_spec(result) if crowded(result) and not result.explored else None,
        "levels": closer_spec(result) if result.explored else levels_spec(result),
        "settings": [c.said for c in result.candidates] if result.explored else None,
        "clusters": cluster_vote_words(result),
        "sweep": [[step.alpha, step.leader] for step in result.sweep],
        "notes": list(result.notes),
    }
    return data


def _choice(result: Ranking) -> Data:
    """Which, why, and what speaks against it: each a sentence."""
    found = result.recommended
    return {
        "name": found.name,
        "settings": "" if result.best is None else result.best.said,
        "reason": _sentence(found.reason, result),
        "against": None if found.against is None else _sentence(found.against, result),
        "title": next((v.title for v in _verdicts(result) if v.title), None),
    }


def _sentence(said: str, result: Ranking) -> str:
    """With a capital letter, unless it begins with a name."""
    named = any(said.startswith(c.name) for c in result.candidates)
    return f"{said if named else begun(said)}."


def _verdicts(result: Ranking) -> list[Verdict]:
    found = (c.assessment.verdict for c in result.candidates)
    return [verdict for verdict in found if verdict is not None]


def _compared(result: Ranking, public: bool) -> list[list[str]]:
    """The original, how many candidates, and by what."""
    first = result.candidates[0].assessment
    rows = compared(first, public)
    several = ["candidates", f"{len(result.candidates):,}"]
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
        "heads": ["useful", "safe", "utility", "risk", "k"],
        "keys": ["verdict", "verdict", shown_as, measure, "k"],
        "rows": rows,
    }


def _figures(result: Ranking, public: bool) -> Data:
    """The other figures; of a public report, those that data users may see."""
    heads = ["GDU", "variables", "pairs", "U_p ratio"]
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


def _over_candidates(candidates: Sequence[Candidate]) -> list[Data]:
    """Each coefficient: the original's interval on top, one interval for each candidate below.

    In order of the expected number of re-identifications where risk was measured.
    """
    ordered = sorted(
        candidates,
        key=lambda c: (
            0.0 if c.assessment.risk is None else -c.assessment.risk.expected_reidentifications
        ),
    )
    found = []
    first = candidates[0].assessment.regressions or ()
    for place, regression in enumerate(first):
        terms = []
        for coefficient in regression.coefficients:
            if coefficient.original is None or coefficient.original_ci is None:
                continue
            rows: list[list[Any]] = [["original", coefficient.original, *coefficient.original_ci]]
            for candidate in ordered:
                here = (candidate.assessment.regressions or ())[place]
                same = next((c for c in here.coefficients if c.term == coefficient.term), None)
                if same is not None and same.protected is not None and same.protected_ci:
                    rows.append([candidate.name, same.protected, *same.protected_ci])
            terms.append({"name": coefficient.term, "rows": rows})
        found.append({"title": regression.formula, "terms": terms})
    return found


def _mosaics(candidates: Sequence[Candidate]) -> list[Data]:
    """One variable over all candidates: shares of its categories."""
    found: dict[str, list[list[Any]]] = {}
    for candidate in candidates:
        for detail in _drawn(candidate.assessment):
            c = detail.categories
            if c is None or len(c.labels) > 12:
                continue
            rows = found.setdefault(detail.name, [])
            rows += [
                [candidate.name, label, _short(share)]
                for label, share in zip(c.labels, c.after, strict=True)
            ]
    return [{"name": name, "rows": rows} for name, rows in found.items()]


def _drawn(result: Assessment) -> tuple[VariableDetail, ...]:
    return () if result.details is None else result.details.variables


def _short(value: float) -> float:
    return float(f"{value:.4g}")
