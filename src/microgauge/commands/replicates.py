"""Utilities measured again without each group of units, for those that have no replicates.

The seam: a section that can say what its figure is without each group gives `replicates`, and is
taken at its word. All others are measured again, group by group, on files small enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from polars.selectors import by_name

from microgauge.arrays import Index
from microgauge.commands.assess import Original, assess_against, read_original
from microgauge.commands.wanted import Wanted
from microgauge.errors import InputError, Undefined
from microgauge.languages.messages import say
from microgauge.log import Progress, silent
from microgauge.measures.balance.jackknife import GROUPS
from microgauge.results import Candidate
from microgauge.results.figures import map_utility, utility_sections
from microgauge.schema import Schema
from microgauge.schema.limits import RankChoices
from microgauge.sections.requirements.holding import measures_of
from microgauge.tables import read_held
from microgauge.values.hashing import key_cells, key_words, mixed

MOST_ROWS = 1_000
"""Rows of a table that is measured 30 times more without being asked to."""
MOST_CANDIDATES = 12
"""Candidates that are measured again, the most useful first."""
TOO_LARGE = say(
    "beyond {most_rows:,} rows that takes long, as the utility is measured again "
    "without each of {groups} groups; [rank] jackknife = true does so",
    most_rows=MOST_ROWS,
    groups=GROUPS,
)


@dataclass(eq=False)
class MeasuredAgain:
    """Measures a utility again without each group, once for each candidate."""

    original: Any
    source: Callable[[str], Any]
    """The table of a candidate by its name."""
    schema: Schema
    progress: Progress = silent
    _parts: list[Original] = field(default_factory=list)
    _asked: set[str] = field(default_factory=set)

    @staticmethod
    def of(
        original: Any, source: Callable[[str], Any], schema: Schema, progress: Progress
    ) -> MeasuredAgain:
        """Of tables that are read when they are asked for."""
        return MeasuredAgain(original, source, _plain(schema), progress)

    def replicates(self, candidate: Candidate) -> list[float]:
        """Its utility without each group of units; `Undefined` where that is not measured."""
        chosen = self.schema.of(RankChoices).jackknife
        if chosen is False:
            raise Undefined(say("[rank] jackknife is false"))
        inputs = candidate.assessment.inputs
        if chosen is None and max(inputs.original.rows, inputs.protected.rows) > MOST_ROWS:
            raise Undefined(TOO_LARGE)
        self._asked.add(candidate.name)
        if len(self._asked) > MOST_CANDIDATES:
            raise Undefined(
                say(
                    "only the {most_candidates} most useful are measured again",
                    most_candidates=MOST_CANDIDATES,
                )
            )
        try:
            return self._measured(candidate)
        except InputError as error:
            raise Undefined(
                say("a part of the file cannot be measured: {error}", error=error)
            ) from None

    def _measured(self, candidate: Candidate) -> list[float]:
        frame = read_held(self.source(candidate.name), "protected").frame()
        places = self._places(candidate, frame)
        aligned = candidate.assessment.inputs.alignment.aligned
        schema = replace(self.schema, options=replace(self.schema.options, aligned=aligned))
        utility = measures_of(self.schema).utility
        wanted = Wanted(frozenset(utility_sections(utility)))
        found = []
        for group in range(GROUPS):
            self.progress(
                say("{name}: without group {group}", name=candidate.name, group=group + 1),
                group / GROUPS,
            )
            left = frame.filter(places != group)
            result = assess_against(self._original(group), left, schema, wanted, silent)
            found.append(map_utility(result, utility))
        return found

    def _places(self, candidate: Candidate, frame: pl.DataFrame) -> Index:
        """The group of each protected row: that of its unit, where units are known."""
        alignment = candidate.assessment.inputs.alignment
        key = self.schema.options.key
        if alignment.aligned and alignment.how == "key" and key in frame.columns:
            return unit_groups(frame.select(by_name(key)))
        if alignment.aligned and frame.height == len(self._groups):
            return self._groups
        return unit_groups(frame)

    @cached_property
    def _frame(self) -> pl.DataFrame:
        return read_held(self.original, "original").frame()

    @cached_property
    def _groups(self) -> Index:
        key = self.schema.options.key
        known = self._frame if key not in self._frame.columns else self._frame.select(by_name(key))
        return unit_groups(known)

    def _original(self, group: int) -> Original:
        """The original without a group, read once for all candidates."""
        while len(self._parts) <= group:
            left = self._frame.filter(self._groups != len(self._parts))
            self._parts.append(read_original(left, self.schema, silent))
        return self._parts[group]


def _plain(schema: Schema) -> Schema:
    """Without what a utility does not need: what intruders hold, and what they get."""
    bare = {"external": None, "population": None, "holdout": None, "measure": "classes"}
    return schema.changed(risk=replace(schema.risk, **bare))


def unit_groups(frame: pl.DataFrame) -> Index:
    """A group for each row by what it holds, whatever the order of rows and columns."""
    found = np.zeros(frame.height, dtype=np.uint64)
    for name in frame.columns:
        named = key_words(pl.Series([f"column {name}"]), numbers=False)[0]
        cells = key_cells(frame[name])
        found += mixed(key_words(cells, numbers=False)[0] ^ named)
    groups: Index = (mixed(found) % np.uint64(GROUPS)).astype(np.int64)
    return groups
