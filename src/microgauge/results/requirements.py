"""Limits on figures, and whether a protected file keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from microgauge.languages.messages import number, say
from microgauge.records import dataclass
from microgauge.results.wording import called, short

Operator = Literal["<=", "<", ">=", ">"]
SAID: dict[Operator, str] = {
    "<=": say("at most"), "<": say("below"), ">=": say("at least"), ">": say("above"),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One limit, and the figure that is held against it."""

    figure: str
    operator: Operator
    limit: float
    value: float | None
    met: bool
    """A figure that is not defined meets no limit."""
    reason: str | None = None
    """Why there is no figure."""

    @property
    def said(self) -> str:
        """The limit in words: risk at most 0.05."""
        return limit_said(self.figure, self.operator, self.limit)

    @property
    def missed_said(self) -> str:
        """The limit, and the figure that misses or keeps it."""
        if self.value is None:
            return say("{said} (it has none: {reason})", said=self.said, reason=self.reason)
        return say("{said} (it is {apart})", said=self.said, apart=apart(self.value, self.limit))

    @property
    def held(self) -> str | None:
        """The figure in words, told from the limit by its digits; None where there is none."""
        return None if self.value is None else held_against(self.value, self.limit)


def apart(value: float, limit: float) -> str:
    """A figure with as many digits as tell it from a limit.

    >>> apart(0.0512, 0.05), apart(0.05001, 0.05), apart(0.05, 0.05)
    ('0.0512', '0.05001', '0.05')
    """
    return number(next(
        (text for digits in (3, 6, 17)
         if float(text := f"{value:.{digits}g}") != float(f"{limit:.{digits}g}")),
        f"{value:g}",
    ))  # fmt: skip


def limit_said(figure: str, operator: Operator, limit: float) -> str:
    """A limit in words.

    >>> limit_said("gdu", ">=", 0.8)
    'gdu at least 0.8'
    """
    return say("{figure} {said} {limit:g}", figure=called(figure), said=SAID[operator], limit=limit)


def keeps(requirements: Sequence[Requirement] | None) -> bool:
    """Whether all limits are kept; so they are where there are none.

    >>> keeps(()), keeps(None)
    (True, True)
    """
    return all(one.met for one in requirements or ())


def requirement_line(one: Requirement) -> str:
    """A limit, and how the file stands to it."""
    if one.held is None:
        return say("missed: {said}; there is no figure: {reason}", said=one.said, reason=one.reason)
    if one.met:
        return say("kept: {said}; it is {held}", said=one.said, held=one.held)
    return say("missed: {said}; it is {held}", said=one.said, held=one.held)


def held_against(value: float, limit: float) -> str:
    """A figure, short where that tells it from the limit.

    >>> held_against(0.0512345, 0.05), held_against(0.0500001, 0.05), held_against(41234.5, 3)
    ('0.0512', '0.0500001', '41,200')
    """
    said = short(value)
    return said if float(said.replace(",", "")) != limit else apart(value, limit)
