"""Files of the chosen folder, and of no other place."""

from __future__ import annotations

import os
import shutil
import stat
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from microgauge.errors import InputError
from microgauge.records import dataclass
from microgauge.results.writing import write_whole

OWN = "microgauge-app"
"""Where the app keeps what it knows."""
MOST_FILES, MOST_SEEN, DEEPEST = 2_000, 50_000, 4
"""Tables that are listed; names that are looked at, and how deep, before that is enough."""
LONGEST_NAME = 200
MOST_TRIES = 1_000


@dataclass(frozen=True)
class Entry:
    """A file that may be a table."""

    name: str
    """As a command line would name it, from the folder."""
    size: int
    changed: float


@dataclass(frozen=True)
class Folder:
    """The folder the app was started in."""

    root: Path

    @staticmethod
    def of(path: str) -> Folder:
        """The folder of a name; `InputError` where there is none to work in."""
        root = Path(path).resolve()
        if not root.is_dir():
            raise InputError(f"there is no folder {path} to work in.")
        if not os.access(root, os.W_OK):
            raise InputError(f"the folder {path} cannot be written to.")
        return Folder(root)

    @property
    def own(self) -> Path:
        """Where the app keeps what it knows."""
        return self.root / OWN

    def inside(self, name: str) -> Path:
        """The path of a name that leads to a file inside the folder; links are followed first."""
        fault = InputError("there is no such file in the folder.")
        if not name or "\0" in name or Path(name).is_absolute():
            raise fault
        try:
            real = (self.root / name).resolve(strict=True)
        except (OSError, RuntimeError):
            raise fault from None
        if not real.is_relative_to(self.root) or not real.is_file():
            raise fault
        return real

    def tables(self) -> list[Entry]:
        """Files of the folder, and of folders in it, that may be tables, by their names."""
        from microgauge.tables.formats import formats

        endings = tuple(ending for known in formats() for ending in known.endings)
        found: list[Entry] = []
        seen = 0
        for place, folders, files in os.walk(self.root):
            deep = len(Path(place).relative_to(self.root).parts) >= DEEPEST
            folders[:] = [] if deep else sorted(f for f in folders if _is_looked_into(place, f))
            seen += len(files) + len(folders)
            for file in sorted(files):
                path = Path(place) / file
                if not file.startswith(".") and file.lower().endswith(endings):
                    found += self._entry(path)
            if len(found) >= MOST_FILES or seen >= MOST_SEEN:
                break  # whoever starts it in a home folder gets a page, too
        return found[:MOST_FILES]

    def _entry(self, path: Path) -> list[Entry]:
        """A file as an entry; nothing where it is none, or leads out of the folder."""
        name = path.relative_to(self.root).as_posix()
        try:
            real = self.inside(name)
            known = real.stat()
            name.encode("utf-8")
        except (InputError, OSError, UnicodeEncodeError):
            return []
        return [Entry(name, known.st_size, known.st_mtime)] if stat.S_ISREG(known.st_mode) else []

    def free_name(self, wanted: str) -> str:
        """A name for a new file: the last part of what was wanted, and one that no file has."""
        name = plain_name(wanted)
        path = Path(name)
        for number in range(1, MOST_TRIES):
            tried = name if number == 1 else f"{path.stem}-{number}{path.suffix}"
            if not os.path.lexists(self.root / tried):
                return tried
        raise InputError(f"there are too many files named like {name}.")

    def room(self) -> int:
        """Bytes that the disk can still take."""
        return shutil.disk_usage(self.root).free

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file inside the folder, whole or not at all."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)


def _is_looked_into(place: str, folder: str) -> bool:
    """Whether tables of the user may lie in a folder: not in what the app itself wrote."""
    released = folder == "internal" and Path(place).name.startswith("release-")
    return not folder.startswith(".") and folder != OWN and not released


def plain_name(wanted: str) -> str:
    r"""The last part of a name without signs that mean something to a shell or a path.

    >>> plain_name("../../a\\b c.csv"), plain_name("-rf"), plain_name(".."), plain_name("x\ny.csv")
    ('b c.csv', 'rf', 'file', 'xy.csv')
    """
    last = unicodedata.normalize("NFC", wanted).replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(sign for sign in last if sign.isprintable() and sign not in '<>:"|?*[]')
    kept = kept.lstrip(".- ").rstrip(". ")
    stem, dot, ending = kept.rpartition(".")
    if len(kept.encode()) > LONGEST_NAME:
        kept = (stem.encode()[: LONGEST_NAME - 20].decode("utf-8", "ignore") + dot + ending)[-180:]
    return kept or "file"


def as_argument(name: str) -> str:
    """A file as a command takes it, whatever its name begins with.

    >>> as_argument("a.csv"), as_argument("-o.csv")
    ('a.csv', './-o.csv')
    """
    return f"./{name}" if name.startswith("-") else name


def prints_of(folder: Folder, names: Sequence[str]) -> dict[str, list[float]]:
    """Sizes and times of files, by which a change is noticed."""
    found = {}
    for name in names:
        try:
            known = (folder.root / name).stat()
        except OSError:
            continue
        found[name] = [known.st_size, known.st_mtime]
    return found
