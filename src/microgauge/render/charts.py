"""Charts of a ranking as Vega-Lite specifications: plain dicts, drawn here or in a report."""

from __future__ import annotations

from typing import Any

from microgauge.results import Candidate, Ranking
from microgauge.results.figures import utility_title

INK, GREY, BLUE, ORANGE, GREEN = "#16202c", "#8a949e", "#0072b2", "#d55e00", "#009e73"
"""Colours that colour-blind readers can tell apart (Okabe and Ito)."""

MOST_NAMES = 12
"""Candidates that a map has room to name; of more, those on the frontier."""

Spec = dict[str, Any]


def map_spec(result: Ranking) -> Spec:
    """Risk across, utility up: candidates, frontier, limits, the original and no release."""
    points = [_point(c, result) for c in _known(result)]
    risk = 1.0 if result.original_risk is None else result.original_risk
    line = [p for p in points if p["frontier"]]
    layers: list[Spec] = [
        *_limits(result),
        _layer(
            sorted(line, key=lambda p: p["risk"]),
            {"type": "line", "color": BLUE, "strokeWidth": 1.5},
            order={"field": "risk", "type": "quantitative"},
        ),
        _layer(
            [
                {"name": "original", "risk": risk, "utility": 1.0},
                {"name": "no release", "risk": 0.0, "utility": 0.0},
            ],
            {"type": "point", "shape": "diamond", "color": INK, "size": 70},
        ),
        _layer(
            [{"name": "original", "risk": risk, "utility": 1.0}],
            {"type": "text", "align": "left", "dx": 9, "dy": -6, "color": INK},
            text=NAME,
        ),
        _layer(
            [{"name": "no release", "risk": 0.0, "utility": 0.0}],
            {"type": "text", "align": "left", "dx": 9, "dy": -6, "color": INK},
            text=NAME,
        ),
        _layer(
            points,
            {"type": "circle", "opacity": 1},
            color=KIND,
            size=SIZE,
            tooltip=[NAME, RISK, UTILITY],
        ),
        _layer(
            points if len(points) <= MOST_NAMES else line,
            {"type": "text", "align": "left", "dx": 9, "dy": 9, "color": INK, "limit": 160},
            text=NAME,
        ),
    ]
    return _chart(_named(layers, result), "Risk–utility map", 470, 360)


def closer_spec(result: Ranking) -> Spec:
    """The same, of a grid's candidates alone, which are often too near each other to tell."""
    points = sorted((_point(c, result) for c in _known(result)), key=lambda p: p["frontier"])
    line = sorted((p for p in points if p["frontier"]), key=lambda p: p["risk"])
    near: Spec = {"scale": {"zero": False, "nice": True}}
    risk, gain = RISK | near, UTILITY | near
    layers = [
        _layer(line, {"type": "line", "color": BLUE, "strokeWidth": 1.5},
               order={"field": "risk", "type": "quantitative"}),
        _layer(points, {"type": "circle", "opacity": 1}, color=KIND, size=SIZE,
               tooltip=[NAME, RISK, UTILITY, {"field": "said", "title": "settings"}]),
        _layer(line, {"type": "text", "align": "left", "dx": 8, "dy": 9, "color": INK}, text=NAME),
    ]  # fmt: skip
    for layer in layers:
        layer["encoding"] |= {"x": risk, "y": gain}
    return _chart(_named(layers, result), "The candidates, closer", 470, 360)


def _named(layers: list[Spec], result: Ranking) -> list[Spec]:
    """With the measure beside the axis that goes up."""
    title = _shown(f"utility: {utility_title(result.utility_measure)}, up is better")
    for layer in layers:
        if "y" in layer["encoding"]:
            layer["encoding"]["y"] = layer["encoding"]["y"] | {"title": title}
    return layers


def levels_spec(result: Ranking) -> Spec:
    """Safety and utility over the candidates in their order, and RUT with its band."""
    names = [_shown(c.name) for c in _known(result)]
    across = {
        "field": "name", "type": "nominal", "sort": names, "title": None,
        "axis": {"labelAngle": -20 if len(names) > 4 else 0, "labelLimit": 120},
    }  # fmt: skip
    lines = [
        {"name": _shown(c.name), "what": what, "value": value}
        for c in _known(result)
        for what, value in (("safety", 1.0 - (c.risk or 0.0)), ("utility", c.utility))
    ]
    colour = {
        "field": "what", "type": "nominal", "title": None,
        "scale": {"domain": ["safety", "utility"], "range": [GREEN, BLUE]},
        "legend": {"orient": "bottom"},
    }  # fmt: skip
    upper = {
        "title": "Safety and utility over the levels",
        "width": 480, "height": 180, "data": {"values": lines},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": across, "color": colour,
            "y": {"field": "value", "type": "quantitative", "title": None,
                  "scale": {"domain": [0, 1]}},
        },
    }  # fmt: skip
    bands = [_band(c) for c in _known(result)]
    value = {"type": "quantitative", "title": None, "scale": {"zero": False}}
    lower = {
        "title": "Balance (as RUT) over the levels; the band is α from 0.2 to 0.8",
        "width": 480, "height": 180, "data": {"values": bands},
        "layer": [
            {"mark": {"type": "area", "color": BLUE, "opacity": 0.15},
             "encoding": {"x": across, "y": {"field": "low", **value}, "y2": {"field": "high"}}},
            {"mark": {"type": "line", "point": True, "color": INK},
             "encoding": {"x": across, "y": {"field": "value", **value}}},
        ],
    }  # fmt: skip
    return {**_BASE, "vconcat": [upper, lower]}


def _known(result: Ranking) -> list[Candidate]:
    return [c for c in result.candidates if c.risk is not None and c.utility is not None]


def _shown(name: str) -> str:
    """A name that can be drawn: control characters stop the drawing library."""
    return "".join(sign if sign.isprintable() else "�" for sign in name)[:200]


def _point(candidate: Candidate, result: Ranking) -> dict[str, Any]:
    chosen = candidate.name == result.recommended.name
    on = candidate.name in result.frontier
    kind = "recommended" if chosen else "on the frontier" if on else "beaten"
    return {
        "name": _shown(candidate.name), "risk": candidate.risk, "utility": candidate.utility,
        "chosen": chosen, "frontier": on, "kind": kind, "said": _shown(candidate.said),
    }  # fmt: skip


def _band(candidate: Candidate) -> dict[str, Any]:
    found = candidate.standing
    values = [step.value for step in (found.sweep if found else ()) if step.value is not None]
    return {
        "name": _shown(candidate.name), "value": None if found is None else found.balance,
        "low": min(values, default=None), "high": max(values, default=None),
    }  # fmt: skip


def _limits(result: Ranking) -> list[Spec]:
    found: list[Spec] = []
    if result.max_risk is not None:
        said = f"risk at most {result.max_risk:g}"
        told = [{"risk": result.max_risk, "utility": 0.06, "name": said}]
        found += [
            {"data": {"values": told}, "mark": _RULE, "encoding": {"x": RISK}},
            _layer(told, {"type": "text", "align": "left", "dx": 5, "dy": -6, "color": ORANGE},
                   text=NAME),
        ]  # fmt: skip
    if result.min_utility is not None:
        said = f"utility at least {result.min_utility:g}"
        told = [{"risk": 1.0, "utility": result.min_utility, "name": said}]
        found += [
            {"data": {"values": told}, "mark": _RULE, "encoding": {"y": UTILITY}},
            _layer(told, {"type": "text", "align": "right", "dy": -6, "color": ORANGE}, text=NAME),
        ]
    return found


def _layer(values: list[dict[str, Any]], mark: Spec, **encoding: Any) -> Spec:
    return {
        "data": {"values": values},
        "mark": mark,
        "encoding": {"x": RISK, "y": UTILITY, **encoding},
    }


def _chart(layers: list[Spec], title: str, width: int, height: int) -> Spec:
    return {**_BASE, "title": title, "width": width, "height": height, "layer": layers}


RISK: Spec = {
    "field": "risk", "type": "quantitative", "title": "risk (left is safer)",
    "scale": {"domain": [0, 1.05], "nice": False},
}  # fmt: skip
UTILITY: Spec = {
    "field": "utility", "type": "quantitative", "title": "utility (up is better)",
    "scale": {"domain": [0, 1.05], "nice": False},
}  # fmt: skip
SIZE: Spec = {"condition": {"test": "datum.chosen", "value": 170}, "value": 80}
NAME: Spec = {"field": "name", "type": "nominal"}
KINDS: Spec = {
    "domain": ["recommended", "on the frontier", "beaten"],
    "range": [GREEN, BLUE, GREY],
}
KIND: Spec = {
    "field": "kind", "type": "nominal", "scale": KINDS, "title": None,
    "legend": {"orient": "bottom"},
}  # fmt: skip
_RULE: Spec = {"type": "rule", "color": ORANGE, "strokeDash": [5, 4]}
_BASE: Spec = {
    "background": "white",
    "config": {
        "view": {"stroke": None},
        "axis": {"gridColor": "#e6eaee", "domainColor": "#8a949e", "tickColor": "#8a949e"},
        "title": {"anchor": "start", "color": INK},
    },
}
