"""What a notebook shows: the blocks of a terminal as HTML. Names may hold anything: escaped."""

from __future__ import annotations

from html import escape

from microgauge.render.text import block_lines, bound, cell_text, compared_text, shown
from microgauge.results import Assessment
from microgauge.results.blocks import Block, Group, Headline, Sentence, Stories, Table


def notebook_view(result: Assessment) -> str:
    """The headline, and what the sections say."""
    presenter = result.presenter
    parts = [_headline(headline) for headline in presenter.headlines(result, "internal")]
    parts.append(f"<pre>{escape(compared_text(result))}</pre>")
    parts += [_group(group) for group in presenter.words(result)]
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    parts.append(f"<p>{_bold('Notes')}</p><ul>{notes}</ul>" if notes else "")
    return bound(f"<div>{''.join(parts)}</div>")


def _headline(headline: Headline) -> str:
    shown_first = "".join(_block(block) for block in headline.blocks)
    lines = [
        f"{_bold(line.label) if line.main else escape(line.label)} "
        f"{shown(line.value, line.digits)} {escape(line.said)}"
        for line in headline.lines
    ]
    told = [*lines, *(escape(aside) for aside in headline.asides)]
    return shown_first + (f"<p>{'<br>'.join(told)}</p>" if told else "")


def _bold(text: str) -> str:
    return f"<b>{escape(text)}</b>"


def _group(group: Group) -> str:
    title = f"<p>{_bold(group.title)}</p>" if group.title else ""
    return title + "".join(_block(block) for block in group.blocks)


def _block(block: Block) -> str:
    match block:
        case Sentence():
            return f"<p>{escape(block.text)}</p>"
        case Stories():
            return _table([], [list(row) for row in block.rows])
        case Table():
            rows = [
                [cell_text(cell, head) for cell, head in zip(row, block.heads, strict=True)]
                for row in block.rows
            ]
            return _table([head.text for head in block.heads], rows)
        case Group():
            return _group(block)
        case _:
            lines = block_lines(block)
            return f"<pre>{escape(chr(10).join(lines))}</pre>" if lines else ""


def _table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f'<th style="text-align:left">{escape(text)}</th>' for text in heads)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<table>{top}<tbody>{body}</tbody></table>" if rows else ""
