"""Draws what `microgauge demo` prints as a picture for the README: docs/images/demo.svg."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from html import escape
from pathlib import Path

import microgauge
from microgauge.demo import FOLDER, ORIGINAL, PROTECTED, SCHEMA

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "demo.svg"
LINE = 18
MARGIN = 20
HEADINGS = ("Verdict",)


def demo_text(only: Collection[str] | None = None) -> str:
    """What the demo prints, from its own folder: long paths would be cut."""
    with contextlib.chdir(FOLDER):
        result = microgauge.assess(ORIGINAL.name, PROTECTED.name, schema=SCHEMA, only=only)
    return result.short_text(more="--long").rstrip()


def picture(text: str) -> str:
    """An SVG of lines in a terminal."""
    lines = ["$ microgauge demo", "", *text.splitlines()]
    height = 2 * MARGIN + LINE * len(lines)
    rows = "\n".join(
        f'<text x="{MARGIN}" y="{MARGIN + LINE * (i + 1) - 5}" xml:space="preserve"'
        f"{_style(line)}>{escape(line)}</text>"
        for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="740" height="{height}" '
        f'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14" fill="#d6dde6">\n'
        f"<title>What microgauge demo prints</title>\n"
        f'<rect width="100%" height="100%" rx="8" fill="#16202c"/>\n{rows}\n</svg>\n'
    )


def _style(line: str) -> str:
    if line.startswith(HEADINGS):
        return ' fill="#ffffff" font-weight="bold"'
    return ' fill="#8fb7e0"' if line.startswith("$") else ""


if __name__ == "__main__":
    PICTURE.write_text(picture(demo_text()), encoding="utf-8")
