"""The cluster measure: do clusters hold both files' rows in equal shares?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from microgauge.arrays import Index
from microgauge.engines.rounds import Asking, Need
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.joint.clusters import (
    MOST_LINKED_UNASKED,
    Weights,
    cluster_distance,
    clusters_of,
    default_groups,
    distance_at_random,
    features,
    k_means,
    linked,
)
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.propensity import larger_share
from microgauge.results import ClusterResult
from microgauge.results.joint import ClusterShare
from microgauge.sections.joint.choices import ClusterChoices
from microgauge.sections.joint.rows import JOINT, check_rows, resampled, sampled
from microgauge.study.study import Study


def run(study: Study, log: Log) -> Asking[tuple[ClusterResult, ...]]:
    """U_c for each number of groups."""
    joint = yield Need(JOINT)
    return ClusterMeasure(joint, study.options.seed, log).results(study.schema.of(ClusterChoices))


@dataclass
class ClusterMeasure:
    """Works out the cluster measure of the joint rows of two files."""

    joint: Joint
    seed: int
    log: Log = field(default_factory=Log)

    def results(self, chosen: ClusterChoices) -> tuple[ClusterResult, ...]:
        """U_c for each number of groups."""
        self.log.progress(say("clustering"), 0.0)
        joint = sampled(self.joint, chosen.sample, "cluster", self.seed, self.log)
        method = chosen.method
        if method == "auto":
            method = "average" if joint.rows <= MOST_LINKED_UNASKED else "kmeans"
        groups = self._groups(chosen, joint)
        rule = chosen.weights if isinstance(chosen.weights, str) else "given"
        start = [
            ClusterResult(
                method=method,
                groups=number,
                weights=rule,
                value=None,
                null_share=None,
                rows=joint.rows,
                seed=self.seed,
                resamples=chosen.resamples,
            )
            for number in groups
        ]
        try:
            check_rows(joint)
            found = self._clustered(joint, chosen, method, groups)
        except Undefined as reason:
            return tuple(replace(result, reason=str(reason)) for result in start)
        measured = [
            _measured(result, one, joint, chosen.weights)
            for result, one in zip(start, found, strict=True)
        ]
        return tuple(self._with_nulls(joint, chosen, measured))

    @staticmethod
    def _groups(chosen: ClusterChoices, joint: Joint) -> list[int]:
        if chosen.groups is not None:
            return list(chosen.groups)
        if not isinstance(chosen.weights, str):
            return [len(chosen.weights)]
        return default_groups(int(joint.protected.sum()), joint.rows)

    def _clustered(
        self, joint: Joint, chosen: ClusterChoices, method: str, groups: Sequence[int]
    ) -> list[Index]:
        """The cluster of every row, for each number of groups."""
        too_many = [number for number in groups if number > joint.rows]
        if too_many:
            raise Undefined(
                say("{too_many} groups for {rows} rows", too_many=too_many[0], rows=joint.rows)
            )
        points = features(joint, standardise=chosen.standardise)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # fewer distinct rows than groups: empty groups are left out
            if method == "average":
                return linked(points, list(groups))
            return [k_means(points, number, self.seed) for number in groups]

    def _with_nulls(
        self, joint: Joint, chosen: ClusterChoices, measured: list[ClusterResult]
    ) -> list[ClusterResult]:
        """With the share of resamples of the original whose U_c is larger, where that is wanted."""
        if not chosen.resamples:
            return measured
        groups, method = [result.groups for result in measured], measured[0].method
        null = []
        for resample in resampled(joint, chosen.resamples, self.seed):
            labels = resample.protected.astype(np.float64)
            found = self._clustered(resample, chosen, method, groups)
            null.append([cluster_distance(one, labels, chosen.weights) for one in found])
        return [
            replace(result, null_share=larger_share([n[i] for n in null], result.value or 0.0))
            for i, result in enumerate(measured)
        ]


def _measured(
    result: ClusterResult, found: Index, joint: Joint, weights: Weights | Sequence[float]
) -> ClusterResult:
    """U_c of one clustering, beside what labels at random would give."""
    labels = joint.protected.astype(np.float64)
    value = cluster_distance(found, labels, weights)
    expected = distance_at_random(found, labels, weights)
    result = replace(
        result,
        value=value,
        expected=expected,
        ratio=value / expected if expected > 0 else None,
        reason=None if expected > 0 else say("ratio: labels at random would give 0"),
    )
    if isinstance(weights, str):
        return result
    sizes = clusters_of(found, labels)
    return replace(
        result,
        clusters=tuple(
            ClusterShare(rows=int(rows), original=float(share), weight=float(weight))
            for rows, share, weight in zip(sizes.rows, sizes.shares, weights, strict=False)
        ),
    )
