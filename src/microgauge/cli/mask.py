"""`microgauge mask`: protect a table by a recipe."""

from __future__ import annotations

import argparse
import sys
from textwrap import fill

from microgauge.cli.command import Command
from microgauge.languages.messages import say


def add_options(command: argparse.ArgumentParser) -> None:
    """A table, a recipe, and where the protected table goes."""
    command.add_argument("original", metavar="ORIGINAL")
    command.add_argument("--recipe", metavar="F.toml", required=True, help="the steps")
    command.add_argument(
        "--output", "-o", metavar="F", required=True, help="file to write: .csv, .parquet, .arrow"
    )


def methods() -> str:
    """The methods there are, as a recipe names them."""
    from microgauge.masking.methods import method_names

    return fill(f"methods of a recipe: {', '.join(method_names())}", 78)


def run(chosen: argparse.Namespace) -> int:
    """Protect and write."""
    from microgauge.log import line, tell, watched
    from microgauge.masking import mask
    from microgauge.results.wording import counted

    with line() as progress:
        progress(say("protecting"), 0.0)
        found = mask(chosen.original, chosen.recipe, chosen.output)
    said = say(
        "wrote {path}: {rows} × {columns}.",
        path=chosen.output,
        rows=counted(found.height, "row"),
        columns=found.width,
    )
    if watched():  # a page says it in its own language
        tell(warned=said)
    else:
        sys.stderr.write(f"{said}\n")
    return 0


COMMAND = Command(
    "mask",
    help="protect a table by a recipe",
    description="Protect a table by the steps of a recipe.",
    add_options=add_options,
    run=run,
    epilog=methods,
)
