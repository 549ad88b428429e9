"""What the variables mean: a table to click in, each variable's own page, and the schema's text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from microgauge.app import asking, schemas
from microgauge.app.asked import Asked
from microgauge.app.desk import Desk
from microgauge.app.folder import prints_of
from microgauge.app.jobs import Jobs, Run
from microgauge.app.project import State, digest
from microgauge.app.results import read
from microgauge.app.server import Running
from microgauge.errors import InputError
from microgauge.languages import Words

MOST_KEPT = 8
"""Descriptions that are kept; older ones say what is no longer asked."""


def pair_of(state: State) -> list[str]:
    """The files that are described: the original, and the first candidate."""
    return [
        name for name in (state["files"]["original"], *state["files"]["candidates"][:1]) if name
    ]


def queue_description(running: Running) -> None:
    """Have the variables described as the schema is now; what was asked before is dropped."""
    state = running.project.state
    files = pair_of(state)
    if not files:
        return
    for place, run in enumerate(running.jobs.runs("describe")):
        if not run.over:
            running.jobs.cancel(run.id)
        elif place >= MOST_KEPT:
            running.jobs.forget(run.id)
    text = state["schema"]
    candidate = files[1] if len(files) > 1 else None
    there = any(
        run.about.get("files") == files and running.jobs.file(run, "variables.json")
        for run in running.jobs.runs("describe")
    )

    def commands(place: str) -> list[list[str]]:
        plain = asking.described(state, candidate, place, schema=False)
        held = asking.described(state, candidate, place, schema=True)
        if not text.strip():
            return [plain]
        # What is wrong with a schema is shown beside the variables: they are described first.
        return [held] if there else [plain, held]

    about = {"files": files, "schema": digest(text), "prints": prints_of(running.folder, files)}
    title = "describe variables"
    running.jobs.add("describe", title, commands, files, about, {asking.SCHEMA: text})


def description_of(jobs: Jobs, state: State) -> tuple[Run | None, dict[str, Any] | None]:
    """The last run that described the files, and the last description there is."""
    files = pair_of(state)
    there = jobs.runs("describe")
    same = [run for run in there if run.about.get("files") == files]
    # Until both files are described, what is known of the original alone serves.
    alike = [run for run in there if run.about.get("files", [])[:1] == files[:1]]
    last = same[0] if same else None
    for run in (*same, *alike) if files else ():
        path = jobs.file(run, "variables.json")
        found = None if path is None else read(path)
        if found is not None:
            return last, found
    return last, None


def page(desk: Desk, request: Request) -> Response:
    """The table of variables."""
    state = desk.running.project.state
    run, found = description_of(desk.running.jobs, state)
    content = _content(state)
    rows = [] if found is None else schemas.table_rows(found["variables"], content)
    files = pair_of(state)
    stale = run is not None and run.about.get("prints") != prints_of(desk.running.folder, files)
    return desk.page(
        request,
        "describe.html",
        "describe",
        state=state,
        run=run,
        found=found,
        rows=rows,
        seen=_roles(content),
        types=type_words(desk.words(request)),
        roles=role_words(desk.words(request)),
        general=_general(run, rows),
        placed=_placed(run, rows),
        stale=stale,
        proposed=[row for row in rows if row["guess"]],
    )


def type_words(words: Words) -> dict[str, str]:
    """What a variable's values are."""
    return {
        "nominal": words("categories"),
        "ordinal": words("ordered categories"),
        "continuous": words("numbers"),
    }


def role_words(words: Words) -> dict[str, str]:
    """What a variable is for."""
    return {
        "analysis": words("analysis"),
        "quasi_identifier": words("key"),
        "sensitive": words("sensitive"),
        "weight": words("weight"),
        "id": words("identifier"),
        "derived": words("derived from others"),
        "exclude": words("leave out"),
    }


def _content(state: State) -> dict[str, Any]:
    try:
        return schemas.content_of(state["schema"])
    except InputError:  # the file was changed by hand; its text is shown with its faults
        return {}


def _roles(content: Mapping[str, Any]) -> Any:
    """What the table of variables shows of the schema."""
    entries = content.get("variable", {})
    return {name: [entry.get("type"), entry.get("role")] for name, entry in entries.items()}


def _placed(run: Run | None, rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Faults that speak of one variable, by its name: the command names the place first."""
    found: dict[str, list[str]] = {}
    for fault in run.faults if run is not None else ():
        for row in rows:
            if fault.startswith(f"[variable.{row['name']}]"):
                found.setdefault(row["name"], []).append(fault)
    return found


def _general(run: Run | None, rows: list[dict[str, Any]]) -> list[str]:
    """All other faults."""
    placed = {fault for faults in _placed(run, rows).values() for fault in faults}
    return [fault for fault in (run.faults if run is not None else ()) if fault not in placed]


def save_roles(desk: Desk, request: Request, asked: Asked) -> str:
    """Types and roles of the whole table."""
    state = desk.running.project.state
    content = _content(state)
    asked.check(_roles(content))
    fields = (asked.all("name"), asked.all("type"), asked.all("role"))
    for name, kind, role in zip(*fields, strict=False):
        entry = schemas.entry_of(content, name)
        chosen = {key: value for key, value in (("type", kind), ("role", role)) if value}
        others = {key: value for key, value in entry.items() if key not in ("type", "role")}
        changed = {**others, **chosen}
        if changed != entry:
            content = schemas.with_entry(content, name, changed)
    return _saved(desk, asked, schemas.text_of(content), "/describe")


def take_proposals(desk: Desk, request: Request, asked: Asked) -> str:
    """The roles that were guessed."""
    state = desk.running.project.state
    content = _content(state)
    asked.check(_roles(content))
    _, found = description_of(desk.running.jobs, state)
    for row in schemas.table_rows((found or {"variables": []})["variables"], content):
        if row["guess"]:
            entry = {**row["entry"], "role": row["guess"]["role"]}
            content = schemas.with_entry(content, row["name"], entry)
    return _saved(desk, asked, schemas.text_of(content), "/describe")


def _saved(desk: Desk, asked: Asked, text: str, to: str) -> str:
    schemas.content_of(text)
    before = desk.running.project.state["schema"]

    def put(state: State) -> None:
        state["schema"] = text

    asked.change(put, to)
    if text != before:
        queue_description(desk.running)
    return to


def _variable(desk: Desk, request: Request) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    _, found = description_of(desk.running.jobs, desk.running.project.state)
    place = int(request.path_params["place"])
    if found is None or place >= len(found["variables"]):
        from starlette.exceptions import HTTPException

        raise HTTPException(404)
    return place, found["variables"][place], found["variables"]


def variable_page(desk: Desk, request: Request) -> Response:
    """All that can be said of one variable."""
    _, variable, _ = _variable(desk, request)
    entry = schemas.entry_of(_content(desk.running.project.state), variable["name"])
    return _variable_shown(desk, request, schemas.fields_of(entry), entry, {})


def _variable_shown(
    desk: Desk,
    request: Request,
    fields: Mapping[str, str],
    entry: Mapping[str, Any],
    faults: Mapping[str, list[str]],
) -> Response:
    place, variable, variables = _variable(desk, request)
    state = desk.running.project.state
    run, _ = description_of(desk.running.jobs, state)
    if not faults:
        found = _placed(run, [variable]).get(variable["name"], [])
        faults = {"": found} if found else {}
    words = desk.words(request)
    return desk.page(
        request,
        "variable.html",
        "describe",
        status=422 if faults and request.method == "POST" else 200,
        place=place,
        last=len(variables) - 1,
        variable=variable,
        fields=fields,
        entry=entry,
        faults=faults,
        types=type_words(words),
        roles=role_words(words),
        recodes=recode_words(words),
    )


def recode_words(words: Words) -> dict[str, str]:
    """How a variable may have been recoded."""
    return {
        "": words("not, or found by itself"),
        "map": words("categories joined"),
        "breaks": words("bands"),
        "top": words("top or bottom codes"),
        "round": words("rounded"),
        "prefix": words("first characters of a code"),
    }


def save_variable(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """One variable's entry; faults are shown beside the fields, and nothing is lost."""
    place, variable, _ = _variable(desk, request)
    name = variable["name"]
    content = _content(desk.running.project.state)
    before = schemas.entry_of(content, name)
    asked.check(before)
    fields = {key: value.strip() for key, value in asked.own()}
    entry = schemas.entry_from(fields, before)
    faults = schemas.field_faults(name, entry)
    if not faults:
        changed = schemas.with_entry(content, name, entry)
        try:
            to = f"/describe/{place + 1}" if "next" in fields else "/describe"
            return _saved(desk, asked, schemas.text_of(changed), to)
        except InputError as error:
            faults = {"": list(error.faults)}
    shown = {**schemas.fields_of(entry), **fields}
    return _variable_shown(desk, request, shown, before, faults)


def schema_page(desk: Desk, request: Request) -> Response:
    """The schema as text."""
    text = desk.running.project.state["schema"]
    try:
        schemas.content_of(text)
        faults: tuple[str, ...] = ()
    except InputError as error:
        faults = error.faults
    return desk.page(request, "schema.html", "describe", text=text, seen=text, faults=faults)


def schema_file(desk: Desk, request: Request) -> Response:
    """The schema to download: the file the command takes."""
    text = desk.running.project.state["schema"]
    headers = {"content-disposition": 'attachment; filename="schema.toml"'}
    return Response(text, media_type="application/toml", headers=headers)


def save_schema(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """The schema as text; with faults it is shown again, as it was typed."""
    asked.check(desk.running.project.state["schema"])
    text = next((value for key, value in asked.fields if key == "text"), "").replace("\r\n", "\n")
    try:
        return _saved(desk, asked, text, "/describe")
    except InputError as error:
        seen = desk.running.project.state["schema"]
        return desk.page(
            request,
            "schema.html",
            "describe",
            status=422,
            text=text,
            seen=seen,
            faults=error.faults,
        )


def take_schema(desk: Desk, asked: Asked, text: str) -> str:
    """A schema file that was sent; `InputError` where it cannot be used."""
    return _saved(desk, asked, text, "/describe")


def again(desk: Desk, request: Request, asked: Asked) -> str:
    """Describe the files once more."""
    asked.change(lambda state: None, "/describe")
    queue_description(desk.running)
    return "/describe"


PAGES = {
    "/describe": page,
    "/describe/{place:int}": variable_page,
    "/describe/schema": schema_page,
    "/describe/schema.toml": schema_file,
}
POSTS = {
    "/describe/roles": save_roles,
    "/describe/proposals": take_proposals,
    "/describe/{place:int}": save_variable,
    "/describe/schema": save_schema,
    "/describe/again": again,
}
