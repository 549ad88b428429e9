"""What a notebook shows first. Names may hold anything: escaped."""

from __future__ import annotations

from html import escape

from microgauge.render.charts import assessment_map_spec, map_spec
from microgauge.render.maps import Spec
from microgauge.render.pictures import drawn
from microgauge.render.text import block_lines, bound, cell_text, compared_text, shown
from microgauge.results import Assessment, Candidate, Diagnosis, Ranking
from microgauge.results.blocks import Block, Group, Headline, Sentence, Stories, Table

MOST_WEAK = 8
"""Variables that lost something, as many as are shown."""
GRADES = {"good": "✓", "fair": "!", "poor": "✗", "unknown": "?"}
WEIGHTS = {"stop": "✗", "warn": "!", "note": "·"}
"""Marks of grades and findings, for readers who do not see colours."""


def notebook_view(result: Assessment) -> str:
    """The verdict, where the file stands, and the weakest variables."""
    parts = [_verdict(result), _picture(assessment_map_spec(result)), _weakest(result)]
    parts.append(f"<pre>{_said(compared_text(result))}</pre>")
    return f"<div>{''.join(parts)}{_all_sections(result)}</div>"


def _all_sections(result: Assessment) -> str:
    """What the sections say, folded."""
    told = "".join(_group(group) for group in result.presenter.words(result))
    notes = "".join(f"<li>{_said(note)}</li>" for note in result.notes)
    told += f"<p>{_bold('Notes')}</p><ul>{notes}</ul>" if notes else ""
    return f"<details><summary>What every section says</summary>{told}</details>"


def ranking_view(result: Ranking) -> str:
    """Which candidate to release and why, the map, and the candidates."""
    chosen = result.recommended
    said = f"Release {chosen.name}: {chosen.reason}" if chosen.name else chosen.reason
    parts = [f"<p>{_bold(said)}</p>"]
    if chosen.against:
        parts.append(f"<p>{_said(chosen.against)}</p>")
    parts.append(_picture(map_spec(result)))
    heads = ["candidate", "risk", "utility", "keeps the limits"]
    rows = [[c.name, shown(c.risk, 3), shown(c.utility, 3), _kept(c)] for c in result.candidates]
    return f"<div>{''.join(parts)}{_table(heads, rows)}</div>"


def _kept(candidate: Candidate) -> str:
    if not candidate.requirements:
        return "no limit was set"
    return "yes" if candidate.keeps_limits else "no"


def diagnosis_view(result: Diagnosis) -> str:
    """What the terminal shows: there is no verdict on a file that was not protected yet."""
    return f"<pre>{_said(str(result))}</pre>"


def _verdict(result: Assessment) -> str:
    verdict = result.verdict
    if verdict is None:
        found = result.presenter.headlines(result, "internal")
        return "".join(_headline(headline) for headline in found)
    answers = [("Useful?", verdict.useful), ("Safe?", verdict.safe)]
    rows = [
        [name, f"{GRADES[one.grade]} {one.grade}", shown(one.value, 3), one.sentence]
        for name, one in answers
    ]
    findings = [
        [f"{WEIGHTS[one.grade]} {one.grade}", f"{one.sentence} {one.remedy}"]
        for one in verdict.findings
    ]
    title = f"<p>{_bold(verdict.title)}</p>" if verdict.title else ""
    return title + _table([], rows) + _table(["", "What to know before release"], findings)


def _weakest(result: Assessment) -> str:
    """The variables that lost most, where the global data utility says so."""
    if result.gdu is None:
        return ""
    known = [v for v in result.gdu.variables if v.utility is not None and v.utility < 1]
    known.sort(key=lambda v: (v.utility or 0.0, v.name))
    rows = [[v.name, shown(v.utility, 3), shown(v.bivariate_utility, 3)] for v in known]
    heads = ["weakest variables", "distribution kept", "pairs kept"]
    return _table(heads, rows[:MOST_WEAK])


def _picture(spec: Spec | None) -> str:
    """A chart as a picture inside the page; it holds no script."""
    return "" if spec is None else drawn(spec, "svg").decode("utf-8")


def _headline(headline: Headline) -> str:
    shown_first = "".join(_block(block) for block in headline.blocks)
    lines = [
        f"{_bold(line.label) if line.main else _said(line.label)} "
        f"{shown(line.value, line.digits)} {_said(line.said)}"
        for line in headline.lines
    ]
    told = [*lines, *(_said(aside) for aside in headline.asides)]
    return shown_first + (f"<p>{'<br>'.join(told)}</p>" if told else "")


def _said(text: str) -> str:
    """Text as it is, whatever it holds; a number and its per cent stay on one line."""
    return escape(bound(text))


def _bold(text: str) -> str:
    return f"<b>{_said(text)}</b>"


def _group(group: Group) -> str:
    title = f"<p>{_bold(group.title)}</p>" if group.title else ""
    return title + "".join(_block(block) for block in group.blocks)


def _block(block: Block) -> str:
    match block:
        case Sentence():
            return f"<p>{_said(block.text)}</p>"
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
            return f"<pre>{_said(chr(10).join(lines))}</pre>" if lines else ""


def _table(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f'<th style="text-align:left">{_said(text)}</th>' for text in heads)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="text-align:left">{_said(cell)}</td>' for cell in row)
        + "</tr>"
        for row in rows
    )
    top = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<table>{top}<tbody>{body}</tbody></table>" if rows else ""
