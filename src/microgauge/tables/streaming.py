"""Tables larger than memory: read twice in batches, once for their values and once for codes.

After that, rows are codes in scratch files, and the table itself is not touched again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.arrays import Hashes
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.tables.column import Column, Key, LeftOut, Table, UnsupportedColumn, as_cells
from microgauge.tables.dictionary import Dictionary, check_unchanged
from microgauge.tables.scratch import Spilled, Veil
from microgauge.tables.source import Source
from microgauge.values.hashing import all_numbers, key_cells, key_words
from microgauge.values.totals import Total

Progress = Callable[[str, float], None]

CELLS = 1 << 22
"""Cells of a batch."""
SHARE = 4
"""A table may take this part of the memory: there are two of them, and what is worked out."""
THREADS = 2


@dataclass(frozen=True)
class Reading:
    """How tables are read that may not fit into memory."""

    memory: int
    """Bytes for everything."""
    scratch: Path | None = None
    """Where scratch files go; the system's own place for such files unless given."""
    key: str | None = None
    distinct: int = 1 << 20
    """Different values of a column that are told apart."""
    missing: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Declared missing codes by column, as text."""
    session: Any = None
    """The Spark session that reads instead."""
    whole: bool = False
    """Whether tables are held in memory however large they are."""
    most_rows: int | None = None
    """Rows of a table that measures may hold, where somebody said how much memory there is."""

    def batches(self, source: Source) -> bool:
        """Whether a source is to be read in batches."""
        if self.whole or not source.format.in_batches:
            return False
        most = self.memory // SHARE
        return source.format.needed(source, most) > most

    def declared(self, name: str) -> frozenset[str]:
        """Declared missing codes of a column."""
        return self.missing.get(name, frozenset())


class Zeros:
    """The codes of a column whose values are not kept."""

    def __init__(self, rows: int) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, part: slice, /) -> NDArray[Any]:
        start, stop, _ = part.indices(self._rows)
        return np.zeros(max(stop - start, 0), dtype=np.uint8)


def key_column(rows: int) -> Column:
    """A key as a column: it is listed, but its values are not told apart."""
    return Column("text", pl.Series(["(key)"]), Zeros(rows), consecutive=False)


@dataclass(frozen=True)
class KeyFacts:
    """What must be known of a key before its values are hashed."""

    numbers: bool = True

    @staticmethod
    def read(series: pl.Series) -> KeyFacts:
        """Whether all keys of a batch are numbers, or texts that spell numbers."""
        return KeyFacts(all_numbers(key_cells(series)))

    def __add__(self, other: KeyFacts) -> KeyFacts:
        return KeyFacts(self.numbers and other.numbers)

    def words(self, series: pl.Series) -> Hashes:
        """Two numbers for each row, both 0 where the key is missing."""
        return key_words(key_cells(series), numbers=self.numbers)


def batch_facts(series: pl.Series, name: str, known: Total, reading: Reading) -> Any:
    """What a batch tells of a column: of the key, or its values. `known` are earlier batches'."""
    if name == reading.key:
        return KeyFacts.read(series)
    # A grid that earlier batches needed is needed for all: values beside it are not gathered.
    grids = [d.exponent for d in known.parts if d.exponent is not None]
    return Dictionary.read(
        series, reading.distinct, reading.declared(name), max(grids) if grids else None
    )


def told_apart(facts: Mapping[str, Any]) -> tuple[dict[str, Dictionary], dict[str, LeftOut]]:
    """The columns whose values can be told apart; and why others are left out."""
    found: dict[str, Dictionary] = {}
    left_out: dict[str, LeftOut] = {}
    for name, fact in facts.items():
        if isinstance(fact, Dictionary):
            try:
                fact.values  # noqa: B018, there are none where texts are too many
                found[name] = fact
            except UnsupportedColumn as error:
                left_out[name] = error.why
    return found, left_out


def streamed(source: Source, reading: Reading, progress: Progress) -> Table:
    """A table whose rows are codes in scratch files."""
    with source.unheard():
        return _Reader(source, reading, progress).table()


class _Reader:
    def __init__(self, source: Source, reading: Reading, progress: Progress) -> None:
        self._source = source
        self._reading = reading
        self._progress = progress
        self._unsupported: dict[str, LeftOut] = {}
        self._rows = 0
        for name, dtype in source.columns.items():
            try:
                as_cells(pl.Series([], dtype=dtype))
            except UnsupportedColumn as error:
                self._unsupported[name] = error.why
        self._names = [name for name in source.columns if name not in self._unsupported]
        self._key = reading.key if reading.key in self._names else None

    def _batches(self, what: str) -> Iterator[pl.DataFrame]:
        size = max(CELLS // max(len(self._source.columns), 1), 1 << 14)
        done = 0
        for frame in self._source.batches(size):
            rows = self._source.rows
            self._progress(
                what.format(which=self._source.which),
                done / rows if rows else 0.0,
            )
            done += frame.height
            if frame.height:
                yield frame
        if self._rows not in (0, done):
            check_unchanged(same=False)
        self._rows = done

    def table(self) -> Table:
        """The table, after reading it twice."""
        with ThreadPoolExecutor(THREADS) as threads:
            facts = self._facts(threads)
            if not self._rows:
                raise InputError(
                    say(
                        "the {which} table {name} has no rows.",
                        which=self._source.which,
                        name=self._source.name,
                    )
                )
            dictionaries, left_out = told_apart(facts)
            self._unsupported |= left_out
            codes, words = self._codes(threads, dictionaries, facts)
        columns = {}
        for name in self._names:
            if name == self._key:
                columns[name] = key_column(self._rows)
            elif name in dictionaries:
                columns[name] = dictionaries[name].column(codes[name])
        key = None
        if self._key is not None:
            key = Key(self._key, words, facts[self._key].numbers, self._text_words)
        return Table(
            self._source.name,
            self._rows,
            columns,
            self._unsupported,
            key,
            lines=self._source.format.lines(self._source),
        )

    def _text_words(self) -> tuple[Spilled, Spilled]:
        """The key read once more, as texts."""
        assert self._key is not None
        words = self._no_words()
        with self._source.unheard():
            for frame in self._batches(say("reading the key of the {which} table")):
                self._append_words(words, KeyFacts(numbers=False), frame)
        return words

    def _no_words(self) -> tuple[Spilled, Spilled]:
        folder = self._reading.scratch
        return Spilled(np.uint64, folder, Veil()), Spilled(np.uint64, folder, Veil())

    def _append_words(
        self, words: tuple[Spilled, Spilled], facts: KeyFacts, frame: pl.DataFrame
    ) -> None:
        assert self._key is not None
        for word, part in zip(words, facts.words(frame[self._key]), strict=True):
            word.append(part)

    def _facts(self, threads: ThreadPoolExecutor) -> dict[str, Any]:
        totals = {name: Total() for name in self._names}
        for frame in self._batches(say("reading the {which} table")):
            found = threads.map(
                lambda n: batch_facts(frame[n], n, totals[n], self._reading),  # noqa: B023
                self._names,
            )
            for name, fact in zip(self._names, found, strict=True):
                totals[name].add(fact)
        return {name: total.value for name, total in totals.items() if total.known}

    def _codes(
        self,
        threads: ThreadPoolExecutor,
        dictionaries: Mapping[str, Dictionary],
        facts: Mapping[str, Any],
    ) -> tuple[dict[str, Spilled], tuple[Spilled, Spilled]]:
        folder = self._reading.scratch
        codes = {name: Spilled(d.dtype, folder) for name, d in dictionaries.items()}
        words = self._no_words()
        for frame in self._batches(say("coding the {which} table")):
            found = threads.map(lambda n: dictionaries[n].coded(frame[n]), codes)  # noqa: B023
            for name, part in zip(codes, found, strict=True):
                codes[name].append(part)
            if self._key is not None:
                self._append_words(words, facts[self._key], frame)
        return codes, words
