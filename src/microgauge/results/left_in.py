"""What names people and is still in the protected file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from microgauge.records import dataclass


@dataclass(frozen=True, kw_only=True)
class LeftIn:
    """A column that names people, or a file in which nothing was changed. Never a value."""

    column: str | None
    """None where the whole file is meant."""
    why: str
    """What it holds, in a few words."""
    share: float | None
    """Share of the column's filled cells: spelt so; else with a value that no other record has."""
    code: str
    """What it holds, for programs."""
    grade: Literal["stop"]
    """The file must not be released as it is."""
    sentence: str
    remedy: str
    reason: str | None = None
    """Why there is no share."""


def stops(found: Sequence[LeftIn] | None) -> bool:
    """Whether something was found for which the file must not be released as it is.

    Nothing found, and not looked for (None), is no reason to stop.

    >>> stops(()), stops(None)
    (False, False)
    """
    return any(one.grade == "stop" for one in found or ())
