"""What a command is, and a parser that asks it for its options only when they are needed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from microgauge.records import dataclass


@dataclass(frozen=True)
class Command:
    """A word after `microgauge`, what help says of it, its options, and what it does."""

    name: str
    help: str
    """For the list of commands."""
    description: str | Callable[[], str]
    """What it does; a function where that derives from a list that others add to."""
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    """Does it; gives the exit code."""
    epilog: Callable[[], str] | None = None
    """Lines that help ends with."""

    def described(self) -> str:
        """The description as it is now."""
        return self.description if isinstance(self.description, str) else self.description()


class CommandParser(argparse.ArgumentParser):
    """Knows its options once it is used: `microgauge --help` need not load what they tell."""

    def __init__(self, *, command: Command, **settings: Any) -> None:
        if command.epilog is not None:
            settings["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(**settings)
        self._command: Command | None = command

    def _fill(self) -> None:
        command, self._command = self._command, None
        if command is not None:
            self.description = command.described()
            self.epilog = command.epilog and command.epilog()
            command.add_options(self)
            self.set_defaults(run=command.run)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse, with all options."""
        self._fill()
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """The help text, with all options."""
        self._fill()
        return super().format_help()
