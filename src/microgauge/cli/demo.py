"""`microgauge demo`: assess a survey extract that comes with the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from microgauge.cli.assess import Outputs, assessed
from microgauge.cli.command import Command
from microgauge.cli.options import add_full, add_json, add_long, chosen_schema
from microgauge.cli.outputs import check_outputs
from microgauge.errors import InputError, said_by_system


def add_options(command: argparse.ArgumentParser) -> None:
    """What is written, and where."""
    add_json(command)
    add_full(command)
    add_long(command)
    command.add_argument(
        "--report",
        metavar="F.html",
        default="microgauge-demo.html",
        help="where to write the report (default: microgauge-demo.html)",
    )
    command.add_argument(
        "--candidates",
        metavar="DIR",
        help="write five protected versions of rising strength into a folder instead, to rank",
    )
    command.add_argument(
        "--raw", metavar="F.csv", help="write the raw survey file instead, to protect it yourself"
    )


def run(chosen: argparse.Namespace) -> int:
    """Assess the extract, or write files to work with."""
    from microgauge.demo import ORIGINAL, PROTECTED, SCHEMA, STORY

    if chosen.candidates:
        return _write_candidates(Path(chosen.candidates))
    if chosen.raw:
        return _write_raw(Path(chosen.raw))
    sys.stderr.write(STORY)
    check_outputs(chosen.json, chosen.report)
    code = assessed(
        str(ORIGINAL),
        str(PROTECTED),
        chosen_schema(str(SCHEMA)),
        Outputs(json=chosen.json, report=chosen.report, long=chosen.long, advice=False),
        yardsticks=True,
        full=chosen.full,
    )
    sys.stderr.write(f"\nThe report to look at: {Path(chosen.report).resolve()}\n")
    return code


def _write_raw(path: Path) -> int:
    from microgauge.demo import ORIGINAL
    from microgauge.results.writing import write_whole

    check_outputs(str(path))
    write_whole(path, ORIGINAL.read_bytes())
    sys.stderr.write(
        f"wrote {path}: American Community Survey 2024, Alaska, persons aged 16 and over.\n"
    )
    return 0


def _write_candidates(folder: Path) -> int:
    from microgauge.demo import ORIGINAL, SCHEMA
    from microgauge.demo.candidates import write_candidates

    try:
        paths = write_candidates(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be written to: {said_by_system(error)}.") from None
    files = " ".join(str(path) for path in paths)
    sys.stdout.write(
        f"wrote {len(paths)} files. Compare them:\n\n"
        f"microgauge rank {ORIGINAL} {files} --schema {SCHEMA} --map map.svg\n"
    )
    return 0


COMMAND = Command(
    "demo",
    help="assess a survey extract that comes with the package",
    description="Assess a protected extract of a public-domain survey.",
    add_options=add_options,
    run=run,
)
