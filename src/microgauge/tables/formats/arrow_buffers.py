"""Whether the buffers of an Arrow file lie within it.

Polars takes memory for as many bytes as a buffer says it has, and where there are not so many the
whole process ends, so that nobody can be told. What is looked at here are lengths alone; where a
file cannot be followed, polars is to judge.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from microgauge.languages.messages import say

TAIL = struct.Struct("<i6s")
BLOCK = struct.Struct("<qi4xq")
PAIR = struct.Struct("<qq")
CONTINUES = 0xFFFFFFFF
RECORDS, DICTIONARY = 3, 2
"""Kinds of a message."""
MOST_GROWTH, ENOUGH = 10_000, 1 << 24
"""A compressed buffer is at most so many times as long when it is not, or has so many bytes."""


class Table:
    """A table of a flat buffer: places of fields, found by their numbers."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at
        self._fields = at - self._number("<i", at)
        self._size = self._number("<H", self._fields)

    def _number(self, shape: str, at: int) -> int:
        if at < 0:
            raise struct.error(say("before the start"))
        return int(struct.unpack_from(shape, self.data, at)[0])

    def place(self, field: int) -> int | None:
        """Where a field stands; None where it is left out."""
        entry = 4 + 2 * field
        offset = self._number("<H", self._fields + entry) if entry < self._size else 0
        return self.at + offset if offset else None

    def number(self, field: int, shape: str) -> int:
        """A number; 0 where it is left out."""
        place = self.place(field)
        return 0 if place is None else self._number(shape, place)

    def table(self, field: int) -> Table | None:
        """Another table."""
        place = self.place(field)
        return None if place is None else Table(self.data, place + self._number("<I", place))

    def pairs(self, field: int, shape: struct.Struct) -> Iterator[tuple[int, ...]]:
        """The entries of a list, each of some numbers."""
        place = self.place(field)
        if place is None:
            return
        start = place + self._number("<I", place)
        for i in range(self._number("<I", start)):
            yield shape.unpack_from(self.data, start + 4 + i * shape.size)


def root(data: bytes) -> Table:
    """The first table of a flat buffer."""
    return Table(data, int(struct.unpack_from("<I", data)[0]))


def buffers_fit(path: Path) -> bool:
    """Whether no buffer is longer than what there is of it."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            return all(_fits(file, block, size) for block in _blocks(file, size))
    except (struct.error, OverflowError, MemoryError):
        return True


def _blocks(file: BinaryIO, size: int) -> list[tuple[int, ...]]:
    """Offset, length of what describes it, and length of each part that the footer names."""
    file.seek(size - TAIL.size)
    length, _ = TAIL.unpack(file.read(TAIL.size))
    file.seek(max(size - TAIL.size - length, 0))
    footer = root(file.read(length))
    return [block for field in (2, 3) for block in footer.pairs(field, BLOCK)]


def _fits(file: BinaryIO, block: tuple[int, ...], size: int) -> bool:
    offset, described, body = block
    if min(block) < 0 or offset + described + body > size:
        return False
    file.seek(offset)
    start = file.read(described)
    ahead = 8 if struct.unpack_from("<I", start)[0] == CONTINUES else 4
    message = root(start[ahead:])
    records = message.table(2)
    if message.number(1, "<B") == DICTIONARY and records is not None:
        records = records.table(1)
    if records is None:
        return True
    found = list(records.pairs(2, PAIR))
    if any(min(pair) < 0 or sum(pair) > body for pair in found):
        return False
    if records.place(3) is None:
        return True
    return all(_grows(file, offset + described + at, length) for at, length in found if length)


def _grows(file: BinaryIO, at: int, length: int) -> bool:
    """Whether a compressed buffer says that it is of a length which it may have."""
    file.seek(at)
    said = int(struct.unpack("<q", file.read(8))[0])
    return said <= max(MOST_GROWTH * length, ENOUGH)
