"""Verifying: are the inputs of a result the same, and do they give the same figures?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from microgauge.commands.assess import assess_against, read_original
from microgauge.commands.differences import leaves
from microgauge.commands.explore import explore
from microgauge.commands.explore.keeping import restored
from microgauge.commands.manifest import canonical, input_hash, versions
from microgauge.commands.rank import rank
from microgauge.commands.wanted import Wanted
from microgauge.engines.opening import reading_of
from microgauge.errors import InputError, said_by_system
from microgauge.log import Progress, silent
from microgauge.records import dataclass
from microgauge.results.manifest import InputHash, Manifest, Role, TextHash
from microgauge.results.plain import json_text
from microgauge.results.verification import FigureCheck, InputCheck, Verification
from microgauge.schema import Schema
from microgauge.sections.registry import sections
from microgauge.sections.risk.choices import OTHER_TABLES
from microgauge.tables import exists, is_paths
from microgauge.tables.digest import file_sha256, text_sha256


def verify(
    result: str | Path,
    original: Any = None,
    protected: Any = None,
    *,
    schema: str | Path | None = None,
    external: Any = None,
    population: Any = None,
    holdout: Any = None,
    hashes_only: bool = False,
    progress: Progress = silent,
) -> Verification:
    """Hold a result of `assess`, `rank` or `explore` against its inputs, and measure them again.

    `result` is the JSON file. `original` and `protected` (of several candidates a list) are paths
    or data frames; without them, inputs are looked for where the result says they were, also
    beside the result. Inputs are compared by SHA-256, figures to 1e-9, sentences letter by letter.
    With `hashes_only` nothing is measured again.
    """
    path = Path(result)
    content, manifest = _read(path)
    given = {"original": original, "external": external, "population": population}
    with _damage_told():
        found = _sources(manifest, path.parent, given | {"holdout": holdout}, _listed(protected))
        checks = [_checked(one, source) for one, source in found]
        checks += [*_text_checks(manifest, path.parent, schema), *_seed_checks(manifest)]
        unasked = "only hashes were wanted"
        told: dict[str, Any] = {"compared": None, "figures": (), "reason": unasked}
        if not hashes_only:
            told = _again(manifest, found, content, checks, progress)
    return Verification(
        result=path.name,
        command=manifest.command,
        inputs=tuple(checks),
        versions=tuple(_version_differences(manifest)),
        **told,
    )


@contextmanager
def _damage_told() -> Iterator[None]:
    """A manifest may hold anything where someone changed it."""
    try:
        yield
    except (TypeError, KeyError, AttributeError, ValueError, IndexError):
        raise InputError(
            "the manifest of this result does not say how it was made: it was changed or is "
            "damaged."
        ) from None


def _read(path: Path) -> tuple[dict[str, Any], Manifest]:
    """A result, and what it says it was made from."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no result {path}.") from None
    except OSError as error:
        raise InputError(f"the result {path} cannot be read: {said_by_system(error)}.") from None
    except (ValueError, RecursionError):
        raise InputError(f"the result {path} is not valid JSON.") from None
    if not isinstance(content, dict) or "manifest" not in content:
        raise InputError(
            f"{path} has no manifest: it is no result of assess, rank or explore, or was written "
            "before there were manifests. Make it again with --json."
        )
    try:
        manifest: Manifest = restored(Manifest, content["manifest"])
        sound = _sound(manifest)
    except (TypeError, KeyError, ValueError, AttributeError, IndexError):
        sound = False
    if not sound:
        raise InputError(f"the manifest of {path} is damaged.")
    return content, manifest


RELEASED: Mapping[str, Role | None] = {
    "assess": "protected",
    "rank": "candidate",
    "explore": None,
}
"""What each command reads beside the original."""


def _sound(manifest: Manifest) -> bool:
    """Whether it says all that is needed to make the result again, and its hashes agree."""
    released = RELEASED[manifest.command]
    inputs, schema, options = manifest.inputs, manifest.schema, manifest.options
    if not manifest.of("original") or (released is not None and not manifest.of(released)):
        return False
    if not all(one.role in get_args(Role) and (one.sha256 or one.reason) for one in inputs):
        return False
    content = schema.content
    if schema.content_sha256 != (None if content is None else text_sha256(canonical(content))):
        return False
    if content is None and schema.reason is None:
        return False
    engine = manifest.command == "explore" or isinstance(options["engine"], str)
    return engine and isinstance(options["sections"], list) and isinstance(manifest.versions, dict)


def _listed(protected: Any) -> list[Any]:
    if protected is None:
        return []
    return list(protected) if isinstance(protected, list | tuple) else [protected]


# -- inputs --------------------------------------------------------------------------------------

Found = tuple[InputHash, Any]
"""An input of the result, and where it is now."""


def _sources(
    manifest: Manifest, folder: Path, given: Mapping[str, Any], protected: Sequence[Any]
) -> list[Found]:
    """Every input with the table that stands for it now; all that are not found at once."""
    others = [one for one in manifest.inputs if one.role in ("protected", "candidate")]
    if protected and len(protected) != len(others):
        raise InputError(
            f"the result compares {len(others)} protected tables with the original; "
            f"{len(protected)} were given."
        )
    matched = dict(zip(map(_key, others), _by_content(others, protected), strict=True))
    found, faults = [], []
    for one in manifest.inputs:
        source = matched.get(_key(one)) if one in others else given.get(one.role)
        source = _where_it_was(one, folder) if source is None else source
        if source is None:
            faults.append(_not_found(one))
        elif not exists(source):
            faults.append(f"there is no file {source} ({_called(one)}).")
        found.append((one, source))
    if faults:
        raise InputError(*faults)
    return found


def _key(one: InputHash) -> tuple[str, str | None]:
    return one.role, one.name


def _by_content(others: Sequence[InputHash], protected: Sequence[Any]) -> list[Any]:
    """Tables in the order of the result: those of the same content first, the rest as given."""
    if not protected:
        return [None] * len(others)
    left = [(source, _digest(source)) for source in protected]
    found: list[Any] = [None] * len(others)
    for place, one in enumerate(others):
        same = next((x for x in left if x[1] is not None and x[1] == one.sha256), None)
        if same is not None:
            found[place] = same[0]
            left.remove(same)
    return [left.pop(0)[0] if source is None else source for source in found]


def _digest(source: Any) -> str | None:
    return input_hash("protected", source, None).sha256 if is_paths(source) else None


def _where_it_was(one: InputHash, folder: Path) -> Any:
    """The files that the result names: from here, from beside the result, or in its folder."""
    if one.given is None:
        return None
    named = [one.given] if isinstance(one.given, str) else list(one.given)
    tried = [
        named,
        [str(folder / name) for name in named],
        [str(folder / Path(name).name) for name in named],
    ]
    there = next((names for names in tried if exists(names)), None)
    return there[0] if there is not None and len(there) == 1 else there


def _called(one: InputHash) -> str:
    return f"the {one.role} table" if one.name is None else f"the {one.role} {one.name}"


def _not_found(one: InputHash) -> str:
    if one.given is None:
        return f"{_called(one)} was a data frame; give a table to hold the result against."
    return f"{_called(one)} is not where the result says it was ({one.given}); say where it is."


def _checked(one: InputHash, source: Any) -> InputCheck:
    """An input held against the table that stands for it now."""
    if one.sha256 is None:
        return InputCheck(what=_called(one), state="not compared", said=f"no hash: {one.reason}")
    now = input_hash(one.role, source, None, one.name)
    if now.sha256 is None:
        said = f"there is no hash now: {now.reason}"
        return InputCheck(what=_called(one), state="not compared", said=said)
    if now.sha256 == one.sha256:
        return InputCheck(what=_called(one), state="same", said=f"SHA-256 {one.sha256[:12]}…")
    return InputCheck(what=_called(one), state="differs", said=_file_differences(one, now))


def _file_differences(one: InputHash, now: InputHash) -> str:
    """Which files are others now."""
    if len(one.files) != len(now.files):
        return f"it had {len(one.files)} files, it has {len(now.files)}"
    pairs = zip(one.files, now.files, strict=True)
    changed = [(a, b) for a, b in pairs if a.sha256 != b.sha256]
    return "; ".join(
        f"{b.name} has SHA-256 {b.sha256[:12]}… and {b.bytes:,} bytes, not {a.sha256[:12]}… and "
        f"{a.bytes:,} bytes"
        for a, b in changed[:5]
    ) + (f"; {len(changed) - 5} files more" if len(changed) > 5 else "")


def _text_checks(
    manifest: Manifest, folder: Path, schema: str | Path | None
) -> Iterator[InputCheck]:
    """The schema and the recipe, where their files are there: the result says what they said."""
    if schema is not None and not Path(schema).is_file():
        raise InputError(f"there is no schema file {schema}.")
    texts: list[tuple[str, TextHash | None, Any]] = [
        ("the schema file", manifest.schema, schema),
        ("the recipe", manifest.recipe, None),
    ]
    for what, text, given in texts:
        if text is None or text.sha256 is None:
            continue
        names = [
            text.path or "",
            str(folder / (text.path or "")),
            str(folder / Path(text.path or "").name),
        ]
        path = given or next((name for name in names if Path(name).is_file()), None)
        if path is None:
            said = "its file is not there; what it said stands in the result"
            yield InputCheck(what=what, table=False, state="not compared", said=said)
            continue
        now = file_sha256(Path(path))
        said = f"SHA-256 {now[:12]}…"
        if now == text.sha256:
            yield InputCheck(what=what, table=False, state="same", said=said)
        else:
            said += f", not {text.sha256[:12]}…; figures are made by what stands in the result"
            yield InputCheck(what=what, table=False, state="differs", said=said)


def _seed_checks(manifest: Manifest) -> Iterator[InputCheck]:
    """The seed, where it is not the one that figures were made with."""
    if manifest.schema.content is None:
        return
    used = Schema.from_dict(manifest.schema.content).options.seed
    if manifest.seed != used:
        said = f"the manifest says {manifest.seed}, its schema {used}; figures are made by that"
        yield InputCheck(what="the seed", table=False, state="differs", said=said)


# -- figures -------------------------------------------------------------------------------------


def _again(
    manifest: Manifest,
    found: Sequence[Found],
    content: Mapping[str, Any],
    checks: Sequence[InputCheck],
    progress: Progress,
) -> dict[str, Any]:
    """The figures that the inputs give now, beside those of the result."""
    if manifest.schema.content is None:
        return {"compared": None, "figures": (), "reason": manifest.schema.reason or "no schema"}
    try:
        now = json.loads(json_text(Again(manifest, found, progress).result()))
    except InputError as error:
        if all(check.state != "differs" for check in checks):
            raise
        said = "; ".join(fault.rstrip(".") for fault in error.faults)
        return {"compared": None, "figures": (), "reason": said}
    both = list(leaves(_without_forms(content), _without_forms(now)))
    return {
        "compared": sum(not one.words for one in both),
        "figures": tuple(one.check for one in both if one.differs and not one.words),
        "words": tuple(one.check for one in both if one.differs and one.words),
    }


def _without_forms(content: Mapping[str, Any]) -> dict[str, Any]:
    """Sentences are compared as they read, not by what they were made from."""
    return {name: value for name, value in content.items() if name != "forms"}


@dataclass(frozen=True, eq=False)
class Again:
    """The command of a manifest, on its inputs of now."""

    manifest: Manifest
    found: Sequence[Found]
    progress: Progress

    def result(self) -> Any:
        """The result, made again."""
        options = self.manifest.options
        schema = self._schema()
        original = self._of("original")[0]
        if self.manifest.command == "assess":
            reading = reading_of(schema, options.get("memory"), None, options["engine"])
            before = read_original(original, schema, self.progress, reading)
            wanted = Wanted(
                frozenset(options["sections"]),
                left_out=tuple(options.get("left_out", ())),
                quick=bool(options.get("quick")),
            )
            return assess_against(before, self._of("protected")[0], schema, wanted, self.progress)
        choices: dict[str, Any] = {"schema": schema, "progress": self.progress, **self._sections()}
        if self.manifest.command == "rank":
            names = [one.name or "" for one, _ in self.found if one.role == "candidate"]
            how = {"engine": options["engine"], "memory": options.get("memory")}
            return rank(original, self._of("candidate"), names=names, **choices, **how)
        assert self.manifest.recipe is not None
        return explore(original, self.manifest.recipe.content or {}, workers=None, **choices)

    def _sections(self) -> dict[str, list[str]]:
        """As they were chosen: by their names, or those that are quick but for some."""
        options = self.manifest.options
        named = options["sections"]
        if not options.get("left_out"):
            return {"only": named}
        out = {*named, *options["left_out"]}
        return {"skip": [section.name for section in sections() if section.name not in out]}

    def _of(self, role: str) -> list[Any]:
        return [source for one, source in self.found if one.role == role]

    def _schema(self) -> Schema:
        schema = Schema.from_dict(self.manifest.schema.content or {})
        tables = {which: self._of(which)[0] for which in OTHER_TABLES if self._of(which)}
        return schema.changed(risk=replace(schema.risk, **tables))


def _version_differences(manifest: Manifest) -> Iterator[FigureCheck]:
    now = versions(*(["pyspark"] if "pyspark" in manifest.versions else []))
    for name in dict.fromkeys([*manifest.versions, *now]):
        was, is_now = manifest.versions.get(name), now.get(name)
        if was != is_now:
            yield FigureCheck(place=name, was=was, now=is_now)
