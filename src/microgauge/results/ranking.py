"""Candidates side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from microgauge.results.assessment import Assessment
from microgauge.results.presenter import Edition
from microgauge.results.votes import ClusterVotes, cluster_votes


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """Which candidate to release, and why; no name where none can be."""

    name: str | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Leader:
    """Which candidate has the best balance at one weight of utility."""

    alpha: float
    leader: str | None


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One protected table among several of the same original."""

    name: str
    assessment: Assessment
    settings: dict[str, Any] = field(default_factory=dict)
    """What tells it from the others of a grid, where it was made from one."""
    recipe: dict[str, Any] | None = None
    """The whole recipe it was made by; `mask` with it makes the same table."""

    @property
    def said(self) -> str:
        """The settings in words."""
        return ", ".join(f"{name} {value}" for name, value in self.settings.items())

    @property
    def risk(self) -> float | None:
        """What is ranked and limited: what an intruder gets, or R of classes."""
        return None if self.assessment.rut is None else self.assessment.rut.risk

    @property
    def utility(self) -> float | None:
        """U."""
        return None if self.assessment.rut is None else self.assessment.rut.utility

    @property
    def balance(self) -> float | None:
        """RUT."""
        return None if self.assessment.rut is None else self.assessment.rut.value


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
    original_risk: float | None = None
    """The same risk of the original, released as it is."""
    notes: tuple[str, ...] = ()

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

    def report(self, edition: Edition = "internal", min_count: int = 10) -> str:
        """The report as HTML; rank with `details` for its pictures."""
        from microgauge.render.report import report_html

        return report_html(self, edition, min_count)

    def table(self) -> Any:
        """A polars data frame with a row for each candidate."""
        from microgauge.render.frames import candidate_frame

        return candidate_frame(self)

    def __str__(self) -> str:
        from microgauge.render.ranking import ranking_text

        return ranking_text(self)

    def __repr__(self) -> str:
        return f"Ranking(candidates={len(self.candidates)}, recommended={self.recommended.name!r})"
