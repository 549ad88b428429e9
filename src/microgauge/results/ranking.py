"""Candidates side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from microgauge.languages.messages import ENGLISH, say, strung
from microgauge.records import dataclass
from microgauge.results.assessment import Assessment
from microgauge.results.balance import SweepStep
from microgauge.results.given_back import given_back
from microgauge.results.manifest import Manifest
from microgauge.results.presenter import Edition
from microgauge.results.requirements import Requirement, keeps
from microgauge.results.votes import ClusterVotes, cluster_votes

if TYPE_CHECKING:
    from microgauge.render.plots import RankingPlots


@dataclass(frozen=True, kw_only=True)
class Equal:
    """A candidate within the limits that chance does not tell from the best in utility."""

    name: str
    difference: float
    """The best's utility less its own."""
    interval: tuple[float, float]
    """The 95 % interval of that difference, which holds 0."""


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """Which candidate to release, and why; no name where none can be."""

    name: str | None
    reason: str
    against: str | None = None
    """The strongest argument against it; None where none is recommended."""
    equals: tuple[Equal, ...] = ()
    """Other candidates that are as useful as far as can be told."""
    best: str | None = None
    """The candidate with the highest utility within the limits."""
    interval: tuple[float, float] | None = None
    """Of the best's utility less that of the recommended one, where these are two."""


@dataclass(frozen=True, kw_only=True)
class Leader:
    """Which candidate has the best balance at one weight of utility."""

    alpha: float
    leader: str | None


@dataclass(frozen=True, kw_only=True)
class Step:
    """From one candidate of the frontier to the next: what more utility costs in risk."""

    start: str
    end: str
    risk: float
    utility: float
    cost: float | None
    """Risk for each unit of utility; None where utility does not change."""
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where a candidate stands: the two figures of the map, and their balance."""

    utility: float | None
    risk: float | None
    utility_reason: str | None = None
    risk_reason: str | None = None
    sweep: tuple[SweepStep, ...] = ()
    """The balance of the two at each weight of utility."""
    balance: float | None = None
    """The same at the weights that were chosen."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One protected table among several of the same original."""

    name: str
    assessment: Assessment
    settings: dict[str, Any] = field(default_factory=dict)
    """What tells it from the others of a grid, where it was made from one."""
    recipe: dict[str, Any] | None = None
    """The whole recipe it was made by; `mask` with it makes the same table."""
    standing: Standing | None = None
    """Where it stands on the map; a ranking says so."""

    @property
    def said(self) -> str:
        """The settings in words."""
        return strung(
            (
                say("{name} {value}", name=name, value=value)
                for name, value in self.settings.items()
            ),
            ", ",
        )

    @property
    def risk(self) -> float | None:
        """What is ranked and limited: what an intruder gets, or R of classes."""
        if self.standing is not None:
            return self.standing.risk
        return None if self.assessment.rut is None else self.assessment.rut.risk

    @property
    def utility(self) -> float | None:
        """The utility of the map; U before it is ranked."""
        if self.standing is not None:
            return self.standing.utility
        return None if self.assessment.rut is None else self.assessment.rut.utility

    @property
    def balance(self) -> float | None:
        """RUT, which is of U (Kim 2025)."""
        return None if self.assessment.rut is None else self.assessment.rut.value

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The limits, held against its figures."""
        return self.assessment.sections.get("requirements") or ()

    @property
    def keeps_limits(self) -> bool:
        """Whether it keeps all limits; so it does where there are none."""
        return keeps(self.requirements)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Candidates side by side, and which to release."""

    candidates: tuple[Candidate, ...]
    frontier: tuple[str, ...]
    """Candidates that no other beats in risk or utility without losing in the other."""
    recommended: Recommendation
    sweep: tuple[Leader, ...]
    stable: bool
    """Whether one candidate leads at every weight of utility."""
    max_risk: float | None = None
    min_utility: float | None = None
    risk_measure: Literal["disclosure", "classes"] = "disclosure"
    """Which risk it is: what an intruder gets, or Kim's R of classes."""
    utility_measure: str = "U"
    """Which utility stands on the map."""
    limits: tuple[dict[str, Any], ...] = ()
    """Figure, operator and limit of each that must be kept."""
    leader: str | None = None
    """Who has the best balance at the weights that were chosen: no recommendation."""
    steps: tuple[Step, ...] = ()
    """Along the frontier, the safest first."""
    blocks: tuple[tuple[str, ...], ...] = ()
    """Those within the limits, in blocks that chance does not tell apart, the most useful first."""
    original_risk: float | None = None
    """The same risk of the original, released as it is."""
    notes: tuple[str, ...] = ()
    manifest: Manifest | None = field(default=None, compare=False)
    """What it was made from and with."""

    @property
    def explored(self) -> bool:
        """Whether the candidates are those of a grid, which have settings and no order."""
        return any(candidate.recipe is not None for candidate in self.candidates)

    @property
    def best(self) -> Candidate | None:
        """The recommended candidate."""
        name = self.recommended.name
        return next((c for c in self.candidates if c.name == name), None)

    @property
    def clusters(self) -> ClusterVotes | None:
        """Which candidate is best at how many numbers of clusters; None without clusters."""
        return cluster_votes([(c.name, c.assessment.clusters) for c in self.candidates])

    def to_dict(self) -> dict[str, Any]:
        """The JSON object as a dict."""
        from microgauge.results.plain import ranking_dict

        return ranking_dict(self)

    def report(
        self, edition: Edition = "internal", min_count: int = 10, language: str = ENGLISH
    ) -> str:
        """The report as HTML; rank with `details` for its pictures."""
        from microgauge.render.report import report_html

        return report_html(self, edition, min_count, language)

    def summary(self, language: str = ENGLISH) -> bytes:
        """One page for the committee, as the content of a PDF file."""
        from microgauge.render.summary import summary_pdf

        return summary_pdf(self, language)

    def table(self) -> Any:
        """A data frame with a row for each candidate; pandas where pandas was given."""
        from microgauge.render.frames import candidate_frame

        return given_back(candidate_frame(self), self.candidates[0].assessment.frames)

    def to_excel(self, path: str | Path) -> None:
        """Write all tables into one workbook, those of candidates with a column for their names."""
        from microgauge.render.workbook import result_workbook
        from microgauge.results.writing import check_ending, check_writable, write_whole

        check_writable(check_ending(path, (".xlsx",), say("a workbook")))
        write_whole(path, result_workbook(self))

    @property
    def plot(self) -> RankingPlots:
        """Charts that a notebook displays: `plot.map()`, `plot.levels()`."""
        from microgauge.render.plots import RankingPlots

        return RankingPlots(self)

    def __str__(self) -> str:
        return self.short_text()

    def short_text(
        self, ending: Sequence[tuple[str, str]] = (), more: str = "print(result.long_text())"
    ) -> str:
        """What matters most, in at most 40 lines of 80 columns.

        `ending` adds lines under labels of their own; `more` says how to see everything.
        """
        from microgauge.render.ranking import short_ranking

        return short_ranking(self, ending, more)

    def long_text(self) -> str:
        """Everything, line by line."""
        from microgauge.render.ranking import ranking_text

        return ranking_text(self)

    def _repr_html_(self) -> str:
        from microgauge.render.notebook import ranking_view

        return ranking_view(self)

    def __repr__(self) -> str:
        name = self.recommended.name
        return f"Ranking(candidates={len(self.candidates)}, recommended={name!r})"
