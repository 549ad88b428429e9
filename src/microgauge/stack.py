"""From a study to the joint rows of both files: the original recoded first, then stacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microgauge.describe import Described, Side
from microgauge.engines.local import Local
from microgauge.levels import Floats, Index, common
from microgauge.measures.whole.joint import Joint, JointVariable
from microgauge.passes import Axis, Rows
from microgauge.schema import Type
from microgauge.study import Study

_DEMANDS: tuple[Type, ...] = ("nominal", "ordinal", "continuous")


@dataclass(frozen=True, eq=False)
class _Placed:
    """A variable on common levels, and where each side's own levels stand among them."""

    variable: JointVariable
    original: Side
    protected: Side
    original_places: Index
    protected_places: Index


def stacked(study: Study) -> tuple[Joint, list[str]]:
    """All rows of both files on common levels, and what a reader should know of it."""
    placed: list[_Placed] = []
    unmatched = []
    for variable in study.analysed:
        if variable.removed or variable.original.empty or variable.protected is None:
            continue
        found = _placed(variable, study)
        if found is None:
            unmatched.append(variable.name)
        else:
            placed.append(found)
    names = [p.variable.name for p in placed]
    codes = [
        _codes(engine, names, axes)
        for engine, axes in (
            (study.description.original, [_axis(p, p.original, p.original_places) for p in placed]),
            (
                study.description.protected,
                [_axis(p, p.protected, p.protected_places) for p in placed],
            ),
        )
    ]
    protected = np.repeat([False, True], [len(part) for part in codes])
    joint = Joint(tuple(p.variable for p in placed), np.concatenate(codes), protected)
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


def _placed(variable: Described, study: Study) -> _Placed | None:
    assert variable.protected is not None
    recoding = study.recodings.get(variable.name)
    before = variable.original if recoding is None else recoding.recoded
    after = variable.protected
    kind = min(before.type, after.type, key=_DEMANDS.index)
    if recoding is None and before.type == "continuous" and not after.levels.numeric:
        return None
    if kind == "ordinal":
        places, other_places, size = _common_order(before, after)
        numbers: Floats = np.arange(size, dtype=np.float64)
    else:
        places, other_places, size = common(before.levels.keys, after.levels.keys)
        numbers = np.zeros(size)
        if kind == "continuous":
            numbers[places] = before.levels.numbers
            numbers[other_places] = after.levels.numbers
    joint = JointVariable(variable.name, kind, size, numbers)
    return _Placed(joint, before, after, places, other_places)


def _common_order(before: Side, after: Side) -> tuple[Index, Index, int]:
    """Levels of both sides in one order: numbers by size, labels after those they follow."""
    if before.levels.numeric and after.levels.numeric:
        return common(before.levels.keys, after.levels.keys)
    order = list(before.levels.labels)
    known = set(order)
    last = -1
    for label in after.levels.labels:
        if label in known:
            last = order.index(label)
        else:
            last += 1
            order.insert(last, label)
    place = {label: i for i, label in enumerate(order)}
    found = [
        np.array([place[label] for label in side.levels.labels], dtype=np.intp)
        for side in (before, after)
    ]
    return found[0], found[1], len(order)


def _axis(placed: _Placed, side: Side, places: Index) -> Axis:
    lookup = np.append(places, placed.variable.size)[side.lookup]
    return Axis(placed.variable.name, lookup, placed.variable.size)


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
