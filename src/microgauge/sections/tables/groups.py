"""The k-marginal score within the groups of a variable (NIST)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.engines.rounds import Asking
from microgauge.languages.messages import say
from microgauge.measures.tables.agreement import lost
from microgauge.sections.tables.cells import Tabled
from microgauge.sections.tables.counting import Combination, Counter
from microgauge.study.study import Study


def k_marginal_by(
    study: Study, variables: Sequence[Tabled], chosen: Sequence[Combination], by: str | None
) -> Asking[tuple[float | None, str | None]]:
    """1000 · (1 - mean L1/2) within each group of the original, mean over groups; or why not.

    Tables are those without the group variable. A group that the protected table lacks scores 0.
    """
    if by is None:
        return None, None
    group = next((v for v in variables if v.name == by), None)
    if group is None:
        return None, say('k_marginal: "{by}" is not analysed, or has no value', by=by)
    wanted = [(group, *c) for c in chosen if group not in c]
    if not wanted:
        return None, say('k_marginal: there is no table beside "{by}"', by=by)
    if group.removed:
        return 0.0, None
    if group.recoded:
        return None, say('k_marginal: the groups of "{by}" were merged', by=by)
    counter = Counter(study)
    found = []
    for block in counter.blocks(wanted, parts=False):
        for counted in (yield from counter.block(block, parts=False)):
            here = counted.before[0].reshape(group.pieces + 1, -1).sum(axis=1) > 0
            if counted.after is None:
                found.append(np.zeros(int(here.sum())))
                continue
            cells = [v.cells for v in counted.variables[1:]]
            losses, _ = lost(counted.before[0][here], counted.after[0][here], cells)
            found.append(1.0 - losses)
    return 1000.0 * float(np.mean(found)), None
