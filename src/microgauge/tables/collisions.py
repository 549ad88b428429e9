"""Inputs are sacred: where what is written would fall on what is read."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from microgauge.languages.messages import say, strung
from microgauge.tables.formats.format import SHEET
from microgauge.tables.source import ASIDE, files_of


def collisions(outputs: Mapping[str, Path], inputs: Iterable[str | Path]) -> list[str]:
    """Faults of outputs, by the options that name them, that are an input or fall together."""
    named = [str(source).removeprefix("file://").removeprefix("file:") for source in inputs]
    sources = {source: files for source in named if (files := _files(source)) is not None}
    read = {_place(file) for files in sources.values() for file in files}
    known = {_identity(file) for file in read} - {None}
    faults = []
    for option, output in outputs.items():
        place = _place(output)
        if place in read or (_identity(place) in known):
            faults.append(
                say(
                    "{option}: {output} is an input of this run; write elsewhere.",
                    option=option,
                    output=output,
                )
            )
        elif any(_joins(place, source) for source in sources):
            faults.append(
                say(
                    "{option}: {output} would be a part of an input, by its folder or "
                    "pattern; write elsewhere.",
                    option=option,
                    output=output,
                )
            )
    by_place: dict[Path, list[str]] = {}
    for option, output in outputs.items():
        by_place.setdefault(_place(output), []).append(option)
    return faults + [
        say(
            "{options} would write the same file, {name}; name different ones.",
            options=strung(options, say(" and ")),
            name=place.name,
        )
        for place, options in by_place.items()
        if len(options) > 1
    ]


def _files(source: str) -> list[Path] | None:
    with suppress(OSError):
        return files_of(source)
    return None  # a name that is too long: told where it is opened


def _place(path: Path) -> Path:
    try:
        return Path(os.path.normcase(os.path.realpath(path)))
    except ValueError:  # a name with a NUL, which no file has: told where it is opened
        return path


def _identity(path: Path) -> tuple[int, int] | None:
    """The file itself, whatever it is called: names that differ in case, or second names."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _joins(place: Path, source: str) -> bool:
    """Whether a new file would be read with a source the next time."""
    if place.name.startswith(ASIDE):
        return False
    given = Path(source.rpartition(SHEET)[0] or source)
    if given.is_dir():
        return _place(given) == place.parent
    # Only what was written is a pattern: the folder in which we are may have any name.
    here = Path(glob.escape(str(Path.cwd().resolve())))
    pattern = os.path.join(os.path.realpath(here / given.parent), given.name)  # noqa: PTH118
    return not given.exists() and fnmatch(str(place), pattern)
