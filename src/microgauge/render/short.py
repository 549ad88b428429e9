"""What a terminal shows unless more is asked for: at most 40 lines of 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.render.text import WIDTH, group_lines, headline_text, wrapped
from microgauge.results import Assessment, Disclosure
from microgauge.results.names import cut, shortened, within
from microgauge.results.verdict import Finding, Opinion, Verdict
from microgauge.results.wording import counted, figure

MOST_LINES = 40
LEFT_OUT = "left-out"
"""The code of the note on what takes long."""
MOST_FINDINGS = 6
MOST_SAID = 5
"""Lines of one answer or finding: names may be of any length."""
LABEL = 11
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
    brief = _briefly(result)
    tail = [*brief, *([""] if brief else []), *told_lines(_compared(result, more)), *last]
    room = MOST_LINES - len(head) - len(tail) - 1
    lines = [*head, *_found(result.verdict.findings, room, more), "", *tail]
    return "\n".join(lines[:MOST_LINES]) + "\n"


def told_lines(rows: Rows, most: int = MOST_SAID) -> list[str]:
    """Each label once, with what is said beside it."""
    return [line for label, said in rows for line in _told(label, said, most)]


def _told(label: str, said: str, most: int = MOST_SAID) -> list[str]:
    lines = wrapped(said, f"  {label:<{LABEL - 3}} ", " " * LABEL)
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], within(lines[most - 1], WIDTH - 2) + " …"]


def first_text(result: Assessment) -> str:
    """The two grades and their figures, while the rest is measured."""
    verdict = result.verdict
    assert verdict is not None
    use = _grade(verdict.useful, "utility", verdict.utility)
    safe = _grade(verdict.safe, "risk", verdict.risk)
    if verdict.risk is not None and verdict.safe.measure == "disclosure":
        safe += _how_sure(result.disclosure)
    rows = [("useful", use), ("safe", _stopped(safe, verdict.safe))]
    if verdict.provisional is not None:
        rows.append(("note", verdict.provisional.sentence))
    return "\n".join(["A first verdict, while the rest is measured", *told_lines(rows)])


def _grade(opinion: Opinion, name: str, value: float | None) -> str:
    said = opinion.grade.capitalize()
    if value is None:
        return f"{said}. {opinion.brief or opinion.sentence}"
    return f"{said}: {name} {figure(value)}"


def _stopped(said: str, opinion: Opinion) -> str:
    """With what stops the file, where the figure alone was told."""
    if opinion.stop is None or opinion.stop in said:
        return said
    return f"{said}. {opinion.stop}"


def _how_sure(found: Disclosure | None) -> str:
    """The interval."""
    if found is None or found.risk_ci is None:
        return ""
    return f" (95 % interval {figure(found.risk_ci[0])} to {figure(found.risk_ci[1])})"


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
    steps = "; ".join(f"{name}: {one.steps}" for name, one in answers if one.steps)
    lines += _told("grades", steps) if steps else []
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


def _compared(result: Assessment, more: str) -> list[tuple[str, str]]:
    """Which files, whether their rows correspond, what was left out, and what else there is."""
    inputs = result.inputs
    tables = (inputs.original, inputs.protected)
    names = shortened([table.path for table in tables], 40)
    files = [f"{names[t.path]} ({counted(t.rows, 'row')} × {t.columns:,})" for t in tables]
    rows = f"matched by {inputs.alignment.how}"
    if not inputs.alignment.aligned:
        rows = f"not matched: {inputs.alignment.reason}"
    left_out = [note.about for note in result.remarks if note.code == LEFT_OUT]
    said = [("files", ", ".join(files)), ("rows", rows)]
    said += [("left out", f"{', '.join(about)} (--full)") for about in left_out]
    others = len(result.remarks) - len(left_out)
    if others:
        said.append(("notes", f"{others:,} on how it was measured: {more}"))
    return said


# -- without one -----------------------------------------------------------------------------


def _without_verdict(result: Assessment, last: Sequence[str], more: str) -> list[str]:
    """What the sections say, as far as there is room."""
    presenter = result.presenter
    parts = [
        headline_text(headline).split("\n") for headline in presenter.headlines(result, "internal")
    ]
    parts += [group_lines(group) for group in presenter.words(result)]
    lines = []
    for part in parts:
        lines += [*part, ""] if any(part) else []
    return fitted([*lines, *told_lines(_compared(result, more))], last, more)


def fitted(lines: Sequence[str], last: Sequence[str], more: str) -> list[str]:
    """Lines cut to fit before the last ones, which are kept; how to see what was cut."""
    lines = list(lines)
    while lines and not lines[-1]:
        lines.pop()
    room = MOST_LINES - len(last)
    if len(lines) <= room:
        return [*lines, *last]
    return [*lines[: room - 1], f"… {len(lines) - room + 1:,} lines more: {more}", *last]
