"""How far units moved in several attributes at once (Kim 2025, "sets of numbers")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from microgauge.engines import ORIGINAL, PROTECTED
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.balance.losses import (
    bounded,
    euclidean_bound,
    manhattan_bound,
    mean_deviation,
    root_mean_square,
    with_suppressed,
)
from microgauge.passes import Distances, Facts
from microgauge.results import VectorUtility
from microgauge.sections.balance.attributes import Attribute
from microgauge.sections.loss.values import NOT_ALIGNED
from microgauge.study.study import Study
from microgauge.study.variable import Described


@dataclass(eq=False)
class Vectors:
    """The vectors that the schema names."""

    study: Study
    named: Sequence[tuple[str, ...]]
    _facts: Facts = field(default_factory=lambda: Facts({}))

    def ask(self) -> Asking[None]:
        """How far units moved, from one round; nothing without matched rows."""
        if self.study.matched is not None:
            questions = [self._question(names) for names in self.named if self._numbers(names)]
            self._facts = yield from asked(self.study.matched, questions)

    def results(self, attributes: Mapping[str, Attribute]) -> tuple[VectorUtility, ...]:
        """Distances and losses of every vector, or why it has none."""
        return tuple(self._result(names, attributes) for names in self.named)

    def _result(self, names: tuple[str, ...], attributes: Mapping[str, Attribute]) -> VectorUtility:
        try:
            known, compared, absolute, square = self._sums(names)
            manhattan = mean_deviation(absolute, int(compared))
            euclidean = root_mean_square(square, int(compared))
            largest = [attributes[name].largest() for name in names]
        except Undefined as why:
            return VectorUtility(variables=names, reason=str(why))
        figures: dict[str, Any] = {
            "variables": names,
            "manhattan": manhattan,
            "euclidean": euclidean,
            "manhattan_bound": manhattan_bound(largest),
            "euclidean_bound": euclidean_bound(largest),
            "compared": int(compared),
            "suppressed": 1.0 - compared / known,
        }
        try:
            for name in ("manhattan", "euclidean"):
                loss = bounded(figures[name], figures[f"{name}_bound"])
                figures[f"{name}_loss"] = with_suppressed(loss, figures["suppressed"])
        except Undefined as why:
            figures["reason"] = say("manhattan_loss, euclidean_loss: {why}", why=why)
        return VectorUtility(**figures)

    def _sums(self, names: tuple[str, ...]) -> tuple[float, float, float, float]:
        if self.study.matched is None:
            raise Undefined(NOT_ALIGNED)
        if not self._numbers(names):
            raise Undefined(say("not all are numbers in both tables"))
        known, compared, absolute, square = self._facts[self._question(names)].tolist()
        return known, compared, absolute, square

    def _variables(self, names: Sequence[str]) -> list[Described]:
        by_name = {v.name: v for v in self.study.variables}
        return [by_name[name] for name in names]

    def _numbers(self, names: Sequence[str]) -> bool:
        return all(
            v.continuous and not v.removed and not v.original.empty for v in self._variables(names)
        )

    def _question(self, names: Sequence[str]) -> Distances:
        pairs = []
        for variable in self._variables(names):
            assert variable.protected is not None
            sides = ((ORIGINAL, variable.original), (PROTECTED, variable.protected))
            before, after = (
                side.axis(prefix + variable.name, np.append(side.levels.numbers, 0.0))
                for prefix, side in sides
            )
            pairs.append((before, after))
        return Distances(tuple(pairs))
