"""What happened, in the words of a methodologist."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.results import (
    GDU,
    CoefficientResult,
    IndicatorResult,
    Loss,
    ModelScore,
    PairScore,
    PropensityResult,
    RegressionResult,
    Risk,
    SensitiveRisk,
    VariableResult,
    VariableScore,
    Yardstick,
)

SYMBOLS = {
    "chi-squared": "V²",
    "kruskal-wallis": "ε²",
    "anova": "η²",
    "spearman": "ρ²",
    "pearson": "r²",
}


def figure(value: float | None, digits: int = 3) -> str:
    """A figure, or a dash for one that is not defined.

    >>> figure(0.12345), figure(None)
    ('0.123', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"


def scientific(value: float | None) -> str:
    """A figure that may be very small.

    >>> scientific(0.0213), scientific(3.2e-7), scientific(0.0)
    ('0.0213', '3.2e-07', '0')
    """
    return "–" if value is None else f"{value:.3g}"


def probability(p: float | None) -> str:
    """A p-value.

    >>> probability(0.04321), probability(3.2e-9), probability(0.0)
    ('0.043', '3e-09', '<1e-300')
    """
    if p is None:
        return "–"
    if p < 1e-300:
        return "<1e-300"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"


def effect(value: float | None) -> str:
    """A squared coefficient, with more digits where it is small."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value >= 0.01 else f"{value:.2g}"


def variable_story(fact: VariableResult, score: VariableScore) -> str:
    """What happened to a variable.

    Every part is a fact of the result: removal, recoding, suppressed cells, a changed distribution.
    """
    if fact.removed:
        return "removed"
    if score.reason is not None and score.utility is None:
        return score.reason
    parts = [_recoding_story(fact)] if fact.recoding is not None else []
    added = (fact.missing_protected or 0) - fact.missing_original
    if added > 0:
        parts.append(f"{added:,} more cells missing")
    if score.p is not None and score.p < 0.05:
        parts.append("distribution changed")
    elif fact.recoding is None and not parts:
        parts.append("distribution kept")
    return ", ".join(parts)


def _recoding_story(fact: VariableResult) -> str:
    recoding = fact.recoding
    assert recoding is not None
    said: str = recoding.form
    if recoding.form in ("merged", "banded"):
        said += f" into {len(recoding.map)} group{'s' if len(recoding.map) != 1 else ''}"
    if recoding.how == "inferred":
        said += " (inferred)"
    return f"{said}, keeps {figure(recoding.utility, 2)}"


def pair_story(pair: PairScore) -> str:
    """What happened to a pair."""
    if pair.outcome is None:
        return f"not tested: {pair.reason}"
    if pair.outcome == "none":
        return "no association before or after"
    if pair.outcome == "lost":
        if pair.p_protected is None:
            return f"lost: {_before(pair)}, no test possible after"
        return f"lost: {_before(pair)}, gone after (p {probability(pair.p_protected)})"
    if pair.outcome == "gained":
        return (
            f"appeared: none before (p {probability(pair.p_original)}), "
            f"{_symbol(pair, protected=True)} {effect(pair.coefficient_protected)} after"
        )
    if pair.outcome == "reversed":
        flipped = "signs flipped" if pair.signs_flipped else "signs mostly kept"
        return f"reversed, or about doubled: {_change(pair)}, {flipped}"
    return f"{_strength(pair)}: {_change(pair)}"


def _symbol(pair: PairScore, *, protected: bool = False) -> str:
    test = pair.test_protected if protected else pair.test
    return SYMBOLS.get(test or "", "")


def _before(pair: PairScore) -> str:
    return f"{_symbol(pair)} {effect(pair.coefficient_original)} before"


def _change(pair: PairScore) -> str:
    after = _symbol(pair, protected=True)
    after = "" if after == _symbol(pair) else f"{after} "
    return (
        f"{_symbol(pair)} {effect(pair.coefficient_original)} → "
        f"{after}{effect(pair.coefficient_protected)}"
    )


def _strength(pair: PairScore) -> str:
    before, after = pair.coefficient_original or 0.0, pair.coefficient_protected or 0.0
    if (pair.utility or 0.0) > 0.995:
        return "kept"
    return "weaker" if after < before else "stronger"


def model_story(model: ModelScore) -> str:
    """What happened to a model."""
    if model.reason is not None:
        return model.reason
    lost = [term.term for term in model.terms if term.utility == 0]
    change = f"{figure(model.statistic_original)} → {figure(model.statistic_protected)}"
    return change + (f"; lost: {', '.join(lost)}" if lost else "")


def propensity_story(result: PropensityResult) -> str:
    """Whether the files can be told apart, in a sentence."""
    if result.value is None or result.ratio is None:
        return f"not defined: {result.reason}"
    return (
        f"{_told(result.ratio)}: U_p is {ratio_words(result.ratio)} a resample of the original "
        f"would have ({result.model}, {result.terms} terms)"
    )


def _told(ratio: float) -> str:
    if ratio < 3:
        return "hardly to be told apart"
    return "can be told apart" if ratio < 10 else "told apart beyond chance"


def ratio_words(ratio: float) -> str:
    """A ratio to the expectation.

    >>> ratio_words(1.04), ratio_words(23.4)
    ('1.0 times what', '23 times what')
    """
    return f"{ratio:.1f} times what" if ratio < 10 else f"{ratio:,.0f} times what"


def giveaways(result: PropensityResult, most: int = 4) -> list[str]:
    """The variables whose absence makes the files most alike, those that matter first."""
    value = result.value or 0.0
    drops = [v for v in result.variables if v.drop is not None and v.drop > 0.05 * value]
    return [v.name for v in sorted(drops, key=lambda v: -(v.drop or 0.0))[:most]]


def yardstick_story(gdu: GDU | None, yardsticks: Sequence[Yardstick]) -> list[str]:
    """Where the protected file stands among files whose loss is known."""
    if gdu is None:
        return []
    found = []
    for half, words in (("univariate", "Variables"), ("bivariate", "Pairs")):
        value = getattr(gdu, half)
        known = [(getattr(y, half), y.name) for y in yardsticks if getattr(y, half) is not None]
        if value is not None and known:
            found.append(f"{words} fare {_among(value, sorted(known))}.")
    return found


def _among(value: float, known: list[tuple[float, str]]) -> str:
    """Between which yardsticks a value lies, worst first.

    >>> _among(0.8, [(0.3, "1% sample"), (0.7, "10% sample"), (0.9, "50% sample")])
    'between a 10% sample (0.70) and a 50% sample (0.90)'
    """
    near = min(known, key=lambda entry: abs(entry[0] - value))
    if abs(near[0] - value) < 0.01:
        return f"like {_named(near)}"
    below = [entry for entry in known if entry[0] <= value]
    above = [entry for entry in known if entry[0] > value]
    if not below:
        return f"worse than {_named(known[0])}"
    if not above:
        return f"better than {_named(known[-1])}"
    return f"between {_named(below[-1])} and {_named(above[0])}"


def _named(entry: tuple[float, str]) -> str:
    value, name = entry
    return f"{'' if name.startswith('columns') else 'a '}{name} ({value:.2f})"


def loss_stories(loss: Loss, most: int = 4) -> list[tuple[str, str]]:
    """What changed, line by line: a heading and a sentence."""
    found = []
    if loss.units is not None and loss.records_changed is not None:
        found.append(("records", _records_story(loss)))
        changed = sorted(loss.variables, key=lambda v: -(v.changed_share or 0.0))
        most_changed = [f"{v.name} {v.changed_share:.0%}" for v in changed if v.changed][:most]
        if most_changed:
            found.append(("", f"most of all {', '.join(most_changed)}"))
    if loss.il1s is not None:
        said = f"IL1s {scientific(loss.il1s)}, IL1 {scientific(loss.il1)}"
        far = [v for v in loss.variables if v.il1s]
        far.sort(key=lambda v: -(v.il1s or 0.0))
        names = ", ".join(f"{v.name} {scientific(v.il1s)}" for v in far[:most])
        found.append(("distance", f"{said}{f' (IL1s of {names})' if names else ''}"))
    if loss.gcp is not None:
        coarse = [f"{v.name} {figure(v.ncp)}" for v in loss.variables if v.ncp is not None]
        found.append(("coarsening", f"GCP {figure(loss.gcp)} (NCP of {', '.join(coarse[:most])})"))
    if loss.ctbil is not None:
        found.append(("tables", _tables_story(loss)))
    found += _matrices_story(loss)
    if loss.reason is not None:
        found.append(("not defined", loss.reason))
    return found


def _records_story(loss: Loss) -> str:
    said = f"{loss.records_changed:,} of {loss.units:,} units changed in some variable"
    if loss.records_changed_recoded != loss.records_changed:
        said += f"; {loss.records_changed_recoded:,} beyond recoding"
    return said


def _tables_story(loss: Loss) -> str:
    said = f"CTBIL {loss.ctbil:,.0f} in {len(loss.tables)} tables, AAD {scientific(loss.aad)}"
    moved = [table for table in loss.tables if (table.moved or 0.0) > 0]
    if not moved:
        return f"{said}; no unit in another cell"
    worst = max(moved, key=lambda table: table.moved or 0.0)
    return f"{said}; {worst.moved:.0%} in another cell of {' × '.join(worst.variables)}"


def _matrices_story(loss: Loss) -> list[tuple[str, str]]:
    correlation = loss.matrices.get("correlation")
    if correlation is None or correlation.mae is None:
        return []
    said = f"correlations differ by {scientific(correlation.mae)} on average"
    if loss.eigenvalues is not None:
        said += f", eigenvalues by {scientific(loss.eigenvalues)}"
    if loss.eigenvalues_robust is not None:
        said += f" (robust {scientific(loss.eigenvalues_robust)})"
    return [("statistics", said)]


def interval_words(value: float | None, bounds: tuple[float, float] | None) -> str:
    """An estimate with its interval, short.

    >>> interval_words(41234.5, (40000.0, 42000.0)), interval_words(0.51, None)
    ('41,200 ± 1,000', '0.51')
    """
    if value is None:
        return "–"
    if bounds is None:
        return short(value)
    return f"{short(value)} ± {short((bounds[1] - bounds[0]) / 2)}"


def short(value: float) -> str:
    """Three digits that count.

    >>> short(41234.5), short(0.0512345), short(0.0)
    ('41,200', '0.0512', '0')
    """
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 1000 else f"{rounded:g}"


def indicator_name(result: IndicatorResult) -> str:
    """The indicator with its group."""
    return result.name if result.group is None else f"{result.name}, {result.by} {result.group}"


def regression_story(result: RegressionResult, most: int = 3) -> list[str]:
    """How a regression fares, in sentences."""
    if result.overlap is None:
        return [f"not comparable: {result.reason}"]
    terms = result.coefficients
    said = f"mean overlap {figure(result.overlap, 2)} of {len(terms)} coefficients; "
    other = [c.term for c in terms if not (c.same_sign and c.same_verdict)]
    said += f"another sign or verdict: {', '.join(other)}" if other else "same signs and verdicts"
    weakest = sorted(terms, key=lambda c: c.overlap or 0.0)[:most]
    return [said, "weakest: " + "; ".join(_coefficient_words(c) for c in weakest)]


def _coefficient_words(c: CoefficientResult) -> str:
    assert c.original is not None
    assert c.protected is not None
    return f"{c.term} {figure(c.overlap, 2)} ({short(c.original)} → {short(c.protected)})"


def risk_stories(risk: Risk, most: int = 4) -> list[tuple[str, str]]:
    """How risky a file is, line by line: a heading and a sentence."""
    missing = "is a value of its own" if risk.missing_keys == "value" else "matches any value"
    found = [
        ("keys", f"{', '.join(risk.keys)} (a missing one {missing})"),
        ("risk", _total_story(risk)),
        (
            "classes",
            f"smallest {risk.k}; {risk.uniques:,} of {risk.records:,} records unique "
            f"({risk.uniques / risk.records:.1%}), {risk.classes['3'].share:.1%} in classes of at "
            "most 3",
        ),
    ]
    if risk.individual.sum is not None:
        found.append(
            ("population", f"{short(risk.individual.sum)} re-identifications by sampling weights")
        )
    for place, sensitive in enumerate(risk.sensitive):
        found.append(("" if place else "sensitive", _sensitive(sensitive)))
    ranked = sorted((risk.suda.contributions or {}).items(), key=lambda item: -item[1])
    held = ", ".join(f"{name} {share:.0f}%" for name, share in ranked[:most] if share > 0)
    if held:
        found.append(("special", f"unique by few variables, with {held}"))
    if risk.linkage is not None:
        found.append(("linkage", f"{risk.linkage:.1%} of records nearest to their own original"))
    return found


def _total_story(risk: Risk) -> str:
    if risk.total is None:
        return f"not defined: {risk.reason}"
    said = f"{figure(risk.total)} (internal {figure(risk.internal)}"
    if risk.external is not None:
        said += f", external {figure(risk.external)}; {risk.combine}"
    return f"{said}); {risk.expected_reidentifications:,.0f} expected re-identifications"


def _sensitive(found: SensitiveRisk) -> str:
    if found.distinct_l is None:
        return f"{found.name}: {found.reason}"
    return (
        f"{found.name}: {found.distinct_l}-diverse (entropy {figure(found.entropy_l, 2)}, "
        f"recursive {found.recursive_l}), t {figure(found.t, 2)}"
    )
