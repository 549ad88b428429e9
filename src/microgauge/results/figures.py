"""The figures that limits and the map may name: where each stands, and which way is better.

Everything here is a pure function of an assessment. A figure that a file does not have is
`Undefined` with the reason. What may be put on the map as utility is 1 at best and 0 at worst and
does not rise when a variable is removed or coarsened further: where a measure by itself would, the
map's version counts what is gone, or there is none (docs/decisions/0009-one-utility-on-the-map.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from microgauge.errors import Undefined, hint, listing
from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.results.analyses import IndicatorResult, RegressionResult
from microgauge.results.assessment import Assessment
from microgauge.results.gdu import GDU

Better = Literal["lower", "higher"]
Subject = Literal["use", "safety", "both"]
RiskMeasure = Literal["disclosure", "classes"]

PREFERRED_UTILITIES = ("tables", "gdu")
"""What `utility` is where nobody says: the first, whose section is computed for that; where a
verdict is on sections chosen otherwise, the first of those there are. The one place."""


@dataclass(frozen=True)
class Measures:
    """Which figures stand on the map."""

    utility: str
    risk: RiskMeasure = "disclosure"


@dataclass(frozen=True)
class Figure:
    """A figure that a limit may name."""

    name: str
    subject: Subject
    """What a limit on it speaks of; a balance of both grades neither (`sections/verdict`)."""
    better: Better
    section: str
    """The section that it is a part of; "" for the two of the map, whose section is chosen."""
    find: Callable[[Assessment, Measures], float]
    share: bool = True
    """Whether it lies between 0 and 1."""


def default_utility(sections: Iterable[str]) -> str:
    """The preferred utility among sections that were computed; U where none of these was.

    >>> default_utility(["gdu", "risk"])
    'gdu'
    """
    there = set(sections)
    return next((name for name in PREFERRED_UTILITIES if name in there), "U")


# -- looking into an assessment ----------------------------------------------------------------


def _section(result: Assessment, name: str) -> Any:
    found = result.sections.get(name)
    if found is None:
        raise Undefined(say("{name} was not computed for it", name=name))
    return found


def _known(value: Any, reason: str | None, what: str) -> float:
    if value is None:
        raise Undefined(reason or say("{what} is not defined for it", what=what))
    return float(value)


def _part(section: str, *path: str) -> Callable[[Assessment, Measures], float]:
    """A figure of a section by the names that lead to it, with the nearest reason."""

    def find(result: Assessment, measures: Measures) -> float:
        del measures
        here, reason = _section(result, section), None
        for name in path:
            reason = getattr(here, "reason", None) or reason
            here = here.get(name) if isinstance(here, Mapping) else getattr(here, name, None)
            if here is None:
                break
        return _known(here, reason, ".".join((section, *path)))

    return find


def _risk(result: Assessment, measures: Measures) -> float:
    if measures.risk == "classes":
        return _part("risk", "total")(result, measures)
    return _part("disclosure", "risk")(result, measures)


def _learned(result: Assessment, measures: Measures) -> float:
    """The most that is learned of any target."""
    del measures
    found = _section(result, "disclosure")
    values = [one.value for one in found.learned if one.value is not None]
    if not values:
        reasons = [one.reason for one in found.learned if one.reason]
        raise Undefined(reasons[0] if reasons else say("there is no target to learn of"))
    return float(max(values))


def _overlap(result: Assessment, measures: Measures) -> float:
    """The least over the regressions."""
    del measures
    return _least_overlap(_section(result, "regressions"))


def _least_overlap(found: Sequence[RegressionResult | IndicatorResult]) -> float:
    if not found:
        raise Undefined(say("no analysis is named"))
    without = next((one for one in found if one.overlap is None), None)
    if without is not None:
        raise Undefined(
            say(
                "{called}: {reason}",
                called=_called(without),
                reason=without.reason or say("no overlap"),
            )
        )
    return min(float(one.overlap) for one in found if one.overlap is not None)


def _called(analysis: RegressionResult | IndicatorResult) -> str:
    return analysis.formula if isinstance(analysis, RegressionResult) else analysis.name


def _inside(result: Assessment, measures: Measures) -> float:
    """The share of indicators that lie in the original's interval, of those that can be told."""
    del measures
    found = [one.inside for one in _section(result, "indicators") if one.inside is not None]
    if not found:
        raise Undefined(say("of no indicator can it be told whether it lies inside"))
    return float(sum(found)) / len(found)


def _utility(result: Assessment, measures: Measures) -> float:
    return map_utility(result, measures.utility)


FIGURES: dict[str, Figure] = {
    figure.name: figure
    for figure in (
        Figure("risk", "safety", "lower", "", _risk),
        Figure("found", "safety", "lower", "disclosure", _part("disclosure", "found", "value")),
        Figure("learned", "safety", "lower", "disclosure", _learned),
        Figure("copied", "safety", "lower", "disclosure", _part("disclosure", "copied", "value")),
        Figure("internal", "safety", "lower", "risk", _part("risk", "internal")),
        Figure("k", "safety", "higher", "risk", _part("risk", "k"), share=False),
        Figure("uniques", "safety", "lower", "risk", _part("risk", "uniques"), share=False),
        Figure("utility", "use", "higher", "", _utility),
        Figure("gdu", "use", "higher", "gdu", _part("gdu", "value")),
        Figure("gdu_1000", "use", "higher", "gdu", _part("gdu", "at_1000", "value")),
        Figure("tables", "use", "higher", "tables", _part("tables", "value")),
        Figure("k_marginal", "use", "higher", "tables", _part("tables", "k_marginal"), share=False),
        Figure("U", "use", "higher", "rut", _part("rut", "utility"), share=False),
        Figure("rut", "both", "higher", "rut", _part("rut", "value"), share=False),
        Figure("auc_cross", "use", "lower", "propensity", _part("propensity", "auc_cross")),
        Figure("ratio", "use", "lower", "propensity", _part("propensity", "ratio"), share=False),
        Figure("il1s", "use", "lower", "loss", _part("loss", "il1s"), share=False),
        Figure("overlap", "use", "higher", "regressions", _overlap),
        Figure("inside", "use", "higher", "indicators", _inside),
    )
}
"""Every name that a limit may have; docs/rank.md says what each is."""


def figure_value(result: Assessment, name: str, measures: Measures) -> float:
    """A figure of an assessment by its name; `Undefined` where it has none."""
    value = FIGURES[name].find(result, measures)
    if not math.isfinite(value):
        raise Undefined(say("{name} is not finite", name=name))
    return value


def sections_of(name: str, measures: Measures) -> tuple[str, ...]:
    """The sections that a figure is a part of."""
    if name == "utility":
        return utility_sections(measures.utility)
    if name == "risk":
        return ("disclosure",) if measures.risk == "disclosure" else ("risk",)
    return (FIGURES[name].section,)


def utility_sections(name: str) -> tuple[str, ...]:
    """The sections that a utility of the map is made of."""
    plain, one, _ = name.partition(":")
    return ("regressions", "indicators") if one else (UTILITIES[plain].section,)


# -- what may stand on the map -------------------------------------------------------------------


@dataclass(frozen=True)
class Utility:
    """A measure that may be the utility of the map: 1 at best, 0 at worst."""

    name: str
    section: str
    title: str
    find: Callable[[Assessment], float]


def _plain(name: str) -> Callable[[Assessment], float]:
    return lambda result: figure_value(result, name, Measures("U"))


def gdu_with_what_is_gone(gdu: GDU) -> float:
    """GDU in which a pair with a removed variable counts 0 for both of its variables.

    GDU itself leaves such pairs out of the other variable's mean, so that taking away a variable
    whose associations are lost would raise it.
    """
    if gdu.value is None or gdu.univariate is None:
        raise Undefined(gdu.reason or say("gdu is not defined for it"))
    gone = {v.name for v in gdu.variables if v.reason == "removed"}
    if not gone or gdu.bivariate is None:
        return gdu.value
    pairs: dict[str, list[float]] = {v.name: [] for v in gdu.variables}
    for pair in gdu.pairs:
        utility = 0.0 if {pair.a, pair.b} & gone else pair.utility
        for name in (pair.a, pair.b):
            if utility is not None and name in pairs:
                pairs[name].append(utility)
    counted = [(v.importance, pairs[v.name]) for v in gdu.variables if pairs[v.name]]
    total = sum(importance for importance, _ in counted)
    bivariate = sum(w * sum(found) / len(found) for w, found in counted) / total
    return gdu.value - _weight_of_pairs(gdu) * (gdu.bivariate - bivariate)


def _weight_of_pairs(gdu: GDU) -> float:
    """What pairs weigh in GDU beside variables, and models where there are any."""
    first, second, third = (*gdu.weights, 0.0)[:3]
    total = first + second + (0.0 if gdu.multivariate is None else third)
    return second / total if total > 0 else 0.0


def _refuse_recoded(result: Assessment, said: Iterable[str] | None = None) -> None:
    """No utility by a measure that damage could be hidden from within bands.

    For measures of values that a recoding made alike, on both sides or on one: what was wrong
    within a band is gone from them. `said` are formulas and conditions; only what they name counts.
    """
    recoded = [
        variable.name
        for variable in result.variables
        if variable.recoding is not None
        and (said is None or any(_names(text, variable.name) for text in said))
    ]
    if recoded:
        raise Undefined(
            say(
                "what was wrong before a recoding is not seen any more ({recoded}); take "
                "tables, gdu or U for the map, and this figure as a limit",
                recoded=listing(recoded, 4),
            )
        )


def _names(text: str, name: str) -> bool:
    """Whether a formula or condition may name a variable."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _gdu(result: Assessment) -> float:
    return gdu_with_what_is_gone(_section(result, "gdu"))


def _gdu_1000(result: Assessment) -> float:
    """GDU as if from 1,000 units, in which a pair with a removed variable counts 0 for both.

    Every variable that is left of k has q - 1 of k - 1 pairs left: by that its mean is less.
    """
    gdu: GDU = _section(result, "gdu")
    found = gdu.at_1000
    if found is None:
        raise Undefined(say("gdu.at_1000 is made above 5,000 rows; take gdu for smaller files"))
    value = _known(found.value, found.reason, "gdu.at_1000")
    gone = sum(v.reason == "removed" for v in gdu.variables)
    if not gone or found.bivariate is None:
        return value
    return value - _weight_of_pairs(gdu) * found.bivariate * gone / (len(gdu.variables) - 1)


def _propensity(result: Assessment) -> float:
    """2 (1 - AUC), at most 1: 1 where nobody can tell the files apart, 0 where everybody can.

    A file without a column is told from the original by that.
    """
    found = _section(result, "propensity")
    if any(v.removed and v.analysed for v in result.variables):
        return 0.0
    _refuse_recoded(result)
    # The cross-fitted one where there is one: in its own sample every model tells files apart.
    crossed = getattr(found, "auc_cross", None)
    auc = _known(found.auc if crossed is None else crossed, found.reason, say("the AUC"))
    return min(2.0 * (1.0 - auc), 1.0)


def _analyses(result: Assessment) -> float:
    """The least overlap over regressions; one that cannot be made any more counts 0."""
    return _overlap_on_map(result, _section(result, "regressions"))


def _overlap_on_map(
    result: Assessment, found: Sequence[RegressionResult | IndicatorResult]
) -> float:
    if not found:
        raise Undefined(say("no analysis is named"))
    for one in found:
        _refuse_recoded(result, _said(one))
    return min(max(one.overlap or 0.0, 0.0) for one in found)


def _said(analysis: RegressionResult | IndicatorResult) -> list[str] | None:
    """What names the variables of an analysis; None where the result does not tell all."""
    if isinstance(analysis, RegressionResult):
        return [analysis.formula, analysis.where or ""]
    if analysis.statistic in ("function", "ratio"):
        return None
    return [analysis.variable or "", analysis.by or "", analysis.where or ""]


def _indicators(result: Assessment) -> float:
    """The share of indicators inside; one that cannot be told any more is not."""
    found = _section(result, "indicators")
    if not found:
        raise Undefined(say("no indicator is named"))
    for one in found:
        _refuse_recoded(result, _said(one))
    return sum(one.inside is True for one in found) / len(found)


UTILITIES: dict[str, Utility] = {
    utility.name: utility
    for utility in (
        Utility(
            "tables", "tables", say("how far tables agree with the original's"), _plain("tables")
        ),
        Utility("gdu", "gdu", say("global data utility (GDU)"), _gdu),
        Utility("gdu_1000", "gdu", say("GDU as if from 1,000 units"), _gdu_1000),
        Utility("propensity", "propensity", say("how little a classifier tells the files apart"),
                _propensity),
        Utility("U", "rut", say("U of single variables (Kim 2025)"), _plain("U")),
        Utility("overlap", "regressions", say("the least overlap of a regression"), _analyses),
        Utility("inside", "indicators", say("the share of indicators inside"), _indicators),
    )
}  # fmt: skip
"""What may be put on the map, by name; `overlap:NAME` is that of one regression or indicator."""


def map_utility(result: Assessment, name: str) -> float:
    """The utility of the map: `Undefined` where a file has none."""
    plain, one, wanted = name.partition(":")
    if not one:
        return UTILITIES[plain].find(result)
    both: list[RegressionResult | IndicatorResult] = [
        *(result.regressions or ()),
        *(result.indicators or ()),
    ]
    named = [analysis for analysis in both if _called(analysis) == wanted]
    if not named:
        raise Undefined(say('there is no regression or indicator "{wanted}"', wanted=wanted))
    return _overlap_on_map(result, named)


def utility_title(name: str) -> str:
    """What a utility of the map is, in words.

    >>> utility_title("overlap:Mean income")
    'the overlap of Mean income'
    """
    plain, one, wanted = name.partition(":")
    return say("the overlap of {wanted}", wanted=wanted) if one else UTILITIES[plain].title


def utility_fault(where: str, name: object, analyses: Mapping[str, str]) -> list[str]:
    """What is wrong with the name of a utility; `analyses` are those that the schema names."""
    plain, one, wanted = str(name).partition(":")
    if plain == "overlap" and one:
        if wanted in analyses:
            return []
        return [
            say(
                '{where} is the overlap of "{wanted}", and the schema has no regression '
                "or indicator of that name.{hint}",
                where=where,
                wanted=wanted,
                hint=hint(wanted, analyses),
            )
        ]
    if not one and plain in UTILITIES:
        return []
    known = strung(UTILITIES, ", ")
    return [
        say(
            '{where} is "{name}"; it must be one of {known}.{hint}',
            where=where,
            name=name,
            known=known,
            hint=hint(plain, UTILITIES),
        )
    ]
