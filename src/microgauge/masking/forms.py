"""The form of a step's parameters: what a recipe may write for each, told from the field's type."""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from types import UnionType
from typing import Any, Literal

from microgauge.masking.methods import method, method_names
from microgauge.masking.step import Step
from microgauge.records import dataclass
from microgauge.schema.checks import is_number, is_too_large, is_whole


@dataclass(frozen=True)
class Form:
    """What a value must be."""

    fits: Callable[[Any], bool]
    said: str
    """What it must be, for messages."""
    names_values: bool = False
    """Whether it is a table, whose names are the user's own."""

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value."""
        if self.fits(value):
            return None
        held = value if isinstance(value, tuple) else (value,)
        return "is too large a number." if any(map(is_too_large, held)) else self.said


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _listed(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(fits(one) for one in value)


_PLAIN: dict[Any, Form] = {
    float: Form(is_number, "must be a number."),
    int: Form(is_whole, "must be a whole number."),
    str: Form(_is_text, "must be a word."),
    bool: Form(lambda value: isinstance(value, bool), "must be true or false."),
}
_LISTS: dict[Any, Form] = {
    float: Form(_listed(is_number), "must be a list of numbers."),
    int: Form(_listed(is_whole), "must be a list of whole numbers."),
    str: Form(_listed(_is_text), "must be a list of texts."),
}
_TABLE = Form(
    lambda value: isinstance(value, Mapping),
    "must be a table of names and values.",
    names_values=True,
)


@lru_cache
def forms(kind: type[Step]) -> Mapping[str, Form]:
    """The parameters of a method, with their forms."""
    types = typing.get_type_hints(kind)
    found = {}
    for field in fields(kind):
        form = _form(types[field.name])
        found[field.name] = Form(form.fits, field.metadata.get("said", form.said), form is _TABLE)
    return found


def tables() -> frozenset[str]:
    """The parameters, of any method, that are tables."""
    every = (forms(method(name)).items() for name in method_names())
    return frozenset(name for known in every for name, form in known if form.names_values)


def _form(kind: Any) -> Form:
    """The form of a type: a number, a word, a list of one of them, or a table."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):  # None is what is not given
        return _form(next(one for one in inner if one is not type(None)))
    if origin is Literal:
        return _PLAIN[str]
    if origin is tuple:
        return _LISTS[inner[0]]
    return _TABLE if origin is not None and issubclass(origin, Mapping) else _PLAIN[kind]
