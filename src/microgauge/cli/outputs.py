"""What a command writes: checked before the work, written after it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from microgauge.errors import InputError

INPUTS = ("original", "protected", "schema", "recipe", "external", "population", "holdout")
OUTPUTS = ("json", "report", "pairs", "risky", "map", "levels", "table", "output")


def guard(chosen: argparse.Namespace) -> None:
    """Refuse to write a result over a file it is made from."""
    given = vars(chosen)
    wanted = {name: given.get(name) for name in OUTPUTS}
    places = {n: p for n, p in wanted.items() if isinstance(p, str) and p != "-"}
    if not places:
        return
    from microgauge.tables.source import files_of

    named = [given[name] for name in INPUTS if isinstance(given.get(name), str)]
    inputs = [*named, *(given.get("candidates") or [])]
    read = {file.resolve() for source in inputs for file in files_of(source)}
    for name, place in places.items():
        if Path(place).resolve() in read:
            raise InputError(f"--{name}: {place} is an input of this run; write elsewhere.")


def check_outputs(*names: str | None) -> None:
    """Whether files can be written where they are asked for."""
    from microgauge.tables.writing import check_writable

    for name in names:
        if name and name != "-":
            check_writable(Path(name))


def check_report(chosen: argparse.Namespace) -> None:
    """Whether a public report may rest on so few records."""
    if chosen.min_count < 1:
        raise InputError("--min-count must be 1 or more.")


def write_report(path: str, result: Any, edition: Any, min_count: int) -> None:
    """Write a report to look at."""
    from microgauge.render.report import report_html
    from microgauge.tables.writing import write_whole

    write_whole(Path(path), report_html(result, edition, min_count))


def write_table(path: str, frame: Any) -> None:
    """Write a data frame as CSV."""
    from microgauge.render.frames import csv_text
    from microgauge.tables.writing import write_whole

    write_whole(Path(path), csv_text(frame))


def printed(result: Any, json: str | None) -> int:
    """Print a result, or its JSON; write that where it is asked for."""
    from microgauge.results.plain import json_text
    from microgauge.tables.writing import write_whole

    if json and json != "-":
        write_whole(Path(json), json_text(result))
    sys.stdout.write(json_text(result) if json == "-" else str(result))
    return 0
