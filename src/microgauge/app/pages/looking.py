"""Looking at results: the verdict first, the report, the map, two candidates side by side."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from microgauge.app import asking, results
from microgauge.app.asked import place_in
from microgauge.app.desk import Desk
from microgauge.app.jobs import Run
from microgauge.app.pages.runs import run_of


def page(desk: Desk, request: Request) -> Response:
    """All results there are."""
    jobs = desk.running.jobs
    found = []
    for run in jobs.runs("measure", "explore"):
        result = results.result_of(jobs, run)
        points = results.points_of(result, "") if result and "candidates" in result else []
        chosen = next((point for point in points if point["chosen"]), None)
        told = (results.verdict_of(result), (result or {}).get("recommended"), chosen)
        found.append((run, *told))
    return desk.page(request, "results.html", "look", found=found)


def one(desk: Desk, request: Request) -> Response:
    """A result: the verdict, or the choice among candidates."""
    run = run_of(desk, request)
    result = results.result_of(desk.running.jobs, run)
    if result is None:
        return desk.page(request, "noresult.html", "look", status=404, run=run)
    return _result_shown(desk, request, run, result, None)


def _result_shown(
    desk: Desk, request: Request, run: Run, result: dict[str, Any], ticked: list[int] | None
) -> Response:
    """A result; `ticked` are candidates that were to be compared and are not two."""
    ranked = "candidates" in result
    return desk.page(
        request,
        "ranking.html" if ranked else "result.html",
        "look",
        status=200 if ticked is None else 422,
        ticked=ticked,
        run=run,
        result=result,
        verdict=results.verdict_of(result),
        points=results.points_of(result, f"/look/{run.id}") if ranked else [],
        limits=results.limits_of(result),
        against=[] if ranked else results.against(result),
        typed=asking.typed(run),
        files=_files(desk, run),
        report=request.query_params.get("report", ""),
    )


def _files(desk: Desk, run: Any) -> list[str]:
    from microgauge.app.pages.runs import DOWNLOADS

    return [name for name in DOWNLOADS if desk.running.jobs.file(run, name) is not None]


def candidate(desk: Desk, request: Request) -> Response:
    """One candidate of a ranking."""
    run, result, place = _candidate(desk, request, int(request.path_params["place"]))
    return desk.page(
        request,
        "candidate.html",
        "look",
        run=run,
        result=result,
        place=place,
        one=result["candidates"][place],
        verdict=result["candidates"][place].get("verdict"),
        against=results.against(result["candidates"][place]),
    )


def _candidate(desk: Desk, request: Request, place: int) -> tuple[Any, dict[str, Any], int]:
    run = run_of(desk, request)
    result = results.result_of(desk.running.jobs, run)
    if result is None or not 0 <= place < len(results.candidates_of(result)):
        raise HTTPException(404)
    return run, result, place


def compare(desk: Desk, request: Request) -> Response:
    """Two candidates side by side; which ones is said by their places, else it is asked for."""
    run = run_of(desk, request)
    result = results.result_of(desk.running.jobs, run)
    there = results.candidates_of(result)
    given = dict.fromkeys(map(place_in, request.query_params.getlist("of")))
    places = [place for place in given if place is not None and place < len(there)]
    if result is None or len(there) < 2:
        raise HTTPException(404)
    if len(places) != 2:
        return _result_shown(desk, request, run, result, places)
    return desk.page(
        request,
        "compare.html",
        "look",
        run=run,
        result=result,
        places=places,
        both=[there[place] for place in places],
    )


PAGES = {
    "/look": page,
    "/look/{run}": one,
    "/look/{run}/compare": compare,
    "/look/{run}/{place:place}": candidate,
}
POSTS: dict[str, Any] = {}
