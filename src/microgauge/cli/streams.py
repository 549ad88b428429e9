"""What is printed, on whatever there is to print to: old code pages, closed or broken pipes."""

from __future__ import annotations

import codecs
import os
import re
import sys
import unicodedata
from contextlib import suppress
from typing import TextIO

from microgauge.log import printable

PLAIN = "microgauge-plain"
SPELLED = {
    **dict.fromkeys("→⟶▶►", "->"),
    **dict.fromkeys("←◀◄", "<-"),
    **dict.fromkeys("–—−‐‑─", "-"),
    **dict.fromkeys("×✕✗", "x"),
    **dict.fromkeys("·•●○◆■□▪", "."),
    **dict.fromkeys("█▉▊▋▌▍▎▏▓▒░", "#"),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("‘’‚′", "'"),
    **dict.fromkeys("\u00a0\u2009\u202f", " "),
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "±": "+-",
    "…": "...",
    "✓": "+",
    "√": "sqrt",
    "∞": "infinite",
    "§": "section ",
}
"""What stands for a sign where it cannot be shown; Greek letters go by their names."""


def prepare() -> None:
    """Let everything be printed that a run may say; what is closed takes it without a word."""
    codecs.register_error(PLAIN, _plain)
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:  # a file that is opened later must not get the number of a stream
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = _usable(sys.stdout)
    sys.stderr = _usable(sys.stderr)


def _usable(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123  as long as we run
    with suppress(AttributeError, ValueError):
        stream.reconfigure(errors=PLAIN)  # type: ignore[attr-defined]
    return stream


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(spelled(sign) for sign in missing), error.end


def spelled(sign: str) -> str:
    """A sign in ASCII.

    >>> [spelled(sign) for sign in "→τχ²é日"]
    ['->', 'tau', 'chi', '2', 'e', '?']
    """
    if sign in SPELLED:
        return SPELLED[sign]
    name = unicodedata.name(sign, "")
    if name.startswith("GREEK") and " LETTER " in name:
        word = name.split(" LETTER ")[1].split()[0].lower()
        return word.capitalize() if "CAPITAL" in name else word
    bare = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return bare or "?"


def escaped(json: str) -> str:
    """JSON that means the same in any code page.

    >>> escaped('{"é": "😀"}')
    '{"\\\\u00e9": "\\\\ud83d\\\\ude00"}'
    """
    return re.sub(r"[^\x00-\x7f]", lambda found: _units(found.group()), json)


def _units(sign: str) -> str:
    pairs = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{pairs[i : i + 2].hex()}" for i in range(0, len(pairs), 2))


def say(text: str) -> None:
    """A line on stderr, if anybody listens."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"microgauge: {_printable(text)}\n")
        sys.stderr.flush()


def _printable(message: str) -> str:
    """A message without signs that would command a terminal: it may name columns of a file."""
    return "\n".join(map(printable, message.split("\n")))


def let_go() -> None:
    """Have what is still to be printed go nowhere: nobody reads it, or nothing takes it."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
