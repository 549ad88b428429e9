"""Spellings of what names people: addresses of mail and machines, telephones, accounts, numbers."""

from __future__ import annotations

import numpy as np
import polars as pl

from microgauge.arrays import Flags
from microgauge.measures.left_in.checks import BY_LENGTH, digits_of, iban
from microgauge.measures.left_in.contents import FEW, Contents
from microgauge.records import dataclass

SURE = 0.95
"""Share of the cells that must satisfy a check digit, which one number in ten does by chance."""


@dataclass(frozen=True)
class Pattern:
    """A spelling, and how much of it must be there."""

    code: str
    spelling: str
    least: float
    """Share of the filled cells that must be spelt so."""
    digits: int = 0
    """Digits that a text must have."""

    def matches(self, texts: pl.Series) -> Flags:
        """Which texts are spelt so."""
        found = texts.str.contains(self.spelling)
        if self.digits:
            found &= texts.str.count_matches(r"\d") >= self.digits
        return found.to_numpy()


EMAIL = r"(?i)[a-z0-9._%+'-]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z]{2,}"
URL = r"(?i)\b(https?://|www\.)[a-z0-9-]+\.[a-z0-9-]+"
_BYTE = r"(25[0-5]|2[0-4]\d|1?\d?\d)"
IP = rf"^({_BYTE}\.){{3}}{_BYTE}$|^([0-9a-fA-F]{{1,4}}:){{4,7}}[0-9a-fA-F:]{{1,4}}$"
MAC = r"^([0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}$"
PHONE = (
    r"^(\+|00)[1-9]\d{0,2}[ ./-]?(\(\d{1,5}\))?([ ./-]?\d{2,}){2,6}$"  # +49 30 1234567
    r"|^\(0\d{1,5}\) ?\d{2,}([ ./-]?\d{2,}){0,4}$"  # (030) 1234567
    r"|^0\d{1,4}[ ./-]\d{2,}([ ./-]?\d{2,}){0,5}$"  # 06 12 34 56 78, 030/1234567
    r"|^(\+?1[ .-]?)?(\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}$"  # (907) 555-0123
)
HASH = (
    r"^\{?[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\}?$"  # UUID
    r"|^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{128})$"
    r"|^([0-9A-F]{32}|[0-9A-F]{40}|[0-9A-F]{56}|[0-9A-F]{64}|[0-9A-F]{128})$"
)
NATIONAL = (
    r"^\d{3}-\d{2}-\d{4}$"  # United States
    r"|^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]$"  # United Kingdom
    r"|^(\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z]$"  # Spain
    r"|^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]$"  # Italy
    r"|^\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]$"  # Finland, Denmark, Sweden
    r"|^\d{8}[-+]\d{4}$"  # Sweden
    r"|^756\.\d{4}\.\d{4}\.\d{2}$"  # Switzerland
    r"|^\d{2} ?\d{6} ?[A-Z] ?\d{3}$"  # Germany
    r"|^\d{3}\.\d{3}\.\d{3}-\d{2}$"  # Brazil
    r"|^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$"  # Belgium
    r"|^[A-Z]{4}\d{6}[HM][A-Z]{5}[0-9A-Z]\d$"  # Mexico
)
PAIR = (
    r"^[\[(]?-?\d{1,3}\.\d{3,} ?[,; ] ?-?\d{1,3}\.\d{3,}[\])]?$"
    r"|^(?i)POINT ?[ZM]* ?\(-?\d+\.?\d* -?\d+"
    r"|^\d{1,3}° ?\d{1,2}"
)

PATTERNS = (
    Pattern("email", EMAIL, 0.0),
    Pattern("url", URL, 0.05),
    Pattern("ip", IP, 0.5),
    Pattern("ip", MAC, 0.5),
    Pattern("national-id", NATIONAL, 0.5),
    Pattern("phone", PHONE, 0.2, digits=9),
    Pattern("coordinates", PAIR, 0.5),
    Pattern("hash", HASH, 0.5),
)
"""Those that a text is held against, the surest first. Each needs `FEW` different values too."""


def spelt(contents: Contents) -> tuple[str, float] | None:
    """The first pattern that enough of a column's texts follow, and the share of cells that do."""
    if contents.kind != "text":
        return None
    account = _accounts(contents)
    if account is not None:
        return account
    for pattern in PATTERNS:
        found = pattern.matches(contents.texts)
        share = contents.share(found)
        if found.sum() >= FEW and share >= pattern.least:
            return pattern.code, share
    return None


def _accounts(contents: Contents) -> tuple[str, float] | None:
    """Accounts whose check digits are right."""
    plain = contents.texts.str.replace_all(r"[ -]", "").str.to_uppercase()
    found: Flags = plain.str.contains(r"^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$").to_numpy().copy()
    if found.sum() < FEW:
        return None
    found[found] = iban(plain.filter(pl.Series(found)))
    share = contents.share(found)
    return ("iban", share) if found.sum() >= FEW and share >= 0.01 else None


def checked(contents: Contents) -> tuple[str, float] | None:
    """Whole numbers and texts of digits, nearly all of which satisfy one check digit."""
    plain = contents.texts.str.replace_all(r"[ ./-]", "")
    lengths = plain.str.len_bytes().to_numpy()
    digits = plain.str.contains(r"^[0-9]+$").to_numpy()
    for length, checks in BY_LENGTH.items():
        here = digits & (lengths == length)
        if here.sum() < 2 * FEW or contents.share(here) < SURE:
            continue
        numbers = digits_of(plain.filter(pl.Series(here)))
        for check in checks:
            found: Flags = np.zeros(len(here), dtype=np.bool_)
            found[here] = check(numbers)
            share = contents.share(found)
            if found.sum() >= 2 * FEW and share >= SURE:
                return ("card" if length == 16 else "national-id"), share
    return None
