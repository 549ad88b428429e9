"""A published study made again."""

from __future__ import annotations

from typing import Any

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class FigureRow:
    """One line of a paper's table: what was published and what we find, column by column."""

    name: str
    published: tuple[float | str | None, ...]
    """None where the paper says nothing."""
    own: tuple[float | str | None, ...]
    reason: str | None = None
    """Why the two differ, or why a figure of ours is undefined."""


@dataclass(frozen=True, kw_only=True)
class FigureTable:
    """A table of a paper beside our own."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[FigureRow, ...]
    digits: int = 3
    """Decimals that are shown on a terminal."""
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """Something the paper says, and whether it comes out here."""

    claim: str
    holds: bool | None
    """None where it cannot be tried."""
    shown: str
    """The figures that decide."""
    reason: str | None = None
    """Why it does not hold, or cannot be tried."""


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """A published study made again: figures side by side, and a verdict on each claim."""

    study: str
    title: str
    paper: str
    seed: int
    data: str
    """What was measured."""
    differences: tuple[str, ...]
    """What differs from the paper's data or design, and why."""
    tables: tuple[FigureTable, ...]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    heading: str = "Claims of the paper"
    """What the claims are."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import to_dict

        found: dict[str, Any] = to_dict(self)
        return found

    def __str__(self) -> str:
        from microgauge.render.papers import reproduction_text

        return reproduction_text(self)

    def __repr__(self) -> str:
        held = sum(claim.holds is True for claim in self.claims)
        return f"Reproduction({self.study!r}, {held} of {len(self.claims)} claims hold)"
