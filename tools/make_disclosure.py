"""Draws what an intruder gets: docs/images/disclosure.svg and docs/images/matches.svg.

The first shows versions of the demo's survey: who is found, what is learned, and beside them R of
classes, which does not know that a value is false. The second shows whom an intruder takes for
whom in the worked example of docs/disclosure.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import polars as pl

import microgauge
from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA
from microgauge.demo.candidates import NAMES, candidates

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FOUND, LEARNED, CLASSES = "#0072b2", "#d55e00", "#9aa5b1"
INK, SOFT = "#16202c", "#55606b"


@dataclass(frozen=True)
class Version:
    """A protected file and what three figures say of it."""

    name: str
    found: float
    learned: float
    internal: float


def versions() -> list[Version]:
    """The demo's candidates, its protected file, and one in which every column was shuffled."""
    survey = pl.read_csv(ORIGINAL, schema_overrides={"PUMA": pl.String})
    shuffled = survey.select(
        pl.col(name).shuffle(seed=place) for place, name in enumerate(survey.columns, start=1)
    )
    files = dict(zip(NAMES, candidates(), strict=True))
    files |= {"swapped (the demo)": PROTECTED, "columns shuffled": shuffled}
    return [_measured(name, file) for name, file in files.items()]


def _measured(name: str, file: object) -> Version:
    result = microgauge.assess(ORIGINAL, file, schema=SCHEMA, only=["disclosure", "risk"])
    got, risk = result.disclosure, result.risk
    assert got is not None
    assert risk is not None
    found = got.copied.found_copied if got.found.value is None else got.found.value
    learned = max([0.0, *(t.value for t in got.learned if t.value is not None)])
    return Version(name, found or 0.0, learned, risk.internal or 0.0)


def text(x: float, y: float, words: str, *, size: int = 13, colour: str = INK) -> str:
    """A line of words."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}">{escape(words)}</text>'


def page(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    """The picture around its parts."""
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="system-ui,sans-serif">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="100%" height="100%" fill="#fff"/>\n{inside}\n</svg>\n'
    )


def bars_picture(shown: Sequence[Version]) -> str:
    """Three bars for each version: found, learned, R of classes."""
    left, wide, step = 150, 500, 56
    parts = []
    for place, (name, colour) in enumerate(
        (("found", FOUND), ("learned (at most)", LEARNED), ("R_internal", CLASSES))
    ):
        x = left + 150 * place
        parts.append(f'<rect x="{x}" y="14" width="12" height="12" fill="{colour}"/>')
        parts.append(text(x + 18, 25, name))
    for row, version in enumerate(shown):
        top = 46 + step * row
        parts.append(text(10, top + 26, version.name))
        figures = (
            (version.found, FOUND),
            (version.learned, LEARNED),
            (version.internal, CLASSES),
        )
        for line, (value, colour) in enumerate(figures):
            y, length = top + 14 * line, max(wide * value, 1.0)
            parts.append(
                f'<rect x="{left}" y="{y}" width="{length:.1f}" height="12" fill="{colour}"/>'
            )
            parts.append(text(left + length + 6, y + 10, f"{value:.2f}", size=11, colour=SOFT))
    height = 46 + step * len(shown) + 8
    return page(left + wide, height, "What an intruder gets of versions of a survey", parts)


PEOPLE = (
    ("f", "A", "nurse"),
    ("f", "A", "nurse"),
    ("m", "A", "smith"),
    ("m", "B", "judge"),
    ("f", "B", "judge"),
)
RECORDS = (
    ("f", "B", "nurse"),
    ("f", "A", "nurse"),
    ("m", "B", "smith"),
    ("m", "A", "judge"),
    ("f", "A", "judge"),
)


def matches_picture() -> str:
    """People on the left, records on the right, a line from each person to the records in M(i)."""
    step, top, left, right = 46, 74, 20, 430
    parts = [
        text(left, 28, "known of people", size=14),
        text(right, 28, "protected records", size=14),
        text(left, 48, "sex, region (and the true job)", size=11, colour=SOFT),
        text(right, 48, "sex, region | job", size=11, colour=SOFT),
    ]
    for i, person in enumerate(PEOPLE):
        y = top + step * i
        mine = [j for j, record in enumerate(RECORDS) if record[:2] == person[:2]]
        for j in mine:
            style = f'stroke="{FOUND}" stroke-width="3"' if i == j else f'stroke="{CLASSES}"'
            ends = f'x1="{left + 160}" y1="{y}" x2="{right - 12}" y2="{top + step * j}"'
            parts.append(f"<line {ends} {style}/>")
        chance = 1.0 / len(mine) if i in mine else 0.0
        said = f"M({i + 1}) = {{{', '.join(str(j + 1) for j in mine)}}}: {chance:g}"
        parts.append(text(left, y + 4, f"{i + 1}   {person[0]}, {person[1]}  ({person[2]})"))
        parts.append(text(right + 150, y + 4, said, colour=INK if chance else SOFT))
    for j, record in enumerate(RECORDS):
        y = top + step * j + 4
        parts.append(text(right, y, f"{j + 1}   {record[0]}, {record[1]} | {record[2]}"))
    foot = top + step * len(PEOPLE) - 4
    parts.append(
        text(
            left,
            foot,
            "Blue: the own record is among the matches. Found: (0 + ½ + 0 + 0 + 0) / 5 = 0.1.",
            colour=SOFT,
        )
    )
    return page(720, foot + 20, "Who is in M(i) in the worked example", parts)


if __name__ == "__main__":
    (IMAGES / "disclosure.svg").write_text(bars_picture(versions()), encoding="utf-8")
    (IMAGES / "matches.svg").write_text(matches_picture(), encoding="utf-8")
