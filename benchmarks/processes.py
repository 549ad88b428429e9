"""Work that takes long, in processes of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter
from typing import TypeVar

ONE_THREAD = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Processes are as many as cores: more threads only get in each other's way."""
Task = TypeVar("Task")
Answer = TypeVar("Answer")
TELL = 20
"""Tasks after which progress is told."""


def in_processes(
    work: Callable[[Task], Answer], tasks: Sequence[Task], jobs: int
) -> Iterator[Answer]:
    """The answers in the order of the tasks; with one job, in this process."""
    if jobs == 1:
        yield from map(work, tasks)
        return
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))  # the processes to come take it over
    began = perf_counter()
    # Spawned, not forked: the threads of polars do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for count, answer in enumerate(pool.map(work, tasks), start=1):
            if count % TELL == 0 or count == len(tasks):
                said = f"{count}/{len(tasks)}, {perf_counter() - began:.0f} s"
                print(said, file=sys.stderr, flush=True)
            yield answer
