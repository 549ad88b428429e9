"""The summary on a terminal, within 80 columns: blocks drawn as lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import repeat

from microgauge.results import Assessment
from microgauge.results.blocks import (
    Block,
    Cell,
    Chart,
    Figures,
    Group,
    Head,
    Headline,
    Intervals,
    Sentence,
    Stories,
    Table,
)
from microgauge.results.names import columns_of, cut, plain, shortened, within
from microgauge.results.wording import counted, figure, short

WIDTH = 80
NO_BREAK = "\u00a0"


def summary(result: Assessment) -> str:
    """What stands above all else, what was compared, what the sections say, and what to know."""
    presenter = result.presenter
    headlines = presenter.headlines(result, "internal")
    groups = presenter.words(result)
    parts = [
        *(headline_text(headline) for headline in headlines),
        compared_text(result),
        *("\n".join(group_lines(group)) for group in groups),
        notes_text(result.notes),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def headline_text(headline: Headline) -> str:
    """What stands above all else."""
    told = ["\n".join(block_lines(block)) for block in headline.blocks]
    return "\n\n".join(part for part in [*told, _figures(headline)] if part)


def _figures(headline: Headline) -> str:
    labels = [line.label if line.main else f"  {line.label}" for line in headline.lines]
    width = max((len(label) for label in labels), default=0)
    lines = [
        f"{label:<{width}}  {shown(line.value, line.digits)}   {line.said}"
        for label, line in zip(labels, headline.lines, strict=True)
    ]
    start = "  " if lines else ""
    for aside in headline.asides:
        lines += wrapped(aside, start)
    return "\n".join(lines)


def compared_text(result: Assessment) -> str:
    """The two tables, and whether their rows correspond."""
    inputs = result.inputs
    lines = [
        f"{name:<10} {counted(table.rows, 'row'):>16} × {table.columns:<4} {cut(table.path, 44)}"
        for name, table in (("original", inputs.original), ("protected", inputs.protected))
    ]
    alignment = inputs.alignment
    said = f"{alignment.how}: {alignment.reason}"
    if alignment.how == "key":
        said += f"; {alignment.dropped} dropped, {alignment.added} added"
    return "\n".join([*lines, *wrapped(said, "alignment  ", "           ")])


def group_lines(group: Group) -> list[str]:
    """A heading, and its blocks below it."""
    lines = [group.title] if group.title else []
    for block in group.blocks:
        lines += block_lines(block)
    return lines


def block_lines(block: Block) -> list[str]:
    """Any block as lines. Charts and parts of a report have none."""
    match block:
        case Sentence():
            start = "  " * block.level
            return wrapped(block.text, start, f"{start}  " if block.hanging else start)
        case Stories():
            told = (wrapped(said, f"  {head:<12} ", " " * 15) for head, said in block.rows)
            return [line for lines in told for line in lines]
        case Figures():
            return [
                f"  {row.label:<12} {shown(row.value, row.digits)}   {row.said}".rstrip()
                for row in block.rows
            ]
        case Table():
            return _table_lines(block)
        case Group():
            return group_lines(block)
        case _:
            return []


def _table_lines(table: Table) -> list[str]:
    """Names cut to fit, numbers to the right, the text of a last column in several lines."""
    wraps = len(table.heads) > 1 and not table.heads[-1].number
    heads = table.heads[:-1] if wraps else table.heads
    texts = [[cell_text(*both) for both in zip(row, heads, strict=False)] for row in table.rows]
    names = shortened([row[0] for row in texts], heads[0].most)
    texts = [[names[row[0]], *row[1:]] for row in texts]
    widths = [_width(head, [row[i] for row in texts]) for i, head in enumerate(heads)]
    lines = []
    if any(head.text for head in table.heads):
        line = _aligned([head.text for head in heads], heads, widths)
        lines.append(f"{line}  {table.heads[-1].text}".rstrip() if wraps else line)
    for row, text, note in zip(table.rows, texts, table.notes or repeat(None), strict=False):
        line = _aligned(text, heads, widths)
        if wraps:
            told = cell_text(row[-1], table.heads[-1])
            lines += wrapped(told, f"{line}  ", " " * (len(line) + 2))
        else:
            lines.append(line)
        lines += wrapped(note, "    ") if note else []
    return lines


def _width(head: Head, texts: Sequence[str]) -> int:
    if head.width is not None:
        return head.width
    return max(len(text) for text in (head.text, *texts))


def _aligned(texts: Sequence[str], heads: Sequence[Head], widths: Sequence[int]) -> str:
    return "".join(
        f"  {text:>{width}}" if head.number else f"  {text:<{width}}"
        for text, head, width in zip(texts, heads, widths, strict=True)
    )


def cell_text(cell: Cell, head: Head) -> str:
    """A cell as it is printed."""
    match cell:
        case Chart() | Intervals():
            return ""
        case bool():
            return "yes" if cell else "no"
        case str():
            return plain(cell)
        case _:
            return shown(cell, head.digits)


def shown(value: float | None, digits: int | None) -> str:
    """A number with so many digits, or with those that count; a dash where there is none."""
    if value is None or digits is not None:
        return figure(value, digits or 0)
    return f"{value:,}" if isinstance(value, int) else short(value)


def notes_text(notes: Sequence[str]) -> str:
    """What a reader should know."""
    if not notes:
        return ""
    lines = ["Notes"]
    for note in notes:
        lines += wrapped(note, "  - ", "    ")
    return "\n".join(lines)


def wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    """Text in lines of at most 80 columns, of which East Asian characters take two.

    Names and levels come from files: signs that would command a terminal are marked. A number is
    never parted from its per cent.
    """
    rest = first if rest is None else rest
    lines, line, empty = [], first, True
    for word in _words(text):
        room = WIDTH - columns_of(line) - (0 if empty else 1)
        if not empty and columns_of(word) > room:
            lines.append(line)
            line, empty = rest, True
        while columns_of(word) > WIDTH - columns_of(line):
            part = within(word, WIDTH - columns_of(line))
            lines.append(line + part)
            word, line = word[len(part) :], rest
        line += word if empty else f" {word}"
        empty = False
    return [*lines, line if not empty else first.rstrip()]


def _words(text: str) -> list[str]:
    """What a line may be broken between.

    >>> _words("at least 93 % of rows (5 %), 7 % more")
    ['at', 'least', '93 %', 'of', 'rows', '(5 %),', '7 %', 'more']
    """
    words = bound(plain(text)).split(" ")
    return [word.replace(NO_BREAK, " ") for word in words if word]


def bound(text: str) -> str:
    """The same text, of which no line is broken between a number and its per cent."""
    return re.sub(r"(?<=\d) (?=%)", NO_BREAK, text)


def padded(text: str, width: int) -> str:
    """Cut or filled up to a number of columns."""
    shown = cut(text, width)
    return shown + " " * (width - columns_of(shown))
