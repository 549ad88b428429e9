"""What a user names, as files: one, a folder of parts, or a pattern such as part-*.parquet."""

from __future__ import annotations

import glob
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from microgauge.errors import InputError, listing
from microgauge.tables.delimited import Dialect, decimal_commas, dialect_of
from microgauge.tables.drift import column_drift, header_drift
from microgauge.tables.labelled import LABELLED

Format = Literal["Parquet", "Arrow", "CSV", "labelled"]
Paths = str | Path | Sequence[str | Path]

ARROW_MAGIC = b"ARROW1"
PARQUET_MAGIC = b"PAR1"
GZIP_MAGIC = b"\x1f\x8b"

FAULTS = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    zlib.error,
)
"""What reading a damaged file may raise."""


@dataclass(frozen=True)
class Source:
    """Files of one format that make up a table."""

    name: str
    which: str
    """"original" or "protected", for messages."""
    parts: tuple[Path, ...]
    format: Format
    gzipped: bool = False

    @staticmethod
    def find(given: Paths, which: str) -> Source:
        """The files a user means; `InputError` where there are none or they differ in format."""
        name, parts = _parts(given, which)
        starts, faults = _starts(parts, which)
        if faults:
            raise InputError(*faults, *_other_faults(list(starts), which))
        formats = {part: _format(part, start) for part, start in starts.items()}
        kinds = Counter(formats.values())
        if len(kinds) > 1:
            usual = kinds.most_common(1)[0][0]
            others = listing(part.name for part, kind in formats.items() if kind != usual)
            raise InputError(
                f"the {which} table {name} has parts of different formats: most are {usual}, but "
                f"not {others}."
            )
        (kind,) = kinds
        if kind == "labelled" and len(parts) > 1:
            raise InputError(
                f"the {which} table {name} has {len(parts)} SPSS, Stata or SAS files; name one."
            )
        gzipped = any(start.startswith(GZIP_MAGIC) for start in starts.values())
        return Source(name, which, parts, kind, gzipped)

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(part.stat().st_size for part in self.parts)

    def part_name(self, part: Path) -> str:
        """A part as messages name it."""
        if len(self.parts) == 1:
            return f"the {self.which} table {part}"
        return f"the part {part} of the {self.which} table"

    def damaged(self, part: Path, error: BaseException) -> str:
        """The fault of a part that cannot be read."""
        return (
            f"{self.part_name(part)} is not a readable {self.format} file ({_first_line(error)}). "
            "It may be cut off or damaged; copy or export it again."
        )

    # -- columns and rows ----------------------------------------------------------------------

    @cached_property
    def columns(self) -> dict[str, Any]:
        """Columns with their types, the same in every part; all faults of all parts at once."""
        faults: list[str] = []
        schemas: dict[Path, dict[str, Any]] = {}
        for part in self.parts:
            try:
                schemas[part] = self._schema(part)
            except InputError as error:
                faults += error.faults
            except FAULTS as error:
                faults.append(self.damaged(part, error))
        return self.agreed(schemas, faults)

    def agreed(self, schemas: dict[Path, dict[str, Any]], faults: list[str]) -> dict[str, Any]:
        """The columns that all parts have; with other faults, every difference between them."""
        found = list(faults)
        if schemas:
            first = next(iter(schemas))
            for part, schema in schemas.items():
                found += self._drift(first, schemas[first], part, schema)
        if found:
            raise InputError(*found)
        names = next(iter(schemas.values()))
        return {name: _common([schema[name] for schema in schemas.values()]) for name in names}

    def _schema(self, part: Path) -> dict[str, Any]:
        if self.format == "Parquet":
            found = dict(pl.scan_parquet(part, glob=False).collect_schema())
        elif self.format == "Arrow":
            found = dict(pl.scan_ipc(part, glob=False).collect_schema())
        else:
            found = dict.fromkeys(self._dialect(part).header, pl.String())
        refuse_repeats(found, self.part_name(part))
        return found

    def _drift(
        self, first: Path, expected: dict[str, Any], part: Path, found: dict[str, Any]
    ) -> list[str]:
        """How a part's columns differ from those of the first part."""
        names = (self.part_name(part), first.name)
        if self.format == "CSV":
            return header_drift(names[0], found, names[1], expected)
        return column_drift(names[0], found, names[1], expected, _alike)

    @cached_property
    def rows(self) -> int | None:
        """Number of rows; None where only reading everything would tell."""
        if self.format not in ("Parquet", "Arrow"):
            return None
        total = 0
        for part in self.parts:
            with self.reading(part):
                total += int(self._scan(part).select(pl.len()).collect().item())
        return total

    @contextmanager
    def reading(self, part: Path) -> Iterator[None]:
        """What a damaged file raises becomes one message that names the file."""
        try:
            yield
        except InputError:
            raise
        except FAULTS as error:
            if self.format != "CSV":
                raise InputError(self.damaged(part, error)) from None
            # What a CSV reader says may hold cells of the data.
            raise InputError(
                f"{self.part_name(part)} is not a readable CSV file in UTF-8: a line has more "
                "fields than the header, a quote is not closed, or a byte is no text. Repair or "
                "convert it."
            ) from None

    # -- batches -------------------------------------------------------------------------------

    def batches(self, size: int) -> Iterator[pl.DataFrame]:
        """All rows in order, so many at a time."""
        names = list(self.columns)
        for part in self.parts:
            with self.reading(part):
                frames = self._scan(part).collect_batches(chunk_size=size, maintain_order=True)
                for frame in frames:
                    yield frame.select(names)

    def _scan(self, part: Path) -> pl.LazyFrame:
        if self.format == "Parquet":
            return pl.scan_parquet(part, glob=False)
        if self.format == "Arrow":
            return pl.scan_ipc(part, glob=False)
        dialect = self._dialect(part)
        frame = pl.scan_csv(
            part,
            glob=False,
            has_header=True,
            separator=dialect.delimiter,
            quote_char=dialect.quote,
            infer_schema=False,
            new_columns=list(dialect.header),
        )
        return decimal_commas(frame, self._commas) if self._commas else frame

    def _dialect(self, part: Path) -> Dialect:
        return dialect_of(part, self.part_name(part))

    @cached_property
    def _commas(self) -> tuple[str, ...]:
        """Columns of numbers with a decimal comma."""
        from microgauge.tables.delimited import columns_with_commas

        frames = []
        for part in self.parts:
            dialect = self._dialect(part)
            if dialect.delimiter == ",":
                return ()
            frames.append(
                pl.scan_csv(
                    part,
                    glob=False,
                    separator=dialect.delimiter,
                    quote_char=dialect.quote,
                    infer_schema=False,
                    new_columns=list(dialect.header),
                ).select(list(self.columns))
            )
        with self.reading(self.parts[0]):
            return columns_with_commas(pl.concat(frames))


def refuse_repeats(names: Any, where: str) -> None:
    """`InputError` where a name stands for more than one column."""
    repeated = [column for column, times in Counter(list(names)).items() if times > 1]
    if repeated:
        raise InputError(
            f"{where} has more than one column named {listing(repeated)}. "
            "Rename them so that every column has its own name."
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
    return bool(names) and all(Path(n).exists() or _matches(n) for n in names)


def _matches(pattern: str | Path) -> list[Path]:
    found = (Path(name) for name in sorted(glob.glob(str(pattern))))  # noqa: PTH207, any folder
    return [path for path in found if path.is_file() and not path.name.startswith((".", "_"))]


def _other_faults(parts: Sequence[Path], which: str) -> tuple[str, ...]:
    """What is wrong with the parts that can be opened."""
    try:
        if parts:
            source = Source.find(parts, which)
            _ = source.columns if source.format != "labelled" else None
    except InputError as error:
        return error.faults
    return ()


def _parts(given: Paths, which: str) -> tuple[str, tuple[Path, ...]]:
    if not isinstance(given, str | Path):
        parts = tuple(part for path in given for part in _parts(path, which)[1])
        if not parts:
            raise InputError(f"the {which} table is an empty list of files.")
        return f"{parts[0]} and {len(parts) - 1} more" if len(parts) > 1 else str(parts[0]), parts
    path = Path(given)
    if path.is_dir():
        parts = tuple(
            sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith((".", "_")))
        )
        if not parts:
            raise InputError(f"the {which} table {path} is a folder without files.")
        return str(path), parts
    if path.exists():
        return str(path), (path,)
    parts = tuple(_matches(path))
    if parts:
        return str(path), parts
    if any(sign in str(path) for sign in "*?["):
        raise InputError(f"no file is named like {path} (the {which} table).")
    raise InputError(f"there is no file {path} (the {which} table).{_neighbours(path)}")


def _neighbours(path: Path) -> str:
    if not path.parent.is_dir():
        return f" There is no folder {path.parent} either."
    names = sorted(p.name for p in path.parent.iterdir() if p.is_file() and p.name[:1] != ".")
    return f" The folder holds: {listing(names)}." if names else ""


def _starts(parts: Sequence[Path], which: str) -> tuple[dict[Path, bytes], list[str]]:
    """The first bytes of the parts that have any, and the faults of the others."""
    faults = []
    starts = {}
    for part in parts:
        try:
            with part.open("rb") as file:
                start = file.read(8)
        except OSError as error:
            faults.append(f"the {which} table {part} cannot be read: {error.strerror}.")
            continue
        if start:
            starts[part] = start
        else:
            faults.append(f"the {which} table {part} is empty.")
    return starts, faults


def _format(path: Path, start: bytes) -> Format:
    suffix = path.suffix.lower()
    if suffix in LABELLED:
        return "labelled"
    if start.startswith(PARQUET_MAGIC) or suffix in (".parquet", ".pq"):
        return "Parquet"
    if start.startswith(ARROW_MAGIC) or suffix in (".arrow", ".feather", ".ipc"):
        return "Arrow"
    return "CSV"


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


# -- types ---------------------------------------------------------------------------------------

_FAMILIES: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("null", lambda dtype: dtype == pl.Null),
    ("boolean", lambda dtype: dtype == pl.Boolean),
    ("number", lambda dtype: dtype.is_numeric()),
    ("text", lambda dtype: dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum)),
)


def _family(dtype: Any) -> str:
    return next((name for name, fits in _FAMILIES if fits(dtype)), str(dtype))


def _alike(a: Any, b: Any) -> bool:
    """Whether two parts hold a column alike: numbers of any size are."""
    families = {_family(a), _family(b)} - {"null"}
    return len(families) < 2


def _common(dtypes: Sequence[Any]) -> Any:
    """The type of all parts: the same, or one that holds them all."""
    known = [dtype for dtype in dtypes if dtype != pl.Null]
    if not known or all(dtype == known[0] for dtype in known):
        return known[0] if known else dtypes[0]
    return pl.Float64() if known[0].is_numeric() else pl.String()
