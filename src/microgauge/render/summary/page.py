"""The page itself: where everything stands, on one sheet of A4."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.catalogue import words_asked
from microgauge.languages.messages import ENGLISH, count, say
from microgauge.render.summary.content import Answer, Content, content_of
from microgauge.render.summary.map import map_svg
from microgauge.render.summary.pdf import pdf_of
from microgauge.render.summary.sheet import (
    HEIGHT,
    LEADING,
    WIDTH,
    Sheet,
    broken,
    fitted,
    text_width,
)
from microgauge.results import Assessment, Ranking
from microgauge.results.gate import Check
from microgauge.results.verdict import Finding

LEFT, RIGHT = 42.0, WIDTH - 42.0
ROOM = RIGHT - LEFT
GAP = 12.0
INK, SOFT = "#16202c", "#4a5560"
GRADES = {
    "good": ("#006b4a", "#e8f5f0"), "fair": ("#8a5a00", "#fdf4e3"), "poor": ("#a33100", "#fdeee8"),
    "unknown": ("#4a5560", "#f1f3f5"),
}  # fmt: skip
"""Colours of a grade: of its word and sign, and of its box."""
GRADE_WORDS = {
    "good": say("Good"),
    "fair": say("Fair"),
    "poor": say("Poor"),
    "unknown": say("Unknown"),
}
FINDING_WORDS = {"stop": say("stop"), "warn": say("warn"), "note": say("note")}
FINDINGS = {"stop": "#a33100", "warn": "#8a5a00", "note": "#4a5560"}
MOST_FINDINGS = 8
NOT_PUBLIC = say(
    "For the office, not for publication: it tells of risk, and holds hashes of the original."
)


def summary_pdf(result: Assessment | Ranking, language: str = ENGLISH) -> bytes:
    """One page for the committee: verdict, map, findings, limits, files, and a line to sign."""
    return pdf_of(summary_svg(result, language))


def summary_svg(result: Assessment | Ranking, language: str = ENGLISH) -> str:
    """The page as SVG."""
    words = words_asked(language)
    sheet, content = Sheet(words), content_of(result, words)
    foot = _foot(sheet, content)
    y = _head(sheet, content)
    y = _choice(sheet, content.choice, y)
    y = _answers(sheet, content.answers, y)
    y = _middle(sheet, content, map_svg(result, words), y)
    _findings(sheet, content, y, foot)
    return sheet.svg()


def _head(sheet: Sheet, content: Content) -> float:
    y = 48.0
    sheet.text(LEFT, y, content.kind, 9, colour=SOFT)
    sheet.text(RIGHT, y, content.date, 9, colour=SOFT, end=True)
    sheet.text(LEFT, y + 22, fitted(content.title, 18, ROOM, bold=True), 18, bold=True)
    return y + 34


def _choice(sheet: Sheet, said: Sequence[str], y: float) -> float:
    """Which candidate to release."""
    if not said:
        return y
    first, *rest = said
    lines = broken(first, 10.5, ROOM - 20, 4, bold=True)
    more = [line for one in rest[:2] for line in broken(one, 9, ROOM - 20, 2)]
    height = (len(lines) * 10.5 + len(more) * 9) * LEADING + 16
    sheet.box(LEFT, y, ROOM, height, INK, "#ffffff")
    end = sheet.lines(LEFT + 10, y + 7, lines, 10.5, bold=True)
    sheet.lines(LEFT + 10, end, more, 9, colour=SOFT)
    return y + height + GAP


def _answers(sheet: Sheet, answers: Sequence[Answer], y: float) -> float:
    """Both questions side by side."""
    if not answers:
        return y
    width = (ROOM - GAP) / 2
    told = [broken(one.sentence, 8.8, width - 20, 9) for one in answers]
    height = 54 + max(len(lines) for lines in told) * 8.8 * LEADING + 8
    for place, (one, lines) in enumerate(zip(answers, told, strict=True)):
        x = LEFT + place * (width + GAP)
        dark, light = GRADES[one.grade]
        sheet.box(x, y, width, height, dark, light)
        sheet.text(x + 10, y + 17, one.question, 9.5, colour=SOFT)
        _sign(sheet, x + 17, y + 32.5, one.grade)
        sheet.text(x + 29, y + 38, GRADE_WORDS[one.grade], 16, bold=True, colour=dark)
        figure = fitted(one.figure, 8.8, width - 20, bold=True)
        sheet.text(x + 10, y + 51, figure, 8.8, bold=True)
        sheet.lines(x + 10, y + 54, lines, 8.8)
    return y + height + GAP


def _sign(sheet: Sheet, x: float, y: float, grade: str) -> None:
    """A shape for each grade, told apart without colour."""
    dark, _ = GRADES[grade]
    circle = f"M{x - 6} {y}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0Z"
    if grade == "good":
        sheet.path(circle, dark, dark)
        sheet.path(f"M{x - 3} {y}l2.2 2.6l4 -5", "none", "#ffffff")
    elif grade == "fair":
        sheet.path(circle, "#ffffff", dark)
        sheet.path(f"M{x} {y - 6}a6 6 0 0 1 0 12Z", dark, dark)
    elif grade == "poor":
        sheet.path(f"M{x - 5.5} {y - 5.5}h11v11h-11Z", dark, dark)
        sheet.path(f"M{x - 3} {y - 3}l6 6m0 -6l-6 6", "none", "#ffffff")
    else:
        sheet.path(circle, "#ffffff", dark)


def _heading(sheet: Sheet, x: float, y: float, said: str) -> float:
    sheet.text(x, y + 9, said, 10.5, bold=True)
    return y + 13


MAP_WIDTH, MAP_HEIGHT = 310.0, 200.0


def _middle(sheet: Sheet, content: Content, svg: str | None, y: float) -> float:
    """The map on the left, the limits beside it."""
    x, room = LEFT, ROOM
    below = y
    if svg is not None:
        _heading(sheet, LEFT, y, say("Risk and utility"))
        sheet.picture(LEFT, y + 15, MAP_WIDTH, MAP_HEIGHT, svg)
        x, room, below = LEFT + MAP_WIDTH + GAP, ROOM - MAP_WIDTH - GAP, y + 15 + MAP_HEIGHT
    end = _limits(sheet, content, (x, y), room, below if svg is not None else y + 120)
    return max(end, below) + GAP


def _limits(
    sheet: Sheet, content: Content, start: tuple[float, float], room: float, bottom: float
) -> float:
    """A line for each limit, those that are missed first; as many as have room."""
    x, y = start
    y = _heading(sheet, x, y, say("Limits"))
    if content.about_limits:
        y = sheet.lines(x, y, [fitted(content.about_limits, 8.8, room)], 8.8, colour=SOFT)
    ordered = sorted(content.limits, key=lambda one: one.kept)
    for place, one in enumerate(ordered):
        lines = broken(_limit_said(one), 8.8, room - 12, 2, bold=not one.kept)
        left = len(ordered) - place
        if y + (len(lines) + (left > 1)) * 8.8 * LEADING > bottom:
            return sheet.lines(
                x, y, [say("and {left} more in the JSON result", left=left)], 8.8, colour=SOFT
            )
        colour = INK if one.kept else GRADES["poor"][0]
        drawn = f"M{x} {y + 6}l2 2.4l4 -5" if one.kept else f"M{x} {y + 3.4}l5 5m0 -5l-5 5"
        sheet.path(drawn, "none", colour)
        y = sheet.lines(x + 12, y, lines, 8.8, bold=not one.kept, colour=colour) + 1.5
    return y


def _limit_said(one: Check) -> str:
    return (
        one.line
        if one.candidate is None
        else say("{candidate}: {line}", candidate=one.candidate, line=one.line)
    )


def _findings(sheet: Sheet, content: Content, y: float, bottom: float) -> None:
    """What to know before release, the worst first; as many as have room."""
    y = _heading(sheet, LEFT, y, say("What to know before a release"))
    if not content.findings:
        sheet.lines(LEFT, y, [content.no_findings], 9, colour=SOFT)
        return
    shown = content.findings[:MOST_FINDINGS]
    begin = LEFT + _aside(sheet)
    said = [_finding_said(one) for one in shown]
    size, broken_up = _fitting(said, RIGHT - begin - 6, bottom - y - 9 * LEADING)
    for place, (one, lines) in enumerate(zip(shown, broken_up, strict=True)):
        left = len(content.findings) - place
        last = y + (len(lines) + (left > 1)) * size * LEADING
        if last > bottom:
            break
        sheet.text(
            LEFT, y + size, FINDING_WORDS[one.grade], size, bold=True, colour=FINDINGS[one.grade]
        )
        y = sheet.lines(begin, y, lines, size) + 2
    else:
        left = len(content.findings) - len(shown)
    if left > 0:
        more = count(
            left, "{n:,} finding more in the JSON result", "{n:,} findings more in the JSON result"
        )
        sheet.lines(begin, y, [more], 8, colour=SOFT)


def _aside(sheet: Sheet) -> float:
    """How much room the words for how serious a finding is take, in the language of the page."""
    widths = [text_width(sheet.said(word), 9.0, bold=True) for word in FINDING_WORDS.values()]
    return max(32.0, max(widths) + 4)


def _fitting(said: Sequence[str], width: float, room: float) -> tuple[float, list[list[str]]]:
    """The largest letters with which all have room, and the lines of each.

    What room is left over goes to the first ones, which are the worst.
    """
    for size, most in ((9.0, 4), (9.0, 3), (8.6, 3), (8.6, 2), (8.2, 2), (8.2, 1)):
        lines = [broken(one, size, width, most) for one in said]
        if _height(lines, size) <= room:
            break
    for place, one in enumerate(said):
        for more in range(most + 1, 5):
            longer = [*lines[:place], broken(one, size, width, more), *lines[place + 1 :]]
            lines = longer if _height(longer, size) <= room else lines
    return size, lines


def _height(lines: Sequence[Sequence[str]], size: float) -> float:
    return sum(map(len, lines)) * size * LEADING + 2 * len(lines)


def _finding_said(one: Finding) -> str:
    return f"{one.sentence} {one.remedy}".strip()


def _foot(sheet: Sheet, content: Content) -> float:
    """What was compared, with hashes, and the line to sign; gives where it begins."""
    rows = [
        (say("{role}: {said}", role=one.role, said=one.said), one.rows, one.digest)
        for one in content.tables
    ]
    if content.more_tables:
        rows.append(
            (
                say("and {more_tables:,} candidates more", more_tables=content.more_tables),
                "",
                say("in the JSON result"),
            )
        )
    rows += [(said, "", digest) for said, digest in content.texts]
    made = broken(content.made, 7, ROOM, 2)
    height = 16 + len(rows) * 10.2 + len(made) * 7 * LEADING + 74
    y = start = HEIGHT - 34 - height
    sheet.rule(LEFT, y - 6, RIGHT)
    y = _heading(sheet, LEFT, y, say("What was compared"))
    for said, size, digest in rows:
        y += 10.2
        sheet.text(LEFT, y, fitted(sheet.said(said), 7.6, 158), 7.6)
        sheet.text(LEFT + 232, y, size, 7.6, end=True)
        sheet.text(
            LEFT + 238, y, fitted(sheet.said(digest), 6.8, RIGHT - LEFT - 238), 6.8, colour=SOFT
        )
    y = sheet.lines(LEFT, y + 3, made, 7, colour=SOFT)
    _signing(sheet, y + 14)
    sheet.text(LEFT, HEIGHT - 24, NOT_PUBLIC, 7, colour=SOFT)
    sheet.text(RIGHT, HEIGHT - 24, say("1 of 1"), 7, colour=SOFT, end=True)
    return start - 14


def _signing(sheet: Sheet, y: float) -> None:
    """The decision, and a line to sign."""
    x = LEFT
    sheet.text(x, y + 8, say("Decision:"), 9, bold=True)
    for said, step in (
        (say("release"), 58.0),
        (say("release with changes"), 130.0),
        (say("do not release"), 258.0),
    ):
        sheet.path(f"M{x + step} {y}h9v9h-9Z", "#ffffff", INK)
        sheet.text(x + step + 14, y + 8, said, 9)
    third = (ROOM - 2 * GAP) / 3
    for place, said in enumerate((say("name"), say("date"), say("signature"))):
        start = LEFT + place * (third + GAP)
        sheet.rule(start, y + 42, start + third, INK)
        sheet.text(start, y + 51, said, 7.5, colour=SOFT)
