"""Columns that do not fit into memory: scratch files without a name, read by the slice.

A scratch file holds codes, never values: what a code stands for is kept in memory only. Numbers
that stand for a key itself are veiled, by a secret that is kept in memory only. The file has no
name in its folder, so the system takes it back however the run ends.
"""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.arrays import Hashes
from microgauge.errors import InputError, said_by_system
from microgauge.languages.messages import say
from microgauge.values.hashing import mixed

MOST_FILES = 10_240
"""Open files that are asked for; some systems allow no more, whatever they say."""
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)


class Veil:
    """Numbers of 64 bits as others that tell nothing of them to whoever lacks the secret.

    A Feistel network: each round adds to one half a number that depends on the other half and on
    the secret, so that the same rounds backwards give the number again.
    """

    ROUNDS = 6

    def __init__(self) -> None:
        self._secrets = [np.uint64(secrets.randbits(64)) for _ in range(self.ROUNDS)]

    def on(self, numbers: Hashes) -> Hashes:
        """Veiled."""
        left, right = numbers >> HALF, numbers & LOW
        for secret in self._secrets:
            left, right = right, left ^ (mixed(right ^ secret) >> HALF)
        return (left << HALF) | right

    def off(self, numbers: Hashes) -> Hashes:
        """As they were."""
        left, right = numbers >> HALF, numbers & LOW
        for secret in reversed(self._secrets):
            left, right = right ^ (mixed(left ^ secret) >> HALF), left
        return (left << HALF) | right


class Spilled:
    """One entry per row of a small type, in a file."""

    def __init__(self, dtype: Any, folder: Path | None, veil: Veil | None = None) -> None:
        self.dtype = np.dtype(dtype)
        self._folder = folder
        self._veil = veil
        self._file = _opened(folder)
        weakref.finalize(self, self._file.close)
        self._rows = 0

    def append(self, entries: NDArray[Any]) -> None:
        """More rows at the end."""
        self._append(entries if self._veil is None else self._veil.on(entries))

    def _append(self, entries: NDArray[Any]) -> None:
        view = np.ascontiguousarray(entries, dtype=self.dtype).data.cast("B")
        try:
            self._file.seek(0, os.SEEK_END)
            while len(view):
                view = view[self._file.write(view) :]
        except OSError as error:
            raise InputError(_fault(self._folder, error)) from None
        self._rows += len(entries)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, part: slice, /) -> NDArray[Any]:
        start, stop, _ = part.indices(self._rows)
        found = np.empty(max(stop - start, 0), dtype=self.dtype)
        view = found.data.cast("B")
        self._file.seek(start * self.dtype.itemsize)
        while len(view):
            view = view[self._file.readinto(view) :]
        return found if self._veil is None else self._veil.off(found)

    def gathered(self, rows: Iterable[NDArray[np.integer[Any]]]) -> Spilled:
        """The entries of some rows, in their order."""
        whole = np.memmap(self._file, dtype=self.dtype, mode="r", shape=(self._rows,))
        found = Spilled(self.dtype, self._folder, self._veil)
        for some in rows:
            found._append(whole[some])
        return found


def _opened(folder: Path | None) -> Any:
    """A new scratch file: one for each column, so there may be many."""
    try:
        return tempfile.TemporaryFile(dir=folder, buffering=0)
    except OSError as error:
        if error.errno != errno.EMFILE or not _more_files():
            raise InputError(_fault(folder, error)) from None
    return _opened(folder)


def _more_files() -> bool:
    """Whether the system lets this process open more files than it may by default."""
    try:
        import resource
    except ImportError:
        return False
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:
        return False
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if wanted <= soft:
        return False
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return False
    return True


def _fault(folder: Path | None, error: OSError) -> str:
    place = folder or Path(tempfile.gettempdir())
    return say(
        "scratch files cannot be written in {place}: {said_by_system}. Name a folder "
        "with more room (--scratch), or allow more open files (ulimit -n).",
        place=place,
        said_by_system=said_by_system(error),
    )
