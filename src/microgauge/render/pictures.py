"""Charts as files: SVG and PNG, drawn by Vega-Lite without a browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microgauge.languages.catalogue import ENGLISH_WORDS, Words
from microgauge.render.charts import levels_spec, map_spec
from microgauge.render.maps import Spec, coloured
from microgauge.results import Ranking

FORMATS = ("svg", "png")


def risk_utility_map(result: Ranking, kind: str) -> bytes:
    """Risk across, utility up: candidates, frontier, limits, the original and no release."""
    return drawn(map_spec(result), kind)


def levels_picture(result: Ranking, kind: str) -> bytes:
    """Safety and utility over the candidates in their order, and RUT with its band."""
    return drawn(levels_spec(result), kind)


def drawn(spec: Spec, kind: str, words: Words = ENGLISH_WORDS) -> bytes:
    """A chart as a file's content. Nothing is loaded from anywhere."""
    import vl_convert

    spec = coloured(spec)
    closed: dict[str, Any] = {"allowed_base_urls": []}
    if words.locale is not None:
        closed["format_locale"] = words.locale
    if kind == "svg":
        return str(vl_convert.vegalite_to_svg(spec, **closed)).encode("utf-8")
    return bytes(vl_convert.vegalite_to_png(spec, scale=2, **closed))


def pictures_of(names: Sequence[str]) -> list[tuple[str, str]]:
    """Which files to write for a name: its own format, or both where it has none.

    >>> pictures_of(["map.svg"]), pictures_of(["map"])
    ([('map.svg', 'svg')], [('map.svg', 'svg'), ('map.png', 'png')])
    """
    found = []
    for name in names:
        suffix = name.rsplit(".", 1)[-1].lower()
        if suffix in FORMATS and "." in name:
            found.append((name, suffix))
        else:
            found += [(f"{name}.{kind}", kind) for kind in FORMATS]
    return found
