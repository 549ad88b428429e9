"""What a command writes: checked before the work, written after it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microgauge.errors import InputError

if TYPE_CHECKING:
    from microgauge.schema import Schema

INPUTS = ("original", "protected", "schema", "recipe", "external", "population", "holdout")
OUTPUTS = (
    "json",
    "report",
    "summary",
    "junit",
    "pairs",
    "risky",
    "map",
    "levels",
    "table",
    "output",
)
MISSED = 1
"""What a command returns where a limit is missed."""
Files = dict[Path, str | bytes]
"""What is to be written, and where."""


def guard(chosen: argparse.Namespace) -> None:
    """Refuse to write a result over a file it is made from, or two results to one place."""
    given = vars(chosen)
    wanted = {name: given.get(name) for name in OUTPUTS}
    places = {n: Path(p) for n, p in wanted.items() if isinstance(p, str) and p != "-"}
    if not places:
        return
    from microgauge.tables.source import files_of

    named = [given[name] for name in INPUTS if isinstance(given.get(name), str)]
    inputs = [*named, *(given.get("candidates") or [])]
    read = {file.resolve() for source in inputs for file in files_of(source)}
    faults = [
        f"--{name}: {place} is an input of this run; write elsewhere."
        for name, place in places.items()
        if place.resolve() in read
    ]
    by_place: dict[Path, list[str]] = {}
    for name, place in places.items():
        by_place.setdefault(place.resolve(), []).append(f"--{name}")
    faults += [
        f"{' and '.join(names)} would write the same file, {place.name}; name different ones."
        for place, names in by_place.items()
        if len(names) > 1
    ]
    if faults:
        raise InputError(*faults)


def check_outputs(*names: str | None) -> None:
    """Whether files can be written where they are asked for."""
    from microgauge.tables.writing import check_writable

    for name in names:
        if name and name != "-":
            check_writable(Path(name))


def check_report(chosen: argparse.Namespace) -> None:
    """Whether a report, a summary and test cases can be what is asked for."""
    faults = [] if chosen.min_count >= 1 else ["--min-count must be 1 or more."]
    if _ends(chosen.report) == ".pdf":
        faults.append(
            "--report writes a page for a browser (HTML); for one page in PDF use --summary "
            f"{chosen.report}."
        )
    if _ends(chosen.summary) in (".html", ".htm"):
        faults.append(
            "--summary writes one page in PDF; for a page for a browser (HTML) use --report "
            f"{chosen.summary}."
        )
    elif chosen.summary and _ends(chosen.summary) != ".pdf":
        faults.append(f"--summary writes PDF: {chosen.summary} must end in .pdf.")
    if faults:
        raise InputError(*faults)


def _ends(name: str | None) -> str:
    return Path(name or "").suffix.lower()


def check_junit(name: str | None, schema: Schema, **limits: Any) -> None:
    """Whether there are limits to make test cases of."""
    from microgauge.sections.requirements.holding import limited, limits_of

    if name and not limits_of(chosen := limited(schema, **limits)) and not chosen.faults():
        raise InputError(
            '--junit writes limits as test cases, and there is none: say --require "risk<=0.05, '
            'k>=3", or give the schema a [require].'
        )


def report_file(path: str | None, result: Any, edition: Any, min_count: int) -> Files:
    """A report to look at."""
    if not path:
        return {}
    from microgauge.render.report import report_html

    return {Path(path): report_html(result, edition, min_count)}


def summary_file(path: str | None, result: Any) -> Files:
    """One page for the committee."""
    return {Path(path): result.summary()} if path else {}


def junit_file(path: str | None, result: Any) -> Files:
    """Limits as test cases."""
    if not path:
        return {}
    from microgauge.render.junit import junit_xml

    return {Path(path): junit_xml(result)}


def table_file(path: str | None, frame: Callable[[], Any]) -> Files:
    """A data frame as CSV, made where it is asked for."""
    if not path:
        return {}
    from microgauge.render.frames import csv_text

    return {Path(path): csv_text(frame())}


def finished(
    result: Any, json: str | None, files: Files | None = None, shown: Shown | None = None
) -> int:
    """Write all files or none, print the result or its JSON; 1 where a limit is missed."""
    from microgauge.results.gate import gate_of

    printed(result, json, files, shown)
    return 0 if gate_of(result).passed else MISSED


@dataclass(frozen=True)
class Shown:
    """How much of a result is printed, and what to do next."""

    long: bool = False
    steps: Sequence[tuple[str, str]] = ()

    def text(self, result: Any, written: Sequence[Path]) -> str:
        """The result with what was written, and where."""
        from microgauge.render.short import told_lines

        ending = [("written", ", ".join(str(path) for path in written))] if written else []
        ending += self.steps
        if not self.long:
            return str(result.short_text(ending, "--long"))
        lines = told_lines(ending)
        return "\n".join([result.long_text(), *lines, ""]) if lines else str(result.long_text())


def printed(
    result: Any, json: str | None, files: Files | None = None, shown: Shown | None = None
) -> int:
    """Print a result, or its JSON; write that and other files, all or none."""
    from microgauge.results.plain import json_text
    from microgauge.tables.writing import write_together

    wanted: Files = dict(files or {})
    if json and json != "-":
        wanted[Path(json)] = json_text(result)
    write_together(wanted)
    text = str(result) if shown is None else shown.text(result, list(wanted))
    sys.stdout.write(json_text(result) if json == "-" else text)
    return 0
