"""Tables of a schema as forms: fields, choices and explanations come from what declares them."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import lru_cache
from types import UnionType
from typing import Any, Literal

from microgauge.app.schemas import (
    Content,
    pairs_in,
    register,
    texts_in,
    value_of,
    values_in,
    written,
)
from microgauge.languages.messages import say
from microgauge.masking.forms import explanations
from microgauge.records import dataclass
from microgauge.schema.analyses import Model
from microgauge.schema.columns import Columns, KnownColumn
from microgauge.schema.entries import COLUMN, Entries
from microgauge.schema.limits import Limits
from microgauge.schema.options import Options
from microgauge.schema.parts import section_parts
from microgauge.schema.reading import Reader, numbered

Shape = Literal["flag", "choice", "line", "lines"]
LONG = ("formula", "where")
"""Entries that are written like code."""


@dataclass(frozen=True)
class Field:
    """An entry as a form shows it."""

    name: str
    shape: Shape
    kinds: tuple[Any, ...]
    """The types that a value may have."""
    choices: tuple[str, ...] = ()
    explanation: str = ""
    default: str = ""
    """What holds where nothing is said, as it would be written; nothing where that is found."""
    columns: bool = False
    """Whether it names columns."""
    code: bool = False
    needed: bool = False


@dataclass(frozen=True)
class Kind:
    """A table of the schema, or a list of them, that has a form."""

    key: str
    """How a file calls it."""
    kind: type[Entries]
    title: str
    about: str
    brief: str
    """What it is about, in a few words."""
    several: bool = False

    def where(self, place: int) -> str:
        """How messages name a table of it."""
        return numbered(self.key, place + 1) if self.several else f"[{self.key}]"

    @property
    def fields(self) -> tuple[Field, ...]:
        """What its form asks for."""
        return _limit_fields() if self.kind is Limits else fields_of_kind(self.kind)


def kinds() -> Mapping[str, Kind]:
    """All that have a form, by their keys: what is analysed, options, and choices of sections."""
    register()
    from microgauge.sections.registry import sections

    said = {section.key or section.name: section for section in sections()}
    found = [Kind("options", Options, say("Options"), _said(Options), _said(Options))]
    for part in section_parts():
        section = said.get(part.key)
        title = section.title if section is not None else say("Ranking")
        about = _said(part.kind)
        brief = section.about if section is not None else about
        found.append(Kind(part.key, part.kind, title, about, brief, part.several))
    found.append(Kind("model", Model, say("Models"), _said(Model), _said(Model), several=True))
    return {one.key: one for one in found}


def _said(kind: type[Entries]) -> str:
    return say(" ".join((kind.__doc__ or "").split()))


def texts() -> Iterator[str]:
    """All that forms say, for catalogues: these texts stand in no call of `say`."""
    for one in kinds().values():
        yield one.about
        yield from (field.explanation for field in one.fields if field.explanation)


# -- what a field is, by its type ------------------------------------------------------------


def fields_of_kind(kind: Any) -> tuple[Field, ...]:
    """The entries of a table that a file can hold."""
    types = typing.get_type_hints(kind, include_extras=True)
    said = explanations(kind)
    found = []
    for one in fields(kind):
        plain = tuple(_alternatives(types[one.name]))
        if any(kind is Any or typing.get_origin(kind) in CALLED for kind in plain):
            continue  # what only Python can say, and tables that the page of files names
        flag = plain == (bool,)
        choices = tuple(c for kind in plain for c in typing.get_args(kind) if _is_literal(kind))
        only = len(plain) == 1
        default = None if one.default is MISSING else one.default
        found.append(
            Field(
                one.name,
                "flag" if flag else "choice" if choices and only else _lines(plain),
                plain,
                choices,
                said.get(one.name, ""),
                "" if default is None else shown(default),
                columns=COLUMN in str(types[one.name]),
                code=one.name in LONG,
            )
        )
    return tuple(found)


CALLED = (Callable, typing.get_origin(Callable[..., Any]))


def _alternatives(kind: Any) -> Iterator[Any]:
    """The types that a value may have, None left out."""
    if typing.get_origin(kind) is typing.Annotated:
        yield from _alternatives(typing.get_args(kind)[0])
    elif typing.get_origin(kind) in (typing.Union, UnionType):
        for one in typing.get_args(kind):
            yield from _alternatives(one)
    elif kind is not type(None):
        yield kind


def _is_literal(kind: Any) -> bool:
    return typing.get_origin(kind) is Literal


def _is_table(kind: Any) -> bool:
    origin = typing.get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _inner(kind: Any) -> Any:
    """What a list is of; None where it is no list."""
    if typing.get_origin(kind) is not tuple:
        return None
    return next(_alternatives(typing.get_args(kind)[0]))


def _lines(plain: Sequence[Any]) -> Shape:
    """Tables, and lists of lists, have a line for each."""
    several = any(_is_table(kind) or _inner(_inner(kind)) for kind in plain)
    return "lines" if several else "line"


@lru_cache
def _limit_fields() -> tuple[Field, ...]:
    """A limit for each figure that may have one."""
    from microgauge.results.figures import FIGURES

    most = say("The most that it may be, such as <=0.05.")
    least = say("The least that it may be, such as >=0.8.")
    return tuple(
        Field(name, "line", (str, float), explanation=most if figure.better == "lower" else least)
        for name, figure in FIGURES.items()
    )


# -- from a form, and into one ---------------------------------------------------------------


def shown(value: Any) -> str:
    """A value as a field shows it.

    >>> shown((1, 2)), shown([["a", "b, c"]]), shown({"a": [1, 2]}), shown(True)
    ('1, 2', 'a, "b, c"', 'a = 1, 2', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "\n".join(f"{name} = {shown(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        if any(isinstance(one, list | tuple) for one in value):
            return "\n".join(shown(one) for one in value)
        return ", ".join(written(one, quoted=True) for one in value)
    return written(value)


def fields_of(entry: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form that shows a table."""
    return {name: shown(value) for name, value in entry.items()}


def entry_from(kind: Kind, given: Mapping[str, str], before: Mapping[str, Any]) -> Content:
    """A table as its form gives it; what is empty is left out, what is unchanged stays."""
    known = {field.name for field in kind.fields}
    entry = {name: value for name, value in before.items() if name not in known}
    for field in kind.fields:
        text = given.get(field.name, "").strip()
        if not text:
            continue
        same = field.name in before and shown(before[field.name]) == text
        entry[field.name] = before[field.name] if same else _value(field, text)
    return entry


def _value(field: Field, text: str) -> Any:
    """What a field says: of the types that it may have, the first that the text looks like."""
    if field.shape == "flag":
        return {"yes": True, "no": False}.get(text, text)
    if text in field.choices or field.kinds == (str,):
        return text
    for kind in field.kinds:
        if _is_table(kind) and "=" in text:
            several = typing.get_origin(typing.get_args(kind)[1]) is tuple
            return _pairs(text) if several else pairs_in(text)
        inner = _inner(kind)
        if inner is not None and not _is_one(field, text):
            return _list(inner, text)
    return value_of(text)


def _is_one(field: Field, text: str) -> bool:
    """Whether a text is a single value of a field that may have a list in its place."""
    single = any(_inner(kind) is None and not _is_table(kind) for kind in field.kinds)
    return single and "," not in text and "\n" not in text


def _list(inner: Any, text: str) -> list[Any]:
    if _inner(inner) is not None:
        return [_list(_inner(inner), line) for line in text.splitlines() if line.strip()]
    return texts_in(text) if inner is str else values_in(text)


def _pairs(text: str) -> dict[str, Any]:
    """Lines of a name and its values."""
    lines = (line.partition("=") for line in text.splitlines() if line.strip())
    return {str(value_of(f'"{old.strip()}"')): values_in(new) for old, _, new in lines}


# -- the schema with a table more, less or changed -------------------------------------------


def tables_of(content: Mapping[str, Any], key: str) -> list[Content]:
    """The tables of a list."""
    return [dict(one) for one in content.get(key, ())]


def with_tables(content: Mapping[str, Any], key: str, tables: Sequence[Content]) -> Content:
    """The same schema with other tables in a list."""
    others = {name: entry for name, entry in content.items() if name != key}
    return {**content, key: list(tables)} if tables else others


def with_table(content: Mapping[str, Any], key: str, entry: Content) -> Content:
    """The same schema with another table; one that says nothing is left out."""
    others = {name: one for name, one in content.items() if name != key}
    return {**content, key: entry} if entry else others


def title_of(kind: Kind, entry: Mapping[str, Any], place: int) -> str:
    """What a table of a list is called: as in results, where it says enough for that."""
    reader = Reader()
    read: Any = kind.kind.read(dict(entry), kind.where(place), reader)
    sound = not reader.faults and not read.faults(kind.where(place))
    called = getattr(read, "title", None) or getattr(read, "formula", None)
    return called if sound and isinstance(called, str) else kind.where(place)


# -- faults ----------------------------------------------------------------------------------


def columns_of(description: Mapping[str, Any]) -> Columns:
    """The columns of the original, as a description says them."""
    return {
        one["name"]: KnownColumn(
            type=one["original"]["type"],
            protected_type=(one["protected"] or one["original"])["type"],
            values=one["original"]["distinct"],
            numeric=one["original"]["numeric"],
            empty=one["original"]["distinct"] == 0,
            role=one["role"],
        )
        for one in description["variables"]
    }


def field_faults(
    kind: Kind, place: int, entry: Mapping[str, Any], columns: Columns | None
) -> dict[str, list[str]]:
    """What is wrong with a table, in the command's own words, by the entry that it is wrong with.

    What is of no single entry stands under "".
    """
    where = kind.where(place)
    found: dict[str, list[str]] = {}
    own = _own_faults(kind, where, entry)
    for fault in own:
        found.setdefault(_named_in(fault, where, kind.fields), []).append(fault)
    for fault in [] if own or columns is None else _column_faults(kind, where, entry, columns):
        found.setdefault(_cause_of(fault, kind, where, entry, columns or {}), []).append(fault)
    return found


def _own_faults(kind: Kind, where: str, entry: Mapping[str, Any]) -> list[str]:
    reader = Reader()
    read = kind.kind.read(dict(entry), where, reader)
    return list(dict.fromkeys([*reader.faults, *([] if reader.faults else read.faults(where))]))


def _column_faults(kind: Kind, where: str, entry: Mapping[str, Any], columns: Columns) -> list[str]:
    read = kind.kind.read(dict(entry), where, Reader())
    return list(dict.fromkeys(read.column_faults(where, columns)))


def _named_in(fault: str, where: str, known: Sequence[Field]) -> str:
    """The entry that a fault speaks of first."""
    words = fault.removeprefix(where).replace(",", " ").replace(":", " ").replace(";", " ").split()
    names = {field.name for field in known}
    return next((name for word in words if (name := word.strip(".'\"()")) in names), "")


def _cause_of(
    fault: str, kind: Kind, where: str, entry: Mapping[str, Any], columns: Columns
) -> str:
    """The entry without which a column would not be at fault; of several, whose value is told."""
    causes = []
    for name in entry:
        rest = {other: value for other, value in entry.items() if other != name}
        if fault not in _column_faults(kind, where, rest, columns):
            causes.append(name)
    told = [name for name in causes if f'"{entry[name]}"' in fault]
    return next(iter((*told, *causes)), "")
