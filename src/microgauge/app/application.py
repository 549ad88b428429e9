"""The addresses there are, and how forms come in: whole, by our own pages, once."""

from __future__ import annotations

import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from microgauge.app.asked import Asked, Stale
from microgauge.app.desk import Desk
from microgauge.app.guard import NOT_OURS, same
from microgauge.app.pages import (
    analysing,
    describing,
    files,
    looking,
    measuring,
    protecting,
    releasing,
    runs,
    sending,
)
from microgauge.app.server import Running
from microgauge.errors import InputError
from microgauge.languages.messages import say

PARTS = (files, describing, analysing, measuring, looking, protecting, releasing, runs)


class Place(IntegerConvertor):
    """A place in a list; a number that no list is as long as is no address."""

    regex = "[0-9]{1,5}"


register_url_convertor("place", Place())
STATIC = Path(__file__).parent / "static"
MOST_BODY = 8 << 20
"""Bytes of a form; files are sent to an address of their own."""
Page = Callable[[Desk, Request], Response]
Post = Callable[[Desk, Request, Asked], "str | Response"]
Endpoint = Callable[[Request], Awaitable[Response]]


def application(running: Running) -> Starlette:
    """All pages, behind no guard yet."""
    desk = Desk(running)
    posting = threading.Lock()

    def shown(page: Page) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(page, desk, request)

        return endpoint

    def posted(post: Post) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            body = await _body(request)
            if body is None:
                return _refusal(desk, request, 413, say("this form is too large."))
            return await run_in_threadpool(_answered, desk, request, post, body, posting)

        return endpoint

    pages = [
        Route(path, shown(page), methods=["GET"])
        for part in PARTS
        for path, page in part.PAGES.items()
    ]
    posts = [
        Route(path, posted(post), methods=["POST"])
        for part in PARTS
        for path, post in part.POSTS.items()
    ]
    shown_at = {path for part in PARTS for path in part.PAGES}
    only_posted = [path for part in PARTS for path in part.POSTS if path not in shown_at]
    return Starlette(
        routes=[
            *posts,
            *pages,
            Route("/answers/{name}", shown(kept_answer), methods=["GET"]),
            Route("/upload", sending.endpoint(desk), methods=["POST"]),
            *(Route(path, _to_its_step, methods=["GET"]) for path in (*only_posted, "/upload")),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={HTTPException: _missing(desk), Exception: _failed(desk)},
    )


def kept_answer(desk: Desk, request: Request) -> Response:
    """What was answered to a form that could not be done."""
    found = desk.kept(request.path_params["name"])
    return RedirectResponse("/", 303) if found is None else found


async def _to_its_step(request: Request) -> Response:
    """The address of a form, opened as if it were a page: by reload, or from the history."""
    return RedirectResponse(_back(request), 303)


async def _body(request: Request) -> bytes | None:
    """The whole of a form; None where it is too large to be one."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > MOST_BODY:
            return None
    return bytes(found)


def _refusal(desk: Desk, request: Request, status: int, why: str) -> Response:
    """A line of text: what was sent is none of our forms."""
    return PlainTextResponse(f"microgauge: {desk.words(request).of(why)}\n", status)


def _answered(
    desk: Desk, request: Request, post: Post, body: bytes, posting: threading.Lock
) -> Response:
    """What a form asked for is done, unless it is not ours or was done before."""
    try:
        asked = Asked.of(desk.running, request.url.path, body)
    except ValueError:
        return _refusal(desk, request, 400, say("this is no form."))
    if not same(asked["csrf"], desk.running.secrets.form) or not asked.action:
        return _refusal(desk, request, 403, NOT_OURS)
    with posting:  # the second of two clicks finds what the first has done
        there = asked.done()
        if there is not None:
            return RedirectResponse(there, 303)
        found = _done(desk, request, post, asked)
    # Also what is refused is shown at an address that can be reloaded and gone back to.
    return RedirectResponse(found if isinstance(found, str) else desk.keep(found), 303)


def _done(desk: Desk, request: Request, post: Post, asked: Asked) -> str | Response:
    try:
        return post(desk, request, asked)
    except Stale as stale:
        return desk.page(
            request,
            "stale.html",
            "",
            status=409,
            asked=asked,
            now=stale.now,
            now_text=_as_text(stale.now),
            back=_back(request),
        )
    except InputError as error:
        return desk.page(
            request, "refused.html", "", status=422, faults=error.faults, back=_back(request)
        )


def _as_text(now: Any) -> str:
    """A part of the state, to be read."""
    return now if isinstance(now, str) else json.dumps(now, ensure_ascii=False, indent=1)


def _back(request: Request) -> str:
    """The page of the step that a form belongs to."""
    first = request.url.path.strip("/").split("/")[0]
    return f"/{first}" if first in ("describe", "measure", "look", "protect", "release") else "/"


def _missing(desk: Desk) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status = error.status_code
        return await run_in_threadpool(
            lambda: desk.page(request, "missing.html", "", status=status)
        )

    return answer


def _failed(desk: Desk) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        kind = type(error).__name__
        return await run_in_threadpool(
            lambda: desk.page(request, "failed.html", "", status=500, kind=kind)
        )

    return answer
