"""The input formats there are: each a file with one object.

To add one: a file, and its object in the list below. All that reads tables or says which formats
there are finds it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from microgauge.tables.formats.arrow import Arrow
from microgauge.tables.formats.delimited import Delimited
from microgauge.tables.formats.format import Format
from microgauge.tables.formats.labelled import Labelled
from microgauge.tables.formats.parquet import Parquet
from microgauge.tables.formats.workbook import Workbook

__all__ = ["Format", "format_names", "format_of", "formats", "register", "registered"]

_TEXT = Delimited()
_FORMATS: list[Format] = [
    _TEXT,
    Parquet(),
    Arrow(),
    Labelled(),
    Workbook(),
]


def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are told and tried."""
    return tuple(_FORMATS)


def format_names() -> tuple[str, ...]:
    """What can be read, in words, for help and messages. Loads no reader."""
    return tuple(name for known in _FORMATS for name in known.said)


def format_of(path: Path, start: bytes) -> Format:
    """The format of a file, by its first bytes or its name; text where nothing else fits."""
    return next((known for known in _FORMATS if known.opens(path, start)), _TEXT)


def register(added: Format) -> None:
    """Add a format, after those there are."""
    if any(added.name == known.name for known in _FORMATS):
        raise ValueError(f'there is a format "{added.name}" already')
    taken = [e for known in _FORMATS for e in known.endings if e in added.endings]
    if taken:
        raise ValueError(f"files named {taken[0]} have a format already")
    _FORMATS.append(added)


@contextmanager
def registered(added: Format) -> Iterator[None]:
    """A format that is there for a while."""
    register(added)
    try:
        yield
    finally:
        _FORMATS.remove(added)
