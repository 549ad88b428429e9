"""The rules by which a column is found to name people, the surest first.

What counts is what HIPAA's safe harbour lists (45 CFR 164.514(b)(2): names, addresses, dates with
their day, telephone, mail and account numbers, identifying numbers and codes) and what direct
identifiers are in the handbooks (Hundepool et al. 2012, section 1.1). No rule looks at meaning: a
column is found by how its values are spelt, by how many differ, and by its name.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from microgauge.measures.left_in.contents import FEW, MANY, Contents
from microgauge.measures.left_in.dates import dated
from microgauge.measures.left_in.names import named
from microgauge.measures.left_in.patterns import checked, spelt
from microgauge.records import dataclass

CELLS = 20
"""Filled cells below which different values say nothing."""
ALL_DIFFERENT = 0.9
"""Different values for each cell, above which nearly all differ."""
LONG_TEXT, LONG_NUMBER = 8, 9
"""Signs of a code, and digits of a number, that are long: amounts seldom have all the same length
beyond."""
SAME_LENGTH = 0.99
GROUP = 5
"""Records that may share a code that still names them: a household, a family."""
EXPECTED = 20.0
"""Pairs of equal whole numbers that chance must lead to expect before none says: these are given
out, each once. None where 20 are expected has a probability of e⁻²⁰."""
EVEN = 0.1
"""How far numbers that were given out may be from an even spread, as a share of their range."""

AMOUNT = (
    r"^[-+]?[$€£]? ?\d{1,3}([.,' ]?\d{3})*([.,]\d+)? ?[%€$£]?$|^[-+]?\d*[.,]?\d+([eE][-+]?\d+)?$"
)
CLOCK = r"^\d{1,2}:\d{2}(:\d{2})?([.,]\d+)?( ?[AaPp][Mm])?$"
BAND = r"^[\[(<>≤≥]|^-?[\d.,]+ ?(-|–|to|bis|à|a) ?-?[\d.,]+$|\d\+$"

MONTH = r"^\d{4}([-/.]?\d{1,2})?$|^\d{1,2}[-/.]\d{4}$"


@dataclass(frozen=True)
class Found:
    """What a column was found to be, and the share of its filled cells that show it.

    For spellings the share that is spelt so; else the share whose value no other record has.
    """

    code: str
    share: float


def found_in(contents: Contents) -> Found | None:
    """What a column was found to be, by the first rule that finds something."""
    if contents.distinct < FEW:
        return None
    for rule in RULES:
        found = rule(contents)
        if found is not None:
            return found
    return None


def by_spelling(contents: Contents) -> Found | None:
    """Mail, telephones, accounts, numbers with check digits, codes made by a computer."""
    found = spelt(contents) or checked(contents)
    return None if found is None else Found(*found)


def by_date(contents: Contents) -> Found | None:
    """Dates with their day."""
    share = dated(contents)
    return None if share is None else Found("date", share)


def by_place(contents: Contents) -> Found | None:
    """Degrees or metres by the name, and so fine that they tell a house."""
    kind = named(contents.name)
    if kind not in ("degrees", "metres") or contents.kind != "number" or not contents.many:
        return None
    numbers = contents.numbers
    if kind == "metres":
        return Found("coordinates", contents.alone) if np.ptp(numbers) >= 10_000 else None
    if np.abs(numbers).max() > 180:
        return None
    fine = np.abs(numbers * 100 - np.round(numbers * 100)) > 1e-6  # more than two decimals: 1 km
    share = contents.share(fine)
    return Found("coordinates", share) if share >= 0.5 else None


def by_prose(contents: Contents) -> Found | None:
    """Free text: five words or more on average, and at least every second one differs."""
    if contents.kind != "text" or contents.different < 0.5:
        return None
    words = contents.texts.str.count_matches(r"\S+").to_numpy()
    signs = contents.texts.str.len_chars().to_numpy()
    prose = (words >= 4) & (signs >= 20)
    usual = np.average(words, weights=contents.looked_rows) >= 5
    return Found("free-text", contents.share(prose)) if usual else None


def by_name(contents: Contents) -> Found | None:
    """The column is called so, and its values are as many as such a column has."""
    kind = named(contents.name)
    if kind is None or not contents.many or kind in ("degrees", "metres"):
        return None
    if not _as_called(kind, contents):
        return None
    return Found("called-person-id" if kind == "any-id" else f"called-{kind}", contents.alone)


def _as_called(kind: str, contents: Contents) -> bool:
    """Whether the values may be what the name says."""
    if kind in ("name", "address"):
        return contents.kind == "text" and not _mostly(contents, AMOUNT)
    if kind == "birth":
        return _dates_maybe(contents)
    countable = contents.kind == "text" or contents.whole or contents.width is not None
    return countable and contents.different >= 1 / (GROUP if kind == "any-id" else 2 * GROUP)


def _dates_maybe(contents: Contents) -> bool:
    """Neither years nor months: more different values than a life has years."""
    if contents.kind in ("date", "time"):
        return False  # looked at as dates already
    if contents.kind == "text":
        if _mostly(contents, BAND) or _mostly(contents, MONTH):
            return False
    elif contents.numbers.min() >= 1800 and contents.numbers.max() <= 2100:
        return False
    return contents.distinct > 150 or contents.different >= 0.5


def by_code(contents: Contents) -> Found | None:
    """Codes without a blank, long, with digits: one for every record, or for every few."""
    if contents.kind != "text" or contents.distinct < MANY or contents.different < 1 / GROUP:
        return None
    if _said(contents):
        return None
    texts = contents.texts
    long = (texts.str.len_chars() >= LONG_TEXT) & texts.str.contains(r"^\S*\d\S*$")
    return Found("code", contents.alone) if contents.share(long.to_numpy()) >= 0.95 else None


def by_difference(contents: Contents) -> Found | None:
    """Texts that are nearly all different."""
    if contents.kind != "text" or contents.filled < CELLS or _said(contents):
        return None
    return Found("text", contents.alone) if contents.different >= ALL_DIFFERENT else None


def by_number(contents: Contents) -> Found | None:
    """Whole numbers that were given out: they repeat less than chance would, or are long codes."""
    if contents.kind != "number" or contents.filled < CELLS:
        return None
    if contents.consecutive:
        return Found("running-number", 1.0)
    if not contents.whole:
        return None
    if given_out(contents):
        return Found("running-number", contents.alone)
    length = contents.texts.str.len_bytes().to_numpy()
    sizes, count = np.unique(length, return_counts=True)
    usual = int(sizes[count.argmax()])
    same = contents.share(length == usual)
    long = usual >= LONG_NUMBER and same >= SAME_LENGTH and contents.numbers.min() > 0
    return Found("code", contents.alone) if long and contents.different >= 0.95 else None


def given_out(contents: Contents) -> bool:
    """Whether whole numbers are a run, or a part of one: spread evenly, and hardly one repeated.

    Of n numbers drawn from R values on their own, n(n - 1)/2R pairs or more are equal on average,
    however they are distributed. Numbers that run up row by row have none. Amounts that a file
    was chosen to hold once each are not spread evenly.
    """
    if contents.distinct < CELLS:
        return False
    numbers, rows = np.asarray(contents.values), contents.rows
    step = int(np.gcd.reduce(np.diff(numbers).astype(np.int64)))
    places = float(numbers[-1] - numbers[0]) / step + 1.0
    pairs = float((rows * (rows - 1) / 2.0).sum())
    if places == contents.distinct and not pairs:
        return True
    expected = contents.filled * (contents.filled - 1) / (2.0 * places)
    even = np.linspace(numbers[0], numbers[-1], len(numbers))
    uneven = float(np.abs(numbers - even).max() / np.ptp(numbers))
    return expected >= EXPECTED and pairs <= (expected - EXPECTED) / EXPECTED and uneven <= EVEN


def _said(contents: Contents) -> bool:
    """Amounts, bands and hours are no codes, however they are written."""
    return _amounts(contents) or _mostly(contents, CLOCK) or _mostly(contents, BAND)


def _amounts(contents: Contents) -> bool:
    """Numbers with signs between their digits: without any, texts of digits are codes."""
    marked = contents.texts.str.contains(r"[-+.,' $€£%]").to_numpy()
    return _mostly(contents, AMOUNT) and contents.share(marked) >= 0.01


def _mostly(contents: Contents, spelling: str) -> bool:
    return contents.share(contents.texts.str.contains(spelling).to_numpy()) >= 0.9


RULES: tuple[Callable[[Contents], Found | None], ...] = (
    by_date,
    by_spelling,
    by_place,
    by_prose,
    by_name,
    by_code,
    by_number,
    by_difference,
)
