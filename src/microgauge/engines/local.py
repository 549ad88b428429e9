"""The engine for rows on this machine: codes in memory, or in scratch files read by the slice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.arrays import Floats, Hashes, Index
from microgauge.engines.engine import ORIGINAL, PROTECTED, Engine, Features, Weight
from microgauge.passes import Batch, Facts, Pass, finished, fold
from microgauge.passes.batch import BATCH_ROWS, LONG_ROWS
from microgauge.tables import Key, Sliceable, Table
from microgauge.values.hashing import (
    all_numbers,
    key_cells,
    key_words,
    places_hashed,
    row_hashes,
    seeded,
)

HASHES_AT_A_TIME = 1 << 27
"""Hashes of rows that are sorted together: 1 GB."""


class Looked:
    """A number for each row, looked up by its code."""

    def __init__(self, codes: Sliceable, numbers: NDArray[Any]) -> None:
        self._codes = codes
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, part: slice, /) -> NDArray[Any]:
        return np.asarray(self._numbers[self._codes[part]])


class Local:
    """The rows of one table, or of two tables matched row by row, and their weights."""

    def __init__(
        self,
        codes: Mapping[str, Sliceable],
        rows: int,
        weights: Sliceable | None = None,
        batch_rows: int = BATCH_ROWS,
        units: Sliceable | None = None,
    ) -> None:
        self._codes = codes
        self.rows = rows
        self._weights = weights
        self._batch_rows = batch_rows
        self._units = units
        """A hash of each row's key, where there is one."""
        self._sample: tuple[tuple[int, int, bool], Local] | None = None

    @staticmethod
    def of(
        table: Table,
        weight: Weight | None = None,
        key: str | None = None,
        batch_rows: int = BATCH_ROWS,
    ) -> Local:
        """An engine over one table."""
        codes = {name: column.codes for name, column in table.columns.items()}
        weights = None if weight is None else Looked(codes[weight.column], weight.numbers)
        found = None if key is None else key_of(table, key)
        units = None if found is None else found.words[0]
        return Local(codes, table.rows, weights, batch_rows, units)

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self._weights is not None

    @property
    def weights(self) -> Floats | None:
        """The weight of every row; None without weights."""
        return None if self._weights is None else self._weights[:]

    @property
    def keys(self) -> NDArray[np.uint64] | None:
        """A hash of each row's key; None without a key."""
        return None if self._units is None else np.asarray(self._units[:], dtype=np.uint64)

    @property
    def here(self) -> bool:
        """Rows are on this machine."""
        return True

    @property
    def numbered(self) -> bool:
        """Rows have their numbers in the file."""
        return True

    @property
    def fits_models(self) -> bool:
        """Models are fitted on rows in memory here."""
        return False

    def logistic(self, other: Engine, features: tuple[Features, Features]) -> Floats:
        """There is none: see `fits_models`."""
        raise NotImplementedError

    def scan(self, passes: Sequence[Pass]) -> Facts:
        """Fold the passes over all rows."""
        if any(question.long for question in passes):
            size = max(self._batch_rows, LONG_ROWS)
        else:
            size = self._batch_rows
        used = {axis.column for question in passes for axis in question.seen}
        return finished(fold(self._batches(used, size), passes, self._batch_rows))

    def _batches(self, used: Collection[str], size: int) -> Iterator[Batch]:
        for part in _parts(self.rows, size):
            codes = {name: codes[part] for name, codes in self._codes.items() if name in used}
            rows = max(min(part.stop, self.rows) - part.start, 0)
            yield Batch(codes, rows, None if self._weights is None else self._weights[part])

    def table(self, like: Table) -> Table:
        """The rows as a table whose columns are those of another."""
        columns = {n: replace(c, codes=self._codes[n][:]) for n, c in like.columns.items()}
        return replace(like, rows=self.rows, columns=columns, key=None, frame=None)

    # -- samples -----------------------------------------------------------------------------

    def sample(self, most: int, seed: int, *, by_place: bool = False) -> Local:
        """All rows where they are not more, else about so many, chosen by hash, in memory."""
        if self.rows <= most:
            return self
        wanted = (most, seed, by_place)
        if self._sample is None or self._sample[0] != wanted:
            self._sample = (wanted, self._sampled(most, seed, by_place=by_place))
        return self._sample[1]

    def _sampled(self, most: int, seed: int, *, by_place: bool) -> Local:
        chosen = self._chosen(most / self.rows, seed, by_place=by_place)
        parts: list[Mapping[str, NDArray[Any]]] = []
        weights: list[Floats] = []
        units: list[NDArray[Any]] = []
        for part, rows in chosen:
            parts.append({name: codes[part][rows] for name, codes in self._codes.items()})
            if self._weights is not None:
                weights.append(self._weights[part][rows])
            if self._units is not None:
                units.append(np.asarray(self._units[part])[rows])
        codes = {name: np.concatenate([p[name] for p in parts]) for name in self._codes}
        count = sum(len(next(iter(p.values()))) for p in parts)
        return Local(
            codes,
            count,
            np.concatenate(weights) if weights else None,
            units=np.concatenate(units) if units else None,
        )

    def _chosen(self, share: float, seed: int, *, by_place: bool) -> Iterator[tuple[slice, Index]]:
        """The rows chosen in each slice of the table."""
        if self._units is not None or by_place:
            for part in _parts(self.rows, LONG_ROWS):
                units = places_hashed(part.start, min(part.stop, self.rows))
                if self._units is not None:
                    units = np.asarray(self._units[part])
                yield part, np.flatnonzero(seeded(units, seed) < _bound(share))
            return
        copies = Copies(share)
        ranges = -(-self.rows // HASHES_AT_A_TIME)
        for place in range(ranges):
            copies.count(self._in_range(place, ranges, seed))
        for part, hashes in zip(_parts(self.rows, LONG_ROWS), self._hashes(seed), strict=True):
            yield part, copies.taken(hashes)

    def _in_range(self, place: int, ranges: int, seed: int) -> Hashes:
        """The hashes of all rows that lie in one of several ranges."""
        if ranges > 1:
            parts = (h[h % np.uint64(ranges) == place] for h in self._hashes(seed))
            return np.concatenate(list(parts))
        found = np.empty(self.rows, dtype=np.uint64)
        start = 0
        for hashes in self._hashes(seed):
            found[start : start + len(hashes)] = hashes
            start += len(hashes)
        return found

    def _hashes(self, seed: int) -> Iterator[Hashes]:
        for part in _parts(self.rows, LONG_ROWS):
            columns = [codes[part] for codes in self._codes.values()]
            yield row_hashes(columns, len(columns[0]), seed)


def _parts(rows: int, size: int) -> Iterator[slice]:
    for start in range(0, max(rows, 1), size):
        yield slice(start, start + size)


def _bound(share: float) -> np.uint64:
    return np.uint64(min(int(share * 2.0**64), (1 << 64) - 1))


class Copies:
    """How many of the rows with the same values a sample takes.

    Of c equal rows, c·share + u rounded down, u in [0, 1) by their hash: the expectation is
    c·share whatever c, and no order of rows matters, since equal rows cannot be told apart. A row
    without its like is taken or not by its hash alone, so only those with copies are held.
    """

    def __init__(self, share: float) -> None:
        self._share = share
        self._hashes = np.empty(0, dtype=np.uint64)
        self._left = np.empty(0, dtype=np.intp)

    def count(self, hashes: Hashes) -> None:
        """Count copies among the hashes of rows, which must hold all copies or none."""
        hashes.sort()
        found, left = [self._hashes], [self._left]
        start = 0
        while start < len(hashes):
            # A slice of whole runs, so that no array here is as long as the table.
            last = hashes[min(start + LONG_ROWS, len(hashes)) - 1]
            stop = int(np.searchsorted(hashes, last, side="right"))
            runs = np.flatnonzero(hashes[start + 1 : stop] != hashes[start : stop - 1]) + 1
            starts = np.append(0, runs)
            counts = np.diff(np.append(starts, stop - start))
            several = counts > 1
            alike = hashes[start + starts[several]]
            times = copies_taken(alike, counts[several], self._share)
            found.append(alike[times > 0])
            left.append(times[times > 0])
            start = stop
        self._hashes, self._left = np.concatenate(found), np.concatenate(left)
        order = np.argsort(self._hashes)
        self._hashes, self._left = self._hashes[order], self._left[order]

    def taken(self, hashes: Hashes) -> Index:
        """The rows to take of some; those taken are not taken again."""
        alone = copies_taken(hashes, np.ones(1), self._share) > 0
        if not len(self._hashes):
            return np.flatnonzero(alone)
        place = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        copied = self._hashes[place] == hashes
        return np.sort(
            np.concatenate(
                [np.flatnonzero(alone & ~copied), self._first(np.flatnonzero(copied), place)]
            )
        )

    def _first(self, rows: Index, place: Index) -> Index:
        """The first of some rows with copies, as many of each as are still to be taken."""
        order = rows[np.argsort(place[rows], kind="stable")]
        ranked = place[order]
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)])
        counts = np.diff(np.append(starts, len(ranked)))
        rank = np.arange(len(ranked)) - np.repeat(starts, counts)
        found = order[rank < self._left[ranked]]
        used = ranked[starts]
        self._left[used] = np.maximum(self._left[used] - counts, 0)
        return found


def copies_taken(hashes: Hashes, counts: NDArray[Any], share: float) -> Index:
    """How many of each set of equal rows a sample takes."""
    uniform = seeded(hashes, 1).astype(np.float64) / 2.0**64
    return np.floor(counts * share + uniform).astype(np.intp)


def key_of(table: Table, name: str) -> Key | None:
    """The key of every row; None where the table has no such column."""
    if table.key is not None and table.key.name == name:
        return table.key
    column = table.columns.get(name)
    if column is None:
        return None
    cells = key_cells(pl.Series(column.values))

    def words(*, numbers: bool) -> tuple[Sliceable, Sliceable]:
        first, second = key_words(cells, numbers=numbers)
        missing = np.uint64(0)
        return (
            Looked(column.codes, np.append(first, missing)),
            Looked(column.codes, np.append(second, missing)),
        )

    numbers = all_numbers(cells)
    return Key(name, words(numbers=numbers), numbers, lambda: words(numbers=False))


def in_order(original: Table, protected: Table, batch_rows: int = BATCH_ROWS) -> Local:
    """Row by row: both tables' values of the same units."""
    codes: dict[str, Any] = {}
    for prefix, table in ((ORIGINAL, original), (PROTECTED, protected)):
        codes |= {prefix + name: column.codes for name, column in table.columns.items()}
    return Local(codes, original.rows, batch_rows=batch_rows)
