"""Limits in a test: fails, with a line for each limit, where a protected file misses one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from microgauge.commands.faults_first import SchemaSource
    from microgauge.results import Assessment

__all__ = ["require"]


def require(
    original: Any,
    protected: Any,
    limits: str | Mapping[str, Any] | None = None,
    *,
    schema: SchemaSource = None,
    **choices: Any,
) -> Assessment:
    """Measure a protected table; `AssertionError` where it misses a limit, else the result.

    `limits` are as in `--require`: "risk<=0.05, gdu>=0.8"; None: those of the schema's [require].
    Only what the limits need is measured, unless `only` says otherwise; `choices` are those of
    `microgauge.assess`. A limit on a figure that there is not is an `InputError`.
    """
    __tracebackhide__ = True
    from microgauge.commands.assess import assess, chosen_schema
    from microgauge.errors import InputError
    from microgauge.results.gate import gate_of
    from microgauge.sections.registry import choosable
    from microgauge.sections.requirements.holding import (
        limit_faults,
        limited,
        limits_of,
        needed_by_limits,
    )

    tables = {n: choices.pop(n, None) for n in ("external", "population", "holdout")}
    roles = {n: choices.pop(n, None) for n in ("keys", "sensitive", "weight")}
    chosen = chosen_schema(schema, choices.pop("key", None), roles, **tables)
    chosen = limited(chosen, require=limits)
    if not limits_of(chosen) and not chosen.faults():
        raise InputError('there is no limit: say "risk<=0.05, gdu>=0.8", or give a [require].')
    needed = needed_by_limits(chosen)
    if needed and not limit_faults(chosen, choosable()):  # else `assess` tells all faults
        choices.setdefault("only", sorted(needed))
    result = assess(original, protected, schema=chosen, **choices)
    gate = gate_of(result)
    if not gate.passed:
        raise AssertionError("\n".join(["the protected table misses a limit:", *gate.lines]))
    return result
