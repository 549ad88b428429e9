"""The command `microgauge`: read arguments, call the package, print. Heavy modules load on use."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence

from microgauge._version import __version__
from microgauge.cli import (
    app,
    assess,
    demo,
    diagnose,
    explore,
    mask,
    rank,
    reproduce,
    schema,
    verify,
)
from microgauge.cli.command import CommandParser
from microgauge.cli.memory import keep_freed
from microgauge.cli.outputs import guard
from microgauge.cli.stopping import code_of, failed, stoppable, what_stopped
from microgauge.cli.streams import let_go, prepare, say
from microgauge.errors import REFUSED, InputError
from microgauge.log import tell, watched

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
    app.COMMAND,
)
SELDOM = (100_000, 50, 50)
"""How seldom Python looks for records that hold each other."""
EPILOG = """\
examples:
  microgauge demo
  microgauge schema original.csv protected.csv --output schema.toml
  microgauge assess original.csv protected.csv --schema schema.toml --json result.json
  microgauge rank original.csv weak.csv strong.csv --schema schema.toml --map map.svg
  microgauge diagnose original.csv --schema schema.toml
  microgauge explore original.csv --recipe grid.toml --schema schema.toml --max-risk 0.1
  microgauge app
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Exit code 0: done; 1: a limit is missed; 2: the input cannot be used.

    3: a fault of ours; 128 and a signal's number: stopped.
    """
    # numpy asks for huge pages for every large array. Most of ours live for a moment, and clearing
    # huge pages then costs more than it saves. Must be set before numpy is loaded.
    os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    # A run makes many small records and hardly a cycle: looking for some is a tenth of the time.
    gc.set_threshold(*SELDOM)
    asked: list[int] = []
    try:
        prepare()
        parser = _parser()
        chosen = parser.parse_args(arguments)
        if chosen.command is None:
            parser.print_help()
            return 0
        if arguments is None:  # the process is ours, and ends with the run
            keep_freed()
        with stoppable(asked):
            guard(chosen)
            code = int(chosen.run(chosen))
            sys.stdout.flush()
            return code
    except InputError as error:
        return _stopped(asked) if asked else _refused(error)
    except KeyboardInterrupt as stop:
        say(what_stopped(stop))
        return code_of(stop)
    except BrokenPipeError:
        let_go()  # the reader of our output (head, less) has seen enough
        return 0
    except Exception as error:  # noqa: BLE001  the last to hear of it: no traceback ever
        let_go()
        if asked:  # what was made of a request to stop on the way
            return _stopped(asked)
        code, said = failed(error)
        say(said)
        return code


def _refused(error: InputError) -> int:
    if watched():
        tell(faults=[{"code": f.code, "sentence": f.sentence} for f in error.records])
    else:
        say(str(error))
    return REFUSED


def _stopped(asked: Sequence[int]) -> int:
    say("stopped.")
    return 128 + asked[0]


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
