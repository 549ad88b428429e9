"""What a result was made from and with: enough to make it again, and to see that it is the same."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from microgauge.records import dataclass

Role = Literal["original", "protected", "candidate", "external", "population", "holdout"]


@dataclass(frozen=True, kw_only=True)
class FileHash:
    """A file, by its content."""

    name: str
    """Without its folder."""
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class InputHash:
    """A table that was read, by the content of its files."""

    role: Role
    name: str | None = None
    """Of a candidate."""
    given: str | tuple[str, ...] | None = None
    """As the user named it; None for a data frame."""
    files: tuple[FileHash, ...] = ()
    sha256: str | None = None
    """Of its one file; of several, of their hashes in a row, a line each."""
    reason: str | None = None
    """Why there is no hash."""


@dataclass(frozen=True, kw_only=True)
class TextHash:
    """A schema or a recipe: its file, and what was in force in the end."""

    path: str | None
    sha256: str | None
    """Of the file."""
    content: dict[str, Any] | None = None
    """What held in the end: the file with all that was said beside it, without defaults."""
    content_sha256: str | None = None
    """Of the content as JSON with sorted names and without blanks."""
    reason: str | None = None
    """Why something of this is null."""


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What a result was made from and with. It holds no date: the same run is the same result."""

    command: Literal["assess", "rank", "explore"]
    inputs: tuple[InputHash, ...]
    schema: TextHash
    recipe: TextHash | None = None
    options: dict[str, Any] = field(default_factory=dict)
    """What was chosen beside the schema: sections, engine, memory."""
    seed: int = 1
    versions: dict[str, str] = field(default_factory=dict)
    """Of the program, of Python and of the libraries that figures rest on."""

    def of(self, role: Role) -> tuple[InputHash, ...]:
        """The inputs of a role, in their order."""
        return tuple(one for one in self.inputs if one.role == role)
