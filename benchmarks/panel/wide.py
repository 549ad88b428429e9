"""Ways of protecting all variables, not the keys alone: files whose utility is in a known order.

On the keys their draws are those of `protections.py`, so that `wide_swap10` is a wider distortion
of `swap10`.
"""

from __future__ import annotations

from functools import partial
from math import floor, log10
from string import ascii_uppercase
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.panel import protections as keys_only
from benchmarks.panel.datasets import DataSet
from benchmarks.panel.protections import (
    EVERY,
    Protection,
    banded,
    chance,
    fine_breaks,
    masked,
    permuted,
    rounded,
    swapped,
    top_coded,
)

REST = 1_000
"""Added to the seed of noise on variables that are no keys."""
STEPS = (1, 2, 5)
CENTRAL = (0.05, 0.95)
"""Numbers' spread is between these quantiles: a few large incomes do not make all others 0."""
GROUPS = 3
"""Groups of each variable among whose records a pair is broken."""
OTHERS = 3
"""Relations that a broken pair leaves."""
Index = NDArray[np.intp]


def swap(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """A share of the records of every variable by itself change values in pairs."""
    return swapped(data.frame, data.variables, seed, share)


def noise(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """Normal noise on all numbers: a share of their deviation, the same draws for all shares."""
    frame = keys_only.noise(data, seed, share)
    rest = [name for name in data.all_numbers if name not in data.keys]
    if not rest:
        return frame
    return masked(frame, seed + REST, method="noise", variables=rest, share=share)


def suppress(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """A share of the cells of every variable made missing."""
    return masked(data.frame, seed, method="suppress", variables=list(data.variables), share=share)


# -- coarser numbers: no chance --------------------------------------------------------------


def unit_of(numbers: pl.Series) -> float:
    """The largest of 1, 2 or 5 times a power of ten that is no more than 1 % of the spread."""
    known = numbers.drop_nulls().to_numpy().astype(np.float64)
    low, high = np.quantile(known, CENTRAL)
    spread = float(high - low) or float(known.max() - known.min())
    power = 10.0 ** floor(log10(spread / 100))
    return max(step * power for step in STEPS if step * power <= spread / 100)


def round_down(data: DataSet, seed: int, units: int) -> pl.DataFrame:
    """All numbers, down to multiples of 5, 10 or 50 units: each within the next."""
    return rounded(data.frame, _units(data, units))


def _units(data: DataSet, units: int) -> dict[str, float]:
    return {name: units * unit_of(data.frame[name]) for name in data.all_numbers}


def bands(data: DataSet, seed: int, every: int) -> pl.DataFrame:
    """All numbers in bands whose labels are intervals; coarse bands are fine ones put together."""
    return banded(data.frame, data.all_numbers, every)


def named_bands(data: DataSet, seed: int, every: int) -> pl.DataFrame:
    """The same bands with letters as labels: what they mean is declared."""
    frame = data.frame
    for name, recode in _declared(data, every).items():
        frame = masked(frame, seed, method="recode", variable=name, **recode["recode"])
    return frame


def _declared(data: DataSet, every: int) -> dict[str, dict[str, Any]]:
    """The breaks of all numbers as a schema has them; letters from the end of the alphabet."""
    found = {}
    for name in data.all_numbers:
        breaks = fine_breaks(data.frame[name])[::every]
        labels = list(ascii_uppercase[::-1][: len(breaks)])
        found[name] = {"recode": {"breaks": breaks, "labels": labels}}
    return found


def top(data: DataSet, seed: int, which: int) -> pl.DataFrame:
    """All numbers, at most their top code."""
    return top_coded(data.frame, data.all_numbers, which)


# -- one pair broken -------------------------------------------------------------------------


def pair_broken(data: DataSet, seed: int) -> pl.DataFrame:
    """The first key no longer goes with the variable that it goes with most.

    It is permuted among records that are in the same groups of the three variables that it goes
    with most after that one: what it has in common with these stays, in three groups each.
    """
    name = data.keys[0]
    strata = _strata(data, _by_association(data, name)[1 : 1 + OTHERS])
    rng, found = chance(seed, "pair broken"), np.arange(data.rows)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        found[rows] = rng.permutation(rows)
    return data.frame.with_columns(data.frame[name].gather(found))


def _by_association(data: DataSet, name: str) -> list[str]:
    """All other variables, those first whose groups go with its groups most (Cramér's V)."""
    own = groups(data.frame[name], name in data.all_numbers)
    found = {
        other: _cramers_v(own, groups(data.frame[other], other in data.all_numbers))
        for other in data.variables
        if other != name
    }
    return sorted(found, key=lambda other: -found[other])


def groups(cells: pl.Series, number: bool) -> Index:
    """Thirds of numbers; the most frequent two categories and the rest; missing by itself."""
    if number:
        values = cells.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        ends = np.nanquantile(values, np.arange(1, GROUPS) / GROUPS)
        found = np.searchsorted(ends, values, side="left")
    else:
        counts = cells.drop_nulls().value_counts().sort(["count", cells.name], descending=True)
        most = counts[cells.name].to_list()[: GROUPS - 1]
        places = {value: place for place, value in enumerate(most)}
        found = np.array([places.get(value, GROUPS - 1) for value in cells.to_list()])
    found[cells.is_null().to_numpy()] = GROUPS
    return found.astype(np.intp)


def _cramers_v(a: Index, b: Index) -> float:
    counts = np.zeros((GROUPS + 1, GROUPS + 1))
    np.add.at(counts, (a, b), 1)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    least = min(counts.shape) - 1
    squares = float(((counts - expected) ** 2 / expected).sum())
    return (squares / (counts.sum() * least)) ** 0.5 if least else 0.0


def _strata(data: DataSet, names: list[str]) -> Index:
    found = np.zeros(data.rows, dtype=np.intp)
    for name in names:
        found = found * (GROUPS + 1) + groups(data.frame[name], name in data.all_numbers)
    return found


# -- one after another -----------------------------------------------------------------------


def trees_permuted(data: DataSet, seed: int) -> pl.DataFrame:
    """The records of `trees`, every column in another order."""
    return permuted(keys_only.trees(data, seed), seed)


def swap_remove(data: DataSet, seed: int) -> pl.DataFrame:
    """A tenth swapped, without the first key."""
    return swap(data, seed, 0.1).drop(data.keys[0])


def bands_swap(data: DataSet, seed: int) -> pl.DataFrame:
    """Fine bands, then a tenth of all variables swapped."""
    return swapped(bands(data, seed, 1), data.variables, seed, 0.1)


def suppress_swap(data: DataSet, seed: int) -> pl.DataFrame:
    """15 % of the cells missing, then a tenth swapped, missing or not."""
    return swapped(suppress(data, seed, 0.15), data.variables, seed, 0.1)


def sample_swap(data: DataSet, seed: int) -> pl.DataFrame:
    """Half of the records, a tenth of them swapped among each other in all variables."""
    return swapped(keys_only.sample(data, seed, 0.5), data.variables, seed, 0.1)


def noise_round(data: DataSet, seed: int) -> pl.DataFrame:
    """A little noise, then rounded down to multiples of 50 units."""
    return rounded(noise(data, seed, 0.1), _units(data, 50))


def of_all_variables() -> list[Protection]:
    """All of this file."""
    certain = partial(Protection, seeded=False)
    return [
        *(Protection(f"wide_swap{p}", partial(swap, share=p / 100)) for p in (5, 10, 30)),
        *(Protection(f"wide_noise{p}", partial(noise, share=p / 100)) for p in (10, 30, 100)),
        *(Protection(f"wide_suppress{p}", partial(suppress, share=p / 100)) for p in (5, 15, 30)),
        *(certain(f"wide_round{u}", partial(round_down, units=u)) for u in (5, 10, 50)),
        *(
            made
            for name, every in (("fine", 1), ("coarse", EVERY))
            for made in (
                certain(f"wide_bands_{name}", partial(bands, every=every)),
                certain(
                    f"named_bands_{name}",
                    partial(named_bands, every=every),
                    declared=partial(_declared, every=every),
                ),
            )
        ),
        certain("wide_top90", partial(top, which=0)),
        certain("wide_top60", partial(top, which=1)),
        Protection("pair_broken", pair_broken),
        Protection("trees_permuted", trees_permuted, aligned=False),
        Protection("wide_swap10_remove1", swap_remove),
        Protection("wide_bands_fine_swap10", bands_swap),
        Protection("wide_suppress15_swap10", suppress_swap),
        Protection("sample50_wide_swap10", sample_swap),
        Protection("wide_noise10_round50", noise_round),
    ]
