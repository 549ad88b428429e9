"""Writes what a TOML file would hold: values, and the tables of a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, time
from math import isfinite
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")
NAMED = ("variable", "level")
"""Tables whose entries are tables with names of the user's own."""


def schema_toml(content: Mapping[str, Any]) -> str:
    """The text of a schema's file: `tomllib` makes the same content of it.

    >>> print(schema_toml({"options": {"seed": 2}, "variable": {"a b": {"type": "nominal"}}}))
    [options]
    seed = 2
    <BLANKLINE>
    [variable."a b"]
    type = "nominal"
    <BLANKLINE>
    """
    blocks = []
    for name, entry in content.items():
        if isinstance(entry, Mapping) and name in NAMED:
            blocks += [_table(f"[{_key(name)}.{_key(n)}]", inner) for n, inner in entry.items()]
        elif isinstance(entry, list) and all(isinstance(one, Mapping) for one in entry):
            blocks += [_table(f"[[{_key(name)}]]", one) for one in entry]
        elif isinstance(entry, Mapping):
            blocks.append(_table(f"[{_key(name)}]", entry))
        else:  # an entry of no table must stand above all tables
            blocks.insert(0, f"{_key(name)} = {toml_value(entry)}\n")
    return "\n".join(blocks)


def _table(head: str, entries: Any) -> str:
    if not isinstance(entries, Mapping):
        return f"{head[1:-1]} = {toml_value(entries)}\n"
    lines = [f"{_key(name)} = {toml_value(value)}" for name, value in entries.items()]
    return "\n".join([head, *lines]) + "\n"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else toml_value(name)


def toml_value(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        inner = (f"{toml_value(str(k))} = {toml_value(v)}" for k, v in value.items())
        return f"{{ {', '.join(inner)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(one) for one in value)}]"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    # JSON's numbers, truth values and escapes are TOML's too, but for surrogates and DEL.
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")
