"""Measuring: which candidates, how thoroughly, within which limits."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from microgauge.app import asking, limits
from microgauge.app.asked import Asked
from microgauge.app.desk import Desk
from microgauge.app.pages.describing import faults_of_description
from microgauge.app.project import State


def page(desk: Desk, request: Request) -> Response:
    """What may be measured, and what was."""
    return _shown(desk, request)


def _shown(
    desk: Desk, request: Request, faults: tuple[str, ...] = (), require: str = ""
) -> Response:
    state = desk.running.project.state
    return desk.page(
        request,
        "measure.html",
        "measure",
        status=422 if faults else 200,
        state=state,
        runs=desk.running.jobs.runs("measure", "explore"),
        faults=faults,
        described=faults_of_description(desk.running.jobs, state),
        limits=limits.fields_of(require or state["measure"]["require"]),
    )


def begin(desk: Desk, request: Request, asked: Asked) -> str | Response:
    """Queue a measure."""
    running = desk.running
    words = desk.words(request)
    files = running.project.state["files"]
    asked.check(files)
    ticked = asked.names("candidate", files["candidates"])
    chosen = [name for name in files["candidates"] if name in ticked]
    require = limits.asked_for(asked)
    faults = limits.faults_of(require)
    if not chosen:
        faults = (words("Choose at least one protected version."), *faults)
    if faults:
        return _shown(desk, request, faults, require)

    def put(state: State) -> None:
        state["measure"] = {"full": asked["full"] == "on", "require": require}

    running.project.change(put)
    state = running.project.state
    title = ", ".join(chosen)
    run = running.jobs.add(
        "measure",
        title,
        lambda place: [asking.measured(state, chosen, place, words.language)],
        asking.inputs_of(state, chosen),
        {
            "candidates": chosen,
            "original": state["files"]["original"],
            "by": asking.measured_by(state),
            "action": asked.action,
        },
        {asking.SCHEMA: state["schema"]},
        asked.remembered,
    )
    return f"/runs/{run.id}"


PAGES = {"/measure": page}
POSTS = {"/measure": begin}
