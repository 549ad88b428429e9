"""Candidates made and measured, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from typing import cast

from microgauge.commands.assess import Original, assess_against, requested
from microgauge.commands.explore.grid import Try
from microgauge.commands.wanted import Wanted
from microgauge.errors import InputError
from microgauge.kernels.sharing import processors
from microgauge.languages.messages import say
from microgauge.log import silent
from microgauge.masking.table import Data
from microgauge.records import dataclass
from microgauge.results import Assessment
from microgauge.schema import Schema
from microgauge.tables import changed_table

THREADS = ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True, eq=False)
class Work:
    """All that is needed to make and measure a candidate."""

    data: Data
    original: Original
    schema: Schema
    wanted: Wanted

    def measured(self, tried: Try) -> Assessment:
        """Make a candidate and measure it against the original."""
        frame = tried.recipe.applied(self.data).frame
        table = changed_table(
            tried.name, frame, self.data.frame, self.original.table, self.schema.options.key
        )
        try:
            sections = self.wanted.sections | requested(details=True)
            wanted = replace(self.wanted, sections=sections)
            return assess_against(self.original, table, self.schema, wanted, silent)
        except InputError as error:
            raise InputError(
                *(say("candidate {name}: {f}", name=tried.name, f=f) for f in error.faults)
            ) from None


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
    """Each worker has a pipe of its own: one that ends in the middle leaves no other waiting."""
    packed = _packed(work)
    # Started anew, not forked: threads of polars do not survive a fork.
    context = multiprocessing.get_context("spawn")
    ending, end = context.Pipe(duplex=False)
    begun: list[tuple[SpawnProcess, Connection]] = []
    try:
        with _threads_shared(workers):
            for _ in range(workers):
                ours, theirs = context.Pipe()
                process = context.Process(target=_serve, args=(theirs, ending), daemon=True)
                with _interrupts_ignored():
                    process.start()
                theirs.close()
                begun.append((process, ours))
        yield from _finished([pipe for _, pipe in begun], packed, tries)
    except (EOFError, ConnectionError):
        raise InputError(
            say("a worker died, perhaps for want of memory; try fewer workers.")
        ) from None
    finally:
        for process, pipe in begun:  # what is under way is of no use any more
            process.kill()
            pipe.close()
        for process, _ in begun:
            process.join()
        end.close()
        ending.close()


def _packed(work: Work) -> bytes:
    try:
        return bytes(ForkingPickler.dumps(work))
    except (pickle.PicklingError, AttributeError, TypeError):
        raise InputError(
            say(
                "the schema holds a function that cannot be given to other processes: define it "
                "in a module, or use one worker."
            )
        ) from None


def _finished(
    pipes: Sequence[Connection], packed: bytes, tries: Sequence[Try]
) -> Iterator[tuple[Try, Assessment]]:
    left = list(reversed(tries))
    under_way: dict[Connection, Try] = {}
    for pipe in pipes:
        pipe.send_bytes(packed)
        under_way[pipe] = left.pop()
        pipe.send(under_way[pipe])
    while under_way:
        for ready in wait(list(under_way)):
            pipe = cast("Connection", ready)
            found = pipe.recv()
            if isinstance(found, Exception):
                raise found
            tried = under_way.pop(pipe)
            if left:
                under_way[pipe] = left.pop()
                pipe.send(under_way[pipe])
            yield tried, found


def _serve(pipe: Connection, ending: Connection) -> None:
    """In a worker: measure what is asked for; end when the parent says so or dies."""

    def watch() -> None:
        ending.poll(None)  # the other end is closed, by the parent or by its death
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    work: Work = pipe.recv()
    while True:
        tried = pipe.recv()
        found: Assessment | Exception
        try:
            found = work.measured(tried)
        except Exception as error:  # noqa: BLE001  told where the work was asked for
            found = error
        pipe.send(found)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """A new process has this from its parent: interrupts are left to the parent."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _threads_shared(workers: int) -> Iterator[None]:
    """Let the workers share the cores; settings of the user's own are left alone."""
    share = str(max(processors() // workers, 1))
    changed = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(changed, share))
    try:
        yield
    finally:
        for name in changed:
            os.environ.pop(name, None)
