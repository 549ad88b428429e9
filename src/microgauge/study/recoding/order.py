"""The order of merged categories that their labels do not tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microgauge.arrays import Index
from microgauge.study.recoding.recoding import Recoding
from microgauge.study.variable import Described, Side
from microgauge.values.intervals import parse_intervals
from microgauge.values.labels import label_of


def ordered_by_recoding(
    variable: Described, recoding: Recoding | None
) -> tuple[Described, Recoding | None]:
    """Settle the order of a protected ordinal variable whose labels do not tell it.

    Merged categories stand in the order of the original ones they hold, if those do not overlap;
    otherwise the protected variable is nominal.
    """
    protected = variable.protected
    if protected is None or protected.type != "ordinal" or _order_known(variable):
        return variable, recoding
    place = {} if recoding is None else _places(recoding)
    if recoding is None or not set(protected.levels.labels) <= set(place):
        return replace(variable, protected=replace(protected, type="nominal")), (
            recoding and replace(recoding, recoded=replace(recoding.recoded, type="nominal"))
        )
    recoded, move = _reordered(recoding.recoded, place)
    recoding = replace(recoding, target=move[recoding.target], recoded=recoded)
    return replace(variable, protected=_reordered(protected, place)[0]), recoding


def _places(recoding: Recoding) -> dict[str, int]:
    """Recoded labels in the order of the original levels; none where their levels overlap."""
    starts = np.flatnonzero(np.diff(recoding.target, prepend=-1))
    runs = recoding.target[starts]
    if len(set(runs.tolist())) < len(runs):
        return {}
    labels = recoding.recoded.levels.labels
    return {labels[level]: place for place, level in enumerate(runs)}


def _order_known(variable: Described) -> bool:
    assert variable.protected is not None
    levels = variable.protected.levels
    if levels.numeric or parse_intervals(levels.labels) or variable.given.protected_type:
        return True
    known: set[str] = set(variable.original.levels.labels)
    known |= {label_of(value) for value in variable.given.order or ()}
    return set(levels.labels) <= known


def _reordered(side: Side, place: dict[str, int]) -> tuple[Side, Index]:
    """The side with its levels in the given order, and where each old level went."""
    labels = side.levels.labels
    ranked = sorted(range(len(labels)), key=lambda i: place[labels[i]])
    move = np.empty(len(labels), dtype=np.intp)
    move[ranked] = np.arange(len(labels))
    levels = side.levels.regrouped(move, tuple(labels[i] for i in ranked))
    lookup = np.append(move, len(labels))[side.lookup]
    return replace(side, levels=levels, lookup=lookup, intervals=None), move
