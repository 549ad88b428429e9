"""What can go wrong, on one page.

    MicrogaugeError
    ├── InputError     what the user gave cannot be used; the message says what to do (exit code 2)
    └── Undefined      a figure has no value here; its message becomes the reason beside the null

No message ever holds a cell value of the data: names, types and counts only.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Sequence

from microgauge.languages.messages import say, strung
from microgauge.records import dataclass

MISSED, REFUSED = 1, 2
"""Exit codes: a limit is missed; the input cannot be used as things are."""
SHOW = "MICROGAUGE_TRACEBACK"
"""Set in the environment, a failure shows where it happened, for whoever mends it."""


class MicrogaugeError(Exception):
    """Everything this package raises on purpose."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with an input: a code for programs, a sentence for people."""

    code: str
    sentence: str
    about: tuple[str, ...] = ()
    """The variables, tables or entries it speaks of."""

    def __str__(self) -> str:
        return self.sentence


def coded(code: str, sentences: Iterable[str]) -> list[Fault]:
    """Faults of one kind."""
    return [Fault(code, sentence) for sentence in sentences]


class InputError(MicrogaugeError):
    """The input cannot be used. Holds every fault found, not only the first."""

    def __init__(self, *faults: str | Fault) -> None:
        self.records = tuple(f if isinstance(f, Fault) else Fault("input", f) for f in faults)
        self.faults = tuple(fault.sentence for fault in self.records)
        super().__init__(_message(self.faults))


class Undefined(MicrogaugeError):
    """A figure that has no value for these data. The message is the reason, the code its kind."""

    def __init__(self, reason: str, code: str = "undefined") -> None:
        self.code = code
        super().__init__(reason)


def _message(faults: Sequence[str]) -> str:
    if len(faults) == 1:
        return faults[0]
    told = (strung(["  - ", fault]) for fault in faults)
    return strung([say("{n} faults:", n=len(faults)), *told], "\n")


def hint(word: str, known: Iterable[str]) -> str:
    """A sentence with the nearest known name, or nothing.

    >>> hint("regoin", ["age", "region"])
    ' Did you mean "region"?'
    """
    from difflib import get_close_matches  # only where something is misspelt

    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return say(' Did you mean "{name}"?', name=by_lower[near[0]]) if near else ""


def listing(names: Iterable[str], most: int = 12) -> str:
    """Names in a row, cut short where there are many.

    >>> listing(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    names = list(names)
    if len(names) <= most:
        return strung(names, ", ")
    return say("{names} and {n:,} more", names=strung(names[:most], ", "), n=len(names) - most)


def said_by_system(error: OSError | ValueError) -> str:
    """What the system says of a file, in its own words and without the name.

    >>> said_by_system(FileNotFoundError(2, "No such file or directory", "a.csv"))
    'No such file or directory'
    """
    if not isinstance(error, OSError):
        return str(error)
    if error.errno == errno.ELOOP:
        return say("its links lead in a circle")
    # Errors that a library makes have no number, and their words may hold what was read.
    return error.strerror or type(error).__name__


def read_once(what: str) -> str:
    """The fault of an input that is no file: inputs are read more than once, and hashed."""
    return say(
        "{what} is no file but a pipe or device, which can be read once at most: write it to a "
        "file first.",
        what=what,
    )


def first_line(error: BaseException) -> str:
    """The first line of what another library says, without its full stop.

    >>> first_line(ValueError("no such file.\\nat line 3"))
    'no such file'
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")
