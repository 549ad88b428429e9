"""The small map of the page: risk across, utility up."""

from __future__ import annotations

from typing import Any

from microgauge.render.charts import map_spec
from microgauge.render.pictures import drawn
from microgauge.results import Assessment, Ranking


def map_svg(result: Assessment | Ranking) -> str | None:
    """The map as SVG; None where nothing can stand on it."""
    spec = _spec(result)
    return None if spec is None else drawn(spec, "svg").decode("utf-8")


def _spec(result: Assessment | Ranking) -> dict[str, Any] | None:
    if isinstance(result, Ranking):
        known = any(c.risk is not None and c.utility is not None for c in result.candidates)
        return {**map_spec(result), "title": ""} if known else None
    return _of_file(result)


def _of_file(result: Assessment) -> dict[str, Any] | None:
    verdict = result.verdict
    if verdict is None or verdict.risk is None or verdict.utility is None:
        return None
    across = {"field": "risk", "type": "quantitative", "title": "risk (left is safer)",
              "scale": {"domain": [0, 1.05], "nice": False}}  # fmt: skip
    up = {"field": "utility", "type": "quantitative", "title": "utility (up is better)",
          "scale": {"domain": [0, 1.05], "nice": False}}  # fmt: skip
    here = [{"risk": verdict.risk, "utility": verdict.utility, "said": "this file"}]
    layers: list[dict[str, Any]] = [
        {"data": {"values": here}, "mark": {"type": "circle", "size": 130, "color": "#0072b2",
                                            "opacity": 1}, "encoding": {"x": across, "y": up}},
        {"data": {"values": here},
         "mark": {"type": "text", "align": "left", "dx": 9, "color": "#16202c"},
         "encoding": {"x": across, "y": up, "text": {"field": "said"}}},
    ]  # fmt: skip
    return {"width": 330, "height": 230, "layer": layers, "background": "white"}
