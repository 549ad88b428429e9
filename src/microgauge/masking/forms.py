"""The form of a step's parameters: what a recipe may write for each, told from the field's type."""

from __future__ import annotations

import ast
import inspect
import textwrap
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, fields
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from types import UnionType
from typing import Any, Literal

from microgauge.languages.messages import say
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
        return say("is too large a number.") if any(map(is_too_large, held)) else self.said


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _listed(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(fits(one) for one in value)


_PLAIN: dict[Any, Form] = {
    float: Form(is_number, say("must be a number.")),
    int: Form(is_whole, say("must be a whole number.")),
    str: Form(_is_text, say("must be a word.")),
    bool: Form(lambda value: isinstance(value, bool), say("must be true or false.")),
}
_LISTS: dict[Any, Form] = {
    float: Form(_listed(is_number), say("must be a list of numbers.")),
    int: Form(_listed(is_whole), say("must be a list of whole numbers.")),
    str: Form(_listed(_is_text), say("must be a list of texts.")),
}
_TABLE = Form(
    lambda value: isinstance(value, Mapping),
    say("must be a table of names and values."),
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


# -- for people ------------------------------------------------------------------------------

Shape = Literal["number", "whole", "word", "choice", "flag", "numbers", "wholes", "texts", "table"]
_SHAPES: dict[Any, Shape] = {float: "number", int: "whole", str: "word", bool: "flag"}
_SHAPES_OF_LISTS: dict[Any, Shape] = {float: "numbers", int: "wholes", str: "texts"}


@dataclass(frozen=True)
class Parameter:
    """A parameter as a form shows it: all from the definition of its method."""

    name: str
    shape: Shape
    choices: tuple[tuple[str, str], ...]
    """Of a choice, the words there are, each with what it means."""
    explanation: str
    hint: str
    """How it is filled in, by values that may be meant."""
    default: Any
    """What holds where nothing is said; None where something must be."""


@lru_cache
def parameters(kind: type[Step]) -> tuple[Parameter, ...]:
    """The parameters of a method beside its variables."""
    types = typing.get_type_hints(kind)
    said = explanations(kind)
    found = []
    for one in fields(kind):
        if one.name == "variables":
            continue
        shape, words = _shape(types[one.name])
        meanings = one.metadata.get("meanings", {})
        default = one.default if isinstance(one.default, bool | int | float | str) else None
        if default in (0.0, -1.0) and not isinstance(default, bool):
            default = None  # stands for: must be given
        choices = tuple((word, meanings.get(word, word)) for word in words)
        hint = _hint(shape, one, default)
        found.append(Parameter(one.name, shape, choices, said.get(one.name, ""), hint, default))
    return tuple(found)


def _hint(shape: Shape, one: Field[Any], default: Any) -> str:
    """How a parameter is filled in, by what its method declares, or else by its form."""
    if shape in ("number", "whole"):
        low, high, by = one.metadata.get("tried", _tried(shape, default))
        second = Decimal(str(low)) + Decimal(str(by))
        return say(
            "Several values are explored: {low}, {second} or {low} to {high} by {by}",
            low=str(low),
            second=str(second),
            high=str(high),
            by=str(by),
        )
    if shape in ("numbers", "wholes", "texts"):
        return say(
            "With commas between: {values}. Several lists with semicolons are explored.",
            values=one.metadata.get("values", "a, b, c" if shape == "texts" else "1, 2, 3"),
        )
    if shape == "choice":
        return say("If several are ticked, each is explored; if none is, the default holds.")
    plain = say("A line each: old = new") if shape == "table" else ""
    return str(one.metadata.get("lines", plain))


def _tried(shape: Shape, default: Any) -> tuple[float, float, float]:
    """The least, the most and the step of values that may be meant: shares, or whole numbers."""
    if shape == "number":
        return 0.1, 0.5, 0.1
    least = default or 1
    return least, least + 6, 2


def _shape(kind: Any) -> tuple[Shape, tuple[str, ...]]:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        return _shape(next(one for one in inner if one is not type(None)))
    if origin is Literal:
        return "choice", tuple(inner)
    if origin is tuple:
        return _SHAPES_OF_LISTS[inner[0]], ()
    if origin is not None and issubclass(origin, Mapping):
        return "table", ()
    return _SHAPES[kind], ()


def about(kind: type[Step]) -> str:
    """What a method does, as its class says it."""
    return say(" ".join((kind.__doc__ or "").split()))


def texts(kind: type[Step]) -> Iterator[str]:
    """All that forms say of a method, for catalogues: these texts stand in no call of `say`."""
    yield from (kind.method, about(kind))
    for one in parameters(kind):
        yield from (one.name, one.explanation)


@lru_cache
def explanations(kind: type[Step]) -> Mapping[str, str]:
    """What the class says below each of its fields."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, SyntaxError, TypeError):
        return {}
    (body,) = [node.body for node in tree.body if isinstance(node, ast.ClassDef)]
    found = {}
    for field, below in pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            found[field.target.id] = say(" ".join(str(below.value.value).split()))
    return found
