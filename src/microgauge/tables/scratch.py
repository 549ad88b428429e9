"""Columns that do not fit into memory: scratch files without a name, read by the slice.

A scratch file holds codes, never values: what a code stands for is kept in memory only. The file
has no name in its folder, so the system takes it back however the run ends.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microgauge.errors import InputError


class Spilled:
    """One entry per row of a small type, in a file."""

    def __init__(self, dtype: Any, folder: Path | None) -> None:
        self.dtype = np.dtype(dtype)
        self._folder = folder
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115, closed when let go
        self._rows = 0

    def append(self, entries: NDArray[Any]) -> None:
        """More rows at the end."""
        view = np.ascontiguousarray(entries, dtype=self.dtype).data.cast("B")
        try:
            self._file.seek(0, os.SEEK_END)
            while len(view):
                view = view[self._file.write(view) :]
        except OSError as error:
            place = self._folder or Path(tempfile.gettempdir())
            raise InputError(
                f"scratch files cannot be written in {place}: {error.strerror}. Name a folder with "
                "more room: --scratch."
            ) from None
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
        return found

    def gathered(self, rows: Iterable[NDArray[np.integer[Any]]]) -> Spilled:
        """The entries of some rows, in their order."""
        whole = np.memmap(self._file, dtype=self.dtype, mode="r", shape=(self._rows,))
        found = Spilled(self.dtype, self._folder)
        for some in rows:
            found.append(whole[some])
        return found
