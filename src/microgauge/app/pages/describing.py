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
from microgauge.app.shapes import description_in
from microgauge.errors import InputError
from microgauge.languages.catalogue import Words
from microgauge.schema.reading import BOM

MOST_KEPT = 8
"""Descriptions that are kept; older ones say what is no longer asked."""


def pair_of(state: State) -> list[str]:
    """The files that are described: the original, and the candidate that is shown, or the first."""
    there = state["files"]["candidates"]
    shown = [name for name in there if name == state["shown"]] or there
    return [name for name in (state["files"]["original"], *shown[:1]) if name]


def queue_description(running: Running) -> None:
    """Have the variables described as the schema is now; what was asked before is dropped."""
    state = running.project.state
    files = pair_of(state)
    if not files:
        return
    needed = {run.id for run in latest(running.jobs, state).values()}
    for place, run in enumerate(running.jobs.runs("describe")):
        if not run.over:
            running.jobs.cancel(run.id)
        elif place >= MOST_KEPT and run.id not in needed:
            running.jobs.forget(run.id)
    _queue(running, state, files)


def _queue(running: Running, state: State, files: list[str]) -> None:
    """Have a pair of files described."""
    text = state["schema"]
    candidate = files[1] if len(files) > 1 else None
    there = _columns(running, files) is not None

    def commands(place: str) -> list[list[str]]:
        plain = asking.described(state, candidate, place, schema=False)
        held = asking.described(state, candidate, place, schema=True)
        if not text.strip():
            return [plain]
        # What is wrong with a schema is shown beside the variables: they are described first.
        return [held] if there else [plain, held]

    about = {"files": files, "schema": digest(text), "prints": prints_of(running.folder, files)}
    title = ", ".join(files)
    running.jobs.add("describe", title, commands, files, about, {asking.SCHEMA: text})


def _columns(running: Running, files: list[str]) -> list[str] | None:
    """The columns of some files as they are now; None where they were not looked at yet."""
    prints = prints_of(running.folder, files)
    for run in running.jobs.runs("describe"):
        if run.about.get("files") == files and run.about.get("prints") == prints:
            found = _variables(running.jobs, run)
            if found is not None and "columns" in found:
                return list(found["columns"])
    return None


def latest(jobs: Jobs, state: State) -> dict[str, Run]:
    """For each candidate the last run that described it beside the original."""
    found: dict[str, Run] = {}
    for run in jobs.runs("describe"):
        files = run.about.get("files", [])
        if len(files) == 2 and files[0] == state["files"]["original"] and _variables(jobs, run):
            found.setdefault(files[1], run)
    return {name: found[name] for name in state["files"]["candidates"] if name in found}


def _variables(jobs: Jobs, run: Run) -> dict[str, Any] | None:
    """What a run found out of variables."""
    path = jobs.file(run, "variables.json")
    return None if path is None else read(path, description_in)


def differences(jobs: Jobs, state: State) -> dict[str, list[tuple[str, str | None]]]:
    """For each variable the candidates that lack it, or have it in another type than the original.

    Each with the type that it has there; None where it is not there at all. Only candidates that
    were described are looked at.
    """
    found: dict[str, list[tuple[str, str | None]]] = {}
    for name, run in latest(jobs, state).items():
        for variable in (_variables(jobs, run) or {"variables": []})["variables"]:
            after = variable["protected"]
            if variable["removed"] or after is None:
                found.setdefault(variable["name"], []).append((name, None))
            elif after["type"] != variable["original"]["type"]:
                found.setdefault(variable["name"], []).append((name, after["type"]))
    return found


def _outdated(running: Running, state: State) -> list[str]:
    """Candidates that were not described yet, or not as the schema and the files are now."""
    there = latest(running.jobs, state)
    original, schema = state["files"]["original"], digest(state["schema"])
    return [
        name
        for name in state["files"]["candidates"]
        if name not in there
        or there[name].about.get("schema") != schema
        or there[name].about.get("prints") != prints_of(running.folder, [original, name])
    ]


def description_of(jobs: Jobs, state: State) -> tuple[Run | None, dict[str, Any] | None]:
    """The last run that described the files, and the last description there is."""
    files = pair_of(state)
    there = jobs.runs("describe")
    same = [run for run in there if run.about.get("files") == files]
    # Until both files are described, what is known of the original alone serves.
    alike = [run for run in there if run.about.get("files", [])[:1] == files[:1]]
    last = same[0] if same else None
    for run in (*same, *alike) if files else ():
        found = _variables(jobs, run)
        if found is not None:
            return last, found
    return last, None


def page(desk: Desk, request: Request) -> Response:
    """The table of variables."""
    state = desk.running.project.state
    run, found = description_of(desk.running.jobs, state)
    content = content_now(state)
    rows = [] if found is None else schemas.table_rows(found["variables"], content)
    placed = _placed(run, rows)
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
        files=files,
        seen=[files, _roles(content)],
        types=type_words(desk.words(request)),
        roles=role_words(desk.words(request)),
        meanings=role_meanings(desk.words(request)),
        added=_added(found),
        general=_general(run, placed),
        placed=placed,
        lost=_lost(desk.running, content),
        keyless=_without_keys(content),
        stale=stale,
        proposed=[row for row in rows if row["guess"]],
        shown=files[1] if len(files) > 1 else None,
        differences=differences(desk.running.jobs, state),
        outdated=[name for name in _outdated(desk.running, state) if name not in files],
        others=_others_under_way(desk.running.jobs, run),
    )


def _others_under_way(jobs: Jobs, run: Run | None) -> list[Run]:
    """Descriptions of other candidates that are not finished, the next one first."""
    under_way = [one for one in reversed(jobs.runs("describe")) if not one.over]
    return [one for one in under_way if run is None or one.id != run.id]


def show_candidate(desk: Desk, request: Request, asked: Asked) -> str:
    """Show another candidate beside the original; it is described if it was not yet."""
    state = desk.running.project.state
    wanted = asked["candidate"]
    if wanted not in state["files"]["candidates"]:
        raise InputError(desk.words(request)("Choose one of the protected versions."))

    def put(state: State) -> None:
        state["shown"] = wanted

    asked.change(put, "/describe")
    state = desk.running.project.state
    if wanted in _outdated(desk.running, state) and not _under_way(desk.running.jobs, state):
        queue_description(desk.running)
    return "/describe"


def _under_way(jobs: Jobs, state: State) -> bool:
    """Whether the files that are shown are being described as the schema is now."""
    wanted = {"files": pair_of(state), "schema": digest(state["schema"])}
    about = [run.about for run in jobs.runs("describe") if not run.over]
    return any({key: one.get(key) for key in wanted} == wanted for one in about)


def describe_each(desk: Desk, request: Request, asked: Asked) -> str:
    """Describe every candidate that was not described as all is now; the one shown comes first."""
    state = desk.running.project.state
    original = state["files"]["original"]
    asked.change(lambda state: None, "/describe")
    busy = [run.about.get("files") for run in desk.running.jobs.runs("describe") if not run.over]
    for name in _outdated(desk.running, state) if original else ():
        if [original, name] not in busy:
            _queue(desk.running, state, [original, name])
    return "/describe"


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


def role_meanings(words: Words) -> dict[str, str]:
    """What follows from each role."""
    return {
        "quasi_identifier": words("a stranger may know it of a person, and find the person by it"),
        "sensitive": words("it must stay secret; it is measured how much can be learned of it"),
        "analysis": words("what data users study; it counts for utility, as keys and sensitive do"),
        "weight": words("how many of the population a record stands for"),
        "id": words("names or numbers a person or household; not measured, and not to be released"),
        "derived": words("worked out of other variables; not measured by itself"),
        "exclude": words("not measured; it stays in the file unless a recipe removes it"),
    }


def _added(found: Mapping[str, Any] | None) -> list[str]:
    """Variables that only the protected version has: hardly ever what protection does."""
    return list((found or {}).get("added", ()))


def content_now(state: State) -> dict[str, Any]:
    """What the schema says."""
    try:
        return schemas.content_of(state["schema"])
    except InputError:  # the file was changed by hand; its text is shown with its faults
        return {}


def _roles(content: Mapping[str, Any]) -> Any:
    """What the table of variables shows of the schema."""
    entries = content.get("variable", {})
    return {name: [entry.get("type"), entry.get("role")] for name, entry in entries.items()}


def _placed(run: Run | None, rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Faults that speak of one variable, by its name: the command names it, or its place, first."""
    of_one = [f for f in ([] if run is None else run.faults) if f.startswith(("[var", '"'))]
    told = {
        name: [
            *schemas.told_of(f"[variable.{name}]", of_one),
            *schemas.told_of(f'"{name}"', of_one),
        ]
        for name in (row["name"] for row in rows)
    }
    return {name: faults for name, faults in told.items() if faults}


def faults_of_description(jobs: Jobs, state: State) -> list[str]:
    """What is wrong with the description as it is now; no measure would come to its end."""
    run, _ = description_of(jobs, state)
    if run is None or run.about.get("schema") != digest(state["schema"]):
        return []
    return list(run.faults)


def _general(run: Run | None, placed: Mapping[str, list[str]]) -> list[str]:
    """All other faults."""
    told = {fault for faults in placed.values() for fault in faults}
    return [fault for fault in ([] if run is None else run.faults) if fault not in told]


def _lost(running: Running, content: Mapping[str, Any]) -> list[str]:
    """Variables of the schema that none of the described files has.

    A schema is kept when other files are chosen: it may have been made for other ones.
    """
    there = _columns(running, pair_of(running.project.state))
    known = set(there or ())
    return [name for name in content.get("variable", {}) if there and name not in known]


def _without_keys(content: Mapping[str, Any]) -> bool:
    """Whether nothing is said by which a person could be recognised: no risk is measured then."""
    entries = content.get("variable", {}).values()
    return not any(entry.get("role") == "quasi_identifier" for entry in entries)


def drop_lost(desk: Desk, request: Request, asked: Asked) -> str:
    """The schema without what it says of variables that are in none of the files."""
    state = desk.running.project.state
    asked.check([pair_of(state), state["schema"]])
    content = content_now(state)
    for name in _lost(desk.running, content):
        content = schemas.without(content, name)
    return save_text(desk, asked, schemas.text_of(content), "/describe")


def start_anew(desk: Desk, request: Request, asked: Asked) -> str:
    """A schema that says nothing yet."""
    state = desk.running.project.state
    asked.check([pair_of(state), state["schema"]])
    return save_text(desk, asked, "", "/describe")


def save_roles(desk: Desk, request: Request, asked: Asked) -> str:
    """Types and roles of the whole table."""
    state = desk.running.project.state
    content = content_now(state)
    asked.check([pair_of(state), _roles(content)])
    _, found = description_of(desk.running.jobs, state)
    known = [variable["name"] for variable in (found or {"variables": []})["variables"]]
    fields = (asked.names("name", known), asked.all("type"), asked.all("role"))
    for name, kind, role in zip(*fields, strict=False):
        entry = schemas.entry_of(content, name)
        chosen = {key: value for key, value in (("type", kind), ("role", role)) if value}
        others = {key: value for key, value in entry.items() if key not in ("type", "role")}
        changed = {**others, **chosen}
        if changed != entry:
            content = schemas.with_entry(content, name, changed)
    return save_text(desk, asked, schemas.text_of(content), "/describe")


def take_proposals(desk: Desk, request: Request, asked: Asked) -> str:
    """The roles that were guessed."""
    state = desk.running.project.state
    content = content_now(state)
    asked.check([pair_of(state), _roles(content)])
    _, found = description_of(desk.running.jobs, state)
    for row in schemas.table_rows((found or {"variables": []})["variables"], content):
        if row["guess"]:
            entry = {**row["entry"], "role": row["guess"]["role"]}
            content = schemas.with_entry(content, row["name"], entry)
    return save_text(desk, asked, schemas.text_of(content), "/describe")


def save_text(desk: Desk, asked: Asked, text: str, to: str) -> str:
    """Another text of the schema; `InputError` where it cannot be one."""
    text = text.removeprefix(BOM)
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
    entry = schemas.entry_of(content_now(desk.running.project.state), variable["name"])
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
        faults = schemas.by_field(_placed(run, [variable]).get(variable["name"], []))
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
        unsaid=schemas.unsaid_of(variable, entry),
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
    content = content_now(desk.running.project.state)
    before = schemas.entry_of(content, name)
    # Of other files, another variable stands at this place.
    asked.check([name, before])
    fields = {key: value.strip() for key, value in asked.own()}
    entry = schemas.entry_from(fields, before)
    faults = schemas.field_faults(name, entry)
    if not faults:
        changed = schemas.with_entry(content, name, entry)
        try:
            to = f"/describe/{place + 1}" if "next" in fields else "/describe"
            return save_text(desk, asked, schemas.text_of(changed), to)
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
    text = asked.text("text")
    try:
        return save_text(desk, asked, text, "/describe")
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


def again(desk: Desk, request: Request, asked: Asked) -> str:
    """Describe the files once more."""
    asked.change(lambda state: None, "/describe")
    queue_description(desk.running)
    return "/describe"


PAGES = {
    "/describe": page,
    "/describe/{place:place}": variable_page,
    "/describe/schema": schema_page,
    "/describe/schema.toml": schema_file,
}
POSTS = {
    "/describe/roles": save_roles,
    "/describe/proposals": take_proposals,
    "/describe/drop": drop_lost,
    "/describe/anew": start_anew,
    "/describe/{place:place}": save_variable,
    "/describe/schema": save_schema,
    "/describe/again": again,
    "/describe/candidate": show_candidate,
    "/describe/each": describe_each,
}
