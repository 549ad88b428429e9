"""How a run ends that does not come to its end: stopped, out of means, or by a fault of ours."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from microgauge.errors import REFUSED, SHOW, said_by_system

FAILED = 3
"""The exit code of a fault of the program."""
SOON = 0.05
"""Seconds."""
POSIX = os.name == "posix"


class Stopped(KeyboardInterrupt):
    """A request to stop other than Ctrl-C: what is under way is cleared away just the same."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def code_of(stop: KeyboardInterrupt) -> int:
    """128 and the signal's number, as shells have it."""
    return 128 + (stop.number if isinstance(stop, Stopped) else signal.SIGINT)


@contextmanager
def stoppable(asked: list[int]) -> Iterator[None]:
    """Let requests to stop be exceptions while a command runs, and note that there was one.

    Libraries that are just being loaded may make another error of such an exception.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        if number == signal.SIGINT:
            signal.default_int_handler(number, frame)
        raise Stopped(number)

    from microgauge.results.writing import STOPS

    before = {one: signal.getsignal(one) for one in STOPS}
    # What is ignored stays so: nohup means it.
    usual = (signal.SIG_DFL, signal.default_int_handler)
    ours = [one for one, handler in before.items() if handler in usual]
    for one in ours:
        signal.signal(one, stop)
    hook, sys.unraisablehook = sys.unraisablehook, _heard_again(sys.unraisablehook)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for one in ours:
            signal.signal(one, before[one])


def _heard_again(hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Some callbacks of Python swallow what is raised in them: a request to stop is made again."""

    def heard(lost: Any) -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            hook(lost)
            return
        number = code_of(lost.exc_value) - 128
        threading.Timer(SOON, _ask_again, (number,)).start()

    return heard


def _ask_again(number: int) -> None:
    """Make a request to stop to ourselves."""
    if POSIX:
        os.kill(os.getpid(), number)  # wakes the main thread, whatever it waits for
    else:
        # Windows knows no such requests: there, os.kill ends the process at once, and what is under
        # way would not be cleared away.
        _thread.interrupt_main(signal.Signals(number))


def what_stopped(stop: KeyboardInterrupt) -> str:
    """What to say of a run that was stopped."""
    if not stop.args:
        return "stopped; nothing was written."
    return f"stopped; what was to be written is whole: {', '.join(map(str, stop.args))}."


def failed(error: Exception) -> tuple[int, str]:
    """The exit code and the message of what no one foresaw. No cell value is in it."""
    if os.environ.get(SHOW):
        traceback.print_exception(error, file=sys.stderr)
    where = _part(error)
    if isinstance(error, MemoryError):
        return REFUSED, (
            f"there is not enough memory{where}. Say how much may be used (--memory 1GB), leave "
            "sections out (--skip), or use a machine that has more."
        )
    if isinstance(error, OSError):
        name = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return REFUSED, (
            f"a file cannot be read or written{where}: {name}"
            f"{said_by_system(error)}. Check that it is there, that you may use "
            "it, and that the disk has room."
        )
    if isinstance(error, UnicodeError):
        return REFUSED, (
            f"a text is not in UTF-8{where}. Convert the file, or rename it if its name is the "
            "cause."
        )
    if isinstance(error, RecursionError):
        return REFUSED, f"something is nested too deeply{where}. Make it flatter."
    if isinstance(error, OverflowError):
        return REFUSED, f"a number is too large to work with{where}. Use a smaller one."
    return FAILED, (
        f"a fault of microgauge{where}: {type(error).__name__} {_place(error)}. Please report "
        f"this line. {SHOW}=1 in the environment shows more, which may hold data."
    )


def _part(error: Exception) -> str:
    """What was being worked out, as far as someone noted it on the way."""
    notes: list[Any] = getattr(error, "__notes__", [])
    return f" ({notes[0]})" if notes else ""


def _place(error: Exception) -> str:
    """The last line of our own code that it came through."""
    ours = Path(__file__).parent.parent
    frames = traceback.extract_tb(error.__traceback__)
    inside = [f for f in frames if ours in Path(f.filename).parents]
    if not inside:
        return "outside of its code"
    return f"in {Path(inside[-1].filename).relative_to(ours).as_posix()}, line {inside[-1].lineno}"
