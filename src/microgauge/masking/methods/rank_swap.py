"""Rank swapping: numbers change places with others whose rank is near."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import numpy as np

from microgauge.arrays import Floats, Index
from microgauge.languages.messages import say
from microgauge.masking.step import ColumnUse, Look, Step
from microgauge.masking.table import Data
from microgauge.records import dataclass


def rank_swapped(values: Floats, window: int, rng: np.random.Generator) -> Index:
    """Which record's value each record gets: one at most `window` ranks away (Moore 1996).

    From the lowest rank up, each record that is still free changes with a free one drawn from the
    ranks above it within the window; one that finds none keeps its value.
    """
    order = np.argsort(values, kind="stable")
    free = np.ones(len(values), dtype=np.bool_)
    partner = np.arange(len(values))
    draws = rng.random(len(values))
    for rank in range(len(values)):
        if not free[rank]:
            continue
        above = np.flatnonzero(free[rank + 1 : rank + 1 + window])
        if not len(above):
            continue
        other = rank + 1 + int(above[int(draws[rank] * len(above))])
        partner[rank], partner[other] = other, rank
        free[rank] = free[other] = False
    found = np.empty(len(values), dtype=np.intp)
    found[order] = order[partner]
    return found


@dataclass(frozen=True, kw_only=True)
class RankSwap(Step):
    """Swap each number with one whose rank is near, every variable by itself."""

    method: ClassVar[str] = "rank_swap"
    takes: ClassVar[ColumnUse | None] = "number"

    window: float = field(default=0.0, metadata={"tried": (5, 20, 5)})
    """Ranks that a value may move, in per cent of the records."""

    def own_faults(self, look: Look) -> list[str]:
        """Up to 100 per cent."""
        if not isinstance(self.window, int | float) or not 0 < self.window <= 100:
            return [
                say("window must be a number above 0 and up to 100, in per cent of the records.")
            ]
        if self.window * look.rows / 100.0 + 1e-9 < 1:
            return [
                say(
                    "window = {window} % of {rows} records is less than one.",
                    window=f"{self.window:g}",
                    rows=look.rows,
                )
            ]
        return []

    def applied(self, data: Data, rng: np.random.Generator) -> Data:
        """Swapped; missing cells stay where they are."""
        for name in self.variables:
            numbers = data.numbers(name)
            here = np.flatnonzero(~np.isnan(numbers))
            window = int(self.window * len(here) / 100.0 + 1e-9)
            moved = np.arange(data.rows)
            moved[here] = here[rank_swapped(numbers[here], window, rng)]
            data = data.taken(name, moved)
        return data
