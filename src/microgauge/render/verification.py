"""A verification on a terminal, within 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microgauge.render.text import wrapped
from microgauge.results.names import cut
from microgauge.results.verification import FigureCheck, Verification

MOST_FIGURES = 20


def verification_text(found: Verification) -> str:
    """What is the same, what differs, and by how much."""
    parts = [
        "\n".join(wrapped(verdict(found), "", "  ")),
        "\n".join(["Inputs", *(_input(found))]),
        _figures(found),
        _versions(found),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def verdict(found: Verification) -> str:
    """One sentence."""
    differing = [
        ", ".join(cut(one.what, 40) for one in found.inputs if one.state == "differs"),
        *_counts(found),
    ]
    if not found.same:
        return f"Differs: {'; '.join(part for part in differing if part)}."
    unknown = any(one.table and one.state == "not compared" for one in found.inputs)
    if found.compared is None:
        as_far = ", as far as they could be compared" if unknown else ""
        return f"The same inputs{as_far}; nothing was measured again: {found.reason}."
    start = "The same figures" if unknown else "The same inputs give the same figures"
    return f"{start}: all {found.compared:,} agree to 1e-9.{_reworded(found)}"


def _counts(found: Verification) -> list[str]:
    """How many figures and sentences differ, where they were compared."""
    if found.compared is None:
        return []
    figures, words = len(found.figures), len(found.words)
    told = [
        f"1 of {found.compared:,} figures is another now"
        if figures == 1
        else f"{figures:,} of {found.compared:,} figures are others now"
    ]
    if words:
        told.append(
            "1 sentence is another now" if words == 1 else f"{words:,} sentences are others now"
        )
    return told if figures or not words else told[1:]


def _reworded(found: Verification) -> str:
    if not found.words:
        return ""
    return " Another version of the program says some of it in other words."


def _input(found: Verification) -> list[str]:
    lines = []
    for one in found.inputs:
        lines += wrapped(f"{cut(one.what, 40)}: {one.state}; {one.said}", "  ", "    ")
    return lines


def _figures(found: Verification) -> str:
    if found.compared is None and found.reason and not found.same:
        return "\n".join(wrapped(f"Nothing was measured again: {found.reason}.", ""))
    parts = [
        _listed("Figures that differ", found.figures),
        _listed("Words that differ", found.words),
    ]
    return "\n\n".join(part for part in parts if part)


def _listed(title: str, differing: Sequence[FigureCheck]) -> str:
    if not differing:
        return ""
    shown = differing[:MOST_FIGURES]
    lines = [title, *(line for one in shown for line in _changed(one))]
    if len(differing) > len(shown):
        lines.append(f"  and {len(differing) - len(shown):,} more")
    return "\n".join(lines)


def _versions(found: Verification) -> str:
    if not found.versions:
        return ""
    return "\n".join(
        ["Versions that differ", *(x for one in found.versions for x in _changed(one))]
    )


def _changed(one: FigureCheck) -> list[str]:
    return wrapped(f"{one.place}: {_said(one.was)} was, {_said(one.now)} is", "  ", "    ")


def _said(value: Any) -> str:
    return "nothing" if value is None else cut(str(value), 40)
