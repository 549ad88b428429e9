"""What users compute, and how the run is done: forms for all tables of the schema but variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from microgauge.app import choices, schemas
from microgauge.app.asked import Asked, unbroken
from microgauge.app.desk import Desk
from microgauge.app.pages.describing import content_now, description_of, pair_of, save_text
from microgauge.app.project import digest
from microgauge.errors import InputError
from microgauge.schema.columns import Columns

LISTS, WHOLE = "/describe/analyses", "/describe/choices"
MOST_TABLES = 1_000


def page(desk: Desk, request: Request) -> Response:
    """The analyses that the schema names."""
    content = content_now(desk.running.project.state)
    run, _ = description_of(desk.running.jobs, desk.running.project.state)
    faults = () if run is None else tuple(run.faults)
    return desk.page(
        request,
        "analyses.html",
        "describe",
        lists=[_listed(kind, content, faults) for kind in choices.kinds().values() if kind.several],
    )


def _listed(
    kind: choices.Kind, content: Mapping[str, Any], faults: tuple[str, ...]
) -> dict[str, Any]:
    """A list of analyses as its page shows it."""
    tables = choices.tables_of(content, kind.key)
    return {
        "kind": kind,
        "seen": tables,
        "tables": [
            {
                "title": choices.title_of(kind, table, place),
                "told": [(name, choices.shown(value)) for name, value in table.items()],
                "faults": schemas.told_of(kind.where(place), faults),
            }
            for place, table in enumerate(tables)
        ],
    }


def choices_page(desk: Desk, request: Request) -> Response:
    """The tables of which there is one: options, and choices of single measures."""
    content = content_now(desk.running.project.state)
    return desk.page(
        request,
        "choices.html",
        "describe",
        tables=[
            (kind, [(n, choices.shown(v)) for n, v in content.get(kind.key, {}).items()])
            for kind in choices.kinds().values()
            if not kind.several
        ],
    )


def _kind(request: Request, *, several: bool) -> choices.Kind:
    kind = choices.kinds().get(request.path_params["key"])
    if kind is None or kind.several is not several:
        raise HTTPException(404)
    return kind


def _place(request: Request, tables: list[Any], *, new: bool) -> int:
    place = int(request.path_params["place"])
    if place >= len(tables) + new or place >= MOST_TABLES:
        raise HTTPException(404)
    return place


# -- a table of a list -----------------------------------------------------------------------


def table_page(desk: Desk, request: Request) -> Response:
    """An analysis that is there, or a new one."""
    kind = _kind(request, several=True)
    tables = choices.tables_of(content_now(desk.running.project.state), kind.key)
    place = _place(request, tables, new=True)
    entry = tables[place] if place < len(tables) else {}
    return _shown(desk, request, kind, place, choices.fields_of(entry), {})


def save_table(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """An analysis; faults are shown beside the fields, and nothing is lost."""
    kind = _kind(request, several=True)
    content = content_now(desk.running.project.state)
    tables = choices.tables_of(content, kind.key)
    asked.check(tables)
    place = _place(request, tables, new=True)
    before = tables[place] if place < len(tables) else {}
    given = _given(asked)
    entry = choices.entry_from(kind, given, before)
    tables[place : place + 1] = [entry]
    changed = choices.with_tables(content, kind.key, tables)
    return _saved(desk, request, asked, (kind, place), (given, entry, changed), LISTS)


def remove_table(desk: Desk, request: Request, asked: Asked) -> str:
    """The schema without one of its analyses."""
    kind = _kind(request, several=True)
    content = content_now(desk.running.project.state)
    tables = choices.tables_of(content, kind.key)
    asked.check(tables)
    del tables[_place(request, tables, new=False)]
    changed = choices.with_tables(content, kind.key, tables)
    return save_text(desk, asked, schemas.text_of(changed), LISTS)


# -- a table of which there is one -----------------------------------------------------------


def one_page(desk: Desk, request: Request) -> Response:
    """The choices of a table."""
    kind = _kind(request, several=False)
    entry = content_now(desk.running.project.state).get(kind.key, {})
    return _shown(desk, request, kind, 0, choices.fields_of(entry), {})


def save_one(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """The choices of a table; faults are shown beside the fields, and nothing is lost."""
    kind = _kind(request, several=False)
    content = content_now(desk.running.project.state)
    before = content.get(kind.key, {})
    asked.check(before)
    given = _given(asked)
    entry = choices.entry_from(kind, given, before)
    changed = choices.with_table(content, kind.key, entry)
    return _saved(desk, request, asked, (kind, 0), (given, entry, changed), WHOLE)


# -- both ------------------------------------------------------------------------------------


def _given(asked: Asked) -> dict[str, str]:
    return {name.removeprefix("f-"): unbroken(text).strip() for name, text in asked.own()}


def _saved(
    desk: Desk,
    request: Request,
    asked: Asked,
    where: tuple[choices.Kind, int],
    what: tuple[dict[str, str], dict[str, Any], dict[str, Any]],
    to: str,
) -> str | Response:
    kind, place = where
    given, entry, changed = what
    faults = choices.field_faults(kind, place, entry, _columns(desk))
    if not faults:
        try:
            return save_text(desk, asked, schemas.text_of(changed), to)
        except InputError as error:
            faults = {"": list(error.faults)}
    return _shown(desk, request, kind, place, given, faults)


def _columns(desk: Desk) -> Columns | None:
    """The columns there are, where the last description is of what is there now."""
    state = desk.running.project.state
    run, found = description_of(desk.running.jobs, state)
    sure = run is not None and run.state == "done" and run.about.get("files") == pair_of(state)
    return choices.columns_of(found) if sure and found is not None else None


def _shown(
    desk: Desk,
    request: Request,
    kind: choices.Kind,
    place: int,
    fields: Mapping[str, str],
    faults: Mapping[str, list[str]],
) -> Response:
    state = desk.running.project.state
    content = content_now(state)
    run, found = description_of(desk.running.jobs, state)
    tables = choices.tables_of(content, kind.key) if kind.several else []
    if not faults and run is not None and (not kind.several or place < len(tables)):
        told = schemas.told_of(kind.where(place), run.faults)
        faults = {"": told} if told else {}
    return desk.page(
        request,
        "table.html",
        "describe",
        status=422 if faults and request.method == "POST" else 200,
        kind=kind,
        place=place,
        new=kind.several and place == len(tables),
        seen=digest(tables if kind.several else content.get(kind.key, {})),
        fields=fields,
        faults=faults,
        variables=(found or {"variables": []})["variables"],
    )


PAGES = {
    LISTS: page,
    LISTS + "/{key}/{place:place}": table_page,
    WHOLE: choices_page,
    WHOLE + "/{key}": one_page,
}
POSTS = {
    LISTS + "/{key}/{place:place}": save_table,
    LISTS + "/{key}/{place:place}/remove": remove_table,
    WHOLE + "/{key}": save_one,
}
