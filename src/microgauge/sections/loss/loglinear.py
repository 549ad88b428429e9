"""The same log-linear model on both sides: is what categories have to do with each other kept?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from microgauge.arrays import Floats
from microgauge.engines.rounds import Asking, asked_both
from microgauge.errors import Undefined, listing
from microgauge.languages.messages import say
from microgauge.log import Log
from microgauge.measures.loss.loglinear import (
    MOST_CELLS,
    MOST_PARAMETERS,
    LogLinearModel,
    agreement,
    deviance,
    fit_both,
)
from microgauge.passes import Classes, Facts
from microgauge.records import dataclass
from microgauge.results.loss import LogLinearLoss, LogLinearTerm
from microgauge.sections.loss.choices import LossChoices
from microgauge.study.study import Study
from microgauge.values.packing import unpacked

UNASKED_CELLS = 5_000
UNASKED_PARAMETERS = 150
"""Up to which variables join a model that nobody asked for."""


@dataclass(frozen=True, eq=False)
class LogLinear:
    """Fits a log-linear model of the categories that both tables have."""

    study: Study
    log: Log
    categories: Sequence[str]
    """Variables with categories in both tables."""

    @cached_property
    def margins(self) -> tuple[tuple[str, ...], ...]:
        """The margins that the model keeps; all pairs of some variables unless they are named."""
        named = self.study.schema.of(LossChoices).loglinear
        return tuple(combinations(self._unasked(), 2)) if named is None else named

    def _unasked(self) -> list[str]:
        """The keys, or all variables with categories; those with few first, while there is room."""
        keys = [name for name in self.categories if name in self.study.schema.keys]
        among = keys if len(keys) > 1 else self.categories
        chosen: list[str] = []
        for name in sorted(among, key=lambda n: (self._size(n), n)):
            wider = [*chosen, name]
            sizes = tuple(self._size(n) for n in wider)
            model = LogLinearModel(sizes, tuple(combinations(range(len(wider)), 2)))
            if self._size(name) < 2:
                continue
            if model.cells > UNASKED_CELLS or model.parameters > UNASKED_PARAMETERS:
                break
            chosen = wider
        return chosen

    def _size(self, name: str) -> int:
        return self.study.placed[name].size

    @cached_property
    def names(self) -> list[str]:
        """The variables of the model."""
        return list(dict.fromkeys(name for margin in self.margins for name in margin))

    @property
    def model(self) -> LogLinearModel:
        """Sizes and margins by place."""
        return LogLinearModel(
            tuple(self._size(name) for name in self.names),
            tuple(tuple(sorted(self.names.index(n) for n in m)) for m in self.margins),
        )

    def check(self) -> None:
        """`Undefined` where the model cannot be fitted in both tables."""
        gone = [name for name in self.names if name not in self.categories]
        if gone:
            raise Undefined(say("no categories that both tables share: {gone}", gone=listing(gone)))
        if len(self.names) < 2:
            raise Undefined(say("fewer than two variables with categories"))
        alone = [name for name in self.names if self._size(name) < 2]
        if alone:
            raise Undefined(say("one category only: {alone}", alone=listing(alone)))
        cells = prod(self._size(name) for name in self.names)
        if cells > MOST_CELLS:
            raise Undefined(
                say(
                    "the model has {cells:,} cells, more than {most_cells:,}",
                    cells=cells,
                    most_cells=MOST_CELLS,
                )
            )
        if self.model.parameters > MOST_PARAMETERS:
            raise Undefined(
                say(
                    "the model has more than {most_parameters} parameters",
                    most_parameters=MOST_PARAMETERS,
                )
            )

    def _questions(self) -> list[Classes]:
        placed = [self.study.placed[name] for name in self.names]
        return [
            Classes(tuple(both.original_axis(both.name) for both in placed)),
            Classes(tuple(both.protected_axis(both.name) for both in placed)),
        ]

    def results(self) -> Asking[LogLinearLoss | None]:
        """Deviances and parameters of both sides; None where no model is wanted."""
        if self.study.schema.of(LossChoices).loglinear == ():
            return None
        start = LogLinearLoss(variables=tuple(self.names), margins=self.margins)
        try:
            self.check()
            questions = self._questions()
            facts = yield from asked_both(self.study.engines, [[q] for q in questions])
            counts = [self._counts(q, f) for q, f in zip(questions, facts, strict=True)]
            return self._compared(start, *counts)
        except Undefined as why:
            return replace(start, reason=str(why))

    def _counts(self, question: Classes, facts: Facts) -> Floats:
        """Complete records in every cell. Records, not weights: errors then are those of counts."""
        found = facts[question]
        sizes = self.model.sizes
        counts = np.zeros([size + 1 for size in sizes])
        levels = unpacked(found.keys, question.sizes)
        counts[tuple(levels.T)] = found.rows
        return counts[tuple(slice(0, size) for size in sizes)]

    def _compared(self, start: LogLinearLoss, before: Floats, after: Floats) -> LogLinearLoss:
        model = self.model
        original, protected, added = fit_both(model, before, after)
        scale = protected.counts.sum() / original.counts.sum()
        whole = agreement(original, protected, model.faces)
        return replace(
            start,
            cells=model.cells,
            parameters=model.parameters,
            added=added,
            units_original=int(before.sum()),
            units_protected=int(after.sum()),
            freedom=model.cells - model.parameters,
            deviance_original=original.deviance,
            deviance_protected=protected.deviance,
            deviance_under_original=deviance(protected.counts, original.means * scale),
            agreement=whole.same,
            same_sign=whole.same_sign,
            overlap=whole.overlap,
            rank_correlation=whole.rank_correlation,
            terms=tuple(
                LogLinearTerm(
                    variables=tuple(self.names[place] for place in face),
                    parameters=found.parameters,
                    agreement=found.same,
                    overlap=found.overlap,
                )
                for face in model.faces
                for found in (agreement(original, protected, [face]),)
            ),
            reason=None
            if whole.rank_correlation is not None
            else say("rank_correlation: all parameters of a side are equal"),
        )
