"""From a study to the joint rows of both files: the original recoded first, then stacked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microgauge.engines.local import Local
from microgauge.levels import Index
from microgauge.measures.whole.joint import Joint, JointVariable
from microgauge.passes import Axis, Rows
from microgauge.placing import Placed, placed
from microgauge.study import Study


def stacked(study: Study) -> tuple[Joint, list[str]]:
    """All rows of both files on common levels, and what a reader should know of it."""
    found: list[Placed] = []
    unmatched = []
    for variable in study.analysed:
        if variable.removed or variable.original.empty or variable.protected is None:
            continue
        both = placed(variable, study)
        if both is None:
            unmatched.append(variable.name)
        else:
            found.append(both)
    names = [both.name for both in found]
    codes = [
        _codes(engine, names, axes)
        for engine, axes in (
            (study.description.original, [both.original_axis(both.name) for both in found]),
            (study.description.protected, [both.protected_axis(both.name) for both in found]),
        )
    ]
    protected = np.repeat([False, True], [len(part) for part in codes])
    variables = tuple(JointVariable(b.name, b.type, b.size, b.numbers) for b in found)
    joint = Joint(variables, np.concatenate(codes), protected)
    return joint, _notes(study, names, unmatched)


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
    if any(
        e.weights is not None for e in (study.description.original, study.description.protected)
    ):
        notes.append("Global measures compare records and do not use the weights.")
    return notes


def unmasked(study: Study, joint: Joint) -> frozenset[str]:
    """Variables whose values are the same in every row, where rows are known to correspond."""
    if study.matching.alignment.how != "row order":
        return frozenset()
    before, after = np.split(joint.codes, 2)
    same = (before == after).all(axis=0)
    return frozenset(
        v.name for v, left_alone in zip(joint.variables, same, strict=True) if left_alone
    )


def _codes(engine: Local, names: Sequence[str], axes: Sequence[Axis]) -> Index:
    if not names:
        return np.empty(shape=(engine.rows, 0), dtype=np.intp)
    question = Rows(tuple(names))
    rows = engine.scan([question], dict(zip(names, axes, strict=True)))[question].values
    return np.asarray(rows[:, : len(names)], dtype=np.intp)
