"""A seal on what is kept: whether this user's own runs wrote it, of these inputs, unchanged.

The secret is in a file that only its owner can read, in the folder where programs of the user
keep their state. Where there can be none, seals hold as long as the process.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from microgauge.languages.messages import say

SIZE = 32
NAME = "kept-results.key"


def seal_of(name: str, content: Mapping[str, Any]) -> str:
    """The seal of a content under a name, which stands for all that it rests on."""
    text = json.dumps([name, content], sort_keys=True)
    return hashlib.blake2b(text.encode(), key=_secret(), digest_size=SIZE).hexdigest()


def is_sealed(name: str, content: Mapping[str, Any], seal: object) -> bool:
    """Whether a seal is that of the content."""
    return isinstance(seal, str) and hmac.compare_digest(
        seal.encode("utf-8", "replace"), seal_of(name, content).encode()
    )


def _folder() -> Path:
    """Where this user's programs keep their state."""
    said = os.environ.get("XDG_STATE_HOME")
    if said and Path(said).is_absolute():
        return Path(said) / "microgauge"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home()) / "microgauge"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "microgauge"
    return Path.home() / ".local" / "state" / "microgauge"


def _secret() -> bytes:
    """That of this user's state; where there is no such place, one of this process."""
    with suppress(OSError, RuntimeError):  # a user without a home has no state
        return _kept_in(_folder())
    return _of_this_process()


@cache
def _of_this_process() -> bytes:
    return secrets.token_bytes(SIZE)


@cache
def _kept_in(folder: Path) -> bytes:
    path = folder / NAME
    found = _read(path)
    if found is None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # others could read it, or it is damaged
        _make(path)
        found = _read(path)
    if found is None:
        raise OSError(say("the secret cannot be kept"))
    return found


def _make(path: Path) -> None:
    """A new secret under its name, whole from the first moment that it is there."""
    number, name = tempfile.mkstemp(dir=path.parent)  # only its owner can read it
    try:
        with os.fdopen(number, "wb") as file:
            file.write(secrets.token_bytes(SIZE))
        with suppress(FileExistsError):  # another run was quicker: that one holds
            os.link(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def _read(path: Path) -> bytes | None:
    """The secret of a file that nobody but its owner can read; None where there is none such."""
    try:
        found = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(found.st_mode) else b""
    except FileNotFoundError:
        return None
    private = os.name != "posix" or (
        found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
    )
    return content if private and len(content) == SIZE else None
