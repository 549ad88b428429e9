"""The summary on a terminal, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from microgauge.render.words import (
    figure,
    giveaways,
    indicator_name,
    interval_words,
    loss_stories,
    model_story,
    pair_story,
    probability,
    propensity_story,
    regression_story,
    risk_stories,
    scientific,
    variable_story,
    yardstick_story,
)
from microgauge.results import (
    GDU,
    Assessment,
    PairScore,
    PropensityResult,
    VariableScore,
    Yardstick,
)

WIDTH = 80
MOST_VARIABLES = 8
MOST_PAIRS = 10
AS_GOOD_AS_KEPT = 0.9995


def summary(result: Assessment) -> str:
    """The figure, its halves, the weakest variables and pairs, and what to know."""
    gdu = result.gdu
    sections = [
        *([_headline(gdu)] if gdu else []),
        _compared(result),
        *([_variables(result, gdu)] if gdu else []),
        _missing(result),
        *([_pairs(gdu), _models(gdu), _coverage(gdu)] if gdu else []),
        _whole(result),
        _loss(result),
        _indicators(result),
        _regressions(result),
        _risk(result),
        _balance(result),
        _yardsticks(result),
        notes_text(result.notes),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _headline(gdu: GDU) -> str:
    lines = [
        f"Global data utility  {figure(gdu.value, 4)}   (1 nothing lost, 0 all lost)",
        f"  variables          {figure(gdu.univariate, 4)}   "
        f"distributions of {len(gdu.variables)} variables",
        f"  pairs              {figure(gdu.bivariate, 4)}   "
        f"associations of {gdu.coverage.tested} pairs",
    ]
    if gdu.grc is not None and gdu.grc < 1:
        lines.append(
            f"  × reduction        {figure(gdu.value_with_grc, 4)}   with the global reduction "
            f"coefficient {figure(gdu.grc)}"
        )
    if gdu.reason:
        lines += wrapped(f"not defined: {gdu.reason}", "  ")
    if gdu.test_n is not None:
        lines += wrapped(f"every test made as if from {gdu.test_n} units (test_n)", "  ")
    return "\n".join(lines)


def _compared(result: Assessment) -> str:
    inputs = result.inputs
    lines = [
        f"{name:<10} {table.rows:>11,} rows × {table.columns:<4} {cut(table.path, 44)}"
        for name, table in (("original", inputs.original), ("protected", inputs.protected))
    ]
    alignment = inputs.alignment
    said = f"{alignment.how}: {alignment.reason}"
    if alignment.how == "key":
        said += f"; {alignment.dropped} dropped, {alignment.added} added"
    return "\n".join([*lines, *wrapped(said, "alignment  ", "           ")])


def _variables(result: Assessment, gdu: GDU) -> str:
    weakest = _weakest(gdu.variables)
    if not weakest:
        return "Every variable's distribution is as it was."
    facts = {variable.name: variable for variable in result.variables}
    width = min(max(len(score.name) for score in weakest), 18)
    lines = ["Weakest variables", f"  {'':<{width}}  utility  pairs  p        what happened"]
    for score in weakest:
        start = (
            f"  {cut(score.name, width):<{width}}  {figure(score.utility):>7}  "
            f"{figure(score.bivariate_utility, 2):>5}  {probability(score.p):<7}  "
        )
        lines += wrapped(variable_story(facts[score.name], score), start, " " * len(start))
    return "\n".join(lines)


def _missing(result: Assessment) -> str:
    """Suppression at random leaves distributions alone; it is shown whatever the scores."""
    more = [
        f"{v.name} {v.missing_original:,} → {v.missing_protected:,}"
        for v in result.variables
        if v.missing_protected is not None and v.missing_protected > v.missing_original
    ]
    return "\n".join(wrapped("; ".join(more), "More missing values: ", "  ")) if more else ""


def _weakest(scores: Iterable[VariableScore]) -> list[VariableScore]:
    lost = [s for s in scores if s.utility is not None and s.utility < AS_GOOD_AS_KEPT]
    return sorted(lost, key=lambda s: s.utility or 0.0)[:MOST_VARIABLES]


def _pairs(gdu: GDU) -> str:
    weakest = weakest_pairs(gdu.pairs)[:MOST_PAIRS]
    if not weakest:
        return "Every tested pair's association is as it was." if gdu.coverage.tested else ""
    names = [cut(f"{pair.a} × {pair.b}", 28) for pair in weakest]
    width = max(len(name) for name in names)
    lines = ["Weakest pairs, the strongest associations first", f"  {'':<{width}}  utility"]
    for name, pair in zip(names, weakest, strict=True):
        start = f"  {name:<{width}}  {figure(pair.utility):>7}  "
        lines += wrapped(pair_story(pair), start, " " * len(start))
    return "\n".join(lines)


def weakest_pairs(pairs: Sequence[PairScore]) -> list[PairScore]:
    """Pairs that lost something, worst first; among equals, the strongest association first."""
    lost = [p for p in pairs if p.utility is not None and p.utility < AS_GOOD_AS_KEPT]
    return sorted(lost, key=lambda p: (p.utility or 0.0, -_strongest(p)))


def _strongest(pair: PairScore) -> float:
    return max(pair.coefficient_original or 0.0, pair.coefficient_protected or 0.0)


def _models(gdu: GDU) -> str:
    if not gdu.models:
        return ""
    lines = ["Models"]
    for model in gdu.models:
        lines += wrapped(f"{model.kind}: {model.formula}", "  ", "    ")
        lines += wrapped(f"utility {figure(model.utility)}: {model_story(model)}", "    ")
    return "\n".join(lines)


def _coverage(gdu: GDU) -> str:
    coverage = gdu.coverage
    lines = [f"Coverage: {coverage.tested} of {coverage.pairs} pairs tested."]
    for reason, count in coverage.reasons.items():
        lines += wrapped(f"{count} not tested: {reason}", "  ", "    ")
    return "\n".join(lines)


def _whole(result: Assessment) -> str:
    """A few lines on the joint distribution."""
    lines: list[str] = []
    start = "  {:<12} ".format
    if result.propensity is not None:
        lines += wrapped(propensity_story(result.propensity), start("propensity"), " " * 15)
        lines += _propensity_details(result.propensity)
    for number, cluster in enumerate(result.clusters or ()):
        said = f"U_c {scientific(cluster.value)} in {cluster.groups:,} groups ({cluster.method})"
        said = said if cluster.value is not None else f"{said}: {cluster.reason}"
        lines += wrapped(said, start("" if number else "clusters"), " " * 15)
    if result.ecdf is not None:
        ecdf = result.ecdf
        said = f"U_m {scientific(ecdf.maximum)}, U_s {scientific(ecdf.mean_square)}"
        said += "" if ecdf.exact else f" at {ecdf.points:,} points"
        said = f"not defined: {ecdf.reason}" if ecdf.reason else said
        lines += wrapped(said, start("distribution"), " " * 15)
    return "\n".join(["Can the two files be told apart?", *lines]) if lines else ""


def _propensity_details(result: PropensityResult) -> list[str]:
    if result.value is None:
        return []
    said = f"U_p {scientific(result.value)}, AUC {figure(result.auc, 2)}"
    if result.null_share is not None:
        said += f", {result.null_share:.0%} of {result.resamples} resamples have more"
    lines = wrapped(said, " " * 15)
    given_away = giveaways(result)
    if given_away and (result.ratio or 0.0) >= 3:
        lines += wrapped(f"given away by {', '.join(given_away)}", " " * 15)
    return lines


def _loss(result: Assessment) -> str:
    if result.loss is None:
        return ""
    lines = ["What changed"]
    for heading, story in loss_stories(result.loss):
        lines += wrapped(story, f"  {heading:<12} ", " " * 15)
    return "\n".join(lines)


def _indicators(result: Assessment) -> str:
    if not result.indicators:
        return ""
    names = [cut(indicator_name(i), 30) for i in result.indicators]
    width = max(len(name) for name in names)
    lines = [
        "Indicators, with 95% intervals",
        f"  {'':<{width}}  {'original':<17}  {'protected':<17}  overlap",
    ]
    for name, found in zip(names, result.indicators, strict=True):
        original = interval_words(found.original, found.original_ci)
        protected = interval_words(found.protected, found.protected_ci)
        lines.append(
            f"  {name:<{width}}  {original:<17}  {protected:<17}  {figure(found.overlap, 2):>7}"
        )
        if found.reason:
            lines += wrapped(found.reason, "    ")
    return "\n".join(lines)


def _regressions(result: Assessment) -> str:
    if not result.regressions:
        return ""
    lines = ["Regressions"]
    for found in result.regressions:
        where = f", where {found.where}" if found.where else ""
        lines += wrapped(f"{found.kind}: {found.formula}{where}", "  ", "    ")
        for story in regression_story(found):
            lines += wrapped(story, "    ", "      ")
    return "\n".join(lines)


def _risk(result: Assessment) -> str:
    if result.risk is None:
        return ""
    lines = ["Risk of re-identification"]
    for heading, story in risk_stories(result.risk):
        lines += wrapped(story, f"  {heading:<12} ", " " * 15)
    return "\n".join(lines)


def _balance(result: Assessment) -> str:
    rut = result.rut
    if rut is None:
        return ""
    lines = [
        "Balance of risk and utility",
        f"  utility      {figure(rut.utility)}   similarity {figure(rut.similarity)}, loss "
        f"{figure(rut.loss)}",
        f"  RUT          {figure(rut.value)}   {rut.alpha:g} of utility, {rut.beta:g} of safety",
    ]
    worst = sorted(rut.attributes, key=lambda a: -(a.loss or 0.0))
    lost = [f"{a.name} {figure(a.loss, 2)}" for a in worst if (a.loss or 0.0) >= 0.005][:4]
    if lost:
        lines += wrapped(f"loss of {', '.join(lost)}", " " * 15)
    if rut.meets_limits is not None:
        said = "meets the limits" if rut.meets_limits else "does not meet the limits"
        lines += wrapped(said, " " * 15)
    if rut.reason:
        lines += wrapped(f"not defined: {rut.reason}", " " * 15)
    return "\n".join(lines)


def _yardsticks(result: Assessment) -> str:
    if not result.yardsticks:
        return ""
    gdu, propensity = result.gdu, result.propensity
    own = Yardstick(
        name="this protected file",
        gdu=None if gdu is None else gdu.value,
        univariate=None if gdu is None else gdu.univariate,
        bivariate=None if gdu is None else gdu.bivariate,
        propensity=None,
        propensity_ratio=None if propensity is None else propensity.ratio,
    )
    lines = [
        "Yardsticks: files whose loss is known",
        f"  {'':<26}    GDU  variables  pairs  U_p ratio",
        *(_yardstick_row(yardstick) for yardstick in (*result.yardsticks, own)),
    ]
    for sentence in yardstick_story(gdu, result.yardsticks):
        lines += wrapped(sentence, "  ")
    return "\n".join(lines)


def _yardstick_row(y: Yardstick) -> str:
    ratio = "–" if y.propensity_ratio is None else f"{y.propensity_ratio:,.1f}"
    return (
        f"  {y.name:<26}  {figure(y.gdu):>5}  {figure(y.univariate):>9}  "
        f"{figure(y.bivariate):>5}  {ratio:>9}"
    )


def notes_text(notes: Sequence[str]) -> str:
    """What a reader should know."""
    if not notes:
        return ""
    lines = ["Notes"]
    for note in notes:
        lines += wrapped(note, "  - ", "    ")
    return "\n".join(lines)


def wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Text in lines of at most 80 columns, of which East Asian characters take two."""
    rest = first if rest is None else rest
    lines, line, empty = [], first, True
    for word in text.split():
        room = WIDTH - columns_of(line) - (0 if empty else 1)
        if not empty and columns_of(word) > room:
            lines.append(line)
            line, empty = rest, True
        while columns_of(word) > WIDTH - columns_of(line):
            part = _within(word, WIDTH - columns_of(line))
            lines.append(line + part)
            word, line = word[len(part) :], rest
        line += word if empty else f" {word}"
        empty = False
    return [*lines, line if not empty else first.rstrip()]


def cut(text: str, width: int) -> str:
    """Keep both ends of what is too long: names and paths differ at either.

    Characters of East Asia take two columns; those that cannot be printed are marked.

    >>> cut("a long name", 7), cut("短い名前", 5)
    ('a l…ame', '短…前')
    """
    text = plain(text)
    if columns_of(text) <= width:
        return text
    tail = (width - 1) // 2
    return _within(text, width - 1 - tail) + "…" + _within(text[::-1], tail)[::-1]


def plain(text: str) -> str:
    """A name on one line, without signs that cannot be printed."""
    joined = " ".join(text.split())
    return "".join(sign if sign.isprintable() else "�" for sign in joined)


def padded(text: str, width: int) -> str:
    """Cut or filled up to a number of columns."""
    shown = cut(text, width)
    return shown + " " * (width - columns_of(shown))


def columns_of(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def _within(text: str, width: int) -> str:
    """As much of the beginning as fits."""
    taken = 0
    for place, sign in enumerate(text):
        taken += 2 if east_asian_width(sign) in "WF" else 1
        if taken > width:
            return text[:place]
    return text
