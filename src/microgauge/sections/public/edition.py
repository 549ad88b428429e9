"""From results to what data users may see of them: all versions of a file at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from microgauge.results import (
    Assessment,
    Details,
    InputTable,
    RecodingResult,
    VariableDetail,
    VariableResult,
)
from microgauge.sections.public.distributions import Shown, shown
from microgauge.sections.public.indicators import told_indicators
from microgauge.sections.public.rounding import about, to_step
from microgauge.sections.public.told import Told
from microgauge.sections.registry import sections


def for_users(results: Sequence[Assessment], threshold: int) -> list[Assessment]:
    """The same results without what may not be told, where all of them are published together."""
    return [
        _assessment(result, told)
        for result, told in zip(results, _told(results, threshold), strict=True)
    ]


def _told(results: Sequence[Assessment], threshold: int) -> list[Told]:
    """What may be told of each."""
    found = _distributions(results, threshold)
    told = [
        Told(
            threshold=threshold,
            rows=result.inputs.original.rows,
            details={name: one.details[place] for name, one in found.items()},
            whole=frozenset(name for name, one in found.items() if one.whole),
            smallest={name: one.smallest for name, one in found.items()},
        )
        for place, result in enumerate(results)
    ]
    indicators = told_indicators(
        [result.indicators or () for result in results], [one.labels for one in told], threshold
    )
    return [replace(one, indicators=indicators) for one in told]


def _distributions(results: Sequence[Assessment], threshold: int) -> dict[str, Shown]:
    """Of each variable, over all versions."""
    held = [_details(result) for result in results]
    names = dict.fromkeys(name for one in held for name in one)
    return {name: shown(name, [one.get(name) for one in held], threshold) for name in names}


def _details(result: Assessment) -> dict[str, VariableDetail]:
    return {} if result.details is None else {d.name: d for d in result.details.variables}


def _assessment(result: Assessment, told: Told) -> Assessment:
    """With the sections that data users may see, each as they may see it."""
    parts = {
        section.name: section.for_users(result, told)
        for section in sections()
        if section.public and section.name in result.sections
    }
    inputs = result.inputs
    return Assessment(
        microgauge=result.microgauge,
        schema_version=result.schema_version,
        inputs=replace(
            inputs,
            original=_size(inputs.original, about(inputs.original.rows, told.threshold)),
            protected=_size(inputs.protected, inputs.protected.rows),
            alignment=replace(inputs.alignment, reason="", dropped=None, added=None),
            seed=0,
        ),
        variables=tuple(_fact(fact, told) for fact in result.variables),
        sections={name: part for name, part in parts.items() if part is not None},
        presenter=result.presenter,
    )


def _size(table: InputTable, rows: int) -> InputTable:
    return InputTable(path="", rows=rows, columns=table.columns)


def _fact(fact: VariableResult, told: Told) -> VariableResult:
    """What is said of a variable's values: as the protected file shows them."""
    named = told.labels.get(fact.name, frozenset())
    known = {label: said for label, said in (fact.value_labels or {}).items() if label in named}
    recoding = fact.recoding
    return replace(
        fact,
        missing_original=0,
        recoding=None if recoding is None else _recoding(recoding, fact.name, told),
        value_labels=known or None,
        reason=None,
    )


def _recoding(recoding: RecodingResult, name: str, told: Told) -> RecodingResult:
    kept = recoding.utility if told.has(name) else None
    return replace(
        recoding,
        map=(),
        cost=None,
        utility=None if kept is None else to_step(kept, told.step),
        reason=None,
    )


def details_for_users(told: Told) -> Details:
    """Distributions, and no table of a pair."""
    return Details(variables=tuple(told.details.values()), axes=(), pairs=(), left_out=0)
