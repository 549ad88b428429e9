"""What all pages share: words, templates, and the frame around each."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from microgauge.app import drawing, recipes
from microgauge.app.asked import new_action
from microgauge.app.jobs import Run
from microgauge.app.project import State, digest
from microgauge.app.results import added_in, beside_stop, settings_said
from microgauge.app.server import Running
from microgauge.languages.catalogue import Words, languages
from microgauge.languages.messages import Message
from microgauge.results.requirements import held_against, limit_said
from microgauge.results.wording import as_sentence

MOST_ANSWERS = 200
TEMPLATES = Path(__file__).parent / "templates"


class Desk:
    """Makes pages."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self._answers: OrderedDict[str, tuple[bytes, int]] = OrderedDict()

    def keep(self, answer: Response) -> str:
        """Hold an answer for a while; the address that it is shown at."""
        name = new_action()
        self._answers[name] = bytes(answer.body), answer.status_code
        while len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        return f"/answers/{name}"

    def kept(self, name: str) -> Response | None:
        """An answer that is still held."""
        found = self._answers.get(name)
        return None if found is None else HTMLResponse(found[0], found[1])

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals["digest"] = digest
        environment.globals["draw"] = drawing
        environment.globals["as_sentence"] = as_sentence
        environment.globals["limit_said"] = limit_said
        environment.globals["held_against"] = held_against
        environment.globals["beside_stop"] = beside_stop
        environment.globals["added_in"] = added_in
        environment.globals["step_title"] = recipes.title_of
        environment.globals["step_names"] = recipes.variables_of
        environment.globals["step_told"] = recipes.told
        environment.filters["settings"] = settings_said
        return environment

    def words(self, request: Request | None = None) -> Words:
        """The language that was chosen, or the browser's."""
        wished = "" if request is None else request.headers.get("accept-language", "")
        return self.running.words(wished)

    def page(
        self, request: Request, name: str, step: str, *, status: int = 200, **values: Any
    ) -> Response:
        """A page of a step."""
        words = self.words(request)
        state: State = values.pop("state", None) or self.running.project.state
        common: Mapping[str, Any] = {
            "_": words,
            "words": words,
            "languages": languages(),
            "steps": steps(words),
            "step": step,
            "state": state,
            "csrf": self.running.secrets.form,
            "new_action": new_action,
            "busy": self.running.jobs.busy(),
            "moved": self.running.folder.gone(),
            "folder": shown_name(self.running.folder.root),
            "when": lambda moment: words.when(datetime.fromtimestamp(moment, UTC).astimezone()),
            "titled": lambda run: titled(words, run),
            "state_said": lambda run: state_said(words, run),
            "path": _address(request),
        }
        text = self._environment.get_template(name).render({**common, **values})
        # Names of folders and what somebody put into files need be no text that can be sent.
        return HTMLResponse(text.encode("utf-8", "replace"), status_code=status)


@pass_context
def _shown(context: Context, value: Any) -> Any:
    """Whatever a template writes: a message in the language of the page."""
    return context["words"].of(value) if isinstance(value, Message) else value


def shown_name(folder: Path) -> str:
    """The name of a folder, which need not be in UTF-8."""
    return (folder.name or str(folder)).encode("utf-8", "replace").decode()


def _address(request: Request) -> str:
    """Where a page is shown again; what a form asked for is not part of it."""
    query = request.url.query if request.method == "GET" else ""
    return f"{request.url.path}?{query}" if query else request.url.path


def steps(words: Words) -> list[tuple[str, str, str]]:
    """The steps, in their order: a key, an address and a title."""
    return [
        ("files", "/", words("Files")),
        ("describe", "/describe", words("Describe")),
        ("measure", "/measure", words("Measure")),
        ("look", "/look", words("Look")),
        ("protect", "/protect", words("Protect")),
        ("release", "/release", words("Release")),
    ]


LONGEST_TITLE = 60
"""Characters of the names of several files that stand as a headline."""


def titled(words: Words, run: Run) -> str:
    """What a run is called: by its files, or by their number where their names are too long."""
    files = run.about.get("candidates", [])
    if len(files) < 2 or len(run.title) <= LONGEST_TITLE:
        return run.title
    name = run.about.get("original") or ""
    return words.many(len(files), "{n} version of {name}", "{n} versions of {name}", name=name)


def state_said(words: Words, run: Run) -> str:
    """How far a run is, in a word or two."""
    said = {
        "queued": words("waiting"),
        "running": words("running"),
        "done": words("done"),
        "refused": words("input refused"),
        "failed": words("failed"),
        "cancelled": words("cancelled"),
        "killed": words("ended from outside"),
    }[run.state]
    return words("done, a limit is missed") if run.state == "done" and run.missed else said
