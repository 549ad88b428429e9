"""Rankings and diagnoses on a terminal, within 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.render.short import Rows, fitted, told_lines
from microgauge.render.text import WIDTH, notes_text, padded, wrapped
from microgauge.results import (
    Candidate,
    Diagnosis,
    LevelPreview,
    Ranking,
    SubsetRisk,
    VariableDiagnosis,
)
from microgauge.results.figures import utility_title
from microgauge.results.left_in import stops
from microgauge.results.names import columns_of, cut, plain, shortened
from microgauge.results.requirements import limit_said
from microgauge.results.wording import counted, figure, per_cent, rounded_per_cent

MOST_SUBSETS = 10
MOST_CANDIDATES = 60
MOST_LEADERS = 5
MOST_OUTSIDE = 12
FEW_SUBSETS = 5


@dataclass(frozen=True)
class Amounts:
    """How much of a ranking is shown."""

    candidates: int = MOST_CANDIDATES
    outside: int = MOST_OUTSIDE
    along: int | None = None
    """Steps along the frontier, and settings of those on it; None: all."""
    expert: bool = True
    """Whether figures are shown that need to be explained."""


ALL = Amounts()
FEW = Amounts(candidates=10, outside=3, along=4, expert=False)


def ranking_text(result: Ranking) -> str:
    """The recommendation, the candidates side by side, and how stable the choice is."""
    parts = [
        *_ranked(result, ALL),
        "\n".join(wrapped(cluster_vote_words(result), "", "  ")),
        notes_text(_notes(result)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def short_ranking(result: Ranking, ending: Rows, more: str) -> str:
    """The same within a screen."""
    notes = _notes(result)
    asides = [("notes", f"{len(notes):,} on how it was measured: {more}")] if notes else []
    text = "\n\n".join(part for part in _ranked(result, FEW) if part)
    return "\n".join(fitted(text.split("\n"), told_lines([*asides, *ending]), more)) + "\n"


def _ranked(result: Ranking, amounts: Amounts) -> list[str]:
    balances = balances_said(result) if amounts.expert else []
    return [
        "\n".join(line for said in verdict(result) for line in wrapped(said, "", "  ")),
        _table(result, amounts),
        _outside(result, amounts.outside),
        _steps(result, amounts.along) if result.max_risk is None else "",
        _settings(result, amounts.along),
        _sweep(result),
        "\n".join(line for one in balances for line in wrapped(one, "", "  ")),
    ]


def _called(result: Ranking, most: int = 40) -> dict[str, str]:
    """What candidates are called where there is so much room, each told from every other."""
    return shortened([candidate.name for candidate in result.candidates], most)


def verdict(result: Ranking) -> list[str]:
    """Which to release and why, what speaks against it, and who else is as good."""
    found, name = result.recommended, result.recommended.name
    said = _which(result)
    if result.best is not None and result.best.said:
        said += say(" ({said})", said=plain(result.best.said))
    told = [say("{said}: {reason}.", said=said, reason=plain(found.reason))]
    if found.against is not None:
        told.append(say("Against it: {against}.", against=plain(found.against)))
    if found.equals:
        told.append(say("As useful as far as can be told: {equals}.", equals=_equals(result)))
    if name is None and result.max_risk is None and result.leader is not None:
        told.append(leading(result))
    return told


def _which(result: Ranking) -> str:
    name = result.recommended.name
    if name is not None:
        return say("Release {called}", called=_called(result)[name])
    return UNDECIDED if undecided(result) else say("Release none")


UNDECIDED = say("No version is recommended yet")


def undecided(result: Ranking) -> bool:
    """Whether none is recommended only because nobody said how much risk is too much."""
    if result.recommended.name is not None or result.max_risk is not None:
        return False
    return any(c.keeps_limits and not stops(c.assessment.left_in) for c in result.candidates)


def _equals(result: Ranking) -> str:
    found = []
    for one in result.recommended.equals:
        said = _called(result)[one.name]
        if one.name != result.recommended.best:
            said += say(" ({beside_best})", beside_best=_beside_best(*one.interval))
        found.append(said)
    return strung(found, ", ")


def _beside_best(low: float, high: float) -> str:
    """By how much one is below the best; negative: above.

    >>> _beside_best(0.001, 0.02), _beside_best(-0.001, 0.02)
    ('below the best by 0.001 to 0.020', 'from 0.001 above the best to 0.020 below')
    """
    if low == high == 0:
        return say("just as useful")
    if low < 0:
        return say(
            "from {value} above the best to {high} below", value=figure(-low), high=figure(high)
        )
    return say("below the best by {low} to {high}", low=figure(low), high=figure(high))


def leading(result: Ranking) -> str:
    """Who has the best balance, which recommends nobody."""
    rut = next(c.assessment.rut for c in result.candidates if c.assessment.rut is not None)
    weights = say("{alpha:g} of utility and {beta:g} of safety", alpha=rut.alpha, beta=rut.beta)
    how = (
        say("the best ratio of utility to risk on the map")
        if rut.form == "ratio"
        else say("the lead on the map with {weights}", weights=weights)
    )
    assert result.leader is not None
    return say(
        "{called} has {how}, which is no recommendation.",
        called=_called(result)[result.leader],
        how=how,
    )


def _table(result: Ranking, amounts: Amounts) -> str:
    width = min(max(columns_of(c.name) for c in result.candidates), 13 if amounts.expert else 30)
    expert = "  U_p ratio   IL1s" if amounts.expert else ""
    lines = [
        "Candidates (* recommended, = as useful, + on the frontier: beaten by none)",
        f"    {'':<{width}}   risk      k   unique  utility    RUT    GDU{expert}",
    ]
    shown, equals = _shown(result, amounts), {one.name for one in result.recommended.equals}
    names = _called(result, width)
    for candidate in shown:
        mark = "+" if candidate.name in result.frontier else " "
        chosen = candidate.name == result.recommended.name
        mark += "*" if chosen else "=" if candidate.name in equals else " "
        row = _row(candidate, amounts)
        lines.append(f" {mark} {padded(names[candidate.name], width)}  {row}".rstrip())
    if len(shown) < len(result.candidates):
        lines.append(f"    and {_others(result, shown)}; all are in the result")
    if result.limits:
        lines += wrapped(f"limits: {', '.join(limits_said(result))}", "    ", "      ")
    lines.append(f"    risk: {RISKS[result.risk_measure]}")
    lines += wrapped(f"utility: {plain(utility_title(result.utility_measure))}", "    ", "      ")
    return "\n".join(lines)


RUT_IS = {
    "sum": say("{alpha:g} · U + {beta:g} · (1 − R)"),
    "difference": say("{alpha:g} · U − {beta:g} · R"),
    "ratio": say("U / R"),
}
"""What RUT is made of, by its form."""


def balances_said(result: Ranking) -> list[str]:
    """What RUT and the balance on the map are made of, and why they may name different leaders.

    Nothing where no RUT is shown.
    """
    rut = next((c.assessment.rut for c in result.candidates if c.balance is not None), None)
    if rut is None:
        return []
    own = say(
        "RUT is {formula}: U is how little each variable changed by itself (Kim 2025), R is "
        "{risk}. U does not see relations between variables: a file that lost them may have the "
        "highest RUT.",
        formula=RUT_IS[rut.form].format(alpha=rut.alpha, beta=rut.beta),
        risk=RISKS[rut.risk_measure],
    )
    if result.utility_measure == "U":
        return [
            own,
            say(
                "The balance on the map is the same figure, of candidates that keep the limits "
                "and may be released."
            ),
        ]
    return [
        own,
        say(
            "The balance on the map takes the utility of the map ({utility}) in place of U, of "
            "candidates that keep the limits and may be released: so another one may lead at the "
            "same weights.",
            utility=plain(utility_title(result.utility_measure)),
        ),
    ]


def limits_said(result: Ranking) -> list[str]:
    """The limits in words."""
    return [limit_said(x["figure"], x["operator"], x["limit"]) for x in result.limits]


def _others(result: Ranking, shown: Sequence[Candidate]) -> str:
    """How many are not shown, and whether the frontier is."""
    names = {candidate.name for candidate in shown}
    left = len(result.candidates) - len(shown)
    if names >= {*result.frontier}:
        return counted(left, "that is not on the frontier", "that are not on the frontier")
    return f"{left:,} more"


def _outside(result: Ranking, most: int) -> str:
    """Who misses which limit."""
    missing = [c for c in result.candidates if not c.keeps_limits]
    if not missing:
        return ""
    lines = ["Outside the limits"]
    names = _called(result, 30)
    for candidate in missing[:most]:
        lines += wrapped(f"{names[candidate.name]}: {missed_said(candidate)}", "  ", "    ")
    if len(missing) > most:
        lines.append(f"  and {len(missing) - most:,} more")
    return "\n".join(lines)


def missed_said(candidate: Candidate) -> str:
    """Which limits a candidate misses, and by which figures."""
    return strung((plain(one.missed_said) for one in candidate.requirements if not one.met), "; ")


def _steps(result: Ranking, most: int | None) -> str:
    """What each step along the frontier costs."""
    if not result.steps:
        return ""
    lines = ["Along the frontier, the safest first: what more utility costs in risk"]
    names = _called(result, 24)
    for step in result.steps[:most]:
        cost = "" if step.cost is None else f": {step.cost:.2g} of risk for 1 of utility"
        lines += wrapped(
            f"from {names[step.start]} to {names[step.end]}: risk {step.risk:+z.3f}, utility "
            f"{step.utility:+z.3f}{cost}", "  ", "    ",
        )  # fmt: skip
    if most is not None and len(result.steps) > most:
        lines.append(f"  and {len(result.steps) - most:,} more")
    return "\n".join(lines)


RISKS = {
    "disclosure": say("what an intruder who knows the keys finds or learns"),
    "classes": say("R of classes that share their keys (Kim 2025)"),
}
"""What the risk of candidates is."""


def _shown(result: Ranking, amounts: Amounts) -> list[Candidate]:
    """All candidates; of many, those on the frontier, and the recommended one.

    Of a long frontier on a screen, the recommended one and its safest.
    """
    if len(result.candidates) <= amounts.candidates:
        return list(result.candidates)
    best = result.recommended.name
    names = list(dict.fromkeys([*([] if best is None else [best]), *result.frontier]))
    kept = {*(names if amounts.expert else names[: amounts.candidates])}
    return [c for c in result.candidates if c.name in kept]


def _settings(result: Ranking, most: int | None) -> str:
    """What the candidates on the frontier are made with."""
    if not result.explored:
        return ""
    lines = ["Settings of the candidates on the frontier, the safest first"]
    by_name = {candidate.name: candidate for candidate in result.candidates}
    for name in result.frontier[:most]:
        mark = "*" if name == result.recommended.name else " "
        start = f" +{mark} {name}  "
        lines += wrapped(plain(by_name[name].said), start, " " * len(start))
    if most is not None and len(result.frontier) > most:
        lines.append(f"  and {len(result.frontier) - most:,} more")
    return "\n".join(lines)


def _row(candidate: Candidate, amounts: Amounts) -> str:
    found = candidate.assessment
    risk, gdu, loss, propensity = found.risk, found.gdu, found.loss, found.propensity
    unique = "–" if risk is None else rounded_per_cent(risk.uniques / risk.records, 1)
    ratio = None if propensity is None else propensity.ratio
    first = (
        f"{figure(candidate.risk):>5}  {'–' if risk is None else risk.k:>5}  {unique:>7}  "
        f"{figure(candidate.utility):>7}  {figure(candidate.balance):>5}  "
        f"{figure(None if gdu is None else gdu.value):>5}"
    )
    if not amounts.expert:
        return first
    return (
        f"{first}  {'–' if ratio is None else f'{ratio:,.1f}':>9}  "
        f"{_distance(None if loss is None else loss.il1s):>5}"
    )


def _distance(value: float | None) -> str:
    """A figure in five columns.

    >>> _distance(0.0123), _distance(0.00000507), _distance(12.3)
    ('0.012', '5e-06', '12.3')
    """
    if value is None:
        return "–"
    if value == 0 or 0.001 <= value < 10:
        return f"{value:.3f}"
    return f"{value:.1f}" if 10 <= value < 1000 else f"{value:.0e}"


def _sweep(result: Ranking) -> str:
    """Runs of the same leader over the weight of utility."""
    runs: list[tuple[str, float, float]] = []
    names = _called(result)
    for step in result.sweep:
        name = "–" if step.leader is None else names[step.leader]
        if runs and runs[-1][0] == name:
            runs[-1] = (name, runs[-1][1], step.alpha)
        else:
            runs.append((name, step.alpha, step.alpha))
    said = "; ".join(
        f"{name} at {low:g}" if low == high else f"{name} from {low:g} to {high:g}"
        for name, low, high in runs
    )
    told = stability(result)
    if any(step.leader for step in result.sweep):
        told += f": {said}"
    return "\n".join(wrapped(f"{told}.", "", "  "))


def cluster_vote_words(result: Ranking) -> str:
    """Which candidate clusters find best, over the numbers of clusters; nothing without clusters.

    Of a grid, only the leaders: votes of hundreds would say little.
    """
    found = result.clusters
    if found is None:
        return ""
    if not found.groups:
        return say("Clusters: no vote; {reason}.", reason=found.reason)
    first = next(vote for vote in found.votes if vote.name == found.leaders[0])
    at = say(
        "at {best} of {numbers} of groups",
        best=first.best,
        numbers=counted(len(found.groups), "number"),
    )
    if len(found.leaders) == len(found.votes):
        return say("Clusters: all candidates have the least U_c equally often ({at} each).", at=at)
    shown = [_called(result)[name] for name in found.leaders[:MOST_LEADERS]]
    more = len(found.leaders) - len(shown)
    names = strung(shown, ", ") + (say(" and {more:,} more", more=more) if more else "")
    if len(found.leaders) == 1:
        return say(
            "Clusters: {names} has the least U_c most often ({at}); risk has no part in that.",
            names=names,
            at=at,
        )
    return say(
        "Clusters: {names} have the least U_c most often ({at} each); risk has no part in that.",
        names=names,
        at=at,
    )


def stability(result: Ranking) -> str:
    """Whether the weight of utility decides which candidate is best."""
    if not any(step.leader for step in result.sweep):
        return say("No candidate that may be released has a balance of risk and utility")
    which = (
        say("The best balance on the map of those within the limits")
        if result.limits
        else say("The best balance on the map")
    )
    if result.stable:
        return say("{which} does not depend on the weight of utility", which=which)
    return say("{which} depends on the weight of utility", which=which)


def _notes(result: Ranking) -> list[str]:
    """Notes of the ranking, and those that all candidates share."""
    shared = [
        note
        for note in result.candidates[0].assessment.notes
        if all(note in c.assessment.notes for c in result.candidates)
    ]
    return [*result.notes, *shared]


# -- diagnosis -------------------------------------------------------------------------------


def diagnosis_text(result: Diagnosis) -> str:
    """The four checks before protecting."""
    parts = [
        f"{counted(result.rows, 'record')} in {cut(result.path, 60)}",
        _classes(result),
        _subsets(result, MOST_SUBSETS),
        _levels(result),
        _distributions(result.variables),
        notes_text(result.notes),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def short_diagnosis(result: Diagnosis, ending: Rows, more: str) -> str:
    """The same within a screen: the riskiest combinations, the levels, the first variables."""
    notes = [("notes", f"{len(result.notes):,}: {more}")] if result.notes else []
    parts = [
        f"{result.rows:,} records in {cut(result.path, 60)}",
        _classes(result),
        _subsets(result, FEW_SUBSETS),
        _levels(result),
        _distributions(result.variables),
    ]
    text = "\n\n".join(part for part in parts if part)
    return "\n".join(fitted(text.split("\n"), told_lines([*notes, *ending]), more)) + "\n"


def _classes(result: Diagnosis) -> str:
    found = result.classes
    names = ", ".join(cut(name, 30) for name in found.keys)
    lines = wrapped(
        f"R_internal {figure(found.internal)} over {names}: {counted(found.uniques, 'record')} "
        f"unique ({per_cent(found.unique_share)}), {per_cent(found.small_share)} in classes of at "
        f"most 3; median class {found.class_quantiles['50%']:g}. A missing key "
        + ("is a value of its own." if result.missing_keys == "value" else "matches any value."),
        "  ",
    )
    return "\n".join(["Classes", *lines, *_released_as_it_is(found)])


def _released_as_it_is(found: SubsetRisk) -> list[str]:
    """What the table would give away without any protection."""
    if found.found is None:
        return wrapped(f"What an intruder would find is not defined: {found.reason}.", "  ")
    said = (
        f"Released as it is, an intruder who knows these would find {figure(found.found)} of the "
        "people (a mean chance; a missing key agrees with all)"
    )
    if found.learned is None:
        said += f"; {found.reason}"
    elif found.target is not None and found.learned > 0:
        said += (
            f" and learn {figure(found.learned)} of {cut(found.target, 30)} beyond guessing, "
            "an upper bound that holds what is true of anyone"
        )
    else:
        said += " and learn nothing beyond guessing"
    return wrapped(said + ".", "  ")


def _subsets(result: Diagnosis, most: int) -> str:
    intruder = result.risk_measure == "disclosure"
    shown = result.subsets[:most]
    called = [" × ".join(s.keys) for s in shown]
    short = shortened(called, 33)
    names = [short[name] for name in called]
    width = max((columns_of(name) for name in names), default=0)
    head = "found  learned" if intruder else "R_internal"
    lines = [
        "Riskiest combinations of up to three quasi-identifiers, most uniques first",
        f"  {'':<{width}}  {head}   unique  at most 3  classes",
    ]
    for name, s in zip(names, shown, strict=True):
        risk = _found_and_learned(s) if intruder else f"{figure(s.internal):>10}"
        lines.append(
            f"  {padded(name, width)}  {risk}  {rounded_per_cent(s.unique_share, 1):>7}  "
            f"{rounded_per_cent(s.small_share, 1):>9}  {s.classes:>7,}"
        )
    if intruder:
        lines += _reasons([s.reason for s in shown])
    return "\n".join(lines)


def _found_and_learned(got: SubsetRisk | LevelPreview) -> str:
    return f"{figure(got.found):>5}  {figure(got.learned):>7}"


def _reasons(reasons: Sequence[str | None]) -> list[str]:
    """Each reason once, where several lines have it."""
    return [line for said in dict.fromkeys(reasons) if said for line in wrapped(said, "    ")]


def _levels(result: Diagnosis) -> str:
    if not result.levels:
        return ""
    intruder = result.risk_measure == "disclosure"
    width = min(max(columns_of(level.name) for level in result.levels), 13 if intruder else 15)
    head = "found  learned" if intruder else "R_internal"
    similar = "similar" if intruder else "similarity"
    lines = [
        "Protection levels, previewed",
        f"  {'':<{width}}  {head}      k   unique   loss  {similar}  utility    RUT",
    ]
    names = shortened([level.name for level in result.levels], width)
    for level in result.levels:
        risk = _found_and_learned(level) if intruder else f"{figure(level.internal):>10}"
        lines.append(
            f"  {padded(names[level.name], width)}  {risk}  {level.k:>5,}  "
            f"{rounded_per_cent(level.uniques / max(result.rows, 1), 1):>7}  "
            f"{figure(level.loss):>5}  "
            f"{figure(level.similarity):>{len(similar)}}  {figure(level.utility):>7}  "
            f"{figure(level.value):>5}"
        )
        if level.reason:
            lines += wrapped(level.reason, "    ")
    return "\n".join([*lines, *_balanced_with(result)])


def _balanced_with(result: Diagnosis) -> list[str]:
    """Which risk RUT has, and of what most is learned."""
    if result.risk_measure == "classes":
        return wrapped("RUT with R_internal (classes).", "  ")
    said = "RUT with the larger of found and learned."
    best: dict[str, list[str]] = {}
    for level in result.levels:
        if level.target is not None and level.learned:
            best.setdefault(cut(level.target, 30), []).append(cut(level.name, 16))
    if len(best) == 1:
        said += f" Learned: of {next(iter(best))}."
    elif best:
        parts = (f"{target} ({', '.join(names)})" for target, names in best.items())
        said += f" Learned: of {'; '.join(parts)}."
    return wrapped(said, "  ")


def _distributions(variables: Sequence[VariableDiagnosis]) -> str:
    width = min(max((columns_of(v.name) for v in variables), default=0), 14)
    lines = [
        "Variables",
        f"  {'':<{width}}  {'type':<10}  distinct  missing  skewness  top 1 %  distribution",
    ]
    names = shortened([v.name for v in variables], width)
    for v in variables:
        skewness = "–" if v.skewness is None else f"{round(v.skewness, 1) + 0.0:.1f}"  # no -0.0
        top = rounded_per_cent(v.top_share)
        lines.append(
            f"  {padded(names[v.name], width)}  {v.type:<10}  {v.distinct:>8,}  {v.missing:>7,}  "
            f"{skewness:>8}  {top:>7}  {_bars(v)}".rstrip()
        )
    labels = [
        f"  {padded(names[v.name], width)}  {cut(v.label, WIDTH - width - 4)}"
        for v in variables
        if v.label
    ]
    return "\n".join([*lines, *(["Labels", *labels] if labels else [])])


def _bars(variable: VariableDiagnosis, most: int = 10) -> str:
    """A small histogram of blocks: neighbouring bins together, or the most frequent categories."""
    shares = [entry["share"] for entry in variable.histogram]
    if variable.histogram and "low" in variable.histogram[0]:
        shares = [sum(shares[i : i + 2]) for i in range(0, len(shares), 2)]
    shares = shares[:most]
    top = max(shares, default=0.0)
    return "".join("▁▂▃▄▅▆▇█"[min(int(share / top * 8), 7)] for share in shares) if top else ""
