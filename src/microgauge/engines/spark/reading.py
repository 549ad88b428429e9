"""From a Spark data frame to a table whose rows are codes in Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from microgauge.engines.spark.rows import CodedFrame, summed
from microgauge.engines.spark.session import spark_errors
from microgauge.engines.spark.sources import opened
from microgauge.engines.spark.work import ANSWER, KEY, Found, code_rows, read_values
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.tables import Column, Reading, Table
from microgauge.tables.column import LeftOut
from microgauge.tables.dictionary import Dictionary
from microgauge.tables.streaming import KeyFacts, key_column, told_apart

Progress = Callable[[str, float], None]


def read_frame(source: Any, *, which: str, reading: Reading | None, progress: Progress) -> Table:
    """A table whose rows are codes in Spark."""
    if reading is None:
        reading = Reading(memory=0)
    session = reading.session if reading.session is not None else source.sparkSession
    with spark_errors(which):
        name, frame, names, lines = opened(source, session, which)
        found = _Reader(frame, names, name, which, reading, progress).table()
        return replace(found, lines=lines)


class _Reader:
    def __init__(
        self,
        frame: Any,
        names: Sequence[str],
        name: str,
        which: str,
        reading: Reading,
        progress: Progress,
    ) -> None:
        self._name = name
        self._which = which
        self._reading = reading
        self._progress = progress
        self._unsupported: dict[str, LeftOut] = {}
        if len(set(names)) != len(names):
            raise InputError(
                say(
                    "the {which} table {name} has more than one column of one name.",
                    which=which,
                    name=name,
                )
            )
        for column, field in zip(names, frame.schema.fields, strict=True):
            if _is_nested(field.dataType):
                self._unsupported[column] = LeftOut.nested(field.dataType.typeName())
        self.places = {
            name: f"c{i}" for i, name in enumerate(names) if name not in self._unsupported
        }
        # Names of columns may hold anything; Spark's own language must not read them.
        self._frame = frame.toDF(*(self.places.get(n, f"x{i}") for i, n in enumerate(names)))
        self._frame = self._frame.select(*self.places.values())
        self._key = reading.key if reading.key in self.places else None

    def table(self) -> Table:
        if not self.places:
            raise InputError(
                say("the {which} table {name} has no columns.", which=self._which, name=self._name)
            )
        self._progress(say("reading the {which} table", which=self._which), 0.0)
        plain = Reading(
            memory=0,
            key=self._key,
            distinct=self._reading.distinct,
            missing=self._reading.missing,
        )
        answers = self._frame.mapInArrow(
            partial(read_values, names=self.places, reading=plain), ANSWER
        )
        total = summed(answers, None)
        if not total.known:
            raise InputError(
                say("the {which} table {name} has no rows.", which=self._which, name=self._name)
            )
        found: Found = total.value
        dictionaries, left_out = told_apart(found.facts)
        self._unsupported |= left_out
        key = None if self._key is None else found.facts[self._key]
        frame = CodedFrame(
            self._coded(key, dictionaries),
            self._coded_places(dictionaries),
            found.rows,
            which=self._which,
            numbers=key is not None and key.numbers,
            as_texts=lambda: self._coded(KeyFacts(numbers=False), dictionaries),
        )
        columns: dict[str, Column] = {}
        for name in self.places:
            if name == self._key:
                columns[name] = key_column(found.rows)
            elif name in dictionaries:
                columns[name] = dictionaries[name].column(np.empty(0, dtype=np.uint8))
        return Table(self._name, found.rows, columns, self._unsupported, frame=frame)

    def _coded_places(self, dictionaries: Mapping[str, Dictionary]) -> dict[str, str]:
        return {n: p for n, p in self.places.items() if n in dictionaries or n == self._key}

    def _coded(self, facts: KeyFacts | None, dictionaries: Mapping[str, Dictionary]) -> Any:
        self._progress(say("coding the {which} table", which=self._which), 0.0)
        columns = [f"{self.places[name]} int" for name in dictionaries]
        key = None
        if self._key is not None and facts is not None:
            columns += [f"{word} bigint" for word in KEY]
            key = (self.places[self._key], facts)
        return self._frame.mapInArrow(
            partial(code_rows, dictionaries=dictionaries, places=self.places, key=key),
            ", ".join(columns),
        )


def _is_nested(kind: Any) -> bool:
    return kind.typeName() in ("array", "map", "struct", "binary", "variant", "udt")
