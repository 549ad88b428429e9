"""The small map of the page: risk across, utility up."""

from __future__ import annotations

from microgauge.languages.catalogue import Words
from microgauge.render.charts import assessment_map_spec, map_spec
from microgauge.render.pictures import drawn
from microgauge.results import Assessment, Ranking

MOST_WIDTH = 600
"""Of a map whose letters can still be read where it is half as wide on paper."""


def map_svg(result: Assessment | Ranking, words: Words) -> str | None:
    """The map as SVG; None where nothing can stand on it."""
    if isinstance(result, Ranking):
        known = any(c.risk is not None and c.utility is not None for c in result.candidates)
        spec = map_spec(result, words) if known else None
    else:
        spec = assessment_map_spec(result, words)
    if spec is None:
        return None
    forms = [spec, *spec["usermeta"]["narrower"]]
    fitting = next((form for form in forms if form["width"] <= MOST_WIDTH), forms[-1])
    return drawn(fitting | {"title": ""}, "svg", words).decode("utf-8")  # the page has a heading
