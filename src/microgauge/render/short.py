"""What a terminal shows unless more is asked for: at most 40 lines of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.render.text import WIDTH, block_lines, group_lines, headline_text, wrapped
from microgauge.results import Assessment
from microgauge.results.blocks import Stories
from microgauge.results.names import cut, shortened, within
from microgauge.results.wording import figure
from microgauge.results.verdict import Finding, Opinion, Verdict

MOST_LINES = 40
MOST_FINDINGS = 6
MOST_SAID = 5
"""Lines of one answer or finding: names may be of any length."""
LABEL = 10
"""Columns before what is said."""

Rows = Sequence[tuple[str, str]]
"""A short label, and what is said under it."""


def short_text(result: Assessment, ending: Rows = (), more: str = "long_text()") -> str:
    """The verdict, what lost most, what was compared; `ending` says what else there is to say.

    `more` is how to see everything. Without a verdict, what the sections say is shown as it is.
    """
    last = told_lines(ending)
    if result.verdict is None:
        return "\n".join(_without_verdict(result, last, more)) + "\n"
    head = _answers(result.verdict)
    tail = [*_briefly(result), "", *_compared(result), *told_lines(_asides(result, more)), *last]
    room = MOST_LINES - len(head) - len(tail) - 1
    lines = [*head, *_found(result.verdict.findings, room, more), "", *tail]
    return "\n".join(lines[:MOST_LINES]) + "\n"


def told_lines(rows: Rows, most: int = MOST_SAID) -> list[str]:
    """Each label once, with what is said beside it."""
    return [line for label, said in rows for line in _told(label, said, most)]


def _told(label: str, said: str, most: int = MOST_SAID) -> list[str]:
    lines = wrapped(said, f"  {label:<{LABEL - 2}}", " " * LABEL)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], within(lines[most - 1], WIDTH - 2) + " …"]


def first_text(result: Assessment) -> str:
    """The two grades and their figures, while the rest is measured."""
    verdict = result.verdict
    assert verdict is not None
    rows = [("useful", _grade(verdict.useful, "utility", verdict.utility, None))]
    ends = None if result.disclosure is None else result.disclosure.risk_ci
    rows.append(("safe", _grade(verdict.safe, "risk", verdict.risk, ends)))
    if verdict.provisional is not None:
        rows.append(("note", verdict.provisional.sentence))
    return "\n".join(["A first verdict, while the rest is measured", *told_lines(rows)])


def _grade(
    opinion: Opinion, name: str, value: float | None, ends: tuple[float, float] | None
) -> str:
    said = opinion.grade.capitalize()
    if value is None:
        return f"{said}: {opinion.reason or opinion.sentence}"
    between = "" if ends is None else f", 95 % interval {figure(ends[0])} to {figure(ends[1])}"
    return f"{said}: {name} {figure(value)}{between}"


def revision(first: Assessment, last: Assessment) -> str | None:
    """Which grades turned out otherwise once all was measured; None where neither did."""
    if first.verdict is None or last.verdict is None:
        return None
    before, after = first.verdict, last.verdict
    both = (("useful", before.useful, after.useful), ("safe", before.safe, after.safe))
    told = [f"{name} was {a.grade} and is {b.grade}" for name, a, b in both if a.grade != b.grade]
    return f"All measured, the first verdict is revised: {', '.join(told)}." if told else None


# -- with a verdict --------------------------------------------------------------------------


def _answers(verdict: Verdict) -> list[str]:
    title = f"Verdict: {cut(verdict.title, WIDTH - 9)}" if verdict.title else "Verdict"
    answers = (("useful", verdict.useful), ("safe", verdict.safe))
    lines = [title, *told_lines([(name, _answer(opinion)) for name, opinion in answers])]
    if verdict.provisional is not None:
        lines += _told("note", verdict.provisional.sentence)
    return lines


def _answer(opinion: Opinion) -> str:
    return f"{opinion.grade.capitalize()}. {opinion.brief or opinion.sentence}"


def _found(findings: Sequence[Finding], room: int, more: str) -> list[str]:
    """The worst first, as many as there is room for; the last line says how many are not shown."""
    told = [_told(one.grade, f"{one.sentence} {one.remedy}") for one in findings[:MOST_FINDINGS]]
    lines: list[str] = []
    shown = 0
    for place, said in enumerate(told):
        rest = 0 if place + 1 == len(findings) else 1
        if len(lines) + len(said) + rest > room:
            break
        lines += said
        shown += 1
    left = len(findings) - shown
    if left:
        what = "finding" if left == 1 else "findings"
        lines.append(f"  {left} {'more ' if shown else ''}{what}: {more}")
    return lines


def _briefly(result: Assessment) -> list[str]:
    blocks = result.presenter.brief(result)
    return [line for block in blocks for line in told_lines(block.rows, 2)]


def _compared(result: Assessment) -> list[str]:
    inputs = result.inputs
    tables = (inputs.original, inputs.protected)
    names = shortened([table.path for table in tables], 40)
    lines = [
        f"  {label:<{LABEL - 1}} {names[table.path]}, {table.rows:,} rows × {table.columns:,}"
        for label, table in zip(("original", "protected"), tables, strict=True)
    ]
    return [*lines, *_told("rows", f"{inputs.alignment.how}: {inputs.alignment.reason}", 2)]


def _asides(result: Assessment, more: str) -> Rows:
    said = [("note", note.sentence) for note in result.remarks if note.code == "left-out"]
    others = len(result.remarks) - len(said)
    if others:
        said.append(("notes", f"{others:,} on how it was measured: {more}"))
    return said


# -- without one -----------------------------------------------------------------------------


def _without_verdict(result: Assessment, last: Sequence[str], more: str) -> list[str]:
    """What the sections say, as far as there is room."""
    presenter = result.presenter
    parts = [headline_text(headline).split("\n") for headline in presenter.headlines(result, "internal")]
    parts += [group_lines(group) for group in presenter.words(result)]
    lines = [*_compared(result)]
    for part in parts:
        lines += ["", *part] if any(part) else []
    lines += ["", *told_lines(_asides(result, more))]
    return fitted(lines, last, more)


def fitted(lines: Sequence[str], last: Sequence[str], more: str) -> list[str]:
    """Lines cut to fit before the last ones, which are kept; how to see what was cut."""
    lines = list(lines)
    while lines and not lines[-1]:
        lines.pop()
    room = MOST_LINES - len(last)
    if len(lines) <= room:
        return [*lines, *last]
    return [*lines[: room - 1], f"… {len(lines) - room + 1:,} lines more: {more}", *last]
