"""What a section is: one object that knows its name, its choices, its questions and its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from microgauge.languages.messages import say
from microgauge.records import dataclass
from microgauge.results.blocks import Question

if TYPE_CHECKING:
    from microgauge.engines.rounds import Asking
    from microgauge.log import Log
    from microgauge.results import Assessment, Edition
    from microgauge.results.blocks import Block, Headline
    from microgauge.schema.entries import Entries
    from microgauge.sections.public.told import Told
    from microgauge.study.study import Study


Explanation = Mapping[str, Any]
"""What a figure means, in texts; `reading` holds pairs of a largest value and what is to be thought
of values up to it, the last without an end."""
SHARE_KEPT = (
    (0.5, say("half or more is lost")),
    (0.8, say("a fifth to a half is lost")),
    (0.95, say("up to a fifth is lost")),
    (0.9995, say("hardly anything is lost")),
    (None, say("nothing is lost that this measure sees")),
)
"""What to think of a share of utility that was kept."""


@dataclass(frozen=True)
class Shared:
    """Something several sections wait for and none shows: made once, by the first that needs it."""

    name: str
    run: Callable[[Study, Log], Asking[Any]]


class Section:
    """A question to a pair of files, answered in one part of the result.

    Everything that lists sections derives from these objects: `--only`, the schema's keys, JSON,
    help, the terminal, the report, and the check of the documentation. They are light: what
    computes is imported where it is used.
    """

    name: ClassVar[str]
    """Its key in the JSON result, and in `--only`."""
    title: ClassVar[str]
    """Its heading."""
    about: ClassVar[str]
    """What it answers, in a few words, for help."""
    page: ClassVar[str]
    """Its page under docs/."""
    module: ClassVar[str] = ""
    """Where its `run` is, which is loaded while tables are read. Empty: `run` is its own."""
    on_request: ClassVar[bool] = False
    """Whether it is computed only when it is asked for by an option of its own."""
    answers: ClassVar[Question] = "experts"
    """The question of a report that it answers; a group of its blocks may answer another."""
    slow: ClassVar[bool] = False
    """Whether it takes long: computed where it is named, has a table in the schema, or all is
    asked for."""
    slow_choices: ClassVar[Mapping[str, str]] = {}
    """Choices that are set where all is asked for, and what each of them adds."""
    public: ClassVar[bool] = False
    """Whether the edition for data users may show it; `for_users` says what of it."""
    choices: ClassVar[type[Entries] | None] = None
    """Its part of the schema: a frozen dataclass of entries, which knows its own faults."""
    key: ClassVar[str | None] = None
    """Its table in the schema, where that is not called like the section."""
    several: ClassVar[bool] = False
    """Whether the schema holds a list of tables ([[indicator]]) and not one."""
    result: ClassVar[Any] = Any
    """The type of its result, by which one that was kept as JSON is read back."""
    explanations: ClassVar[Mapping[str, Explanation]] = {}
    """For each of its figures: question, range, direction, reference; reading, where values can be
    told apart."""

    def run(self, study: Study, log: Log) -> Asking[Any]:
        """Ask in rounds, and return the result; None where there is nothing to tell."""
        return import_module(self.module).run(study, log)  # type: ignore[no-any-return]

    def quickly(self) -> Section | Shared:
        """What stands for it in a first reading: itself, unless it can be had more quickly."""
        return self

    def headline(self, result: Assessment) -> Headline | None:
        """What stands above all else, where it has figures for that."""
        del result
        return None

    def brief(self, result: Assessment) -> Sequence[tuple[str, str]]:
        """What a terminal shows of it in a line or two, each under a label of a word.

        The verdict stands above it; nothing is said here that needs to be explained.
        """
        del result
        return ()

    def words(self, result: Assessment) -> Sequence[Block]:
        """What the terminal shows of it, once it was computed.

        Groups stand by themselves, other blocks under the section's title.
        """
        del result
        return ()

    def for_users(self, result: Assessment, told: Told) -> Any:
        """Its result as data users may see it; None: not at all. Asked where it is public.

        What stays must not tell of few records or of one, also not by arithmetic.
        """
        del result, told
        return None

    def report(self, result: Assessment, edition: Edition, threshold: int) -> Sequence[Block]:
        """Its part of the report; of the public edition, the result is what `for_users` left."""
        del edition, threshold
        return self.words(result)
