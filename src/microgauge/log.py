"""What a run says while it works, and what it leaves said: progress, and notes as records.

A note is a record with a code, what it is about, and its sentence. Other code may look at the code;
no code ever reads a sentence.
"""

from __future__ import annotations

import json
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import field
from functools import wraps
from shutil import get_terminal_size
from time import monotonic
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from microgauge.languages.messages import forms_of
from microgauge.records import dataclass

WATCHED = "MICROGAUGE_PROGRESS"
"""Set to json in the environment, stderr is read by a program: every line is a JSON object."""
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


class Shown(ABC):
    """Progress that someone looks at: a line that is written over, below what was said to stay."""

    shows: bool = True
    """Whether there is anybody to look."""

    def __enter__(self) -> Self:
        return self

    @abstractmethod
    def __call__(self, what: str, share: float) -> None:
        """Say what is being done and how much of it is done, 0 to 1."""

    @abstractmethod
    def keep(self, text: str) -> None:
        """Say something that stays."""

    def first(self, text: str, verdict: Any) -> None:
        """Say a first verdict, in words and as the plain value it is in a result."""
        del verdict
        self.keep(text)

    @abstractmethod
    def warn(self, text: str) -> None:
        """Say something that stays, also where only a log is kept."""

    @abstractmethod
    def clear(self) -> None:
        """Take the line away."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()


class Line(Shown):
    """On stderr: a line that changes on a terminal, now and then a new one in a log."""

    SELDOM = 30.0
    """Seconds between two lines of a log; what is done before that says nothing there."""

    def __init__(self) -> None:
        self.shows = sys.stderr.isatty()
        self._told = monotonic()

    def __call__(self, what: str, share: float) -> None:
        """Over what was there; in a log only after a while."""
        if self.shows:
            columns = get_terminal_size().columns - 1
            self._write(f"\r\x1b[K{bar(what, share)[:columns]}")
        elif monotonic() - self._told >= self.SELDOM:
            self._told = monotonic()
            self.warn(f"{printable(what)}{f' ({share:.0%})' if share else ''}")

    def keep(self, text: str) -> None:
        """In lines of its own."""
        self.clear()
        if self.shows:
            self._write(f"{text}\n")

    def warn(self, text: str) -> None:
        """In a line of its own, whoever looks."""
        self.clear()
        self._write(f"microgauge: {text}\n")

    def clear(self) -> None:
        """Empty the line."""
        if self.shows:
            self._write("\r\x1b[K")

    @staticmethod
    def _write(text: str) -> None:
        with suppress(OSError, ValueError):  # nobody listens: no reason to stop
            sys.stderr.write(text)
            sys.stderr.flush()


class Lines(Shown):
    """On stderr for a program that reads it: a JSON object in each line."""

    OFTEN = 0.1
    """Seconds between two lines that say the same is being done."""

    def __init__(self) -> None:
        self._what = ""
        self._told = 0.0

    def __call__(self, what: str, share: float) -> None:
        """Whenever something else is being done, and now and then."""
        now = monotonic()
        if what != self._what or now - self._told >= self.OFTEN:
            self._what, self._told = what, now
            tell(doing=what, share=share)

    def keep(self, text: str) -> None:
        """What stays."""
        tell(kept=text)

    def first(self, text: str, verdict: Any) -> None:
        """A first verdict."""
        tell(kept=text, verdict=verdict)

    def warn(self, text: str) -> None:
        """What stays, too."""
        tell(warned=text)

    def clear(self) -> None:
        """There is no line to take away."""


def watched() -> bool:
    """Whether a program reads what is said on stderr."""
    return os.environ.get(WATCHED) == "json"


def tell(**said: Any) -> None:
    """A line for a program that reads stderr; `forms` says what its texts were made from."""
    forms = forms_of(said)
    line = {**said, "forms": forms} if forms else said
    with suppress(OSError, ValueError):
        sys.stderr.write(json.dumps(line) + "\n")
        sys.stderr.flush()


def line() -> Shown:
    """Where a command shows its progress: on a line of its own, or for a program that reads it."""
    return Lines() if watched() else Line()


class Output(Shown):
    """Below a cell of a notebook."""

    OFTEN = 0.2
    """Seconds between two lines: a notebook is told over a network."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)
        self._kept = ""
        self._told = 0.0

    def __call__(self, what: str, share: float) -> None:
        """Over what was there, now and then."""
        now = monotonic()
        if now - self._told >= self.OFTEN:
            self._told = now
            self._show(self._kept + bar(what, share))

    def keep(self, text: str) -> None:
        """Above the line."""
        self._kept += f"{text}\n"
        self._show(self._kept)

    def warn(self, text: str) -> None:
        """Above the line, too."""
        self.keep(text)

    def clear(self) -> None:
        """Leave what is to stay."""
        self._show(self._kept.rstrip("\n"))

    def _show(self, text: str) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": text}, raw=True)


def bar(what: str, share: float) -> str:
    """What is being done, and a bar once some of it is.

    >>> bar("reading", 0.0), bar("reading", 0.25)
    ('reading …', '█████···············  25% reading …')
    """
    if not share:
        return f"{printable(what)} …"
    done = round(20 * min(share, 1.0))
    return f"{'█' * done}{'·' * (20 - done)} {share:4.0%} {printable(what)} …"


def printable(what: str) -> str:
    """What is being done may name files, and these may have any name."""
    return "".join(sign if sign.isprintable() else "�" for sign in what)


def where_seen(what: str, share: float) -> None:
    """Progress as a bar where someone looks: on a terminal, in a notebook; nothing elsewhere."""


P = ParamSpec("P")
T = TypeVar("T")


def followed(work: Callable[P, T]) -> Callable[P, T]:
    """A function whose progress is shown where someone looks, unless it is told whom to tell."""

    @wraps(work)
    def shown(*given: P.args, **named: P.kwargs) -> T:
        if named.get("progress", where_seen) is not where_seen:
            return work(*given, **named)
        display = _notebook()
        progress: Shown = line() if display is None else Output(display)
        with progress:
            named["progress"] = progress
            return work(*given, **named)

    return shown


def _notebook() -> Callable[..., Any] | None:
    """How a notebook shows something, if this runs in one."""
    if "IPython" not in sys.modules:
        return None
    try:
        from IPython import get_ipython  # type: ignore[import-not-found,unused-ignore]
        from IPython.display import display  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None
    return display if getattr(get_ipython(), "kernel", None) is not None else None
