"""What a form asked for: its fields, and the promise that it is done once."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import parse_qsl

from microgauge.app.jobs import Run
from microgauge.app.project import State, digest
from microgauge.app.server import Running
from microgauge.records import dataclass

HIDDEN = ("csrf", "action", "seen")
"""Fields that every form has beside its own."""
MOST_FIELDS = 50_000


class Stale(Exception):
    """What a form was made from is no longer so: another page changed it."""

    def __init__(self, now: Any) -> None:
        super().__init__()
        self.now = now


@dataclass(frozen=True)
class Asked:
    """The fields of a form."""

    running: Running
    path: str
    fields: Sequence[tuple[str, str]]

    @staticmethod
    def of(running: Running, path: str, body: bytes) -> Asked:
        """From what a browser sends; `ValueError` where it is no form."""
        text = body.decode("utf-8", "replace")
        fields = parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
        return Asked(running, path, fields)

    def __getitem__(self, name: str) -> str:
        """The first value of a field; nothing where it is absent."""
        return self.text(name).strip()

    def all(self, name: str) -> list[str]:
        """Every value of a field, in the order of the page."""
        return [value for key, value in self.fields if key == name]

    def text(self, name: str) -> str:
        """The first value of a field of several lines, as it was typed."""
        return unbroken(next((value for key, value in self.fields if key == name), ""))

    def names(self, field: str, known: Iterable[str]) -> list[str]:
        """Every value of a field that holds names: a browser sends any line end as CR LF."""
        there = {unbroken(name): name for name in known}
        return [there.get(unbroken(value), value) for value in self.all(field)]

    @property
    def action(self) -> str:
        """What tells this very form from all others that were ever shown."""
        return self["action"][:64]

    def done(self) -> str | None:
        """Where the answer is, if this was asked for before."""
        found = self.running.project.state["done"].get(self.action)
        if found is not None:
            return str(found)
        runs = self.running.jobs.runs()
        return next(
            (f"/runs/{run.id}" for run in runs if run.about.get("action") == self.action), None
        )

    def check(self, part: Any) -> None:
        """`Stale` where the part of the state that the form was made from is another by now."""
        if self["seen"] != digest(part):
            raise Stale(part)

    def change(self, work: Callable[[State], Any], to: str) -> str:
        """Change the state and remember that it was asked for, at once."""

        def both(state: State) -> None:
            work(state)
            state["done"][self.action] = to

        self.running.project.change(both)
        return to

    def remembered(self, run: Run) -> None:
        """Remember that a run was asked for; where that cannot be, it must not be queued."""
        self.change(lambda state: None, f"/runs/{run.id}")

    def own(self) -> list[tuple[str, str]]:
        """The fields of the form itself."""
        return [(key, value) for key, value in self.fields if key not in HIDDEN]


def unbroken(text: str) -> str:
    r"""A text whose line ends are all alike.

    >>> unbroken("a\r\nb\rc\nd")
    'a\nb\nc\nd'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


def place_in(text: str) -> int | None:
    """A small whole number that an address or a form names; None where it is none.

    >>> place_in("12"), place_in("²"), place_in("-1"), place_in("")
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def new_action() -> str:
    """A name that no form had before."""
    return secrets.token_urlsafe(12)
