"""Files that a browser sends: streamed to the disk, never held in memory, within a limit."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import tempfile
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from microgauge.app.asked import Asked
from microgauge.app.desk import Desk
from microgauge.app.folder import Folder
from microgauge.app.guard import NOT_OURS, same
from microgauge.app.pages.describing import save_text
from microgauge.errors import InputError, said_by_system
from microgauge.languages.messages import say
from microgauge.results.writing import MASK

# What it has to say of a form is no matter of the console.
logging.getLogger("python_multipart").addHandler(logging.NullHandler())
SPARE = 64 << 20
"""Bytes of the disk that are left alone."""
MOST_FIELD = 4_096
MOST_FILES = 50
MOST_SCHEMA = 4 << 20
NO_FORM = say("this is no form with files.")
NO_ROOM = say("the disk has no room for the file; nothing was kept.")


def _too_large(limit: int) -> str:
    return say("the file is larger than {mb:,} MB.", mb=limit >> 20)


@dataclass
class _Part:
    """A field or a file on its way in."""

    head: dict[bytes, bytes] = field(default_factory=dict)
    name: str = ""
    file: str | None = None
    out: IO[bytes] | None = None
    text: bytearray = field(default_factory=bytearray)


class Refused(Exception):
    """Why nothing more of a request is read."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass
class Incoming:
    """A form with files, taken apart while it comes in. Fields must stand before files."""

    folder: Folder
    limit: int
    allowed: Callable[[dict[str, str]], None]
    """Is told the fields before the first file is written; raises `Refused`."""
    fields: dict[str, str] = field(default_factory=dict)
    files: list[tuple[str, Path]] = field(default_factory=list)
    """What each was called, and where it lies now."""
    _part: _Part = field(default_factory=_Part)
    _key: bytearray = field(default_factory=bytearray)
    _value: bytearray = field(default_factory=bytearray)
    ended: bool = False
    """Whether it came in to its end."""
    _size: int = 0

    def parser(self, boundary: bytes) -> MultipartParser:
        """Calls us for every part."""

        def at_end() -> None:
            self.ended = True

        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_part_data": self._data,
                "on_part_end": self._end,
                "on_header_field": lambda data, a, b: self._key.extend(data[a:b]),
                "on_header_value": lambda data, a, b: self._value.extend(data[a:b]),
                "on_header_end": self._header,
                "on_headers_finished": self._headed,
                "on_end": at_end,
            },
        )

    def _begin(self) -> None:
        self._part = _Part()
        self._size = 0

    def _header(self) -> None:
        self._part.head[bytes(self._key).lower()] = bytes(self._value)
        self._key.clear()
        self._value.clear()

    def _headed(self) -> None:
        _, options = parse_options_header(self._part.head.get(b"content-disposition", b""))
        self._part.name = options.get(b"name", b"").decode("utf-8", "replace")
        if b"filename" not in options:
            return
        self._part.file = options[b"filename"].decode("utf-8", "replace")
        if not self._part.file:
            return
        if not self.files:
            self.allowed(self.fields)
        if len(self.files) >= MOST_FILES:
            raise Refused(413, say("too many files at once."))
        handle, name = tempfile.mkstemp(prefix=".sent-", dir=self.folder.own)
        self._part.out = os.fdopen(handle, "wb")
        self.files.append((self._part.file, Path(name)))

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._part.out is not None:
            if self._size > self.limit:
                raise Refused(413, _too_large(self.limit))
            self._part.out.write(data[start:end])
        elif self._part.file is None:
            self._part.text += data[start:end]
            if len(self._part.text) > MOST_FIELD:
                raise Refused(413, say("a field is too long."))

    def _end(self) -> None:
        if self._part.out is not None:
            self._part.out.close()
            self._part.out = None
        elif self._part.file is None:
            self.fields[self._part.name] = self._part.text.decode("utf-8", "replace")

    def drop(self) -> None:
        """Leave nothing half-written."""
        if self._part.out is not None:
            with contextlib.suppress(OSError):  # a full disk takes not even what is held back
                self._part.out.close()
        for _, path in self.files:
            path.unlink(missing_ok=True)


def endpoint(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    """Takes files in."""
    under_way: set[str] = set()

    async def sent(request: Request) -> Response:
        running = desk.running
        folder, limit = running.folder, running.settings.upload_limit
        ours: list[str] = []

        def allowed(fields: dict[str, str]) -> None:
            if not same(fields.get("csrf", ""), running.secrets.form) or not fields.get("action"):
                raise Refused(403, NOT_OURS)
            if fields["action"] in under_way or _asked(desk, fields).done() is not None:
                raise Refused(303, "/")
            under_way.add(fields["action"])
            ours.append(fields["action"])

        incoming = Incoming(folder, limit, allowed)
        try:
            folder.need()
            await _read(request, incoming, folder, limit)
            if not incoming.files:
                allowed(incoming.fields)
            return await run_in_threadpool(_taken, desk, request, incoming)
        except Refused as why:
            if why.status == 303:
                return RedirectResponse("/", 303)
            return await _refusal(desk, request, str(why), why.status)
        except InputError as error:
            return await _refusal(desk, request, str(error), 422)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            said = NO_ROOM if full else say("{why}; nothing was kept.", why=said_by_system(error))
            return await _refusal(desk, request, said, 507)
        finally:
            under_way.difference_update(ours)
            incoming.drop()

    return sent


async def _read(request: Request, incoming: Incoming, folder: Folder, limit: int) -> None:
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise Refused(400, NO_FORM)
    length = request.headers.get("content-length", "")
    if length.isdigit():
        if int(length) > limit * MOST_FILES + (1 << 20):
            raise Refused(413, _too_large(limit))
        if int(length) > folder.room() - SPARE:
            raise Refused(507, NO_ROOM)
    try:
        parser = incoming.parser(options[b"boundary"])
    except ValueError as error:
        raise Refused(400, NO_FORM) from error
    since = 0
    async for data in request.stream():
        await run_in_threadpool(_written, parser, data)
        since += len(data)
        if since > SPARE // 2:
            since = 0
            if folder.room() < SPARE:
                raise Refused(507, NO_ROOM)
    parser.finalize()
    if not incoming.ended:  # a file that is cut off must not be taken for a whole one
        raise Refused(400, NO_FORM)


def _written(parser: MultipartParser, data: bytes) -> None:
    try:
        parser.write(data)
    except (Refused, OSError):
        raise
    except Exception as error:
        raise Refused(400, NO_FORM) from error


def _asked(desk: Desk, fields: dict[str, str]) -> Asked:
    return Asked(desk.running, "/upload", list(fields.items()))


def _taken(desk: Desk, request: Request, incoming: Incoming) -> Response:
    """Files get their names; a schema is read."""
    asked = _asked(desk, incoming.fields)
    if not incoming.files:
        raise InputError(desk.words(request)("Choose a file first."))
    if incoming.fields.get("purpose") == "schema":
        path = incoming.files[0][1]
        if path.stat().st_size > MOST_SCHEMA:
            raise InputError(desk.words(request)("A schema is no larger than 4 MB."))
        try:
            text = path.read_text(encoding="utf-8")
        except ValueError:
            raise InputError(desk.words(request)("The schema is not in UTF-8.")) from None
        return RedirectResponse(save_text(desk, asked, text, "/describe"), 303)
    _placed(desk.running.folder, incoming.files, desk.running.jobs.promised())
    return RedirectResponse(asked.change(lambda state: None, "/"), 303)


def _placed(folder: Folder, files: list[tuple[str, Path]], promised: Container[str]) -> None:
    """Each file under a name that no other has or was promised, or none of them."""
    there: list[Path] = []
    try:
        for called, path in files:
            path.chmod(0o644 & ~MASK)
            there.append(folder.reserved(called, promised))
            path.replace(there[-1])
    except BaseException:
        for path in there:
            path.unlink(missing_ok=True)
        raise


async def _refusal(desk: Desk, request: Request, sentence: str, status: int) -> Response:
    with contextlib.suppress(Exception):
        return await run_in_threadpool(
            lambda: desk.page(
                request, "refused.html", "files", status=status, faults=[sentence], back="/"
            )
        )
    return PlainTextResponse(f"microgauge: {desk.words(request).of(sentence)}\n", status)
