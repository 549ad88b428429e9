"""From a result to the data inside a report. What a page must not show is not in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microgauge.render.charts import closer_spec, levels_spec, map_spec
from microgauge.render.report.explain import EXPLAIN
from microgauge.render.report.public import (
    may_be_told,
    public_detail,
    public_indicators,
    public_labels,
    public_missing,
)
from microgauge.render.text import weakest_pairs
from microgauge.render.words import (
    figure,
    giveaways,
    indicator_name,
    loss_stories,
    pair_story,
    probability,
    propensity_story,
    risk_stories,
    scientific,
    variable_story,
    yardstick_story,
)
from microgauge.results import (
    Assessment,
    Candidate,
    Details,
    Edition,
    IndicatorResult,
    Ranking,
    RegressionResult,
    VariableDetail,
    VariableScore,
)

Data = dict[str, Any]

THRESHOLD = 10
MOST_REPORTS = 20
"""Records that a figure of the public edition must rest on."""
MOST_WEAKEST = 200

LEFT_OUT = (
    "risk of re-identification, and its balance with utility",
    "how variables were protected: recodings, suppressed and changed cells",
    "values of the original: smallest and largest ones, and categories the protected file lacks",
    "tables of pairs, cell by cell",
)


def assessment_data(result: Assessment, edition: Edition, threshold: int) -> Data:
    """Everything a report of one protected file shows."""
    public = edition == "public"
    data: Data = {
        "kind": "assess",
        "edition": edition,
        "verdict": _verdict(result),
        "figures": _figures(result, public),
        "compared": _compared(result, public),
        "variables": _variables(result, public, threshold),
        "pairs": _pairs(result, public),
        "whole": _whole(result),
        "indicators": _indicators(result.indicators or (), public, threshold),
        "regressions": [],
        "yardsticks": _yardsticks(result),
        "explain": EXPLAIN if not public else _public_explain(),
    }
    told = public_labels(data["variables"]) if public else None
    data["regressions"] = [
        _regression(r, told)
        for r in result.regressions or ()
        if not public or min(r.units_original or 0, r.units_protected or 0) >= threshold
    ]
    if public:
        data["left_out"] = [
            *LEFT_OUT,
            f"whatever rests on fewer than {threshold} records: categories, bins, groups, counts",
        ]
        return data
    data["notes"] = list(result.notes)
    data["loss"] = _loss(result)
    data["risk"] = _risk(result)
    data["rut"] = _rut(result)
    return data


def _public_explain() -> Data:
    hidden = ("risk", "k", "rut", "rut_utility", "linkage", "il1s", "gcp", "ctbil", "eigenvalues")
    return {name: words for name, words in EXPLAIN.items() if name not in hidden}


# -- top -------------------------------------------------------------------------------------


def _verdict(result: Assessment) -> list[str]:
    """Two sentences: what is left, and whether the files can be told apart."""
    gdu = result.gdu
    said = []
    if gdu is not None and gdu.value is not None:
        said.append(
            f"The protected file keeps {gdu.value:.0%} of its utility by this measure: "
            f"{figure(gdu.univariate, 2)} over the distributions of {len(gdu.variables)} "
            f"variables, {figure(gdu.bivariate, 2)} over the associations of "
            f"{gdu.coverage.tested} pairs."
        )
    if result.propensity is not None and result.propensity.ratio is not None:
        said.append(f"As a whole the two files are {propensity_story(result.propensity)}.")
    return said or ["No overall figure was computed."]


def _figures(result: Assessment, public: bool) -> list[Data]:
    gdu, propensity = result.gdu, result.propensity
    found = []
    if gdu is not None:
        found += [
            _figure("gdu", "Global data utility", gdu.value, main=True),
            _figure("univariate", "variables", gdu.univariate),
            _figure("bivariate", "pairs", gdu.bivariate),
        ]
    if propensity is not None:
        found.append(_figure("propensity", "told apart: U_p ratio", propensity.ratio))
    if not public:
        if result.risk is not None:
            found.append(_figure("risk", "risk", result.risk.total))
        if result.rut is not None:
            found.append(_figure("rut", "balance (RUT)", result.rut.value))
    return found


def _figure(key: str, label: str, value: float | None, *, main: bool = False) -> Data:
    return {"key": key, "label": label, "value": value, "main": main}


def _compared(result: Assessment, public: bool) -> list[list[str]]:
    inputs = result.inputs
    rows = [
        ["original", f"{inputs.original.rows:,} rows × {inputs.original.columns}"],
        ["protected", f"{inputs.protected.rows:,} rows × {inputs.protected.columns}"],
    ]
    if not public:
        rows[0].append(inputs.original.path)
        rows[1].append(inputs.protected.path)
        rows.append(["alignment", inputs.alignment.how, inputs.alignment.reason])
    rows.append(["seed", str(inputs.seed)])
    rows.append(["microgauge", result.microgauge])
    return rows


# -- variables -------------------------------------------------------------------------------


def _variables(result: Assessment, public: bool, threshold: int) -> list[Data]:
    facts = {variable.name: variable for variable in result.variables}
    details = {d.name: d for d in _details(result).variables}
    scores = result.gdu.variables if result.gdu is not None else ()
    known = {score.name: score for score in scores}
    names = list(known) or [name for name in facts if name in details]
    found = []
    for name in names:
        score, fact = known.get(name), facts[name]
        detail = details.get(name)
        entry: Data = {
            "name": name,
            "type": fact.type,
            "utility": None if score is None else score.utility,
            "pairs": None if score is None else score.bivariate_utility,
            "p": None if score is None else probability(score.p),
            "p_value": None if score is None else score.p,
            "test": None if score is None else score.test,
            "missing": public_missing(fact, threshold)
            if public
            else [fact.missing_original, fact.missing_protected],
            "detail": _detail(detail, public, threshold),
        }
        if public:
            entry["story"] = _public_story(score)
            if entry["detail"] is None and not fact.removed:
                # A p-value of few records would tell how many they are.
                entry |= {"utility": None, "pairs": None, "p": None, "p_value": None, "test": None}
                entry["story"] = "not told: it rests on few records"
        else:
            entry["story"] = "" if score is None else variable_story(fact, score)
            entry["reason"] = None if score is None else score.reason
            if fact.recoding is not None:
                recoding = fact.recoding
                entry["recoding"] = {
                    "how": recoding.how,
                    "form": recoding.form,
                    "utility": recoding.utility,
                    "map": [_map_row(row) for row in recoding.map[:200]],
                }
        found.append(entry)
    return found


def _map_row(row: dict[str, Any]) -> list[str]:
    """Where to, and from what."""
    to = str(row.get("to", ""))
    if "low" in row and "high" in row:
        return [to, f"{row['low']:g} to {row['high']:g}"]
    return [to, _listed(row.get("from", ""))]


def _listed(values: Any, most: int = 12) -> str:
    if not isinstance(values, list | tuple):
        return str(values)
    shown = ", ".join(str(value) for value in values[:most])
    return shown + (f" and {len(values) - most} more" if len(values) > most else "")


def _public_story(score: VariableScore | None) -> str:
    if score is None or score.utility is None:
        return "not measured"
    if score.reason == "removed":
        return "not in the protected file"
    if score.p is not None and score.p < 0.05:
        return "distribution changed"
    return "distribution kept"


def _details(result: Assessment) -> Details:
    return result.details or Details(variables=(), axes=(), pairs=(), left_out=0)


def _detail(detail: VariableDetail | None, public: bool, threshold: int) -> Data | None:
    if detail is None:
        return None
    if public:
        return public_detail(detail, threshold)
    found: Data = {"reason": detail.reason}
    if detail.numbers is not None:
        n = detail.numbers
        found |= {
            "edges": n.edges,
            "before": _short(n.before),
            "after": _short(n.after),
            "density": [[_round(v) for v in point] for point in n.density],
            "boxes": [_short(n.box_before), _short(n.box_after)],
        }
    if detail.categories is not None:
        c = detail.categories
        found |= {
            "labels": c.labels,
            "before": _short(c.before),
            "after": _short(c.after),
            "others": c.others,
        }
    return found


def _round(value: float) -> float:
    return float(f"{value:.4g}")


def _short(values: Sequence[float]) -> list[float]:
    return [_round(value) for value in values]


# -- pairs -----------------------------------------------------------------------------------


def _pairs(result: Assessment, public: bool) -> Data:
    if result.gdu is None:
        return {"names": [], "matrix": [], "weakest": []}
    pairs = result.gdu.pairs
    names = list(dict.fromkeys(name for p in pairs for name in (p.a, p.b)))
    place = {name: i for i, name in enumerate(names)}
    found: Data = {
        "names": names,
        "matrix": [
            [place[p.a], place[p.b], None if p.utility is None else round(p.utility, 3)]
            for p in pairs
        ],
        "weakest": [
            [place[p.a], place[p.b], _round(p.utility or 0.0), pair_story(p)]
            for p in weakest_pairs(pairs)[:MOST_WEAKEST]
        ],
        "stories": {
            f"{place[p.a]},{place[p.b]}": pair_story(p) for p in pairs
        },
        "coverage": [result.gdu.coverage.tested, result.gdu.coverage.pairs],
    }  # fmt: skip
    if not public:
        details = _details(result)
        found["axes"] = {
            a.name: {"labels": a.labels} if a.labels else {"edges": a.edges} for a in details.axes
        }
        found["tables"] = {
            f"{place[d.a]},{place[d.b]}": [_per_mille(d.before), _per_mille(d.after)]
            for d in details.pairs
        }
        found["tables_left_out"] = details.left_out
    return found


def _per_mille(table: Sequence[Sequence[float]]) -> list[list[int]]:
    """Shares in ten-thousandths: short to write, fine enough to see."""
    return [[round(cell * 10_000) for cell in row] for row in table]


# -- whole file ------------------------------------------------------------------------------


def _whole(result: Assessment) -> Data:
    found: Data = {}
    propensity = result.propensity
    if propensity is not None:
        found["propensity"] = {
            "story": propensity_story(propensity),
            "value": propensity.value,
            "ratio": propensity.ratio,
            "auc": propensity.auc,
            "null_share": propensity.null_share,
            "percentiles": [propensity.percentiles_original, propensity.percentiles_protected],
            "drops": [
                [v.name, v.drop] for v in propensity.variables if v.drop is not None
            ],
            "giveaways": giveaways(propensity),
        }  # fmt: skip
    found["clusters"] = [
        [c.method, c.groups, scientific(c.value), c.reason] for c in result.clusters or ()
    ]
    if result.ecdf is not None:
        ecdf = result.ecdf
        found["ecdf"] = [scientific(ecdf.maximum), scientific(ecdf.mean_square), ecdf.reason]
    return found


def _yardsticks(result: Assessment) -> Data | None:
    if not result.yardsticks:
        return None
    gdu, propensity = result.gdu, result.propensity
    rows = [
        [y.name, y.gdu, y.univariate, y.bivariate, y.propensity_ratio] for y in result.yardsticks
    ]
    own = [
        "this protected file",
        None if gdu is None else gdu.value,
        None if gdu is None else gdu.univariate,
        None if gdu is None else gdu.bivariate,
        None if propensity is None else propensity.ratio,
    ]
    return {"rows": [*rows, own], "story": yardstick_story(gdu, result.yardsticks)}


# -- analyses --------------------------------------------------------------------------------


def _indicators(results: Sequence[IndicatorResult], public: bool, threshold: int) -> list[Data]:
    shown = public_indicators(results, threshold) if public else results
    return [
        {
            "name": indicator_name(i),
            "original": i.original,
            "original_ci": i.original_ci,
            "protected": i.protected,
            "protected_ci": i.protected_ci,
            "overlap": i.overlap,
            "reason": None if public else i.reason,
        }
        for i in shown
    ]


def _regression(result: RegressionResult, told: dict[str, frozenset[str]] | None) -> Data:
    """A regression; with `told`, only terms whose categories may be told."""
    shown = [c for c in result.coefficients if told is None or may_be_told(c, told)]
    overlaps = [c.overlap for c in shown if c.overlap is not None]
    where = f", where {result.where}" if result.where and told is None else ""
    return {
        "title": result.formula + where,
        "kind": result.kind,
        "overlap": None
        if result.overlap is None or not overlaps
        else sum(overlaps) / len(overlaps),
        "reason": result.reason if told is None else None,
        "terms": [
            {
                "name": c.term,
                "original": c.original,
                "original_ci": c.original_ci,
                "protected": c.protected,
                "protected_ci": c.protected_ci,
                "overlap": c.overlap,
                "same": None if c.same_sign is None else bool(c.same_sign and c.same_verdict),
            }
            for c in shown
        ],
    }


def _loss(result: Assessment) -> Data | None:
    if result.loss is None:
        return None
    return {
        "stories": loss_stories(result.loss),
        "variables": [
            [v.name, v.changed_share, v.il1s, v.ncp, v.missing.increase]
            for v in result.loss.variables
        ],
    }


def _risk(result: Assessment) -> Data | None:
    if result.risk is None:
        return None
    risk = result.risk
    return {
        "stories": risk_stories(risk),
        "classes": [[most, share.records, share.share] for most, share in risk.classes.items()],
        "suda": sorted((risk.suda.contributions or {}).items(), key=lambda item: -item[1]),
    }


def _rut(result: Assessment) -> Data | None:
    if result.rut is None:
        return None
    rut = result.rut
    return {
        "utility": rut.utility,
        "value": rut.value,
        "loss": rut.loss,
        "similarity": rut.similarity,
        "alpha": rut.alpha,
        "beta": rut.beta,
        "meets": rut.meets_limits,
        "reason": rut.reason,
        "attributes": [
            [a.name, a.kind, a.loss_measure, a.loss, a.similarity_measure, a.similarity]
            for a in rut.attributes
        ],
        "sweep": [[step.alpha, step.value] for step in rut.sweep],
    }


# -- candidates ------------------------------------------------------------------------------


def ranking_data(result: Ranking, edition: Edition, threshold: int) -> Data:
    """Everything a report of several candidates shows: the choice, and each candidate's report."""
    public = edition == "public"
    whole = _with_report(result)
    shown = [c for c in result.candidates if c.name in whole]
    data: Data = {
        "kind": "rank",
        "edition": edition,
        "candidates": [c.name for c in result.candidates],
        "reports": [
            assessment_data(c.assessment, edition, threshold) if c.name in whole else None
            for c in result.candidates
        ],
        "table": _candidates(result, public),
        "regressions": [] if public else _over_candidates(shown),
        "mosaics": [] if public else _mosaics(shown),
        "explain": EXPLAIN if not public else _public_explain(),
    }
    if public:
        data["verdict"] = [
            f"{len(result.candidates)} protected versions of one original, side by side."
        ]
        data["left_out"] = next(r["left_out"] for r in data["reports"] if r)
        return data
    name = result.recommended.name
    said = f"Release {name}" if name is not None else "Release none"
    if result.best is not None and result.best.said:
        said += f" ({result.best.said})"
    stable = "does not depend" if result.stable else "depends"
    data |= {
        "verdict": [
            f"{said}: {result.recommended.reason}.",
            f"The choice {stable} on the weight given to utility.",
        ],
        "recommended": name,
        "frontier": list(result.frontier),
        "map": map_spec(result),
        "levels": closer_spec(result) if result.explored else levels_spec(result),
        "settings": [c.said for c in result.candidates] if result.explored else None,
        "sweep": [[step.alpha, step.leader] for step in result.sweep],
        "notes": list(result.notes),
    }
    return data


def _with_report(result: Ranking) -> set[str]:
    """Candidates with a report of their own: all, or of a large grid those on the frontier."""
    if not result.explored or len(result.candidates) <= MOST_REPORTS:
        return {c.name for c in result.candidates}
    first = result.candidates[0].name
    return {*result.frontier, result.recommended.name or first}


def _candidates(result: Ranking, public: bool) -> Data:
    heads = ["GDU", "variables", "pairs", "U_p ratio"]
    keys = ["gdu", "univariate", "bivariate", "propensity"]
    if not public:
        heads = ["risk", "k", "utility", "RUT", *heads, "IL1s"]
        keys = ["risk", "k", "rut_utility", "rut", *keys, "il1s"]
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
            shown = [
                candidate.risk,
                None if a.risk is None else a.risk.k,
                candidate.utility,
                candidate.balance,
                *shown,
                None if a.loss is None else a.loss.il1s,
            ]
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
        for detail in _details(candidate.assessment).variables:
            c = detail.categories
            if c is None or len(c.labels) > 12:
                continue
            rows = found.setdefault(detail.name, [])
            rows += [
                [candidate.name, label, _round(share)]
                for label, share in zip(c.labels, c.after, strict=True)
            ]
    return [{"name": name, "rows": rows} for name, rows in found.items()]
