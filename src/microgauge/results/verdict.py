"""The verdict: is the file useful, is it safe, and what is to be done about it."""

from __future__ import annotations

from typing import Literal

from microgauge.records import dataclass
from microgauge.results.disclosure import LookedFor

Grade = Literal["good", "fair", "poor", "unknown"]
FindingGrade = Literal["stop", "warn", "note"]
LIMIT_LOW = "limit-low"
"""Code of the finding that limits on use say little: whoever chooses among files looks for it."""


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """How good a file is in one respect, and why."""

    grade: Grade
    measure: str | None
    """The figure that the grade rests on; of several limits, a missed one."""
    value: float | None
    limit: float | None
    """What was set for it; None where nothing was."""
    kept: float | None = None
    """Of utility: where the file stands between variables shuffled against each other (0) and a
    fresh sample of the original (1); None where limits decide or the two cannot be told apart."""
    sentence: str
    brief: str | None = None
    """The sentence without how grades are given; None where it says nothing of that."""
    steps: str | None = None
    """Where grades begin, in one phrase; None where limits decide, or there is no grade."""
    stop: str | None = None
    """Why the file must not be released, whatever the figures say; None where nothing stops it."""
    reason: str | None = None
    """Why there is no grade, or no value."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something to know before the file is released, and what to do about it. Never a value."""

    code: str
    grade: FindingGrade
    """stop: not to be released as it is; warn: to be looked at; note: to be known."""
    about: tuple[str, ...]
    """The variables it speaks of; none: the whole file."""
    sentence: str
    remedy: str
    see: str
    """The page of the documentation."""


@dataclass(frozen=True, kw_only=True)
class Provisional:
    """Why a verdict is a first one, and may change once all is measured."""

    sentence: str
    looked_for: LookedFor | None
    """For how many the nearest records were looked for, where that was cut short."""
    not_measured: tuple[str, ...]
    """Sections whose findings are not in it."""
    seed: int


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The same sentences wherever a verdict is shown."""

    useful: Opinion
    safe: Opinion
    utility: float | None
    """The utility of the map."""
    risk: float | None
    """The risk of the map."""
    findings: tuple[Finding, ...]
    """The worst first."""
    title: str | None = None
    """What is judged, in the user's words."""
    provisional: Provisional | None = None
    """Why it may still change; None where all was measured that was asked for."""
