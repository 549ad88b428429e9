"""What a user names, as files: one, a folder of parts, or a pattern such as part-*.parquet."""

from __future__ import annotations

import glob
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import polars as pl
from polars.selectors import by_name

from microgauge.errors import InputError, first_line, listing, read_once, said_by_system
from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.tables.drift import common_type
from microgauge.tables.formats import Format, format_of
from microgauge.tables.formats.format import SHEET, Held
from microgauge.tables.panics import unheard

Paths = str | Path | Sequence[str | Path]

Read = TypeVar("Read")

ASIDE = (".", "_")
"""How names start that are no part of a folder's table."""

FAULTS = (
    pl.exceptions.PolarsError,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    zlib.error,
)
"""What reading a damaged file may raise."""
PANIC = "PanicException"


@dataclass(frozen=True)
class Source:
    """Files of one format that make up a table."""

    name: str
    which: str
    """"original" or "protected", for messages."""
    parts: tuple[Path, ...]
    """A sheet of a workbook stands behind its file: book.xlsx::Sheet."""
    format: Format
    seen: dict[Path, Any] = field(default_factory=dict, compare=False)
    """What a format found out about a part, once."""
    unzipped: dict[Path, bytes] = field(default_factory=dict, compare=False)
    """The text of zipped parts from when its length was asked for until it is read."""

    @staticmethod
    def find(given: Paths, which: str) -> Source:
        """The files a user means; `InputError` where there are none or they differ in format."""
        try:
            name, parts = _parts(given, which)
        except OSError as error:  # a name that is too long, a folder that may not be read
            raise InputError(
                say(
                    "the {which} table {given} cannot be read: {said_by_system}.",
                    which=which,
                    given=given,
                    said_by_system=said_by_system(error),
                )
            ) from None
        starts, faults = _starts(parts, which)
        if faults:
            raise InputError(*faults, *_other_faults(list(starts), which))
        formats = {part: format_of(file_of(part), start) for part, start in starts.items()}
        kinds = Counter(formats.values())
        if len(kinds) > 1:
            usual = kinds.most_common(1)[0][0]
            others = listing(part.name for part, kind in formats.items() if kind != usual)
            raise InputError(
                say(
                    "the {which} table {name} has parts of different formats: most are "
                    "{name2}, but not {others}.",
                    which=which,
                    name=name,
                    name2=usual.name,
                    others=others,
                )
            )
        (kind,) = kinds
        if len(parts) > 1 and not kind.several:
            said = " or ".join(filter(None, (", ".join(kind.said[:-1]), kind.said[-1])))
            raise InputError(
                say(
                    "the {which} table {name} has {n} {said} files; name one.",
                    which=which,
                    name=name,
                    n=len(parts),
                    said=said,
                )
            )
        within = [part for part in parts if sheet_of(part) is not None]
        if within and not kind.has_sheets:
            raise InputError(
                say(
                    "the {which} table {file_of} is a {name} file, which has no sheets: "
                    "leave out {sheet}{sheet_of}.",
                    which=which,
                    file_of=file_of(within[0]),
                    name=kind.name,
                    sheet=SHEET,
                    sheet_of=sheet_of(within[0]),
                )
            )
        return Source(name, which, parts, kind)

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file_of(part).stat().st_size for part in self.parts)

    def part_name(self, part: Path) -> str:
        """A part as messages name it."""
        if len(self.parts) == 1:
            return say("the {which} table {part}", which=self.which, part=part)
        return say("the part {part} of the {which} table", part=part, which=self.which)

    # -- columns and rows ----------------------------------------------------------------------

    @cached_property
    def columns(self) -> dict[str, Any]:
        """Columns with their types, the same in every part; all faults of all parts at once."""
        return self._agreed(*self._gathered(self._schema))

    def _schema(self, part: Path) -> dict[str, Any]:
        found = self.format.schema(self, part)
        refuse_repeats(found, self.part_name(part))
        return found

    def joined(self, frame: Callable[[Path], pl.DataFrame]) -> pl.DataFrame:
        """The frames of all parts, one below the other; all faults of all parts at once."""
        frames, faults = self._gathered(frame)
        columns = self._agreed({part: dict(f.schema) for part, f in frames.items()}, faults)
        if len(frames) == 1:
            return next(iter(frames.values()))
        # Column by column: to polars, a name such as * or ^v$ is a pattern.
        return pl.concat(
            [
                pl.DataFrame([f[n].cast(kind) for n, kind in columns.items()])
                for f in frames.values()
            ]
        )

    def _gathered(self, read: Callable[[Path], Read]) -> tuple[dict[Path, Read], list[str]]:
        """What is read of every part, and the faults of those that cannot be."""
        found: dict[Path, Read] = {}
        faults: list[str] = []
        for part in self.parts:
            try:
                with self.reading(part):
                    found[part] = read(part)
            except InputError as error:
                faults += error.faults
        return found, faults

    def _agreed(self, schemas: dict[Path, dict[str, Any]], faults: list[str]) -> dict[str, Any]:
        """The columns that all parts have; with other faults, every difference between them."""
        found = list(faults)
        if schemas:
            first = next(iter(schemas))
            for part, schema in schemas.items():
                name = self.part_name(part)
                found += self.format.drift(name, schema, first.name, schemas[first])
        if found:
            raise InputError(*found)
        names = next(iter(schemas.values()))
        return {name: common_type([schema[name] for schema in schemas.values()]) for name in names}

    @cached_property
    def rows(self) -> int | None:
        """Number of rows; None where only reading everything would tell."""
        return self.format.rows(self)

    @contextmanager
    def reading(self, part: Path) -> Iterator[None]:
        """What a damaged file raises becomes one message that names the file, and the only one."""
        with self.unheard(), self._naming(part):
            yield

    def unheard(self) -> AbstractContextManager[None]:
        """Let polars say nothing by itself of damage; not for a generator, which may lie about."""
        where = say("the {which} table {name}", which=self.which, name=self.name)
        return unheard(self.format.damaged(where, say("it asks for more memory than there is")))

    @contextmanager
    def _naming(self, part: Path) -> Iterator[None]:
        try:
            yield
        except InputError:
            raise
        except FAULTS as error:
            raise self._damaged(part, first_line(error)) from None
        except BaseException as error:
            # Libraries in Rust have a class for panics each, and none of them is an Exception. What
            # they say is for who wrote the library.
            if type(error).__name__ != PANIC:
                raise
            raise self._damaged(part, say("its parts do not fit together")) from None

    def _damaged(self, part: Path, why: str) -> InputError:
        return InputError(self.format.damaged(self.part_name(part), why))

    def held(self) -> Held:
        """The table, read whole."""
        return self.format.held(self)

    # -- batches -------------------------------------------------------------------------------

    @cached_property
    def prepared(self) -> Any:
        """What the format must know of all parts before one is scanned."""
        return self.format.prepared(self)

    def batches(self, size: int) -> Iterator[pl.DataFrame]:
        """All rows in order, so many at a time; for whoever is `unheard`."""
        names = list(self.columns)
        for part in self.parts:
            with self._naming(part):
                frames = self.scan(part).collect_batches(chunk_size=size, maintain_order=True)
                for frame in frames:
                    yield frame.select(by_name(*names))

    def scan(self, part: Path) -> pl.LazyFrame:
        """The rows of a part, to be read in batches."""
        return self.format.scan(self, part)


def refuse_repeats(names: Any, where: str) -> None:
    """`InputError` where a name stands for more than one column."""
    repeated = [column for column, times in Counter(list(names)).items() if times > 1]
    if repeated:
        raise InputError(
            say(
                "{where} has more than one column named {repeated}. Rename them so that "
                "every column has its own name.",
                where=where,
                repeated=listing(repeated),
            )
        )


# -- finding files -------------------------------------------------------------------------------


def is_paths(given: Any) -> bool:
    """Whether a user names files rather than giving a data frame."""
    if isinstance(given, str | Path):
        return True
    return isinstance(given, list | tuple) and all(isinstance(p, str | Path) for p in given)


def exists(given: Any) -> bool:
    """Whether there is anything under the name."""
    if not is_paths(given):
        return True
    names = [given] if isinstance(given, str | Path) else given
    return bool(names) and all(file_of(Path(n)).exists() or _matches(n) for n in names)


def _matches(pattern: str | Path) -> list[Path]:
    file, _ = _file_and_sheet(pattern)
    found = (Path(name) for name in sorted(glob.glob(file)))  # noqa: PTH207, any folder
    return [path for path in found if path.is_file() and not path.name.startswith(ASIDE)]


def file_of(part: Path) -> Path:
    """The file that a part is, or is in.

    >>> file_of(Path("book.xlsx::People")).name
    'book.xlsx'
    """
    return Path(_file_and_sheet(part)[0])


def files_of(given: str | Path) -> list[Path]:
    """The files under a name as far as there are any: itself, a workbook, those of a folder."""
    file = file_of(Path(given))
    if file.is_dir():
        return [file, *(path for path in file.iterdir() if path.is_file())]
    return [file, *_matches(given)]


def sheet_of(part: Path) -> str | None:
    """The sheet that a part names; None where it is a file.

    >>> sheet_of(Path("book.xlsx::People"))
    'People'
    """
    return _file_and_sheet(part)[1]


def _file_and_sheet(part: str | Path) -> tuple[str, str | None]:
    name = str(part)
    if SHEET not in name or Path(name).exists():
        return name, None
    file, _, sheet = name.rpartition(SHEET)
    return file, sheet


def _other_faults(parts: Sequence[Path], which: str) -> tuple[str, ...]:
    """What is wrong with the parts that can be opened."""
    try:
        if parts:
            source = Source.find(parts, which)
            _ = source.columns if source.format.in_batches else None
    except InputError as error:
        return error.faults
    return ()


def _parts(given: Paths, which: str) -> tuple[str, tuple[Path, ...]]:
    if not isinstance(given, str | Path):
        parts = tuple(part for path in given for part in _parts(path, which)[1])
        if not parts:
            raise InputError(say("the {which} table is an empty list of files.", which=which))
        return say("{parts} and {n} more", parts=parts[0], n=len(parts) - 1) if len(
            parts
        ) > 1 else str(parts[0]), parts
    file, sheet = _file_and_sheet(given)
    return str(Path(given)), tuple(
        part if sheet is None else Path(f"{part}{SHEET}{sheet}") for part in _files(file, which)
    )


def _files(name: str, which: str) -> list[Path]:
    """The files under a name: itself, those of a folder, or those like a pattern."""
    path = Path(name)
    if path.is_dir():
        parts = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith(ASIDE))
        if not parts:
            raise InputError(
                say("the {which} table {path} is a folder without files.", which=which, path=path)
            )
        return parts
    if path.exists():
        return [path]
    parts = _matches(path)
    if parts:
        return parts
    if any(sign in str(path) for sign in "*?["):
        raise InputError(
            say("no file is named like {path} (the {which} table).", path=path, which=which)
        )
    raise InputError(
        say(
            "there is no file {path} (the {which} table).{neighbours}",
            path=path,
            which=which,
            neighbours=_neighbours(path),
        )
    )


def _neighbours(path: Path) -> str:
    if not path.parent.is_dir():
        return say(" There is no folder {parent} either.", parent=path.parent)
    names = sorted(p.name for p in path.parent.iterdir() if p.is_file() and p.name[:1] != ".")
    return say(" The folder holds: {names}.", names=listing(names)) if names else ""


def _starts(parts: Sequence[Path], which: str) -> tuple[dict[Path, bytes], list[str]]:
    """The first bytes of the parts that have any, and the faults of the others."""
    faults = []
    starts = {}
    for part in parts:
        try:
            if not stat.S_ISREG(file_of(part).stat().st_mode):
                faults.append(read_once(say("the {which} table {part}", which=which, part=part)))
                continue
            with file_of(part).open("rb") as file:
                start = file.read(8)
        except OSError as error:
            faults.append(
                say(
                    "the {which} table {part} cannot be read: {said_by_system}.",
                    which=which,
                    part=part,
                    said_by_system=said_by_system(error),
                )
            )
            continue
        if start:
            starts[part] = start
        else:
            faults.append(say("the {which} table {part} is empty.", which=which, part=part))
    return starts, faults
