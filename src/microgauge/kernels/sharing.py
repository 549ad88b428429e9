"""Threads that share loops."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


@cache
def processors() -> int:
    """Processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def in_parts(work: Callable[[tuple[int, int]], object], count: int, *, shared: bool) -> None:
    """Do some work from the first to the last of so many; where it pays, processors share it."""
    parts = processors() if shared else 1
    edges = [count * part // parts for part in range(parts + 1)]
    in_threads(work, pairwise(edges), shared=shared)


def in_threads(work: Callable[[S], T], items: Iterable[S], *, shared: bool) -> list[T]:
    """What some work gives for each item, in their order; where it pays, threads share them.

    For work that lets go of the lock of the interpreter.
    """
    given = list(items)
    if len(given) < 2 or not shared or processors() == 1:
        return [work(item) for item in given]
    with ThreadPoolExecutor(min(processors(), len(given))) as threads:
        return list(threads.map(work, given))
