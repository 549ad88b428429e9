"""Candidates made and measured, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from microgauge.errors import InputError
from microgauge.exploring.grid import Try
from microgauge.masking.data import Data
from microgauge.results import Assessment
from microgauge.run import Original, assess_against
from microgauge.schema import Schema
from microgauge.tables import named_table

THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True, eq=False)
class Work:
    """All that is needed to make and measure a candidate."""

    data: Data
    original: Original
    schema: Schema
    sections: frozenset[str]

    def measured(self, tried: Try) -> Assessment:
        """Make a candidate and measure it against the original."""
        frame = tried.recipe.applied(self.data).frame
        table = named_table(tried.name, frame, self.schema.options.key)
        return assess_against(
            self.original, table, self.schema, set(self.sections), _silent, details=True
        )


def _silent(what: str, share: float) -> None:
    """Says nothing."""


def measured(work: Work, tries: Sequence[Try], workers: int) -> Iterator[tuple[Try, Assessment]]:
    """Results as they are finished.

    The first is made here, so that what it works out of the original goes to all workers.
    """
    for tried in tries[:1] if workers > 1 else tries:
        yield tried, work.measured(tried)
    if workers > 1 and len(tries) > 1:
        yield from _in_parallel(work, tries[1:], min(workers, len(tries) - 1))


def _in_parallel(
    work: Work, tries: Sequence[Try], workers: int
) -> Iterator[tuple[Try, Assessment]]:
    # Started anew, not forked: threads of polars do not survive a fork.
    context = multiprocessing.get_context("spawn")
    with _threads_shared(workers):
        ending, end = context.Pipe(duplex=False)
        pool = ProcessPoolExecutor(workers, context, _begin, (work, ending))
        try:
            yield from _finished(pool, tries)
        except BrokenProcessPool:
            raise InputError(
                "a worker died, perhaps for want of memory; try fewer --workers. Finished "
                "candidates are kept."
            ) from None
        finally:
            end.close()  # what is under way is of no use any more
            pool.shutdown(wait=True, cancel_futures=True)
            ending.close()


def _finished(pool: ProcessPoolExecutor, tries: Sequence[Try]) -> Iterator[tuple[Try, Assessment]]:
    under_way: dict[Future[Assessment], Try] = {pool.submit(_measure, t): t for t in tries}
    while under_way:
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in done:
            yield under_way.pop(future), future.result()


_work: Work | None = None


def _begin(work: Work, ending: Connection) -> None:
    """In a worker: hold the work; leave interrupts to the parent, and end when it says or dies."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        ending.poll(None)  # the other end is closed, by the parent or by its death
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _measure(tried: Try) -> Assessment:
    assert _work is not None
    return _work.measured(tried)


@contextmanager
def _threads_shared(workers: int) -> Iterator[None]:
    """Let the workers share the cores; settings of the user's own are left alone."""
    share = str(max(cores() // workers, 1))
    changed = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(changed, share))
    try:
        yield
    finally:
        for name in changed:
            os.environ.pop(name, None)


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
