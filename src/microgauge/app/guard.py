"""Who is answered: requests to this very address, from our own pages, by who has the token.

A page of another site may make the browser ask us for something. It does not know the token, its
requests carry no cookie (strict), and name another origin; with a name that it points at this
machine it still names another host. Each of these is refused by itself.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import field
from html import escape
from typing import Any
from urllib.parse import parse_qs

from microgauge.languages.catalogue import ENGLISH_WORDS, Words
from microgauge.languages.messages import say
from microgauge.records import dataclass

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
REPORT_POLICY = (
    "sandbox allow-scripts allow-modals; default-src 'none'; script-src 'unsafe-inline' "
    "'unsafe-eval'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""Of a report, which brings its own scripts: it sees neither us nor anything else."""
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    # With no-referrer, browsers say of our own forms, too, that their origin is null.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
METHODS = ("GET", "HEAD", "POST")
HTML = b"text/html; charset=utf-8"
OWN_SITE = ("same-origin", "none")
"""What a browser says of a request from our own page, and of one by the user."""
NOT_OURS = say("this form is not one of this app.")
ONLY_OURS = say("Only the app's own pages may ask for this.")


@dataclass(frozen=True)
class Secrets:
    """What only the user's browser knows; new at every start."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """In the opening address."""
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    form: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """In every form."""


def same(given: str, known: str) -> bool:
    """Whether a secret is the right one, in a time that tells nothing."""
    return secrets.compare_digest(given.encode("utf-8", "replace"), known.encode())


class Guard:
    """Stands before the pages."""

    def __init__(
        self,
        pages: App,
        known: Secrets,
        port: int,
        words: Callable[[str], Words] = lambda _: ENGLISH_WORDS,
    ) -> None:
        """`words` is told which languages a browser wishes."""
        self._pages = pages
        self._words = words
        self._known = known
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie_name = f"microgauge-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self._pages(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            status, why = refusal
            await self._refuse(headers, _secured(send), status, why)
            return
        if not self._has_cookie(headers):
            await self._enter(scope, headers, _secured(send))
            return
        if scope["path"] == "/" and b"token=" in scope["query_string"]:
            await _redirect(_secured(send), "/")
            return
        await self._pages(scope, receive, _secured(send))

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Why a request is none of ours."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 421, say("This address is not the one that the app was started with.")
        if scope["method"] not in METHODS:
            return 405, say("This is not done here.")
        site = headers.get("sec-fetch-site", [])
        origins = headers.get("origin", [])
        own = [f"http://{hosts[0].lower()}"]
        if scope["method"] == "POST":
            asked_by_us = origins == own or (not origins and site == ["same-origin"])
            if not asked_by_us or any(one not in OWN_SITE for one in site):
                return 403, ONLY_OURS
        elif any(one not in OWN_SITE for one in site) and not _opens(headers):
            return 403, ONLY_OURS
        return None

    def _has_cookie(self, headers: dict[str, list[str]]) -> bool:
        """Whether our cookie is there: with it come those of every other server of 127.0.0.1.

        Theirs may hold anything, and one may have our name: none must keep the user out.
        """
        lines = headers.get("cookie", [])
        pairs = (one.partition("=") for line in lines for one in line.split(";"))
        return any(
            name.strip() == self.cookie_name and same(value.strip(), self._known.cookie)
            for name, _, value in pairs
        )

    async def _enter(self, scope: Scope, headers: dict[str, list[str]], send: Send) -> None:
        """The token becomes a cookie, and goes out of the address."""
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        at_door = scope["path"] == "/" and scope["method"] == "GET"
        if not at_door or len(tokens) != 1 or not same(tokens[0], self._known.token):
            why = say(
                "Open the address that the program printed when it was started: it holds the token "
                "without which no page is shown."
            )
            await self._refuse(headers, send, 403, why)
            return
        cookie = f"{self.cookie_name}={self._known.cookie}; HttpOnly; SameSite=Strict; Path=/"
        given = [(b"set-cookie", cookie.encode())]
        if all(one in OWN_SITE for one in headers.get("sec-fetch-site", [])):
            await _redirect(send, "/", given)
            return
        # Redirected from a file, a browser would not send a strict cookie; from our page it does.
        await _answer(send, 200, leading_to("/"), [*given, (b"content-type", HTML)])

    async def _refuse(
        self, headers: dict[str, list[str]], send: Send, status: int, why: str
    ) -> None:
        """Say why, in the language of the app or of the browser."""
        words = self._words(",".join(headers.get("accept-language", [])))
        given = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        await _answer(send, status, f"microgauge: {words.of(why)}\n", given)


def _opens(headers: dict[str, list[str]]) -> bool:
    """Whether a page is opened by a link of another one: without a cookie it will be refused."""
    return headers.get("sec-fetch-mode") == ["navigate"] and headers.get("sec-fetch-dest") == [
        "document"
    ]


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _secured(send: Send) -> Send:
    """With the headers that every answer has; a page may have a policy of its own."""

    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            there = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.encode() not in there
                ),
            ]
        await send(message)

    return sent


def leading_to(address: str) -> str:
    """A page that opens another address at once, and does not stay in the way back."""
    return (
        '<!doctype html><meta charset="utf-8"><title>microgauge</title>'
        f'<meta http-equiv="refresh" content="0; url={escape(address)}">'
    )


async def _redirect(send: Send, to: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    given = [(b"location", to.encode()), (b"content-length", b"0"), *(headers or [])]
    await send({"type": "http.response.start", "status": 303, "headers": given})
    await send({"type": "http.response.body", "body": b""})


async def _answer(send: Send, status: int, text: str, headers: list[tuple[bytes, bytes]]) -> None:
    body = text.encode()
    given = [(b"content-length", str(len(body)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})
