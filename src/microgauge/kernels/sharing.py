"""Threads that share loops."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


@cache
def processors() -> int:
    """Processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


FEWEST_ROWS = 20_000
"""Rows of a table below which threads take longer to begin than to work."""


def in_threads(work: Callable[[S], T], items: Iterable[S], rows: int) -> list[T]:
    """What some work on so many rows gives for each item, in their order.

    For work that lets go of the lock of the interpreter.
    """
    given = list(items)
    if len(given) < 2 or rows < FEWEST_ROWS or processors() == 1:
        return [work(item) for item in given]
    with ThreadPoolExecutor(min(processors(), len(given))) as threads:
        return list(threads.map(work, given))
