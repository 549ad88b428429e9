"""What a run says while it works, and what it leaves said: progress, and notes as records.

A note is a record with a code, what it is about, and its sentence. Other code may look at the code;
no code ever reads a sentence.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

Progress = Callable[[str, float], None]
"""Is told what is being done and how much of it is done, 0 to 1."""


def silent(what: str, share: float) -> None:
    """Says nothing."""


@dataclass(frozen=True)
class Note:
    """Something a reader should know: a fallback taken, a check that failed, a sample used."""

    code: str
    sentence: str
    about: tuple[str, ...] = ()
    """The variables, tables or sections it speaks of."""


@dataclass(eq=False)
class Log:
    """Gathers notes in the order in which they are made, and passes progress on."""

    progress: Progress = silent
    notes: list[Note] = field(default_factory=list)

    def note(self, code: str, sentence: str, about: Iterable[str] = ()) -> None:
        """Keep a note."""
        self.notes.append(Note(code, sentence, tuple(about)))

    def child(self) -> Log:
        """A log of its own for one part of the work, with the same progress."""
        return Log(self.progress)


class Line:
    """One line that is written over and cleared at the end: on stderr, only on a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __call__(self, what: str, share: float) -> None:
        """Say what is being done and how much of it is done, 0 to 1."""
        if self._shown:
            part = f" {share:4.0%}" if share else ""
            sys.stderr.write(f"\r\x1b[K{what} …{part}")
            sys.stderr.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
