"""From a study to the joint rows of both files: the original recoded first, then stacked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.engines import ORIGINAL, PROTECTED
from microgauge.measures.joint.joint import Joint, JointVariable
from microgauge.passes import Axis, Changes
from microgauge.study.common_levels import Placed, comparable, placed_variables
from microgauge.study.study import Study


def stacked(study: Study) -> tuple[Joint, list[str]]:
    """All rows of both files on common levels, and what a reader should know of it."""
    found, unmatched = compared(study)
    names = [both.name for both in found]
    codes = [
        study.rows("original").levels({b.name: b.original_axis(b.name) for b in found}),
        study.rows("protected").levels({b.name: b.protected_axis(b.name) for b in found}),
    ]
    protected = np.repeat([False, True], [len(part) for part in codes])
    variables = tuple(JointVariable(b.name, b.type, b.size, b.numbers) for b in found)
    joint = Joint(variables, np.concatenate(codes), protected)
    return joint, _notes(study, names, unmatched)


def compared(study: Study) -> tuple[list[Placed], list[str]]:
    """Variables on common levels, and the names of those that have none."""
    found = placed_variables(study)
    unmatched = [v.name for v in study.analysed if comparable(v) and v.name not in found]
    return list(found.values()), unmatched


def _notes(study: Study, names: Sequence[str], unmatched: Sequence[str]) -> list[str]:
    notes = []
    recoded = [name for name in names if name in study.recodings]
    if recoded:
        notes.append(
            f"Global measures compare {', '.join(recoded)} after recoding the original alike."
        )
    removed = [v.name for v in study.analysed if v.removed]
    if removed:
        notes.append(f"Global measures leave out what was removed: {', '.join(removed)}.")
    if unmatched:
        notes.append(
            f"Global measures leave out {', '.join(unmatched)}: numbers became categories, and "
            "the recoding is not known."
        )
    if any(engine.weighted for engine in (study.description.original, study.description.protected)):
        notes.append("Global measures compare records and do not use the weights.")
    return notes


def unmasked(study: Study, joint: Joint) -> frozenset[str]:
    """Variables whose values are the same in every row, where rows are known to correspond."""
    rows = study.matching.rows
    if rows is None or study.matching.alignment.how != "row order" or not joint.variables:
        return frozenset()
    both = compared(study)[0]
    axes: dict[str, Axis] = {}
    for b in both:
        axes[ORIGINAL + b.name] = b.original_axis(ORIGINAL + b.name)
        axes[PROTECTED + b.name] = b.protected_axis(PROTECTED + b.name)
    question = Changes(tuple((ORIGINAL + b.name, PROTECTED + b.name) for b in both))
    changed = rows.scan([question], axes)[question]
    return frozenset(b.name for b, count in zip(both, changed[:-1], strict=True) if not count)
