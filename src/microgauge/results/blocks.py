"""What a section shows, in plain blocks: renderers draw them and know nothing of measures.

A block holds words, numbers and names as they are. Whoever draws it is told nothing else, so the
terminal, the report and a notebook show the same thing, and a new section needs no renderer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | bool | None
"""A table's cell; None is shown as a dash."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One or more sentences that stand by themselves."""

    text: str
    soft: bool = False
    """Whether it is an aside."""


@dataclass(frozen=True, kw_only=True)
class Stories:
    """Short headings, each with what is to be said under it."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Head:
    """The head of a table's column."""

    text: str
    digits: int | None = None
    """Digits after the point of its numbers; None: text, or as many as are needed."""
    explain: str | None = None
    """The figure's key among the section's explanations."""
    optional: bool = False
    """Whether narrow screens may leave it out."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under heads; the first cell of a row names it."""

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str | None, ...] = ()
    """A sentence below each row, where there is one; as long as `rows`, or empty."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture in Vega-Lite's terms. Labels of the data stand in its values, never in code."""

    title: str
    spec: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Group:
    """Blocks under a heading of their own."""

    title: str
    blocks: tuple[Block, ...]


Block = Sentence | Stories | Table | Chart | Group
