"""What polars says and does by itself where a file is damaged.

Where polars meets what it takes for impossible it panics: Rust prints where, with RUST_BACKTRACE a
page of it, and only then is there an exception. Where it is to take more memory than any machine
has, Rust ends the process. Python has no say in either, and damage has too many forms to look for
all of them beforehand (`arrow_buffers` does where lengths tell). So while a file is read, what is
printed past Python goes to a file without a name, and the signal by which Rust ends us is heard.
"""

from __future__ import annotations

import ctypes
import io
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO, Any

from microgauge.errors import REFUSED, SHOW
from microgauge.languages.messages import say

ERRORS = 2
"""The number of the stream of errors."""
PANIC, ENDED = b"panicked at ", b"memory allocation of "
"""What Rust's own words hold."""


class _Stream:
    """The stream of errors while files are read: it is one for all threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._readers = 0
        self._back = ExitStack()

    def lead_away(self, fault: str) -> None:
        """For the first who reads; `fault` is what to say where Rust ends the process."""
        with self._lock:
            self._readers += 1
            if self._readers == 1 and not os.environ.get(SHOW):
                with suppress(OSError):  # a stream that is closed, no place for files: as it is
                    self._lead_away(fault)

    def lead_back(self) -> None:
        """Once the last has read."""
        with self._lock:
            self._readers = max(self._readers - 1, 0)
            if not self._readers:
                self._back.close()

    def _lead_away(self, fault: str) -> None:
        kept = os.dup(ERRORS)
        self._back.callback(os.close, kept)
        said = tempfile.TemporaryFile()  # noqa: SIM115  closed by what leads back
        self._back.enter_context(said)
        self._back.callback(_tell, said, kept)
        self._back.enter_context(_heard(kept))
        self._back.enter_context(_told_of_the_end(fault, kept, said))
        os.dup2(said.fileno(), ERRORS)
        self._back.callback(os.dup2, kept, ERRORS)


_STREAM = _Stream()


@contextmanager
def unheard(fault: str) -> Iterator[None]:
    """Keep Rust's panics back while a file is read: the exception is told in our own words."""
    try:
        _STREAM.lead_away(fault)
        yield
    finally:
        _STREAM.lead_back()


def _tell(said: IO[bytes], kept: int) -> None:
    """Whatever else was printed is only late."""
    said.seek(0)
    text = said.read()
    if text and PANIC not in text:
        _write(kept, text)


@contextmanager
def _heard(kept: int) -> Iterator[None]:
    """Let what Python itself says, such as progress, be said as ever."""
    before = sys.stderr
    if not _is_the_stream(before):
        yield
        return
    before.flush()
    with open(
        kept, "w", buffering=1, encoding=before.encoding, errors=before.errors, closefd=False
    ) as ours:
        sys.stderr = ours
        try:
            yield
        finally:
            sys.stderr = before
            with suppress(OSError, ValueError):
                ours.flush()


def _is_the_stream(stream: object) -> bool:
    """Whether Python writes to the stream of errors: a notebook does not, nor does a test."""
    try:
        return stream is sys.__stderr__ and sys.__stderr__.fileno() == ERRORS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return False


@contextmanager
def _told_of_the_end(fault: str, kept: int, said: IO[bytes]) -> Iterator[None]:
    """Where Rust ends the process for want of memory, say so and end as any refusal does.

    A handler of Python's own would never run: it waits for an interpreter that is not come back to.
    This one is called in the thread that gives up, which holds no lock of Python's or of ours.
    """
    if os.name != "posix":
        yield
        return

    def end(number: int) -> None:
        text = os.pread(said.fileno(), io.DEFAULT_BUFFER_SIZE, 0)
        if text.startswith(ENDED):
            _write(
                kept, say("microgauge: {fault}\n", fault=fault).encode("utf-8", "backslashreplace")
            )
            os._exit(REFUSED)
        _write(kept, text)  # and abort() goes on: what else may be wrong is not ours to explain

    handler: Any = ctypes.CFUNCTYPE(None, ctypes.c_int)(end)
    set_handler: Callable[..., Any] = _signal()
    before = set_handler(signal.SIGABRT, ctypes.cast(handler, ctypes.c_void_p))
    try:
        yield
    finally:
        set_handler(signal.SIGABRT, before)


def _signal() -> Any:
    """signal() of C, which says what was there before."""
    found = ctypes.CDLL(None).signal
    found.argtypes, found.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    return found


def _write(number: int, text: bytes) -> None:
    with suppress(OSError):
        os.write(number, text)
