"""Single entries of a schema, as a command line says them: TABLE.NAME=VALUE."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import fields
from typing import Any

from microgauge.errors import InputError
from microgauge.languages.messages import say, strung
from microgauge.schema.variables import Variable

_QUOTED = r'"(?:[^"\\]|\\.)*"' + r"|'[^']*'"
_SETTING = re.compile(rf"(?P<place>(?:{_QUOTED}|[^=\"'])+)=(?P<value>.*)", re.DOTALL)
_PART = re.compile(rf"(?P<quoted>{_QUOTED})|(?P<bare>[^.\"']+)")
_PLACE = re.compile(rf"(?:{_QUOTED}|[^.\"']+)(?:\.(?:{_QUOTED}|[^.\"']+))*")
_TABLES_WITHIN = ("recode", "labels")
"""Entries of a variable that are tables themselves."""


def set_entries(content: Mapping[str, Any], settings: Iterable[str]) -> dict[str, Any]:
    """What a schema file holds with entries changed, or added; every fault at once."""
    found = deepcopy(dict(content))
    faults = [fault for setting in settings if (fault := _set(found, setting)) is not None]
    if faults:
        raise InputError(*faults)
    return found


def _set(content: dict[str, Any], setting: str) -> str | None:
    """Change one entry; what is wrong where that cannot be."""
    read = _SETTING.fullmatch(setting)
    path = None if read is None else place_of(read["place"])
    if read is None or path is None or len(path) < 2:
        return say('--set "{setting}" must be TABLE.NAME=VALUE.', setting=setting)
    if path[0] == "variable" and len(path) < 3:
        return say('--set "{setting}" must be variable.NAME.ENTRY=VALUE.', setting=setting)
    table = content
    for place, name in enumerate(path[:-1], start=1):
        inner = table.setdefault(name, {})
        if isinstance(inner, list) and place == 1:
            return say("--set cannot change [[{name}]], of which there may be several.", name=name)
        if not isinstance(inner, dict):
            return say(
                '--set "{setting}": {path} is no table.',
                setting=setting,
                path=strung(path[:place], "."),
            )
        table = inner
    table[path[-1]] = _value(read["value"])
    return None


def place_of(text: str) -> list[str] | None:
    """The names of an entry's place; None where it is none. Quotes may hold dots and blanks.

    Shells take quotes away, so a variable's name may hold dots without: its entry comes last.

    >>> place_of('variable."a b.c".type'), place_of("variable.a b.c.type")
    (['variable', 'a b.c', 'type'], ['variable', 'a b.c', 'type'])
    >>> place_of("variable.age.recode.top"), place_of("risk..l")
    (['variable', 'age', 'recode', 'top'], None)
    """
    text = text.strip()
    if not _PLACE.fullmatch(text):
        return None
    parts = []
    for found in _PART.finditer(text):
        quoted = found["quoted"]
        try:
            parts.append(tomllib.loads(f"x = {quoted}")["x"] if quoted else found["bare"].strip())
        except tomllib.TOMLDecodeError:
            return None
    if not all(parts):
        return None
    return _of_variable(parts) if parts[0] == "variable" and len(parts) > 3 else parts


def _of_variable(parts: list[str]) -> list[str]:
    """With the dots of a variable's name back in it: all up to the entry is the name."""
    known = {field.name for field in fields(Variable)}
    if parts[-2] in _TABLES_WITHIN:
        last = 2
    elif parts[-1] in known:
        last = 1
    else:
        return parts
    return [parts[0], ".".join(parts[1:-last]), *parts[-last:]]


def _value(text: str) -> Any:
    """A value as TOML writes it; a plain word needs no quotes on a command line."""
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # no TOML, a number of thousands of digits, nested
        return text.strip()
    return read["value"] if len(read) == 1 else text.strip()
