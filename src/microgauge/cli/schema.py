"""`microgauge schema`: draft a schema to edit."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from microgauge.cli.command import Command
from microgauge.cli.options import add_reading, add_schema, chosen_reading, chosen_schema
from microgauge.cli.outputs import check_outputs
from microgauge.errors import InputError


def add_options(command: argparse.ArgumentParser) -> None:
    """One table or two, and where the draft goes."""
    command.add_argument("original", metavar="ORIGINAL")
    command.add_argument("protected", metavar="PROTECTED", nargs="?")
    command.add_argument("--output", "-o", metavar="F", help="file to write; stdout without it")
    command.add_argument(
        "--json", metavar="F", help="write what the variables are instead, for programs"
    )
    add_schema(command)
    add_reading(command)


def run(chosen: argparse.Namespace) -> int:
    """Draft, and write or print."""
    if chosen.schema and not chosen.json:
        raise InputError("--schema is held against the tables with --json; a draft needs none.")
    check_outputs(chosen.output, chosen.json)
    if chosen.json:
        return _described(chosen)
    from microgauge.commands.draft import draft_schema
    from microgauge.results.writing import write_whole

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


def _described(chosen: argparse.Namespace) -> int:
    """What the tables hold, and all that is wrong with a schema for them."""
    from microgauge.commands.describe import describe
    from microgauge.languages.messages import forms_of
    from microgauge.log import line
    from microgauge.results.plain import indented
    from microgauge.results.writing import write_whole

    with line() as progress:
        found = describe(
            chosen.original,
            chosen.protected,
            schema=chosen_schema(chosen.schema),
            progress=progress,
            **chosen_reading(chosen),
        )
    text = indented({**found, "forms": forms_of(found)}) + "\n"
    if chosen.json == "-":
        sys.stdout.write(text)
    else:
        write_whole(Path(chosen.json), text)
    return 0


COMMAND = Command(
    "schema",
    help="draft a schema to edit",
    description="Draft a schema from what the tables show, with comments, to be edited.",
    add_options=add_options,
    run=run,
)
