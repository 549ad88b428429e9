"""Frozen dataclasses that are made in a third of the time.

The package has hundreds of records, and a run loads most of them. The standard library writes and
compiles six functions for each; here only `__init__` is written, and the others are shared.
Everything else is as there: fields, defaults, `replace`, comparing, hashing, pickling, inheriting.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, kw_only=False, **others):
        """The standard library's, quicker for frozen classes that inherit no fields."""

        def made(cls):
            inherits = any("__dataclass_fields__" in base.__dict__ for base in cls.__mro__[1:])
            if not frozen or inherits or others or "__init__" in cls.__dict__:
                choices = {"frozen": frozen, "eq": eq, "kw_only": kw_only, **others}
                return dataclasses.dataclass(**choices)(cls)
            bare = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)
            return _frozen(bare(cls), eq=eq)

        return made if cls is None else made(cls)


def _frozen(cls: type, *, eq: bool) -> type:
    """A class whose fields are known, with what a frozen dataclass has."""
    fields = dataclasses.fields(cls)
    own = cls.__dict__
    methods: dict[str, Any] = {
        "__init__": _init(cls, fields),
        "__setattr__": _refuse_to_set,
        "__delattr__": _refuse_to_delete,
    }
    if "__repr__" not in own:
        methods["__repr__"] = _repr([field.name for field in fields if field.repr])
    if eq and "__eq__" not in own:
        methods["__eq__"] = _equal(_values([field for field in fields if field.compare]))
    if eq and own.get("__hash__") is None:
        hashed = [
            field for field in fields if (field.compare if field.hash is None else field.hash)
        ]
        methods["__hash__"] = _hash(_values(hashed))
    for name, method in methods.items():
        setattr(cls, name, method)
    cls.__dataclass_params__.frozen = True  # type: ignore[attr-defined]
    return cls


class _Unsaid:
    """What stands in a signature for a value that is made anew for each record."""

    def __repr__(self) -> str:
        return "<factory>"


_UNSAID = _Unsaid()


def _init(cls: type, fields: tuple[Field[Any], ...]) -> Any:
    """The only function that is written: it names the fields.

    Its own names begin with two underscores, which no field can.
    """
    known: dict[str, Any] = {"__unsaid": _UNSAID}
    given: list[str] = []
    by_name: list[str] = []
    lines = ["__record = self.__dict__"]
    for field in fields:
        name = field.name
        makes = field.default_factory is not MISSING
        known[f"__unsaid_{name}"] = field.default_factory if makes else field.default
        value = name if field.init else f"__unsaid_{name}"
        if makes:
            made = f"__unsaid_{name}()"
            value = f"{made} if {name} is __unsaid else {name}" if field.init else made
        if field.init:
            default = "__unsaid" if makes else f"__unsaid_{name}"
            required = not makes and field.default is MISSING
            (by_name if field.kw_only else given).append(name if required else f"{name}={default}")
        if field.init or makes or field.default is not MISSING:
            lines.append(f"__record[{name!r}] = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    told = ", ".join(["self", *given, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({told}):\n  " + "\n  ".join(lines), known)  # noqa: S102  names of fields only
    written = known["__init__"]
    written.__qualname__ = f"{cls.__qualname__}.__init__"
    written.__module__ = cls.__module__
    written.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return written


def _values(fields: list[Field[Any]]) -> Callable[[Any], object]:
    """What gives the values of some fields as a tuple."""
    names = [field.name for field in fields]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _equal(values: Callable[[Any], object]) -> Any:
    def equal(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return equal


def _hash(values: Callable[[Any], object]) -> Any:
    def hashed(self: Any) -> int:
        return hash(values(self))

    return hashed


def _repr(names: list[str]) -> Any:
    def shown(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return shown


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
