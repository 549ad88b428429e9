"""Draws the rooms of the house and the way of one record through them: docs/images/house.svg."""

from __future__ import annotations

from html import escape
from pathlib import Path

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "house.svg"

FLOORS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("cli", "options, a file per command"),),
    (("app", "the commands as pages of a browser, on this machine only"),),
    (("papers", "published studies made again"), ("demo", "a survey that ships")),
    (("commands", "assess, rank, diagnose, draft, explore"),),
    (("masking", "recipes; a file per method"),),
    (("sections", "a folder per question: choices, rounds, words, report"),),
    (("study", "described, matched, recodings found: all that is known before"),),
    (("measures", "pure: facts in, figures out"),),
    (("engines", "where rows are: local, spark; rounds"),),
    (("passes", "questions to a batch, answers that add up"),),
    (("tables", "formats, columns, dictionaries, scratch files, budget"),),
    (("values", "levels, labels, intervals, ranks, hashes, sums"),),
    (("schema", "what a user says"), ("results", "what comes out; blocks")),
    (("kernels", "loops over codes, and their twins"), ("languages", "catalogues of texts")),
    (("log", "progress, notes"), ("errors", "faults, reasons"), ("arrays", "names of arrays")),
)
"""Top floor first, as one looks at a house."""
BESIDE = ("render", "text, report, charts, frames: knows results only")

WAY = (
    ("tables", "a row of the file becomes a code in each column"),
    ("engines", "lies in a batch with 65,535 others"),
    ("passes", "is counted in every table that is asked for"),
    ("study", "what it is counted as: levels, recodings, its twin in the other file"),
    ("measures", "the counts become a test, a distance, a risk"),
    ("sections", "figures become a result and its sentences"),
    ("cli", "and the reader sees them"),
)

LEFT, WIDTH, HEIGHT, GAP = 20, 520, 40, 8
INK, SOFT, LINE, WALL, WARM = "#16202c", "#55606b", "#8a949e", "#eef3f7", "#d55e00"


def text(
    x: float, y: float, words: str, size: int = 13, colour: str = INK, *, bold: bool = False
) -> str:
    """A line of words."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"{weight}>'
        f"{escape(words)}</text>"
    )


def room(x: float, y: float, width: float, height: float, name: str, about: str) -> list[str]:
    """A room with its name and what is in it."""
    return [
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{WALL}" '
        f'stroke="{LINE}"/>',
        text(x + 10, y + 17, name, bold=True),
        text(x + 10, y + 32, about, 11, SOFT),
    ]


def house() -> tuple[list[str], dict[str, float]]:
    """All rooms, and how high each one lies."""
    drawn: list[str] = []
    heights: dict[str, float] = {}
    for floor, rooms in enumerate(FLOORS):
        y = 50 + floor * (HEIGHT + GAP)
        width = (WIDTH - GAP * (len(rooms) - 1)) / len(rooms)
        for place, (name, about) in enumerate(rooms):
            drawn += room(LEFT + place * (width + GAP), y, width, HEIGHT, name, about)
            heights[name] = y + HEIGHT / 2
    return drawn, heights


def way(heights: dict[str, float]) -> list[str]:
    """The steps of one record, each beside the room it is taken in."""
    x = LEFT + WIDTH + 40
    drawn = []
    for number, (name, said) in enumerate(WAY, start=1):
        y = heights[name]
        drawn += [
            f'<line x1="{LEFT + WIDTH:g}" y1="{y:g}" x2="{x - 10:g}" y2="{y:g}" stroke="{WARM}" '
            'stroke-dasharray="3 3"/>',
            f'<circle cx="{x:g}" cy="{y:g}" r="10" fill="{WARM}"/>',
            text(x - 3.5, y + 4.5, str(number), 12, "white", bold=True),
            text(x + 18, y + 4.5, said, 12),
        ]
    return drawn


def picture() -> str:
    """The whole drawing."""
    rooms, heights = house()
    bottom = 50 + len(FLOORS) * (HEIGHT + GAP)
    beside = room(LEFT, bottom + 14, WIDTH, HEIGHT, *BESIDE)
    parts = [
        '<rect width="100%" height="100%" fill="white"/>',
        text(LEFT, 28, "Each room imports from its own floor and those below", 14, INK, bold=True),
        text(LEFT + WIDTH + 30, 28, "The way of one record", 14, WARM, bold=True),
        *rooms,
        *beside,
        *way(heights),
    ]
    height = bottom + 14 + HEIGHT + 20
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1040 {height:g}" '
        'font-family="system-ui, sans-serif" role="img" '
        'aria-label="The rooms of the package and the way of one record through them">\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
