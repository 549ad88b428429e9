"""Numbers that look random but depend on values only: the same on every engine and in any order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_TEXT_KEYS = ("microgauge key 0", "microgauge key 1")
"""pandas wants 16 characters."""


def mixed(numbers: Hashes) -> Hashes:
    """The finisher of splitmix64: different numbers stay different."""
    found = numbers + _STEP
    found ^= found >> np.uint64(30)
    found *= _FIRST
    found ^= found >> np.uint64(27)
    found *= _SECOND
    found ^= found >> np.uint64(31)
    return found


def row_hashes(columns: Iterable[NDArray[Any]], rows: int, seed: int) -> Hashes:
    """A number for each row that depends on its codes in all columns."""
    found = np.full(rows, np.uint64(seed & 0xFFFFFFFF), dtype=np.uint64)
    for codes in columns:
        found = mixed(found ^ codes.astype(np.uint64))
    return found


def seeded(hashes: Hashes, seed: int) -> Hashes:
    """Other numbers for another seed."""
    return mixed(hashes ^ np.uint64(seed & 0xFFFFFFFF))


def key_words(values: NDArray[np.float64] | pl.Series, *, numbers: bool) -> Hashes:
    """Two numbers (2 × values) that tell the values of a key apart.

    A number has the same words whether it is held as a number or as text; text such as 007 counts
    as a number where all values of the table do (`numbers`). Numbers never share words; two texts
    do with a probability of about n²/2¹²⁹.
    """
    if not isinstance(values, pl.Series):
        return _number_words(values)
    parsed = values.cast(pl.Float64, strict=False)
    plain = parsed.is_not_null() & parsed.is_finite()
    if not numbers:
        plain &= ~values.str.contains(r"^[-+]?0\d")
    is_number = plain.fill_null(value=False).to_numpy()
    found = np.empty((2, len(values)), dtype=np.uint64)
    found[:, is_number] = _number_words(parsed.filter(is_number).to_numpy())
    found[:, ~is_number] = _text_words(values.filter(~is_number))
    return found


def all_numbers(values: NDArray[np.float64] | pl.Series) -> bool:
    """Whether all are numbers, or texts that read as numbers."""
    if not isinstance(values, pl.Series):
        return True
    return values.cast(pl.Float64, strict=False).null_count() == 0


def _number_words(numbers: NDArray[np.float64]) -> Hashes:
    bits = (numbers + 0.0).view(np.uint64)
    first = mixed(bits)
    return np.stack([first, mixed(first ^ bits)])


def _text_words(texts: pl.Series) -> Hashes:
    from pandas.util import hash_array

    cells = np.array(texts.to_list(), dtype=object)
    return np.stack([hash_array(cells, hash_key=key, categorize=False) for key in _TEXT_KEYS])
