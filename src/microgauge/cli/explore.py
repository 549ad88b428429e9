"""`microgauge explore`: try a grid of recipes and say which to release."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from microgauge.cli.command import Command
from microgauge.cli.comparison import (
    add_comparison,
    check_comparison,
    chosen_comparison,
    compared,
    maps,
)
from microgauge.cli.options import add_choices
from microgauge.cli.outputs import Files, check_outputs
from microgauge.cli.stopping import code_of
from microgauge.cli.streams import say
from microgauge.errors import InputError

if TYPE_CHECKING:
    from microgauge.results import Candidate, Ranking


def add_options(command: argparse.ArgumentParser) -> None:
    """An original, a grid of recipes, and where candidates are kept."""
    command.add_argument("original", metavar="ORIGINAL", help="the table before protection")
    command.add_argument(
        "--recipe",
        metavar="GRID.toml",
        required=True,
        help="the steps, with values like { grid = [0.1, 0.2] }",
    )
    command.add_argument(
        "--folder",
        metavar="DIR",
        help="where finished candidates are kept (default: the recipe's name with -explored)",
    )
    command.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one for each processor)"
    )
    command.add_argument(
        "--output", "-o", metavar="F.toml", help="write the recommended candidate's recipe"
    )
    command.add_argument(
        "--pick", metavar="NAME", help="the candidate whose recipe to write instead"
    )
    add_choices(command)
    add_comparison(command)


def run(chosen: argparse.Namespace) -> int:
    """Explore, draw, write, print."""
    from microgauge.commands.explore import explore
    from microgauge.log import line

    drawn = maps(chosen.map)
    check_comparison(chosen, drawn)
    check_outputs(chosen.output)
    _check_pick(chosen)
    folder = kept_in(chosen)
    try:
        with line() as progress:
            result = explore(
                chosen.original,
                chosen.recipe,
                folder=folder,
                workers=chosen.workers,
                **chosen_comparison(chosen),
                progress=progress,
            )
    except KeyboardInterrupt as stop:
        say(
            f"stopped; finished candidates are kept in {folder}. The same command goes on from "
            "there."
        )
        return code_of(stop)
    return compared(
        chosen, result, drawn, _recipe_file(chosen.output, _picked(result, chosen.pick))
    )


def kept_in(chosen: argparse.Namespace) -> str:
    """The folder of finished candidates."""
    return str(chosen.folder or f"{Path(chosen.recipe).stem}-explored")


def _check_pick(chosen: argparse.Namespace) -> None:
    """Tell a name that no candidate will have before the work, not after."""
    from microgauge.commands.explore.grid import Grid

    if chosen.pick is None:
        return
    grid = Grid.load(chosen.recipe)
    names = [tried.name for tried in grid.tries]
    if not grid.faults and chosen.pick not in names:
        raise InputError(
            f'--pick: there is no candidate "{chosen.pick}"; there are {names[0]} to {names[-1]}.'
        )


def _picked(result: Ranking, name: str | None) -> Candidate | None:
    """The candidate of a name, or the recommended one."""
    if name is None:
        return result.best
    return next(candidate for candidate in result.candidates if candidate.name == name)


def _recipe_file(path: str | None, picked: Candidate | None) -> Files:
    """The recipe of a candidate; where there is none, that is told."""
    from microgauge.masking.recipe import recipe_toml

    if path and picked is not None and picked.recipe is not None:
        return {Path(path): recipe_toml(picked.recipe)}
    if path:
        sys.stderr.write(
            f"microgauge: none is recommended, so {path} was not written; what was there before is "
            "left.\n"
        )
    return {}


COMMAND = Command(
    "explore",
    help="try a grid of recipes and say which to release",
    description="Protect a table by every recipe of a grid, measure each candidate, and say "
    "which to release. Finished candidates are kept: run it again after an interruption.",
    add_options=add_options,
    run=run,
)
