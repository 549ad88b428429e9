"""Releasing: a chosen file with its recipe, report and manifest, in a folder of its own."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
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
from microgauge.app.jobs import Around, Run
from microgauge.app.pages.describing import queue_description
from microgauge.app.project import State
from microgauge.app.server import Running
from microgauge.app.shapes import manifest_in
from microgauge.errors import InputError
from microgauge.languages.messages import Message, say
from microgauge.results.writing import not_written, write_whole
from microgauge.tables.digest import file_sha256
from microgauge.tables.formats.format import SHEET

MANIFEST = "release.json"
ALL_RECORDS = {"seed": 1, "step": [{"method": "sample", "share": 1.0}]}
"""A recipe that changes nothing: by it a sheet becomes a file of its own."""


def page(desk: Desk, request: Request) -> Response:
    """What may be released, and what was."""
    jobs = desk.running.jobs
    state = desk.running.project.state
    choices = []
    for run in jobs.runs("measure", "explore"):
        result = results.result_of(jobs, run)
        if result is not None:
            choices += results.choices_of(run, result)
    return desk.page(
        request,
        "release.html",
        "release",
        state=state,
        choices=choices,
        wanted=request.query_params.get("choice", ""),
        runs=jobs.runs("release"),
    )


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
    _need_measured(running.folder, run, result, source)
    wanted = asked["name"] or Path(source or "chosen").stem.replace(SHEET, " ")
    name = plain_name(wanted.replace("/", "-"))
    folder = f"{RELEASE}{name}"
    _need_room(running.folder, folder)
    choice = results.choices_of(run, result)[number]
    if choice["against"] and asked["despite"] != "on":
        return desk.page(request, "despite.html", "release", choice=choice, called=name)
    despite = [str(reason) for reason in choice["against"]]
    about = {"folder": folder, "of": run.id, "action": asked.action, "despite": despite}
    made = _queued(desk, about, (source, recipe), run, words.language)
    return asked.change(lambda state: None, f"/runs/{made.id}")


def _need_room(folder: Folder, name: str) -> None:
    """`InputError` where there is a folder that a release would be written into."""
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


def _need_measured(folder: Folder, run: Run, result: Mapping[str, Any], source: str | None) -> None:
    """`InputError` where a file is another by now: what is said of the release is not of that one.

    A copy of the folder has other times; there the content says whether a file is the same.
    """
    names = _needed(run, source)
    now = prints_of(folder, names)
    changed = [
        name
        for name in names
        if run.changed or name not in now or now[name] != run.prints.get(name)
        if not _is_as_measured(folder, name, result)
    ]
    _refuse(changed)


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


def _is_as_measured(folder: Folder, name: str, result: Mapping[str, Any]) -> bool:
    """Whether a file has the content that a result was made from."""
    try:
        now = file_sha256(folder.inside(name))
        given = {one["given"]: one["files"] for one in result["manifest"]["inputs"]}
        (file,) = given[as_argument(name)]
        return bool(file["sha256"] == now)
    except (InputError, OSError, KeyError, TypeError, ValueError):
        return False


def _queued(
    desk: Desk,
    about: dict[str, Any],
    what: tuple[str | None, dict[str, Any] | None],
    measured: Run,
    language: str,
) -> Run:
    """The release's own schema, recipe and table are put there; commands do the rest."""
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
    # What is copied is there already; all else is read when it is its turn.
    read_later = _needed(measured, None if whole else source)
    kept = running.jobs.file(measured, asking.SCHEMA)
    schema = kept.read_text(encoding="utf-8") if kept else state["schema"]
    # By the tables and limits that it was chosen by, whatever is chosen now.
    state = {**state, **measured.about.get("by", {}), "schema": schema}
    root = running.folder.root
    beside = root / f"{folder}{INTERNAL}"
    try:
        (root / folder).mkdir()
        beside.mkdir()
        write_whole(beside / asking.SCHEMA, schema)
        if recipe is not None:
            write_whole(beside / asking.RECIPE, recipes.text_of(recipe))
        if source is not None and whole:
            shutil.copyfile(running.folder.inside(source), root / table)
    except OSError as error:
        for place in (root / folder, beside):
            shutil.rmtree(place, ignore_errors=True)
        raise not_written(folder, error) from None
    return running.jobs.add(
        "release",
        folder,
        lambda place: asking.released(state, folder, table, made_of, language),
        asking.inputs_of(state, [source] if source else []),
        {**about, "table": table, "prints": prints_of(running.folder, read_later)},
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

    def release(run: Run) -> None:
        before = run.about.get("prints", {})
        now = prints_of(folder, list(before))
        _refuse([name for name in before if now.get(name) != before[name]])
        write_whole(internal_of(folder, run) / MANIFEST, manifest_of(folder, run))

    return {"candidate": Around(after=candidate), "release": Around(after=release)}


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
    run.messages = [
        told if isinstance(told, Message) else told.replace(aside, place.name)
        for told in run.messages
    ]
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


def internal_of(folder: Folder, run: Run) -> Path:
    """Where a release keeps what is not for data users."""
    return folder.root / f"{run.about['folder']}{INTERNAL}"


def manifest_of(folder: Folder, run: Run) -> str:
    """What is in a release, by size and SHA-256, and the commands that made it."""
    places = (folder.root / run.about["folder"], internal_of(folder, run))
    there = sorted(path for place in places for path in place.rglob("*") if path.is_file())
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
    manifest = results.read(internal_of(folder, run) / MANIFEST, manifest_in)
    return [] if manifest is None else list(manifest["files"])


PAGES = {"/release": page}
POSTS = {"/release": begin}
