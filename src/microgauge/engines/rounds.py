"""Questions in rounds: all who ask share the scans.

A part of the work that needs rows is a generator. It yields `Questions`, what it wants to know of
which rows, and is sent the answers; or it yields `Need(other)`, another part whose outcome it
waits for. `run` moves all parts on as far as they get without rows, then puts the questions of all
of them to the rows in one scan for each table: there are as many scans as the longest part has
rounds, however many parts and variables there are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeVar

from microgauge.engines.engine import Engine
from microgauge.errors import InputError, Undefined
from microgauge.kernels import in_threads
from microgauge.languages.messages import say, strung
from microgauge.passes import Facts, Pass
from microgauge.passes.batch import SHARED_ROWS
from microgauge.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Questions:
    """Passes for the rows of each engine."""

    of: Mapping[Engine, Sequence[Pass]]


@dataclass(frozen=True)
class Need:
    """Another part whose outcome is waited for."""

    part: Hashable
    told: bool = True
    """Whether what that part has to say belongs to what this one says."""


@dataclass(frozen=True)
class Begin:
    """Another part that will be waited for: it may ask from now on, in the same rounds."""

    part: Hashable


@dataclass(frozen=True)
class IsAsked:
    """Whether another part is asked for itself, or waited for so far."""

    part: Hashable


Asking = Generator[Questions | Need | Begin | IsAsked, Any, T]
"""A part of the work: asks in rounds, returns its outcome."""


def asked(engine: Engine, passes: Sequence[Pass]) -> Asking[Facts]:
    """One round of questions to one table."""
    if not passes:
        return Facts({})
    answers = yield Questions({engine: passes})
    facts: Facts = answers[engine]
    return facts


def asked_both(engines: Sequence[Engine], passes: Sequence[Sequence[Pass]]) -> Asking[list[Facts]]:
    """One round of questions to several tables; a table that is named twice is scanned once."""
    wanted: dict[Engine, list[Pass]] = {}
    for engine, questions in zip(engines, passes, strict=True):
        if questions:
            wanted.setdefault(engine, []).extend(questions)
    answers = (yield Questions(wanted)) if wanted else {}
    return [answers.get(engine, Facts({})) for engine in engines]


def in_blocks(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[list[T]]:
    """Items in blocks whose sizes add up to at most so much; a larger one is by itself."""
    block: list[T] = []
    held = 0
    for item in items:
        here = size(item)
        if block and held + here > most:
            yield block
            block, held = [], 0
        block.append(item)
        held += here
    if block:
        yield block


def together(*works: Asking[Any]) -> Asking[list[Any]]:
    """Several parts as one: what they ask at the same time is asked in the same round."""
    outcomes: list[Any] = [None] * len(works)
    sends: dict[int, Any] = dict.fromkeys(range(len(works)))
    while sends:
        asking: dict[int, Questions] = {}
        for place, send in sends.items():
            said = yield from _until_questions(works[place], send)
            if isinstance(said, Questions):
                asking[place] = said
            else:
                outcomes[place] = said.value
        answers = (yield _merged(asking.values())) if asking else {}
        sends = dict.fromkeys(asking, answers)
    return outcomes


@dataclass(frozen=True, eq=False)
class _Outcome:
    value: Any


def _until_questions(work: Asking[Any], send: Any) -> Asking[Questions | _Outcome]:
    """Move a part on until it asks of rows or is done; what it waits for is waited for here."""
    while True:
        try:
            said = work.send(send)
        except StopIteration as end:
            return _Outcome(end.value)
        if isinstance(said, Questions):
            return said
        send = yield said


def _merged(asking: Iterable[Questions]) -> Questions:
    wanted: dict[Engine, dict[Pass, None]] = {}
    for questions in asking:
        for engine, passes in questions.of.items():
            wanted.setdefault(engine, {}).update(dict.fromkeys(passes))
    return Questions({engine: list(passes) for engine, passes in wanted.items()})


@dataclass(eq=False)
class _Task:
    """A part on its way."""

    part: Hashable
    work: Asking[Any]
    send: Any = None
    throw: Exception | None = None
    questions: Questions | None = None
    waits: Hashable | None = None
    needs: list[Hashable] = field(default_factory=list)
    done: bool = False
    outcome: Any = None
    failure: Exception | None = None


@dataclass(eq=False)
class Rounds:
    """Runs parts together. `begin` gives the generator of a part."""

    begin: Callable[[Any], Asking[Any]]
    _tasks: dict[Hashable, _Task] = field(default_factory=dict)

    def run(self, parts: Iterable[Hashable]) -> dict[Hashable, Any]:
        """The outcome of every part that is wanted; what one of them raises is raised."""
        wanted = list(parts)
        for part in wanted:
            self._start(part)
        while not all(self._tasks[part].done for part in wanted):
            self._advance()
            asking = [task for task in self._tasks.values() if task.questions is not None]
            if asking:
                self._answer(asking)
            elif not all(self._tasks[part].done for part in wanted):
                stuck = [str(task.part) for task in self._tasks.values() if not task.done]
                raise RuntimeError(f"parts wait for each other: {', '.join(stuck)}")
        for part in wanted:
            failure = self._tasks[part].failure
            if failure is not None:
                raise failure
        return {part: self._tasks[part].outcome for part in wanted}

    def in_order(self, parts: Iterable[Hashable]) -> list[Hashable]:
        """Parts that were run, each after those that it waited for."""
        found: dict[Hashable, None] = {}
        for part in parts:
            needs = self._tasks[part].needs
            found |= dict.fromkeys([*self.in_order(n for n in needs if n not in found), part])
        return list(found)

    def _start(self, part: Hashable) -> _Task:
        if part not in self._tasks:
            self._tasks[part] = _Task(part, self.begin(part))
        return self._tasks[part]

    def _advance(self) -> None:
        """Move every part on until all that are left wait for rows."""
        moved = True
        while moved:
            known = len(self._tasks)
            moved = False
            for task in list(self._tasks.values()):
                if self._ready(task):
                    self._step(task)
                    moved = True
            moved = moved or len(self._tasks) > known  # one was begun because it is waited for

    def _ready(self, task: _Task) -> bool:
        if task.done or task.questions is not None:
            return False
        if task.waits is None:
            return True
        other = self._start(task.waits)
        if not other.done:
            return False
        task.waits, task.send, task.throw = None, other.outcome, other.failure
        return True

    def _step(self, task: _Task) -> None:
        send, throw = task.send, task.throw
        task.send = task.throw = None
        try:
            said = task.work.send(send) if throw is None else task.work.throw(throw)
        except StopIteration as end:
            task.done, task.outcome = True, end.value
        except Undefined as why:  # told to those who wait for it, or raised at the end
            task.done, task.failure = True, why
        except InputError:
            raise
        except Exception as error:
            error.add_note(
                say("while working on {getattr}", getattr=getattr(task.part, "name", task.part))
            )
            raise
        else:
            if isinstance(said, Need):
                task.waits = said.part
                task.needs += [said.part] if said.told else []
            elif isinstance(said, Begin):
                self._start(said.part)
            elif isinstance(said, IsAsked):
                task.send = said.part in self._tasks
            elif isinstance(said, Questions):
                task.questions = said
            else:
                ways = say("Questions, Need, Begin or IsAsked")
                raise TypeError(f"a part asks by {ways}, not by {said!r}")

    @staticmethod
    def _answer(asking: Sequence[_Task]) -> None:
        """One scan of each table for the questions of all."""
        wanted = _merged(task.questions for task in asking if task.questions is not None)
        try:
            answers = _scanned(wanted)
        except MemoryError as error:
            named = dict.fromkeys(str(getattr(task.part, "name", task.part)) for task in asking)
            error.add_note(say("while reading rows for {named}", named=strung(named, ", ")))
            raise
        for task in asking:
            task.questions, task.send = None, answers


def _scanned(wanted: Questions) -> dict[Engine, Facts]:
    """Each table scanned once: those on this machine at the same time."""
    here = [engine for engine in wanted.of if engine.here]
    rows = max((engine.rows for engine in here), default=0)
    shared = rows >= SHARED_ROWS
    found = in_threads(lambda engine: engine.scan(wanted.of[engine]), here, shared=shared)
    facts = dict(zip(here, found, strict=True))
    return facts | {e: e.scan(passes) for e, passes in wanted.of.items() if e not in facts}


def run_one(work: Asking[T]) -> T:
    """Run one part that needs no other."""
    found = Rounds(lambda part: work).run(["alone"])
    outcome: T = found["alone"]
    return outcome
