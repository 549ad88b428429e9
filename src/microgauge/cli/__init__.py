"""The command `microgauge`: read arguments, call the package, print. Heavy modules load on use."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from microgauge._version import __version__
from microgauge.cli import assess, demo, diagnose, explore, mask, rank, reproduce, schema, verify
from microgauge.cli.command import CommandParser
from microgauge.cli.outputs import guard
from microgauge.errors import InputError

__all__ = ["main"]

COMMANDS = (
    assess.COMMAND,
    rank.COMMAND,
    diagnose.COMMAND,
    schema.COMMAND,
    mask.COMMAND,
    explore.COMMAND,
    reproduce.COMMAND,
    verify.COMMAND,
    demo.COMMAND,
)
EPILOG = """\
examples:
  microgauge demo
  microgauge schema original.csv protected.csv --output schema.toml
  microgauge assess original.csv protected.csv --schema schema.toml --json result.json
  microgauge rank original.csv weak.csv strong.csv --schema schema.toml --map map.svg
  microgauge diagnose original.csv --schema schema.toml
  microgauge explore original.csv --recipe grid.toml --schema schema.toml --max-risk 0.1
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Exit code 0: done; 1: a limit is missed; 2: the input cannot be used."""
    # numpy asks for huge pages for every large array. Most of ours live for a moment, and clearing
    # huge pages then costs more than it saves. Must be set before numpy is loaded.
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 0
    try:
        guard(chosen)
        return int(chosen.run(chosen))
    except InputError as error:
        sys.stderr.write(f"microgauge: {_printable(str(error))}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("microgauge: stopped; nothing was written.\n")
        return 130
    except BrokenPipeError:
        # The reader of our output (head, less) has seen enough.
        sys.stderr.close()
        return 0


def _printable(message: str) -> str:
    """A message without signs that would command a terminal: it may name columns of a file."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "�" for sign in message)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="microgauge",
        description="Measure what protection cost a microdata file.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"microgauge {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=CommandParser)
    for command in COMMANDS:
        commands.add_parser(command.name, help=command.help, command=command)
    return parser
