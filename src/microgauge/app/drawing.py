"""Small pictures as SVG: distributions before and after, candidates on the map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup, escape

WIDE, HIGH, GAP = 120, 34, 1


def distribution(
    variable: Mapping[str, Any], words: Any, *, wide: int = WIDE, high: int = HIGH
) -> Markup:
    """Bars of the original upwards, of the protected file downwards; nothing where there is none.

    Colours are classes: a page of ours has no style of its own.
    """
    drawn = variable["numbers"] or variable["categories"]
    if drawn is None or not drawn["before"]:
        return Markup('<span class="soft">–</span>')
    alone = variable["protected"] is None
    before = _scaled(drawn["before"])
    after = [] if alone else _scaled(drawn["after"])
    middle = high if alone else high / 2
    width = wide / len(before)
    bars = [
        *(
            _bar("before", at, width, middle - share * middle, share * middle)
            for at, share in enumerate(before)
        ),
        *(_bar("after", at, width, middle, share * middle) for at, share in enumerate(after)),
    ]
    said = (
        words("Distribution of {name} in the original", name=variable["name"])
        if alone
        else words("Distribution of {name}, original above, protected below", name=variable["name"])
    )
    return Markup(
        '<svg class="spark" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" '
        'aria-label="{said}">{bars}</svg>'
    ).format(w=wide, h=high, said=said, bars=Markup("").join(bars))


def _scaled(shares: Sequence[float]) -> list[float]:
    most = max(shares) or 1.0
    return [share / most for share in shares]


def _bar(kind: str, at: int, width: float, y: float, height: float) -> Markup:
    gap = GAP if width > 3 else 0
    place = f'x="{at * width:.2f}" y="{y:.2f}" width="{max(width - gap, 0.5):.2f}"'
    return Markup(f'<rect class="{kind}" {place} height="{height:.2f}"/>')  # noqa: S704  numbers, and a word of ours


SIDE, EDGE, TOP = 320, 44, 16
PLOT = SIDE - EDGE - TOP
MOST_NAMED, LONGEST = 12, 14
"""Candidates that are called by something beside them, and letters of a name that fits there."""
LETTER, LINE, RADIUS = 6.5, 12, 8
"""How wide a letter, how high a line and how large a mark is, at most."""
Box = tuple[float, float, float, float]
Place = tuple[float, float]


def called(points: Sequence[Mapping[str, Any]], words: Any) -> list[str]:
    """What stands beside candidates on a map: their names, or numbers where these are too long.

    What is explored has a number of its own, which it keeps when all are measured.
    """
    numbers = [point.get("number") for point in points]
    if all(numbers):
        return [str(number) for number in numbers]
    names = [str(words.of(point["name"])) for point in points]
    if all(len(name) <= LONGEST for name in names):
        return names
    return [str(place) for place, _ in enumerate(names, start=1)]


def chart(
    points: Sequence[Mapping[str, Any]],
    words: Any,
    limits: Mapping[str, float | None] | None = None,
) -> Markup:
    """Candidates on the map: risk across, utility up; each a link where it has one.

    `limits` on `risk` and `utility` are lines; beside the candidates stands the `original`.
    """
    there = {key: value for key, value in (limits or {}).items() if value is not None}
    names = called(points, words)
    known = [
        {**p, "name": words.of(p["name"]), "called": name}
        for p, name in zip(points, names, strict=True)
        if p["risk"] is not None and p["utility"] is not None
    ]
    most, least = _ends(known, there)

    def place(risk: float, utility: float) -> Place:
        x = EDGE + PLOT * risk / most
        return x, TOP + PLOT * (1 - (utility - least) / max(1.0 - least, 1e-9))

    line = [place(p["risk"], p["utility"]) for p in known if p.get("frontier")]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in sorted(line))
    frontier = Markup('<polyline class="frontier" points="{}"/>').format(path)
    beside = _beside(there, words, place, (most, least))
    marks = _marks(known, [place(p["risk"], p["utility"]) for p in known])
    return _framed(Markup("").join([frontier, beside, *marks]), words, (most, least))


def _ends(known: Sequence[Mapping[str, Any]], there: Mapping[str, float]) -> tuple[float, float]:
    """The highest risk and the lowest utility that have room on the map."""
    risks = [there[key] for key in ("risk", "original") if key in there]
    most = max([0.05, *(p["risk"] for p in known), *risks]) * 1.08
    least = min([0.9, *(p["utility"] for p in known), there.get("utility", 1.0)])
    return most, max(0.0, least - 0.05)


def _framed(drawn: Markup, words: Any, ends: tuple[float, float]) -> Markup:
    """What is drawn between the axes, and what stands beside these."""
    most, least = ends
    low, high = TOP, TOP + PLOT
    return Markup(
        '<svg class="chart-map" viewBox="0 0 {s} {s}" role="img" aria-label="{said}">'
        '<path class="axis" d="M{e} {low}V{high}H{right}"/>{drawn}'
        '<text x="{e}" y="{under}">0</text><text class="end" x="{right}" y="{under}">{most}</text>'
        '<text class="end" x="{left}" y="{topy}">1</text>'
        '<text class="end" x="{left}" y="{high}">{least}</text>'
        '<text class="risky middle" x="{middle}" y="{below}">{risk}</text>'
        '<text class="useful" x="{e}" y="11">{utility}</text></svg>'
    ).format(
        s=SIDE,
        e=EDGE,
        low=low,
        high=high,
        right=EDGE + PLOT,
        drawn=drawn,
        under=high + 16,
        most=words.number(most, 2),
        left=EDGE - 6,
        topy=low + 5,
        least=words.number(least, 2),
        middle=EDGE + PLOT / 2,
        below=high + 24,
        risk=words("risk →"),
        utility=words("↑ utility"),
        said=words("Candidates by risk and utility"),
    )


def _beside(
    limits: Mapping[str, float],
    words: Any,
    place: Callable[[float, float], tuple[float, float]],
    ends: tuple[float, float],
) -> Markup:
    """The limits as lines over the whole map, and the original, which has all of its use."""
    most, least = ends
    parts = []
    if "risk" in limits:
        (x, low), (_, high) = place(limits["risk"], least), place(limits["risk"], 1.0)
        parts.append(_line(x, low, x, high, words("limit"), (x + 4, low - 4)))
    if "utility" in limits:
        (left, y), (right, _) = place(0.0, limits["utility"]), place(most, limits["utility"])
        parts.append(_line(left, y, right, y, words("limit"), (left + 4, y - 4)))
    if "original" in limits:
        x, y = place(limits["original"], 1.0)
        parts.append(
            Markup(
                '<path class="mark original" d="M{a:.1f} {b:.1f}l10 10m0 -10l-10 10"/>'
                '<text class="end" x="{x:.1f}" y="{under:.1f}">{said}</text>'
            ).format(a=x - 5, b=y - 5, x=x + 5, under=y + 19, said=words("original"))
        )
    return Markup("").join(parts)


def _line(
    x: float, y: float, to_x: float, to_y: float, said: str, at: tuple[float, float]
) -> Markup:
    return Markup(
        '<path class="limit" d="M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"/>'
        '<text x="{at_x:.1f}" y="{at_y:.1f}">{said}</text>'
    ).format(x=x, y=y, to_x=to_x, to_y=to_y, said=said, at_x=at[0], at_y=at[1])


def _marks(points: Sequence[Mapping[str, Any]], places: Sequence[Place]) -> list[Markup]:
    """Candidates on the map, each with what it is called beside it, where that covers nothing."""
    taken: list[Box] = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    few = len(points) <= MOST_NAMED
    found = []
    for point, (x, y) in zip(points, places, strict=True):
        beside = None
        if few or point.get("chosen"):
            beside, box = _beside_mark(len(point["called"]), x, y, taken)
            taken.append(box)
        found.append(_mark(point, x, y, beside))
    return found


def _beside_mark(letters: int, x: float, y: float, taken: Sequence[Box]) -> tuple[Place, Box]:
    """Where a text begins that stands beside a mark: right, left, below or above, or right."""
    wide = letters * LETTER
    starts = [
        (x + 10, y + 4),
        (x - 10 - wide, y + 4),
        (x - wide / 2, y + 10 + LINE),
        (x - wide / 2, y - 12),
    ]
    boxes = [(left, low - LINE + 3, left + wide, low + 2) for left, low in starts]
    inside = [box[0] >= EDGE - 8 and box[2] <= SIDE for box in boxes]
    free = [not any(map(partial(_overlap, box), taken)) for box in boxes]
    order = sorted(range(len(starts)), key=lambda at: (not inside[at], not free[at], at))
    return starts[order[0]], boxes[order[0]]


def _overlap(one: Box, other: Box) -> bool:
    apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    return not apart


def _mark(point: Mapping[str, Any], x: float, y: float, beside: Place | None) -> Markup:
    kind = "chosen" if point.get("chosen") else "frontier" if point.get("frontier") else "plain"
    shape = Markup(
        '<circle class="mark {kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r}">'
        "<title>{name}</title></circle>"
    ).format(kind=kind, x=x, y=y, r=7 if kind == "chosen" else 5, name=point["name"])
    if beside is not None:
        shape += Markup('<text class="label" x="{x:.1f}" y="{y:.1f}">{name}</text>').format(
            x=beside[0], y=beside[1], name=point["called"]
        )
    if not point.get("to"):
        return shape
    return Markup('<a href="{to}">{shape}</a>').format(to=escape(point["to"]), shape=shape)
