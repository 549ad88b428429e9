"""Which files: the original, candidates, and tables that risk is measured against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from microgauge.app.asked import Asked
from microgauge.app.desk import Desk
from microgauge.app.folder import Entry, Folder
from microgauge.app.pages.describing import queue_description
from microgauge.app.project import ROLES, State
from microgauge.errors import InputError
from microgauge.languages.catalogue import Words, languages

DEMO = ("demo-original.csv", "demo-protected.csv")


def page(desk: Desk, request: Request) -> Response:
    """The files there are, and what each is."""
    return _shown(desk, request)


def _shown(
    desk: Desk,
    request: Request,
    faults: Sequence[str] = (),
    chosen: dict[str, Any] | None = None,
    given: Mapping[str, str] | None = None,
) -> Response:
    """The page; after a refusal with all that was chosen, also what cannot be kept."""
    state = desk.running.project.state
    files = chosen or state["files"]
    folder = desk.running.folder
    role_of = _roles(files) if given is None else given
    listed, more = folder.listing()
    there = _with_chosen(folder, listed, role_of)
    known = {entry.name for entry in there}
    return desk.page(
        request,
        "files.html",
        "files",
        status=422 if faults or chosen else 200,
        tables=there,
        more=len(listed) if more else None,
        role_of=role_of,
        roles=role_words(desk.words(request)),
        gone=[name for name in role_of if name not in known],
        placed=_sheet_faults(folder, files),
        faults=faults,
        limit=desk.running.settings.upload_limit,
        state=state,
    )


def _with_chosen(folder: Folder, there: Sequence[Entry], role_of: Mapping[str, str]) -> list[Entry]:
    """The tables that are listed, and those that were chosen.

    Below its file stands each sheet that was chosen and is no more; where not all tables are
    listed, those that were chosen are.
    """
    found = list(there)
    known = {entry.name for entry in there}
    for name in role_of:
        if name in known:
            continue
        file, sheet = folder.parted(name)
        beside = [place for place, entry in enumerate(found) if entry.file == file]
        if beside:
            found.insert(beside[-1] + 1, replace(found[beside[-1]], name=name, sheet=sheet))
        else:
            found += [entry for entry in folder.entries(file) if entry.name == name]
    return found


def _sheet_faults(folder: Folder, files: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names whose sheet is not there, and what the command says of each."""
    named = [(files[role], role) for role in ROLES]
    named += [(name, "protected") for name in files["candidates"]]
    found = {name: folder.sheet_faults(name, which) for name, which in named if name}
    return {name: faults for name, faults in found.items() if faults}


def role_words(words: Words) -> dict[str, str]:
    """What a file may be."""
    return {
        "": words("not used"),
        "original": words("original"),
        "candidate": words("protected version"),
        "holdout": words("holdout: people not in the file"),
        "external": words("external: what an intruder may hold"),
        "population": words("population the original is a sample of"),
    }


def _roles(files: dict[str, Any]) -> dict[str, str]:
    found = dict.fromkeys(files["candidates"], "candidate")
    return found | {files[role]: role for role in ROLES if files[role]}


def choose(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """Say what each file is."""
    state = desk.running.project.state
    asked.check(state["files"])
    words = desk.words(request)
    there = [entry.name for entry in desk.running.folder.tables()]
    given = list(zip(asked.names("file", there), asked.all("role"), strict=False))
    files: dict[str, Any] = {**dict.fromkeys(ROLES), "candidates": []}
    faults = []
    for name, role in given:
        if role == "candidate":
            files["candidates"].append(name)
        elif role in ROLES and files[role]:
            faults.append(words("Only one file can be the {role}.", role=role_words(words)[role]))
        elif role in ROLES:
            files[role] = name
        if role:
            desk.running.folder.inside(name)
    anything = any(role for _, role in given) or not any(state["files"].values())
    if anything and not files["original"]:
        faults.append(words("Say which file is the original."))
    if faults or _sheet_faults(desk.running.folder, files):
        kept = {name: role for name, role in given if role}
        return _shown(desk, request, list(dict.fromkeys(faults)), files, kept)
    to = "/describe" if files["original"] else "/"

    def put(state: State) -> None:
        state["files"] = files

    asked.change(put, to)
    if files["original"]:
        queue_description(desk.running)
    return to


def demo(desk: Desk, request: Request, asked: Asked) -> str:
    """Copy the demo's files into the folder, and choose them."""
    from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA

    folder = desk.running.folder
    names = []
    for wanted, source in zip(DEMO, (ORIGINAL, PROTECTED), strict=True):
        content = source.read_bytes()
        there = folder.root / wanted
        if there.is_file() and not there.is_symlink() and there.read_bytes() == content:
            names.append(wanted)
            continue
        names.append(folder.free_name(wanted, desk.running.jobs.promised()))
        folder.write(names[-1], content)

    def put(state: State) -> None:
        state["files"] = {
            **dict.fromkeys(ROLES),
            "original": names[0],
            "candidates": [names[1]],
        }
        state["schema"] = SCHEMA.read_text(encoding="utf-8")

    asked.change(put, "/describe")
    queue_description(desk.running)
    return "/describe"


def language(desk: Desk, request: Request, asked: Asked) -> str:
    """Choose a language."""
    if asked["language"] not in languages():
        raise InputError(desk.words(request)("There is no such language."))

    def put(state: State) -> None:
        state["language"] = asked["language"]

    back = asked["back"]
    return asked.change(put, back if back.startswith("/") and not back.startswith("//") else "/")


PAGES = {"/": page}
POSTS = {"/files": choose, "/demo": demo, "/language": language}
