"""`microgauge reproduce`: make a published study again."""

from __future__ import annotations

import argparse

from microgauge.cli.command import Command
from microgauge.cli.options import add_json
from microgauge.cli.outputs import check_outputs, printed


def add_options(command: argparse.ArgumentParser) -> None:
    """Which study, and the seed."""
    command.add_argument("study", metavar="STUDY", help="one of the studies below")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of all chance (1)")
    add_json(command)


def studies() -> str:
    """The studies there are."""
    from microgauge.papers import STUDIES

    listed = "\n".join(f"  {name:<8} {what}" for name, (_, what) in STUDIES.items())
    return f"studies:\n{listed}"


def run(chosen: argparse.Namespace) -> int:
    """Make it again, write, print."""
    from microgauge.log import line
    from microgauge.papers import reproduce

    check_outputs(chosen.json)
    with line() as progress:
        result = reproduce(chosen.study, seed=chosen.seed, progress=progress)
    return printed(result, chosen.json)


COMMAND = Command(
    "reproduce",
    help="make a published study again",
    description="Make a published study again: its figures beside ours, and a verdict on each "
    "claim.",
    add_options=add_options,
    run=run,
    epilog=studies,
)
