"""Lettering of pictures: how wide a text is, and where labels stand so that none covers another.

A browser could measure, but a file cannot: so widths are taken from a wide font (DejaVu Sans),
which is no narrower than what readers are likely to have. All of it is arithmetic without chance:
the same picture is the same file.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import product

from microgauge.records import dataclass

_WIDTHS = {
    0.28: "'ijl", 0.30: "IJ", 0.32: " ,.", 0.34: "/:;\\|", 0.36: "f-", 0.40: "()[]t!", 0.42: "r",
    0.46: '"', 0.50: "*_`–", 0.53: "sz?", 0.56: "cL", 0.58: "Fk", 0.60: "vxy", 0.62: "PTYoae",
    0.64: "EhnuSbdgpq0123456789${}", 0.70: "KAVXZBRC", 0.76: "UNH", 0.79: "DG&OQ",
    0.84: "w#+−<=>^~", 0.87: "M", 0.95: "%", 0.99: "mW", 1.03: "@…�",
}  # fmt: skip
WIDTHS = {sign: width for width, signs in _WIDTHS.items() for sign in signs}
"""Widths of signs for a text of size 1."""
OTHER = 1.25
"""Of any other sign."""
LINE = 1.3
"""The height of a line."""


def text_width(text: str, size: float) -> float:
    """How wide a text is at most, in the font's unit.

    >>> text_width("no", 10) == text_width("on", 10) < text_width("mm", 10)
    True
    >>> text_width("é", 10) == text_width("e", 10)
    True
    """
    return size * sum(_width(sign) for sign in unicodedata.normalize("NFD", text))


def _width(sign: str) -> float:
    found = WIDTHS.get(sign)
    if found is not None:
        return found
    return 0.0 if unicodedata.combining(sign) else OTHER


def fitted(text: str, size: float, most: float) -> str:
    """As much of a text as has room.

    >>> fitted("a name", 10, 100), fitted("a long name", 10, 50)
    ('a name', 'a long…')
    """
    if text_width(text, size) <= most:
        return text
    end = len(text)
    while end and text_width(f"{text[:end]}…", size) > most:
        end -= 1
    return f"{text[:end].rstrip()}…"


@dataclass(frozen=True)
class Box:
    """A place on a picture; down is more, as on a screen."""

    left: float
    top: float
    right: float
    bottom: float

    @staticmethod
    def around(x: float, y: float, half: float) -> Box:
        """A square with its centre."""
        return Box(x - half, y - half, x + half, y + half)

    @property
    def middle(self) -> tuple[float, float]:
        """The centre."""
        return (self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        """Whether two places overlap, or are less than a gap apart."""
        return (
            self.left < other.right + gap and other.left < self.right + gap
            and self.top < other.bottom + gap and other.top < self.bottom + gap
        )  # fmt: skip

    def within(self, other: Box) -> bool:
        """Whether it lies inside another."""
        return (
            other.left <= self.left and self.right <= other.right
            and other.top <= self.top and self.bottom <= other.bottom
        )  # fmt: skip

    def nearest(self, x: float, y: float) -> tuple[float, float]:
        """Its place that is nearest to another."""
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)

    def crossed_by(self, line: Line) -> bool:
        """Whether a line goes through it (Liang and Barsky 1984)."""
        (x, y), (x2, y2) = line
        start, end = 0.0, 1.0
        for step, room in (
            (x - x2, x - self.left), (x2 - x, self.right - x),
            (y - y2, y - self.top), (y2 - y, self.bottom - y),
        ):  # fmt: skip
            if step == 0:
                if room < 0:
                    return False
            elif step < 0:
                start = max(start, room / step)
            else:
                end = min(end, room / step)
        return start <= end


Line = tuple[tuple[float, float], tuple[float, float]]


def lines_cross(one: Line, other: Line) -> bool:
    """Whether two lines cross; lines that only touch do not.

    >>> across, level = ((0, 2), (2, 0)), ((0, 3), (2, 3))
    >>> lines_cross(((0, 0), (2, 2)), across), lines_cross(across, level)
    (True, False)
    """
    (a, b), (c, d) = one, other
    return _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@dataclass(frozen=True)
class Spot:
    """A point that wants a label."""

    x: float
    y: float
    half: float
    """Half the width of its sign."""
    text: str

    @property
    def box(self) -> Box:
        """Where its sign is."""
        return Box.around(self.x, self.y, self.half)


@dataclass(frozen=True)
class Label:
    """Where a label stands, and the line that leads to it where it is not beside its point."""

    text: str
    box: Box
    leader: Line | None = None


STEPS = (0.0, 14.0, 26.0, 40.0, 56.0, 74.0, 94.0, 118.0, 150.0, 190.0, 240.0)
"""How far from its point a label may stand; the first needs no leader."""
SIDES = ((1, 0), (1, -1), (1, 1), (-1, 0), (-1, -1), (-1, 1), (0, -1), (0, 1))
"""Directions, the ones that read best first."""
SLANTS = ((1, -0.5), (1, 0.5), (-1, -0.5), (-1, 0.5), (0.5, -1), (0.5, 1), (-0.5, -1), (-0.5, 1))
CROSSED = 30.0
"""What it costs a label, as if it stood so much farther away, to lie on a line of the picture."""
GAP = 2.0


@dataclass
class Lettering:
    """Puts labels on a picture one after the other, where there is room left."""

    frame: Box
    size: float
    points: Sequence[Box] = ()
    """What no label may cover."""
    lines: Sequence[Line] = ()
    """What a label should not cover."""

    def __post_init__(self) -> None:
        self.labels: list[Label] = []

    def put(self, spot: Spot, farthest: float = STEPS[-1]) -> Label | None:
        """The best place for a label; None where there is no room within reach."""
        height = LINE * self.size
        width = text_width(spot.text, self.size)
        found: tuple[float, Label] | None = None
        for cost, box in _places(spot, width, height, farthest):
            if found is not None and cost >= found[0]:
                break
            label = Label(spot.text, box, _leader(spot, box))
            more = self._cost(label, spot)
            if more is not None and (found is None or cost + more < found[0]):
                found = cost + more, label
        if found is None:
            return None
        self.labels.append(found[1])
        return found[1]

    def put_anywhere(self, spot: Spot) -> Label | None:
        """The nearest free place of the whole picture, though its leader may cross others."""
        near = self.put(spot)
        if near is not None:
            return near
        height, width = LINE * self.size, text_width(spot.text, self.size)
        boxes = [
            Box(x, y, x + width, y + height)
            for x, y in product(_steps(self.frame.left, self.frame.right - width, width / 2),
                                _steps(self.frame.top, self.frame.bottom - height, height / 2))
        ]  # fmt: skip
        free = [box for box in boxes if self._free(box)]
        if not free:
            return None
        box = min(free, key=lambda box: _distance(spot, box))
        self.labels.append(Label(spot.text, box, _leader(spot, box)))
        return self.labels[-1]

    def hold(self, text: str, boxes: Sequence[Box]) -> Label:
        """A label at the first of some places that is free; at the first where none is."""
        box = next((box for box in boxes if self._free(box)), boxes[0])
        self.labels.append(Label(text, box))
        return self.labels[-1]

    def _free(self, box: Box) -> bool:
        return (
            box.within(self.frame)
            and not any(box.meets(point, GAP) for point in self.points)
            and not any(box.meets(label.box, GAP) for label in self.labels)
            and not any(label.leader and box.crossed_by(label.leader) for label in self.labels)
        )

    def _cost(self, label: Label, spot: Spot) -> float | None:
        """What a place costs beyond its distance; None where it may not be taken."""
        if not self._free(label.box):
            return None
        leader = label.leader
        if leader is not None:
            others = (p for p in self.points if not p.meets(spot.box))
            if any(point.crossed_by(leader) for point in others):
                return None
            if any(_in_the_way(leader, other) for other in self.labels):
                return None
        return CROSSED * sum(label.box.crossed_by(line) for line in self.lines)


def _in_the_way(leader: Line, label: Label) -> bool:
    if label.box.crossed_by(leader):
        return True
    return label.leader is not None and lines_cross(leader, label.leader)


def _places(
    spot: Spot, width: float, height: float, farthest: float
) -> Iterator[tuple[float, Box]]:
    """Places around a point, the nearest first, with how far they are."""
    for step in (step for step in STEPS if step <= farthest):
        away = spot.half + GAP + 1.0 + step
        for rank, (across, down) in enumerate(SIDES if step == 0 else (*SIDES, *SLANTS)):
            slant = 0.75 if step and across and down else 1.0
            x, y = spot.x + across * away * slant, spot.y + down * away * slant
            left = x if across > 0 else x - width if across < 0 else x - width / 2.0
            top = y - height / 2.0
            if across == 0 or abs(down) == 1:
                top = y if down > 0 else y - height if down < 0 else top
            yield step + 0.1 * rank, Box(left, top, left + width, top + height)


def _leader(spot: Spot, box: Box) -> Line | None:
    """From the edge of a point to its label; None where they stand side by side."""
    x, y = box.nearest(spot.x, spot.y)
    away = ((x - spot.x) ** 2 + (y - spot.y) ** 2) ** 0.5
    if away <= spot.half + STEPS[1] - GAP:
        return None
    part = spot.half / away
    return (spot.x + part * (x - spot.x), spot.y + part * (y - spot.y)), (x, y)


def _distance(spot: Spot, box: Box) -> float:
    x, y = box.nearest(spot.x, spot.y)
    return (x - spot.x) ** 2 + (y - spot.y) ** 2


def _steps(start: float, end: float, step: float) -> list[float]:
    return [start + step * i for i in range(int(max(end - start, 0.0) // step) + 1)]
