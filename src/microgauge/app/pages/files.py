"""Which files: the original, candidates, and tables that risk is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from microgauge.app.asked import Asked
from microgauge.app.desk import Desk
from microgauge.app.pages.describing import queue_description
from microgauge.app.project import ROLES, State
from microgauge.errors import InputError
from microgauge.languages import Words, languages

DEMO = ("demo-original.csv", "demo-protected.csv")


def page(desk: Desk, request: Request) -> Response:
    """The files there are, and what each is."""
    return _shown(desk, request)


def _shown(
    desk: Desk, request: Request, faults: Sequence[str] = (), chosen: dict[str, Any] | None = None
) -> Response:
    state = desk.running.project.state
    files = chosen or state["files"]
    there = desk.running.folder.tables()
    known = {entry.name for entry in there}
    named = [*(files[role] for role in ROLES), *files["candidates"]]
    return desk.page(
        request,
        "files.html",
        "files",
        status=422 if faults else 200,
        tables=there,
        role_of=_roles(files),
        roles=role_words(desk.words(request)),
        gone=[name for name in named if name and name not in known],
        faults=faults,
        limit=desk.running.settings.upload_limit,
        state=state,
    )


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
    given = list(zip(asked.all("file"), asked.all("role"), strict=False))
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
    if files["candidates"] and not files["original"]:
        faults.append(words("Say which file is the original."))
    if faults:
        return _shown(desk, request, list(dict.fromkeys(faults)), files)
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
        names.append(folder.free_name(wanted))
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
