"""Files of the chosen folder, and of no other place."""

from __future__ import annotations

import os
import shutil
import stat
import unicodedata
from collections.abc import Container, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.writing import write_whole
from microgauge.tables.formats.format import SHEET
from microgauge.tables.formats.workbook import chosen_sheet

OWN = "microgauge-app"
"""Where the app keeps what it knows."""
RELEASE, INTERNAL = "release-", "-internal"
"""How the folder of a release begins, and how that one ends beside it which is for nobody else."""
MOST_FILES, MOST_SEEN, DEEPEST = 2_000, 50_000, 4
"""Tables that are listed; names that are looked at, and how deep, before that is enough."""
MOST_SHEETS = 100
"""Sheets of a file that are listed."""
LONGEST_NAME, LONGEST_ENDING = 200, 20
"""Bytes."""
MOST_TRIES = 1_000
NO_FILE = say("there is no such file in the folder.")


@dataclass(frozen=True)
class Entry:
    """A file that may be a table, or a sheet of one that holds several."""

    name: str
    """As a command line would name it, from the folder."""
    size: int
    changed: float
    file: str
    """The file that it is, or is in."""
    sheet: str | None = None


@dataclass(frozen=True)
class Folder:
    """The folder the app was started in."""

    root: Path
    known: tuple[int, int] | None = None
    """What tells it from another of its name, as long as somebody holds it open."""

    @staticmethod
    def of(path: str) -> Folder:
        """The folder of a name; `InputError` where there is none to work in."""
        root = Path(path).resolve()
        if not root.is_dir():
            raise InputError(say("there is no folder {path} to work in.", path=path))
        if not os.access(root, os.W_OK):
            raise InputError(say("the folder {path} cannot be written to.", path=path))
        return Folder(root, _known(root))

    @property
    def own(self) -> Path:
        """Where the app keeps what it knows."""
        return self.root / OWN

    def gone(self) -> str | None:
        """What is said where the folder is no longer the one the app was started in."""
        known = _known(self.root)
        if known is not None and self.known in (None, known):
            return None
        return say(
            "The folder {folder} is gone or was renamed. End the app, and start it where the "
            "folder is now.",
            folder=self.root,
        )

    def need(self) -> None:
        """`InputError` where the folder is gone: it must not be made anew."""
        gone = self.gone()
        if gone is not None:
            raise InputError(gone)

    def parted(self, name: str) -> tuple[str, str | None]:
        """The file that a name means, and the sheet in it, as commands that run here read it."""
        if SHEET not in name or _is_there(self.root / name):
            return name, None
        file, _, sheet = name.rpartition(SHEET)
        return file, sheet

    def inside(self, name: str) -> Path:
        """The path of a file inside the folder that a name leads to; links are followed first."""
        fault = InputError(
            say("there is no file {name} in the folder, or it leads out of it.", name=name)
            if name
            else NO_FILE
        )
        file, _ = self.parted(name)
        if not file or "\0" in file or Path(file).is_absolute():
            raise fault
        try:
            real = (self.root / file).resolve(strict=True)
        except (OSError, RuntimeError):
            raise fault from None
        if not real.is_relative_to(self.root) or not real.is_file():
            raise fault
        return real

    def tables(self) -> list[Entry]:
        """Files of the folder, and of folders in it, that may be tables, by their names."""
        return self.listing()[0]

    def listing(self) -> tuple[list[Entry], bool]:
        """Those, and whether there may be more of them than are listed."""
        from microgauge.tables.formats import formats

        endings = tuple(ending for known in formats() for ending in known.endings)
        found: list[Entry] = []
        seen = 0
        for place, folders, files in os.walk(self.root):
            deep = len(Path(place).relative_to(self.root).parts) >= DEEPEST
            folders[:] = [] if deep else sorted(f for f in folders if _is_looked_into(f))
            seen += len(files) + len(folders)
            for file in sorted(files):
                path = Path(place) / file
                if not file.startswith(".") and file.lower().endswith(endings):
                    found += self._entry(path)
            if len(found) >= MOST_FILES or seen >= MOST_SEEN:
                break  # whoever starts it in a home folder gets a page, too
        return found[:MOST_FILES], len(found) > MOST_FILES or seen >= MOST_SEEN

    def entries(self, name: str) -> list[Entry]:
        """What is listed of a file, or nothing where there is no such file inside the folder."""
        try:
            self.inside(name)
        except InputError:
            return []
        return self._entry(self.root / name)

    def _entry(self, path: Path) -> list[Entry]:
        """A file as an entry; nothing where it is none, or leads out of the folder.

        One that holds several sheets is an entry for each of them.
        """
        name = path.relative_to(self.root).as_posix()
        try:
            real, known = path, path.lstat()
            if stat.S_ISLNK(known.st_mode):
                real = self.inside(name)
                known = real.stat()
            name.encode("utf-8")
        except (InputError, OSError, UnicodeEncodeError):
            return []
        if not stat.S_ISREG(known.st_mode):
            return []
        plain = Entry(name, known.st_size, known.st_mtime, name)
        sheets = sheets_in(real)
        if len(sheets) < 2:
            return [plain]
        named = [replace(plain, name=f"{name}{SHEET}{sheet}", sheet=sheet) for sheet in sheets]
        return [one for one in named if self.parted(one.name) == (name, one.sheet)]

    def sheet_faults(self, name: str, which: str) -> list[str]:
        """What a command will say of a name whose file has no such sheet, or several."""
        file, wanted = self.parted(name)
        try:
            sheets = sheets_in(self.inside(file))
        except InputError:
            return []
        where = say("the {which} table {part}", which=which, part=as_argument(name))
        try:
            if sheets:
                chosen_sheet(sheets, wanted, Path(name).name, where)
        except InputError as error:
            return list(error.faults)
        return []

    def free_name(self, wanted: str, taken: Container[str] = ()) -> str:
        """A name for a new file: the last part of what was wanted, and one that no file has.

        `taken` are names that files will have.
        """
        name = plain_name(wanted)
        path = Path(name)
        for number in range(1, MOST_TRIES):
            tried = name if number == 1 else f"{path.stem}-{number}{path.suffix}"
            if tried not in taken and not os.path.lexists(self.root / tried):
                return tried
        raise InputError(say("there are too many files named like {name}.", name=name))

    def reserved(self, wanted: str, taken: Container[str] = ()) -> Path:
        """An empty file of our own under a free name: another may want the same one just now."""
        while True:
            place = self.root / self.free_name(wanted, taken)
            try:
                place.touch(exist_ok=False)
            except FileExistsError:
                continue
            return place

    def room(self) -> int:
        """Bytes that the disk can still take."""
        return shutil.disk_usage(self.root).free

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file inside the folder, whole or not at all."""
        self.need()
        write_whole(self.root / name, content)


def _known(place: Path) -> tuple[int, int] | None:
    """What tells a folder from others; None where there is none."""
    try:
        found = place.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _is_there(path: Path) -> bool:
    """Whether a path leads to something; a name that none can have leads to nothing."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def sheets_in(path: Path) -> tuple[str, ...]:
    """The sheets of a file whose format has such; nothing where they cannot be told at once.

    What is too large to be looked into for a page, and what is damaged, is left to the commands.
    """
    try:
        known = path.stat()
        return _sheets(path, known.st_mtime_ns, known.st_size)
    except OSError:
        return ()


@lru_cache(maxsize=MOST_FILES)
def _sheets(path: Path, time: int, size: int) -> tuple[str, ...]:
    del time, size
    from microgauge.tables.formats import formats

    ending = path.suffix.lower()
    kind = next((one for one in formats() if one.has_sheets and ending in one.endings), None)
    return () if kind is None else kind.listed_sheets(path)[:MOST_SHEETS]


def _is_looked_into(folder: str) -> bool:
    """Whether tables of the user may lie in a folder: not in what the app itself wrote."""
    kept = folder.startswith(RELEASE) and folder.endswith(INTERNAL)
    return not folder.startswith(".") and folder != OWN and not kept


def plain_name(wanted: str) -> str:
    r"""The last part of a name without signs that mean something to a shell or a path.

    >>> plain_name("../../a\\b c.csv"), plain_name("-rf"), plain_name(".."), plain_name("x\ny.csv")
    ('b c.csv', 'rf', 'file', 'xy.csv')
    """
    last = unicodedata.normalize("NFC", wanted).replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(sign for sign in last if sign.isprintable() and sign not in '<>:"|?*[]')
    kept = kept.lstrip(".- ").rstrip(". ")
    stem, dot, ending = kept.rpartition(".")
    tail = dot + ending
    if not stem or len(tail.encode()) > LONGEST_ENDING:
        stem, tail = kept, ""
    if len(kept.encode()) > LONGEST_NAME:
        room = LONGEST_NAME - len(tail.encode())
        kept = stem.encode()[:room].decode("utf-8", "ignore") + tail
    return kept or "file"


def bare_name(name: str) -> str:
    """A table's name without folders and endings, with its sheet where it has one.

    >>> bare_name("a/people.csv.gz"), bare_name("b.xlsx::Sheet 1"), bare_name("..")
    ('people', 'b-Sheet 1', 'file')
    """
    from microgauge.tables.formats import formats

    file, _, sheet = name.partition(SHEET)
    plain = plain_name(file)
    endings = [ending for known in formats() for ending in known.endings]
    fitting = [one for one in endings if plain.lower().endswith(one) and len(plain) > len(one)]
    bare = plain[: len(plain) - max(map(len, fitting), default=0)]
    return f"{bare}-{plain_name(sheet)}" if sheet else bare


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
            known = (folder.root / folder.parted(name)[0]).stat()
        except (OSError, ValueError):  # no file has such a name
            continue
        found[name] = [known.st_size, known.st_mtime]
    return found
