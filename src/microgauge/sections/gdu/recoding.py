"""What happened to a variable: its types, missing values and recoding, as results."""

from __future__ import annotations

from typing import Any

from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.gdu.recoding import homogeneity, remaining_comparisons, well_placed
from microgauge.results import RecodingResult, VariableResult
from microgauge.schema import RecodeMeasure
from microgauge.study.recoding import Recoding
from microgauge.study.variable import Described, Side

MOST_ROUNDED = 200
"""Values after rounding up to which the map lists them; beyond, the unit says it."""


def variable_result(variable: Described, recoding: Recoding | None) -> VariableResult:
    """Types, missing values and recoding of one variable."""
    protected = variable.protected
    return VariableResult(
        name=variable.name,
        role=variable.role,
        type=variable.original.type,
        protected_type=None if protected is None else protected.type,
        removed=variable.removed,
        missing_original=variable.original.levels.missing,
        missing_protected=None if protected is None else protected.levels.missing,
        recoding=None if recoding is None else _recoding_result(variable, recoding),
        label=variable.label,
        value_labels=dict(variable.value_labels) or None,
        reason=None if protected is not None else say("the protected table has no such column"),
    )


def _measure_of(variable: Described, recoding: Recoding) -> RecodeMeasure:
    return variable.given.recode_measure or recoding.default_measure


def recoding_utility(variable: Described, recoding: Recoding) -> float:
    """What recoding alone leaves of a variable, by the measure chosen for it."""
    assert variable.protected is not None
    levels = variable.original.levels
    measure = _measure_of(variable, recoding)
    if measure == "pairs":
        return remaining_comparisons(len(levels), len(variable.protected.levels))
    if variable.original.type == "nominal" and not levels.numeric:
        raise Undefined(
            say("{measure} needs numbers, and the original has labels", measure=measure)
        )
    groups = well_placed if measure == "allocation" else homogeneity
    return groups(levels.numbers, levels.sums, recoding.target)


def _recoding_result(variable: Described, recoding: Recoding) -> RecodingResult:
    assert variable.protected is not None
    utility: float | None = None
    reason = None
    try:
        utility = recoding_utility(variable, recoding)
    except Undefined as why:
        reason = str(why)
    return RecodingResult(
        how=recoding.how,
        measure=_measure_of(variable, recoding),
        form=recoding.form,
        utility=utility,
        cost=None if utility is None else 1.0 - utility,
        groups=len(variable.protected.levels),
        unit=recoding.unit,
        map=_map(variable.original, recoding),
        reason=reason,
    )


def _map(original: Side, recoding: Recoding) -> tuple[dict[str, Any], ...]:
    """Where values went: ranges for numbers, lists for categories; unchanged values left out."""
    if recoding.unit is not None and len(recoding.recoded.levels) > MOST_ROUNDED:
        return ()
    sources: dict[int, list[int]] = {}
    for level, target in enumerate(recoding.target.tolist()):
        sources.setdefault(target, []).append(level)
    labels, targets = original.levels.labels, recoding.recoded.levels.labels
    entries = []
    for target, levels in sorted(sources.items()):
        if len(levels) == 1 and labels[levels[0]] == targets[target]:
            continue
        entry: dict[str, Any] = {"to": targets[target]}
        if original.levels.numeric and levels[-1] - levels[0] == len(levels) - 1:
            numbers = original.levels.numbers
            entry |= {"low": float(numbers[levels[0]]), "high": float(numbers[levels[-1]])}
        else:
            entry["from"] = [labels[level] for level in levels]
        entries.append(entry)
    return tuple(entries)
