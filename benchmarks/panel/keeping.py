"""Figures of finished files, kept so that a run can be stopped and taken up again.

A file for each data set, measurer and seed, a line for each protected file. Figures made by other
code than today's do not count, unless the user says that they do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

import microgauge
from benchmarks.panel.cases import Case, Figures
from benchmarks.panel.pairs import Kind

FOLDER = Path(__file__).with_name(".kept")


@dataclass(frozen=True)
class Kept:
    """The figures of one protected file."""

    data: str
    protection: str
    seed: int
    rows: int
    measurer: str
    code: str
    """Which code made them."""
    patterns: dict[Kind, str]
    """What is alike in it, by the kind of pairs."""
    seconds: float
    figures: Figures
    reason: str | None = None
    """Why there are no figures."""


@dataclass(frozen=True)
class Shelf:
    """Where the figures of one data set, measurer and seed are."""

    folder: Path
    data: str
    rows: int
    measurer: str
    seed: int

    @property
    def file(self) -> Path:
        return self.folder / f"{self.data}-{self.rows}-{self.measurer}-{self.seed}.jsonl"

    def read(self, any_code: bool) -> dict[str, Kept]:
        """By protection, the newest of each."""
        if not self.file.exists():
            return {}
        lines = self.file.read_text(encoding="utf-8").splitlines()
        wanted = [e for e in _entries(lines) if any_code or e["code"] == code()]
        return {entry["protection"]: Kept(**entry) for entry in wanted}

    def add(self, kept: Kept) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(kept)) + "\n")


def _entries(lines: list[str]) -> Iterator[dict[str, Any]]:
    """What is whole and has today's form: a run may have been stopped while it wrote."""
    names = {field.name for field in fields(Kept)}
    for line in lines:
        with suppress(json.JSONDecodeError):
            entry = json.loads(line)
            if set(entry) == names:
                yield entry


SHOWN = {"__main__.py", "page.py", "pairs.py", "resamples.py", "scores.py", "showing.py"}
SHOWN |= {"working.py"}
"""Files of the panel that make no figures."""


@cache
def code() -> str:
    """A digest of what makes figures: the package, the data sets, protections and measures."""
    digest = sha256()
    for place in (Path(microgauge.__file__).parent, Path(__file__).parent):
        for file in sorted(file for file in place.rglob("*.py") if _own(file, place)):
            if place.name != "panel" or file.name not in SHOWN:
                digest.update(file.relative_to(place).as_posix().encode() + file.read_bytes())
    digest.update((Path(__file__).parent / "datasets.toml").read_bytes())
    return digest.hexdigest()[:16]


def _own(file: Path, place: Path) -> bool:
    """Whether a file is no library of another program's environment."""
    return not any(part.startswith(".") for part in file.relative_to(place).parts)


def patterns(case: Case) -> dict[Kind, str]:
    """Digests of what is alike: two files that share one are in no order.

    Of files without chance, for risk which records are alike in all keys (a key may be removed
    that tells nobody apart, or nothing be there to round), for utility which cells of a column
    are. Of files with chance for utility the values: all numbers may be keys, and the wider noise
    be no wider.
    """
    frame = case.protected
    keys = [name for name in case.data.keys if name in frame.columns]
    rest = [name for name in case.data.variables if name in frame.columns and name not in keys]
    if case.protection.seeded:
        rows = frame.select([*keys, *rest]).write_csv().encode()
        return {"utility": sha256(rows).hexdigest()[:16]}
    return {
        "risk": _digest(frame, [keys, *([name] for name in rest)]),
        "utility": _digest(frame, [[name] for name in (*keys, *rest)]),
    }


def _digest(frame: pl.DataFrame, groups: list[list[str]]) -> str:
    digest = sha256()
    for names in groups:
        first = frame.select(names).with_row_index("row").select(pl.col("row").min().over(names))
        digest.update(first["row"].to_numpy().tobytes())
    return digest.hexdigest()[:16]
