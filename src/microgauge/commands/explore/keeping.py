"""Finished candidates, kept in a folder: an exploration that was stopped goes on from them."""

from __future__ import annotations

import hashlib
import json
import re
import time
import typing
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any

from microgauge._version import __version__
from microgauge.commands.explore.grid import Try
from microgauge.commands.explore.sealing import is_sealed, seal_of
from microgauge.errors import InputError, said_by_system
from microgauge.languages.messages import forms_of, said_again, say
from microgauge.log import Note
from microgauge.records import dataclass
from microgauge.results import Assessment, Details, Inputs, VariableResult
from microgauge.results.manifest import Manifest
from microgauge.results.plain import sayable, to_dict
from microgauge.results.writing import write_whole
from microgauge.schema import Schema
from microgauge.schema.limits import Limits, RankChoices
from microgauge.sections.balance.choices import RutChoices
from microgauge.sections.registry import sections
from microgauge.sections.risk.choices import OTHER_TABLES
from microgauge.sections.verdict.choices import VerdictChoices
from microgauge.tables import is_paths, read_held
from microgauge.tables.collisions import collisions
from microgauge.tables.source import Source, file_of, sheet_of

FORMAT = 2
BLOCK = 1 << 22
LEFT = re.compile(r"\.[0-9a-f]{24}\.json\.\w+")
LONG_AGO = 3_600
"""Seconds."""


@dataclass(frozen=True)
class Kept:
    """A folder of results, one file for each candidate, named by all that its figures rest on."""

    folder: Path
    basis: str
    """A print of the tables, the schema and the sections."""

    @staticmethod
    def open(folder: str | Path, basis: str) -> Kept:
        """The folder, made where there is none."""
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
            _tidy(path)
        except OSError as error:
            raise InputError(
                say(
                    "{path} cannot be used as a folder: {said_by_system}.",
                    path=path,
                    said_by_system=said_by_system(error),
                )
            ) from None
        return Kept(path, basis)

    def _path(self, tried: Try) -> Path:
        return self.folder / f"{print_of([self.basis, tried.content])}.json"

    def read(self, tried: Try) -> Assessment | None:
        """The result of a candidate, None where there is none that can be read."""
        path = self._path(tried)
        if not path.is_file():
            return None
        try:
            plain = json.loads(path.read_text(encoding="utf-8"))
            if not is_sealed(path.name, plain, plain.pop("seal", None)):
                return None  # not ours, or changed
            plain = said_again(plain, plain["forms"])
            found: Assessment = restored(Assessment, plain["assessment"])
            details: Details | None = restored(Details | None, plain["details"])
            remarks: tuple[Note, ...] = restored(tuple[Note, ...], plain["remarks"])
            return found.changed(details=details, remarks=remarks)
        except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
            return None  # damaged: measured again, and written anew

    def keep(self, tried: Try, result: Assessment) -> None:
        """Write a result, whole or not at all."""
        plain = {
            "settings": sayable(tried.settings),
            "recipe": sayable(tried.content),
            # Limits are held against the figures anew: they may be others next time.
            "assessment": to_dict(result.changed(requirements=None)),
            "details": to_dict(result.details),
            "remarks": to_dict(result.remarks),
        }
        plain["forms"] = forms_of(plain)
        path = self._path(tried)
        plain["seal"] = seal_of(path.name, json.loads(json.dumps(plain)))
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
        write_whole(path, text + "\n")


def refuse_inputs(folder: str | Path, *inputs: Any) -> None:
    """Keep no candidate where it would be read as a part of a table the next time."""
    given = [one for one in inputs if is_paths(one)]
    named = [name for one in given for name in ([one] if isinstance(one, str | Path) else one)]
    for place in (Path(folder), Path(folder) / f"{print_of(None)}.json"):
        if collisions({"folder": place}, named):
            raise InputError(
                say(
                    "candidates kept in {folder} would be parts of an input, by its "
                    "folder or pattern; keep them in another folder (--folder DIR; "
                    "folder= in Python).",
                    folder=folder,
                )
            )


def _tidy(folder: Path) -> None:
    """Remove what a run left that was killed while it wrote; another may be writing now."""
    for path in folder.iterdir():
        if LEFT.fullmatch(path.name) and path.is_file():
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < time.time() - LONG_AGO:
                    path.unlink()


def basis_of(
    original: Any, schema: Schema, sections: Collection[str], fewest_rows: int | None = None
) -> str:
    """A print of all that figures rest on beside the recipe.

    `fewest_rows` are those of the smallest candidate, which the propensity model must suit.
    Limits and weights are not part of it: they are applied to figures that are there.
    """
    free = {f.name: f.default for f in fields(RutChoices) if f.name != "lmax"}
    others = {name: getattr(schema.risk, name) for name in OTHER_TABLES}
    plain = schema.changed(
        rut=replace(schema.rut, **free),
        risk=replace(schema.risk, **dict.fromkeys(OTHER_TABLES)),
        requirements=Limits(),
        rank=RankChoices(),
        verdict=VerdictChoices(),
    )
    tables = [None if t is None else table_print(t) for t in (original, *others.values())]
    return print_of([FORMAT, __version__, tables, repr(plain), sorted(sections), fewest_rows])


def table_print(source: Any) -> str:
    """A print of a table's content."""
    found = hashlib.blake2b(digest_size=16)
    if is_paths(source):
        for part in Source.find(source, "original").parts:
            with file_of(part).open("rb") as file:
                while block := file.read(BLOCK):
                    found.update(block)
            found.update((sheet_of(part) or "").encode())
        return found.hexdigest()
    frame = read_held(source, "original").frame()
    found.update(repr(frame.schema).encode())
    found.update(frame.hash_rows(seed=0).to_numpy().tobytes())
    return found.hexdigest()


def print_of(content: Any) -> str:
    """A short print of plain content."""
    text = json.dumps(sayable(content), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def restored(kind: Any, value: Any) -> Any:
    """A value of a result class from the plain one that `to_dict` made of it."""
    if value is None or kind is Any:
        return value
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, UnionType):
        options = [one for one in inner if one is not type(None)]
        return restored(options[0], value) if len(options) == 1 else value
    if origin is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        return tuple(restored(k, v) for k, v in zip(kinds, value, strict=True))
    if origin is dict:
        return {name: restored(inner[1], v) for name, v in value.items()}
    if kind is Assessment:
        return _restored_assessment(value)
    if isinstance(kind, type) and is_dataclass(kind):
        return _restored_class(kind, value)
    return value


def _restored_assessment(plain: Mapping[str, Any]) -> Assessment:
    kinds = {section.name: section.result for section in sections()}
    head = ("microgauge", "schema_version", "inputs", "variables", "manifest", "notes")
    return Assessment(
        microgauge=plain["microgauge"],
        schema_version=plain["schema_version"],
        inputs=restored(Inputs, plain["inputs"]),
        variables=restored(tuple[VariableResult, ...], plain["variables"]),
        sections={
            name: restored(kinds[name], value) for name, value in plain.items() if name not in head
        },
        notes=plain["notes"],
        manifest=restored(Manifest | None, plain.get("manifest")),
    )


def _restored_class(kind: type, value: Mapping[str, Any]) -> Any:
    hints = typing.get_type_hints(kind)
    return kind(**{name: restored(hints[name], v) for name, v in value.items()})
