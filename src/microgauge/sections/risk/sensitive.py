"""Sensitive variables: what knowing the class of a person tells of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from microgauge.arrays import Counts, Index
from microgauge.engines.rounds import Asking, asked
from microgauge.errors import Undefined
from microgauge.languages.messages import say
from microgauge.measures.risk.compatible import compatible_values
from microgauge.measures.risk.diversity import Diversity, diversity, least_diverse
from microgauge.passes import Classes, Facts
from microgauge.results import SensitiveRisk
from microgauge.sections.risk.classes import KeyClasses, released
from microgauge.study.variable import Described
from microgauge.values.packing import MOST, distinct, packed, unpacked


@dataclass(eq=False)
class SensitiveValues:
    """The values of sensitive variables within each class."""

    classes: KeyClasses
    _facts: Facts = field(default_factory=lambda: Facts({}))

    def ask(self) -> Asking[None]:
        """The classes by each sensitive variable, from one round."""
        questions = list(self._questions.values())
        self._facts = yield from asked(self.classes.study.protected, questions)

    def results(self) -> tuple[SensitiveRisk, ...]:
        """l-diversity and t-closeness of every sensitive variable."""
        variables = self.classes.study.variables
        return tuple(self._diversity(v) for v in variables if v.role == "sensitive")

    @cached_property
    def _questions(self) -> dict[str, Classes]:
        """For each variable that the protected table has."""
        return {
            v.name: Classes((*self.classes.axes, released(v).axis(v.name)))
            for v in self.classes.study.variables
            if v.role == "sensitive" and v.protected is not None and not v.removed
        }

    def _diversity(self, variable: Described) -> SensitiveRisk:
        chosen = self.classes.chosen
        start: dict[str, Any] = {"c": chosen.c, "l_asked": chosen.l}
        if variable.name not in self._questions:
            return SensitiveRisk(name=variable.name, reason=say("removed"), **start)
        side = released(variable)
        try:
            found = self._worst(variable)
        except Undefined as why:
            return SensitiveRisk(name=variable.name, reason=str(why), **start)
        return SensitiveRisk(
            name=variable.name,
            distinct_l=found.distinct,
            entropy_l=found.entropy,
            recursive_l=found.recursive,
            satisfied=found.recursive >= chosen.l,
            t=found.t,
            reason=say("the variable is constant") if len(side.levels) == 1 else None,
            **start,
        )

    def _worst(self, variable: Described) -> Diversity:
        """Of the class that gives most away: the records that agree, or those compatible."""
        side, keys = released(variable), self.classes.table
        size = len(side.levels)
        how: dict[str, Any] = {
            "size": size,
            "ordered": side.type != "nominal",
            "c": self.classes.chosen.c,
        }
        levels, rows = self._known_cells(variable)
        full = [size + 1 for size in keys.sizes]
        # Cells are sorted by class, because the variable is the last of their axes.
        words, classes, _ = distinct(packed(list(levels[:, :-1].T), full), MOST)
        if not keys.missing_matches:
            return diversity(classes, levels[:, -1], rows, **how)
        how["table"] = np.bincount(levels[:, -1], rows, size).astype(np.int64)
        blocks = compatible_values(unpacked(words, full), levels, rows, [*keys.sizes, size])
        return least_diverse(diversity(b.classes, b.values, b.counts, **how) for b in blocks)

    def _known_cells(self, variable: Described) -> tuple[Index, Counts]:
        """Cells of classes × values that are not empty; missing values left out."""
        cells = self._facts[self._questions[variable.name]]
        size = len(released(variable).levels)
        levels = unpacked(cells.keys, self._questions[variable.name].sizes)
        known = levels[:, -1] < size
        return levels[known], cells.rows[known]
