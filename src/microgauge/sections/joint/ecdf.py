"""The distribution function measures: how far apart are the joint distributions?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from microgauge.arrays import Index
from microgauge.engines.rounds import Asking, Need
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.joint.ecdf import Distance, distribution_distance
from microgauge.measures.joint.joint import Joint
from microgauge.measures.joint.propensity import larger_share
from microgauge.results import EcdfResult
from microgauge.sections.joint.choices import EcdfChoices
from microgauge.sections.joint.rows import JOINT, check_rows, resampled
from microgauge.study.study import Study


def run(study: Study, log: Log) -> Asking[EcdfResult]:
    """U_m and U_s."""
    joint = yield Need(JOINT)
    return EcdfMeasure(joint, study.options.seed, log).result(study.schema.of(EcdfChoices))


@dataclass
class EcdfMeasure:
    """Works out the distribution function measures of the joint rows of two files."""

    joint: Joint
    seed: int
    log: Log = field(default_factory=Log)

    def result(self, chosen: EcdfChoices) -> EcdfResult:
        """U_m and U_s, at every row or at a sample of rows."""
        self.log.progress(say("comparing distribution functions"), 0.0)
        joint = self.joint
        exact = joint.rows <= chosen.exact_limit
        rng = np.random.default_rng([self.seed, 3])
        points = np.arange(joint.rows)
        if not exact:
            points = np.sort(rng.choice(joint.rows, min(chosen.points, joint.rows), replace=False))
            self.log.note(
                "ecdf-sampled",
                say(
                    "Distribution functions are compared at a sample of {n:,} of "
                    "{rows:,} rows (seed {seed}); U_m is then a lower bound.",
                    n=len(points),
                    rows=joint.rows,
                    seed=self.seed,
                ),
            )
        start = EcdfResult(
            maximum=None,
            mean_square=None,
            exact=exact,
            points=len(points),
            null_share_maximum=None,
            null_share_mean_square=None,
            seed=self.seed,
            resamples=chosen.resamples,
        )
        try:
            check_rows(joint)
        except Undefined as reason:
            return replace(start, reason=str(reason))
        found = distribution_distance(joint, points)
        result = replace(start, maximum=found.maximum, mean_square=found.mean_square)
        return self._with_nulls(result, joint, chosen, found, points)

    def _with_nulls(
        self, result: EcdfResult, joint: Joint, chosen: EcdfChoices, found: Distance, points: Index
    ) -> EcdfResult:
        if not chosen.resamples:
            return result
        null = [
            distribution_distance(r, points) for r in resampled(joint, chosen.resamples, self.seed)
        ]
        return replace(
            result,
            null_share_maximum=larger_share([n.maximum for n in null], found.maximum),
            null_share_mean_square=larger_share([n.mean_square for n in null], found.mean_square),
        )
