"""Where the app listens, how it starts and how it ends."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from microgauge.app.folder import Folder
from microgauge.app.guard import Guard, Secrets, leading_to
from microgauge.app.jobs import PROGRAM, Jobs
from microgauge.app.kept import refuse_links
from microgauge.app.lock import Lock
from microgauge.app.project import Project
from microgauge.app.saying import spoken
from microgauge.errors import InputError, said_by_system
from microgauge.languages.catalogue import Words, languages
from microgauge.languages.messages import ENGLISH, say
from microgauge.records import dataclass

LOOPBACK = "127.0.0.1"
UPLOAD_LIMIT = 4 << 30
"""Bytes."""
SOON = 1.0
"""Seconds: the first page comes first."""
DOOR = "open.html"
"""Among what the app keeps: leads the browser to the address with the token."""


@dataclass(frozen=True)
class Settings:
    """What was said on the command line."""

    folder: str = "."
    port: int = 0
    """0: any that is free."""
    language: str | None = None
    upload_limit: int = UPLOAD_LIMIT
    program: tuple[str, ...] = PROGRAM
    """Does the work."""


@dataclass
class Running:
    """An app that listens, and all it needs."""

    folder: Folder
    project: Project
    jobs: Jobs
    secrets: Secrets
    settings: Settings
    port: int

    @property
    def address(self) -> str:
        """What the user opens."""
        return f"http://{LOOPBACK}:{self.port}/?token={self.secrets.token}"

    def words(self, wished: str = "") -> Words:
        """The language that was chosen, or the first of those a browser wishes."""
        chosen = self.project.language or self.settings.language
        if chosen is None:
            codes = [part.split(";")[0].strip()[:2].lower() for part in wished.split(",")]
            chosen = next((code for code in codes if code in languages()), ENGLISH)
        return spoken(chosen)


@contextmanager
def opened(settings: Settings) -> Iterator[tuple[Running, socket.socket]]:
    """The folder locked, its state read, the port bound; all let go at the end."""
    from microgauge.app.pages.releasing import around_runs

    folder = Folder.of(settings.folder)
    refuse_links(folder.own)
    lock = Lock(folder.own)
    try:
        _remove_halves(folder.own)
        listening = _bound(settings.port)
        with contextlib.closing(listening):
            project = Project(folder)
            jobs = Jobs(folder, settings.program)
            port = int(listening.getsockname()[1])
            running = Running(folder, project, jobs, Secrets(), settings, port)
            jobs.start(around_runs(running))
            try:
                yield running, listening
            finally:
                jobs.end()
    finally:
        lock.release()


def _remove_halves(own: Path) -> None:
    """Files that were being written or sent when an app was ended from outside."""
    for path in own.glob(".*"):
        if path.is_file():
            with contextlib.suppress(OSError):
                path.unlink()


def _bound(port: int) -> socket.socket:
    """A socket of this machine only."""
    if not 0 <= port <= 65_535:
        raise InputError(say("--port must be a whole number from 0 to 65,535."))
    # With the protocol named, the event loop sends small answers at once (TCP_NODELAY).
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((LOOPBACK, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise InputError(
            say(
                "port {port} cannot be used: {why}. Leave --port out to have one that is free.",
                port=port,
                why=said_by_system(error),
            )
        ) from None
    return listening


def server_of(running: Running) -> Any:
    """A server that is not started yet."""
    import uvicorn

    from microgauge.app.application import application

    config = uvicorn.Config(
        Guard(application(running), running.secrets, running.port, running.words),
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=64 << 10,
        ws="none",
        http="h11",
    )
    return uvicorn.Server(config)


def serve(settings: Settings, *, browser: bool) -> int:
    """Listen until the program is ended."""
    with opened(settings) as (running, listening):
        server = server_of(running)
        sys.stdout.write(f"{running.address}\n" if not browser else "")
        sys.stdout.flush()
        if browser:
            sys.stderr.write(
                f"microgauge app: open {running.address} if no browser opens by itself. "
                "Ctrl-C ends it.\n"
            )
            threading.Thread(target=_open, args=(running,), daemon=True).start()
        soon = threading.Timer(SOON, warm)
        soon.daemon = True
        soon.start()
        try:
            with contextlib.suppress(KeyboardInterrupt):
                server.run(sockets=[listening])
        finally:
            _door(running).unlink(missing_ok=True)
    return 0


def _door(running: Running) -> Path:
    return running.folder.own / DOOR


def _open(running: Running) -> None:
    """Open the first page in the user's browser.

    The command line of a browser can be read by every user of the machine, so it names a file
    that leads to the address, and that nobody else can read.
    """
    door = _door(running)
    with contextlib.suppress(webbrowser.Error, OSError):
        door.unlink(missing_ok=True)
        only_ours = os.open(door, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(only_ours, "w", encoding="utf-8") as file:
            file.write(leading_to(running.address))
        webbrowser.open(door.as_uri())


def warm() -> None:
    """Load what pages need, while nobody waits for it yet."""
    from microgauge.commands.explore import grid  # noqa: F401
    from microgauge.masking.forms import parameters
    from microgauge.masking.methods import method, method_names
    from microgauge.sections import registry

    registry.sections()
    for name in method_names():
        parameters(method(name))
