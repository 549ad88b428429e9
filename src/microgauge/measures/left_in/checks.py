"""Check digits: numbers that are given to people and cards satisfy sums that others rarely do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from microgauge.arrays import Flags, Index

Digits = NDArray[np.int64]
"""Numbers × digits."""


def digits_of(texts: pl.Series) -> Digits:
    """The digits of texts of one length that hold nothing else."""
    joined = "".join(texts.to_list()).encode("ascii")
    return np.frombuffer(joined, dtype=np.uint8).astype(np.int64).reshape(len(texts), -1) - 48


def weighed(digits: Digits, weights: tuple[int, ...]) -> Index:
    """The sum of digits, each times its weight."""
    found: Index = digits[:, : len(weights)] @ np.array(weights)
    return found


def luhn(digits: Digits) -> Flags:
    """Payment cards (ISO/IEC 7812): from the right, every second digit counts double.

    >>> luhn(digits_of(pl.Series(["4111111111111111", "4111111111111112"]))).tolist()
    [True, False]
    """
    doubled = digits[:, -2::-2] * 2
    total = digits[:, ::-2].sum(axis=1) + (doubled - 9 * (doubled > 9)).sum(axis=1)
    found: Flags = total % 10 == 0
    return found


def pesel(digits: Digits) -> Flags:
    """Poland.

    >>> pesel(digits_of(pl.Series(["44051401359", "44051401358"]))).tolist()
    [True, False]
    """
    found: Flags = weighed(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0
    return found


def bsn(digits: Digits) -> Flags:
    """The Netherlands.

    >>> bsn(digits_of(pl.Series(["111222333", "111222334"]))).tolist()
    [True, False]
    """
    found: Flags = weighed(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0
    return found


def nif(digits: Digits) -> Flags:
    """Portugal.

    >>> nif(digits_of(pl.Series(["123456789", "123456788"]))).tolist()
    [True, False]
    """
    rest = weighed(digits, (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    found: Flags = digits[:, 8] == np.where(rest < 2, 0, 11 - rest)
    return found


def cpf(digits: Digits) -> Flags:
    """Brazil.

    >>> cpf(digits_of(pl.Series(["11144477735", "11144477736"]))).tolist()
    [True, False]
    """
    first = weighed(digits, tuple(range(10, 1, -1))) * 10 % 11 % 10
    second = weighed(digits, tuple(range(11, 1, -1))) * 10 % 11 % 10
    found: Flags = (digits[:, 9] == first) & (digits[:, 10] == second)
    return found


def fodselsnummer(digits: Digits) -> Flags:
    """Norway.

    >>> fodselsnummer(digits_of(pl.Series(["15076500565", "15076500566"]))).tolist()
    [True, False]
    """
    first = weighed(digits, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    second = weighed(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11
    found: Flags = (first == 0) & (second == 0)
    return found


def steuer_id(digits: Digits) -> Flags:
    """Germany (ISO/IEC 7064, MOD 11, 10).

    >>> steuer_id(digits_of(pl.Series(["86095742719", "86095742718"]))).tolist()
    [True, False]
    """
    product = np.full(len(digits), 10)
    for place in range(10):
        total = (digits[:, place] + product) % 10
        product = np.where(total == 0, 10, total) * 2 % 11
    found: Flags = digits[:, 10] == (11 - product) % 10
    return found


def nir(digits: Digits) -> Flags:
    """France: 97 less the rest of the first thirteen digits.

    >>> nir(digits_of(pl.Series(["255081416802538", "255081416802539"]))).tolist()
    [True, False]
    """
    rest = np.zeros(len(digits), dtype=np.int64)
    for place in range(13):
        rest = (rest * 10 + digits[:, place]) % 97
    found: Flags = digits[:, 13] * 10 + digits[:, 14] == 97 - rest
    return found


def ahv(digits: Digits) -> Flags:
    """Switzerland: 756, and the check digit of EAN-13.

    >>> ahv(digits_of(pl.Series(["7569217076985", "7569217076986"]))).tolist()
    [True, False]
    """
    starts = (digits[:, 0] == 7) & (digits[:, 1] == 5) & (digits[:, 2] == 6)
    found: Flags = starts & (weighed(digits, (1, 3) * 6 + (1,)) % 10 == 0)
    return found


def iban(texts: pl.Series) -> Flags:
    """Accounts (ISO 13616): letters as 10 to 35, first four signs last, 1 modulo 97.

    >>> iban(pl.Series(["GB82WEST12345698765432", "GB82WEST12345698765431"])).tolist()
    [True, False]
    """
    return np.array([_iban(text) for text in texts.to_list()], dtype=np.bool_)


def _iban(text: str) -> bool:
    turned = text[4:] + text[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


BY_LENGTH: dict[int, tuple[Callable[[Digits], Flags], ...]] = {
    9: (bsn, nif),
    11: (pesel, cpf, fodselsnummer, steuer_id),
    13: (ahv,),
    15: (nir, luhn),
    16: (luhn,),
}
"""Checks of numbers by how many digits they have."""
