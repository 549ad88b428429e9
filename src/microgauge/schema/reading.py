"""Reads what a TOML file or a dict holds, and keeps what does not fit as faults."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from math import log2
from pathlib import Path
from typing import Any

from microgauge.errors import InputError, first_line, hint, listing, read_once, said_by_system
from microgauge.languages.messages import say

BOM = "\ufeff"
"""What some editors begin a text with to say that it is in UTF-8: no part of it."""
DEEPEST = 50
"""How often one thing may stand in another: beyond, nothing has a meaning."""
MOST_DIGITS = 4_000
MOST_BITS = int(MOST_DIGITS * log2(10)) + 1
"""Of a whole number: Python writes none of more than 4,300 digits."""


def read_toml(path: str | Path, what: str = say("schema file")) -> dict[str, Any]:
    """The content of a TOML file, or an `InputError` that says what is wrong with it."""
    path = Path(path)
    try:
        if not (path.is_file() or path.is_dir()) and path.exists():
            raise InputError(read_once(say("the {what} {path}", what=what, path=path)))
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(say("there is no {what} {path}.", what=what, path=path)) from None
    except OSError as error:
        raise InputError(
            say(
                "the {what} {path} cannot be read: {said_by_system}.",
                what=what,
                path=path,
                said_by_system=said_by_system(error),
            )
        ) from None
    except ValueError as error:
        raise InputError(
            say(
                "the {what} {path} cannot be read: {first_line}.",
                what=what,
                path=path,
                first_line=first_line(error),
            )
        ) from None
    return toml_content(text, say("the {what} {path}", what=what, path=path))


def toml_content(text: str, named: str) -> dict[str, Any]:
    """What a TOML text holds, or an `InputError` that says what is wrong with it."""
    try:
        content = tomllib.loads(text.removeprefix(BOM))
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            say("{named} is not valid TOML: {error}.", named=named, error=error)
        ) from None
    except RecursionError:
        raise InputError(
            say("{named} cannot be read: it is nested too deeply.", named=named)
        ) from None
    except ValueError as error:
        raise InputError(
            say("{named} cannot be read: {first_line}.", named=named, first_line=first_line(error))
        ) from None
    long = [name for name, value in content.items() if has_long(value)]
    if long:
        raise InputError(
            say(
                "{named} holds a number of more than {digits:,} digits: {long}.",
                named=named,
                digits=MOST_DIGITS,
                long=listing(long),
            )
        )
    deep = [name for name, value in content.items() if is_deep(value)]
    if deep:
        raise InputError(
            say("{named} is nested too deeply: {deep}.", named=named, deep=listing(deep))
        )
    return content


def is_deep(value: Any) -> bool:
    """Whether tables or lists stand in others too often.

    >>> is_deep({"a": [{"b": 1}]})
    False
    """
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level for inner in _inside(one)]
    return bool(level)


def has_long(value: Any) -> bool:
    """Whether there is a number that Python does not write; in hexadecimal it reads any.

    >>> has_long({"a": [1 << 99_999]}), has_long({"a": [1 << 99]})
    (True, False)
    """
    level = [value]
    while level:
        if any(isinstance(one, int) and one.bit_length() > MOST_BITS for one in level):
            return True
        level = [inner for one in level for inner in _inside(one)]
    return False


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def numbered(name: str, place: int) -> str:
    """How messages name a table of a list.

    >>> numbered("indicator", 2)
    '[[indicator]] number 2'
    """
    return say("[[{name}]] number {place}", name=name, place=place)


class Reader:
    """Takes plain content apart and notes what does not fit instead of stopping at it."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def check_names(self, content: Mapping[str, Any], known: Iterable[str]) -> None:
        """A fault for each table of the schema that has no meaning."""
        known = tuple(known)
        for name in content:
            if name not in known:
                self.faults.append(
                    say(
                        'the schema has an unknown section "{name}".{hint}',
                        name=name,
                        hint=hint(name, known),
                    )
                )

    def known_fields(self, entry: Any, kind: type[Any], where: str) -> dict[str, Any]:
        """The entries of a table that a class has fields for; a fault for each other one."""
        names = {f.name for f in fields(kind)}
        values = dict(self.table(entry, where))
        for name in [name for name in values if name not in names]:
            self.faults.append(
                say(
                    '{where} has an unknown entry "{name}".{hint}',
                    where=where,
                    name=name,
                    hint=hint(name, names),
                )
            )
            del values[name]
        return values

    def table(self, entry: Any, where: str) -> Mapping[str, Any]:
        """A table; an empty one where it is none."""
        if isinstance(entry, Mapping):
            return entry
        self.faults.append(
            say("{where} must be a table, found {name}.", where=where, name=type(entry).__name__)
        )
        return {}

    def sequence(self, entry: Any, where: str) -> tuple[Any, ...]:
        """A list; an empty one where it is none."""
        if isinstance(entry, list | tuple):
            return tuple(entry)
        self.faults.append(
            say("{where} must be a list, found {name}.", where=where, name=type(entry).__name__)
        )
        return ()

    def numbered(self, content: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
        """The tables of a list such as [[model]], and how messages name each."""
        entries = self.sequence(content.get(name, []), f"[[{name}]]")
        return [(numbered(name, place), e) for place, e in enumerate(entries, start=1)]

    def one_or_more(self, entry: Any, where: str) -> tuple[Any, ...]:
        """A list; a single name or number stands for a list of itself."""
        return (entry,) if isinstance(entry, int | str) else self.sequence(entry, where)
