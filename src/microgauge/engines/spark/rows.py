"""Coded rows in Spark, and the engine over them."""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.engine import ORIGINAL, PROTECTED, Engine, Features, Join, Weight
from microgauge.engines.local import Local, Looked
from microgauge.engines.spark.session import spark_errors
from microgauge.engines.spark.work import (
    ANSWER,
    KEY,
    QUESTION,
    CellForm,
    add_answers,
    cells_of,
    chosen_copies,
    chosen_units,
    fold_rows,
)
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.passes import Axis, Facts, Pass, finished
from microgauge.passes.classes import MOST_CLASSES
from microgauge.tables.dictionary import check_unchanged
from microgauge.values.totals import Total

FEW_PARTS = 32
"""Answers of so many partitions are added by the driver; of more, by workers first."""
FEW_CELLS = 1 << 22
"""Codes of a table, 16 MB, that the driver fetches once and asks itself: a job takes longer."""


def summed(answers: Any, parts: int | None) -> Total:
    """The answers of all partitions added up. None: their number is not known."""
    if parts is None or parts > FEW_PARTS:
        # Spark gathers small answers into few partitions, where workers add them.
        answers = answers.hint("rebalance").mapInArrow(add_answers, ANSWER)
    total = Total()
    for row in answers.collect():
        total.add(pickle.loads(bytes(row[0])))  # noqa: S301, written by our own workers
    return total


class CodedFrame:
    """Coded rows of one table, kept by Spark while anything refers to them."""

    def __init__(
        self,
        frame: Any,
        places: Mapping[str, str],
        rows: int | None = None,
        *,
        which: str = "joined",
        numbers: bool = False,
        as_texts: Callable[[], Any] | None = None,
    ) -> None:
        self.frame = _kept(self, frame)
        self.places = places
        self._rows = rows
        self._which = which
        self.numbers = numbers
        """Whether all keys are numbers, and were read as such."""
        self._as_texts = as_texts

    def alike(self, other: CodedFrame) -> CodedFrame:
        """With keys that mean the same in another frame."""
        if self.numbers == other.numbers or not self.numbers or self._as_texts is None:
            return self
        return CodedFrame(self._as_texts(), self.places, self._rows, which=self._which)

    def engine(self, weight: Weight | None) -> SparkRows:
        """An engine over the rows."""
        parts = None if self.fetched is not None else len(self._counts)
        return SparkRows(self, self.rows, parts, weight)

    @cached_property
    def rows(self) -> int:
        """Their number; `InputError` where it is not the one that was read before."""
        found = sum(self._counts) if self.fetched is None else self.fetched.num_rows
        check_unchanged(self._rows is None or found == self._rows)
        return found

    @cached_property
    def fetched(self) -> Any | None:
        """All rows, fetched once where they were found to be few; None where they stay in Spark."""
        count = sum(self._counts) if self._rows is None else self._rows
        if count * len(self.frame.columns) > FEW_CELLS:
            return None
        with spark_errors(self._which):
            return self.frame.toArrow()

    @cached_property
    def _counts(self) -> list[int]:
        """Rows of each partition that has any."""
        with spark_errors(self._which):
            parts = self.frame.selectExpr("spark_partition_id() as part").groupBy("part").count()
            return [int(row[1]) for row in parts.collect()]

    def joined(self, other: CodedFrame) -> Join:
        """The units that both tables have, by their key."""
        with spark_errors("joined"):
            return self.alike(other).joined_alike(other.alike(self))

    def joined_alike(self, other: CodedFrame) -> Join:
        """The same where keys mean the same in both."""
        sides = (self.frame, other.frame)
        checks = [_key_checks(side) for side in sides]
        missing = (checks[0][0], checks[1][0])
        repeated = (checks[0][1], checks[1][1])
        places: dict[str, str] = {}
        renamed = []
        for prefix, letter, table in ((ORIGINAL, "a", self), (PROTECTED, "b", other)):
            frame = table.frame
            here = [place for place in table.places.values() if place in frame.columns]
            renamed.append(
                frame.where("k0 != 0 or k1 != 0").selectExpr(
                    *(f"{place} as {letter}{place}" for place in here),
                    *KEY,
                )
            )
            places |= {prefix + name: f"{letter}{place}" for name, place in table.places.items()}
        matched = CodedFrame(renamed[0].join(renamed[1], list(KEY)), places)
        sound = not any(missing) and not any(repeated)
        rows = matched.rows if sound else 0
        return Join(
            matched.engine(None) if sound else SparkRows(matched, 0, 0), rows, missing, repeated
        )


def _key_checks(frame: Any) -> tuple[int, int]:
    """Rows without a key, and rows whose key another row has."""
    absent = "k0 = 0 and k1 = 0"
    groups = frame.groupBy(*KEY).count()
    row = groups.selectExpr(
        f"sum(if({absent}, count, 0))",
        f"sum(if({absent}, 0, count - 1))",
    ).collect()[0]
    return int(row[0] or 0), int(row[1] or 0)


def _kept(owner: Any, frame: Any) -> Any:
    """The frame, kept in memory and on disk by Spark until its owner is let go."""
    from pyspark import StorageLevel

    kept = frame.persist(StorageLevel.MEMORY_AND_DISK)
    weakref.finalize(owner, _released, kept).atexit = False
    return kept


def _released(frame: Any) -> None:
    """Let go of a frame. A session that has ended has let go of its frames itself."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    with suppress(Py4JError, PySparkException, OSError):
        frame.unpersist()


class SparkRows:
    """The rows of one table, or of two tables joined by key, and their weights."""

    def __init__(
        self, frame: CodedFrame, rows: int, parts: int | None, weight: Weight | None = None
    ) -> None:
        self._owner = frame
        """Keeps the rows from being let go."""
        self.frame = frame.frame
        self.places = frame.places
        self.rows = rows
        self._parts = parts
        self._weight = weight
        self._sample: tuple[int, int, Local] | None = None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self._weight is not None

    @property
    def here(self) -> bool:
        """Rows are on workers, which share them among themselves."""
        return False

    @property
    def numbered(self) -> bool:
        """Spark's rows come in any order."""
        return False

    @property
    def fits_models(self) -> bool:
        """Spark ML does."""
        return True

    def scan(self, passes: Sequence[Pass]) -> Facts:
        """Fold the passes over all rows: in partitions, or by a shuffle where answers are keyed.

        Where the rows are few they are here.
        """
        if self._few is not None:
            return self._few.scan(passes)
        asked = list(dict.fromkeys(passes))
        with spark_errors("coded"):
            sums = self._folded([question for question in asked if not question.keyed])
            forms: dict[CellForm, list[Pass]] = {}
            for question in asked:
                if question.keyed:
                    form = CellForm.of(question, weighted=self.weighted)
                    forms.setdefault(form, []).append(question)
            for form, alike in forms.items():
                sums |= self._shuffled(form, alike)
        return finished(sums)

    def used(self, axes: Iterable[Axis]) -> tuple[Any, dict[str, str]]:
        """The columns that some axes look at."""
        names = {axis.column for axis in axes}
        if self._weight is not None:
            names.add(self._weight.column)
        places = {name: self.places[name] for name in names}
        here = [place for place in sorted(places.values()) if place in self.frame.columns]
        return self.frame.select(*(here or self.frame.columns[:1])), places

    def _folded(self, passes: Sequence[Pass]) -> dict[Pass, Any]:
        """One job for all of them."""
        if not passes:
            return {}
        frame, places = self.used(axis for question in passes for axis in question.seen)
        work = partial(fold_rows, passes=passes, places=places, weight=self._weight)
        total = summed(frame.mapInArrow(work, ANSWER), self._parts)
        return dict(zip(passes, total.value.each, strict=True))

    def _shuffled(self, form: CellForm, questions: Sequence[Pass]) -> dict[Pass, Any]:
        """One job for questions whose answers look alike; Spark adds up their cells by keys."""
        frame, places = self.used(axis for question in questions for axis in question.seen)
        work = partial(cells_of, questions=questions, places=places, weight=self._weight, form=form)
        cells = frame.mapInArrow(work, form.schema)
        keys = [QUESTION, *(f"w{i}" for i in range(form.keys))]
        sums = [c for c in cells.columns if c not in keys]
        added = cells.groupBy(*keys).agg(dict.fromkeys(sums, "sum"))
        added = added.selectExpr(*keys, *(f"`sum({c})` as {c}" for c in sums))
        found = added.limit(MOST_CLASSES + 1).toArrow()
        if found.num_rows > MOST_CLASSES:
            if len(questions) > 1:  # each may have few enough
                return {q: self._shuffled(form, [q])[q] for q in questions}
            return {
                questions[0]: Undefined(
                    say("there are more than {most_classes:,} classes", most_classes=MOST_CLASSES)
                )
            }
        columns = {c: found.column(c).to_numpy() for c in found.column_names}
        of = columns.pop(QUESTION)
        answers = {}
        for place, question in enumerate(questions):
            here = of == place
            answers[question] = form.answer({c: cells[here] for c, cells in columns.items()})
        return answers

    def logistic(self, other: Engine, features: tuple[Features, Features]) -> Floats:
        """Intercept and coefficients of the model that tells the other's rows from these."""
        from microgauge.engines.spark.logit import logistic

        assert isinstance(other, SparkRows)
        sides = [rows.used(f.seen) for rows, f in zip((self, other), features, strict=True)]
        with spark_errors("coded"):
            return logistic((sides[0], sides[1]), features)

    # -- samples -----------------------------------------------------------------------------

    def sample(self, most: int, seed: int, *, by_place: bool = False) -> Local:
        """All rows where they are not more, else about so many, chosen by hash, in memory."""
        assert not by_place  # rows have no order here, so no tables correspond by it
        if self._few is not None and self.rows <= most:
            return self._few
        if self._sample is None or self._sample[:2] != (most, seed):
            self._sample = (most, seed, self._sampled(most, seed))
        return self._sample[2]

    @cached_property
    def _few(self) -> Local | None:
        """All rows in memory where they are few; None where they stay in Spark."""
        return None if self._owner.fetched is None else self._in_memory(self._owner.fetched)

    def _sampled(self, most: int, seed: int) -> Local:
        with spark_errors("coded"):
            frame = self._chosen(most / self.rows, seed) if self.rows > most else self.frame
            return self._in_memory(frame.toArrow())

    def _in_memory(self, found: Any) -> Local:
        """Rows that were fetched."""
        columns = {
            name: found.column(place).to_numpy()
            for name, place in self.places.items()
            if place in found.column_names
        }
        units = None
        if KEY[0] in found.column_names:
            units = found.column(KEY[0]).to_numpy().view(np.uint64)
        # Spark's rows come in any order; results must not depend on it.
        last = [] if units is None else [units]
        order = np.lexsort([*last, *list(columns.values())[::-1]])
        codes: dict[str, Any] = {name: column[order] for name, column in columns.items()}
        zeros = np.zeros(len(order), dtype=np.int32)
        codes = {name: codes.get(name, zeros) for name in self.places}
        weights = None
        if self._weight is not None:
            weights = Looked(codes[self._weight.column], self._weight.numbers)
        return Local(codes, len(order), weights, units=None if units is None else units[order])

    def _chosen(self, share: float, seed: int) -> Any:
        if KEY[0] in self.frame.columns:
            bound = min(int(share * 2.0**64), (1 << 64) - 1)
            return self.frame.mapInArrow(
                partial(chosen_units, bound=bound, seed=seed), self.frame.schema
            )
        order = list(self.places.values())
        equal = self.frame.groupBy(*self.frame.columns).count()
        return equal.mapInArrow(
            partial(chosen_copies, order=order, share=share, seed=seed), self.frame.schema
        )
