"""`microgauge rank`: compare several protected tables and say which to release."""

from __future__ import annotations

import argparse

from microgauge.cli.command import Command
from microgauge.cli.comparison import (
    add_comparison,
    check_comparison,
    chosen_comparison,
    compared,
    maps,
    pictures,
)
from microgauge.cli.options import add_choices, add_reading, chosen_reading


def add_options(command: argparse.ArgumentParser) -> None:
    """An original and its candidates."""
    command.add_argument("original", metavar="ORIGINAL", help="the table before protection")
    command.add_argument("candidates", metavar="CANDIDATE", nargs="+", help="protected versions")
    add_choices(command)
    add_reading(command)
    add_comparison(command)
    command.add_argument(
        "--levels", metavar="F", help="write safety, utility and RUT over the candidates' order"
    )


def run(chosen: argparse.Namespace) -> int:
    """Rank, draw, write, print."""
    from microgauge.commands.rank import rank
    from microgauge.log import line
    from microgauge.render.pictures import levels_picture

    drawn = maps(chosen.map) + pictures(chosen.levels, levels_picture)
    check_comparison(chosen, drawn)
    with line() as progress:
        result = rank(
            chosen.original,
            chosen.candidates,
            **chosen_comparison(chosen),
            details=bool(chosen.report or chosen.public),
            progress=progress,
            **chosen_reading(chosen),
        )
    return compared(chosen, result, drawn)


COMMAND = Command(
    "rank",
    help="compare several protected tables and say which to release",
    description="Measure several protected versions of one original, weakest first if they "
    "have an order, and say which to release.",
    add_options=add_options,
    run=run,
)
