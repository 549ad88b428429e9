"""`microgauge verify`: are the inputs of a result the same, and do they give the same figures?"""

from __future__ import annotations

import argparse
import sys

from microgauge.cli.command import Command

DIFFERS = 1
"""What the command returns where something differs."""


def add_options(command: argparse.ArgumentParser) -> None:
    """A result, and where its inputs are."""
    command.add_argument("result", metavar="RESULT.json", help="what --json wrote")
    command.add_argument(
        "original", metavar="ORIGINAL", nargs="?", help="where it is now, if elsewhere"
    )
    command.add_argument(
        "candidates", metavar="PROTECTED", nargs="*", help="the protected table, or all candidates"
    )
    for name, what in (
        ("schema", "the schema file"),
        ("external", "the table an intruder may hold"),
        ("holdout", "people none of whom was used"),
        ("population", "the table the original is a sample of"),
    ):
        command.add_argument(f"--{name}", metavar="F", help=f"{what}, if elsewhere")
    command.add_argument(
        "--hashes", action="store_true", help="compare inputs only, measure nothing again"
    )


def run(chosen: argparse.Namespace) -> int:
    """Compare, and say what differs."""
    from microgauge.commands.verify import verify
    from microgauge.log import line

    with line() as progress:
        found = verify(
            chosen.result,
            chosen.original,
            chosen.candidates or None,
            schema=chosen.schema,
            external=chosen.external,
            population=chosen.population,
            holdout=chosen.holdout,
            hashes_only=chosen.hashes,
            progress=progress,
        )
    sys.stdout.write(str(found))
    return 0 if found.same else DIFFERS


COMMAND = Command(
    "verify",
    help="say whether a result's inputs are the same and give the same figures",
    description="Hold a result (JSON) against its inputs: are they the same, by SHA-256, and do "
    "they give the same figures, to 1e-9? Exit code 0: the same; 1: something differs; 2: the "
    "input cannot be used.",
    add_options=add_options,
    run=run,
)
