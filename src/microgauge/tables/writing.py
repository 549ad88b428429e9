"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from microgauge.errors import InputError


def check_writable(path: Path) -> None:
    """Refuse a place that cannot be written to before the work is done, not after."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file to write.")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} into.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"the folder {path.parent} cannot be written to.")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the file, then rename: a reader never sees half of it."""
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        # mkstemp makes files private; results get the mode any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        Path(beside).chmod(0o666 & ~mask)
        Path(beside).replace(path)
    except OSError as error:
        Path(beside).unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
