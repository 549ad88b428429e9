"""The gate: does a file, or one of several candidates, keep the limits that were set?"""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say, strung
from microgauge.records import dataclass
from microgauge.results.assessment import Assessment
from microgauge.results.figures import FIGURES
from microgauge.results.left_in import LeftIn
from microgauge.results.ranking import Ranking
from microgauge.results.requirements import requirement_line
from microgauge.results.wording import begun

NOTHING_LEFT_IN = say("nothing left in that stops a release")
CHOICE = say("a candidate to release")


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
        named = (
            ("" if c.candidate is None else say("{candidate}: ", candidate=c.candidate), c.line)
            for c in self.checks
        )
        return [strung((name, line)) for name, line in named]


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
    said = say(
        "missed: {nothing_left_in}; {stopping}",
        nothing_left_in=NOTHING_LEFT_IN,
        stopping=strung(stopping, "; "),
    )
    return Check(
        candidate=candidate,
        name=NOTHING_LEFT_IN,
        kept=not stopping,
        line=said
        if stopping
        else say("kept: {nothing_left_in}; nothing was found", nothing_left_in=NOTHING_LEFT_IN),
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
        said = say("{n} of {n2} keep the limits", n=len(keeping), n2=len(result.candidates))
    else:
        kept = found.name is not None
        said = (
            found.reason
            if found.name is None
            else say("{name}: {reason}", name=found.name, reason=found.reason)
        )
    name = CHOICE if result.max_risk is not None else say("a candidate within the limits")
    how = say("kept") if kept else say("missed")
    return Check(
        candidate=None,
        name=name,
        kept=kept,
        line=say("{how}: {name}; {said}", how=how, name=name, said=said),
    )


def _passes(result: Assessment) -> bool:
    return all(check.kept for check in file_checks(result))


def sentences(checks: Sequence[Check]) -> list[str]:
    """Checks as sentences, those that are missed first."""
    return [
        say("{line}.", line=begun(one.line)) for one in sorted(checks, key=lambda one: one.kept)
    ]
