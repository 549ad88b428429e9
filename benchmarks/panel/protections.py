"""Ways of protecting keys whose order is known: each is a further or wider distortion of another.

A protection is a name and a function from a data set and a seed to the protected table. Those of
one family draw the same numbers for the same seed, so that the weaker one's distortion is part of
the stronger one's: swaps of 5 % are among those of 10 %, noise is the same draw times another
factor. What `microgauge.mask` can do it does; the rest is a few lines of numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor, log10
from typing import Any
from zlib import crc32

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.panel.datasets import DataSet
from microgauge import mask

Make = Callable[[DataSet, int], pl.DataFrame]
Index = NDArray[np.intp]

MOST_BANDS = 12
EVERY = 3
"""Fine bands in a coarse one."""


@dataclass(frozen=True)
class Protection:
    """A named way from a data set and a seed to a protected table."""

    name: str
    make: Make
    seeded: bool = True
    """Whether there is chance in it."""
    aligned: bool = True
    """Whether its records are still somebody's: they have the column `unit`."""
    declared: Callable[[DataSet], dict[str, dict[str, Any]]] | None = None
    """What the schema says of variables because of it."""


def chance(seed: int, family: str) -> np.random.Generator:
    """The draws of a family: the same for all its members."""
    return np.random.default_rng([seed, crc32(family.encode())])


def masked(frame: pl.DataFrame, seed: int, **step: Any) -> pl.DataFrame:
    """One step of a recipe."""
    protected: pl.DataFrame = mask(frame, {"seed": seed, "step": [step]})
    return protected


def original(data: DataSet, seed: int) -> pl.DataFrame:
    """Nothing is changed."""
    return data.frame


# -- swaps: the pairs of a smaller share are the first of a larger one's ----------------------


def swapped_rows(rows: int, share: float, rng: np.random.Generator) -> Index:
    """Which record's values each record gets: a share of them in pairs, drawn one after another."""
    drawn = rng.permutation(rows)[: rows - rows % 2].reshape(-1, 2)
    pairs = drawn[: round(share * rows / 2)]
    found = np.arange(rows)
    found[pairs[:, 0]], found[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
    return found


def swap(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """A share of the records of every key by itself change values in pairs."""
    return swapped(data.frame, data.keys, seed, share)


def swapped(frame: pl.DataFrame, keys: Sequence[str], seed: int, share: float) -> pl.DataFrame:
    rng = chance(seed, "swap")
    return frame.with_columns(
        [frame[name].gather(swapped_rows(frame.height, share, rng)) for name in keys]
    )


def swap_together(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """A share of the records change all keys in pairs: as if people were exchanged."""
    rows = swapped_rows(data.rows, share, chance(seed, "swap together"))
    return data.frame.with_columns([data.frame[name].gather(rows) for name in data.keys])


def permute(data: DataSet, seed: int, count: int | None) -> pl.DataFrame:
    """The first keys, or all of them, in another order each."""
    rng = chance(seed, "permute")
    orders = {name: rng.permutation(data.rows) for name in data.keys}
    return data.frame.with_columns(
        [data.frame[name].gather(orders[name]) for name in data.keys[:count]]
    )


# -- noise, suppression, samples: `mask` draws alike for the same seed -----------------------


def noise(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """Normal noise on keys that are numbers: a share of their deviation, the same draws."""
    return masked(data.frame, seed, method="noise", variables=list(data.numbers), share=share)


def suppress(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """A share of the cells of every key made missing."""
    return masked(data.frame, seed, method="suppress", variables=list(data.keys), share=share)


def sample(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """A share of the records."""
    return masked(data.frame, seed, method="sample", share=share)


# -- coarser numbers: no chance --------------------------------------------------------------


def unit_of(numbers: pl.Series) -> float:
    """The power of ten next to a hundredth of the range: 1 for ages."""
    known = numbers.drop_nulls().to_numpy()
    return float(10.0 ** floor(log10((known.max() - known.min()) / 100) + 0.5))


def round_down(data: DataSet, seed: int, units: int) -> pl.DataFrame:
    """Keys that are numbers, down to multiples of 5, 10 or 50 units: each within the next."""
    return rounded(data.frame, {name: units * unit_of(data.frame[name]) for name in data.numbers})


def rounded(frame: pl.DataFrame, units: Mapping[str, float]) -> pl.DataFrame:
    """Down to multiples of a unit for each variable."""
    for name, unit in units.items():
        frame = masked(frame, 0, method="round", variable=name, unit=unit, mode="floor")
    return frame


def fine_breaks(numbers: pl.Series) -> list[float]:
    """Bands of two neighbouring values at least, about equally large, at most twelve."""
    known = np.sort(numbers.drop_nulls().to_numpy().astype(np.float64))
    values = np.unique(known)[::2]
    if len(values) <= MOST_BANDS:
        return [float(value) for value in values]
    wanted = np.quantile(known, np.arange(MOST_BANDS) / MOST_BANDS, method="lower")
    places = np.searchsorted(values, wanted, side="right") - 1
    return [float(value) for value in values[np.unique(places)]]


def bands(data: DataSet, seed: int, every: int) -> pl.DataFrame:
    """Keys that are numbers, in bands; coarse bands are fine ones put together."""
    return banded(data.frame, data.numbers, every)


def banded(frame: pl.DataFrame, names: Sequence[str], every: int) -> pl.DataFrame:
    """Numbers in bands whose labels are intervals."""
    for name in names:
        breaks = fine_breaks(frame[name])[::every]
        frame = masked(frame, 0, method="recode", variable=name, breaks=breaks)
    return frame


def top_codes(numbers: pl.Series) -> tuple[float, float]:
    """The values that nine and six of ten do not exceed; below the largest, and not the same."""
    known = numbers.drop_nulls().to_numpy().astype(np.float64)
    values = np.unique(known)
    high = min(_place(values, known, 0.9), len(values) - 2)
    low = min(_place(values, known, 0.6), high - 1)
    return float(values[max(high, 0)]), float(values[max(low, 0)])


def _place(values: NDArray[np.float64], known: NDArray[np.float64], share: float) -> int:
    return int(np.searchsorted(values, np.quantile(known, share, method="lower")))


def top(data: DataSet, seed: int, which: int) -> pl.DataFrame:
    """Keys that are numbers, at most their top code."""
    return top_coded(data.frame, data.numbers, which)


def top_coded(frame: pl.DataFrame, names: Sequence[str], which: int) -> pl.DataFrame:
    for name in names:
        limit = top_codes(frame[name])[which]
        frame = masked(frame, 0, method="top_bottom", variable=name, top=limit)
    return frame


def remove(data: DataSet, seed: int, count: int) -> pl.DataFrame:
    """Without the first keys."""
    return data.frame.drop(list(data.keys[:count]))


# -- records that are nobody's ---------------------------------------------------------------


def resample(data: DataSet, seed: int) -> pl.DataFrame:
    """Real records, drawn with replacement."""
    return data.frame.select(data.variables)[_drawn(data, seed)]


def _drawn(data: DataSet, seed: int) -> Index:
    return chance(seed, "resample").integers(0, data.rows, data.rows)


def independent(data: DataSet, seed: int) -> pl.DataFrame:
    """Every column drawn by itself."""
    return _synthetic(data, seed, "independent")


def trees(data: DataSet, seed: int) -> pl.DataFrame:
    """Columns drawn one after another from the leaves of trees on those before, keys first."""
    return _synthetic(data, seed, "trees")


def _synthetic(data: DataSet, seed: int, model: str) -> pl.DataFrame:
    frame = data.frame.select(data.variables)
    return masked(frame, seed, method="synthesise", variables=list(data.variables), model=model)


def copied(data: DataSet, seed: int, share: float) -> pl.DataFrame:
    """The first records of the resample, and independent columns below."""
    count = round(share * data.rows)
    return pl.concat([resample(data, seed)[:count], independent(data, seed)[count:]])


def all_permuted(data: DataSet, seed: int) -> pl.DataFrame:
    """Every column in another order, and nobody's."""
    return permuted(data.frame.select(data.variables), seed)


def permuted(frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    rng = chance(seed, "all permuted")
    return frame.select([column.gather(rng.permutation(frame.height)) for column in frame])


# -- one after another -----------------------------------------------------------------------


def suppress_swap(data: DataSet, seed: int) -> pl.DataFrame:
    """15 % of the key cells missing, then a tenth swapped, missing or not."""
    return swapped(suppress(data, seed, 0.15), data.keys, seed, 0.1)


def bands_swap(data: DataSet, seed: int) -> pl.DataFrame:
    """Fine bands, then a tenth swapped."""
    return swapped(bands(data, seed, 1), data.keys, seed, 0.1)


def bands_suppress(data: DataSet, seed: int) -> pl.DataFrame:
    """The same cells missing as in `suppress15`, the rest in fine bands."""
    frame = bands(data, seed, 1)
    return masked(frame, seed, method="suppress", variables=list(data.keys), share=0.15)


def sample_swap(data: DataSet, seed: int) -> pl.DataFrame:
    """Half of the records, a tenth of them swapped among each other."""
    return swapped(sample(data, seed, 0.5), data.keys, seed, 0.1)


def of_keys() -> list[Protection]:
    """All of this file: those that distort keep to the keys."""
    nobody = partial(Protection, aligned=False)
    certain = partial(Protection, seeded=False)
    return [
        certain("original", original),
        *(Protection(f"swap{p}", partial(swap, share=p / 100)) for p in (5, 10, 30)),
        *(Protection(f"swap_together{p}", partial(swap_together, share=p / 100)) for p in (10, 30)),
        *(Protection(f"noise{p}", partial(noise, share=p / 100)) for p in (10, 30, 100)),
        *(Protection(f"suppress{p}", partial(suppress, share=p / 100)) for p in (5, 15, 30)),
        *(certain(f"round{u}", partial(round_down, units=u)) for u in (5, 10, 50)),
        certain("bands_fine", partial(bands, every=1)),
        certain("bands_coarse", partial(bands, every=EVERY)),
        certain("top90", partial(top, which=0)),
        certain("top60", partial(top, which=1)),
        *(Protection(f"sample{p}", partial(sample, share=p / 100)) for p in (50, 10)),
        *(certain(f"remove{n}", partial(remove, count=n)) for n in (1, 2)),
        *(Protection(f"permute{n}", partial(permute, count=n)) for n in (1, 2)),
        Protection("permute_keys", partial(permute, count=None)),
        nobody("resample", resample),
        *(nobody(f"copied{p}", partial(copied, share=p / 100)) for p in (50, 10)),
        nobody("trees", trees),
        nobody("independent", independent),
        nobody("all_permuted", all_permuted),
        Protection("suppress15_swap10", suppress_swap),
        Protection("bands_fine_swap10", bands_swap),
        Protection("bands_fine_suppress15", bands_suppress),
        Protection("sample50_swap10", sample_swap),
    ]
