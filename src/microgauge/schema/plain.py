"""A schema as the content of a file that would give the same one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.schema.entries import Entries
from microgauge.schema.limits import Limits
from microgauge.schema.parts import section_parts
from microgauge.schema.schema import Schema


def schema_content(schema: Schema, without: Mapping[str, tuple[str, ...]] | None = None) -> Any:
    """What a file would have to say, defaults left out: `Schema.from_dict` makes it again.

    `without` names entries of tables that are left out. `Undefined` where the schema holds what no
    file can, a function of Python.
    """
    left_out = without or {}
    found: dict[str, Any] = {"options": _table(schema.options)}
    found["variable"] = {name: _table(given) for name, given in schema.variables.items()}
    found["model"] = [_table(model) for model in schema.models]
    for part in section_parts():
        held = schema.parts[part.name]
        if part.several:
            found[part.key] = [_table(entry) for entry in held]
        else:
            found[part.key] = _table(held, left_out.get(part.key, ()))
    found["level"] = {
        level: {name: "suppress" if one is None else _table(one) for name, one in recodes.items()}
        for level, recodes in schema.levels.items()
    }
    return {name: entry for name, entry in found.items() if entry}


def _table(entry: Entries, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """Entries that differ from what holds without them."""
    if isinstance(entry, Limits):
        return {one.figure: f"{one.operator}{one.limit!r}" for one in entry.limits}
    found = {}
    for one in fields(entry):  # type: ignore[arg-type]  # every table of a schema is a dataclass
        value = getattr(entry, one.name)
        default = one.default_factory() if one.default_factory is not MISSING else one.default
        if one.name not in without and (default is MISSING or value != default):
            found[one.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Entries):
        return _table(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if callable(value):
        raise Undefined(say("the schema holds a function of Python, which no file can hold"))
    return value
