"""The rows of both files, one below the other, which all measures of this folder share."""

from __future__ import annotations

import numpy as np

from microgauge.engines.rounds import Asking
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.joint.joint import Joint
from microgauge.sections.section import Shared
from microgauge.study.joint_rows import joint_rows
from microgauge.study.study import Study


def _ordered(study: Study, log: Log) -> Asking[Joint]:
    """In an order that depends on values only: what is drawn from them then does so too."""
    joint = yield from joint_rows(study, log)
    return joint.ordered()


JOINT = Shared(say("joint rows"), _ordered)
"""The joint rows of a study, made once."""


def check_rows(joint: Joint) -> None:
    """`Undefined` where there is nothing to compare."""
    if not joint.variables:
        raise Undefined(say("no variable is left to compare"))
    if joint.rows < 4 or joint.protected.all() or not joint.protected.any():
        raise Undefined(say("too few rows"))


def sampled(joint: Joint, limit: int, what: str, seed: int, log: Log) -> Joint:
    """At most so many rows, the same share of each file, drawn by the seed."""
    if joint.rows <= limit:
        return joint
    rng = np.random.default_rng(seed)
    share = limit / joint.rows
    rows = [
        np.sort(rng.choice(side, max(int(len(side) * share), 1), replace=False))
        for side in (np.flatnonzero(~joint.protected), np.flatnonzero(joint.protected))
    ]
    chosen = np.concatenate(rows)
    log.note(
        f"{what.replace(' ', '-')}-sampled",
        say(
            "The {what} measure uses a sample of {n:,} of {rows:,} rows (seed {seed}).",
            what=what,
            n=len(chosen),
            rows=joint.rows,
            seed=seed,
        ),
    )
    return joint.taken(chosen, joint.protected[chosen])


def resampled(joint: Joint, resamples: int, seed: int) -> list[Joint]:
    """The original against resamples of it, of the protected file's size."""
    rng = np.random.default_rng([seed, 2])
    original = np.flatnonzero(~joint.protected)
    count = int(joint.protected.sum())
    labels = np.repeat([False, True], [len(original), count])
    return [
        joint.taken(np.concatenate([original, rng.choice(original, count)]), labels)
        for _ in range(resamples)
    ]
