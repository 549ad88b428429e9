"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
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
    write_together({path: content})


def write_together(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files, all or none: all beside their places first, then each is renamed."""
    beside: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            beside[path] = _beside(path)
            _fill(beside[path], content)
        for path in contents:
            beside[path].replace(path)
            del beside[path]
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        for left in beside.values():
            left.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    os.close(handle)
    return Path(name)


def _fill(path: Path, content: str | bytes) -> None:
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    # mkstemp makes files private; results get the mode any new file would have.
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
