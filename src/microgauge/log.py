"""A line that says what is being done: on stderr, and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Self

Progress = Callable[[str, float], None]
"""Is told what is being done and how much of it is done, 0 to 1."""


def silent(what: str, share: float) -> None:
    """Says nothing."""


class Line:
    """One line that is written over and cleared at the end."""

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
