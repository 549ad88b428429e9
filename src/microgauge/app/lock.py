"""One app for a folder: a lock that the system takes back when a process ends, however it ends."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import IO

from microgauge.errors import InputError, said_by_system
from microgauge.languages.messages import say


class Lock:
    """Held as long as the app runs."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(exist_ok=True)
            # "a": what another app may have written must stay until the lock is ours.
            self._file: IO[str] = (folder / "lock").open("a+", encoding="utf-8")
        except OSError as error:
            raise InputError(
                say(
                    "the folder {folder} cannot be used: {why}.",
                    folder=folder,
                    why=said_by_system(error),
                )
            ) from None
        # What the app keeps may be deleted while it runs; the folder that it works in stays.
        self._place = _place_of(folder.parent)
        if not _locked(self._file) or not _free(self._place):
            self.release()
            raise InputError(
                say(
                    "another microgauge app works in {folder}. Use the one that runs, end it "
                    "first, or start this one in another folder.",
                    folder=folder.parent,
                )
            )

    def release(self) -> None:
        """Let another app have the folder."""
        with contextlib.suppress(OSError):
            self._file.close()
        if self._place is not None:
            with contextlib.suppress(OSError):
                os.close(self._place)


def _place_of(folder: Path) -> int | None:
    """The folder as something that can be locked, where the system has such."""
    if os.name == "nt":
        return None
    try:
        return os.open(folder, os.O_RDONLY)
    except OSError:
        return None


def _free(place: int | None) -> bool:
    """Whether nobody else has a folder locked; on some drives none can be."""
    if place is None:
        return True
    import fcntl

    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _locked(file: IO[str]) -> bool:
    """Whether the lock is ours now."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
