"""Threads that share loops."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
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
    left = deque(enumerate(given))
    found: dict[int, T] = {}

    def take() -> None:
        while True:
            try:
                place, item = left.popleft()
            except IndexError:
                return
            try:
                found[place] = work(item)
            except BaseException:
                left.clear()  # nobody goes on
                raise

    helpers = [_threads().submit(take) for _ in range(min(processors(), len(given)) - 1)]
    try:
        take()
    finally:
        left.clear()  # also where someone stopped us
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()  # raises what stopped it
    return [found[place] for place in range(len(given))]


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads that help those that have work.

    Nobody waits for one that has not begun, so that a helper may be helped in turn. There is one
    for each processor: whoever has shared out work and waits for its end needs none.
    """
    return ThreadPoolExecutor(processors(), "microgauge")


if hasattr(os, "register_at_fork"):  # threads stay behind
    os.register_at_fork(after_in_child=_threads.cache_clear)
