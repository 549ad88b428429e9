"""A sheet of paper: text that is measured and broken into lines, boxes and rules, as SVG.

Text is set in Liberation Sans, which the drawing library holds itself: a machine without fonts
gives the same page. Its widths are those of Arial.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from microgauge.languages.catalogue import ENGLISH_WORDS, Words
from microgauge.results.names import plain

WIDTH, HEIGHT = 595.28, 841.89
"""A4 in points."""
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
BLANKS, PER_CENT = re.compile(r"[ \t\r\n]+"), re.compile(r"(\d) %")
LEADING = 1.28
"""From one line to the next, in sizes of the font."""
_WIDTHS = {
    191: "'", 222: "ijl", 260: "|", 278: " !,./:;I[\\]ft", 333: "()-`r", 334: "{}", 355: '"',
    389: "*", 469: "^", 500: "Jcksvxyz", 556: "#$0123456789?L_abdeghnopqu–",
    584: "+<=>~−×±", 611: "FTZ", 667: "&ABEKPSVXY", 722: "CDHNRUw", 778: "GOQ",
    833: "Mm", 889: "%", 944: "W", 1000: "…—�", 1015: "@",
}  # fmt: skip
WIDTHS = {sign: width / 1000 for width, signs in _WIDTHS.items() for sign in signs}
OTHER, WIDE = 0.8, 1.0
"""Of letters of other alphabets, and of East Asia: no less than they are."""
BOLD = 1.1


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text is; of other alphabets, no less than that.

    >>> round(text_width("Hello world", 10), 2), text_width("é", 10) == text_width("e", 10)
    (49.45, True)
    """
    found = sum(_width(sign) for sign in unicodedata.normalize("NFD", text))
    return found * size * (BOLD if bold else 1.0)


def _width(sign: str) -> float:
    if sign in WIDTHS:
        return WIDTHS[sign]
    if unicodedata.combining(sign):
        return 0.0
    return WIDE if unicodedata.east_asian_width(sign) in "WF" else OTHER


def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """As much of a text as has room on one line; a name that is cut ends in an ellipsis.

    >>> fitted("a name", 10, 100), fitted("a long name", 10, 40)
    ('a name', 'a long…')
    """
    text = plain(text[:MOST])
    if text_width(text, size, bold=bold) <= room:
        return text
    end = len(text)
    while end and text_width(f"{text[:end]}…", size, bold=bold) > room:
        end -= 1
    return f"{text[:end].rstrip()}…"


MOST = 2_000
"""Signs of a text that are looked at: no place on a page has room for more."""


def broken(text: str, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """Text in at most so many lines; what has no room is cut, and words too long are parted.

    >>> broken("some words in a row", 10, 55, 9), broken("some words in a row", 10, 55, 1)
    (['some words', 'in a row'], ['some wor…'])
    """
    lines: list[str] = []
    line = ""
    for word in _words(text[:MOST]):
        for part in _parted(word, size, room, bold=bold):
            joined = f"{line} {part}" if line else part
            if text_width(joined, size, bold=bold) <= room:
                line = joined
            else:
                lines.append(line)
                line = part
        if len(lines) > most:
            break
    lines.append(line)
    if len(lines) <= most and len(text) <= MOST:
        return lines
    kept = lines[:most]
    rest = lines[most] if len(lines) > most else ""
    kept[-1] = fitted(f"{kept[-1]} {rest}".rstrip() + "…", size, room, bold=bold)
    return kept


def _words(text: str) -> list[str]:
    """Where a line may end; not between a number and its per cent, nor where a language binds.

    >>> _words("in 98.1 % of\\u00a0all")
    ['in', '98.1 %', 'of all']
    """
    bound = PER_CENT.sub("\\1\u00a0%", text)
    return [word for part in BLANKS.split(bound) if (word := plain(part))]


def _parted(word: str, size: float, room: float, *, bold: bool) -> list[str]:
    """A word in parts that have room."""
    parts = []
    while text_width(word, size, bold=bold) > room:
        end = len(word)
        while end > 1 and text_width(word[:end], size, bold=bold) > room:
            end = end * 3 // 4 if end > 200 else end - 1
        parts.append(word[:end])
        word = word[end:]
    return [*parts, word] if word else parts


@dataclass(eq=False)
class Sheet:
    """What is drawn, in order. Down is more."""

    words: Words = ENGLISH_WORDS
    parts: list[str] = field(default_factory=list)

    def said(self, text: str) -> str:
        """A text in the language of the page."""
        return self.words.of(text)

    def text(
        self, x: float, y: float, said: str, size: float, *, bold: bool = False,
        colour: str = "#16202c", end: bool = False,
    ) -> None:  # fmt: skip
        """One line; `y` is its base line."""
        weight = ' font-weight="bold"' if bold else ""
        anchor = ' text-anchor="end"' if end else ""
        self.parts.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" fill={quoteattr(colour)}'
            f"{weight}{anchor}>{escape(self.said(said))}</text>"
        )

    def lines(self, x: float, y: float, lines: list[str], size: float, *, bold: bool = False,
              colour: str = "#16202c") -> float:  # fmt: skip
        """Several lines from the top `y` on; gives where they end."""
        for line in lines:
            y += size * LEADING
            self.text(x, y - 0.28 * size, line, size, bold=bold, colour=colour)
        return y

    def box(self, x: float, y: float, width: float, height: float, stroke: str, fill: str) -> None:
        """A rectangle."""
        self.parts.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
            f'rx="3" fill="{fill}" stroke="{stroke}" stroke-width="0.8"/>'
        )

    def rule(self, x: float, y: float, end: float, colour: str = "#8a949e") -> None:
        """A line across."""
        self.parts.append(
            f'<line x1="{x:.2f}" y1="{y:.2f}" x2="{end:.2f}" y2="{y:.2f}" stroke="{colour}" '
            'stroke-width="0.6"/>'
        )

    def path(self, drawn: str, fill: str, stroke: str) -> None:
        """A shape."""
        self.parts.append(f'<path d="{drawn}" fill="{fill}" stroke="{stroke}" stroke-width="1.2"/>')

    def picture(self, x: float, y: float, width: float, height: float, svg: str) -> None:
        """A picture, as large as has room."""
        place = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
        inner = svg[svg.index("<svg") :]
        head, rest = inner[4 : inner.index(">")], inner[inner.index(">") :]
        kept = [part for part in _attributes(head) if part.split("=")[0] not in ("width", "height")]
        align = 'preserveAspectRatio="xMinYMin meet"'
        self.parts.append(f"<svg {place} {align} {' '.join(kept)}{rest}")

    def svg(self) -> str:
        """The whole page."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'font-family="{FONT}">'
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>{"".join(self.parts)}</svg>'
        )


def _attributes(head: str) -> list[str]:
    """The attributes of an element, each with its value."""
    return [found for found in re.findall(r'[\w:.-]+="[^"]*"', head) if found[:5] != "xmlns"]
