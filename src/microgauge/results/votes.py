"""Over several numbers of clusters: which candidate is best most often."""

from __future__ import annotations

from collections.abc import Sequence

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.joint import ClusterResult


@dataclass(frozen=True, kw_only=True)
class ClusterVote:
    """A candidate, and at how many numbers of clusters its U_c is the least."""

    name: str
    best: int
    groups: tuple[int, ...]
    """At which numbers; one that several share counts for each of them."""


@dataclass(frozen=True, kw_only=True)
class ClusterVotes:
    """Which candidate U_c finds most useful, over several numbers of clusters.

    There is no obvious number of clusters; Woo et al. (2009, 2.2) would try several and take what
    is best most often, after considering risk as well. Risk has no part in this.
    """

    groups: tuple[int, ...]
    """The numbers that were voted over."""
    votes: tuple[ClusterVote, ...]
    leaders: tuple[str, ...]
    """Best most often; several where they are so equally often."""
    reason: str | None = None


NOT_ALIKE = say("the candidates were not clustered alike: rows, method or numbers of groups differ")


def cluster_votes(
    candidates: Sequence[tuple[str, tuple[ClusterResult, ...] | None]],
) -> ClusterVotes | None:
    """The vote over names and their clusters; None where fewer than two were clustered.

    U_c of other rows, numbers of groups or methods is on another scale, and no vote is held.
    """
    known = [(name, found) for name, found in candidates if found]
    if len(known) < 2:
        return None
    kinds = {tuple((r.method, r.groups, r.weights, r.rows) for r in found) for _, found in known}
    if len(kinds) > 1:
        return ClusterVotes(groups=(), votes=(), leaders=(), reason=NOT_ALIKE)
    at: dict[str, list[int]] = {name: [] for name, _ in known}
    voted = []
    for place, result in enumerate(known[0][1]):
        values = {name: found[place].value for name, found in known}
        counted = {name: value for name, value in values.items() if value is not None}
        if len(counted) < len(known):
            continue
        voted.append(result.groups)
        for name, value in counted.items():
            if value == min(counted.values()):
                at[name].append(result.groups)
    if not voted:
        said = say("at no number of groups does every candidate have a U_c")
        return ClusterVotes(groups=(), votes=(), leaders=(), reason=said)
    most = max(len(groups) for groups in at.values())
    return ClusterVotes(
        groups=tuple(voted),
        votes=tuple(
            ClusterVote(name=name, best=len(groups), groups=tuple(groups))
            for name, groups in at.items()
        ),
        leaders=tuple(name for name, groups in at.items() if len(groups) == most),
    )
