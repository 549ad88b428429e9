"""Files by their content: SHA-256, read in blocks."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, of any size: as `sha256sum` gives it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def joint_sha256(digests: Sequence[str]) -> str:
    """One for several files in their order; that of a single file is its own.

    >>> joint_sha256(["ab"])
    'ab'
    >>> joint_sha256(["ab", "cd"])[:8]
    '5141648c'
    """
    if len(digests) == 1:
        return digests[0]
    return text_sha256("".join(f"{digest}\n" for digest in digests))


def text_sha256(text: str) -> str:
    """The SHA-256 of a text as UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
