"""What runs inside partitions: functions of Arrow record batches, without Spark."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.engines.engine import Weight
from microgauge.engines.local import copies_taken
from microgauge.errors import Undefined
from microgauge.passes import Batch, Pass, finished, fold
from microgauge.passes.batch import BATCH_ROWS, LONG_ROWS
from microgauge.passes.classes import ClassCells
from microgauge.passes.tables import SparseCells
from microgauge.records import dataclass
from microgauge.tables import Reading
from microgauge.tables.dictionary import Dictionary
from microgauge.tables.streaming import KeyFacts, batch_facts
from microgauge.values.hashing import row_hashes, seeded
from microgauge.values.totals import Total

Batches = Iterable[Any]
"""Arrow record batches of one partition."""

ANSWER = "answer binary"
KEY = ("k0", "k1")
QUESTION = "q"
"""Which of several questions a row answers."""


def grouped(batches: Batches, rows: int) -> Iterator[pl.DataFrame]:
    """Small record batches joined into larger ones."""
    held: list[pl.DataFrame] = []
    count = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        held.append(frame)
        count += frame.height
        if count >= rows:
            yield pl.concat(held)
            held, count = [], 0
    if held:
        yield pl.concat(held)


def _binary(answer: Any) -> Any:
    import pyarrow as pa

    cells = pa.array([pickle.dumps(answer, protocol=5)], pa.binary())
    return pa.RecordBatch.from_arrays([cells], ["answer"])


def read_values(batches: Batches, names: Mapping[str, str], reading: Reading) -> Iterator[Any]:
    """The values of every column in a partition, and its rows."""
    totals = {name: Total() for name in names}
    rows = 0
    for frame in grouped(batches, BATCH_ROWS):
        rows += frame.height
        for name, place in names.items():
            totals[name].add(batch_facts(frame[place], name, totals[name], reading))
    if rows:
        yield _binary(Found(rows, {name: total.value for name, total in totals.items()}))


@dataclass(frozen=True, eq=False)
class Found:
    """What reading some rows has found."""

    rows: int
    facts: Mapping[str, Any]

    def __add__(self, other: Found) -> Found:
        return Found(
            self.rows + other.rows,
            {name: fact + other.facts[name] for name, fact in self.facts.items()},
        )


def code_rows(
    batches: Batches,
    dictionaries: Mapping[str, Dictionary],
    places: Mapping[str, str],
    key: tuple[str, KeyFacts] | None,
) -> Iterator[Any]:
    """Rows as codes, and the key as two numbers."""
    for frame in grouped(batches, BATCH_ROWS):
        columns: dict[str, Any] = {
            places[name]: dictionary.coded(frame[places[name]]).astype(np.int32)
            for name, dictionary in dictionaries.items()
        }
        if key is not None:
            words = key[1].words(frame[key[0]]).view(np.int64)
            columns |= dict(zip(KEY, words, strict=True))
        yield _record(columns)


def _record(columns: Mapping[str, NDArray[Any]]) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array(c) for c in columns.values()], list(columns))


def coded_batch(frame: pl.DataFrame, places: Mapping[str, str], weight: Weight | None) -> Batch:
    """Some rows of a coded frame."""
    # A key is no column of codes: all its rows have the same one.
    zeros = np.zeros(frame.height, dtype=np.int32)
    codes = {
        name: frame[place].to_numpy() if place in frame.columns else zeros
        for name, place in places.items()
    }
    weights = None if weight is None else weight.numbers[codes[weight.column]]
    return Batch(codes, frame.height, weights)


def fold_rows(
    batches: Batches,
    passes: Sequence[Pass],
    places: Mapping[str, str],
    weight: Weight | None,
) -> Iterator[Any]:
    """The summed answers of a partition."""
    long = any(question.long for question in passes)
    frames = grouped(batches, LONG_ROWS if long else BATCH_ROWS)
    sums = fold((coded_batch(f, places, weight) for f in frames), passes)
    if sums:
        yield _binary(_Answers(tuple(sums[question] for question in passes)))


@dataclass(frozen=True, eq=False)
class _Answers:
    """The answers to several questions, which add up one by one."""

    each: tuple[Any, ...]

    def __add__(self, other: _Answers) -> _Answers:
        return _Answers(tuple(_added(a, b) for a, b in zip(self.each, other.each, strict=True)))


def _added(a: Any, b: Any) -> Any:
    """The sum of two answers, or why there is none."""
    for answer in (a, b):
        if isinstance(answer, Undefined):
            return answer
    try:
        return a + b
    except Undefined as why:
        return why


def add_answers(batches: Batches) -> Iterator[Any]:
    """The sum of some partitions' answers."""
    total = Total()
    for batch in batches:
        for cell in batch.column(0):
            total.add(pickle.loads(cell.as_py()))  # noqa: S301, written by our own workers
    if total.known:
        yield _binary(total.value)


def cells_of(
    batches: Batches,
    questions: Sequence[Pass],
    places: Mapping[str, str],
    weight: Weight | None,
    form: CellForm,
) -> Iterator[Any]:
    """The classes of a partition, a row each with the place of its question, for Spark to add."""
    frames = grouped(batches, LONG_ROWS)
    sums = finished(fold((coded_batch(f, places, weight) for f in frames), questions))
    for place, question in enumerate(questions):
        if question in sums:
            columns = form.columns(sums[question])
            rows = len(next(iter(columns.values())))
            yield _record({QUESTION: np.full(rows, place, dtype=np.int32), **columns})


@dataclass(frozen=True)
class CellForm:
    """Classes or sparse cells as columns: keys that tell them apart, and sums."""

    keys: int
    sums: int
    whole: bool
    """Whether sums are whole numbers."""
    classes: bool

    @staticmethod
    def of(question: Pass, *, weighted: bool) -> CellForm:
        """The form of a question's answer, as that of no rows shows."""
        nothing = {axis.column: np.empty(0, dtype=np.int32) for axis in question.seen}
        empty = question.read(Batch(nothing, 0, np.empty(0) if weighted else None))
        if isinstance(empty, ClassCells):
            return CellForm(len(empty.keys), len(empty.sums), whole=False, classes=True)
        return CellForm(1, len(empty.layers), whole=not weighted, classes=False)

    @property
    def schema(self) -> str:
        """The columns in Spark's words."""
        keys = [f"w{i} bigint" for i in range(self.keys)]
        kind = "bigint" if self.whole else "double"
        rows = ["n bigint"] if self.classes else []
        sums = [f"s{i} {kind}" for i in range(self.sums)]
        return ", ".join([f"{QUESTION} int", *keys, *rows, *sums])

    def columns(self, answer: Any) -> dict[str, NDArray[Any]]:
        """An answer as columns."""
        keys = answer.keys if self.classes else answer.keys[np.newaxis]
        found = {f"w{i}": word for i, word in enumerate(keys)}
        if self.classes:
            found["n"] = answer.rows.astype(np.int64)
        sums = answer.sums if self.classes else answer.layers
        kind = np.int64 if self.whole else np.float64
        return found | {f"s{i}": layer.astype(kind) for i, layer in enumerate(sums)}

    def answer(self, columns: Mapping[str, NDArray[Any]]) -> ClassCells | SparseCells:
        """Columns as an answer, keys rising."""
        words = np.stack([columns[f"w{i}"] for i in range(self.keys)])
        order = np.lexsort(words[::-1])
        sums = [columns[f"s{i}"][order] for i in range(self.sums)]
        if not self.classes:
            return SparseCells(words[0, order], np.stack(sums))
        stacked = np.stack(sums) if sums else np.empty((0, len(order)))
        return ClassCells(words[:, order], columns["n"][order], stacked)


def chosen_units(batches: Batches, bound: int, seed: int) -> Iterator[Any]:
    """Rows whose key has a small hash."""
    import pyarrow as pa

    for batch in batches:
        words = batch.column(KEY[0]).to_numpy().view(np.uint64)
        yield batch.filter(pa.array(seeded(words, seed) < np.uint64(bound)))


def chosen_copies(batches: Batches, order: Sequence[str], share: float, seed: int) -> Iterator[Any]:
    """Of each set of equal rows, as many as a sample takes."""
    for frame in grouped(batches, BATCH_ROWS):
        zeros = np.zeros(frame.height, dtype=np.int32)
        columns = [frame[p].to_numpy() if p in frame.columns else zeros for p in order]
        hashes = row_hashes(columns, frame.height, seed)
        times = copies_taken(hashes, frame["count"].to_numpy(), share)
        chosen = {p: np.repeat(frame[p].to_numpy(), times) for p in order if p in frame.columns}
        yield _record(chosen)
