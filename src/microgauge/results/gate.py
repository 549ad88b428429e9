"""The gate: does a file, or one of several candidates, keep the limits that were set?"""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.records import dataclass
from microgauge.results.assessment import Assessment
from microgauge.results.figures import FIGURES
from microgauge.results.left_in import LeftIn
from microgauge.results.ranking import Ranking
from microgauge.results.requirements import requirement_line
from microgauge.results.wording import begun

NOTHING_LEFT_IN = "nothing left in that stops a release"
CHOICE = "a candidate to release"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One limit held against one file."""

    candidate: str | None
    """Of several; None where there is one file."""
    name: str
    """What must be so: risk at most 0.05."""
    kept: bool
    line: str
    """The same, and how the file stands to it."""
    defined: bool = True
    """Whether there is a figure."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """Every limit with every file, and whether a release may go on."""

    checks: tuple[Check, ...]
    passed: bool

    @property
    def lines(self) -> list[str]:
        """A line for each limit and file, as they were set."""
        named = (("" if c.candidate is None else f"{c.candidate}: ", c.line) for c in self.checks)
        return [f"{name}{line}" for name, line in named]


def gate_of(result: Assessment | Ranking) -> Gate:
    """The gate of one file: all kept. Of several: one may be released that keeps them all.

    Where a limit speaks of safety, a file must hold nothing that stops a release, whatever its
    figures are. Without limits every gate is passed.
    """
    if isinstance(result, Ranking):
        return _gate_of_ranking(result)
    checks = file_checks(result)
    return Gate(checks=checks, passed=all(check.kept for check in checks))


def file_checks(result: Assessment, candidate: str | None = None) -> tuple[Check, ...]:
    """The limits on one file, and whether something in it stops a release."""
    limits = result.requirements or ()
    found = [
        Check(
            candidate=candidate,
            name=one.said,
            kept=one.met,
            line=requirement_line(one),
            defined=one.value is not None,
        )
        for one in limits
    ]
    if guards_safety(result) and result.left_in is not None:
        found.append(_nothing_left_in(result.left_in, candidate))
    return tuple(found)


def guards_safety(result: Assessment) -> bool:
    """Whether a limit speaks of safety."""
    return any(FIGURES[one.figure].subject == "safety" for one in result.requirements or ())


def _nothing_left_in(found: Sequence[LeftIn], candidate: str | None) -> Check:
    stopping = [one.sentence.rstrip(".") for one in found if one.grade == "stop"]
    said = f"missed: {NOTHING_LEFT_IN}; {'; '.join(stopping)}"
    return Check(
        candidate=candidate,
        name=NOTHING_LEFT_IN,
        kept=not stopping,
        line=said if stopping else f"kept: {NOTHING_LEFT_IN}; nothing was found",
    )


def _gate_of_ranking(result: Ranking) -> Gate:
    checks = [c for one in result.candidates for c in file_checks(one.assessment, one.name)]
    if not result.limits:
        return Gate(checks=tuple(checks), passed=True)
    choice = _choice(result)
    return Gate(checks=(*checks, choice), passed=choice.kept)


def _choice(result: Ranking) -> Check:
    """Whether one is recommended; where risk has no limit, whether one keeps the others."""
    found = result.recommended
    if result.max_risk is None:
        keeping = [c for c in result.candidates if _passes(c.assessment)]
        kept = bool(keeping)
        said = f"{len(keeping)} of {len(result.candidates)} keep the limits"
    else:
        kept = found.name is not None
        said = found.reason if found.name is None else f"{found.name}: {found.reason}"
    name = CHOICE if result.max_risk is not None else "a candidate within the limits"
    how = "kept" if kept else "missed"
    return Check(candidate=None, name=name, kept=kept, line=f"{how}: {name}; {said}")


def _passes(result: Assessment) -> bool:
    return all(check.kept for check in file_checks(result))


def sentences(checks: Sequence[Check]) -> list[str]:
    """Checks as sentences, those that are missed first."""
    return [f"{begun(one.line)}." for one in sorted(checks, key=lambda one: one.kept)]
