"""Work under way: how far it is, stopping it, doing it again; and the files it leaves."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from microgauge.app import asking, results
from microgauge.app.asked import Asked
from microgauge.app.desk import Desk
from microgauge.app.folder import bare_name
from microgauge.app.guard import REPORT_POLICY
from microgauge.app.jobs import Run
from microgauge.app.pages import releasing

SHOWN = {"report": "report.html", "public": "public.html"}
"""Pages that are shown in a frame."""
DOWNLOADS = (
    "report.html",
    "public.html",
    "summary.pdf",
    "result.json",
    "tables.xlsx",
    "schema.toml",
    "recipe.toml",
    "map.svg",
)
LONGEST_TOLD = 100
"""Bytes of what was measured in the name of a file: the number of the run stands behind it."""
STEP_OF = {
    "describe": "describe",
    "measure": "measure",
    "preview": "protect",
    "candidate": "protect",
    "explore": "protect",
    "release": "release",
}


def run_of(desk: Desk, request: Request) -> Run:
    """The run that an address names."""
    run = desk.running.jobs.get(request.path_params["run"])
    if run is None:
        raise HTTPException(404)
    return run


def page(desk: Desk, request: Request) -> Response:
    """How far a run is."""
    return _shown(desk, request, "run.html")


def busy(desk: Desk, request: Request) -> Response:
    """What the head of a page says of work under way; nothing where there is none."""
    return desk.page(request, "busy.html", "protect")


def part(desk: Desk, request: Request) -> Response:
    """The part of that page that changes."""
    return _shown(desk, request, "live.html")


def _shown(desk: Desk, request: Request, template: str) -> Response:
    run = run_of(desk, request)
    points = []
    is_released = run.kind == "release" and run.state == "done"
    if run.kind == "explore":
        points = results.live_points(desk.running.jobs.place(run.id))
    return desk.page(
        request,
        template,
        STEP_OF[run.kind],
        run=run,
        typed=asking.typed(run),
        points=points,
        result=results.result_of(desk.running.jobs, run) if run.state == "done" else None,
        released=releasing.files_of(desk.running.folder, run) if is_released else [],
        to=where_to(run),
        ahead=_ahead(desk, run),
    )


def _ahead(desk: Desk, run: Run) -> int:
    """How many runs are done before a queued one."""
    others = desk.running.jobs.runs()
    before = [o for o in others if not o.over and o.queued < run.queued]
    return len(before) if run.state == "queued" else 0


def where_to(run: Run) -> str:
    """Where what came of a run is shown."""
    return {
        "describe": "/describe",
        "measure": f"/look/{run.id}",
        "explore": f"/look/{run.id}",
        "preview": f"/protect/{run.about.get('recipe', '')}",
        "candidate": "/measure",
        "release": "/release",
    }[run.kind]


def cancel(desk: Desk, request: Request, asked: Asked) -> str:
    """Stop a run."""
    run = run_of(desk, request)
    desk.running.jobs.cancel(run.id)
    return asked.change(lambda state: None, f"/runs/{run.id}")


def again(desk: Desk, request: Request, asked: Asked) -> str:
    """Do it once more, as it was."""
    run = run_of(desk, request)
    to = asked.change(lambda state: None, f"/runs/{run.id}")
    desk.running.jobs.again(run.id)
    return to


def forget(desk: Desk, request: Request, asked: Asked) -> str:
    """Remove a run and what it kept."""
    run = run_of(desk, request)
    to = asked.change(lambda state: None, "/look")
    desk.running.jobs.forget(run.id)
    return to


def framed(desk: Desk, request: Request) -> Response:
    """A report, for a frame that it cannot leave."""
    run = run_of(desk, request)
    path = desk.running.jobs.file(run, SHOWN.get(request.path_params["which"], ""))
    if path is None:
        raise HTTPException(404)
    headers = {"content-security-policy": REPORT_POLICY}
    return Response(path.read_bytes(), media_type="text/html", headers=headers)


def download(desk: Desk, request: Request) -> Response:
    """A file of a run, to be kept."""
    run = run_of(desk, request)
    name = request.path_params["name"]
    path = desk.running.jobs.file(run, name) if name in DOWNLOADS else None
    if path is None:
        raise HTTPException(404)
    called = download_name(run, name)
    return FileResponse(path, filename=called, content_disposition_type="attachment")


def download_name(run: Run, name: str) -> str:
    """What a file is called where it is kept: what was measured, and which time."""
    kind, _, ending = name.rpartition(".")
    files = "_".join(bare_name(one) for one in run.title.split(", "))
    told = files.encode()[:LONGEST_TOLD].decode("utf-8", "ignore").strip(" .")
    return f"{kind}-{told}-{run.id}.{ending}"


def command(desk: Desk, request: Request) -> Response:
    """The command line that gives the same."""
    text = asking.typed(run_of(desk, request)) + "\n"
    return PlainTextResponse(text.encode("utf-8", "replace"))


PAGES = {
    "/busy": busy,
    "/runs/{run}": page,
    "/runs/{run}/part": part,
    "/runs/{run}/framed/{which}": framed,
    "/runs/{run}/files/{name}": download,
    "/runs/{run}/command": command,
}
POSTS = {
    "/runs/{run}/cancel": cancel,
    "/runs/{run}/again": again,
    "/runs/{run}/forget": forget,
}
