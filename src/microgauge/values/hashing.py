"""Numbers that look random but depend on values only: the same on every engine and in any order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.arrays import Hashes

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_WHOLE, _OTHER = np.uint64(0x5851F42D4C957F2D), np.uint64(0x14057B7EF767814F)
_EXACT = 2.0**63
_PLAIN_WHOLE, _ANY_WHOLE = r"^(0|[-+]?[1-9]\d{0,18})$", r"^[-+]?\d{1,19}$"
_DIGITS = r"^[-+]?\d+$"
_PADDED = r"^[-+]?0\d"
_TEXT_KEYS = ("microgauge key 0", "microgauge key 1")
"""pandas wants 16 characters."""


def small_seed(seed: int) -> int:
    """A seed of 32 bits, which is all that some programs take; small ones stay as they are.

    >>> small_seed(7), small_seed(2**64 - 2)
    (7, 1)
    """
    return seed if seed < 1 << 32 else (seed ^ (seed >> 32)) & 0xFFFFFFFF


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
    found = mixed(np.full(rows, small_seed(seed), dtype=np.uint64))
    for codes in columns:
        found = mixed(found ^ codes.astype(np.uint64))
    return found


def seeded(hashes: Hashes, seed: int) -> Hashes:
    """Other numbers for another seed."""
    return mixed(hashes ^ mixed(np.full(1, small_seed(seed), dtype=np.uint64)))


def places_hashed(start: int, stop: int) -> Hashes:
    """Hashes of row numbers, for rows that are told apart by their place."""
    return mixed(np.arange(start, stop, dtype=np.uint64))


def key_cells(series: pl.Series) -> pl.Series:
    """The cells of a key: whole numbers to the last digit, other numbers, or clean text."""
    series = series.alias("cells")  # to polars, a name such as * is a pattern
    dtype = series.dtype
    if dtype.is_integer():
        return series.cast(pl.Int64) if dtype != pl.UInt64 else series.cast(pl.String)
    if dtype in (pl.String, pl.Categorical, pl.Null) or isinstance(dtype, pl.Enum):
        return series.cast(pl.String).str.strip_chars().replace("", None)
    return series.to_physical().cast(pl.Float64).fill_nan(None)


def all_numbers(cells: pl.Series) -> bool:
    """Whether all are numbers, or texts that read as numbers."""
    if cells.dtype != pl.String:
        return True
    return cells.cast(pl.Float64, strict=False).null_count() == cells.null_count()


def key_words(cells: pl.Series, *, numbers: bool) -> Hashes:
    """Two numbers (2 × cells) that tell the cells of a key apart; both 0 where it is missing.

    A number has the same words whether it is held as a number or as text; text such as 007 counts
    as a number where all keys of both tables do (`numbers`). Whole numbers of 64 bits and
    other floating point numbers never share words; two texts do with a probability of n²/2¹²⁹.
    """
    found = np.zeros((2, len(cells)), dtype=np.uint64)
    wholes, others, texts = _parsed(cells, numbers=numbers)
    known = wholes.is_not_null().to_numpy()
    found[:, known] = _words(wholes.drop_nulls().to_numpy().view(np.uint64), _WHOLE)
    known = others.is_not_null().to_numpy()
    found[:, known] = _words(others.drop_nulls().to_numpy().view(np.uint64), _OTHER)
    if texts is not None:
        known = texts.is_not_null().to_numpy()
        found[:, known] = _text_words(texts.drop_nulls())
    return found


def _parsed(cells: pl.Series, *, numbers: bool) -> tuple[pl.Series, pl.Series, pl.Series | None]:
    """Cells as whole numbers, other numbers and texts; each null where the cell is another."""
    texts = None
    if cells.dtype == pl.String:
        plain = cells.str.contains(_PLAIN_WHOLE if not numbers else _ANY_WHOLE)
        wholes = _where(plain, cells).cast(pl.Int64, strict=False)
        parsed = cells.cast(pl.Float64, strict=False)
        # More digits than a whole number holds are text: a floating point number would lose some.
        number = parsed.is_finite() & ~cells.str.contains(_DIGITS)
        if not numbers:
            number &= ~cells.str.contains(_PADDED)
        others = _where(number, parsed)
        texts = _where(wholes.is_null() & others.is_null(), cells)
    elif cells.dtype == pl.Int64:
        return cells, cells.clear(len(cells)).cast(pl.Float64), None
    else:
        wholes, others = cells.clear(len(cells)).cast(pl.Int64), cells
    # 12.0 and 12 are one key.
    whole = (others == others.floor()) & (others.abs() < _EXACT)
    wholes = wholes.fill_null(_where(whole, others).cast(pl.Int64))
    return wholes, _where(~whole, others + 0.0), texts


def _where(chosen: pl.Series, cells: pl.Series) -> pl.Series:
    return pl.select(pl.when(chosen).then(cells)).to_series()


def _words(bits: Hashes, tag: np.uint64) -> Hashes:
    first = mixed(bits ^ tag)
    return np.stack([first, mixed(first ^ mixed(bits))])


def _text_words(texts: pl.Series) -> Hashes:
    from pandas.util import hash_array

    cells = np.array(texts.to_list(), dtype=object)
    return np.stack([hash_array(cells, hash_key=key, categorize=False) for key in _TEXT_KEYS])
