"""Cases in a process of their own."""

from __future__ import annotations

import multiprocessing
import time
from contextlib import suppress
from multiprocessing.connection import Connection

from microgauge.errors import REFUSED
from support.fuzz.running import Outcome, run_case

PROCESSES = multiprocessing.get_context("spawn")


class Runner:
    """Runs cases in a process of its own: a damaged file may end it, which is a refusal too."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._ours, theirs = PROCESSES.Pipe()
        self._process = PROCESSES.Process(target=_serve, args=(theirs,))
        self._process.start()
        theirs.close()

    def run(self, family: str, number: int, seed: int) -> Outcome:
        """One case."""
        start = time.monotonic()
        self._ours.send((family, number, seed))
        try:
            found: Outcome = self._ours.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            code, lasted = self._process.exitcode, time.monotonic() - start
            faults = [] if code == REFUSED else [f"the process ended: {code}"]
            self._start()
            return Outcome(family, number, code, lasted, "", faults)
        return found

    def end(self) -> None:
        """No more cases."""
        self._ours.close()
        self._process.join()


def _serve(theirs: Connection) -> None:
    with suppress(EOFError):
        while True:
            theirs.send(run_case(*theirs.recv()))
