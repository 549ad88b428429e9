"""What the user said so far: one small file in the folder, replaced whole at every change."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from microgauge.app.folder import Folder
from microgauge.errors import InputError
from microgauge.languages.messages import say
from microgauge.results.writing import write_whole

FORMAT = 1
ROLES = ("original", "external", "holdout", "population")
"""Tables of which there is one at most; candidates are a list."""
MOST_DONE = 500
"""Actions that are remembered, so that none is done twice."""
MOST_UNDO = 50
State = dict[str, Any]


def empty() -> State:
    """A folder of which nothing was said yet."""
    return {
        "format": FORMAT,
        "language": None,
        "files": {**dict.fromkeys(ROLES), "candidates": []},
        "shown": None,
        "schema": "",
        "measure": {"full": False, "require": ""},
        "recipes": [],
        "done": {},
    }


class Project:
    """The state of a folder. Whoever reads gets a copy; whoever changes it does so at once."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._path = folder.own / "project.json"
        self._lock = threading.RLock()
        self._state = _read(self._path)

    @property
    def language(self) -> str | None:
        """The one that was chosen; every page asks for it."""
        language: str | None = self._state["language"]
        return language

    @property
    def state(self) -> State:
        """All of it as it is now."""
        with self._lock:
            return _copied(self._state)

    def change(self, work: Callable[[State], Any]) -> Any:
        """Change it, whole or not at all; what `work` gives is given back."""
        with self._lock:
            state = _copied(self._state)
            found = work(state)
            done = state["done"]
            state["done"] = dict(list(done.items())[-MOST_DONE:])
            if state != self._state:
                self._folder.need()
                write_whole(self._path, json.dumps(state, ensure_ascii=False) + "\n")
                self._state = state
            return found


def _copied(state: State) -> State:
    """A copy; what recipes say is shared by all, since it is put anew and never changed.

    A recipe may name thousands of codes, and undo holds it many times.
    """
    said = [text for one in state["recipes"] for text in (one["content"], *one["undo"])]
    return deepcopy(state, {id(text): text for text in said})


def _read(path: Path) -> State:
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        return empty()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise InputError(say("{path} was written by another version of microgauge.", path=path))
        state = {**empty(), **found}
        if not _is_sound(state):
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
        raise InputError(
            say(
                "{path} cannot be read. Move it away to start anew; results in the folder stay.",
                path=path,
            )
        ) from None
    return state


def _is_sound(state: State) -> bool:
    """Whether every part has the form that pages rely on: the file may have been edited."""
    plain = empty()
    json.dumps(state, ensure_ascii=False).encode("utf-8")  # what no page can show is no text
    alike = all(
        isinstance(state[name], type(value)) for name, value in plain.items() if value is not None
    )
    files, texts = state["files"], (str, type(None))
    return (
        alike
        and all(isinstance(files[role], texts) for role in ROLES)
        and isinstance(files["candidates"], list)
        and all(isinstance(name, str) for name in files["candidates"])
        and isinstance(state["shown"], texts)
        and isinstance(state["measure"]["require"], str)
        and isinstance(state["measure"]["full"], bool)
        and all(_is_recipe(one) for one in state["recipes"])
    )


def _is_recipe(one: Any) -> bool:
    return (
        isinstance(one["name"], str)
        and str(one["id"]).isdigit()
        and isinstance(one["undo"], list)
        and isinstance(one["content"]["step"], list)
        and all(
            isinstance(form["method"], str)
            for step in one["content"]["step"]
            for form in step.get("either", [step])
        )
    )


def digest(content: Any) -> str:
    """A print of a part of the state, by which a form knows what it was made from."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
