"""What a run was made from and with, gathered as it begins."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from microgauge._version import __version__
from microgauge.commands.wanted import Wanted
from microgauge.errors import InputError, Undefined, said_by_system
from microgauge.kernels import in_threads
from microgauge.languages.messages import say
from microgauge.results.manifest import FileHash, InputHash, Manifest, Role, TextHash
from microgauge.results.plain import sayable
from microgauge.schema import Schema
from microgauge.schema.plain import schema_content
from microgauge.sections.risk.choices import OTHER_TABLES
from microgauge.tables import Reading, is_paths
from microgauge.tables.digest import file_sha256, joint_sha256, text_sha256
from microgauge.tables.source import Source, file_of

LIBRARIES = ("numpy", "scipy", "polars", "pandas", "scikit-learn", "statsmodels", "formulaic")
"""Libraries that figures rest on."""
NO_FILE = say("it was a data frame, which has no file")
BY_SPARK = say("Spark read it, and its files may lie anywhere")
NO_SCHEMA_FILE = say("no schema file was given")


def inputs_of(
    original: Any, others: Iterable[tuple[Role, str | None, Any]], schema: Schema, reading: Reading
) -> tuple[InputHash, ...]:
    """All tables of a run: the original, those compared with it, those that risk needs."""
    beside = [(which, None, getattr(schema.risk, which)) for which in OTHER_TABLES]
    known: list[tuple[Any, str | None, Any]] = [("original", None, original), *others]
    known += [one for one in beside if one[2] is not None]
    hashed = in_threads(lambda one: input_hash(one[0], one[2], reading, one[1]), known, shared=True)
    return tuple(hashed)


def input_hash(
    role: Role, source: Any, reading: Reading | None, name: str | None = None
) -> InputHash:
    """A table by the content of its files; what cannot be found is told where it is read."""
    if not is_paths(source):
        return InputHash(role=role, name=name, reason=NO_FILE)
    listed = [source] if isinstance(source, str | Path) else source
    given = tuple(Path(one).as_posix() for one in listed)
    said = given[0] if len(given) == 1 else given
    if reading is not None and reading.session is not None:
        return InputHash(role=role, name=name, given=said, reason=BY_SPARK)
    try:
        files = tuple(_file(file_of(part)) for part in Source.find(source, role).parts)
    except (InputError, OSError) as error:
        reason = say("it could not be read: {error}", error=error)
        return InputHash(role=role, name=name, given=said, reason=reason)
    digest = joint_sha256([file.sha256 for file in files])
    return InputHash(role=role, name=name, given=said, files=files, sha256=digest)


def _file(path: Path) -> FileHash:
    return FileHash(name=path.name, bytes=path.stat().st_size, sha256=file_sha256(path))


def manifest_of(
    command: Any,
    inputs: Sequence[InputHash],
    schema: Schema,
    wanted: Wanted,
    options: Mapping[str, Any],
    recipe: TextHash | None = None,
) -> Manifest:
    """The manifest of a run whose inputs were looked at."""
    spark = options.get("engine") == "spark"
    return Manifest(
        command=command,
        inputs=tuple(inputs),
        schema=_schema_hash(schema),
        recipe=recipe,
        options={
            "sections": sorted(wanted.sections - {"details"}),
            "left_out": list(wanted.left_out),
            **options,
        },
        seed=schema.options.seed,
        versions=versions(*(["pyspark"] if spark else [])),
    )


def engine_name(reading: Reading) -> str:
    """Where rows were read."""
    return "local" if reading.session is None else "spark"


def _schema_hash(schema: Schema) -> TextHash:
    try:
        content = sayable(schema_content(schema, {"risk": OTHER_TABLES}))
    except Undefined as why:
        return text_hash(schema.file, None, str(why))
    return text_hash(schema.file, content, None if schema.file else NO_SCHEMA_FILE)


def text_hash(path: str | Path | None, content: Any, reason: str | None = None) -> TextHash:
    """A schema or a recipe, by its file and by what it says."""
    digest = None
    try:
        digest = None if path is None else file_sha256(Path(path))
    except OSError as error:
        reason = f"the file could not be read again: {said_by_system(error)}"
    return TextHash(
        path=None if path is None else Path(path).as_posix(),
        sha256=digest,
        content=content,
        content_sha256=None if content is None else text_sha256(canonical(content)),
        reason=reason,
    )


def canonical(content: Mapping[str, Any]) -> str:
    """Content as JSON of one form only."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def versions(*more: str) -> dict[str, str]:
    """The program, Python, and the libraries that figures rest on."""
    found = {"microgauge": __version__, "python": platform.python_version()}
    for name in (*LIBRARIES, *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found | {"platform": f"{sys.platform} {platform.machine()}"}
