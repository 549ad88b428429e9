"""Commands as processes of their own, one after the other, each kept in the folder as a run."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from microgauge.app.folder import INTERNAL, Folder, prints_of
from microgauge.app.kept import is_inside, is_ours, refuse_links
from microgauge.app.shapes import MAYBE_NUMBER, MAYBE_TEXT, NUMBER, fits
from microgauge.errors import MISSED, REFUSED, InputError, said_by_system
from microgauge.languages.messages import forms_of, said_again, say
from microgauge.log import WATCHED
from microgauge.results.writing import not_written, write_whole

Kind = Literal["describe", "measure", "preview", "candidate", "explore", "release"]
State = Literal["queued", "running", "done", "refused", "failed", "cancelled", "killed"]
OVER = ("done", "refused", "failed", "cancelled", "killed")
ONCE = ("candidate", "release")
"""Kinds of runs that put something into the folder itself."""
PATIENCE = 5.0
"""Seconds that a process has to end after it is asked to."""
SHORT = 0.02
"""Seconds between two looks at it."""
PROGRAM = (sys.executable, "-m", "microgauge")
NICE = 10
"""Pages are answered before figures are worked out."""
LONGEST = 4_000
"""Characters of a message that are kept."""
MOST_MESSAGES = 50
GIVEN = ("run.json", "said.txt", "schema.toml", "recipe.toml", "sample.toml", "variables.json")
"""Files of a run that stay when it is done again; so do its folders, which are gone on with."""
OTHERS = ("*", "?", "[", "::")
"""By which commands take a name that no file has for the names of others."""
LAST = "last"
"""Holds the highest number that a run had, since the folder of that run may be gone."""


@dataclass
class Run:
    """Some work: the commands it consists of, and how far it is."""

    id: str
    kind: Kind
    title: str
    commands: list[list[str]]
    """What follows `microgauge` on a command line, one after the other."""
    inputs: list[str] = field(default_factory=list)
    """Files of the folder that it reads."""
    about: dict[str, Any] = field(default_factory=dict)
    """What its page must know beyond that."""
    state: State = "queued"
    step: int = 0
    """Which of the commands it is at."""
    doing: str = ""
    share: float = 0.0
    verdict: dict[str, Any] | None = None
    """The first one, while the rest is measured."""
    faults: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    code: int | None = None
    missed: bool = False
    """Whether a limit is missed."""
    queued: float = 0.0
    started: float | None = None
    ended: float | None = None
    pid: int | None = None
    prints: dict[str, list[float]] = field(default_factory=dict)
    """Sizes and times of its inputs when it began."""
    changed: list[str] = field(default_factory=list)
    """Inputs that were others when it ended."""
    made: dict[str, list[int]] = field(default_factory=dict)
    """Folders that it made outside its own place, with what tells each from others of its name."""

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.state in OVER


Work = Callable[[Run], None]


def _nothing(run: Run) -> None:
    """There is nothing to do."""


@dataclass(frozen=True)
class Around:
    """What is done around the commands of runs of a kind."""

    before: Work = _nothing
    """When it is their turn; may raise `InputError`."""
    after: Work = _nothing
    """When all of them are done; may raise `InputError`."""
    undone: Work = _nothing
    """When the run is over and did not come to its end."""


class Jobs:
    """A queue and the one who works at it."""

    def __init__(self, folder: Folder, program: Sequence[str] = PROGRAM) -> None:
        self._folder = folder
        self._program = tuple(program)
        self._around: dict[str, Around] = {}
        self._runs: dict[str, Run] = {}
        self._lock = threading.RLock()
        self._news = threading.Condition(self._lock)
        self._ending = False
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: set[str] = set()
        self._killed: list[Run] = []
        self._last = _last_of(folder.own / "runs")
        self._read_kept()
        self._worker = threading.Thread(target=self._work, name="jobs", daemon=True)

    # -- for pages -----------------------------------------------------------------------------

    def start(self, around: Mapping[str, Around] | None = None) -> None:
        """Begin to work; `around` says what is done beside the commands of runs of a kind."""
        self._around = dict(around or {})
        for run in self._killed:
            self._undo(run)
        self._worker.start()

    def add(
        self,
        kind: Kind,
        title: str,
        commands: Callable[[str], list[list[str]]],
        inputs: Sequence[str] = (),
        about: Mapping[str, Any] | None = None,
        files: Mapping[str, str] | None = None,
        first: Callable[[Run], object] = _nothing,
    ) -> Run:
        """Put some work at the end of the queue.

        `commands` is told the run's own place, as a command line names it; `files` are written
        there, and `first` is done, before the run counts. `InputError` where that cannot be, or
        an input leads out of the folder by now: then there is no such run.
        """
        self._folder.need()
        self._look(inputs)
        with self._news:
            # A page that was opened earlier must not mean another run by its name.
            name = f"{self._last + 1:04d}"
            place = self.place(name)
            given = place.relative_to(self._folder.root).as_posix()
            run = Run(name, kind, title, commands(given), list(inputs), dict(about or {}))
            run.queued = time.time()
            _make(place)
            self._last += 1
            try:
                for file, content in (files or {}).items():
                    write_whole(place / file, content)
                first(run)
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
            self._runs[name] = run
            self.keep(run)
            self._news.notify_all()
            return run

    def again(self, name: str) -> bool:
        """Queue a run once more, as it was; not one that is under way.

        Nor one whose files have their names in the folder: it would find them taken.
        """
        self._folder.need()
        with self._news:
            run = self._runs.get(name)
            if run is None or not run.over or (run.kind in ONCE and run.state == "done"):
                return False
            fresh = Run(run.id, run.kind, run.title, run.commands, run.inputs, run.about)
            fresh.queued = time.time()
            self._clear(name)
            self._runs[name] = fresh
            self.keep(fresh)
            self._news.notify_all()
            return True

    def cancel(self, name: str) -> None:
        """Stop a run, or take it out of the queue; nothing where it is over."""
        with self._news:
            run = self._runs.get(name)
            if run is None or run.over:
                return
            self._asked.add(name)
            if run.state == "queued":
                self._end(run, "cancelled")
                return
            process = self._process
        if process is not None:
            threading.Thread(target=_ended, args=(process,), daemon=True).start()

    def forget(self, name: str) -> None:
        """Remove a run that is over, and what it kept."""
        with self._lock:
            run = self._runs.get(name)
            if run is not None and run.over:
                with contextlib.suppress(InputError):
                    write_whole(self._folder.own / "runs" / LAST, f"{self._last}\n")
                del self._runs[name]
                shutil.rmtree(self.place(name), ignore_errors=True)

    def _look(self, inputs: Sequence[str]) -> None:
        """`InputError` where an input leads out of the folder by now.

        What is gone is told by the command, unless its name could mean other files: a pattern,
        or a sheet of a workbook.
        """
        for name in inputs:
            file, _ = self._folder.parted(name)
            if (self._folder.root / file).exists() or any(sign in file for sign in OTHERS):
                self._folder.inside(file)

    def _clear(self, name: str) -> None:
        """Nothing of an earlier try may be taken for what the next one finds."""
        for path in self.place(name).glob("*"):
            if path.name not in GIVEN and not path.is_dir():
                with contextlib.suppress(OSError):
                    path.unlink()

    def runs(self, *kinds: str) -> list[Run]:
        """Runs of these kinds, or all; the newest first."""
        with self._lock:
            found = [run for run in self._runs.values() if not kinds or run.kind in kinds]
        return sorted(found, key=lambda run: int(run.id), reverse=True)

    def get(self, name: str) -> Run | None:
        """A run by its name."""
        with self._lock:
            return self._runs.get(name)

    def promised(self, but: Run | None = None) -> set[str]:
        """Names that files and folders will have when what is queued or under way is done."""
        under_way = [run for run in self.runs() if not run.over and run is not but]
        said = (run.about.get(key) for run in under_way for key in ("candidate", "folder"))
        return {name for name in said if name}

    def aside(self, run: Run) -> Path:
        """Where a protected version is made, before it gets its name in the folder."""
        return self.place(run.id) / f"protected{Path(run.about['candidate']).suffix}"

    def busy(self) -> Run | None:
        """The run that is under way."""
        with self._lock:
            return next((run for run in self._runs.values() if run.state == "running"), None)

    def place(self, name: str) -> Path:
        """Where a run keeps its files."""
        return self._folder.own / "runs" / name

    def file(self, run: Run, name: str) -> Path | None:
        """A file of a run, where it has one of that name."""
        path = self.place(run.id) / name
        return path if path.is_file() else None

    def end(self) -> None:
        """Stop what is under way; what is queued stays so, for the next time."""
        with self._news:
            self._ending = True
            process = self._process
            self._news.notify_all()
        if process is not None:
            _ended(process)
        if self._worker.is_alive():
            self._worker.join(PATIENCE)

    # -- the work ------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._news:
                while not self._ending and self._next() is None:
                    self._news.wait()
                run = self._next()
                if self._ending or run is None:
                    return
                self._asked.discard(run.id)
                run.state, run.started = "running", time.time()
                run.prints = prints_of(self._folder, run.inputs)
                self.keep(run)
            try:
                self._do(run)
            except OSError as error:
                why = said_by_system(error)
                run.faults.append(say("the system did not let it be done: {why}.", why=why))
                self._end(run, "failed")
            except Exception as error:  # noqa: BLE001  one run must not end the others
                run.messages.append(f"{type(error).__name__}")
                self._end(run, "failed")

    def _next(self) -> Run | None:
        queued = [run for run in self._runs.values() if run.state == "queued"]
        return min(queued, key=lambda run: run.queued, default=None)

    def _do(self, run: Run) -> None:
        around = self._around.get(run.kind, Around())
        try:
            self._folder.need()
            self._look(run.inputs)
            self._look_at_places(run)
            around.before(run)
        except InputError as error:
            run.faults += error.faults
            self._end(run, "refused")
            return
        for step, arguments in enumerate(run.commands):
            run.step, run.doing, run.share = step, "", 0.0
            code = self._called(run, self._made_aside(run, arguments))
            run.code = code
            if self._ending or run.id in self._asked:
                self._end(run, "cancelled")
                return
            if code == REFUSED and run.kind == "describe" and step + 1 < len(run.commands):
                # Without the schema there may be nothing to describe; the next one has it.
                run.faults.clear()
                continue
            if code not in (0, MISSED):
                self._end(run, _state_of(code))
                return
            run.missed = run.missed or code == MISSED
        try:
            self._folder.need()
            around.after(run)
        except InputError as error:
            run.faults += error.faults
            self._end(run, "refused")
            return
        self._end(run, "done")

    def _look_at_places(self, run: Run) -> None:
        """`InputError` where what the run writes would be written elsewhere by now."""
        refuse_links(self.place(run.id), self._folder.own)
        astray = [one for one in _written_by(run) if not is_inside(self._folder.root, one)]
        if astray:
            raise InputError(*(say("{name} leads out of the folder.", name=one) for one in astray))

    def _made_aside(self, run: Run, arguments: Sequence[str]) -> list[str]:
        """A command that writes into the run's own place what has no name in the folder yet.

        Whatever has that name by then, a file of the user or a link, is not written over.
        """
        if run.kind != "candidate":
            return list(arguments)
        made = self.aside(run).relative_to(self._folder.root).as_posix()
        before = ("", *arguments)
        return [
            made if last == "--output" else word
            for last, word in zip(before, arguments, strict=False)
        ]

    def _called(self, run: Run, arguments: Sequence[str]) -> int:
        """Run a command to its end, listening to what it says."""
        place = self.place(run.id)
        with (place / "said.txt").open("ab") as said:
            process = subprocess.Popen(  # noqa: S603  our own command
                [*self._program, *arguments],
                cwd=self._folder.root,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.PIPE,
                # A file of the folder must never be taken for a module.
                env={**os.environ, WATCHED: "json", "PYTHONSAFEPATH": "1"},
                start_new_session=True,
            )
        with contextlib.suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        with self._lock:
            self._process, run.pid = process, process.pid
            stop = self._ending or run.id in self._asked
            self.keep(run)
        if stop:
            _ended(process)
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                self._heard(run, line.decode("utf-8", "replace").rstrip("\n"))
        code = process.wait()
        with self._lock:
            self._process = run.pid = None
        return code

    def _heard(self, run: Run, line: str) -> None:
        said = _told(line)
        with self._lock:
            if said is None:
                if line.strip() and len(run.messages) < MOST_MESSAGES:
                    run.messages.append(_short(line.removeprefix("microgauge: ")))
                return
            if "doing" in said:
                run.doing, run.share = str(said["doing"]), float(said["share"])
            if "faults" in said:
                run.faults += [_short(fault["sentence"]) for fault in said["faults"]]
            if "warned" in said and len(run.messages) < MOST_MESSAGES:
                run.messages.append(_short(said["warned"]))
            if "verdict" in said:
                run.verdict = said["verdict"]
                self.keep(run)

    def _end(self, run: Run, state: State) -> None:
        with self._lock:
            now = prints_of(self._folder, run.inputs)
            run.changed = [name for name in run.prints if now.get(name) != run.prints[name]]
            if state != "done":
                self._undo(run)
            run.state, run.ended, run.pid = state, time.time(), None
            self.keep(run)

    def _undo(self, run: Run) -> None:
        with contextlib.suppress(OSError):
            self._around.get(run.kind, Around()).undone(run)

    # -- what is kept --------------------------------------------------------------------------

    def keep(self, run: Run) -> None:
        """Write down how far a run is, and what it made."""
        plain = asdict(run)
        # What was told is kept in English, and what it was made from beside it.
        plain["forms"] = forms_of(plain)
        text = json.dumps(plain, ensure_ascii=False, indent=1)
        # A full disk, or no right to write: what is in memory still holds.
        with contextlib.suppress(InputError, OSError):
            self._folder.need()
            write_whole(self.place(run.id) / "run.json", text + "\n")

    def _read_kept(self) -> None:
        """Runs of earlier; one that was under way when the app ended did not come to its end."""
        for path in sorted((self._folder.own / "runs").glob("*/run.json")):
            run = _run_of(path)
            if run is None or run.id != path.parent.name or not _is_number(run.id):
                continue
            root = self._folder.root
            if not all(is_ours(root, arguments) for arguments in run.commands):
                continue
            if not all(is_inside(root, name) for name in _written_by(run)):
                continue
            self._runs[run.id] = run
            if run.state == "running":
                _end_stray(run.pid, self._folder.root)
                self._end(run, "killed")
                self._killed.append(run)


def _told(line: str) -> dict[str, Any] | None:
    """What a line says to a program, with its messages; None where it is none of ours."""
    try:
        said = json.loads(line)
        told = said_again(said, said.pop("forms", {}))
        return told if isinstance(told, dict) else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _short(text: object) -> str:
    """A message as it is, unless it is too long to be kept whole."""
    said = str(text)
    return said if len(said) <= LONGEST else said[:LONGEST]


def _last_of(place: Path) -> int:
    """The highest number that any run had; also of one that cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        return max(int((place / LAST).read_text(encoding="utf-8")), _highest(place))
    return _highest(place)


def _highest(place: Path) -> int:
    there = (path.name for path in place.glob("*") if path.is_dir())
    return max((int(name) for name in there if _is_number(name)), default=0)


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) < 10


def _make(place: Path) -> None:
    """A run's own place; never the folder above all of them, which the user may have moved."""
    try:
        for path in (place.parent.parent, place.parent, place):
            path.mkdir(exist_ok=True)
    except OSError as error:
        raise not_written(place, error) from None


def _state_of(code: int) -> State:
    """What an exit code says of a run that was not asked to stop."""
    if code == REFUSED:
        return "refused"
    return "killed" if code < 0 or code > 128 else "failed"


def _run_of(path: Path) -> Run | None:
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        plain = said_again(plain, plain.pop("forms", {}))
        known = {one.name for one in fields(Run)}
        run = Run(**{name: value for name, value in plain.items() if name in known})
        return run if _is_sound(run) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _is_sound(run: Run) -> bool:
    """Whether every part has the form that pages rely on: the file may be of another version."""
    needed = NEEDED.get(run.kind, ())
    return (
        fits(vars(run), SHAPE)
        and all(key in run.about for key in needed)
        and 0 <= run.queued < END_OF_TIME
    )


NEEDED = {
    "measure": ("candidates", "original"),
    "candidate": ("candidate",),
    "release": ("folder", "table"),
}
"""What pages must know of runs of a kind."""
END_OF_TIME = 4e9
"""Seconds; every calendar has a date for what is before."""
SHAPE = {
    "id": str,
    "kind": frozenset(get_args(Kind)),
    "state": frozenset(get_args(State)),
    **dict.fromkeys(("title", "doing"), str),
    "commands": [[str]],
    **{key: [str] for key in ("inputs", "faults", "messages", "changed")},
    "about": {
        **dict.fromkeys(("action?", "recipe?", "print?", "schema?"), str),
        **dict.fromkeys(("candidate?", "folder?", "table?", "of?", "require?"), str),
        **{key: [str] for key in ("candidates?", "files?", "despite?")},
        **dict.fromkeys(("size?", "count?", "sample?"), (int, None)),
        **dict.fromkeys(("original?", "source?"), MAYBE_TEXT),
        **dict.fromkeys(("prints?", "digests?"), dict),
        "by?": {
            "files": dict.fromkeys(("original", "external", "holdout", "population"), MAYBE_TEXT),
            "measure": {"full": bool, "require": str},
        },
    },
    **dict.fromkeys(("queued", "share"), NUMBER),
    **dict.fromkeys(("started", "ended"), MAYBE_NUMBER),
    **dict.fromkeys(("code", "pid"), (int, None)),
    "step": int,
    "missed": bool,
    "verdict": (dict, None),
    **dict.fromkeys(("prints", "made"), dict),
}


def _written_by(run: Run) -> list[str]:
    """What is written or read after the commands of a run."""
    folder = run.about.get("folder")
    beside = [] if folder is None else [folder, f"{folder}{INTERNAL}"]
    return [*beside, *(run.about[key] for key in ("table", "candidate") if key in run.about)]


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Ask a process and its own to stop; end them if they do not."""
    for number in (signal.SIGINT, getattr(signal, "SIGKILL", signal.SIGTERM)):
        _signal(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
            break
    # Whatever it started ends with it.
    _signal(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(pid, number)
        else:
            os.kill(pid, number)


def _end_stray(pid: int | None, folder: Path) -> None:
    """End what an app that was killed has left running, if it is what it was."""
    if pid is None or not _is_stray(pid, folder):
        return
    _signal(pid, signal.SIGINT)
    # What was halted hears of it only when it goes on.
    _signal(pid, getattr(signal, "SIGCONT", signal.SIGINT))
    late = time.monotonic() + PATIENCE
    while _is_stray(pid, folder) and time.monotonic() < late:
        time.sleep(SHORT)
    if _is_stray(pid, folder):
        _signal(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _is_stray(pid: int, folder: Path) -> bool:
    """Whether a process is one of ours that works in a folder, with its own beside it."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        here = Path(f"/proc/{pid}/cwd").readlink() == folder
        return here and b"microgauge" in words and os.getpgid(pid) == pid
    except OSError:
        return False
