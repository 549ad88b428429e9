"""The cluster measure: do clusters hold both files' rows in equal shares?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from microgauge.arrays import Index
from microgauge.engines.rounds import Asking, Need
from microgauge.errors import Undefined
from microgauge.log import Log
from microgauge.measures.joint.clusters import (
    MOST_LINKED_UNASKED,
    cluster_distance,
    default_groups,
    features,
    k_means,
    linked,
)
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.propensity import larger_share
from microgauge.results import ClusterResult
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
        self.log.progress("clustering", 0.0)
        joint = sampled(self.joint, chosen.sample, "cluster", self.seed, self.log)
        method = chosen.method
        if method == "auto":
            method = "average" if joint.rows <= MOST_LINKED_UNASKED else "kmeans"
        groups = self._groups(chosen, joint)
        start = [
            ClusterResult(
                method=method,
                groups=number,
                weights=chosen.weights,
                value=None,
                null_share=None,
                rows=joint.rows,
                seed=self.seed,
            )
            for number in groups
        ]
        try:
            check_rows(joint)
            values = self._cluster_values(joint, chosen, method, groups)
        except Undefined as reason:
            return tuple(replace(result, reason=str(reason)) for result in start)
        shares = self._cluster_nulls(joint, chosen, method, groups, values)
        return tuple(
            replace(result, value=value, null_share=share)
            for result, value, share in zip(start, values, shares, strict=True)
        )

    @staticmethod
    def _groups(chosen: ClusterChoices, joint: Joint) -> list[int]:
        if chosen.groups is not None:
            return list(chosen.groups)
        return default_groups(int(joint.protected.sum()), joint.rows)

    def _cluster_values(
        self, joint: Joint, chosen: ClusterChoices, method: str, groups: Sequence[int]
    ) -> list[float]:
        too_many = [number for number in groups if number > joint.rows]
        if too_many:
            raise Undefined(f"{too_many[0]} groups for {joint.rows} rows")
        points = features(joint, standardise=chosen.standardise)
        labels = joint.protected.astype(np.float64)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # fewer distinct rows than groups: empty groups are left out
            if method == "average":
                found: list[Index] = linked(points, list(groups))
            else:
                found = [k_means(points, number, self.seed) for number in groups]
        return [cluster_distance(labelled, labels, chosen.weights) for labelled in found]

    def _cluster_nulls(
        self,
        joint: Joint,
        chosen: ClusterChoices,
        method: str,
        groups: Sequence[int],
        values: Sequence[float],
    ) -> list[float | None]:
        if not chosen.resamples:
            return [None] * len(values)
        null = [
            self._cluster_values(resample, chosen, method, groups)
            for resample in resampled(joint, chosen.resamples, self.seed)
        ]
        return [larger_share([n[i] for n in null], value) for i, value in enumerate(values)]
