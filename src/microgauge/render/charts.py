"""Charts of results as Vega-Lite specifications: plain dicts, drawn here or in a report."""

from __future__ import annotations

from typing import Any

from microgauge.languages.catalogue import ENGLISH_WORDS, Words
from microgauge.languages.messages import say
from microgauge.render.maps import (
    BASE,
    SIZE,
    Kind,
    Limit,
    Plot,
    Sign,
    Spec,
    drawn_map,
    shown,
    with_narrower,
)
from microgauge.results import Assessment, Candidate, Ranking
from microgauge.results.figures import UTILITIES, gdu_with_what_is_gone, utility_title
from microgauge.results.lettering import LINE, text_width
from microgauge.results.names import plain
from microgauge.results.tables import Tables
from microgauge.results.verdict import Verdict
from microgauge.results.wording import figure

ROOMS = (1080, 840, 600, 350)
"""Widths of a picture: as a file and on a wide page, and those of narrower ones."""
SMALL_ROOMS = (560, 350)
"""Widths of the map of one file."""


# -- several files -----------------------------------------------------------------------------


def map_spec(result: Ranking, words: Words = ENGLISH_WORDS) -> Spec:
    """Risk across, utility up: candidates, frontier, limits, the original and no release."""
    return with_narrower(lambda room: _map(result, words, room), ROOMS)


def _map(result: Ranking, words: Words, room: int) -> Spec:
    signs = [_sign(c, result) for c in _known(result)]
    signs.append(Sign(words.of(say("no release")), 0.0, 0.0, "no release"))
    limits = _limits(result, words)
    if result.original_risk is None:
        limits.append(
            Limit("utility", 1.0, words.of(say("original: utility 1, risk not known")), "plain")
        )
    else:
        signs.append(Sign(words.of(say("original")), result.original_risk, 1.0, "original"))
    plot = Plot.of(signs, room, words, whole=True)
    return drawn_map(say("Risk–utility map"), plot, signs, limits, _axis(result.utility_measure))


def closer_spec(result: Ranking, words: Words = ENGLISH_WORDS) -> Spec:
    """The same, of a grid's candidates alone, which are often too near each other to tell."""
    return with_narrower(lambda room: _closer(result, words, room), ROOMS)


def _closer(result: Ranking, words: Words, room: int) -> Spec:
    signs = [_sign(c, result) for c in _known(result)]
    plot = Plot.of(signs, room, words, whole=False)
    limits = [limit for limit in _limits(result, words) if plot.holds(limit)]
    return drawn_map(
        say("The candidates, closer"), plot, signs, limits, _axis(result.utility_measure)
    )


def crowded(result: Ranking) -> bool:
    """Whether candidates lie on each other on the map and, from closer, can be told apart.

    The original and no release, which belong on the map, may be far from all of them.
    """
    signs = [_sign(c, result) for c in _known(result)]
    if not signs:
        return False
    far, near = (Plot.of(signs, ROOMS[1], ENGLISH_WORDS, whole=whole) for whole in (True, False))
    covered = far.covered(signs)
    return covered > 0 and near.covered(signs) < covered


def _axis(measure: str) -> str:
    return say("utility: {measure}, up is better", measure=plain(utility_title(measure)))


def _known(result: Ranking) -> list[Candidate]:
    return [c for c in result.candidates if c.risk is not None and c.utility is not None]


def _sign(candidate: Candidate, result: Ranking) -> Sign:
    on = candidate.name in result.frontier
    kind: Kind = "on the frontier" if on else "beaten"
    if not candidate.keeps_limits:
        kind = "misses a limit"
    if candidate.name == result.recommended.name:
        kind = "recommended"
    assert candidate.risk is not None
    assert candidate.utility is not None
    return Sign(candidate.name, candidate.risk, candidate.utility, kind, candidate.said, on)


def _limits(result: Ranking, words: Words) -> list[Limit]:
    found = []
    if result.max_risk is not None:
        found.append(
            Limit(
                "risk",
                result.max_risk,
                words.of(say("risk at most {most:g}", most=result.max_risk)),
            )
        )
    if result.min_utility is not None:
        said = words.of(say("utility at least {least:g}", least=result.min_utility))
        found.append(Limit("utility", result.min_utility, said))
    return found


# -- one file ----------------------------------------------------------------------------------


def assessment_map_spec(result: Assessment, words: Words = ENGLISH_WORDS) -> Spec | None:
    """The small map of one file, among limits and files whose loss is known.

    None where its risk or its utility is not known. The original has utility 1; what its own risk
    would be is not measured for one file, so it is a line and not a point.
    """
    verdict = result.verdict
    if verdict is None or verdict.risk is None or verdict.utility is None:
        return None
    return with_narrower(lambda room: _assessment_map(result, verdict, words, room), SMALL_ROOMS)


def _assessment_map(result: Assessment, verdict: Verdict, words: Words, room: int) -> Spec:
    assert verdict.risk is not None
    assert verdict.utility is not None
    measure = utility_on_map(result)
    signs = [Sign(words.of(say("this file")), verdict.risk, verdict.utility, "this file")]
    limits = [
        Limit("risk" if one.figure == "risk" else "utility", one.limit, words.of(one.said))
        for one in result.requirements or ()
        if one.figure in ("risk", "utility", measure)
    ]
    limits += [
        Limit(
            "utility",
            value,
            words.of(say("{name} {value}", name=said, value=figure(value, 2))),
            "reference",
            words.of(figure(value, 2)),
        )
        for said, value in references(result)
    ]
    plot = Plot.of(signs, room, words, whole=True)
    return drawn_map(say("Risk and utility"), plot, signs, limits, say("utility (up is better)"))


def utility_on_map(result: Assessment) -> str | None:
    """Which measure the verdict's utility is; None where that cannot be told."""
    verdict = result.verdict
    if verdict is None or verdict.utility is None:
        return None
    named = verdict.useful.measure
    plain = (named or "").partition(":")[0]
    if named in UTILITIES or plain == "overlap":
        return named
    if result.tables is not None and result.tables.value == verdict.utility:
        return "tables"
    gdu = result.gdu
    known = gdu is not None and gdu.value is not None and gdu.univariate is not None
    if gdu is not None and known and gdu_with_what_is_gone(gdu) == verdict.utility:
        return "gdu"
    return None


def references(result: Assessment) -> list[tuple[str, float]]:
    """The original, and files whose loss is known, with their utility; the best first.

    Removed variables count as nothing in the utility of the map: so they do in these figures, or
    there are none where that cannot be told of them.
    """
    found: list[tuple[str, float | None]] = [(say("the original"), 1.0)]
    measure = utility_on_map(result)
    gone = any(v.removed and v.analysed for v in result.variables)
    if measure == "tables" and result.tables is not None:
        resample, permuted = _without_removed(result.tables)
        found += [(FRESH, resample), (SHUFFLED, permuted)]
    if measure == "gdu" and result.gdu is not None and not gone:
        for said, point in ((FRESH, result.gdu.resample), (SHUFFLED, result.gdu.permuted)):
            found.append((said, None if point is None else point.value))
    return [(said, value) for said, value in found if value is not None]


def _without_removed(tables: Tables) -> tuple[float | None, float | None]:
    """What a fresh sample and shuffled variables had if the same variables were removed."""
    gone = {v.name for v in tables.variables if v.removed}
    if not gone:
        return tables.resample, tables.permuted
    left = [one for one in tables.worst if not gone & set(one.variables)]
    if len(tables.worst) != tables.tables:
        return None, None
    return (
        sum(one.resample for one in left) / tables.tables,
        sum(one.permuted for one in left) / tables.tables,
    )


FRESH, SHUFFLED = say("a fresh sample"), say("all columns shuffled")


# -- levels of protection ----------------------------------------------------------------------


def levels_spec(result: Ranking) -> Spec:
    """Safety and utility over the candidates in their order, and RUT with its band."""
    return with_narrower(lambda room: _levels(result, room), ROOMS)


def _levels(result: Ranking, room: int) -> Spec:
    known = _known(result)
    names = [shown(c.name) for c in known]
    # Names stand below the picture where they have room there, else on its left.
    width = room - 60.0
    upright = sum(text_width(name, SIZE) + 16.0 for name in names) < width
    name, value = ("x", "y") if upright else ("y", "x")
    longest = min(max((text_width(n, SIZE) for n in names), default=0.0), 0.4 * room)
    sizes: Spec = {"width": width, "height": 200}
    if not upright:
        sizes = {"width": room - longest - 40.0, "height": {"step": LINE * SIZE + 6.0}}
    across: Spec = {
        "field": "name", "type": "nominal", "sort": names, "title": None,
        "axis": {"labelAngle": 0, "labelLimit": longest + 4.0},
    }  # fmt: skip
    channels = (name, value, across, sizes)
    upper, lower = _both_levels(known, channels), _balances(known, channels)
    return {**BASE, "vconcat": [upper, lower], "usermeta": {"room": room}}


def _both_levels(known: list[Candidate], channels: tuple[str, str, Spec, Spec]) -> Spec:
    name, value, across, sizes = channels
    told = [say("safety"), say("utility")]
    lines = [
        {"name": shown(c.name), "what": what, "value": found}
        for c in known
        for what, found in zip(told, (1.0 - (c.risk or 0.0), c.utility), strict=True)
    ]
    colour = {
        "field": "what", "type": "nominal", "title": None,
        "scale": {"domain": told, "range": ["$good", "$after"]}, "legend": {"orient": "top"},
    }  # fmt: skip
    shape = {
        "field": "what", "type": "nominal", "title": None,
        "scale": {"domain": told, "range": ["square", "circle"]}, "legend": {"orient": "top"},
    }  # fmt: skip
    measured = {
        "field": "value", "type": "quantitative", "title": None, "scale": {"domain": [0, 1]},
        "axis": {"tickCount": 5},
    }  # fmt: skip
    places = {name: across, value: measured, "color": colour}
    return {
        "title": say("Safety and utility over the levels"), **sizes, "data": {"values": lines},
        "layer": [
            {"mark": {"type": "line"}, "encoding": places},
            {"mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
             "encoding": {**places, "shape": shape}},
        ],
    }  # fmt: skip


def _balances(known: list[Candidate], channels: tuple[str, str, Spec, Spec]) -> Spec:
    name, value, across, sizes = channels
    measured = {
        "type": "quantitative", "title": None, "scale": {"zero": False}, "axis": {"tickCount": 4},
    }  # fmt: skip
    return {
        "title": [say("Balance on the map over the levels;"), say("the band is α from 0.2 to 0.8")],
        **sizes,
        "data": {"values": [_band(c) for c in known]},
        "layer": [
            {"mark": {"type": "area", "color": "$after", "opacity": 0.15},
             "encoding": {name: across, value: {"field": "low", **measured},
                          f"{value}2": {"field": "high"}}},
            {"mark": {"type": "line", "point": {"color": "$ink"}, "color": "$ink"},
             "encoding": {name: across, value: {"field": "value", **measured}}},
        ],
    }  # fmt: skip


def _band(candidate: Candidate) -> dict[str, Any]:
    found = candidate.standing
    values = [step.value for step in (found.sweep if found else ()) if step.value is not None]
    return {
        "name": shown(candidate.name), "value": None if found is None else found.balance,
        "low": min(values, default=None), "high": max(values, default=None),
    }  # fmt: skip
