"""Swapping: values change places between records, so that no distribution changes."""

from __future__ import annotations

import numpy as np

from microgauge.arrays import Floats, Index


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


def swapped(records: int, share: float, rng: np.random.Generator) -> Index:
    """Which record's values each record gets: a share of the records in pairs drawn at random."""
    pairs = round(share * records) // 2
    chosen = rng.permutation(records)[: 2 * pairs].reshape(2, pairs)
    found = np.arange(records)
    found[chosen[0]], found[chosen[1]] = chosen[1], chosen[0]
    return found
