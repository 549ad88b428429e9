"""Dates with their day: of birth, of admission, of death."""

from __future__ import annotations

import numpy as np
import polars as pl

from microgauge.arrays import Flags, Index
from microgauge.measures.left_in.contents import Contents

MOST = 0.9
"""Share of the cells that must be dates."""
NEARLY_ALL = 0.99
"""The same for whole numbers such as 19840312, which may be anything."""
DAYS_OF_MONTH = 6
"""Fewer different days of the month are those of months and quarters, not of single days."""
FIRST_YEAR, LAST_YEAR = 1850, 2100
SECONDS = 86_400

_TIME = r"(?:[ T]+\d{1,2}[:.]\d{2}.*)?$"
_YEAR_FIRST = rf"^(?P<y>\d{{4}})[-/. ](?P<a>\d{{1,2}})[-/. ](?P<b>\d{{1,2}}){_TIME}"
_YEAR_LAST = rf"^(?P<a>\d{{1,2}})[-/. ]+(?P<b>\d{{1,2}})[-/. ]+(?P<y>\d{{4}}|\d{{2}}){_TIME}"
_MONTH_NAMED = rf"^(?P<a>\d{{1,2}})(?:st|nd|rd|th|er)?[-. ]*(?:de )?(?P<m>\pL{{3,10}})\.?[-, ]*(?:de )?(?P<y>\d{{4}}){_TIME}"  # noqa: E501
_MONTH_FIRST = rf"^(?P<m>\pL{{3,10}})\.? (?P<a>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}}){_TIME}"
_DIGITS = r"^(?P<y>\d{4})(?P<a>\d{2})(?P<b>\d{2})$"
_DIGITS_LAST = r"^(?P<a>\d{2})(?P<b>\d{2})(?P<y>\d{4})$"
_MONTHS = [
    "jan",
    "gen",
    "ene",
    "feb",
    "fev",
    "fév",
    "mar",
    "mär",
    "mrt",
    "maa",
    "apr",
    "avr",
    "abr",
    "mai",
    "may",
    "mag",
    "mei",
    "maj",
    "jun",
    "jui",
    "giu",
    "jul",
    "lug",
    "aug",
    "aoû",
    "aou",
    "ago",
    "sep",
    "set",
    "oct",
    "okt",
    "out",
    "ott",
    "nov",
    "dec",
    "dez",
    "dic",
    "déc",
]
"""How months begin in the languages of western Europe."""


def dated(contents: Contents) -> float | None:
    """Share of the cells that are dates with a day; None where these are few, or whole months.

    Days of the month must differ, so that months written as their first day are none; and there
    must be many different dates, so that the days of a survey's waves are none.
    """
    if contents.kind in ("date", "time"):
        return _of_days(contents)
    if contents.kind == "text":
        spellings = (_YEAR_FIRST, _YEAR_LAST, _MONTH_NAMED, _MONTH_FIRST)
        found = [_spelt(contents, spelling, MOST) for spelling in spellings]
        found += [_spelt(contents, spelling, NEARLY_ALL) for spelling in (_DIGITS, _DIGITS_LAST)]
        return max((share for share in found if share is not None), default=None)
    return _spelt(contents, _DIGITS, NEARLY_ALL) if contents.whole else None


def _of_days(contents: Contents) -> float | None:
    unit = 1 if contents.kind == "date" else SECONDS
    days = np.unique(np.floor_divide(contents.numbers, unit)).astype("datetime64[D]")
    in_month = days - days.astype("datetime64[M]")
    return 1.0 if _many(contents, len(days), len(np.unique(in_month))) else None


def _many(contents: Contents, days: int, in_month: int) -> bool:
    """Whether there are many different dates, on many days of the month."""
    enough = days >= 50 or (days >= 10 and days >= contents.filled / 2)
    return enough and in_month >= DAYS_OF_MONTH


def _spelt(contents: Contents, spelling: str, least: float) -> float | None:
    """Share of the cells that one spelling reads as dates."""
    parts = contents.texts.str.extract_groups(spelling).struct.unnest()
    year = parts["y"].cast(pl.Int64, strict=False).fill_null(-1).to_numpy()
    a, b = (_number(parts, name) for name in ("a", "b"))
    here = (year >= 0) & ((year < 100) | ((year >= FIRST_YEAR) & (year <= LAST_YEAR)))
    if "m" in parts.columns:
        starts = parts["m"].str.to_lowercase().str.slice(0, 3)
        here &= starts.is_in(_MONTHS).fill_null(value=False).to_numpy() & _within(a, 31)
    else:
        here &= (_within(a, 12) & _within(b, 31)) | (_within(a, 31) & _within(b, 12))
    share = contents.share(here)
    if share < least:
        return None
    days = parts.filter(pl.Series(here)).n_unique()
    in_month = max(len(np.unique(a[here])), len(np.unique(b[here])))
    return share if _many(contents, days, in_month) else None


def _number(parts: pl.DataFrame, name: str) -> Index:
    if name not in parts.columns:
        return np.zeros(parts.height, dtype=np.int64)
    return parts[name].cast(pl.Int64, strict=False).fill_null(-1).to_numpy()


def _within(numbers: Index, last: int) -> Flags:
    found: Flags = (numbers >= 1) & (numbers <= last)
    return found
