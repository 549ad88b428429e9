"""A case run in this process, and what must never happen."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import signal
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microgauge.cli import main
from support.fuzz.cases import PLANTED, Case
from support.fuzz.families import FAMILIES

LIMIT = 20.0
"""Seconds of a case."""
CODES = (0, 1, 2)
UNDEFINED = re.compile(r"(?<![\w.])(nan|[-+]?inf)(?!\w|\.\w)", re.IGNORECASE)
LAST = ("there is not enough memory", "a file cannot be read or written", "a text is not in UTF-8",
        "something is nested too deeply", "a number is too large to work with")  # fmt: skip
"""How messages of the last handler start."""


class Overtime(BaseException):
    """A case that does not end."""


@dataclass
class Outcome:
    """What came of a case."""

    family: str
    number: int
    code: Any
    seconds: float
    said: str
    faults: list[str] = field(default_factory=list)

    @property
    def last(self) -> bool:
        """Whether only the last handler knew what to say."""
        return any(start in self.said for start in LAST)


def run_case(family: str, number: int, seed: int) -> Outcome:
    """One case, in a folder of its own."""
    rng = random.Random(f"{seed} {family} {number}")
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            case = FAMILIES[family](rng)
            return _run(case, family, number)
        finally:
            os.chdir(here)


def _run(case: Case, family: str, number: int) -> Outcome:
    for name, content in case.files.items():
        Path(name).write_bytes(content)
    out, err = io.StringIO(), io.StringIO()
    fault, code, start = None, None, time.perf_counter()
    with (
        _past_python() as past,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        if case.before is not None:
            case.before()
            out.truncate(0), err.truncate(0)
        before = _files()
        start = time.perf_counter()
        try:
            with _limited():
                code = main(case.arguments)
        except SystemExit as end:
            code = end.code
        except Overtime:
            fault = "overtime"
        except BaseException as error:  # noqa: BLE001  what is looked for
            fault = f"raised {type(error).__name__}: {traceback.format_exc(limit=-3)}"
    said = err.getvalue()
    outcome = Outcome(family, number, code, time.perf_counter() - start, said)
    outcome.faults = [fault] if fault else _faults(case, code, out.getvalue(), said, before)
    if case.after is not None and not fault:
        outcome.faults += case.after()
    outcome.faults += [f"a panic: {text[:300]}" for text in past if "panicked at" in text]
    return outcome


@contextlib.contextmanager
def _past_python() -> Any:
    """What libraries print on the stream of errors themselves."""
    found: list[str] = []
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield found
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            found.append(file.read().decode("utf-8", "replace"))


@contextlib.contextmanager
def _limited() -> Any:
    def over(number: int, frame: Any) -> None:
        raise Overtime

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _files() -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in Path().iterdir() if p.is_file()}


def _faults(case: Case, code: Any, out: str, err: str, before: dict[str, bytes]) -> list[str]:
    faults = [] if code in CODES else [f"exit code {code}: {err[-500:]}"]
    if "Traceback" in err or "Traceback" in out:
        faults.append(f"a traceback: {err[-800:]}")
    if PLANTED in err or (code == 2 and PLANTED in out):
        faults.append(f"a leak: {err[-500:]}")
    if code == 2 and not err.strip():
        faults.append("refused without a word")
    now = _files()
    faults += [f"{name} was changed" for name, content in before.items()
               if name not in case.outputs and now.get(name) != content]  # fmt: skip
    new = [name for name in now if name not in before]
    faults += [f"left behind: {name}" for name in new if name.startswith(".")]
    if code == 2:
        faults += [f"written in spite of a refusal: {name}" for name in new]
    faults += [f for name in new for f in _file_faults(case, name, now[name])]
    if case.finite and code in (0, 1) and UNDEFINED.search(out):
        faults.append(f"an undefined number is printed: {UNDEFINED.search(out)}")
    return faults


def _file_faults(case: Case, name: str, content: bytes) -> list[str]:
    """What is wrong with a file that was written."""
    ending = name.rpartition(".")[2]
    try:
        text = "" if ending in ("pdf", "png", "parquet") else content.decode("utf-8")
    except UnicodeDecodeError:
        return [f"{name} is no UTF-8"]
    if ending == "json":
        try:
            json.loads(text, parse_constant=lambda word: [][word])
        except (TypeError, ValueError):
            return [f"{name} is no JSON"]
    if ending == "html" and not text.rstrip().endswith("</html>"):
        return [f"{name} is cut off"]
    if ending == "pdf" and not content.rstrip().endswith(b"%%EOF"):
        return [f"{name} is cut off"]
    if ending == "csv" and case.finite and UNDEFINED.search(text):
        return [f"{name} holds an undefined number"]
    return []
