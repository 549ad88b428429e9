"""Releasing: a chosen file with its recipe, report and manifest, in a folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from microgauge._version import __version__
from microgauge.app import asking, recipes, results
from microgauge.app.asked import Asked, place_in
from microgauge.app.desk import Desk
from microgauge.app.folder import (
    INTERNAL,
    NO_FILE,
    RELEASE,
    Folder,
    as_argument,
    plain_name,
    prints_of,
)
from microgauge.app.jobs import Around, Jobs, Run
from microgauge.app.kept import refuse_links
from microgauge.app.pages.describing import queue_description
from microgauge.app.project import State
from microgauge.app.server import Running
from microgauge.app.shapes import manifest_in
from microgauge.errors import InputError
from microgauge.languages.messages import Form, Message, say
from microgauge.results.writing import not_written, write_whole
from microgauge.tables.digest import file_sha256
from microgauge.tables.formats.format import SHEET

MANIFEST = "release.json"
ALL_RECORDS = {"seed": 1, "step": [{"method": "sample", "share": 1.0}]}
"""A recipe that changes nothing: by it a sheet becomes a file of its own."""


def page(desk: Desk, request: Request) -> Response:
    """What may be released, and what was."""
    jobs = desk.running.jobs
    choices = offered(jobs)
    return desk.page(
        request,
        "release.html",
        "release",
        choices=choices.values(),
        wanted=_wanted(jobs, choices, request.query_params.get("choice", "")),
        runs=jobs.runs("release"),
    )


Known = tuple[str, str]
"""What tells a file that may be released from others."""


def offered(jobs: Jobs) -> dict[Known, dict[str, Any]]:
    """What may be released: each file once, as it was last measured."""
    found: dict[Known, dict[str, Any]] = {}
    there = jobs.runs("measure", "explore")
    for run in sorted(there, key=lambda run: run.queued, reverse=True):
        result = results.result_of(jobs, run)
        for choice in [] if result is None else results.choices_of(run, result):
            found.setdefault(_known_by(run, choice["place"]), choice)
    return found


def _known_by(run: Run, place: int) -> Known:
    """A file's original and name; what a recipe of a grid makes has no name of its own."""
    files = run.about.get("candidates", [])
    return (run.about["original"], files[place]) if place < len(files) else (run.id, str(place))


def _wanted(jobs: Jobs, choices: Mapping[Known, Mapping[str, Any]], said: str) -> str:
    """The choice of an address; of a file that was measured again since, its last result."""
    name, _, place = said.partition(":")
    run, number = jobs.get(name), place_in(place)
    if run is None or number is None or "original" not in run.about:
        return said
    choice = choices.get(_known_by(run, number))
    return said if choice is None else f"{choice['run'].id}:{choice['place']}"


def _against(jobs: Jobs, run: Run, choice: Mapping[str, Any]) -> list[str]:
    """What speaks against a file by this result, and by its last one where that is another.

    A page that was opened earlier may name a result that a later one has overtaken.
    """
    last = offered(jobs).get(_known_by(run, choice["place"]))
    return list(dict.fromkeys([*choice["against"], *(last["against"] if last else ())]))


def begin(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """Make the folders of a release, and queue what fills them.

    Where something speaks against it, it is asked first.
    """
    words = desk.words(request)
    running = desk.running
    said, _, place = asked["choice"].partition(":")
    run = running.jobs.get(said)
    result = None if run is None else results.result_of(running.jobs, run)
    number = place_in(place)
    if run is None or result is None or number is None:
        raise InputError(words("Choose what to release."))
    state = running.project.state
    original = run.about.get("original")
    if original != state["files"]["original"]:
        raise InputError(words("This result is of another original; choose that original first."))
    source, recipe = _what(running.folder, run, result, number)
    digests = _measured_digests(running.folder, run, result, source)
    wanted = asked["name"] or Path(source or "chosen").stem.replace(SHEET, " ")
    name = plain_name(wanted.replace("/", "-"))
    folder = f"{RELEASE}{name}"
    _need_name(name)
    _need_room(running.folder, folder, running.jobs.promised())
    choice = results.choices_of(run, result)[number]
    choice = {**choice, "against": _against(running.jobs, run, choice)}
    if choice["against"] and asked["despite"] != "on":
        return desk.page(request, "despite.html", "release", choice=choice, called=name)
    despite = [str(reason) for reason in choice["against"]]
    about = {"folder": folder, "of": run.id, "despite": despite, "digests": digests}
    made = _queued(desk, asked, about, (source, recipe), run, words.language)
    return f"/runs/{made.id}"


def _need_name(name: str) -> None:
    """`InputError` where data users would get what is called like what stays in the office."""
    if name.lower().endswith(INTERNAL):
        raise InputError(
            say(
                "A name that ends with {ending} is that of a folder that stays in the office. "
                "Give the release another name.",
                ending=INTERNAL,
            )
        )


def _need_room(folder: Folder, name: str, promised: Container[str] = ()) -> None:
    """`InputError` where there is, or will be, a folder that a release would be written into."""
    if name in promised:
        raise InputError(
            say(
                "A release {folder} is under way already. Give this one another name.",
                folder=name,
            )
        )
    for one in (name, f"{name}{INTERNAL}"):
        if os.path.lexists(folder.root / one):
            raise InputError(
                say(
                    "There is a folder {folder} already. Give the release another name.",
                    folder=one,
                )
            )


def _what(
    folder: Folder, run: Run, result: Mapping[str, Any], place: int
) -> tuple[str | None, dict[str, Any] | None]:
    """The file that is released, or the recipe that makes it."""
    if "candidates" in result:
        if place >= len(result["candidates"]):
            raise InputError(NO_FILE)
        recipe = result["candidates"][place].get("recipe")
        if recipe is not None:
            return None, recipe
    sources = run.about.get("candidates", [])
    if place >= len(sources):
        raise InputError(NO_FILE)
    source: str = sources[place]
    folder.inside(source)
    # A workbook that got a second sheet since it was measured would be released whole.
    faults = folder.sheet_faults(source, "protected")
    if faults:
        raise InputError(*faults)
    return source, None


def _measured_digests(
    folder: Folder, run: Run, result: Mapping[str, Any], source: str | None
) -> dict[str, str]:
    """The SHA-256 of each file when it was measured, that is still so.

    `InputError` where a file is another by now: what is said of the release is not of that one.
    Size and time tell of a file only where its content was not noted.
    """
    names = _needed(run, source)
    noted = {name: _noted_digest(result, name) for name in names}
    digests = {name: digest for name, digest in noted.items() if digest is not None}
    others = [name for name in names if name not in digests]
    now = prints_of(folder, others)
    moved = [n for n in others if run.changed or n not in now or now[n] != run.prints.get(n)]
    _refuse([*_changed_in(folder, digests), *moved])
    return digests


def _needed(run: Run, source: str | None) -> list[str]:
    """The files that a release of something measured is made from, and is held against."""
    by = run.about.get("by", {}).get("files", {}).values()
    return list(dict.fromkeys(n for n in (run.about["original"], source, *by) if n))


def _refuse(changed: Sequence[str]) -> None:
    if changed:
        raise InputError(
            *(
                say("{name} is not as it was measured. Measure again before release.", name=name)
                for name in changed
            )
        )


def _noted_digest(result: Mapping[str, Any], name: str) -> str | None:
    """The content that a result was made from, as its manifest notes it."""
    try:
        given = {str(one["given"]): one["files"] for one in result["manifest"]["inputs"]}
        (file,) = given[as_argument(name)]
        return str(file["sha256"])
    except (KeyError, TypeError, ValueError):
        return None


def _changed_in(folder: Folder, digests: Mapping[str, str]) -> list[str]:
    """Files that have another content than was noted."""
    return [name for name in digests if _digest(folder, name) != digests[name]]


def _digest(folder: Folder, name: str) -> str | None:
    """The SHA-256 of a file inside the folder; None where there is none that can be read."""
    try:
        return file_sha256(folder.inside(name))
    except (InputError, OSError):
        return None


def _queued(
    desk: Desk,
    asked: Asked,
    about: dict[str, Any],
    what: tuple[str | None, dict[str, Any] | None],
    measured: Run,
    language: str,
) -> Run:
    """The release's own schema and recipe are kept with the run until it is its turn."""
    running = desk.running
    state = running.project.state
    source, recipe = what
    folder = about["folder"]
    original = state["files"]["original"]
    # A workbook may hold the original beside the protected version: of it one sheet is taken out.
    whole = source is not None and running.folder.parted(source)[1] is None
    made_of = None if whole else source or original
    if source is not None and not whole:
        recipe = ALL_RECORDS
    table = f"{folder}/{_table_name(running.folder, source, original)}"
    kept = running.jobs.file(measured, asking.SCHEMA)
    schema = kept.read_text(encoding="utf-8") if kept else state["schema"]
    # By the tables and limits that it was chosen by, whatever is chosen now.
    state = {**state, **measured.about.get("by", {}), "schema": schema}
    files = {asking.SCHEMA: schema}
    if recipe is not None:
        files[asking.RECIPE] = recipes.text_of(recipe)
    names = _needed(measured, source)
    more = {"table": table, "source": source if whole else None, "action": asked.action}
    others = prints_of(running.folder, [one for one in names if one not in about["digests"]])
    return running.jobs.add(
        "release",
        folder,
        lambda place: asking.released(state, folder, table, made_of, language),
        asking.inputs_of(state, [source] if source else []),
        {**about, **more, "prints": others},
        files,
        asked.remembered,
    )


def _table_name(folder: Folder, source: str | None, original: str) -> str:
    """How the file of a release is called."""
    if source is None:
        return "protected" + asking.ending_of(original)
    file, sheet = folder.parted(source)
    if sheet is None:
        return Path(file).name
    return plain_name(f"{Path(file).stem} {sheet}".replace("/", "-")) + asking.ending_of(source)


# -- after the commands ----------------------------------------------------------------------


def around_runs(running: Running) -> dict[str, Around]:
    """What is done beside the commands of some runs."""
    folder = running.folder

    def candidate(run: Run) -> None:
        name = _put_into_folder(running, run)

        def put(state: State) -> None:
            # Of another original, which was chosen meanwhile, it is no protected version.
            of = [state["files"]["original"]]
            if run.inputs == of and name not in state["files"]["candidates"]:
                state["files"]["candidates"].append(name)

        running.project.change(put)
        if running.project.state["files"]["candidates"] == [name]:
            queue_description(running)  # now there is something to hold the original against

    return {
        "candidate": Around(after=candidate),
        "release": Around(
            before=lambda run: _begun(running, run),
            after=lambda run: _completed(folder, run),
            undone=lambda run: _taken_back(folder, run),
        ),
    }


def _begun(running: Running, run: Run) -> None:
    """Make the folders of a release, with what its commands find there."""
    folder = running.folder
    public, internal = _places(folder, run)
    _need_room(folder, run.about["folder"])
    _need_same(folder, run)
    try:
        for place in (public, internal):
            place.mkdir()
            known = place.stat()
            run.made[place.name] = [known.st_dev, known.st_ino]
        # Also after the app was killed it is known whose folders they are.
        running.jobs.keep(run)
        for name in (asking.SCHEMA, asking.RECIPE):
            kept = running.jobs.file(run, name)
            if kept is not None:
                shutil.copyfile(kept, internal / name)
        if run.about.get("source"):
            table = public / Path(run.about["table"]).name
            shutil.copyfile(folder.inside(run.about["source"]), table)
    except OSError as error:
        raise not_written(run.about["folder"], error) from None


def _completed(folder: Folder, run: Run) -> None:
    """List what is in a release, if all of it is of the files that were measured."""
    _need_same(folder, run)
    for place in _places(folder, run):
        refuse_links(place)
    table = run.about["table"]
    source = run.about.get("source")
    result = results.read(_places(folder, run)[1] / asking.RESULT, dict)
    # A copy is held against what was measured before; what a recipe made, only while it is here.
    noted = run.about.get("digests", {}).get(source) or _noted_digest(result or {}, table)
    if noted is None or _digest(folder, table) != noted:
        _refuse([table])
    write_whole(_places(folder, run)[1] / MANIFEST, manifest_of(folder, run))


def _need_same(folder: Folder, run: Run) -> None:
    """`InputError` where a file that a release is made from is not as it was measured."""
    before = run.about.get("prints", {})
    now = prints_of(folder, list(before))
    moved = [name for name in before if now.get(name) != before[name]]
    _refuse([*_changed_in(folder, run.about.get("digests", {})), *moved])


def _taken_back(folder: Folder, run: Run) -> None:
    """Remove the folders that a release made and did not fill; what others put there stays."""
    written = (asking.SCHEMA, asking.RECIPE, MANIFEST, *asking.OUTPUTS.values())
    written = (*written, Path(run.about["table"]).name)
    for place in _places(folder, run):
        if not place.is_dir() or place.is_symlink():
            continue
        known = place.stat()
        if run.made.get(place.name) != [known.st_dev, known.st_ino]:
            continue
        for path in list(place.iterdir()):
            # A command that was killed leaves a half beside, under a hidden name.
            half = path.name.startswith(tuple(f".{name[:40]}." for name in written))
            if (path.name in written or half) and (path.is_symlink() or path.is_file()):
                path.unlink()
        with contextlib.suppress(OSError):
            place.rmdir()


def _places(folder: Folder, run: Run) -> tuple[Path, Path]:
    """What data users get of a release, and what stays in the office."""
    name = run.about["folder"]
    return folder.root / name, folder.root / f"{name}{INTERNAL}"


def _naming(told: str, before: str, now: str) -> str:
    """A message that names the file as it is called by now."""
    if isinstance(told, Form):
        values = {key: now if value == before else value for key, value in told.values.items()}
        return told.format(**values)
    return told if isinstance(told, Message) else told.replace(before, now)


def _put_into_folder(running: Running, run: Run) -> str:
    """A protected version gets its name, or one like it: what has that name by now stays."""
    folder, wanted = running.folder, run.about["candidate"]
    made = running.jobs.aside(run)
    if made.is_symlink() or not made.is_file():
        raise InputError(NO_FILE)
    try:
        place = folder.reserved(wanted, running.jobs.promised(but=run))
    except OSError as error:
        raise not_written(wanted, error) from None
    try:
        made.replace(place)
    except OSError as error:
        place.unlink(missing_ok=True)
        raise not_written(wanted, error) from None
    aside = made.relative_to(folder.root).as_posix()
    run.messages = [_naming(told, aside, place.name) for told in run.messages]
    if place.name != wanted:
        said = as_argument(wanted), as_argument(place.name)
        run.about["candidate"] = place.name
        run.commands = [[said[1] if w == said[0] else w for w in one] for one in run.commands]
        run.messages.append(
            say(
                "There is another file {wanted} by now; the protected version is called {name}.",
                wanted=wanted,
                name=place.name,
            )
        )
    return place.name


def manifest_of(folder: Folder, run: Run) -> str:
    """What is in a release, by size and SHA-256, and the commands that made it."""
    there = sorted(
        path for place in _places(folder, run) for path in place.rglob("*") if path.is_file()
    )
    plain = {
        "microgauge": __version__,
        "table": Path(run.about["table"]).name,
        "despite": run.about.get("despite", []),
        "files": [
            {
                "name": path.relative_to(folder.root).as_posix(),
                "bytes": path.stat().st_size,
                "sha256": file_sha256(path),
            }
            for path in there
            if path.name != MANIFEST
        ],
        "commands": asking.typed_one_by_one(run),
    }
    return json.dumps(plain, ensure_ascii=False, indent=1) + "\n"


def files_of(folder: Folder, run: Run) -> list[dict[str, Any]]:
    """The files of a release that is complete, as its manifest lists them."""
    manifest = results.read(_places(folder, run)[1] / MANIFEST, manifest_in)
    return [] if manifest is None else list(manifest["files"])


PAGES = {"/release": page}
POSTS = {"/release": begin}
