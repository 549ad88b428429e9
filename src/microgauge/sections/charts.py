"""Charts that several sections draw, in Vega-Lite's terms.

Labels stand in the values; colours are those that follow the reader's theme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from microgauge.languages.messages import say
from microgauge.results.blocks import Chart, Ruler
from microgauge.results.wording import distinct

SIDES = {"domain": [say("original"), say("protected")], "range": ["$before", "$after"]}
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


OWN = say("this file")


def ruler(title: str, heading: str, known: Mapping[str, float | None], own: float | None) -> Ruler:
    """Files whose loss is known and this one, on one line, each where its figure is."""
    points = [(value, name) for name, value in known.items() if value is not None]
    points += [] if own is None else [(own, OWN)]
    return Ruler(
        title=title, heading=heading, points=tuple((name, value) for value, name in sorted(points))
    )
