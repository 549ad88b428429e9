"""How much memory a run may use."""

from __future__ import annotations

import os
import re

from microgauge.errors import InputError
from microgauge.languages.messages import say

SHARE = 0.6
"""Part of the machine's memory that a run takes where nothing else is said."""
LEAST = 256 << 20
MOST = 1 << 60

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?\s*", re.IGNORECASE)


def memory_bytes(given: str | int | None) -> int:
    """Bytes from what a user writes, or a share of what the machine has.

    >>> memory_bytes("4GB") == 4 * 1024**3
    True
    """
    if given is None:
        return int(_physical() * SHARE)
    found = _SIZE.fullmatch(str(given))
    if found is None:
        raise InputError(
            say('"{given}" is no amount of memory; write it like 4GB or 800MB.', given=given)
        )
    amount = float(found[1]) * _UNITS[found[2].upper()]
    if amount > MOST:
        raise InputError(
            say("no machine has so much memory: give at most {most}TB.", most=MOST >> 40)
        )
    size = int(amount)
    if size < LEAST:
        raise InputError(
            say(
                "{given} of memory is too little: give at least {least}MB.",
                given=given,
                least=LEAST >> 20,
            )
        )
    return size


def _physical() -> int:
    """The machine's memory; 8 GB where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30
