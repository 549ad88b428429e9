"""How memory that was freed is used again."""

from __future__ import annotations

import os
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""Numbers of choices of the C library's `mallopt`."""
KEPT = 1 << 30
"""Bytes that are kept for the next array instead of being given back."""
KEPT_IN_OLDER = 1 << 25
"""Bytes of the largest array that older libraries (glibc before 2.35) can be asked to keep."""


def keep_freed() -> None:
    """Large arrays live for a moment: keep their memory, in one place that all threads share.

    By default each is asked of the system and given back, and clearing its pages takes as long as
    filling them. Where the user says how memory is to be kept, or the library has no such choice,
    nothing is changed.
    """
    if sys.platform != "linux" or any(name.startswith("MALLOC_") for name in os.environ):
        return
    import ctypes

    choose = getattr(ctypes.CDLL(None), "mallopt", None)
    if choose is None:
        return
    choose(ARENA_MAX, 1)
    choose(TRIM_THRESHOLD, KEPT)
    # Once something is chosen the library adapts no more: a refusal would leave it at small arrays.
    if not choose(MMAP_THRESHOLD, KEPT):
        choose(MMAP_THRESHOLD, KEPT_IN_OLDER)
