"""What a section shows, in plain blocks: renderers draw them and know nothing of measures.

A block holds words, numbers and names as they are. Whoever draws it is told nothing else, so the
terminal, the report and a notebook show the same thing, and a new section needs no renderer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from microgauge.languages.messages import say
from microgauge.records import dataclass

Question = Literal["safe", "useful", "results", "changed", "experts", "measured"]
"""What a part of a report answers."""
QUESTIONS: Mapping[Question, tuple[str, str]] = {
    "safe": (say("Is it safe?"), say("Safe?")),
    "useful": (say("Is it useful?"), say("Useful?")),
    "results": (say("Do published results hold?"), say("Results")),
    "changed": (say("What exactly was changed?"), say("Changes")),
    "experts": (say("For experts"), say("Experts")),
    "measured": (say("How it was measured"), say("Method")),
}
"""Headings of a report in their order, and what links to them say."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One or more sentences that stand by themselves."""

    text: str
    soft: bool = False
    """Whether it is an aside."""
    level: int = 1
    """How far a terminal moves it in; 0: not at all."""
    hanging: bool = False
    """Whether a terminal moves its further lines in by one more level."""


@dataclass(frozen=True, kw_only=True)
class Stories:
    """Short headings, each with what is to be said under it."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number that matters, and what it is."""

    label: str
    value: float | None
    digits: int | None = 3
    """Digits after the point; None: as many as are needed."""
    said: str = ""
    """What stands beside it on a terminal."""
    explain: str | None = None
    """The figure's key among the section's explanations."""
    main: bool = False
    """Whether it is the first to look at."""
    share: bool = True
    """Whether it lies between 0 and 1, so that a bar can show it."""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Numbers that matter, one below the other."""

    rows: tuple[Figure, ...]


@dataclass(frozen=True, kw_only=True)
class Headline:
    """What stands above all else."""

    sentence: str | None = None
    """The verdict of a report."""
    figures: tuple[Figure, ...] = ()
    """The numbers on top of a report."""
    lines: tuple[Figure, ...] = ()
    """The numbers on top of a terminal, each with something beside it."""
    asides: tuple[str, ...] = ()
    """What a terminal says below them."""
    blocks: tuple[Block, ...] = ()
    """What is shown everywhere, before the rest of it."""


@dataclass(frozen=True, kw_only=True)
class Head:
    """The head of a table's column."""

    text: str
    digits: int | None = None
    """Digits after the point of its numbers; None: text, or as many as are needed."""
    right: bool = False
    """Whether it holds numbers, or texts that stand to the right as numbers do."""
    explain: str | None = None
    """The figure's key among the section's explanations."""
    optional: bool = False
    """Whether narrow screens may leave it out."""
    width: int | None = None
    """Columns it takes on a terminal; as many as are needed unless given."""
    most: int = 30
    """Columns of a terminal beyond which the names in it are cut; the last column is wrapped."""

    @property
    def number(self) -> bool:
        """Whether its cells stand to the right."""
        return self.right or self.digits is not None


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture in Vega-Lite's terms. Labels of the data stand in its values, never in code.

    Colours may be named as in `COLOURS`: they follow the reader's theme. A terminal shows none.
    """

    title: str
    spec: Mapping[str, Any]


COLOURS = ("$before", "$after", "$bad", "$ink")
"""The original, the protected file, what is risky or lost, and text."""


@dataclass(frozen=True, kw_only=True)
class Ruler:
    """Figures on one line, each at its place with its name. A terminal shows none."""

    title: str
    heading: str
    points: tuple[tuple[str, float], ...]
    """Names and figures, in the order of the figures."""


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """A table's cell that draws an estimate with its interval, for the original and the other."""

    title: str
    original: float | None
    original_ci: tuple[float, float] | None
    protected: float | None
    protected_ci: tuple[float, float] | None


Cell = str | int | float | bool | Chart | Intervals | None
"""A table's cell; None is shown as a dash."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under heads; the first cell of a row names it."""

    caption: str
    heads: tuple[Head, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str | None, ...] = ()
    """A sentence below each row, where there is one; as long as `rows`, or empty."""


@dataclass(frozen=True, kw_only=True)
class Legend:
    """Which colour is the original, and which the protected file; for charts below it."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the report that has a drawing of its own, by its name; not shown elsewhere."""

    name: str
    content: Any


@dataclass(frozen=True, kw_only=True)
class Group:
    """Blocks under a heading of their own; without a title, blocks that belong together."""

    title: str
    blocks: tuple[Block, ...]
    name: str = ""
    """What links to it say; made of the section's name and the title unless given."""
    explain: str | None = None
    """The key of the explanation beside the heading."""
    first: bool = False
    """Whether a report shows it before all else under its question."""
    answers: Question | None = None
    """The question it answers; that of its section unless given."""

    def joined(self, other: Group) -> Group:
        """Both under one heading."""
        return replace(self, blocks=(*self.blocks, *other.blocks))


Block = Sentence | Stories | Figures | Table | Chart | Ruler | Legend | Part | Group
