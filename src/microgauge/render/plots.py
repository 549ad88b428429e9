"""Charts that a notebook displays, as Vega-Lite specifications."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from microgauge.records import dataclass
from microgauge.render.charts import assessment_map_spec, levels_spec, map_spec
from microgauge.render.maps import Spec, coloured, shown
from microgauge.results import Assessment, Ranking

VEGA_LITE = "application/vnd.vegalite.v5+json"
MOST_VARIABLES = 40
"""Variables that a chart has room for: those that lost most."""
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""How a specification says what it is; nothing is loaded from there."""


@dataclass(frozen=True, eq=False)
class Chart:
    """A chart that displays in a notebook, and can be saved.

    `spec` is the Vega-Lite specification, for whoever wants to change it.
    """

    spec: Spec

    def save(self, path: str | Path) -> None:
        """Write it as .svg or .png."""
        from microgauge.render.pictures import FORMATS, drawn
        from microgauge.results.writing import check_ending, check_writable, write_whole

        place = check_ending(path, [f".{kind}" for kind in FORMATS], "a chart")
        check_writable(place)
        write_whole(place, drawn(self.spec, place.suffix.lower().removeprefix(".")))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The specification where it can be drawn, and the picture where it cannot."""
        del include, exclude
        from microgauge.render.pictures import drawn

        return {VEGA_LITE: self.spec, "image/svg+xml": drawn(self.spec, "svg").decode("utf-8")}

    def __repr__(self) -> str:
        return f"Chart({self.spec.get('title') or 'microgauge'!r})"


def _chart(spec: Spec) -> Chart:
    return Chart(coloured(spec))


@dataclass(frozen=True, eq=False)
class AssessmentPlots:
    """The charts of one protected file."""

    result: Assessment

    def map(self) -> Chart:
        """Where the file stands: risk across, utility up."""
        spec = assessment_map_spec(self.result)
        if spec is None:
            raise ValueError("there is no risk and utility to draw: name keys, and leave tables in")
        return _chart(spec)

    def variables(self) -> Chart:
        """The utility of each variable, by itself and in pairs, the weakest first."""
        gdu = _gdu(self.result)
        known = [v for v in gdu.variables if v.utility is not None]
        known.sort(key=lambda v: (v.utility or 0.0, v.name))
        rows = [
            {"variable": shown(v.name), "of": of, "utility": value}
            for v in known[:MOST_VARIABLES]
            for of, value in (("distribution", v.utility), ("pairs", v.bivariate_utility))
            if value is not None
        ]
        more = len(known) - MOST_VARIABLES
        aside = f"the weakest {MOST_VARIABLES} of {len(known)} variables" if more > 0 else ""
        return _chart(_bars(rows, aside))

    def pairs(self) -> Chart:
        """The utility of each pair of variables: dark is lost."""
        gdu = _gdu(self.result)
        lost: dict[str, float] = {}
        for pair in gdu.pairs:
            for name in (pair.a, pair.b):
                lost[name] = lost.get(name, 0.0) + 1.0 - (pair.utility or 0.0)
        names = sorted(lost, key=lambda name: (-lost[name], name))[:MOST_VARIABLES]
        place = {name: number for number, name in enumerate(names)}
        rows = [
            {"a": shown(a), "b": shown(b), "utility": p.utility, "what": p.outcome or p.reason}
            for p in gdu.pairs
            if p.a in place and p.b in place
            for a, b in [sorted((p.a, p.b), key=place.__getitem__)]
        ]
        return _chart(_heat(rows, [shown(name) for name in names]))


@dataclass(frozen=True, eq=False)
class RankingPlots:
    """The charts of several protected files."""

    result: Ranking

    def map(self) -> Chart:
        """Risk across, utility up: candidates, frontier, limits."""
        return _chart(map_spec(self.result))

    def levels(self) -> Chart:
        """Safety and utility over the candidates in their order."""
        return _chart(levels_spec(self.result))


def _gdu(result: Assessment) -> Any:
    if result.gdu is None:
        raise ValueError("the global data utility was not computed: leave gdu among the sections")
    return result.gdu


def _bars(rows: list[dict[str, Any]], aside: str) -> Spec:
    return {
        "$schema": SCHEMA,
        "title": {"text": "What variables kept", "subtitle": aside},
        "data": {"values": rows},
        "mark": {"type": "point", "filled": True, "size": 70},
        "height": {"step": 20},
        "encoding": {
            "y": {"field": "variable", "type": "nominal", "sort": None, "title": None},
            "x": {
                "field": "utility",
                "type": "quantitative",
                "scale": {"domain": [0, 1]},
                "title": "0 all lost, 1 nothing lost",
            },
            "color": {
                "field": "of",
                "type": "nominal",
                "scale": {"domain": ["distribution", "pairs"], "range": ["$after", "$before"]},
                "title": None,
            },
            "shape": {"field": "of", "type": "nominal", "title": None},
            "tooltip": [{"field": name} for name in ("variable", "of", "utility")],
        },
    }


def _heat(rows: list[dict[str, Any]], names: list[str]) -> Spec:
    axis = {"type": "nominal", "sort": names, "title": None}
    return {
        "$schema": SCHEMA,
        "title": "What pairs kept",
        "data": {"values": rows},
        "mark": {"type": "rect"},
        "width": {"step": 20},
        "height": {"step": 20},
        "encoding": {
            "y": {"field": "b", **axis},
            "x": {"field": "a", **axis},
            "color": {
                "field": "utility",
                "type": "quantitative",
                "scale": {"domain": [0, 1], "range": ["$after", "#f4f7fa"]},
                "title": "kept",
            },
            "tooltip": [{"field": name} for name in ("a", "b", "utility", "what")],
        },
    }
