"""A batch of coded rows, and the fold that reads each row once for all passes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Floats, Index
from microgauge.errors import Undefined
from microgauge.kernels import in_threads
from microgauge.records import dataclass
from microgauge.values.totals import Total

BATCH_ROWS = 1 << 16
"""Few enough rows for all columns' codes to stay in the processor's cache."""
LONG_ROWS = 1 << 20
"""Rows of a batch whose answers are as long as a table."""
HELD_ROWS = 1 << 24
"""Rows that are answered together at most, where a question holds them back."""


@dataclass(frozen=True, eq=False)
class Axis:
    """How a column is seen: which level each raw value belongs to, and a score per level.

    Axes are equal where they see the same, so that equal questions are equal whoever asks.
    """

    column: str
    lookup: Index
    """Level of each raw value, `size` for a missing one."""
    size: int
    scores: Floats | None = None
    """A number for each level (a rank, say) and 0 for missing cells."""
    identity: bool = False
    """Whether raw codes are the levels themselves, which spares looking them up."""
    scored_by: str | None = None
    """What settles the scores where column and lookup do: such scores need not be compared."""

    @staticmethod
    def of(column: str, lookup: Index, size: int) -> Axis:
        """An axis that is found to be the raw codes themselves, where it is."""
        identity = len(lookup) == size + 1 and bool((lookup == np.arange(size + 1)).all())
        return Axis(column, lookup, size, identity=identity)

    @cached_property
    def narrow(self) -> NDArray[Any]:
        """The lookup in as few bytes as may be."""
        return self.lookup.astype(np.min_scalar_type(self.size))

    @cached_property
    def _print(self) -> tuple[object, ...]:
        lookup = None if self.identity else _digest(self.lookup)
        scores: bytes | str | None = self.scored_by
        if scores is None and self.scores is not None:
            scores = _digest(self.scores)
        return self.column, self.size, lookup, scores

    @cached_property
    def _hash(self) -> int:
        return hash(self._print)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Axis) and self._print == other._print)

    def __hash__(self) -> int:
        return self._hash


def _digest(array: NDArray[Any]) -> bytes:
    return blake2b(np.ascontiguousarray(array).view(np.uint8).data, digest_size=16).digest()


class Pass:
    """A question to a batch, which holds the axes that it looks at. Equal passes are one question.

    What an engine needs to know of a pass are the properties here, not which pass it is.
    """

    long: ClassVar[bool] = False
    """Whether answers may be as long as the table, so that batches as long pay."""
    keyed: ClassVar[bool] = False
    """Whether the answer is a set of keyed cells, which a shuffle can add up."""

    @cached_property
    def seen(self) -> tuple[Axis, ...]:
        """All axes that it looks at."""
        held = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return tuple(dict.fromkeys(axis for value in held for axis in _axes_in(value)))

    def read(self, batch: Batch) -> Any:
        """The answer for these rows."""
        raise NotImplementedError

    def held(self, batch: Batch) -> NDArray[Any] | None:
        """What to keep of these rows where many batches are answered together in less time.

        None where each is answered by itself.
        """
        return None

    def answer(self, held: NDArray[Any]) -> Any:
        """The answer for all rows of which something was held."""
        raise NotImplementedError

    @classmethod
    def together(cls, questions: Sequence[Any]) -> Callable[[Batch], Sequence[Any]] | None:
        """How a batch answers several questions of this kind at once; None where one by one."""
        return None

    def finish(self, total: Any) -> Any:
        """The answer for all rows, from the sum of those for some."""
        return total

    def __hash__(self) -> int:
        raise NotImplementedError


def _axes_in(value: object) -> Iterator[Axis]:
    if isinstance(value, Axis):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _axes_in(part)


class Facts(Mapping[Pass, Any]):
    """Each pass with its summed answer; `Undefined` where it has none, with its reason."""

    def __init__(self, answers: Mapping[Pass, Any]) -> None:
        self._answers = answers

    def __getitem__(self, question: Pass) -> Any:
        answer = self._answers[question]
        if isinstance(answer, Undefined):
            raise answer
        return answer

    def __iter__(self) -> Iterator[Pass]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


class Batch:
    """Some rows of a table, as codes. What one pass has worked out, the next one finds ready."""

    def __init__(
        self, codes: Mapping[str, NDArray[Any]], rows: int, weights: Floats | None = None
    ) -> None:
        self._codes = codes
        self.rows = rows
        self.weights = weights
        self._raw: dict[str, Index] = {}
        self._levels: dict[Axis, Index] = {}
        self._narrow: dict[Axis, NDArray[Any]] = {}
        self._scores: dict[Axis, Floats] = {}
        self._stacks: dict[tuple[Axis, ...], Floats] = {}
        self._kept: dict[Hashable, NDArray[Any]] = {}

    def parts(self, rows: int) -> Iterator[Batch]:
        """The same rows, some at a time."""
        if self.rows <= rows:
            yield self
            return
        for start in range(0, self.rows, rows):
            part = slice(start, start + rows)
            codes = {name: codes[part] for name, codes in self._codes.items()}
            weights = None if self.weights is None else self.weights[part]
            yield Batch(codes, min(rows, self.rows - start), weights)

    def levels(self, axis: Axis) -> Index:
        """The level of every row."""
        found = self._levels.get(axis)
        if found is None:
            raw = self._index(axis.column)
            # Clipping skips numpy's check of every index; codes never exceed the lookup.
            found = raw if axis.identity else axis.lookup.take(raw, mode="clip")
            self._levels[axis] = found
        return found

    def narrow(self, axis: Axis) -> NDArray[Any]:
        """The level of every row in as few bytes as may be: to be compared and packed."""
        found = self._narrow.get(axis)
        if found is None:
            codes = self._codes[axis.column]
            found = codes if axis.identity else axis.narrow.take(codes, mode="clip")
            self._narrow[axis] = found
        return found

    def _index(self, column: str) -> Index:
        found = self._raw.get(column)
        if found is None:
            found = self._raw[column] = self._codes[column].astype(np.intp)
        return found

    def scores(self, axis: Axis) -> Floats:
        """The score of every row."""
        found = self._scores.get(axis)
        if found is None:
            if axis.scores is None:
                raise ValueError(f"the axis {axis.column} has no scores")
            found = self._scores[axis] = axis.scores.take(self.levels(axis), mode="clip")
        return found

    def kept(self, key: Hashable, work: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """What several passes need of every row, worked out by the first."""
        if key not in self._kept:
            self._kept[key] = work()
        return self._kept[key]

    def stack(self, axes: tuple[Axis, ...]) -> Floats:
        """The scores of several axes, rows × axes."""
        found = self._stacks.get(axes)
        if found is None:
            found = self._stacks[axes] = np.stack([self.scores(axis) for axis in axes], axis=1)
        return found


SHARED_ROWS = 1 << 14
"""Rows from which threads share questions: below, handing one over takes longer than its answer."""


class InThreads(Pass):
    """Questions that each take a while for a long batch: threads share them."""

    long: ClassVar[bool] = True

    @classmethod
    def alike(cls, questions: Sequence[Any]) -> Iterable[Sequence[Any]]:
        """Questions that one thread answers together: each by itself, unless they share work."""
        return [[question] for question in questions]

    @classmethod
    def read_alike(cls, questions: Sequence[Any], batch: Batch) -> Sequence[Any]:
        """The answers to questions that are alike."""
        return [question.read(batch) for question in questions]

    @classmethod
    def together(cls, questions: Sequence[Any]) -> Callable[[Batch], Sequence[Any]]:
        """All questions, in threads."""
        parts = [list(part) for part in cls.alike(questions)]

        def read(batch: Batch) -> Sequence[Any]:
            for question in questions:
                for axis in question.seen:
                    batch.narrow(axis)  # what they share is worked out before threads begin
            shared = batch.rows >= SHARED_ROWS
            answers = in_threads(lambda part: cls.read_alike(part, batch), parts, shared=shared)
            found = {
                question: answer
                for part, some in zip(parts, answers, strict=True)
                for question, answer in zip(part, some, strict=True)
            }
            return [found[question] for question in questions]

        return read


class _Sum:
    """The sum of a pass's answers so far, or why there is none."""

    def __init__(self, question: Pass) -> None:
        self._question = question
        self._total = Total()
        self._held: list[NDArray[Any]] = []
        self._why: Undefined | None = None

    def add(self, answer: Any) -> None:
        """The answer for some rows."""
        self._total.add(answer)

    def read(self, batch: Batch) -> None:
        if self._why is None:
            try:
                self._read(batch)
            except Undefined as why:  # of this question only: the others go on
                self._why, self._total, self._held = why, Total(), []

    def _read(self, batch: Batch) -> None:
        held = self._question.held(batch)
        if held is None:
            self.add(self._question.read(batch))
            return
        self._held.append(held)
        if sum(map(len, self._held)) >= HELD_ROWS:
            self._answer()

    def _answer(self) -> None:
        if self._held:
            self._total.add(self._question.answer(np.concatenate(self._held)))
            self._held = []

    @property
    def known(self) -> bool:
        return self._why is not None or self._total.known or bool(self._held)

    @property
    def value(self) -> Any:
        """The sum, or the `Undefined` that says why there is none."""
        if self._why is not None:
            return self._why
        try:
            return self._summed()
        except Undefined as why:
            return why

    def _summed(self) -> Any:
        self._answer()
        return self._total.value


class _Several:
    """Questions of one kind that a batch answers together."""

    def __init__(self, sums: list[_Sum], answers: Callable[[Batch], Sequence[Any]]) -> None:
        self._sums = sums
        self._answers = answers

    def read(self, batch: Batch) -> None:
        for total, answer in zip(self._sums, self._answers(batch), strict=True):
            total.add(answer)


def _readers(sums: Mapping[Pass, _Sum], *, long: bool) -> list[_Sum | _Several]:
    """What reads each batch: every question by itself, or all of a kind together."""
    kinds: dict[type[Pass], list[Pass]] = {}
    for question in sums:
        if question.long == long:
            kinds.setdefault(type(question), []).append(question)
    found: list[_Sum | _Several] = []
    for kind, questions in kinds.items():
        totals = [sums[question] for question in questions]
        answers = kind.together(questions)
        found += totals if answers is None else [_Several(totals, answers)]
    return found


def fold(
    batches: Iterable[Batch], passes: Sequence[Pass], rows: int = BATCH_ROWS
) -> dict[Pass, Any]:
    """Read the rows once, however many passes are asked for; sums that are not finished yet.

    Passes with long answers read batches as they come, the others at most `rows` rows at a time.
    """
    sums = {question: _Sum(question) for question in passes}
    long, short = _readers(sums, long=True), _readers(sums, long=False)
    for batch in batches:
        for total in long:
            total.read(batch)
        if short:
            for part in batch.parts(rows):
                for total in short:
                    total.read(part)
    return {question: total.value for question, total in sums.items() if total.known}


def finished(sums: Mapping[Pass, Any]) -> Facts:
    """The sums of all rows as facts."""
    return Facts(
        {
            question: total if isinstance(total, Undefined) else question.finish(total)
            for question, total in sums.items()
        }
    )
