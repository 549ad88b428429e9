"""Charts that several sections draw, in Vega-Lite's terms.

Labels stand in the values; colours are those that follow the reader's theme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

from microgauge.results.blocks import Chart
from microgauge.results.lettering import text_width
from microgauge.results.wording import distinct, figure

SIDES = {"domain": ["original", "protected"], "range": ["$before", "$after"]}
"""The colours of both sides."""


def bars(
    title: str, rows: Sequence[tuple[str, float]], *, colour: str, shape: str, heading: str
) -> Chart:
    """A bar for each name, in the order given; `shape` is the format of its number."""
    labels = distinct([name for name, _ in rows])
    values = [{"label": label, "v": row[1]} for label, row in zip(labels, rows, strict=True)]
    axis: dict[str, Any] = {"axis": {"format": "%"}} if shape.endswith("%") else {}
    spec = {
        "title": heading,
        "width": 300,
        "height": {"step": 24},
        "data": {"values": values},
        "mark": {"type": "bar", "color": colour},
        "encoding": {
            "y": {"field": "label", "type": "nominal", "sort": None, "title": None},
            "x": {"field": "v", "type": "quantitative", "title": None, **axis},
            "tooltip": [{"field": "label"}, {"field": "v", "format": shape}],
        },
    }
    return Chart(title=title, spec=spec)


# -- a ruler -----------------------------------------------------------------------------------

ROOMS = (1080, 840, 600, 350)
"""Widths of pages that a ruler is made for; a page takes the widest that fits."""
SIZE = 14
LEVEL = 24
"""Pixels from one row of labels to the next."""
OWN = "this file"


def ruler(title: str, heading: str, known: Mapping[str, float | None], own: float | None) -> Chart:
    """Files whose loss is known and this one, on one line, each where its figure is."""
    points = sorted(
        [(value, name) for name, value in known.items() if value is not None]
        + ([] if own is None else [(own, OWN)])
    )
    first, *others = [_ruler(heading, points, room) for room in ROOMS]
    usermeta = {**first["usermeta"], "narrower": others}
    return Chart(title=title, spec={**first, "usermeta": usermeta})


@dataclass(frozen=True)
class _Written:
    """A label above a ruler: where it begins and ends, where its point is, and in which row."""

    text: str
    left: float
    right: float
    x: float
    level: int

    def meets(self, other: _Written) -> bool:
        """Whether it stands on the other."""
        near = self.left < other.right + 12.0 and other.left < self.right + 12.0
        return self.level == other.level and near

    def bars(self, other: _Written) -> bool:
        """Whether one stands in the way of the line that leads to the other."""
        low, high = (self, other) if self.level < other.level else (other, self)
        return low.level < high.level and low.left - 4.0 < high.x < low.right + 4.0


def _written(
    points: Sequence[tuple[float, str]], width: float, ends: tuple[float, float]
) -> list[_Written]:
    """Labels in as few rows as they need, none on another; on a line that leads to one only where
    it cannot be helped: they hide the line behind them.
    """
    found: list[_Written] = []
    # From the right, so that what begins farther to the left may stand above it.
    for value, name in reversed(points):
        text = f"{name} {figure(value)}"
        x = (value - ends[0]) / (ends[1] - ends[0]) * width
        wide = text_width(text, SIZE) * (1.12 if name == OWN else 1.0)
        left = max(min(x - 6.0, width - wide), 0.0)
        places = [_Written(text, left, left + wide, x, level) for level in range(len(points))]
        free = [p for p in places if not any(p.meets(other) for other in found)]
        clear = [p for p in free if not any(p.bars(other) for other in found)]
        found.append((clear or free)[0])
    return found[::-1]


def _ruler(heading: str, points: Sequence[tuple[float, str]], room: int) -> dict[str, Any]:
    width = room - 40.0
    low = min(floor(min((v for v, _ in points), default=0.0) * 10.0) / 10.0, 0.9)
    high = max(ceil(max((v for v, _ in points), default=1.0) * 10.0) / 10.0, 1.0)
    labels = _written(points, width, (low, high))
    rows = [
        {"value": value, "text": label.text, "name": name, "top": label.level + 0.75, "foot": 0,
         "start": low + label.left / width * (high - low),
         "end": low + label.right / width * (high - low),
         "row": label.level + 1.2, "above": label.level + 1.6, "below": label.level + 0.8}
        for (value, name), label in zip(points, labels, strict=True)
    ]  # fmt: skip
    top = max((label.level for label in labels), default=0) + 1.8
    x: dict[str, Any] = {
        "field": "value", "type": "quantitative", "title": None,
        "scale": {"domain": [low, high], "nice": False, "zero": False},
        "axis": {"grid": False, "tickCount": max(2, int(width // 110)), "format": ".2~f"},
    }  # fmt: skip
    up: dict[str, Any] = {
        "type": "quantitative", "axis": None,
        "scale": {"domain": [0, top], "nice": False, "zero": False},
    }  # fmt: skip
    hidden = {
        "data": {"values": rows}, "mark": {"type": "rect", "color": "$paper", "opacity": 1},
        "encoding": {"x": {**x, "field": "start"}, "x2": {"field": "end"},
                     "y": {"field": "below", **up}, "y2": {"field": "above"}},
    }  # fmt: skip
    layers: list[dict[str, Any]] = []
    for own in (False, True):
        here = {"values": [row for row in rows if (row["name"] == OWN) == own]}
        ink = "$after" if own else "$soft"
        layers += [
            {"data": here, "mark": {"type": "rule", "color": ink, "strokeWidth": 3 if own else 1},
             "encoding": {"x": x, "y": {"field": "foot", **up}, "y2": {"field": "top"}}},
            {"data": here, "mark": {"type": "point", "filled": True, "opacity": 1, "color": ink,
                                    "shape": "circle" if own else "diamond",
                                    "size": 160 if own else 60},
             "encoding": {"x": x, "y": {"field": "foot", **up},
                          "tooltip": [{"field": "name"}, {"field": "value", "format": ".4f"}]}},
            {"data": here, "mark": {"type": "text", "align": "left", "baseline": "middle",
                                    "fontSize": SIZE, "color": "$ink",
                                    "fontWeight": "bold" if own else "normal"},
             "encoding": {"x": {**x, "field": "start"}, "y": {"field": "row", **up},
                          "text": {"field": "text", "type": "nominal"}}},
        ]  # fmt: skip
    return {
        "title": _lines(heading, width), "width": width, "height": LEVEL * top,
        "layer": [*layers[::3], hidden, *layers[1::3], *layers[2::3]],
        "usermeta": {"room": room},
    }  # fmt: skip


def _lines(text: str, width: float) -> list[str]:
    """A heading in as many lines as it takes."""
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        if text_width(longer, SIZE + 2) <= width:
            found[-1] = longer
        else:
            found.append(word)
    return found
