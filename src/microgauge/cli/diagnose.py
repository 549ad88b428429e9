"""`microgauge diagnose`: look at an original before protecting it."""

from __future__ import annotations

import argparse

from microgauge.cli.command import Command
from microgauge.cli.options import (
    add_json,
    add_long,
    add_reading,
    add_roles,
    add_schema,
    add_settings,
    chosen_reading,
    chosen_roles,
    chosen_schema,
)
from microgauge.cli.outputs import Shown, check_outputs, printed


def add_options(command: argparse.ArgumentParser) -> None:
    """One table and its schema."""
    command.add_argument("original", metavar="ORIGINAL")
    add_schema(command)
    add_roles(command)
    add_settings(command)
    add_json(command)
    add_reading(command)
    add_long(command)


def run(chosen: argparse.Namespace) -> int:
    """Diagnose, write, print."""
    from microgauge.commands.diagnose import diagnose
    from microgauge.log import line

    check_outputs(chosen.json)
    with line() as progress:
        result = diagnose(
            chosen.original,
            schema=chosen_schema(chosen.schema, chosen.settings),
            progress=progress,
            **chosen_roles(chosen),
            **chosen_reading(chosen),
        )
    return printed(result, chosen.json, shown=Shown(chosen.long))


COMMAND = Command(
    "diagnose",
    help="look at an original before protecting it",
    description="Distributions, classes and previews of protection levels ([level.NAME] in "
    "the schema) of one table.",
    add_options=add_options,
    run=run,
)
