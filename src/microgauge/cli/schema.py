"""`microgauge schema`: draft a schema to edit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from microgauge.cli.command import Command
from microgauge.cli.options import add_reading, chosen_reading
from microgauge.cli.outputs import check_outputs


def add_options(command: argparse.ArgumentParser) -> None:
    """One table or two, and where the draft goes."""
    command.add_argument("original", metavar="ORIGINAL")
    command.add_argument("protected", metavar="PROTECTED", nargs="?")
    command.add_argument("--output", "-o", metavar="F", help="file to write; stdout without it")
    add_reading(command)


def run(chosen: argparse.Namespace) -> int:
    """Draft, and write or print."""
    from microgauge.commands.draft import draft_schema
    from microgauge.results.writing import write_whole

    check_outputs(chosen.output)
    text = draft_schema(chosen.original, chosen.protected, **chosen_reading(chosen))
    if not chosen.output:
        sys.stdout.write(text)
        return 0
    write_whole(Path(chosen.output), text)
    sys.stderr.write(
        f"wrote {chosen.output}: read it, correct it, and give it to "
        f"`microgauge assess … --schema {chosen.output}`.\n"
    )
    return 0


COMMAND = Command(
    "schema",
    help="draft a schema to edit",
    description="Draft a schema from what the tables show, with comments, to be edited.",
    add_options=add_options,
    run=run,
)
