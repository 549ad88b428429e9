"""Joining two tables by a key: by sorting hashes, as many at a time as memory allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Index
from microgauge.engines.engine import ORIGINAL, PROTECTED, Join
from microgauge.engines.local import Local
from microgauge.passes.batch import LONG_ROWS
from microgauge.tables import Key, Sliceable, Table
from microgauge.tables.scratch import Spilled

_Rows = NDArray[np.signedinteger[Any]]

ROWS_AT_A_TIME = 1 << 24
"""Rows of both tables that are sorted together: about 1 GB of hashes and places."""


def joined(original: Table, protected: Table, first: Key, second: Key) -> Join:
    """The units that both tables have, in the order of the original."""
    keys = (first, second)
    count = max(-(-(original.rows + protected.rows) // ROWS_AT_A_TIME), 1)
    small = protected.rows < np.iinfo(np.int32).max
    partner: _Rows = np.full(original.rows, -1, dtype=np.int32 if small else np.int64)
    missing, repeated = np.zeros(2, dtype=np.intp), np.zeros(2, dtype=np.intp)
    for bucket in range(count):
        found = _Bucket.of(keys, bucket, count)
        missing += found.missing
        repeated += found.repeated
        ours, theirs = found.pairs()
        partner[ours] = theirs
    partners = _Partners(partner)
    return Join(
        rows=_matched(original, protected, partners, keys[0]),
        matched=partners.matched,
        missing=(int(missing[0]), int(missing[1])),
        repeated=(int(repeated[0]), int(repeated[1])),
    )


class _Partners:
    """For each row of the original, the row of the protected table with the same key, or -1."""

    def __init__(self, partner: _Rows) -> None:
        self._partner = partner
        self.matched = int((partner >= 0).sum())

    def original(self) -> Iterator[Index]:
        """The original's rows that have a partner, some at a time."""
        for start in range(0, len(self._partner), LONG_ROWS):
            yield np.flatnonzero(self._partner[start : start + LONG_ROWS] >= 0) + start

    def protected(self) -> Iterator[_Rows]:
        """Their partners."""
        for start in range(0, len(self._partner), LONG_ROWS):
            part = self._partner[start : start + LONG_ROWS]
            yield part[part >= 0]


class _Bucket:
    """The rows of both tables whose hashes lie in one part of the range."""

    def __init__(self, words: NDArray[np.uint64], rows: Index, sides: NDArray[np.uint8]) -> None:
        order = np.argsort(words[0], kind="stable")
        same = words[0, order[1:]] == words[0, order[:-1]]
        twins = words[1, order[1:]] == words[1, order[:-1]]
        if (same & ~twins).any():  # two texts share their first hash: the second one decides
            order = np.lexsort((sides, words[1], words[0]))
            same = (words[:, order[1:]] == words[:, order[:-1]]).all(axis=0)
        self._rows, self._sides, self._same = rows[order], sides[order], same
        self.missing = np.zeros(2, dtype=np.intp)

    @staticmethod
    def of(keys: tuple[Key, Key], bucket: int, count: int) -> _Bucket:
        parts = [_rows_in(key, bucket, count) for key in keys]
        words = np.concatenate([words for words, _, _ in parts], axis=1)
        rows = np.concatenate([rows for _, rows, _ in parts])
        sides = np.repeat(np.array([0, 1], dtype=np.uint8), [len(rows) for _, rows, _ in parts])
        found = _Bucket(words, rows, sides)
        found.missing[:] = [missing for _, _, missing in parts]
        return found

    @property
    def repeated(self) -> Index:
        """Rows of each table whose key an earlier row has."""
        again = self._same & (self._sides[1:] == self._sides[:-1])
        return np.bincount(self._sides[1:][again], minlength=2)

    def pairs(self) -> tuple[Index, Index]:
        """The rows of both tables that have the same key."""
        here = np.flatnonzero(self._same & (self._sides[1:] != self._sides[:-1]))
        return self._rows[here], self._rows[here + 1]


def _rows_in(key: Key, bucket: int, count: int) -> tuple[NDArray[np.uint64], Index, int]:
    """Hashes and row numbers of the rows of a bucket, and how many lack a key (bucket 0)."""
    words: list[NDArray[np.uint64]] = [np.empty((2, 0), dtype=np.uint64)]
    rows: list[Index] = [np.empty(0, dtype=np.intp)]
    missing = 0
    for start in range(0, len(key.words[0]), LONG_ROWS):
        part = slice(start, start + LONG_ROWS)
        first, second = key.words[0][part], key.words[1][part]
        absent = (first == 0) & (second == 0)
        missing += int(absent.sum())
        here = np.flatnonzero(~absent & (first % np.uint64(count) == bucket))
        words.append(np.stack([first[here], second[here]]))
        rows.append(here + start)
    return np.concatenate(words, axis=1), np.concatenate(rows), missing if bucket == 0 else 0


def _matched(original: Table, protected: Table, partners: _Partners, key: Key) -> Local:
    codes: dict[str, Sliceable] = {}
    for prefix, table, rows in (
        (ORIGINAL, original, partners.original),
        (PROTECTED, protected, partners.protected),
    ):
        whole = partners.matched == table.rows and _in_place(rows())
        for name, column in table.columns.items():
            codes[prefix + name] = column.codes if whole else _gathered(column.codes, rows())
    return Local(codes, partners.matched, units=_gathered(key.words[0], partners.original()))


def _in_place(rows: Iterable[_Rows]) -> bool:
    """Whether rows, given some at a time, are 0, 1, 2 and so on."""
    start = 0
    for some in rows:
        if not np.array_equal(some, np.arange(start, start + len(some))):
            return False
        start += len(some)
    return True


def _gathered(codes: Sliceable, rows: Iterable[_Rows]) -> Sliceable:
    """The entries of some rows: in memory where the column is, else in a scratch file again."""
    if isinstance(codes, Spilled):
        return codes.gathered(rows)
    whole = codes[:]
    return np.concatenate([whole[some] for some in rows])
