"""A schema whose entries are of the wrong type may lead anywhere: its faults are what is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from microgauge.errors import InputError, MicrogaugeError
from microgauge.schema import Schema

SchemaSource = Schema | Mapping[str, Any] | str | Path | None

P = ParamSpec("P")
T = TypeVar("T")


def read_schema(source: SchemaSource) -> Schema:
    """What may be said in place of a schema, as one."""
    if source is None:
        return Schema()
    if isinstance(source, str | Path):
        return Schema.load(source)
    return Schema.from_dict(source) if isinstance(source, Mapping) else source


def faults_first(work: Callable[P, T]) -> Callable[P, T]:
    """A command that never fails by what its schema says: all faults of it are told instead."""

    @wraps(work)
    def checked(*given: P.args, **named: P.kwargs) -> T:
        try:
            return work(*given, **named)
        except (MicrogaugeError, MemoryError, OSError):
            raise
        except Exception:
            schema: Any = named.get("schema")
            faults = read_schema(schema).faults()
            if faults:
                raise InputError(*dict.fromkeys(faults)) from None
            raise

    return checked
