"""Risk–utility maps as Vega-Lite specifications: signs, lines, and labels that cover nothing.

Places of labels are found here and not left to whoever draws, so that a file, a page and a PDF
show the same picture. Colours are named (`$ink`): a page takes those of its theme, a file the light
ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import ceil, floor, log10
from typing import Any, Literal

from microgauge.languages.catalogue import Words
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.lettering import (
    LINE,
    Box,
    Label,
    Lettering,
    Line,
    Spot,
    fitted,
    text_width,
)
from microgauge.results.wording import distinct

Spec = dict[str, Any]

SIZE = 14
"""Of all letters."""
ROW = 21
"""From one line of a legend to the next."""
AXIS = 62
"""Room for the axis on the left and that below."""
MOST_NAMES = 12
"""Candidates that a map names where they stand, if there is room; more are numbered."""
MOST_NUMBERS = 40
"""Candidates that are numbered; of more, those on the frontier."""
EDGE = 0.035
"""So much of a map lies left of risk 0 and below utility 0: signs there lie on no axis."""
NEAR = 60.0
"""How far a name may stand from its point before numbers are easier to read."""

STAR = (
    "M0,-1L0.235,-0.324L0.951,-0.309L0.38,0.124L0.588,0.809L0,0.4L-0.588,0.809"
    "L-0.38,0.124L-0.951,-0.309L-0.235,-0.324Z"
)
TIMES = "M-.8,-.5L-.5,-.8L0,-.3L.5,-.8L.8,-.5L.3,0L.8,.5L.5,.8L0,.3L-.5,.8L-.8,.5L-.3,0Z"

Kind = Literal[
    "recommended", "on the frontier", "beaten", "misses a limit", "this file", "original",
    "no release",
]  # fmt: skip
MARKS: dict[Kind, Spec] = {
    "beaten": {"shape": "circle", "stroke": "$before", "fill": "$paper", "size": 75},
    "misses a limit": {"shape": TIMES, "stroke": "$bad", "fill": "$bad", "size": 110},
    "on the frontier": {"shape": "circle", "stroke": "$after", "fill": "$after", "size": 85},
    "no release": {"shape": "diamond", "stroke": "$ink", "fill": "$paper", "size": 90},
    "original": {"shape": "diamond", "stroke": "$ink", "fill": "$ink", "size": 90},
    "recommended": {"shape": STAR, "stroke": "$good", "fill": "$good", "size": 230},
    "this file": {"shape": "circle", "stroke": "$ink", "fill": "$after", "size": 190},
}
"""What each kind looks like: shapes differ, so that no colour is needed to tell them apart."""
TOLD: dict[str, str] = {
    "recommended": say("recommended"),
    "on the frontier": say("on the frontier"),
    "beaten": say("beaten in both"),
    "misses a limit": say("misses a limit"),
    "this file": say("this file"),
    "original": say("original"),
    "no release": say("no release"),
    "frontier": say("frontier: no other is better in both"),
    "limit": say("limit"),
}
"""What a legend says of a kind, where that is not its name."""
TOOLTIP: tuple[tuple[str, str, Spec], ...] = (
    ("name", say("name"), {}),
    ("kind", say("kind"), {}),
    ("risk", say("risk"), {"format": ".4f"}),
    ("utility", say("utility"), {"format": ".4f"}),
    ("said", say("settings"), {}),
)
"""What is told of a point: a field, its title, how its number is written."""
HALVES: dict[Kind, float] = {kind: mark["size"] ** 0.5 / 2.0 + 1.0 for kind, mark in MARKS.items()}


@dataclass(frozen=True)
class Sign:
    """Something that stands on the map."""

    name: str
    risk: float
    utility: float
    kind: Kind
    said: str = ""
    line: bool = False
    """Whether the frontier goes through it."""

    @property
    def numbered(self) -> bool:
        """Whether it is one of the candidates, which get numbers where names have no room."""
        return self.kind not in ("original", "no release", "this file")


@dataclass(frozen=True)
class Limit:
    """A line across the map at one risk or utility, and what is written beside it."""

    axis: Literal["risk", "utility"]
    value: float
    said: str
    kind: Literal["limit", "plain", "reference"] = "limit"
    """A reference has its label outside of the plane, where its line ends."""
    short: str = ""
    """Of a reference: what stands there where there is no room for all that is written."""


@dataclass(frozen=True)
class Plot:
    """A plane of so many pixels for so much risk and utility."""

    room: int
    """All of the picture's width."""
    width: float
    height: float
    risk: tuple[float, float]
    utility: tuple[float, float]
    words: Words
    """The language of what is written there: how long a text is decides where it stands."""

    @staticmethod
    def of(signs: Sequence[Sign], room: int, words: Words, *, whole: bool) -> Plot:
        """From 0 to 1 and a little more; or no more than the signs take."""
        width = float(room - AXIS - 12)
        height = min(460.0, max(260.0, 0.6 * width))
        risks, utilities = [s.risk for s in signs], [s.utility for s in signs]
        if whole:
            ends = (
                (min(-EDGE, *risks), max(1.05, *risks)),
                (min(-EDGE, *utilities), max(1.05, *utilities)),
            )
        else:
            ends = _around(risks), _around(utilities)
        return Plot(room, width, height, *ends, words)

    def at(self, risk: float, utility: float) -> tuple[float, float]:
        """Pixels from the left and from the top."""
        (left, right), (low, high) = self.risk, self.utility
        x = (risk - left) / (right - left) * self.width
        return x, self.height - (utility - low) / (high - low) * self.height

    def covered(self, signs: Sequence[Sign]) -> int:
        """How many pairs of signs lie on each other."""
        spots = [(*self.at(s.risk, s.utility), HALVES[s.kind]) for s in signs]
        return sum(
            (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 < (a[2] + b[2]) ** 2
            for a, b in combinations(spots, 2)
        )

    def place(self, x: float, y: float) -> Spec:
        """The risk and utility of a pixel, inside the plane or beside it."""
        (left, right), (low, high) = self.risk, self.utility
        return {
            "risk": round(left + x / self.width * (right - left), 9),
            "utility": round(low + (self.height - y) / self.height * (high - low), 9),
        }

    def holds(self, limit: Limit) -> bool:
        """Whether a line goes through the plane."""
        low, high = self.risk if limit.axis == "risk" else self.utility
        return low <= limit.value <= high

    def line(self, limit: Limit) -> Line:
        """From one end of the plane to the other."""
        if limit.axis == "risk":
            x, _ = self.at(limit.value, 0.0)
            return (x, 0.0), (x, self.height)
        _, y = self.at(0.0, limit.value)
        return (0.0, y), (self.width, y)


def _around(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    more = max(0.08 * (high - low), 0.01)
    return low - more, high + more


def drawn_map(
    title: str, plot: Plot, signs: Sequence[Sign], limits: Sequence[Limit], axis: str
) -> Spec:
    """The picture: named where there is room for names, else numbered with a list beside it."""
    plot, beside = _with_references(plot, signs, limits)
    named = _lettered(plot, signs, limits, _names(signs))
    if named is None:
        return _numbered_map(title, plot, signs, limits, axis)
    layers = [
        *_lines(plot, signs, limits),
        *_points(plot, signs),
        *_letters(plot, named),
        *_legend(plot, signs, limits),
        *beside,
    ]
    return chart(title, plot, layers, axis)


END = 16.0
"""From the end of a reference line to its label: the line goes on there, slanting where it must."""


def _with_references(
    plot: Plot, signs: Sequence[Sign], limits: Sequence[Limit]
) -> tuple[Plot, list[Spec]]:
    """The plane with room on its right for labels of references, and these labels.

    Each stands at the end of its own line. Where the picture is narrow only numbers do, and below
    it is written what they are.
    """
    known = [limit for limit in limits if limit.kind == "reference"]
    if not known:
        return plot, []
    longest = max(text_width(limit.said, SIZE) for limit in known) + END
    full = longest <= WIDEST * plot.room
    if not full:
        longest = max(text_width(limit.short, SIZE) for limit in known) + END
    plot = replace(plot, width=plot.width - longest)
    known.sort(key=lambda limit: -limit.value)
    ends = [plot.line(limit)[1][1] for limit in known]
    places = _apart_from_each_other(ends, LINE * SIZE)
    leaders = [
        _segment(plot, ((plot.width, end), (plot.width + END - 3.0, place)))
        for end, place in zip(ends, places, strict=True)
    ]
    texts = [
        {"text": limit.said if full else limit.short, **plot.place(plot.width + END, place)}
        for limit, place in zip(known, places, strict=True)
    ]
    if not full:
        rows = len([row for row in _legend_rows(plot, signs, limits) if row])
        top = plot.height + AXIS + ROW * (rows + 0.5)
        texts += [
            {"text": limit.said, **plot.place(-AXIS + 14.0, top + ROW * place)}
            for place, limit in enumerate(known)
        ]
    return plot, [_layer(leaders, _LEADER, x2="risk2", y2="utility2"), _text(texts, "normal")]


WIDEST = 0.4
"""The part of a picture that labels beside its plane may take."""


def _apart_from_each_other(places: Sequence[float], least: float) -> list[float]:
    """Places in a row, moved as little as keeps them so far apart.

    >>> _apart_from_each_other([0.0, 10.0, 100.0], 20.0)
    [-5.0, 15.0, 100.0]
    """
    groups: list[list[float]] = []
    for at, place in enumerate(places):
        groups.append([place - at * least])
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    means = [_mean(group) for group in groups for _ in group]
    return [mean + at * least for at, mean in enumerate(means)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _numbered_map(
    title: str, plot: Plot, signs: Sequence[Sign], limits: Sequence[Limit], axis: str
) -> Spec:
    numbers = _numbers(signs)
    listed = [(numbers[sign], sign) for sign in signs if sign in numbers]
    beside = plot.room >= 600
    plot = _beside(plot, listed) if beside else plot
    texts = {s: numbers.get(s, s.name if not s.numbered else "") for s in signs}
    found = _lettered(plot, signs, limits, texts, anywhere=True) or []
    legend = _legend(plot, signs, limits)
    top = 0.0 if beside else plot.height + AXIS + ROW * (len(_legend_rows(plot, signs, limits)) + 1)
    left = plot.width + 28.0 if beside else -AXIS + 14.0
    unnamed = sum(s.numbered for s in signs) - len(listed)
    layers = [
        *_lines(plot, signs, limits), *_points(plot, signs), *_letters(plot, found), *legend,
        *_list(plot, listed, (left, top), unnamed),
    ]  # fmt: skip
    return chart(title, plot, layers, axis)


def _beside(plot: Plot, listed: Sequence[tuple[str, Sign]]) -> Plot:
    """With room for the list of names on the right, and as high as that."""
    longest = max(text_width(f"{n}  {s.name}", SIZE) for n, s in listed) + 40.0
    width = plot.width - min(longest, 0.4 * plot.room)
    height = max(plot.height, ROW * (len(listed) + 1) - AXIS)
    return replace(plot, width=width, height=height)


def _names(signs: Sequence[Sign]) -> dict[Sign, str]:
    return dict(zip(signs, distinct([s.name for s in signs], 48), strict=True))


def _numbers(signs: Sequence[Sign]) -> dict[Sign, str]:
    """Numbers in the order given; of very many candidates, those that matter."""
    candidates = [s for s in signs if s.numbered]
    if len(candidates) > MOST_NUMBERS:
        matter = [s for s in candidates if s.line or s.kind == "recommended"]
        candidates = matter[:MOST_NUMBERS]
    return {sign: str(number) for number, sign in enumerate(candidates, start=1)}


def _lettered(
    plot: Plot,
    signs: Sequence[Sign],
    limits: Sequence[Limit],
    texts: dict[Sign, str],
    *,
    anywhere: bool = False,
) -> list[tuple[Label, bool]] | None:
    """Where each label stands, and whether it is the one to look at; None without enough room."""
    if not anywhere and sum(s.numbered for s in signs) > MOST_NAMES:
        return None
    spots = {s: Spot(*plot.at(s.risk, s.utility), HALVES[s.kind], texts[s]) for s in signs}
    lettering = Lettering(
        frame=Box(0.0, -4.0, plot.width, plot.height),
        size=SIZE,
        points=[spot.box for spot in spots.values()],
        lines=[*_frontier_lines(plot, signs), *(plot.line(limit) for limit in limits)],
    )
    inside = [limit for limit in limits if limit.kind != "reference"]
    for limit in inside:
        lettering.hold(limit.said, _limit_places(plot, limit))
    first = {"recommended": 0, "this file": 0, "original": 1, "no release": 1, "on the frontier": 2}
    found = []
    for sign in sorted(signs, key=lambda s: first.get(s.kind, 3)):
        if not texts[sign]:
            continue
        label = (
            lettering.put_anywhere(spots[sign]) if anywhere else lettering.put(spots[sign], NEAR)
        )
        if label is None and not anywhere:
            return None
        if label is not None:
            found.append((label, first.get(sign.kind) == 0))
    return [*((label, False) for label in lettering.labels[: len(inside)]), *found]


def _limit_places(plot: Plot, limit: Limit) -> list[Box]:
    """Beside its line, at either end or in between."""
    width, height = text_width(limit.said, SIZE), LINE * SIZE
    (x, y), _ = plot.line(limit)
    found = []
    for step in range(11):
        if limit.axis == "risk":
            top = (plot.height - height) * (1.0 - step / 10.0)
            found += [(x + 5.0, top), (x - 5.0 - width, top)]
        else:
            left = (plot.width - width) * (1.0 - step / 10.0)
            found += [(left, y - height - 2.0), (left, y + 3.0)]
    return [Box(left, top, left + width, top + height) for left, top in found]


def _frontier(signs: Sequence[Sign]) -> list[Sign]:
    return sorted((s for s in signs if s.line), key=lambda s: (s.risk, s.utility))


def _frontier_lines(plot: Plot, signs: Sequence[Sign]) -> list[Line]:
    places = [plot.at(s.risk, s.utility) for s in _frontier(signs)]
    return list(pairwise(places))


# -- layers ------------------------------------------------------------------------------------


def _lines(plot: Plot, signs: Sequence[Sign], limits: Sequence[Limit]) -> list[Spec]:
    found = []
    for limit in limits:
        (x, y), (x2, y2) = plot.line(limit)
        ends = [_segment(plot, ((x, y), (x2, y2)))]
        found.append(_layer(ends, _RULES[limit.kind], x2="risk2", y2="utility2"))
    line = [{"risk": s.risk, "utility": s.utility} for s in _frontier(signs)]
    if len(line) > 1:
        found.append(
            _layer(line, {"type": "line", "color": "$after", "strokeWidth": 1.5})
            | {"name": "frontier"}
        )
        found[-1]["encoding"]["order"] = {"field": "risk", "type": "quantitative"}
    return found


def _points(plot: Plot, signs: Sequence[Sign]) -> list[Spec]:
    """The signs of each kind, those that matter most on top."""
    found = []
    for kind, mark in MARKS.items():
        here = [s for s in signs if s.kind == kind]
        if here:
            rows = [
                {"name": shown(s.name), "risk": s.risk, "utility": s.utility,
                 "kind": plot.words.of(TOLD[kind]), **({"said": shown(s.said)} if s.said else {})}
                for s in here
            ]  # fmt: skip
            layer = _layer(rows, {"type": "point", "opacity": 1, "strokeWidth": 1.5, **mark})
            layer["encoding"]["tooltip"] = [
                {"field": field, "title": plot.words.of(title), **more}
                for field, title, more in TOOLTIP
                if field != "said" or any(s.said for s in here)
            ]
            found.append(layer)
    return found


def _letters(plot: Plot, found: Sequence[tuple[Label, bool]]) -> list[Spec]:
    leaders = [_segment(plot, label.leader) for label, _ in found if label.leader is not None]
    layers = []
    if leaders:
        layers.append(_layer(leaders, _LEADER, x2="risk2", y2="utility2"))
    for strong in (False, True):
        rows = [
            {"text": shown(label.text), **plot.place(label.box.left, label.box.middle[1])}
            for label, bold in found
            if bold == strong
        ]
        if rows:
            layers.append(_text(rows, "bold" if strong else "normal"))
    return layers


def _legend_rows(
    plot: Plot, signs: Sequence[Sign], limits: Sequence[Limit]
) -> list[list[tuple[str, float]]]:
    """What is drawn and how far from the left, in as many rows as it takes."""
    names: list[str] = [k for k in MARKS if any(s.kind == k for s in signs if s.numbered)]
    names += ["frontier"] if len(_frontier(signs)) > 1 else []
    names += ["limit"] if any(limit.kind == "limit" for limit in limits) else []
    rows: list[list[tuple[str, float]]] = [[]]
    x = 0.0
    for name in names:
        wide = 26.0 + text_width(_told(plot, name), SIZE) + 18.0
        if rows[-1] and x + wide > plot.room - AXIS:
            rows.append([])
            x = 0.0
        rows[-1].append((name, x))
        x += wide
    return rows


def _told(plot: Plot, name: str) -> str:
    return plot.words.of(TOLD[name])


def _legend(plot: Plot, signs: Sequence[Sign], limits: Sequence[Limit]) -> list[Spec]:
    texts, layers = [], []
    for row, entries in enumerate(_legend_rows(plot, signs, limits)):
        y = plot.height + AXIS + ROW * (row + 0.5)
        for name, x in entries:
            texts.append({"text": _told(plot, name), **plot.place(x + 26.0, y)})
            if name in ("frontier", "limit"):
                ends = [_segment(plot, ((x, y), (x + 20.0, y)))]
                mark = _RULES["limit"] if name == "limit" else _FRONTIER
                layers.append(_layer(ends, mark, x2="risk2", y2="utility2"))
            else:
                mark = next(mark for kind, mark in MARKS.items() if kind == name)
                place = [plot.place(x + 10.0, y)]
                layers.append(_layer(place, {"type": "point", "opacity": 1, **mark}))
    return [*layers, _text(texts, "normal")] if texts else []


def _list(
    plot: Plot, listed: Sequence[tuple[str, Sign]], start: tuple[float, float], unnamed: int
) -> list[Spec]:
    """The names of all numbers, one below the other."""
    left, top = start
    most = plot.room - AXIS - left - 34.0
    rows = [
        {"text": number, **plot.place(left + 20.0, top + ROW * (i + 0.5))}
        for i, (number, _) in enumerate(listed)
    ]
    names = distinct([sign.name for _, sign in listed], 200)
    said = [
        {"text": fitted(shown(name), SIZE, most),
         **plot.place(left + 28.0, top + ROW * (i + 0.5))}
        for i, name in enumerate(names)
    ]  # fmt: skip
    if unnamed:
        told = say("and {unnamed:,} beaten ones without a number", unnamed=unnamed)
        said.append(
            {"text": plot.words.of(told), **plot.place(left, top + ROW * (len(listed) + 0.5))}
        )
    bold = [
        text for text, (_, sign) in zip(said, listed, strict=False) if sign.kind == "recommended"
    ]
    plain = [text for text in said if text not in bold]
    layers = [_text(rows, "normal", align="right"), _text(plain, "normal")]
    return [*layers, *([_text(bold, "bold")] if bold else [])]


def _segment(plot: Plot, line: Line) -> Spec:
    start, end = (plot.place(*place) for place in line)
    return {**start, "risk2": end["risk"], "utility2": end["utility"]}


def _text(rows: list[Spec], weight: str, align: str = "left") -> Spec:
    mark = {
        "type": "text", "align": align, "baseline": "middle", "fontSize": SIZE,
        "fontWeight": weight, "color": "$ink",
    }  # fmt: skip
    layer = _layer(rows, mark)
    layer["encoding"]["text"] = {"field": "text", "type": "nominal"}
    return layer


def _layer(values: list[Spec], mark: Spec, **second: str) -> Spec:
    encoding: Spec = {
        "x": {"field": "risk", "type": "quantitative"},
        "y": {"field": "utility", "type": "quantitative"},
        **{channel: {"field": field} for channel, field in second.items()},
    }
    return {"data": {"values": values}, "mark": mark, "encoding": encoding}


def chart(title: str, plot: Plot, layers: list[Spec], axis: str) -> Spec:
    """Layers on the same two axes."""
    ticks = max(2, int(plot.width // 120))
    sides = {
        "x": (plot.words.of(say("risk (left is safer)")), plot.risk, ticks),
        "y": (
            fitted(plot.words.of(axis), SIZE, plot.height + 20.0),
            plot.utility,
            max(3, int(plot.height // 70)),
        ),
    }
    for layer in layers:
        for channel, (said, ends, count) in sides.items():
            layer["encoding"][channel] = {
                **layer["encoding"][channel],
                "scale": {"domain": list(ends), "nice": False, "zero": False},
                "axis": {"title": said, **_ticks(ends, count)},
            }
    return {
        **BASE, "title": plot.words.of(title), "width": plot.width, "height": plot.height,
        "layer": layers,
        "usermeta": {"room": plot.room},
    }  # fmt: skip


def _ticks(ends: tuple[float, float], count: int) -> Spec:
    """About so many numbers on an axis, none where no risk and no utility can be.

    A plane goes on a little beyond 0 and 1, so that signs there are whole.

    >>> _ticks((-0.035, 1.05), 8), _ticks((0.89, 1.03), 3)
    ({'tickCount': 8}, {'tickCount': 3})
    >>> _ticks((0.94, 1.03), 4)
    {'values': [0.94, 0.96, 0.98, 1.0], 'format': '.2f'}
    """
    low, high = ends
    rough = (high - low) / count
    power = floor(log10(rough))
    step = next(by for by, least in STEPS if rough / 10.0**power >= least)
    size = step * 10.0**power
    every = [n * size for n in range(ceil(low / size - NOISE), floor(high / size + NOISE) + 1)]
    inside = [round(value, 9) for value in every if -NOISE <= value <= 1.0 + NOISE]
    # Values beyond are those of a utility that has no such ends.
    if len(inside) == len(every) or len(inside) < 2 or low < -FAR or high > 1.0 + FAR:
        return {"tickCount": count}
    digits = max(0, -power if step < 10 else -power - 1)
    return {"values": inside, "format": f".{digits}f"}


STEPS = ((10, 50**0.5), (5, 10**0.5), (2, 2**0.5), (1, 0.0))
"""Steps of an axis, and from which width on each is taken: as the drawing library does."""
NOISE = 1e-9
FAR = 0.2
"""A plane that goes on farther than this beyond 0 or 1 has signs there."""


def with_narrower(make: Callable[[int], Spec], rooms: Sequence[int]) -> Spec:
    """A picture for the widest room; it holds those for narrower ones, from which a page takes
    the one that fits: letters keep their size.
    """
    first, *others = [make(room) for room in rooms]
    return {**first, "usermeta": {**first["usermeta"], "narrower": others}}


def shown(name: str) -> str:
    """A name that can be drawn: control characters stop the drawing library."""
    return "".join(sign if sign.isprintable() else "�" for sign in name)[:200]


_RULES: dict[str, Spec] = {
    "limit": {"type": "rule", "color": "$bad", "strokeDash": [6, 4], "strokeWidth": 2},
    "plain": {"type": "rule", "color": "$soft", "strokeDash": [1, 3], "strokeWidth": 1.5},
    "reference": {"type": "rule", "color": "$soft", "strokeDash": [1, 3], "strokeWidth": 1.5},
}
_FRONTIER: Spec = {"type": "rule", "color": "$after", "strokeWidth": 1.5}
_LEADER: Spec = {"type": "rule", "color": "$soft", "strokeWidth": 1}
BASE: Spec = {
    "background": "white",
    "config": {
        "view": {"stroke": None},
        "axis": {
            "gridColor": "#e6eaee", "domainColor": "#8a949e", "tickColor": "#8a949e",
            "labelFontSize": SIZE, "titleFontSize": SIZE, "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "legend": {"labelFontSize": SIZE, "titleFontSize": SIZE},
        "title": {"anchor": "start", "color": "#16202c", "fontSize": 16},
    },
}  # fmt: skip
"""What every picture as a file has; a page has its own."""
LIGHT = {
    "$ink": "#16202c", "$soft": "#55606b", "$before": "#8a949e", "$after": "#0072b2",
    "$bad": "#d55e00", "$good": "#009e73", "$paper": "#ffffff",
}  # fmt: skip
"""Colours that colour-blind readers can tell apart (Okabe and Ito)."""


def coloured(spec: Any, colours: dict[str, str] = LIGHT) -> Any:
    """A picture with its colours in place of their names; values of the data stay as they are."""
    if isinstance(spec, dict):
        return {k: v if k == "values" else coloured(v, colours) for k, v in spec.items()}
    if isinstance(spec, list):
        return [coloured(entry, colours) for entry in spec]
    return colours.get(spec, spec) if isinstance(spec, str) else spec
